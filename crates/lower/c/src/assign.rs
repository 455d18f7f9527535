//! Lowering of assignments in all forms: the place first, then the right side, then the store.

use unpick_base::Span;
use unpick_program::program::{Operand, Order, RmwOp, Rvalue, StmtKind, Ty};

use super::class::{Class, is_bool};
use super::function::FunctionLowering;
use super::place::Place;
use unpick_front_c::ast::{BinaryOp, ExprId};
use unpick_front_c::consteval::float;
use unpick_front_c::types::{QualTy, TyId};

impl FunctionLowering<'_, '_, '_> {
    pub(super) fn assign(&mut self, span: Span, lhs: ExprId, rhs: ExprId, is_used: bool) -> Operand {
        let ty = self.unit.exprs[lhs].ty;
        let place = self.place(lhs, false);
        let value = self.value(rhs);
        self.finish_assign(span, place, ty, value, is_used)
    }

    /// Stores, and gives the value of the assignment if it is used.
    fn finish_assign(&mut self, span: Span, place: Place, ty: QualTy, value: Operand, is_used: bool) -> Operand {
        self.store(span, place, ty, value);
        match place {
            Place::Reg(reg) => Operand::Reg(reg),
            Place::Bits(_, bits) if is_used => self.truncate_to(span, value, bits, ty),
            Place::Mem(_) | Place::Bits(..) => value,
        }
    }

    pub(super) fn compound_assign(
        &mut self,
        span: Span,
        op: BinaryOp,
        lhs: ExprId,
        rhs: ExprId,
        compute: TyId,
        is_used: bool,
    ) -> Operand {
        let ty = self.unit.exprs[lhs].ty;
        let place = self.place(lhs, false);
        let right = self.value(rhs);
        if self.elements(ty.ty).is_some() && compute == ty.ty && !ty.is_atomic() {
            let old = self.load(span, place, ty);
            let new = self.vector_binary(span, op, ty.ty, old, right, ty.ty);
            return self.finish_assign(span, place, ty, new, is_used);
        }
        if self.class(ty.ty) == Class::Memory || self.class(compute) == Class::Memory {
            return self.unmodelled(span, "arithmetic on complex numbers or vectors", ty.ty);
        }
        let right_ty = self.ty(rhs);
        if ty.is_atomic() {
            return self.atomic_update(span, place, ty, |this, old| {
                let wide = this.convert(span, old, ty.ty, compute);
                let result = this.binary(span, op, compute, wide, right, right_ty);
                this.convert(span, result, compute, ty.ty)
            });
        }
        let old = self.load(span, place, ty);
        let wide = self.convert(span, old, ty.ty, compute);
        let result = self.binary(span, op, compute, wide, right, right_ty);
        let back = self.convert(span, result, compute, ty.ty);
        self.finish_assign(span, place, ty, back, is_used)
    }

    /// A read-modify-write of an atomic object by an operation that is no single instruction; gives the
    /// new value.
    fn atomic_update(
        &mut self,
        span: Span,
        place: Place,
        ty: QualTy,
        update: impl FnOnce(&mut Self, Operand) -> Operand,
    ) -> Operand {
        self.emit(span, StmtKind::AtomicBegin);
        let old = self.load(span, place, ty);
        let new = update(self, old);
        self.store(span, place, ty, new);
        self.emit(span, StmtKind::AtomicEnd);
        new
    }

    pub(super) fn inc_dec(&mut self, span: Span, lhs: ExprId, is_inc: bool, is_prefix: bool, is_used: bool) -> Operand {
        let ty = self.unit.exprs[lhs].ty;
        let place = self.place(lhs, false);
        if self.class(ty.ty) == Class::Memory {
            return self.unmodelled(span, "a step of a complex number or a vector", ty.ty);
        }
        let scalar = self.scalar(ty.ty);
        if ty.is_atomic()
            && matches!(scalar, Ty::Int(_))
            && !is_bool(&self.unit.types, ty.ty)
            && let Place::Mem(mem) = place
        {
            let addr = self.pointer(span, mem);
            let one = self.int(scalar, 1);
            let op = if is_inc { RmwOp::Add } else { RmwOp::Sub };
            let old = self.rmw(span, op, scalar, addr, one, Order::SeqCst);
            return if is_prefix && is_used { self.rmw_result(span, op, scalar, old, one) } else { old };
        }
        if ty.is_atomic() {
            self.emit(span, StmtKind::AtomicBegin);
        }
        let loaded = self.load(span, place, ty);
        let old = match (place, is_prefix) {
            // The old value has to survive the change of its register.
            (Place::Reg(_), false) if is_used => self.compute(span, scalar, Rvalue::Use(loaded)),
            _other => loaded,
        };
        let new = self.step_by_one(span, place, ty.ty, old, is_inc);
        let result = self.finish_assign(span, place, ty, new, is_used && is_prefix);
        if ty.is_atomic() {
            self.emit(span, StmtKind::AtomicEnd);
        }
        if is_prefix { result } else { old }
    }

    fn step_by_one(&mut self, span: Span, place: Place, ty: TyId, old: Operand, is_inc: bool) -> Operand {
        let op = if is_inc { BinaryOp::Add } else { BinaryOp::Sub };
        match self.scalar(ty) {
            Ty::Ptr => {
                let one = self.word_value(1);
                let index_ty = if self.word_bits() == 64 { TyId::LONGLONG } else { TyId::INT };
                self.pointer_step(span, ty, old, one, index_ty, !is_inc)
            }
            Ty::Int(bits) => {
                let is_narrow_field = matches!(place, Place::Bits(_, field) if field.width < 32);
                // Narrow objects are promoted to `int`, and the result is cut back without complaint.
                let compute = if bits < 32 || is_narrow_field { TyId::INT } else { ty };
                let wide = self.convert(span, old, ty, compute);
                let one = self.int(self.scalar(compute), 1);
                let result = self.binary(span, op, compute, wide, one, compute);
                self.convert(span, result, compute, ty)
            }
            scalar @ (Ty::F32 | Ty::F64 | Ty::F80 | Ty::F128) => {
                let kind = self.unit.types.float_kind_of(ty);
                let bits = kind.map_or(0, |kind| float::from_int(kind, 1, true));
                self.binary(span, op, ty, old, Operand::Bits(scalar, bits), ty)
            }
        }
    }
}
