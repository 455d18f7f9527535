//! Translation of C arithmetic into expressions of automata, which compute with signed 32-bit numbers.
//!
//! Integers of fewer bits are kept unsigned, those of 32 bits as they are. Integers of 64 bits are kept as long as
//! their values fit into signed 32 bits, and an operation whose result does not is refused; so are rare cases that
//! would need much more code. Before a value can be used, its checks have to hold, in order.

use unpick_automaton::{Binary, Expr, Unary};
use unpick_program::{BinOp, CastOp, CmpOp, Rvalue, Ty, UnOp};

use crate::graph::Arg;

/// The meaning of a check that fails.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FailedCheck {
    /// The program violates a property.
    Violation,
    /// The translation does not cover the operation.
    Refused(&'static str),
}

/// A value and its checks.
pub(crate) struct Value {
    pub checks: Vec<(Expr, FailedCheck)>,
    pub expr: Expr,
}

const LARGE: FailedCheck = FailedCheck::Refused("a number of 64 bits that is large");
const POINTER: FailedCheck = FailedCheck::Refused("arithmetic on a pointer that is none");

pub(crate) fn binary(op: Binary, left: Expr, right: Expr) -> Expr {
    Expr::Binary(op, Box::new(left), Box::new(right))
}

pub(crate) fn not(expr: Expr) -> Expr {
    Expr::Unary(Unary::Not, Box::new(expr))
}

pub(crate) fn number(value: i32) -> Expr {
    Expr::Const(value)
}

pub(crate) fn equal(left: Expr, right: i32) -> Expr {
    binary(Binary::Equal, left, number(right))
}

fn both(left: Expr, right: Expr) -> Expr {
    binary(Binary::And, left, right)
}

fn at_least(left: Expr, right: i32) -> Expr {
    binary(Binary::GreaterEqual, left, number(right))
}

fn within(expr: &Expr, low: i32, high: i32) -> Expr {
    both(at_least(expr.clone(), low), binary(Binary::LessEqual, expr.clone(), number(high)))
}

/// The object of a pointer.
pub(crate) fn object(pointer: &Expr) -> Expr {
    binary(Binary::ShiftRight, pointer.clone(), number(16))
}

/// The low part of a pointer.
pub(crate) fn low(pointer: &Expr) -> Expr {
    binary(Binary::BitAnd, pointer.clone(), number(0xffff))
}

/// Truncates a result to the representation of a type.
fn cut(width: u8, expr: Expr) -> Expr {
    match width {
        1 => binary(Binary::BitAnd, expr, number(1)),
        8 => binary(Binary::BitAnd, expr, number(0xff)),
        16 => binary(Binary::BitAnd, expr, number(0xffff)),
        _ => expr,
    }
}

/// A value sign-extended.
fn signed(width: u8, expr: Expr) -> Expr {
    let sign = match width {
        1 => 1,
        8 => 0x80,
        16 => 0x8000,
        _ => return expr,
    };
    binary(Binary::Subtract, binary(Binary::BitXor, expr, number(sign)), number(sign))
}

/// Translates computations.
pub(crate) struct Arith<'a> {
    /// The expression of an operand, if it has one.
    pub value: &'a dyn Fn(&unpick_program::Operand) -> Result<Arg, crate::Untranslatable>,
    pub expr: &'a dyn Fn(Arg) -> Option<Expr>,
}

