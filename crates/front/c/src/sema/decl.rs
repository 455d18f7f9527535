//! Analysis of declarations: linkage, redeclaration, initialisation.

use unpick_base::{Diagnostic, Severity, Span, Symbol};

use super::Sema;
use super::attr::Attrs;
use super::declarator::local_var;
use super::specs::Specified;
use crate::ast::{Decl, DeclId, DeclKind, Item, Linkage, StmtId, StmtKind, Storage, Var};
use crate::syntax::{Declaration, Derivation, Ident, InitDeclarator, StorageSpecs, TypeSpec};
use crate::types::{ArrayExtent, QualTy, TyId, Type};

/// One declarator with all that is known of it before it is declared.
pub(super) struct Declared<'a> {
    pub name: Ident,
    pub ty: QualTy,
    pub storage: StorageSpecs,
    pub attrs: Attrs,
    pub align: Option<u64>,
    pub asm_label: Option<&'a str>,
    pub is_inline: bool,
}

impl Sema {
    pub(super) fn file_declaration(&mut self, declaration: &Declaration) {
        let mut stmts = Vec::new();
        self.declaration(declaration, &mut stmts);
    }

    /// Declares all declarators; in a block the resulting statements are appended to `stmts`.
    pub(super) fn declaration(&mut self, declaration: &Declaration, stmts: &mut Vec<StmtId>) {
        let specified = self.specs(&declaration.specs, declaration.declarators.is_empty());
        if declaration.declarators.is_empty() {
            return self.check_empty_declaration(declaration);
        }
        let mut group = Vec::new();
        for init_declarator in &declaration.declarators {
            let decl = self.init_declarator(declaration, &specified, init_declarator);
            if self.function.is_some() && self.has_pending() {
                self.flush_decl_group(&mut group, declaration.span, stmts);
                self.flush_pending(declaration.span, stmts);
            }
            let Some(decl) = decl else { continue };
            if self.function.is_some() {
                group.push(decl);
            }
        }
        self.flush_decl_group(&mut group, declaration.span, stmts);
    }

    fn flush_decl_group(&mut self, group: &mut Vec<DeclId>, span: Span, stmts: &mut Vec<StmtId>) {
        if !group.is_empty() {
            let stmt = self.add_stmt(StmtKind::Decl(std::mem::take(group)), span);
            stmts.push(stmt);
        }
    }

    fn check_empty_declaration(&mut self, declaration: &Declaration) {
        match &declaration.specs.ty {
            TypeSpec::Record(_) | TypeSpec::Enum(_) => {}
            _ => self.warn(declaration.span, "declaration declares nothing"),
        }
    }

    /// Declares one declarator; `None` for typedefs and errors.
    fn init_declarator(
        &mut self,
        declaration: &Declaration,
        specified: &Specified,
        item: &InitDeclarator,
    ) -> Option<DeclId> {
        let declarator = &item.declarator;
        let name = declarator.name?;
        let attrs = self.attrs(&declarator.attrs);
        let base = self.apply_type_attrs(specified.ty, &attrs);
        let n_vla_sizes = self.vla_sizes.len();
        let mut ty = self.derive(base, declarator, false);
        let attrs = specified.attrs.clone().merge(attrs);
        let storage = declaration.specs.storage;
        let is_array_only = declarator.derivations.iter().all(|step| matches!(step, Derivation::Array { .. }));
        let typedef_align = specified.typedef_align.filter(|_| is_array_only);
        let align = attrs.aligned.max(specified.alignas).max(typedef_align);
        if storage.is_typedef {
            if let (true, Type::Record(id)) = (attrs.is_transparent_union, self.get(ty.ty)) {
                let id = *id;
                self.unit.types.records[id].is_transparent_union = true;
            }
            if specified.is_auto_type {
                self.error(name.span, "`__auto_type` needs an initialiser");
            }
            self.declare_typedef(name, ty, align);
            return None;
        }
        // The sizes of objects are evaluated where the object is declared.
        self.vla_sizes.truncate(n_vla_sizes);
        let mut early_init = None;
        if specified.is_auto_type {
            match &item.init {
                Some(crate::syntax::Initializer::Expr(expr)) => {
                    let value = self.rvalue(expr);
                    ty = QualTy { ty: self.ty_of(value), quals: specified.ty.quals };
                    early_init = Some(value);
                }
                _ => {
                    self.error(name.span, "`__auto_type` needs an initialiser");
                    ty = QualTy::plain(TyId::ERROR);
                }
            }
        }
        let is_noreturn = attrs.is_noreturn || declaration.specs.is_noreturn;
        let declared = Declared {
            name,
            ty,
            storage,
            attrs: Attrs { is_noreturn, ..attrs },
            align,
            asm_label: item.asm_label.as_deref(),
            is_inline: declaration.specs.is_inline,
        };
        if self.is_function(ty.ty) {
            if item.init.is_some() {
                let message = format!("function `{}` cannot be initialised like a variable", self.name(name.name));
                self.error(name.span, message);
            }
            let decl = self.declare_function(&declared, false);
            self.note_item(decl);
            return Some(decl);
        }
        let decl = self.declare_object(&declared, item.init.is_some());
        match (early_init, &item.init) {
            (Some(value), _) => self.set_init(decl, crate::ast::Init::Expr(value)),
            (None, Some(init)) => self.initialise(decl, init),
            (None, None) => {}
        }
        self.check_object_type(decl, name.span);
        self.note_item(decl);
        Some(decl)
    }

