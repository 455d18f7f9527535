//! Analysis of calls: arguments, undeclared functions, intrinsics.

use unpick_base::{Span, Symbol};

use super::Sema;
use super::convert::Why;
use crate::ast::{DeclId, DeclKind, ExprId, ExprKind};
use crate::builtin::{self, Known};
use crate::intrinsic;
use crate::syntax::{self, Expr, Ident};
use crate::types::{FunctionType, QualTy, TyId, Type};

impl Sema {
    pub(super) fn call(&mut self, callee: &Expr, args: &[Expr], span: Span) -> ExprId {
        let mut name = None;
        let mut intrinsic = None;
        let callee_id = if let syntax::ExprKind::Ident(ident) = &Self::unparenthesised(callee).kind {
            name = Some(ident.name);
            match self.scopes.name(ident.name) {
                None => {
                    if let Some(known) = builtin::lookup(self.session.interner.name(ident.name)) {
                        return self.builtin_call(known, *ident, args, span);
                    }
                    let decl = self.known_or_implicit(*ident, args.len());
                    intrinsic = self.intrinsic_of(decl);
                    self.identifier(*ident, callee.span)
                }
                Some(decl) => {
                    if let Some(known) = self.declared_builtin(decl) {
                        return self.builtin_call(known, *ident, args, span);
                    }
                    intrinsic = self.intrinsic_of(decl);
                    self.identifier(*ident, callee.span)
                }
            }
        } else {
            self.expr(callee)
        };
        let callee_id = self.value_of(callee_id);
        let id = self.call_value(callee_id, args, name, span);
        if let (Some((decl, builtin)), ExprKind::Call { .. }) = (intrinsic, &self.unit.exprs[id].kind) {
            self.intrinsic_calls.push((id, decl, builtin));
        }
        if let Some(name) = name.filter(|name| self.name(*name) == "assert") {
            self.note_assert_call(id, name);
        }
        id
    }

    /// A function of the compiler that the program declares once more, which changes nothing.
    fn declared_builtin(&self, decl: DeclId) -> Option<Known> {
        let item = &self.unit.decls[decl];
        let DeclKind::Function(function) = &item.kind else { return None };
        let name = self.session.interner.name(item.name);
        if function.body.is_some() || !name.starts_with("__builtin_") {
            return None;
        }
        let known = builtin::lookup(name)?;
        // Without a meaning of ours it stays a function without a body, of the type that was declared.
        let has_meaning = match known {
            Known::Typed(builtin, _) => builtin != builtin::Builtin::Unmodelled,
            Known::Library(_, _) => true,
            Known::Special(special) => special != builtin::Special::Unmodelled,
        };
        has_meaning.then_some(known)
    }

    /// The built-in a declared function stands for, unless it has a body.
    fn intrinsic_of(&self, decl: DeclId) -> Option<(DeclId, builtin::Builtin)> {
        let item = &self.unit.decls[decl];
        let DeclKind::Function(function) = &item.kind else { return None };
        let name = self.session.interner.name(item.name);
        if function.body.is_some() || !name.starts_with("__") {
            return None;
        }
        if let Some((builtin, _)) = builtin::intrinsic(name) {
            return Some((decl, builtin));
        }
        // The declaration says which type is meant.
        let ty = self.function_type(item.ty.ty)?;
        let is_value = ty.params.is_empty() && ty.ret.ty != TyId::VOID && !function.is_assumed;
        (is_value && intrinsic::is_nondet_family(name)).then_some((decl, builtin::Builtin::Nondet))
    }

    /// Calls of intrinsics that never got a body become built-ins.
    pub(super) fn resolve_intrinsic_calls(&mut self) {
        for (call, decl, builtin) in std::mem::take(&mut self.intrinsic_calls) {
            let DeclKind::Function(function) = &self.unit.decls[decl].kind else { continue };
            if function.body.is_some() {
                continue;
            }
            if let ExprKind::Call { args, .. } = &mut self.unit.exprs[call].kind {
                let args = std::mem::take(args);
                self.unit.exprs[call].kind = ExprKind::Builtin { builtin, args };
            }
        }
    }

    /// A function the compiler knows without a declaration.
    pub(super) fn known_function(&mut self, ident: Ident) -> Option<DeclId> {
        let text = self.session.interner.name(ident.name);
        let signature = match builtin::intrinsic(text) {
            Some((_, signature)) => signature,
            None => match builtin::lookup(text) {
                Some(Known::Library(twin, _)) => {
                    return Some(self.library_function(twin, ident.span));
                }
                _ => return None,
            },
        };
        let ty = self.signature_type(signature);
        Some(self.declare_known_function(ident.name, ty, ident.span))
    }

