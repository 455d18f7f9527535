//! Quotienting hash table (Cleary 1984, "Compact hash tables using bidirectional linear probing"), lock-free: only
//! those bits of a number are stored that its position does not tell.
//!
//! A number of k bits is permuted, so that its bits are evenly spread and nothing is lost. The upper bits choose a line
//! of the table; only the lower bits are stored, together with the distance in lines from home (in place of Cleary's
//! marks, so that one compare-and-swap is enough). A word of four bytes then holds a number of 50 bits in a table of 64
//! million. If the lower bits are too many, words have eight bytes.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use crate::StoreFull;
use crate::memory::{Allowance, Region, prefetch};

const LINE_BYTES: usize = 64;
/// Bits of a word that count lines from home, from one, so that no word is zero.
const DISTANCE_BITS: u32 = 4;
/// How many lines are searched.
const REACH: usize = (1 << DISTANCE_BITS) - 1;

/// Shape of a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Shape {
    pub(crate) line_bits: u32,
    /// Numbers are below two to this power.
    pub(crate) key_bits: u32,
}

/// The table; see the module.
pub(crate) struct Quotient {
    region: Region,
    shape: Shape,
}

/// The result of putting a number into the table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Put {
    /// It was not in the table and is now in this slot.
    Fresh(u64),
    /// It was in this slot.
    Known(u64),
    /// It is not in the table and cannot be: all lines within reach of its home are full.
    NoRoom,
}

impl Shape {
    pub(crate) fn is_wide(self) -> bool {
        self.key_bits > self.line_bits + 32 - DISTANCE_BITS
    }

    pub(crate) fn bytes(self) -> usize {
        LINE_BYTES << self.line_bits
    }

    pub(crate) fn n_slots(self) -> u64 {
        (self.bytes() / if self.is_wide() { 8 } else { 4 }) as u64
    }

    /// Bits of a number that are stored.
    #[inline(always)]
    fn rest_bits(self) -> u32 {
        self.key_bits - self.line_bits
    }
}

impl Quotient {
    pub(crate) fn new(allowance: &Allowance, shape: Shape) -> Result<Self, StoreFull> {
        debug_assert!(shape.line_bits >= DISTANCE_BITS && shape.key_bits <= 64 && shape.key_bits >= shape.line_bits);
        Ok(Self { region: allowance.region(shape.bytes())?, shape })
    }

    /// The smallest table, for a store whose limit allows none.
    pub(crate) fn smallest() -> Self {
        let shape = Shape { line_bits: DISTANCE_BITS, key_bits: 64 };
        Self { region: Region::new(shape.bytes()).expect("a page of memory should be there"), shape }
    }

    pub(crate) fn shape(&self) -> Shape {
        self.shape
    }

    pub(crate) fn n_lines(&self) -> usize {
        1 << self.shape.line_bits
    }

    /// Hands the memory back; the table then looks vacant.
    pub(crate) fn discard(&self, allowance: &Allowance) {
        self.region.discard();
        allowance.give_back(self.region.len() as u64);
    }

    #[inline(always)]
    pub(crate) fn prefetch(&self, key: u64) {
        self.prefetch_permuted(self.permuted(key));
    }

    /// Puts a number of `key_bits` bits into the table.
    #[inline]
    pub(crate) fn put(&self, key: u64) -> Put {
        self.put_permuted(self.permuted(key))
    }

    /// The permuted number; the same in all tables with as many key bits.
    #[inline(always)]
    pub(crate) fn permuted(&self, key: u64) -> u64 {
        permute(key, self.shape.key_bits)
    }

    /// The number with this permuted form.
    pub(crate) fn unpermuted(&self, permuted: u64) -> u64 {
        unpermute(permuted, self.shape.key_bits)
    }

    #[inline(always)]
    pub(crate) fn prefetch_permuted(&self, permuted: u64) {
        let home = permuted.checked_shr(self.shape.rest_bits()).unwrap_or(0);
        prefetch(self.region.start().wrapping_add(home as usize * LINE_BYTES));
    }

