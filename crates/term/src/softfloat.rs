//! Floats as values: the meaning of every [`FpOp`], by LLVM's soft floats (`rustc_apfloat`) and one rule for NaNs.
//!
//! Formats are types there, so those that are supported are listed here: the ones machines have, and small ones for
//! exhaustive tests. Whatever is not a number is handled before, since hardware and libraries differ on it.

mod root;
#[cfg(test)]
mod tests;

use rustc_apfloat::ieee::{Double, Half, IeeeFloat, Quad, Semantics, Single, X87DoubleExtended};
use rustc_apfloat::{Float, FloatConvert, Round, Status};

use crate::bits::{BitVec, mask};
use crate::fact::signed;
use crate::float::{FpFormat, FpOp, Rounding};

/// Formats of 4 to 7 bits.
macro_rules! small_formats {
    ($($name:ident = $exponent:literal, $precision:literal;)*) => {
        $(struct $name;
        impl Semantics for $name {
            const BITS: usize = $exponent + $precision;
            const EXP_BITS: usize = $exponent;
        })*
        /// Applies an operation in the type of its format.
        fn dispatch(format: FpFormat, operation: FpOp, mode: Round, args: &[u128], width: u32) -> u128 {
            match (format.exponent, format.precision, format.is_leading_stored) {
                (5, 11, false) => apply_in::<Half>(operation, mode, args, width),
                (8, 24, false) => apply_in::<Single>(operation, mode, args, width),
                (11, 53, false) => apply_in::<Double>(operation, mode, args, width),
                (15, 64, true) => apply_in::<X87DoubleExtended>(operation, mode, args, width),
                (15, 113, false) => apply_in::<Quad>(operation, mode, args, width),
                $(($exponent, $precision, false) => apply_in::<IeeeFloat<$name>>(operation, mode, args, width),)*
                _ => panic!("the format {format:?} should be supported"),
            }
        }
        /// Rounds a number to a format.
        fn round_to(format: FpFormat, value: Quad, mode: Round) -> u128 {
            fn to<F: Float>(value: Quad, mode: Round) -> u128 where Quad: FloatConvert<F> {
                FloatConvert::<F>::convert_r(value, mode, &mut false).value.to_bits()
            }
            match (format.exponent, format.precision, format.is_leading_stored) {
                (5, 11, false) => to::<Half>(value, mode),
                (8, 24, false) => to::<Single>(value, mode),
                (11, 53, false) => to::<Double>(value, mode),
                (15, 64, true) => to::<X87DoubleExtended>(value, mode),
                (15, 113, false) => value.to_bits(),
                $(($exponent, $precision, false) => to::<IeeeFloat<$name>>(value, mode),)*
                _ => panic!("the format {format:?} should be supported"),
            }
        }
        impl FpFormat {
            /// Whether operations have a meaning in this format.
            pub fn is_supported(self) -> bool {
                let named = [FpFormat::HALF, FpFormat::SINGLE, FpFormat::DOUBLE, FpFormat::X87, FpFormat::QUAD];
                let small = [$(($exponent, $precision)),*];
                named.contains(&self) || !self.is_leading_stored && small.contains(&(self.exponent, self.precision))
            }
        }
    };
}

small_formats! {
    Small22 = 2, 2;
    Small23 = 2, 3;
    Small24 = 2, 4;
    Small32 = 3, 2;
    Small33 = 3, 3;
    Small34 = 3, 4;
    Small42 = 4, 2;
    Small43 = 4, 3;
}

/// What an operation gives on values; `width` is that of the result.
pub(crate) fn apply(operation: FpOp, width: u32, args: &[&BitVec]) -> BitVec {
    let numbers: Vec<u128> =
        args.iter().map(|arg| arg.to_u128().expect("floats should have at most 128 bits")).collect();
    let (mode, operands) = match operation.has_rounding() {
        true => (round(Rounding::of_number(numbers[0])), &numbers[1..]),
        false => (Round::NearestTiesToEven, &numbers[..]),
    };
    let format = operation.format();
    let result = match operation {
        FpOp::FromUnsigned(_) | FpOp::FromSigned(_) => {
            let value = operands[0];
            let value =
                if matches!(operation, FpOp::FromSigned(_)) { signed(args[1].width(), value) as u128 } else { value };
            dispatch(format, operation, mode, &[value], width)
        }
        _ => match operands.iter().find(|&&operand| is_nan(format, operand)) {
            Some(&nan) => of_nan(operation, nan, width),
            None => number(operation, mode, operands, width),
        },
    };
    BitVec::new(width, result)
}

