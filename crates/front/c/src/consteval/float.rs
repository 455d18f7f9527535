//! Floating point in the formats of C's types, bit for bit, whatever the host does.
//!
//! A value is the bits of its format in the low end of a `u128` (80 bits for `long double`). Everything
//! rounds to nearest, ties to even, as constant expressions do.

use std::cmp::Ordering;

use rustc_apfloat::ieee::{Double, Half, Quad, Single, X87DoubleExtended};
use rustc_apfloat::{Float, FloatConvert, Round, Status};

use crate::types::FloatKind;

/// Runs a generic expression with `$float` standing for the format of `$kind`.
macro_rules! in_format {
    ($kind:expr, $float:ident => $body:expr) => {
        match $kind {
            FloatKind::Float16 => {
                type $float = Half;
                $body
            }
            FloatKind::Float | FloatKind::Float32 => {
                type $float = Single;
                $body
            }
            FloatKind::Double | FloatKind::Float64 | FloatKind::Float32x => {
                type $float = Double;
                $body
            }
            FloatKind::LongDouble | FloatKind::Float64x => {
                type $float = X87DoubleExtended;
                $body
            }
            FloatKind::Float128 => {
                type $float = Quad;
                $body
            }
        }
    };
}

/// Arithmetic of two operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FloatOp {
    Add,
    Sub,
    Mul,
    Div,
}

/// The bits of a literal (decimal or hexadecimal, any suffix, digit separators), correctly rounded. Besides
/// literals it knows `inf` and `nan`, which built-ins fold to. `None` if the text is no number.
pub fn parse_float(text: &str, kind: FloatKind) -> Option<u128> {
    let (digits, _) = split_literal(text);
    let digits: String = digits.chars().filter(|&c| c != '\'').collect();
    in_format!(kind, F => match digits.as_str() {
        "inf" => Some(F::INFINITY.to_bits()),
        "nan" => Some(F::NAN.to_bits()),
        _ => F::from_str_r(&digits, Round::NearestTiesToEven).ok().map(|result| result.value.to_bits()),
    })
}

/// The number and the suffix of a floating literal.
pub fn split_literal(text: &str) -> (&str, &str) {
    if text.starts_with("inf") || text.starts_with("nan") {
        return text.split_at(3);
    }
    let bytes = text.as_bytes();
    let is_hex = bytes.len() > 1 && bytes[0] == b'0' && (bytes[1] | 0x20) == b'x';
    let mut end = if is_hex { 2 } else { 0 };
    let is_digit = |byte: u8| {
        byte == b'.' || byte == b'\'' || if is_hex { byte.is_ascii_hexdigit() } else { byte.is_ascii_digit() }
    };
    while end < bytes.len() && is_digit(bytes[end]) {
        end += 1;
    }
    let exponent = if is_hex { b'p' } else { b'e' };
    if end < bytes.len() && (bytes[end] | 0x20) == exponent {
        end += 1;
        if end < bytes.len() && matches!(bytes[end], b'+' | b'-') {
            end += 1;
        }
        while end < bytes.len() && (bytes[end].is_ascii_digit() || bytes[end] == b'\'') {
            end += 1;
        }
    }
    text.split_at(end)
}

/// `a op b`.
pub fn binary(kind: FloatKind, op: FloatOp, a: u128, b: u128) -> u128 {
    in_format!(kind, F => {
        let (a, b) = (F::from_bits(a), F::from_bits(b));
        let result = match op {
            FloatOp::Add => a + b,
            FloatOp::Sub => a - b,
            FloatOp::Mul => a * b,
            FloatOp::Div => a / b,
        };
        result.value.to_bits()
    })
}

/// `-a`.
pub fn negate(kind: FloatKind, a: u128) -> u128 {
    in_format!(kind, F => (-F::from_bits(a)).to_bits())
}

/// How two values compare; `None` if one is not a number.
pub fn compare(kind: FloatKind, a: u128, b: u128) -> Option<Ordering> {
    in_format!(kind, F => F::from_bits(a).partial_cmp(&F::from_bits(b)))
}

pub fn is_zero(kind: FloatKind, a: u128) -> bool {
    in_format!(kind, F => F::from_bits(a).is_zero())
}

pub fn is_nan(kind: FloatKind, a: u128) -> bool {
    in_format!(kind, F => F::from_bits(a).is_nan())
}

pub fn is_infinite(kind: FloatKind, a: u128) -> bool {
    in_format!(kind, F => F::from_bits(a).is_infinite())
}

