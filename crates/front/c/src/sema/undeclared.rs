//! Undeclared names: their most plausible meaning, and the assumption that states it.
//!
//! An unknown type starts as [`Type::Unknown`]. Its first use that an `int` could not have (a member, a
//! dereference, a call, an assigned pointer) redefines it in place, so all mentions agree. Undeclared
//! variables and members of assumed structs get unknown types of their own and learn in the same way.

use unpick_base::{Diagnostic, Severity, Span, Symbol};

use super::{FastMap, Sema};
use crate::ast::{Decl, DeclId, DeclKind, Item, Linkage, Storage, Var};
use crate::intrinsic;
use crate::models;
use crate::syntax::Ident;
use crate::types::{Field, FunctionType, IntKind, QualTy, Record, RecordId, TyId, Type};

#[derive(Default)]
pub(super) struct UndeclaredNames {
    found: Vec<Undeclared>,
    types: FastMap<Symbol, TyId>,
    /// Records whose members are collected on use.
    records: Vec<RecordId>,
    /// Every type that started unknown.
    unknown: Vec<TyId>,
}

struct Undeclared {
    span: Span,
    kind: UndeclaredKind,
}

enum UndeclaredKind {
    Type(Symbol, TyId),
    Record(RecordId),
    Variable(DeclId),
    Function(DeclId),
    /// A name of the C library, whose header is not included.
    Library(String),
}

impl Sema {
    /// The type behind a name that only makes sense as a type.
    pub(super) fn unknown_type(&mut self, ident: Ident) -> TyId {
        if let Some(&ty) = self.undeclared.types.get(&ident.name) {
            return ty;
        }
        let ty = match self.well_known_type(self.session.interner.name(ident.name)) {
            Some(ty) => ty,
            None => {
                let ty = self.unit.types.intern(Type::Unknown(ident.name));
                self.undeclared.unknown.push(ty);
                ty
            }
        };
        self.undeclared.types.insert(ident.name, ty);
        if self.name(ident.name).starts_with("__CPROVER_") && !self.is_unknown(ty) {
            return ty;
        }
        if self.session.is_strict {
            let message = format!("unknown type `{}`", self.name(ident.name));
            self.error(ident.span, message);
        } else {
            self.undeclared.found.push(Undeclared { span: ident.span, kind: UndeclaredKind::Type(ident.name, ty) });
        }
        ty
    }

    /// An undeclared object, whose type is inferred from its uses.
    pub(super) fn undeclared_variable(&mut self, ident: Ident) -> DeclId {
        let text = self.name(ident.name).to_owned();
        let ty = self.fresh_unknown(&text);
        let kind = DeclKind::Var(Var {
            linkage: Linkage::External,
            storage: Storage::Static,
            init: None,
            is_declared_only: true,
            is_tentative: false,
            align: None,
            cleanup: None,
            asm_label: None,
            is_weak: false,
            is_assumed: true,
            section: None,
            at_least: None,
            is_address_taken: false,
        });
        let decl = self.unit.decls.push(Decl { name: ident.name, span: ident.span, ty: QualTy::plain(ty), kind });
        self.bind_assumed(ident.name, decl);
        if let Some((message, help)) = intrinsic::unknown(&text) {
            let message = message.replacen("a function", "a name", 1);
            self.session.diagnostics.push(Diagnostic::new(Severity::Error, ident.span, message).help(help));
        } else if self.session.is_strict {
            self.error(ident.span, format!("`{text}` is not declared"));
        } else {
            self.undeclared.found.push(Undeclared { span: ident.span, kind: UndeclaredKind::Variable(decl) });
        }
        decl
    }

    /// Notes a function that is called without a declaration.
    pub(super) fn undeclared_function(&mut self, ident: Ident, decl: DeclId) {
        if self.session.is_strict {
            let message = format!("function `{}` is not declared", self.name(ident.name));
            self.error(ident.span, message);
        } else {
            self.undeclared.found.push(Undeclared { span: ident.span, kind: UndeclaredKind::Function(decl) });
        }
    }

    /// Notes a name of the C library that is used without a declaration.
    pub(super) fn undeclared_library_name(&mut self, ident: Ident, text: &str) {
        if self.session.is_strict {
            self.error(ident.span, format!("`{text}` is not declared"));
            return;
        }
        let is_known =
            |undeclared: &Undeclared| matches!(&undeclared.kind, UndeclaredKind::Library(known) if known == text);
        if !self.undeclared.found.iter().any(is_known) {
            self.undeclared.found.push(Undeclared { span: ident.span, kind: UndeclaredKind::Library(text.to_owned()) });
        }
    }

    pub(super) fn bind_assumed(&mut self, name: Symbol, decl: DeclId) {
        self.scopes.bind_name_at_file_scope(name, decl);
        self.linked.insert(name, decl);
        self.unit.items.push(Item::Decl(decl));
    }

