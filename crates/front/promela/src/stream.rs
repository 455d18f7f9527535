//! Token stream for the parser: implied semicolons inserted, inlines expanded.
//!
//! SPIN makes most semicolons optional. A line end after a token that can end a statement is a separator,
//! inside bodies and outside parentheses; `}` and `else` are followed by one if nothing else says so; a
//! separator before `}` or before another separator vanishes. The rules live here, so that the parser can be
//! an ordinary one.

use std::collections::VecDeque;
use std::sync::Arc;

use unpick_base::Span;

use crate::lexer::{Keyword, Punct, Token, TokenKind};

/// A run of tokens: the text, or the body of an inline.
struct Source {
    tokens: Arc<[Token]>,
    at: usize,
}

/// Tokens with separators in place; [`Stream::push`] puts the body of an inline before what follows.
pub struct Stream {
    sources: Vec<Source>,
    /// Handed out next, before anything new is read.
    ahead: VecDeque<Token>,
    /// Read while looking behind a separator.
    held: Option<Token>,
    /// The last token for the rule of line ends.
    last: Last,
    /// The last token for the rule of closing braces.
    last_given: Last,
    last_end: u32,
    n_parens: u32,
    n_braces: u32,
    /// A body or a typedef is about to begin.
    is_body_next: bool,
}

/// What the rules ask of the token before.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Last {
    CloseBrace,
    Else,
    /// Another token after which a line may end a statement.
    Ender,
    Other,
}

impl Stream {
    /// The tokens of a text; the last one must be the end.
    pub fn new(tokens: Vec<Token>) -> Self {
        Self {
            sources: vec![Source { tokens: tokens.into(), at: 0 }],
            ahead: VecDeque::new(),
            held: None,
            last: Last::Other,
            last_given: Last::Other,
            last_end: 0,
            n_parens: 0,
            n_braces: 0,
            is_body_next: false,
        }
    }

    /// The token `n` places ahead, from zero.
    pub fn peek(&mut self, n: usize) -> &Token {
        while self.ahead.len() <= n {
            let token = self.give();
            self.ahead.push_back(token);
        }
        &self.ahead[n]
    }

    /// Takes the next token; the end stays.
    pub fn take(&mut self) -> Token {
        let token = match self.ahead.pop_front() {
            Some(token) => token,
            None => self.give(),
        };
        if token.kind == TokenKind::End {
            self.ahead.push_front(token.clone());
        }
        token
    }

    /// How many inlines are being read.
    pub fn depth(&self) -> usize {
        self.sources.len() - 1
    }

    /// Reads these tokens next. Nothing may have been peeked.
    pub fn push(&mut self, tokens: Vec<Token>) {
        debug_assert!(
            self.ahead.is_empty() && self.held.is_none(),
            "the call should have been read without looking ahead"
        );
        self.sources.push(Source { tokens: tokens.into(), at: 0 });
        self.last = Last::Other;
        self.last_given = Last::Other;
    }

    /// Takes raw tokens up to and with the brace that closes the one that was just taken.
    pub fn raw_body(&mut self) -> Vec<Token> {
        let mut body = Vec::new();
        let mut depth = 1;
        while depth > 0 {
            let token = match self.ahead.pop_front().or_else(|| self.held.take()) {
                Some(token) => token,
                None => match self.raw() {
                    Some(token) => token,
                    None => break,
                },
            };
            match &token.kind {
                TokenKind::Punct(Punct::OpenBrace) => depth += 1,
                TokenKind::Punct(Punct::CloseBrace) => depth -= 1,
                TokenKind::End => {
                    self.ahead.push_back(token);
                    break;
                }
                _ => {}
            }
            body.push(token);
        }
        self.last = Last::CloseBrace;
        self.last_given = Last::CloseBrace;
        self.n_braces = 0;
        body
    }

    /// The next token of the sources, unfiltered.
    fn raw(&mut self) -> Option<Token> {
        loop {
            let source = self.sources.last_mut()?;
            if let Some(token) = source.tokens.get(source.at) {
                source.at += 1;
                return Some(token.clone());
            }
            if self.sources.len() == 1 {
                return None;
            }
            self.sources.pop();
        }
    }

    fn unread(&mut self) {
        let source = self.sources.last_mut().expect("a token should come from a source");
        source.at -= 1;
    }

