//! Data layout: sizes, alignments and field offsets as in gcc on x86-64 and i386 System V.
//!
//! The placement of fields keeps one cursor in bits. A plain field moves it up to the field's alignment. A
//! bit-field starts right at the cursor unless it would then span more alignment units of its declared type
//! than the type itself has, in which case it moves up to the next unit; packing lifts that rule. On i386 the
//! alignment of eight-byte scalars drops to four inside records, although an object of that type on its own
//! keeps eight, so [`TypeTable::align_of`] and [`TypeTable::field_align_of`] are two questions.

use crate::types::{ArrayExtent, Field, IntKind, Layout, QualTy, RecordId, Target, TyId, Type, TypeTable};

/// Size and alignment.
impl TypeTable {
    /// Bytes of a type; `None` for incomplete, function and variable length types, and for `void`.
    pub fn size_of(&self, ty: TyId) -> Option<u64> {
        let target = self.target;
        match *self.get(ty) {
            Type::Void | Type::Function(_) => None,
            Type::Int(kind) => Some(kind.bytes(target)),
            Type::Float(kind) => Some(kind.bytes(target)),
            Type::Complex(kind) => Some(2 * kind.bytes(target)),
            Type::NullPtr | Type::Pointer(_) => Some(target.pointer_bytes()),
            Type::Array { element, extent } => match extent {
                ArrayExtent::Fixed(n) => self.size_of(element.ty)?.checked_mul(n),
                ArrayExtent::Unknown | ArrayExtent::Variable(_) | ArrayExtent::Star => None,
            },
            Type::Record(record) => self.records[record].layout.map(|layout| layout.size),
            // An undefined enumeration is taken for `unsigned`, as everywhere else.
            Type::Enum(id) => Some(self.enums[id].underlying.unwrap_or(IntKind::UInt).bytes(target)),
            Type::Vector { bytes, .. } => Some(bytes),
            Type::VaList => Some(match target {
                Target::Lp64 => 24,
                Target::Ilp32 => 4,
            }),
            // Something int-like, so that one diagnosed hole does not cause further complaints.
            Type::Unknown(_) | Type::Error => Some(4),
        }
    }

    /// Distance of array elements and unit of pointer arithmetic: GNU C counts `void` and functions as one.
    pub fn stride_of(&self, ty: TyId) -> Option<u64> {
        match self.get(ty) {
            Type::Void | Type::Function(_) => Some(1),
            _ => self.size_of(ty),
        }
    }

    /// Alignment of an object of its own (`__alignof__`); `None` for incomplete types and functions.
    pub fn align_of(&self, ty: TyId) -> Option<u64> {
        let target = self.target;
        match *self.get(ty) {
            Type::Void | Type::Function(_) => None,
            Type::Int(kind) => Some(kind.bytes(target)),
            Type::Float(kind) | Type::Complex(kind) => Some(kind.align(target)),
            Type::NullPtr | Type::Pointer(_) => Some(target.pointer_bytes()),
            Type::Array { element, .. } => self.align_of_qualified(element),
            Type::Record(record) => self.records[record].layout.map(|layout| layout.align),
            Type::Enum(id) => Some(self.enums[id].underlying.unwrap_or(IntKind::UInt).bytes(target)),
            Type::Vector { bytes, .. } => Some(bytes.next_power_of_two()),
            Type::VaList => Some(target.pointer_bytes()),
            Type::Unknown(_) | Type::Error => Some(4),
        }
    }

    /// Like [`TypeTable::align_of`]; `_Atomic` lifts the alignment of sizes the machine accesses whole.
    pub fn align_of_qualified(&self, ty: QualTy) -> Option<u64> {
        let align = self.align_of(ty.ty)?;
        match self.size_of(ty.ty) {
            Some(size @ (1 | 2 | 4 | 8 | 16)) if ty.is_atomic() => Some(align.max(size)),
            _ => Some(align),
        }
    }

    /// Alignment inside a record (`_Alignof`): at most four on i386 for eight-byte scalars.
    pub fn field_align_of(&self, ty: QualTy) -> Option<u64> {
        let align = self.align_of_qualified(ty)?;
        if self.target == Target::Lp64 {
            return Some(align);
        }
        let mut element = ty;
        while let Type::Array { element: inner, .. } = *self.get(element.ty) {
            element = inner;
        }
        let is_lowered = match *self.get(element.ty) {
            Type::Int(_) | Type::Enum(_) => true,
            Type::Float(kind) | Type::Complex(kind) => kind.bytes(self.target) == 8,
            Type::Record(record) => self.has_register_mode(element) && !self.has_explicit_align(record),
            _ => false,
        };
        Some(if is_lowered && !element.is_atomic() { align.min(4) } else { align })
    }

