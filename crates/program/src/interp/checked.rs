//! Operations that are undefined in C for some operands.

use super::Observer;
use super::arith;
use super::choice::truncate;
use super::exec::{Exec, Step};
use super::narrow::{View, sign_extend};
use super::unselected::WRAPS;
use super::value::Value;
use crate::{BinOp, Ty, ViolationKind};

impl<O: Observer + ?Sized> Exec<'_, '_, O> {
    pub(crate) fn checked(&mut self, op: BinOp, ty: Ty, left: Value, right: Value) -> Step<Value> {
        if let (Value::Bits(left), Value::Bits(right), Ty::Int(width @ 1..=64)) = (left, right, ty)
            && let Some(bits) = arith::checked_word(op, u32::from(width), left, right)
        {
            return Ok(Value::Bits(bits));
        }
        self.checked_slow(op, ty, left, right)
    }

    #[cold]
    fn checked_slow(&mut self, op: BinOp, ty: Ty, left: Value, right: Value) -> Step<Value> {
        let width = self.width(ty);
        match op {
            BinOp::Add | BinOp::Sub | BinOp::Mul => self.check_overflow(op, width, left, right)?,
            BinOp::SDiv | BinOp::SRem | BinOp::UDiv | BinOp::URem => {
                self.check_divisor(right, width)?;
                if matches!(op, BinOp::SDiv | BinOp::SRem) {
                    self.check_division_overflow(op, width, left, right)?;
                }
            }
            BinOp::Shl | BinOp::LShr | BinOp::AShr => {
                let right = self.check_shift(width, right)?;
                return self.binary_slow(op, ty, left, right);
            }
            BinOp::And | BinOp::Or | BinOp::Xor => {}
            BinOp::FAdd | BinOp::FSub | BinOp::FMul | BinOp::FDiv | BinOp::FRem => {}
        }
        self.binary_slow(op, ty, left, right)
    }

    fn overflow_message(&mut self, op: BinOp, width: u32, left: Value, right: Value) -> String {
        let show = |value: Value| match value {
            Value::Lazy(lazy) => self.witness(lazy, width, View::Signed).to_string(),
            value => value.bits().map_or("an address".into(), |bits| sign_extend(bits, width).to_string()),
        };
        format!("{} {} {} does not fit in {}", show(left), symbol(op), show(right), signed_type_name(width))
    }

    /// `Add`, `Sub`, `Mul` as signed.
    fn check_overflow(&mut self, op: BinOp, width: u32, left: Value, right: Value) -> Step {
        let is_over = self.overflows(op, View::Signed, Ty::Int(width as u8), left, right)?;
        if is_over == Value::Undef {
            return Err(self.indeterminate_operand());
        }
        if is_over == Value::Bits(1) {
            if self.looks_for(ViolationKind::Overflow) {
                let message = self.overflow_message(op, width, left, right);
                return Err(self.violation(ViolationKind::Overflow, message));
            }
            self.observer.note(WRAPS);
        }
        Ok(())
    }

    /// Whether signed arithmetic overflows depends on its operands, so an indeterminate one is a use.
    #[cold]
    pub(crate) fn indeterminate_operand(&mut self) -> Box<super::Stop> {
        self.violation(ViolationKind::Uninitialized, "an operand of signed arithmetic is indeterminate".into())
    }

    /// The smallest number divided by -1.
    fn check_division_overflow(&mut self, op: BinOp, width: u32, left: Value, right: Value) -> Step {
        if width > 64 {
            let is_over = left.bits() == Some(1 << (width - 1)) && right.bits() == Some(truncate(u128::MAX, width));
            if !is_over {
                return Ok(());
            }
        } else {
            let (min, _) = View::Signed.limits(width);
            let is = |exec: &Self, value: Value, number: i128| match value {
                Value::Lazy(lazy) => exec.lies_within(lazy, width, View::Signed, &[(number, number)]),
                value => Ok(value.bits().is_some_and(|bits| sign_extend(bits, width) == number)),
            };
            if !is(self, right, -1)? || !is(self, left, min)? {
                return Ok(());
            }
        }
        let message = self.overflow_message(op, width, left, right);
        // Processors divide at most 64 bits themselves.
        if width > 64 && !self.looks_for(ViolationKind::Overflow) {
            return Err(self.meaningless(ViolationKind::Overflow, &message));
        }
        Err(self.violation(ViolationKind::Overflow, message))
    }

    /// The amount of a shift: the operand, where it is in range.
    fn check_shift(&mut self, width: u32, amount: Value) -> Step<Value> {
        let number = match amount {
            Value::Lazy(lazy) if width <= 64 => {
                if self.lies_within(lazy, width, View::Signed, &[(0, i128::from(width) - 1)])? {
                    return Ok(amount);
                }
                self.witness(lazy, width, View::Signed)
            }
            amount => match self.int(amount, width)? {
                Some(bits) => sign_extend(bits, width),
                None => {
                    let message = "shift by an indeterminate amount".into();
                    return Err(self.violation(ViolationKind::Uninitialized, message));
                }
            },
        };
        if (0..i128::from(width)).contains(&number) {
            return Ok(amount);
        }
        if !self.looks_for(ViolationKind::InvalidShift) {
            return self.masked_amount(width, amount);
        }
        let message = format!("shift of a {width}-bit value by {number}");
        Err(self.violation(ViolationKind::InvalidShift, message))
    }

    /// Whether the exact result does not fit: an `Int(1)`.
    pub(crate) fn overflows(&mut self, op: BinOp, view: View, ty: Ty, left: Value, right: Value) -> Step<Value> {
        let width = self.width(ty);
        if left == Value::Undef || right == Value::Undef {
            return Ok(Value::Undef);
        }
        if width <= 64 && matches!((left, right), (Value::Lazy(_), _) | (_, Value::Lazy(_))) {
            return self.overflows_lazy(op, view, width, left, right);
        }
        let (left, right) = (self.int(left, width)?, self.int(right, width)?);
        let (Some(left), Some(right)) = (left, right) else { return Ok(Value::Undef) };
        Ok(Value::from_bool(arith::overflows(op, view == View::Signed, width, left, right)))
    }
}

fn symbol(op: BinOp) -> &'static str {
    match op {
        BinOp::Add | BinOp::FAdd => "+",
        BinOp::Sub | BinOp::FSub => "-",
        BinOp::Mul | BinOp::FMul => "*",
        BinOp::SDiv | BinOp::UDiv | BinOp::FDiv => "/",
        BinOp::SRem | BinOp::URem | BinOp::FRem => "%",
        BinOp::Shl => "<<",
        BinOp::LShr | BinOp::AShr => ">>",
        BinOp::And => "&",
        BinOp::Or => "|",
        BinOp::Xor => "^",
    }
}

pub(crate) fn signed_type_name(width: u32) -> String {
    match width {
        8 => "signed char (8 bits)".into(),
        16 => "short (16 bits)".into(),
        32 => "int (32 bits)".into(),
        64 => "long (64 bits)".into(),
        128 => "__int128 (128 bits)".into(),
        _ => format!("{width} bits"),
    }
}
