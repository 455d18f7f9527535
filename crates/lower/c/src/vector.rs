//! Vector types of gcc (`vector_size`): bytes in memory, computed element by element.

use unpick_base::Span;
use unpick_program::program::{BinOp, Operand, Rvalue};

use super::class::Class;
use super::expr::is_comparison;
use super::function::FunctionLowering;
use super::place::{Mem, Place};
use unpick_front_c::ast::{BinaryOp, ExprId, UnaryOp};
use unpick_front_c::types::{QualTy, TyId, Type};

/// What a vector consists of.
#[derive(Clone, Copy)]
pub(super) struct Elements {
    pub ty: TyId,
    pub stride: u64,
    pub len: u64,
}

impl FunctionLowering<'_, '_, '_> {
    pub(super) fn elements(&self, ty: TyId) -> Option<Elements> {
        let Type::Vector { element, bytes } = *self.unit.types.get(ty) else { return None };
        let stride = self.unit.types.size_of(element).filter(|stride| *stride > 0)?;
        let is_scalar = matches!(self.class(element), Class::Scalar(_));
        is_scalar.then_some(Elements { ty: element, stride, len: bytes / stride })
    }

    fn vector_element(&mut self, span: Span, vector: Operand, at: u64, elements: Elements) -> Operand {
        let mem = Mem::at(vector).plus((at * elements.stride) as i64);
        self.load(span, Place::Mem(mem), QualTy::plain(elements.ty))
    }

    /// A new vector out of a value for each element.
    fn vector(&mut self, span: Span, ty: TyId, mut element: impl FnMut(&mut Self, u64) -> Operand) -> Operand {
        let Some(elements) = self.elements(ty) else {
            return self.unmodelled(span, "a vector of an unsupported type", ty);
        };
        let slot = Operand::Slot(self.temporary_for(span, ty));
        for at in 0..elements.len {
            let value = element(self, at);
            let mem = Mem::at(slot).plus((at * elements.stride) as i64);
            self.store(span, Place::Mem(mem), QualTy::plain(elements.ty), value);
        }
        slot
    }

    /// An operation on two vectors of type `ty`; a comparison gives 0 or -1 in elements of the same width.
    pub(super) fn vector_binary(
        &mut self,
        span: Span,
        op: BinaryOp,
        ty: TyId,
        left: Operand,
        right: Operand,
        result: TyId,
    ) -> Operand {
        let Some(elements) = self.elements(ty) else {
            return self.unmodelled(span, "a vector of an unsupported type", result);
        };
        let mask = self.elements(result).map(|mask| self.scalar(mask.ty));
        self.vector(span, result, |this, at| {
            let left = this.vector_element(span, left, at, elements);
            let right = this.vector_element(span, right, at, elements);
            let value = this.binary(span, op, elements.ty, left, right, elements.ty);
            match mask {
                Some(mask) if is_comparison(op) => {
                    let one = this.extend_bit(span, value, mask);
                    let zero = this.int(mask, 0);
                    this.compute(span, mask, Rvalue::Binary(BinOp::Sub, mask, zero, one))
                }
                _ => value,
            }
        })
    }

    pub(super) fn vector_unary(&mut self, span: Span, op: UnaryOp, ty: TyId, operand: Operand) -> Operand {
        let Some(elements) = self.elements(ty) else {
            return self.unmodelled(span, "a vector of an unsupported type", ty);
        };
        self.vector(span, ty, |this, at| {
            let value = this.vector_element(span, operand, at, elements);
            this.plain_unary(span, op, elements.ty, value)
        })
    }

    /// Between vectors, and between a vector and a scalar of its size, the bytes stay what they are; a scalar
    /// beside a vector stands for a vector that has it everywhere.
    pub(super) fn vector_cast(&mut self, span: Span, operand: ExprId, to: TyId, is_implicit: bool) -> Operand {
        let from = self.ty(operand);
        let value = self.value(operand);
        let size = |ty: TyId| self.unit.types.size_of(ty);
        let is_same_size = size(from) == size(to);
        match (self.elements(from), self.elements(to)) {
            (Some(_), Some(_)) if is_same_size => value,
            (None, Some(elements)) if is_implicit && matches!(self.class(from), Class::Scalar(_)) => {
                let value = self.convert(span, value, from, elements.ty);
                self.vector(span, to, |_, _| value)
            }
            (None, Some(_)) if is_same_size && matches!(self.class(from), Class::Scalar(_)) => {
                let slot = Operand::Slot(self.temporary_for(span, to));
                self.store(span, Place::Mem(Mem::at(slot)), QualTy::plain(from), value);
                slot
            }
            (Some(_), None) if is_same_size && matches!(self.class(to), Class::Scalar(_)) => {
                self.load(span, Place::Mem(Mem::at(value)), QualTy::plain(to))
            }
            _ => self.unmodelled(span, "a conversion of vectors", to),
        }
    }
}
