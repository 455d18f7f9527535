//! Lowering of arithmetic and conversions, with a check for every undefined result.

use unpick_base::Span;
use unpick_program::ViolationKind;
use unpick_program::program::{BinOp, CastOp, CmpOp, Operand, Rvalue, StmtKind, Ty, UnOp};

use super::class::{Class, is_bool};
use super::function::FunctionLowering;
use unpick_front_c::ast::BinaryOp;
use unpick_front_c::types::{TyId, Type};

/// An `Int(1)`.
pub(super) const BIT: Ty = Ty::Int(1);

pub(super) fn bit(value: bool) -> Operand {
    Operand::Bits(BIT, u128::from(value))
}

/// All ones in the low `bits` bits.
pub(super) fn mask(bits: u8) -> u128 {
    if bits >= 128 { u128::MAX } else { (1 << bits) - 1 }
}

/// The low bits read as a signed number.
pub(super) fn sign_extend(value: u128, bits: u8) -> i128 {
    let shift = 128 - u32::from(bits.clamp(1, 128));
    ((value << shift) as i128) >> shift
}

impl FunctionLowering<'_, '_, '_> {
    pub(super) fn word_mask(&self) -> u128 {
        mask(self.word_bits())
    }

    pub(super) fn int(&self, ty: Ty, value: i128) -> Operand {
        match ty {
            Ty::Int(bits) => Operand::Bits(ty, value as u128 & mask(bits)),
            Ty::Ptr if value == 0 => Operand::Null,
            Ty::Ptr | Ty::F32 | Ty::F64 | Ty::F80 | Ty::F128 => Operand::Bits(ty, value as u128),
        }
    }

    /// The signed value of a constant operand.
    pub(super) fn signed_bits(&self, operand: Operand) -> Option<i128> {
        match operand {
            Operand::Bits(Ty::Int(bits), value) => Some(sign_extend(value, bits)),
            _other => None,
        }
    }

    /// Integer to integer of another width.
    pub(super) fn resize(&mut self, span: Span, value: Operand, from: u8, to: u8, is_signed: bool) -> Operand {
        if from == to {
            return value;
        }
        if let Operand::Bits(_, bits) = value {
            let wide = if is_signed { sign_extend(bits, from) as u128 } else { bits };
            return Operand::Bits(Ty::Int(to), wide & mask(to));
        }
        if let Operand::Undef(_) = value {
            return Operand::Undef(Ty::Int(to));
        }
        let op = match (to < from, is_signed) {
            (true, _) => CastOp::Truncate,
            (false, true) => CastOp::SignExtend,
            (false, false) => CastOp::ZeroExtend,
        };
        self.compute(span, Ty::Int(to), Rvalue::Cast(op, Ty::Int(from), Ty::Int(to), value))
    }

    /// An integer of a C type as a pointer-sized one.
    pub(super) fn as_word(&mut self, span: Span, value: Operand, ty: TyId) -> Operand {
        match self.scalar(ty) {
            Ty::Int(bits) => self.resize(span, value, bits, self.word_bits(), self.is_signed(ty)),
            Ty::Ptr => self.pointer_to_word(span, value),
            Ty::F32 | Ty::F64 | Ty::F80 | Ty::F128 => value,
        }
    }

    fn pointer_to_word(&mut self, span: Span, value: Operand) -> Operand {
        let word = self.word();
        if value == Operand::Null {
            return Operand::Bits(word, 0);
        }
        self.compute(span, word, Rvalue::Cast(CastOp::PtrToInt, Ty::Ptr, word, value))
    }

    /// Converts between scalar types as a cast does.
    pub(super) fn convert(&mut self, span: Span, value: Operand, from: TyId, to: TyId) -> Operand {
        if from == to {
            return value;
        }
        let (Class::Scalar(from_ty), Class::Scalar(to_ty)) = (self.class(from), self.class(to)) else {
            return value;
        };
        if is_bool(&self.unit.types, to) {
            if is_bool(&self.unit.types, from) {
                return value;
            }
            let truth = self.truth_of(span, value, from_ty);
            return self.extend_bit(span, truth, to_ty);
        }
        match (from_ty, to_ty) {
            (Ty::Int(from_bits), Ty::Int(to_bits)) => {
                let is_signed = self.is_signed(from);
                self.resize(span, value, from_bits, to_bits, is_signed)
            }
            (Ty::Ptr, Ty::Ptr) => value,
            (Ty::Ptr, Ty::Int(to_bits)) => {
                let word = self.pointer_to_word(span, value);
                self.resize(span, word, self.word_bits(), to_bits, false)
            }
            (Ty::Int(_), Ty::Ptr) => {
                let word = self.as_word(span, value, from);
                if let Operand::Bits(_, 0) = word {
                    return Operand::Null;
                }
                self.compute(span, Ty::Ptr, Rvalue::Cast(CastOp::IntToPtr, self.word(), Ty::Ptr, word))
            }
            (Ty::Int(_), _) => {
                let op = if self.is_signed(from) { CastOp::SignedToFloat } else { CastOp::UnsignedToFloat };
                self.compute(span, to_ty, Rvalue::Cast(op, from_ty, to_ty, value))
            }
            (_, Ty::Int(_)) => {
                let op = if self.is_signed(to) { CastOp::FloatToSigned } else { CastOp::FloatToUnsigned };
                self.compute(span, to_ty, Rvalue::Cast(op, from_ty, to_ty, value))
            }
            (Ty::Ptr, _) | (_, Ty::Ptr) => self.unmodelled(span, "conversion between pointer and floating number", to),
            (_, _) if from_ty == to_ty => value,
            (_, _) => self.compute(span, to_ty, Rvalue::Cast(CastOp::FloatToFloat, from_ty, to_ty, value)),
        }
    }

    /// Whether a scalar is not zero.
    pub(super) fn truth_of(&mut self, span: Span, value: Operand, ty: Ty) -> Operand {
        let (op, zero) = match ty {
            Ty::Int(1) => return value,
            Ty::Int(_) => (CmpOp::Ne, Operand::Bits(ty, 0)),
            Ty::Ptr => (CmpOp::Ne, Operand::Null),
            Ty::F32 | Ty::F64 | Ty::F80 | Ty::F128 => (CmpOp::FNe, Operand::Bits(ty, 0)),
        };
        match (value, ty) {
            (Operand::Bits(_, bits), Ty::Int(_)) => return bit(bits != 0),
            (Operand::Null, _) => return bit(false),
            (Operand::Address(_) | Operand::Slot(_), _) => return bit(true),
            _other => {}
        }
        if let Some(condition) = self.undo_extension(value) {
            return condition;
        }
        self.compute(span, BIT, Rvalue::Compare(op, ty, value, zero))
    }

    /// If the value is a truth value that was just made an `int`, the truth value.
    fn undo_extension(&mut self, value: Operand) -> Option<Operand> {
        let Operand::Reg(reg) = value else { return None };
        if self.func.regs[reg].name.is_some() {
            return None;
        }
        let last = self.func.blocks[self.block].stmts.last()?;
        match &last.kind {
            StmtKind::Assign(dst, Rvalue::Cast(CastOp::ZeroExtend, BIT, _, inner)) if *dst == reg => {
                let inner = *inner;
                self.func.blocks[self.block].stmts.pop();
                Some(inner)
            }
            _other => None,
        }
    }

    /// A truth value as an integer.
    pub(super) fn extend_bit(&mut self, span: Span, truth: Operand, ty: Ty) -> Operand {
        match ty {
            Ty::Int(bits) => self.resize(span, truth, 1, bits, false),
            Ty::F32 | Ty::F64 | Ty::F80 | Ty::F128 | Ty::Ptr => truth,
        }
    }

    pub(super) fn not(&mut self, span: Span, truth: Operand) -> Operand {
        match truth {
            Operand::Bits(_, bits) => bit(bits == 0),
            _other => self.compute(span, BIT, Rvalue::Unary(UnOp::Not, BIT, truth)),
        }
    }

    pub(super) fn negate(&mut self, span: Span, value: Operand, ty: TyId) -> Operand {
        match self.scalar(ty) {
            Ty::Int(bits) => {
                let scalar = Ty::Int(bits);
                if let Operand::Bits(_, constant) = value
                    && constant != 1 << (bits - 1)
                {
                    return self.int(scalar, (constant as i128).wrapping_neg());
                }
                let op = if self.is_signed(ty) { UnOp::NegChecked } else { UnOp::Neg };
                self.compute(span, scalar, Rvalue::Unary(op, scalar, value))
            }
            Ty::Ptr => value,
            float @ (Ty::F32 | Ty::F64 | Ty::F80 | Ty::F128) => {
                self.compute(span, float, Rvalue::Unary(UnOp::FNeg, float, value))
            }
        }
    }

    /// An operation in type `ty`, the type of the left operand. Comparisons give an `Int(1)`.
    pub(super) fn binary(
        &mut self,
        span: Span,
        op: BinaryOp,
        ty: TyId,
        left: Operand,
        right: Operand,
        right_ty: TyId,
    ) -> Operand {
        let Class::Scalar(scalar) = self.class(ty) else {
            let value = self.unmodelled(span, "arithmetic on complex numbers or vectors", ty);
            let is_comparison = comparison(op, BIT, false).is_some();
            return if is_comparison { Operand::Undef(BIT) } else { value };
        };
        if let Some(cmp) = comparison(op, scalar, self.is_signed(ty)) {
            return self.compute(span, BIT, Rvalue::Compare(cmp, scalar, left, right));
        }
        match op {
            BinaryOp::PtrAdd => self.pointer_step(span, ty, left, right, right_ty, false),
            BinaryOp::PtrSub => self.pointer_step(span, ty, left, right, right_ty, true),
            BinaryOp::PtrDiff => self.pointer_difference(span, ty, left, right),
            BinaryOp::Shl | BinaryOp::Shr => self.shift(span, op, ty, left, right, right_ty),
            BinaryOp::Mul
            | BinaryOp::Div
            | BinaryOp::Rem
            | BinaryOp::Add
            | BinaryOp::Sub
            | BinaryOp::BitAnd
            | BinaryOp::BitXor
            | BinaryOp::BitOr => self.plain_binary(span, op, ty, scalar, left, right),
            BinaryOp::Lt | BinaryOp::Gt | BinaryOp::Le | BinaryOp::Ge | BinaryOp::Eq | BinaryOp::Ne => {
                unreachable!("comparisons should have been handled above")
            }
        }
    }

    fn plain_binary(
        &mut self,
        span: Span,
        op: BinaryOp,
        ty: TyId,
        scalar: Ty,
        left: Operand,
        right: Operand,
    ) -> Operand {
        let is_signed = self.is_signed(ty);
        if let Ty::Int(bits) = scalar
            && let Some(folded) = fold(op, bits, is_signed, left, right)
        {
            return folded;
        }
        let Some(machine) = machine_op(op, scalar, is_signed) else {
            return self.unmodelled(span, "operation on a type that does not have it", ty);
        };
        let is_checked = match machine {
            BinOp::Add | BinOp::Sub | BinOp::Mul => is_signed && matches!(scalar, Ty::Int(bits) if bits >= 32),
            BinOp::SDiv | BinOp::UDiv | BinOp::SRem | BinOp::URem => true,
            BinOp::Shl | BinOp::LShr | BinOp::AShr => true,
            BinOp::And | BinOp::Or | BinOp::Xor => false,
            BinOp::FAdd | BinOp::FSub | BinOp::FMul | BinOp::FDiv | BinOp::FRem => false,
        };
        let rvalue = if is_checked {
            Rvalue::Checked(machine, scalar, left, right)
        } else {
            Rvalue::Binary(machine, scalar, left, right)
        };
        self.compute(span, scalar, rvalue)
    }

    /// The amount is brought to the left operand's width without hiding that it is out of range.
    fn shift(&mut self, span: Span, op: BinaryOp, ty: TyId, left: Operand, right: Operand, right_ty: TyId) -> Operand {
        let (Ty::Int(width), Ty::Int(amount_width)) = (self.scalar(ty), self.scalar(right_ty)) else {
            return self.unmodelled(span, "shift of something that is not an integer", ty);
        };
        let scalar = Ty::Int(width);
        let mut amount = right;
        if amount_width > width {
            let is_fine = matches!(amount, Operand::Bits(_, bits) if bits < u128::from(width));
            if !is_fine {
                let wide = Ty::Int(amount_width);
                let limit = Operand::Bits(wide, u128::from(width));
                let cond = self.compute(span, BIT, Rvalue::Compare(CmpOp::ULt, wide, amount, limit));
                let message = format!("shift by at least the width of the type ({width}) or by a negative amount");
                self.emit(span, StmtKind::Assert { cond, kind: ViolationKind::InvalidShift, message });
            }
        }
        amount = self.resize(span, amount, amount_width, width, self.is_signed(right_ty));
        let machine = match (op, self.is_signed(ty)) {
            (BinaryOp::Shl, _) => BinOp::Shl,
            (_, true) => BinOp::AShr,
            (_, false) => BinOp::LShr,
        };
        if let (Operand::Bits(_, value), Operand::Bits(_, by)) = (left, amount)
            && by < u128::from(width)
        {
            let result = match machine {
                BinOp::Shl => (value << by) as i128,
                BinOp::AShr => sign_extend(value, width) >> by,
                _logical => (value >> by) as i128,
            };
            return self.int(scalar, result);
        }
        self.compute(span, scalar, Rvalue::Checked(machine, scalar, left, amount))
    }

    /// Pointer plus or minus an integer.
    pub(super) fn pointer_step(
        &mut self,
        span: Span,
        ty: TyId,
        base: Operand,
        index: Operand,
        index_ty: TyId,
        is_minus: bool,
    ) -> Operand {
        let pointee = match self.unit.types.get(ty) {
            Type::Pointer(pointee) => pointee.ty,
            _other => TyId::CHAR,
        };
        let index = self.as_word(span, index, index_ty);
        let (index, stride) = match self.unit.types.stride_of(pointee) {
            Some(stride) => (index, stride as i64),
            None if self.unit.types.is_variably_modified(pointee) => (self.scale(span, index, pointee), 1),
            None => (index, 1),
        };
        if let Operand::Bits(_, 0) = index {
            return base;
        }
        let stride = if is_minus { -stride } else { stride };
        self.compute(span, Ty::Ptr, Rvalue::PtrAdd { base, index, stride })
    }

    fn pointer_difference(&mut self, span: Span, ty: TyId, left: Operand, right: Operand) -> Operand {
        let pointee = match self.unit.types.get(ty) {
            Type::Pointer(pointee) => pointee.ty,
            _other => TyId::CHAR,
        };
        let word = self.word();
        match self.unit.types.stride_of(pointee) {
            Some(stride) => self.compute(span, word, Rvalue::PtrDiff { left, right, stride: stride.max(1) }),
            None => {
                let bytes = self.compute(span, word, Rvalue::PtrDiff { left, right, stride: 1 });
                let size = self.size_value(span, pointee);
                self.compute(span, word, Rvalue::Checked(BinOp::SDiv, word, bytes, size))
            }
        }
    }
}

