//! Unique numbers for pairs of words: the node table of tree compression, where each inner node is stored once (hash
//! consing).
//!
//! A number is an index into chunks that hold the pairs, so it stays valid when the index of pairs is rebuilt. A word
//! of the index has four bytes: a number, with a bit more than the index has slots for, and as much of the pair's hash
//! as fits beside it.

use std::collections::HashMap;
use std::io;
use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard};

use crate::StoreFull;
use crate::growing::Growing;
use crate::keyset::HALF_BITS;
use crate::memory::{Allowance, Region, prefetch};
use crate::saved::{LoadError, Loader, Saver};

/// Numbers in a chunk.
const CHUNK_BITS: u32 = 13;
const N_CHUNKS: usize = 1 << (HALF_BITS - CHUNK_BITS);
const CHUNK_BYTES: usize = 8 << CHUNK_BITS;
/// Numbers that a worker takes at a time.
const BLOCK: u32 = 16;
const SLOTS: usize = 16;
const SLOT_BITS: u32 = SLOTS.trailing_zeros();
const LINE_BYTES: usize = SLOTS * 4;
const FIRST_LINE_BITS: u32 = 8;
/// However small the index is, its words have room for numbers of so many bits.
const MIN_NUMBER_BITS: u32 = 22;
/// Words of more lines could not hold their numbers.
const MAX_LINE_BITS: u32 = 31 - SLOT_BITS - 1;
/// How many lines are searched.
const REACH: usize = 16;
/// Numbers given are below this.
const MAX_NUMBERS: u64 = 1 << HALF_BITS;
const STRIP: usize = 1 << 10;

/// All pairs with their numbers.
pub(crate) struct Nodes {
    index: Growing<Index>,
    chunks: Box<[AtomicPtr<AtomicU64>]>,
    n_taken: AtomicU32,
    /// Pairs whose lines of the index are full.
    stash: Mutex<HashMap<u64, u32>>,
    n_stashed: AtomicU32,
    /// Held while a chunk is made.
    making: Mutex<()>,
}

/// Numbers that a worker may give to pairs.
#[derive(Default)]
pub(crate) struct Block {
    next: u32,
    end: u32,
}

struct Index {
    region: Region,
    line_bits: u32,
}

impl Nodes {
    pub(crate) fn new(allowance: &Allowance, n_workers: usize) -> Result<Self, StoreFull> {
        let line_bits = FIRST_LINE_BITS + n_workers.max(1).next_power_of_two().trailing_zeros();
        let index = Index::new(allowance, line_bits)?;
        // SAFETY: zeros are null pointers.
        let chunks = unsafe { Box::new_zeroed_slice(N_CHUNKS).assume_init() };
        Ok(Self {
            index: Growing::new(index),
            chunks,
            n_taken: AtomicU32::new(0),
            stash: Mutex::default(),
            n_stashed: AtomicU32::new(0),
            making: Mutex::default(),
        })
    }

    /// Numbers given are below this.
    pub(crate) fn n_numbers(&self) -> u32 {
        self.n_taken.load(Ordering::Relaxed)
    }

    /// The number of a pair, whose [`mix`] this is; a new number if the pair is new.
    #[inline]
    pub(crate) fn number(
        &self,
        allowance: &Allowance,
        block: &mut Block,
        pair: u64,
        hash: u64,
    ) -> Result<u32, StoreFull> {
        let index = self.index.get();
        let mut at = index.home(hash);
        for _ in 0..REACH {
            let line = index.line(at);
            for step in 0..SLOTS {
                let slot = &line[(hash as usize).wrapping_add(step) % SLOTS];
                let mut word = slot.load(Ordering::Acquire);
                if word == 0 {
                    let number = self.write(allowance, block, pair)?;
                    if number >= index.number_mask() {
                        return Err(allowance.full());
                    }
                    let mine = index.word(hash, number);
                    match slot.compare_exchange(0, mine, Ordering::AcqRel, Ordering::Acquire) {
                        Ok(_) => {
                            block.next += 1;
                            return Ok(number);
                        }
                        Err(theirs) => word = theirs,
                    }
                }
                if index.is_like(word, hash) {
                    let number = index.number(word);
                    if self.pair(number) == pair {
                        return Ok(number);
                    }
                }
            }
            at = index.after(at);
        }
        self.number_in_stash(allowance, block, pair)
    }

