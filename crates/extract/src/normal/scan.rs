//! Queries on expressions before they are normalised.

use unpick_front_c::ast::{CastKind, ExprId, ExprKind, Init, StmtId, StmtKind};
use unpick_front_c::builtin::Builtin;

use super::Normaliser;

impl Normaliser<'_> {
    /// The expression under conversions that change nothing a reader would see.
    pub(super) fn bare(&self, mut expr: ExprId) -> ExprId {
        while let ExprKind::Cast { operand, kind: CastKind::ToVoid | CastKind::NoOp, .. } = self.node(expr).kind {
            expr = operand;
        }
        expr
    }

    /// Whether evaluating does something that has to be a fragment of its own.
    pub(super) fn has_effects(&self, expr: ExprId) -> bool {
        match &self.node(expr).kind {
            ExprKind::Assign { .. }
            | ExprKind::CompoundAssign { .. }
            | ExprKind::IncDec { .. }
            | ExprKind::StmtExpr(_)
            | ExprKind::Comma(..) => true,
            ExprKind::Call { callee, args } => {
                self.is_step(*callee) || args.iter().any(|arg| self.has_effects(*arg)) || self.has_effects(*callee)
            }
            ExprKind::Builtin { builtin, args } => {
                is_atomic_update(*builtin) || args.iter().any(|arg| self.has_effects(*arg))
            }
            _ => self.children(expr).into_iter().any(|child| self.has_effects(child)),
        }
    }

    /// Direct operands.
    pub(super) fn children(&self, expr: ExprId) -> Vec<ExprId> {
        children(&self.node(expr).kind)
    }

    /// The condition of an assertion, whichever way the library's macro is written.
    pub(super) fn assertion(&self, expr: ExprId) -> Option<ExprId> {
        let expr = self.bare(expr);
        match &self.node(expr).kind {
            ExprKind::Comma(_, last) => self.assertion(*last),
            ExprKind::StmtExpr(body) => self.asserting_stmt(*body),
            ExprKind::Cond { cond, otherwise, .. } if self.is_assert_failure(*otherwise) => Some(*cond),
            ExprKind::LogOr(cond, failure) if self.is_assert_failure(*failure) => Some(*cond),
            ExprKind::Builtin { builtin: Builtin::Assert, args } => args.first().copied(),
            _ => None,
        }
    }

    fn asserting_stmt(&self, stmt: StmtId) -> Option<ExprId> {
        match &self.unit().stmts[stmt].kind {
            StmtKind::Block(stmts) => match stmts.as_slice() {
                [only] => self.asserting_stmt(*only),
                _ => None,
            },
            StmtKind::If { cond, otherwise: Some(otherwise), .. } => {
                let failure = match &self.unit().stmts[*otherwise].kind {
                    StmtKind::Expr(failure) => *failure,
                    StmtKind::Block(stmts) => match stmts.as_slice() {
                        [only] => match self.unit().stmts[*only].kind {
                            StmtKind::Expr(failure) => failure,
                            _ => return None,
                        },
                        _ => return None,
                    },
                    _ => return None,
                };
                self.is_assert_failure(failure).then_some(*cond)
            }
            _ => None,
        }
    }

    fn is_assert_failure(&self, expr: ExprId) -> bool {
        let expr = self.bare(expr);
        match &self.node(expr).kind {
            ExprKind::Call { callee, .. } => {
                let name = self.callee_decl(*callee).map(|decl| self.name_of(decl));
                name.is_some_and(|name| name.starts_with("__assert") && crate::library::is_failure(name))
            }
            ExprKind::Comma(first, last) => self.is_assert_failure(*first) || self.is_assert_failure(*last),
            _ => false,
        }
    }
}

/// Builtins that change memory.
pub(super) fn is_atomic_update(builtin: Builtin) -> bool {
    crate::library::atomic_update(builtin)
}

/// Direct operands of an expression; initialisers of compound literals too.
pub fn children(kind: &ExprKind) -> Vec<ExprId> {
    match kind {
        ExprKind::Decl(_)
        | ExprKind::Str { .. }
        | ExprKind::Int(_)
        | ExprKind::Float(_)
        | ExprKind::LabelAddr(_)
        | ExprKind::CondValue
        | ExprKind::StmtExpr(_)
        | ExprKind::SizeofVla(_)
        | ExprKind::Error => Vec::new(),
        ExprKind::CompoundLiteral { init, .. } => init_exprs(init),
        ExprKind::Deref(one)
        | ExprKind::AddrOf(one)
        | ExprKind::Member { base: one, .. }
        | ExprKind::Cast { operand: one, .. }
        | ExprKind::Unary(_, one)
        | ExprKind::IncDec { lhs: one, .. }
        | ExprKind::VaArg { list: one } => vec![*one],
        ExprKind::Index { base: one, index: other }
        | ExprKind::Binary(_, one, other)
        | ExprKind::LogAnd(one, other)
        | ExprKind::LogOr(one, other)
        | ExprKind::Comma(one, other)
        | ExprKind::Assign { lhs: one, rhs: other }
        | ExprKind::CompoundAssign { lhs: one, rhs: other, .. } => vec![*one, *other],
        ExprKind::Cond { cond, then, otherwise } => vec![*cond, *then, *otherwise],
        ExprKind::CondElvis { cond, converted, otherwise } => vec![*cond, *converted, *otherwise],
        ExprKind::Call { callee, args } => std::iter::once(*callee).chain(args.iter().copied()).collect(),
        ExprKind::Builtin { args, .. } => args.clone(),
    }
}

/// The expressions in an initialiser.
pub fn init_exprs(init: &Init) -> Vec<ExprId> {
    match init {
        Init::Expr(expr) => vec![*expr],
        Init::Str { .. } => Vec::new(),
        Init::List { entries, .. } => entries.iter().flat_map(|entry| init_exprs(&entry.init)).collect(),
    }
}
