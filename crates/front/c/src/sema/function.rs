//! Analysis of functions: declarations, definitions in both styles, inline rules.

use unpick_base::Symbol;

use super::Sema;
use super::decl::Declared;
use super::stmt::FunctionState;
use crate::ast::{Decl, DeclId, DeclKind, Function, Item, Linkage, StmtKind};
use crate::syntax::{Derivation, FunctionDef, Params};
use crate::types::{ArrayExtent, FunctionType, QualTy, TyId, Type};

impl Sema {
    pub(super) fn declare_function(&mut self, declared: &Declared<'_>, is_definition: bool) -> DeclId {
        let name = declared.name;
        let params = std::mem::take(&mut self.last_params);
        if self.function.is_some() && !is_definition {
            // A block may hide the function's name with an object.
            if let Some(here) = self.scopes.name_here(name.name)
                && !matches!(self.unit.decls[here].kind, DeclKind::Function(_))
            {
                let other = self.unit.decls[here].span;
                self.other_kind(name, other);
            }
        }
        if let Some(previous) = self.earlier_linked(name) {
            if matches!(self.unit.decls[previous].kind, DeclKind::Function(_)) {
                self.redeclare_function(previous, declared, params, is_definition);
                if self.scopes.name_here(name.name) != Some(previous) {
                    self.scopes.bind_name(name.name, previous);
                }
                return previous;
            }
            let is_assumed = matches!(&self.unit.decls[previous].kind, DeclKind::Var(var) if var.is_assumed);
            if !is_assumed {
                let other = self.unit.decls[previous].span;
                self.other_kind(name, other);
            }
        }
        let is_static = declared.storage.is_static;
        let mut function = plain_function(if is_static { Linkage::Internal } else { Linkage::External });
        function.params = params;
        function.is_inline_only = is_inline_only(declared);
        apply_function_attrs(&mut function, declared);
        let kind = DeclKind::Function(function);
        let decl = self.unit.decls.push(Decl { name: name.name, span: name.span, ty: declared.ty, kind });
        self.linked.insert(name.name, decl);
        self.scopes.bind_name(name.name, decl);
        decl
    }

    fn redeclare_function(
        &mut self,
        previous: DeclId,
        declared: &Declared<'_>,
        params: Vec<DeclId>,
        is_definition: bool,
    ) {
        let name = declared.name;
        let (old_ty, other) = (self.unit.decls[previous].ty, self.unit.decls[previous].span);
        let DeclKind::Function(old) = &self.unit.decls[previous].kind else { return };
        let (is_assumed, has_body, may_replace) = (old.is_assumed, old.body.is_some(), old.is_inline_only);
        let old_linkage = old.linkage;
        let mut ty = declared.ty;
        if self.are_compatible(old_ty.ty, ty.ty) {
            // The definition's own old-style parameters stay in charge of its type.
            let keeps_new = is_definition && self.function_type(ty.ty).is_some_and(|function| !function.has_prototype);
            let keeps_new = keeps_new && self.function_type(old_ty.ty).is_some_and(|old| !old.has_prototype);
            if !keeps_new {
                ty.ty = self.composite(old_ty.ty, ty.ty);
            }
        } else if is_assumed {
            // gcc, too, lets the real declaration win over an implicit one.
        } else {
            self.conflicting_types(name, old_ty, ty, other);
        }
        if is_definition && has_body && !may_replace {
            let message = format!("function `{}` is defined twice", self.name(name.name));
            self.error_with(name.span, message, other, "first defined here");
        }
        if declared.storage.is_static && old_linkage == Linkage::External && !is_assumed {
            let message = format!("`{}` is static here but was declared external", self.name(name.name));
            self.warn(name.span, message);
        }
        let now_inline_only = is_inline_only(declared);
        let item = &mut self.unit.decls[previous];
        item.ty = ty;
        if is_definition {
            item.span = name.span;
        }
        let DeclKind::Function(function) = &mut item.kind else { return };
        if declared.storage.is_static {
            function.linkage = Linkage::Internal;
        }
        function.is_inline_only = (function.is_inline_only || is_assumed) && now_inline_only
            || is_definition && declared.attrs.is_gnu_inline && now_inline_only
            || has_body && !is_definition && function.is_inline_only && declared.attrs.is_gnu_inline;
        function.is_assumed = false;
        if is_definition || function.params.is_empty() {
            function.params = params;
        }
        apply_function_attrs(function, declared);
    }

