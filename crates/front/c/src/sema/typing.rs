//! Type predicates: kinds of types, compatibility, common types.

use super::Sema;
use crate::ast::{ExprId, ExprKind};
use crate::types::{
    ArrayExtent, EnumId, FunctionType, IntKind, QualSet, QualTy, RecordId, Target, TyId, Type, TypeTable,
};

/// Width and signedness of an integer type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct IntShape {
    pub bits: u32,
    pub is_signed: bool,
    pub rank: u32,
}

pub(super) fn int_shape(kind: IntKind, target: Target) -> IntShape {
    let long = (target.pointer_bytes() * 8) as u32;
    let (bits, is_signed, rank) = match kind {
        IntKind::Bool => (8, false, 0),
        IntKind::Char | IntKind::SChar => (8, true, 1),
        IntKind::UChar => (8, false, 1),
        IntKind::Short => (16, true, 2),
        IntKind::UShort => (16, false, 2),
        IntKind::Int => (32, true, 3),
        IntKind::UInt => (32, false, 3),
        IntKind::Long => (long, true, 4),
        IntKind::ULong => (long, false, 4),
        IntKind::LongLong => (64, true, 5),
        IntKind::ULongLong => (64, false, 5),
        IntKind::Int128 => (128, true, 6),
        IntKind::UInt128 => (128, false, 6),
    };
    IntShape { bits, is_signed, rank }
}

pub(super) fn int_ty(kind: IntKind) -> TyId {
    match kind {
        IntKind::Bool => TyId::BOOL,
        IntKind::Char => TyId::CHAR,
        IntKind::SChar => TyId::SCHAR,
        IntKind::UChar => TyId::UCHAR,
        IntKind::Short => TyId::SHORT,
        IntKind::UShort => TyId::USHORT,
        IntKind::Int => TyId::INT,
        IntKind::UInt => TyId::UINT,
        IntKind::Long => TyId::LONG,
        IntKind::ULong => TyId::ULONG,
        IntKind::LongLong => TyId::LONGLONG,
        IntKind::ULongLong => TyId::ULONGLONG,
        IntKind::Int128 => TyId::INT128,
        IntKind::UInt128 => TyId::UINT128,
    }
}

pub(super) fn unsigned_of(kind: IntKind) -> IntKind {
    match kind {
        IntKind::Bool => IntKind::Bool,
        IntKind::Char | IntKind::SChar | IntKind::UChar => IntKind::UChar,
        IntKind::Short | IntKind::UShort => IntKind::UShort,
        IntKind::Int | IntKind::UInt => IntKind::UInt,
        IntKind::Long | IntKind::ULong => IntKind::ULong,
        IntKind::LongLong | IntKind::ULongLong => IntKind::ULongLong,
        IntKind::Int128 | IntKind::UInt128 => IntKind::UInt128,
    }
}

/// Brings a value into the range of an integer type, as conversion to it does.
pub(super) fn wrap(value: i128, shape: IntShape) -> i128 {
    if shape.bits >= 128 {
        return value;
    }
    let shift = 128 - shape.bits;
    if shape.is_signed { (value << shift) >> shift } else { (((value as u128) << shift) >> shift) as i128 }
}

impl Sema {
    pub(super) fn types(&self) -> &TypeTable {
        &self.unit.types
    }

    pub(super) fn get(&self, ty: TyId) -> &Type {
        self.unit.types.get(ty)
    }

    pub(super) fn size_type(&self) -> TyId {
        match self.types().target {
            Target::Lp64 => TyId::ULONG,
            Target::Ilp32 => TyId::UINT,
        }
    }

    pub(super) fn ptrdiff_type(&self) -> TyId {
        match self.types().target {
            Target::Lp64 => TyId::LONG,
            Target::Ilp32 => TyId::INT,
        }
    }

    /// `wchar_t`.
    pub(super) fn wide_char_type(&self) -> TyId {
        match self.types().target {
            Target::Lp64 => TyId::INT,
            Target::Ilp32 => TyId::LONG,
        }
    }