    /// The library function of this name, declared with its known type if the source does not declare it.
    pub(super) fn library_function(&mut self, name: &str, span: Span) -> DeclId {
        let symbol = self.session.interner.intern(name);
        if let Some(decl) = self.linked.get(&symbol).copied()
            && matches!(self.unit.decls[decl].kind, DeclKind::Function(_))
        {
            return decl;
        }
        let signature = builtin::library_signature(name).unwrap_or("i");
        let ty = self.signature_type(signature);
        let decl = self.declare_known_function(symbol, ty, span);
        if matches!(name, "abort" | "exit" | "_exit" | "_Exit" | "__assert_fail")
            && let DeclKind::Function(function) = &mut self.unit.decls[decl].kind
        {
            function.is_noreturn = true;
        }
        decl
    }

    /// The function behind a called, undeclared name.
    fn known_or_implicit(&mut self, ident: Ident, n_args: usize) -> DeclId {
        if let Some(decl) = self.known_function(ident) {
            return decl;
        }
        let text = self.session.interner.name(ident.name).to_owned();
        if builtin::library_signature(&text).is_some() {
            let decl = self.library_function(&text, ident.span);
            self.undeclared_library_name(ident, &text);
            return decl;
        }
        if let Some(decl) = self.modelled_function(ident, n_args) {
            // Sources do not declare the functions of a verifier.
            if !text.starts_with("__CPROVER_") {
                self.undeclared_function(ident, decl);
            }
            return decl;
        }
        let ret = QualTy::plain(self.unknown_result(&text));
        let function = FunctionType { ret, params: Vec::new(), is_variadic: false, has_prototype: false };
        let ty = self.unit.types.intern(Type::Function(function));
        let decl = self.declare_known_function(ident.name, ty, ident.span);
        if let DeclKind::Function(function) = &mut self.unit.decls[decl].kind {
            function.is_assumed = true;
        }
        self.undeclared_function(ident, decl);
        decl
    }

    fn call_value(&mut self, callee: ExprId, args: &[Expr], name: Option<Symbol>, span: Span) -> ExprId {
        let ty = self.ty_of(callee);
        self.learn_function(ty);
        let pointee = self.pointee(ty).map(|pointee| pointee.ty);
        let function = pointee.and_then(|pointee| self.function_type(pointee));
        let Some(function) = function else {
            for arg in args {
                self.rvalue(arg);
            }
            if ty != TyId::ERROR {
                let message = format!("a value of type `{}` cannot be called", self.spell(ty));
                self.error(span, message);
            }
            return self.add_error(span);
        };
        let (ret, has_prototype, is_variadic) = (function.ret.ty, function.has_prototype, function.is_variadic);
        let params = if has_prototype { function.params.clone() } else { Vec::new() };
        let values: Vec<ExprId> = args.iter().map(|arg| self.rvalue(arg)).collect();
        if has_prototype {
            self.check_argument_count(params.len(), values.len(), is_variadic, name, span);
        }
        let args = self.convert_arguments(&params, values, name);
        if ret != TyId::VOID && !self.require_complete(ret, span) {
            return self.add_error(span);
        }
        self.add_value(ExprKind::Call { callee, args }, ret, span)
    }

    fn check_argument_count(
        &mut self,
        n_params: usize,
        n_args: usize,
        is_variadic: bool,
        name: Option<Symbol>,
        span: Span,
    ) {
        let who = match name {
            Some(name) => format!("`{}`", self.name(name)),
            None => "the function".to_owned(),
        };
        if n_args < n_params {
            self.error(span, format!("too few arguments: {who} takes {n_params}, not {n_args}"));
        } else if n_args > n_params && !is_variadic {
            self.error(span, format!("too many arguments: {who} takes {n_params}, not {n_args}"));
        }
    }

    /// Arguments in the types of the parameters; those beyond get the default promotions.
    pub(super) fn convert_arguments(
        &mut self,
        params: &[TyId],
        values: Vec<ExprId>,
        name: Option<Symbol>,
    ) -> Vec<ExprId> {
        let mut args = values;
        for (at, slot) in args.iter_mut().enumerate() {
            let value = *slot;
            *slot = match params.get(at) {
                Some(param) => self.assign_to(value, *param, Why::Argument(at + 1, name)),
                None => {
                    if self.ty_of(value) == TyId::VOID {
                        let span = self.span_of(value);
                        self.error(span, "an argument cannot be `void`");
                    }
                    self.promote_argument(value)
                }
            };
        }
        args
    }
}
