//! Analysis of structs, unions and enumerations.

use unpick_base::{Span, Symbol};

use super::Sema;
use super::attr::Attrs;
use super::scope::Tag;
use super::specs::{Specified, smallest_kind};
use super::typing::{int_shape, int_ty};
use crate::ast::{Decl, DeclId, DeclKind};
use crate::syntax::{DeclSpecs, EnumSpec, Enumerator, FieldDeclarator, Member, RecordSpec};
use crate::types::{ArrayExtent, Enum, EnumId, Field, IntKind, QualTy, Record, RecordId, TyId, Type};

impl Sema {
    pub(super) fn record_spec(&mut self, spec: &RecordSpec, is_alone: bool) -> TyId {
        let attrs = self.attrs(&spec.attrs);
        let id = self.record_for(spec, is_alone);
        let ty = self.unit.types.intern(Type::Record(id));
        if let Some(members) = &spec.members {
            self.define_record(id, members, &attrs, spec.span);
            self.push_item_type(ty);
        }
        ty
    }

    /// The record a specifier speaks of: an existing one or a new one.
    fn record_for(&mut self, spec: &RecordSpec, is_alone: bool) -> RecordId {
        let Some(tag) = spec.tag else { return self.new_record(None, spec.is_union, spec.span) };
        let is_own = spec.members.is_some() || is_alone;
        let previous = if is_own { self.scopes.tag_here(tag.name) } else { self.scopes.tag(tag.name) };
        match previous {
            Some(Tag::Record(id)) => {
                let record = &self.unit.types.records[id];
                let (other, is_complete) = (record.span, record.layout.is_some());
                if record.is_union != spec.is_union {
                    let message = format!("`{}` is declared as another kind of tag", self.name(tag.name));
                    self.error_with(tag.span, message, other, "declared here");
                } else if !(spec.members.is_some() && is_complete) {
                    return id;
                } else {
                    let message = format!("`{}` is defined twice", self.name(tag.name));
                    self.error_with(tag.span, message, other, "first defined here");
                }
                self.new_record(Some(tag.name), spec.is_union, tag.span)
            }
            Some(Tag::Enum(id)) => {
                let other = self.unit.types.enums[id].span;
                let message = format!("`{}` is declared as another kind of tag", self.name(tag.name));
                self.error_with(tag.span, message, other, "declared here");
                self.new_record(Some(tag.name), spec.is_union, tag.span)
            }
            None => {
                let id = self.new_record(Some(tag.name), spec.is_union, tag.span);
                self.scopes.bind_tag(tag.name, Tag::Record(id));
                id
            }
        }
    }

    fn new_record(&mut self, tag: Option<Symbol>, is_union: bool, span: Span) -> RecordId {
        self.unit.types.records.push(Record {
            tag,
            is_union,
            fields: Vec::new(),
            layout: None,
            is_transparent_union: false,
            is_packed: false,
            align_attr: None,
            pack: None,
            span,
            is_local: self.function.is_some(),
        })
    }

    fn define_record(&mut self, id: RecordId, members: &[Member], attrs: &Attrs, span: Span) {
        self.unit.types.records[id].is_packed = attrs.is_packed;
        let mut fields = Vec::new();
        for member in members {
            match member {
                Member::Fields { specs, declarators, span } => {
                    self.member_fields(id, specs, declarators, *span, &mut fields);
                }
                Member::StaticAssert(assertion) => self.static_assert(assertion),
                Member::PragmaPack(pragma) => self.pragma_pack(*pragma),
            }
        }
        self.check_duplicate_members(&fields);
        self.check_incomplete_members(id, &mut fields);
        let pack = self.pack.last().copied().flatten();
        let record = &mut self.unit.types.records[id];
        record.fields = fields;
        record.align_attr = attrs.aligned;
        record.is_transparent_union = attrs.is_transparent_union;
        record.pack = pack;
        if record.tag.is_none() {
            record.span = span;
        }
        self.unit.types.layout_record(id);
    }

