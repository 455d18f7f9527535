//! Parser of initialisers and designators, in standard and old GNU spelling.

use super::{Parsed, Parser};
use crate::lexer::TokenKind;
use crate::syntax::{Designator, Ident, InitItem, InitList, Initializer};

impl Parser {
    pub(super) fn initializer(&mut self) -> Parsed<Initializer> {
        if self.at(TokenKind::LBrace) {
            self.init_list().map(Initializer::List)
        } else {
            self.assignment().map(Initializer::Expr)
        }
    }

    /// `{ ... }`.
    pub(super) fn init_list(&mut self) -> Parsed<InitList> {
        let outer = self.enter()?;
        let parsed = self.init_list_inside();
        self.leave(outer);
        parsed
    }

    fn init_list_inside(&mut self) -> Parsed<InitList> {
        let start = self.position;
        let open = self.bump().span;
        let mut items = Vec::new();
        while !self.at(TokenKind::RBrace) {
            let designators = self.designation()?;
            let init = self.initializer()?;
            items.push(InitItem { designators, init });
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.expect_close(TokenKind::RBrace, open, "after initialiser")?;
        Ok(InitList { items, span: self.span_from(start) })
    }

    fn designation(&mut self) -> Parsed<Vec<Designator>> {
        if self.at(TokenKind::Ident) && self.kind_at(1) == TokenKind::Colon {
            let token = self.bump();
            self.bump();
            return Ok(vec![Designator::Field(Ident { name: token.symbol, span: token.span })]);
        }
        let mut designators = Vec::new();
        if !matches!(self.kind(), TokenKind::Dot | TokenKind::LBracket) {
            return Ok(designators);
        }
        self.designators(&mut designators)?;
        // Old gcc takes `[1] value` without `=`.
        if !self.eat(TokenKind::Assign)
            && !matches!(designators.last(), Some(Designator::Index(_) | Designator::Range(..)))
        {
            return self.expected("`=` after designator");
        }
        Ok(designators)
    }

    /// `.field[index]...`, as far as it goes.
    pub(super) fn designators(&mut self, designators: &mut Vec<Designator>) -> Parsed<()> {
        let beside = std::mem::take(&mut self.height);
        loop {
            match self.kind() {
                TokenKind::Dot => {
                    self.bump();
                    designators.push(Designator::Field(self.identifier("field name after `.`")?));
                }
                TokenKind::LBracket => {
                    let open = self.bump().span;
                    let low = self.conditional()?;
                    designators.push(if self.eat(TokenKind::Ellipsis) {
                        Designator::Range(low, self.conditional()?)
                    } else {
                        Designator::Index(low)
                    });
                    self.expect_close(TokenKind::RBracket, open, "after index")?;
                }
                _ => {
                    self.height = self.height.max(beside);
                    return Ok(());
                }
            }
            self.grow()?;
        }
    }
}
