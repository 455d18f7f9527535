//! Values at hand, and computations on them: no access to memory.

use super::{Address, RegId, SlotId, Ty};

/// A value at hand: no memory access, no failure.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Operand {
    /// Contents of a register.
    Reg(RegId),
    /// Bits of an integer or floating constant (in its type's format), zero-extended.
    Bits(Ty, u128),
    /// The null pointer.
    Null,
    /// A pointer to static storage, code or a label.
    Address(Address),
    /// A pointer to a live stack object of this activation.
    Slot(SlotId),
    /// An indeterminate value.
    Undef(Ty),
}

/// A computation on values at hand.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Rvalue {
    /// The operand itself.
    Use(Operand),
    /// Both operands and the result have the type; shifts take their amount in the same type.
    Binary(BinOp, Ty, Operand, Operand),
    /// Like `Binary`, but a result that C leaves undefined is a violation: `Add Sub Mul` as signed
    /// (`Overflow`), divisions (`DivisionByZero`, `Overflow`), shifts by a bad amount (`InvalidShift`).
    Checked(BinOp, Ty, Operand, Operand),
    /// Whether the exact result of the (signed or unsigned) operation does not fit: an `Int(1)`.
    Overflows {
        /// `Add`, `Sub` or `Mul`.
        op: BinOp,
        /// Read the operands as signed.
        is_signed: bool,
        /// Their type.
        ty: Ty,
        /// Left operand.
        left: Operand,
        /// Right operand.
        right: Operand,
    },
    /// One operand, result of the same type.
    Unary(UnOp, Ty, Operand),
    /// Compares two operands of the type; an `Int(1)`.
    Compare(CmpOp, Ty, Operand, Operand),
    /// Converts between types. Out-of-range `FloatToSigned`/`FloatToUnsigned` are `Overflow` violations.
    Cast(CastOp, Ty, Ty, Operand),
    /// `base + index * stride`, with the index read as signed. The pointer may leave its object; only
    /// accesses through it are checked.
    PtrAdd {
        /// Pointer.
        base: Operand,
        /// A pointer-sized integer.
        index: Operand,
        /// Bytes per index step; may be negative.
        stride: i64,
    },
    /// `(left - right) / stride`; pointers into different objects are an `OutOfBounds` violation.
    PtrDiff {
        /// Pointer.
        left: Operand,
        /// Pointer.
        right: Operand,
        /// Bytes per element.
        stride: u64,
    },
    /// `cond` (an `Int(1)`) decides.
    Select {
        /// An `Int(1)`.
        cond: Operand,
        /// If true.
        then: Operand,
        /// If false.
        otherwise: Operand,
    },
}

/// Binary operations. Those with `F` are on floating types, the others on integers, wrapping.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
#[allow(missing_docs)]
pub enum BinOp {
    Add,
    Sub,
    Mul,
    SDiv,
    UDiv,
    SRem,
    URem,
    Shl,
    /// Fills with zeros.
    LShr,
    /// Fills with the sign.
    AShr,
    And,
    Or,
    Xor,
    FAdd,
    FSub,
    FMul,
    FDiv,
    /// `fmod`.
    FRem,
}

/// Unary operations.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
#[allow(missing_docs)]
pub enum UnOp {
    /// Wrapping negation.
    Neg,
    /// Negation; the smallest number is an `Overflow` violation.
    NegChecked,
    Not,
    FNeg,
    FAbs,
    FSqrt,
    FFloor,
    FCeil,
    FTrunc,
    /// To nearest, ties away from zero.
    FRound,
    /// To nearest, ties to even.
    FRint,
    /// Leading zeros; of zero: the width.
    Clz,
    /// Trailing zeros; of zero: the width.
    Ctz,
    Popcount,
    Bswap,
}

/// Comparisons. Pointers compare with `Eq`/`Ne` anywhere and with `U..` inside one object; ordered
/// comparison of pointers into different objects is an `OutOfBounds` violation.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
#[allow(missing_docs)]
pub enum CmpOp {
    Eq,
    Ne,
    SLt,
    SLe,
    SGt,
    SGe,
    ULt,
    ULe,
    UGt,
    UGe,
    /// Floating comparisons; false on NaN, except `FNe`.
    FEq,
    FNe,
    FLt,
    FLe,
    FGt,
    FGe,
    /// Whether either is NaN.
    FUno,
}

/// Conversions.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
#[allow(missing_docs)]
pub enum CastOp {
    ZeroExtend,
    SignExtend,
    Truncate,
    SignedToFloat,
    UnsignedToFloat,
    FloatToSigned,
    FloatToUnsigned,
    FloatToFloat,
    /// Keeps the pointer inside the integer, so that casting back restores it.
    PtrToInt,
    IntToPtr,
    /// Same bits, same size (`float` and its image).
    Bitcast,
}
