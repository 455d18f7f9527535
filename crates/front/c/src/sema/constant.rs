//! Constant expressions where the language requires one.

use unpick_base::Span;

use super::Sema;
use crate::ast::ExprId;
use crate::consteval;
use crate::syntax;

impl Sema {
    pub(super) fn const_int(&self, expr: ExprId) -> Option<i128> {
        if !self.is_integer(self.ty_of(expr)) {
            return None;
        }
        consteval::eval_int(&self.view(), expr)
    }

    /// Whether a static object may be initialised with the value.
    pub(super) fn is_constant(&self, expr: ExprId) -> bool {
        self.is_error(expr) || consteval::eval_const(&self.view(), expr).is_some()
    }

    /// An integer constant expression, with a message if it is none.
    pub(super) fn required_const(&mut self, expr: &syntax::Expr, what: &str) -> Option<i128> {
        let value = self.rvalue(expr);
        self.required_const_value(value, what)
    }

    pub(super) fn required_const_value(&mut self, value: ExprId, what: &str) -> Option<i128> {
        if self.is_error(value) {
            return None;
        }
        let span = self.span_of(value);
        let ty = self.ty_of(value);
        if !self.is_integer(ty) {
            let message = format!("{what} is not an integer constant: it has type `{}`", self.spell(ty));
            self.error(span, message);
            return None;
        }
        let constant = self.const_int(value);
        if constant.is_none() {
            self.complain_not_constant(value, span, what);
        }
        constant
    }

    fn complain_not_constant(&mut self, value: ExprId, span: Span, what: &str) {
        if self.divides_by_zero(value) {
            return self.error(span, format!("{what} divides by zero"));
        }
        self.error(span, format!("{what} is not an integer constant expression"));
    }

    fn divides_by_zero(&self, value: ExprId) -> bool {
        use crate::ast::{BinaryOp, ExprKind};
        match self.unit.exprs[value].kind {
            ExprKind::Binary(BinaryOp::Div | BinaryOp::Rem, _, right) if self.const_int(right) == Some(0) => true,
            ExprKind::Binary(_, left, right) => self.divides_by_zero(left) || self.divides_by_zero(right),
            ExprKind::Cast { operand, .. } => self.divides_by_zero(operand),
            _ => false,
        }
    }
}
