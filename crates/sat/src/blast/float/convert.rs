//! Conversions between formats, and between floats and integers.

use unpick_term::FpFormat;

use super::round::{Mode, round};
use super::unpack::{constant, exponent_width, normalised};
use super::{Number, Special, unpack};
use crate::aig::{Aig, Edge};
use crate::blast::{Word, add, choose, extended, shift, sign};

/// A float in another format. The upper bits of a NaN's fraction are kept.
pub(super) fn format(aig: &mut Aig, from: FpFormat, to: FpFormat, mode: &Mode, operand: &[Edge]) -> Word {
    let number = unpack(aig, from, operand);
    let rounded = round(aig, to, mode, number.sign, &number.exponent, &number.significand);
    let (old, new) = (from.stored() as usize, to.stored() as usize);
    let fraction: Word =
        (0..new).map(|at| (at + old).checked_sub(new).map_or(Edge::FALSE, |place| operand[place])).collect();
    let exponent = vec![Edge::TRUE; usize::from(to.exponent)];
    let bits = [fraction, exponent, vec![number.sign]].concat();
    let special = Special { nan: number.nan, infinite: number.infinite, zero: number.zero, sign: number.sign };
    special.or(aig, to, &[&Number { bits, ..number }], &rounded)
}

/// An integer as a float; the sign says whether it is taken as negative.
pub(super) fn from_integer(aig: &mut Aig, format: FpFormat, mode: &Mode, operand: &[Edge], sign_bit: Edge) -> Word {
    let negated = add::negate(aig, operand);
    let magnitude = choose(aig, sign_bit, &negated, operand);
    let (significand, n_shifted) = normalised(aig, &magnitude);
    let width = n_shifted.len() + 2;
    let highest = i32::try_from(operand.len() - 1).expect("integers should be short");
    let exponent = add::subtract(aig, &constant(highest, width), &extended(&n_shifted, width, Edge::FALSE));
    let rounded = round(aig, format, mode, sign_bit, &exponent, &significand);
    let zero = !aig.or_all(operand);
    let special = Special { nan: Edge::FALSE, infinite: Edge::FALSE, zero, sign: sign_bit };
    special.or(aig, format, &[], &rounded)
}

/// The magnitude rounded to an integer of some bits, and whether it is larger than that before rounding.
fn rounded_magnitude(aig: &mut Aig, number: &Number, mode: &Mode, n_bits: usize) -> (Word, Edge) {
    let precision = number.significand.len();
    // Wide enough for the largest shift, and for the exponent itself.
    let width = number.exponent.len().max((usize::BITS - (n_bits + 2).leading_zeros()) as usize + 2);
    let exponent = extended(&number.exponent, width, sign(&number.exponent));
    // Below one half the whole number is behind the two digits that matter.
    let amount = add::add(aig, &exponent, &constant(1, width), Edge::FALSE).0;
    let is_tiny = sign(&amount);
    let limit = constant(i32::try_from(n_bits).expect("integers should be short"), width);
    let is_large = add::less_signed(aig, &limit, &amount);
    let fixed = extended(&number.significand, precision + n_bits + 1, Edge::FALSE);
    let moved = shift::left(aig, &fixed, &amount);
    let any = aig.or_all(&number.significand);
    let tiny = extended(&[any], fixed.len(), Edge::FALSE);
    let placed = choose(aig, is_tiny, &tiny, &moved);
    let (integer, half) = (&placed[precision..], placed[precision - 1]);
    let rest = aig.or_all(&placed[..precision - 1]);
    let goes_up = mode.goes_up(aig, number.sign, integer[0], half, rest);
    let zeros = vec![Edge::FALSE; integer.len()];
    (add::add(aig, integer, &zeros, goes_up).0, is_large)
}

/// A float rounded to an integer of some bits, and whether it fits. What does not fit is the least signed number, or the
/// greatest unsigned one.
pub(super) fn to_integer(
    aig: &mut Aig,
    format: FpFormat,
    mode: &Mode,
    operand: &[Edge],
    width: usize,
    is_signed: bool,
) -> (Word, Edge) {
    let number = unpack(aig, format, operand);
    let (magnitude, is_large) = rounded_magnitude(aig, &number, mode, width);
    let low = &magnitude[..width];
    let is_above = aig.or(magnitude[width], is_large);
    let any = aig.or_all(low);
    let is_outside = match is_signed {
        // The least number has no counterpart.
        true => {
            let any_below_sign = aig.or_all(&low[..width - 1]);
            let is_least = aig.and(number.sign, !any_below_sign);
            let is_too_far = aig.and(low[width - 1], !is_least);
            aig.or(is_above, is_too_far)
        }
        false => {
            let is_negative = aig.and(number.sign, any);
            aig.or(is_above, is_negative)
        }
    };
    // Zero is not normalised: its exponent means nothing.
    let is_wrong = aig.and(is_outside, !number.zero);
    let fits = !aig.or_all(&[is_wrong, number.nan, number.infinite]);
    let negated = add::negate(aig, low);
    let value = choose(aig, number.sign, &negated, low);
    let value: Word = value.iter().map(|edge| aig.and(*edge, !number.zero)).collect();
    let otherwise: Word = (0..width).map(|at| Edge::constant(!is_signed || at + 1 == width)).collect();
    (choose(aig, fits, &value, &otherwise), fits)
}

/// A float rounded to an integral value of the same format.
pub(super) fn integral(aig: &mut Aig, format: FpFormat, mode: &Mode, operand: &[Edge]) -> Word {
    let number = unpack(aig, format, operand);
    let precision = usize::from(format.precision);
    // From here on every float is integral.
    let highest = i32::from(format.precision) - 1;
    let width = exponent_width(format) + 1;
    let exponent = extended(&number.exponent, width, sign(&number.exponent));
    let is_below = add::less_signed(aig, &exponent, &constant(highest, width));
    let (magnitude, _) = rounded_magnitude(aig, &number, mode, precision);
    let (significand, n_shifted) = normalised(aig, &magnitude);
    let width = n_shifted.len() + 2;
    let top = i32::try_from(magnitude.len() - 1).expect("significands should be short");
    let exponent = add::subtract(aig, &constant(top, width), &extended(&n_shifted, width, Edge::FALSE));
    let rounded = round(aig, format, mode, number.sign, &exponent, &significand);
    let is_zero = !aig.or_all(&magnitude);
    let finite = choose(aig, is_below, &rounded, operand);
    let zero = {
        let becomes_zero = aig.and(is_below, is_zero);
        aig.or(number.zero, becomes_zero)
    };
    let special = Special { nan: number.nan, infinite: number.infinite, zero, sign: number.sign };
    special.or(aig, format, &[&number], &finite)
}
