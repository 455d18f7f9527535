//! The table of the exact store: lines of slots, each a word with a tag and a place in the arena.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::StoreFull;
use crate::arena::{PLACE_BITS, Place};
use crate::memory::{Allowance, Reserved, prefetch};

pub(super) const SLOTS: usize = 8;
pub(super) const LINE_BYTES: usize = SLOTS * 8;
/// Top bits of the hash that are not in the tag.
pub(super) const IMPLIED_BITS: u32 = 4;
pub(super) const PLACE_MASK: u64 = (1 << PLACE_BITS) - 1;
/// More lines than tags can tell.
pub(super) const MAX_LINE_BITS: u32 = IMPLIED_BITS + 64 - PLACE_BITS;

/// Several tables may share one region of memory, of which the largest is the current one.
pub(super) struct Table {
    pub(super) memory: Arc<Reserved>,
    pub(super) line_bits: u32,
}

pub(super) type Line = [AtomicU64; SLOTS];

/// Writes a word to a slot if it is vacant; otherwise the word that is there. A single worker is the only writer, and
/// need not wait until its earlier writes are in memory.
#[inline(always)]
pub(super) fn claim(slot: &AtomicU64, mine: u64, is_alone: bool) -> Result<(), u64> {
    if !is_alone {
        return slot.compare_exchange(0, mine, Ordering::AcqRel, Ordering::Acquire).map(|_| ());
    }
    match slot.load(Ordering::Acquire) {
        0 => {
            slot.store(mine, Ordering::Release);
            Ok(())
        }
        theirs => Err(theirs),
    }
}

/// The slots of a line with a matching tag, computed without branches: which slot matches cannot be predicted.
pub(super) struct LineMatches {
    /// A bit for each slot with the tag.
    pub(super) matches: u32,
    /// Lines fill from their first slot on.
    pub(super) n_taken: usize,
}

impl LineMatches {
    #[inline(always)]
    pub(super) fn at(line: &Line, tag: u64) -> Self {
        let (mut matches, mut vacant) = (0, 1 << SLOTS);
        for (slot, word) in line.iter().enumerate() {
            let word = word.load(Ordering::Relaxed);
            matches |= u32::from((word ^ tag) >> PLACE_BITS == 0) << slot;
            vacant |= u32::from(word == 0) << slot;
        }
        // The first slot that was vacant, whatever has come behind it meanwhile.
        let n_taken = vacant.trailing_zeros();
        Self { matches: matches & ((1 << n_taken) - 1), n_taken: n_taken as usize }
    }

    #[inline(always)]
    pub(super) fn next_match(&mut self) -> Option<usize> {
        let slot = self.matches.trailing_zeros() as usize;
        self.matches &= self.matches.wrapping_sub(1);
        (slot < SLOTS).then_some(slot)
    }
}

impl Table {
    pub(super) fn new(allowance: &Allowance, line_bits: u32) -> Result<Self, StoreFull> {
        if line_bits > MAX_LINE_BITS || line_bits + LINE_BYTES.trailing_zeros() >= usize::BITS {
            return Err(allowance.full());
        }
        Ok(Self { memory: Arc::new(allowance.reserved(LINE_BYTES << line_bits)?), line_bits })
    }

    /// The same memory with twice as many lines, for [`Doubling`] to fill; `None` if it cannot grow in place.
    pub(super) fn doubled(&self, allowance: &Allowance) -> Option<Self> {
        let n_more = LINE_BYTES << self.line_bits;
        if self.line_bits >= MAX_LINE_BITS || allowance.take(n_more as u64).is_err() {
            return None;
        }
        if !self.memory.extend(2 * n_more) {
            allowance.give_back(n_more as u64);
            return None;
        }
        Some(Self { memory: Arc::clone(&self.memory), line_bits: self.line_bits + 1 })
    }

    pub(super) fn discard(&self, allowance: &Allowance) {
        allowance.give_back(self.memory.len() as u64);
        self.memory.discard();
    }

    /// Loads the line of a hash into the cache.
    #[inline(always)]
    pub(super) fn prefetch(&self, hash: u64) {
        prefetch(std::ptr::from_ref(self.line(self.home(hash))).cast());
    }

    /// The smallest table there is, for a store that may not have any.
    pub(super) fn smallest() -> Self {
        let memory = Reserved::new(LINE_BYTES << IMPLIED_BITS, 0).expect("a page of memory should be there");
        Self { memory: Arc::new(memory), line_bits: IMPLIED_BITS }
    }

    pub(super) fn n_lines(&self) -> usize {
        1 << self.line_bits
    }

    pub(super) fn n_slots(&self) -> u64 {
        (self.n_lines() * SLOTS) as u64
    }

    /// How many lines from its home a state may be.
    #[inline(always)]
    pub(super) fn reach(&self) -> usize {
        1 << (self.line_bits - IMPLIED_BITS)
    }

    #[inline(always)]
    pub(super) fn home(&self, hash: u64) -> usize {
        (hash >> (64 - self.line_bits)) as usize
    }

    #[inline(always)]
    pub(super) fn after(&self, at: usize) -> usize {
        (at + 1) & (self.n_lines() - 1)
    }

    #[inline(always)]
    pub(super) fn line(&self, at: usize) -> &Line {
        debug_assert!(at < self.n_lines());
        // SAFETY: `home`, `after` and loops over `n_lines` stay within the memory, which is aligned to lines, holds
        // zeros or words, and is only accessed as atomic words.
        unsafe { &*self.memory.start().cast::<Line>().add(at) }
    }

    /// The upper half of a word's hash, reconstructed from the word and its line.
    pub(super) fn upper_hash(&self, at: usize, word: u64) -> u64 {
        let tag = word >> PLACE_BITS;
        let home_in_sixteenth = (tag >> (64 - PLACE_BITS - (self.line_bits - IMPLIED_BITS))) as usize;
        let distance = at.wrapping_sub(home_in_sixteenth) & (self.reach() - 1);
        let home = at.wrapping_sub(distance) & (self.n_lines() - 1);
        let implied = (home >> (self.line_bits - IMPLIED_BITS)) as u64;
        (implied << (64 - PLACE_BITS) | tag) << (PLACE_BITS - IMPLIED_BITS)
    }

    /// Puts a word that is not there yet into its place.
    pub(super) fn put(&self, hash: u64, word: u64) -> bool {
        let mut at = self.home(hash);
        for _ in 0..self.reach() {
            let line = self.line(at);
            for slot in line {
                let is_vacant = slot.load(Ordering::Relaxed) == 0;
                if is_vacant && slot.compare_exchange(0, word, Ordering::Relaxed, Ordering::Relaxed).is_ok() {
                    return true;
                }
            }
            at = self.after(at);
        }
        false
    }
}

/// The part of the hash that a word keeps, where the word keeps it.
#[inline(always)]
pub(super) fn tag(hash: u64) -> u64 {
    (hash << IMPLIED_BITS) & !PLACE_MASK
}

/// The place that a word keeps. It counts from one there, so that no word is zero.
#[inline(always)]
pub(super) fn place(word: u64) -> Place {
    Place((word & PLACE_MASK) - 1)
}
