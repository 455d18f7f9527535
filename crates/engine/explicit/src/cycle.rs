//! Cycle detection in a deterministic execution (after Brent 1980): notices that a macro step has returned to an
//! earlier state.
//!
//! Looking at every loop head would slow all loops down, also those that end. So the stretch runs unwatched at
//! first; then follows a burst in which the state at the first loop head is compared with the state at each
//! later one; then an unwatched run again, and a burst twice as long. A cycle of any length is found in the
//! first burst that is long enough and begins inside the cycle, at a cost of a constant fraction: a burst also
//! ends when more of large states has been compared than instructions were run. (Brent's algorithm is the same
//! with bursts that follow each other at once.)

use unpick_program::interp::{Machine, State, Until};

/// Instructions that run before anything is compared.
const FIRST_UNWATCHED: u64 = 10_000;
/// Loop heads in the first burst.
const FIRST_BURST: u64 = 64;
/// Instructions unwatched for each loop head of the burst before.
const UNWATCHED_PER_HEAD: u64 = 200;
/// Instructions after which a run comes back in any case, so that limits are kept.
const CHUNK: u64 = 500_000;

/// Bytes of states that may be compared for each instruction of the stretch so far.
const BYTES_PER_INSTRUCTION: u64 = 2;
/// Bytes of states that may be compared in any case.
const FREE_BYTES: u64 = 1 << 20;

/// Looks for a cycle in one deterministic stretch.
pub(crate) struct CycleFinder {
    phase: Phase,
    /// Loop heads in the next burst.
    burst: u64,
    /// Instructions executed by the search before the stretch.
    n_before: u64,
    /// Bytes of states written so far in order to compare them.
    pub n_bytes: u64,
    key: Vec<u8>,
}

enum Phase {
    /// So many instructions to go.
    Unwatched(u64),
    /// So many loop heads to go; the state at the first of them and its key.
    Burst(u64, Option<(Box<State>, Vec<u8>)>),
}

impl CycleFinder {
    /// For a stretch that begins after so many instructions of the search.
    pub(crate) fn new(n_instructions: u64) -> Self {
        let phase = Phase::Unwatched(FIRST_UNWATCHED);
        Self { phase, burst: FIRST_BURST, n_before: n_instructions, n_bytes: 0, key: Vec::new() }
    }

    /// When the next run should come back; `is_resumed` as in [`Until`].
    pub(crate) fn until(&self, all_heads: bool, every_step: bool, alone_too: bool, is_resumed: bool) -> Until {
        let (fuel, loop_heads) = match self.phase {
            Phase::Unwatched(left) => (left.min(CHUNK), all_heads),
            Phase::Burst(..) => (CHUNK, true),
        };
        Until { fuel, loop_heads, shared_access: true, every_step, alone_too, is_resumed }
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
    pub(crate) fn is_repeated(&mut self, machine: &Machine<'_>, state: &State, n_instructions: u64) -> bool {
        let Phase::Burst(left, first) = &mut self.phase else { return false };
        *left -= 1;
        match first {
            None => {
                let mut key = Vec::new();
                machine.key(state, &mut key);
                self.n_bytes += key.len() as u64;
                *first = Some((Box::new(state.clone()), key));
            }
            Some((first, first_key)) if machine.shallow_eq(first, state) => {
                self.key.clear();
                machine.key(state, &mut self.key);
                self.n_bytes += self.key.len() as u64;
                if self.key == *first_key {
                    return true;
                }
            }
            Some(_) => {}
        }
        let allowed = FREE_BYTES + (n_instructions - self.n_before) * BYTES_PER_INSTRUCTION;
        if *left == 0 || self.n_bytes > allowed {
            self.phase = Phase::Unwatched(self.burst * UNWATCHED_PER_HEAD);
            self.burst *= 2;
        }
        false
    }
}
