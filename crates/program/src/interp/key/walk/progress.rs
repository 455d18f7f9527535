//! The walk at hand, and how far it and the kept one have gone the same way.

use super::run::{Run, Slot};
use crate::interp::key::LOW;
use crate::interp::key::cut::Window;

/// The walk at hand.
pub(super) struct Progress {
    pub order: Vec<Slot>,
    pub roots: Vec<u32>,
    pub stack: Vec<u32>,
    pub n_found: u32,
    /// Runs of the kept walk that this one has left behind.
    pub n_behind: usize,
    /// What only one of the two walks has found so far.
    pub odd: Vec<u32>,
    /// Objects that lived and do not, or the other way round.
    pub reborn: Vec<u32>,
    pub changed: Vec<u32>,
    /// New runs with their objects.
    pub made: Vec<(Slot, Vec<u32>)>,
    /// Runs of the kept walk that this one has not taken over.
    pub dropped: Vec<Slot>,
    /// Which of the first objects are those of the kept walk, one bit each.
    pub same_low: u32,
    /// From this number on, numbers differ from those of the kept walk by the same.
    pub aligned_from: u32,
    pub shift: i64,
    /// The run at hand, its objects, and how high the stack is that it has not touched.
    pub open: Run,
    pub owners: Vec<u32>,
    pub floor: usize,
    /// Where the mentions of the object at hand begin on the stack.
    pub mentions_from: usize,
    pub work: usize,
    pub allowed: usize,
    /// There is no kept walk to compare with.
    pub is_first: bool,
}

impl Progress {
    pub(super) fn new() -> Self {
        Self {
            order: Vec::new(),
            roots: Vec::new(),
            stack: Vec::new(),
            n_found: 0,
            n_behind: 0,
            odd: Vec::new(),
            reborn: Vec::new(),
            changed: Vec::new(),
            made: Vec::new(),
            dropped: Vec::new(),
            same_low: 0,
            aligned_from: 0,
            shift: 0,
            open: Run::new(0, Window::default()),
            owners: Vec::new(),
            floor: 0,
            mentions_from: 0,
            work: 0,
            allowed: usize::MAX,
            is_first: true,
        }
    }

    /// So many objects have the next numbers, in the kept walk those from `old` on.
    pub(super) fn count(&mut self, old: Option<u32>, n: u32) {
        let now = self.n_found;
        self.n_found += n;
        let Some(old) = old else {
            self.aligned_from = now + n;
            return;
        };
        if old == now {
            self.same_low |= low_bits(now + n) & !low_bits(now);
        }
        let shift = i64::from(now) - i64::from(old);
        if shift != self.shift {
            (self.shift, self.aligned_from) = (shift, now);
        }
    }

    pub(super) fn begin_run(&mut self, before: Window) {
        self.open = Run::new(self.n_found, before);
        self.floor = self.stack.len();
    }
}

/// The bits of the objects below a number.
pub(super) fn low_bits(end: u32) -> u32 {
    const { assert!(LOW == u32::BITS) };
    1u32.checked_shl(end).map_or(u32::MAX, |bit| bit - 1)
}
