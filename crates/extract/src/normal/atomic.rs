//! The C11 atomic macros (`atomic_store` and others), recognised in their expanded form as one operation.
//!
//! The macros copy their arguments into objects of a statement expression and work on pointers to these. A table would
//! show five fragments that are not in the source.

use unpick_front_c::ast::{DeclKind, ExprId, ExprKind, Init, StmtId, StmtKind};
use unpick_front_c::builtin::Builtin;
use unpick_front_c::types::{QualTy, TyId};

use super::Normaliser;

impl Normaliser<'_> {
    /// The operation that a statement expression stands for, if it is one of those macros.
    pub(super) fn atomic_macro(&mut self, body: StmtId) -> Option<ExprId> {
        let StmtKind::Block(stmts) = &self.unit().stmts[body].kind else { return None };
        let stmts = stmts.clone();
        let mut values: Vec<(String, Option<ExprId>)> = Vec::new();
        let mut call = None;
        for stmt in &stmts {
            match &self.unit().stmts[*stmt].kind {
                StmtKind::Decl(decls) => {
                    for decl in decls {
                        let DeclKind::Var(var) = &self.unit().decls[*decl].kind else { return None };
                        let value = match &var.init {
                            Some(Init::Expr(value)) => Some(*value),
                            Some(_) => return None,
                            None => None,
                        };
                        values.push((self.name_of(*decl).to_owned(), value));
                    }
                }
                StmtKind::Expr(expr) => {
                    let expr = self.bare(*expr);
                    if call.is_none() && matches!(self.node(expr).kind, ExprKind::Builtin { .. }) {
                        call = Some(expr);
                    }
                }
                _ => return None,
            }
        }
        let (first, pointer) = values.first()?;
        let pointer = (*pointer)?;
        if !first.starts_with("__atomic_") || !first.ends_with("_ptr") {
            return None;
        }
        let value = values.get(1).and_then(|(_, value)| *value);
        let ExprKind::Builtin { builtin, args } = self.node(call?).kind.clone() else { return None };
        let pointee = self.unit().types.pointee_of(self.node(pointer).ty.ty)?.ty;
        let (builtin, args, ty) = match builtin {
            Builtin::AtomicStore => (Builtin::AtomicStoreN, vec![pointer, value?, *args.get(2)?], TyId::VOID),
            Builtin::AtomicLoad => (Builtin::AtomicLoadN, vec![pointer, *args.get(2)?], pointee),
            Builtin::AtomicExchange => (Builtin::AtomicExchangeN, vec![pointer, value?, *args.get(3)?], pointee),
            Builtin::AtomicCompareExchange => {
                let rest = args.get(3..6)?;
                let args = [&[pointer, *args.get(1)?, value?], rest].concat();
                (Builtin::AtomicCompareExchangeN, args, TyId::BOOL)
            }
            _ => return None,
        };
        Some(self.push_expr(ExprKind::Builtin { builtin, args }, pointer, QualTy::plain(ty)))
    }
}
