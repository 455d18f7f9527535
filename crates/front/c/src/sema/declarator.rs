//! Analysis of declarators: pointers, arrays, functions and their parameters.

use unpick_base::Span;

use super::Sema;
use super::attr::Attrs;
use super::specs::qual_set;
use crate::ast::{Decl, DeclId, DeclKind, ExprId, Linkage, Storage, Var};
use crate::syntax::{ArrayLen, Declarator, Derivation, Ident, Param, Params};
use crate::types::{ArrayExtent, FunctionType, QualSet, QualTy, Target, TyId, Type};

impl Sema {
    /// The declared type. `is_param`: the outermost array is going to be a pointer.
    pub(super) fn derive(&mut self, base: QualTy, declarator: &Declarator, is_param: bool) -> QualTy {
        let mut ty = base;
        let last = declarator.derivations.len().saturating_sub(1);
        for (at, derivation) in declarator.derivations.iter().enumerate() {
            ty = match derivation {
                Derivation::Pointer { quals, .. } => {
                    let pointer = self.pointer_to(ty);
                    QualTy { ty: pointer, quals: qual_set(*quals) }
                }
                Derivation::Array { len, quals, span, .. } => {
                    let array = self.derive_array(ty, len, *span, is_param && at == last);
                    // Qualifiers between the brackets are those of the pointer the parameter becomes.
                    if is_param && at == last { QualTy { ty: array.ty, quals: qual_set(*quals) } } else { array }
                }
                Derivation::Function { params, span, .. } => self.derive_function(ty, params, *span),
            };
        }
        ty
    }

    fn derive_array(&mut self, element: QualTy, len: &ArrayLen, span: Span, is_outer_param: bool) -> QualTy {
        if element.ty == TyId::ERROR {
            return element;
        }
        if self.is_function(element.ty) || element.ty == TyId::VOID {
            let message = format!("an array cannot have elements of type `{}`", self.spell(element.ty));
            self.error(span, message);
            return QualTy::plain(TyId::ERROR);
        }
        if !self.is_complete(element.ty) && !is_outer_param {
            let message = format!("array element type `{}` is incomplete", self.spell(element.ty));
            self.error(span, message);
            return QualTy::plain(TyId::ERROR);
        }
        let extent = match len {
            ArrayLen::Unspecified => ArrayExtent::Unknown,
            ArrayLen::Star => ArrayExtent::Star,
            ArrayLen::Expr(expr) => {
                let value = self.rvalue(expr);
                if self.is_error(value) {
                    return QualTy::plain(TyId::ERROR);
                }
                let ty = self.ty_of(value);
                if !self.is_integer(ty) {
                    let message = format!("array size has type `{}`, not an integer type", self.spell(ty));
                    self.error(expr.span, message);
                    return QualTy::plain(TyId::ERROR);
                }
                match self.extent(value, element.ty, expr.span, is_outer_param) {
                    Some(extent) => extent,
                    None => return QualTy::plain(TyId::ERROR),
                }
            }
        };
        QualTy::plain(self.unit.types.intern(Type::Array { element, extent }))
    }

    /// The extent an array bound stands for; `None` after a complaint.
    fn extent(&mut self, value: ExprId, element: TyId, span: Span, is_outer_param: bool) -> Option<ArrayExtent> {
        match self.const_int(value) {
            Some(n) if n < 0 => {
                self.error(span, format!("array size {n} is negative"));
                None
            }
            Some(n) => {
                let bytes = n.checked_mul(i128::from(self.types().size_of(element).unwrap_or(1)));
                if bytes.is_none_or(|bytes| bytes > self.max_object_bytes()) {
                    self.error(span, "array is too large");
                    return None;
                }
                u64::try_from(n).ok().map(ArrayExtent::Fixed)
            }
            None if is_outer_param => Some(ArrayExtent::Unknown),
            None if self.is_file_scope() && self.function.is_none() => {
                self.required_const_value(value, "array size at file scope");
                None
            }
            None => {
                let size_type = self.size_type();
                let extent = self.convert(value, size_type, true);
                self.vla_sizes.push(extent);
                Some(ArrayExtent::Variable(extent))
            }
        }
    }

    /// No object may be larger than a pointer difference can say.
    fn max_object_bytes(&self) -> i128 {
        match self.types().target {
            Target::Lp64 => i128::from(i64::MAX),
            Target::Ilp32 => i128::from(i32::MAX),
        }
    }

