//! Exact state set: a lock-free open-addressing hash table with memoised hash bits (Laarman, van de Pol and Weber,
//! FMCAD 2010) over an arena that holds the states.
//!
//! A slot of the table is one word: 28 bits of the hash (the tag) and the place of the record in the arena. Eight slots
//! share a cache line, and the top bits of the hash choose the line, so a lookup reads one line of the table and, if a
//! tag matches, the record. To insert, a worker writes the record first and then claims a vacant slot with one
//! compare-and-swap: readers never wait.
//!
//! Growing reads no record. The tag starts four bits behind the top of the hash; these four follow from the slot's
//! position, because no state is kept further than a sixteenth of the table from its home line. As homes are top bits,
//! doubling the table is a sequential pass in place (`exact/doubling.rs`).

mod doubling;
mod growth;
mod table;

use std::io::{self, Read, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use self::doubling::Doubling;
use self::table::{IMPLIED_BITS, LineMatches, MAX_LINE_BITS, PLACE_MASK, SLOTS, Table, claim, place, tag};
use crate::arena::{Appender, Arena, Cursor, Drain, PLACE_BITS, Place};
use crate::barrier::Barrier;
use crate::growing::Growing;
use crate::memory::Allowance;
use crate::saved::{LoadError, Loader, Saver};
use crate::{Batch, InsertBatch, Recall, Seen, StateId, StateStore, StoreFull};

/// Changes when the order of slots or the hash does.
const KIND: &str = "exact.3";
/// For one worker; 8,192 slots.
const FIRST_LINE_BITS: u32 = 10;

/// The exact store; see the module.
pub struct ExactStore {
    tables: Growing<Table>,
    arena: Arena,
    allowance: Allowance,
    barrier: Barrier,
    /// The store has one worker.
    is_alone: bool,
    /// The doubling in progress, if any.
    doubling: Mutex<Option<Arc<Doubling>>>,
    /// No more states fit into the table and it cannot grow.
    is_full: AtomicBool,
    /// The table cannot grow any more and is filled up completely.
    is_last: AtomicBool,
}

impl ExactStore {
    /// An empty store for one worker that uses no more than `limit` bytes, if one is given.
    pub fn new(limit: Option<u64>) -> Self {
        Self::with_workers(limit, 1)
    }

    /// An empty store for this many workers.
    pub fn with_workers(limit: Option<u64>, n_workers: usize) -> Self {
        let allowance = Allowance::new(limit);
        let line_bits = FIRST_LINE_BITS + n_workers.max(1).next_power_of_two().trailing_zeros();
        // A store that may not even have its first table is full from the beginning.
        let table = Table::new(&allowance, line_bits).ok();
        Self {
            is_full: AtomicBool::new(table.is_none()),
            is_last: AtomicBool::new(false),
            tables: Growing::new(table.unwrap_or_else(Table::smallest)),
            arena: Arena::new(n_workers),
            is_alone: n_workers <= 1,
            allowance,
            barrier: Barrier::default(),
            doubling: Mutex::default(),
        }
    }

    /// Loads a store that [`StateStore::save`] has saved, for at least `n_workers` workers. If it was made for as many,
    /// ids stay what they were.
    pub fn load(input: &mut dyn Read, limit: Option<u64>, n_workers: usize) -> Result<Self, LoadError> {
        let mut loader = Loader::new(input, KIND)?;
        let allowance = Allowance::new(limit);
        let arena = Arena::load(&mut loader, &allowance, n_workers)?;
        let line_bits = loader.number_to(MAX_LINE_BITS.into())?.max(IMPLIED_BITS.into()) as u32;
        let table = Table::new(&allowance, line_bits)?;
        let (mut at, mut n_states) = (0, 0);
        loader.numbers(table.n_slots(), |word| {
            if word & PLACE_MASK != 0 {
                if !arena.has(place(word)) {
                    return Err(LoadError::Damaged);
                }
                n_states += 1;
            } else if word != 0 {
                return Err(LoadError::Damaged);
            }
            table.line(at / SLOTS)[at % SLOTS].store(word, Ordering::Relaxed);
            at += 1;
            Ok(())
        })?;
        loader.end()?;
        if n_states != arena.n_records() {
            return Err(LoadError::Damaged);
        }
        Ok(Self {
            tables: Growing::new(table),
            is_alone: arena.n_workers() == 1,
            arena,
            allowance,
            barrier: Barrier::default(),
            doubling: Mutex::default(),
            is_full: AtomicBool::new(false),
            is_last: AtomicBool::new(false),
        })
    }

    /// A cursor before the first record of this worker: what it has inserted, in order.
    ///
    /// With [`Self::next_record`] any thread may read the records while the worker appends: the arena is the queue.
    pub fn records(&self, worker: usize) -> Cursor {
        self.arena.cursor(worker, 0).expect("there should be a place before the first record")
    }

    /// A cursor behind as many records of this worker, if it has inserted that many.
    pub fn records_from(&self, worker: usize, n_before: u64) -> Option<Cursor> {
        self.arena.cursor(worker, n_before)
    }

    /// The next record, if it has been inserted by now.
    #[inline]
    pub fn next_record(&self, cursor: &mut Cursor) -> Option<(StateId, &[u8])> {
        self.arena.next(cursor)
    }

    /// How many states this worker has inserted.
    pub fn n_records(&self, worker: usize) -> u64 {
        self.arena.n_records_of(worker)
    }

    /// The bytes of a state.
    pub fn state(&self, id: StateId) -> Option<&[u8]> {
        self.arena.by_id(id)
    }

    /// Reads what a worker has inserted, in order, and gives the memory back on the way. Afterwards the store is of no use; no
    /// other thread may read it meanwhile.
    pub(crate) fn drain(&self, worker: usize) -> Drain<'_> {
        self.arena.drain(&self.allowance, worker)
    }

    /// Gives the table back: no state is found any more, but all can be [drained](Self::drain).
    pub(crate) fn give_table_back(&self) {
        self.is_full.store(true, Ordering::Relaxed);
        self.table().discard(&self.allowance);
    }

    #[inline(always)]
    fn table(&self) -> &Table {
        self.tables.get()
    }

    /// Whether [`StateStore::quiescent_point`] has something to do.
    #[inline]
    pub(crate) fn is_due(&self) -> bool {
        self.barrier.is_requested() || self.is_crowded()
    }
}

