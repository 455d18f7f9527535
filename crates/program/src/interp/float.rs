//! Floating-point arithmetic on bit patterns: the machine's own for `float` and `double`, exact software for the wider
//! formats.

use std::cmp::Ordering;

use rustc_apfloat::ieee::{Double, Quad, Single, X87DoubleExtended};
use rustc_apfloat::{Float, FloatConvert, Round, Status};

use crate::{BinOp, CmpOp, Ty, UnOp};

/// `None` for integer operations and for types that are not floating.
pub(crate) fn binary(op: BinOp, ty: Ty, left: u128, right: u128) -> Option<u128> {
    match ty {
        Ty::F32 => {
            let (left, right) = (f32::from_bits(left as u32), f32::from_bits(right as u32));
            Some(u128::from(binary_native(op, left, right)?.to_bits()))
        }
        Ty::F64 => {
            let (left, right) = (f64::from_bits(left as u64), f64::from_bits(right as u64));
            Some(u128::from(binary_native(op, left, right)?.to_bits()))
        }
        Ty::F80 => binary_soft::<X87DoubleExtended>(op, left, right),
        Ty::F128 => binary_soft::<Quad>(op, left, right),
        Ty::Int(_) | Ty::Ptr => None,
    }
}

fn binary_native<F>(op: BinOp, left: F, right: F) -> Option<F>
where
    F: std::ops::Add<Output = F>
        + std::ops::Sub<Output = F>
        + std::ops::Mul<Output = F>
        + std::ops::Div<Output = F>
        + std::ops::Rem<Output = F>,
{
    match op {
        BinOp::FAdd => Some(left + right),
        BinOp::FSub => Some(left - right),
        BinOp::FMul => Some(left * right),
        BinOp::FDiv => Some(left / right),
        BinOp::FRem => Some(left % right),
        BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::SDiv | BinOp::UDiv | BinOp::SRem | BinOp::URem => None,
        BinOp::Shl | BinOp::LShr | BinOp::AShr | BinOp::And | BinOp::Or | BinOp::Xor => None,
    }
}

fn binary_soft<F: Float>(op: BinOp, left: u128, right: u128) -> Option<u128> {
    let (left, right) = (F::from_bits(left), F::from_bits(right));
    let result = match op {
        BinOp::FAdd => left.add_r(right, Round::NearestTiesToEven).value,
        BinOp::FSub => left.sub_r(right, Round::NearestTiesToEven).value,
        BinOp::FMul => left.mul_r(right, Round::NearestTiesToEven).value,
        BinOp::FDiv => left.div_r(right, Round::NearestTiesToEven).value,
        BinOp::FRem => left.c_fmod(right).value,
        BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::SDiv | BinOp::UDiv | BinOp::SRem | BinOp::URem => return None,
        BinOp::Shl | BinOp::LShr | BinOp::AShr | BinOp::And | BinOp::Or | BinOp::Xor => return None,
    };
    Some(result.to_bits())
}

/// `None` for integer operations, types that are not floating, and roots of wide formats.
pub(crate) fn unary(op: UnOp, ty: Ty, bits: u128) -> Option<u128> {
    // The sign bit is the topmost of each format; negation and magnitude touch nothing else, NaN or not.
    let sign = 1 << (super::exec::width(ty, 8) - 1);
    match op {
        UnOp::FNeg => return Some(bits ^ sign),
        UnOp::FAbs => return Some(bits & !sign),
        UnOp::FSqrt | UnOp::FFloor | UnOp::FCeil | UnOp::FTrunc | UnOp::FRound | UnOp::FRint => {}
        UnOp::Neg | UnOp::NegChecked | UnOp::Not | UnOp::Clz | UnOp::Ctz | UnOp::Popcount | UnOp::Bswap => return None,
    }
    match ty {
        Ty::F32 => {
            let value = f32::from_bits(bits as u32);
            let result = match op {
                UnOp::FSqrt => value.sqrt(),
                UnOp::FFloor => value.floor(),
                UnOp::FCeil => value.ceil(),
                UnOp::FTrunc => value.trunc(),
                UnOp::FRound => value.round(),
                _ => value.round_ties_even(),
            };
            Some(u128::from(result.to_bits()))
        }
        Ty::F64 => {
            let value = f64::from_bits(bits as u64);
            let result = match op {
                UnOp::FSqrt => value.sqrt(),
                UnOp::FFloor => value.floor(),
                UnOp::FCeil => value.ceil(),
                UnOp::FTrunc => value.trunc(),
                UnOp::FRound => value.round(),
                _ => value.round_ties_even(),
            };
            Some(u128::from(result.to_bits()))
        }
        Ty::F80 if op == UnOp::FSqrt => Some(extended_root(bits)),
        Ty::F80 => round_soft::<X87DoubleExtended>(op, bits),
        Ty::F128 => round_soft::<Quad>(op, bits),
        Ty::Int(_) | Ty::Ptr => None,
    }
}

