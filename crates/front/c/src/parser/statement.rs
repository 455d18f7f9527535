//! Parser of statements and blocks.

use unpick_base::Span;

use super::declaration::Declared;
use super::specifier::Place;
use super::{Parsed, Parser};
use crate::lexer::TokenKind;
use crate::syntax::{Attr, Block, BlockItem, Expr, ForInit, Ident, Stmt, StmtKind};

/// A label in front of a statement.
enum Prefix {
    Case(Expr, Option<Expr>),
    Default,
    Label(Ident, Vec<Attr>),
}

impl Parser {
    /// `{ ... }` with a scope of its own.
    pub(super) fn block(&mut self) -> Parsed<Block> {
        self.names.open();
        let parsed = self.block_inside();
        self.names.close();
        parsed
    }

    fn block_inside(&mut self) -> Parsed<Block> {
        let start = self.position;
        let open = self.expect(TokenKind::LBrace, "here")?.span;
        let mut items = Vec::new();
        loop {
            if let Some(pack) = self.pragma() {
                items.push(BlockItem::PragmaPack(pack));
                continue;
            }
            if matches!(self.kind(), TokenKind::RBrace | TokenKind::Eof) {
                break;
            }
            let item_start = self.position;
            match self.block_item() {
                Ok(item) => items.push(item),
                Err(_) => {
                    self.recover_item(item_start);
                    let span = self.span_from(item_start);
                    items.push(BlockItem::Stmt(Stmt { kind: StmtKind::Error, span }));
                }
            }
        }
        self.expect_close(TokenKind::RBrace, open, "at the end of the block")?;
        Ok(Block { items, span: self.span_from(start) })
    }

    fn block_item(&mut self) -> Parsed<BlockItem> {
        match self.word() {
            TokenKind::StaticAssert if self.kind_at(1) == TokenKind::LParen => {
                self.static_assert().map(BlockItem::StaticAssert)
            }
            TokenKind::LocalLabel => self.local_labels(),
            TokenKind::Attribute | TokenKind::LBracket if self.at_attribute() => self.attributed_item(),
            TokenKind::Extension if !self.extends_declaration() => self.statement().map(BlockItem::Stmt),
            _ if self.at(TokenKind::Ident) && self.kind_at(1) == TokenKind::Colon => {
                self.statement().map(BlockItem::Stmt)
            }
            _ if self.starts_declaration(0) => self.block_declaration(Vec::new()),
            _ => self.statement().map(BlockItem::Stmt),
        }
    }

    fn block_declaration(&mut self, attrs: Vec<Attr>) -> Parsed<BlockItem> {
        let outer = self.enter()?;
        let parsed = self.declaration(Place::Block, attrs);
        self.leave(outer);
        Ok(match parsed? {
            Declared::Declaration(declaration) => BlockItem::Declaration(declaration),
            Declared::Function(function) => BlockItem::Function(function),
        })
    }

    /// Whether a declaration rather than an expression follows `__extension__`.
    fn extends_declaration(&self) -> bool {
        let mut ahead = 0;
        while self.kind_at(ahead) == TokenKind::Extension {
            ahead += 1;
        }
        self.starts_declaration(ahead)
    }

    /// Attributes at the start of an item belong to the declaration or statement behind them.
    fn attributed_item(&mut self) -> Parsed<BlockItem> {
        let start = self.position;
        let mut attrs = Vec::new();
        self.attributes(&mut attrs)?;
        if self.eat(TokenKind::Semi) {
            return Ok(BlockItem::Stmt(Stmt { kind: StmtKind::Attrs(attrs), span: self.span_from(start) }));
        }
        let is_label = self.at(TokenKind::Ident) && self.kind_at(1) == TokenKind::Colon;
        if !is_label && self.starts_declaration(0) {
            return self.block_declaration(attrs);
        }
        // Hints such as `likely` change nothing.
        self.statement().map(BlockItem::Stmt)
    }

