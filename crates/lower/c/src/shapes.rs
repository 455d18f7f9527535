//! Source types as shapes, by which values are shown as the user declared them.

use unpick_program::program::{BitRange, Shape, ShapeField, ShapeId};

use super::Lowering;
use super::class::{Class, class_of, is_signed};
use unpick_front_c::ast::{DeclKind, Unit};
use unpick_front_c::types::{ArrayExtent, IntKind, RecordId, TyId, Type};

impl Lowering<'_> {
    /// The shape of a type, made on first sight.
    pub(super) fn shape(&mut self, unit_index: usize, ty: TyId) -> ShapeId {
        if let Some(&id) = self.shapes.get(&(unit_index, ty)) {
            return id;
        }
        // Entered before its parts, so that a list node can point to itself.
        let id = self.program.shapes.push(Shape::Opaque { size: 0 });
        self.shapes.insert((unit_index, ty), id);
        let unit = self.unit(unit_index);
        let shape = self.make_shape(unit_index, &unit, ty);
        self.program.shapes[id] = shape;
        id
    }

    fn make_shape(&mut self, unit_index: usize, unit: &Unit, ty: TyId) -> Shape {
        let types = &unit.types;
        let size = types.size_of(ty).unwrap_or(0);
        match types.get(ty) {
            Type::Int(kind) => int_shape(*kind, size as u8),
            Type::Float(_) => match class_of(types, ty) {
                Class::Scalar(ty) => Shape::Float(ty),
                Class::Void | Class::Memory => Shape::Opaque { size },
            },
            Type::Pointer(pointee) => match types.get(pointee.ty) {
                Type::Function(_) => Shape::Code,
                Type::Void => Shape::Pointer(None),
                _object => Shape::Pointer(Some(self.shape(unit_index, pointee.ty))),
            },
            Type::NullPtr => Shape::Pointer(None),
            Type::Array { element, extent } => {
                let len = match extent {
                    ArrayExtent::Fixed(len) => *len,
                    ArrayExtent::Unknown | ArrayExtent::Variable(_) | ArrayExtent::Star => 0,
                };
                let stride = types.size_of(element.ty).unwrap_or(0);
                Shape::Array { element: self.shape(unit_index, element.ty), len, stride }
            }
            Type::Vector { element, bytes } => {
                let stride = types.size_of(*element).unwrap_or(1).max(1);
                Shape::Array { element: self.shape(unit_index, *element), len: bytes / stride, stride }
            }
            Type::Record(record) => self.record_shape(unit_index, unit, *record),
            Type::Enum(id) => {
                let entry = &types.enums[*id];
                let named = |tag| format!("enum {}", self.session.interner.name(tag));
                let names = entry.enumerators.iter().filter_map(|decl| match unit.decls[*decl].kind {
                    DeclKind::Enumerator { value } => {
                        Some((value, self.session.interner.name(unit.decls[*decl].name).to_owned()))
                    }
                    DeclKind::Var(_) | DeclKind::Function(_) | DeclKind::Typedef => None,
                });
                let names = names.collect();
                let name = entry.tag.map_or("enum".to_owned(), named);
                Shape::Enum { name, size: size as u8, is_signed: is_signed(types, ty), names }
            }
            Type::Unknown(_) | Type::Error => int_shape(IntKind::Int, 4),
            Type::Void | Type::Complex(_) | Type::Function(_) | Type::VaList => Shape::Opaque { size },
        }
    }

    fn record_shape(&mut self, unit_index: usize, unit: &Unit, id: RecordId) -> Shape {
        let record = &unit.types.records[id];
        let keyword = if record.is_union { "union" } else { "struct" };
        let tag = record.tag.map(|tag| self.session.interner.name(tag).to_owned());
        let name = tag.map_or(keyword.to_owned(), |tag| format!("{keyword} {tag}"));
        let mut fields = Vec::new();
        for field in &record.fields {
            if field.name.is_none() && field.bits.is_some() {
                continue;
            }
            let bits = field.bits.map(|width| BitRange::new(field.bit_offset as u8, width as u8));
            let name = field.name.map_or(String::new(), |name| self.session.interner.name(name).to_owned());
            let shape = self.shape(unit_index, field.ty.ty);
            fields.push(ShapeField { name, offset: field.offset, bits, shape });
        }
        Shape::Record { name, is_union: record.is_union, fields }
    }
}

fn int_shape(kind: IntKind, size: u8) -> Shape {
    let (name, is_signed) = match kind {
        IntKind::Bool => return Shape::Bool,
        IntKind::Char | IntKind::SChar => return Shape::Char { is_signed: true },
        IntKind::UChar => return Shape::Char { is_signed: false },
        IntKind::Short => ("short", true),
        IntKind::UShort => ("unsigned short", false),
        IntKind::Int => ("int", true),
        IntKind::UInt => ("unsigned int", false),
        IntKind::Long => ("long", true),
        IntKind::ULong => ("unsigned long", false),
        IntKind::LongLong => ("long long", true),
        IntKind::ULongLong => ("unsigned long long", false),
        IntKind::Int128 => ("__int128", true),
        IntKind::UInt128 => ("unsigned __int128", false),
    };
    Shape::Int { name: name.to_owned(), size, is_signed }
}