    /// Puts a permuted number into the table.
    #[inline]
    pub(crate) fn put_permuted(&self, permuted: u64) -> Put {
        if self.shape.is_wide() { self.put_as::<AtomicU64>(permuted) } else { self.put_as::<AtomicU32>(permuted) }
    }

    /// The number in a slot, if there is one.
    pub(crate) fn key(&self, slot: u64) -> Option<u64> {
        if self.shape.is_wide() { self.key_as::<AtomicU64>(slot) } else { self.key_as::<AtomicU32>(slot) }
    }

    /// Calls back with every permuted number in these lines.
    pub(crate) fn all_permuted(&self, lines: std::ops::Range<usize>, each: impl FnMut(u64)) {
        match self.shape.is_wide() {
            true => self.all_permuted_as::<AtomicU64>(lines, each),
            false => self.all_permuted_as::<AtomicU32>(lines, each),
        }
    }

    fn all_permuted_as<C: Cell>(&self, lines: std::ops::Range<usize>, mut each: impl FnMut(u64)) {
        for at in lines {
            for cell in self.line::<C>(at) {
                let word = cell.load();
                if word != 0 {
                    each(self.permuted_at(at, word));
                }
            }
        }
    }

    /// The permuted number of a word in a line.
    #[inline(always)]
    fn permuted_at(&self, at: usize, word: u64) -> u64 {
        let rest_bits = self.shape.rest_bits();
        let distance = (word >> rest_bits) as usize - 1;
        let home = at.wrapping_sub(distance) & (self.n_lines() - 1);
        (home as u64) << rest_bits | word & mask(rest_bits)
    }

    #[inline(always)]
    fn put_as<C: Cell>(&self, permuted: u64) -> Put {
        let rest_bits = self.shape.rest_bits();
        let mut at = if rest_bits == 64 { 0 } else { (permuted >> rest_bits) as usize };
        let rest = permuted & mask(rest_bits);
        for distance in 1..=REACH as u64 {
            let line = self.line::<C>(at);
            let word = distance << rest_bits | rest;
            for step in 0..C::SLOTS {
                let index = (rest as usize).wrapping_add(step) % C::SLOTS;
                let mut found = line[index].load();
                if found == 0 {
                    match line[index].claim(word) {
                        Ok(()) => return Put::Fresh((at * C::SLOTS + index) as u64),
                        Err(theirs) => found = theirs,
                    }
                }
                if found == word {
                    return Put::Known((at * C::SLOTS + index) as u64);
                }
            }
            at = (at + 1) & (self.n_lines() - 1);
        }
        Put::NoRoom
    }

    fn key_as<C: Cell>(&self, slot: u64) -> Option<u64> {
        let at = slot as usize / C::SLOTS;
        if at >= self.n_lines() {
            return None;
        }
        let word = self.line::<C>(at)[slot as usize % C::SLOTS].load();
        (word != 0).then(|| self.unpermuted(self.permuted_at(at, word)))
    }

    #[inline(always)]
    fn line<C: Cell>(&self, at: usize) -> &[C] {
        debug_assert!(at < self.n_lines());
        // SAFETY: callers keep `at` below the number of lines; the region is aligned to lines and is only ever
        // accessed as atomic words of the one size that the shape has.
        unsafe { std::slice::from_raw_parts(self.region.start().add(at * LINE_BYTES).cast(), C::SLOTS) }
    }
}

/// An atomic word of either size.
trait Cell {
    const SLOTS: usize;
    fn load(&self) -> u64;
    /// Writes the word if the cell is vacant; otherwise the word that is there.
    fn claim(&self, word: u64) -> Result<(), u64>;
}

impl Cell for AtomicU32 {
    const SLOTS: usize = LINE_BYTES / 4;

    #[inline(always)]
    fn load(&self) -> u64 {
        AtomicU32::load(self, Ordering::Acquire).into()
    }

    #[inline(always)]
    fn claim(&self, word: u64) -> Result<(), u64> {
        self.compare_exchange(0, word as u32, Ordering::AcqRel, Ordering::Acquire).map(|_| ()).map_err(u64::from)
    }
}

