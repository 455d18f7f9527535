//! CBMC's `__CPROVER_forall { T i; range ==> claim }` and `__CPROVER_exists { T i; range && claim }`.
//!
//! The range has to be bounded, so that the quantifier is a loop: with `first <= i && i < end` somewhere in front of the
//! implication, or among the conjuncts, it becomes
//! `({ T i = first; while (i < end && claim) i++; !(i < end); })`. Bounds stand in several places of the result; as trees
//! are not copied, their tokens are parsed again.

use unpick_base::{Diagnostic, Severity, Span};

use super::declaration::Declared;
use super::specifier::Place;
use super::{Failed, Parsed, Parser};
use crate::lexer::TokenKind;
use crate::syntax::{
    BinaryOp, Block, BlockItem, Declaration, Expr, ExprKind, Ident, Initializer, IntLit, IntSize, Stmt, StmtKind,
    UnaryOp,
};

/// The bounds of a range, by their places in the source.
#[derive(Default)]
struct Bounds {
    /// The least value, and whether the variable is greater than it.
    first: Option<(Span, bool)>,
    /// The whole comparison.
    end: Option<Span>,
}

impl Parser {
    pub(super) fn at_quantifier(&self) -> bool {
        self.kind_at(1) == TokenKind::LBrace
            && matches!(self.spelling(self.span()), "__CPROVER_forall" | "__CPROVER_exists")
    }

    pub(super) fn quantifier(&mut self) -> Parsed<Expr> {
        let start = self.position;
        let outer = self.enter()?;
        self.names.open();
        let parsed = self.quantifier_inside();
        self.names.close();
        self.leave(outer);
        let block = parsed?;
        Ok(Expr { kind: ExprKind::StmtExpr(Box::new(block)), span: self.span_from(start) })
    }

    fn quantifier_inside(&mut self) -> Parsed<Block> {
        let start = self.position;
        let word = self.bump().span;
        let is_forall = self.spelling(word) == "__CPROVER_forall";
        let open = self.expect(TokenKind::LBrace, "behind the quantifier")?.span;
        let declared_at = self.position;
        let Declared::Declaration(mut declaration) = self.declaration(Place::Block, Vec::new())? else {
            self.error(word, "a quantifier begins with the declaration of a variable");
            return Err(Failed);
        };
        let is_unsigned = self.names_unsigned_type(declared_at);
        let Some(variable) = single_variable(&declaration) else {
            self.error(word, "a quantifier binds one variable without an initial value");
            return Err(Failed);
        };
        let claim = self.expression()?;
        self.eat(TokenKind::Semi);
        self.expect_close(TokenKind::RBrace, open, "behind the claim")?;
        let end = self.position;
        let mut bounds = Bounds::default();
        find_bounds(&claim, variable, is_forall, &mut bounds);
        let (Some(condition), Some(again)) = (self.end_of(&bounds)?, self.end_of(&bounds)?) else {
            return self.not_bounded(word, variable);
        };
        let first = match bounds.first {
            Some((at, is_greater)) => {
                let value = self.parse_again(at, 8)?;
                if is_greater { sum(value, number(1, at)) } else { value }
            }
            None if is_unsigned => number(0, word),
            None => return self.not_bounded(word, variable),
        };
        self.position = end;
        if let Some(declarator) = declaration.declarators.first_mut() {
            declarator.init = Some(Initializer::Expr(first));
        }
        let span = self.span_from(start);
        // A loop over `forall` ends early where the claim fails, one over `exists` where it holds.
        let still = if is_forall { claim } else { not(claim) };
        let goes_on = Expr { kind: ExprKind::Binary(BinaryOp::LogAnd, Box::new(condition), Box::new(still)), span };
        let step = Expr { kind: ExprKind::Unary(UnaryOp::PreInc, Box::new(name(variable))), span };
        let body = Box::new(Stmt { kind: StmtKind::Expr(step), span });
        let answer = if is_forall { not(again) } else { not(not(again)) };
        let items = vec![
            BlockItem::Declaration(declaration),
            BlockItem::Stmt(Stmt { kind: StmtKind::While { cond: goes_on, body }, span }),
            BlockItem::Stmt(Stmt { kind: StmtKind::Expr(answer), span }),
        ];
        Ok(Block { items, span })
    }