    /// Whether gcc treats an aggregate as the integer of its size: it fits a register and so does all in it.
    fn has_register_mode(&self, ty: QualTy) -> bool {
        match *self.get(ty.ty) {
            Type::Array { element, .. } => {
                matches!(self.size_of(ty.ty), Some(0 | 1 | 2 | 4 | 8)) && self.has_register_mode(element)
            }
            Type::Record(record) => {
                let size = self.size_of(ty.ty);
                let fields = &self.records[record].fields;
                size == Some(0)
                    || matches!(size, Some(1 | 2 | 4 | 8))
                        && fields.iter().all(|field| match self.size_of(field.ty.ty) {
                            Some(size) => size == 0 || self.has_register_mode(field.ty),
                            None => false,
                        })
            }
            _ => true,
        }
    }

    /// Whether the record or something in it was aligned by the user. An alignment below the type's own
    /// counts only where packing or a bit-field lets it have an effect.
    fn has_explicit_align(&self, record: RecordId) -> bool {
        let record = &self.records[record];
        record.align_attr.is_some()
            || record.fields.iter().any(|field| {
                let is_packed = field.is_packed || record.is_packed;
                match field.align_attr {
                    Some(_) if is_packed || field.bits.is_some_and(|bits| bits > 0) => true,
                    Some(align) if Some(align) >= self.align_of_qualified(field.ty) => true,
                    _ => {
                        let mut ty = field.ty.ty;
                        while let Some(element) = self.element_of(ty) {
                            ty = element.ty;
                        }
                        self.record_of(ty).is_some_and(|inner| self.has_explicit_align(inner))
                    }
                }
            })
    }

    /// Places the fields of a record and completes it. Fields of incomplete type (a flexible array member,
    /// or what an error left behind) take no room.
    pub fn layout_record(&mut self, record: RecordId) {
        let mut fields = std::mem::take(&mut self.records[record].fields);
        let shape = &self.records[record];
        let packing = Packing { is_packed: shape.is_packed, limit_bits: shape.pack.filter(|&n| n > 0).map(|n| n * 8) };
        let is_union = shape.is_union;
        let mut align_bits = shape.align_attr.unwrap_or(1).max(1) * 8;
        let mut cursor = 0u64;
        let mut union_bits = 0u64;
        for field in &mut fields {
            let mut metrics = self.field_metrics(field, packing);
            if self.target == Target::Ilp32 && (is_union || cursor.is_multiple_of(64)) {
                metrics.raise_whole_register(field, packing);
            }
            align_bits = align_bits.max(metrics.record_align_bits);
            if is_union {
                (field.offset, field.bit_offset) = (0, 0);
                union_bits = union_bits.max(metrics.size_bits);
                continue;
            }
            cursor = cursor.next_multiple_of(metrics.align_bits);
            if let Some((unit_bits, type_bits)) = metrics.straddle {
                let n_units = (cursor % unit_bits + metrics.size_bits).div_ceil(unit_bits);
                if n_units > type_bits / unit_bits {
                    cursor = cursor.next_multiple_of(unit_bits);
                }
            }
            field.offset = cursor / 8;
            field.bit_offset = if field.bits.is_some() { (cursor % 8) as u32 } else { 0 };
            cursor = cursor.saturating_add(metrics.size_bits);
        }
        let align = align_bits / 8;
        let size = cursor.max(union_bits).div_ceil(8).checked_next_multiple_of(align).unwrap_or(u64::MAX);
        let shape = &mut self.records[record];
        shape.fields = fields;
        shape.layout = Some(Layout { size, align });
    }

    fn field_metrics(&self, field: &Field, packing: Packing) -> FieldMetrics {
        let type_align = self.align_of_qualified(field.ty).unwrap_or(1) * 8;
        let in_record_align = self.field_align_of(field.ty).unwrap_or(1) * 8;
        let type_bits = self.size_of(field.ty.ty).unwrap_or(0).saturating_mul(8);
        let limit = |align: u64| packing.limit_bits.map_or(align, |limit| align.min(limit));
        let explicit = field.align_attr.map(|align| align.max(1) * 8);
        let Some(width) = field.bits else {
            let is_packed = packing.is_packed || field.is_packed;
            let align = match explicit {
                Some(explicit) if is_packed || explicit >= type_align => explicit,
                None if is_packed => 8,
                _ => in_record_align,
            };
            let align = limit(align);
            return FieldMetrics { size_bits: type_bits, align_bits: align, record_align_bits: align, straddle: None };
        };
        let is_packed = packing.is_packed || field.is_packed;
        if width == 0 {
            // Ends the unit whatever the packing, but leaves the record's alignment alone.
            let align = explicit.unwrap_or(1).max(in_record_align);
            return FieldMetrics { size_bits: 0, align_bits: align, record_align_bits: 8, straddle: None };
        }
        let align = limit(explicit.unwrap_or(1));
        let implied = match packing.limit_bits {
            Some(limit) => in_record_align.min(limit),
            None if is_packed => 8,
            None => in_record_align,
        };
        FieldMetrics {
            size_bits: u64::from(width),
            align_bits: align,
            record_align_bits: if field.name.is_some() { align.max(implied) } else { 8 },
            straddle: (!is_packed && packing.limit_bits.is_none()).then_some((in_record_align.max(8), type_bits)),
        }
    }
}

