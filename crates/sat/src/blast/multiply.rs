//! Multipliers: rows added one after the other, or columns compressed by a tree of full adders (Wallace 1964; the order is
//! Dadda's). A constant factor is recoded to signed digits without neighbours (Reitwiesner 1960); a square has half the
//! partial products.

use super::{Multiplier, Word, add, extended, sign};
use crate::aig::{Aig, Edge};

/// The lowest bits of the product of two words of one width.
pub(super) fn product(aig: &mut Aig, one: &[Edge], other: &[Edge], width: usize, multiplier: Multiplier) -> Word {
    // In either order it is one circuit.
    let (one, other) = if other < one { (other, one) } else { (one, other) };
    let (one, other) = (extended(one, width, Edge::FALSE), extended(other, width, Edge::FALSE));
    if let Some(digits) = signed_digits(&other) {
        return by_constant(aig, &one, &digits);
    }
    if let Some(digits) = signed_digits(&one) {
        return by_constant(aig, &other, &digits);
    }
    if one == other {
        let columns = square_columns(aig, &one);
        return compressed(aig, columns);
    }
    match multiplier {
        Multiplier::Array => by_rows(aig, &one, &other),
        Multiplier::Tree => {
            let columns = product_columns(aig, &one, &other);
            compressed(aig, columns)
        }
    }
}

/// Digits -1, 0 and 1 of a constant, lowest first, no two neighbours of which are not 0.
fn signed_digits(word: &[Edge]) -> Option<Vec<i8>> {
    let bits: Vec<bool> = word.iter().map(|edge| edge.value()).collect::<Option<_>>()?;
    let bit = |at: usize| bits.get(at).is_some_and(|bit| *bit);
    let mut carry = false;
    let mut digits = Vec::new();
    for at in 0..bits.len() {
        let digit;
        (digit, carry) = match (bit(at), carry) {
            (false, false) => (0, false),
            (true, true) => (0, true),
            // A run of ones begins: take one away here, and add one behind the run.
            (true, false) | (false, true) if bit(at + 1) => (-1, true),
            (true, false) | (false, true) => (1, false),
        };
        digits.push(digit);
    }
    Some(digits)
}

fn by_constant(aig: &mut Aig, word: &[Edge], digits: &[i8]) -> Word {
    let width = word.len();
    let mut sum = vec![Edge::FALSE; width];
    for (at, digit) in digits.iter().enumerate().filter(|(_, digit)| **digit != 0) {
        let shifted: Word =
            (0..width).map(|position| position.checked_sub(at).map_or(Edge::FALSE, |from| word[from])).collect();
        sum =
            if *digit > 0 { add::add(aig, &sum, &shifted, Edge::FALSE).0 } else { add::subtract(aig, &sum, &shifted) };
    }
    sum
}

fn by_rows(aig: &mut Aig, one: &[Edge], other: &[Edge]) -> Word {
    let width = one.len();
    let mut sum = vec![Edge::FALSE; width];
    for (at, factor) in other.iter().enumerate() {
        if *factor == Edge::FALSE {
            continue;
        }
        let row: Word = one[..width - at].iter().map(|edge| aig.and(*edge, *factor)).collect();
        let upper = add::add(aig, &sum[at..], &row, Edge::FALSE).0;
        sum.truncate(at);
        sum.extend(upper);
    }
    sum
}

/// Partial products by their weight.
fn product_columns(aig: &mut Aig, one: &[Edge], other: &[Edge]) -> Vec<Word> {
    let width = one.len();
    let mut columns = vec![Word::new(); width];
    for (at, factor) in other.iter().enumerate() {
        for (position, edge) in one[..width - at].iter().enumerate() {
            columns[at + position].push(aig.and(*edge, *factor));
        }
    }
    columns
}

/// Partial products of a square: each pair of different bits occurs twice, so once with the double weight.
fn square_columns(aig: &mut Aig, word: &[Edge]) -> Vec<Word> {
    let width = word.len();
    let mut columns = vec![Word::new(); width];
    for (at, edge) in word.iter().enumerate() {
        if 2 * at < width {
            columns[2 * at].push(*edge);
        }
        for (below, other) in word[..at].iter().enumerate().take_while(|(below, _)| at + below + 1 < width) {
            columns[at + below + 1].push(aig.and(*edge, *other));
        }
    }
    columns
}

/// The sum of columns of bits, modulo as many bits as there are columns.
pub(super) fn compressed(aig: &mut Aig, mut columns: Vec<Word>) -> Word {
    let width = columns.len();
    for at in 0..width {
        // A queue: what was made last is added last, so that the tree is balanced.
        let mut next = 0;
        columns[at].retain(|edge| *edge != Edge::FALSE);
        while columns[at].len() - next > 2 {
            let [a, b, c] = [0, 1, 2].map(|offset| columns[at][next + offset]);
            next += 3;
            let half = aig.xor(a, b);
            let sum = aig.xor(half, c);
            columns[at].push(sum);
            if at + 1 < width {
                let carry = aig.majority(a, b, c);
                columns[at + 1].push(carry);
            }
        }
        columns[at].drain(..next);
    }
    let row = |number: usize| -> Word {
        columns.iter().map(|column| column.get(number).copied().unwrap_or(Edge::FALSE)).collect()
    };
    let (first, second) = (row(0), row(1));
    add::add(aig, &first, &second, Edge::FALSE).0
}

/// Whether the product without signs needs more bits: a pair of bits whose weights alone are too much, or else bit `n` of
/// a product of `n + 1` bits (Gök, Schulte and Balzola 2001).
pub(super) fn unsigned_overflow(aig: &mut Aig, one: &[Edge], other: &[Edge], multiplier: Multiplier) -> Edge {
    let width = one.len();
    let has_far_pair = far_pair(aig, one, other, width);
    let product = product(aig, one, other, width + 1, multiplier);
    aig.or(has_far_pair, product[width])
}

/// Whether the product with signs needs more bits; bits that differ from the sign take the place of ones.
pub(super) fn signed_overflow(aig: &mut Aig, one: &[Edge], other: &[Edge], multiplier: Multiplier) -> Edge {
    let width = one.len();
    let magnitude = |aig: &mut Aig, word: &[Edge]| -> Word {
        word[..width - 1].iter().map(|edge| aig.xor(*edge, sign(word))).collect()
    };
    let (left, right) = (magnitude(aig, one), magnitude(aig, other));
    let has_far_pair = far_pair(aig, &left, &right, width - 1);
    let (one, other) = (extended(one, width + 1, sign(one)), extended(other, width + 1, sign(other)));
    let product = product(aig, &one, &other, width + 1, multiplier);
    let does_differ = aig.xor(product[width], product[width - 1]);
    aig.or(has_far_pair, does_differ)
}

/// Whether a one of weight `2^i` in the first word and a one of weight `2^j` in the second have `i + j >= limit`.
fn far_pair(aig: &mut Aig, one: &[Edge], other: &[Edge], limit: usize) -> Edge {
    let mut any_above = Edge::FALSE;
    let mut pairs = Word::new();
    let mut considered = other.len();
    for (at, edge) in one.iter().enumerate() {
        while considered > 0 && considered - 1 + at >= limit {
            considered -= 1;
            any_above = aig.or(any_above, other[considered]);
        }
        pairs.push(aig.and(*edge, any_above));
    }
    aig.or_all(&pairs)
}
