//! Constructs of other verifiers that no ordinary call expresses.

use unpick_base::Span;

use super::Sema;
use crate::ast::{DeclKind, ExprId, ExprKind, StmtKind};
use crate::builtin::Builtin;
use crate::syntax::{self, Expr, Ident, Stmt};
use crate::types::{QualSet, QualTy, TyId};

/// Starts the labels of statements that run in a thread of their own.
const ASYNC_LABEL: &str = "__CPROVER_ASYNC_";

impl Sema {
    /// `__CPROVER_r_ok(p)` and its kin: without a number of bytes the pointer's type says how many.
    pub(super) fn accessible(&mut self, function: &str, ident: Ident, args: &[Expr], span: Span) -> ExprId {
        let size_type = self.size_type();
        let Some(pointer) = args.first() else {
            self.error(span, format!("`{function}` needs a pointer"));
            return self.add_error(span);
        };
        let pointer = self.rvalue(pointer);
        let bytes = match args.get(1) {
            Some(bytes) => {
                let value = self.rvalue(bytes);
                self.convert(value, size_type, true)
            }
            None => {
                let pointee = self.pointee(self.ty_of(pointer)).map(|pointee| pointee.ty);
                let size = pointee.and_then(|pointee| self.types().size_of(pointee)).unwrap_or(1);
                self.add_int(i128::from(size), size_type, span)
            }
        };
        let bytes_of = self.pointer_to(QualTy { ty: TyId::VOID, quals: QualSet::CONST });
        let pointer = self.convert(pointer, bytes_of, true);
        let Some(decl) = self.modelled_function(Ident { name: ident.name, span: ident.span }, 2) else {
            return self.add_error(span);
        };
        self.call_known(decl, vec![pointer, bytes], span)
    }

    /// Whether a label makes the statement behind it a thread.
    pub(super) fn is_async_label(&self, label: Ident) -> bool {
        self.name(label.name).starts_with(ASYNC_LABEL)
    }

    /// The statement behind such a label: a call in a thread of its own.
    pub(super) fn async_statement(&mut self, body: &Stmt) -> StmtKind {
        let mut inner = body;
        while let syntax::StmtKind::Block(block) = &inner.kind
            && let [syntax::BlockItem::Stmt(only)] = block.items.as_slice()
        {
            inner = only;
        }
        if let syntax::StmtKind::Expr(expr) = &inner.kind {
            let call = self.discarded(expr);
            if self.is_plain_call(call) {
                let start = ExprKind::Builtin { builtin: Builtin::Async, args: vec![call] };
                return StmtKind::Expr(self.add_value(start, TyId::VOID, body.span));
            }
        }
        self.error(body.span, format!("only a call of a function can run in a thread of its own (`{ASYNC_LABEL}n:`)"));
        StmtKind::Error
    }

    /// A call of a function by its name, whose arguments and result are numbers and pointers.
    fn is_plain_call(&self, expr: ExprId) -> bool {
        let ExprKind::Call { callee, args } = &self.unit.exprs[expr].kind else { return false };
        let ExprKind::Cast { operand, .. } = self.unit.exprs[*callee].kind else { return false };
        let ExprKind::Decl(decl) = self.unit.exprs[operand].kind else { return false };
        let function = self.function_type(self.unit.decls[decl].ty.ty);
        matches!(self.unit.decls[decl].kind, DeclKind::Function(_))
            && function.is_some_and(|function| !function.is_variadic)
            && args.iter().all(|arg| self.is_scalar(self.ty_of(*arg)))
            && (self.ty_of(expr) == TyId::VOID || self.is_scalar(self.ty_of(expr)))
    }
}