    /// The integer type behind an integer, enumeration or not yet known type.
    pub(super) fn int_kind(&self, ty: TyId) -> Option<IntKind> {
        match self.get(ty) {
            Type::Int(kind) => Some(*kind),
            Type::Enum(id) => Some(self.types().enums[*id].underlying.unwrap_or(IntKind::UInt)),
            Type::Unknown(_) => Some(IntKind::Int),
            _ => None,
        }
    }

    pub(super) fn shape_of(&self, ty: TyId) -> Option<IntShape> {
        self.int_kind(ty).map(|kind| int_shape(kind, self.types().target))
    }

    pub(super) fn is_integer(&self, ty: TyId) -> bool {
        matches!(self.get(ty), Type::Int(_) | Type::Enum(_) | Type::Unknown(_))
    }

    pub(super) fn is_arithmetic(&self, ty: TyId) -> bool {
        self.is_integer(ty) || matches!(self.get(ty), Type::Float(_) | Type::Complex(_))
    }

    pub(super) fn is_real(&self, ty: TyId) -> bool {
        self.is_integer(ty) || matches!(self.get(ty), Type::Float(_))
    }

    pub(super) fn is_vector(&self, ty: TyId) -> bool {
        matches!(self.get(ty), Type::Vector { .. })
    }

    pub(super) fn is_scalar(&self, ty: TyId) -> bool {
        match self.get(ty) {
            Type::Int(_) | Type::Enum(_) | Type::Unknown(_) | Type::Float(_) | Type::Complex(_) => true,
            Type::Pointer(_) | Type::NullPtr | Type::Error => true,
            Type::VaList => self.types().target == Target::Ilp32,
            Type::Void | Type::Array { .. } | Type::Function(_) | Type::Record(_) | Type::Vector { .. } => false,
        }
    }

    pub(super) fn pointee(&self, ty: TyId) -> Option<QualTy> {
        match self.get(ty) {
            Type::Pointer(pointee) => Some(*pointee),
            _ => None,
        }
    }

    pub(super) fn element(&self, ty: TyId) -> Option<QualTy> {
        match self.get(ty) {
            Type::Array { element, .. } => Some(*element),
            _ => None,
        }
    }

    pub(super) fn record_of(&self, ty: TyId) -> Option<RecordId> {
        match self.get(ty) {
            Type::Record(id) => Some(*id),
            _ => None,
        }
    }

    pub(super) fn enum_of(&self, ty: TyId) -> Option<EnumId> {
        match self.get(ty) {
            Type::Enum(id) => Some(*id),
            _ => None,
        }
    }

    pub(super) fn function_type(&self, ty: TyId) -> Option<&FunctionType> {
        match self.get(ty) {
            Type::Function(function) => Some(function),
            _ => None,
        }
    }

    pub(super) fn is_function(&self, ty: TyId) -> bool {
        matches!(self.get(ty), Type::Function(_))
    }

    pub(super) fn is_array(&self, ty: TyId) -> bool {
        matches!(self.get(ty), Type::Array { .. })
    }

    /// Whether an object of this type can exist.
    pub(super) fn is_complete(&self, ty: TyId) -> bool {
        match self.get(ty) {
            Type::Void | Type::Function(_) => false,
            Type::Record(id) => self.types().records[*id].layout.is_some(),
            Type::Enum(id) => self.types().enums[*id].underlying.is_some(),
            Type::Array { element, extent } => match extent {
                ArrayExtent::Unknown => false,
                ArrayExtent::Fixed(_) | ArrayExtent::Variable(_) | ArrayExtent::Star => self.is_complete(element.ty),
            },
            Type::Int(_) | Type::Float(_) | Type::Complex(_) | Type::NullPtr | Type::Pointer(_) => true,
            Type::Vector { .. } | Type::VaList | Type::Unknown(_) | Type::Error => true,
        }
    }

