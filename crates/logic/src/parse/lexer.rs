//! Lexer of formulas: tokens, with the matching bracket of each bracket.

use unpick_base::{Diagnostic, Span};

use super::{MAX_NESTING, Options, error, too_deep};

/// What a token is by itself; what it means in its place is its [`Role`](super::role::Role).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Word,
    Number,
    /// A string or a character.
    Quoted,
    Open(u8),
    Close(u8),
    /// `[]`
    Always,
    /// `<>`
    Eventually,
    /// `->`
    Arrow,
    /// `=>`
    FatArrow,
    /// `<->`, `<=>`
    Iff,
    /// `&&`, `/\`
    And,
    /// `||`, `\/`
    Or,
    Not,
    Tilde,
    Ampersand,
    Bar,
    /// `?`, `,`, `;`, `:` and assignments: they bind weaker than `&&`.
    Loose,
    /// `.`
    Dot,
    /// Comparisons.
    Compare,
    /// Host operators that may also begin an operand: `+ - * ++ --`.
    Sign,
    /// Other host operators.
    Operator,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub(super) kind: Kind,
    /// Byte offsets in the text.
    pub(super) start: usize,
    pub(super) end: usize,
    /// For brackets, the token that matches; else itself.
    pub(super) partner: usize,
}

impl Token {
    pub(super) fn text<'a>(&self, text: &'a str) -> &'a str {
        &text[self.start..self.end]
    }

    pub(super) fn span(&self, options: &Options) -> Span {
        span(options, self.start, self.end)
    }
}

/// The address range of a byte range; texts beyond 4 GiB are refused before.
pub(super) fn span(options: &Options, start: usize, end: usize) -> Span {
    let address = |offset: usize| options.base.saturating_add(u32::try_from(offset).unwrap_or(u32::MAX));
    Span::new(address(start), address(end))
}

const SIGNS: &[(&str, Kind)] = &[
    ("<<=", Kind::Loose),
    (">>=", Kind::Loose),
    ("<->", Kind::Iff),
    ("<=>", Kind::Iff),
    ("->", Kind::Arrow),
    ("=>", Kind::FatArrow),
    ("<>", Kind::Eventually),
    ("&&", Kind::And),
    ("||", Kind::Or),
    ("/\\", Kind::And),
    ("\\/", Kind::Or),
    ("==", Kind::Compare),
    ("!=", Kind::Compare),
    ("<=", Kind::Compare),
    (">=", Kind::Compare),
    ("<<", Kind::Operator),
    (">>", Kind::Operator),
    ("++", Kind::Sign),
    ("--", Kind::Sign),
    ("+=", Kind::Loose),
    ("-=", Kind::Loose),
    ("*=", Kind::Loose),
    ("/=", Kind::Loose),
    ("%=", Kind::Loose),
    ("&=", Kind::Loose),
    ("|=", Kind::Loose),
    ("^=", Kind::Loose),
    ("<", Kind::Compare),
    (">", Kind::Compare),
    ("!", Kind::Not),
    ("~", Kind::Tilde),
    ("&", Kind::Ampersand),
    ("|", Kind::Bar),
    ("?", Kind::Loose),
    (":", Kind::Loose),
    (",", Kind::Loose),
    (";", Kind::Loose),
    ("=", Kind::Loose),
    (".", Kind::Dot),
    ("+", Kind::Sign),
    ("-", Kind::Sign),
    ("*", Kind::Sign),
    ("/", Kind::Operator),
    ("%", Kind::Operator),
    ("^", Kind::Operator),
    ("@", Kind::Operator),
    ("(", Kind::Open(b')')),
    ("[", Kind::Open(b']')),
    ("{", Kind::Open(b'}')),
    (")", Kind::Close(b')')),
    ("]", Kind::Close(b']')),
    ("}", Kind::Close(b'}')),
];

