//! Built-in functions that are constant for constant arguments.

use super::{ConstValue, Evaluator, float};
use crate::ast::ExprId;
use crate::builtin::Builtin;
use crate::types::{IntKind, TyId, wrap_bits};

impl Evaluator<'_> {
    pub(super) fn builtin(&mut self, builtin: Builtin, args: &[ExprId], ty: TyId) -> Option<ConstValue> {
        let first = *args.first()?;
        match builtin {
            Builtin::First => self.value(first),
            Builtin::Clz
            | Builtin::Ctz
            | Builtin::Ffs
            | Builtin::Popcount
            | Builtin::Parity
            | Builtin::Clrsb
            | Builtin::Bswap16
            | Builtin::Bswap32
            | Builtin::Bswap64
            | Builtin::Bswap128 => {
                let ConstValue::Int(value) = self.value(first)? else { return None };
                let kind = self.view.types.int_kind_of(self.view.exprs[first].ty.ty)?;
                let bits = kind.bits(self.view.types.target);
                count_bits(builtin, value, bits).map(|value| self.wrap(value, ty))
            }
            Builtin::AddOverflowP | Builtin::SubOverflowP | Builtin::MulOverflowP => self.overflow_p(builtin, args),
            Builtin::IsNan
            | Builtin::IsInf
            | Builtin::IsInfSign
            | Builtin::IsFinite
            | Builtin::IsNormal
            | Builtin::Signbit
            | Builtin::Fabs => {
                let ConstValue::Float { kind, bits } = self.value(first)? else { return None };
                let result = match builtin {
                    Builtin::IsNan => float::is_nan(kind, bits).into(),
                    Builtin::IsInf => float::is_infinite(kind, bits).into(),
                    Builtin::IsInfSign => {
                        let sign = if float::is_negative(kind, bits) { -1 } else { 1 };
                        if float::is_infinite(kind, bits) { sign } else { 0 }
                    }
                    Builtin::IsFinite => (!float::is_nan(kind, bits) && !float::is_infinite(kind, bits)).into(),
                    Builtin::IsNormal => float::is_normal(kind, bits).into(),
                    Builtin::Signbit => float::is_negative(kind, bits).into(),
                    _ => return Some(ConstValue::Float { kind, bits: float::abs(kind, bits) }),
                };
                Some(ConstValue::Int(result))
            }
            Builtin::AtomicIsLockFree => {
                let ConstValue::Int(bytes) = self.value(first)? else { return None };
                Some(ConstValue::Int(matches!(bytes, 1 | 2 | 4 | 8).into()))
            }
            Builtin::Copysign => {
                let ConstValue::Float { kind, bits } = self.value(first)? else { return None };
                let ConstValue::Float { bits: sign, .. } = self.value(*args.get(1)?)? else { return None };
                Some(ConstValue::Float { kind, bits: float::copy_sign(kind, bits, sign) })
            }
            _ => None,
        }
    }

    fn overflow_p(&mut self, builtin: Builtin, args: &[ExprId]) -> Option<ConstValue> {
        let &[left, right, result] = args else { return None };
        let (ConstValue::Int(a), ConstValue::Int(b)) = (self.value(left)?, self.value(right)?) else { return None };
        let is_wide = |expr: ExprId| self.view.types.int_kind_of(self.view.exprs[expr].ty.ty) == Some(IntKind::UInt128);
        if is_wide(left) || is_wide(right) {
            return None;
        }
        let kind = self.view.types.int_kind_of(self.view.exprs[result].ty.ty)?;
        let exact = match builtin {
            Builtin::AddOverflowP => a.checked_add(b),
            Builtin::SubOverflowP => a.checked_sub(b),
            _ => a.checked_mul(b),
        };
        let fits = exact.is_some_and(|value| kind.contains(value, self.view.types.target));
        Some(ConstValue::Int((!fits).into()))
    }
}

/// Bit counting and byte swaps on the low `bits` of `value`; `None` where the result is undefined.
fn count_bits(builtin: Builtin, value: i128, bits: u32) -> Option<i128> {
    let low = wrap_bits(value, bits, false) as u128;
    Some(match builtin {
        Builtin::Clz if low != 0 => (low.leading_zeros() - (128 - bits)).into(),
        Builtin::Ctz if low != 0 => low.trailing_zeros().into(),
        Builtin::Ffs if low == 0 => 0,
        Builtin::Ffs => i128::from(low.trailing_zeros()) + 1,
        Builtin::Popcount => low.count_ones().into(),
        Builtin::Parity => (low.count_ones() & 1).into(),
        Builtin::Clrsb => {
            let signed = wrap_bits(value, bits, true);
            let same = if signed < 0 { (!signed).leading_zeros() } else { signed.leading_zeros() };
            i128::from(same) - i128::from(128 - bits) - 1
        }
        Builtin::Bswap16 => (low as u16).swap_bytes().into(),
        Builtin::Bswap32 => (low as u32).swap_bytes().into(),
        Builtin::Bswap64 => (low as u64).swap_bytes().into(),
        Builtin::Bswap128 => low.swap_bytes() as i128,
        _ => return None,
    })
}