impl Arith<'_> {
    /// `None` if the computation is not translated.
    pub fn rvalue(&self, rvalue: &Rvalue) -> Result<Option<Value>, crate::Untranslatable> {
        let get = |operand| -> Result<Option<Expr>, crate::Untranslatable> { Ok((self.expr)((self.value)(operand)?)) };
        let mut checks = Vec::new();
        let expr = match rvalue {
            Rvalue::Use(operand) => get(operand)?,
            Rvalue::Binary(op, Ty::Int(width), left, right) => match (get(left)?, get(right)?) {
                (Some(left), Some(right)) => plain(*op, *width, left, right, &mut checks),
                _ => None,
            },
            Rvalue::Checked(op, Ty::Int(width), left, right) => match (get(left)?, get(right)?) {
                (Some(left), Some(right)) => checked(*op, *width, left, right, &mut checks),
                _ => None,
            },
            Rvalue::Unary(op, Ty::Int(width), operand) => match get(operand)? {
                Some(operand) => unary(*op, *width, operand, &mut checks),
                None => None,
            },
            Rvalue::Compare(op, ty, left, right) => match (get(left)?, get(right)?) {
                (Some(left), Some(right)) => compare(*op, *ty, left, right, &mut checks),
                _ => None,
            },
            Rvalue::Cast(op, from, to, operand) => match get(operand)? {
                Some(operand) => cast(*op, *from, *to, operand, &mut checks),
                None => None,
            },
            Rvalue::PtrAdd { base, index, stride } => match (get(base)?, get(index)?) {
                (Some(base), Some(index)) => moved(base, index, *stride, &mut checks),
                _ => None,
            },
            Rvalue::PtrDiff { left, right, stride } => match (get(left)?, get(right)?, i32::try_from(*stride)) {
                (Some(left), Some(right), Ok(stride)) if stride > 0 => {
                    same_object(&left, &right, &mut checks);
                    let apart = binary(Binary::Subtract, left, right);
                    let rest = binary(Binary::Remainder, apart.clone(), number(stride));
                    checks.push((equal(rest, 0), FailedCheck::Refused("a difference of pointers that is not whole")));
                    Some(binary(Binary::Divide, apart, number(stride)))
                }
                _ => None,
            },
            Rvalue::Select { cond, then, otherwise } => match (get(cond)?, get(then)?, get(otherwise)?) {
                (Some(cond), Some(then), Some(otherwise)) => Some(Expr::Conditional(Box::new((cond, then, otherwise)))),
                _ => None,
            },
            Rvalue::Binary(..) | Rvalue::Checked(..) | Rvalue::Unary(..) | Rvalue::Overflows { .. } => None,
        };
        Ok(expr.map(|expr| Value { checks, expr }))
    }
}

fn is_known(width: u8) -> bool {
    matches!(width, 1 | 8 | 16 | 32 | 64)
}

/// Whether a sum or difference of 32 bits is exact.
fn is_exact(op: BinOp, left: &Expr, right: &Expr, result: &Expr) -> Expr {
    let other = match op {
        // A sum overflows if its operands have one sign and the sum the other.
        BinOp::Add => binary(Binary::BitXor, right.clone(), result.clone()),
        _ => binary(Binary::BitXor, left.clone(), right.clone()),
    };
    let one = binary(Binary::BitXor, left.clone(), result.clone());
    at_least(binary(Binary::BitAnd, one, other), 0)
}

/// A sufficient condition for an exact product.
fn is_small_product(left: &Expr, right: &Expr) -> Expr {
    let small = |expr: &Expr| within(expr, -46_340, 46_340);
    let product = both(small(left), small(right));
    let by_constant = |constant: &Expr, other: &Expr| match constant {
        Expr::Const(value @ 1..) => Some(within(other, i32::MIN / value, i32::MAX / value)),
        Expr::Const(0) => Some(number(1)),
        _ => None,
    };
    by_constant(left, right).or_else(|| by_constant(right, left)).unwrap_or(product)
}

pub(crate) fn plain(
    op: BinOp,
    width: u8,
    left: Expr,
    right: Expr,
    checks: &mut Vec<(Expr, FailedCheck)>,
) -> Option<Expr> {
    if !is_known(width) {
        return None;
    }
    let is_wide = width == 64;
    Some(match op {
        BinOp::Add | BinOp::Sub => {
            let operator = if op == BinOp::Add { Binary::Add } else { Binary::Subtract };
            let result = binary(operator, left.clone(), right.clone());
            if is_wide {
                checks.push((is_exact(op, &left, &right, &result), LARGE));
            }
            cut(width, result)
        }
        BinOp::Mul => {
            if is_wide {
                checks.push((is_small_product(&left, &right), LARGE));
            }
            cut(width, binary(Binary::Multiply, left, right))
        }
        BinOp::And => binary(Binary::BitAnd, left, right),
        BinOp::Or => binary(Binary::BitOr, left, right),
        BinOp::Xor => binary(Binary::BitXor, left, right),
        BinOp::UDiv | BinOp::URem => {
            let is_positive = both(at_least(left.clone(), 0), at_least(right.clone(), 1));
            checks.push((is_positive, FailedCheck::Refused("a division of large numbers, or by zero")));
            binary(if op == BinOp::UDiv { Binary::Divide } else { Binary::Remainder }, left, right)
        }
        BinOp::SDiv | BinOp::SRem => {
            checks.push((at_least(right.clone(), 1), FailedCheck::Refused("a division by a number below one")));
            let (left, right) = (signed(width, left), signed(width, right));
            cut(width, binary(if op == BinOp::SDiv { Binary::Divide } else { Binary::Remainder }, left, right))
        }
        BinOp::Shl | BinOp::LShr | BinOp::AShr => return shift(op, width, left, right, checks),
        BinOp::FAdd | BinOp::FSub | BinOp::FMul | BinOp::FDiv | BinOp::FRem => return None,
    })
}