impl StateStore for ExactStore {
    fn is_exact(&self) -> bool {
        true
    }

    fn n_workers(&self) -> usize {
        self.arena.n_workers()
    }

    /// States have some dozens of bytes: all of them are multiplied at once, with factors of their place.
    #[inline]
    fn hash(&self, state: &[u8]) -> u64 {
        let (pairs, _) = state.as_chunks::<16>();
        let mut hash = state.len() as u64;
        let mut key = SEED;
        for pair in pairs {
            hash = hash.wrapping_add(fold(half(pair, 0) ^ key, half(pair, 8) ^ key.rotate_left(32)));
            key = key.wrapping_add(SEED);
        }
        if pairs.len() * 16 != state.len() {
            let mut short = [0; 16];
            // The last bytes, some of them once more; of a shorter state all.
            let last = state.last_chunk().unwrap_or_else(|| {
                short[..state.len()].copy_from_slice(state);
                &short
            });
            hash = hash.wrapping_add(fold(half(last, 0) ^ key, half(last, 8) ^ key.rotate_left(32)));
        }
        fold(hash, SEED)
    }

    #[inline]
    fn prefetch(&self, hash: u64) {
        self.table().prefetch(hash);
    }

    #[inline]
    fn begin_all(&self, _worker: usize, insertions: &mut InsertBatch, batch: &Batch<'_>) {
        let table = self.table();
        for (at, state) in batch.states().enumerate() {
            let hash = batch.hashes.map_or_else(|| self.hash(state), |all| all[at]);
            table.prefetch(hash);
            insertions.hashes.push(hash);
        }
    }

