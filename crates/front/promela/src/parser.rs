//! Parser: recursive descent from tokens to the syntax tree.
//!
//! Like SPIN, the parser learns names as it goes: what was declared a typedef, a process type or an inline
//! before decides how a name is read. A mistake is reported once; reading goes on at the next separator, or
//! at the next part of the model.

mod expr;
mod inline;
mod stmt;
mod unit;

use std::collections::{HashMap, HashSet};

use unpick_base::{Diagnostic, Severity, Span};

use crate::lexer::{self, Keyword, Punct, Token, TokenKind};
use crate::session::Session;
use crate::stream::Stream;
use crate::syntax::{At, Model, Name};
use inline::Definition;

/// How deep statements and expressions may nest.
const MAX_NESTING: u32 = 120;

/// A mistake that was reported.
struct Failed;

type Parsed<T> = Result<T, Failed>;

/// Reads one model.
pub struct Parser<'a> {
    session: &'a mut Session,
    stream: Stream,
    typedefs: HashSet<Name>,
    proctypes: HashSet<Name>,
    mtypes: HashSet<Name>,
    inlines: HashMap<Name, Definition>,
    /// Inlines whose bodies are being read, and whether the call takes a result.
    calls: Vec<(Name, bool)>,
    /// Inside a formula some names are operators.
    is_in_ltl: bool,
    nesting: u32,
    /// How many tokens came from inlines.
    n_expanded: usize,
    last_span: Span,
    /// The same, but where the parameter stands if the token comes from the argument of an inline.
    last_place: Span,
}

impl<'a> Parser<'a> {
    /// Reads the text with this index.
    pub fn new(session: &'a mut Session, text_index: usize) -> Self {
        let stream = Stream::new(lexer::lex(session, text_index));
        Self {
            session,
            stream,
            typedefs: HashSet::new(),
            proctypes: HashSet::new(),
            mtypes: HashSet::new(),
            inlines: HashMap::new(),
            calls: Vec::new(),
            is_in_ltl: false,
            nesting: 0,
            n_expanded: 0,
            last_span: Span::NONE,
            last_place: Span::NONE,
        }
    }

    /// Reads everything.
    pub fn model(mut self) -> Model {
        let mut units = Vec::new();
        while !self.at_end() {
            if self.is_separator() {
                self.next();
                continue;
            }
            match self.unit() {
                Ok(unit) => units.push(unit),
                Err(Failed) => self.skip_to_unit(),
            }
        }
        Model { units }
    }

    fn at_end(&mut self) -> bool {
        self.stream.peek(0).kind == TokenKind::End
    }

    fn peek(&mut self) -> &TokenKind {
        &self.stream.peek(0).kind
    }

    fn peek_at(&mut self, n: usize) -> &TokenKind {
        &self.stream.peek(n).kind
    }

    fn peek_span(&mut self) -> Span {
        self.stream.peek(0).span
    }

    fn next(&mut self) -> Token {
        let token = self.stream.take();
        (self.last_span, self.last_place) = (token.span, token.place());
        token
    }

    fn is(&mut self, punct: Punct) -> bool {
        self.peek().is(punct)
    }

    fn is_keyword(&mut self, keyword: Keyword) -> bool {
        self.peek().is_keyword(keyword)
    }

    fn is_separator(&mut self) -> bool {
        matches!(self.peek(), TokenKind::Punct(Punct::Semicolon | Punct::Arrow))
    }

    fn eat(&mut self, punct: Punct) -> bool {
        let is_next = self.is(punct);
        if is_next {
            self.next();
        }
        is_next
    }

    fn eat_keyword(&mut self, keyword: Keyword) -> bool {
        let is_next = self.is_keyword(keyword);
        if is_next {
            self.next();
        }
        is_next
    }

    fn expect(&mut self, punct: Punct) -> Parsed<Span> {
        if self.is(punct) {
            return Ok(self.next().span);
        }
        self.unexpected(&format!("`{}`", punct.spelling()))
    }

    fn name(&mut self, what: &str) -> Parsed<(Name, Span)> {
        if let TokenKind::Name(name) = self.peek() {
            let name = name.clone();
            return Ok((name, self.next().span));
        }
        self.unexpected(what)
    }

    fn at(&self, from: Span) -> At {
        At(from.to(self.last_span))
    }

    fn fail<T>(&mut self, span: Span, message: impl Into<String>) -> Parsed<T> {
        self.session.diagnostics.error(span, message);
        Err(Failed)
    }

    fn unexpected<T>(&mut self, wanted: &str) -> Parsed<T> {
        let token = self.stream.peek(0).clone();
        let found = match &token.kind {
            TokenKind::End => "the end of the text".to_owned(),
            TokenKind::Punct(Punct::Semicolon) if token.span.lo == token.span.hi => {
                "the end of the statement".to_owned()
            }
            TokenKind::Keyword(keyword) => format!("keyword `{}`", keyword.spelling()),
            TokenKind::Code(_) => "embedded C".to_owned(),
            kind => format!("`{}`", kind.spelling()),
        };
        self.fail(token.span, format!("expected {wanted}, found {found}"))
    }

    /// Runs a reader one level deeper.
    fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.nesting >= MAX_NESTING {
            let span = self.peek_span();
            let message = format!("nested deeper than {MAX_NESTING} levels");
            return self.fail(span, message);
        }
        self.nesting += 1;
        let result = read(self);
        self.nesting -= 1;
        result
    }

    /// Skips what is left of a broken statement: up to a separator or the end of the sequence.
    fn skip_statement(&mut self) {
        let mut depth = 0_u32;
        loop {
            match self.peek() {
                TokenKind::End => return,
                TokenKind::Punct(Punct::OpenBrace | Punct::OpenParen) => depth += 1,
                TokenKind::Keyword(Keyword::If | Keyword::Do) => depth += 1,
                TokenKind::Punct(Punct::CloseBrace | Punct::CloseParen)
                | TokenKind::Keyword(Keyword::Fi | Keyword::Od) => {
                    if depth == 0 {
                        return;
                    }
                    depth -= 1;
                }
                TokenKind::Punct(Punct::Semicolon | Punct::Arrow | Punct::DoubleColon) if depth == 0 => return,
                TokenKind::Keyword(
                    Keyword::Proctype | Keyword::Never | Keyword::Init | Keyword::Ltl | Keyword::Active,
                ) => {
                    return;
                }
                _ => {}
            }
            self.next();
        }
    }

    /// Skips to what looks like the next part of the model.
    fn skip_to_unit(&mut self) {
        let mut depth = 0_u32;
        loop {
            match &self.peek().clone() {
                TokenKind::End => return,
                TokenKind::Punct(Punct::OpenBrace) => depth += 1,
                TokenKind::Punct(Punct::CloseBrace) => depth = depth.saturating_sub(1),
                TokenKind::Punct(Punct::Semicolon) if depth == 0 && unit::begins_unit(self.peek_at(1)) => return,
                kind @ TokenKind::Keyword(_) if unit::only_begins_unit(kind) => {
                    return;
                }
                _ => {}
            }
            self.next();
        }
    }

    fn warn(&mut self, span: Span, message: impl Into<String>) {
        self.session.diagnostics.push(Diagnostic::new(Severity::Warning, span, message));
    }
}