    fn local_labels(&mut self) -> Parsed<BlockItem> {
        self.bump();
        let mut labels = Vec::new();
        loop {
            labels.push(self.identifier("label name")?);
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.expect_semi("label declaration")?;
        Ok(BlockItem::LocalLabels(labels))
    }

    pub(super) fn statement(&mut self) -> Parsed<Stmt> {
        let outer = self.enter()?;
        let parsed = self.statement_inside();
        self.leave(outer);
        parsed
    }

    fn statement_inside(&mut self) -> Parsed<Stmt> {
        let start = self.position;
        let kind = match self.kind() {
            TokenKind::LBrace => StmtKind::Block(self.block()?),
            TokenKind::Semi => {
                self.bump();
                StmtKind::Empty
            }
            TokenKind::If => return self.if_chain(),
            TokenKind::While => {
                self.bump();
                let cond = self.condition("`while`")?;
                StmtKind::While { cond, body: self.body("`while (...)`")? }
            }
            TokenKind::Do => self.do_while()?,
            TokenKind::For => {
                self.names.open();
                let parsed = self.for_loop();
                self.names.close();
                parsed?
            }
            TokenKind::Switch => {
                self.bump();
                let value = self.condition("`switch`")?;
                StmtKind::Switch { value, body: self.body("`switch (...)`")? }
            }
            TokenKind::Case | TokenKind::Default => return self.labelled(),
            TokenKind::Ident if self.kind_at(1) == TokenKind::Colon => return self.labelled(),
            TokenKind::Goto | TokenKind::Continue | TokenKind::Break | TokenKind::Return => self.jump()?,
            TokenKind::Asm => StmtKind::Asm(self.asm_statement()?),
            TokenKind::Else => return self.expected("statement (there is no `if` before this `else`)"),
            TokenKind::Attribute | TokenKind::LBracket if self.at_attribute() => {
                let mut attrs = Vec::new();
                self.attributes(&mut attrs)?;
                if !self.eat(TokenKind::Semi) {
                    return self.statement();
                }
                StmtKind::Attrs(attrs)
            }
            kind if kind.is_declaration_word() && kind != TokenKind::Extension => {
                return self.expected("statement, not a declaration");
            }
            _ => {
                let expr = self.expression()?;
                self.expect_semi("expression")?;
                StmtKind::Expr(expr)
            }
        };
        Ok(Stmt { kind, span: self.span_from(start) })
    }

    /// The statement a keyword governs.
    fn body(&mut self, of: &str) -> Parsed<Box<Stmt>> {
        if matches!(self.kind(), TokenKind::RBrace | TokenKind::Eof) {
            return self.expected(&format!("statement after {of}"));
        }
        self.statement().map(Box::new)
    }

    /// `( expression )`.
    fn condition(&mut self, after: &str) -> Parsed<Expr> {
        let open = self.expect(TokenKind::LParen, &format!("after {after}"))?.span;
        let condition = self.expression()?;
        self.expect_close(TokenKind::RParen, open, "after condition")?;
        Ok(condition)
    }

    /// `if` and any number of `else if`, without recursion for the latter.
    fn if_chain(&mut self) -> Parsed<Stmt> {
        let mut links = Vec::new();
        let mut otherwise = None;
        loop {
            let start = self.span().lo;
            self.bump();
            let cond = self.condition("`if`")?;
            let then = self.body("`if (...)`")?;
            links.push((start, cond, then));
            self.grow()?;
            if !self.eat(TokenKind::Else) {
                break;
            }
            if !self.at(TokenKind::If) {
                otherwise = Some(self.body("`else`")?);
                break;
            }
        }
        let end = self.previous_end();
        for (start, cond, then) in links.into_iter().rev() {
            let kind = StmtKind::If { cond, then, otherwise };
            otherwise = Some(Box::new(Stmt { kind, span: Span::new(start, end) }));
        }
        Ok(*otherwise.expect("a chain should have a link"))
    }

    fn do_while(&mut self) -> Parsed<StmtKind> {
        self.bump();
        let body = self.body("`do`")?;
        self.expect(TokenKind::While, "after the body of `do`")?;
        let cond = self.condition("`while`")?;
        self.expect_semi("`do ... while (...)`")?;
        Ok(StmtKind::DoWhile { body, cond })
    }

    fn for_loop(&mut self) -> Parsed<StmtKind> {
        self.bump();
        let open = self.expect(TokenKind::LParen, "after `for`")?.span;
        let init = if self.eat(TokenKind::Semi) {
            None
        } else if self.starts_declaration(0) && (!self.at(TokenKind::Extension) || self.extends_declaration()) {
            match self.declaration(Place::Block, Vec::new())? {
                Declared::Declaration(declaration) => Some(ForInit::Declaration(declaration)),
                Declared::Function(_) => return self.expected("no function definition in `for`"),
            }
        } else {
            let expr = self.expression()?;
            self.expect(TokenKind::Semi, "after the first part of `for`")?;
            Some(ForInit::Expr(expr))
        };
        let cond = if self.at(TokenKind::Semi) { None } else { Some(self.expression()?) };
        self.expect(TokenKind::Semi, "after the second part of `for`")?;
        let step = if self.at(TokenKind::RParen) { None } else { Some(self.expression()?) };
        self.expect_close(TokenKind::RParen, open, "after the third part of `for`")?;
        let body = self.body("`for (...)`")?;
        Ok(StmtKind::For { init, cond, step, body })
    }

    /// Labels, however many, and the statement behind them.
    fn labelled(&mut self) -> Parsed<Stmt> {
        let mut prefixes = Vec::new();
        while let Some(prefix) = self.prefix()? {
            prefixes.push(prefix);
            self.grow()?;
        }
        let end = self.previous_end();
        let mut stmt = if self.at(TokenKind::RBrace) || self.starts_declaration(0) || self.at_static_assert() {
            let is_expression = self.at(TokenKind::Extension) && !self.extends_declaration();
            let is_attribute = self.at_attribute();
            if is_expression || is_attribute {
                self.statement()?
            } else {
                Stmt { kind: StmtKind::Empty, span: Span::new(end, end) }
            }
        } else {
            *self.body("label")?
        };
        for (start, prefix) in prefixes.into_iter().rev() {
            let span = Span::new(start, stmt.span.hi);
            let body = Box::new(stmt);
            let kind = match prefix {
                Prefix::Case(low, high) => StmtKind::Case { low, high, body },
                Prefix::Default => StmtKind::Default(body),
                Prefix::Label(label, attrs) => StmtKind::Label { label, attrs, body },
            };
            stmt = Stmt { kind, span };
        }
        Ok(stmt)
    }

    fn at_static_assert(&self) -> bool {
        self.word() == TokenKind::StaticAssert
    }

    fn prefix(&mut self) -> Parsed<Option<(u32, Prefix)>> {
        let token = self.token_at(0);
        let prefix = match token.kind {
            TokenKind::Case => {
                self.bump();
                let low = self.conditional()?;
                let high = if self.eat(TokenKind::Ellipsis) { Some(self.conditional()?) } else { None };
                self.expect(TokenKind::Colon, "after `case` value")?;
                Prefix::Case(low, high)
            }
            TokenKind::Default => {
                self.bump();
                self.expect(TokenKind::Colon, "after `default`")?;
                Prefix::Default
            }
            TokenKind::Ident if self.kind_at(1) == TokenKind::Colon => {
                self.bump();
                self.bump();
                let mut attrs = Vec::new();
                self.attributes(&mut attrs)?;
                Prefix::Label(Ident { name: token.symbol, span: token.span }, attrs)
            }
            _ => return Ok(None),
        };
        Ok(Some((token.span.lo, prefix)))
    }

    fn jump(&mut self) -> Parsed<StmtKind> {
        let (kind, what) = match self.bump().kind {
            TokenKind::Goto if self.eat(TokenKind::Star) => (StmtKind::GotoComputed(self.expression()?), "`goto`"),
            TokenKind::Goto => (StmtKind::Goto(self.identifier("label after `goto`")?), "`goto`"),
            TokenKind::Continue => (StmtKind::Continue, "`continue`"),
            TokenKind::Break => (StmtKind::Break, "`break`"),
            _ if self.at(TokenKind::Semi) || self.at(TokenKind::RBrace) => (StmtKind::Return(None), "`return`"),
            _ => (StmtKind::Return(Some(self.expression()?)), "return value"),
        };
        self.expect_semi(what)?;
        Ok(kind)
    }
}
