//! Promela trees by hand: names, numbers, places, and conversions that C has and Promela has not.

use unpick_front_c::ast::BinaryOp;
use unpick_front_c::types::IntKind;
use unpick_front_promela::syntax::{
    At, Binary, Expr, ExprKind as To, Literal, Name, Step, Stmt, StmtKind, Unary, VarRef,
};

use super::INNER;
use crate::embed::code_expr;

/// A statement as a step.
pub fn step(kind: StmtKind) -> Step {
    Step::Stmt(Stmt { kind, at: At::default() })
}

/// An expression of no place in particular.
pub fn at(kind: To) -> Expr {
    Expr { kind, at: At::default() }
}

/// A variable by its name.
pub fn var(name: Name) -> Expr {
    at(To::Var(var_ref(name)))
}

/// A variable by its name, to be written.
pub fn var_ref(name: Name) -> VarRef {
    VarRef { name, index: None, field: None, at: At::default() }
}

/// A number.
pub fn int(value: i32) -> Expr {
    if value >= 0 {
        return at(To::Literal(value, Literal::Number));
    }
    // The smallest number has no positive twin.
    match value.checked_neg() {
        Some(positive) => unary(Unary::Minus, at(To::Literal(positive, Literal::Number))),
        None => binary(Binary::Subtract, int(-i32::MAX), int(1)),
    }
}

/// `true`.
pub fn truth() -> Expr {
    at(To::Literal(1, Literal::True))
}

/// `false`.
pub fn falsehood() -> Expr {
    at(To::Literal(0, Literal::False))
}

/// `!operand`, without two strokes in a row.
pub fn negation(operand: Expr) -> Expr {
    match operand.kind {
        To::Unary(Unary::Not, inner) => *inner,
        To::Code(code) => code_expr(&negated_code(code.text.trim())),
        _ => unary(Unary::Not, operand),
    }
}

/// The negation of embedded C.
fn negated_code(text: &str) -> String {
    let mut depth = 0;
    let has_operator = text.chars().any(|letter| {
        depth += i32::from(matches!(letter, '(' | '[')) - i32::from(matches!(letter, ')' | ']'));
        letter == ' ' && depth == 0
    });
    match text.strip_prefix('!') {
        Some(inner) if !has_operator => inner.to_owned(),
        None if !has_operator => format!("!{text}"),
        Some(_) | None => format!("!({text})"),
    }
}

pub(crate) fn unary(op: Unary, operand: Expr) -> Expr {
    at(To::Unary(op, Box::new(operand)))
}

pub(crate) fn binary(op: Binary, left: Expr, right: Expr) -> Expr {
    at(To::Binary(op, Box::new(left), Box::new(right)))
}

pub(crate) fn path(parts: Vec<(Name, Option<Expr>)>) -> VarRef {
    let mut result: Option<VarRef> = None;
    for (name, index) in parts.into_iter().rev() {
        let field = result.take().map(Box::new);
        result = Some(VarRef { name, index: index.map(Box::new), field, at: At::default() });
    }
    result.expect("a path should have a name")
}

pub(super) fn last_of(var: &mut VarRef) -> &mut VarRef {
    match var.field {
        Some(ref mut field) => last_of(field),
        None => var,
    }
}

pub(crate) fn indexed(var: &VarRef, index: &Expr) -> VarRef {
    let mut var = var.clone();
    let last = last_of(&mut var);
    if last.index.is_none() {
        last.index = Some(Box::new(index.clone()));
    } else {
        let inner =
            VarRef { name: Name::from(INNER), index: Some(Box::new(index.clone())), field: None, at: At::default() };
        last.field = Some(Box::new(inner));
    }
    var
}

pub(crate) fn with_field(var: &VarRef, name: &str) -> VarRef {
    let mut var = var.clone();
    last_of(&mut var).field = Some(Box::new(var_ref(Name::from(name))));
    var
}

