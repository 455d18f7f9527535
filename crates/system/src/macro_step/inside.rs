//! States inside atomic regions on the way of one macro step, each once; reused from step to step.

use crate::product::Processes;

/// The states.
#[derive(Default)]
pub(super) struct Inside {
    bytes: Vec<u8>,
    list: Vec<Passed>,
    /// Positions in the list, plus one, by hash; used once there are many.
    table: Vec<u32>,
}

/// A state, who may go on, and who has moved.
struct Passed {
    start: usize,
    len: usize,
    hash: u64,
    only: u8,
    movers: Processes,
}

/// So many are compared one by one.
const FEW: usize = 8;

impl Inside {
    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.list.clear();
        self.table.clear();
    }

    /// Adds a state; false if it is known.
    pub(super) fn insert(&mut self, state: &[u8], only: u8, movers: Processes) -> bool {
        let hash = hash(state) ^ u64::from(only);
        if self.list.len() < FEW {
            if self.list.iter().any(|passed| self.is_same(passed, hash, state, only, movers)) {
                return false;
            }
            self.push(state, only, movers, hash);
            return true;
        }
        if (self.list.len() + 1) * 2 > self.table.len() {
            self.grow();
        }
        let mask = self.table.len() - 1;
        let mut slot = hash as usize & mask;
        while self.table[slot] != 0 {
            if self.is_same(&self.list[self.table[slot] as usize - 1], hash, state, only, movers) {
                return false;
            }
            slot = (slot + 1) & mask;
        }
        self.push(state, only, movers, hash);
        self.table[slot] = self.list.len() as u32;
        true
    }

    fn is_same(&self, passed: &Passed, hash: u64, state: &[u8], only: u8, movers: Processes) -> bool {
        passed.hash == hash
            && passed.only == only
            && passed.movers == movers
            && self.bytes[passed.start..][..passed.len] == *state
    }

    fn push(&mut self, state: &[u8], only: u8, movers: Processes, hash: u64) {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(state);
        self.list.push(Passed { start, len: state.len(), hash, only, movers });
    }

    fn grow(&mut self) {
        let size = (self.list.len() * 4).next_power_of_two();
        self.table.clear();
        self.table.resize(size, 0);
        for (at, passed) in self.list.iter().enumerate() {
            let mut slot = passed.hash as usize & (size - 1);
            while self.table[slot] != 0 {
                slot = (slot + 1) & (size - 1);
            }
            self.table[slot] = at as u32 + 1;
        }
    }
}
/// Good enough for states that live as long as one step.
fn hash(state: &[u8]) -> u64 {
    let mut hash = state.len() as u64;
    let mut words = state.chunks_exact(8);
    for word in &mut words {
        let word = u64::from_le_bytes(word.try_into().expect("a chunk should have its size"));
        hash = (hash ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    }
    for byte in words.remainder() {
        hash = (hash ^ u64::from(*byte)).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    }
    hash ^ hash >> 32
}
