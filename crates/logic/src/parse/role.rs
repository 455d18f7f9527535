//! Classification of tokens: operator of the formula, or part of a host expression.
//!
//! Words are decided by their neighbours, from left to right: a binary operator can stand where an operand has just
//! ended, and any operator needs an operand after it.

use unpick_base::Diagnostic;

use super::lexer::{Kind, Token};
use super::{Dialect, Options, error};

/// An operator of the formula with one operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Unary {
    Not,
    Next,
    Always,
    Eventually,
}

/// An operator of the formula with two operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Binary {
    And,
    Or,
    Implies,
    Iff,
    Until,
    WeakUntil,
    Release,
    StrongRelease,
}

impl Binary {
    pub(super) fn is_temporal(self) -> bool {
        match self {
            Binary::Until | Binary::WeakUntil | Binary::Release | Binary::StrongRelease => true,
            Binary::And | Binary::Or | Binary::Implies | Binary::Iff => false,
        }
    }
}

/// The meaning of a token in its place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Role {
    Unary(Unary),
    Binary(Binary),
    Host,
}

impl Role {
    pub(super) fn is_temporal(self) -> bool {
        match self {
            Role::Unary(unary) => unary != Unary::Not,
            Role::Binary(binary) => binary.is_temporal(),
            Role::Host => false,
        }
    }
}

/// Whether the word can be an operator, constants included.
pub(crate) fn is_operator_word(word: &str) -> bool {
    unary_word(word, Dialect::Common).is_some()
        || binary_word(word, Dialect::Common).is_some()
        || matches!(word, "true" | "false")
}

fn unary_word(word: &str, dialect: Dialect) -> Option<Unary> {
    match word {
        "X" | "next" => Some(Unary::Next),
        "always" => Some(Unary::Always),
        "eventually" => Some(Unary::Eventually),
        "not" => Some(Unary::Not),
        "G" if dialect == Dialect::Common => Some(Unary::Always),
        "F" if dialect == Dialect::Common => Some(Unary::Eventually),
        _ => None,
    }
}

fn binary_word(word: &str, dialect: Dialect) -> Option<Binary> {
    match word {
        "U" | "until" | "stronguntil" => Some(Binary::Until),
        "V" | "release" => Some(Binary::Release),
        "W" | "weakuntil" => Some(Binary::WeakUntil),
        "and" => Some(Binary::And),
        "or" => Some(Binary::Or),
        "implies" => Some(Binary::Implies),
        "equivalent" => Some(Binary::Iff),
        "R" if dialect == Dialect::Common => Some(Binary::Release),
        "M" if dialect == Dialect::Common => Some(Binary::StrongRelease),
        _ => None,
    }
}

/// The roles of all tokens. `&`, `|` and `~` are host tokens here.
pub(super) fn roles(text: &str, tokens: &[Token], options: &Options) -> Result<Vec<Role>, Diagnostic> {
    let mut placing = Placing { text, tokens, options, roles: Vec::new() };
    while placing.roles.len() < tokens.len() {
        let at = placing.roles.len();
        if tokens[at].kind == Kind::Open(b'}') {
            let n_inside = tokens[at].partner + 1 - at;
            placing.roles.extend(std::iter::repeat_n(Role::Host, n_inside));
        } else {
            let role = placing.role(at)?;
            placing.roles.push(role);
        }
    }
    Ok(placing.roles)
}

struct Placing<'a> {
    text: &'a str,
    tokens: &'a [Token],
    options: &'a Options,
    /// Those of the tokens so far.
    roles: Vec<Role>,
}

