//! Integer arithmetic on bit patterns of a given width.

use super::choice::truncate;
use super::narrow::sign_extend;
use crate::{BinOp, CmpOp, UnOp};

/// Wrapping arithmetic on at most 64 bits; `None` where there is no result, or for floating operations.
#[inline]
pub(crate) fn binary_word(op: BinOp, width: u32, left: u64, right: u64) -> Option<u64> {
    let result = match op {
        BinOp::Add => left.wrapping_add(right),
        BinOp::Sub => left.wrapping_sub(right),
        BinOp::Mul => left.wrapping_mul(right),
        BinOp::And => left & right,
        BinOp::Or => left | right,
        BinOp::Xor => left ^ right,
        BinOp::Shl if right < u64::from(width) => left << right,
        BinOp::LShr if right < u64::from(width) => left >> right,
        BinOp::AShr if right < u64::from(width) => (sign_word(left, width) >> right) as u64,
        BinOp::UDiv if right != 0 => left / right,
        BinOp::URem if right != 0 => left % right,
        BinOp::SDiv if right != 0 => sign_word(left, width).wrapping_div(sign_word(right, width)) as u64,
        BinOp::SRem if right != 0 => sign_word(left, width).wrapping_rem(sign_word(right, width)) as u64,
        BinOp::Shl | BinOp::LShr | BinOp::AShr | BinOp::UDiv | BinOp::URem | BinOp::SDiv | BinOp::SRem => return None,
        BinOp::FAdd | BinOp::FSub | BinOp::FMul | BinOp::FDiv | BinOp::FRem => return None,
    };
    Some(mask_word(result, width))
}

/// Like [`binary_word`], but `None` also where C leaves the result undefined.
#[inline]
pub(crate) fn checked_word(op: BinOp, width: u32, left: u64, right: u64) -> Option<u64> {
    let (signed_left, signed_right) = (sign_word(left, width), sign_word(right, width));
    let exact = match op {
        BinOp::Add => signed_left.checked_add(signed_right)?,
        BinOp::Sub => signed_left.checked_sub(signed_right)?,
        BinOp::Mul => signed_left.checked_mul(signed_right)?,
        BinOp::SDiv => signed_left.checked_div(signed_right)?,
        BinOp::SRem => {
            // The remainder would be zero, but the division does not fit.
            if sign_word(mask_word(signed_left.checked_div(signed_right)? as u64, width), width)
                != signed_left / signed_right
            {
                return None;
            }
            signed_left % signed_right
        }
        BinOp::UDiv | BinOp::URem | BinOp::Shl | BinOp::LShr | BinOp::AShr | BinOp::And | BinOp::Or | BinOp::Xor => {
            return binary_word(op, width, left, right);
        }
        BinOp::FAdd | BinOp::FSub | BinOp::FMul | BinOp::FDiv | BinOp::FRem => return None,
    };
    let bits = mask_word(exact as u64, width);
    (sign_word(bits, width) == exact).then_some(bits)
}

#[inline]
pub(crate) fn compare_word(op: CmpOp, width: u32, left: u64, right: u64) -> bool {
    match op {
        CmpOp::Eq | CmpOp::FEq => left == right,
        CmpOp::Ne | CmpOp::FNe => left != right,
        CmpOp::ULt | CmpOp::FLt => left < right,
        CmpOp::ULe | CmpOp::FLe => left <= right,
        CmpOp::UGt | CmpOp::FGt => left > right,
        CmpOp::UGe | CmpOp::FGe => left >= right,
        CmpOp::SLt => sign_word(left, width) < sign_word(right, width),
        CmpOp::SLe => sign_word(left, width) <= sign_word(right, width),
        CmpOp::SGt => sign_word(left, width) > sign_word(right, width),
        CmpOp::SGe => sign_word(left, width) >= sign_word(right, width),
        CmpOp::FUno => false,
    }
}

#[inline]
pub(crate) fn sign_word(bits: u64, width: u32) -> i64 {
    let shift = 64 - width;
    (bits << shift) as i64 >> shift
}

#[inline]
pub(crate) fn mask_word(bits: u64, width: u32) -> u64 {
    bits & (u64::MAX >> (64 - width))
}

