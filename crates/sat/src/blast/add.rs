//! Adders and comparators: ripple carry, whose carries are majorities, which the clauses know as a gate.

use super::{Word, sign};
use crate::aig::{Aig, Edge};

/// The sum, and the carry out of its highest bit.
pub(super) fn add(aig: &mut Aig, one: &[Edge], other: &[Edge], carry: Edge) -> (Word, Edge) {
    let mut carry = carry;
    let mut sum = Word::with_capacity(one.len());
    for (one, other) in one.iter().zip(other) {
        let half = aig.xor(*one, *other);
        sum.push(aig.xor(half, carry));
        carry = aig.majority(*one, *other, carry);
    }
    (sum, carry)
}

/// The difference.
pub(super) fn subtract(aig: &mut Aig, one: &[Edge], other: &[Edge]) -> Word {
    let other: Word = other.iter().map(|edge| !*edge).collect();
    add(aig, one, &other, Edge::TRUE).0
}

/// The number with the other sign.
pub(super) fn negate(aig: &mut Aig, word: &[Edge]) -> Word {
    let zeros = vec![Edge::FALSE; word.len()];
    subtract(aig, &zeros, word)
}

/// Whether both are the same.
pub(super) fn equal(aig: &mut Aig, one: &[Edge], other: &[Edge]) -> Edge {
    let equal: Word = one.iter().zip(other).map(|(one, other)| aig.equal(*one, *other)).collect();
    aig.and_all(&equal)
}

/// Whether the first is smaller, without signs: the borrow of the difference.
pub(super) fn less(aig: &mut Aig, one: &[Edge], other: &[Edge]) -> Edge {
    one.iter().zip(other).fold(Edge::FALSE, |less, (one, other)| aig.majority(!*one, *other, less))
}

/// Whether the first is smaller, with signs.
pub(super) fn less_signed(aig: &mut Aig, one: &[Edge], other: &[Edge]) -> Edge {
    let below = |word: &[Edge]| word[..word.len() - 1].to_vec();
    let less = less(aig, &below(one), &below(other));
    aig.majority(sign(one), !sign(other), less)
}
