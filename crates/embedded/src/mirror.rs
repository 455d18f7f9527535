//! Copying of model variables into C objects, and back.

use super::Embedded;
use unpick_automaton::{ProctypeId, Scalar, Scope};
use unpick_program::GlobalId;
use unpick_program::interp::{Machine, Object, State, Value};

/// One number of the model and where it lies in a C object.
#[derive(Clone, Debug)]
pub(super) struct Copied {
    pub(super) from: From,
    /// The C object; a process has its own.
    pub(super) object: Option<GlobalId>,
    /// Bits from the start of the object.
    pub(super) bit: u64,
    /// How many bits.
    pub(super) width: u32,
    /// What C text calls it.
    pub(super) name: String,
}

/// What is copied.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum From {
    /// A variable.
    Var { scope: Scope, offset: u32, scalar: Scalar },
    /// `_pid`
    Pid,
    /// `_nr_pr`
    ProcessCount,
    /// `_last`
    Last,
}

/// Why something in a C object is no number of the model.
pub(super) enum NoNumber {
    Indeterminate,
    Address,
}

impl Copied {
    /// Puts a number into its place.
    pub(super) fn put(&self, machine: &Machine<'_>, state: &mut State, object: GlobalId, value: i32) {
        let (first, bytes) = (self.bit / 8, self.width.div_ceil(8));
        if self.bit.is_multiple_of(8) && self.width.is_multiple_of(8) {
            return machine.poke(state, object, first, &value.to_le_bytes()[..bytes as usize]);
        }
        let (n_bytes, shift) = self.bytes();
        let old = state.object(machine.pointer_to(object)).map_or(0, |object| raw(object, first, n_bytes));
        let mask = self.mask() << shift;
        let new = old & !mask | u64::from(value as u32) << shift & mask;
        machine.poke(state, object, first, &new.to_le_bytes()[..n_bytes as usize]);
    }

    /// Takes the number back out of its place.
    pub(super) fn get(&self, machine: &Machine<'_>, state: &State, object: GlobalId) -> Result<i32, NoNumber> {
        let Some(object) = state.object(machine.pointer_to(object)) else { return Ok(0) };
        let (n_bytes, shift) = self.bytes();
        let found = match object.scalar(self.bit / 8, n_bytes) {
            Some(Value::Bits(bits)) => bits,
            Some(Value::Undef) | None => return Err(NoNumber::Indeterminate),
            Some(Value::Ptr(_) | Value::Fragment { .. } | Value::Wide(_) | Value::Lazy(_)) => {
                return Err(NoNumber::Address);
            }
        };
        let bits = (found >> shift & self.mask()) as u32;
        Ok(match self.from {
            From::Var { scalar: Scalar::Short, .. } => i32::from(bits as u16 as i16),
            From::Var { .. } | From::Pid | From::ProcessCount | From::Last => bits as i32,
        })
    }

    /// Leaves nothing in its place.
    pub(super) fn forget(&self, machine: &Machine<'_>, state: &mut State, object: GlobalId) {
        machine.forget(state, object, self.bit / 8, self.bytes().0);
    }

    /// The bytes that it touches, and bits before it in the first.
    pub(super) fn bytes(&self) -> (u64, u64) {
        let shift = self.bit % 8;
        ((shift + u64::from(self.width)).div_ceil(8), shift)
    }

    fn mask(&self) -> u64 {
        (1 << self.width) - 1
    }
}

/// Up to eight bytes that are known to be plain.
fn raw(object: &Object, offset: u64, n_bytes: u64) -> u64 {
    let byte = |at: u64| match object.scalar(offset + at, 1) {
        Some(Value::Bits(bits)) => bits,
        _ => 0,
    };
    (0..n_bytes).fold(0, |bits, at| bits | byte(at) << (8 * at))
}

impl Embedded {
    /// The object in which the variables of a process lie.
    pub(super) fn object_of(&self, proctype: ProctypeId, process: u8) -> Option<GlobalId> {
        let objects = &self.processes[proctype].objects;
        match self.processes[proctype].has_data {
            true => objects.get(usize::from(process)).copied(),
            false => objects.first().copied(),
        }
    }
}
