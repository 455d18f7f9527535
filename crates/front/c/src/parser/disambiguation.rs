//! Disambiguation of type names and value names in code with missing declarations, by declaration or else by syntactic
//! form.
//!
//! Incomplete code uses names nothing declares. Where only a type makes sense (`foo_t *p = ...;`,
//! `(foo_t *)p`) such a name is taken for a type and remembered as one.

use super::{Name, Parser};
use crate::lexer::TokenKind;

impl Parser {
    /// Whether a declaration begins at the token `ahead` of the current one, inside a block.
    pub(super) fn starts_declaration(&self, ahead: usize) -> bool {
        let mut ahead = ahead;
        while self.is_ignored_macro(ahead) {
            ahead += 1;
        }
        let token = self.token_at(ahead);
        if token.kind != TokenKind::Ident {
            return token.kind.is_declaration_word();
        }
        match self.names.get(token.symbol) {
            Name::Type | Name::AssumedType => self.kind_at(ahead + 1) != TokenKind::Colon,
            Name::Ordinary | Name::Macro => false,
            Name::Soft(kind) => kind.is_declaration_word(),
            Name::Unknown => self.guess_declaration(ahead),
        }
    }

    /// Whether a type name begins at the token `ahead` of the current one; no guesses.
    pub(super) fn starts_type(&self, ahead: usize) -> bool {
        let token = self.token_at(ahead);
        match token.kind {
            TokenKind::Ident => match self.names.get(token.symbol) {
                Name::Type | Name::AssumedType => true,
                Name::Soft(kind) => kind.is_type_word(),
                Name::Macro => self.kind_at(ahead + 1).is_type_word(),
                Name::Unknown | Name::Ordinary => false,
            },
            TokenKind::Extension => self.kind_at(ahead + 1).is_type_word(),
            kind => kind.is_type_word() || kind == TokenKind::Attribute,
        }
    }

    /// Whether the parenthesis at the current token holds a type in front of an operand.
    pub(super) fn starts_cast(&self) -> bool {
        if self.starts_type(1) {
            return true;
        }
        if !self.is_unknown(1) {
            return false;
        }
        match self.kind_at(2) {
            TokenKind::RParen => matches!(
                self.kind_at(3),
                TokenKind::Ident
                    | TokenKind::Number
                    | TokenKind::Char
                    | TokenKind::Str
                    | TokenKind::Tilde
                    | TokenKind::Bang
                    | TokenKind::LBrace
                    | TokenKind::Sizeof
                    | TokenKind::Alignof
            ),
            kind => kind.is_type_word() || self.is_abstract_pointer(2),
        }
    }

    /// Whether the parenthesis at the current token holds a type, where a name alone is an expression.
    pub(super) fn starts_parenthesised_type(&self) -> bool {
        self.starts_type(1) || self.is_unknown(1) && self.is_abstract_pointer(2)
    }

    /// Whether an undeclared identifier stands there.
    pub(super) fn is_unknown(&self, ahead: usize) -> bool {
        let token = self.token_at(ahead);
        token.kind == TokenKind::Ident && self.names.get(token.symbol) == Name::Unknown
    }

    /// `* )`, `const * )`, `(*)(`: what can follow a type but not a value.
    fn is_abstract_pointer(&self, ahead: usize) -> bool {
        let (behind, has_qualifier) = self.behind_stars(ahead);
        let is_function = self.kind_at(ahead) == TokenKind::LParen
            && self.kind_at(ahead + 1) == TokenKind::Star
            && self.kind_at(ahead + 2) == TokenKind::RParen;
        is_function || has_qualifier || behind > ahead && self.kind_at(behind) == TokenKind::RParen
    }

    /// Skips `*` and qualifiers.
    fn behind_stars(&self, mut ahead: usize) -> (usize, bool) {
        let mut has_qualifier = false;
        loop {
            match self.kind_at(ahead) {
                TokenKind::Star => {}
                TokenKind::Const | TokenKind::Volatile | TokenKind::Restrict => has_qualifier = true,
                _ => return (ahead, has_qualifier),
            }
            ahead += 1;
        }
    }

    /// Whether an undeclared name begins a declaration: `a b;`, `a *b = ...`, `a const ...`.
    fn guess_declaration(&self, ahead: usize) -> bool {
        let behind = self.kind_at(ahead + 2);
        match self.kind_at(ahead + 1) {
            TokenKind::Ident => matches!(
                behind,
                TokenKind::Semi
                    | TokenKind::Assign
                    | TokenKind::Comma
                    | TokenKind::LBracket
                    | TokenKind::LParen
                    | TokenKind::Asm
                    | TokenKind::Attribute
                    | TokenKind::Ident
            ),
            kind if kind.is_declaration_word() => true,
            TokenKind::Star => {
                let (name, has_qualifier) = self.behind_stars(ahead + 1);
                if has_qualifier {
                    return true;
                }
                let is_new = self.is_unknown(name);
                self.kind_at(name) == TokenKind::Ident
                    && match self.kind_at(name + 1) {
                        TokenKind::Assign => true,
                        TokenKind::Semi | TokenKind::Comma | TokenKind::LBracket => is_new,
                        _ => false,
                    }
            }
            TokenKind::LParen => {
                behind == TokenKind::Star
                    && self.is_unknown(ahead + 3)
                    && self.kind_at(ahead + 4) == TokenKind::RParen
                    && self.kind_at(ahead + 5) == TokenKind::LParen
            }
            _ => false,
        }
    }

    /// Whether the undeclared name at the current token, met among the specifiers of a declaration, is
    /// its type rather than the name it declares (with implicit `int`).
    pub(super) fn is_type_among_specifiers(&self) -> bool {
        match self.kind_at(1) {
            TokenKind::Ident | TokenKind::Star => true,
            TokenKind::LParen => matches!(self.kind_at(2), TokenKind::Star | TokenKind::Caret),
            TokenKind::Attribute => {
                let mut ahead = 1;
                while self.kind_at(ahead) == TokenKind::Attribute {
                    ahead = self.behind_brackets(ahead + 1);
                }
                matches!(self.kind_at(ahead), TokenKind::Ident | TokenKind::Star)
            }
            kind => kind.is_declaration_word(),
        }
    }

    /// The token behind the brackets that open at `ahead`.
    pub(super) fn behind_brackets(&self, mut ahead: usize) -> usize {
        let mut depth = 0;
        loop {
            match self.kind_at(ahead) {
                TokenKind::LParen | TokenKind::LBracket => depth += 1,
                TokenKind::RParen | TokenKind::RBracket => depth -= 1,
                TokenKind::Eof => return ahead,
                _ => {}
            }
            ahead += 1;
            if depth <= 0 {
                return ahead;
            }
        }
    }
}