    fn member_fields(
        &mut self,
        id: RecordId,
        specs: &DeclSpecs,
        declarators: &[FieldDeclarator],
        span: Span,
        fields: &mut Vec<Field>,
    ) {
        let specified = self.explicit_specs(specs, declarators.is_empty());
        if declarators.is_empty() {
            // An anonymous member; a tagged struct only counts with Microsoft extensions, which gcc lacks.
            if let Some(inner) = self.record_of(specified.ty.ty)
                && self.types().records[inner].tag.is_none()
                && inner != id
            {
                let field = new_field(None, specified.ty, span);
                fields.push(Field {
                    align_attr: specified.alignas.max(specified.attrs.aligned),
                    is_packed: specified.attrs.is_packed,
                    ..field
                });
            }
            return;
        }
        for declarator in declarators {
            let field = self.member_field(id, &specified, declarator, span);
            fields.push(field);
        }
    }

    fn member_field(&mut self, record: RecordId, specified: &Specified, field: &FieldDeclarator, span: Span) -> Field {
        let declarator = &field.declarator;
        let attrs = self.attrs(&declarator.attrs);
        let base = self.apply_type_attrs(specified.ty, &attrs);
        let n_vla_sizes = self.vla_sizes.len();
        let mut ty = self.derive(base, declarator, false);
        self.vla_sizes.truncate(n_vla_sizes);
        let span = declarator.name.map_or(span, |name| name.span);
        if self.is_function(ty.ty) || ty.ty == TyId::VOID {
            let message = format!("a member cannot have type `{}`", self.spell(ty.ty));
            self.error(span, message);
            ty = QualTy::plain(TyId::ERROR);
        }
        if self.is_vla(ty.ty) {
            self.error(span, "a member cannot have variable size");
            ty = QualTy::plain(TyId::ERROR);
        }
        let attrs = specified.attrs.clone().merge(attrs);
        let name = declarator.name.map(|name| name.name);
        let mut result = new_field(name, ty, span);
        result.align_attr = attrs.aligned.max(specified.alignas);
        result.is_packed = attrs.is_packed;
        // Packing goes before the alignment of a type, but not before one written on the member.
        let is_packed = attrs.is_packed || self.unit.types.records[record].is_packed;
        let is_array_only =
            declarator.derivations.iter().all(|step| matches!(step, crate::syntax::Derivation::Array { .. }));
        let keeps_typedef_align = is_array_only && !is_packed;
        if let (Some(align), true) = (specified.typedef_align, keeps_typedef_align) {
            // The typedef's alignment replaces the type's, also when it is smaller.
            result.is_packed = true;
            result.align_attr = result.align_attr.max(Some(align));
        }
        if let Some(width) = &field.width {
            result.bits = self.bit_width(width, ty.ty, name.is_some());
        }
        result
    }

    fn bit_width(&mut self, width: &crate::syntax::Expr, ty: TyId, is_named: bool) -> Option<u32> {
        let value = self.required_const(width, "bit-field width")?;
        let Some(shape) = self.shape_of(ty) else {
            if ty != TyId::ERROR {
                let message = format!("a bit-field cannot have type `{}`", self.spell(ty));
                self.error(width.span, message);
            }
            return None;
        };
        let limit = if ty == TyId::BOOL { 1 } else { shape.bits };
        if value < 0 {
            self.error(width.span, format!("bit-field width {value} is negative"));
        } else if value > i128::from(limit) {
            let message = format!("bit-field is wider ({value} bits) than its type `{}`", self.spell(ty));
            self.error(width.span, message);
        } else if value == 0 && is_named {
            self.error(width.span, "a named bit-field cannot have width zero");
        } else {
            return Some(value as u32);
        }
        None
    }

    /// Member names must differ, also across anonymous members.
    fn check_duplicate_members(&mut self, fields: &[Field]) {
        let mut names = Vec::new();
        self.collect_names(fields, &mut names);
        names.sort_unstable_by_key(|(name, span): &(Symbol, Span)| (*name, span.lo));
        let repeated: Vec<_> = names.windows(2).filter(|pair| pair[0].0 == pair[1].0).map(|p| (p[0], p[1])).collect();
        for ((name, first), (_, second)) in repeated {
            let message = format!("member `{}` is declared twice", self.name(name));
            self.error_with(second, message, first, "first declared here");
        }
    }

    fn collect_names(&self, fields: &[Field], names: &mut Vec<(Symbol, Span)>) {
        for field in fields {
            match field.name {
                Some(name) => names.push((name, field.span)),
                None => {
                    if let Some(inner) = self.record_of(field.ty.ty) {
                        self.collect_names(&self.types().records[inner].fields, names);
                    }
                }
            }
        }
    }

