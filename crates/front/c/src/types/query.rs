//! Type queries shared by semantic analysis, lowering and the printer.

use super::{ArrayExtent, FloatKind, IntKind, QualTy, RecordId, Target, TyId, Type, TypeTable};

impl TypeTable {
    /// The integer type behind `ty`: itself, or what represents an enumeration.
    pub fn int_kind_of(&self, ty: TyId) -> Option<IntKind> {
        match *self.get(ty) {
            Type::Int(kind) => Some(kind),
            Type::Enum(id) => Some(self.enums[id].underlying.unwrap_or(IntKind::UInt)),
            Type::Unknown(_) => Some(IntKind::Int),
            _ => None,
        }
    }

    pub fn float_kind_of(&self, ty: TyId) -> Option<FloatKind> {
        match *self.get(ty) {
            Type::Float(kind) => Some(kind),
            _ => None,
        }
    }

    /// Integers, `_Bool`, enumerations.
    pub fn is_integer(&self, ty: TyId) -> bool {
        self.int_kind_of(ty).is_some()
    }

    pub fn is_float(&self, ty: TyId) -> bool {
        matches!(self.get(ty), Type::Float(_))
    }

    pub fn is_arithmetic(&self, ty: TyId) -> bool {
        self.is_integer(ty) || matches!(self.get(ty), Type::Float(_) | Type::Complex(_))
    }

    pub fn is_pointer(&self, ty: TyId) -> bool {
        matches!(self.get(ty), Type::Pointer(_) | Type::NullPtr)
    }

    pub fn is_scalar(&self, ty: TyId) -> bool {
        self.is_arithmetic(ty) || self.is_pointer(ty) || ty == TyId::ERROR
    }

    pub fn is_function(&self, ty: TyId) -> bool {
        matches!(self.get(ty), Type::Function(_))
    }

    pub fn is_array(&self, ty: TyId) -> bool {
        matches!(self.get(ty), Type::Array { .. })
    }

    pub fn is_record(&self, ty: TyId) -> bool {
        matches!(self.get(ty), Type::Record(_))
    }

    /// Whether the size is missing because the type is not complete (yet).
    pub fn is_incomplete(&self, ty: TyId) -> bool {
        match *self.get(ty) {
            Type::Void => true,
            Type::Array { element, extent } => {
                matches!(extent, ArrayExtent::Unknown | ArrayExtent::Star) || self.is_incomplete(element.ty)
            }
            Type::Record(record) => self.records[record].layout.is_none(),
            Type::Enum(id) => self.enums[id].underlying.is_none(),
            Type::Int(_)
            | Type::Float(_)
            | Type::Complex(_)
            | Type::NullPtr
            | Type::Pointer(_)
            | Type::Function(_)
            | Type::Vector { .. }
            | Type::VaList
            | Type::Unknown(_)
            | Type::Error => false,
        }
    }

    /// Whether the type contains a variable length array bound.
    pub fn is_variably_modified(&self, ty: TyId) -> bool {
        match self.get(ty) {
            Type::Array { element, extent } => {
                matches!(extent, ArrayExtent::Variable(_)) || self.is_variably_modified(element.ty)
            }
            Type::Pointer(pointee) => self.is_variably_modified(pointee.ty),
            Type::Function(function) => self.is_variably_modified(function.ret.ty),
            Type::Void
            | Type::Int(_)
            | Type::Float(_)
            | Type::Complex(_)
            | Type::NullPtr
            | Type::Record(_)
            | Type::Enum(_)
            | Type::Vector { .. }
            | Type::VaList
            | Type::Unknown(_)
            | Type::Error => false,
        }
    }

    /// What a pointer points to.
    pub fn pointee_of(&self, ty: TyId) -> Option<QualTy> {
        match *self.get(ty) {
            Type::Pointer(pointee) => Some(pointee),
            _ => None,
        }
    }

    /// What an array consists of.
    pub fn element_of(&self, ty: TyId) -> Option<QualTy> {
        match *self.get(ty) {
            Type::Array { element, .. } => Some(element),
            _ => None,
        }
    }

    pub fn record_of(&self, ty: TyId) -> Option<RecordId> {
        match *self.get(ty) {
            Type::Record(record) => Some(record),
            _ => None,
        }
    }

    /// Integer type of pointer differences.
    pub fn ptrdiff_kind(&self) -> IntKind {
        match self.target {
            Target::Lp64 => IntKind::Long,
            Target::Ilp32 => IntKind::Int,
        }
    }

    /// Integer type of sizes.
    pub fn size_kind(&self) -> IntKind {
        self.ptrdiff_kind().to_unsigned()
    }
}