/// The tokens of the text, brackets matched.
pub(super) fn tokens(text: &str, options: &Options) -> Result<Vec<Token>, Diagnostic> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(character) = text[at..].chars().next() {
        if character.is_ascii_whitespace() {
            at += 1;
            continue;
        }
        if let Some(len) = comment(&text[at..]) {
            at += len;
            continue;
        }
        let (kind, len) = token(&text[at..]).ok_or_else(|| unreadable(options, at, character))?;
        tokens.push(Token { kind, start: at, end: at + len, partner: tokens.len() });
        at += len;
    }
    match_brackets(text, &mut tokens, options)?;
    Ok(tokens)
}

/// The length of a comment; one that is never closed is none.
fn comment(rest: &str) -> Option<usize> {
    if rest.starts_with("//") {
        return Some(rest.find('\n').unwrap_or(rest.len()));
    }
    let inner = rest.strip_prefix("/*")?;
    inner.find("*/").map(|end| end + 4)
}

fn token(rest: &str) -> Option<(Kind, usize)> {
    let first = rest.chars().next()?;
    let is_word = |character: char| character.is_alphanumeric() || matches!(character, '_' | '$' | '#');
    let run = |accept: &dyn Fn(char) -> bool| rest.find(|character| !accept(character)).unwrap_or(rest.len());
    if first.is_ascii_digit() {
        return Some((Kind::Number, run(&|character| is_word(character) || character == '.')));
    }
    if is_word(first) && first != '#' {
        return Some((Kind::Word, run(&is_word)));
    }
    if first == '"' || first == '\'' {
        return quoted(rest, first).map(|len| (Kind::Quoted, len));
    }
    if first == '[' {
        let inner = rest[1..].trim_start_matches(|character: char| character.is_ascii_whitespace());
        if inner.starts_with(']') {
            return Some((Kind::Always, rest.len() - inner.len() + 1));
        }
    }
    SIGNS.iter().find(|(sign, _)| rest.starts_with(sign)).map(|(sign, kind)| (*kind, sign.len()))
}

/// The length of a literal up to its closing quote.
fn quoted(rest: &str, quote: char) -> Option<usize> {
    let mut escaped = false;
    for (at, character) in rest.char_indices().skip(1) {
        match character {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if character == quote => return Some(at + 1),
            _ => {}
        }
    }
    None
}

fn unreadable(options: &Options, at: usize, character: char) -> Diagnostic {
    let span = span(options, at, at + character.len_utf8());
    if character == '"' || character == '\'' {
        return error(span, format!("`{character}` is never closed"), format!("add the closing `{character}`"));
    }
    let help = "operators are `[] <> X U V W ! && || -> <->`; the rest is expressions";
    error(span, format!("`{}` has no meaning in a formula", character.escape_debug()), help)
}

fn match_brackets(text: &str, tokens: &mut [Token], options: &Options) -> Result<(), Diagnostic> {
    let mut open: Vec<usize> = Vec::new();
    for at in 0..tokens.len() {
        match tokens[at].kind {
            Kind::Open(_) => {
                open.push(at);
                if open.len() > MAX_NESTING {
                    return Err(too_deep(tokens[at].span(options)));
                }
            }
            Kind::Close(sign) => {
                let partner = open.pop().filter(|partner| tokens[*partner].kind == Kind::Open(sign));
                let Some(partner) = partner else {
                    let message = format!("`{}` closes nothing", tokens[at].text(text));
                    return Err(error(tokens[at].span(options), message, "remove it, or add what it should close"));
                };
                tokens[at].partner = partner;
                tokens[partner].partner = at;
            }
            _ => {}
        }
    }
    match open.pop() {
        None => Ok(()),
        Some(at) => {
            let Kind::Open(sign) = tokens[at].kind else { unreachable!("only open brackets should be open") };
            let message = format!("`{}` is never closed", tokens[at].text(text));
            Err(error(tokens[at].span(options), message, format!("add the missing `{}`", char::from(sign))))
        }
    }
}