    #[inline]
    fn load_record(&self, pending: u64) {
        self.likely_word(pending);
    }

    /// Most states are known and found by the first matching tag: then the line is read once.
    fn finish_all(
        &self,
        worker: usize,
        insertions: &mut InsertBatch,
        batch: &Batch<'_>,
        fresh: &mut Vec<u32>,
    ) -> Result<(), StoreFull> {
        let InsertBatch { hashes, words, .. } = insertions;
        words.clear();
        words.extend(hashes.iter().map(|hash| self.likely_word(*hash)));
        let mut appender = None;
        for (at, ((hash, word), state)) in hashes.drain(..).zip(&*words).zip(batch.states()).enumerate() {
            let tag = tag(hash);
            if *word != 0 && self.is_record(*word, tag, state).is_some() {
                continue;
            }
            match self.find(hash, state)? {
                Ok(_) => {}
                Err(vacancy) => {
                    let appender = appender.get_or_insert_with(|| self.arena.appender(worker));
                    if self.add(appender, tag, state, vacancy)?.is_fresh() {
                        fresh.push(at as u32);
                    }
                }
            }
        }
        Ok(())
    }

    #[inline]
    fn insert_hashed(&self, worker: usize, hash: u64, state: &[u8]) -> Result<Seen, StoreFull> {
        match self.find(hash, state)? {
            Ok(id) => Ok(Seen::Known(id)),
            Err(vacancy) => self.add(&mut self.arena.appender(worker), tag(hash), state, vacancy),
        }
    }

    #[inline]
    fn quiescent_point(&self, _worker: usize) {
        if self.is_due() {
            self.barrier.rehash(self);
        }
    }

    fn register(&self, _worker: usize) {
        self.barrier.register();
    }

    fn unregister(&self, _worker: usize) {
        self.barrier.unregister();
    }

    fn len(&self) -> u64 {
        self.arena.n_records()
    }

    fn bytes(&self) -> u64 {
        self.allowance.used()
    }

    fn save(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut saver = Saver::new(out, KIND)?;
        let table = self.table();
        self.arena.save(&mut saver)?;
        saver.number(table.line_bits.into())?;
        saver.numbers((0..table.n_lines()).flat_map(|at| table.line(at)).map(|slot| slot.load(Ordering::Acquire)))?;
        saver.end()
    }
}

/// Where a state was looked for when a vacant slot turned up.
struct Vacancy<'a> {
    table: &'a Table,
    at: usize,
    distance: usize,
    slot: usize,
}

impl ExactStore {
    /// A word with a matching tag in the home line of a hash, or zero; prefetches its record.
    #[inline(always)]
    fn likely_word(&self, hash: u64) -> u64 {
        let (table, tag) = (self.table(), tag(hash));
        let mut found = 0;
        for word in table.line(table.home(hash)) {
            let word = word.load(Ordering::Acquire);
            // A tag of zeros is that of vacant slots too.
            found = if (word ^ tag) >> PLACE_BITS == 0 { word } else { found };
        }
        // Without a match any record is loaded: a useless load costs less than a mispredicted branch.
        self.arena.prefetch(Place((found & PLACE_MASK).saturating_sub(1)));
        found
    }

