//! State stores: concurrent sets of byte strings, exact, compressed or lossy, that hold the visited states of a search.
//! Stores know bytes, never programs.
#![deny(unsafe_op_in_unsafe_fn, clippy::undocumented_unsafe_blocks)]
#![warn(missing_docs)]

mod arena;
mod barrier;
mod batch;
pub mod bitstate;
pub mod compact;
pub mod exact;
mod exclusive;
mod growing;
mod keyset;
mod memory;
mod nodes;
pub mod numbered;
mod quotient;
mod saved;
pub mod step_down;
pub mod tree;

pub use arena::Cursor;
pub use batch::{Batch, InsertBatch, Span};
pub use bitstate::BitstateStore;
pub use compact::CompactStore;
pub use exact::ExactStore;
pub use numbered::NumberedTreeStore;
pub use saved::LoadError;
pub use step_down::StepDownStore;
pub use tree::{Borders, TreeStore};

use std::fmt;
use std::io::{self, Write};

/// Number of a stored state, dense enough to serve as an index for as long as the store lives.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct StateId(pub u64);

/// Whether an insertion added the state.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Seen {
    /// The state was not in the set before.
    Fresh(StateId),
    /// The state was already there (for a lossy store: probably).
    Known(StateId),
}

impl Seen {
    /// Whether the state was new.
    pub fn is_fresh(self) -> bool {
        matches!(self, Seen::Fresh(_))
    }

    /// Number of the state.
    pub fn id(self) -> StateId {
        match self {
            Seen::Fresh(id) | Seen::Known(id) => id,
        }
    }
}

/// The store may not grow further. A limit, not an error: the verdict becomes unknown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StoreFull {
    /// Bytes in use when the limit was met.
    pub bytes: u64,
}

impl fmt::Display for StoreFull {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the state store is full at {} bytes", self.bytes)
    }
}

/// A concurrent set of states, each a canonical byte string of any length.
///
/// Workers are numbered from zero; two threads should not use one number at a time (they would wait for each other).
/// A table grows only while every [registered](Self::register) worker is at a [quiescent point](Self::quiescent_point),
/// so a worker
///
/// - registers before its first insertion, and unregisters before it ends or waits for anything but the store;
/// - calls `quiescent_point` at least once in 1,024 insertions, while it holds no reference into the table.
///
/// A single thread need not register. A worker without quiescent points meets nothing worse than `StoreFull`; an
/// unregistered one that inserts while others grow the table may see a known state as `Fresh`.
///
/// Batches ([`begin_all`](Self::begin_all)) are the fastest way to insert, because the table is larger than the cache.
/// A caller that needs the answer for each state before the next can [`begin`](Self::begin) the insertion of a
/// successor and [`finish`](Self::finish) it some twenty successors later.
///
/// ```
/// use unpick_store::{ExactStore, StateStore};
/// let store = ExactStore::new(None);
/// assert!(store.insert(b"a state").unwrap().is_fresh());
/// assert!(!store.insert(b"a state").unwrap().is_fresh());
///
/// let states = [b"one", b"two", b"one"];
/// let hashes = states.map(|state| store.hash(state));
/// let pending = [0, 1, 2].map(|at| store.begin(0, hashes[at], states[at]).unwrap());
/// let seen = [0, 1, 2].map(|at| store.finish(0, pending[at], states[at]).unwrap());
/// assert_eq!(seen[0].id(), seen[2].id());
/// store.quiescent_point(0);
/// ```
pub trait StateStore: Sync {
    /// Over a lossy store no run may answer `Holds`.
    fn is_exact(&self) -> bool;

    /// How many workers the store was made for; their numbers are below it.
    fn n_workers(&self) -> usize;

    /// The hash of a state. A caller may use another one of the same quality (every bit depends on every bit of the
    /// state, as in [`unpick_base::weighted_sum`]), as long as equal states always have equal hashes.
    fn hash(&self, state: &[u8]) -> u64 {
        xxhash_rust::xxh3::xxh3_64(state)
    }

    /// Whether insertions use the hash; if not, any number will do.
    fn uses_hash(&self) -> bool {
        true
    }

    /// Prefetches the memory that an insertion with this hash reads first.
    fn prefetch(&self, hash: u64);

    /// Begins the insertions of many states, to be finished together by [`finish_all`](Self::finish_all): `insertions`
    /// keeps what was computed, and memory that will be read is prefetched.
    fn begin_all(&self, worker: usize, insertions: &mut InsertBatch, batch: &Batch<'_>) {
        for (at, state) in batch.states().enumerate() {
            let hash = batch.hashes.map_or_else(|| if self.uses_hash() { self.hash(state) } else { 0 }, |all| all[at]);
            insertions.pending.push(self.begin(worker, hash, state));
        }
    }