/// The square root of an x87 extended number, rounded to nearest: an integer root of the significand, shifted so
/// that the exponent is even and the root has 64 bits.
fn extended_root(bits: u128) -> u128 {
    let value = X87DoubleExtended::from_bits(bits);
    if value.is_nan() || value.is_zero() || value.is_pos_infinity() {
        return bits;
    }
    if value.is_negative() {
        return X87DoubleExtended::qnan(None).to_bits() | 1 << 79;
    }
    let significand = bits as u64;
    let shift = significand.leading_zeros();
    // value = significand * 2^exponent
    let exponent = ((bits >> 64) as i32 & 0x7fff).max(1) - 16383 - 63 - shift as i32;
    let significand = u128::from(significand << shift);
    let (wide, exponent) =
        if exponent % 2 == 0 { (significand << 64, exponent - 64) } else { (significand << 63, exponent - 63) };
    let root = wide.isqrt();
    // (root + 1/2)^2 = root^2 + root + 1/4, so the remainder decides without a tie.
    let rounded = if wide - root * root > root { root + 1 } else { root };
    X87DoubleExtended::from_u128(rounded).value.scalbn(exponent / 2).to_bits()
}

fn round_soft<F: Float>(op: UnOp, bits: u128) -> Option<u128> {
    let round = match op {
        UnOp::FFloor => Round::TowardNegative,
        UnOp::FCeil => Round::TowardPositive,
        UnOp::FTrunc => Round::TowardZero,
        UnOp::FRound => Round::NearestTiesToAway,
        UnOp::FRint => Round::NearestTiesToEven,
        UnOp::FSqrt | UnOp::FNeg | UnOp::FAbs => return None,
        UnOp::Neg | UnOp::NegChecked | UnOp::Not | UnOp::Clz | UnOp::Ctz | UnOp::Popcount | UnOp::Bswap => return None,
    };
    Some(F::from_bits(bits).round_to_integral(round).value.to_bits())
}

/// Integer comparisons do not hold.
pub(crate) fn compare(op: CmpOp, ty: Ty, left: u128, right: u128) -> bool {
    let ordering = match ty {
        Ty::F32 => f32::from_bits(left as u32).partial_cmp(&f32::from_bits(right as u32)),
        Ty::F64 => f64::from_bits(left as u64).partial_cmp(&f64::from_bits(right as u64)),
        Ty::F80 => X87DoubleExtended::from_bits(left).partial_cmp(&X87DoubleExtended::from_bits(right)),
        Ty::F128 => Quad::from_bits(left).partial_cmp(&Quad::from_bits(right)),
        Ty::Int(_) | Ty::Ptr => None,
    };
    match op {
        CmpOp::FEq => ordering == Some(Ordering::Equal),
        CmpOp::FNe => ordering != Some(Ordering::Equal),
        CmpOp::FLt => ordering == Some(Ordering::Less),
        CmpOp::FLe => matches!(ordering, Some(Ordering::Less | Ordering::Equal)),
        CmpOp::FGt => ordering == Some(Ordering::Greater),
        CmpOp::FGe => matches!(ordering, Some(Ordering::Greater | Ordering::Equal)),
        CmpOp::FUno => ordering.is_none(),
        CmpOp::Eq | CmpOp::Ne | CmpOp::SLt | CmpOp::SLe | CmpOp::SGt | CmpOp::SGe => false,
        CmpOp::ULt | CmpOp::ULe | CmpOp::UGt | CmpOp::UGe => false,
    }
}

pub(crate) fn from_int(to: Ty, number: i128) -> u128 {
    match to {
        Ty::F32 => u128::from((number as f32).to_bits()),
        Ty::F64 => u128::from((number as f64).to_bits()),
        Ty::F80 => X87DoubleExtended::from_i128(number).value.to_bits(),
        Ty::F128 => Quad::from_i128(number).value.to_bits(),
        Ty::Int(_) | Ty::Ptr => number as u128,
    }
}

pub(crate) fn from_uint(to: Ty, number: u128) -> u128 {
    match to {
        Ty::F32 => u128::from((number as f32).to_bits()),
        Ty::F64 => u128::from((number as f64).to_bits()),
        Ty::F80 => X87DoubleExtended::from_u128(number).value.to_bits(),
        Ty::F128 => Quad::from_u128(number).value.to_bits(),
        Ty::Int(_) | Ty::Ptr => number,
    }
}

/// The integer part; `None` if it does not fit the width.
pub(crate) fn to_int(from: Ty, bits: u128, width: u32, is_signed: bool) -> Option<u128> {
    match from {
        Ty::F32 => to_int_soft(Single::from_bits(bits), width, is_signed),
        Ty::F64 => to_int_soft(Double::from_bits(bits), width, is_signed),
        Ty::F80 => to_int_soft(X87DoubleExtended::from_bits(bits), width, is_signed),
        Ty::F128 => to_int_soft(Quad::from_bits(bits), width, is_signed),
        Ty::Int(_) | Ty::Ptr => Some(bits),
    }
}