    /// Only the last member of a struct may be an array of unknown length.
    fn check_incomplete_members(&mut self, id: RecordId, fields: &mut [Field]) {
        let n_fields = fields.len();
        for (at, field) in fields.iter_mut().enumerate() {
            if self.is_complete(field.ty.ty) || field.ty.ty == TyId::ERROR {
                continue;
            }
            let is_flexible = matches!(self.get(field.ty.ty), Type::Array { extent: ArrayExtent::Unknown, .. });
            if is_flexible && (at + 1 == n_fields || self.types().records[id].is_union) {
                continue;
            }
            if self.enum_of(field.ty.ty).is_some() {
                continue;
            }
            let name = field.name.map_or("<unnamed>", |name| self.session.interner.name(name)).to_owned();
            let ty = self.spell(field.ty.ty);
            let what = if is_flexible { "flexible array member is not last" } else { "has incomplete type" };
            self.error(field.span, format!("member `{name}` of type `{ty}`: {what}"));
            field.ty = QualTy::plain(TyId::ERROR);
        }
    }

    /// The path of field numbers to a member, through anonymous records.
    pub(super) fn find_member(&self, record: RecordId, name: Symbol) -> Option<Vec<(RecordId, u32)>> {
        let fields = &self.types().records[record].fields;
        if let Some(at) = fields.iter().position(|field| field.name == Some(name)) {
            return Some(vec![(record, at as u32)]);
        }
        for (at, field) in fields.iter().enumerate() {
            if field.name.is_none()
                && field.bits.is_none()
                && let Some(inner) = self.record_of(field.ty.ty)
                && let Some(mut path) = self.find_member(inner, name)
            {
                path.insert(0, (record, at as u32));
                return Some(path);
            }
        }
        None
    }

    pub(super) fn enum_spec(&mut self, spec: &EnumSpec) -> TyId {
        let attrs = self.attrs(&spec.attrs);
        let fixed = spec.underlying.as_ref().and_then(|name| {
            let ty = self.type_name(name);
            let kind = self.int_kind(ty.ty);
            if kind.is_none() {
                self.error(name.span, "the underlying type of an enumeration must be an integer type");
            }
            kind
        });
        let id = self.enum_for(spec);
        if let Some(kind) = fixed {
            let item = &mut self.unit.types.enums[id];
            item.underlying = Some(kind);
            item.is_fixed = true;
        }
        let ty = self.unit.types.intern(Type::Enum(id));
        if let Some(enumerators) = &spec.enumerators {
            self.unit.types.enums[id].is_packed = attrs.is_packed;
            self.define_enum(id, ty, enumerators, &attrs, spec.span);
            self.push_item_type(ty);
        }
        ty
    }

    fn enum_for(&mut self, spec: &EnumSpec) -> EnumId {
        let is_local = self.function.is_some();
        let new = |sema: &mut Sema, tag: Option<Symbol>, span: Span| {
            sema.unit.types.enums.push(Enum {
                tag,
                underlying: None,
                is_fixed: false,
                enumerators: Vec::new(),
                is_packed: false,
                span,
                is_local,
            })
        };
        let Some(tag) = spec.tag else { return new(self, None, spec.span) };
        let previous = match spec.enumerators {
            Some(_) => self.scopes.tag_here(tag.name),
            None => self.scopes.tag(tag.name),
        };
        match previous {
            Some(Tag::Enum(id)) => {
                if spec.enumerators.is_none() || self.types().enums[id].enumerators.is_empty() {
                    return id;
                }
                let message = format!("`enum {}` is defined twice", self.name(tag.name));
                let other = self.types().enums[id].span;
                self.error_with(tag.span, message, other, "first defined here");
                new(self, Some(tag.name), tag.span)
            }
            Some(Tag::Record(id)) => {
                let message = format!("`{}` is declared as another kind of tag", self.name(tag.name));
                let other = self.types().records[id].span;
                self.error_with(tag.span, message, other, "declared here");
                new(self, Some(tag.name), tag.span)
            }
            None => {
                let id = new(self, Some(tag.name), tag.span);
                self.scopes.bind_tag(tag.name, Tag::Enum(id));
                id
            }
        }
    }

