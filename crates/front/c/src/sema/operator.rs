//! Analysis of binary operators, assignment and the conditional operator.

use unpick_base::Span;

use super::Sema;
use super::convert::Why;
use crate::ast::{self, ExprId, ExprKind};
use crate::syntax::{self, BinaryOp, Expr};
use crate::types::{QualSet, QualTy, TyId, Type};

impl Sema {
    /// A binary expression; its left spine is walked without recursion because sums can be long.
    pub(super) fn binary_chain(&mut self, expr: &Expr) -> ExprId {
        let mut spine = Vec::new();
        let mut at = expr;
        while let syntax::ExprKind::Binary(op, left, right) = &at.kind {
            spine.push((*op, right, at.span));
            at = left;
        }
        let mut left = self.rvalue(at);
        for (op, right, span) in spine.into_iter().rev() {
            let right = self.rvalue(right);
            left = self.binary(op, left, right, span);
        }
        left
    }

    fn binary(&mut self, op: BinaryOp, left: ExprId, right: ExprId, span: Span) -> ExprId {
        if matches!(op, BinaryOp::LogAnd | BinaryOp::LogOr) {
            self.check_scalar(left);
            self.check_scalar(right);
            let kind =
                if op == BinaryOp::LogAnd { ExprKind::LogAnd(left, right) } else { ExprKind::LogOr(left, right) };
            return self.add_value(kind, TyId::INT, span);
        }
        if self.is_error(left) || self.is_error(right) {
            // Keeps unmodelled built-ins in the tree, so that reaching them is still noticed.
            let ty = if is_comparison(op) { TyId::INT } else { TyId::ERROR };
            return self.add_value(ExprKind::Comma(left, right), ty, span);
        }
        let (a, b) = (self.ty_of(left), self.ty_of(right));
        if self.is_vector(a) || self.is_vector(b) {
            return self.vector_binary(op, left, right, span);
        }
        let (pa, pb) = (self.is_pointer(a), self.is_pointer(b));
        match op {
            _ if is_comparison(op) => self.comparison(op, left, right, span),
            BinaryOp::Add if pa && self.is_integer(b) => self.pointer_step(ast::BinaryOp::PtrAdd, left, right, span),
            BinaryOp::Add if pb && self.is_integer(a) => self.pointer_step(ast::BinaryOp::PtrAdd, right, left, span),
            BinaryOp::Sub if pa && self.is_integer(b) => self.pointer_step(ast::BinaryOp::PtrSub, left, right, span),
            BinaryOp::Sub if pa && pb => self.pointer_difference(left, right, span),
            BinaryOp::Shl | BinaryOp::Shr => {
                if !self.is_integer(a) || !self.is_integer(b) {
                    return self.bad_operands(op, a, b, span);
                }
                let (left, right) = (self.promote(left), self.promote(right));
                let ty = self.ty_of(left);
                self.add_value(ExprKind::Binary(ast_op(op), left, right), ty, span)
            }
            _ => {
                let is_allowed = match op {
                    BinaryOp::Mul | BinaryOp::Div | BinaryOp::Add | BinaryOp::Sub => {
                        self.is_arithmetic(a) && self.is_arithmetic(b)
                    }
                    _ => self.is_integer(a) && self.is_integer(b),
                };
                if !is_allowed {
                    return self.bad_operands(op, a, b, span);
                }
                let ty = self.common_type(left, right);
                let (left, right) = (self.convert(left, ty, true), self.convert(right, ty, true));
                self.add_value(ExprKind::Binary(ast_op(op), left, right), ty, span)
            }
        }
    }

    fn is_pointer(&self, ty: TyId) -> bool {
        matches!(self.get(ty), Type::Pointer(_))
    }

    fn bad_operands(&mut self, op: BinaryOp, a: TyId, b: TyId, span: Span) -> ExprId {
        let message = format!("`{}` cannot be applied to `{}` and `{}`", op_text(op), self.spell(a), self.spell(b));
        self.error(span, message);
        self.add_error(span)
    }

    fn vector_binary(&mut self, op: BinaryOp, left: ExprId, right: ExprId, span: Span) -> ExprId {
        let ty = if self.is_vector(self.ty_of(left)) { self.ty_of(left) } else { self.ty_of(right) };
        let (left, right) = (self.convert(left, ty, true), self.convert(right, ty, true));
        let result = if is_comparison(op) { self.mask_vector(ty) } else { ty };
        self.add_value(ExprKind::Binary(ast_op(op), left, right), result, span)
    }

    /// Comparing vectors yields a vector of integers as wide as the elements.
    fn mask_vector(&mut self, ty: TyId) -> TyId {
        let Type::Vector { element, bytes } = *self.get(ty) else { return ty };
        let element = match self.types().size_of(element) {
            Some(1) => TyId::SCHAR,
            Some(2) => TyId::SHORT,
            Some(4) => TyId::INT,
            _ => TyId::LONG,
        };
        self.unit.types.intern(Type::Vector { element, bytes })
    }

