//! Hash compaction (Wolper and Leroy 1993; Stern and Dill 1995): a state is represented by a signature only, so two
//! states may be taken for one.
//!
//! The signature is the hash, or its upper bits if fewer are asked for, kept exactly by `quotient.rs`. With n states
//! and b bits, a state is lost with a probability of about n / 2^b: with 64 bits and 30 million states, one search in
//! 40,000 loses any state; with 48 bits three states in 30 million are lost.

use std::io::{self, Read, Write};

use crate::barrier::{Barrier, Rehash};
use crate::keyset::{KeySet, Packing};
use crate::memory::Allowance;
use crate::saved::{LoadError, Loader, Saver};
use crate::{Seen, StateStore, StoreFull};

const KIND: &str = "compact";

/// The hash-compact store; see the module. Ids are places: they change when the table grows.
pub struct CompactStore {
    keys: KeySet,
    n_bits: u32,
    n_workers: usize,
    allowance: Allowance,
    barrier: Barrier,
}

impl CompactStore {
    /// An empty store with signatures of `n_bits` bits, 40 at least and 64 at most, within `limit` bytes.
    pub fn new(limit: Option<u64>, n_workers: usize, n_bits: u32) -> Self {
        let allowance = Allowance::new(limit);
        let n_bits = n_bits.clamp(40, 64);
        Self {
            keys: KeySet::new(&allowance, n_workers, Packing::Number(n_bits)),
            n_bits,
            n_workers: n_workers.max(1),
            allowance,
            barrier: Barrier::default(),
        }
    }

    /// Loads a store that [`StateStore::save`] has saved.
    pub fn load(input: &mut dyn Read, limit: Option<u64>, n_workers: usize) -> Result<Self, LoadError> {
        let mut loader = Loader::new(input, KIND)?;
        let allowance = Allowance::new(limit);
        let n_bits = loader.number_to(64)? as u32;
        if n_bits < 40 {
            return Err(LoadError::Damaged);
        }
        let keys = KeySet::load(&mut loader, &allowance, n_workers, Packing::Number(n_bits))?;
        loader.end()?;
        Ok(Self { keys, n_bits, n_workers: n_workers.max(1), allowance, barrier: Barrier::default() })
    }

    /// Bits of a signature.
    pub fn n_bits(&self) -> u32 {
        self.n_bits
    }

    #[inline(always)]
    fn signature(&self, hash: u64) -> u64 {
        hash >> (64 - self.n_bits)
    }
}

impl StateStore for CompactStore {
    fn is_exact(&self) -> bool {
        false
    }

    fn n_workers(&self) -> usize {
        self.n_workers
    }

    #[inline]
    fn prefetch(&self, hash: u64) {
        self.keys.prefetch(self.signature(hash));
    }

    #[inline]
    fn insert_hashed(&self, worker: usize, hash: u64, _state: &[u8]) -> Result<Seen, StoreFull> {
        self.keys.insert(&self.allowance, worker, self.signature(hash))
    }

    #[inline]
    fn quiescent_point(&self, _worker: usize) {
        if self.barrier.is_requested() || self.keys.is_crowded(Packing::Number(self.n_bits)) {
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
        self.keys.len()
    }

    fn bytes(&self) -> u64 {
        self.allowance.used()
    }

    fn save(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut saver = Saver::new(out, KIND)?;
        saver.number(self.n_bits.into())?;
        self.keys.save(&mut saver)?;
        saver.end()
    }
}

impl Rehash for CompactStore {
    fn prepare(&self) -> bool {
        self.keys.prepare(&self.allowance, Packing::Number(self.n_bits))
    }

    fn share(&self) {
        self.keys.share();
    }

    fn finish(&self) {
        self.keys.finish(&self.allowance);
    }
}