impl Placing<'_> {
    fn role(&self, at: usize) -> Result<Role, Diagnostic> {
        let token = self.tokens[at];
        let role = match token.kind {
            Kind::Always => Role::Unary(Unary::Always),
            Kind::Eventually => Role::Unary(Unary::Eventually),
            Kind::Not => Role::Unary(Unary::Not),
            Kind::And => Role::Binary(Binary::And),
            Kind::Or => Role::Binary(Binary::Or),
            Kind::FatArrow => Role::Binary(Binary::Implies),
            Kind::Iff => Role::Binary(Binary::Iff),
            Kind::Arrow if self.is_member(at)? => Role::Host,
            Kind::Arrow => Role::Binary(Binary::Implies),
            Kind::Word => self.word(at),
            Kind::Number | Kind::Quoted | Kind::Open(_) | Kind::Close(_) | Kind::Tilde => Role::Host,
            Kind::Ampersand | Kind::Bar | Kind::Loose | Kind::Dot | Kind::Compare => Role::Host,
            Kind::Sign | Kind::Operator => Role::Host,
        };
        Ok(role)
    }

    fn word(&self, at: usize) -> Role {
        let dialect = self.options.dialect;
        let word = self.tokens[at].text(self.text);
        if self.follows_member_sign(at) {
            return Role::Host;
        }
        if self.operand_ends(at) {
            return match binary_word(word, dialect) {
                Some(binary) if self.operand_begins(at + 1, true) => Role::Binary(binary),
                _ => Role::Host,
            };
        }
        match unary_word(word, dialect) {
            Some(unary) if self.operand_begins(at + 1, false) && !self.is_infix(at + 1) => Role::Unary(unary),
            _ => Role::Host,
        }
    }

    /// Whether the word at this place would be a binary operator if an operand ended before it.
    fn is_infix(&self, at: usize) -> bool {
        let token = self.tokens[at];
        token.kind == Kind::Word
            && binary_word(token.text(self.text), self.options.dialect).is_some()
            && self.operand_begins(at + 1, false)
    }

    fn follows_member_sign(&self, at: usize) -> bool {
        at > 0
            && match self.tokens[at - 1].kind {
                Kind::Dot => true,
                Kind::Arrow => self.roles[at - 1] == Role::Host,
                _ => false,
            }
    }

    /// Whether an operand ends just before this token.
    fn operand_ends(&self, at: usize) -> bool {
        at > 0 && self.roles[at - 1] == Role::Host && ends_operand(self.tokens[at - 1], self.text)
    }

    fn operand_begins(&self, at: usize, signs: bool) -> bool {
        self.tokens.get(at).is_some_and(|token| match token.kind {
            Kind::Word | Kind::Number | Kind::Quoted | Kind::Not | Kind::Tilde => true,
            Kind::Always | Kind::Eventually | Kind::Open(b')' | b'}') => true,
            Kind::Sign | Kind::Ampersand => signs,
            Kind::Open(_) | Kind::Close(_) | Kind::Arrow | Kind::FatArrow | Kind::Iff | Kind::And | Kind::Or => false,
            Kind::Bar | Kind::Loose | Kind::Dot | Kind::Compare | Kind::Operator => false,
        })
    }

    /// Whether `->` selects a member: written without spaces between something that can be a pointer and a name.
    fn is_member(&self, at: usize) -> Result<bool, Diagnostic> {
        let (Some(before), Some(after)) = (at.checked_sub(1).map(|at| self.tokens[at]), self.tokens.get(at + 1)) else {
            return Ok(false);
        };
        let token = self.tokens[at];
        let tight = before.end == token.start && token.end == after.start;
        if self.options.dialect == Dialect::Spin || !tight || after.kind != Kind::Word || !self.operand_ends(at) {
            return Ok(false);
        }
        let is_group = before.kind == Kind::Close(b')') && !self.operand_ends(before.partner);
        if !is_group {
            return Ok(true);
        }
        if self.roles[before.partner..at].iter().any(|role| role.is_temporal()) {
            return Ok(false);
        }
        let help = "put spaces around `->` for an implication, or braces around the expression: `{(p)->x}`";
        Err(error(token.span(self.options), "`->` can be an implication or a member access here", help))
    }
}

/// Whether a host token can be the last of an operand.
pub(super) fn ends_operand(token: Token, text: &str) -> bool {
    match token.kind {
        Kind::Word => !matches!(token.text(text), "struct" | "union" | "enum" | "sizeof"),
        Kind::Number | Kind::Quoted | Kind::Close(_) => true,
        Kind::Open(_) | Kind::Always | Kind::Eventually | Kind::Arrow | Kind::FatArrow | Kind::Iff => false,
        Kind::And | Kind::Or | Kind::Not | Kind::Tilde | Kind::Ampersand | Kind::Bar | Kind::Loose => false,
        Kind::Dot | Kind::Compare | Kind::Sign | Kind::Operator => false,
    }
}
