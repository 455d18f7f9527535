//! Analysis of expressions: dispatch on their form.

use unpick_base::Span;

use super::Sema;
use crate::ast::{self, DeclKind, ExprId, ExprKind, StmtKind};
use crate::syntax::{self, Expr, UnaryOp};
use crate::types::{QualTy, TyId};

/// Deeper trees are refused before they exhaust the stack.
const MAX_DEPTH: u32 = 1200;

impl Sema {
    /// Counts one level of nesting; `false` if there are too many.
    pub(super) fn descend(&mut self, span: Span) -> bool {
        if self.depth >= MAX_DEPTH {
            if !self.is_too_deep {
                self.error(span, "nested too deeply");
                self.is_too_deep = true;
            }
            return false;
        }
        self.depth += 1;
        true
    }

    pub(super) fn ascend(&mut self) {
        self.depth -= 1;
    }

    /// The typed form of an expression, still an lvalue if it designates an object.
    pub(super) fn expr(&mut self, expr: &Expr) -> ExprId {
        let expr = Self::unparenthesised(expr);
        if !self.descend(expr.span) {
            return self.add_error(expr.span);
        }
        let id = self.expr_kind(expr);
        self.ascend();
        id
    }

    fn expr_kind(&mut self, expr: &Expr) -> ExprId {
        let span = expr.span;
        match &expr.kind {
            syntax::ExprKind::Int(literal) => self.int_literal(literal, span),
            syntax::ExprKind::Float(literal) => self.float_literal(literal, span),
            syntax::ExprKind::Char { value, prefix } => self.char_literal(*value, *prefix, span),
            syntax::ExprKind::Str(literal) => self.str_literal(literal, span),
            syntax::ExprKind::Ident(ident) => self.identifier(*ident, span),
            syntax::ExprKind::Bool(value) => self.add_int(i128::from(*value), TyId::BOOL, span),
            syntax::ExprKind::Nullptr => {
                let ty = self.unit.types.intern(crate::types::Type::NullPtr);
                self.add_int(0, ty, span)
            }
            syntax::ExprKind::FuncName => self.function_name(span),
            syntax::ExprKind::Paren(inner) => self.expr(inner),
            syntax::ExprKind::Unary(op, operand) => self.unary_expr(*op, operand, span),
            syntax::ExprKind::Binary(..) => self.binary_chain(expr),
            syntax::ExprKind::Assign(op, lhs, rhs) => self.assignment(*op, lhs, rhs, span),
            syntax::ExprKind::Cond(cond, then, otherwise) => self.conditional(cond, then.as_deref(), otherwise, span),
            syntax::ExprKind::Comma(..) => self.comma_chain(expr),
            syntax::ExprKind::Cast(name, operand) => {
                let ty = self.type_name(name);
                let value = if ty.ty == TyId::VOID { self.void_operand(operand) } else { self.rvalue(operand) };
                self.explicit_cast(value, ty, span)
            }
            syntax::ExprKind::CompoundLiteral(name, list) => self.compound_literal(name, list, span),
            syntax::ExprKind::Call(callee, args) => self.call(callee, args, span),
            syntax::ExprKind::Index(base, index) => self.subscript(base, index, span),
            syntax::ExprKind::Member { base, field, is_arrow } => self.member(base, *field, *is_arrow, span),
            syntax::ExprKind::SizeofExpr(operand) => self.sizeof_expr(operand, span),
            syntax::ExprKind::SizeofType(name) => {
                let ty = self.type_name(name);
                self.sizeof_type(ty, span)
            }
            syntax::ExprKind::AlignofExpr(operand) => self.alignof_expr(operand, span),
            syntax::ExprKind::AlignofType(name) => {
                let (ty, align) = self.aligned_type_name(name);
                self.alignof_type(ty, align, span)
            }
            syntax::ExprKind::Generic { control, arms } => self.generic(control, arms, span),
            syntax::ExprKind::StmtExpr(block) => self.stmt_expr(block, span),
            syntax::ExprKind::LabelAddr(label) => {
                let id = self.label_address(*label);
                let ty = self.pointer_to(QualTy::plain(TyId::VOID));
                self.add_value(ExprKind::LabelAddr(id), ty, span)
            }
            syntax::ExprKind::VaArg(list, name) => self.va_arg(list, name, span),
            syntax::ExprKind::Offsetof(name, path) => self.offsetof(name, path, span),
            syntax::ExprKind::TypesCompatible(a, b) => {
                let (a, b) = (self.type_name(a), self.type_name(b));
                let (a, b) = (self.unqualified(a), self.unqualified(b));
                let value = self.are_compatible(a, b);
                self.add_int(i128::from(value), TyId::INT, span)
            }
            syntax::ExprKind::ChooseExpr(cond, then, otherwise) => {
                let picks_first = self.required_const(cond, "the first operand of `__builtin_choose_expr`");
                match picks_first {
                    Some(0) => self.expr(otherwise),
                    _ => self.expr(then),
                }
            }
            syntax::ExprKind::Error => self.add_error(span),
        }
    }