/// What lowers the alignment of all fields of a record.
#[derive(Clone, Copy)]
struct Packing {
    is_packed: bool,
    limit_bits: Option<u64>,
}

/// How a field is placed, in bits.
struct FieldMetrics {
    size_bits: u64,
    align_bits: u64,
    /// What the record's alignment must be at least.
    record_align_bits: u64,
    /// For bit-fields: alignment unit and size of the declared type, if units must not be straddled.
    straddle: Option<(u64, u64)>,
}

impl FieldMetrics {
    /// On i386 a 64-bit bit-field that starts on its natural boundary counts as a whole `long long`, whose
    /// alignment is not lowered if the user wrote one, be it smaller.
    fn raise_whole_register(&mut self, field: &Field, packing: Packing) {
        let is_packed = packing.is_packed || field.is_packed;
        if field.bits == Some(64) && field.align_attr.is_some() && field.name.is_some() && !is_packed {
            self.record_align_bits = self.record_align_bits.max(packing.limit_bits.map_or(64, |limit| limit.min(64)));
        }
    }
}

#[cfg(test)]
mod tests {
    use unpick_base::Span;

    use super::*;
    use crate::types::{QualSet, Record};

    fn field(ty: TyId, bits: Option<u32>, is_named: bool) -> Field {
        Field {
            name: is_named.then_some(unpick_base::Symbol(0)),
            ty: QualTy::plain(ty),
            bits,
            align_attr: None,
            is_packed: false,
            span: Span::NONE,
            offset: 0,
            bit_offset: 0,
        }
    }

    fn lay_out(table: &mut TypeTable, fields: Vec<Field>, edit: impl FnOnce(&mut Record)) -> (u64, u64, Vec<u64>) {
        let mut record = Record {
            tag: None,
            is_union: false,
            fields,
            layout: None,
            is_transparent_union: false,
            is_packed: false,
            align_attr: None,
            pack: None,
            span: Span::NONE,
            is_local: false,
        };
        edit(&mut record);
        let id = table.records.push(record);
        table.layout_record(id);
        let record = &table.records[id];
        let layout = record.layout.expect("a laid out record should be complete");
        (layout.size, layout.align, record.fields.iter().map(|f| f.offset * 8 + u64::from(f.bit_offset)).collect())
    }

    #[test]
    fn bit_fields_do_not_straddle_unless_packed() {
        let mut table = TypeTable::new(Target::Lp64);
        let fields = || vec![field(TyId::CHAR, None, true), field(TyId::INT, Some(30), true)];
        assert_eq!(lay_out(&mut table, fields(), |_| ()), (8, 4, vec![0, 32]));
        assert_eq!(lay_out(&mut table, fields(), |r| r.is_packed = true), (5, 1, vec![0, 8]));
        assert_eq!(lay_out(&mut table, fields(), |r| r.pack = Some(2)), (6, 2, vec![0, 8]));
    }

    #[test]
    fn unnamed_bit_fields_leave_the_alignment_alone() {
        let mut table = TypeTable::new(Target::Lp64);
        let with = |width| {
            vec![field(TyId::CHAR, None, true), field(TyId::INT, Some(width), false), field(TyId::CHAR, None, true)]
        };
        assert_eq!(lay_out(&mut table, with(3), |_| ()), (3, 1, vec![0, 8, 16]));
        assert_eq!(lay_out(&mut table, with(0), |_| ()), (5, 1, vec![0, 32, 32]));
    }

    #[test]
    fn i386_lowers_eight_byte_scalars_inside_records() {
        let mut table = TypeTable::new(Target::Ilp32);
        let fields = |ty| vec![field(TyId::CHAR, None, true), field(ty, None, true)];
        assert_eq!(lay_out(&mut table, fields(TyId::LONGLONG), |_| ()), (12, 4, vec![0, 32]));
        assert_eq!(lay_out(&mut table, fields(TyId::DOUBLE), |_| ()), (12, 4, vec![0, 32]));
        assert_eq!(lay_out(&mut table, fields(TyId::LONGDOUBLE), |_| ()), (16, 4, vec![0, 32]));
        assert_eq!(table.align_of(TyId::LONGLONG), Some(8));
        let atomic = QualTy { ty: TyId::LONGLONG, quals: QualSet::ATOMIC };
        assert_eq!(table.field_align_of(atomic), Some(8));
    }
}