    /// The id of a state, or the first vacant slot where it could be.
    #[inline]
    fn find(&self, hash: u64, state: &[u8]) -> Result<Result<StateId, Vacancy<'_>>, StoreFull> {
        let (table, tag) = (self.table(), tag(hash));
        let mut at = table.home(hash);
        for distance in 0..table.reach() {
            let line = table.line(at);
            let mut matches = LineMatches::at(line, tag);
            while let Some(slot) = matches.next_match() {
                if let Some(id) = self.is_record(line[slot].load(Ordering::Acquire), tag, state) {
                    return Ok(Ok(id));
                }
            }
            if matches.n_taken < SLOTS {
                return Ok(Err(Vacancy { table, at, distance, slot: matches.n_taken }));
            }
            at = table.after(at);
        }
        Err(self.allowance.full())
    }

    /// Adds a state that was not found a moment ago, at the vacant slot or behind it.
    #[inline]
    fn add(&self, appender: &mut Appender<'_>, tag: u64, state: &[u8], vacancy: Vacancy) -> Result<Seen, StoreFull> {
        if self.is_full.load(Ordering::Relaxed) {
            return Err(self.allowance.full());
        }
        let Vacancy { table, mut at, distance, slot: mut first } = vacancy;
        let mine = tag | (appender.write(&self.allowance, state)?.0 + 1);
        for _ in distance..table.reach() {
            let line = table.line(at);
            for slot in &line[first..] {
                let Err(theirs) = claim(slot, mine, self.is_alone) else {
                    return Ok(Seen::Fresh(appender.publish(state.len())));
                };
                // Another worker was faster, perhaps with the same state.
                if let Some(id) = self.is_record(theirs, tag, state) {
                    return Ok(Seen::Known(id));
                }
            }
            (at, first) = (table.after(at), 0);
        }
        Err(self.allowance.full())
    }

    /// The id of the state, if this is its word.
    #[inline(always)]
    fn is_record(&self, word: u64, tag: u64, state: &[u8]) -> Option<StateId> {
        if word & !PLACE_MASK != tag {
            return None;
        }
        // SAFETY: words in the table are places of records written before the word.
        let (id, bytes) = unsafe { self.arena.record(place(word)) };
        (bytes == state).then_some(id)
    }
}

impl Recall for ExactStore {
    fn recall(&self, id: StateId, into: &mut Vec<u8>) {
        into.clear();
        into.extend_from_slice(self.state(id).expect("the id should be of a stored state"));
    }
}

/// An odd number without a pattern.
const SEED: u64 = 0x9e37_79b9_7f4a_7c15;

/// Both halves of a product.
#[inline(always)]
fn fold(left: u64, right: u64) -> u64 {
    let product = u128::from(left) * u128::from(right);
    (product as u64) ^ (product >> 64) as u64
}