    /// Prefetches the line of the index that a lookup with this hash reads first.
    #[inline(always)]
    pub(crate) fn prefetch(&self, hash: u64) {
        let index = self.index.get();
        prefetch(std::ptr::from_ref(index.line(index.home(hash))).cast());
    }

    /// The number that a pair with this hash probably has, if it has one; prefetches the pair of that number.
    #[inline(always)]
    pub(crate) fn likely_number(&self, hash: u64) -> Option<u32> {
        let index = self.index.get();
        let line = index.line(index.home(hash));
        for step in 0..SLOTS {
            let word = line[(hash as usize).wrapping_add(step) % SLOTS].load(Ordering::Acquire);
            if word == 0 {
                return None;
            }
            if index.is_like(word, hash) {
                let number = index.number(word);
                let chunk = self.chunks[(number >> CHUNK_BITS) as usize].load(Ordering::Relaxed);
                prefetch(chunk.wrapping_add(number as usize & ((1 << CHUNK_BITS) - 1)).cast());
                return Some(number);
            }
        }
        None
    }

    /// The pair with this number, which must have been given to one.
    #[inline(always)]
    pub(crate) fn pair(&self, number: u32) -> u64 {
        let chunk = self.chunks[(number >> CHUNK_BITS) as usize].load(Ordering::Acquire);
        assert!(!chunk.is_null(), "the number should have been given");
        // SAFETY: the chunk has words for all numbers with these upper bits.
        unsafe { &*chunk.add(number as usize & ((1 << CHUNK_BITS) - 1)) }.load(Ordering::Relaxed)
    }

    /// Writes the pair to where the worker's next number points, without giving the number away.
    #[inline]
    fn write(&self, allowance: &Allowance, block: &mut Block, pair: u64) -> Result<u32, StoreFull> {
        if block.next == block.end {
            *block = self.block(allowance)?;
        }
        let chunk = self.chunks[(block.next >> CHUNK_BITS) as usize].load(Ordering::Acquire);
        // SAFETY: `block` made sure of the chunk.
        unsafe { &*chunk.add(block.next as usize & ((1 << CHUNK_BITS) - 1)) }.store(pair, Ordering::Relaxed);
        Ok(block.next)
    }

    #[cold]
    fn block(&self, allowance: &Allowance) -> Result<Block, StoreFull> {
        let _making = self.making.lock().expect("no maker of a chunk should panic");
        let next = self.n_taken.load(Ordering::Relaxed);
        if u64::from(next) + u64::from(BLOCK) >= MAX_NUMBERS {
            return Err(allowance.full());
        }
        let chunk = &self.chunks[(next >> CHUNK_BITS) as usize];
        if chunk.load(Ordering::Relaxed).is_null() {
            let region = allowance.region(CHUNK_BYTES)?;
            chunk.store(region.into_start().as_ptr().cast(), Ordering::Release);
        }
        self.n_taken.store(next + BLOCK, Ordering::Relaxed);
        Ok(Block { next, end: next + BLOCK })
    }

    #[cold]
    fn number_in_stash(&self, allowance: &Allowance, block: &mut Block, pair: u64) -> Result<u32, StoreFull> {
        let mut stash = self.stash();
        if let Some(number) = stash.get(&pair) {
            return Ok(*number);
        }
        let number = self.write(allowance, block, pair)?;
        block.next += 1;
        stash.insert(pair, number);
        self.n_stashed.store(stash.len() as u32, Ordering::Relaxed);
        Ok(number)
    }

    /// Saves all pairs, while no worker numbers any.
    pub(crate) fn save(&self, saver: &mut Saver) -> io::Result<()> {
        let n = self.n_numbers();
        // Numbers reserved by workers and not yet used belong to no pair.
        let mut is_given = vec![0u64; n.div_ceil(64) as usize];
        let mut give = |number: u32| is_given[number as usize / 64] |= 1 << (number % 64);
        let index = self.index.get();
        for slot in (0..index.n_lines()).flat_map(|at| index.line(at)) {
            let word = slot.load(Ordering::Acquire);
            if word != 0 {
                give(index.number(word));
            }
        }
        self.stash().values().for_each(|number| give(*number));
        saver.number(n.into())?;
        saver.numbers(is_given.into_iter())?;
        saver.numbers((0..n).map(|number| self.pair(number)))
    }

