//! Square roots, correctly rounded: the integer root of the significand with enough zeros behind it, and whether it is exact.

use rustc_apfloat::Round;

use super::{default_nan, infinity};
use crate::bits::mask;
use crate::float::FpFormat;

/// The root of a number that is no NaN.
pub fn square_root(format: FpFormat, bits: u128, mode: Round) -> u128 {
    let magnitude = bits & mask(format.width() - 1);
    let is_negative = bits != magnitude;
    if magnitude == 0 || bits == infinity(format) {
        return bits;
    }
    if is_negative {
        return default_nan(format);
    }
    let precision = u32::from(format.precision);
    let field = (magnitude >> format.stored()) as i32;
    let stored = magnitude & mask(format.stored());
    let leading = if field == 0 || format.is_leading_stored { 0 } else { 1 << (precision - 1) };
    let significand = stored | leading;
    if significand == 0 {
        // An x87 pattern with an exponent but no digit; its value is 0.
        return 0;
    }
    // The value is significand * 2^exponent.
    let exponent = field.max(1) - format.bias() - (precision as i32 - 1);
    let shift = significand.leading_zeros() - (128 - precision);
    let (significand, exponent) = (significand << shift, exponent - shift as i32);
    let odd = exponent.rem_euclid(2);
    let (root, is_exact) = integer_root(significand << odd, precision + 3 - (precision + 3) % 2);
    let scale = (precision + 3 - (precision + 3) % 2) as i32;
    // The root is root * 2^((exponent - odd - scale) / 2), with some bits more than fit.
    let exponent = (exponent - odd - scale) / 2;
    let extra = 128 - root.leading_zeros() - precision;
    let field = exponent + extra as i32 + format.bias() + precision as i32 - 1;
    // Of formats with two bits of exponent, roots may be subnormal: then more bits are lost.
    let extra = extra + (1 - field).max(0) as u32;
    let field = field.max(1);
    let (kept, rest) = (root >> extra, root & mask(extra));
    let half = 1u128 << (extra - 1);
    let is_up = match mode {
        Round::NearestTiesToEven => rest > half || rest == half && (!is_exact || kept & 1 == 1),
        Round::NearestTiesToAway => rest >= half,
        Round::TowardPositive => rest > 0 || !is_exact,
        Round::TowardNegative | Round::TowardZero => false,
    };
    let rounded = kept + u128::from(is_up);
    // All ones rounded up is the next power of two.
    let (rounded, field) = if rounded >> precision == 1 { (rounded >> 1, field + 1) } else { (rounded, field) };
    let is_subnormal = rounded >> (precision - 1) == 0;
    let field = if is_subnormal { 0 } else { field as u128 };
    field << format.stored() | rounded & mask(format.stored())
}

/// The integer root of `value * 2^zeros`, and whether it is exact; digit by digit, so that no square is ever written down.
fn integer_root(value: u128, zeros: u32) -> (u128, bool) {
    let n_bits = 128 - value.leading_zeros() + zeros;
    let n_pairs = n_bits.div_ceil(2);
    let bit = |position: u32| if position < zeros { 0 } else { value >> (position - zeros) & 1 };
    let (mut root, mut remainder) = (0u128, 0u128);
    for pair in (0..n_pairs).rev() {
        remainder = remainder << 2 | bit(2 * pair + 1) << 1 | bit(2 * pair);
        let trial = root << 2 | 1;
        root <<= 1;
        if remainder >= trial {
            remainder -= trial;
            root |= 1;
        }
    }
    (root, remainder == 0)
}
