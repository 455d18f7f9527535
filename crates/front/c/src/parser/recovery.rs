//! Syntax errors: reporting them, and resynchronisation of the parser.

use unpick_base::{Diagnostic, Severity, Span};

use super::{Failed, MAX_DEPTH, Parsed, Parser};
use crate::lexer::{MAX_ERRORS, Token, TokenKind};

impl Parser {
    pub(super) fn error(&mut self, span: Span, message: impl Into<String>) {
        self.report(Diagnostic::new(Severity::Error, span, message));
    }

    pub(super) fn warning(&mut self, span: Span, message: impl Into<String>) {
        self.diagnostics.push(Diagnostic::new(Severity::Warning, span, message));
    }

    /// Reports an error unless one has been reported at the same place or the text is given up.
    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        if self.n_errors >= MAX_ERRORS || self.last_error.lo == diagnostic.span.lo {
            return;
        }
        let span = diagnostic.span;
        self.last_error = span;
        self.n_errors += 1;
        self.diagnostics.push(diagnostic);
        if self.n_errors == MAX_ERRORS {
            let text = "too many errors, the rest of this text is not read";
            self.diagnostics.push(Diagnostic::new(Severity::Note, span, text));
            self.give_up();
        }
    }

    /// How a message names the current token.
    pub(super) fn found(&self) -> String {
        let token = self.tokens[self.position];
        match token.kind {
            TokenKind::Eof => "end of file".to_owned(),
            TokenKind::Str => "a string literal".to_owned(),
            _ => {
                let text = self.spelling(token.span);
                match text.char_indices().nth(40) {
                    Some((at, _)) => format!("`{}...`", &text[..at]),
                    None => format!("`{text}`"),
                }
            }
        }
    }

    /// Fails because something else stands here.
    pub(super) fn expected<T>(&mut self, what: &str) -> Parsed<T> {
        let message = format!("expected {what}, found {}", self.found());
        self.error(self.span(), message);
        Err(Failed)
    }

    pub(super) fn expect(&mut self, kind: TokenKind, after: &str) -> Parsed<Token> {
        if self.at(kind) {
            return Ok(self.bump());
        }
        self.expected(&format!("`{}` {after}", kind.text()))
    }

    /// The closing partner of a bracket.
    pub(super) fn expect_close(&mut self, kind: TokenKind, open: Span, after: &str) -> Parsed<Token> {
        if self.at(kind) {
            return Ok(self.bump());
        }
        let message = format!("expected `{}` {after}, found {}", kind.text(), self.found());
        let opener = self.spelling(open).to_owned();
        self.report(
            Diagnostic::new(Severity::Error, self.span(), message).label(open, format!("to match this `{opener}`")),
        );
        Err(Failed)
    }

    /// The `;` at the end of a construct. If it is merely missing, parsing goes on as if it were there.
    pub(super) fn expect_semi(&mut self, after: &str) -> Parsed<()> {
        if self.eat(TokenKind::Semi) || self.position == self.assumed_semi {
            return Ok(());
        }
        let end = self.previous_end();
        let message = format!("expected `;` after {after}, found {}", self.found());
        let kind = self.kind();
        let is_behind_call = self.position > 0 && self.tokens[self.position - 1].kind == TokenKind::RParen;
        let is_macro = is_behind_call && matches!(kind, TokenKind::LBrace | TokenKind::Ident) && !self.is_on_new_line();
        let help = if is_macro {
            "add `;` here, or is a macro whose definition is missing used here?"
        } else {
            "add `;` here"
        };
        self.report(Diagnostic::new(Severity::Error, Span::new(end, end), message).help(help));
        let is_missing = matches!(kind, TokenKind::RBrace | TokenKind::Eof) || kind.is_statement_word();
        if is_missing || self.is_on_new_line() { Ok(()) } else { Err(Failed) }
    }

    pub(super) fn too_deep<T>(&mut self) -> Parsed<T> {
        self.report(
            Diagnostic::new(Severity::Error, self.span(), "nested too deeply")
                .help(format!("at most {MAX_DEPTH} levels of nesting are read")),
        );
        self.give_up();
        Err(Failed)
    }

    /// Reads nothing more of this text and says nothing more about it.
    fn give_up(&mut self) {
        self.position = self.tokens.len() - 1;
        self.n_errors = MAX_ERRORS;
        self.next_pragma = self.pragmas.len();
    }

    /// Skips the rest of the external declaration that began at `start`.
    pub(super) fn recover_external(&mut self, start: usize) {
        if self.at(TokenKind::Eof) {
            return;
        }
        let mut depth = self.open_braces(start);
        // A statement at file scope is the rest of a function whose head was broken: skip all of it.
        let is_body = self.tokens[start].kind.is_statement_word();
        if self.position == start {
            // A stray token must not stop us for ever.
            let kind = self.bump().kind;
            depth += i32::from(kind == TokenKind::LBrace);
            if matches!(kind, TokenKind::Semi | TokenKind::RBrace) {
                return;
            }
        }
        loop {
            match self.kind() {
                TokenKind::Eof => return,
                TokenKind::Semi if depth <= 0 && !is_body => {
                    self.bump();
                    return;
                }
                TokenKind::LBrace => depth += 1,
                TokenKind::RBrace => {
                    depth -= 1;
                    // By custom a brace in the first column ends a function, whatever is open.
                    if depth < i32::from(!is_body) || self.is_in_first_column() {
                        self.bump();
                        self.eat(TokenKind::Semi);
                        return;
                    }
                }
                kind if depth <= 0 && kind.is_declaration_word() && self.is_in_first_column() => return,
                _ => {}
            }
            self.bump();
        }
    }

    /// Skips the rest of the statement or declaration in a block that began at `start`.
    pub(super) fn recover_item(&mut self, start: usize) {
        if self.at(TokenKind::Eof) {
            return;
        }
        let mut braces = self.open_braces(start);
        let mut parens = self.open_parens(start);
        let is_for = self.tokens[start].kind == TokenKind::For;
        if self.position == start && !matches!(self.kind(), TokenKind::RBrace) {
            let kind = self.bump().kind;
            braces += i32::from(kind == TokenKind::LBrace);
            if kind == TokenKind::Semi {
                return;
            }
        }
        loop {
            match self.kind() {
                TokenKind::Eof => return,
                TokenKind::Semi if braces <= 0 && !(is_for && parens > 0) => {
                    self.bump();
                    return;
                }
                TokenKind::LParen => parens += 1,
                TokenKind::RParen => parens -= 1,
                TokenKind::LBrace => braces += 1,
                TokenKind::RBrace if braces <= 0 => return,
                TokenKind::RBrace => {
                    braces -= 1;
                    if braces == 0 {
                        self.bump();
                        self.eat(TokenKind::Semi);
                        return;
                    }
                }
                kind if braces <= 0 && kind.is_statement_word() && self.is_on_new_line() => return,
                _ => {}
            }
            self.bump();
        }
    }

    fn is_in_first_column(&self) -> bool {
        let at = (self.span().lo - self.base) as usize;
        at == 0 || self.text.as_bytes()[at - 1] == b'\n'
    }

    fn open_braces(&self, start: usize) -> i32 {
        self.balance(start, TokenKind::LBrace, TokenKind::RBrace)
    }

    fn open_parens(&self, start: usize) -> i32 {
        self.balance(start, TokenKind::LParen, TokenKind::RParen)
    }

    fn balance(&self, start: usize, open: TokenKind, close: TokenKind) -> i32 {
        let between = self.tokens[start..self.position].iter();
        between.map(|token| i32::from(token.kind == open) - i32::from(token.kind == close)).sum()
    }
}
