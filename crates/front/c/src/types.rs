//! The types of C, interned (hash-consed) as small numbers.
//!
//! Equal types have equal [`TyId`]s (records and enums are equal only to themselves; each variable
//! length array type is its own), so type comparison is an integer comparison and a typed expression
//! costs four bytes for its type. Typedefs leave no trace: the table holds canonical types only.

use std::collections::HashMap;

use unpick_base::{IdVec, Span, Symbol, define_id, id::Id as _};

use crate::ast::{DeclId, ExprId};

mod query;
mod scalar;

pub use scalar::wrap_bits;

define_id! {
    /// A type without top-level qualifiers.
    pub struct TyId("ty");
    /// A struct or union.
    pub struct RecordId("record");
    /// An enumeration.
    pub struct EnumId("enum");
}

/// Qualifiers of an lvalue or pointee, as bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, PartialOrd, Ord)]
pub struct QualSet(pub u8);

impl QualSet {
    pub const NONE: QualSet = QualSet(0);
    pub const CONST: QualSet = QualSet(1);
    pub const VOLATILE: QualSet = QualSet(2);
    pub const RESTRICT: QualSet = QualSet(4);
    pub const ATOMIC: QualSet = QualSet(8);

    pub fn with(self, other: QualSet) -> QualSet {
        QualSet(self.0 | other.0)
    }
    pub fn without(self, other: QualSet) -> QualSet {
        QualSet(self.0 & !other.0)
    }
    /// Whether every bit of `other` is set.
    pub fn has(self, other: QualSet) -> bool {
        self.0 & other.0 == other.0
    }
}

/// A possibly qualified type. `_Atomic T` is `T` with the atomic bit.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct QualTy {
    pub ty: TyId,
    pub quals: QualSet,
}

impl QualTy {
    pub fn plain(ty: TyId) -> QualTy {
        QualTy { ty, quals: QualSet::NONE }
    }
    pub fn with(self, quals: QualSet) -> QualTy {
        QualTy { ty: self.ty, quals: self.quals.with(quals) }
    }
    pub fn is_volatile(self) -> bool {
        self.quals.has(QualSet::VOLATILE)
    }
    pub fn is_const(self) -> bool {
        self.quals.has(QualSet::CONST)
    }
    pub fn is_atomic(self) -> bool {
        self.quals.has(QualSet::ATOMIC)
    }
}

/// Integer types other than enumerations, in order of rank within a signedness.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum IntKind {
    Bool,
    /// Plain `char`, signed on our targets.
    Char,
    SChar,
    UChar,
    Short,
    UShort,
    Int,
    UInt,
    Long,
    ULong,
    LongLong,
    ULongLong,
    Int128,
    UInt128,
}

/// Floating types. `_Float32` is distinct from `float` for `_Generic`, equal in format.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FloatKind {
    Float16,
    Float,
    Double,
    /// x87 extended in 16 (LP64) or 12 (ILP32) bytes.
    LongDouble,
    Float128,
    Float32,
    Float64,
    Float32x,
    Float64x,
}

/// Extent of an array.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ArrayExtent {
    /// `[]`: incomplete, or a flexible array member.
    Unknown,
    /// Includes zero (GNU).
    Fixed(u64),
    /// A variable length array; the expression (of type `size_t`) is evaluated where the type is declared.
    Variable(ExprId),
    /// `[*]` in a prototype.
    Star,
}

/// The shape of a type.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    Void,
    Int(IntKind),
    Float(FloatKind),
    Complex(FloatKind),
    /// `nullptr_t`.
    NullPtr,
    Pointer(QualTy),
    Array {
        element: QualTy,
        extent: ArrayExtent,
    },
    Function(FunctionType),
    Record(RecordId),
    Enum(EnumId),
    /// GNU vector.
    Vector {
        element: TyId,
        bytes: u64,
    },
    /// `__builtin_va_list` as the target's ABI passes it: an array of one 24-byte record on LP64 (so it
    /// decays), a `char *` on ILP32. Kept opaque: only `va_*` built-ins look inside.
    VaList,
    /// An undeclared type name; assumed to be an `int`-like scalar until its use shows otherwise.
    Unknown(Symbol),
    /// The result of a diagnosed error; converts to and from everything without further complaint.
    Error,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct FunctionType {
    pub ret: QualTy,
    /// Already adjusted: arrays and functions are pointers, top-level qualifiers removed.
    pub params: Vec<TyId>,
    pub is_variadic: bool,
    /// `false` for `f()` and old-style definitions: arguments get the default promotions.
    pub has_prototype: bool,
}

/// A struct or union; complete once `layout` is there.
#[derive(Clone, Debug)]
pub struct Record {
    pub tag: Option<Symbol>,
    pub is_union: bool,
    pub fields: Vec<Field>,
    pub layout: Option<Layout>,
    pub is_transparent_union: bool,
    /// For the printer: `packed` and the largest explicit alignment.
    pub is_packed: bool,
    pub align_attr: Option<u64>,
    /// `#pragma pack(n)` in force at the definition.
    pub pack: Option<u64>,
    pub span: Span,
    /// Declared in a function body: the printer must declare it there.
    pub is_local: bool,
}