    fn fresh_unknown(&mut self, what: &str) -> TyId {
        let symbol = self.session.interner.intern(&format!("typeof({what})"));
        let ty = self.unit.types.intern(Type::Unknown(symbol));
        self.undeclared.unknown.push(ty);
        ty
    }

    /// The result of an undeclared function: an `int`, unless it is used as a pointer.
    pub(super) fn unknown_result(&mut self, function: &str) -> TyId {
        self.fresh_unknown(&format!("{function}()"))
    }

    fn is_unknown(&self, ty: TyId) -> bool {
        matches!(self.get(ty), Type::Unknown(_))
    }

    /// Learns from a value of type `from` being stored where `to` is: unknown types take the other's shape.
    pub(super) fn learn_from_assignment(&mut self, to: TyId, from: TyId) {
        if self.takes_shape(to, from) {
            let shape = self.get(from).clone();
            self.unit.types.redefine(to, shape);
        } else if self.takes_shape(from, to) {
            let shape = self.get(to).clone();
            self.unit.types.redefine(from, shape);
        }
    }

    fn takes_shape(&self, unknown: TyId, other: TyId) -> bool {
        let Type::Unknown(symbol) = self.get(unknown) else { return false };
        if self.consists_of(other, unknown, false, false, &mut Vec::new()) {
            return false;
        }
        match self.get(other) {
            Type::Pointer(_) | Type::Record(_) => true,
            // A function that is defined further down may really return the `int` of old.
            Type::Float(_) | Type::VaList | Type::Vector { .. } => !self.name(*symbol).ends_with("())"),
            _ => false,
        }
    }

    /// Whether a type could not be told from `part` if `part` became it: a pointer to itself, or a record
    /// inside itself. A record that holds a pointer to `part` is the ordinary linked list.
    fn consists_of(&self, ty: TyId, part: TyId, is_pointee: bool, is_member: bool, seen: &mut Vec<RecordId>) -> bool {
        if ty == part {
            return true;
        }
        match self.get(ty) {
            Type::Pointer(pointee) => !is_member && self.consists_of(pointee.ty, part, true, false, seen),
            Type::Array { element, .. } => self.consists_of(element.ty, part, is_pointee, is_member, seen),
            Type::Function(function) => {
                let mut parts = std::iter::once(function.ret.ty).chain(function.params.iter().copied());
                parts.any(|inner| self.consists_of(inner, part, is_pointee, is_member, seen))
            }
            // A wrong program may have a record inside itself.
            Type::Record(id) if !is_pointee && !seen.contains(id) => {
                seen.push(*id);
                let fields = &self.unit.types.records[*id].fields;
                fields.iter().any(|field| self.consists_of(field.ty.ty, part, false, true, seen))
            }
            _ => false,
        }
    }

    /// The type is dereferenced or subscripted: if unknown, it is a pointer to something unknown.
    pub(super) fn learn_pointer(&mut self, ty: TyId) {
        if let Type::Unknown(symbol) = *self.get(ty) {
            let text = format!("*{}", self.name(symbol));
            let pointee = self.fresh_unknown(&text);
            self.unit.types.redefine(ty, Type::Pointer(QualTy::plain(pointee)));
        }
    }

    /// The type is called: if unknown, it is a pointer to a function returning `int`.
    pub(super) fn learn_function(&mut self, ty: TyId) {
        if self.is_unknown(ty) {
            let ret = QualTy::plain(TyId::INT);
            let function = FunctionType { ret, params: Vec::new(), is_variadic: false, has_prototype: false };
            let function = self.unit.types.intern(Type::Function(function));
            self.unit.types.redefine(ty, Type::Pointer(QualTy::plain(function)));
        }
    }

    /// The record behind a type whose member is used; makes one of an unknown type.
    pub(super) fn learn_record(&mut self, ty: TyId) -> Option<RecordId> {
        match *self.get(ty) {
            Type::Record(id) => Some(id),
            Type::Unknown(symbol) => {
                let text = self.name(symbol);
                let tag = if text.contains('(') { None } else { Some(symbol) };
                let id = self.unit.types.records.push(Record {
                    tag,
                    is_union: false,
                    fields: Vec::new(),
                    layout: None,
                    is_transparent_union: false,
                    is_packed: false,
                    align_attr: None,
                    pack: None,
                    span: Span::NONE,
                    is_local: false,
                });
                self.unit.types.redefine(ty, Type::Record(id));
                self.unit.items.push(Item::Type(ty));
                self.unit.types.layout_record(id);
                self.undeclared.records.push(id);
                Some(id)
            }
            _ => None,
        }
    }

