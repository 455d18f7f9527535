//! Incremental hashing of successors: the hash of a state is made from that of its predecessor and what the step has changed.
//!
//! Each state that waits has its weighted sum beside it (`unpick_base::weighted_sum`). Compiled steps tell by how much they
//! change it; where a step tells nothing (it was interpreted, or a process has come or gone), the successor is compared with
//! its state word by word, and only bytes that differ count.

use std::sync::atomic::{AtomicU64, Ordering};

use unpick_base::weighted_sum;
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

/// One worker's sums; see the module.
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

    /// Whether sums are kept beside states.
    #[inline]
    pub(super) fn keeps(&self) -> bool {
        self.hashing.is_incremental() && !self.is_idle
    }

    /// Successors of this state follow; its sum, if it is known.
    #[inline]
    pub(super) fn look_at(&mut self, key: &[u8], known: Option<u64>) {
        if self.keeps() {
            self.before = known.unwrap_or_else(|| weighted_sum::sum(key));
        }
    }

    /// The sum behind a step that changes it by so much.
    #[inline]
    pub(super) fn after(&self, change: u64) -> u64 {
        self.before.wrapping_add(change)
    }

    /// The sum of a successor whose step has told nothing.
    pub(super) fn compared(&self, before: &[u8], key: &[u8]) -> u64 {
        self.after(weighted_sum::change(before, key))
    }

    /// Whether every sum is to be computed from scratch too.
    #[inline]
    pub(super) fn is_audited(&self) -> bool {
        self.hashing == Hashing::Audited
    }

    #[cold]
    pub(super) fn audit_sum(&mut self, sum: u64, key: &[u8]) {
        self.audit.n_compared += 1;
        self.audit.n_mismatches += u64::from(sum != weighted_sum::sum(key));
    }

    pub(super) fn audit(&self) -> Audit {
        self.audit
    }
}