    fn pointer_step(&mut self, op: ast::BinaryOp, pointer: ExprId, step: ExprId, span: Span) -> ExprId {
        let ty = self.ty_of(pointer);
        self.check_pointee_size(ty, span);
        self.add_value(ExprKind::Binary(op, pointer, step), ty, span)
    }

    /// Steps need the size of the pointee; `void` and functions count as one byte.
    pub(super) fn check_pointee_size(&mut self, pointer: TyId, span: Span) {
        let Some(pointee) = self.pointee(pointer) else { return };
        if pointee.ty != TyId::VOID && !self.is_function(pointee.ty) && !self.is_complete(pointee.ty) {
            self.require_complete(pointee.ty, span);
        }
    }

    fn pointer_difference(&mut self, left: ExprId, right: ExprId, span: Span) -> ExprId {
        let (a, b) = (self.ty_of(left), self.ty_of(right));
        if let (Some(x), Some(y)) = (self.pointee(a), self.pointee(b))
            && !self.are_pointees_alike(x, y)
            && x.ty != TyId::VOID
            && y.ty != TyId::VOID
        {
            let message =
                format!("pointers to different types are subtracted: `{}` and `{}`", self.spell(a), self.spell(b));
            self.error(span, message);
            return self.add_error(span);
        }
        self.check_pointee_size(a, span);
        let right = self.convert(right, a, true);
        let ty = self.ptrdiff_type();
        self.add_value(ExprKind::Binary(ast::BinaryOp::PtrDiff, left, right), ty, span)
    }

    fn comparison(&mut self, op: BinaryOp, left: ExprId, right: ExprId, span: Span) -> ExprId {
        let (a, b) = (self.ty_of(left), self.ty_of(right));
        let ty = match (self.get(a).clone(), self.get(b).clone()) {
            // Complex numbers have no order.
            (Type::Complex(_), _) | (_, Type::Complex(_)) if !matches!(op, BinaryOp::Eq | BinaryOp::Ne) => {
                return self.bad_operands(op, a, b, span);
            }
            _ if self.is_arithmetic(a) && self.is_arithmetic(b) => self.common_type(left, right),
            (Type::Pointer(_), Type::Pointer(_)) if self.is_null_constant(right) => a,
            (Type::Pointer(_), Type::Pointer(_)) if self.is_null_constant(left) => b,
            (Type::Pointer(x), Type::Pointer(y)) => {
                let agree = x.ty == TyId::VOID || y.ty == TyId::VOID || self.are_pointees_alike(x, y);
                if !agree {
                    self.warn_distinct_pointers("comparison", a, b, span);
                }
                if x.ty == TyId::VOID {
                    a
                } else if y.ty == TyId::VOID {
                    b
                } else {
                    a
                }
            }
            (Type::Pointer(_) | Type::NullPtr, _) if self.is_integer(b) => {
                self.warn_pointer_integer(right, span);
                a
            }
            (_, Type::Pointer(_) | Type::NullPtr) if self.is_integer(a) => {
                self.warn_pointer_integer(left, span);
                b
            }
            (Type::Pointer(_), Type::NullPtr) => a,
            (Type::NullPtr, Type::Pointer(_)) => b,
            (Type::NullPtr, Type::NullPtr) => a,
            (Type::VaList, Type::VaList) => a,
            _ => return self.bad_operands(op, a, b, span),
        };
        let (left, right) = (self.convert(left, ty, true), self.convert(right, ty, true));
        self.add_value(ExprKind::Binary(ast_op(op), left, right), TyId::INT, span)
    }

    fn warn_distinct_pointers(&mut self, what: &str, a: TyId, b: TyId, span: Span) {
        let message = format!("{what} of distinct pointer types `{}` and `{}`", self.spell(a), self.spell(b));
        self.warn(span, message);
    }

    fn warn_pointer_integer(&mut self, integer: ExprId, span: Span) {
        if !self.is_null_constant(integer) {
            self.warn(span, "comparison between pointer and integer");
        }
    }

    /// Complains unless the expression designates an object that may change.
    fn check_modifiable(&mut self, lhs: ExprId, span: Span) -> bool {
        let ty = self.type_of(lhs);
        if ty.ty == TyId::ERROR {
            return false;
        }
        if !self.is_lvalue(lhs) || self.is_function(ty.ty) || self.is_array(ty.ty) {
            self.error(span, "the left side cannot be assigned to");
            return false;
        }
        if ty.quals.has(QualSet::CONST) {
            self.error(span, "assignment to a `const` object");
            return false;
        }
        true
    }

