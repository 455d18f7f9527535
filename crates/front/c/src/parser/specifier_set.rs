//! Combination of basic type specifiers: `long unsigned int` is one type.

use crate::lexer::TokenKind;
use crate::syntax::{Basic, TypeSpec};

/// The basic type words of one declaration, as a set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct SpecifierSet(u32);

const VOID: u32 = 1;
const CHAR: u32 = 1 << 1;
const SHORT: u32 = 1 << 2;
const INT: u32 = 1 << 3;
const LONG: u32 = 1 << 4;
const LONG_LONG: u32 = 1 << 5;
const SIGNED: u32 = 1 << 6;
const UNSIGNED: u32 = 1 << 7;
const FLOAT: u32 = 1 << 8;
const DOUBLE: u32 = 1 << 9;
const BOOL: u32 = 1 << 10;
const COMPLEX: u32 = 1 << 11;
const INT128: u32 = 1 << 12;
const FLOAT16: u32 = 1 << 13;
const FLOAT32: u32 = 1 << 14;
const FLOAT64: u32 = 1 << 15;
const FLOAT128: u32 = 1 << 16;
const FLOAT32X: u32 = 1 << 17;
const FLOAT64X: u32 = 1 << 18;
const FLOAT80: u32 = 1 << 19;
const INT128_NAME: u32 = 1 << 20;
const UINT128_NAME: u32 = 1 << 21;

impl SpecifierSet {
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether more than `_Complex` is there.
    pub fn names_type(self) -> bool {
        self.0 & !COMPLEX != 0
    }

    /// The bit of a keyword; `None` if it is not a basic type word.
    pub fn bit(kind: TokenKind) -> Option<u32> {
        Some(match kind {
            TokenKind::Void => VOID,
            TokenKind::CharWord => CHAR,
            TokenKind::Short => SHORT,
            TokenKind::Int => INT,
            TokenKind::Long => LONG,
            TokenKind::Signed => SIGNED,
            TokenKind::Unsigned => UNSIGNED,
            TokenKind::Float => FLOAT,
            TokenKind::Double => DOUBLE,
            TokenKind::Bool => BOOL,
            TokenKind::Complex => COMPLEX,
            TokenKind::Int128 => INT128,
            TokenKind::Float16 => FLOAT16,
            TokenKind::Float32 => FLOAT32,
            TokenKind::Float64 => FLOAT64,
            TokenKind::Float128 => FLOAT128,
            TokenKind::Float32x => FLOAT32X,
            TokenKind::Float64x => FLOAT64X,
            TokenKind::Float80 => FLOAT80,
            TokenKind::Int128Name => INT128_NAME,
            TokenKind::Uint128Name => UINT128_NAME,
            _ => return None,
        })
    }

    /// Adds a word; false if it stands there already (`long` may stand twice).
    pub fn add(&mut self, bit: u32) -> bool {
        let bit = if bit == LONG && self.0 & LONG != 0 { LONG_LONG } else { bit };
        let is_new = self.0 & bit == 0;
        self.0 |= bit;
        is_new
    }

    /// The type the words name; `None` if they do not go together.
    pub fn resolve(self) -> Option<TypeSpec> {
        let words = self.0 & !COMPLEX;
        if self.0 & COMPLEX == 0 {
            return basic(words).map(TypeSpec::Basic);
        }
        // gcc takes a lone `_Complex` for `_Complex double`.
        let of = if words == 0 { Basic::Double } else { basic(words)? };
        (!matches!(of, Basic::Void | Basic::Bool)).then_some(TypeSpec::Complex(of))
    }
}

fn basic(words: u32) -> Option<Basic> {
    const LONG_LONG_PAIR: u32 = LONG | LONG_LONG;
    let is_unsigned = words & UNSIGNED != 0;
    let signs = words & (SIGNED | UNSIGNED);
    if signs == SIGNED | UNSIGNED {
        return None;
    }
    let pick = |signed, unsigned| Some(if is_unsigned { unsigned } else { signed });
    match words & !signs {
        CHAR if signs == SIGNED => Some(Basic::SChar),
        CHAR => pick(Basic::Char, Basic::UChar),
        INT => pick(Basic::Int, Basic::UInt),
        0 if signs != 0 => pick(Basic::Int, Basic::UInt),
        bits if bits & !INT == SHORT => pick(Basic::Short, Basic::UShort),
        bits if bits & !INT == LONG => pick(Basic::Long, Basic::ULong),
        bits if bits & !INT == LONG_LONG_PAIR => pick(Basic::LongLong, Basic::ULongLong),
        INT128 => pick(Basic::Int128, Basic::UInt128),
        _ if signs != 0 => None,
        VOID => Some(Basic::Void),
        BOOL => Some(Basic::Bool),
        FLOAT => Some(Basic::Float),
        DOUBLE => Some(Basic::Double),
        FLOAT16 => Some(Basic::Float16),
        FLOAT32 => Some(Basic::Float32),
        FLOAT64 => Some(Basic::Float64),
        FLOAT128 => Some(Basic::Float128),
        FLOAT32X => Some(Basic::Float32x),
        FLOAT64X => Some(Basic::Float64x),
        FLOAT80 => Some(Basic::LongDouble),
        INT128_NAME => Some(Basic::Int128),
        UINT128_NAME => Some(Basic::UInt128),
        bits if bits == LONG | DOUBLE => Some(Basic::LongDouble),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolve(kinds: &[TokenKind]) -> Option<TypeSpec> {
        let mut words = SpecifierSet::default();
        let is_fine = kinds.iter().all(|kind| words.add(SpecifierSet::bit(*kind).expect("a type word")));
        is_fine.then(|| words.resolve()).flatten()
    }

    #[test]
    fn words_in_any_order() {
        use TokenKind::*;
        for (kinds, want) in [
            (&[Long, Unsigned, Int, Long][..], Basic::ULongLong),
            (&[Int, Short], Basic::Short),
            (&[Unsigned], Basic::UInt),
            (&[CharWord, Signed], Basic::SChar),
            (&[Long, Double], Basic::LongDouble),
            (&[Unsigned, Int128], Basic::UInt128),
        ] {
            assert!(matches!(resolve(kinds), Some(TypeSpec::Basic(basic)) if basic == want), "{kinds:?}");
        }
        assert!(matches!(resolve(&[Complex, Float]), Some(TypeSpec::Complex(Basic::Float))));
        for kinds in [&[Unsigned, Float][..], &[Int, Int], &[Long, Long, Long], &[Short, Long], &[Signed, Unsigned]] {
            assert!(resolve(kinds).is_none(), "{kinds:?}");
        }
    }
}