    fn separator(&self) -> Token {
        let span = Span::new(self.last_end, self.last_end);
        Token { kind: TokenKind::Punct(Punct::Semicolon), span, is_after_newline: false, parameter: None }
    }

    /// The next token after the rule of line ends.
    fn lined(&mut self) -> Token {
        let Some(token) = self.raw() else {
            let span = Span::new(self.last_end, self.last_end);
            return Token { kind: TokenKind::End, span, is_after_newline: false, parameter: None };
        };
        if token.is_after_newline && self.last != Last::Other && self.n_braces > 0 && self.n_parens == 0 {
            let is_unless = self.last == Last::CloseBrace && token.kind.spelling().starts_with('u');
            if !is_unless {
                self.unread();
                self.last = Last::Other;
                return self.separator();
            }
        }
        self.count(&token.kind);
        self.last = last_of(&token.kind);
        self.last_end = token.span.hi;
        token
    }

    /// The next token after all rules.
    fn give(&mut self) -> Token {
        let mut token = match self.held.take() {
            Some(token) => token,
            None => {
                let token = self.lined();
                let needs_separator = match self.last_given {
                    Last::Else => !is_separator(&token.kind) && !token.kind.is_keyword(Keyword::Fi),
                    Last::CloseBrace => !follows_brace(&token.kind),
                    Last::Ender | Last::Other => false,
                };
                if needs_separator {
                    let span = Span::new(token.span.lo, token.span.lo);
                    self.held = Some(token);
                    self.last_given = Last::Other;
                    return Token { span, ..self.separator() };
                }
                token
            }
        };
        if is_separator(&token.kind) {
            let next = self.lined();
            if is_separator(&next.kind) || next.kind.is(Punct::CloseBrace) {
                token = next;
            } else {
                self.held = Some(next);
            }
        }
        self.last_given = last_of(&token.kind);
        token
    }

    /// Follows brackets; line ends count only inside bodies.
    fn count(&mut self, kind: &TokenKind) {
        match kind {
            TokenKind::Punct(Punct::OpenParen) => self.n_parens += 1,
            TokenKind::Punct(Punct::CloseParen) => self.n_parens = self.n_parens.saturating_sub(1),
            TokenKind::Punct(Punct::OpenBrace) => {
                if self.n_braces > 0 || self.is_body_next {
                    self.n_braces += 1;
                }
                self.is_body_next = false;
            }
            TokenKind::Punct(Punct::CloseBrace) => self.n_braces = self.n_braces.saturating_sub(1),
            TokenKind::Keyword(
                Keyword::Proctype
                | Keyword::DProctype
                | Keyword::Init
                | Keyword::Never
                | Keyword::Trace
                | Keyword::Notrace
                | Keyword::Typedef,
            ) if self.n_braces == 0 => self.is_body_next = true,
            _ => {}
        }
    }
}

fn is_separator(kind: &TokenKind) -> bool {
    matches!(kind, TokenKind::Punct(Punct::Semicolon | Punct::Arrow))
}

/// Whether nothing has to be put between a closing brace and this token.
fn follows_brace(kind: &TokenKind) -> bool {
    match kind {
        TokenKind::Keyword(keyword) => matches!(
            keyword,
            Keyword::Proctype | Keyword::Init | Keyword::Never | Keyword::Fi | Keyword::Od | Keyword::Unless
        ),
        TokenKind::Punct(punct) => {
            matches!(punct, Punct::DoubleColon | Punct::CloseBrace | Punct::Semicolon | Punct::Arrow)
        }
        TokenKind::End => true,
        _ => false,
    }
}

fn last_of(kind: &TokenKind) -> Last {
    match kind {
        TokenKind::Punct(Punct::CloseBrace) => Last::CloseBrace,
        TokenKind::Keyword(Keyword::Else) => Last::Else,
        TokenKind::Name(_) | TokenKind::Number(_) | TokenKind::Char(_) | TokenKind::Code(_) => Last::Ender,
        TokenKind::Punct(Punct::CloseParen | Punct::CloseBracket | Punct::Increment | Punct::Decrement) => Last::Ender,
        TokenKind::Keyword(
            Keyword::Od
            | Keyword::Fi
            | Keyword::Break
            | Keyword::Skip
            | Keyword::True
            | Keyword::False
            // SPIN reads `timeout` as `(timeout)`.
            | Keyword::Timeout,
        ) => Last::Ender,
        _ => Last::Other,
    }
}