    /// Commas group to the left, so the left spine is walked without recursion.
    fn comma_chain(&mut self, expr: &Expr) -> ExprId {
        let mut spine = Vec::new();
        let mut at = expr;
        while let syntax::ExprKind::Comma(left, right) = &at.kind {
            spine.push((right, at.span));
            at = left;
        }
        let mut left = self.void_operand(at);
        let n_links = spine.len();
        for (nth, (right, span)) in spine.into_iter().rev().enumerate() {
            let right = if nth + 1 == n_links { self.rvalue(right) } else { self.void_operand(right) };
            let ty = self.ty_of(right);
            left = self.add_value(ExprKind::Comma(left, right), ty, span);
        }
        left
    }

    /// The operand of a cast to `void`: anything, even incomplete.
    fn void_operand(&mut self, operand: &Expr) -> ExprId {
        let id = self.expr(operand);
        if self.is_complete(self.ty_of(id)) || !self.is_lvalue(id) { self.value_of(id) } else { id }
    }

    fn unary_expr(&mut self, op: UnaryOp, operand: &Expr, span: Span) -> ExprId {
        match op {
            UnaryOp::Plus | UnaryOp::Minus | UnaryOp::BitNot => self.arithmetic_unary(op, operand, span),
            UnaryOp::Not => {
                let value = self.condition(operand);
                self.add_value(ExprKind::Unary(ast::UnaryOp::LogNot, value), TyId::INT, span)
            }
            UnaryOp::Deref => {
                let value = self.rvalue(operand);
                self.dereference(value, span)
            }
            UnaryOp::AddrOf => self.address_of(operand, span),
            UnaryOp::PreInc => self.inc_dec(operand, true, true, span),
            UnaryOp::PreDec => self.inc_dec(operand, false, true, span),
            UnaryOp::PostInc => self.inc_dec(operand, true, false, span),
            UnaryOp::PostDec => self.inc_dec(operand, false, false, span),
            UnaryOp::Real | UnaryOp::Imag => self.complex_part(op, operand, span),
            UnaryOp::Extension => self.expr(operand),
        }
    }

    /// `*value`.
    pub(super) fn dereference(&mut self, value: ExprId, span: Span) -> ExprId {
        let ty = self.ty_of(value);
        if ty == TyId::ERROR {
            return self.add_error(span);
        }
        self.learn_pointer(ty);
        match self.pointee(ty) {
            Some(pointee) => self.add(ExprKind::Deref(value), pointee, span),
            None => {
                let message = format!("`*` needs a pointer, not `{}`", self.spell(ty));
                self.error(span, message);
                self.add_error(span)
            }
        }
    }

    fn address_of(&mut self, operand: &Expr, span: Span) -> ExprId {
        let id = self.expr(operand);
        if self.is_error(id) {
            return id;
        }
        if !self.is_lvalue(id) {
            // Taking the address of an array inside a returned struct is what gcc allows.
            let message = "`&` needs an object or function".to_owned();
            self.error(span, message);
            return self.add_error(span);
        }
        if self.bit_field(id).is_some() {
            self.error(span, "the address of a bit-field cannot be taken");
            return self.add_error(span);
        }
        self.mark_address_taken(id);
        let pointee = self.type_of(id);
        let ty = self.pointer_to(pointee);
        self.add_value(ExprKind::AddrOf(id), ty, span)
    }

