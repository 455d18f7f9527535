//! Parser: recursive descent from tokens to the tree of [`crate::syntax`], one external declaration at a time.
//!
//! Recursive descent with the scopes of typedef names beside it, because C cannot be parsed without
//! knowing which identifiers name types. A syntax error is reported where it is seen and travels up as
//! `Failed` to the next statement or declaration, which skips to a safe place and goes on. Recursion is
//! bounded by [`MAX_DEPTH`] and the height of chains built by loops by [`MAX_HEIGHT`], so that neither the
//! parser nor anything that walks its tree can run out of stack.

mod assembly;
mod attribute;
mod declaration;
mod declarator;
mod disambiguation;
mod expression;
mod initializer;
mod missing_macro;
mod primary;
mod quantifier;
mod record;
mod recovery;
mod scope;
mod specifier;
mod specifier_set;
mod statement;

use std::collections::HashMap;
use std::rc::Rc;

use unpick_base::{Diagnostic, Span, Symbol};

use crate::lexer::{self, Token, TokenKind};
use crate::session::Session;
use crate::syntax::{ExternalDecl, Ident, PragmaPack};
use scope::{Name, Names};

/// How deep constructs may nest. Real programs stay below a hundred.
pub const MAX_DEPTH: u32 = 1_000;

/// How high a tree may grow by chains such as `a + b + ...` or `else if`.
pub const MAX_HEIGHT: u32 = 20_000;

/// A syntax error that has been reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Failed;

pub(crate) type Parsed<T> = Result<T, Failed>;

/// The parser of one text.
pub struct Parser {
    text: Rc<str>,
    base: u32,
    tokens: Vec<Token>,
    position: usize,
    pragmas: Vec<(usize, PragmaPack)>,
    next_pragma: usize,
    bare_names: HashMap<Symbol, Symbol, foldhash::fast::RandomState>,
    /// Attributes whose arguments are words like their names.
    word_attributes: [Symbol; 2],
    names: Names,
    diagnostics: Vec<Diagnostic>,
    n_errors: usize,
    last_error: Span,
    depth: u32,
    /// Height of the highest tree finished at the current depth.
    height: u32,
    /// How many parameter lists are open here. A parameter's own list is never one of an old-style definition.
    n_parameter_lists: u32,
    /// How many quantifiers are open here.
    n_quantifiers: u32,
    /// The token before which a missing `;` has been reported already.
    assumed_semi: usize,
}

/// Parses a whole text.
pub fn parse_all(session: &mut Session, text_index: usize) -> Vec<ExternalDecl> {
    let mut parser = Parser::new(session, text_index);
    std::iter::from_fn(|| parser.next_external(session)).collect()
}

impl Parser {
    /// Tokenises the text and stands before its first declaration.
    pub fn new(session: &mut Session, text_index: usize) -> Parser {
        let lexed = lexer::tokenize(session, text_index);
        let word_attributes = ["mode", "format"].map(|name| session.interner.intern(name));
        let names = Names::new(&mut session.interner);
        let source = session.sources.text(text_index);
        Parser {
            text: source.text.clone(),
            base: source.base,
            tokens: lexed.tokens,
            position: 0,
            pragmas: lexed.pragmas,
            next_pragma: 0,
            bare_names: lexed.bare_names,
            word_attributes,
            names,
            diagnostics: Vec::new(),
            n_errors: lexed.n_errors,
            last_error: Span::NONE,
            depth: 0,
            height: 0,
            n_parameter_lists: 0,
            n_quantifiers: 0,
            assumed_semi: usize::MAX,
        }
    }

    /// The next external declaration; `None` at the end of the text.
    pub fn next_external(&mut self, session: &mut Session) -> Option<ExternalDecl> {
        let external = self.external();
        self.diagnostics.drain(..).for_each(|diagnostic| session.diagnostics.push(diagnostic));
        external
    }

    /// How many tokens the text has.
    pub fn n_tokens(&self) -> usize {
        self.tokens.len() - 1
    }

