//! Printer of expressions, with the parentheses that precedence requires.

use crate::lexer::char_spelling;
use crate::syntax::{Binary, Expr, ExprKind, Literal, VarRef};

/// Tighter than every operator between operands.
const UNARY: u8 = 20;

/// The expression as text.
pub fn expr_text(expr: &Expr) -> String {
    let mut text = String::new();
    put(&mut text, expr, 0);
    text
}

/// A variable as text.
pub fn var_text(var: &VarRef) -> String {
    let mut text = var.name.to_string();
    if let Some(index) = &var.index {
        text.push_str(&format!("[{}]", expr_text(index)));
    }
    if let Some(field) = &var.field {
        text.push_str(&format!(".{}", var_text(field)));
    }
    text
}

/// A condition as a statement: parenthesised unless it is a single word, as the field writes it.
pub(super) fn condition_text(expr: &Expr) -> String {
    match &expr.kind {
        ExprKind::Binary(..) | ExprKind::Unary(..) => format!("({})", expr_text(expr)),
        _ => expr_text(expr),
    }
}

/// A constant that a message has to match; only here a number carries its sign.
pub(super) fn constant_text(expr: &Expr) -> String {
    match &expr.kind {
        ExprKind::Literal(value, literal) if *value < 0 => match literal {
            Literal::Number => value.to_string(),
            Literal::Char => format!("-{}", char_spelling(value.wrapping_neg() as u8)),
            Literal::True | Literal::False => "-true".to_owned(),
            Literal::Skip => "-skip".to_owned(),
        },
        _ => expr_text(expr),
    }
}

fn put(text: &mut String, expr: &Expr, least: u8) {
    match &expr.kind {
        ExprKind::Literal(value, literal) => match literal {
            // A number that was cut to 32 bits is cut to the same bits again.
            Literal::Number => text.push_str(&(*value as u32).to_string()),
            Literal::Char => text.push_str(&char_spelling(*value as u8)),
            Literal::True => text.push_str("true"),
            Literal::False => text.push_str("false"),
            Literal::Skip => text.push_str("skip"),
        },
        ExprKind::Var(var) => text.push_str(&var_text(var)),
        ExprKind::Unary(operator, operand) => {
            text.push_str(operator.spelling());
            if operator.is_temporal() {
                text.push(' ');
            }
            let needs_parens = matches!(operand.kind, ExprKind::Unary(..) | ExprKind::Binary(..));
            put_if(text, operand, needs_parens);
        }
        ExprKind::Binary(operator, left, right) => put_binary(text, *operator, left, right, least),
        ExprKind::Conditional(condition, yes, no) => {
            text.push('(');
            put(text, condition, 0);
            text.push_str(" -> ");
            put(text, yes, 0);
            text.push_str(" : ");
            put(text, no, 0);
            text.push(')');
        }
        ExprKind::Run { name, args, priority } => {
            text.push_str(&format!("run {name}({})", super::list_text(args)));
            if let Some(priority) = priority {
                text.push_str(&format!(" priority {}", *priority as u32));
            }
        }
        ExprKind::Len(var) => text.push_str(&format!("len({})", var_text(var))),
        ExprKind::Probe(probe, var) => text.push_str(&format!("{}({})", probe.spelling(), var_text(var))),
        ExprKind::Poll(poll) => {
            let operator = if poll.is_random { "??" } else { "?" };
            let args = super::receive_args_text(&poll.args);
            text.push_str(&format!("{}{operator}[{args}]", var_text(&poll.channel)));
        }
        ExprKind::Enabled(pid) => text.push_str(&format!("enabled({})", expr_text(pid))),
        ExprKind::GetPriority(pid) => text.push_str(&format!("get_priority({})", expr_text(pid))),
        ExprKind::PcValue(pid) => text.push_str(&format!("pc_value({})", expr_text(pid))),
        ExprKind::Timeout => text.push_str("timeout"),
        ExprKind::NonProgress => text.push_str("np_"),
        ExprKind::RemoteLabel { proctype, pid, label } => {
            text.push_str(&format!("{proctype}{}@{label}", pid_text(pid)));
        }
        ExprKind::RemoteVar { proctype, pid, var } => {
            text.push_str(&format!("{proctype}{}:{}", pid_text(pid), var_text(var)));
        }
        ExprKind::Code(code) => text.push_str(&code.spelling()),
    }
}

fn pid_text(pid: &Option<Box<Expr>>) -> String {
    pid.as_ref().map_or(String::new(), |pid| format!("[{}]", expr_text(pid)))
}

fn put_binary(text: &mut String, operator: Binary, left: &Expr, right: &Expr, least: u8) {
    let precedence = operator.precedence();
    let needs_parens = precedence < least;
    if needs_parens {
        text.push('(');
    }
    put(text, left, precedence);
    text.push_str(&format!(" {} ", operator.spelling()));
    put(text, right, precedence + 1);
    if needs_parens {
        text.push(')');
    }
}

fn put_if(text: &mut String, expr: &Expr, needs_parens: bool) {
    if needs_parens {
        text.push('(');
        put(text, expr, 0);
        text.push(')');
    } else {
        put(text, expr, UNARY);
    }
}
