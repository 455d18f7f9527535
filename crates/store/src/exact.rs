//! An exact set of byte strings: an open-addressing table of hash tags over an arena that holds the bytes.
//!
//! A state is hashed once with xxh3. The low bits choose one of sixteen shards, each behind its own lock, so
//! that several workers rarely meet and growing one table copies a sixteenth of the whole. Within a shard a
//! slot of the table is eight bytes: half of the hash and the number of the state. Only equal tags compare
//! bytes. A `HashSet<Box<[u8]>>` would pay an allocation and 16 bytes of pointer for each state.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard};

use xxhash_rust::xxh3::xxh3_64;

use crate::{Recall, Seen, StateId, StateStore, StoreFull};

const SHARD_BITS: u32 = 4;
const N_SHARDS: usize = 1 << SHARD_BITS;
const FIRST_SLOTS: usize = 64;

/// The exact store; see the module.
pub struct ExactStore {
    shards: [Mutex<Shard>; N_SHARDS],
    limit: Option<u64>,
    bytes: AtomicU64,
    n_states: AtomicU64,
}

#[derive(Default)]
struct Shard {
    /// Slots by hash; a power of two of them.
    table: Vec<Slot>,
    /// Where each state ends in the arena, which has at most 4 GiB; it starts where the one before ends.
    ends: Vec<u32>,
    arena: Vec<u8>,
}

/// A table slot; `number` counts from one, zero is vacant.
#[derive(Clone, Copy, Default)]
struct Slot {
    tag: u32,
    number: u32,
}

impl ExactStore {
    /// An empty store that uses no more than `limit` bytes, if one is given.
    pub fn new(limit: Option<u64>) -> Self {
        Self {
            shards: std::array::from_fn(|_| Mutex::new(Shard::default())),
            limit,
            bytes: AtomicU64::new(0),
            n_states: AtomicU64::new(0),
        }
    }

    fn shard(&self, index: usize) -> MutexGuard<'_, Shard> {
        self.shards[index].lock().expect("no holder of a shard should panic")
    }

    /// Books the growth of a shard, unless it exceeds the limit.
    fn reserve(&self, growth: u64) -> Result<(), StoreFull> {
        let before = self.bytes.fetch_add(growth, Ordering::Relaxed);
        if self.limit.is_some_and(|limit| before + growth > limit) {
            self.bytes.fetch_sub(growth, Ordering::Relaxed);
            return Err(StoreFull { bytes: before });
        }
        Ok(())
    }
}

impl StateStore for ExactStore {
    fn is_exact(&self) -> bool {
        true
    }

    fn insert(&self, state: &[u8]) -> Result<Seen, StoreFull> {
        let hash = xxh3_64(state);
        let index = (hash & (N_SHARDS as u64 - 1)) as usize;
        let mut shard = self.shard(index);
        if let Some(number) = shard.find(hash, state) {
            return Ok(Seen::Known(state_id(index, number)));
        }
        if u32::try_from(shard.arena.len() + state.len()).is_err() {
            return Err(StoreFull { bytes: self.bytes() });
        }
        let growth = shard.growth(state.len());
        if growth > 0 {
            self.reserve(growth)?;
            if !shard.grow(state.len()) {
                self.bytes.fetch_sub(growth, Ordering::Relaxed);
                return Err(StoreFull { bytes: self.bytes() });
            }
        }
        let number = shard.add(hash, state);
        self.n_states.fetch_add(1, Ordering::Relaxed);
        Ok(Seen::Fresh(state_id(index, number)))
    }

    fn len(&self) -> u64 {
        self.n_states.load(Ordering::Relaxed)
    }

    fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }
}

impl Recall for ExactStore {
    fn recall(&self, id: StateId, into: &mut Vec<u8>) {
        let shard = self.shard((id.0 & (N_SHARDS as u64 - 1)) as usize);
        into.clear();
        into.extend_from_slice(shard.state((id.0 >> SHARD_BITS) as u32));
    }
}

impl Shard {
    /// Bytes of the state with this number (from one).
    fn state(&self, number: u32) -> &[u8] {
        let at = number as usize - 1;
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.arena[start as usize..self.ends[at] as usize]
    }

    fn find(&self, hash: u64, state: &[u8]) -> Option<u32> {
        let mask = self.table.len().checked_sub(1)?;
        let mut at = home(hash) & mask;
        loop {
            let slot = self.table[at];
            if slot.number == 0 {
                return None;
            }
            if slot.tag == tag(hash) && self.state(slot.number) == state {
                return Some(slot.number);
            }
            at = (at + 1) & mask;
        }
    }

    /// How many bytes one more state of this length needs beyond what is allocated.
    fn growth(&self, len: usize) -> u64 {
        let mut growth = 0;
        if self.table_is_full() {
            growth += (self.next_table_len() - self.table.len()) * size_of::<Slot>();
        }
        if self.ends.len() == self.ends.capacity() {
            growth += self.next_ends_capacity() * size_of::<u32>() - self.ends.capacity() * size_of::<u32>();
        }
        if self.arena.len() + len > self.arena.capacity() {
            growth += self.next_arena_capacity(len) - self.arena.capacity();
        }
        growth as u64
    }

