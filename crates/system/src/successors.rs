//! Successors of a state in one buffer: bytes one after the other, and a record for each.

use crate::product::Processes;

/// Processes that need not be asked: older ones than some process, where they stand at certain locations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Asleep<'a> {
    /// All that sleep have smaller numbers.
    pub below: u8,
    /// Bits for locations of process types, in the order of [`crate::Reached::marks`], and maybe more.
    pub slots: &'a [u64],
    /// How many bits further those of a process begin, by its number; of those that have none, no further.
    pub offsets: &'a [u32],
}

impl Asleep<'_> {
    /// Whether a process sleeps at a location.
    #[inline(always)]
    pub fn has(&self, process: usize, slot: usize) -> bool {
        let slot = slot + self.offsets.get(process).map_or(0, |offset| *offset as usize);
        let is_set = self.slots.get(slot / 64).is_some_and(|word| word >> (slot % 64) & 1 != 0);
        (process < usize::from(self.below)) & is_set
    }
}

/// One state that can come next; its bytes lie in the [`Successors`] it belongs to. Compiled code writes it by
/// offset.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Successor {
    /// Where its bytes start.
    pub start: u32,
    /// How many there are; none if something went wrong after which there is no state.
    pub len: u32,
    /// The process that alone may go on, because it is inside an `atomic`; [`NOBODY`] if all may.
    pub only: u8,
    /// The process that moved; of a rendezvous, the one that sent.
    pub mover: u8,
    /// Something went wrong on the way.
    pub is_fault: bool,
    /// [`Successor::change`] is known.
    pub has_change: bool,
    /// Where the process that moved stood, in the order of [`crate::Reached::marks`]; [`NOWHERE`] if two moved.
    pub slot: u32,
    /// By how much the [weighted sum](unpick_base::weighted_sum) of the part that tells states apart has grown, modulo
    /// 2^64, since the state that was expanded.
    pub change: u64,
}

impl Successor {
    /// Nothing is known of how it came about.
    pub(crate) const UNKNOWN: Successor = Successor {
        start: 0,
        len: 0,
        only: NOBODY,
        mover: NOBODY,
        is_fault: false,
        has_change: false,
        slot: NOWHERE,
        change: 0,
    };

    /// By how much the weighted sum has grown, if whoever made the step has told.
    #[inline]
    pub fn known_change(self) -> Option<u64> {
        self.has_change.then_some(self.change)
    }

    /// Adds what has changed before the step was made, or behind it.
    #[inline]
    pub fn add_change(&mut self, other: Option<u64>) {
        self.has_change &= other.is_some();
        self.change = self.change.wrapping_add(other.unwrap_or(0));
    }

    /// Whether it was walked through: what comes out of the atomic region stands further behind.
    #[inline]
    pub fn is_left(self) -> bool {
        self.len == 0 && !self.is_fault
    }
}

/// The step by which a state was found: where the process stood that moved, and which it was.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Arrival {
    /// As in [`Successor::slot`].
    pub slot: u32,
    /// As in [`Successor::mover`].
    pub mover: u8,
}

impl Arrival {
    /// It is not known.
    pub const NONE: Arrival = Arrival { slot: NOWHERE, mover: 0 };

    /// The step that led to a state.
    #[inline]
    pub fn by(successor: Successor) -> Self {
        Self { slot: successor.slot, mover: successor.mover }
    }
}

/// No process.
pub const NOBODY: u8 = u8::MAX;

/// No location, or it does not matter which.
pub const NOWHERE: u32 = u32::MAX;

/// States that can come next, in the order of the model; reused from call to call.
#[derive(Default, Debug)]
pub struct Successors {
    /// The states, one after the other.
    pub bytes: Vec<u8>,
    /// Where each lies.
    pub list: Vec<Successor>,
    /// The movers on the way to each, if that [is noted](crate::Walking::notes_movers).
    pub movers: Vec<Processes>,
    /// The enabled processes, if that is noted.
    pub enabled: Processes,
}

impl Successors {
    /// Forgets all.
    #[inline]
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.list.clear();
        self.movers.clear();
    }

    /// The bytes of a state.
    #[inline]
    pub fn state(&self, successor: Successor) -> &[u8] {
        &self.bytes[successor.start as usize..][..successor.len as usize]
    }

    /// Adds a state.
    #[inline]
    pub fn push(&mut self, state: &[u8], only: u8, mover: u8, is_fault: bool, slot: u32) {
        let start = self.bytes.len() as u32;
        self.bytes.extend_from_slice(state);
        let len = state.len() as u32;
        self.list.push(Successor { start, len, only, mover, is_fault, slot, ..Successor::UNKNOWN });
    }

    /// Adds a state and the location of a claim beside it, which a step led to.
    #[inline]
    pub(crate) fn push_joined(&mut self, state: &[u8], location: u16, step: Successor) {
        let start = self.bytes.len() as u32;
        self.bytes.extend_from_slice(state);
        self.bytes.extend_from_slice(&location.to_le_bytes());
        self.list.push(Successor { start, len: state.len() as u32 + 2, is_fault: false, has_change: false, ..step });
    }
}
