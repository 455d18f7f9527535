//! Lowering of compiler built-ins, one instruction or a few each.

use unpick_base::Span;
use unpick_program::ViolationKind;
use unpick_program::program::{
    AllocKind, BinOp, CastOp, CmpOp, Contents, Operand, Order, Rvalue, StmtKind, Terminator, Ty, UnOp,
};

use super::arith::{BIT, bit, mask};
use super::class::{Class, pointee};
use super::function::FunctionLowering;
use super::globals::evaluate;
use unpick_front_c::ast::ExprId;
use unpick_front_c::builtin::Builtin;
use unpick_front_c::consteval::{ConstValue, float};
use unpick_front_c::types::TyId;

impl FunctionLowering<'_, '_, '_> {
    pub(super) fn builtin(&mut self, expr: ExprId, builtin: Builtin, args: &[ExprId]) -> Operand {
        if let Some(value) = self.bit_builtin(expr, builtin, args) {
            return value;
        }
        if let Some(value) = self.float_builtin(expr, builtin, args) {
            return value;
        }
        if let Some(value) = self.atomic_builtin(expr, builtin, args) {
            return value;
        }
        if let Some(value) = self.verifier_builtin(expr, builtin, args) {
            return value;
        }
        let node = &self.unit.exprs[expr];
        let (span, ty) = (node.span, node.ty.ty);
        let nothing = Operand::Undef(Ty::Int(8));
        match (builtin, args) {
            (Builtin::First, [first, rest @ ..]) => {
                let value = self.value(*first);
                rest.iter().for_each(|arg| self.effect(*arg));
                self.convert(span, value, self.ty(*first), ty)
            }
            (Builtin::Unreachable, _) => {
                let message = "`__builtin_unreachable()` is reached".to_owned();
                self.emit(span, StmtKind::Assert { cond: bit(false), kind: ViolationKind::ReachError, message });
                self.terminate(span, Terminator::Unreachable);
                nothing
            }
            (Builtin::CompilerAssume, [cond]) => {
                // As clang does: what would change something is not evaluated.
                if !self.changes_something(*cond) {
                    let cond = self.truth(*cond);
                    let message = "the condition of `__builtin_assume` does not hold".to_owned();
                    self.emit(span, StmtKind::Assert { cond, kind: ViolationKind::ReachError, message });
                }
                nothing
            }
            (Builtin::Trap, _) => {
                let code = Operand::Bits(Ty::Int(32), 134);
                self.terminate(span, Terminator::Exit { code, is_abort: true });
                nothing
            }
            (Builtin::VaStart, [list, ..]) => {
                self.va_start(span, *list);
                nothing
            }
            (Builtin::VaEnd, [list, ..]) => {
                self.list_address(*list);
                nothing
            }
            (Builtin::VaCopy, [to, from]) => {
                self.va_copy(span, *to, *from);
                nothing
            }
            (Builtin::AddOverflow, [left, right, result]) => {
                self.overflow(expr, BinOp::Add, *left, *right, *result, true)
            }
            (Builtin::SubOverflow, [left, right, result]) => {
                self.overflow(expr, BinOp::Sub, *left, *right, *result, true)
            }
            (Builtin::MulOverflow, [left, right, result]) => {
                self.overflow(expr, BinOp::Mul, *left, *right, *result, true)
            }
            (Builtin::AddOverflowP, [left, right, result]) => {
                self.overflow(expr, BinOp::Add, *left, *right, *result, false)
            }
            (Builtin::SubOverflowP, [left, right, result]) => {
                self.overflow(expr, BinOp::Sub, *left, *right, *result, false)
            }
            (Builtin::MulOverflowP, [left, right, result]) => {
                self.overflow(expr, BinOp::Mul, *left, *right, *result, false)
            }
            (Builtin::ObjectSize, [pointer, ..]) => {
                // Compilers may always say "unknown", which is what they do without optimisation.
                self.effect(*pointer);
                self.int(self.scalar(ty), -1)
            }
            (Builtin::Alloca, [bytes, ..]) => {
                let value = self.value(*bytes);
                let bytes = self.as_word(span, value, self.ty(*bytes));
                let dst = self.temp(Ty::Ptr);
                let contents = Contents::Indeterminate;
                self.emit(span, StmtKind::Alloc { dst, bytes, align: 16, kind: AllocKind::Stack, contents });
                Operand::Reg(dst)
            }
            (Builtin::Prefetch | Builtin::ClearCache | Builtin::Ignored, _) => {
                args.iter().for_each(|arg| self.effect(*arg));
                nothing
            }
            _other => {
                args.iter().for_each(|arg| self.effect(*arg));
                let text = self.callee_text(span);
                self.unmodelled(span, format!("built-in function `{text}`"), ty)
            }
        }
    }

    /// The name at the start of a call's text.
    pub(super) fn callee_text(&self, span: Span) -> String {
        let text = self.cx.session.sources.snippet(span);
        text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
    }

    /// The value of an argument that has to be a constant.
    pub(super) fn constant_argument(&self, arg: ExprId) -> Option<i128> {
        match evaluate(self.unit, arg)? {
            ConstValue::Int(value) => Some(value),
            ConstValue::Float { .. } | ConstValue::Address { .. } => None,
        }
    }

    fn bit_builtin(&mut self, expr: ExprId, builtin: Builtin, args: &[ExprId]) -> Option<Operand> {
        let op = match builtin {
            Builtin::Clz => UnOp::Clz,
            Builtin::Ctz | Builtin::Ffs => UnOp::Ctz,
            Builtin::Popcount | Builtin::Parity => UnOp::Popcount,
            Builtin::Clrsb => UnOp::Clz,
            Builtin::Bswap16 | Builtin::Bswap32 | Builtin::Bswap64 | Builtin::Bswap128 => UnOp::Bswap,
            _other => return None,
        };
        let node = &self.unit.exprs[expr];
        let (span, ty) = (node.span, self.scalar(node.ty.ty));
        let arg = *args.first()?;
        let (Ty::Int(bits), Ty::Int(result_bits)) = (self.scalar(self.ty(arg)), ty) else { return None };
        let scalar = Ty::Int(bits);
        let zero = Operand::Bits(scalar, 0);
        let value = self.value(arg);
        // The generic forms may say what zero gives.
        let for_zero = if matches!(builtin, Builtin::Clz | Builtin::Ctz) { args.get(1) } else { None };
        let for_zero = for_zero.map(|arg| self.value(*arg));
        if matches!(builtin, Builtin::Clz | Builtin::Ctz) && for_zero.is_none() {
            let cond = self.compute(span, BIT, Rvalue::Compare(CmpOp::Ne, scalar, value, zero));
            let message = "counting the leading or trailing zeros of zero".to_owned();
            self.emit(span, StmtKind::Assert { cond, kind: ViolationKind::InvalidShift, message });
        }
        let operand = match builtin {
            // Redundant sign bits are the leading zeros of the number or its complement, less one.
            Builtin::Clrsb => {
                let amount = Operand::Bits(scalar, u128::from(bits) - 1);
                let sign = self.compute(span, scalar, Rvalue::Binary(BinOp::AShr, scalar, value, amount));
                self.compute(span, scalar, Rvalue::Binary(BinOp::Xor, scalar, value, sign))
            }
            _other => value,
        };
        let count = self.compute(span, scalar, Rvalue::Unary(op, scalar, operand));
        let one = Operand::Bits(scalar, 1);
        let result = match builtin {
            Builtin::Parity => self.compute(span, scalar, Rvalue::Binary(BinOp::And, scalar, count, one)),
            Builtin::Clrsb => self.compute(span, scalar, Rvalue::Binary(BinOp::Sub, scalar, count, one)),
            Builtin::Ffs => {
                let next = self.compute(span, scalar, Rvalue::Binary(BinOp::Add, scalar, count, one));
                let cond = self.compute(span, BIT, Rvalue::Compare(CmpOp::Ne, scalar, value, zero));
                self.compute(span, scalar, Rvalue::Select { cond, then: next, otherwise: zero })
            }
            _other => count,
        };
        let result = self.resize(span, result, bits, result_bits, false);
        let Some(otherwise) = for_zero else { return Some(result) };
        let cond = self.compute(span, BIT, Rvalue::Compare(CmpOp::Ne, scalar, value, zero));
        Some(self.compute(span, ty, Rvalue::Select { cond, then: result, otherwise }))
    }

    /// `__builtin_*_overflow`: the exact result is compared with what the result type can hold.
    fn overflow(
        &mut self,
        expr: ExprId,
        op: BinOp,
        left: ExprId,
        right: ExprId,
        result: ExprId,
        is_stored: bool,
    ) -> Operand {
        let node = &self.unit.exprs[expr];
        let (span, ty) = (node.span, node.ty.ty);
        let (left_value, right_value) = (self.value(left), self.value(right));
        let target = if is_stored { pointee(&self.unit.types, self.ty(result)) } else { None };
        let result_ty = target.map_or(self.ty(result), |target| target.ty);
        let pointer = if is_stored { Some(self.value(result)) } else { None };
        let (Ty::Int(left_bits), Ty::Int(right_bits), Ty::Int(result_bits)) =
            (self.scalar(self.ty(left)), self.scalar(self.ty(right)), self.scalar(result_ty))
        else {
            return self.unmodelled(span, "overflow check on something that is not an integer", ty);
        };
        let is_result_signed = self.is_signed(result_ty);
        let is_uniform = self.same_int(self.ty(left), result_ty) && self.same_int(self.ty(right), result_ty);
        let (value, overflows) = if is_uniform {
            let scalar = Ty::Int(result_bits);
            let value = self.compute(span, scalar, Rvalue::Binary(op, scalar, left_value, right_value));
            let check =
                Rvalue::Overflows { op, is_signed: is_result_signed, ty: scalar, left: left_value, right: right_value };
            (value, self.compute(span, BIT, check))
        } else {
            let wide = Ty::Int(128);
            let left = self.resize(span, left_value, left_bits, 128, self.is_signed(self.ty(left)));
            let right = self.resize(span, right_value, right_bits, 128, self.is_signed(self.ty(right)));
            let exact = self.compute(span, wide, Rvalue::Binary(op, wide, left, right));
            let too_wide = self.compute(span, BIT, Rvalue::Overflows { op, is_signed: true, ty: wide, left, right });
            let value = self.resize(span, exact, 128, result_bits, false);
            let back = self.resize(span, value, result_bits, 128, is_result_signed);
            let differs = self.compute(span, BIT, Rvalue::Compare(CmpOp::Ne, wide, back, exact));
            (value, self.compute(span, BIT, Rvalue::Binary(BinOp::Or, BIT, too_wide, differs)))
        };
        if let (Some(addr), Some(target)) = (pointer, target) {
            let access = self.access(target);
            self.emit(span, StmtKind::Store { addr, value, ty: Ty::Int(result_bits), access });
        }
        self.extend_bit(span, overflows, self.scalar(ty))
    }

    fn same_int(&self, left: TyId, right: TyId) -> bool {
        self.scalar(left) == self.scalar(right) && self.is_signed(left) == self.is_signed(right)
    }

    fn float_builtin(&mut self, expr: ExprId, builtin: Builtin, args: &[ExprId]) -> Option<Operand> {
        let node = &self.unit.exprs[expr];
        let (span, result) = (node.span, self.scalar(node.ty.ty));
        let truth = match (builtin, args) {
            (Builtin::Fabs, [arg]) => {
                let Class::Scalar(scalar) = self.class(self.ty(*arg)) else { return None };
                let value = self.value(*arg);
                return Some(self.compute(span, scalar, Rvalue::Unary(UnOp::FAbs, scalar, value)));
            }
            (Builtin::Copysign, [magnitude, sign]) => return self.copy_sign(span, *magnitude, *sign),
            (Builtin::IsNan, [arg]) => self.float_compare(span, CmpOp::FUno, *arg, *arg)?,
            (Builtin::IsUnordered, [a, b]) => self.float_compare(span, CmpOp::FUno, *a, *b)?,
            (Builtin::IsGreater, [a, b]) => self.float_compare(span, CmpOp::FGt, *a, *b)?,
            (Builtin::IsGreaterEqual, [a, b]) => self.float_compare(span, CmpOp::FGe, *a, *b)?,
            (Builtin::IsLess, [a, b]) => self.float_compare(span, CmpOp::FLt, *a, *b)?,
            (Builtin::IsLessEqual, [a, b]) => self.float_compare(span, CmpOp::FLe, *a, *b)?,
            (Builtin::IsLessGreater, [a, b]) => {
                let (ty, left, right) = self.float_pair(*a, *b)?;
                let less = self.compute(span, BIT, Rvalue::Compare(CmpOp::FLt, ty, left, right));
                let greater = self.compute(span, BIT, Rvalue::Compare(CmpOp::FGt, ty, left, right));
                self.compute(span, BIT, Rvalue::Binary(BinOp::Or, BIT, less, greater))
            }
            (Builtin::IsInf | Builtin::IsFinite | Builtin::IsNormal | Builtin::IsInfSign, [arg]) => {
                return self.float_class(expr, builtin, *arg);
            }
            (Builtin::Signbit, [arg]) => {
                let (ty, value) = self.float_value(*arg)?;
                let (sign, _) = self.sign_of(span, ty, value)?;
                sign
            }
            (Builtin::Fpclassify, [nan, infinite, normal, subnormal, zero, arg]) => {
                return self.fpclassify(span, [*nan, *infinite, *normal, *subnormal, *zero], *arg, result);
            }
            _other => return None,
        };
        Some(self.extend_bit(span, truth, result))
    }

    fn float_value(&mut self, arg: ExprId) -> Option<(Ty, Operand)> {
        match self.class(self.ty(arg)) {
            Class::Scalar(ty @ (Ty::F32 | Ty::F64 | Ty::F80 | Ty::F128)) => Some((ty, self.value(arg))),
            Class::Scalar(Ty::Int(_) | Ty::Ptr) | Class::Void | Class::Memory => None,
        }
    }

    fn float_pair(&mut self, left: ExprId, right: ExprId) -> Option<(Ty, Operand, Operand)> {
        let (left_ty, left_value) = self.float_value(left)?;
        if left == right {
            return Some((left_ty, left_value, left_value));
        }
        let (right_ty, right_value) = self.float_value(right)?;
        if left_ty == right_ty {
            return Some((left_ty, left_value, right_value));
        }
        // The usual arithmetic conversions, in case the arguments kept their own types.
        let rank = |ty: Ty| match ty {
            Ty::F32 => 0,
            Ty::F64 => 1,
            Ty::F80 => 2,
            Ty::F128 | Ty::Int(_) | Ty::Ptr => 3,
        };
        let ty = if rank(left_ty) > rank(right_ty) { left_ty } else { right_ty };
        let span = self.span(left);
        let mut widen = |from: Ty, value: Operand| match from == ty {
            true => value,
            false => self.compute(span, ty, Rvalue::Cast(CastOp::FloatToFloat, from, ty, value)),
        };
        Some((ty, widen(left_ty, left_value), widen(right_ty, right_value)))
    }

    fn float_compare(&mut self, span: Span, op: CmpOp, left: ExprId, right: ExprId) -> Option<Operand> {
        let (ty, left, right) = self.float_pair(left, right)?;
        Some(self.compute(span, BIT, Rvalue::Compare(op, ty, left, right)))
    }

    fn constant_float(&self, ty: TyId, text: &str) -> Option<u128> {
        float::parse_float(text, self.unit.types.float_kind_of(ty)?)
    }

    /// The smallest positive normal number of a format.
    fn smallest_normal(ty: Ty) -> u128 {
        match ty {
            Ty::F32 => 1 << 23,
            Ty::F64 => 1 << 52,
            // The x87 format stores the leading one.
            Ty::F80 => 1 << 64 | 1 << 63,
            Ty::F128 | Ty::Int(_) | Ty::Ptr => 1 << 112,
        }
    }

    fn float_class(&mut self, expr: ExprId, builtin: Builtin, arg: ExprId) -> Option<Operand> {
        let node = &self.unit.exprs[expr];
        let (span, result) = (node.span, self.scalar(node.ty.ty));
        let infinity = self.constant_float(self.ty(arg), "inf")?;
        let (ty, value) = self.float_value(arg)?;
        let infinity = Operand::Bits(ty, infinity);
        let magnitude = self.compute(span, ty, Rvalue::Unary(UnOp::FAbs, ty, value));
        let truth = match builtin {
            Builtin::IsFinite => self.compute(span, BIT, Rvalue::Compare(CmpOp::FLt, ty, magnitude, infinity)),
            Builtin::IsNormal => {
                let smallest = Operand::Bits(ty, Self::smallest_normal(ty));
                let below = self.compute(span, BIT, Rvalue::Compare(CmpOp::FLt, ty, magnitude, infinity));
                let above = self.compute(span, BIT, Rvalue::Compare(CmpOp::FGe, ty, magnitude, smallest));
                self.compute(span, BIT, Rvalue::Binary(BinOp::And, BIT, below, above))
            }
            _infinite => self.compute(span, BIT, Rvalue::Compare(CmpOp::FEq, ty, magnitude, infinity)),
        };
        let plain = self.extend_bit(span, truth, result);
        if builtin != Builtin::IsInfSign {
            return Some(plain);
        }
        let zero = Operand::Bits(ty, 0);
        let is_negative = self.compute(span, BIT, Rvalue::Compare(CmpOp::FLt, ty, value, zero));
        let negated = self.compute(span, result, Rvalue::Unary(UnOp::Neg, result, plain));
        Some(self.compute(span, result, Rvalue::Select { cond: is_negative, then: negated, otherwise: plain }))
    }

    fn fpclassify(&mut self, span: Span, kinds: [ExprId; 5], arg: ExprId, result: Ty) -> Option<Operand> {
        let infinity = self.constant_float(self.ty(arg), "inf")?;
        let kinds = kinds.map(|kind| self.value(kind));
        let [nan, infinite, normal, subnormal, zero_kind] = kinds;
        let (ty, value) = self.float_value(arg)?;
        let magnitude = self.compute(span, ty, Rvalue::Unary(UnOp::FAbs, ty, value));
        let smallest = Operand::Bits(ty, Self::smallest_normal(ty));
        let mut kind = subnormal;
        let tests = [
            (CmpOp::FGe, smallest, normal),
            (CmpOp::FEq, Operand::Bits(ty, infinity), infinite),
            (CmpOp::FEq, Operand::Bits(ty, 0), zero_kind),
            (CmpOp::FUno, magnitude, nan),
        ];
        for (op, bound, then) in tests {
            let cond = self.compute(span, BIT, Rvalue::Compare(op, ty, magnitude, bound));
            kind = self.compute(span, result, Rvalue::Select { cond, then, otherwise: kind });
        }
        Some(kind)
    }

    /// The sign bit of a number, and the type of its image.
    fn sign_of(&mut self, span: Span, ty: Ty, value: Operand) -> Option<(Operand, Ty)> {
        let bits = match ty {
            Ty::F32 => 32,
            Ty::F64 => 64,
            Ty::F128 => 128,
            // The image of x87 numbers has no integer type: widen, which keeps the sign.
            Ty::F80 => {
                let wide = self.compute(span, Ty::F128, Rvalue::Cast(CastOp::FloatToFloat, ty, Ty::F128, value));
                return self.sign_of(span, Ty::F128, wide);
            }
            Ty::Int(_) | Ty::Ptr => return None,
        };
        let image_ty = Ty::Int(bits);
        let image = self.compute(span, image_ty, Rvalue::Cast(CastOp::Bitcast, ty, image_ty, value));
        let zero = Operand::Bits(image_ty, 0);
        Some((self.compute(span, BIT, Rvalue::Compare(CmpOp::SLt, image_ty, image, zero)), image_ty))
    }

    fn copy_sign(&mut self, span: Span, magnitude: ExprId, sign: ExprId) -> Option<Operand> {
        let (ty, magnitude) = self.float_value(magnitude)?;
        let (sign_ty, sign) = self.float_value(sign)?;
        let (is_negative, _) = self.sign_of(span, sign_ty, sign)?;
        let positive = self.compute(span, ty, Rvalue::Unary(UnOp::FAbs, ty, magnitude));
        let negative = self.compute(span, ty, Rvalue::Unary(UnOp::FNeg, ty, positive));
        Some(self.compute(span, ty, Rvalue::Select { cond: is_negative, then: negative, otherwise: positive }))
    }

    /// A memory order given as an argument; sequential consistency if it is missing. One that is known only when the
    /// program runs may be the weakest.
    pub(super) fn order(&mut self, arg: Option<&ExprId>) -> Order {
        let Some(arg) = arg else { return Order::SeqCst };
        let constant = self.constant_argument(*arg);
        if constant.is_none() {
            self.effect(*arg);
        }
        match constant.map(|value| value as u128 & mask(3)) {
            None | Some(0) => Order::Relaxed,
            Some(1) => Order::Consume,
            Some(2) => Order::Acquire,
            Some(3) => Order::Release,
            Some(4) => Order::AcqRel,
            _strongest => Order::SeqCst,
        }
    }
}
