//! Parser of computations on registers.

use super::{Parsed, Parser};
use crate::program::*;
use crate::text::words::Word;

impl Parser<'_> {
    /// What follows `rN =` if it is no instruction of its own.
    pub(super) fn rvalue(&mut self, dst: RegId) -> Parsed<Rvalue> {
        let dst_ty = self.function.regs.get(dst).map(|reg| reg.ty);
        let word = self.token().text;
        let (head, suffix) = word.split_once('.').unwrap_or((word, ""));
        if let Some(op) = BinOp::from_word(head) {
            return self.binary(op, suffix);
        }
        if let Some(op) = UnOp::from_word(word) {
            self.advance();
            let ty = self.ty()?;
            return Ok(Rvalue::Unary(op, ty, self.operand(Some(ty))?));
        }
        if let Some(op) = CastOp::from_word(word) {
            self.advance();
            let from = self.ty()?;
            let operand = self.operand(Some(from))?;
            self.expect_word("to")?;
            return Ok(Rvalue::Cast(op, from, self.ty()?, operand));
        }
        match head {
            "cmp" => {
                self.advance();
                let op = self.table_word(Some(suffix), "a comparison such as `cmp.slt`")?;
                let (ty, left, right) = self.two()?;
                Ok(Rvalue::Compare(op, ty, left, right))
            }
            "ptradd" => {
                self.advance();
                let base = self.pointer()?;
                self.expect(",")?;
                let index = self.index()?;
                self.expect("*")?;
                Ok(Rvalue::PtrAdd { base, index, stride: self.signed_64("a stride")? })
            }
            "ptrdiff" => {
                self.advance();
                let left = self.pointer()?;
                self.expect(",")?;
                let right = self.pointer()?;
                self.expect("/")?;
                Ok(Rvalue::PtrDiff { left, right, stride: self.unsigned("a stride")? })
            }
            "select" => {
                self.advance();
                let cond = self.condition()?;
                self.expect("?")?;
                let then = self.operand(dst_ty)?;
                self.expect(":")?;
                Ok(Rvalue::Select { cond, then, otherwise: self.operand(dst_ty)? })
            }
            _ => Ok(Rvalue::Use(self.operand(dst_ty)?)),
        }
    }

    fn binary(&mut self, op: BinOp, suffix: &str) -> Parsed<Rvalue> {
        let at = self.at;
        self.advance();
        let (ty, left, right) = self.two()?;
        match suffix {
            "" => Ok(Rvalue::Binary(op, ty, left, right)),
            "checked" => Ok(Rvalue::Checked(op, ty, left, right)),
            "overflows.signed" => Ok(Rvalue::Overflows { op, is_signed: true, ty, left, right }),
            "overflows.unsigned" => Ok(Rvalue::Overflows { op, is_signed: false, ty, left, right }),
            _ => Err(self.error_at(at, format!("`.{suffix}` is no way to compute; `.checked` is"))),
        }
    }

    fn two(&mut self) -> Parsed<(Ty, Operand, Operand)> {
        let ty = self.ty()?;
        let left = self.operand(Some(ty))?;
        self.expect(",")?;
        Ok((ty, left, self.operand(Some(ty))?))
    }
}
