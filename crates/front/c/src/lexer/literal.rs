//! Numeric literals: integer and floating constants with all their suffixes.

use crate::syntax::{Basic, FloatLit, IntLit, IntSize};

/// A number as the parser hands it on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Number {
    Int(IntLit),
    Float(FloatLit),
}

/// Decodes the spelling of a number; the error is a message.
pub fn number(spelling: &str) -> Result<Number, String> {
    let bytes = spelling.as_bytes();
    // Most numbers are short decimal integers without suffix.
    if bytes.len() < 10 && bytes[0] != b'0' && bytes.iter().all(u8::is_ascii_digit) {
        let value = bytes.iter().fold(0, |value, digit| value * 10 + u128::from(digit - b'0'));
        return Ok(Number::Int(plain(value, true)));
    }
    if spelling == "0" {
        return Ok(Number::Int(plain(0, false)));
    }
    let is_hex = bytes.len() > 1 && bytes[0] == b'0' && bytes[1] | 0x20 == b'x';
    let is_float = if is_hex {
        bytes.iter().any(|byte| matches!(byte, b'.' | b'p' | b'P'))
    } else {
        let is_binary = bytes.len() > 1 && bytes[0] == b'0' && bytes[1] | 0x20 == b'b';
        !is_binary && bytes.iter().any(|byte| matches!(byte, b'.' | b'e' | b'E'))
    };
    if is_float { float(spelling, is_hex).map(Number::Float) } else { integer(spelling).map(Number::Int) }
}

fn plain(value: u128, is_decimal: bool) -> IntLit {
    IntLit { value, is_unsigned: false, size: IntSize::Int, is_decimal, is_imaginary: false }
}

fn integer(spelling: &str) -> Result<IntLit, String> {
    let (radix, start) = match spelling.as_bytes() {
        [b'0', b'x' | b'X', ..] => (16, 2),
        [b'0', b'b' | b'B', ..] => (2, 2),
        [b'0', ..] => (8, 1),
        _ => (10, 0),
    };
    let digits = &spelling[start..];
    // An octal or binary constant swallows all decimal digits, so that a wrong one can be named.
    let is_digit =
        |char: char| if radix == 16 { char.is_ascii_hexdigit() } else { char.is_ascii_digit() } || char == '\'';
    let end = digits.find(|char| !is_digit(char)).unwrap_or(digits.len());
    let (digits, suffix) = digits.split_at(end);
    let mut value: u128 = 0;
    for char in digits.chars().filter(|char| *char != '\'') {
        let Some(digit) = char.to_digit(radix) else {
            let kind = if radix == 8 { "octal" } else { "binary" };
            return Err(format!("digit `{char}` cannot stand in the {kind} constant `{spelling}`"));
        };
        let next = value.checked_mul(radix.into()).and_then(|value| value.checked_add(digit.into()));
        value = next.ok_or_else(|| format!("integer constant `{}` is too large", shorten(spelling)))?;
    }
    if digits.is_empty() && start == 2 {
        return Err(format!("`{spelling}` has no digits"));
    }
    let mut literal = plain(value, radix == 10);
    integer_suffix(suffix, &mut literal)
        .ok_or_else(|| format!("invalid suffix `{}` on integer constant", shorten(suffix)))?;
    Ok(literal)
}

fn integer_suffix(suffix: &str, literal: &mut IntLit) -> Option<()> {
    let mut rest = suffix.as_bytes();
    let mut has_size = false;
    while let Some(&first) = rest.first() {
        let length = match first {
            b'u' | b'U' if !literal.is_unsigned => {
                literal.is_unsigned = true;
                1
            }
            b'l' | b'L' if !has_size => {
                has_size = true;
                let is_double = rest.get(1) == Some(&first);
                literal.size = if is_double { IntSize::LongLong } else { IntSize::Long };
                if is_double { 2 } else { 1 }
            }
            b'i' | b'I' | b'j' | b'J' if !literal.is_imaginary => {
                literal.is_imaginary = true;
                1
            }
            _ => return None,
        };
        rest = &rest[length..];
    }
    Some(())
}

