//! Incremental hashing of successors: only slots that differ from the predecessor are hashed again.
//!
//! Each state that waits has its hash beside it. A successor is compared with its state slot by slot, and only slots that
//! differ are taken out of the hash and put in again; whatever a step did, also in an `atomic` or by forgetting dead
//! values, shows there. Successors of another length are hashed anew.

use std::sync::atomic::{AtomicU64, Ordering};

use unpick_store::incremental;
use unpick_system::Hashing;

/// What an audit found.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Audit {
    /// Hashes that were computed again.
    pub n_compared: u64,
    /// Those that came out otherwise.
    pub n_mismatches: u64,
}

/// What all workers have compared.
#[derive(Default)]
pub(super) struct Counts {
    n_compared: AtomicU64,
    n_mismatches: AtomicU64,
}

impl Counts {
    pub(super) fn add(&self, audit: Audit) {
        self.n_compared.fetch_add(audit.n_compared, Ordering::Relaxed);
        self.n_mismatches.fetch_add(audit.n_mismatches, Ordering::Relaxed);
    }

    pub(super) fn sum(&self) -> Audit {
        Audit {
            n_compared: self.n_compared.load(Ordering::Relaxed),
            n_mismatches: self.n_mismatches.load(Ordering::Relaxed),
        }
    }
}

/// The hash of a whole state.
pub(super) fn anew(key: &[u8]) -> u64 {
    incremental::hash(key, 0)
}

/// One worker's hashes; see the module.
pub(super) struct Hasher {
    hashing: Hashing,
    /// No hashes are needed.
    is_idle: bool,
    /// Of the state at hand.
    before: u64,
    audit: Audit,
}

impl Hasher {
    pub(super) fn new(hashing: Hashing, is_used: bool) -> Self {
        let is_idle = !is_used && hashing != Hashing::Audited;
        Self { hashing, is_idle, before: 0, audit: Audit::default() }
    }

    /// Whether hashes are kept beside states.
    #[inline]
    pub(super) fn keeps(&self) -> bool {
        self.hashing != Hashing::Full && !self.is_idle
    }

    /// Successors of this state follow; its hash, if it is known.
    #[inline]
    pub(super) fn look_at(&mut self, key: &[u8], known: Option<u64>) {
        if self.keeps() {
            self.before = known.unwrap_or_else(|| anew(key));
        }
    }

    /// The hash of a successor.
    #[inline]
    pub(super) fn hash(&mut self, key: &[u8], before: &[u8]) -> u64 {
        let hash = if key.len() == before.len() { incremental::successor(self.before, before, key) } else { anew(key) };
        if self.hashing == Hashing::Audited {
            self.audit.n_compared += 1;
            self.audit.n_mismatches += u64::from(incremental::audit(key, 0, hash).is_err());
        }
        hash
    }

    pub(super) fn audit(&self) -> Audit {
        self.audit
    }
}