pub(super) fn is_truth(expr: &Expr) -> bool {
    match &expr.kind {
        To::Literal(value, _) => (0..=1).contains(value),
        To::Unary(Unary::Not, _) => true,
        To::Binary(op, ..) => matches!(
            op,
            Binary::Or
                | Binary::And
                | Binary::Equal
                | Binary::NotEqual
                | Binary::Less
                | Binary::LessEqual
                | Binary::Greater
                | Binary::GreaterEqual
        ),
        _ => false,
    }
}

/// Whether a variable of this type cuts what is assigned to it as C does for this kind.
pub(super) fn cuts_itself(ty: &unpick_front_promela::syntax::TypeName, to: IntKind) -> bool {
    use unpick_front_promela::syntax::TypeName;
    match to {
        IntKind::UChar => *ty == TypeName::Byte,
        IntKind::Short => *ty == TypeName::Short,
        IntKind::UShort => *ty == TypeName::Unsigned,
        IntKind::Bool | IntKind::Char | IntKind::SChar => false,
        _ => true,
    }
}

/// A value cut to the width of a type, unless it fits for sure.
pub(super) fn cut(value: Expr, from: Option<IntKind>, to: IntKind) -> Expr {
    let (min, max) = match to {
        IntKind::Bool => (0, 1),
        IntKind::Char | IntKind::SChar => (-128, 127),
        IntKind::UChar => (0, 255),
        IntKind::Short => (-32768, 32767),
        IntKind::UShort => (0, 65535),
        _ => return value,
    };
    let range = match &value.kind {
        To::Literal(value, _) => (i64::from(*value), i64::from(*value)),
        To::Unary(Unary::Minus, operand) => match operand.kind {
            To::Literal(value, _) => (-i64::from(value), -i64::from(value)),
            _ => (i64::MIN, i64::MAX),
        },
        _ if is_truth(&value) => (0, 1),
        _ => match from {
            Some(IntKind::Bool) => (0, 1),
            Some(IntKind::Char | IntKind::SChar) => (-128, 127),
            Some(IntKind::UChar) => (0, 255),
            Some(IntKind::Short) => (-32768, 32767),
            Some(IntKind::UShort) => (0, 65535),
            _ => (i64::MIN, i64::MAX),
        },
    };
    if min <= range.0 && range.1 <= max {
        return value;
    }
    match to {
        IntKind::Bool => binary(Binary::NotEqual, value, int(0)),
        IntKind::UChar | IntKind::UShort => binary(Binary::BitAnd, value, int(max as i32)),
        _ => {
            // Cut, then moved back below zero.
            let half = (max + 1) as i32;
            let low = binary(Binary::BitAnd, value, int(2 * half - 1));
            binary(Binary::Subtract, binary(Binary::BitXor, low, int(half)), int(half))
        }
    }
}

/// An operator between two values; numbers of objects in a row are added and subtracted like others.
pub(super) fn sum(op: Binary, left: Expr, right: Expr) -> Expr {
    match (&left.kind, op, &right.kind) {
        (To::Literal(left, _), Binary::Add, To::Literal(right, _)) if left.checked_add(*right).is_some() => {
            int(left + right)
        }
        _ => binary(op, left, right),
    }
}

pub(super) fn binary_op(op: BinaryOp) -> Binary {
    match op {
        BinaryOp::Mul => Binary::Multiply,
        BinaryOp::Div => Binary::Divide,
        BinaryOp::Rem => Binary::Remainder,
        BinaryOp::Add => Binary::Add,
        BinaryOp::Sub => Binary::Subtract,
        BinaryOp::Shl => Binary::ShiftLeft,
        BinaryOp::Shr => Binary::ShiftRight,
        BinaryOp::Lt => Binary::Less,
        BinaryOp::Gt => Binary::Greater,
        BinaryOp::Le => Binary::LessEqual,
        BinaryOp::Ge => Binary::GreaterEqual,
        BinaryOp::Eq => Binary::Equal,
        BinaryOp::Ne => Binary::NotEqual,
        BinaryOp::BitAnd => Binary::BitAnd,
        BinaryOp::BitXor => Binary::BitXor,
        BinaryOp::BitOr => Binary::BitOr,
        BinaryOp::PtrAdd => Binary::Add,
        BinaryOp::PtrSub | BinaryOp::PtrDiff => Binary::Subtract,
    }
}