    /// Loads what was saved.
    pub(crate) fn load(loader: &mut Loader, allowance: &Allowance, n_workers: usize) -> Result<Self, LoadError> {
        let n = loader.number_to(MAX_NUMBERS - 1)?;
        let mut is_given = Vec::new();
        loader.numbers(n.div_ceil(64), |word| {
            is_given.push(word);
            Ok(())
        })?;
        let mut nodes = Self::new(allowance, n_workers)?;
        let mut number = 0u32;
        loader.numbers(n, |pair| {
            let chunk = &mut nodes.chunks[(number >> CHUNK_BITS) as usize];
            if chunk.get_mut().is_null() {
                *chunk.get_mut() = allowance.region(CHUNK_BYTES)?.into_start().as_ptr().cast();
            }
            // SAFETY: the chunk has words for all numbers with these upper bits.
            unsafe { &*chunk.get_mut().add(number as usize & ((1 << CHUNK_BITS) - 1)) }.store(pair, Ordering::Relaxed);
            number += 1;
            Ok(())
        })?;
        *nodes.n_taken.get_mut() = (n as u32).next_multiple_of(BLOCK);
        if nodes.prepare(allowance) {
            nodes.finish(allowance);
        }
        if n >= nodes.index.get().number_mask().into() {
            return Err(allowance.full().into());
        }
        let numbers = (0..n as u32).filter(|number| is_given[*number as usize / 64] >> (number % 64) & 1 != 0);
        numbers.for_each(|number| nodes.keep(nodes.index.get(), number));
        let n_stashed = nodes.stash().len() as u32;
        nodes.n_stashed.store(n_stashed, Ordering::Relaxed);
        Ok(nodes)
    }

    pub(crate) fn is_crowded(&self) -> bool {
        let n_slots = self.index.get().n_slots();
        u64::from(self.n_numbers()) > n_slots / 16 * 13 || self.n_stashed.load(Ordering::Relaxed) > 64
    }

    /// Prepares a larger index; see [`crate::barrier::Rehash`]. Without memory for one, the current one stays.
    pub(crate) fn prepare(&self, allowance: &Allowance) -> bool {
        if !self.is_crowded() {
            return false;
        }
        let mut line_bits = self.index.get().line_bits + 1;
        while u64::from(self.n_numbers()) > (SLOTS as u64) << (line_bits - 1) {
            line_bits += 1;
        }
        let Ok(index) = Index::new(allowance, line_bits) else { return false };
        self.index.begin(index);
        true
    }

    pub(crate) fn share(&self) {
        let old = self.index.get();
        let Some(new) = self.index.next() else { return };
        while let Some(lines) = self.index.take(STRIP, old.n_lines()) {
            for slot in lines.flat_map(|at| old.line(at)) {
                let word = slot.load(Ordering::Relaxed);
                if word != 0 {
                    self.keep(new, old.number(word));
                }
            }
        }
    }

    pub(crate) fn finish(&self, allowance: &Allowance) {
        let Some(old) = self.index.end() else { return };
        old.region.discard();
        allowance.give_back(old.region.len() as u64);
        let stash = std::mem::take(&mut *self.stash());
        stash.into_values().for_each(|number| self.keep(self.index.get(), number));
        let n_stashed = self.stash().len() as u32;
        self.n_stashed.store(n_stashed, Ordering::Relaxed);
    }

    /// Puts a known number into another index.
    fn keep(&self, index: &Index, number: u32) {
        let pair = self.pair(number);
        let hash = mix(pair);
        if !index.put(hash, index.word(hash, number)) {
            self.stash().insert(pair, number);
        }
    }

    fn stash(&self) -> MutexGuard<'_, HashMap<u64, u32>> {
        self.stash.lock().expect("no holder of the map should panic")
    }
}

