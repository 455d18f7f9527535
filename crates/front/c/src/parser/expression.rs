//! Parser of operator expressions: comma, assignment, conditional, binary, casts, unary, postfix.

use unpick_base::{Diagnostic, Severity, Span};

use super::specifier::TypeOrExpr;
use super::{Failed, Parsed, Parser};
use crate::lexer::TokenKind;
use crate::syntax::{BinaryOp, Expr, ExprKind, TypeName, UnaryOp};

/// The operator a token is between two operands, and how tightly it binds.
fn binary_op(kind: TokenKind) -> Option<(BinaryOp, u8)> {
    Some(match kind {
        TokenKind::PipePipe => (BinaryOp::LogOr, 1),
        TokenKind::AmpAmp => (BinaryOp::LogAnd, 2),
        TokenKind::Pipe => (BinaryOp::BitOr, 3),
        TokenKind::Caret => (BinaryOp::BitXor, 4),
        TokenKind::Amp => (BinaryOp::BitAnd, 5),
        TokenKind::EqEq => (BinaryOp::Eq, 6),
        TokenKind::Ne => (BinaryOp::Ne, 6),
        TokenKind::Lt => (BinaryOp::Lt, 7),
        TokenKind::Gt => (BinaryOp::Gt, 7),
        TokenKind::Le => (BinaryOp::Le, 7),
        TokenKind::Ge => (BinaryOp::Ge, 7),
        TokenKind::Shl => (BinaryOp::Shl, 8),
        TokenKind::Shr => (BinaryOp::Shr, 8),
        TokenKind::Plus => (BinaryOp::Add, 9),
        TokenKind::Minus => (BinaryOp::Sub, 9),
        TokenKind::Star => (BinaryOp::Mul, 10),
        TokenKind::Slash => (BinaryOp::Div, 10),
        TokenKind::Percent => (BinaryOp::Rem, 10),
        _ => return None,
    })
}

/// The operator of an assignment; `Some(None)` is plain `=`.
fn assign_op(kind: TokenKind) -> Option<Option<BinaryOp>> {
    Some(match kind {
        TokenKind::Assign => None,
        TokenKind::AddAssign => Some(BinaryOp::Add),
        TokenKind::SubAssign => Some(BinaryOp::Sub),
        TokenKind::MulAssign => Some(BinaryOp::Mul),
        TokenKind::DivAssign => Some(BinaryOp::Div),
        TokenKind::RemAssign => Some(BinaryOp::Rem),
        TokenKind::AndAssign => Some(BinaryOp::BitAnd),
        TokenKind::OrAssign => Some(BinaryOp::BitOr),
        TokenKind::XorAssign => Some(BinaryOp::BitXor),
        TokenKind::ShlAssign => Some(BinaryOp::Shl),
        TokenKind::ShrAssign => Some(BinaryOp::Shr),
        _ => return None,
    })
}

fn prefix_op(kind: TokenKind) -> Option<UnaryOp> {
    Some(match kind {
        TokenKind::PlusPlus => UnaryOp::PreInc,
        TokenKind::MinusMinus => UnaryOp::PreDec,
        TokenKind::Amp => UnaryOp::AddrOf,
        TokenKind::Star => UnaryOp::Deref,
        TokenKind::Plus => UnaryOp::Plus,
        TokenKind::Minus => UnaryOp::Minus,
        TokenKind::Tilde => UnaryOp::BitNot,
        TokenKind::Bang => UnaryOp::Not,
        TokenKind::Real => UnaryOp::Real,
        TokenKind::Imag => UnaryOp::Imag,
        TokenKind::Extension => UnaryOp::Extension,
        _ => return None,
    })
}

impl Parser {
    /// An expression, commas included.
    pub(super) fn expression(&mut self) -> Parsed<Expr> {
        let mut left = self.assignment()?;
        while self.eat(TokenKind::Comma) {
            let right = self.assignment()?;
            let span = left.span.to(right.span);
            left = Expr { kind: ExprKind::Comma(Box::new(left), Box::new(right)), span };
            self.grow()?;
        }
        Ok(left)
    }

    /// An expression without commas at the top.
    pub(super) fn assignment(&mut self) -> Parsed<Expr> {
        let outer = self.enter()?;
        let parsed = self.assignment_inside();
        self.leave(outer);
        parsed
    }

    fn assignment_inside(&mut self) -> Parsed<Expr> {
        let left = self.conditional()?;
        let Some(op) = assign_op(self.kind()) else { return Ok(left) };
        self.bump();
        let right = self.assignment()?;
        let span = left.span.to(right.span);
        Ok(Expr { kind: ExprKind::Assign(op, Box::new(left), Box::new(right)), span })
    }

