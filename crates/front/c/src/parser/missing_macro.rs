//! Macros without definition in code without its headers: `WINAPI`, `MEM_STATIC`, `MODULE_LICENSE("x");`.
//!
//! In code without its headers such words stand where no identifier can. Where exactly one reading is left,
//! the word is assumed to expand to nothing, which is said once per word.

use unpick_base::{Diagnostic, Severity};

use super::specifier_set::SpecifierSet;
use super::{Name, Parser};
use crate::lexer::TokenKind;
use crate::syntax::Ident;

impl Parser {
    /// Whether the undeclared name here stands before a type: `local int x;`, `API foo_t f(void);`.
    pub(super) fn is_macro_before(&self) -> bool {
        let next = self.kind_at(1);
        match next {
            TokenKind::Ident => {
                let goes_on = matches!(self.kind_at(2), TokenKind::Ident | TokenKind::Star);
                // Behind `static` comes a type, so in `static DWORD WINAPI f` the second word is the macro.
                let is_behind_static = self.position > 0 && self.tokens[self.position - 1].kind == TokenKind::Static;
                let is_next_macro =
                    self.is_shouted(1) && (!self.is_shouted(0) || is_behind_static) && !self.starts_type(1);
                // In `size_t n UNUSED` it is the last word.
                let is_last_macro = self.kind_at(2) == TokenKind::Ident && self.is_shouted(2) && !self.is_shouted(0);
                goes_on && !is_next_macro && !is_last_macro
            }
            TokenKind::Const | TokenKind::Volatile => {
                let is_type = SpecifierSet::bit(self.kind_at(2)).is_some() || self.kind_at(2) == TokenKind::Struct;
                let is_named = self.kind_at(2) == TokenKind::Ident
                    && matches!(self.kind_at(3), TokenKind::Ident | TokenKind::Star);
                is_type || is_named
            }
            TokenKind::Struct | TokenKind::Union | TokenKind::Enum | TokenKind::Typeof => true,
            _ => SpecifierSet::bit(next).is_some() || (TokenKind::Typedef..=TokenKind::Alignas).contains(&next),
        }
    }

    /// Whether the name here stands between a type and what it declares: `int WINAPI f(void)`.
    pub(super) fn is_macro_between(&self) -> bool {
        if !self.at(TokenKind::Ident) || !matches!(self.kind_at(1), TokenKind::Ident | TokenKind::Star) {
            return false;
        }
        match self.names.get(self.token_at(0).symbol) {
            Name::Macro => true,
            Name::Unknown => self.is_shouted(0),
            _ => false,
        }
    }

    /// Whether the name here stands behind a declarator: `int x UNUSED;`, `void f(void) PRINTF(1, 2);`.
    pub(super) fn is_macro_behind(&self) -> bool {
        if !self.at(TokenKind::Ident) || self.is_on_new_line() && !self.names.is_file_scope() {
            return false;
        }
        match self.names.get(self.token_at(0).symbol) {
            Name::Macro => {}
            Name::Unknown if self.is_shouted(0) => {}
            _ => return false,
        }
        let behind = if self.kind_at(1) == TokenKind::LParen { self.behind_brackets(1) } else { 1 };
        matches!(
            self.kind_at(behind),
            TokenKind::Comma
                | TokenKind::RParen
                | TokenKind::Semi
                | TokenKind::LBrace
                | TokenKind::Assign
                | TokenKind::Attribute
                | TokenKind::Asm
        )
    }

    /// Whether a word known to be a macro stands there, in front of more of a declaration.
    pub(super) fn is_ignored_macro(&self, ahead: usize) -> bool {
        let token = self.token_at(ahead);
        let next = self.kind_at(ahead + 1);
        token.kind == TokenKind::Ident
            && self.names.get(token.symbol) == Name::Macro
            && (matches!(next, TokenKind::Ident | TokenKind::Star) || next.is_declaration_word())
    }

    /// Whether a call of something undeclared stands at file scope, where no call can be.
    pub(super) fn is_macro_call(&self) -> bool {
        let name = self.names.get(self.token_at(0).symbol);
        if self.kind_at(1) != TokenKind::LParen || !matches!(name, Name::Unknown | Name::Macro) {
            return false;
        }
        let first = self.token_at(2);
        if first.kind == TokenKind::RParen || first.kind.is_declaration_word() || self.starts_type(2) {
            return false;
        }
        let is_name = first.kind == TokenKind::Ident && self.names.get(first.symbol) == Name::Unknown;
        if is_name && !self.is_shouted(0) {
            return false;
        }
        let behind = self.behind_brackets(1);
        match self.kind_at(behind) {
            TokenKind::Semi => true,
            TokenKind::Eof | TokenKind::LBrace => false,
            _ => self.is_shouted(0) && !is_name && self.starts_line(behind),
        }
    }

    fn starts_line(&self, ahead: usize) -> bool {
        let (before, token) = (self.token_at(ahead - 1).span, self.token_at(ahead).span);
        self.spelling(unpick_base::Span::new(before.hi, token.lo.max(before.hi))).contains('\n')
    }

    /// Whether the name there is written like a macro, without lower-case letters.
    pub(super) fn is_shouted(&self, ahead: usize) -> bool {
        let spelling = self.spelling(self.token_at(ahead).span);
        spelling.len() > 1 && !spelling.bytes().any(|byte| byte.is_ascii_lowercase())
    }

    /// Takes the word here for a macro that expands to nothing.
    pub(super) fn skip_macro(&mut self) {
        let token = self.bump();
        self.assume_macro(Ident { name: token.symbol, span: token.span });
    }

    pub(super) fn skip_macros_between(&mut self) {
        while self.is_macro_between() {
            self.skip_macro();
        }
    }

    pub(super) fn skip_macros_behind(&mut self) {
        while self.is_macro_behind() {
            self.skip_macro();
            if self.at(TokenKind::LParen) {
                self.position += self.behind_brackets(0);
            }
        }
    }

    pub(super) fn skip_macro_call(&mut self) {
        self.skip_macro();
        self.position += self.behind_brackets(0);
        self.eat(TokenKind::Semi);
    }

    pub(super) fn assume_macro(&mut self, word: Ident) {
        if self.names.get(word.name) == Name::Macro {
            return;
        }
        self.names.assume(word.name, Name::Macro);
        let message = format!("`{}` is assumed to be a macro that expands to nothing", self.spelling(word.span));
        let help = "give its definition with -D or supply the header that defines it";
        self.diagnostics.push(Diagnostic::new(Severity::Assumption, word.span, message).help(help));
    }
}
