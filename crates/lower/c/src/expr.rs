//! Lowering of expressions to values: a scalar operand, or the address of a struct's bytes.
//!
//! Operands are evaluated from left to right. A register variable is handed on as itself, without a copy:
//! C leaves it undefined to change an object and read it for another purpose without a sequence point.

use unpick_base::Span;
use unpick_program::program::{Address, BlockId, Operand, Rvalue, StmtKind, Terminator, Ty, UnOp};

use super::arith::bit;
use super::class::{Class, is_bool};
use super::function::FunctionLowering;
use super::globals::evaluate;
use super::place::{Mem, Place};
use unpick_front_c::ast::{BinaryOp, CastKind, ExprId, ExprKind, StmtId, StmtKind as CStmt, UnaryOp};
use unpick_front_c::consteval::ConstValue;
use unpick_front_c::types::{QualTy, TyId};

impl FunctionLowering<'_, '_, '_> {
    /// The value of an expression.
    pub(super) fn value(&mut self, expr: ExprId) -> Operand {
        let unit = self.unit;
        let node = &unit.exprs[expr];
        let (span, ty) = (node.span, node.ty.ty);
        match &node.kind {
            ExprKind::Decl(_)
            | ExprKind::Deref(_)
            | ExprKind::Index { .. }
            | ExprKind::CompoundLiteral { .. }
            | ExprKind::Str { .. } => self.lvalue_as_value(expr),
            ExprKind::Member { .. } => {
                let place = self.place(expr, false);
                self.load(span, place, node.ty)
            }
            ExprKind::Int(value) => self.constant(span, ty, *value),
            ExprKind::Float(_) => match (evaluate(unit, expr), self.class(ty)) {
                (Some(ConstValue::Float { bits, .. }), Class::Scalar(scalar)) => Operand::Bits(scalar, bits),
                _other => self.unmodelled(span, "a floating constant of an unsupported type", ty),
            },
            ExprKind::LabelAddr(label) => {
                let block = self.label_block(*label);
                Operand::Address(Address::Label(self.id, block))
            }
            ExprKind::AddrOf(operand) => self.address_of(*operand),
            ExprKind::Cast { kind: CastKind::Vector, operand, is_implicit } => {
                self.vector_cast(span, *operand, ty, *is_implicit)
            }
            ExprKind::Cast { kind, operand, .. } => self.cast(expr, *kind, *operand),
            ExprKind::Unary(op, operand) => self.unary(expr, *op, *operand),
            ExprKind::Binary(op, left, right) if self.elements(self.ty(*left)).is_some() => {
                let (first, second) = (self.value(*left), self.value(*right));
                self.vector_binary(span, *op, self.ty(*left), first, second, ty)
            }
            ExprKind::Binary(op, left, right) => {
                let result = self.binary_expr(span, *op, *left, *right);
                if is_comparison(*op) { self.extend_bit(span, result, self.scalar(ty)) } else { result }
            }
            ExprKind::LogAnd(..) | ExprKind::LogOr(..) => self.logical(expr),
            ExprKind::Cond { cond, then, otherwise } => self.conditional(expr, *cond, *then, *otherwise),
            ExprKind::CondElvis { cond, converted, otherwise } => self.elvis(expr, *cond, *converted, *otherwise),
            ExprKind::CondValue => self.cond_values.last().copied().unwrap_or(Operand::Undef(self.scalar(ty))),
            ExprKind::Comma(left, right) => {
                self.effect(*left);
                // Analysis makes such a comma of operands of unknown types, as of unknown built-ins.
                if self.class(self.ty(*right)) != self.class(ty) {
                    self.effect(*right);
                    return self.unmodelled(span, "an operation on a value of unknown type", ty);
                }
                self.value(*right)
            }
            ExprKind::Assign { lhs, rhs } => self.assign(span, *lhs, *rhs, true),
            ExprKind::CompoundAssign { op, lhs, rhs, compute } => {
                self.compound_assign(span, *op, *lhs, *rhs, *compute, true)
            }
            ExprKind::IncDec { lhs, is_inc, is_prefix } => self.inc_dec(span, *lhs, *is_inc, *is_prefix, true),
            ExprKind::Call { callee, args } => self.call(expr, *callee, args, None),
            ExprKind::Builtin { builtin, args } => self.builtin(expr, *builtin, args),
            ExprKind::VaArg { list } => self.va_arg(span, *list, ty),
            ExprKind::StmtExpr(body) => self.stmt_expr(span, *body, ty),
            ExprKind::SizeofVla(of) => {
                let size = self.size_value(span, of.ty);
                match self.scalar(ty) {
                    Ty::Int(bits) => self.resize(span, size, self.word_bits(), bits, false),
                    Ty::F32 | Ty::F64 | Ty::F80 | Ty::F128 | Ty::Ptr => size,
                }
            }
            ExprKind::Error => self.unmodelled(span, "an expression that could not be understood", ty),
        }
    }

    /// Evaluates for the effects only.
    pub(super) fn effect(&mut self, expr: ExprId) {
        let node = &self.unit.exprs[expr];
        let span = node.span;
        match &node.kind {
            ExprKind::Assign { lhs, rhs } => {
                self.assign(span, *lhs, *rhs, false);
            }
            ExprKind::CompoundAssign { op, lhs, rhs, compute } => {
                self.compound_assign(span, *op, *lhs, *rhs, *compute, false);
            }
            ExprKind::IncDec { lhs, is_inc, .. } => {
                self.inc_dec(span, *lhs, *is_inc, true, false);
            }
            ExprKind::Cast { kind: CastKind::ToVoid | CastKind::NoOp, operand, .. } => self.effect(*operand),
            ExprKind::Comma(left, right) => {
                self.effect(*left);
                self.effect(*right);
            }
            ExprKind::LogAnd(..) | ExprKind::LogOr(..) => {
                let end = self.new_block();
                self.condition(expr, end, end);
                self.switch_to(end);
            }
            ExprKind::Cond { cond, then, otherwise } => {
                let (then_block, otherwise_block, end) = (self.new_block(), self.new_block(), self.new_block());
                self.condition(*cond, then_block, otherwise_block);
                for (block, arm) in [(then_block, *then), (otherwise_block, *otherwise)] {
                    self.switch_to(block);
                    self.effect(arm);
                    self.goto(span, end);
                }
                self.switch_to(end);
            }
            ExprKind::Call { callee, args, .. } => self.call_for_effect(expr, *callee, args),
            ExprKind::Cast { kind: CastKind::Load, operand, .. } => self.read(*operand),
            ExprKind::Deref(_) | ExprKind::Member { .. } | ExprKind::Index { .. } => self.read(expr),
            _other => {
                self.value(expr);
            }
        }
    }

    /// Reads an object whose value is unused. A struct behind a pointer has to be there as well: its bytes are copied
    /// to nowhere.
    fn read(&mut self, lvalue: ExprId) {
        let node = &self.unit.exprs[lvalue];
        let (span, ty) = (node.span, node.ty);
        if !self.is_lvalue(lvalue) {
            self.value(lvalue);
            return;
        }
        let place = self.place(lvalue, false);
        let value = self.load(span, place, ty);
        if self.class(ty.ty) == Class::Memory
            && self.is_behind_pointer(lvalue)
            && !self.unit.types.is_array(ty.ty)
            && let Some(bytes) = self.unit.types.size_of(ty.ty)
        {
            let slot = self.temporary_for(span, ty.ty);
            self.copy(span, Operand::Slot(slot), value, bytes, self.access(ty));
        }
    }

    pub(super) fn is_lvalue(&self, expr: ExprId) -> bool {
        match self.unit.exprs[expr].kind {
            ExprKind::Decl(_)
            | ExprKind::Deref(_)
            | ExprKind::Index { .. }
            | ExprKind::CompoundLiteral { .. }
            | ExprKind::Str { .. } => true,
            ExprKind::Member { base, .. } => self.is_lvalue(base),
            _ => false,
        }
    }

    fn lvalue_as_value(&mut self, expr: ExprId) -> Operand {
        let node = &self.unit.exprs[expr];
        match self.place(expr, false) {
            Place::Reg(reg) => Operand::Reg(reg),
            Place::Mem(mem) => match self.class(node.ty.ty) {
                Class::Scalar(_) => self.load(node.span, Place::Mem(mem), node.ty),
                Class::Void | Class::Memory => self.pointer(node.span, mem),
            },
            place @ Place::Bits(..) => self.load(node.span, place, node.ty),
        }
    }

    fn constant(&mut self, span: Span, ty: TyId, value: i128) -> Operand {
        match self.class(ty) {
            Class::Scalar(Ty::Ptr) if value != 0 => {
                let word = self.word();
                let bits = self.int(word, value);
                let cast = Rvalue::Cast(unpick_program::program::CastOp::IntToPtr, word, Ty::Ptr, bits);
                self.compute(span, Ty::Ptr, cast)
            }
            Class::Scalar(scalar) => self.int(scalar, value),
            Class::Void | Class::Memory => self.unmodelled(span, "an integer constant of an unsupported type", ty),
        }
    }

    fn address_of(&mut self, operand: ExprId) -> Operand {
        match self.unit.exprs[operand].kind {
            ExprKind::Deref(pointer) => self.value(pointer),
            ExprKind::Index { .. } => self.address(operand, true),
            _ => self.address(operand, false),
        }
    }

    fn cast(&mut self, expr: ExprId, kind: CastKind, operand: ExprId) -> Operand {
        let node = &self.unit.exprs[expr];
        let (span, to) = (node.span, node.ty.ty);
        match kind {
            CastKind::Load => {
                let place = self.place(operand, false);
                let inner = &self.unit.exprs[operand];
                self.load(inner.span, place, inner.ty)
            }
            CastKind::ArrayDecay => {
                let is_index = matches!(self.unit.exprs[operand].kind, ExprKind::Index { .. });
                self.address(operand, is_index)
            }
            CastKind::FunctionDecay => match self.unit.exprs[operand].kind {
                ExprKind::Deref(pointer) => self.value(pointer),
                _ => self.address(operand, false),
            },
            CastKind::IntToInt
            | CastKind::IntToFloat
            | CastKind::FloatToInt
            | CastKind::FloatToFloat
            | CastKind::IntToPointer
            | CastKind::PointerToInt
            | CastKind::ToBool => {
                if self.class(to) == Class::Memory || self.class(self.ty(operand)) == Class::Memory {
                    self.effect(operand);
                    return self.unmodelled(span, "a conversion of half precision numbers", to);
                }
                if kind == CastKind::ToBool && !is_bool(&self.unit.types, to) {
                    let truth = self.truth(operand);
                    return self.extend_bit(span, truth, self.scalar(to));
                }
                let value = self.value(operand);
                self.convert(span, value, self.ty(operand), to)
            }
            CastKind::PointerToPointer | CastKind::NoOp => {
                let value = self.value(operand);
                match (self.class(to), self.class(self.ty(operand))) {
                    (Class::Scalar(a), Class::Scalar(b)) if a != b => self.convert(span, value, self.ty(operand), to),
                    // A value of unknown type, as of an unknown built-in, taken for a vector or the like.
                    (Class::Memory, Class::Scalar(_)) | (Class::Scalar(_), Class::Memory) => {
                        self.unmodelled(span, "an operation on a value of unknown type", to)
                    }
                    _same => value,
                }
            }
            CastKind::NullToPointer => {
                self.effect(operand);
                Operand::Null
            }
            CastKind::ToVoid => {
                self.effect(operand);
                Operand::Undef(Ty::Int(8))
            }
            CastKind::ToUnion => {
                let value = self.value(operand);
                let slot = self.temporary_for(span, to);
                let ty = QualTy::plain(self.ty(operand));
                self.store(span, Place::Mem(Mem::at(Operand::Slot(slot))), ty, value);
                Operand::Slot(slot)
            }
            CastKind::Complex => self.unmodelled(span, "complex numbers", to),
            CastKind::Vector => self.unmodelled(span, "vectors", to),
        }
    }

    fn unary(&mut self, expr: ExprId, op: UnaryOp, operand: ExprId) -> Operand {
        let node = &self.unit.exprs[expr];
        let (span, ty) = (node.span, node.ty.ty);
        match op {
            UnaryOp::LogNot => {
                let truth = self.truth(operand);
                let not = self.not(span, truth);
                self.extend_bit(span, not, self.scalar(ty))
            }
            UnaryOp::Real | UnaryOp::Imag => self.unmodelled(span, "complex numbers", ty),
            UnaryOp::Neg | UnaryOp::BitNot | UnaryOp::Plus => {
                let value = self.value(operand);
                if self.elements(ty).is_some() {
                    return self.vector_unary(span, op, ty, value);
                }
                self.plain_unary(span, op, ty, value)
            }
        }
    }

    /// `-`, `~` or `+` of a value.
    pub(super) fn plain_unary(&mut self, span: Span, op: UnaryOp, ty: TyId, value: Operand) -> Operand {
        let Class::Scalar(scalar) = self.class(ty) else {
            return self.unmodelled(span, "arithmetic on complex numbers or vectors", ty);
        };
        match (op, value) {
            (UnaryOp::Plus, _) => value,
            (UnaryOp::Neg, _) => self.negate(span, value, ty),
            (_, Operand::Bits(Ty::Int(_), bits)) => self.int(scalar, !bits as i128),
            _not => self.compute(span, scalar, Rvalue::Unary(UnOp::Not, scalar, value)),
        }
    }

    /// A binary operation on two expressions; a comparison gives an `Int(1)`.
    fn binary_expr(&mut self, span: Span, op: BinaryOp, left: ExprId, right: ExprId) -> Operand {
        let left_value = self.value(left);
        let right_value = self.value(right);
        self.binary(span, op, self.ty(left), left_value, right_value, self.ty(right))
    }

    /// Whether an expression is not zero, as an `Int(1)`.
    pub(super) fn truth(&mut self, expr: ExprId) -> Operand {
        let node = &self.unit.exprs[expr];
        let span = node.span;
        match &node.kind {
            ExprKind::Binary(op, left, right) if is_comparison(*op) => self.binary_expr(span, *op, *left, *right),
            ExprKind::Unary(UnaryOp::LogNot, operand) => {
                let truth = self.truth(*operand);
                self.not(span, truth)
            }
            ExprKind::Cast { kind: CastKind::ToBool, operand, .. } => self.truth(*operand),
            _other => {
                let ty = node.ty.ty;
                let value = self.value(expr);
                match self.class(ty) {
                    Class::Scalar(scalar) => self.truth_of(span, value, scalar),
                    Class::Void | Class::Memory => {
                        self.emit(span, StmtKind::Unmodelled("a condition that is not a scalar".to_owned()));
                        bit(false)
                    }
                }
            }
        }
    }

    /// Branches on an expression, evaluating no more of it than C does.
    pub(super) fn condition(&mut self, expr: ExprId, then: BlockId, otherwise: BlockId) {
        let node = &self.unit.exprs[expr];
        let span = node.span;
        match &node.kind {
            ExprKind::LogAnd(left, right) => {
                let middle = self.new_block();
                self.condition(*left, middle, otherwise);
                self.switch_to(middle);
                self.condition(*right, then, otherwise);
            }
            ExprKind::LogOr(left, right) => {
                let middle = self.new_block();
                self.condition(*left, then, middle);
                self.switch_to(middle);
                self.condition(*right, then, otherwise);
            }
            ExprKind::Unary(UnaryOp::LogNot, operand) => self.condition(*operand, otherwise, then),
            ExprKind::Cast { kind: CastKind::ToBool, operand, .. } => self.condition(*operand, then, otherwise),
            ExprKind::Comma(left, right) => {
                self.effect(*left);
                self.condition(*right, then, otherwise);
            }
            _other => match self.truth(expr) {
                Operand::Bits(_, 0) => self.goto(span, otherwise),
                Operand::Bits(..) => self.goto(span, then),
                cond => self.terminate(span, Terminator::Branch { cond, then, otherwise }),
            },
        }
    }

    /// `&&` and `||` as a value.
    fn logical(&mut self, expr: ExprId) -> Operand {
        let (span, ty) = (self.span(expr), self.scalar(self.ty(expr)));
        let (then, otherwise, end) = (self.new_block(), self.new_block(), self.new_block());
        let result = self.temp(ty);
        self.condition(expr, then, otherwise);
        for (block, value) in [(then, 1), (otherwise, 0)] {
            self.switch_to(block);
            self.emit(span, StmtKind::Assign(result, Rvalue::Use(self.int(ty, value))));
            self.goto(span, end);
        }
        self.switch_to(end);
        Operand::Reg(result)
    }

    fn conditional(&mut self, expr: ExprId, cond: ExprId, then: ExprId, otherwise: ExprId) -> Operand {
        let (then_block, otherwise_block) = (self.new_block(), self.new_block());
        self.condition(cond, then_block, otherwise_block);
        self.merge(expr, [(then_block, then), (otherwise_block, otherwise)])
    }

    /// The value of whichever of two expressions control comes to.
    fn merge(&mut self, expr: ExprId, arms: [(BlockId, ExprId); 2]) -> Operand {
        let (span, ty) = (self.span(expr), self.ty(expr));
        let end = self.new_block();
        let result = match self.class(ty) {
            Class::Void => None,
            Class::Scalar(scalar) => Some(self.temp(scalar)),
            Class::Memory => Some(self.temp(Ty::Ptr)),
        };
        for (block, arm) in arms {
            self.switch_to(block);
            match result {
                Some(result) => {
                    let value = self.value(arm);
                    self.assign_reg(self.span(arm), result, value);
                }
                None => self.effect(arm),
            }
            self.goto(span, end);
        }
        self.switch_to(end);
        result.map_or(Operand::Undef(Ty::Int(8)), Operand::Reg)
    }

    fn elvis(&mut self, expr: ExprId, cond: ExprId, converted: ExprId, otherwise: ExprId) -> Operand {
        let span = self.span(cond);
        let (then_block, otherwise_block) = (self.new_block(), self.new_block());
        let scalar = self.scalar(self.ty(cond));
        let value = self.value(cond);
        // The value is needed twice, so it gets a register of its own.
        let held = self.temp(scalar);
        self.pinned.insert(held);
        self.emit(span, StmtKind::Assign(held, Rvalue::Use(value)));
        let truth = self.truth_of(span, Operand::Reg(held), scalar);
        self.terminate(span, Terminator::Branch { cond: truth, then: then_block, otherwise: otherwise_block });
        self.cond_values.push(Operand::Reg(held));
        let result = self.merge(expr, [(then_block, converted), (otherwise_block, otherwise)]);
        self.cond_values.pop();
        result
    }

    /// `({ ... })`: the value of the last statement if it is an expression.
    fn stmt_expr(&mut self, span: Span, body: StmtId, ty: TyId) -> Operand {
        let CStmt::Block(stmts) = &self.unit.stmts[body].kind else {
            self.stmt(body);
            return Operand::Undef(self.scalar(ty));
        };
        self.scopes.open();
        let mut result = Operand::Undef(self.scalar(ty));
        for (index, stmt) in stmts.iter().enumerate() {
            match self.last_expr(*stmt) {
                Some(last) if index + 1 == stmts.len() => result = self.last_value(span, last, ty),
                _inner => self.stmt(*stmt),
            }
        }
        self.close_scope(span);
        result
    }

    fn last_expr(&self, stmt: StmtId) -> Option<ExprId> {
        match self.unit.stmts[stmt].kind {
            CStmt::Expr(expr) => Some(expr),
            _ => None,
        }
    }

    fn last_value(&mut self, span: Span, last: ExprId, ty: TyId) -> Operand {
        match self.class(ty) {
            Class::Void => {
                self.effect(last);
                Operand::Undef(Ty::Int(8))
            }
            Class::Scalar(scalar) => {
                // A variable of the block keeps its register, but may be assigned again before the use; the address of
                // an object of the block has to be taken while the object lives.
                match self.value(last) {
                    Operand::Reg(reg) if self.func.regs[reg].name.is_some() => {
                        self.compute(span, scalar, Rvalue::Use(Operand::Reg(reg)))
                    }
                    Operand::Slot(slot) => self.compute(span, scalar, Rvalue::Use(Operand::Slot(slot))),
                    value => value,
                }
            }
            // The object may end with the block: its bytes move out.
            Class::Memory => {
                let value = self.value(last);
                let slot = self.temporary_for(span, ty);
                let bytes = self.unit.types.size_of(ty).unwrap_or(0);
                self.copy(span, Operand::Slot(slot), value, bytes, Default::default());
                Operand::Slot(slot)
            }
        }
    }
}

pub(super) fn is_comparison(op: BinaryOp) -> bool {
    match op {
        BinaryOp::Lt | BinaryOp::Gt | BinaryOp::Le | BinaryOp::Ge | BinaryOp::Eq | BinaryOp::Ne => true,
        BinaryOp::Mul
        | BinaryOp::Div
        | BinaryOp::Rem
        | BinaryOp::Add
        | BinaryOp::Sub
        | BinaryOp::Shl
        | BinaryOp::Shr
        | BinaryOp::BitAnd
        | BinaryOp::BitXor
        | BinaryOp::BitOr
        | BinaryOp::PtrAdd
        | BinaryOp::PtrSub
        | BinaryOp::PtrDiff => false,
    }
}