    /// An expression without commas and assignments at the top.
    pub(super) fn conditional(&mut self) -> Parsed<Expr> {
        let first = self.implication()?;
        if !self.at(TokenKind::Question) { Ok(first) } else { self.conditional_chain(first) }
    }

    /// `a ? b : c ? d : e`, however long, without recursion to the right.
    fn conditional_chain(&mut self, first: Expr) -> Parsed<Expr> {
        let mut links = Vec::new();
        let mut last = first;
        while self.eat(TokenKind::Question) {
            let then = if self.at(TokenKind::Colon) { None } else { Some(Box::new(self.expression()?)) };
            self.expect(TokenKind::Colon, "after the second operand of `?`")?;
            let otherwise = self.implication()?;
            links.push((std::mem::replace(&mut last, otherwise), then));
            self.grow()?;
        }
        for (condition, then) in links.into_iter().rev() {
            let span = condition.span.to(last.span);
            last = Expr { kind: ExprKind::Cond(Box::new(condition), then, Box::new(last)), span };
        }
        Ok(last)
    }

    /// CBMC's `a ==> b`, which stands for `!a || b` and groups to the right.
    fn implication(&mut self) -> Parsed<Expr> {
        let left = self.binary(1)?;
        if !self.at_implication() {
            return Ok(left);
        }
        self.bump();
        self.bump();
        let outer = self.enter()?;
        let right = self.implication();
        self.leave(outer);
        let right = right?;
        self.grow()?;
        let span = left.span.to(right.span);
        let negated = Expr { span: left.span, kind: ExprKind::Unary(UnaryOp::Not, Box::new(left)) };
        Ok(Expr { kind: ExprKind::Binary(BinaryOp::LogOr, Box::new(negated), Box::new(right)), span })
    }

    /// `==` and `>` without a gap, which no C program has.
    fn at_implication(&self) -> bool {
        self.kind() == TokenKind::EqEq
            && self.kind_at(1) == TokenKind::Gt
            && self.token_at(0).span.hi == self.token_at(1).span.lo
    }

    /// Operators that bind at least as tightly as `min`.
    pub(super) fn binary(&mut self, min: u8) -> Parsed<Expr> {
        let mut left = self.cast()?;
        while let Some((op, strength)) = binary_op(self.kind()) {
            if strength < min || self.at_implication() {
                break;
            }
            self.bump();
            let left_height = std::mem::take(&mut self.height);
            let right = self.binary(strength + 1)?;
            self.height = self.height.max(left_height);
            self.grow()?;
            let span = left.span.to(right.span);
            left = Expr { kind: ExprKind::Binary(op, Box::new(left), Box::new(right)), span };
        }
        Ok(left)
    }

    /// A cast, compound literal or unary expression.
    fn cast(&mut self) -> Parsed<Expr> {
        match self.kind() {
            // The two commonest starts, without a detour.
            TokenKind::Ident | TokenKind::Number => self.postfix(),
            TokenKind::LParen if self.starts_cast() => self.cast_or_compound(),
            TokenKind::LParen => self.postfix(),
            _ => self.unary(),
        }
    }

    fn cast_or_compound(&mut self) -> Parsed<Expr> {
        let open = self.bump().span;
        let ty = Box::new(self.type_name()?);
        self.expect_close(TokenKind::RParen, open, "after type")?;
        if self.at(TokenKind::LBrace) {
            let literal = self.compound_literal(open, ty)?;
            return self.postfix_behind(literal);
        }
        let outer = self.enter()?;
        let operand = self.cast();
        self.leave(outer);
        let operand = operand?;
        let span = open.to(operand.span);
        Ok(Expr { kind: ExprKind::Cast(ty, Box::new(operand)), span })
    }

    fn compound_literal(&mut self, open: Span, ty: Box<TypeName>) -> Parsed<Expr> {
        let list = self.init_list()?;
        let span = open.to(list.span);
        Ok(Expr { kind: ExprKind::CompoundLiteral(ty, list), span })
    }

    fn unary(&mut self) -> Parsed<Expr> {
        let token = self.token_at(0);
        if let Some(op) = prefix_op(token.kind) {
            self.bump();
            let outer = self.enter()?;
            let operand = self.cast();
            self.leave(outer);
            let operand = operand?;
            let span = token.span.to(operand.span);
            return Ok(Expr { kind: ExprKind::Unary(op, Box::new(operand)), span });
        }
        match token.kind {
            TokenKind::Sizeof | TokenKind::Alignof => self.size_of(),
            TokenKind::AmpAmp => {
                self.bump();
                let label = self.identifier("label after `&&`")?;
                Ok(Expr { kind: ExprKind::LabelAddr(label), span: token.span.to(label.span) })
            }
            _ => self.postfix(),
        }
    }