    pub(super) fn assignment(&mut self, op: Option<BinaryOp>, lhs: &Expr, rhs: &Expr, span: Span) -> ExprId {
        let lhs_id = self.expr(lhs);
        let rhs_id = self.rvalue(rhs);
        if !self.check_modifiable(lhs_id, lhs.span) {
            return self.add_value(ExprKind::Comma(lhs_id, rhs_id), TyId::ERROR, span);
        }
        let ty = self.ty_of(lhs_id);
        let Some(op) = op else {
            let rhs_id = self.assign_to(rhs_id, ty, Why::Assign);
            return self.add_value(ExprKind::Assign { lhs: lhs_id, rhs: rhs_id }, ty, span);
        };
        self.compound_assignment(op, lhs_id, rhs_id, span)
    }

    fn compound_assignment(&mut self, op: BinaryOp, lhs: ExprId, rhs: ExprId, span: Span) -> ExprId {
        let (a, b) = (self.ty_of(lhs), self.ty_of(rhs));
        if b == TyId::ERROR {
            return self.add_value(ExprKind::Comma(lhs, rhs), TyId::ERROR, span);
        }
        if self.is_pointer(a) {
            let op = match op {
                BinaryOp::Add => ast::BinaryOp::PtrAdd,
                BinaryOp::Sub => ast::BinaryOp::PtrSub,
                _ => return self.bad_operands(op, a, b, span),
            };
            if !self.is_integer(b) {
                return self.bad_operands(BinaryOp::Add, a, b, span);
            }
            self.check_pointee_size(a, span);
            return self.add_value(ExprKind::CompoundAssign { op, lhs, rhs, compute: a }, a, span);
        }
        if self.is_vector(a) {
            let rhs = self.convert(rhs, a, true);
            return self.add_value(ExprKind::CompoundAssign { op: ast_op(op), lhs, rhs, compute: a }, a, span);
        }
        let needs_integers = !matches!(op, BinaryOp::Mul | BinaryOp::Div | BinaryOp::Add | BinaryOp::Sub);
        let is_allowed = if needs_integers {
            self.is_integer(a) && self.is_integer(b)
        } else {
            self.is_arithmetic(a) && self.is_arithmetic(b)
        };
        if !is_allowed {
            return self.bad_operands(op, a, b, span);
        }
        let (compute, rhs) = if matches!(op, BinaryOp::Shl | BinaryOp::Shr) {
            (self.promoted(lhs), self.promote(rhs))
        } else {
            let compute = self.common_type(lhs, rhs);
            (compute, self.convert(rhs, compute, true))
        };
        self.add_value(ExprKind::CompoundAssign { op: ast_op(op), lhs, rhs, compute }, a, span)
    }

    pub(super) fn inc_dec(&mut self, operand: &Expr, is_inc: bool, is_prefix: bool, span: Span) -> ExprId {
        let lhs = self.expr(operand);
        if !self.check_modifiable(lhs, operand.span) {
            return self.add_error(span);
        }
        let ty = self.ty_of(lhs);
        if self.is_pointer(ty) {
            self.check_pointee_size(ty, span);
        } else if !self.is_arithmetic(ty) && !self.is_vector(ty) {
            let sign = if is_inc { "++" } else { "--" };
            let message = format!("`{sign}` cannot be applied to `{}`", self.spell(ty));
            self.error(span, message);
            return self.add_error(span);
        }
        self.add_value(ExprKind::IncDec { lhs, is_inc, is_prefix }, ty, span)
    }

    pub(super) fn conditional(&mut self, cond: &Expr, then: Option<&Expr>, otherwise: &Expr, span: Span) -> ExprId {
        let cond_id = self.rvalue(cond);
        if !self.is_vector(self.ty_of(cond_id)) {
            self.check_scalar(cond_id);
        }
        let then_id = match then {
            Some(then) => self.rvalue(then),
            None => {
                let ty = self.ty_of(cond_id);
                self.add_value(ExprKind::CondValue, ty, cond.span)
            }
        };
        let else_id = self.rvalue(otherwise);
        let ty = self.conditional_type(then_id, else_id, span);
        let (then_id, else_id) = if ty == TyId::ERROR {
            (then_id, else_id)
        } else {
            (self.convert(then_id, ty, true), self.convert(else_id, ty, true))
        };
        let kind = match then {
            Some(_) => ExprKind::Cond { cond: cond_id, then: then_id, otherwise: else_id },
            None => ExprKind::CondElvis { cond: cond_id, converted: then_id, otherwise: else_id },
        };
        self.add_value(kind, ty, span)
    }

