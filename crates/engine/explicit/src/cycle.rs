//! Notices that a deterministic stretch has come back to a state it was in before.
//!
//! Looking at every loop head would slow all loops down, also those that end. So the stretch runs unwatched at
//! first; then follows a burst in which the state at the first loop head is compared with the state at each
//! later one; then an unwatched run again, and a burst twice as long. A cycle of any length is found in the
//! first burst that is long enough and begins inside the cycle, at a cost of a constant fraction. (Brent's
//! algorithm is the same with bursts that follow each other at once.)

use unpick_ir::interp::{Machine, State, Until};

/// Instructions that run before anything is compared.
const FIRST_UNWATCHED: u64 = 10_000;
/// Loop heads in the first burst.
const FIRST_BURST: u64 = 64;
/// Instructions unwatched for each loop head of the burst before.
const UNWATCHED_PER_HEAD: u64 = 200;
/// Instructions after which a run comes back in any case, so that limits are kept.
const CHUNK: u64 = 500_000;

/// Looks for a cycle in one deterministic stretch.
pub(crate) struct CycleFinder {
    phase: Phase,
    burst: u64,
}

enum Phase {
    /// So many instructions to go.
    Unwatched(u64),
    /// So many loop heads to go; the state at the first of them.
    Burst(u64, Option<Box<State>>),
}

impl CycleFinder {
    pub(crate) fn new() -> Self {
        Self { phase: Phase::Unwatched(FIRST_UNWATCHED), burst: FIRST_BURST }
    }

    /// When the next run should come back.
    pub(crate) fn until(&self, all_heads: bool) -> Until {
        match self.phase {
            Phase::Unwatched(left) => Until { fuel: left.min(CHUNK), loop_heads: all_heads, shared_access: false },
            Phase::Burst(..) => Until { fuel: CHUNK, loop_heads: true, shared_access: false },
        }
    }

    /// The run came back because its fuel was used up.
    pub(crate) fn fuel_used(&mut self) {
        if let Phase::Unwatched(left) = &mut self.phase {
            *left = left.saturating_sub(CHUNK);
            if *left == 0 {
                self.phase = Phase::Burst(self.burst, None);
            }
        }
    }

    /// The run came back at a loop head; whether the state was met before in this stretch.
    pub(crate) fn is_repeated(&mut self, machine: &Machine<'_>, state: &State) -> bool {
        let Phase::Burst(left, first) = &mut self.phase else { return false };
        match first {
            None => *first = Some(Box::new(state.clone())),
            Some(first) if machine.shallow_eq(first, state) && same_key(machine, first, state) => return true,
            Some(_) => {}
        }
        *left -= 1;
        if *left == 0 {
            self.phase = Phase::Unwatched(self.burst * UNWATCHED_PER_HEAD);
            self.burst *= 2;
        }
        false
    }
}

fn same_key(machine: &Machine<'_>, left: &State, right: &State) -> bool {
    let (mut left_key, mut right_key) = (Vec::new(), Vec::new());
    machine.key(left, &mut left_key);
    machine.key(right, &mut right_key);
    left_key == right_key
}