/// A shift by an amount that is checked to be below the width, or 31.
fn shift(op: BinOp, width: u8, left: Expr, right: Expr, checks: &mut Vec<(Expr, FailedCheck)>) -> Option<Expr> {
    let most = i32::from(width.min(32)) - 1;
    checks.push((within(&right, 0, most), FailedCheck::Refused("a shift by a large amount")));
    Some(match op {
        BinOp::Shl => {
            let result = binary(Binary::ShiftLeft, left.clone(), right.clone());
            if width == 64 {
                let back = binary(Binary::ShiftRight, result.clone(), right);
                checks.push((binary(Binary::Equal, back, left), LARGE));
            }
            cut(width, result)
        }
        BinOp::LShr => {
            checks.push((at_least(left.clone(), 0), FailedCheck::Refused("a shift of a large number")));
            binary(Binary::ShiftRight, left, right)
        }
        BinOp::AShr => cut(width, binary(Binary::ShiftRight, signed(width, left), right)),
        _ => return None,
    })
}

fn checked(op: BinOp, width: u8, left: Expr, right: Expr, checks: &mut Vec<(Expr, FailedCheck)>) -> Option<Expr> {
    let is_wide = width == 64;
    if width != 32 && !is_wide {
        return None;
    }
    Some(match op {
        BinOp::Add | BinOp::Sub => {
            let operator = if op == BinOp::Add { Binary::Add } else { Binary::Subtract };
            let result = binary(operator, left.clone(), right.clone());
            let wrong = if is_wide { LARGE } else { FailedCheck::Violation };
            checks.push((is_exact(op, &left, &right, &result), wrong));
            result
        }
        BinOp::Mul => {
            let wrong = if is_wide { LARGE } else { FailedCheck::Refused("a product that is large") };
            checks.push((is_small_product(&left, &right), wrong));
            binary(Binary::Multiply, left, right)
        }
        BinOp::SDiv | BinOp::SRem => {
            checks.push((right.clone(), FailedCheck::Violation));
            let is_wrong = both(equal(left.clone(), i32::MIN), equal(right.clone(), -1));
            checks.push((not(is_wrong), if is_wide { LARGE } else { FailedCheck::Violation }));
            binary(if op == BinOp::SDiv { Binary::Divide } else { Binary::Remainder }, left, right)
        }
        BinOp::UDiv | BinOp::URem => {
            checks.push((right.clone(), FailedCheck::Violation));
            return plain(op, width, left, right, checks);
        }
        BinOp::Shl | BinOp::LShr | BinOp::AShr => {
            checks.push((within(&right, 0, i32::from(width) - 1), FailedCheck::Violation));
            return shift(op, width, left, right, checks);
        }
        BinOp::And | BinOp::Or | BinOp::Xor => return plain(op, width, left, right, checks),
        BinOp::FAdd | BinOp::FSub | BinOp::FMul | BinOp::FDiv | BinOp::FRem => return None,
    })
}

fn unary(op: UnOp, width: u8, operand: Expr, checks: &mut Vec<(Expr, FailedCheck)>) -> Option<Expr> {
    if !is_known(width) {
        return None;
    }
    let is_least = equal(operand.clone(), i32::MIN);
    match op {
        UnOp::Neg | UnOp::NegChecked => {
            if op == UnOp::NegChecked && width < 32 {
                return None;
            }
            if width == 64 {
                checks.push((not(is_least), LARGE));
            } else if op == UnOp::NegChecked {
                checks.push((not(is_least), FailedCheck::Violation));
            }
            Some(cut(width, Expr::Unary(Unary::Minus, Box::new(operand))))
        }
        UnOp::Not => Some(cut(width, Expr::Unary(Unary::Complement, Box::new(operand)))),
        UnOp::FNeg
        | UnOp::FAbs
        | UnOp::FSqrt
        | UnOp::FFloor
        | UnOp::FCeil
        | UnOp::FTrunc
        | UnOp::FRound
        | UnOp::FRint
        | UnOp::Clz
        | UnOp::Ctz
        | UnOp::Popcount
        | UnOp::Bswap => None,
    }
}

