//! Printer of expressions with minimal parentheses.

use std::fmt::Write as _;

use super::{Printer, literal, types};
use crate::ast::{BinaryOp, CastKind, ExprId, ExprKind, UnaryOp};
use crate::types::{IntKind, RecordId, TyId, Type};

/// Binding strength, loosest first.
pub(super) const COMMA: u8 = 1;
pub(super) const ASSIGN: u8 = 2;
const COND: u8 = 3;
const LOG_OR: u8 = 4;
const LOG_AND: u8 = 5;
const EQUALITY: u8 = 9;
const RELATION: u8 = 10;
const SHIFT: u8 = 11;
const SUM: u8 = 12;
const PRODUCT: u8 = 13;
pub(super) const UNARY: u8 = 14;
const POSTFIX: u8 = 15;
pub(super) const PRIMARY: u8 = 16;

impl Printer<'_> {
    /// Prints `expr`, in parentheses if it binds more loosely than `least`.
    pub(super) fn expr(&mut self, expr: ExprId, least: u8) {
        if let Some(name) = self.held_back.get(&expr) {
            self.out.push_str(name);
            return;
        }
        let expr = self.visible(expr);
        let strength = self.strength(expr);
        if strength < least {
            self.out.push('(');
            self.bare_expr(expr);
            self.out.push(')');
        } else {
            self.bare_expr(expr);
        }
    }

    /// The expression under conversions that are not printed.
    pub(super) fn visible(&self, mut expr: ExprId) -> ExprId {
        while let ExprKind::Cast { operand, .. } = self.unit.exprs[expr].kind {
            if self.is_cast_printed(expr) || self.is_list_decay(expr) || self.is_pointed(expr) {
                break;
            }
            expr = operand;
        }
        expr
    }

    fn is_cast_printed(&self, expr: ExprId) -> bool {
        let node = &self.unit.exprs[expr];
        let ExprKind::Cast { kind, is_implicit, .. } = node.kind else { return false };
        match kind {
            CastKind::Load | CastKind::ArrayDecay | CastKind::FunctionDecay => false,
            CastKind::IntToInt
            | CastKind::ToBool
            | CastKind::IntToFloat
            | CastKind::FloatToInt
            | CastKind::FloatToFloat
            | CastKind::IntToPointer
            | CastKind::PointerToInt
            | CastKind::PointerToPointer
            | CastKind::NullToPointer => {
                if kind == CastKind::NullToPointer && self.spellings.is_some() {
                    return true;
                }
                // The bounds in a parameter's type have no meaning at the call.
                let is_nameable = !self.unit.types.is_variably_modified(node.ty.ty);
                !is_implicit || (self.options.explicit_conversions && is_nameable)
            }
            CastKind::NoOp | CastKind::ToVoid | CastKind::ToUnion | CastKind::Complex | CastKind::Vector => {
                !is_implicit
            }
        }
    }

    /// The conversion of a `va_list` object to the pointer it is passed as.
    fn is_list_decay(&self, expr: ExprId) -> bool {
        match self.unit.exprs[expr].kind {
            ExprKind::Cast { kind: CastKind::ArrayDecay, operand, .. } => {
                self.unit.exprs[operand].ty.ty == TyId::VALIST
            }
            _ => false,
        }
    }

    fn strength(&self, expr: ExprId) -> u8 {
        let node = &self.unit.exprs[expr];
        if self.is_pointed(expr) {
            return PRIMARY;
        }
        match node.kind {
            ExprKind::Decl(_)
            | ExprKind::Str { .. }
            | ExprKind::Builtin { .. }
            | ExprKind::VaArg { .. }
            | ExprKind::StmtExpr(_)
            | ExprKind::CondValue
            | ExprKind::Float(_)
            | ExprKind::Error => PRIMARY,
            ExprKind::Int(value) if self.spellings.is_some() => {
                if value < 0 && self.spelling(expr).is_none() {
                    UNARY
                } else {
                    PRIMARY
                }
            }
            ExprKind::Int(value) => match self.unit.types.get(node.ty.ty) {
                Type::Int(kind) => literal::int(value, *kind).1,
                _ => UNARY,
            },
            ExprKind::Member { .. }
            | ExprKind::Index { .. }
            | ExprKind::CompoundLiteral { .. }
            | ExprKind::Call { .. }
            | ExprKind::IncDec { is_prefix: false, .. } => POSTFIX,
            ExprKind::Deref(pointer) => {
                if self.subscript(pointer).is_some() {
                    POSTFIX
                } else {
                    UNARY
                }
            }
            ExprKind::Cast { kind: CastKind::NullToPointer, .. } if self.spellings.is_some() => PRIMARY,
            ExprKind::IncDec { is_prefix: true, .. }
            | ExprKind::LabelAddr(_)
            | ExprKind::AddrOf(_)
            | ExprKind::Cast { .. }
            | ExprKind::Unary(..)
            | ExprKind::SizeofVla(_) => UNARY,
            ExprKind::Binary(op, ..) => binary_strength(op),
            ExprKind::Cond { .. } | ExprKind::CondElvis { .. } => COND,
            ExprKind::LogAnd(..) => LOG_AND,
            ExprKind::LogOr(..) => LOG_OR,
            ExprKind::Comma(..) => COMMA,
            ExprKind::Assign { .. } | ExprKind::CompoundAssign { .. } => ASSIGN,
        }
    }

    fn bare_expr(&mut self, expr: ExprId) {
        let unit = self.unit;
        let node = &unit.exprs[expr];
        if self.is_pointed(expr) {
            return self.pointed(expr);
        }
        match &node.kind {
            ExprKind::Decl(decl) => {
                let name = self.decl_name(*decl);
                self.out.push_str(&name);
            }
            ExprKind::Deref(pointer) => self.deref(*pointer),
            ExprKind::Member { base, record, index } => self.member(*base, *record, *index),
            ExprKind::Index { base, index } => {
                self.expr(*base, POSTFIX);
                self.bracketed(*index);
            }
            ExprKind::CompoundLiteral { init, .. } => {
                let name = self.declare(node.ty, String::new());
                let _ = write!(self.out, "({name})");
                self.braced_init(init, node.ty.ty);
            }
            ExprKind::Str { units, encoding } => self.out.push_str(&literal::literal(units, *encoding)),
            ExprKind::Int(value) if self.spellings.is_some() => {
                let text = self.spelling(expr).unwrap_or_else(|| value.to_string());
                self.out.push_str(&text);
            }
            ExprKind::Int(value) => match self.spelling.and_then(|spelling| spelling.constant(expr)) {
                Some(name) => self.out.push_str(&name),
                None => self.int(*value, node.ty.ty),
            },
            ExprKind::Float(digits) => {
                let text = match unit.types.get(node.ty.ty) {
                    Type::Float(kind) => literal::float(digits, *kind, false),
                    Type::Complex(kind) => literal::float(digits, *kind, true),
                    _ => digits.to_string(),
                };
                self.out.push_str(&text);
            }
            ExprKind::LabelAddr(label) => {
                let name = self.label_name(*label);
                let _ = write!(self.out, "&&{name}");
            }
            ExprKind::AddrOf(lvalue) => self.prefixed("&", *lvalue),
            ExprKind::Cast { operand, .. } if self.is_list_decay(expr) => self.prefixed("&", *operand),
            ExprKind::Cast { kind: CastKind::NullToPointer, .. } if self.spellings.is_some() => {
                self.out.push_str("NULL")
            }
            ExprKind::Cast { operand, .. } => {
                let name = self.type_name(node.ty.ty);
                let _ = write!(self.out, "({name})");
                self.expr(*operand, UNARY);
            }
            ExprKind::Unary(op, operand) => self.prefixed(unary_text(*op), *operand),
            ExprKind::Binary(op, left, right) => {
                let strength = binary_strength(*op);
                self.infix(*left, strength, binary_text(*op), *right, strength + 1);
            }
            ExprKind::Cond { cond, then, otherwise } => {
                self.expr(*cond, COND + 1);
                self.out.push_str(" ? ");
                self.expr(*then, COMMA);
                self.out.push_str(" : ");
                self.expr(*otherwise, COND);
            }
            ExprKind::CondElvis { cond, otherwise, .. } => self.infix(*cond, COND + 1, "?:", *otherwise, COND),
            ExprKind::LogAnd(left, right) => self.infix(*left, LOG_AND, "&&", *right, LOG_AND + 1),
            ExprKind::LogOr(left, right) => self.infix(*left, LOG_OR, "||", *right, LOG_OR + 1),
            ExprKind::Comma(left, right) => {
                self.expr(*left, COMMA);
                self.out.push_str(", ");
                self.expr(*right, ASSIGN);
            }
            ExprKind::Assign { lhs, rhs } => self.infix(*lhs, UNARY, "=", *rhs, ASSIGN),
            ExprKind::CompoundAssign { op, lhs, rhs, .. } => {
                let text = format!("{}=", binary_text(*op));
                self.infix(*lhs, UNARY, &text, *rhs, ASSIGN);
            }
            ExprKind::IncDec { lhs, is_inc, is_prefix } => {
                let text = if *is_inc { "++" } else { "--" };
                if *is_prefix {
                    self.prefixed(text, *lhs);
                } else {
                    self.expr(*lhs, POSTFIX);
                    self.out.push_str(text);
                }
            }
            ExprKind::Call { callee, args } => {
                self.expr(*callee, POSTFIX);
                self.arguments(args);
            }
            ExprKind::Builtin { builtin, args } => self.builtin(expr, *builtin, args, node.ty.ty),
            ExprKind::VaArg { list } => {
                self.out.push_str("__builtin_va_arg(");
                self.list_argument(*list);
                let name = self.type_name(node.ty.ty);
                let _ = write!(self.out, ", {name})");
            }
            ExprKind::StmtExpr(body) => self.stmt_expr(*body),
            ExprKind::SizeofVla(ty) => {
                let name = self.declare(*ty, String::new());
                let _ = write!(self.out, "sizeof({name})");
            }
            ExprKind::CondValue | ExprKind::Error => self.out.push('0'),
        }
    }

    fn int(&mut self, value: i128, ty: TyId) {
        match self.unit.types.get(ty) {
            Type::Int(kind) => self.out.push_str(&literal::int(value, *kind).0),
            _ => {
                let kind = self.unit.types.int_kind_of(ty).unwrap_or(IntKind::Int);
                let name = self.type_name(ty);
                let wide = if kind.rank() < IntKind::Int.rank() { IntKind::Int } else { kind };
                let _ = write!(self.out, "({name}){}", literal::int(value, wide).0);
            }
        }
    }

    /// How the source writes a constant, if it is a name, a character or `sizeof`.
    fn spelling(&self, expr: ExprId) -> Option<String> {
        let text = self.spellings?.snippet(self.unit.exprs[expr].span).trim();
        let is_word = |character: char| character.is_alphanumeric() || character == '_';
        let starts_with_letter = text.starts_with(|first: char| first.is_alphabetic() || first == '_');
        let is_name = starts_with_letter && text.chars().all(is_word) && !text.starts_with("__builtin");
        let is_size = text.starts_with("sizeof") && text.ends_with([')', '_']) || text.starts_with("sizeof ");
        let is_character = text.len() >= 3 && text.starts_with('\'') && text.ends_with('\'');
        (is_name || is_size || is_character).then(|| text.split_whitespace().collect::<Vec<_>>().join(" "))
    }

    /// Pointer and offset of an access that reads better as a subscript.
    fn subscript(&self, pointer: ExprId) -> Option<(ExprId, ExprId)> {
        let ExprKind::Binary(BinaryOp::PtrAdd, base, index) = self.unit.exprs[self.visible(pointer)].kind else {
            return None;
        };
        let pointee = self.unit.types.pointee_of(self.unit.exprs[base].ty.ty)?;
        let is_object = !matches!(self.unit.types.get(pointee.ty), Type::Void | Type::Function(_));
        is_object.then_some((base, index))
    }

    fn deref(&mut self, pointer: ExprId) {
        match self.subscript(pointer) {
            Some((base, index)) => {
                self.expr(base, POSTFIX);
                self.bracketed(index);
            }
            None => self.prefixed("*", pointer),
        }
    }

    /// A member; the anonymous records on the way to it are not named.
    fn member(&mut self, base: ExprId, record: RecordId, index: u32) {
        let Some(field) = self.unit.types.records[record].fields.get(index as usize) else { return };
        let Some(name) = field.name.filter(|_| !types::is_anonymous_member(field)) else {
            return self.expr(base, POSTFIX);
        };
        let mut base = self.visible(base);
        while let ExprKind::Member { base: outer, record, index } = self.unit.exprs[base].kind {
            let is_anonymous =
                self.unit.types.records[record].fields.get(index as usize).is_some_and(types::is_anonymous_member);
            if !is_anonymous {
                break;
            }
            base = self.visible(outer);
        }
        match self.unit.exprs[base].kind {
            ExprKind::Deref(pointer) if self.subscript(pointer).is_none() => {
                self.expr(pointer, POSTFIX);
                self.out.push_str("->");
            }
            _ => {
                self.expr(base, POSTFIX);
                self.out.push('.');
            }
        }
        self.out.push_str(self.interner.name(name));
        let stroke = self.tags.stroke(&self.unit.types.records[record]);
        self.out.push_str(stroke);
    }

    fn bracketed(&mut self, index: ExprId) {
        self.out.push('[');
        self.expr(index, COMMA);
        self.out.push(']');
    }

    pub(super) fn arguments(&mut self, args: &[ExprId]) {
        self.out.push('(');
        for (position, &arg) in args.iter().enumerate() {
            if position > 0 {
                self.out.push_str(", ");
            }
            self.expr(arg, ASSIGN);
        }
        self.out.push(')');
    }

    /// The list of a `va_` operation: the object itself, also where the tree has its address.
    pub(super) fn list_argument(&mut self, list: ExprId) {
        if self.is_list_decay(list) {
            if let ExprKind::Cast { operand, .. } = self.unit.exprs[list].kind {
                self.expr(operand, ASSIGN);
            }
        } else if self.unit.types.pointee_of(self.unit.exprs[list].ty.ty).is_some_and(|to| to.ty == TyId::VALIST) {
            self.prefixed("*", list);
        } else {
            self.expr(list, ASSIGN);
        }
    }

    /// An operator before its operand, kept apart from an operand that starts with the same character.
    fn prefixed(&mut self, operator: &str, operand: ExprId) {
        self.out.push_str(operator);
        let start = self.out.len();
        self.expr(operand, UNARY);
        let last = operator.as_bytes().last();
        if matches!(last, Some(b'-' | b'+' | b'&')) && self.out.as_bytes().get(start) == last {
            self.out.insert(start, ' ');
        }
    }

    fn infix(&mut self, left: ExprId, least_left: u8, operator: &str, right: ExprId, least_right: u8) {
        self.expr(left, least_left);
        let _ = write!(self.out, " {operator} ");
        self.expr(right, least_right);
    }
}