    fn not_bounded<T>(&mut self, word: Span, variable: Ident) -> Parsed<T> {
        let name = self.spelling(variable.span).to_owned();
        let message = format!("the range of `{name}` is not bounded");
        let help = format!(
            "write `0 <= {name} && {name} < n ==> ...` behind `__CPROVER_forall`, and `&&` for `==>` behind \
             `__CPROVER_exists`"
        );
        self.report(Diagnostic::new(Severity::Error, word, message).help(help));
        Err(Failed)
    }

    /// The comparison with the end of the range.
    fn end_of(&mut self, bounds: &Bounds) -> Parsed<Option<Expr>> {
        bounds.end.map(|span| self.parse_again(span, 7)).transpose()
    }

    /// The expression that begins at a place, whose operators bind at least as tightly as `min`.
    fn parse_again(&mut self, span: Span, min: u8) -> Parsed<Expr> {
        let here = self.position;
        self.position = self.tokens.partition_point(|token| token.span.lo < span.lo);
        let parsed = self.binary(min);
        self.position = here;
        parsed
    }

    /// Whether the type that is declared at a token begins at zero.
    fn names_unsigned_type(&self, from: usize) -> bool {
        let words = self.tokens[from..self.position].iter().map(|token| self.spelling(token.span));
        let is_unsigned = |word: &str| {
            matches!(word, "unsigned" | "size_t" | "__CPROVER_size_t" | "_Bool" | "bool" | "__CPROVER_bool")
                || word.starts_with("uint")
        };
        words.into_iter().any(is_unsigned)
    }
}

fn single_variable(declaration: &Declaration) -> Option<Ident> {
    match declaration.declarators.as_slice() {
        [only] if only.init.is_none() => only.declarator.name,
        _ => None,
    }
}

/// Looks for bounds in front of an implication, or among the conjuncts.
fn find_bounds(claim: &Expr, variable: Ident, is_forall: bool, bounds: &mut Bounds) {
    match &claim.kind {
        ExprKind::Paren(inner) => find_bounds(inner, variable, is_forall, bounds),
        ExprKind::Binary(BinaryOp::LogOr, negated, rest) if is_forall => {
            if let ExprKind::Unary(UnaryOp::Not, range) = &negated.kind {
                conjuncts(range, variable, bounds);
            }
            // `a ==> b ==> c`: both have to hold.
            find_bounds(rest, variable, is_forall, bounds);
        }
        _ if is_forall => {}
        _ => conjuncts(claim, variable, bounds),
    }
}

fn conjuncts(range: &Expr, variable: Ident, bounds: &mut Bounds) {
    match &range.kind {
        ExprKind::Paren(inner) => conjuncts(inner, variable, bounds),
        ExprKind::Binary(BinaryOp::LogAnd, left, right) => {
            conjuncts(left, variable, bounds);
            conjuncts(right, variable, bounds);
        }
        ExprKind::Binary(op, left, right) => {
            let is_variable = |expr: &Expr| matches!(&expr.kind, ExprKind::Ident(ident) if ident.name == variable.name);
            match (op, is_variable(left), is_variable(right)) {
                (BinaryOp::Lt | BinaryOp::Le, true, false) | (BinaryOp::Gt | BinaryOp::Ge, false, true) => {
                    bounds.end.get_or_insert(range.span);
                }
                (BinaryOp::Gt | BinaryOp::Ge, true, false) => {
                    bounds.first.get_or_insert((right.span, *op == BinaryOp::Gt));
                }
                (BinaryOp::Lt | BinaryOp::Le, false, true) => {
                    bounds.first.get_or_insert((left.span, *op == BinaryOp::Lt));
                }
                _ => {}
            }
        }
        _ => {}
    }
}

fn name(ident: Ident) -> Expr {
    Expr { kind: ExprKind::Ident(ident), span: ident.span }
}

fn not(expr: Expr) -> Expr {
    Expr { span: expr.span, kind: ExprKind::Unary(UnaryOp::Not, Box::new(expr)) }
}

fn sum(left: Expr, right: Expr) -> Expr {
    Expr { span: left.span, kind: ExprKind::Binary(BinaryOp::Add, Box::new(left), Box::new(right)) }
}

fn number(value: u128, span: Span) -> Expr {
    let literal = IntLit { value, is_unsigned: false, size: IntSize::Int, is_decimal: true, is_imaginary: false };
    Expr { kind: ExprKind::Int(literal), span }
}