    /// Makes room for one more state; false if the system has no memory left.
    fn grow(&mut self, len: usize) -> bool {
        if self.table_is_full() && !self.grow_table() {
            return false;
        }
        if self.ends.len() == self.ends.capacity() {
            let more = self.next_ends_capacity() - self.ends.len();
            if self.ends.try_reserve_exact(more).is_err() {
                return false;
            }
        }
        if self.arena.len() + len > self.arena.capacity() {
            let more = self.next_arena_capacity(len) - self.arena.len();
            if self.arena.try_reserve_exact(more).is_err() {
                return false;
            }
        }
        true
    }

    fn table_is_full(&self) -> bool {
        // Three quarters keep the probes short.
        (self.ends.len() + 1) * 4 > self.table.len() * 3
    }

    fn next_table_len(&self) -> usize {
        (self.table.len() * 2).max(FIRST_SLOTS)
    }

    fn next_ends_capacity(&self) -> usize {
        (self.ends.capacity() * 2).max(FIRST_SLOTS)
    }

    fn next_arena_capacity(&self, len: usize) -> usize {
        (self.arena.capacity() + self.arena.capacity() / 2).max(self.arena.len() + len).max(256)
    }

    fn grow_table(&mut self) -> bool {
        let len = self.next_table_len();
        let mut table = Vec::new();
        if u32::try_from(len).is_err() || table.try_reserve_exact(len).is_err() {
            return false;
        }
        table.resize(len, Slot::default());
        // A tag is half of a hash and the table may need more bits than it has left, so hash again.
        for number in 1..=self.ends.len() as u32 {
            let hash = xxh3_64(self.state(number));
            place(&mut table, hash, number);
        }
        self.table = table;
        true
    }

    /// Adds a state for which there is room.
    fn add(&mut self, hash: u64, state: &[u8]) -> u32 {
        self.arena.extend_from_slice(state);
        self.ends.push(self.arena.len() as u32);
        let number = self.ends.len() as u32;
        place(&mut self.table, hash, number);
        number
    }
}

fn place(table: &mut [Slot], hash: u64, number: u32) {
    let mask = table.len() - 1;
    let mut at = home(hash) & mask;
    while table[at].number != 0 {
        at = (at + 1) & mask;
    }
    table[at] = Slot { tag: tag(hash), number };
}

/// The bits that choose a slot: disjoint from those that choose the shard.
fn home(hash: u64) -> usize {
    (hash >> SHARD_BITS) as usize
}

fn tag(hash: u64) -> u32 {
    (hash >> 32) as u32
}

fn state_id(shard: usize, number: u32) -> StateId {
    StateId(u64::from(number) << SHARD_BITS | shard as u64)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn agrees_with_a_hash_set(states in prop::collection::vec(prop::collection::vec(0u8..4, 0..6), 0..400)) {
            let store = ExactStore::new(None);
            let mut set = HashSet::new();
            for state in &states {
                let seen = store.insert(state).unwrap();
                prop_assert_eq!(seen.is_fresh(), set.insert(state.clone()));
                let mut back = vec![9];
                store.recall(seen.id(), &mut back);
                prop_assert_eq!(&back, state);
                prop_assert_eq!(store.insert(state).unwrap(), Seen::Known(seen.id()));
            }
            prop_assert_eq!(store.len(), set.len() as u64);
        }
    }

    #[test]
    fn ids_are_distinct_and_survive_growth() {
        let store = ExactStore::new(None);
        let ids: Vec<_> = (0..20_000u32).map(|n| store.insert(&n.to_le_bytes()).unwrap().id()).collect();
        assert_eq!(ids.iter().collect::<HashSet<_>>().len(), ids.len());
        let mut back = Vec::new();
        for (n, id) in ids.iter().enumerate() {
            store.recall(*id, &mut back);
            assert_eq!(back, (n as u32).to_le_bytes());
        }
        assert!(store.bytes() >= 20_000 * 4);
    }

    #[test]
    fn a_limit_is_kept_and_known_states_stay_known() {
        let store = ExactStore::new(Some(100_000));
        let mut n = 0u64;
        while store.insert(&n.to_le_bytes()).is_ok() {
            n += 1;
        }
        assert!(store.bytes() <= 100_000);
        assert_eq!(store.len(), n);
        assert!(!store.insert(&0u64.to_le_bytes()).unwrap().is_fresh());
    }

    #[test]
    fn exactly_one_thread_sees_a_state_fresh() {
        let store = ExactStore::new(None);
        let fresh = AtomicU64::new(0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for n in 0..5_000u32 {
                        if store.insert(&n.to_le_bytes()).unwrap().is_fresh() {
                            fresh.fetch_add(1, Ordering::Relaxed);
                        }
                    }
                });
            }
        });
        assert_eq!((fresh.into_inner(), store.len()), (5_000, 5_000));
    }
}
