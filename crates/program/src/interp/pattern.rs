//! Numbers with some known bits (`x & mask == value`), counted and searched without enumeration.
//!
//! In ascending order the numbers of a pattern are those whose free bits, put together, count 0, 1, 2, and so on. So the
//! rank of a number is what its free bits say (a parallel extract), and the number of a rank is its bits dealt out to the
//! free places (a parallel deposit); Warren, *Hacker's Delight*, 7-4 and 7-5. Negative numbers have infinitely many ones in
//! front; adding a large power of two makes them positive and leaves all bits of a mask as they are.

/// Numbers with these bits. Masks have at most 64 bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub(crate) struct Pattern {
    mask: u128,
    value: u128,
}

/// More than the magnitude of every number, and a multiple of every mask's highest bit.
const SHIFT: i128 = 1 << 100;

impl Pattern {
    /// Every number.
    pub(crate) const NONE: Pattern = Pattern { mask: 0, value: 0 };

    /// The numbers with the bits of `value` where `mask` has ones.
    pub(crate) fn new(mask: u128, value: u128) -> Pattern {
        debug_assert!(mask >> 64 == 0, "a mask should have at most 64 bits");
        Pattern { mask, value: value & mask }
    }

    pub(crate) fn is_none(self) -> bool {
        self.mask == 0
    }

    /// Numbers with both patterns; `None` if there are none.
    pub(crate) fn and(self, other: Pattern) -> Option<Pattern> {
        let is_same = (self.value ^ other.value) & self.mask & other.mask == 0;
        is_same.then_some(Pattern { mask: self.mask | other.mask, value: self.value | other.value })
    }

    pub(crate) fn contains(self, number: i128) -> bool {
        number as u128 & self.mask == self.value
    }

    /// The first number of the pattern that is not below another one.
    pub(crate) fn at_least(self, number: i128) -> i128 {
        self.of_rank(self.n_below(number))
    }

    /// The last number of the pattern that is not above another one.
    pub(crate) fn at_most(self, number: i128) -> i128 {
        self.of_rank(self.n_below(number + 1) - 1)
    }

    /// The rank of a number of the pattern, counted from somewhere below all numbers that occur.
    pub(crate) fn rank(self, number: i128) -> u128 {
        extract((number + SHIFT) as u128, !self.mask)
    }

    /// The number of a rank.
    pub(crate) fn of_rank(self, rank: u128) -> i128 {
        (deposit(rank, !self.mask) | self.value) as i128 - SHIFT
    }

    /// How many numbers of the pattern lie below.
    fn n_below(self, number: i128) -> u128 {
        let bits = (number + SHIFT) as u128;
        let wrong = (bits ^ self.value) & self.mask;
        if wrong == 0 {
            return extract(bits, !self.mask);
        }
        // Numbers that begin like this one are all below it, or none is: the highest wrong bit decides.
        let highest = 1u128 << (127 - wrong.leading_zeros());
        let first = extract(bits & !(highest - 1), !self.mask);
        match bits & highest {
            0 => first,
            _ => first + (1 << (!self.mask & (highest - 1)).count_ones()),
        }
    }

    /// Appends bytes that determine the pattern.
    pub(crate) fn encode(self, out: &mut Vec<u8>) {
        if !self.is_none() {
            out.extend_from_slice(&(self.mask as u64).to_le_bytes());
            out.extend_from_slice(&(self.value as u64).to_le_bytes());
        }
    }
}

/// The bits at the places, put together.
fn extract(bits: u128, places: u128) -> u128 {
    let (mut result, mut left, mut at) = (0, places, 0);
    while left != 0 && bits >> left.trailing_zeros() != 0 {
        result |= (bits >> left.trailing_zeros() & 1) << at;
        left &= left - 1;
        at += 1;
    }
    result
}

/// The low bits, dealt out to the places.
fn deposit(mut bits: u128, places: u128) -> u128 {
    let (mut result, mut left) = (0, places);
    while left != 0 && bits != 0 {
        result |= (bits & 1) << left.trailing_zeros();
        left &= left - 1;
        bits >>= 1;
    }
    result
}
