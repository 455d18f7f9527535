//! Dispatch of computations by the kinds of their operands.

use super::Observer;
use super::arith;
use super::checked::signed_type_name;
use super::choice::{ChoiceKind, truncate};
use super::exec::{Exec, Step};
use super::float;
use super::narrow::{View, holds, sign_extend};
use super::unselected::WRAPS;
use super::value::{Pointer, Value};
use crate::{BinOp, CastOp, CmpOp, Operand, Rvalue, Ty, UnOp, ViolationKind};

impl<O: Observer + ?Sized> Exec<'_, '_, O> {
    #[inline]
    pub(crate) fn rvalue(&mut self, rvalue: &Rvalue) -> Step<Value> {
        match *rvalue {
            Rvalue::Use(ref operand) => Ok(self.operand(operand)),
            Rvalue::Binary(op, ty, ref left, ref right) => {
                let (left, right) = (self.operand(left), self.operand(right));
                self.binary(op, ty, left, right)
            }
            Rvalue::Checked(op, ty, ref left, ref right) => {
                let (left, right) = (self.operand(left), self.operand(right));
                self.checked(op, ty, left, right)
            }
            Rvalue::Overflows { op, is_signed, ty, ref left, ref right } => {
                let (left, right) = (self.operand(left), self.operand(right));
                self.overflows(op, if is_signed { View::Signed } else { View::Unsigned }, ty, left, right)
            }
            Rvalue::Unary(op, ty, ref operand) => {
                let value = self.operand(operand);
                self.unary(op, ty, value)
            }
            Rvalue::Compare(op, ty, ref left, ref right) => {
                let (left, right) = (self.operand(left), self.operand(right));
                self.compare(op, ty, left, right)
            }
            Rvalue::Cast(op, from, to, ref operand) => {
                let value = self.operand(operand);
                self.cast(op, from, to, value)
            }
            Rvalue::PtrAdd { ref base, ref index, stride } => self.ptr_add(base, index, stride),
            Rvalue::PtrDiff { ref left, ref right, stride } => self.ptr_diff(left, right, stride),
            Rvalue::Select { ref cond, ref then, ref otherwise } => match self.operand(cond) {
                Value::Undef => Ok(Value::Undef),
                _ if self.condition(cond, "a condition")? => Ok(self.operand(then)),
                _ => Ok(self.operand(otherwise)),
            },
        }
    }

    /// The address of a pointer as a number. Real addresses differ from run to run; ours are one possibility, which
    /// is noted as an assumption.
    fn address(&mut self, pointer: Pointer) -> Step<u64> {
        if pointer.object != 0 {
            self.observer.note("the program computes with addresses: objects lie where unpick puts them");
        }
        if self.machine.options.asks_addresses
            && let Some(room) = self.state.memory.room(pointer)
        {
            let kind = ChoiceKind::Address { object: pointer.at(0), room };
            let label = format!("the address of {}", self.describe_object(pointer));
            return Err(self.choice(kind, u128::from(u64::MAX), label, self.loc()));
        }
        Ok(self.state.memory.expose(pointer))
    }

    /// The bits of a value of this width: inputs are enumerated, pointers show their address. `None` if
    /// indeterminate.
    pub(crate) fn int(&mut self, value: Value, width: u32) -> Step<Option<u128>> {
        match value {
            Value::Bits(bits) => Ok(Some(u128::from(bits))),
            Value::Wide(_) => Ok(value.bits()),
            Value::Undef => Ok(None),
            Value::Ptr(pointer) => Ok(Some(truncate(u128::from(self.address(pointer)?), width))),
            Value::Fragment { pointer, byte } => Ok(Some(u128::from(self.address(pointer)? >> (8 * byte) & 0xff))),
            Value::Lazy(lazy) => match self.state.settle(lazy, width) {
                Value::Lazy(lazy) => Err(self.enumerate(lazy)),
                settled => Ok(settled.bits()),
            },
        }
    }

