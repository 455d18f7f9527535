//! Lowering of calls: arguments as the callee expects them, structs by copy, variable arguments in a pack.
//!
//! A variadic callee gets, as its last argument, a pointer to the pack: a temporary of the caller in which
//! each argument starts at a multiple of sixteen bytes.

use unpick_base::Span;
use unpick_program::ViolationKind;
use unpick_program::program::{Access, Address, Operand, Rvalue, Slot, StmtKind, Terminator, Ty};

use super::DeclRef;
use super::arith::bit;
use super::class::{self, Class};
use super::function::FunctionLowering;
use super::link::Kind;
use super::place::{Mem, Place};
use super::variant::ModelVariant;
use unpick_front_c::ast::{CastKind, DeclId, DeclKind, ExprId, ExprKind};
use unpick_front_c::types::{QualTy, TyId, Type};

/// Distance of arguments in a pack.
const CELL: u64 = 16;

impl FunctionLowering<'_, '_, '_> {
    /// A call; a struct result goes to `target` if given.
    pub(super) fn call(&mut self, expr: ExprId, callee: ExprId, args: &[ExprId], target: Option<Operand>) -> Operand {
        let variant = self.bounded_variant(callee, args).or_else(|| self.cancellable_variant(callee));
        self.call_as(expr, callee, args, target, variant)
    }

    /// A call whose result is unused.
    pub(super) fn call_for_effect(&mut self, expr: ExprId, callee: ExprId, args: &[ExprId]) {
        let variant = self.quiet_variant(callee).or_else(|| self.bounded_variant(callee, args));
        let variant = variant.or_else(|| self.cancellable_variant(callee));
        self.call_as(expr, callee, args, None, variant);
    }

    /// The variant stands for the callee, if given.
    fn call_as(
        &mut self,
        expr: ExprId,
        callee: ExprId,
        args: &[ExprId],
        target: Option<Operand>,
        variant: Option<ModelVariant>,
    ) -> Operand {
        let unit = self.unit;
        let node = &unit.exprs[expr];
        let (span, ret) = (node.span, node.ty.ty);
        let direct = self.direct_callee(callee);
        if let Some(decl) = direct {
            if let Some(value) = self.set_jump(span, decl, args) {
                return value;
            }
            self.announce(span, decl, args);
        }
        let pointer = match &variant {
            Some(variant) => variant.callee,
            None => self.value(callee),
        };
        let n_fixed = self.n_fixed_arguments(direct, callee, args.len());
        let mut operands = Vec::with_capacity(args.len() + 2);
        let result_slot = match self.class(ret) {
            Class::Memory => {
                let pointer = match target {
                    Some(target) => target,
                    None => Operand::Slot(self.temporary_for(span, ret)),
                };
                operands.push(pointer);
                Some(pointer)
            }
            Class::Void | Class::Scalar(_) => None,
        };
        let (fixed, variable) = args.split_at(n_fixed.unwrap_or(args.len()).min(args.len()));
        // C leaves the order of arguments open; gcc takes the last one first.
        let pack = n_fixed.is_some().then(|| self.pack(span, variable));
        let mut values: Vec<Operand> = fixed.iter().rev().map(|arg| self.argument(*arg)).collect();
        values.reverse();
        if let Some(capacity) = variant.and_then(|variant| variant.capacity) {
            values.insert(1, capacity);
        }
        operands.extend(values.into_iter().chain(pack));
        let dst = match self.class(ret) {
            Class::Scalar(scalar) => Some(self.temp(scalar)),
            Class::Void | Class::Memory => None,
        };
        let given: Vec<(Operand, TyId)> = match direct {
            Some(_) => operands[usize::from(result_slot.is_some())..]
                .iter()
                .copied()
                .zip(args.iter().map(|arg| self.ty(*arg)))
                .collect(),
            None => Vec::new(),
        };
        if let Some(decl) = direct {
            self.cancellation_point(span, decl);
        }
        self.emit(span, StmtKind::Call { dst, callee: pointer, args: operands });
        if let Some(decl) = direct {
            self.write_through_arguments(span, decl, &given);
        }
        match (dst, result_slot) {
            (Some(dst), _) => Operand::Reg(dst),
            (None, Some(slot)) => slot,
            (None, None) => Operand::Undef(Ty::Int(8)),
        }
    }

    /// `setjmp` returns to its caller more than once, so it is an instruction of the caller. Control may come back
    /// here from anywhere below: the next block is the head of a loop.
    fn set_jump(&mut self, span: Span, decl: DeclId, args: &[ExprId]) -> Option<Operand> {
        let name = self.name(self.unit.decls[decl].name);
        let is_handler = name == "__sigsetjmp_cancel";
        if is_handler && !self.cx.endings.by_unwinding {
            // Part of pthread_cleanup_push; threads end by returning, so control never comes back.
            args.iter().for_each(|arg| self.effect(*arg));
            return Some(Operand::Bits(Ty::Int(32), 0));
        }
        let is_known = is_handler || matches!(name.as_str(), "setjmp" | "_setjmp" | "__sigsetjmp" | "sigsetjmp");
        let at = DeclRef { unit: self.unit_index, decl };
        let (true, [buffer, rest @ ..]) = (is_known && !self.cx.has_users_body(at), args) else { return None };
        rest.iter().for_each(|arg| self.effect(*arg));
        let addr = self.value(*buffer);
        let dst = self.temp(Ty::Int(32));
        let anchor = self.func.slots.push(Slot { name: None, size: 1, align: 1, shape: None });
        self.emit(span, StmtKind::SetJump { dst, addr, anchor });
        let next = self.new_block();
        self.terminate(span, Terminator::Goto(next));
        self.switch_to(next);
        self.mark_loop(next, span);
        Some(Operand::Reg(dst))
    }

    /// The function a call names.
    pub(super) fn direct_callee(&self, callee: ExprId) -> Option<DeclId> {
        match self.unit.exprs[callee].kind {
            ExprKind::Decl(decl) if matches!(self.unit.decls[decl].kind, DeclKind::Function(_)) => Some(decl),
            ExprKind::AddrOf(operand) => self.direct_callee(operand),
            ExprKind::Cast {
                kind: CastKind::FunctionDecay | CastKind::NoOp | CastKind::PointerToPointer,
                operand,
                ..
            } => self.direct_callee(operand),
            _ => None,
        }
    }

    /// Calls that are the finding itself, whatever the body does: the competitions' error function, and the
    /// function behind `assert`, which has the condition's text at hand.
    fn announce(&mut self, span: Span, decl: DeclId, args: &[ExprId]) {
        let name = self.name(self.unit.decls[decl].name);
        let (kind, message) = match name.as_str() {
            "reach_error" | "__VERIFIER_error" => (ViolationKind::ReachError, format!("`{name}` is called")),
            "__assert_fail" => match args.first().and_then(|text| self.text_argument(*text)) {
                Some(text) => (ViolationKind::Assertion, format!("assertion `{text}` does not hold")),
                None => return,
            },
            _ => return,
        };
        self.emit(span, StmtKind::Assert { cond: bit(false), kind, message });
    }

    /// How many arguments come before the pack; `None` if the callee takes no pack. The definition
    /// decides if it is known, else the type at the call.
    fn n_fixed_arguments(&mut self, direct: Option<DeclId>, callee: ExprId, n_args: usize) -> Option<usize> {
        let at = direct.map(|decl| DeclRef { unit: self.unit_index, decl });
        let signature = match at.and_then(|at| self.cx.defined_signature(at)) {
            Some(signature) => signature,
            None => {
                let callee_ty = self.ty(callee);
                let types = &self.unit.types;
                class::signature(types, class::function_type(types, callee_ty)?)
            }
        };
        signature.is_variadic.then(|| signature.params.len().min(n_args))
    }

    /// One argument by value.
    fn argument(&mut self, arg: ExprId) -> Operand {
        let (span, ty) = (self.span(arg), self.ty(arg));
        let value = self.value(arg);
        if let Class::Scalar(scalar) = class::passed_class(&self.unit.types, ty)
            && self.class(ty) == Class::Memory
        {
            let dst = self.temp(scalar);
            self.emit(span, StmtKind::Load { dst, addr: value, access: Access::default() });
            return Operand::Reg(dst);
        }
        let is_fresh = matches!(self.unit.exprs[arg].kind, ExprKind::Call { .. });
        let is_list = matches!(self.unit.types.get(ty), Type::VaList);
        if self.class(ty) != Class::Memory || is_fresh || is_list {
            return value;
        }
        let slot = self.temporary_for(span, ty);
        let bytes = self.unit.types.size_of(ty).unwrap_or(0);
        self.copy(span, Operand::Slot(slot), value, bytes, Access::default());
        Operand::Slot(slot)
    }

    /// Lays the variable arguments out; the address of the pack.
    fn pack(&mut self, span: Span, args: &[ExprId]) -> Operand {
        if args.is_empty() {
            return Operand::Null;
        }
        let mut places = Vec::with_capacity(args.len());
        let mut size = 0;
        for arg in args {
            let ty = self.ty(*arg);
            places.push((*arg, ty, size, self.span(*arg)));
            size += self.unit.types.size_of(ty).unwrap_or(0).max(1).next_multiple_of(CELL);
        }
        let values: Vec<_> =
            places.into_iter().rev().map(|(arg, ty, offset, span)| (self.value(arg), ty, offset, span)).collect();
        let slot = self.temporary(span, size, CELL);
        for (value, ty, offset, span) in values.into_iter().rev() {
            let mem = Mem::at(Operand::Slot(slot)).plus(offset as i64);
            self.store(span, Place::Mem(mem), QualTy::plain(ty), value);
        }
        Operand::Slot(slot)
    }

    /// The address of a `va_list`, given as an lvalue or as the pointer it decays to.
    pub(super) fn list_address(&mut self, list: ExprId) -> Operand {
        let node = &self.unit.exprs[list];
        if let ExprKind::Cast { kind: CastKind::Load | CastKind::ArrayDecay | CastKind::NoOp, operand, .. } = node.kind
            && matches!(self.unit.types.get(self.ty(operand)), Type::VaList)
        {
            return self.list_address(operand);
        }
        match self.unit.types.get(node.ty.ty) {
            Type::VaList if self.is_lvalue(list) => self.address(list, false),
            Type::Pointer(_) if self.is_lvalue(list) => {
                let place = self.place(list, false);
                self.load(node.span, place, node.ty)
            }
            _value => self.value(list),
        }
    }

    pub(super) fn va_arg(&mut self, span: Span, list: ExprId, ty: TyId) -> Operand {
        let list = self.list_address(list);
        let access = Access::default();
        let cell = self.temp(Ty::Ptr);
        self.emit(span, StmtKind::Load { dst: cell, addr: list, access });
        let cell = Operand::Reg(cell);
        let value = self.load(span, Place::Mem(Mem::at(cell)), QualTy::plain(ty));
        let size = self.unit.types.size_of(ty).unwrap_or(0).max(1).next_multiple_of(CELL);
        let index = self.word_value(size);
        let next = self.compute(span, Ty::Ptr, Rvalue::PtrAdd { base: cell, index, stride: 1 });
        self.emit(span, StmtKind::Store { addr: list, value: next, ty: Ty::Ptr, access });
        value
    }

    pub(super) fn va_start(&mut self, span: Span, list: ExprId) {
        let list = self.list_address(list);
        let value = self.variadic_pack.map_or(Operand::Undef(Ty::Ptr), Operand::Reg);
        self.emit(span, StmtKind::Store { addr: list, value, ty: Ty::Ptr, access: Access::default() });
    }

    pub(super) fn va_copy(&mut self, span: Span, to: ExprId, from: ExprId) {
        let to = self.list_address(to);
        let from = self.list_address(from);
        let access = Access::default();
        let dst = self.temp(Ty::Ptr);
        self.emit(span, StmtKind::Load { dst, addr: from, access });
        self.emit(span, StmtKind::Store { addr: to, value: Operand::Reg(dst), ty: Ty::Ptr, access });
    }

    /// The pointer to a function named by an external name, if it is defined.
    pub(super) fn external_function(&mut self, name: &str) -> Option<Operand> {
        let def = self.cx.definition_of(name, Kind::Function)?;
        Some(Operand::Address(Address::Func(self.cx.function_id(def))))
    }
}