    /// An object of an undefined record exists: the record gets members as they are used.
    pub(super) fn assume_record(&mut self, record: RecordId, span: Span) {
        if self.undeclared.records.contains(&record) {
            return;
        }
        self.undeclared.records.push(record);
        self.undeclared.found.push(Undeclared { span, kind: UndeclaredKind::Record(record) });
        self.unit.types.layout_record(record);
        let ty = self.unit.types.intern(Type::Record(record));
        self.unit.items.push(Item::Type(ty));
    }

    /// Adds a member to an undefined record; `None` if the record is defined and simply lacks it.
    pub(super) fn assume_member(&mut self, record: RecordId, field: Ident) -> Option<u32> {
        let is_assumed = self.undeclared.records.contains(&record);
        if !is_assumed {
            if self.unit.types.records[record].layout.is_some() {
                return None;
            }
            if self.session.is_strict {
                return None;
            }
            self.assume_record(record, field.span);
        }
        let text = format!("{}#{}", self.name(field.name), record.0);
        let ty = self.fresh_unknown(&text);
        let fields = &mut self.unit.types.records[record].fields;
        fields.push(Field {
            name: Some(field.name),
            ty: QualTy::plain(ty),
            bits: None,
            align_attr: None,
            is_packed: false,
            span: field.span,
            offset: 0,
            bit_offset: 0,
        });
        let index = fields.len() as u32 - 1;
        self.unit.types.layout_record(record);
        Some(index)
    }

    /// Fixes what is still open and says what was assumed.
    pub(super) fn settle_holes(&mut self) {
        for ty in std::mem::take(&mut self.undeclared.unknown) {
            if self.is_unknown(ty) {
                self.unit.types.redefine(ty, Type::Int(IntKind::Int));
            }
        }
        // Members may have grown since: inner records come after the outer ones that hold them.
        let records = std::mem::take(&mut self.undeclared.records);
        for id in records.iter().rev().chain(records.iter().rev()) {
            self.unit.types.layout_record(*id);
        }
        for undeclared in std::mem::take(&mut self.undeclared.found) {
            let sentence = self.undeclared_sentence(&undeclared.kind);
            self.session.diagnostics.push(Diagnostic::new(Severity::Assumption, undeclared.span, sentence.clone()));
            self.unit.assumptions.push(sentence);
        }
    }

    fn undeclared_sentence(&self, kind: &UndeclaredKind) -> String {
        match kind {
            UndeclaredKind::Type(symbol, ty) => {
                let meaning = match *self.get(*ty) {
                    Type::Record(id) if self.types().records[id].tag == Some(*symbol) => self.spell_members(id),
                    _ => format!("`{}`", self.spell(*ty)),
                };
                format!("unknown type `{}` is taken to be {meaning}", self.name(*symbol))
            }
            UndeclaredKind::Record(id) => {
                let keyword = if self.types().records[*id].is_union { "union" } else { "struct" };
                let tag = self.types().records[*id].tag.map_or("<anonymous>", |tag| self.name(tag));
                format!("`{keyword} {tag}` is never defined: it is taken to be {}", self.spell_members(*id))
            }
            UndeclaredKind::Variable(decl) => {
                let decl = &self.unit.decls[*decl];
                let name = self.name(decl.name);
                if let Some(header) = models::header_of(name) {
                    return library_sentence(name, Some(header));
                }
                format!("`{name}` is not declared: it is taken to be an external `{}`", self.spell_qual(decl.ty))
            }
            UndeclaredKind::Library(name) => library_sentence(name, models::header_of(name)),
            UndeclaredKind::Function(decl) => {
                let decl = &self.unit.decls[*decl];
                let is_defined = matches!(&decl.kind, DeclKind::Function(function) if function.body.is_some());
                if let Some(header) = models::header_of(self.name(decl.name)).filter(|_| !is_defined) {
                    return library_sentence(self.name(decl.name), Some(header));
                }
                let ret = self.function_type(decl.ty.ty).map_or(TyId::INT, |function| function.ret.ty);
                let name = self.name(decl.name);
                format!("function `{name}` is not declared: it is taken to return `{}`", self.spell(ret))
            }
        }
    }

    fn spell_members(&self, record: RecordId) -> String {
        let record = &self.types().records[record];
        let keyword = if record.is_union { "union" } else { "struct" };
        let members: Vec<String> = record
            .fields
            .iter()
            .filter_map(|field| Some(format!("`{}`: `{}`", self.name(field.name?), self.spell_qual(field.ty))))
            .collect();
        if members.is_empty() {
            return format!("an empty {keyword}");
        }
        format!("a {keyword} with the members used ({})", members.join(", "))
    }
}

fn library_sentence(name: &str, header: Option<&str>) -> String {
    let header = header.map_or(String::new(), |header| format!(" (`#include <{header}>` is missing)"));
    format!("`{name}` is not declared: the C library's is meant{header}")
}