    /// A function declared by the compiler's own knowledge, or called without a declaration.
    pub(super) fn declare_known_function(&mut self, name: Symbol, ty: TyId, span: unpick_base::Span) -> DeclId {
        let kind = DeclKind::Function(plain_function(Linkage::External));
        let decl = self.unit.decls.push(Decl { name, span, ty: QualTy::plain(ty), kind });
        self.bind_assumed(name, decl);
        decl
    }

    pub(super) fn function_definition(&mut self, def: &FunctionDef) {
        let specified = self.explicit_specs(&def.specs, false);
        let declarator = &def.declarator;
        let Some(name) = declarator.name else { return };
        let attrs = self.attrs(&declarator.attrs);
        let base = self.apply_type_attrs(specified.ty, &attrs);
        let mut ty = self.derive(base, declarator, false);
        if !self.is_function(ty.ty) {
            if ty.ty != TyId::ERROR {
                let message = format!("`{}` has a body but is not a function", self.name(name.name));
                self.error(name.span, message);
            }
            let ret = QualTy::plain(TyId::INT);
            let function = FunctionType { ret, params: Vec::new(), is_variadic: false, has_prototype: false };
            ty = QualTy::plain(self.unit.types.intern(Type::Function(function)));
            self.last_params.clear();
        }
        let params = std::mem::take(&mut self.last_params);
        self.scopes.enter();
        let params = self.enter_parameters(def, params, &mut ty);
        self.scopes.leave();
        let mut attrs = specified.attrs.clone().merge(attrs);
        attrs.is_noreturn |= def.specs.is_noreturn;
        let declared = Declared {
            name,
            ty,
            storage: def.specs.storage,
            attrs,
            align: None,
            asm_label: None,
            is_inline: def.specs.is_inline,
        };
        self.last_params = params.clone();
        let decl = self.declare_function(&declared, true);
        // An implicit `main` and the like are found by their own body.
        if let DeclKind::Function(function) = &mut self.unit.decls[decl].kind {
            function.params = params.clone();
        }
        self.function_body(def, decl, &params);
        self.unit.items.push(Item::Decl(decl));
    }

    /// Binds the parameters; those of an old-style definition get their declarations here.
    fn enter_parameters(&mut self, def: &FunctionDef, params: Vec<DeclId>, ty: &mut QualTy) -> Vec<DeclId> {
        let last = def.declarator.derivations.iter().rev().find_map(|step| match step {
            Derivation::Function { params, .. } => Some(params),
            Derivation::Pointer { .. } | Derivation::Array { .. } => None,
        });
        let Some(Params::Names(names)) = last else { return params };
        let mut decls = Vec::with_capacity(names.len());
        for name in names {
            let decl = self.declare_parameter(Some(*name), QualTy::plain(TyId::INT), name.span);
            decls.push(decl);
        }
        for declaration in &def.old_style {
            let specified = self.explicit_specs(&declaration.specs, false);
            for item in &declaration.declarators {
                let Some(name) = item.declarator.name else { continue };
                let declared = self.derive(specified.ty, &item.declarator, true);
                let declared = self.adjust_parameter(declared);
                match decls.iter().find(|decl| self.unit.decls[**decl].name == name.name) {
                    Some(decl) => self.unit.decls[*decl].ty = declared,
                    None => {
                        let message = format!("`{}` is not a parameter of this function", self.name(name.name));
                        self.error(name.span, message);
                    }
                }
            }
        }
        let types = decls.iter().map(|decl| self.promoted_parameter(self.unit.decls[*decl].ty.ty)).collect();
        if let Some(function) = self.function_type(ty.ty) {
            let old_style = FunctionType { ret: function.ret, params: types, is_variadic: false, has_prototype: false };
            ty.ty = self.unit.types.intern(Type::Function(old_style));
        }
        decls
    }

    /// What a caller without prototype passes for a parameter of this type.
    fn promoted_parameter(&self, ty: TyId) -> TyId {
        match self.get(ty) {
            Type::Float(crate::types::FloatKind::Float) => TyId::DOUBLE,
            Type::Int(_) | Type::Enum(_) => match self.shape_of(ty) {
                Some(shape) if shape.rank < 3 => TyId::INT,
                _ => ty,
            },
            _ => ty,
        }
    }

