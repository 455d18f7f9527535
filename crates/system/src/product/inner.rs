//! States inside an `atomic` on the way of one step, each once; reused from step to step.

use super::Processes;

/// The states.
#[derive(Default)]
pub(super) struct InnerStates {
    bytes: Vec<u8>,
    list: Vec<Inner>,
    /// Positions in the list, plus one, by hash; used once there are many.
    table: Vec<u32>,
}

struct Inner {
    start: usize,
    len: usize,
    hash: u64,
    only: u8,
    movers: Processes,
}

/// So many are compared one by one.
const FEW: usize = 8;

impl InnerStates {
    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.list.clear();
        self.table.clear();
    }

    /// The state with this position, who may go on, and who has moved.
    pub(super) fn get(&self, at: usize) -> Option<(&[u8], u8, Processes)> {
        self.list.get(at).map(|inner| (&self.bytes[inner.start..][..inner.len], inner.only, inner.movers))
    }

    /// Adds a state unless it is known.
    pub(super) fn insert(&mut self, state: &[u8], only: u8, movers: Processes) {
        let hash = hash(state) ^ u64::from(only);
        if self.list.len() < FEW {
            if !self.list.iter().any(|inner| self.is_same(inner, hash, state, only, movers)) {
                self.push(state, only, movers, hash);
            }
            return;
        }
        if (self.list.len() + 1) * 2 > self.table.len() {
            self.grow();
        }
        let mask = self.table.len() - 1;
        let mut slot = hash as usize & mask;
        while self.table[slot] != 0 {
            if self.is_same(&self.list[self.table[slot] as usize - 1], hash, state, only, movers) {
                return;
            }
            slot = (slot + 1) & mask;
        }
        self.push(state, only, movers, hash);
        self.table[slot] = self.list.len() as u32;
    }

    fn is_same(&self, inner: &Inner, hash: u64, state: &[u8], only: u8, movers: Processes) -> bool {
        inner.hash == hash
            && inner.only == only
            && inner.movers == movers
            && self.bytes[inner.start..][..inner.len] == *state
    }

    fn push(&mut self, state: &[u8], only: u8, movers: Processes, hash: u64) {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(state);
        self.list.push(Inner { start, len: state.len(), hash, only, movers });
    }

    fn grow(&mut self) {
        let size = (self.list.len() * 4).next_power_of_two();
        self.table.clear();
        self.table.resize(size, 0);
        for (at, inner) in self.list.iter().enumerate() {
            let mut slot = inner.hash as usize & (size - 1);
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