    fn note_item(&mut self, decl: DeclId) {
        if self.function.is_none() {
            self.unit.items.push(Item::Decl(decl));
        }
    }

    fn declare_typedef(&mut self, name: Ident, ty: QualTy, align: Option<u64>) {
        if let Some(previous) = self.scopes.name_here(name.name) {
            let old = &self.unit.decls[previous];
            let (old_ty, other) = (old.ty, old.span);
            if matches!(old.kind, DeclKind::Typedef) {
                if self.are_compatible(old_ty.ty, ty.ty) {
                    return;
                }
                let message = format!(
                    "`{}` is defined as another type: `{}` instead of `{}`",
                    self.name(name.name),
                    self.spell_qual(ty),
                    self.spell_qual(old_ty)
                );
                return self.error_with(name.span, message, other, "first defined here");
            }
            return self.other_kind(name, other);
        }
        let decl = self.unit.decls.push(Decl { name: name.name, span: name.span, ty, kind: DeclKind::Typedef });
        if let Some(align) = align {
            self.typedef_aligns.insert(decl, align);
        }
        self.scopes.bind_name(name.name, decl);
    }

    pub(super) fn other_kind(&mut self, name: Ident, other: Span) {
        let message = format!("`{}` is declared as something else", self.name(name.name));
        self.error_with(name.span, message, other, "first declared here");
    }

    /// The earlier declaration of the same object or function, if this one has linkage.
    pub(super) fn earlier_linked(&mut self, name: Ident) -> Option<DeclId> {
        match self.linked.get(&name.name).copied() {
            Some(decl) => Some(decl),
            None => match self.scopes.name_here(name.name) {
                Some(decl) => {
                    let other = self.unit.decls[decl].span;
                    self.other_kind(name, other);
                    None
                }
                None => None,
            },
        }
    }

    pub(super) fn declare_object(&mut self, declared: &Declared<'_>, has_init: bool) -> DeclId {
        let in_block = self.function.is_some();
        if in_block && !declared.storage.is_extern {
            return self.declare_local(declared);
        }
        let is_declared_only = declared.storage.is_extern && !has_init;
        let name = declared.name;
        if let Some(previous) = self.earlier_linked(name) {
            if matches!(self.unit.decls[previous].kind, DeclKind::Var(_)) {
                self.redeclare_object(previous, declared, has_init);
                if self.scopes.name_here(name.name) != Some(previous) {
                    self.scopes.bind_name(name.name, previous);
                }
                return previous;
            }
            let other = self.unit.decls[previous].span;
            self.other_kind(name, other);
        }
        let linkage = if declared.storage.is_static { Linkage::Internal } else { Linkage::External };
        let storage = if declared.storage.is_thread_local { Storage::ThreadLocal } else { Storage::Static };
        let cleanup = None;
        let var = Var {
            linkage,
            storage,
            init: None,
            is_declared_only,
            is_tentative: !is_declared_only && !has_init,
            align: declared.align,
            cleanup,
            asm_label: declared.asm_label.map(str::to_owned),
            is_weak: declared.attrs.is_weak,
            is_assumed: false,
            section: declared.attrs.section.clone(),
            at_least: None,
            is_address_taken: false,
        };
        let decl =
            self.unit.decls.push(Decl { name: name.name, span: name.span, ty: declared.ty, kind: DeclKind::Var(var) });
        self.linked.insert(name.name, decl);
        self.scopes.bind_name(name.name, decl);
        decl
    }

    fn declare_local(&mut self, declared: &Declared<'_>) -> DeclId {
        let name = declared.name;
        let storage = match (declared.storage.is_thread_local, declared.storage.is_static) {
            (true, _) => Storage::ThreadLocal,
            (false, true) => Storage::Static,
            (false, false) => Storage::Automatic,
        };
        if let Some(previous) = self.scopes.name_here(name.name) {
            let message = format!("`{}` is declared twice in this block", self.name(name.name));
            let other = self.unit.decls[previous].span;
            self.error_with(name.span, message, other, "first declared here");
        }
        let cleanup = declared.attrs.cleanup.and_then(|ident| self.scopes.name(ident.name));
        let mut var = local_var(storage);
        var.align = declared.align;
        var.section = declared.attrs.section.clone();
        var.asm_label = declared.asm_label.map(str::to_owned);
        var.is_address_taken = cleanup.is_some();
        var.cleanup = cleanup;
        let decl =
            self.unit.decls.push(Decl { name: name.name, span: name.span, ty: declared.ty, kind: DeclKind::Var(var) });
        self.scopes.bind_name(name.name, decl);
        decl
    }