impl Cell for AtomicU64 {
    const SLOTS: usize = LINE_BYTES / 8;

    #[inline(always)]
    fn load(&self) -> u64 {
        AtomicU64::load(self, Ordering::Acquire)
    }

    #[inline(always)]
    fn claim(&self, word: u64) -> Result<(), u64> {
        self.compare_exchange(0, word, Ordering::AcqRel, Ordering::Acquire).map(|_| ())
    }
}

const MULTIPLIERS: [u64; 2] = [0x9E37_79B9_7F4A_7C15, 0xD6E8_FEB8_6659_FD93];

/// A permutation of the numbers of this many bits whose upper bits depend on all bits.
#[inline(always)]
fn permute(key: u64, bits: u32) -> u64 {
    let (half, mask) = (bits.div_ceil(2), mask(bits));
    debug_assert!(key & !mask == 0);
    let mut x = key;
    for multiplier in MULTIPLIERS {
        x ^= x >> half;
        x = x.wrapping_mul(multiplier) & mask;
    }
    x ^ x >> half
}

fn unpermute(permuted: u64, bits: u32) -> u64 {
    let (half, mask) = (bits.div_ceil(2), mask(bits));
    // Shifted by at least half of the bits, this undoes itself.
    let mut x = permuted ^ permuted >> half;
    for multiplier in MULTIPLIERS.into_iter().rev() {
        x = x.wrapping_mul(inverse(multiplier)) & mask;
        x ^= x >> half;
    }
    x
}

/// Of an odd number, modulo two to the 64th.
const fn inverse(odd: u64) -> u64 {
    // Newton: each round doubles the number of correct bits, three at first.
    let mut x = odd;
    let mut round = 0;
    while round < 5 {
        x = x.wrapping_mul(2u64.wrapping_sub(odd.wrapping_mul(x)));
        round += 1;
    }
    x
}

#[inline(always)]
fn mask(bits: u32) -> u64 {
    if bits >= 64 { u64::MAX } else { (1 << bits) - 1 }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_permutation_is_undone(key: u64, bits in 2u32..=64) {
            let key = key & mask(bits);
            prop_assert_eq!(unpermute(permute(key, bits), bits), key);
        }

        #[test]
        fn agrees_with_a_map(
            keys in prop::collection::vec(any::<u64>(), 0..400),
            line_bits in 4u32..8,
            key_bits in 9u32..=64,
        ) {
            let table = Quotient::new(&Allowance::new(None), Shape { line_bits, key_bits }).unwrap();
            let mut map = HashMap::new();
            for key in keys.iter().map(|key| key & mask(key_bits)) {
                match (table.put(key), map.get(&key)) {
                    (Put::Fresh(slot), None) => {
                        prop_assert_eq!(table.key(slot), Some(key));
                        map.insert(key, Some(slot));
                    }
                    (Put::Known(slot), Some(known)) => prop_assert_eq!(Some(slot), *known),
                    (Put::NoRoom, None) => {
                        map.insert(key, None);
                    }
                    (Put::NoRoom, Some(None)) => {}
                    other => prop_assert!(false, "{other:?}"),
                }
            }
            let mut all = Vec::new();
            table.all_permuted(0..table.n_lines(), |permuted| all.push(table.unpermuted(permuted)));
            all.sort_unstable();
            let mut expected: Vec<_> = map.iter().filter(|(_, slot)| slot.is_some()).map(|(key, _)| *key).collect();
            expected.sort_unstable();
            prop_assert_eq!(all, expected);
        }
    }

    #[test]
    fn most_of_a_table_can_be_filled() {
        for key_bits in [20, 36, 40, 64] {
            let shape = Shape { line_bits: 8, key_bits };
            let table = Quotient::new(&Allowance::new(None), shape).unwrap();
            let n_slots = shape.n_slots();
            let n_put = (0..n_slots).filter(|n| matches!(table.put(n * 3), Put::Fresh(_))).count();
            assert!(n_put as u64 > n_slots / 100 * 97, "{n_put} of {n_slots} with {key_bits} bits");
        }
    }
}
