//! Dividers: the restoring array, and the relation `n = d * q + r`, `r < d`. By 0 the quotient is all ones and the
//! remainder the dividend.

use super::{Definition, Multiplier, Word, add, choose, extended, multiply};
use crate::aig::{Aig, Edge};

/// Quotient and remainder, bit by bit from the top: subtract where it goes.
pub(super) fn restoring(aig: &mut Aig, dividend: &[Edge], divisor: &[Edge]) -> (Word, Word) {
    let width = dividend.len();
    let mut rest = vec![Edge::FALSE; width];
    let mut quotient = vec![Edge::FALSE; width];
    for at in (0..width).rev() {
        // One bit more while comparing.
        let mut wide = vec![dividend[at]];
        wide.extend(&rest);
        let inverted: Word = extended(divisor, width + 1, Edge::FALSE).iter().map(|edge| !*edge).collect();
        let (difference, goes) = add::add(aig, &wide, &inverted, Edge::TRUE);
        rest = choose(aig, goes, &difference[..width], &wide[..width]);
        quotient[at] = goes;
    }
    // By 0 everything goes and nothing is taken away, which is what is wanted.
    (quotient, rest)
}

/// Quotient and remainder as unknowns, and what defines them. Whoever multiplies them again gets the circuit that is here.
pub(super) fn relation(
    aig: &mut Aig,
    dividend: &[Edge],
    divisor: &[Edge],
    multiplier: Multiplier,
) -> ((Word, Word), Option<Definition>) {
    let width = dividend.len();
    // The lowest and the highest bit that the divisor may have.
    let mut open = (0..width).filter(|at| divisor[*at] != Edge::FALSE);
    let Some(lowest) = open.next() else { return ((vec![Edge::TRUE; width], dividend.to_vec()), None) };
    let highest = open.next_back().unwrap_or(lowest);
    let is_power = lowest == highest && divisor[highest] == Edge::TRUE;
    if is_power {
        let quotient = extended(&dividend[highest..], width, Edge::FALSE);
        let rest = extended(&dividend[..highest], width, Edge::FALSE);
        return ((quotient, rest), None);
    }
    let known_top = if divisor[highest] == Edge::TRUE { highest } else { 0 };
    let mut unknown = |n_bits: usize| {
        let word: Word = (0..n_bits).map(|_| aig.input()).collect();
        extended(&word, width, Edge::FALSE)
    };
    let (quotient, bounded) = (unknown(width - known_top), unknown(highest + 1));
    let defined =
        quotient.iter().chain(&bounded).filter(|edge| edge.value().is_none()).map(|edge| edge.node()).collect();
    // By 0 the remainder is the dividend, which the bound on it may be too narrow for.
    let is_zero = !aig.or_all(divisor);
    let is_narrow = highest + 1 < width && is_zero != Edge::FALSE;
    let rest = if is_narrow { choose(aig, is_zero, dividend, &bounded) } else { bounded.clone() };
    // Without overflow: no pair of bits is too far up, and neither the product's next bit nor the sum's carry is set.
    let overflows = multiply::unsigned_overflow(aig, &quotient, divisor, multiplier);
    let product = multiply::product(aig, &quotient, divisor, width + 1, multiplier);
    let (sum, carry) = add::add(aig, &product[..width], &rest, Edge::FALSE);
    let is_sum = add::equal(aig, &sum, dividend);
    // By 0 the relation leaves the quotient open, and unknowns that are not used.
    let (is_less, is_full) = (add::less(aig, &rest, divisor), aig.and_all(&quotient));
    let is_unused = if is_narrow { !aig.or_all(&bounded) } else { Edge::TRUE };
    let is_pinned = aig.and(is_full, is_unused);
    let is_bounded = aig.ite(is_zero, is_pinned, is_less);
    let holds = aig.and_all(&[is_sum, !overflows, !carry, is_bounded]);
    ((quotient, rest), Some(Definition { defined, holds }))
}