    fn redeclare_object(&mut self, previous: DeclId, declared: &Declared<'_>, has_init: bool) {
        let (old_ty, other) = (self.unit.decls[previous].ty, self.unit.decls[previous].span);
        let name = declared.name;
        let is_assumed = matches!(&self.unit.decls[previous].kind, DeclKind::Var(var) if var.is_assumed);
        let mut ty = declared.ty;
        if is_assumed {
            self.learn_from_assignment(old_ty.ty, ty.ty);
        } else if self.are_compatible(old_ty.ty, ty.ty) {
            ty.ty = self.composite(old_ty.ty, ty.ty);
            ty.quals = old_ty.quals.with(ty.quals);
        } else {
            self.conflicting_types(name, old_ty, ty, other);
        }
        let DeclKind::Var(var) = &mut self.unit.decls[previous].kind else { return };
        let mut problem = None;
        if has_init && var.init.is_some() {
            problem = Some("is defined twice");
        }
        if declared.storage.is_static && var.linkage == Linkage::External && !var.is_assumed {
            problem = problem.or(Some("is static here but was declared external"));
        }
        var.is_assumed = false;
        if declared.align > var.align {
            var.align = declared.align;
        }
        var.is_weak |= declared.attrs.is_weak;
        var.section = declared.attrs.section.clone().or(var.section.take());
        if let Some(label) = declared.asm_label {
            var.asm_label.get_or_insert_with(|| label.to_owned());
        }
        if declared.storage.is_thread_local {
            var.storage = Storage::ThreadLocal;
        }
        let is_definition = has_init || !declared.storage.is_extern;
        if is_definition && var.is_declared_only || has_init {
            var.is_declared_only = false;
            var.is_tentative = !has_init;
            self.unit.decls[previous].span = name.span;
        }
        self.unit.decls[previous].ty = ty;
        if let Some(problem) = problem {
            let message = format!("`{}` {problem}", self.name(name.name));
            self.error_with(name.span, message, other, "earlier declaration");
        }
    }

    pub(super) fn conflicting_types(&mut self, name: Ident, old: QualTy, new: QualTy, other: Span) {
        let message = format!(
            "conflicting types for `{}`: `{}` here, `{}` before",
            self.name(name.name),
            self.spell_qual(new),
            self.spell_qual(old)
        );
        self.session
            .diagnostics
            .push(Diagnostic::new(Severity::Error, name.span, message).label(other, "earlier declaration"));
    }

    /// Objects must have a type that can exist, once the initialiser had its say.
    fn check_object_type(&mut self, decl: DeclId, span: Span) {
        let item = &self.unit.decls[decl];
        let (ty, name) = (item.ty, item.name);
        let DeclKind::Var(var) = &item.kind else { return };
        let is_declared_only = var.is_declared_only;
        let is_local = var.linkage == Linkage::None;
        if ty.ty == TyId::VOID && !is_declared_only {
            let message = format!("variable `{}` cannot have type `void`", self.name(name));
            self.error(span, message);
            self.unit.decls[decl].ty = QualTy::plain(TyId::ERROR);
            return;
        }
        if is_local && !self.is_complete(ty.ty) {
            self.incomplete_object(decl, ty.ty, name, span);
        }
    }

    fn incomplete_object(&mut self, decl: DeclId, ty: TyId, name: Symbol, span: Span) {
        if self.enum_of(ty).is_some() {
            return;
        }
        if let (Some(record), false) = (self.record_of(ty), self.session.is_strict) {
            // An undefined struct, as in a file whose header is missing: members are found by use.
            self.assume_record(record, span);
            return;
        }
        let message = format!("`{}` has incomplete type `{}`", self.name(name), self.spell(ty));
        self.error(span, message);
        self.unit.decls[decl].ty = QualTy::plain(TyId::ERROR);
    }

    /// At the end of the file tentative arrays have one element, and everything else must be complete.
    pub(super) fn complete_tentative(&mut self) {
        for decl in self.unit.decls.ids() {
            let item = &self.unit.decls[decl];
            let DeclKind::Var(var) = &item.kind else { continue };
            if var.is_declared_only || var.linkage == Linkage::None {
                continue;
            }
            let (ty, name, span) = (item.ty, item.name, item.span);
            if let Type::Array { element, extent: ArrayExtent::Unknown } = *self.get(ty.ty) {
                let one = self.unit.types.intern(Type::Array { element, extent: ArrayExtent::Fixed(1) });
                self.unit.decls[decl].ty.ty = one;
            } else if !self.is_complete(ty.ty) && ty.ty != TyId::ERROR && ty.ty != TyId::VOID {
                self.incomplete_object(decl, ty.ty, name, span);
            }
        }
    }
}