    /// Finishes all begun insertions; the batch has the same states in the same order. Appends the positions of the new
    /// states to `fresh`. When the store is full, the states before that point are inserted, and no others.
    fn finish_all(
        &self,
        worker: usize,
        insertions: &mut InsertBatch,
        batch: &Batch<'_>,
        fresh: &mut Vec<u32>,
    ) -> Result<(), StoreFull> {
        insertions.pending.iter().flatten().for_each(|pending| self.load_record(*pending));
        for (at, (pending, state)) in insertions.pending.drain(..).zip(batch.states()).enumerate() {
            if self.finish(worker, pending?, state)?.is_fresh() {
                fresh.push(at as u32);
            }
        }
        Ok(())
    }

    /// Like [`begin_all`](Self::begin_all) for a caller that wants the number of every state; finished by
    /// [`finish_each`](Self::finish_each).
    fn begin_each(&self, worker: usize, insertions: &mut InsertBatch, batch: &Batch<'_>) {
        for (at, state) in batch.states().enumerate() {
            let hash = batch.hashes.map_or_else(|| if self.uses_hash() { self.hash(state) } else { 0 }, |all| all[at]);
            insertions.pending.push(self.begin(worker, hash, state));
        }
    }

    /// Finishes all insertions that were begun by [`begin_each`](Self::begin_each), and adds what each met. When the store
    /// is full, those before are inserted, and no others.
    fn finish_each(
        &self,
        worker: usize,
        insertions: &mut InsertBatch,
        batch: &Batch<'_>,
        seen: &mut Vec<Seen>,
    ) -> Result<(), StoreFull> {
        insertions.pending.iter().flatten().for_each(|pending| self.load_record(*pending));
        for (pending, state) in insertions.pending.drain(..).zip(batch.states()) {
            seen.push(self.finish(worker, pending?, state)?);
        }
        Ok(())
    }

    /// Between the halves of an insertion: prefetches what the second half reads second, which depends on what it reads
    /// first.
    fn load_record(&self, _ticket: u64) {}

    /// Exactly one caller sees `Fresh` for a given state.
    fn insert_hashed(&self, worker: usize, hash: u64, state: &[u8]) -> Result<Seen, StoreFull>;

    /// The first half of an insertion: does what can be done now and prefetches what the second half needs. The result
    /// is for [`finish`](Self::finish), any number of insertions later, table grown or not.
    fn begin(&self, _worker: usize, hash: u64, _state: &[u8]) -> Result<u64, StoreFull> {
        self.prefetch(hash);
        Ok(hash)
    }

    /// The second half of an insertion, by the same worker with the same state.
    fn finish(&self, worker: usize, pending: u64, state: &[u8]) -> Result<Seen, StoreFull> {
        self.insert_hashed(worker, pending, state)
    }

    /// Grows the table if it is time to: waits for all registered workers and does it with them.
    fn quiescent_point(&self, worker: usize);

    /// Makes the store smaller, together with all other registered workers, if it knows how to and has not done so yet; false
    /// if not. The worker is registered and at a quiescent point.
    fn step_down(&self, _worker: usize) -> bool {
        false
    }

    /// From now on tables grow only while this worker is at a quiescent point.
    fn register(&self, worker: usize);

    /// Tables grow without waiting for this worker.
    fn unregister(&self, worker: usize);

    /// An insertion from any thread, at any time, without worker number or pipeline, but slower.
    fn insert(&self, state: &[u8]) -> Result<Seen, StoreFull> {
        self.insert_unregistered(self.hash(state), state)
    }

    /// The same with a hash of the caller's.
    fn insert_unregistered(&self, hash: u64, state: &[u8]) -> Result<Seen, StoreFull> {
        self.register(0);
        let seen = self.insert_hashed(0, hash, state);
        self.quiescent_point(0);
        self.unregister(0);
        seen
    }

    /// How many states are stored. While workers insert, a moment behind.
    fn len(&self) -> u64;

    /// Whether no state is stored.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes of memory allocated, used or not.
    fn bytes(&self) -> u64;

    /// Writes the set in a form that any machine can load (each store has a function `load`), with a checksum. States
    /// inserted meanwhile may or may not be part of it.
    fn save(&self, out: &mut dyn Write) -> io::Result<()>;
}

/// Stores that can return the bytes of a state, as traces need.
pub trait Recall: StateStore {
    /// Writes the state into `into`, replacing what was there. The id must come from this store.
    fn recall(&self, id: StateId, into: &mut Vec<u8>);
}
