//! Bounded quantifiers of CBMC, expanded to loops: `__CPROVER_forall { T i; range ==> claim }` and `__CPROVER_exists {
//! T i; range && claim }`.
//!
//! The range has to be bounded, so that the quantifier is a loop: with `first <= i && i < end` somewhere in front of the
//! implication, or among the conjuncts, `forall` becomes
//! `({ T i = first; while (i < end && claim && has_next) ; !(i < end) || claim; })`, and `exists` the same with `!claim`
//! in the condition and `i < end && claim` as its value. `has_next` fails where the type of `i` has no more values; the
//! answer is right then too, because the claim holds the range. Parts that stand in several places of the result are parsed
//! again, as trees are not copied.

use unpick_base::{Diagnostic, Severity, Span};

use super::declaration::Declared;
use super::specifier::Place;
use super::{Failed, Parsed, Parser};
use crate::lexer::TokenKind;
use crate::syntax::{
    BinaryOp, Block, BlockItem, Declaration, Expr, ExprKind, Ident, Initializer, IntLit, IntSize, Stmt, StmtKind,
    UnaryOp,
};

/// Quantifiers inside each other, each of which has its claim parsed twice.
const MAX_NESTED: u32 = 6;

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
        if self.n_quantifiers == MAX_NESTED {
            self.error(self.span(), format!("more than {MAX_NESTED} quantifiers inside each other"));
            return Err(Failed);
        }
        let outer = self.enter()?;
        self.names.open();
        self.n_quantifiers += 1;
        let parsed = self.quantifier_inside();
        self.n_quantifiers -= 1;
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
        let claim_at = self.position;
        let claim = self.expression()?;
        self.eat(TokenKind::Semi);
        self.expect_close(TokenKind::RBrace, open, "behind the claim")?;
        let end = self.position;
        let mut bounds = Bounds::default();
        find_bounds(&claim, variable, is_forall, &mut bounds);
        let (Some(condition), Some(last_condition)) = (self.end_of(&bounds)?, self.end_of(&bounds)?) else {
            return self.not_bounded(word, variable);
        };
        let (first, least) = match bounds.first {
            Some((at, is_greater)) => {
                let value = self.parse_again(at, 8)?;
                let first = if is_greater { binary(BinaryOp::Add, value, number(1, at)) } else { value };
                (first, self.parse_again(at, 8)?)
            }
            None if is_unsigned => (number(0, word), number(0, word)),
            None => return self.not_bounded(word, variable),
        };
        self.position = claim_at;
        let last_claim = self.expression()?;
        self.position = end;
        if let Some(declarator) = declaration.declarators.first_mut() {
            declarator.init = Some(Initializer::Expr(first));
        }
        let span = self.span_from(start);
        // The loop ends early where the claim fails, or where it holds.
        let still = if is_forall { claim } else { not(claim) };
        let goes_on = binary(BinaryOp::LogAnd, condition, still);
        let cond = binary(BinaryOp::LogAnd, goes_on, has_next(variable, least));
        let answer = match is_forall {
            true => binary(BinaryOp::LogOr, not(last_condition), last_claim),
            false => binary(BinaryOp::LogAnd, last_condition, last_claim),
        };
        let body = Box::new(Stmt { kind: StmtKind::Empty, span });
        let items = vec![
            BlockItem::Declaration(declaration),
            BlockItem::Stmt(Stmt { kind: StmtKind::While { cond, body }, span }),
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

/// `(i++ == 1 ? i != 1 : 1) && i > least`: goes to the next value, if the type has one. Numbers wrap round to one that is
/// not greater than the first; a `_Bool` stays 1.
fn has_next(variable: Ident, least: Expr) -> Expr {
    let span = variable.span;
    let old = Expr { kind: ExprKind::Unary(UnaryOp::PostInc, Box::new(name(variable))), span };
    let was_one = binary(BinaryOp::Eq, old, number(1, span));
    let has_changed = binary(BinaryOp::Ne, name(variable), number(1, span));
    let otherwise = Box::new(number(1, span));
    let has_changed = ExprKind::Cond(Box::new(was_one), Some(Box::new(has_changed)), otherwise);
    let is_greater = binary(BinaryOp::Gt, name(variable), least);
    binary(BinaryOp::LogAnd, Expr { kind: has_changed, span }, is_greater)
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

fn binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    Expr { span: left.span, kind: ExprKind::Binary(op, Box::new(left), Box::new(right)) }
}

fn number(value: u128, span: Span) -> Expr {
    let literal = IntLit { value, is_unsigned: false, size: IntSize::Int, is_decimal: true, is_imaginary: false };
    Expr { kind: ExprKind::Int(literal), span }
}
