//! Collapse compression of interpreter states (Holzmann 1997): each distinct thread, global or object is stored once
//! and has a number.
//!
//! Two states on the way of a search differ in few places, and one place has few different contents, so that a state
//! is a handful of small numbers. Nothing is lost: different contents have different numbers.

use std::sync::atomic::{AtomicU32, Ordering};

use unpick_program::interp::Numbering;
use unpick_store::{ExactStore, StateStore};

/// All parts met so far.
pub(crate) struct Components {
    store: ExactStore,
    identity: u32,
}

static N_TABLES: AtomicU32 = AtomicU32::new(0);

impl Components {
    pub(crate) fn new() -> Self {
        let store = ExactStore::new(None);
        // Only one search uses these numbers.
        store.register(0);
        Self { store, identity: N_TABLES.fetch_add(1, Ordering::Relaxed).wrapping_add(1) }
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.store.bytes()
    }
}

impl Numbering for Components {
    fn identity(&self) -> u32 {
        self.identity
    }

    fn number(&self, bytes: &[u8]) -> Option<u32> {
        let seen = self.store.insert_hashed(0, self.store.hash(bytes), bytes).ok()?;
        self.store.quiescent_point(0);
        u32::try_from(seen.id().0).ok()
    }
}