fn comparison(op: BinaryOp, ty: Ty, is_signed: bool) -> Option<CmpOp> {
    let is_float = matches!(ty, Ty::F32 | Ty::F64 | Ty::F80 | Ty::F128);
    let (float, signed, unsigned) = match op {
        BinaryOp::Lt => (CmpOp::FLt, CmpOp::SLt, CmpOp::ULt),
        BinaryOp::Gt => (CmpOp::FGt, CmpOp::SGt, CmpOp::UGt),
        BinaryOp::Le => (CmpOp::FLe, CmpOp::SLe, CmpOp::ULe),
        BinaryOp::Ge => (CmpOp::FGe, CmpOp::SGe, CmpOp::UGe),
        BinaryOp::Eq => (CmpOp::FEq, CmpOp::Eq, CmpOp::Eq),
        BinaryOp::Ne => (CmpOp::FNe, CmpOp::Ne, CmpOp::Ne),
        BinaryOp::Mul
        | BinaryOp::Div
        | BinaryOp::Rem
        | BinaryOp::Add
        | BinaryOp::Sub
        | BinaryOp::Shl
        | BinaryOp::Shr
        | BinaryOp::BitAnd
        | BinaryOp::BitXor
        | BinaryOp::BitOr
        | BinaryOp::PtrAdd
        | BinaryOp::PtrSub
        | BinaryOp::PtrDiff => return None,
    };
    Some(match (is_float, is_signed) {
        (true, _) => float,
        (false, true) => signed,
        (false, false) => unsigned,
    })
}

