//! Constructs of other verifiers that are not ordinary calls.

use unpick_base::Span;

use super::Sema;
use super::declarator::local_var;
use super::function::plain_function;
use super::stmt::FunctionState;
use crate::ast::{Decl, DeclId, DeclKind, ExprId, ExprKind, Item, Linkage, StmtKind, Storage};
use crate::builtin::Builtin;
use crate::syntax::{self, Expr, Ident, Stmt};
use crate::types::{FunctionType, QualSet, QualTy, TyId, Type};

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

    /// The statement behind such a label: a call in a thread of its own, or a function made of the statement.
    pub(super) fn async_statement(&mut self, label: Ident, body: &Stmt) -> StmtKind {
        let mut inner = body;
        while let syntax::StmtKind::Block(block) = &inner.kind
            && let [syntax::BlockItem::Stmt(only)] = block.items.as_slice()
        {
            inner = only;
        }
        let call = match &inner.kind {
            syntax::StmtKind::Expr(expr) if is_call(expr) => {
                let call = self.discarded(expr);
                if self.is_error(call) {
                    return StmtKind::Error;
                }
                self.is_plain_call(call).then_some(call)
            }
            _ => self.outline(label, inner),
        };
        let Some(call) = call else {
            let message = format!(
                "a thread of its own (`{ASYNC_LABEL}n:`) takes numbers and pointers only, and calls functions by their names"
            );
            self.error(body.span, message);
            return StmtKind::Error;
        };
        let start = ExprKind::Builtin { builtin: Builtin::Async, args: vec![call] };
        StmtKind::Expr(self.add_value(start, TyId::VOID, body.span))
    }

    /// A call of a new function that has the statement as its body and the locals around it as its parameters: the thread
    /// has copies of them, as CBMC has it. `None` if one of them cannot be passed.
    fn outline(&mut self, label: Ident, body: &Stmt) -> Option<ExprId> {
        let name = format!("{}_{}", self.name(label.name), self.unit.decls.len());
        let name = self.session.interner.intern(&name);
        let kind = DeclKind::Function(plain_function(Linkage::Internal));
        let ty = self.unit.types.intern(Type::Function(void_function(Vec::new())));
        let decl = self.unit.decls.push(Decl { name, span: label.span, ty: QualTy::plain(ty), kind });
        let (first_expr, first_decl) = (self.unit.exprs.len(), self.unit.decls.len());
        let outer = self.function.replace(FunctionState::new(decl, QualTy::plain(TyId::VOID)));
        self.scopes.enter();
        let mut stmts = vec![self.stmt(body)];
        self.scopes.leave();
        if let Some(state) = std::mem::replace(&mut self.function, outer) {
            self.finish_labels(&state);
            if let Some(name) = state.name_decl {
                stmts.insert(0, self.add_stmt(StmtKind::Decl(vec![name]), body.span));
            }
        }
        let mut params: Vec<(DeclId, DeclId)> = Vec::new();
        for at in first_expr..self.unit.exprs.len() {
            let ExprKind::Decl(local) = self.unit.exprs[ExprId(at as u32)].kind else { continue };
            if local.0 as usize >= first_decl || !self.is_automatic(local) {
                continue;
            }
            let known = params.iter().find(|(outer, _)| *outer == local).map(|(_, param)| *param);
            let param = match known {
                Some(param) => param,
                None if self.is_scalar(self.unit.decls[local].ty.ty) => {
                    let param = self.copy_as_parameter(local);
                    params.push((local, param));
                    param
                }
                None => return None,
            };
            self.unit.exprs[ExprId(at as u32)].kind = ExprKind::Decl(param);
        }
        let types = params.iter().map(|(local, _)| self.unit.decls[*local].ty.ty).collect();
        let ty = self.unit.types.intern(Type::Function(void_function(types)));
        self.unit.decls[decl].ty = QualTy::plain(ty);
        let block = self.add_stmt(StmtKind::Block(stmts), body.span);
        if let DeclKind::Function(function) = &mut self.unit.decls[decl].kind {
            function.params = params.iter().map(|(_, param)| *param).collect();
            function.body = Some(block);
        }
        self.unit.items.push(Item::Decl(decl));
        let mut args = Vec::with_capacity(params.len());
        for (local, _) in params {
            let ty = self.unit.decls[local].ty;
            let object = self.add(ExprKind::Decl(local), ty, body.span);
            args.push(self.value_of(object));
        }
        Some(self.call_known(decl, args, body.span))
    }

    fn is_automatic(&self, decl: DeclId) -> bool {
        matches!(&self.unit.decls[decl].kind, DeclKind::Var(var)
            if matches!(var.storage, Storage::Automatic | Storage::Parameter))
    }

    fn copy_as_parameter(&mut self, local: DeclId) -> DeclId {
        let mut var = local_var(Storage::Parameter);
        var.is_address_taken = true;
        let Decl { name, span, ty, .. } = self.unit.decls[local];
        self.unit.decls.push(Decl { name, span, ty, kind: DeclKind::Var(var) })
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

fn is_call(expr: &Expr) -> bool {
    match &expr.kind {
        syntax::ExprKind::Paren(inner) => is_call(inner),
        syntax::ExprKind::Call(..) => true,
        _ => false,
    }
}

fn void_function(params: Vec<TyId>) -> FunctionType {
    FunctionType { ret: QualTy::plain(TyId::VOID), params, is_variadic: false, has_prototype: true }
}
