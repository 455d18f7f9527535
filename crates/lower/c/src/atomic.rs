//! Lowering of C11 atomics and of the `__atomic` and `__sync` built-ins.

use unpick_base::Span;
use unpick_program::program::{Access, BinOp, Operand, Order, RmwOp, Rvalue, StmtKind, Ty, UnOp};

use super::class::{Class, pointee};
use super::function::FunctionLowering;
use super::place::{Mem, Place};
use unpick_front_c::ast::ExprId;
use unpick_front_c::builtin::Builtin;
use unpick_front_c::types::{QualTy, TyId};

/// An atomic object: pointer to it, type, scalar type.
struct Target {
    addr: Operand,
    ty: TyId,
    scalar: Ty,
}

impl FunctionLowering<'_, '_, '_> {
    pub(super) fn atomic_builtin(&mut self, expr: ExprId, builtin: Builtin, args: &[ExprId]) -> Option<Operand> {
        let node = &self.unit.exprs[expr];
        let (span, ty) = (node.span, node.ty.ty);
        let nothing = Operand::Undef(Ty::Int(8));
        if let Some((op, is_new)) = fetch_op(builtin) {
            return self.fetch(span, op, is_new, args);
        }
        Some(match (builtin, args) {
            (Builtin::AtomicThreadFence | Builtin::SyncSynchronize, _) => {
                let order = self.order(args.first());
                self.emit(span, StmtKind::Fence(order));
                nothing
            }
            (Builtin::AtomicSignalFence, _) => nothing,
            (Builtin::AtomicIsLockFree, _) => {
                args.iter().for_each(|arg| self.effect(*arg));
                let is_free = self.constant_argument(expr).is_none_or(|answer| answer != 0);
                self.int(self.scalar(ty), i128::from(is_free))
            }
            (Builtin::AtomicLoadN, [pointer, order @ ..]) => {
                let order = self.order(order.first());
                let target = self.target(*pointer)?;
                self.atomic_load(span, &target, order)
            }
            (Builtin::AtomicLoad, [pointer, result, order @ ..]) => {
                let order = self.order(order.first());
                let target = self.target(*pointer)?;
                let result = self.value(*result);
                let value = self.atomic_load(span, &target, order);
                self.plain_store(span, &target, result, value);
                nothing
            }
            (Builtin::AtomicStoreN, [pointer, value, order @ ..]) => {
                let order = self.order(order.first());
                let target = self.target(*pointer)?;
                let value = self.operand_for(span, &target, *value);
                self.atomic_store(span, &target, value, order);
                nothing
            }
            (Builtin::AtomicStore, [pointer, value, order @ ..]) => {
                let order = self.order(order.first());
                let target = self.target(*pointer)?;
                let value = self.plain_load(span, &target, *value);
                self.atomic_store(span, &target, value, order);
                nothing
            }
            (Builtin::AtomicExchange, [pointer, value, result, order]) => {
                let order = self.order(Some(order));
                let target = self.target(*pointer)?;
                let value = self.plain_load(span, &target, *value);
                let result = self.value(*result);
                let old = self.rmw(span, RmwOp::Exchange, target.scalar, target.addr, value, order);
                self.plain_store(span, &target, result, old);
                nothing
            }
            (Builtin::AtomicTestAndSet, [pointer, order @ ..]) => {
                let order = self.order(order.first());
                let addr = self.value(*pointer);
                let byte = Ty::Int(8);
                let old = self.rmw(span, RmwOp::Exchange, byte, addr, Operand::Bits(byte, 1), order);
                let truth = self.truth_of(span, old, byte);
                self.extend_bit(span, truth, self.scalar(ty))
            }
            (Builtin::AtomicClear, [pointer, order @ ..]) => {
                let order = self.order(order.first());
                let addr = self.value(*pointer);
                let access = Access { is_volatile: false, atomic: Some(order) };
                let (ty, value) = (Ty::Int(8), Operand::Bits(Ty::Int(8), 0));
                self.emit(span, StmtKind::Store { addr, value, ty, access });
                nothing
            }
            (Builtin::SyncLockRelease, [pointer, ..]) => {
                let target = self.target(*pointer)?;
                let zero = self.int(target.scalar, 0);
                self.atomic_store(span, &target, zero, Order::Release);
                nothing
            }
            (
                Builtin::AtomicCompareExchangeN | Builtin::AtomicCompareExchange,
                [pointer, expected, desired, weak, order, failure @ ..],
            ) => {
                let (order, failure) = (self.order(Some(order)), self.order(failure.first()));
                let target = self.target(*pointer)?;
                let expected = self.value(*expected);
                let desired = match builtin {
                    Builtin::AtomicCompareExchangeN => self.operand_for(span, &target, *desired),
                    _by_pointer => self.plain_load(span, &target, *desired),
                };
                let is_weak = self.constant_argument(*weak).is_some_and(|weak| weak != 0);
                // One order stands for both outcomes, the weaker one.
                let order = if failure == Order::SeqCst { order } else { failure };
                let ok = self.compare_exchange(span, &target, expected, desired, is_weak, order);
                self.extend_bit(span, ok, self.scalar(ty))
            }
            (Builtin::SyncBoolCompareAndSwap | Builtin::SyncValCompareAndSwap, [pointer, expected, desired, ..]) => {
                let target = self.target(*pointer)?;
                let expected = self.operand_for(span, &target, *expected);
                let desired = self.operand_for(span, &target, *desired);
                let (old, ok) = self.cas(span, &target, expected, desired, false, Order::SeqCst);
                match builtin {
                    Builtin::SyncBoolCompareAndSwap => self.extend_bit(span, ok, self.scalar(ty)),
                    _value => old,
                }
            }
            _other => return None,
        })
    }

    fn target(&mut self, pointer: ExprId) -> Option<Target> {
        let ty = pointee(&self.unit.types, self.ty(pointer))?.ty;
        let Class::Scalar(scalar) = self.class(ty) else { return None };
        Some(Target { addr: self.value(pointer), ty, scalar })
    }

    /// An argument as a value of the atomic object's type.
    fn operand_for(&mut self, span: Span, target: &Target, arg: ExprId) -> Operand {
        let value = self.value(arg);
        self.convert(span, value, self.ty(arg), target.ty)
    }

    /// What a pointer argument points to.
    fn plain_load(&mut self, span: Span, target: &Target, pointer: ExprId) -> Operand {
        let addr = self.value(pointer);
        self.load(span, Place::Mem(Mem::at(addr)), QualTy::plain(target.ty))
    }

    fn plain_store(&mut self, span: Span, target: &Target, addr: Operand, value: Operand) {
        self.store(span, Place::Mem(Mem::at(addr)), QualTy::plain(target.ty), value);
    }

    fn atomic_load(&mut self, span: Span, target: &Target, order: Order) -> Operand {
        let dst = self.temp(target.scalar);
        let access = Access { is_volatile: false, atomic: Some(order) };
        self.emit(span, StmtKind::Load { dst, addr: target.addr, access });
        Operand::Reg(dst)
    }

    fn atomic_store(&mut self, span: Span, target: &Target, value: Operand, order: Order) {
        let access = Access { is_volatile: false, atomic: Some(order) };
        self.emit(span, StmtKind::Store { addr: target.addr, value, ty: target.scalar, access });
    }

    /// Fetch-and-op and op-and-fetch. Also `exchange`, which gives the old value.
    fn fetch(&mut self, span: Span, op: RmwOp, is_new: bool, args: &[ExprId]) -> Option<Operand> {
        let [pointer, value, order @ ..] = args else { return None };
        let order = self.order(order.first());
        let target = self.target(*pointer)?;
        if target.scalar == Ty::Ptr && op != RmwOp::Exchange {
            return Some(self.fetch_pointer(span, op, is_new, &target, *value, order));
        }
        let value = self.operand_for(span, &target, *value);
        let old = self.rmw(span, op, target.scalar, target.addr, value, order);
        Some(if is_new { self.rmw_result(span, op, target.scalar, old, value) } else { old })
    }

    /// Pointers step by bytes.
    fn fetch_pointer(
        &mut self,
        span: Span,
        op: RmwOp,
        is_new: bool,
        target: &Target,
        value: ExprId,
        order: Order,
    ) -> Operand {
        let bytes = self.value(value);
        let index = self.as_word(span, bytes, self.ty(value));
        let stride = match op {
            RmwOp::Add => 1,
            RmwOp::Sub => -1,
            RmwOp::Exchange | RmwOp::And | RmwOp::Or | RmwOp::Xor | RmwOp::Nand => {
                return self.unmodelled(span, "an atomic bit operation on a pointer", target.ty);
            }
        };
        self.emit(span, StmtKind::AtomicBegin);
        let old = self.atomic_load(span, target, order);
        let new = self.compute(span, Ty::Ptr, Rvalue::PtrAdd { base: old, index, stride });
        self.atomic_store(span, target, new, order);
        self.emit(span, StmtKind::AtomicEnd);
        if is_new { new } else { old }
    }

    pub(super) fn rmw(
        &mut self,
        span: Span,
        op: RmwOp,
        ty: Ty,
        addr: Operand,
        value: Operand,
        order: Order,
    ) -> Operand {
        let dst = self.temp(ty);
        self.emit(span, StmtKind::AtomicRmw { dst, op, addr, value, order });
        Operand::Reg(dst)
    }

    /// What a read-modify-write stored, from the old value.
    pub(super) fn rmw_result(&mut self, span: Span, op: RmwOp, ty: Ty, old: Operand, value: Operand) -> Operand {
        let machine = match op {
            RmwOp::Exchange => return value,
            RmwOp::Add => BinOp::Add,
            RmwOp::Sub => BinOp::Sub,
            RmwOp::And | RmwOp::Nand => BinOp::And,
            RmwOp::Or => BinOp::Or,
            RmwOp::Xor => BinOp::Xor,
        };
        let result = self.compute(span, ty, Rvalue::Binary(machine, ty, old, value));
        if op == RmwOp::Nand { self.compute(span, ty, Rvalue::Unary(UnOp::Not, ty, result)) } else { result }
    }

    fn cas(
        &mut self,
        span: Span,
        target: &Target,
        expected: Operand,
        desired: Operand,
        is_weak: bool,
        order: Order,
    ) -> (Operand, Operand) {
        let dst = self.temp(target.scalar);
        let ok = self.temp(Ty::Int(1));
        self.emit(span, StmtKind::AtomicCas { dst, ok, addr: target.addr, expected, desired, is_weak, order });
        (Operand::Reg(dst), Operand::Reg(ok))
    }

    /// With the expected value in memory, where the old value goes if it was another.
    fn compare_exchange(
        &mut self,
        span: Span,
        target: &Target,
        expected_addr: Operand,
        desired: Operand,
        is_weak: bool,
        order: Order,
    ) -> Operand {
        let plain = QualTy::plain(target.ty);
        let expected = self.load(span, Place::Mem(Mem::at(expected_addr)), plain);
        let (old, ok) = self.cas(span, target, expected, desired, is_weak, order);
        let (failed, end) = (self.new_block(), self.new_block());
        self.terminate(span, unpick_program::program::Terminator::Branch { cond: ok, then: end, otherwise: failed });
        self.switch_to(failed);
        self.plain_store(span, target, expected_addr, old);
        self.goto(span, end);
        self.switch_to(end);
        ok
    }
}

fn fetch_op(builtin: Builtin) -> Option<(RmwOp, bool)> {
    Some(match builtin {
        Builtin::AtomicExchangeN | Builtin::SyncLockTestAndSet => (RmwOp::Exchange, false),
        Builtin::AtomicFetchAdd => (RmwOp::Add, false),
        Builtin::AtomicFetchSub => (RmwOp::Sub, false),
        Builtin::AtomicFetchAnd => (RmwOp::And, false),
        Builtin::AtomicFetchOr => (RmwOp::Or, false),
        Builtin::AtomicFetchXor => (RmwOp::Xor, false),
        Builtin::AtomicFetchNand => (RmwOp::Nand, false),
        Builtin::AtomicAddFetch => (RmwOp::Add, true),
        Builtin::AtomicSubFetch => (RmwOp::Sub, true),
        Builtin::AtomicAndFetch => (RmwOp::And, true),
        Builtin::AtomicOrFetch => (RmwOp::Or, true),
        Builtin::AtomicXorFetch => (RmwOp::Xor, true),
        Builtin::AtomicNandFetch => (RmwOp::Nand, true),
        _other => return None,
    })
}
