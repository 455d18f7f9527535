//! Printer of literals that preserves type and value: suffixes, least values, escapes.

use std::fmt::Write as _;

use crate::ast::Encoding;
use crate::types::{FloatKind, IntKind};

use super::expr::{PRIMARY, UNARY};

/// A constant expression of exactly this type and value, and its precedence.
pub(super) fn int(value: i128, kind: IntKind) -> (String, u8) {
    let suffix = match kind {
        IntKind::Int => "",
        IntKind::UInt => "U",
        IntKind::Long => "L",
        IntKind::ULong => "UL",
        IntKind::LongLong => "LL",
        IntKind::ULongLong => "ULL",
        IntKind::Int128 | IntKind::UInt128 => return wide_int(value, kind),
        IntKind::Bool | IntKind::Char | IntKind::SChar | IntKind::UChar | IntKind::Short | IntKind::UShort => {
            return (format!("({}){value}", kind.name()), UNARY);
        }
    };
    // The least value is not minus a literal: the literal would not fit.
    let is_least = match kind {
        IntKind::Int => value == i32::MIN.into(),
        IntKind::Long => value == i64::MIN.into() || value == i32::MIN.into(),
        IntKind::LongLong => value == i64::MIN.into(),
        _ => false,
    };
    if is_least {
        (format!("(-{}{suffix} - 1)", -(value + 1)), PRIMARY)
    } else {
        (format!("{value}{suffix}"), if value < 0 { UNARY } else { PRIMARY })
    }
}

fn wide_int(value: i128, kind: IntKind) -> (String, u8) {
    if let Ok(small) = i64::try_from(value)
        && (small >= 0 || (kind == IntKind::Int128 && small != i64::MIN))
    {
        return (format!("({}){small}LL", kind.name()), UNARY);
    }
    let (high, low) = ((value as u128) >> 64, value as u64);
    (format!("({})(((unsigned __int128){high:#x}ULL << 64) | {low:#x}ULL)", kind.name()), UNARY)
}

/// A floating literal from its digits; built-in functions stand for what has no digits.
pub(super) fn float(digits: &str, kind: FloatKind, is_imaginary: bool) -> String {
    let suffix = match kind {
        FloatKind::Float16 => "f16",
        FloatKind::Float => "f",
        FloatKind::Double => "",
        FloatKind::LongDouble => "l",
        FloatKind::Float128 => "f128",
        FloatKind::Float32 => "f32",
        FloatKind::Float64 => "f64",
        FloatKind::Float32x => "f32x",
        FloatKind::Float64x => "f64x",
    };
    let (digits, _) = crate::consteval::float::split_literal(digits);
    let imaginary = if is_imaginary { "i" } else { "" };
    match digits {
        "inf" => format!("__builtin_inf{suffix}()"),
        "nan" => format!("__builtin_nan{suffix}(\"\")"),
        _ => {
            let digits: String = digits.chars().filter(|&c| c != '\'').collect();
            let is_marked = digits.contains(['.', 'e', 'E', 'p', 'P', 'x', 'X']);
            let point = if is_marked { "" } else { ".0" };
            // A capital does not run into hexadecimal digits and is what `long double` is written with.
            let suffix = if suffix == "l" { "L" } else { suffix };
            format!("{digits}{point}{suffix}{imaginary}")
        }
    }
}

/// A plain string literal with this text.
pub(super) fn string(text: &str) -> String {
    let units: Vec<u32> = text.bytes().map(u32::from).collect();
    literal(&units, Encoding::Plain)
}

/// A string literal with these code units.
pub(super) fn literal(units: &[u32], encoding: Encoding) -> String {
    let prefix = match encoding {
        Encoding::Plain => "",
        Encoding::Wide => "L",
        Encoding::Utf8 => "u8",
        Encoding::Utf16 => "u",
        Encoding::Utf32 => "U",
    };
    let mut out = format!("{prefix}\"");
    for &unit in units {
        match unit {
            0x0a => out.push_str("\\n"),
            0x09 => out.push_str("\\t"),
            // Question marks could make a trigraph.
            0x22 | 0x5c | 0x3f => {
                out.push('\\');
                out.push(unit as u8 as char);
            }
            0x20..=0x7e => out.push(unit as u8 as char),
            0..=0o777 => {
                let _ = write!(out, "\\{unit:03o}");
            }
            // A hexadecimal escape has no end of its own.
            _ => {
                let _ = write!(out, "\\x{unit:x}\" {prefix}\"");
            }
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_keep_type_and_value() {
        assert_eq!(int(5, IntKind::ULong).0, "5UL");
        assert_eq!(int(-5, IntKind::Int), ("-5".to_owned(), UNARY));
        assert_eq!(int(i32::MIN.into(), IntKind::Int).0, "(-2147483647 - 1)");
        assert_eq!(int(i64::MIN.into(), IntKind::Long).0, "(-9223372036854775807L - 1)");
        assert_eq!(int(-1, IntKind::SChar).0, "(signed char)-1");
        assert_eq!(int(-1, IntKind::UInt128).0, {
            "(unsigned __int128)(((unsigned __int128)0xffffffffffffffffULL << 64) | 0xffffffffffffffffULL)"
        });
    }

    #[test]
    fn strings_escape() {
        assert_eq!(string("a\"\\\n\0"), "\"a\\\"\\\\\\n\\000\"");
        assert_eq!(literal(&[0x20ac, 0x41], Encoding::Wide), "L\"\\x20ac\" L\"A\"");
    }

    #[test]
    fn floats_keep_their_format() {
        assert_eq!(float("1", FloatKind::Float, false), "1.0f");
        assert_eq!(float("0x1p3", FloatKind::LongDouble, false), "0x1p3L");
        assert_eq!(float("inf", FloatKind::Float, false), "__builtin_inff()");
    }
}
