//! Parser of expressions and formulas, by precedence climbing.

use unpick_base::Span;

use super::{Parsed, Parser};
use crate::lexer::{CodeKind, Keyword, Punct, TokenKind};
use crate::syntax::{At, Binary, Expr, ExprKind, Literal, Name, Probe, Receive, Unary, VarRef};

/// How many operators of one level may stand in a row: trees are walked recursively.
const MAX_CHAIN: u32 = 400;

impl Parser<'_> {
    /// An expression in which channels may be probed, but not under a negation.
    pub(super) fn full_expr(&mut self) -> Parsed<Expr> {
        let expr = self.binary(0)?;
        self.check_probes(&expr, true);
        Ok(expr)
    }

    /// An expression without probes.
    pub(super) fn expr(&mut self) -> Parsed<Expr> {
        let expr = self.binary(0)?;
        self.check_probes(&expr, false);
        Ok(expr)
    }

    /// `full`, `empty` and their kin may only be joined by `&&` and `||`: SPIN's reduction relies on it.
    fn check_probes(&mut self, expr: &Expr, is_allowed: bool) {
        match &expr.kind {
            ExprKind::Probe(probe, _) if !is_allowed => {
                let opposite = match probe {
                    Probe::Full => "nfull",
                    Probe::Nfull => "full",
                    Probe::Empty => "nempty",
                    Probe::Nempty => "empty",
                };
                let message = format!("`{}` may only be joined by `&&` and `||`", probe.spelling());
                let diagnostic = unpick_base::Diagnostic::new(unpick_base::Severity::Error, expr.at.0, message);
                let help = format!("the opposite of `{}` is `{opposite}`", probe.spelling());
                self.session.diagnostics.push(diagnostic.help(help));
            }
            ExprKind::Binary(Binary::And | Binary::Or, left, right) => {
                self.check_probes(left, is_allowed);
                self.check_probes(right, is_allowed);
            }
            ExprKind::Binary(_, left, right) => {
                self.check_probes(left, false);
                self.check_probes(right, false);
            }
            ExprKind::Unary(_, operand) => self.check_probes(operand, false),
            ExprKind::Conditional(condition, yes, no) => {
                for part in [condition, yes, no] {
                    self.check_probes(part, false);
                }
            }
            _ => {}
        }
    }

    fn binary(&mut self, least: u8) -> Parsed<Expr> {
        let span = self.peek_span();
        let mut left = self.nested(Self::unary)?;
        let mut n_operators = 0;
        while let Some((operator, n_tokens)) = self.binary_operator() {
            if operator.precedence() < least {
                break;
            }
            n_operators += 1;
            if n_operators > MAX_CHAIN {
                let span = self.peek_span();
                return self.fail(span, format!("more than {MAX_CHAIN} operators in a row"));
            }
            for _ in 0..n_tokens {
                self.next();
            }
            let right = self.nested(|parser| parser.binary(operator.precedence() + 1))?;
            let kind = ExprKind::Binary(operator, Box::new(left), Box::new(right));
            left = Expr { kind, at: self.at(span) };
        }
        Ok(left)
    }

    /// The operator that comes next and of how many tokens it consists.
    fn binary_operator(&mut self) -> Option<(Binary, usize)> {
        if self.is_in_ltl
            && let Some(found) = self.temporal_operator()
        {
            return Some(found);
        }
        let TokenKind::Punct(punct) = self.peek() else { return None };
        let operator = match punct {
            Punct::OrOr => Binary::Or,
            Punct::AndAnd => Binary::And,
            Punct::Or => Binary::BitOr,
            Punct::Caret => Binary::BitXor,
            Punct::And => Binary::BitAnd,
            Punct::Equal => Binary::Equal,
            Punct::NotEqual => Binary::NotEqual,
            Punct::Less => Binary::Less,
            Punct::LessEqual => Binary::LessEqual,
            Punct::Greater => Binary::Greater,
            Punct::GreaterEqual => Binary::GreaterEqual,
            Punct::ShiftLeft => Binary::ShiftLeft,
            Punct::ShiftRight => Binary::ShiftRight,
            Punct::Plus => Binary::Add,
            Punct::Minus => Binary::Subtract,
            Punct::Star => Binary::Multiply,
            Punct::Slash => Binary::Divide,
            Punct::Percent => Binary::Remainder,
            _ => return None,
        };
        // The `>` that closes `q?<x>` is no comparison: receives take no expressions there, only `eval(...)`.
        Some((operator, 1))
    }

    fn temporal_operator(&mut self) -> Option<(Binary, usize)> {
        match self.peek() {
            TokenKind::Punct(Punct::Arrow) => return Some((Binary::Implies, 1)),
            TokenKind::Name(name) => {
                let operator = match &**name {
                    "U" | "until" | "stronguntil" => Binary::Until,
                    "W" | "weakuntil" => Binary::WeakUntil,
                    "V" | "release" => Binary::Release,
                    "implies" => Binary::Implies,
                    "equivalent" => Binary::Equivalent,
                    _ => return None,
                };
                return Some((operator, 1));
            }
            _ => {}
        }
        self.are_joined(Punct::Less, Punct::Arrow).then_some((Binary::Equivalent, 2))
    }

    /// Whether these two come next without a blank between them.
    fn are_joined(&mut self, first: Punct, second: Punct) -> bool {
        self.peek().is(first)
            && self.peek_at(1).is(second)
            && self.stream.peek(0).span.hi == self.stream.peek(1).span.lo
    }

    fn unary(&mut self) -> Parsed<Expr> {
        let span = self.peek_span();
        let Some((operator, n_tokens)) = self.unary_operator() else { return self.primary(span) };
        for _ in 0..n_tokens {
            self.next();
        }
        let operand = self.nested(Self::unary)?;
        Ok(Expr { kind: ExprKind::Unary(operator, Box::new(operand)), at: self.at(span) })
    }

    fn unary_operator(&mut self) -> Option<(Unary, usize)> {
        if self.is_in_ltl {
            if self.are_joined(Punct::OpenBracket, Punct::CloseBracket) {
                return Some((Unary::Always, 2));
            }
            if self.are_joined(Punct::Less, Punct::Greater) {
                return Some((Unary::Eventually, 2));
            }
            if let TokenKind::Name(name) = self.peek() {
                return match &**name {
                    "X" | "next" => Some((Unary::Next, 1)),
                    "always" => Some((Unary::Always, 1)),
                    "eventually" => Some((Unary::Eventually, 1)),
                    _ => None,
                };
            }
        }
        match self.peek() {
            TokenKind::Punct(Punct::Bang) => Some((Unary::Not, 1)),
            TokenKind::Punct(Punct::Minus) => Some((Unary::Minus, 1)),
            TokenKind::Punct(Punct::Tilde) => Some((Unary::Complement, 1)),
            _ => None,
        }
    }

    fn primary(&mut self, span: Span) -> Parsed<Expr> {
        let kind = match self.peek().clone() {
            TokenKind::Punct(Punct::OpenParen) => return self.parenthesised(span),
            TokenKind::Number(value) => {
                self.next();
                ExprKind::Literal(value, Literal::Number)
            }
            TokenKind::Char(value) => {
                self.next();
                ExprKind::Literal(i32::from(value), Literal::Char)
            }
            TokenKind::Code(code) if code.kind == CodeKind::Expr => {
                self.next();
                ExprKind::Code(code)
            }
            TokenKind::Keyword(keyword) => self.keyword_expr(keyword)?,
            TokenKind::Name(name) if self.is_remote(&name) => self.remote(name)?,
            TokenKind::Name(_) => self.var_expr()?,
            _ => return self.unexpected("an expression"),
        };
        Ok(Expr { kind, at: self.at(span) })
    }

    fn parenthesised(&mut self, span: Span) -> Parsed<Expr> {
        self.next();
        let mut expr = self.binary(0)?;
        if !self.is_in_ltl && self.eat(Punct::Arrow) {
            let yes = self.binary(0)?;
            self.expect(Punct::Colon)?;
            let no = self.binary(0)?;
            let kind = ExprKind::Conditional(Box::new(expr), Box::new(yes), Box::new(no));
            expr = Expr { kind, at: At(span) };
        }
        self.expect(Punct::CloseParen)?;
        expr.at = self.at(span);
        Ok(expr)
    }

    fn keyword_expr(&mut self, keyword: Keyword) -> Parsed<ExprKind> {
        let probe = match keyword {
            Keyword::Full => Some(Probe::Full),
            Keyword::Nfull => Some(Probe::Nfull),
            Keyword::Empty => Some(Probe::Empty),
            Keyword::Nempty => Some(Probe::Nempty),
            _ => None,
        };
        if let Some(probe) = probe {
            self.next();
            return Ok(ExprKind::Probe(probe, self.var_in_parens()?));
        }
        let kind = match keyword {
            Keyword::True => ExprKind::Literal(1, Literal::True),
            Keyword::False => ExprKind::Literal(0, Literal::False),
            Keyword::Skip => ExprKind::Literal(1, Literal::Skip),
            Keyword::Timeout => ExprKind::Timeout,
            Keyword::NonProgress => ExprKind::NonProgress,
            Keyword::Run => return self.run(),
            Keyword::Len => {
                self.next();
                return Ok(ExprKind::Len(self.var_in_parens()?));
            }
            Keyword::Enabled => {
                self.next();
                return Ok(ExprKind::Enabled(self.expr_in_parens()?));
            }
            Keyword::GetPriority => {
                self.next();
                return Ok(ExprKind::GetPriority(self.expr_in_parens()?));
            }
            Keyword::PcValue => {
                self.next();
                return Ok(ExprKind::PcValue(self.expr_in_parens()?));
            }
            _ => return self.unexpected("an expression"),
        };
        self.next();
        Ok(kind)
    }

    fn var_in_parens(&mut self) -> Parsed<VarRef> {
        self.expect(Punct::OpenParen)?;
        let var = self.var_ref()?;
        self.expect(Punct::CloseParen)?;
        Ok(var)
    }

    fn expr_in_parens(&mut self) -> Parsed<Box<Expr>> {
        self.expect(Punct::OpenParen)?;
        let expr = self.expr()?;
        self.expect(Punct::CloseParen)?;
        Ok(Box::new(expr))
    }

    fn run(&mut self) -> Parsed<ExprKind> {
        self.next();
        let (name, _) = self.name("the name of a process type")?;
        self.expect(Punct::OpenParen)?;
        let mut args = Vec::new();
        if !self.is(Punct::CloseParen) {
            args.push(self.expr()?);
            while self.eat(Punct::Comma) {
                args.push(self.expr()?);
            }
        }
        self.expect(Punct::CloseParen)?;
        let priority = self.priority()?;
        Ok(ExprKind::Run { name, args, priority })
    }

    /// Whether a remote reference begins with this name.
    fn is_remote(&mut self, name: &Name) -> bool {
        let is_proctype = self.proctypes.contains(name);
        match self.peek_at(1) {
            TokenKind::Punct(Punct::At) => true,
            TokenKind::Punct(Punct::OpenBracket | Punct::Colon) => is_proctype,
            _ => false,
        }
    }

    fn remote(&mut self, proctype: Name) -> Parsed<ExprKind> {
        self.next();
        let mut pid = None;
        if self.eat(Punct::OpenBracket) {
            pid = Some(Box::new(self.expr()?));
            self.expect(Punct::CloseBracket)?;
        }
        if self.eat(Punct::At) {
            let (label, _) = self.name("a label")?;
            return Ok(ExprKind::RemoteLabel { proctype, pid, label });
        }
        if self.eat(Punct::Colon) {
            let var = self.var_part()?;
            return Ok(ExprKind::RemoteVar { proctype, pid, var });
        }
        self.unexpected("`@` and a label or `:` and a variable")
    }

    fn var_expr(&mut self) -> Parsed<ExprKind> {
        let var = self.var_ref()?;
        let is_poll = matches!(self.peek(), TokenKind::Punct(Punct::Query | Punct::DoubleQuery))
            && self.peek_at(1).is(Punct::OpenBracket);
        if !is_poll {
            return Ok(ExprKind::Var(var));
        }
        let is_random = self.next().kind.is(Punct::DoubleQuery);
        self.next();
        let mut args = Vec::new();
        self.receive_args(&mut args)?;
        self.expect(Punct::CloseBracket)?;
        Ok(ExprKind::Poll(Box::new(Receive { channel: var, is_random, is_copy: true, args })))
    }

    /// `a[i].b.c[j]`
    pub(super) fn var_ref(&mut self) -> Parsed<VarRef> {
        let mut var = self.var_part()?;
        if self.eat(Punct::Dot) {
            var.field = Some(Box::new(self.nested(Self::var_ref)?));
        }
        Ok(var)
    }

    /// `a[i]`
    fn var_part(&mut self) -> Parsed<VarRef> {
        let (name, span) = self.name("the name of a variable")?;
        let mut index = None;
        if self.eat(Punct::OpenBracket) {
            index = Some(Box::new(self.nested(Self::expr)?));
            self.expect(Punct::CloseBracket)?;
        }
        Ok(VarRef { name, index, field: None, at: At(span) })
    }
}
