//! Classification of C types in the IR: scalar in a register, bytes in memory, or nothing.

use unpick_program::program::Ty;

use unpick_front_c::types::{FloatKind, FunctionType, IntKind, QualTy, TyId, Type, TypeTable};

/// How values of a type are held.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Class {
    Void,
    Scalar(Ty),
    /// Structs, unions, arrays, and what the IR has no scalar for (complex, vector, half precision):
    /// a value is the address of its bytes.
    Memory,
}

/// A parameter or result, independent of any type table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Pass {
    Scalar(Ty),
    Memory,
}

/// How a function is called.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Signature {
    pub params: Vec<Pass>,
    pub ret: Option<Pass>,
    pub is_variadic: bool,
    pub has_prototype: bool,
}

pub(super) fn class_of(types: &TypeTable, ty: TyId) -> Class {
    match types.get(ty) {
        Type::Void | Type::Function(_) => Class::Void,
        Type::Int(kind) => Class::Scalar(int_ty(types, *kind)),
        Type::Float(kind) => match kind {
            FloatKind::Float16 => Class::Memory,
            FloatKind::Float | FloatKind::Float32 => Class::Scalar(Ty::F32),
            FloatKind::Double | FloatKind::Float64 | FloatKind::Float32x => Class::Scalar(Ty::F64),
            FloatKind::LongDouble | FloatKind::Float64x => Class::Scalar(Ty::F80),
            FloatKind::Float128 => Class::Scalar(Ty::F128),
        },
        Type::NullPtr | Type::Pointer(_) => Class::Scalar(Ty::Ptr),
        Type::Enum(id) => Class::Scalar(int_ty(types, types.enums[*id].underlying.unwrap_or(IntKind::UInt))),
        Type::Unknown(_) | Type::Error => Class::Scalar(Ty::Int(32)),
        Type::VaList if types.target.pointer_bytes() == 4 => Class::Scalar(Ty::Ptr),
        Type::VaList | Type::Complex(_) | Type::Array { .. } | Type::Record(_) | Type::Vector { .. } => Class::Memory,
    }
}

pub(super) fn int_ty(types: &TypeTable, kind: IntKind) -> Ty {
    Ty::Int(match kind {
        IntKind::Bool | IntKind::Char | IntKind::SChar | IntKind::UChar => 8,
        IntKind::Short | IntKind::UShort => 16,
        IntKind::Int | IntKind::UInt => 32,
        IntKind::Long | IntKind::ULong => types.target.pointer_bytes() as u8 * 8,
        IntKind::LongLong | IntKind::ULongLong => 64,
        IntKind::Int128 | IntKind::UInt128 => 128,
    })
}

/// Whether arithmetic of the type is signed. Pointers, floats and the rest are not.
pub(super) fn is_signed(types: &TypeTable, ty: TyId) -> bool {
    let kind = match types.get(ty) {
        Type::Int(kind) => *kind,
        Type::Enum(id) => types.enums[*id].underlying.unwrap_or(IntKind::UInt),
        Type::Unknown(_) | Type::Error => IntKind::Int,
        Type::Void
        | Type::Float(_)
        | Type::Complex(_)
        | Type::NullPtr
        | Type::Pointer(_)
        | Type::Array { .. }
        | Type::Function(_)
        | Type::Record(_)
        | Type::Vector { .. }
        | Type::VaList => return false,
    };
    kind.is_signed()
}

pub(super) fn is_bool(types: &TypeTable, ty: TyId) -> bool {
    match types.get(ty) {
        Type::Int(kind) => *kind == IntKind::Bool,
        Type::Enum(id) => types.enums[*id].underlying == Some(IntKind::Bool),
        _other => false,
    }
}

/// The function type behind a function or a pointer to one.
pub(super) fn function_type(types: &TypeTable, ty: TyId) -> Option<&FunctionType> {
    match types.get(ty) {
        Type::Function(function) => Some(function),
        Type::Pointer(pointee) => match types.get(pointee.ty) {
            Type::Function(function) => Some(function),
            _other => None,
        },
        _other => None,
    }
}

/// How an argument of a type is handed over: a transparent union goes as its first member.
pub(super) fn passed_class(types: &TypeTable, ty: TyId) -> Class {
    if let Type::Record(record) = types.get(ty)
        && types.records[*record].is_transparent_union
        && let Some(first) = types.records[*record].fields.first()
    {
        return class_of(types, first.ty.ty);
    }
    class_of(types, ty)
}

pub(super) fn pass(types: &TypeTable, ty: TyId) -> Option<Pass> {
    match passed_class(types, ty) {
        Class::Void => None,
        Class::Scalar(ty) => Some(Pass::Scalar(ty)),
        Class::Memory => Some(Pass::Memory),
    }
}

fn pass_result(types: &TypeTable, ty: TyId) -> Option<Pass> {
    match class_of(types, ty) {
        Class::Void => None,
        Class::Scalar(ty) => Some(Pass::Scalar(ty)),
        Class::Memory => Some(Pass::Memory),
    }
}

pub(super) fn signature(types: &TypeTable, function: &FunctionType) -> Signature {
    Signature {
        params: function.params.iter().filter_map(|param| pass(types, *param)).collect(),
        ret: pass_result(types, function.ret.ty),
        is_variadic: function.is_variadic,
        has_prototype: function.has_prototype,
    }
}

/// What a pointer type points to.
pub(super) fn pointee(types: &TypeTable, ty: TyId) -> Option<QualTy> {
    match types.get(ty) {
        Type::Pointer(pointee) => Some(*pointee),
        _other => None,
    }
}

/// Bytes a scalar takes in memory.
pub(super) fn bytes_of(ty: Ty, pointer_bytes: u8) -> u64 {
    match ty {
        Ty::Int(bits) => u64::from(bits).div_ceil(8).next_power_of_two(),
        Ty::F32 => 4,
        Ty::F64 => 8,
        Ty::F80 => {
            if pointer_bytes == 4 {
                12
            } else {
                16
            }
        }
        Ty::F128 => 16,
        Ty::Ptr => u64::from(pointer_bytes),
    }
}