    /// Whether the size of the type is only known at run time.
    pub(super) fn is_vla(&self, ty: TyId) -> bool {
        match self.get(ty) {
            Type::Array { element, extent } => {
                matches!(extent, ArrayExtent::Variable(_) | ArrayExtent::Star) || self.is_vla(element.ty)
            }
            _ => false,
        }
    }

    /// Adds qualifiers; those of an array belong to its elements.
    pub(super) fn qualify(&mut self, ty: QualTy, quals: QualSet) -> QualTy {
        if quals == QualSet::NONE {
            return ty;
        }
        if let Type::Array { element, extent } = *self.get(ty.ty) {
            let element = self.qualify(element, quals);
            return QualTy { ty: self.unit.types.intern(Type::Array { element, extent }), quals: ty.quals };
        }
        ty.with(quals)
    }

    /// Removes top-level qualifiers (those of the elements, for an array).
    pub(super) fn unqualified(&mut self, ty: QualTy) -> TyId {
        if let Type::Array { element, extent } = *self.get(ty.ty) {
            let element = QualTy::plain(self.unqualified(element));
            return self.unit.types.intern(Type::Array { element, extent });
        }
        ty.ty
    }

    /// Qualifiers of the object, looking through arrays.
    pub(super) fn quals_of(&self, ty: QualTy) -> QualSet {
        match self.get(ty.ty) {
            Type::Array { element, .. } => ty.quals.with(self.quals_of(*element)),
            _ => ty.quals,
        }
    }

    pub(super) fn pointer_to(&mut self, pointee: QualTy) -> TyId {
        self.unit.types.pointer_to(pointee)
    }

    /// Compatible types in the sense of the standard, without top-level qualifiers.
    pub(super) fn are_compatible(&self, a: TyId, b: TyId) -> bool {
        if a == b {
            return true;
        }
        match (self.get(a), self.get(b)) {
            (Type::Error, _) | (_, Type::Error) => true,
            (Type::Unknown(_), _) | (_, Type::Unknown(_)) => true,
            (Type::Pointer(x), Type::Pointer(y)) => self.are_same_qualified(*x, *y),
            (Type::Array { element: x, extent: n }, Type::Array { element: y, extent: m }) => {
                self.are_same_qualified(*x, *y)
                    && match (n, m) {
                        (ArrayExtent::Fixed(n), ArrayExtent::Fixed(m)) => n == m,
                        _ => true,
                    }
            }
            (Type::Function(x), Type::Function(y)) => self.are_compatible_functions(x, y),
            (Type::Enum(id), Type::Int(kind)) | (Type::Int(kind), Type::Enum(id)) => {
                self.types().enums[*id].underlying.is_none_or(|underlying| underlying == *kind)
            }
            (x, y) => x == y,
        }
    }

    fn are_same_qualified(&self, a: QualTy, b: QualTy) -> bool {
        let ignored = QualSet::RESTRICT;
        a.quals.without(ignored) == b.quals.without(ignored) && self.are_compatible(a.ty, b.ty)
    }

    fn are_compatible_functions(&self, x: &FunctionType, y: &FunctionType) -> bool {
        if !self.are_compatible(x.ret.ty, y.ret.ty) {
            return false;
        }
        match (x.has_prototype, y.has_prototype) {
            (true, true) => {
                x.is_variadic == y.is_variadic
                    && x.params.len() == y.params.len()
                    && x.params.iter().zip(&y.params).all(|(a, b)| self.are_compatible_params(*a, *b))
            }
            (false, false) => true,
            // A definition in the old style is known by its promoted parameters; gcc lets the unpromoted
            // types of a prototype pass as well.
            (true, false) => self.fits_old_style(x, y),
            (false, true) => self.fits_old_style(y, x),
        }
    }

    /// A parameter that is a transparent union agrees with each of its members.
    fn are_compatible_params(&self, a: TyId, b: TyId) -> bool {
        let accepts = |union: TyId, other: TyId| match self.get(union) {
            Type::Record(id) => {
                let record = &self.types().records[*id];
                let has_member = || record.fields.iter().any(|field| self.are_compatible(field.ty.ty, other));
                record.is_transparent_union && has_member()
            }
            _ => false,
        };
        self.are_compatible(a, b) || accepts(a, b) || accepts(b, a)
    }