    fn conditional_type(&mut self, then: ExprId, otherwise: ExprId, span: Span) -> TyId {
        let (a, b) = (self.ty_of(then), self.ty_of(otherwise));
        self.learn_from_assignment(a, b);
        match (self.get(a).clone(), self.get(b).clone()) {
            (Type::Error, _) => b,
            (_, Type::Error) => a,
            _ if self.is_arithmetic(a) && self.is_arithmetic(b) => {
                if a == b && !self.is_integer(a) {
                    a
                } else {
                    self.common_type(then, otherwise)
                }
            }
            (Type::Void, _) | (_, Type::Void) => TyId::VOID,
            (Type::Pointer(x), Type::Pointer(y)) => self.conditional_pointer(then, otherwise, x, y, span),
            (Type::Pointer(_) | Type::NullPtr, _) if self.is_integer(b) => {
                self.warn_conditional_mix(otherwise, span);
                a
            }
            (_, Type::Pointer(_) | Type::NullPtr) if self.is_integer(a) => {
                self.warn_conditional_mix(then, span);
                b
            }
            (Type::Pointer(_), Type::NullPtr) => a,
            (Type::NullPtr, Type::Pointer(_)) => b,
            (x, y) if x == y => a,
            (Type::Vector { .. }, _) => a,
            (_, Type::Vector { .. }) => b,
            _ => {
                let message = format!(
                    "the branches of `?:` have types `{}` and `{}`, which do not go together",
                    self.spell(a),
                    self.spell(b)
                );
                self.error(span, message);
                TyId::ERROR
            }
        }
    }

    fn warn_conditional_mix(&mut self, integer: ExprId, span: Span) {
        if !self.is_null_constant(integer) {
            self.warn(span, "pointer and integer in the branches of `?:`");
        }
    }

    fn conditional_pointer(&mut self, then: ExprId, otherwise: ExprId, x: QualTy, y: QualTy, span: Span) -> TyId {
        let (a, b) = (self.ty_of(then), self.ty_of(otherwise));
        if a == b {
            return a;
        }
        if self.is_null_constant(otherwise) {
            return a;
        }
        if self.is_null_constant(then) {
            return b;
        }
        let quals = self.quals_of(x).with(self.quals_of(y)).without(QualSet::RESTRICT);
        let (p, q) = (self.unqualified(x), self.unqualified(y));
        let pointee = if p == TyId::VOID || q == TyId::VOID {
            TyId::VOID
        } else if self.are_compatible(p, q) {
            self.composite(p, q)
        } else {
            if !self.are_pointees_alike(x, y) {
                self.warn_distinct_pointers("`?:`", a, b, span);
                TyId::VOID
            } else {
                p
            }
        };
        let pointee = self.qualify(QualTy::plain(pointee), quals);
        self.pointer_to(pointee)
    }
}

fn is_comparison(op: BinaryOp) -> bool {
    matches!(op, BinaryOp::Lt | BinaryOp::Gt | BinaryOp::Le | BinaryOp::Ge | BinaryOp::Eq | BinaryOp::Ne)
}

fn ast_op(op: BinaryOp) -> ast::BinaryOp {
    match op {
        BinaryOp::Mul => ast::BinaryOp::Mul,
        BinaryOp::Div => ast::BinaryOp::Div,
        BinaryOp::Rem => ast::BinaryOp::Rem,
        BinaryOp::Add => ast::BinaryOp::Add,
        BinaryOp::Sub => ast::BinaryOp::Sub,
        BinaryOp::Shl => ast::BinaryOp::Shl,
        BinaryOp::Shr => ast::BinaryOp::Shr,
        BinaryOp::Lt => ast::BinaryOp::Lt,
        BinaryOp::Gt => ast::BinaryOp::Gt,
        BinaryOp::Le => ast::BinaryOp::Le,
        BinaryOp::Ge => ast::BinaryOp::Ge,
        BinaryOp::Eq => ast::BinaryOp::Eq,
        BinaryOp::Ne | BinaryOp::LogAnd | BinaryOp::LogOr => ast::BinaryOp::Ne,
        BinaryOp::BitAnd => ast::BinaryOp::BitAnd,
        BinaryOp::BitXor => ast::BinaryOp::BitXor,
        BinaryOp::BitOr => ast::BinaryOp::BitOr,
    }
}

fn op_text(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Mul => "*",
        BinaryOp::Div => "/",
        BinaryOp::Rem => "%",
        BinaryOp::Add => "+",
        BinaryOp::Sub => "-",
        BinaryOp::Shl => "<<",
        BinaryOp::Shr => ">>",
        BinaryOp::Lt => "<",
        BinaryOp::Gt => ">",
        BinaryOp::Le => "<=",
        BinaryOp::Ge => ">=",
        BinaryOp::Eq => "==",
        BinaryOp::Ne => "!=",
        BinaryOp::BitAnd => "&",
        BinaryOp::BitXor => "^",
        BinaryOp::BitOr => "|",
        BinaryOp::LogAnd => "&&",
        BinaryOp::LogOr => "||",
    }
}