    fn external(&mut self) -> Option<ExternalDecl> {
        loop {
            if let Some(pack) = self.pragma() {
                return Some(ExternalDecl::PragmaPack(pack));
            }
            self.height = 0;
            let start = self.position;
            let parsed = match self.word() {
                TokenKind::Eof => return None,
                TokenKind::Semi => {
                    self.bump();
                    Ok(ExternalDecl::Empty)
                }
                TokenKind::Ident if self.is_macro_call() => {
                    self.skip_macro_call();
                    Ok(ExternalDecl::Empty)
                }
                TokenKind::StaticAssert => self.static_assert().map(ExternalDecl::StaticAssert),
                TokenKind::Asm => self.asm_statement().map(ExternalDecl::Asm),
                TokenKind::RBrace => {
                    let span = self.span();
                    self.error(span, "unmatched `}`");
                    Err(Failed)
                }
                _ => self.external_declaration(),
            };
            match parsed {
                Ok(external) => return Some(external),
                Err(Failed) => self.recover_external(start),
            }
        }
    }

    // Looking at tokens.

    /// The kind of the current token.
    fn kind(&self) -> TokenKind {
        self.tokens[self.position].kind
    }

    /// The kind of the token `ahead` of the current one.
    fn kind_at(&self, ahead: usize) -> TokenKind {
        self.tokens[(self.position + ahead).min(self.tokens.len() - 1)].kind
    }

    fn token_at(&self, ahead: usize) -> Token {
        self.tokens[(self.position + ahead).min(self.tokens.len() - 1)]
    }

    /// The kind of the current token, where a late keyword the program has not declared counts as one.
    fn word(&self) -> TokenKind {
        self.word_at(0)
    }

    fn word_at(&self, ahead: usize) -> TokenKind {
        let token = self.token_at(ahead);
        match token.kind {
            TokenKind::Ident => match self.names.get(token.symbol) {
                Name::Soft(kind) => kind,
                _ => TokenKind::Ident,
            },
            kind => kind,
        }
    }

    fn at(&self, kind: TokenKind) -> bool {
        self.kind() == kind
    }

    fn span(&self) -> Span {
        self.tokens[self.position].span
    }

    /// From the first byte of an earlier token to the end of the last one taken.
    fn span_from(&self, start: usize) -> Span {
        let first = self.tokens[start].span;
        if self.position == start {
            return Span::new(first.lo, first.lo);
        }
        Span::new(first.lo, self.previous_end())
    }

    /// Where the last token taken ends.
    fn previous_end(&self) -> u32 {
        self.position.checked_sub(1).map_or(self.base, |at| self.tokens[at].span.hi)
    }

    /// How a token is spelled.
    fn spelling(&self, span: Span) -> &str {
        &self.text[(span.lo - self.base) as usize..(span.hi - self.base) as usize]
    }

    /// Whether the current token begins on a later line than the last one ended.
    fn is_on_new_line(&self) -> bool {
        let gap = Span::new(self.previous_end(), self.span().lo.max(self.previous_end()));
        self.spelling(gap).contains('\n')
    }

    // Taking tokens.

    /// Takes the current token; the end of the text stays.
    fn bump(&mut self) -> Token {
        let token = self.tokens[self.position];
        if token.kind != TokenKind::Eof {
            self.position += 1;
        }
        token
    }

    fn eat(&mut self, kind: TokenKind) -> bool {
        let is_there = self.at(kind);
        if is_there {
            self.position += 1;
        }
        is_there
    }

    fn identifier(&mut self, what: &str) -> Parsed<Ident> {
        if !self.at(TokenKind::Ident) {
            return self.expected(what);
        }
        let token = self.bump();
        Ok(Ident { name: token.symbol, span: token.span })
    }

    /// `#pragma pack` lines that stand before the current token, one per call.
    fn pragma(&mut self) -> Option<PragmaPack> {
        let (at, pack) = *self.pragmas.get(self.next_pragma)?;
        if at > self.position {
            return None;
        }
        self.next_pragma += 1;
        Some(pack)
    }

    // Bounding the tree.

    /// Goes one level down; every `enter` is paired with a [`Self::leave`] taking its result.
    fn enter(&mut self) -> Parsed<u32> {
        if self.depth >= MAX_DEPTH {
            return self.too_deep();
        }
        self.depth += 1;
        Ok(std::mem::take(&mut self.height))
    }

    fn leave(&mut self, outer_height: u32) {
        self.depth -= 1;
        self.height = outer_height.max(self.height + 1);
    }

    /// One more link of a chain that a loop builds.
    fn grow(&mut self) -> Parsed<()> {
        self.height += 1;
        if self.height > MAX_HEIGHT { self.too_deep() } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests;
