//! Bitstate hashing (Holzmann 1988) as a blocked Bloom filter (Putze, Sanders and Singler 2007): a state is a few bits
//! of a large array, and counts as seen if all of them are set.
//!
//! The hash chooses a cache line; mixed once more, it chooses bits in that line. Both come from one number of 64 bits,
//! so states with equal numbers are rarer by far than states with equal bits. With all bits of a state in one line, a
//! lookup costs one memory access instead of one for each bit; lines of 512 bits fill evenly enough that hardly more
//! states are lost than with bits spread over the whole array. The bits are taken from the second hash nine by nine
//! rather than as multiples of a step, because in so small a range too many steps are equal.
//!
//! Threads that insert one state at a time exclude each other by one of many locks, chosen by the hash, so that only
//! one of them sees the state fresh. Known states need no lock.

use std::io::{self, Read, Write};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use unpick_base::weighted_sum::mix;

use crate::memory::{Region, prefetch};
use crate::saved::{LoadError, Loader, Saver};
use crate::{Seen, StateId, StateStore, StoreFull};

/// Changes when the choice of a state's bits does.
const KIND: &str = "bits.2";
const LINE_BYTES: usize = 64;
const WORDS: usize = LINE_BYTES / 8;
/// Bits that choose a bit of a line.
const CHOICE_BITS: u32 = (LINE_BYTES * 8).trailing_zeros();
const MAX_BITS: u32 = 64 / CHOICE_BITS;
const N_LOCKS: usize = 256;
/// Makes the number that chooses the bits differ from the one that chooses the line.
const SEED: u64 = 0x5851_F42D_4C95_7F2D;

/// The bitstate store; see the module. It has no ids: all are zero.
pub struct BitstateStore {
    region: Region,
    n_lines: u64,
    /// Bits set for a state.
    n_bits: u32,
    counts: Box<[Count]>,
    locks: Box<[Mutex<()>]>,
}

#[repr(align(128))]
#[derive(Default)]
struct Count(AtomicU64);

impl BitstateStore {
    /// A store of so many bytes, rounded down to lines, that sets `n_bits` bits (one to seven) for a state.
    pub fn new(bytes: u64, n_workers: usize, n_bits: u32) -> Result<Self, StoreFull> {
        let n_lines = (bytes / LINE_BYTES as u64).max(1);
        let len = usize::try_from(n_lines).ok().and_then(|lines| lines.checked_mul(LINE_BYTES));
        Ok(Self {
            region: len.and_then(Region::new).ok_or(StoreFull { bytes: 0 })?,
            n_lines,
            n_bits: n_bits.clamp(1, MAX_BITS),
            counts: (0..n_workers.max(1)).map(|_| Count::default()).collect(),
            locks: (0..N_LOCKS).map(|_| Mutex::default()).collect(),
        })
    }

    /// Loads a store that [`StateStore::save`] has saved, unless it is larger than `limit`.
    pub fn load(input: &mut dyn Read, limit: Option<u64>, n_workers: usize) -> Result<Self, LoadError> {
        let mut loader = Loader::new(input, KIND)?;
        let n_lines = loader.number_to(u64::MAX / LINE_BYTES as u64)?;
        let bytes = n_lines * LINE_BYTES as u64;
        if limit.is_some_and(|limit| bytes > limit) {
            return Err(LoadError::Full(StoreFull { bytes: 0 }));
        }
        let n_bits = loader.number_to(MAX_BITS.into())? as u32;
        let store = Self::new(bytes, n_workers, n_bits)?;
        if (store.n_lines, store.n_bits) != (n_lines, n_bits) {
            return Err(LoadError::Damaged);
        }
        store.counts[0].0.store(loader.number()?, Ordering::Relaxed);
        let mut at = 0;
        loader.numbers(n_lines * WORDS as u64, |word| {
            store.line(at / WORDS)[at % WORDS].store(word, Ordering::Relaxed);
            at += 1;
            Ok(())
        })?;
        loader.end()?;
        Ok(store)
    }

    /// The fraction of set bits. Reads the whole array.
    pub fn fill(&self) -> f64 {
        let n_set: u64 = (0..self.n_lines as usize)
            .flat_map(|at| self.line(at))
            .map(|word| u64::from(word.load(Ordering::Relaxed).count_ones()))
            .sum();
        n_set as f64 / (self.n_lines * LINE_BYTES as u64 * 8) as f64
    }

    #[inline(always)]
    fn home(&self, hash: u64) -> usize {
        ((u128::from(hash) * u128::from(self.n_lines)) >> 64) as usize
    }

    #[inline(always)]
    fn line(&self, at: usize) -> &[AtomicU64; WORDS] {
        debug_assert!((at as u64) < self.n_lines);
        // SAFETY: homes and loops stay below the number of lines; the region is aligned to lines and only accessed
        // as atomic words.
        unsafe { &*self.region.start().cast::<[AtomicU64; WORDS]>().add(at) }
    }

    /// Word and mask of each bit of the state with this second hash.
    #[inline(always)]
    fn bits(&self, second: u64) -> impl Iterator<Item = (usize, u64)> {
        (0..self.n_bits).map(move |n| {
            let choice = second >> (n * CHOICE_BITS) & ((1 << CHOICE_BITS) - 1);
            ((choice >> 6) as usize, 1 << (choice & 63))
        })
    }
}

impl StateStore for BitstateStore {
    fn is_exact(&self) -> bool {
        false
    }

    fn n_workers(&self) -> usize {
        self.counts.len()
    }

    #[inline]
    fn prefetch(&self, hash: u64) {
        prefetch(self.region.start().wrapping_add(self.home(hash) * LINE_BYTES));
    }

    #[inline]
    fn insert_hashed(&self, worker: usize, hash: u64, _state: &[u8]) -> Result<Seen, StoreFull> {
        let line = self.line(self.home(hash));
        let second = mix(hash ^ SEED);
        let is_known = self.bits(second).all(|(word, bit)| line[word].load(Ordering::Relaxed) & bit != 0);
        if is_known {
            return Ok(Seen::Known(StateId(0)));
        }
        let lock = self.locks[second as usize % N_LOCKS].lock().expect("no holder of a lock should panic");
        let is_fresh = self.bits(second).fold(false, |is_fresh, (word, bit)| {
            let before = line[word].fetch_or(bit, Ordering::Relaxed);
            is_fresh | (before & bit == 0)
        });
        drop(lock);
        if !is_fresh {
            return Ok(Seen::Known(StateId(0)));
        }
        self.counts[worker].0.fetch_add(1, Ordering::Relaxed);
        Ok(Seen::Fresh(StateId(0)))
    }

    fn quiescent_point(&self, _worker: usize) {}

    fn register(&self, _worker: usize) {}

    fn unregister(&self, _worker: usize) {}

    fn len(&self) -> u64 {
        self.counts.iter().map(|count| count.0.load(Ordering::Relaxed)).sum()
    }

    fn bytes(&self) -> u64 {
        self.region.len() as u64
    }

    fn save(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut saver = Saver::new(out, KIND)?;
        saver.number(self.n_lines)?;
        saver.number(self.n_bits.into())?;
        saver.number(self.len())?;
        let lines = (0..self.n_lines as usize).flat_map(|at| self.line(at));
        saver.numbers(lines.map(|word| word.load(Ordering::Relaxed)))?;
        saver.end()
    }
}
