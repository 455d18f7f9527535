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

/// Quotient and remainder as unknowns, and what defines them.
pub(super) fn relation(
    aig: &mut Aig,
    dividend: &[Edge],
    divisor: &[Edge],
    multiplier: Multiplier,
) -> ((Word, Word), Option<Definition>) {
    let width = dividend.len();
    // The lowest and the highest power of two that the divisor may be without being 0 bound the results.
    let n_low = divisor.iter().position(|edge| *edge == Edge::TRUE);
    let n_high = divisor.iter().rposition(|edge| *edge != Edge::FALSE);
    let Some(highest) = n_high else { return ((vec![Edge::TRUE; width], dividend.to_vec()), None) };
    let is_power = highest == n_low.unwrap_or(width) && divisor[highest] == Edge::TRUE;
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
    let (quotient, rest) = (unknown(width - known_top), unknown(highest + 1));
    let defined = quotient.iter().chain(&rest).filter(|edge| edge.value().is_none()).map(|edge| edge.node()).collect();
    // Without overflow: no pair of bits is too far up, and neither the product's next bit nor the sum's carry is set.
    let overflows = multiply::unsigned_overflow(aig, &quotient, divisor, multiplier);
    let product = multiply::product(aig, &quotient, divisor, width + 1, multiplier);
    let (sum, carry) = add::add(aig, &product[..width], &rest, Edge::FALSE);
    let is_sum = add::equal(aig, &sum, dividend);
    let is_less = add::less(aig, &rest, divisor);
    let relation = aig.and_all(&[is_sum, is_less, !overflows, !carry]);
    let is_zero = !aig.or_all(divisor);
    // By 0 the unknowns are 0, so that they are defined there too.
    let nothing = !aig.or_all(&[quotient.as_slice(), rest.as_slice()].concat());
    let holds = aig.ite(is_zero, nothing, relation);
    let quotient = choose(aig, is_zero, &vec![Edge::TRUE; width], &quotient);
    let rest = choose(aig, is_zero, dividend, &rest);
    ((quotient, rest), Some(Definition { defined, holds }))
}
