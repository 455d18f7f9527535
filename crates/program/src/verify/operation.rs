//! Type rules of operations.

use super::Faults;
use crate::program::*;

pub(super) fn is_int(ty: Ty) -> bool {
    match ty {
        Ty::Int(_) => true,
        Ty::F32 | Ty::F64 | Ty::F80 | Ty::F128 | Ty::Ptr => false,
    }
}

pub(super) fn is_float(ty: Ty) -> bool {
    match ty {
        Ty::F32 | Ty::F64 | Ty::F80 | Ty::F128 => true,
        Ty::Int(_) | Ty::Ptr => false,
    }
}

/// Bits of a value of the type.
pub(super) fn width(ty: Ty, pointer_bytes: u8) -> u32 {
    match ty {
        Ty::Int(width) => u32::from(width),
        Ty::F32 => 32,
        Ty::F64 => 64,
        Ty::F80 => 80,
        Ty::F128 => 128,
        Ty::Ptr => u32::from(pointer_bytes) * 8,
    }
}

pub(super) fn binary_fits(op: BinOp, ty: Ty) -> bool {
    match op {
        BinOp::Add
        | BinOp::Sub
        | BinOp::Mul
        | BinOp::SDiv
        | BinOp::UDiv
        | BinOp::SRem
        | BinOp::URem
        | BinOp::Shl
        | BinOp::LShr
        | BinOp::AShr
        | BinOp::And
        | BinOp::Or
        | BinOp::Xor => is_int(ty),
        BinOp::FAdd | BinOp::FSub | BinOp::FMul | BinOp::FDiv | BinOp::FRem => is_float(ty),
    }
}

/// Whether the operation can fail, so that `.checked` means something.
pub(super) fn can_be_checked(op: BinOp) -> bool {
    match op {
        BinOp::Add
        | BinOp::Sub
        | BinOp::Mul
        | BinOp::SDiv
        | BinOp::UDiv
        | BinOp::SRem
        | BinOp::URem
        | BinOp::Shl
        | BinOp::LShr
        | BinOp::AShr => true,
        BinOp::And | BinOp::Or | BinOp::Xor => false,
        BinOp::FAdd | BinOp::FSub | BinOp::FMul | BinOp::FDiv | BinOp::FRem => false,
    }
}

pub(super) fn unary_fits(op: UnOp, ty: Ty) -> bool {
    match op {
        UnOp::Neg | UnOp::NegChecked | UnOp::Not | UnOp::Clz | UnOp::Ctz | UnOp::Popcount => is_int(ty),
        UnOp::Bswap => matches!(ty, Ty::Int(width) if width % 8 == 0),
        UnOp::FNeg
        | UnOp::FAbs
        | UnOp::FSqrt
        | UnOp::FFloor
        | UnOp::FCeil
        | UnOp::FTrunc
        | UnOp::FRound
        | UnOp::FRint => is_float(ty),
    }
}

pub(super) fn compare_fits(op: CmpOp, ty: Ty) -> bool {
    match op {
        CmpOp::Eq | CmpOp::Ne | CmpOp::ULt | CmpOp::ULe | CmpOp::UGt | CmpOp::UGe => !is_float(ty),
        CmpOp::SLt | CmpOp::SLe | CmpOp::SGt | CmpOp::SGe => is_int(ty),
        CmpOp::FEq | CmpOp::FNe | CmpOp::FLt | CmpOp::FLe | CmpOp::FGt | CmpOp::FGe | CmpOp::FUno => is_float(ty),
    }
}

pub(super) fn cast_fits(op: CastOp, from: Ty, to: Ty, pointer_bytes: u8) -> bool {
    let (from_width, to_width) = (width(from, pointer_bytes), width(to, pointer_bytes));
    match op {
        CastOp::ZeroExtend | CastOp::SignExtend => is_int(from) && is_int(to) && from_width <= to_width,
        CastOp::Truncate => is_int(from) && is_int(to) && from_width >= to_width,
        CastOp::SignedToFloat | CastOp::UnsignedToFloat => is_int(from) && is_float(to),
        CastOp::FloatToSigned | CastOp::FloatToUnsigned => is_float(from) && is_int(to),
        CastOp::FloatToFloat => is_float(from) && is_float(to),
        CastOp::PtrToInt => from == Ty::Ptr && is_int(to),
        CastOp::IntToPtr => is_int(from) && to == Ty::Ptr,
        CastOp::Bitcast => from_width == to_width,
    }
}

pub(super) fn check_bits(bits: BitRange, faults: &mut Faults) {
    let is_fine = bits.offset < 8 && (1..=128).contains(&bits.width);
    faults.require("bits", is_fine, || format!("{} bits from bit {}", bits.width, bits.offset));
}

/// Whether the bounds are both numbers of the width, read as signed or as unsigned.
pub(super) fn range_fits(low: i128, high: i128, width: u8) -> bool {
    if !(1..=128).contains(&width) || low > high {
        return false;
    }
    if width == 128 {
        return true;
    }
    let half = 1i128 << (width - 1);
    let unsigned_max = if width == 127 { i128::MAX } else { (1i128 << width) - 1 };
    if low < 0 { low >= -half && high < half } else { high <= unsigned_max }
}