fn unary_text(op: UnaryOp) -> &'static str {
    match op {
        UnaryOp::Neg => "-",
        UnaryOp::BitNot => "~",
        UnaryOp::LogNot => "!",
        UnaryOp::Plus => "+",
        UnaryOp::Real => "__real__ ",
        UnaryOp::Imag => "__imag__ ",
    }
}

pub(super) fn binary_text(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Mul => "*",
        BinaryOp::Div => "/",
        BinaryOp::Rem => "%",
        BinaryOp::Add | BinaryOp::PtrAdd => "+",
        BinaryOp::Sub | BinaryOp::PtrSub | BinaryOp::PtrDiff => "-",
        BinaryOp::Shl => "<<",
        BinaryOp::Shr => ">>",
        BinaryOp::Lt => "<",
        BinaryOp::Gt => ">",
        BinaryOp::Le => "<=",
        BinaryOp::Ge => ">=",
        BinaryOp::Eq => "==",
        BinaryOp::Ne => "!=",
        BinaryOp::BitAnd => "&",
        BinaryOp::BitXor => "^",
        BinaryOp::BitOr => "|",
    }
}

fn binary_strength(op: BinaryOp) -> u8 {
    match op {
        BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem => PRODUCT,
        BinaryOp::Add | BinaryOp::Sub | BinaryOp::PtrAdd | BinaryOp::PtrSub | BinaryOp::PtrDiff => SUM,
        BinaryOp::Shl | BinaryOp::Shr => SHIFT,
        BinaryOp::Lt | BinaryOp::Gt | BinaryOp::Le | BinaryOp::Ge => RELATION,
        BinaryOp::Eq | BinaryOp::Ne => EQUALITY,
        BinaryOp::BitAnd => 8,
        BinaryOp::BitXor => 7,
        BinaryOp::BitOr => 6,
    }
}