/// A member. Unnamed bit-fields stay in the list (they shape the layout); initialisers skip them.
#[derive(Clone, Debug)]
pub struct Field {
    /// `None` for unnamed bit-fields and anonymous structs and unions.
    pub name: Option<Symbol>,
    pub ty: QualTy,
    pub bits: Option<u32>,
    pub align_attr: Option<u64>,
    pub is_packed: bool,
    pub span: Span,
    /// Byte offset of the field; for a bit-field, of the lowest byte it touches.
    pub offset: u64,
    /// For a bit-field: the position of its lowest bit above `offset` (0..=7).
    pub bit_offset: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    pub size: u64,
    pub align: u64,
}

/// An enumeration; complete once `underlying` is there.
#[derive(Clone, Debug)]
pub struct Enum {
    pub tag: Option<Symbol>,
    pub underlying: Option<IntKind>,
    /// Written by the user (C23), so part of the type.
    pub is_fixed: bool,
    pub enumerators: Vec<DeclId>,
    pub is_packed: bool,
    pub span: Span,
    pub is_local: bool,
}

/// Data model of the checked program.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Target {
    /// x86-64 System V.
    #[default]
    Lp64,
    /// i386 System V.
    Ilp32,
}

impl Target {
    pub fn pointer_bytes(self) -> u64 {
        match self {
            Target::Lp64 => 8,
            Target::Ilp32 => 4,
        }
    }
}

/// All types of one translation unit. Types of several units live in separate tables.
#[derive(Debug)]
pub struct TypeTable {
    pub target: Target,
    types: IdVec<TyId, Type>,
    ids: HashMap<Type, TyId, foldhash::fast::RandomState>,
    pub records: IdVec<RecordId, Record>,
    pub enums: IdVec<EnumId, Enum>,
}

/// Types every unit has, at fixed positions of the table.
impl TyId {
    pub const VOID: TyId = TyId(0);
    pub const ERROR: TyId = TyId(1);
    pub const BOOL: TyId = TyId(2);
    pub const CHAR: TyId = TyId(3);
    pub const SCHAR: TyId = TyId(4);
    pub const UCHAR: TyId = TyId(5);
    pub const SHORT: TyId = TyId(6);
    pub const USHORT: TyId = TyId(7);
    pub const INT: TyId = TyId(8);
    pub const UINT: TyId = TyId(9);
    pub const LONG: TyId = TyId(10);
    pub const ULONG: TyId = TyId(11);
    pub const LONGLONG: TyId = TyId(12);
    pub const ULONGLONG: TyId = TyId(13);
    pub const INT128: TyId = TyId(14);
    pub const UINT128: TyId = TyId(15);
    pub const FLOAT: TyId = TyId(16);
    pub const DOUBLE: TyId = TyId(17);
    pub const LONGDOUBLE: TyId = TyId(18);
    pub const VALIST: TyId = TyId(19);
}

impl TypeTable {
    pub fn new(target: Target) -> Self {
        use FloatKind::*;
        use IntKind::*;
        let mut table =
            Self { target, types: IdVec::new(), ids: HashMap::default(), records: IdVec::new(), enums: IdVec::new() };
        let ints =
            [Bool, Char, SChar, UChar, Short, UShort, Int, UInt, Long, ULong, LongLong, ULongLong, Int128, UInt128];
        let floats = [Float, Double, LongDouble];
        [Type::Void, Type::Error]
            .into_iter()
            .chain(ints.map(Type::Int))
            .chain(floats.map(Type::Float))
            .chain([Type::VaList])
            .for_each(|ty| {
                table.intern(ty);
            });
        debug_assert_eq!(table.types.len(), TyId::VALIST.index() + 1);
        table
    }

    /// The id of a type, made on first sight.
    pub fn intern(&mut self, ty: Type) -> TyId {
        if let Some(&id) = self.ids.get(&ty) {
            return id;
        }
        let id = self.types.push(ty.clone());
        self.ids.insert(ty, id);
        id
    }

    pub fn get(&self, id: TyId) -> &Type {
        &self.types[id]
    }

    /// Gives an unknown type the meaning its use shows; every mention of it changes with it.
    pub fn redefine(&mut self, id: TyId, ty: Type) {
        self.ids.entry(ty.clone()).or_insert(id);
        self.types[id] = ty;
    }

    pub fn pointer_to(&mut self, pointee: QualTy) -> TyId {
        self.intern(Type::Pointer(pointee))
    }

    pub fn len(&self) -> usize {
        self.types.len()
    }

    pub fn is_empty(&self) -> bool {
        false
    }
}