fn same_object(left: &Expr, right: &Expr, checks: &mut Vec<(Expr, FailedCheck)>) {
    let same = binary(Binary::Equal, object(left), object(right));
    checks.push((both(same, at_least(object(left), 1)), FailedCheck::Refused("pointers to different objects")));
}

fn compare(op: CmpOp, ty: Ty, left: Expr, right: Expr, checks: &mut Vec<(Expr, FailedCheck)>) -> Option<Expr> {
    let width = match ty {
        Ty::Int(width) if is_known(width) => width,
        Ty::Ptr => {
            let is_order = !matches!(op, CmpOp::Eq | CmpOp::Ne);
            if is_order {
                same_object(&left, &right, checks);
            }
            // Encoded pointers are positive.
            16
        }
        Ty::Int(_) | Ty::F32 | Ty::F64 | Ty::F80 | Ty::F128 => return None,
    };
    let with_sign = |expr: Expr| signed(width, expr);
    // Unsigned order is signed order once the upper bit is flipped; sign extension preserves both.
    let without = |expr: Expr| match width {
        32 | 64 => binary(Binary::BitXor, expr, number(i32::MIN)),
        _ => expr,
    };
    let (operator, left, right) = match op {
        CmpOp::Eq => (Binary::Equal, left, right),
        CmpOp::Ne => (Binary::NotEqual, left, right),
        CmpOp::SLt => (Binary::Less, with_sign(left), with_sign(right)),
        CmpOp::SLe => (Binary::LessEqual, with_sign(left), with_sign(right)),
        CmpOp::SGt => (Binary::Greater, with_sign(left), with_sign(right)),
        CmpOp::SGe => (Binary::GreaterEqual, with_sign(left), with_sign(right)),
        CmpOp::ULt => (Binary::Less, without(left), without(right)),
        CmpOp::ULe => (Binary::LessEqual, without(left), without(right)),
        CmpOp::UGt => (Binary::Greater, without(left), without(right)),
        CmpOp::UGe => (Binary::GreaterEqual, without(left), without(right)),
        CmpOp::FEq | CmpOp::FNe | CmpOp::FLt | CmpOp::FLe | CmpOp::FGt | CmpOp::FGe | CmpOp::FUno => return None,
    };
    if ty == Ty::Ptr && matches!(op, CmpOp::SLt | CmpOp::SLe | CmpOp::SGt | CmpOp::SGe) {
        return None;
    }
    Some(binary(operator, left, right))
}

fn cast(op: CastOp, from: Ty, to: Ty, operand: Expr, checks: &mut Vec<(Expr, FailedCheck)>) -> Option<Expr> {
    let is_number = within(&object(&operand), -1, 0);
    match (op, from, to) {
        (CastOp::ZeroExtend, Ty::Int(from), Ty::Int(to)) if is_known(from) && is_known(to) => {
            if from == 32 && to == 64 {
                checks.push((at_least(operand.clone(), 0), LARGE));
            }
            Some(operand)
        }
        (CastOp::SignExtend, Ty::Int(from), Ty::Int(to)) if is_known(from) && is_known(to) => {
            Some(cut(to, signed(from, operand)))
        }
        (CastOp::Truncate, Ty::Int(from), Ty::Int(to)) if is_known(from) && is_known(to) => Some(cut(to, operand)),
        (CastOp::PtrToInt, Ty::Ptr, Ty::Int(64)) => {
            checks.push((is_number, FailedCheck::Refused("a pointer that becomes a number")));
            Some(operand)
        }
        (CastOp::IntToPtr, Ty::Int(64), Ty::Ptr) => {
            checks.push((is_number, FailedCheck::Refused("a large number that becomes a pointer")));
            Some(operand)
        }
        (CastOp::Bitcast, from, to) if from == to => Some(operand),
        _ => None,
    }
}

/// `base + index * stride`
fn moved(base: Expr, index: Expr, stride: i64, checks: &mut Vec<(Expr, FailedCheck)>) -> Option<Expr> {
    let stride = i32::try_from(stride).ok().filter(|stride| stride.unsigned_abs() < 0x8000 && *stride != 0)?;
    let most = 0xffff / stride.abs();
    checks.push((within(&index, -most, most), FailedCheck::Refused("an address far from its object")));
    checks.push((at_least(object(&base), 1), POINTER));
    let by = binary(Binary::Multiply, index, number(stride));
    checks.push((within(&binary(Binary::Add, low(&base), by.clone()), 0, 0xffff), POINTER));
    Some(binary(Binary::Add, base, by))
}
