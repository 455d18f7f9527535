//! Step-down: plain states as long as they fit, and when they do not, a smaller set into which all of them are carried over
//! (as SPIN users turn COLLAPSE on by hand and begin again; here nothing is searched twice).
//!
//! When a plain state finds no room, the worker waits until all registered workers have come to a quiescent point or are
//! in the same need. Then the table is given back, which states in an arena do without, and the workers move the states: each
//! takes what one worker had inserted, in that order, and gives every chunk of the arena back as soon as it is empty, so
//! that both sets together hardly need more than the first. After that every insertion goes on in the smaller set, with the
//! state that had found no room. If ids of the smaller set count each worker's insertions, as those of plain states
//! do, they stay what they were.
//!
//! If even the smaller set does not hold all states, what was carried over is incomplete: from then on every insertion finds
//! the store full.

use std::io::{self, Write};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicUsize, Ordering};

use crate::barrier::{Barrier, Rehash};
use crate::{Batch, ExactStore, InsertBatch, Recall, Seen, Span, StateId, StateStore, StoreFull};

/// States that are moved at once.
const BATCH: usize = 256;

const PLAIN: u8 = 0;
const SMALL: u8 = 1;
const LOST: u8 = 2;

/// The store; see the module.
pub struct StepDownStore<'a, T> {
    plain: ExactStore,
    small: OnceLock<T>,
    make: Box<dyn Fn() -> T + Send + Sync + 'a>,
    /// Told how many states were carried over.
    carried_over: Box<dyn Fn(u64) + Send + Sync + 'a>,
    stage: AtomicU8,
    barrier: Barrier,
    /// Which worker's states are moved next.
    next: AtomicUsize,
    is_too_small: AtomicBool,
}

impl<'a, T: StateStore + Send + 'a> StepDownStore<'a, T> {
    /// An empty store. What `make` makes is for as many workers as the plain one; `carried_over` is told how many states there
    /// were when plain states did not fit any more.
    pub fn new(
        plain: ExactStore,
        make: impl Fn() -> T + Send + Sync + 'a,
        carried_over: impl Fn(u64) + Send + Sync + 'a,
    ) -> Self {
        Self {
            plain,
            small: OnceLock::new(),
            make: Box::new(make),
            carried_over: Box::new(carried_over),
            stage: AtomicU8::new(PLAIN),
            barrier: Barrier::default(),
            next: AtomicUsize::new(0),
            is_too_small: AtomicBool::new(false),
        }
    }

    #[inline(always)]
    fn stage(&self) -> u8 {
        self.stage.load(Ordering::Acquire)
    }

    #[inline(always)]
    fn small(&self) -> &T {
        self.small.get().expect("states should have been carried over")
    }

    /// The store of the stage. It changes only while every registered worker waits.
    #[inline(always)]
    fn current(&self) -> &dyn StateStore {
        match self.stage() {
            SMALL => self.small(),
            _ => &self.plain,
        }
    }

    /// Waits for the others and moves the states with them, if that was not done yet. The worker is registered.
    #[cold]
    fn carry_over(&self, worker: usize) -> Result<&T, StoreFull> {
        if self.stage() == PLAIN {
            // Who waits here must not be waited for where tables grow.
            self.plain.unregister(worker);
            self.barrier.rehash(self);
            if self.stage() == SMALL {
                self.small().register(worker);
            }
        }
        match self.stage() {
            SMALL => Ok(self.small()),
            _ => Err(StoreFull { bytes: self.bytes() }),
        }
    }

    /// Moves what a worker had inserted.
    fn move_records(&self, worker: usize) -> Result<(), StoreFull> {
        let small = self.small();
        let mut records = self.plain.drain(worker);
        let (mut insertions, mut fresh) = (InsertBatch::default(), Vec::new());
        let (mut bytes, mut spans) = (Vec::new(), Vec::new());
        loop {
            while spans.len() < BATCH
                && let Some(state) = records.next_record()
            {
                spans.push(Span { start: bytes.len() as u32, len: state.len() as u32 });
                bytes.extend_from_slice(state);
            }
            if spans.is_empty() {
                return Ok(());
            }
            records.give_back();
            let batch = Batch { bytes: &bytes, spans: &spans, hashes: None };
            small.begin_all(worker, &mut insertions, &batch);
            small.finish_all(worker, &mut insertions, &batch, &mut fresh)?;
            debug_assert_eq!(fresh.len(), spans.len(), "states should differ");
            small.quiescent_point(worker);
            bytes.clear();
            spans.clear();
            fresh.clear();
        }
    }
}