/// The result without any NaN among the operands.
fn number(operation: FpOp, mode: Round, operands: &[u128], width: u32) -> u128 {
    let format = operation.format();
    let result = match operation {
        FpOp::Sqrt(_) => root::square_root(format, operands[0], mode),
        _ => dispatch(format, operation, mode, operands, width),
    };
    let result_format = match operation {
        FpOp::Add(_) | FpOp::Mul(_) | FpOp::Div(_) | FpOp::Fma(_) | FpOp::Sqrt(_) => format,
        FpOp::Fmod(_) | FpOp::Remainder(_) | FpOp::RoundToIntegral(_) => format,
        FpOp::Convert { to, .. } => to,
        FpOp::Eq(_) | FpOp::Lt(_) | FpOp::Le(_) | FpOp::IsNan(_) | FpOp::IsInfinite(_) | FpOp::IsZero(_) => {
            return result;
        }
        FpOp::IsSubnormal(_) | FpOp::FromUnsigned(_) | FpOp::FromSigned(_) | FpOp::ToUnsigned(_) => return result,
        FpOp::ToSigned(_) | FpOp::FitsUnsigned { .. } | FpOp::FitsSigned { .. } => return result,
    };
    if is_nan(result_format, result) { default_nan(result_format) } else { result }
}

/// The result where the first NaN among the operands is this.
fn of_nan(operation: FpOp, nan: u128, width: u32) -> u128 {
    let format = operation.format();
    match operation {
        FpOp::Add(_) | FpOp::Mul(_) | FpOp::Div(_) | FpOp::Fma(_) | FpOp::Sqrt(_) => nan | quiet_bits(format),
        FpOp::Fmod(_) | FpOp::Remainder(_) | FpOp::RoundToIntegral(_) => nan | quiet_bits(format),
        FpOp::Convert { to, .. } => converted_nan(format, to, nan),
        FpOp::IsNan(_) => 1,
        FpOp::Eq(_) | FpOp::Lt(_) | FpOp::Le(_) | FpOp::IsInfinite(_) | FpOp::IsZero(_) | FpOp::IsSubnormal(_) => 0,
        FpOp::FitsUnsigned { .. } | FpOp::FitsSigned { .. } => 0,
        FpOp::ToUnsigned(_) => mask(width),
        FpOp::ToSigned(_) => 1 << (width - 1),
        FpOp::FromUnsigned(_) | FpOp::FromSigned(_) => unreachable!("integers should not be NaN"),
    }
}

/// Sign and the upper bits of the payload are kept.
fn converted_nan(from: FpFormat, to: FpFormat, nan: u128) -> u128 {
    let (from_bits, to_bits) = (u32::from(from.precision) - 1, u32::from(to.precision) - 1);
    let payload = nan & mask(from_bits);
    let payload =
        if to_bits >= from_bits { payload << (to_bits - from_bits) } else { payload >> (from_bits - to_bits) };
    let sign = nan >> (from.width() - 1) & 1;
    infinity(to) | sign << (to.width() - 1) | payload | quiet_bits(to)
}