    /// The variable an lvalue lies in needs memory.
    pub(super) fn mark_address_taken(&mut self, lvalue: ExprId) {
        if self.n_unevaluated > 0 {
            return;
        }
        let mut at = lvalue;
        loop {
            match &self.unit.exprs[at].kind {
                ExprKind::Member { base, .. } | ExprKind::Index { base, .. } => at = *base,
                ExprKind::Decl(decl) => {
                    let decl = *decl;
                    if let DeclKind::Var(var) = &mut self.unit.decls[decl].kind {
                        var.is_address_taken = true;
                    }
                    return;
                }
                _ => return,
            }
        }
    }

    fn stmt_expr(&mut self, block: &syntax::Block, span: Span) -> ExprId {
        if self.function.is_none() {
            self.error(span, "a statement expression can only stand in a function");
            return self.add_error(span);
        }
        let id = self.block(block);
        let ty = self.last_value_type(id);
        self.add_value(ExprKind::StmtExpr(id), ty, span)
    }

    /// The type of the block's last statement, if that is an expression.
    fn last_value_type(&self, block: ast::StmtId) -> TyId {
        let StmtKind::Block(stmts) = &self.unit.stmts[block].kind else { return TyId::VOID };
        let Some(mut last) = stmts.last().copied() else { return TyId::VOID };
        loop {
            match &self.unit.stmts[last].kind {
                StmtKind::Expr(value) => return self.ty_of(*value),
                StmtKind::Label { body, .. } => last = *body,
                _ => return TyId::VOID,
            }
        }
    }

    fn complex_part(&mut self, op: UnaryOp, operand: &Expr, span: Span) -> ExprId {
        let id = self.expr(operand);
        let ty = self.type_of(id);
        let ast_op = if op == UnaryOp::Real { ast::UnaryOp::Real } else { ast::UnaryOp::Imag };
        match *self.get(ty.ty) {
            crate::types::Type::Complex(kind) => {
                let part = self.unit.types.intern(crate::types::Type::Float(kind));
                self.add(ExprKind::Unary(ast_op, id), QualTy { ty: part, quals: ty.quals }, span)
            }
            _ => {
                let value = self.value_of(id);
                if self.is_arithmetic(self.ty_of(value)) && op == UnaryOp::Imag {
                    let zero = self.add_int(0, TyId::INT, span);
                    let ty = self.ty_of(value);
                    let zero = self.convert(zero, ty, true);
                    return self.add_value(ExprKind::Comma(value, zero), ty, span);
                }
                self.check_scalar(value);
                value
            }
        }
    }

    fn va_arg(&mut self, list: &Expr, name: &syntax::TypeName, span: Span) -> ExprId {
        let list = self.va_list_operand(list);
        let ty = self.type_name(name);
        if !self.require_complete(ty.ty, name.span) {
            return self.add_error(span);
        }
        self.add(ExprKind::VaArg { list }, QualTy::plain(ty.ty), span)
    }

    /// A list as the `va_` built-ins take it: the lvalue, or a pointer to the list.
    pub(super) fn va_list_operand(&mut self, list: &Expr) -> ExprId {
        let id = self.expr(list);
        let ty = self.ty_of(id);
        if ty == TyId::VALIST {
            self.mark_address_taken(id);
            return id;
        }
        let value = self.value_of(id);
        let ty = self.ty_of(value);
        let is_list = self.pointee(ty).is_some_and(|pointee| pointee.ty == TyId::VALIST);
        if !is_list && ty != TyId::ERROR {
            self.learn_from_assignment(ty, TyId::VALIST);
            if self.ty_of(id) != TyId::VALIST && !matches!(self.get(ty), crate::types::Type::VaList) {
                let message = format!("a `va_list` is needed here, not `{}`", self.spell(ty));
                let span = self.span_of(value);
                self.error(span, message);
            }
        }
        value
    }

    /// Whether the expression is a string literal, however parenthesised.
    pub(super) fn unparenthesised(expr: &Expr) -> &Expr {
        let mut at = expr;
        while let syntax::ExprKind::Paren(inner) | syntax::ExprKind::Unary(UnaryOp::Extension, inner) = &at.kind {
            at = inner;
        }
        at
    }
}