    pub(crate) fn binary(&mut self, op: BinOp, ty: Ty, left: Value, right: Value) -> Step<Value> {
        if let (Value::Bits(left), Value::Bits(right), Ty::Int(width @ 1..=64)) = (left, right, ty)
            && let Some(bits) = arith::binary_word(op, u32::from(width), left, right)
        {
            return Ok(Value::Bits(bits));
        }
        if let (Value::Bits(left), Value::Bits(right), Ty::F32 | Ty::F64) = (left, right, ty)
            && let Some(bits) = float::binary(op, ty, u128::from(left), u128::from(right))
        {
            return Ok(Value::Bits(bits as u64));
        }
        self.binary_slow(op, ty, left, right)
    }

    #[cold]
    pub(crate) fn binary_slow(&mut self, op: BinOp, ty: Ty, left: Value, right: Value) -> Step<Value> {
        let width = self.width(ty);
        if matches!(op, BinOp::SDiv | BinOp::UDiv | BinOp::SRem | BinOp::URem) {
            self.check_divisor(right, width)?;
        }
        if left == Value::Undef || right == Value::Undef {
            return Ok(Value::Undef);
        }
        let Ty::Int(_) = ty else {
            let (left, right) = (self.int(left, width)?, self.int(right, width)?);
            let (Some(left), Some(right)) = (left, right) else { return Ok(Value::Undef) };
            return match float::binary(op, ty, left, right) {
                Some(bits) => Ok(Value::from_bits(width, bits)),
                None => Err(self.unmodelled(format!("{op:?} on {ty:?}"))),
            };
        };
        if let Some(value) = self.pointer_arithmetic(op, width, left, right) {
            return Ok(value);
        }
        if width <= 64 && matches!((left, right), (Value::Lazy(_), _) | (_, Value::Lazy(_))) {
            return self.binary_lazy(op, width, left, right);
        }
        let (left, right) = (self.int(left, width)?, self.int(right, width)?);
        let (Some(left), Some(right)) = (left, right) else { return Ok(Value::Undef) };
        Ok(Value::from_bits(width, arith::binary(op, width, left, right)))
    }

    /// A division has no result for an indeterminate divisor or zero.
    pub(crate) fn check_divisor(&mut self, right: Value, width: u32) -> Step {
        let is_zero = match right {
            Value::Lazy(lazy) => self.lies_within(lazy, width, View::Unsigned, &[(0, 0)])?,
            Value::Undef => {
                return Err(self.violation(ViolationKind::Uninitialized, "division by an indeterminate value".into()));
            }
            right => right.bits() == Some(0),
        };
        if is_zero { Err(self.violation(ViolationKind::DivisionByZero, "division by zero".into())) } else { Ok(()) }
    }

    /// Arithmetic on an integer that holds a pointer, where the result can hold it too (or does not depend on the
    /// address).
    fn pointer_arithmetic(&mut self, op: BinOp, width: u32, left: Value, right: Value) -> Option<Value> {
        let (pointer, other) = match (left, right) {
            (Value::Ptr(left), Value::Ptr(right)) if op == BinOp::Sub && left.same_object(right) => {
                let difference = left.offset.wrapping_sub(right.offset);
                return Some(Value::Bits(truncate(difference as u128, width) as u64));
            }
            (Value::Ptr(pointer), Value::Bits(bits)) => (pointer, bits),
            (Value::Bits(bits), Value::Ptr(pointer)) if op != BinOp::Sub => (pointer, bits),
            (_, _) => return None,
        };
        if pointer.object == 0 {
            return None;
        }
        // The address is a multiple of this, so the bits below are those of the offset.
        let align = self.state.object(pointer).map_or(16, |object| object.align.max(16));
        let low = pointer.offset as u64 & (align - 1);
        let with_low = |bits: u64| Some(Value::Ptr(pointer.at((pointer.offset as u64 - low + bits) as i64)));
        let number = sign_extend(u128::from(other), width) as i64;
        match op {
            BinOp::Add => Some(Value::Ptr(pointer.at(pointer.offset.wrapping_add(number)))),
            BinOp::Sub => Some(Value::Ptr(pointer.at(pointer.offset.wrapping_sub(number)))),
            BinOp::And if other < align => Some(Value::Bits(low & other)),
            BinOp::And if truncate(!u128::from(other), width) < u128::from(align) => with_low(low & other),
            BinOp::Or if other < align => with_low(low | other),
            BinOp::Xor if other < align => with_low(low ^ other),
            BinOp::URem if other.is_power_of_two() && other <= align => Some(Value::Bits(low & (other - 1))),
            BinOp::And | BinOp::Or | BinOp::Xor | BinOp::Mul | BinOp::Shl | BinOp::LShr | BinOp::AShr => None,
            BinOp::SDiv | BinOp::UDiv | BinOp::SRem | BinOp::URem => None,
            BinOp::FAdd | BinOp::FSub | BinOp::FMul | BinOp::FDiv | BinOp::FRem => None,
        }
    }

