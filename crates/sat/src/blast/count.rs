//! Counting bits: zeros at an end from a one-hot position, ones by a tree of full adders.

use super::{Word, extended, multiply};
use crate::aig::{Aig, Edge};

/// Zeros below the lowest one, in the same width; all of them for 0.
pub(super) fn trailing_zeros(aig: &mut Aig, word: &[Edge]) -> Word {
    let mut none_below = Edge::TRUE;
    let mut is_here: Word = Word::new();
    for edge in word {
        is_here.push(aig.and(none_below, *edge));
        none_below = aig.and(none_below, !*edge);
    }
    is_here.push(none_below);
    (0..word.len())
        .map(|position| {
            let has_bit = |count: &usize| position < usize::BITS as usize && count >> position & 1 == 1;
            let places: Word = (0..is_here.len()).filter(has_bit).map(|count| is_here[count]).collect();
            aig.or_all(&places)
        })
        .collect()
}

/// How many bits are set, in the same width. One bit counts itself, and a count fits any larger width.
pub(super) fn ones(aig: &mut Aig, word: &[Edge]) -> Word {
    let n_digits = (usize::BITS - word.len().leading_zeros()) as usize;
    let mut columns = vec![Word::new(); n_digits];
    columns[0] = word.to_vec();
    let count = multiply::compressed(aig, columns);
    extended(&count, word.len(), Edge::FALSE)
}