impl<'a, T: StateStore + Send + 'a> Rehash for StepDownStore<'a, T> {
    fn prepare(&self) -> bool {
        if self.stage() != PLAIN {
            return false;
        }
        self.plain.give_table_back();
        self.small.get_or_init(&self.make);
        true
    }

    fn share(&self) {
        loop {
            let worker = self.next.fetch_add(1, Ordering::Relaxed);
            if worker >= self.plain.n_workers() || self.is_too_small.load(Ordering::Relaxed) {
                return;
            }
            self.small().register(worker);
            if self.move_records(worker).is_err() {
                self.is_too_small.store(true, Ordering::Relaxed);
            }
            self.small().unregister(worker);
        }
    }

    fn finish(&self) {
        let is_complete = !self.is_too_small.load(Ordering::Relaxed);
        self.stage.store(if is_complete { SMALL } else { LOST }, Ordering::Release);
        if is_complete {
            (self.carried_over)(self.plain.len());
        }
    }
}

impl<'a, T: StateStore + Send + 'a> StateStore for StepDownStore<'a, T> {
    fn is_exact(&self) -> bool {
        self.small.get().is_none_or(StateStore::is_exact)
    }

    fn n_workers(&self) -> usize {
        self.plain.n_workers()
    }

    fn hash(&self, state: &[u8]) -> u64 {
        self.plain.hash(state)
    }

    fn uses_hash(&self) -> bool {
        self.stage() != SMALL || self.small().uses_hash()
    }

    fn prefetch(&self, hash: u64) {
        self.current().prefetch(hash);
    }

    fn begin_all(&self, worker: usize, insertions: &mut InsertBatch, batch: &Batch<'_>) {
        match self.stage() {
            PLAIN => self.plain.begin_all(worker, insertions, batch),
            SMALL => self.small().begin_all(worker, insertions, batch),
            _ => {}
        }
    }

    fn finish_all(
        &self,
        worker: usize,
        insertions: &mut InsertBatch,
        batch: &Batch<'_>,
        fresh: &mut Vec<u32>,
    ) -> Result<(), StoreFull> {
        match self.stage() {
            SMALL => return self.small().finish_all(worker, insertions, batch, fresh),
            PLAIN if self.plain.finish_all(worker, insertions, batch, fresh).is_ok() => return Ok(()),
            _ => insertions.clear(),
        }
        // Those that were new and found room are known now, and are not named a second time.
        let small = self.carry_over(worker)?;
        small.begin_all(worker, insertions, batch);
        small.finish_all(worker, insertions, batch, fresh)
    }

    fn begin_each(&self, worker: usize, insertions: &mut InsertBatch, batch: &Batch<'_>) {
        match self.stage() {
            PLAIN => self.plain.begin_each(worker, insertions, batch),
            SMALL => self.small().begin_each(worker, insertions, batch),
            _ => {}
        }
    }

    fn finish_each(
        &self,
        worker: usize,
        insertions: &mut InsertBatch,
        batch: &Batch<'_>,
        seen: &mut Vec<Seen>,
    ) -> Result<(), StoreFull> {
        let n_before = seen.len();
        match self.stage() {
            SMALL => return self.small().finish_each(worker, insertions, batch, seen),
            PLAIN if self.plain.finish_each(worker, insertions, batch, seen).is_ok() => return Ok(()),
            _ => insertions.clear(),
        }
        let small = self.carry_over(worker)?;
        let n_done = seen.len() - n_before;
        let hashes = batch.hashes.map(|hashes| &hashes[n_done..]);
        let rest = Batch { spans: &batch.spans[n_done..], hashes, ..*batch };
        small.begin_each(worker, insertions, &rest);
        small.finish_each(worker, insertions, &rest, seen)
    }

    fn insert_hashed(&self, worker: usize, hash: u64, state: &[u8]) -> Result<Seen, StoreFull> {
        match self.stage() {
            SMALL => return self.small().insert_hashed(worker, hash, state),
            PLAIN => {
                if let Ok(seen) = self.plain.insert_hashed(worker, hash, state) {
                    return Ok(seen);
                }
            }
            _ => {}
        }
        self.carry_over(worker)?.insert_hashed(worker, hash, state)
    }

    fn quiescent_point(&self, worker: usize) {
        if self.barrier.is_requested() {
            // The answer matters to who has asked.
            let _ = self.carry_over(worker);
        }
        self.current().quiescent_point(worker);
    }

    fn step_down(&self, worker: usize) -> bool {
        self.stage() == PLAIN && self.carry_over(worker).is_ok()
    }

    fn register(&self, worker: usize) {
        self.barrier.register();
        self.current().register(worker);
    }

    fn unregister(&self, worker: usize) {
        self.current().unregister(worker);
        self.barrier.unregister();
    }

    fn len(&self) -> u64 {
        self.current().len()
    }

    fn bytes(&self) -> u64 {
        self.plain.bytes() + self.small.get().map_or(0, StateStore::bytes)
    }

    fn save(&self, out: &mut dyn Write) -> io::Result<()> {
        self.current().save(out)
    }
}