impl Drop for Nodes {
    fn drop(&mut self) {
        for chunk in &mut self.chunks {
            let Some(start) = std::ptr::NonNull::new(chunk.get_mut().cast()) else { return };
            // SAFETY: the chunk was a region of this length before it was taken apart.
            drop(unsafe { Region::from_parts(start, CHUNK_BYTES) });
        }
    }
}

impl Index {
    fn new(allowance: &Allowance, line_bits: u32) -> Result<Self, StoreFull> {
        if line_bits > MAX_LINE_BITS {
            return Err(allowance.full());
        }
        Ok(Self { region: allowance.region(LINE_BYTES << line_bits)?, line_bits })
    }

    fn n_slots(&self) -> u64 {
        (SLOTS as u64) << self.line_bits
    }

    /// Bits of a word that are the number, counted from one so that no word is zero: enough for all that is numbered
    /// before the index grows.
    #[inline(always)]
    fn number_mask(&self) -> u32 {
        (1 << (self.line_bits + SLOT_BITS + 1).max(MIN_NUMBER_BITS)) - 1
    }

    #[inline(always)]
    fn word(&self, hash: u64, number: u32) -> u32 {
        debug_assert!(number < self.number_mask());
        hash as u32 & !self.number_mask() | (number + 1)
    }

    #[inline(always)]
    fn number(&self, word: u32) -> u32 {
        (word & self.number_mask()) - 1
    }

    /// Whether a word may be that of a pair with this hash.
    #[inline(always)]
    fn is_like(&self, word: u32, hash: u64) -> bool {
        (word ^ hash as u32) & !self.number_mask() == 0
    }

    fn n_lines(&self) -> usize {
        1 << self.line_bits
    }

    #[inline(always)]
    fn home(&self, hash: u64) -> usize {
        (hash >> (64 - self.line_bits)) as usize
    }

    #[inline(always)]
    fn after(&self, at: usize) -> usize {
        (at + 1) & (self.n_lines() - 1)
    }

    #[inline(always)]
    fn line(&self, at: usize) -> &[AtomicU32; SLOTS] {
        debug_assert!(at < self.n_lines());
        // SAFETY: `home`, `after` and loops over `n_lines` stay within the region, which is aligned to lines and is
        // only accessed as atomic words.
        unsafe { &*self.region.start().cast::<[AtomicU32; SLOTS]>().add(at) }
    }

    /// Puts a word that is not there yet into its place.
    fn put(&self, hash: u64, word: u32) -> bool {
        let mut at = self.home(hash);
        for _ in 0..REACH {
            let line = self.line(at);
            for step in 0..SLOTS {
                let slot = &line[(hash as usize).wrapping_add(step) % SLOTS];
                if slot.load(Ordering::Relaxed) == 0
                    && slot.compare_exchange(0, word, Ordering::Relaxed, Ordering::Relaxed).is_ok()
                {
                    return true;
                }
            }
            at = self.after(at);
        }
        false
    }
}

/// Spreads a pair over all bits.
#[inline(always)]
pub(crate) fn mix(pair: u64) -> u64 {
    let x = (pair ^ pair >> 32).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (x ^ x >> 32).wrapping_mul(0xD6E8_FEB8_6659_FD93)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_keep_their_numbers() {
        let allowance = Allowance::new(None);
        let nodes = Nodes::new(&allowance, 1).unwrap();
        let mut block = Block::default();
        let pair = |n: u64| (n << 32) | (n % 17);
        let n = if cfg!(miri) { 3_000 } else { 100_000 };
        let mut numbers = Vec::new();
        for n in 0..n {
            numbers.push(nodes.number(&allowance, &mut block, pair(n), mix(pair(n))).unwrap());
            if n % 9_000 == 0 && nodes.prepare(&allowance) {
                nodes.share();
                nodes.finish(&allowance);
            }
        }
        assert_eq!(numbers, (0..n as u32).collect::<Vec<_>>());
        for (n, number) in numbers.iter().enumerate() {
            let pair = pair(n as u64);
            assert_eq!(nodes.pair(*number), pair);
            assert_eq!(nodes.number(&allowance, &mut block, pair, mix(pair)), Ok(*number));
        }
    }
}
