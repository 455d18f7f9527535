//! Names of the C library used without their headers: they get the meaning of the library.
//!
//! A function of the library models gets the type that its model has, unless the source defines it further down; a
//! macro gets its value. `assert` becomes a real assertion. Each is an assumption (`undeclared.rs`).

use unpick_base::{Span, Symbol};

use super::Sema;
use crate::ast::{DeclId, DeclKind, ExprId, ExprKind};
use crate::library_name::{self, ConstantValue};
use crate::models::{self, ModelPart};
use crate::syntax::{Encoding, Ident, StrLit};
use crate::types::{FunctionType, QualTy, TyId, Type};

/// A call of an undeclared `assert`.
pub(super) struct AssertCall {
    call: ExprId,
    decl: DeclId,
    /// The function around it.
    function: String,
}

impl Sema {
    /// A function with a library model, in the type of its model; `None` if the call does not fit that type, so that a
    /// function of the user's is meant.
    pub(super) fn modelled_function(&mut self, ident: Ident, n_args: usize) -> Option<DeclId> {
        if let Some(decl) = self.linked.get(&ident.name).copied() {
            return Some(decl);
        }
        let text = self.name(ident.name).to_owned();
        if models::header_of(&text).is_none() && !text.starts_with("__CPROVER_") {
            return None;
        }
        let model = models::type_of(&text, self.types().target)?;
        let fits = if model.is_variadic { n_args >= model.params.len() } else { n_args == model.params.len() };
        if !fits {
            return None;
        }
        let ret = QualTy::plain(self.model_part(model.ret));
        let params = model.params.iter().map(|param| self.model_part(*param)).collect();
        let function = FunctionType { ret, params, is_variadic: model.is_variadic, has_prototype: true };
        let ty = self.unit.types.intern(Type::Function(function));
        let decl = self.declare_known_function(ident.name, ty, ident.span);
        if let DeclKind::Function(function) = &mut self.unit.decls[decl].kind {
            function.is_assumed = true;
        }
        Some(decl)
    }

    fn model_part(&mut self, part: ModelPart) -> TyId {
        match part {
            ModelPart::Basic(ty) => ty,
            ModelPart::Pointer(pointee) => self.pointer_to(pointee),
        }
    }

    /// The value of a macro of the library, if the name is one.
    pub(super) fn library_value(&mut self, ident: Ident, span: Span) -> Option<ExprId> {
        let text = self.name(ident.name).to_owned();
        if text == "errno" {
            self.undeclared_library_name(ident, &text);
            return Some(self.errno(span));
        }
        let constant = library_name::constant(&text)?;
        self.undeclared_library_name(ident, &text);
        Some(match constant.value {
            ConstantValue::Int(value) => self.add_int(value, TyId::INT, span),
            ConstantValue::Least(ty) => self.add_int(self.ends_of(ty).0, ty, span),
            ConstantValue::Greatest(ty) => self.add_int(self.ends_of(ty).1, ty, span),
            ConstantValue::GreatestSize => {
                let ty = self.size_type();
                self.add_int(self.ends_of(ty).1, ty, span)
            }
            ConstantValue::Null => {
                let zero = self.add_int(0, TyId::INT, span);
                let pointer = self.pointer_to(QualTy::plain(TyId::VOID));
                self.convert(zero, pointer, false)
            }
            ConstantValue::Float(digits, ty) => self.add_value(ExprKind::Float(digits.into()), ty, span),
        })
    }

    fn ends_of(&self, ty: TyId) -> (i128, i128) {
        match self.shape_of(ty) {
            Some(shape) if shape.is_signed => (-(1 << (shape.bits - 1)), (1 << (shape.bits - 1)) - 1),
            Some(shape) => (0, (1 << shape.bits) - 1),
            None => (0, 0),
        }
    }

