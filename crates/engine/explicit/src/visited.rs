//! The visited set: the states that a search has met, collapsed (Holzmann 1997), with the work of writing their keys.
//!
//! States are matched when a choice is met: before a change of thread, or in the middle of a thread's step.

use unpick_program::interp::{Machine, State};
use unpick_store::{ExactStore, Seen, StateId, StateStore};
use unpick_system::Matching;

use crate::components::Components;
use crate::matching;

/// Marks a thread in the key of a state as one that is not followed further.
const CUT: u32 = 1 << 31;

/// The states met so far.
pub(crate) struct Visited {
    store: ExactStore,
    /// The first state of all.
    pub first: StateId,
    /// Parts of the stored states.
    components: Components,
    /// When two states count as the same.
    pub matching: Matching,
    key: Vec<u8>,
    /// Bytes of states written so far: work, as instructions are.
    pub n_key_bytes: u64,
}

impl Visited {
    /// The set of the machine's first state.
    pub(crate) fn new(machine: &Machine<'_>) -> Self {
        let store = ExactStore::new(None);
        // This search is the store's only worker, for as long as both live.
        store.register(0);
        let (components, mut key) = (Components::new(), Vec::new());
        let is_written = machine.short_key(&machine.initial(), &components, &mut key).is_ok();
        let seen = store.insert_hashed(0, store.hash(&key), &key).ok().filter(|_| is_written);
        let first = seen.expect("an empty store should have room for a state").id();
        Self { store, first, components, matching: Matching::default(), key, n_key_bytes: 0 }
    }

    pub(crate) fn len(&self) -> u64 {
        self.store.len()
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.store.bytes() + self.components.bytes()
    }

    /// Bytes of the key written last.
    pub(crate) fn key_len(&self) -> u64 {
        self.key.len() as u64
    }

    /// Stores a state, in the middle of a thread's step if one is given, without the threads that are `cut`; `None` if
    /// there is no room.
    pub(crate) fn insert(
        &mut self,
        machine: &Machine<'_>,
        state: &State,
        running: Option<usize>,
        cut: impl Iterator<Item = usize>,
    ) -> Option<Seen> {
        self.key.clear();
        match matching::key(&self.matching, machine, state).filter(|_| running.is_none()) {
            Some(key) => self.key = key,
            None => {
                let relevant = matching::relevant(&self.matching, machine, state);
                let state = relevant.as_ref().unwrap_or(state);
                self.n_key_bytes += machine.short_key(state, &self.components, &mut self.key).ok()?;
            }
        }
        if let Some(thread) = running {
            // The running thread matters only in the middle of its macro step.
            self.key.extend_from_slice(&(thread as u32).to_le_bytes());
        }
        for thread in cut {
            // Without that thread less follows.
            self.key.extend_from_slice(&(thread as u32 | CUT).to_le_bytes());
        }
        let hash = self.store.hash(&self.key);
        let seen = self.store.insert_hashed(0, hash, &self.key).ok();
        self.store.quiescent_point(0);
        seen
    }
}