    fn function_body(&mut self, def: &FunctionDef, decl: DeclId, params: &[DeclId]) {
        let ret = self.function_type(self.unit.decls[decl].ty.ty).map_or(QualTy::plain(TyId::INT), |f| f.ret);
        if !self.is_complete(ret.ty) && ret.ty != TyId::VOID {
            self.require_complete(ret.ty, def.declarator.span);
        }
        let outer = self.function.replace(FunctionState::new(decl, ret));
        self.scopes.enter();
        let mut sizes = Vec::new();
        for param in params {
            let item = &self.unit.decls[*param];
            let (name, ty, span) = (item.name, item.ty, item.span);
            if !self.name(name).is_empty() {
                self.scopes.bind_name(name, *param);
            }
            if !self.is_complete(ty.ty) && ty.ty != TyId::ERROR {
                self.require_complete(ty.ty, span);
            }
            self.collect_extents(ty, &mut sizes);
        }
        let mut stmts = Vec::new();
        if !sizes.is_empty() {
            stmts.push(self.add_stmt(StmtKind::VlaSizes(sizes), def.span));
        }
        self.vla_sizes.clear();
        self.block_items(&def.body.items, &mut stmts);
        self.scopes.leave();
        let state = std::mem::replace(&mut self.function, outer);
        if let Some(state) = state {
            self.finish_labels(&state);
            if let Some(name) = state.name_decl {
                let stmt = self.add_stmt(StmtKind::Decl(vec![name]), def.body.span);
                stmts.insert(0, stmt);
            }
            if let DeclKind::Function(function) = &mut self.unit.decls[decl].kind {
                function.address_labels = state.address_labels;
            }
        }
        let body = self.add_stmt(StmtKind::Block(stmts), def.body.span);
        if let DeclKind::Function(function) = &mut self.unit.decls[decl].kind {
            function.body = Some(body);
        }
    }

    /// The variable extents a type mentions, outermost last.
    fn collect_extents(&self, ty: QualTy, sizes: &mut Vec<crate::ast::ExprId>) {
        match self.get(ty.ty) {
            Type::Pointer(pointee) => self.collect_extents(*pointee, sizes),
            Type::Array { element, extent } => {
                self.collect_extents(*element, sizes);
                if let ArrayExtent::Variable(expr) = extent {
                    sizes.push(*expr);
                }
            }
            _ => {}
        }
    }

    /// A complete type, or a record that is assumed to be one.
    pub(super) fn require_complete(&mut self, ty: TyId, span: unpick_base::Span) -> bool {
        if self.is_complete(ty) {
            return true;
        }
        match self.record_of(ty) {
            Some(record) if !self.session.is_strict => {
                self.assume_record(record, span);
                true
            }
            _ => {
                let message = format!("`{}` is incomplete here", self.spell(ty));
                self.error(span, message);
                false
            }
        }
    }
}

pub(super) fn plain_function(linkage: Linkage) -> Function {
    Function {
        linkage,
        is_inline: false,
        is_inline_only: false,
        is_always_inline: false,
        is_noreturn: false,
        is_weak: false,
        alias: None,
        asm_label: None,
        nonnull: None,
        constructor: None,
        destructor: None,
        is_assumed: false,
        params: Vec::new(),
        body: None,
        address_labels: Vec::new(),
    }
}

/// C99: `inline` without `extern`; gnu_inline: `extern inline`.
fn is_inline_only(declared: &Declared<'_>) -> bool {
    if !declared.is_inline || declared.storage.is_static {
        return false;
    }
    declared.attrs.is_gnu_inline == declared.storage.is_extern
}

fn apply_function_attrs(function: &mut Function, declared: &Declared<'_>) {
    let attrs = &declared.attrs;
    function.is_inline |= declared.is_inline;
    function.is_noreturn |= attrs.is_noreturn;
    function.is_always_inline |= attrs.is_always_inline;
    function.is_weak |= attrs.is_weak;
    function.alias = attrs.alias.clone().or(function.alias.take());
    if let Some(numbers) = &attrs.nonnull {
        let known = function.nonnull.take();
        // Without numbers the attribute speaks of every parameter, and the strongest wins.
        let is_all = numbers.is_empty() || known.as_ref().is_some_and(Vec::is_empty);
        let merged = known.into_iter().flatten().chain(numbers.iter().copied()).collect();
        function.nonnull = Some(if is_all { Vec::new() } else { merged });
    }
    function.constructor = attrs.constructor.or(function.constructor);
    function.destructor = attrs.destructor.or(function.destructor);
    if let Some(label) = declared.asm_label {
        function.asm_label.get_or_insert_with(|| label.to_owned());
    }
}
