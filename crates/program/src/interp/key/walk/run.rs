//! A run: objects of a walk taken one after the other, and what has to hold for it to do the same again.

use crate::interp::key::cut::{Segments, Window};

/// Where a run lies.
pub(super) type Slot = u32;

/// Objects taken one after the other.
pub(super) struct Run {
    /// Tells runs apart for ever.
    pub identity: u64,
    /// Which it is in the kept walk.
    pub position: u32,
    /// How many objects were found before it.
    pub first: u32,
    /// Objects on the stack before the run that it takes, in the order in which it does.
    pub taken: Vec<u32>,
    /// What it leaves on the stack, the topmost last.
    pub left: Vec<u32>,
    /// What it finds, in order.
    pub found: Vec<u32>,
    /// Everything it mentions, ascending.
    pub targets: Vec<u32>,
    /// The objects that are named by their numbers, one bit each.
    pub low: u32,
    /// The first object that is named by its distance.
    pub reach: u32,
    /// An object of it is another.
    pub is_changed: bool,
    /// It mentions inputs, or objects whose numbers others have taken.
    pub is_unsettled: bool,
    /// The walk that took it over last, and how many objects had been found then.
    pub kept_in: u32,
    pub new_first: u32,
    pub segments: Segments,
    /// If a cut lies before it: the runs up to the next cut, and their pieces.
    pub pieces: Option<(Vec<u64>, Vec<u32>)>,
}

impl Run {
    pub(super) fn new(first: u32, before: Window) -> Self {
        Self {
            identity: 0,
            position: 0,
            first,
            taken: Vec::new(),
            left: Vec::new(),
            found: Vec::new(),
            targets: Vec::new(),
            low: 0,
            reach: u32::MAX,
            is_changed: false,
            is_unsettled: false,
            kept_in: 0,
            new_first: first,
            segments: Segments::behind(before),
            pieces: None,
        }
    }

    pub(super) fn mentions(&self, number: u32) -> bool {
        let (Some(first), Some(last)) = (self.targets.first(), self.targets.last()) else { return false };
        (*first..=*last).contains(&number) && self.targets.binary_search(&number).is_ok()
    }
}