pub fn is_normal(kind: FloatKind, a: u128) -> bool {
    in_format!(kind, F => F::from_bits(a).is_normal())
}

pub fn is_negative(kind: FloatKind, a: u128) -> bool {
    in_format!(kind, F => F::from_bits(a).is_negative())
}

pub fn abs(kind: FloatKind, a: u128) -> u128 {
    in_format!(kind, F => F::from_bits(a).abs().to_bits())
}

pub fn copy_sign(kind: FloatKind, a: u128, sign: u128) -> u128 {
    in_format!(kind, F => F::from_bits(a).copy_sign(F::from_bits(sign)).to_bits())
}

/// Rounds a value of one format to another.
pub fn convert(from: FloatKind, to: FloatKind, bits: u128) -> u128 {
    let mut loses_info = false;
    in_format!(from, F => {
        let value = F::from_bits(bits);
        in_format!(to, T => {
            let converted: T = FloatConvert::<T>::convert(value, &mut loses_info).value;
            converted.to_bits()
        })
    })
}

/// Rounds an integer; `unsigned __int128` comes as its bits with `is_signed` false.
pub fn from_int(kind: FloatKind, value: i128, is_signed: bool) -> u128 {
    in_format!(kind, F => if is_signed { F::from_i128(value) } else { F::from_u128(value as u128) }.value.to_bits())
}

/// Truncates towards zero into an integer of `width` bits. The flag says that the value did not fit: then the
/// nearest bound is given, and zero for what is not a number.
pub fn to_int(kind: FloatKind, bits: u128, width: u32, is_signed: bool) -> (i128, bool) {
    in_format!(kind, F => {
        let value = F::from_bits(bits);
        let mut is_exact = false;
        let (result, status) = if is_signed {
            let result = value.to_i128_r(width as usize, Round::TowardZero, &mut is_exact);
            (result.value, result.status)
        } else {
            let result = value.to_u128_r(width as usize, Round::TowardZero, &mut is_exact);
            (result.value as i128, result.status)
        };
        (result, status.contains(Status::INVALID_OP))
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn doubles_parse_like_the_host(value in any::<f64>().prop_filter("finite", |v| v.is_finite())) {
            let text = format!("{:e}", value.abs());
            prop_assert_eq!(parse_float(&text, FloatKind::Double), Some(value.abs().to_bits().into()));
            let single: f32 = text.parse().expect("a printed number should parse");
            prop_assert_eq!(parse_float(&text, FloatKind::Float), Some(single.to_bits().into()));
        }

        #[test]
        fn arithmetic_is_the_hosts(a in any::<f64>(), b in any::<f64>()) {
            let product = binary(FloatKind::Double, FloatOp::Mul, a.to_bits().into(), b.to_bits().into());
            prop_assert!(f64::from_bits(product as u64) == a * b || (a * b).is_nan());
        }

        #[test]
        fn nothing_panics(text in "[0-9a-fxXpPeE.'+-]{0,12}") {
            parse_float(&text, FloatKind::LongDouble);
        }
    }

    #[test]
    fn spellings() {
        let double = |text| parse_float(text, FloatKind::Double).map(|bits| f64::from_bits(bits as u64));
        assert_eq!(double("0x1.8p3"), Some(12.0));
        assert_eq!(double("0x.8P-1f"), Some(0.25));
        assert_eq!(double("0x10p0L"), Some(16.0));
        assert_eq!(double("1.e2f64x"), Some(100.0));
        assert_eq!(double(".5q"), Some(0.5));
        assert_eq!(double("1'000.5"), Some(1000.5));
        assert_eq!(double("1e999"), Some(f64::INFINITY));
        assert_eq!(double("1i"), Some(1.0));
        assert_eq!(double("inf"), Some(f64::INFINITY));
        assert_eq!(parse_float("1.0L", FloatKind::LongDouble), Some(0x3fff_8000_0000_0000_0000));
    }

    #[test]
    fn integers_saturate_with_a_flag() {
        let bits = |text| parse_float(text, FloatKind::Double).expect("a literal should parse");
        assert_eq!(to_int(FloatKind::Double, bits("3.99"), 32, true), (3, false));
        assert_eq!(to_int(FloatKind::Double, bits("1e10"), 32, true), (i32::MAX.into(), true));
        assert_eq!(to_int(FloatKind::Double, bits("1e10"), 64, false), (10_000_000_000, false));
    }
}