    pub(crate) fn unary(&mut self, op: UnOp, ty: Ty, value: Value) -> Step<Value> {
        let width = self.width(ty);
        match (op, value) {
            (UnOp::NegChecked, Value::Undef) => return Err(self.indeterminate_operand()),
            (_, Value::Undef) => return Ok(Value::Undef),
            (UnOp::Neg, Value::Lazy(lazy)) if width <= 64 => return self.affine_bits(lazy, -1, 0, width),
            (UnOp::Not, Value::Lazy(lazy)) if width <= 64 => return self.affine_bits(lazy, -1, -1, width),
            (UnOp::NegChecked, _) => {
                let zero = Value::from_bits(width, 0);
                let is_over = self.overflows(BinOp::Sub, View::Signed, ty, zero, value)?;
                if is_over == Value::Bits(1) && !self.looks_for(ViolationKind::Overflow) {
                    self.observer.note(WRAPS);
                } else if is_over == Value::Bits(1) {
                    let (min, _) = View::Signed.limits(width.min(127));
                    let message = format!("-({min}) does not fit in {}", signed_type_name(width));
                    return Err(self.violation(ViolationKind::Overflow, message));
                }
                return self.unary(UnOp::Neg, ty, value);
            }
            (_, _) => {}
        }
        let Some(bits) = self.int(value, width)? else { return Ok(Value::Undef) };
        let result = match ty {
            Ty::Int(_) => arith::unary(op, width, bits),
            Ty::F32 | Ty::F64 | Ty::F80 | Ty::F128 | Ty::Ptr => float::unary(op, ty, bits),
        };
        match result {
            Some(bits) => Ok(Value::from_bits(width, bits)),
            None => Err(self.unmodelled(format!("{op:?} on {ty:?}"))),
        }
    }

    pub(crate) fn compare(&mut self, op: CmpOp, ty: Ty, left: Value, right: Value) -> Step<Value> {
        if let (Value::Bits(left), Value::Bits(right), Ty::Int(width)) = (left, right, ty) {
            return Ok(Value::from_bool(arith::compare_word(op, u32::from(width), left, right)));
        }
        self.compare_slow(op, ty, left, right)
    }