fn machine_op(op: BinaryOp, ty: Ty, is_signed: bool) -> Option<BinOp> {
    let is_float = match ty {
        Ty::Int(_) => false,
        Ty::F32 | Ty::F64 | Ty::F80 | Ty::F128 => true,
        Ty::Ptr => return None,
    };
    Some(match (op, is_float, is_signed) {
        (BinaryOp::Add, false, _) => BinOp::Add,
        (BinaryOp::Sub, false, _) => BinOp::Sub,
        (BinaryOp::Mul, false, _) => BinOp::Mul,
        (BinaryOp::Div, false, true) => BinOp::SDiv,
        (BinaryOp::Div, false, false) => BinOp::UDiv,
        (BinaryOp::Rem, false, true) => BinOp::SRem,
        (BinaryOp::Rem, false, false) => BinOp::URem,
        (BinaryOp::BitAnd, false, _) => BinOp::And,
        (BinaryOp::BitOr, false, _) => BinOp::Or,
        (BinaryOp::BitXor, false, _) => BinOp::Xor,
        (BinaryOp::Add, true, _) => BinOp::FAdd,
        (BinaryOp::Sub, true, _) => BinOp::FSub,
        (BinaryOp::Mul, true, _) => BinOp::FMul,
        (BinaryOp::Div, true, _) => BinOp::FDiv,
        _other => return None,
    })
}

/// Constant operands whose result is defined.
fn fold(op: BinaryOp, bits: u8, is_signed: bool, left: Operand, right: Operand) -> Option<Operand> {
    let (Operand::Bits(ty, a), Operand::Bits(_, b)) = (left, right) else { return None };
    let result = match op {
        BinaryOp::BitAnd => a & b,
        BinaryOp::BitOr => a | b,
        BinaryOp::BitXor => a ^ b,
        BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul if is_signed => {
            let (a, b) = (sign_extend(a, bits), sign_extend(b, bits));
            let exact = match op {
                BinaryOp::Add => a.checked_add(b)?,
                BinaryOp::Sub => a.checked_sub(b)?,
                _mul => a.checked_mul(b)?,
            };
            if sign_extend(exact as u128, bits) != exact {
                return None;
            }
            exact as u128
        }
        BinaryOp::Add => a.wrapping_add(b),
        BinaryOp::Sub => a.wrapping_sub(b),
        BinaryOp::Mul => a.wrapping_mul(b),
        _other => return None,
    };
    Some(Operand::Bits(ty, result & mask(bits)))
}