    fn fits_old_style(&self, prototype: &FunctionType, old: &FunctionType) -> bool {
        old.params.is_empty()
            || (old.params.len() == prototype.params.len()
                && old
                    .params
                    .iter()
                    .zip(&prototype.params)
                    .all(|(a, b)| self.are_compatible(*a, *b) || self.is_arithmetic(*a) && self.is_arithmetic(*b)))
    }

    /// The type that knows what both know, for compatible types.
    pub(super) fn composite(&mut self, a: TyId, b: TyId) -> TyId {
        if a == b {
            return a;
        }
        let (x, y) = (self.get(a).clone(), self.get(b).clone());
        match (x, y) {
            (Type::Error, _) => b,
            (Type::Unknown(_), _) => b,
            (Type::Pointer(x), Type::Pointer(y)) => {
                let ty = self.composite(x.ty, y.ty);
                self.pointer_to(QualTy { ty, quals: x.quals })
            }
            (Type::Array { element: x, extent: n }, Type::Array { element: y, extent: m }) => {
                let element = QualTy { ty: self.composite(x.ty, y.ty), quals: x.quals };
                let extent = match (n, m) {
                    (ArrayExtent::Fixed(_), _) => n,
                    (_, ArrayExtent::Fixed(_)) => m,
                    (ArrayExtent::Variable(_), _) => n,
                    (ArrayExtent::Unknown, _) => m,
                    (ArrayExtent::Star, ArrayExtent::Unknown) => n,
                    (ArrayExtent::Star, _) => m,
                };
                self.unit.types.intern(Type::Array { element, extent })
            }
            (Type::Function(x), Type::Function(y)) => {
                let ret = QualTy { ty: self.composite(x.ret.ty, y.ret.ty), quals: x.ret.quals };
                let merged = match (x.has_prototype, y.has_prototype) {
                    (true, true) => {
                        let pairs: Vec<_> = x.params.iter().copied().zip(y.params.iter().copied()).collect();
                        let params = pairs.into_iter().map(|(a, b)| self.composite(a, b)).collect();
                        FunctionType { ret, params, is_variadic: x.is_variadic, has_prototype: true }
                    }
                    (true, false) => FunctionType { ret, ..x },
                    (false, true) => FunctionType { ret, ..y },
                    (false, false) if x.params.is_empty() => FunctionType { ret, ..y },
                    (false, false) => FunctionType { ret, ..x },
                };
                self.unit.types.intern(Type::Function(merged))
            }
            _ => a,
        }
    }

    /// The member behind a value read from, or assigned to, a bit-field: its declared type and width.
    pub(super) fn bit_field(&self, expr: ExprId) -> Option<u32> {
        match &self.unit.exprs[expr].kind {
            ExprKind::Member { record, index, .. } => {
                self.types().records[*record].fields.get(*index as usize).and_then(|field| field.bits)
            }
            ExprKind::Cast { kind: crate::ast::CastKind::Load, operand, .. } => self.bit_field(*operand),
            ExprKind::Assign { lhs, .. } | ExprKind::CompoundAssign { lhs, .. } | ExprKind::IncDec { lhs, .. } => {
                self.bit_field(*lhs)
            }
            ExprKind::Comma(_, right) => self.bit_field(*right),
            _ => None,
        }
    }

    /// Whether the expression designates an object or function.
    pub(super) fn is_lvalue(&self, expr: ExprId) -> bool {
        match &self.unit.exprs[expr].kind {
            ExprKind::Decl(_) | ExprKind::Deref(_) | ExprKind::CompoundLiteral { .. } | ExprKind::Str { .. } => true,
            ExprKind::Member { base, .. } | ExprKind::Index { base, .. } => self.is_lvalue(*base),
            ExprKind::Unary(crate::ast::UnaryOp::Real | crate::ast::UnaryOp::Imag, operand) => self.is_lvalue(*operand),
            _ => false,
        }
    }
}
