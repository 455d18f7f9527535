//! Lexer of the text form, and the spelling of names and strings in both directions.

use super::TextError;

/// What a token is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum TokenKind {
    /// A word: keyword, id or plain name.
    Word,
    /// Decimal digits.
    Number,
    /// A string with its quotes, escapes not yet resolved.
    Text,
    /// Punctuation and operators.
    Punct,
    /// The end of the text.
    End,
}

/// A token and where it begins.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token<'t> {
    pub(super) kind: TokenKind,
    pub(super) text: &'t str,
    pub(super) line: u32,
    pub(super) column: u32,
}

/// Operators of two characters; all others have one.
const PAIRS: [&str; 9] = ["->", "||", "&&", "==", "!=", "<=", ">=", "<<", ">>"];

/// All tokens of a text, the last of kind `End`.
pub(super) fn tokenize(text: &str) -> Result<Vec<Token<'_>>, TextError> {
    let mut tokens = Vec::new();
    let (mut at, mut line, mut line_start) = (0, 1_u32, 0);
    let bytes = text.as_bytes();
    while let Some(&byte) = bytes.get(at) {
        let rest = &text[at..];
        let column = u32::try_from(at - line_start + 1).unwrap_or(u32::MAX);
        let wrong = |message: String| TextError { line, column, message };
        let (kind, len) = match byte {
            b'\n' => {
                line = line.saturating_add(1);
                line_start = at + 1;
                (None, 1)
            }
            b' ' | b'\t' | b'\r' => (None, 1),
            b';' => (None, rest.find('\n').unwrap_or(rest.len())),
            b'"' => {
                let len = string_len(rest).ok_or_else(|| wrong("this string has no end".to_owned()))?;
                (Some(TokenKind::Text), len)
            }
            b'0'..=b'9' => (Some(TokenKind::Number), prefix_len(rest, |byte| byte.is_ascii_digit())),
            _ if is_word(byte) => (Some(TokenKind::Word), prefix_len(rest, is_word)),
            _ if PAIRS.iter().any(|pair| rest.starts_with(pair)) => (Some(TokenKind::Punct), 2),
            b'{' | b'}' | b'(' | b')' | b'[' | b']' | b':' | b',' | b'=' | b'?' | b'&' | b'|' | b'^' | b'*' | b'/'
            | b'%' | b'+' | b'-' | b'<' | b'>' | b'!' | b'~' | b'@' | b'#' | b'.' => (Some(TokenKind::Punct), 1),
            _ => {
                let character = rest.chars().next().unwrap_or(' ');
                return Err(wrong(format!("unexpected character {character:?}")));
            }
        };
        if let Some(kind) = kind {
            tokens.push(Token { kind, text: &rest[..len], line, column });
        }
        at += len;
    }
    let column = u32::try_from(at - line_start + 1).unwrap_or(u32::MAX);
    tokens.push(Token { kind: TokenKind::End, text: "", line, column });
    Ok(tokens)
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn prefix_len(text: &str, is_in: impl Fn(u8) -> bool) -> usize {
    text.bytes().position(|byte| !is_in(byte)).unwrap_or(text.len())
}

/// Length of the string literal that the text begins with; a line has to hold all of it.
fn string_len(text: &str) -> Option<usize> {
    let mut is_escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            b'\n' => return None,
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'"' => return Some(at + 1),
            _ => {}
        }
    }
    None
}

/// A name as it stands in the text: plain if it is a word, else quoted.
pub(super) fn write_name(name: &str, out: &mut String) {
    let is_plain = name.bytes().all(is_word) && name.bytes().next().is_some_and(|first| !first.is_ascii_digit());
    if is_plain {
        out.push_str(name);
    } else {
        write_text(name, out);
    }
}

/// A string literal.
pub(super) fn write_text(text: &str, out: &mut String) {
    out.push('"');
    for character in text.chars() {
        match character {
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            _ if character.is_control() => out.extend(character.escape_unicode()),
            _ => out.push(character),
        }
    }
    out.push('"');
}

/// What a string literal stands for; `None` if an escape means nothing.
pub(super) fn read_text(literal: &str) -> Option<String> {
    let inner = literal.strip_prefix('"')?.strip_suffix('"')?;
    let mut text = String::with_capacity(inner.len());
    let mut rest = inner;
    while let Some((before, escape)) = rest.split_once('\\') {
        text.push_str(before);
        let mut letters = escape.chars();
        rest = match letters.next()? {
            'n' => push(&mut text, '\n', letters.as_str()),
            't' => push(&mut text, '\t', letters.as_str()),
            '"' => push(&mut text, '"', letters.as_str()),
            '\\' => push(&mut text, '\\', letters.as_str()),
            'u' => {
                let (digits, rest) = letters.as_str().strip_prefix('{')?.split_once('}')?;
                let is_hex = digits.len() <= 6 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
                let number = is_hex.then(|| u32::from_str_radix(digits, 16).ok())??;
                push(&mut text, char::from_u32(number)?, rest)
            }
            _ => return None,
        };
    }
    text.push_str(rest);
    Some(text)
}

fn push<'t>(text: &mut String, character: char, rest: &'t str) -> &'t str {
    text.push(character);
    rest
}