    /// `*__errno_location()`.
    fn errno(&mut self, span: Span) -> ExprId {
        let symbol = self.session.interner.intern("__errno_location");
        let decl = match self.linked.get(&symbol).copied() {
            Some(decl) => decl,
            None => {
                let ret = QualTy::plain(self.pointer_to(QualTy::plain(TyId::INT)));
                let function = FunctionType { ret, params: Vec::new(), is_variadic: false, has_prototype: true };
                let ty = self.unit.types.intern(Type::Function(function));
                self.declare_known_function(symbol, ty, span)
            }
        };
        let place = self.call_known(decl, Vec::new(), span);
        self.dereference(place, span)
    }

    pub(super) fn call_known(&mut self, decl: DeclId, args: Vec<ExprId>, span: Span) -> ExprId {
        let ty = self.unit.decls[decl].ty;
        let ret = self.function_type(ty.ty).map_or(TyId::INT, |function| function.ret.ty);
        let callee = self.add(ExprKind::Decl(decl), ty, span);
        let callee = self.value_of(callee);
        self.add_value(ExprKind::Call { callee, args }, ret, span)
    }

    /// Remembers a call of `assert` that only an implicit declaration stands behind.
    pub(super) fn note_assert_call(&mut self, call: ExprId, name: Symbol) {
        let Some(decl) = self.scopes.name(name) else { return };
        let is_implicit = matches!(&self.unit.decls[decl].kind, DeclKind::Function(function) if function.is_assumed);
        let (true, ExprKind::Call { args, .. }) = (is_implicit, &self.unit.exprs[call].kind) else { return };
        if args.len() == 1 {
            let function = self.function.as_ref().map(|state| self.name(self.unit.decls[state.decl].name).to_owned());
            self.assert_calls.push(AssertCall { call, decl, function: function.unwrap_or_default() });
        }
    }

    /// Calls of an `assert` that the file never defined become what the macro expands to:
    /// `cond ? 0 : (__assert_fail(...), 0)`.
    pub(super) fn resolve_assert_calls(&mut self) {
        for AssertCall { call, decl, function } in std::mem::take(&mut self.assert_calls) {
            let is_implicit =
                matches!(&self.unit.decls[decl].kind, DeclKind::Function(function) if function.is_assumed);
            let (span, ty) = (self.unit.exprs[call].span, self.unit.exprs[call].ty.ty);
            let ExprKind::Call { args, .. } = &self.unit.exprs[call].kind else { continue };
            let &[cond] = args.as_slice() else { continue };
            let is_number = self.is_integer(ty) || matches!(self.get(ty), Type::Unknown(_));
            if !is_implicit || !is_number || !self.is_scalar(self.ty_of(cond)) {
                continue;
            }
            let text = self.session.sources.snippet(self.span_of(cond)).to_owned();
            let (file, line) = match self.session.sources.place(span.lo) {
                Some(place) => (place.file.to_string(), place.line),
                None => (String::new(), 0),
            };
            let texts = [text, file, function].map(|text| self.text_value(&text, span));
            let line = self.add_int(i128::from(line), TyId::UINT, span);
            let failure = self.library_function("__assert_fail", span);
            let failure = self.call_known(failure, vec![texts[0], texts[1], line, texts[2]], span);
            let (zero, then) = (self.add_int(0, ty, span), self.add_int(0, ty, span));
            let otherwise = self.add_value(ExprKind::Comma(failure, zero), ty, span);
            self.unit.exprs[call].kind = ExprKind::Cond { cond, then, otherwise };
        }
    }

    fn text_value(&mut self, text: &str, span: Span) -> ExprId {
        let units = text.bytes().map(u32::from).collect();
        let literal = self.str_literal(&StrLit { units, encoding: Encoding::Plain }, span);
        let value = self.value_of(literal);
        let pointer = self.pointer_to(QualTy { ty: TyId::CHAR, quals: crate::types::QualSet::CONST });
        self.convert(value, pointer, true)
    }
}