/// An operation on operands that are no NaNs.
fn apply_in<F>(operation: FpOp, mode: Round, operands: &[u128], width: u32) -> u128
where
    F: Float + FloatConvert<Quad>,
{
    let float = |position: usize| F::from_bits(operands[position]);
    let integer = |position: usize| operands[position];
    let is_valid = |status: Status| !status.contains(Status::INVALID_OP);
    let truth = u128::from;
    match operation {
        FpOp::Add(_) => float(0).add_r(float(1), mode).value.to_bits(),
        FpOp::Mul(_) => float(0).mul_r(float(1), mode).value.to_bits(),
        FpOp::Div(_) => float(0).div_r(float(1), mode).value.to_bits(),
        FpOp::Fma(_) => float(0).mul_add_r(float(1), float(2), mode).value.to_bits(),
        FpOp::Fmod(_) => float(0).c_fmod(float(1)).value.to_bits(),
        FpOp::Remainder(_) => float(0).ieee_rem(float(1)).value.to_bits(),
        FpOp::RoundToIntegral(format) => {
            // The library adds a power of two that small formats do not have.
            let wide = FloatConvert::<Quad>::convert_r(float(0), mode, &mut false).value;
            round_to(format, wide.round_to_integral(mode).value, mode)
        }
        FpOp::Eq(_) => truth(float(0) == float(1)),
        FpOp::Lt(_) => truth(float(0) < float(1)),
        FpOp::Le(_) => truth(float(0) <= float(1)),
        FpOp::IsNan(_) => 0,
        FpOp::IsInfinite(_) => truth(float(0).is_infinite()),
        FpOp::IsZero(_) => truth(float(0).is_zero()),
        FpOp::IsSubnormal(_) => truth(float(0).is_denormal()),
        FpOp::Convert { to, .. } => {
            let exact = FloatConvert::<Quad>::convert_r(float(0), mode, &mut false).value;
            round_to(to, exact, mode)
        }
        FpOp::FromUnsigned(_) => F::from_u128_r(integer(0), mode).value.to_bits(),
        FpOp::FromSigned(_) => F::from_i128_r(integer(0) as i128, mode).value.to_bits(),
        FpOp::ToUnsigned(_) => {
            let result = float(0).to_u128_r(width as usize, mode, &mut false);
            if is_valid(result.status) { result.value } else { mask(width) }
        }
        FpOp::ToSigned(_) => {
            let result = float(0).to_i128_r(width as usize, mode, &mut false);
            if is_valid(result.status) { result.value as u128 & mask(width) } else { 1 << (width - 1) }
        }
        FpOp::FitsUnsigned { width, .. } => truth(is_valid(float(0).to_u128_r(width.into(), mode, &mut false).status)),
        FpOp::FitsSigned { width, .. } => truth(is_valid(float(0).to_i128_r(width.into(), mode, &mut false).status)),
        FpOp::Sqrt(_) => unreachable!("roots should be extracted apart"),
    }
}

fn round(mode: Rounding) -> Round {
    match mode {
        Rounding::NearestEven => Round::NearestTiesToEven,
        Rounding::Negative => Round::TowardNegative,
        Rounding::Positive => Round::TowardPositive,
        Rounding::Zero => Round::TowardZero,
        Rounding::NearestAway => Round::NearestTiesToAway,
    }
}

/// Whether the exponent is all ones and the significand not that of infinity. Of the x87's patterns without their leading
/// bit, those with the greatest exponent count as NaNs, too.
pub(crate) fn is_nan(format: FpFormat, bits: u128) -> bool {
    let magnitude = bits & mask(format.width() - 1);
    let exponent = magnitude >> format.stored();
    exponent == mask(u32::from(format.exponent)) && magnitude != infinity(format)
}

/// The bits of positive infinity.
pub(crate) fn infinity(format: FpFormat) -> u128 {
    let leading = if format.is_leading_stored { 1 << (format.precision - 1) } else { 0 };
    mask(u32::from(format.exponent)) << format.stored() | leading
}

/// The bits that a quiet NaN has set in its significand.
pub(crate) fn quiet_bits(format: FpFormat) -> u128 {
    let leading = if format.is_leading_stored { 1 << (format.precision - 1) } else { 0 };
    leading | 1 << (format.precision - 2)
}

/// What an invalid operation gives: negative, quiet, without payload.
pub(crate) fn default_nan(format: FpFormat) -> u128 {
    1 << (format.width() - 1) | infinity(format) | quiet_bits(format)
}
