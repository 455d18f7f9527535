//! Parser of the text form: tokens to a model, by recursive descent.
//!
//! Only expressions nest; how deep is limited, so that no text can use the stack up. Ids need not exist: that is for
//! the verifier to say.

mod code;
mod expr;
mod item;
mod step;

use std::str::FromStr;
use std::sync::Arc;

use unpick_base::Span;
use unpick_base::id::Id;

use super::TextError;
use super::lex::{Token, TokenKind, read_text, tokenize};
use super::words::{number_after, scalar_of, scope_of};
use crate::{Index, LocationId, Model, Place, ProctypeId, Scalar};

/// Expressions nest no deeper.
pub(crate) const MAX_NESTING: u32 = 1_500;

/// Reads a model, or says what is wrong with the text first.
pub fn parse(text: &str) -> Result<Model, TextError> {
    if u32::try_from(text.len()).is_err() {
        return Err(TextError { line: 1, column: 1, message: "the text is larger than 4 GiB".into() });
    }
    let mut parser = Parser { tokens: tokenize(text)?, at: 0, nesting: 0, tallest: 0 };
    parser.model()
}

type Parsed<T> = Result<T, TextError>;

struct Parser<'t> {
    tokens: Vec<Token<'t>>,
    at: usize,
    /// How deep the expression lies that is being read.
    nesting: u32,
    /// How deep the tallest expression goes that was read below the one that is being read.
    tallest: u32,
}

impl<'t> Parser<'t> {
    fn token(&self) -> Token<'t> {
        self.tokens[self.at]
    }

    /// Steps over a token; the end is never left.
    fn advance(&mut self) {
        if self.token().kind != TokenKind::End {
            self.at += 1;
        }
    }

    #[cold]
    fn error<T>(&self, message: impl Into<String>) -> Parsed<T> {
        let Token { line, column, .. } = self.token();
        Err(TextError { line, column, message: message.into() })
    }

    #[cold]
    fn expected<T>(&self, what: &str) -> Parsed<T> {
        match self.token().kind {
            TokenKind::End => self.error(format!("expected {what}, found the end of the text")),
            TokenKind::Text => self.error(format!("expected {what}, found a string")),
            TokenKind::Word | TokenKind::Number | TokenKind::Punct => {
                self.error(format!("expected {what}, found `{}`", self.token().text))
            }
        }
    }

    /// Whether this word or sign stands here.
    fn is(&self, text: &str) -> bool {
        let token = self.token();
        matches!(token.kind, TokenKind::Word | TokenKind::Punct) && token.text == text
    }

    /// Steps over this word or sign if it stands here.
    fn eat(&mut self, text: &str) -> bool {
        let is_here = self.is(text);
        if is_here {
            self.advance();
        }
        is_here
    }

    fn expect(&mut self, text: &str) -> Parsed<()> {
        if self.eat(text) { Ok(()) } else { self.expected(&format!("`{text}`")) }
    }

    /// Steps over a token if it means something.
    fn meaning<T>(&mut self, kind: TokenKind, read: impl Fn(&str) -> Option<T>) -> Option<T> {
        let token = self.token();
        let found = if token.kind == kind { read(token.text) } else { None };
        if found.is_some() {
            self.advance();
        }
        found
    }

    fn number<T: FromStr>(&mut self) -> Parsed<T> {
        match self.meaning(TokenKind::Number, |digits| digits.parse().ok()) {
            Some(number) => Ok(number),
            None if self.token().kind == TokenKind::Number => self.error("this number is too large"),
            None => self.expected("a number"),
        }
    }

    /// A word such as `size` and a number.
    fn number_of<T: FromStr>(&mut self, word: &str) -> Parsed<T> {
        self.expect(word)?;
        self.number()
    }

    /// A name, plain or quoted.
    fn name(&mut self) -> Parsed<Arc<str>> {
        match self.meaning(TokenKind::Word, |word| Some(word.into())) {
            Some(name) => Ok(name),
            None => self.text(),
        }
    }

    fn text(&mut self) -> Parsed<Arc<str>> {
        match self.meaning(TokenKind::Text, |literal| read_text(literal).map(Into::into)) {
            Some(text) => Ok(text),
            None if self.token().kind == TokenKind::Text => self.error("an escape in this string means nothing"),
            None => self.expected("a string"),
        }
    }

    fn id(&mut self, prefix: &str, what: &str) -> Parsed<u32> {
        match self.meaning(TokenKind::Word, |word| number_after(word, prefix)) {
            Some(number) => Ok(number),
            None => self.expected(what),
        }
    }

    fn location_id(&mut self) -> Parsed<LocationId> {
        Ok(LocationId(self.id("l", "a location")?))
    }

    fn proctype_id(&mut self) -> Parsed<ProctypeId> {
        Ok(ProctypeId(self.id("p", "a process type")?))
    }

    /// The next id of something whose ids are dense.
    fn next_id<I: Id>(&mut self, next: I, prefix: &str, what: &str) -> Parsed<()> {
        match self.meaning(TokenKind::Word, |word| number_after(word, prefix)) {
            Some(number) if number as usize == next.index() => Ok(()),
            Some(_) => {
                self.at -= 1;
                self.error(format!("{what}s are numbered in order; this one is {next:?}"))
            }
            None => self.expected(what),
        }
    }

    /// The place in the source, if one stands here.
    fn span(&mut self) -> Parsed<Span> {
        if !self.eat("@") {
            return Ok(Span::NONE);
        }
        let lo = self.number()?;
        self.expect("-")?;
        Ok(Span { lo, hi: self.number()? })
    }

    fn scalar(&mut self) -> Parsed<Scalar> {
        match self.meaning(TokenKind::Word, scalar_of) {
            Some(scalar) => Ok(scalar),
            None => self.expected("`bit`, `byte`, `short`, `int` or `unsigned` with a number of bits"),
        }
    }

    fn place(&mut self) -> Parsed<Place> {
        let Some((scope, offset)) = self.meaning(TokenKind::Word, scope_of) else {
            return self.expected("a place");
        };
        let mut indices = Vec::new();
        while self.eat("[") {
            let expr = self.expr()?;
            let (count, stride) = (self.number_of("of")?, self.number_of("by")?);
            let span = self.span()?;
            self.expect("]")?;
            indices.push(Index { expr, count, stride, span });
        }
        self.expect(".")?;
        Ok(Place { scope, offset, indices, scalar: self.scalar()? })
    }

    /// Items between parentheses.
    fn list<T>(&mut self, mut item: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        self.expect("(")?;
        let mut items = Vec::new();
        if self.eat(")") {
            return Ok(items);
        }
        loop {
            items.push(item(self)?);
            if self.eat(")") {
                return Ok(items);
            }
            if !self.eat(",") {
                return self.expected("`,` or `)`");
            }
        }
    }

    /// `mtype` and the position of a set, if that stands here.
    fn mtype(&mut self) -> Parsed<Option<usize>> {
        if self.eat("mtype") { Ok(Some(self.number()?)) } else { Ok(None) }
    }
}