    fn define_enum(&mut self, id: EnumId, ty: TyId, enumerators: &[Enumerator], attrs: &Attrs, span: Span) {
        let fixed = self.types().enums[id].underlying.filter(|_| self.types().enums[id].is_fixed);
        let target = self.types().target;
        let mut next: i128 = 0;
        let mut next_ty = TyId::INT;
        let mut decls: Vec<DeclId> = Vec::with_capacity(enumerators.len());
        let (mut low, mut high) = (0, 0);
        for enumerator in enumerators {
            let mut value = next;
            let mut value_ty = next_ty;
            if let Some(expr) = &enumerator.value {
                let constant = self.rvalue(expr);
                value_ty = self.ty_of(constant);
                value = self.required_const_value(constant, "enumerator value").unwrap_or(next);
            }
            let fits_int = i32::try_from(value).is_ok();
            let item_ty = match fixed {
                Some(_) => ty,
                None if fits_int => TyId::INT,
                None if value_ty == TyId::INT => TyId::LONG,
                None => value_ty,
            };
            low = low.min(value);
            high = high.max(value);
            decls.push(self.declare_enumerator(enumerator, item_ty, value));
            next = value.wrapping_add(1);
            next_ty = item_ty;
        }
        let kind = match fixed {
            Some(kind) => kind,
            None => enum_kind(low, high, attrs, target),
        };
        if !int_contains(kind, low, high, target) && fixed.is_some() {
            self.error(span, "an enumerator does not fit the underlying type");
        }
        // Enumerators beyond `int` take the type of the enumeration.
        for decl in &decls {
            let decl = &mut self.unit.decls[*decl];
            if decl.ty.ty != TyId::INT {
                decl.ty = QualTy::plain(ty);
            }
        }
        let item = &mut self.unit.types.enums[id];
        let mode_kind = attrs.mode.is_some();
        item.underlying = Some(kind);
        item.enumerators = decls;
        if mode_kind {
            let mode = attrs.mode.clone().unwrap_or_default();
            let base = QualTy::plain(int_ty(kind));
            let asked = self.apply_type_attrs(base, &Attrs { mode: Some(mode), ..Attrs::default() });
            self.unit.types.enums[id].underlying = self.int_kind(asked.ty).or(Some(kind));
        }
    }

    fn declare_enumerator(&mut self, enumerator: &Enumerator, ty: TyId, value: i128) -> DeclId {
        let name = enumerator.name;
        if let Some(previous) = self.scopes.name_here(name.name) {
            let message = format!("`{}` is declared twice", self.name(name.name));
            let other = self.unit.decls[previous].span;
            self.error_with(name.span, message, other, "first declared here");
        }
        let kind = DeclKind::Enumerator { value };
        let decl = self.unit.decls.push(Decl { name: name.name, span: name.span, ty: QualTy::plain(ty), kind });
        self.scopes.bind_name(name.name, decl);
        decl
    }
}

fn new_field(name: Option<Symbol>, ty: QualTy, span: Span) -> Field {
    Field { name, ty, bits: None, align_attr: None, is_packed: false, span, offset: 0, bit_offset: 0 }
}

fn int_contains(kind: IntKind, low: i128, high: i128, target: crate::types::Target) -> bool {
    let shape = int_shape(kind, target);
    if shape.bits >= 128 {
        return true;
    }
    if shape.is_signed {
        low >= -(1i128 << (shape.bits - 1)) && high < (1i128 << (shape.bits - 1))
    } else {
        low >= 0 && high < (1i128 << shape.bits)
    }
}

/// The type gcc picks: `unsigned int` if no value is negative, else `int`, wider if needed.
fn enum_kind(low: i128, high: i128, attrs: &Attrs, target: crate::types::Target) -> IntKind {
    let is_signed = low < 0;
    let sizes: &[u64] = if attrs.is_packed { &[1, 2, 4, 8] } else { &[4, 8] };
    let wide = |bytes: u64| match (bytes, target, is_signed) {
        (8, crate::types::Target::Ilp32, true) => IntKind::LongLong,
        (8, crate::types::Target::Ilp32, false) => IntKind::ULongLong,
        _ => smallest_kind(bytes, is_signed),
    };
    let fitting = sizes.iter().map(|bytes| wide(*bytes)).find(|kind| int_contains(*kind, low, high, target));
    fitting.unwrap_or(wide(8))
}
