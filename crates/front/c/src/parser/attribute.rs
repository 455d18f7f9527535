//! Parser of attributes in both spellings, `__attribute__((...))` and `[[...]]`.

use super::{Parsed, Parser};
use crate::lexer::TokenKind;
use crate::syntax::{Attr, AttrArg, Ident};

impl Parser {
    /// Whether an attribute begins here.
    pub(super) fn at_attribute(&self) -> bool {
        match self.kind() {
            TokenKind::Attribute => true,
            TokenKind::LBracket => self.kind_at(1) == TokenKind::LBracket,
            _ => false,
        }
    }

    /// Reads any number of attributes.
    pub(super) fn attributes(&mut self, attrs: &mut Vec<Attr>) -> Parsed<()> {
        while self.at_attribute() {
            let is_gnu = self.bump().kind == TokenKind::Attribute;
            let close = if is_gnu { TokenKind::RParen } else { TokenKind::RBracket };
            if is_gnu {
                self.expect(TokenKind::LParen, "after `__attribute__`")?;
            }
            let open = self.bump();
            if is_gnu && open.kind != TokenKind::LParen {
                self.position -= usize::from(open.kind != TokenKind::Eof);
                return self.expected("`((` after `__attribute__`");
            }
            while !self.at(close) {
                if !self.eat(TokenKind::Comma) {
                    self.attribute(attrs, close)?;
                }
            }
            self.bump();
            self.expect_close(close, open.span, "after attribute")?;
        }
        Ok(())
    }

    fn attribute(&mut self, attrs: &mut Vec<Attr>, close: TokenKind) -> Parsed<()> {
        let start = self.position;
        let mut name = self.attribute_name()?;
        if self.eat(TokenKind::ColonColon) {
            name = self.attribute_name()?;
        }
        let mut args = Vec::new();
        if self.at(TokenKind::LParen) {
            let open = self.bump().span;
            let is_wordy = self.word_attributes.contains(&name.name);
            while !self.at(TokenKind::RParen) {
                args.push(self.attribute_argument(is_wordy)?);
                if !self.eat(TokenKind::Comma) {
                    break;
                }
            }
            self.expect_close(TokenKind::RParen, open, "after attribute arguments")?;
        }
        if !self.at(TokenKind::Comma) && !self.at(close) {
            return self.expected(&format!("`,` or `{}` after attribute", close.text()));
        }
        attrs.push(Attr { name: name.name, args, span: self.span_from(start) });
        Ok(())
    }

    /// Any word, keywords included, without the underscores around it.
    fn attribute_name(&mut self) -> Parsed<Ident> {
        let token = self.token_at(0);
        if !self.spelling(token.span).starts_with(|first: char| first.is_alphabetic() || first == '_')
            || matches!(token.kind, TokenKind::Str | TokenKind::Char | TokenKind::Number)
        {
            return self.expected("attribute name");
        }
        self.bump();
        let name = self.bare_names.get(&token.symbol).copied().unwrap_or(token.symbol);
        Ok(Ident { name, span: token.span })
    }

    fn attribute_argument(&mut self, is_wordy: bool) -> Parsed<AttrArg> {
        let token = self.token_at(0);
        let is_lone = matches!(self.kind_at(1), TokenKind::Comma | TokenKind::RParen);
        if token.kind == TokenKind::Ident && is_lone {
            self.bump();
            let bare = self.bare_names.get(&token.symbol).filter(|_| is_wordy);
            let name = bare.copied().unwrap_or(token.symbol);
            return Ok(AttrArg::Ident(Ident { name, span: token.span }));
        }
        if self.starts_type(0) {
            return self.type_name().map(AttrArg::Type);
        }
        self.assignment().map(AttrArg::Expr)
    }
}