    /// `sizeof` and `_Alignof`, of a type or an expression.
    pub(super) fn size_of(&mut self) -> Parsed<Expr> {
        let token = self.bump();
        let is_sizeof = token.kind == TokenKind::Sizeof;
        let outer = self.enter()?;
        let operand = self.size_of_operand();
        self.leave(outer);
        let kind = match (operand?, is_sizeof) {
            (TypeOrExpr::Type(ty), true) => ExprKind::SizeofType(Box::new(ty)),
            (TypeOrExpr::Type(ty), false) => ExprKind::AlignofType(Box::new(ty)),
            (TypeOrExpr::Expr(expr), true) => ExprKind::SizeofExpr(Box::new(expr)),
            (TypeOrExpr::Expr(expr), false) => ExprKind::AlignofExpr(Box::new(expr)),
        };
        Ok(Expr { kind, span: Span::new(token.span.lo, self.previous_end()) })
    }

    fn size_of_operand(&mut self) -> Parsed<TypeOrExpr> {
        if !self.at(TokenKind::LParen) || !self.starts_parenthesised_type() {
            return self.unary().map(TypeOrExpr::Expr);
        }
        let open = self.bump().span;
        let ty = self.type_name()?;
        self.expect_close(TokenKind::RParen, open, "after type")?;
        if !self.at(TokenKind::LBrace) {
            return Ok(TypeOrExpr::Type(ty));
        }
        let literal = self.compound_literal(open, Box::new(ty))?;
        self.postfix_behind(literal).map(TypeOrExpr::Expr)
    }

    fn postfix(&mut self) -> Parsed<Expr> {
        let expr = self.primary()?;
        match self.kind() {
            TokenKind::LBracket
            | TokenKind::LParen
            | TokenKind::Dot
            | TokenKind::Arrow
            | TokenKind::PlusPlus
            | TokenKind::MinusMinus => self.postfix_behind(expr),
            _ => Ok(expr),
        }
    }

    /// Calls, indices, members and so on behind an expression.
    fn postfix_behind(&mut self, mut expr: Expr) -> Parsed<Expr> {
        loop {
            let token = self.token_at(0);
            let kind = match token.kind {
                TokenKind::LBracket => {
                    self.bump();
                    let index = self.expression()?;
                    self.expect_close(TokenKind::RBracket, token.span, "after index")?;
                    ExprKind::Index(Box::new(expr), Box::new(index))
                }
                TokenKind::LParen => {
                    let arguments = self.arguments(expr.span)?;
                    ExprKind::Call(Box::new(expr), arguments)
                }
                TokenKind::Dot | TokenKind::Arrow => {
                    self.bump();
                    let is_arrow = token.kind == TokenKind::Arrow;
                    let field =
                        self.identifier(if is_arrow { "field name after `->`" } else { "field name after `.`" })?;
                    let base = Box::new(expr);
                    let span = Span::new(base.span.lo, field.span.hi);
                    expr = Expr { kind: ExprKind::Member { base, field, is_arrow }, span };
                    self.grow()?;
                    continue;
                }
                TokenKind::PlusPlus | TokenKind::MinusMinus => {
                    self.bump();
                    let op = if token.kind == TokenKind::PlusPlus { UnaryOp::PostInc } else { UnaryOp::PostDec };
                    ExprKind::Unary(op, Box::new(expr))
                }
                _ => return Ok(expr),
            };
            let start = match &kind {
                ExprKind::Index(base, _) | ExprKind::Call(base, _) | ExprKind::Unary(_, base) => base.span.lo,
                _ => token.span.lo,
            };
            expr = Expr { kind, span: Span::new(start, self.previous_end()) };
            self.grow()?;
        }
    }

    fn arguments(&mut self, callee: Span) -> Parsed<Vec<Expr>> {
        let open = self.bump().span;
        let mut arguments = Vec::new();
        if self.eat(TokenKind::RParen) {
            return Ok(arguments);
        }
        loop {
            if self.kind().is_type_word() {
                let message = format!("expected expression, found type {}", self.found());
                let help = format!("is `{}` a macro whose definition is missing?", self.spelling(callee));
                self.report(Diagnostic::new(Severity::Error, self.span(), message).help(help));
                return Err(Failed);
            }
            arguments.push(self.assignment()?);
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.expect_close(TokenKind::RParen, open, "after arguments")?;
        Ok(arguments)
    }
}
