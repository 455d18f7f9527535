//! Computations on values at hand: integers; what becomes of pointers is in `pointers.rs`.

use unpick_program::{Address, BinOp, CastOp, CmpOp, Operand, Rvalue, Ty, UnOp, ViolationKind};
use unpick_term::{Signedness, Term};

use crate::content::number_of;
use crate::goals::Step;
use crate::state::State;
use crate::symex::Symex;
use crate::value::{Base, Offset, Value};

/// What an integer would have to be an address for.
pub(crate) const ADDRESSES: &str = "computing with addresses as numbers";

impl Symex<'_> {
    /// Bits of a type.
    pub(crate) fn width(&self, ty: Ty) -> u32 {
        match ty {
            Ty::Int(width) => u32::from(width),
            Ty::F32 => 32,
            Ty::F64 => 64,
            Ty::F80 => 80,
            Ty::F128 => 128,
            Ty::Ptr => u32::from(self.program.pointer_bytes) * 8,
        }
    }

    /// A constant address.
    pub(crate) fn address(&mut self, address: Address) -> Value {
        let (base, offset) = match address {
            Address::Global(global, offset) => (Base::Object(Self::global(global)), offset),
            Address::Func(function) => (Base::Function(function), 0),
            Address::Label(function, block) => (Base::Function(function), 1 + i64::from(block.0)),
        };
        let offset = Offset::constant(&mut self.terms, offset);
        Value::pointer(base, offset)
    }

    /// The null pointer.
    pub(crate) fn null(&mut self) -> Value {
        let zero = Offset::constant(&mut self.terms, 0);
        Value::pointer(Base::Number, zero)
    }

    /// The value of an operand.
    pub(crate) fn operand(&mut self, state: &State, operand: &Operand) -> Value {
        match *operand {
            Operand::Reg(reg) => state.regs[reg.0 as usize].clone(),
            Operand::Bits(ty, bits) => {
                let width = self.width(ty);
                Value::word(self.terms.constant(width, bits))
            }
            Operand::Null => self.null(),
            Operand::Address(address) => self.address(address),
            Operand::Slot(slot) => match &state.slots[slot.0 as usize] {
                Some(targets) => Value::Pointer { targets: targets.clone(), undef: Term::FALSE },
                None => self.null(),
            },
            Operand::Undef(ty) => {
                let width = self.width(ty);
                Value::undefined(&mut self.terms, width)
            }
        }
    }

    /// The bits of a value, and when they are indeterminate; addresses have none here.
    pub(crate) fn word(&mut self, state: &mut State, value: &Value, width: u32) -> Step<(Term, Term)> {
        match value {
            Value::Word { bits, undef } => {
                debug_assert_eq!(self.terms.width(*bits), width);
                Ok((*bits, *undef))
            }
            Value::Pointer { targets, undef } => {
                if *undef == Term::TRUE {
                    return Ok((self.terms.constant(width, 0), Term::TRUE));
                }
                match number_of(&mut self.terms, targets, width) {
                    Some(bits) => Ok((bits, *undef)),
                    None => Err(self.unsupported(state, ADDRESSES)),
                }
            }
            Value::Fragment { .. } => Err(self.unsupported(state, ADDRESSES)),
        }
    }

    /// The bits of an operand that has to be determinate.
    pub(crate) fn number(&mut self, state: &mut State, operand: &Operand, width: u32) -> Step<Term> {
        let value = self.operand(state, operand);
        let (bits, undef) = self.word(state, &value, width)?;
        self.determinate(state, undef)?;
        Ok(bits)
    }

    /// A condition on which control depends.
    pub(crate) fn condition(&mut self, state: &mut State, operand: &Operand) -> Step<Term> {
        self.number(state, operand, 1)
    }

    pub(crate) fn rvalue(&mut self, state: &mut State, rvalue: &Rvalue) -> Step<Value> {
        match rvalue {
            Rvalue::Use(operand) => Ok(self.operand(state, operand)),
            Rvalue::Binary(op, ty, left, right) => {
                let (left, right) = (self.operand(state, left), self.operand(state, right));
                self.binary(state, *op, *ty, (&left, &right))
            }
            Rvalue::Checked(op, ty, left, right) => {
                let (left, right) = (self.operand(state, left), self.operand(state, right));
                self.checked(state, *op, *ty, (&left, &right))
            }
            Rvalue::Overflows { op, is_signed, ty, left, right } => {
                let (left, right) = (self.operand(state, left), self.operand(state, right));
                let width = self.width(*ty);
                let (left, left_undef) = self.word(state, &left, width)?;
                let (right, right_undef) = self.word(state, &right, width)?;
                let signedness = if *is_signed { Signedness::Signed } else { Signedness::Unsigned };
                let fits = self.fits(*op, signedness, left, right);
                let (bits, undef) = (self.terms.not(fits), self.terms.or(left_undef, right_undef));
                Ok(Value::Word { bits, undef })
            }
            Rvalue::Unary(op, ty, operand) => {
                let value = self.operand(state, operand);
                self.unary(state, *op, *ty, &value)
            }
            Rvalue::Compare(op, ty, left, right) => {
                let (left, right) = (self.operand(state, left), self.operand(state, right));
                self.compare(state, *op, *ty, (&left, &right))
            }
            Rvalue::Cast(op, from, to, operand) => {
                let value = self.operand(state, operand);
                self.cast(state, *op, (*from, *to), value)
            }
            Rvalue::PtrAdd { base, index, stride } => {
                let (base, index) = (self.operand(state, base), self.operand(state, index));
                self.ptr_add(state, &base, &index, *stride)
            }
            Rvalue::PtrDiff { left, right, stride } => {
                let (left, right) = (self.operand(state, left), self.operand(state, right));
                self.ptr_diff(state, &left, &right, *stride)
            }
            Rvalue::Select { cond, then, otherwise } => {
                let cond = self.operand(state, cond);
                let (bits, undef) = self.word(state, &cond, 1)?;
                let bits = self.simplify(state, bits);
                let (then, otherwise) = (self.operand(state, then), self.operand(state, otherwise));
                match Value::join(&mut self.terms, bits, &then, &otherwise) {
                    Some(value) => Ok(value.with_undef(&mut self.terms, undef)),
                    None => Err(self.unsupported(state, ADDRESSES)),
                }
            }
        }
    }

    /// Wrapping arithmetic.
    pub(crate) fn binary(
        &mut self,
        state: &mut State,
        op: BinOp,
        ty: Ty,
        (left, right): (&Value, &Value),
    ) -> Step<Value> {
        let Ty::Int(_) = ty else { return self.float_binary(state, op, ty, left, right) };
        let width = self.width(ty);
        if let Some(value) = self.pointer_arithmetic(state, op, width, left, right)? {
            return Ok(value);
        }
        let (left, left_undef) = self.word(state, left, width)?;
        let (right, right_undef) = self.word(state, right, width)?;
        if matches!(op, BinOp::SDiv | BinOp::UDiv | BinOp::SRem | BinOp::URem) {
            self.check_divisor(state, right, right_undef)?;
        }
        let undef = self.terms.or(left_undef, right_undef);
        let terms = &mut self.terms;
        let bits = match op {
            BinOp::Add => terms.add(left, right),
            BinOp::Sub => terms.sub(left, right),
            BinOp::Mul => terms.mul(left, right),
            BinOp::SDiv => terms.sdiv(left, right),
            BinOp::UDiv => terms.udiv(left, right),
            BinOp::SRem => terms.srem(left, right),
            BinOp::URem => terms.urem(left, right),
            BinOp::And => terms.and(left, right),
            BinOp::Or => terms.or(left, right),
            BinOp::Xor => terms.xor(left, right),
            BinOp::Shl | BinOp::LShr | BinOp::AShr => {
                // The machine takes the amount modulo the width.
                let modulus = terms.constant(width, u128::from(width));
                let amount = if width == 1 { Term::FALSE } else { terms.urem(right, modulus) };
                match op {
                    BinOp::Shl => terms.shl(left, amount),
                    BinOp::LShr => terms.lshr(left, amount),
                    _arithmetic => terms.ashr(left, amount),
                }
            }
            BinOp::FAdd | BinOp::FSub | BinOp::FMul | BinOp::FDiv | BinOp::FRem => {
                return Err(self.unsupported(state, "floating arithmetic on integers"));
            }
        };
        Ok(Value::Word { bits, undef })
    }

    fn check_divisor(&mut self, state: &mut State, divisor: Term, undef: Term) -> Step {
        self.determinate(state, undef)?;
        let is_zero = self.terms.is_zero(divisor);
        let ok = self.terms.not(is_zero);
        self.require(state, ok, ViolationKind::DivisionByZero)
    }

    /// Whether the exact result of an addition, subtraction or multiplication fits.
    fn fits(&mut self, op: BinOp, signedness: Signedness, left: Term, right: Term) -> Term {
        match op {
            BinOp::Sub => self.terms.checked_sub(left, right, signedness).ok,
            BinOp::Mul => self.terms.checked_mul(left, right, signedness).ok,
            _sum => self.terms.checked_add(left, right, signedness).ok,
        }
    }

    /// Arithmetic whose result C leaves undefined for some operands.
    fn checked(&mut self, state: &mut State, op: BinOp, ty: Ty, (left, right): (&Value, &Value)) -> Step<Value> {
        let width = self.width(ty);
        match op {
            BinOp::Add | BinOp::Sub | BinOp::Mul => {
                let (left, left_undef) = self.word(state, left, width)?;
                let (right, right_undef) = self.word(state, right, width)?;
                let undef = self.terms.or(left_undef, right_undef);
                self.determinate(state, undef)?;
                let ok = self.fits(op, Signedness::Signed, left, right);
                self.require_fit(state, ok)?;
            }
            BinOp::SDiv | BinOp::SRem => {
                let (left, left_undef) = self.word(state, left, width)?;
                let (right, right_undef) = self.word(state, right, width)?;
                self.check_divisor(state, right, right_undef)?;
                let least = self.terms.constant(width, 1 << (width - 1));
                let minus_one = self.terms.constant(width, u128::MAX);
                let (is_least, is_minus_one) = (self.terms.eq(left, least), self.terms.eq(right, minus_one));
                let is_over = self.terms.and(is_least, is_minus_one);
                // Nothing is the least number if it is indeterminate.
                let is_set = self.terms.not(left_undef);
                let is_over = self.terms.and(is_over, is_set);
                let ok = self.terms.not(is_over);
                self.require(state, ok, ViolationKind::Overflow)?;
            }
            BinOp::Shl | BinOp::LShr | BinOp::AShr => {
                let (right, right_undef) = self.word(state, right, width)?;
                self.determinate(state, right_undef)?;
                let modulus = self.terms.constant(width, u128::from(width));
                let ok = match width {
                    1 => self.terms.not(right),
                    _wider => self.terms.ult(right, modulus),
                };
                self.require(state, ok, ViolationKind::InvalidShift)?;
            }
            BinOp::UDiv | BinOp::URem | BinOp::And | BinOp::Or | BinOp::Xor => {}
            BinOp::FAdd | BinOp::FSub | BinOp::FMul | BinOp::FDiv | BinOp::FRem => {}
        }
        self.binary(state, op, ty, (left, right))
    }

    fn unary(&mut self, state: &mut State, op: UnOp, ty: Ty, value: &Value) -> Step<Value> {
        let Ty::Int(_) = ty else { return self.float_unary(state, op, ty, value) };
        let width = self.width(ty);
        let (bits, undef) = self.word(state, value, width)?;
        let terms = &mut self.terms;
        let result = match op {
            UnOp::Neg => terms.neg(bits),
            UnOp::NegChecked => {
                self.determinate(state, undef)?;
                let checked = self.terms.checked_neg(bits, Signedness::Signed);
                self.require_fit(state, checked.ok)?;
                checked.result
            }
            UnOp::Not => terms.not(bits),
            UnOp::Clz => terms.clz(bits),
            UnOp::Ctz => terms.ctz(bits),
            UnOp::Popcount => terms.popcount(bits),
            UnOp::Bswap => terms.swap_bytes(bits),
            UnOp::FNeg
            | UnOp::FAbs
            | UnOp::FSqrt
            | UnOp::FFloor
            | UnOp::FCeil
            | UnOp::FTrunc
            | UnOp::FRound
            | UnOp::FRint => return Err(self.unsupported(state, "floating operations on integers")),
        };
        Ok(Value::Word { bits: result, undef })
    }

    fn compare(&mut self, state: &mut State, op: CmpOp, ty: Ty, (left, right): (&Value, &Value)) -> Step<Value> {
        let width = self.width(ty);
        match ty {
            Ty::Ptr => return self.compare_pointers(state, (op, ty), left, right),
            Ty::F32 | Ty::F64 | Ty::F80 | Ty::F128 => return self.float_compare(state, op, ty, left, right),
            Ty::Int(_) => {}
        }
        let holds_pointer = |value: &Value| matches!(value, Value::Pointer { .. });
        if (holds_pointer(left) || holds_pointer(right)) && ty == Ty::Int(width as u8) && width == self.width(Ty::Ptr) {
            let is_plain = |symex: &mut Self, value: &Value| match value {
                Value::Pointer { targets, .. } => number_of(&mut symex.terms, targets, width).is_some(),
                Value::Word { .. } | Value::Fragment { .. } => true,
            };
            if !(is_plain(self, left) && is_plain(self, right)) {
                return self.compare_pointers(state, (op, ty), left, right);
            }
        }
        let (left, left_undef) = self.word(state, left, width)?;
        let (right, right_undef) = self.word(state, right, width)?;
        let undef = self.terms.or(left_undef, right_undef);
        match self.relation(op, left, right) {
            Some(bits) => Ok(Value::Word { bits, undef }),
            None => Err(self.unsupported(state, "floating comparisons of integers")),
        }
    }

    /// How two numbers compare; `None` for floating comparisons.
    pub(crate) fn relation(&mut self, op: CmpOp, left: Term, right: Term) -> Option<Term> {
        let terms = &mut self.terms;
        Some(match op {
            CmpOp::Eq => terms.eq(left, right),
            CmpOp::Ne => {
                let equal = terms.eq(left, right);
                terms.not(equal)
            }
            CmpOp::SLt => terms.slt(left, right),
            CmpOp::SLe => terms.sle(left, right),
            CmpOp::SGt => terms.slt(right, left),
            CmpOp::SGe => terms.sle(right, left),
            CmpOp::ULt => terms.ult(left, right),
            CmpOp::ULe => terms.ule(left, right),
            CmpOp::UGt => terms.ult(right, left),
            CmpOp::UGe => terms.ule(right, left),
            CmpOp::FEq | CmpOp::FNe | CmpOp::FLt | CmpOp::FLe | CmpOp::FGt | CmpOp::FGe | CmpOp::FUno => return None,
        })
    }

    fn cast(&mut self, state: &mut State, op: CastOp, (from, to): (Ty, Ty), value: Value) -> Step<Value> {
        let (from_width, to_width) = (self.width(from), self.width(to));
        if value.undef() == Term::TRUE {
            return Ok(Value::undefined(&mut self.terms, to_width));
        }
        match op {
            // The pointer stays inside the number.
            CastOp::PtrToInt | CastOp::IntToPtr | CastOp::Bitcast if from_width == to_width => return Ok(value),
            CastOp::PtrToInt | CastOp::IntToPtr | CastOp::Bitcast => {}
            CastOp::ZeroExtend | CastOp::SignExtend | CastOp::Truncate => {}
            CastOp::SignedToFloat
            | CastOp::UnsignedToFloat
            | CastOp::FloatToSigned
            | CastOp::FloatToUnsigned
            | CastOp::FloatToFloat => return self.float_cast(state, op, (from, to), &value),
        }
        let (bits, undef) = self.word(state, &value, from_width)?;
        let bits = match op {
            CastOp::SignExtend => self.terms.resize_signed(bits, to_width),
            _unsigned => self.terms.resize_unsigned(bits, to_width),
        };
        Ok(Value::Word { bits, undef })
    }
}