    fn compare_slow(&mut self, op: CmpOp, ty: Ty, left: Value, right: Value) -> Step<Value> {
        if left == Value::Undef || right == Value::Undef {
            return Ok(Value::Undef);
        }
        if let Ty::Ptr = ty {
            let (left, right) = (self.as_pointer(left)?, self.as_pointer(right)?);
            return Ok(Value::from_bool(self.compare_pointers(op, left, right)?));
        }
        if let (Value::Ptr(left), Value::Ptr(right)) = (left, right)
            && matches!(ty, Ty::Int(_))
            && left.same_object(right)
            && left.object != 0
        {
            return Ok(Value::from_bool(holds(op, left.offset.cmp(&right.offset))));
        }
        if let (CmpOp::Eq | CmpOp::Ne, Value::Ptr(pointer), Value::Bits(0))
        | (CmpOp::Eq | CmpOp::Ne, Value::Bits(0), Value::Ptr(pointer)) = (op, left, right)
            && pointer.object != 0
        {
            return Ok(Value::from_bool(op == CmpOp::Ne));
        }
        let width = self.width(ty);
        if width <= 64 && matches!(ty, Ty::Int(_)) && matches!((left, right), (Value::Lazy(_), _) | (_, Value::Lazy(_)))
        {
            return self.compare_lazy(op, width, left, right);
        }
        let (left, right) = (self.int(left, width)?, self.int(right, width)?);
        let (Some(left), Some(right)) = (left, right) else { return Ok(Value::Undef) };
        let result = match ty {
            Ty::Int(_) => arith::compare(op, width, left, right),
            Ty::F32 | Ty::F64 | Ty::F80 | Ty::F128 | Ty::Ptr => float::compare(op, ty, left, right),
        };
        Ok(Value::from_bool(result))
    }

    fn compare_pointers(&mut self, op: CmpOp, left: Pointer, right: Pointer) -> Step<bool> {
        if left.same_object(right) {
            if left.object == 0 {
                return Ok(holds(op, (left.offset as u64).cmp(&(right.offset as u64))));
            }
            return Ok(holds(op, left.offset.cmp(&right.offset)));
        }
        if let CmpOp::Eq | CmpOp::Ne = op {
            // Only a number that happens to be the address of an object that has shown it can be equal.
            let is_equal = match (left.object, right.object) {
                (0, _) if left.offset != 0 => self.address(right)? == left.offset as u64,
                (_, 0) if right.offset != 0 => self.address(left)? == right.offset as u64,
                (_, _) => false,
            };
            return Ok(is_equal == (op == CmpOp::Eq));
        }
        if !self.looks_for(ViolationKind::OutOfBounds) {
            let (left, right) = (self.address(left)?, self.address(right)?);
            return Ok(holds(op, left.cmp(&right)));
        }
        let (left, right) = (self.describe_object(left), self.describe_object(right));
        let message = format!("pointers into different objects are compared: {left} and {right}");
        Err(self.violation(ViolationKind::OutOfBounds, message))
    }

    pub(crate) fn cast(&mut self, op: CastOp, from: Ty, to: Ty, value: Value) -> Step<Value> {
        if let (Value::Bits(bits), Ty::Int(from @ 1..=64), Ty::Int(to @ 1..=64)) = (value, from, to) {
            let extended = if op == CastOp::SignExtend { arith::sign_word(bits, u32::from(from)) as u64 } else { bits };
            return Ok(Value::Bits(arith::mask_word(extended, u32::from(to))));
        }
        self.cast_slow(op, from, to, value)
    }