/// Whether a value is 2^63 or more.
pub(crate) fn is_large(from: Ty, bits: u128) -> bool {
    let is_negative = bits >> (super::exec::width(from, 8) - 1) & 1 == 1;
    !is_negative && !compare(crate::CmpOp::FUno, from, bits, bits) && to_int(from, bits, 64, true).is_none()
}

fn to_int_soft<F: Float>(value: F, width: u32, is_signed: bool) -> Option<u128> {
    if is_signed {
        let result = value.to_i128(width as usize);
        (!result.status.contains(Status::INVALID_OP)).then(|| super::choice::truncate(result.value as u128, width))
    } else {
        let result = value.to_u128(width as usize);
        (!result.status.contains(Status::INVALID_OP)).then_some(result.value)
    }
}

pub(crate) fn convert(from: Ty, to: Ty, bits: u128) -> u128 {
    match (from, to) {
        (Ty::F32, Ty::F64) => u128::from(f64::from(f32::from_bits(bits as u32)).to_bits()),
        (Ty::F64, Ty::F32) => u128::from((f64::from_bits(bits as u64) as f32).to_bits()),
        (Ty::F32, _) => convert_soft(Single::from_bits(bits), to, bits),
        (Ty::F64, _) => convert_soft(Double::from_bits(bits), to, bits),
        (Ty::F80, _) => convert_soft(X87DoubleExtended::from_bits(bits), to, bits),
        (Ty::F128, _) => convert_soft(Quad::from_bits(bits), to, bits),
        (Ty::Int(_) | Ty::Ptr, _) => bits,
    }
}

fn convert_soft<F>(value: F, to: Ty, bits: u128) -> u128
where
    F: FloatConvert<Single> + FloatConvert<Double> + FloatConvert<X87DoubleExtended> + FloatConvert<Quad>,
{
    let mut loses = false;
    match to {
        Ty::F32 => FloatConvert::<Single>::convert(value, &mut loses).value.to_bits(),
        Ty::F64 => FloatConvert::<Double>::convert(value, &mut loses).value.to_bits(),
        Ty::F80 => FloatConvert::<X87DoubleExtended>::convert(value, &mut loses).value.to_bits(),
        Ty::F128 => FloatConvert::<Quad>::convert(value, &mut loses).value.to_bits(),
        Ty::Int(_) | Ty::Ptr => bits,
    }
}

/// The number as people write it.
pub(crate) fn display(ty: Ty, bits: u128) -> String {
    match ty {
        Ty::F32 => format!("{:?}", f32::from_bits(bits as u32)),
        Ty::F64 => format!("{:?}", f64::from_bits(bits as u64)),
        Ty::F80 => X87DoubleExtended::from_bits(bits).to_string(),
        Ty::F128 => Quad::from_bits(bits).to_string(),
        Ty::Int(_) | Ty::Ptr => bits.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_formats_keep_more_digits() {
        let third = |ty| binary(BinOp::FDiv, ty, from_int(ty, 1), from_int(ty, 3)).expect("a floating type");
        let narrowed = convert(Ty::F80, Ty::F64, third(Ty::F80));
        assert_eq!(narrowed, u128::from((1.0f64 / 3.0).to_bits()));
        assert_ne!(convert(Ty::F64, Ty::F80, narrowed), third(Ty::F80));
    }

    #[test]
    fn roots_of_wide_numbers_are_as_exact_as_they_can_be() {
        for number in [1i128, 2, 3, 4, 10, 144, 1 << 40, (1 << 62) + 1, 999_999_999_999_999_999] {
            let bits = from_int(Ty::F80, number);
            let root = unary(UnOp::FSqrt, Ty::F80, bits).expect("a floating type");
            assert_eq!(convert(Ty::F80, Ty::F64, root), u128::from((number as f64).sqrt().to_bits()), "{number}");
        }
        let root = unary(UnOp::FSqrt, Ty::F80, from_int(Ty::F80, 144)).expect("a floating type");
        assert_eq!(root, from_int(Ty::F80, 12));
    }

    #[test]
    fn conversions_to_integers_know_their_limits() {
        let bits = |value: f64| u128::from(value.to_bits());
        assert_eq!(to_int(Ty::F64, bits(-1.9), 32, true), Some(0xffff_ffff));
        assert_eq!(to_int(Ty::F64, bits(2_147_483_648.0), 32, true), None);
        assert_eq!(to_int(Ty::F64, bits(2_147_483_647.5), 32, true), Some(0x7fff_ffff));
        assert_eq!(to_int(Ty::F64, bits(-0.5), 32, false), Some(0));
        assert_eq!(to_int(Ty::F64, bits(f64::NAN), 64, true), None);
    }
}
