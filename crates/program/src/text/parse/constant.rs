//! Parser of numbers, constants and operands.

use rustc_apfloat::Float;
use rustc_apfloat::ieee::{Double, Quad, Single, X87DoubleExtended};

use super::{Parsed, Parser};
use crate::program::*;
use crate::text::lex::TokenKind;
use crate::text::word_ty;
use crate::text::words::{number_after, ty_of_word};

impl Parser<'_> {
    /// An unsigned number that fits the type.
    pub(super) fn unsigned<N: TryFrom<u128>>(&mut self, what: &str) -> Parsed<N> {
        let at = self.at;
        let value = self.magnitude(what)?;
        N::try_from(value).map_err(|_| self.error_at(at, format!("{value} is too large for {what}")))
    }

    /// A number that may be negative.
    pub(super) fn signed(&mut self, what: &str) -> Parsed<i128> {
        let at = self.at;
        let is_negative = self.eat("-");
        let magnitude = self.magnitude(what)?;
        let value = if is_negative { 0i128.checked_sub_unsigned(magnitude) } else { i128::try_from(magnitude).ok() };
        value.ok_or_else(|| self.error_at(at, format!("this number is too large for {what}")))
    }

    pub(super) fn signed_64(&mut self, what: &str) -> Parsed<i64> {
        let at = self.at;
        let value = self.signed(what)?;
        i64::try_from(value).map_err(|_| self.error_at(at, format!("{value} is too large for {what}")))
    }

    fn magnitude(&mut self, what: &str) -> Parsed<u128> {
        let token = self.token();
        if token.kind != TokenKind::Number {
            return self.expected(what);
        }
        let parsed = match token.text.strip_prefix("0x") {
            Some(digits) => u128::from_str_radix(digits, 16),
            None => token.text.parse(),
        };
        match parsed {
            Ok(value) => {
                self.advance();
                Ok(value)
            }
            Err(_) => self.error(format!("`{}` is not a number of at most 128 bits", token.text)),
        }
    }

    /// Bits of an integer of this width; negative numbers stand for their two's complement.
    pub(super) fn integer_bits(&mut self, width: u8) -> Parsed<u128> {
        let at = self.at;
        let mask = if width >= 128 { u128::MAX } else { (1u128 << width) - 1 };
        let is_negative = self.eat("-");
        let magnitude = self.magnitude("a number")?;
        let limit = if is_negative { mask / 2 + 1 } else { mask };
        if magnitude > limit {
            return Err(self.error_at(at, format!("this number does not fit i{width}")));
        }
        Ok(if is_negative { magnitude.wrapping_neg() & mask } else { magnitude })
    }

    fn constant(&mut self, ty: Ty) -> Parsed<Operand> {
        let at = self.at;
        let bits = match ty {
            Ty::Int(width) => self.integer_bits(width)?,
            Ty::F32 => self.float_bits::<Single>()?,
            Ty::F64 => self.float_bits::<Double>()?,
            Ty::F80 => self.float_bits::<X87DoubleExtended>()?,
            Ty::F128 => self.float_bits::<Quad>()?,
            Ty::Ptr => return Err(self.error_at(at, "a pointer constant is `null` or an address")),
        };
        Ok(Operand::Bits(ty, bits))
    }

    /// Bits in hexadecimal, or a decimal number such as `-1.5e3` rounded to nearest.
    fn float_bits<F: Float>(&mut self) -> Parsed<u128> {
        let at = self.at;
        let is_negative = self.eat("-");
        let token = self.token();
        if token.kind == TokenKind::Number && token.text.starts_with("0x") && !is_negative {
            let bits = self.magnitude("a number")?;
            let fits = F::BITS >= 128 || bits >> F::BITS == 0;
            return if fits { Ok(bits) } else { Err(self.error_at(at, format!("these bits exceed {}", F::BITS))) };
        }
        // The reader below computes exactly, so that large exponents and long numbers would cost dearly.
        let exponent_digits = token.text.split(['e', 'E']).nth(1).map_or(0, str::len);
        let is_plain = token.text.bytes().all(|byte| byte.is_ascii_digit() || b".eE+-".contains(&byte));
        if token.kind != TokenKind::Number || !is_plain || token.text.len() > 64 || exponent_digits > 6 {
            return self.expected("a floating constant");
        }
        match F::from_str(token.text) {
            Ok(value) => {
                self.advance();
                Ok(if is_negative { -value } else { value }.to_bits())
            }
            Err(error) => self.error(format!("not a floating constant: {}", error.0)),
        }
    }

    /// An operand where this type is expected (`None`: where constants say their type).
    pub(super) fn operand(&mut self, expected: Option<Ty>) -> Parsed<Operand> {
        let token = self.token();
        match token.kind {
            TokenKind::Number => self.untyped_constant(expected),
            TokenKind::Punct if token.text == "-" => self.untyped_constant(expected),
            TokenKind::Punct if token.text == "&" => self.address_of(),
            TokenKind::Word => self.word_operand(token.text, expected),
            TokenKind::Punct | TokenKind::Text | TokenKind::End => self.expected("an operand"),
        }
    }

    fn untyped_constant(&mut self, expected: Option<Ty>) -> Parsed<Operand> {
        match expected {
            Some(ty) => self.constant(ty),
            None => self.error("this constant needs a type before it, as in `i32 5`"),
        }
    }

    fn word_operand(&mut self, word: &str, expected: Option<Ty>) -> Parsed<Operand> {
        if number_after(word, "r").is_some() {
            return Ok(Operand::Reg(self.reg()?));
        }
        if let Some(ty) = ty_of_word(word) {
            self.advance();
            return if self.eat_word("undef") { Ok(Operand::Undef(ty)) } else { self.constant(ty) };
        }
        let operand = match word {
            "true" => Operand::Bits(Ty::Int(1), 1),
            "false" => Operand::Bits(Ty::Int(1), 0),
            "null" => Operand::Null,
            "undef" => match expected {
                Some(ty) => Operand::Undef(ty),
                None => return self.error("`undef` needs a type before it, as in `i32 undef`"),
            },
            "fn" | "label" => return Ok(Operand::Address(self.address()?)),
            _ => return self.expected("an operand"),
        };
        self.advance();
        Ok(operand)
    }

    fn address_of(&mut self) -> Parsed<Operand> {
        let next = self.tokens.get(self.at + 1).copied();
        let is_slot =
            next.is_some_and(|next| next.kind == TokenKind::Word && number_after(next.text, "slot").is_some());
        if !is_slot {
            return Ok(Operand::Address(self.address()?));
        }
        self.advance();
        Ok(Operand::Slot(self.slot()?))
    }

    /// A constant address: `&global+4`, `fn main`, `label b3 of main`.
    pub(super) fn address(&mut self) -> Parsed<Address> {
        if self.eat("&") {
            let global = self.global_use()?;
            let has_offset = self.eat("+") || self.is_punct("-");
            let offset = if has_offset { self.signed_64("an offset")? } else { 0 };
            return Ok(Address::Global(global, offset));
        }
        if self.eat_word("fn") {
            return Ok(Address::Func(self.function_use()?));
        }
        if self.eat_word("label") {
            let at = self.at;
            let block = BlockId(self.id("b", "a block")?);
            self.expect_word("of")?;
            let function = self.function_use()?;
            self.label_uses.push((function, block, at));
            return Ok(Address::Label(function, block));
        }
        self.expected("an address")
    }

    pub(super) fn pointer(&mut self) -> Parsed<Operand> {
        self.operand(Some(Ty::Ptr))
    }

    /// A byte count or an index.
    pub(super) fn index(&mut self) -> Parsed<Operand> {
        self.operand(Some(word_ty(self.program.pointer_bytes)))
    }

    pub(super) fn condition(&mut self) -> Parsed<Operand> {
        self.operand(Some(Ty::Int(1)))
    }

    pub(super) fn bit_range(&mut self) -> Parsed<BitRange> {
        self.expect_word("bits")?;
        let offset = self.unsigned("a bit offset")?;
        self.expect_word("width")?;
        let bits = BitRange::new(offset, self.unsigned("a width")?);
        if !self.eat_word("beside") {
            return Ok(bits);
        }
        let before = self.unsigned("a number of bytes")?;
        Ok(BitRange { before, after: self.unsigned("a number of bytes")?, ..bits })
    }
}
