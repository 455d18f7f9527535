//! Parser of sequences and statements.

use unpick_base::Span;

use super::{Failed, Parsed, Parser};
use crate::lexer::{CodeKind, Keyword, Punct, TokenKind};
use crate::syntax::{At, Block, Exclusive, Expr, ExprKind, Name, Receive, ReceiveArg, Step, Stmt, StmtKind, VarRef};

impl Parser<'_> {
    /// `{ sequence }` of a process type, `init` or claim.
    pub(super) fn body(&mut self) -> Parsed<Block> {
        self.expect(Punct::OpenBrace)?;
        let body = self.sequence()?;
        self.expect(Punct::CloseBrace)?;
        Ok(body)
    }

    /// At least one step; ends before what closes the sequence.
    fn sequence(&mut self) -> Parsed<Block> {
        let mut steps = Vec::new();
        loop {
            match self.nested(Self::step) {
                Ok(step) => steps.push(step),
                Err(Failed) => {
                    self.skip_statement();
                    if !self.is_separator() && !self.is_sequence_end() {
                        return Err(Failed);
                    }
                }
            }
            if !self.is_separator() {
                break;
            }
            while self.is_separator() {
                self.next();
            }
            if self.is_sequence_end() {
                break;
            }
        }
        if !self.is_sequence_end() {
            return self.unexpected("`;` or `->` and another statement");
        }
        Ok(steps)
    }

    fn is_sequence_end(&mut self) -> bool {
        matches!(
            self.peek(),
            TokenKind::Punct(Punct::CloseBrace | Punct::DoubleColon) | TokenKind::Keyword(Keyword::Fi | Keyword::Od)
        )
    }

    fn step(&mut self) -> Parsed<Step> {
        if self.is_decl() {
            return Ok(Step::Decl(self.decl()?));
        }
        if self.is_keyword(Keyword::Xr) || self.is_keyword(Keyword::Xs) {
            return self.exclusive();
        }
        let stmt = self.stmt()?;
        if self.eat_keyword(Keyword::Unless) {
            let escape = self.stmt()?;
            return Ok(Step::Unless(stmt, Box::new(escape)));
        }
        Ok(Step::Stmt(stmt))
    }

    fn exclusive(&mut self) -> Parsed<Step> {
        let first = self.next();
        let mut channels = vec![self.var_ref()?];
        while self.eat(Punct::Comma) {
            channels.push(self.var_ref()?);
        }
        let is_send = first.kind.is_keyword(Keyword::Xs);
        Ok(Step::Exclusive(Exclusive { is_send, channels, at: self.at(first.span) }))
    }

    pub(super) fn stmt(&mut self) -> Parsed<Stmt> {
        self.nested(Self::stmt_here)
    }

    fn stmt_here(&mut self) -> Parsed<Stmt> {
        let (span, place) = (self.peek_span(), self.stream.peek(0).place());
        let kind = match self.peek().clone() {
            TokenKind::Keyword(keyword) => self.keyword_stmt(keyword, span)?,
            TokenKind::Punct(Punct::OpenBrace) => StmtKind::Block(self.body()?),
            TokenKind::Code(code) if code.kind != CodeKind::Expr => {
                self.next();
                StmtKind::Code(code)
            }
            TokenKind::Name(_) if self.is_call(0) => self.call(None)?,
            TokenKind::Name(name) if self.peek_at(1).is(Punct::Colon) && !self.proctypes.contains(&name) => {
                self.label(name)?
            }
            TokenKind::Name(_) => self.name_stmt()?,
            _ => StmtKind::Condition(self.full_expr()?),
        };
        // A statement of an inline lies in its body, wherever its arguments were given.
        Ok(Stmt { kind, at: At(place.to(self.last_place)) })
    }

    fn label(&mut self, name: Name) -> Parsed<StmtKind> {
        let span = self.next().span;
        self.next();
        if self.is_decl() {
            return self.fail(span, format!("label `{name}` stands before a declaration"));
        }
        if self.is_keyword(Keyword::Xr) || self.is_keyword(Keyword::Xs) {
            return self.fail(span, format!("label `{name}` stands before an `xr` or `xs`"));
        }
        if self.is_separator() || self.is_sequence_end() {
            return Ok(StmtKind::Label(name, None));
        }
        Ok(StmtKind::Label(name, Some(Box::new(self.stmt()?))))
    }

    /// A statement that begins with a variable: assignment, message, or an expression.
    fn name_stmt(&mut self) -> Parsed<StmtKind> {
        let expr = self.full_expr()?;
        let ExprKind::Var(var) = &expr.kind else { return Ok(StmtKind::Condition(expr)) };
        let TokenKind::Punct(punct) = *self.peek() else { return Ok(StmtKind::Condition(expr)) };
        let var = var.clone();
        match punct {
            Punct::Assign => {
                self.next();
                if self.is_call(0) && self.peek_at(1).is(Punct::OpenParen) {
                    return self.call(Some(var));
                }
                Ok(StmtKind::Assign(var, self.full_expr()?))
            }
            Punct::Increment => {
                self.next();
                Ok(StmtKind::Increment(var))
            }
            Punct::Decrement => {
                self.next();
                Ok(StmtKind::Decrement(var))
            }
            Punct::Bang | Punct::DoubleBang => {
                self.next();
                let args = self.send_args()?;
                Ok(StmtKind::Send { channel: var, is_sorted: punct == Punct::DoubleBang, args })
            }
            Punct::Query | Punct::DoubleQuery => {
                self.next();
                self.receive(var, punct == Punct::DoubleQuery)
            }
            _ => Ok(StmtKind::Condition(expr)),
        }
    }

    /// `a, b` or `a(b, c)`.
    fn send_args(&mut self) -> Parsed<Vec<Expr>> {
        let mut args = vec![self.expr()?];
        if self.eat(Punct::OpenParen) {
            args.push(self.expr()?);
            while self.eat(Punct::Comma) {
                args.push(self.expr()?);
            }
            self.expect(Punct::CloseParen)?;
            return Ok(args);
        }
        while self.eat(Punct::Comma) {
            args.push(self.expr()?);
        }
        Ok(args)
    }

    fn receive(&mut self, channel: VarRef, is_random: bool) -> Parsed<StmtKind> {
        let is_copy = self.eat(Punct::Less);
        let mut args = Vec::new();
        self.receive_args(&mut args)?;
        if is_copy {
            self.expect(Punct::Greater)?;
        }
        Ok(StmtKind::Receive(Receive { channel, is_random, is_copy, args }))
    }

    /// `a, b`, `a(b, c)` or all of it between parentheses.
    pub(super) fn receive_args(&mut self, args: &mut Vec<ReceiveArg>) -> Parsed<()> {
        if self.eat(Punct::OpenParen) {
            self.nested(|parser| parser.receive_args(args))?;
            self.expect(Punct::CloseParen)?;
            return Ok(());
        }
        loop {
            args.push(self.receive_arg()?);
            if self.eat(Punct::OpenParen) {
                self.nested(|parser| parser.receive_args(args))?;
                self.expect(Punct::CloseParen)?;
                return Ok(());
            }
            if !self.eat(Punct::Comma) {
                return Ok(());
            }
            if self.is(Punct::OpenParen) {
                return self.nested(|parser| parser.receive_args(args));
            }
        }
    }

    fn receive_arg(&mut self) -> Parsed<ReceiveArg> {
        let span = self.peek_span();
        match self.peek().clone() {
            TokenKind::Keyword(Keyword::Eval) => {
                self.next();
                self.expect(Punct::OpenParen)?;
                let expr = self.expr()?;
                self.expect(Punct::CloseParen)?;
                Ok(ReceiveArg::Eval(expr))
            }
            TokenKind::Punct(Punct::Minus) => {
                self.next();
                let mut expr = self.constant()?;
                match &mut expr.kind {
                    ExprKind::Literal(value, _) => *value = value.wrapping_neg(),
                    _ => return self.fail(span, "expected a number after `-`"),
                }
                expr.at = self.at(span);
                Ok(ReceiveArg::Const(expr))
            }
            TokenKind::Name(name) if !self.mtypes.contains(&name) => Ok(ReceiveArg::Var(self.var_ref()?)),
            _ => Ok(ReceiveArg::Const(self.constant()?)),
        }
    }

    fn keyword_stmt(&mut self, keyword: Keyword, span: Span) -> Parsed<StmtKind> {
        match keyword {
            Keyword::If => {
                self.next();
                let options = self.options()?;
                self.closing(Keyword::Fi, span)?;
                Ok(StmtKind::If(options))
            }
            Keyword::Do => {
                self.next();
                let options = self.options()?;
                self.closing(Keyword::Od, span)?;
                Ok(StmtKind::Do(options))
            }
            Keyword::For => self.for_stmt(),
            Keyword::Select => self.select(),
            Keyword::Break => {
                self.next();
                Ok(StmtKind::Break)
            }
            Keyword::Goto => {
                self.next();
                let (name, span) = self.name("a label")?;
                Ok(StmtKind::Goto(name, At(span)))
            }
            Keyword::SetPriority => {
                self.next();
                self.expect(Punct::OpenParen)?;
                let pid = self.expr()?;
                self.expect(Punct::Comma)?;
                let priority = self.expr()?;
                self.expect(Punct::CloseParen)?;
                Ok(StmtKind::SetPriority(pid, priority))
            }
            Keyword::Printf => self.printf(),
            Keyword::Printm => {
                self.next();
                self.expect(Punct::OpenParen)?;
                let expr = match self.peek().clone() {
                    TokenKind::Name(_) => {
                        let var = self.var_ref()?;
                        let at = var.at;
                        Expr { kind: ExprKind::Var(var), at }
                    }
                    _ => self.constant()?,
                };
                self.expect(Punct::CloseParen)?;
                Ok(StmtKind::Printm(expr))
            }
            Keyword::Assert => {
                self.next();
                Ok(StmtKind::Assert(self.full_expr()?))
            }
            Keyword::Else => {
                self.next();
                Ok(StmtKind::Else)
            }
            Keyword::Atomic => {
                self.next();
                Ok(StmtKind::Atomic(self.body()?))
            }
            Keyword::DStep => {
                self.next();
                Ok(StmtKind::DStep(self.body()?))
            }
            Keyword::Return => {
                self.next();
                self.return_statement(span)
            }
            _ => Ok(StmtKind::Condition(self.full_expr()?)),
        }
    }

    fn options(&mut self) -> Parsed<Vec<Block>> {
        let mut options = Vec::new();
        if !self.is(Punct::DoubleColon) {
            return self.unexpected("`::`");
        }
        while self.eat(Punct::DoubleColon) {
            options.push(self.sequence()?);
        }
        Ok(options)
    }

    fn closing(&mut self, keyword: Keyword, open: Span) -> Parsed<()> {
        if self.eat_keyword(keyword) {
            return Ok(());
        }
        let span = self.peek_span();
        let diagnostic = unpick_base::Diagnostic::new(
            unpick_base::Severity::Error,
            span,
            format!("expected `::` or `{}`", keyword.spelling()),
        );
        self.session.diagnostics.push(diagnostic.label(open, "opened here"));
        Err(Failed)
    }

    fn for_stmt(&mut self) -> Parsed<StmtKind> {
        self.next();
        self.expect(Punct::OpenParen)?;
        let var = self.var_ref()?;
        let range = if self.eat(Punct::Colon) {
            let from = self.expr()?;
            self.expect(Punct::DotDot)?;
            Ok((from, self.expr()?))
        } else if *self.peek() == TokenKind::Name("in".into()) {
            self.next();
            Err(self.var_ref()?)
        } else {
            return self.unexpected("`:` or `in`");
        };
        self.expect(Punct::CloseParen)?;
        self.eat(Punct::Semicolon);
        let body = self.body()?;
        Ok(match range {
            Ok((from, to)) => StmtKind::For { var, from, to, body },
            Err(container) => StmtKind::ForIn { var, container, body },
        })
    }

    fn select(&mut self) -> Parsed<StmtKind> {
        let is_in_inline = self.stream.depth() > 0;
        self.next();
        self.expect(Punct::OpenParen)?;
        let is_simple_name =
            matches!(self.peek(), TokenKind::Name(name) if name.bytes().all(|byte| byte.is_ascii_alphanumeric()));
        let mut is_literal = !is_in_inline && is_simple_name && self.peek_at(1).is(Punct::Colon);
        let var = self.var_ref()?;
        self.expect(Punct::Colon)?;
        is_literal &= matches!(self.peek(), TokenKind::Number(_)) && self.peek_at(1).is(Punct::DotDot);
        let from = self.expr()?;
        self.expect(Punct::DotDot)?;
        is_literal &= matches!(self.peek(), TokenKind::Number(_)) && self.peek_at(1).is(Punct::CloseParen);
        let to = self.expr()?;
        self.expect(Punct::CloseParen)?;
        Ok(StmtKind::Select { var, from, to, is_literal })
    }

    fn printf(&mut self) -> Parsed<StmtKind> {
        self.next();
        self.expect(Punct::OpenParen)?;
        let TokenKind::Text(text) = self.peek().clone() else { return self.unexpected("a string") };
        self.next();
        let mut args = Vec::new();
        while self.eat(Punct::Comma) {
            args.push(self.expr()?);
        }
        self.expect(Punct::CloseParen)?;
        Ok(StmtKind::Printf(text, args))
    }
}