/// Wrapping arithmetic on any width. Divisors are not zero; shift amounts are taken modulo the width, as the
/// machine does.
pub(crate) fn binary(op: BinOp, width: u32, left: u128, right: u128) -> u128 {
    let (signed_left, signed_right) = (sign_extend(left, width), sign_extend(right, width));
    let amount = (right % u128::from(width)) as u32;
    let result = match op {
        BinOp::Add | BinOp::FAdd => left.wrapping_add(right),
        BinOp::Sub | BinOp::FSub => left.wrapping_sub(right),
        BinOp::Mul | BinOp::FMul => left.wrapping_mul(right),
        BinOp::SDiv | BinOp::FDiv => signed_left.wrapping_div(signed_right) as u128,
        BinOp::SRem | BinOp::FRem => signed_left.wrapping_rem(signed_right) as u128,
        BinOp::UDiv => left / right,
        BinOp::URem => left % right,
        BinOp::Shl => left << amount,
        BinOp::LShr => left >> amount,
        BinOp::AShr => (signed_left >> amount) as u128,
        BinOp::And => left & right,
        BinOp::Or => left | right,
        BinOp::Xor => left ^ right,
    };
    truncate(result, width)
}

/// Whether the exact result of `Add`, `Sub` or `Mul` does not fit the width.
pub(crate) fn overflows(op: BinOp, is_signed: bool, width: u32, left: u128, right: u128) -> bool {
    if is_signed {
        let (left, right) = (sign_extend(left, width), sign_extend(right, width));
        let exact = match op {
            BinOp::Sub => left.checked_sub(right),
            BinOp::Mul => left.checked_mul(right),
            _ => left.checked_add(right),
        };
        exact.is_none_or(|exact| sign_extend(exact as u128, width) != exact)
    } else {
        let exact = match op {
            BinOp::Sub => left.checked_sub(right),
            BinOp::Mul => left.checked_mul(right),
            _ => left.checked_add(right),
        };
        exact.is_none_or(|exact| truncate(exact, width) != exact)
    }
}

/// `None` for floating operations.
pub(crate) fn unary(op: UnOp, width: u32, bits: u128) -> Option<u128> {
    let result = match op {
        UnOp::Neg | UnOp::NegChecked => bits.wrapping_neg(),
        UnOp::Not => !bits,
        UnOp::Clz => u128::from(bits.leading_zeros() - (128 - width)),
        UnOp::Ctz => u128::from(bits.trailing_zeros().min(width)),
        UnOp::Popcount => u128::from(bits.count_ones()),
        UnOp::Bswap => bits.swap_bytes() >> (128 - width),
        UnOp::FNeg | UnOp::FAbs | UnOp::FSqrt | UnOp::FFloor | UnOp::FCeil | UnOp::FTrunc => return None,
        UnOp::FRound | UnOp::FRint => return None,
    };
    Some(truncate(result, width))
}

pub(crate) fn compare(op: CmpOp, width: u32, left: u128, right: u128) -> bool {
    match op {
        CmpOp::SLt | CmpOp::SLe | CmpOp::SGt | CmpOp::SGe => {
            super::narrow::holds(op, sign_extend(left, width).cmp(&sign_extend(right, width)))
        }
        CmpOp::Eq | CmpOp::Ne | CmpOp::ULt | CmpOp::ULe | CmpOp::UGt | CmpOp::UGe => {
            super::narrow::holds(op, left.cmp(&right))
        }
        CmpOp::FEq | CmpOp::FNe | CmpOp::FLt | CmpOp::FLe | CmpOp::FGt | CmpOp::FGe | CmpOp::FUno => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn any_op() -> impl Strategy<Value = BinOp> {
        use BinOp::{Add, And, LShr, Mul, Or, SDiv, SRem, Shl, Sub, UDiv, URem, Xor};
        proptest::sample::select(vec![Add, Sub, Mul, SDiv, UDiv, SRem, URem, Shl, LShr, BinOp::AShr, And, Or, Xor])
    }

    proptest! {
        #[test]
        fn words_agree_with_wide_arithmetic(op in any_op(), width in 1u32..=64, left: u64, right: u64, small: bool) {
            let left = mask_word(left, width);
            let right = mask_word(if small { right % 70 } else { right }, width);
            if let Some(bits) = binary_word(op, width, left, right) {
                prop_assert_eq!(u128::from(bits), binary(op, width, u128::from(left), u128::from(right)));
            }
            if matches!(op, BinOp::Add | BinOp::Sub | BinOp::Mul) {
                let is_over = overflows(op, true, width, u128::from(left), u128::from(right));
                prop_assert_eq!(checked_word(op, width, left, right).is_none(), is_over);
            }
        }
    }
}