    fn derive_function(&mut self, ret: QualTy, params: &Params, span: Span) -> QualTy {
        if self.is_function(ret.ty) || self.is_array(ret.ty) {
            let message = format!("a function cannot return `{}`", self.spell(ret.ty));
            self.error(span, message);
            return QualTy::plain(TyId::ERROR);
        }
        // Qualifiers of a result mean nothing.
        let ret = QualTy::plain(ret.ty);
        let function = match params {
            Params::Empty | Params::Names(_) => {
                self.last_params.clear();
                FunctionType { ret, params: Vec::new(), is_variadic: false, has_prototype: false }
            }
            Params::Prototype { params, is_variadic } => {
                let n_vla_sizes = self.vla_sizes.len();
                self.scopes.enter();
                let mut decls = Vec::with_capacity(params.len());
                for (at, param) in params.iter().enumerate() {
                    if let Some(decl) = self.parameter(param, params.len() == 1 && at == 0) {
                        decls.push(decl);
                    }
                }
                self.scopes.leave();
                self.vla_sizes.truncate(n_vla_sizes);
                let types = decls.iter().map(|decl| self.unit.decls[*decl].ty.ty).collect();
                self.last_params = decls;
                FunctionType { ret, params: types, is_variadic: *is_variadic, has_prototype: true }
            }
        };
        QualTy::plain(self.unit.types.intern(Type::Function(function)))
    }

    /// Declares a parameter in the open prototype scope; `None` for the `void` of `(void)`.
    fn parameter(&mut self, param: &Param, may_be_void: bool) -> Option<DeclId> {
        let specified = self.explicit_specs(&param.specs, false);
        let attrs = self.attrs(&param.declarator.attrs);
        let base = self.apply_type_attrs(specified.ty, &attrs);
        let ty = self.derive(base, &param.declarator, true);
        let at_least = self.promised_elements(&param.declarator, &attrs, ty.ty);
        let mut ty = self.adjust_parameter(ty);
        if ty.ty == TyId::VOID {
            if may_be_void && param.declarator.name.is_none() {
                return None;
            }
            self.error(param.span, "a parameter cannot have type `void`");
            ty = QualTy::plain(TyId::ERROR);
        }
        let name = param.declarator.name;
        let decl = self.declare_parameter(name, ty, param.span);
        if let DeclKind::Var(var) = &mut self.unit.decls[decl].kind {
            var.at_least = at_least;
        }
        Some(decl)
    }

    /// How many elements a parameter is promised to point to: `[static n]`, or `nonnull` on the parameter itself.
    fn promised_elements(&self, declarator: &Declarator, attrs: &Attrs, ty: TyId) -> Option<u64> {
        let is_static = matches!(declarator.derivations.last(), Some(Derivation::Array { is_static: true, .. }));
        match *self.get(ty) {
            Type::Array { extent: ArrayExtent::Fixed(len), .. } if is_static => Some(len),
            // A length that depends on other arguments promises one element at least.
            _ => (is_static || attrs.nonnull.is_some()).then_some(1),
        }
    }

    pub(super) fn declare_parameter(&mut self, name: Option<Ident>, ty: QualTy, span: Span) -> DeclId {
        let symbol = match name {
            Some(ident) => ident.name,
            None => self.session.interner.intern(""),
        };
        let span = name.map_or(span, |ident| ident.span);
        let kind = DeclKind::Var(local_var(Storage::Parameter));
        let decl = self.unit.decls.push(Decl { name: symbol, span, ty, kind });
        if let Some(ident) = name {
            if let Some(previous) = self.scopes.name_here(ident.name) {
                let message = format!("parameter `{}` is declared twice", self.name(ident.name));
                let other = self.unit.decls[previous].span;
                self.error_with(ident.span, message, other, "first declared here");
            }
            self.scopes.bind_name(ident.name, decl);
        }
        decl
    }

    /// Arrays and functions become pointers.
    pub(super) fn adjust_parameter(&mut self, ty: QualTy) -> QualTy {
        match *self.get(ty.ty) {
            Type::Array { element, .. } => QualTy { ty: self.pointer_to(element), quals: ty.quals },
            Type::Function(_) => QualTy::plain(self.pointer_to(QualTy::plain(ty.ty))),
            Type::VaList if self.types().target == Target::Lp64 => {
                let list = QualTy { ty: ty.ty, quals: QualSet::NONE };
                QualTy::plain(self.pointer_to(list))
            }
            _ => ty,
        }
    }
}

/// An object without linkage.
pub(super) fn local_var(storage: Storage) -> Var {
    Var {
        linkage: Linkage::None,
        storage,
        init: None,
        is_declared_only: false,
        is_tentative: false,
        align: None,
        cleanup: None,
        asm_label: None,
        is_weak: false,
        is_assumed: false,
        section: None,
        at_least: None,
        is_address_taken: false,
    }
}