    fn cast_slow(&mut self, op: CastOp, from: Ty, to: Ty, value: Value) -> Step<Value> {
        let (from_width, to_width) = (self.width(from), self.width(to));
        match (op, value) {
            (_, Value::Undef) => return Ok(Value::Undef),
            (CastOp::PtrToInt, Value::Ptr(pointer)) if from_width == to_width => {
                return Ok(match pointer.object {
                    0 => Value::Bits(truncate(pointer.offset as u128, to_width) as u64),
                    _ => value,
                });
            }
            (CastOp::IntToPtr, value) if from_width == to_width => return Ok(Value::Ptr(self.as_pointer(value)?)),
            (CastOp::Bitcast, value) if !matches!(to, Ty::Ptr) => return Ok(value),
            (CastOp::ZeroExtend, Value::Lazy(lazy)) if to_width <= 64 => {
                return Ok(Value::Lazy(self.normalise(lazy, from_width, View::Unsigned)?));
            }
            (CastOp::SignExtend, Value::Lazy(lazy)) if to_width <= 64 => {
                return Ok(Value::Lazy(self.normalise(lazy, from_width, View::Signed)?));
            }
            (CastOp::Truncate, Value::Lazy(lazy)) if from_width <= 64 => return Ok(Value::Lazy(lazy)),
            (_, _) => {}
        }
        let Some(bits) = self.int(value, from_width)? else { return Ok(Value::Undef) };
        let bits = match op {
            CastOp::ZeroExtend | CastOp::PtrToInt | CastOp::Bitcast => truncate(bits, to_width),
            CastOp::Truncate => truncate(bits, to_width),
            CastOp::SignExtend => truncate(sign_extend(bits, from_width) as u128, to_width),
            CastOp::IntToPtr => {
                return Ok(Value::Ptr(self.as_pointer(Value::Bits(truncate(bits, to_width) as u64))?));
            }
            CastOp::SignedToFloat => float::from_int(to, sign_extend(bits, from_width)),
            CastOp::UnsignedToFloat => float::from_uint(to, bits),
            CastOp::FloatToFloat => float::convert(from, to, bits),
            CastOp::FloatToSigned | CastOp::FloatToUnsigned => {
                let is_signed = op == CastOp::FloatToSigned;
                match float::to_int(from, bits, to_width, is_signed) {
                    Some(bits) => bits,
                    None if !self.looks_for(ViolationKind::Overflow) => {
                        self.converted(from, bits, to_width, is_signed)?
                    }
                    None => {
                        let sign = if is_signed { "" } else { "unsigned " };
                        let number = float::display(from, bits);
                        let message = format!("{number} does not fit in an {sign}integer of {to_width} bits");
                        return Err(self.violation(ViolationKind::Overflow, message));
                    }
                }
            }
        };
        if to == Ty::Ptr {
            return Ok(Value::Ptr(self.as_pointer(Value::Bits(bits as u64))?));
        }
        Ok(Value::from_bits(to_width, bits))
    }

    fn ptr_add(&mut self, base: &Operand, index: &Operand, stride: i64) -> Step<Value> {
        let (base, index) = (self.operand(base), self.operand(index));
        if let (Value::Ptr(pointer), Value::Bits(bits)) = (base, index)
            && !self.state.memory.is_32_bit
        {
            let delta = (bits as i64).wrapping_mul(stride);
            return Ok(Value::Ptr(pointer.at(pointer.offset.wrapping_add(delta))));
        }
        if base == Value::Undef || index == Value::Undef {
            return Ok(Value::Undef);
        }
        let width = self.width(Ty::Ptr);
        let pointer = self.as_pointer(base)?;
        let Some(bits) = self.int(index, width)? else { return Ok(Value::Undef) };
        let delta = (sign_extend(bits, width) as i64).wrapping_mul(stride);
        let offset = pointer.offset.wrapping_add(delta);
        let offset = if pointer.object == 0 && width == 32 { offset & 0xffff_ffff } else { offset };
        Ok(Value::Ptr(pointer.at(offset)))
    }

    fn ptr_diff(&mut self, left: &Operand, right: &Operand, stride: u64) -> Step<Value> {
        let (left, right) = (self.operand(left), self.operand(right));
        if left == Value::Undef || right == Value::Undef {
            return Ok(Value::Undef);
        }
        let (left, right) = (self.as_pointer(left)?, self.as_pointer(right)?);
        let width = self.width(Ty::Ptr);
        let bytes = if left.same_object(right) {
            left.offset.wrapping_sub(right.offset)
        } else if self.looks_for(ViolationKind::OutOfBounds) {
            let (left, right) = (self.describe_object(left), self.describe_object(right));
            let message = format!("pointers into different objects are subtracted: {left} and {right}");
            return Err(self.violation(ViolationKind::OutOfBounds, message));
        } else {
            self.address(left)?.wrapping_sub(self.address(right)?) as i64
        };
        Ok(Value::Bits(truncate((bytes / stride.max(1) as i64) as u128, width) as u64))
    }
}