fn float(spelling: &str, is_hex: bool) -> Result<FloatLit, String> {
    let bytes = spelling.as_bytes();
    let mut end = if is_hex { 2 } else { 0 };
    let is_digit = |byte: &u8| if is_hex { byte.is_ascii_hexdigit() } else { byte.is_ascii_digit() };
    let mut n_digits = 0;
    let mut n_dots = 0;
    while let Some(byte) = bytes.get(end) {
        match byte {
            b'.' => n_dots += 1,
            b'\'' => {}
            byte if is_digit(byte) => n_digits += 1,
            _ => break,
        }
        end += 1;
    }
    let has_exponent = bytes.get(end).is_some_and(|byte| byte | 0x20 == if is_hex { b'p' } else { b'e' });
    if n_dots > 1 {
        return Err(format!("too many decimal points in `{}`", shorten(spelling)));
    }
    if n_digits == 0 {
        return Err(format!("`{}` has no digits", shorten(spelling)));
    }
    if has_exponent {
        end += 1;
        end += usize::from(matches!(bytes.get(end), Some(b'+' | b'-')));
        let start = end;
        while bytes.get(end).is_some_and(|byte| byte.is_ascii_digit() || *byte == b'\'') {
            end += 1;
        }
        if start == end {
            return Err("exponent has no digits".to_owned());
        }
    } else if is_hex {
        return Err("hexadecimal floating constant needs an exponent".to_owned());
    }
    let (ty, is_imaginary) = float_suffix(&spelling[end..])?;
    Ok(FloatLit { digits: spelling[..end].replace('\'', ""), ty, is_imaginary })
}

fn float_suffix(suffix: &str) -> Result<(Basic, bool), String> {
    let lower = suffix.to_ascii_lowercase();
    let is_imaginary = lower.contains(['i', 'j']);
    let ty = match lower.replacen(['i', 'j'], "", 1).as_str() {
        "" | "d" => Basic::Double,
        "f" => Basic::Float,
        "l" | "w" => Basic::LongDouble,
        "q" | "f128" => Basic::Float128,
        "f16" => Basic::Float16,
        "f32" => Basic::Float32,
        "f64" => Basic::Float64,
        "f32x" => Basic::Float32x,
        "f64x" => Basic::Float64x,
        "df" | "dd" | "dl" | "d32" | "d64" | "d128" => {
            return Err("decimal floating constants are not supported".to_owned());
        }
        _ => return Err(format!("invalid suffix `{}` on floating constant", shorten(suffix))),
    };
    Ok((ty, is_imaginary))
}

fn shorten(text: &str) -> String {
    match text.char_indices().nth(40) {
        Some((at, _)) => format!("{}...", &text[..at]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn int(spelling: &str) -> IntLit {
        match number(spelling) {
            Ok(Number::Int(literal)) => literal,
            other => panic!("{spelling} should be an integer, not {other:?}"),
        }
    }

    #[test]
    fn integers_in_all_bases() {
        for (spelling, value) in [
            ("0", 0),
            ("7", 7),
            ("017", 15),
            ("0x1F", 31),
            ("0b101", 5),
            ("1'000'000", 1_000_000),
            ("0xffff'ffff", 0xffff_ffff),
            ("18446744073709551615", u128::from(u64::MAX)),
            ("4294967296", 1 << 32),
            ("00", 0),
            ("0xe", 14),
        ] {
            assert_eq!(int(spelling).value, value, "{spelling}");
        }
        assert!(int("10").is_decimal && !int("0").is_decimal && !int("0x10").is_decimal);
    }

    #[test]
    fn integer_suffixes() {
        let literal = int("1uLL");
        assert_eq!((literal.is_unsigned, literal.size), (true, IntSize::LongLong));
        assert_eq!(int("0x1lu").size, IntSize::Long);
        assert!(int("2i").is_imaginary && int("2j").is_imaginary);
        for bad in ["1lul", "1uu", "1lL", "12ab", "0b12", "089", "0x", "1_000"] {
            assert!(number(bad).is_err(), "{bad}");
        }
        let huge = "9".repeat(60);
        assert!(number(&huge).unwrap_err().contains("too large"));
    }

    #[test]
    fn floats_keep_their_digits() {
        for (spelling, digits, ty, is_imaginary) in [
            ("1.5", "1.5", Basic::Double, false),
            ("1e10f", "1e10", Basic::Float, false),
            (".5L", ".5", Basic::LongDouble, false),
            ("1.", "1.", Basic::Double, false),
            ("0x1.8p-3", "0x1.8p-3", Basic::Double, false),
            ("0x1p+3f", "0x1p+3", Basic::Float, false),
            ("1.0i", "1.0", Basic::Double, true),
            ("1.0fi", "1.0", Basic::Float, true),
            ("1.0if", "1.0", Basic::Float, true),
            ("2.0f128", "2.0", Basic::Float128, false),
            ("2.0Q", "2.0", Basic::Float128, false),
            ("2.0f64x", "2.0", Basic::Float64x, false),
            ("1'0.5e1'0", "10.5e10", Basic::Double, false),
            ("09.5", "09.5", Basic::Double, false),
        ] {
            let want = FloatLit { digits: digits.to_owned(), ty, is_imaginary };
            assert_eq!(number(spelling), Ok(Number::Float(want)), "{spelling}");
        }
        for bad in ["1.2.3", "1e", "0x1.8", "1.0df", "1.0xyz", "0x.p1"] {
            assert!(number(bad).is_err(), "{bad}");
        }
    }
}