impl<'a, T: Recall + Send + 'a> Recall for StepDownStore<'a, T> {
    fn recall(&self, id: StateId, into: &mut Vec<u8>) {
        match self.stage() {
            SMALL => self.small().recall(id, into),
            _ => self.plain.recall(id, into),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU64;

    use super::*;
    use crate::{NumberedTreeStore, TreeStore};

    fn state(n: u64) -> Vec<u8> {
        [[n % 50; 6].map(u64::to_le_bytes).concat(), n.to_le_bytes().to_vec(), vec![7; (n % 3) as usize]].concat()
    }

    /// All states several times by several workers, in batches; how many were new.
    fn insert_all(store: &(impl StateStore + ?Sized), n_states: u64) -> u64 {
        let n_fresh = AtomicU64::new(0);
        std::thread::scope(|scope| {
            for worker in 0..store.n_workers() {
                let n_fresh = &n_fresh;
                store.register(worker);
                scope.spawn(move || {
                    let (mut insertions, mut fresh) = (InsertBatch::default(), Vec::new());
                    for first in (0..n_states).step_by(50) {
                        let first = if worker % 2 == 0 { first } else { n_states - 50 - first };
                        let states: Vec<Vec<u8>> = (first..first + 50).map(state).collect();
                        let (bytes, mut spans) = (states.concat(), Vec::new());
                        let mut start = 0;
                        for state in &states {
                            spans.push(Span { start, len: state.len() as u32 });
                            start += state.len() as u32;
                        }
                        let batch = Batch { bytes: &bytes, spans: &spans, hashes: None };
                        store.begin_all(worker, &mut insertions, &batch);
                        store.finish_all(worker, &mut insertions, &batch, &mut fresh).expect("there should be room");
                        assert!(fresh.is_sorted_by(|one, other| one < other), "{fresh:?}");
                        n_fresh.fetch_add(fresh.len() as u64, Ordering::Relaxed);
                        fresh.clear();
                        store.quiescent_point(worker);
                    }
                    store.unregister(worker);
                });
            }
        });
        n_fresh.into_inner()
    }

    #[test]
    fn states_are_carried_over_once() {
        let n_states = if cfg!(miri) { 3_000 } else { 60_000 };
        for n_workers in [1, 4] {
            let limit = Some(if cfg!(miri) { 1 << 18 } else { 4 << 20 });
            let told = AtomicU64::new(0);
            let plain = ExactStore::with_workers(limit, n_workers);
            let make = || TreeStore::with_workers(None, n_workers);
            let store = StepDownStore::new(plain, make, |n| {
                assert_eq!(told.swap(n, Ordering::Relaxed), 0);
            });
            assert_eq!(insert_all(&store, n_states), n_states);
            let carried = told.load(Ordering::Relaxed);
            assert!(carried > 0 && carried < n_states, "{carried}");
            assert_eq!((store.len(), store.is_exact()), (n_states, true));
            assert_eq!(insert_all(&store, n_states), 0);
            // Nothing of the plain states is left.
            assert_eq!(store.bytes(), store.small().bytes());
        }
    }

    #[test]
    fn ids_stay_what_they_were() {
        let store =
            StepDownStore::new(ExactStore::with_workers(None, 2), || NumberedTreeStore::with_workers(None, 2), |_| {});
        let n_states = 5_000;
        let insert = |n: u64| {
            let (worker, state) = (n.is_multiple_of(3).into(), state(n));
            store.register(worker);
            let seen = store.insert_hashed(worker, store.hash(&state), &state).expect("there should be room");
            store.quiescent_point(worker);
            store.unregister(worker);
            seen.id()
        };
        let before: Vec<StateId> = (0..n_states).map(insert).collect();
        store.register(0);
        assert!(store.step_down(0));
        assert!(!store.step_down(0));
        store.unregister(0);
        let after: Vec<StateId> = (0..n_states).map(insert).collect();
        assert_eq!(before, after);
        let mut recalled = Vec::new();
        for (n, id) in after.into_iter().enumerate() {
            store.recall(id, &mut recalled);
            assert_eq!(recalled, state(n as u64));
        }
    }

    #[test]
    fn a_smaller_store_that_is_too_small_leaves_a_full_one() {
        let limit = Some(2 << 20);
        let store =
            StepDownStore::new(ExactStore::new(limit), || TreeStore::new(Some(1 << 16)), |_| panic!("too small"));
        let full = (0..100_000).find(|n| store.insert(&state(*n)).is_err());
        assert!(full.is_some());
        assert!(store.insert(&state(0)).is_err());
        assert!(!store.step_down(0));
    }
}
