//! Sets of states: what a search has seen. Stores know bytes, never programs.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub mod exact;

pub use exact::ExactStore;

use std::fmt;

/// Number of a stored state, dense enough to serve as an index for as long as the store lives.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct StateId(pub u64);

/// What an insertion met.
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
/// Every method may be called from several threads at once; implementations lock as little as they can.
///
/// ```
/// use unpick_store::{ExactStore, StateStore};
/// let store = ExactStore::new(None);
/// assert!(store.insert(b"a state").unwrap().is_fresh());
/// assert!(!store.insert(b"a state").unwrap().is_fresh());
/// ```
pub trait StateStore: Sync {
    /// Over a lossy store no run may answer `Holds`.
    fn is_exact(&self) -> bool;
    /// Exactly one caller sees `Fresh` for a given state.
    fn insert(&self, state: &[u8]) -> Result<Seen, StoreFull>;
    /// How many states are stored.
    fn len(&self) -> u64;
    /// Whether no state is stored.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Bytes of memory in use.
    fn bytes(&self) -> u64;
}

/// Stores that can give a state back, as traces need.
pub trait Recall: StateStore {
    /// Writes the state into `into`, replacing what was there. The id must come from this store.
    fn recall(&self, id: StateId, into: &mut Vec<u8>);
}