#[inline(always)]
fn half(bytes: &[u8; 16], at: usize) -> u64 {
    u64::from_le_bytes(*bytes[at..].first_chunk().expect("sixteen bytes should have two halves"))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::sync::atomic::AtomicU64;

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

        #[test]
        fn words_tell_their_hashes(hash: u64, line_bits in 4u32..14, distance: u64) {
            let table = Table::new(&Allowance::new(None), line_bits).unwrap();
            let at = (table.home(hash) + distance as usize % table.reach()) & (table.n_lines() - 1);
            prop_assert_eq!(table.upper_hash(at, tag(hash) | 1) >> 32, hash >> 32);
        }
    }

    #[test]
    fn ids_are_dense_and_survive_growth() {
        let store = ExactStore::new(None);
        let n: u32 = if cfg!(miri) { 7_000 } else { 200_000 };
        for n in 0..n {
            let seen = store.insert(&n.to_le_bytes()).unwrap();
            assert_eq!(seen, Seen::Fresh(StateId(n.into())));
        }
        let mut back = Vec::new();
        for n in 0..n {
            assert_eq!(store.insert(&n.to_le_bytes()).unwrap(), Seen::Known(StateId(n.into())));
            store.recall(StateId(n.into()), &mut back);
            assert_eq!(back, n.to_le_bytes());
        }
        assert_eq!(store.state(StateId(n.into())), None);
        assert!(store.bytes() >= u64::from(n) * 20);
    }

    #[test]
    fn records_come_in_the_order_of_insertion_whatever_their_length() {
        let store = ExactStore::with_workers(None, 2);
        let state = |n: usize| vec![(n % 251) as u8; n * n % 3000];
        let mut ids = Vec::new();
        let mut cursor = store.records(1);
        for n in 0..900 {
            let state = state(n);
            if let Seen::Fresh(id) = store.insert_hashed(1, store.hash(&state), &state).unwrap() {
                assert_eq!(store.next_record(&mut cursor), Some((id, &state[..])));
                ids.push((id, state));
            }
            assert_eq!(store.next_record(&mut cursor), None);
            store.quiescent_point(1);
        }
        assert_eq!(store.n_records(1), ids.len() as u64);
        for (n, (id, state)) in ids.iter().enumerate() {
            assert_eq!(store.state(*id), Some(&state[..]));
            let mut cursor = store.records_from(1, n as u64).unwrap();
            assert_eq!(cursor.position(), n as u64);
            assert_eq!(store.next_record(&mut cursor), Some((*id, &state[..])));
        }
        assert!(store.records_from(1, ids.len() as u64).is_some());
        assert!(store.records_from(1, ids.len() as u64 + 1).is_none());
        assert_eq!(store.next_record(&mut store.records(0)), None);
    }

    #[test]
    fn a_limit_is_kept_and_known_states_stay_known() {
        for limit in [0, 1_000, 100_000, 300_000, 1_000_000] {
            let store = ExactStore::new(Some(limit));
            let mut n = 0u64;
            while store.insert(&n.to_le_bytes()).is_ok() {
                n += 1;
            }
            assert!(store.bytes() <= limit);
            assert_eq!(store.len(), n);
            assert!(limit < 100_000 || n > limit / 64, "{n} states in {limit} bytes");
            for n in 0..n {
                assert!(!store.insert(&n.to_le_bytes()).unwrap().is_fresh());
            }
        }
    }

    #[test]
    fn a_table_without_quiescent_points_fills_up() {
        let store = ExactStore::new(None);
        let insert = |n: u64| store.insert_hashed(0, store.hash(&n.to_le_bytes()), &n.to_le_bytes());
        let n = (0..100_000).find(|n| insert(*n).is_err()).expect("the first table should not hold them all");
        assert_eq!(store.len(), n);
        assert!((0..n).all(|n| !insert(n).unwrap().is_fresh()));
        store.quiescent_point(0);
        assert!(insert(n).unwrap().is_fresh());
    }

    #[test]
    fn states_longer_than_a_chunk_do_not_fit() {
        let store = ExactStore::new(None);
        let long = vec![1; 17 << 20];
        assert!(store.insert(&long).is_err());
        assert!(store.insert(&long[..15 << 20]).unwrap().is_fresh());
        assert!(!store.insert(&long[..15 << 20]).unwrap().is_fresh());
        assert!(store.insert(b"").unwrap().is_fresh());
    }

    #[test]
    fn exactly_one_thread_sees_a_state_fresh() {
        let n_workers = 4;
        let n_states: u64 = if cfg!(miri) { 9_000 } else { 60_000 };
        let store = ExactStore::with_workers(None, n_workers);
        let fresh = AtomicU64::new(0);
        std::thread::scope(|scope| {
            for worker in 0..n_workers {
                let (store, fresh) = (&store, &fresh);
                store.register(worker);
                scope.spawn(move || {
                    for n in 0..n_states {
                        // All go through all states, half of them backwards.
                        let n = if worker % 2 == 0 { n } else { n_states - 1 - n };
                        let state = [n; 4].map(u64::to_le_bytes).concat();
                        let seen = store.insert_hashed(worker, store.hash(&state), &state).unwrap();
                        assert_eq!(store.state(seen.id()), Some(&state[..]));
                        fresh.fetch_add(u64::from(seen.is_fresh()), Ordering::Relaxed);
                        if n % 100 == 0 {
                            store.quiescent_point(worker);
                        }
                    }
                    store.unregister(worker);
                });
            }
        });
        assert_eq!((fresh.into_inner(), store.len()), (n_states, n_states));
    }

    #[test]
    fn threads_without_numbers_may_insert() {
        let store = ExactStore::new(None);
        let fresh = AtomicU64::new(0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for n in 0..9_000u32 {
                        if store.insert(&n.to_le_bytes()).unwrap().is_fresh() {
                            fresh.fetch_add(1, Ordering::Relaxed);
                        }
                    }
                });
            }
        });
        assert_eq!((fresh.into_inner(), store.len()), (9_000, 9_000));
    }
}
