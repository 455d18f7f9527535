//! Lexer of the text form, and the spelling of names and strings in both directions.

use super::TextError;
use super::words::is_reserved;

/// What a token is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum TokenKind {
    /// A word: keyword, operation, type, id or plain name.
    Word,
    /// A number; what its characters mean is up to its place.
    Number,
    /// A string with its quotes, escapes not yet resolved.
    Text,
    /// A punctuation character, or `->`.
    Punct,
    /// The end of the text.
    End,
}

/// A token and its place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token<'t> {
    pub(super) kind: TokenKind,
    pub(super) text: &'t str,
    pub(super) line: u32,
    pub(super) column: u32,
}

/// All tokens of a text, the last of kind `End`. Bad characters are reported and skipped.
pub(super) fn tokenize<'t>(text: &'t str, errors: &mut Vec<TextError>) -> Vec<Token<'t>> {
    let bytes = text.as_bytes();
    let mut tokens = Vec::new();
    let (mut at, mut line, mut line_start) = (0, 1u32, 0);
    while let Some(&byte) = bytes.get(at) {
        let (kind, len) = match byte {
            b'\n' => {
                line = line.saturating_add(1);
                line_start = at + 1;
                (None, 1)
            }
            b' ' | b'\t' | b'\r' => (None, 1),
            b';' => (None, bytes[at..].iter().position(|byte| *byte == b'\n').unwrap_or(bytes.len() - at)),
            b'"' => (Some(TokenKind::Text), string_len(&bytes[at..])),
            b'0'..=b'9' => (Some(TokenKind::Number), number_len(&bytes[at..])),
            b'-' if bytes.get(at + 1) == Some(&b'>') => (Some(TokenKind::Punct), 2),
            b'{' | b'}' | b'(' | b')' | b'[' | b']' | b':' | b',' | b'=' | b'?' | b'&' | b'*' | b'+' | b'-' | b'/'
            | b'<' | b'@' | b'#' => (Some(TokenKind::Punct), 1),
            _ if word_len(&text[at..]) > 0 => (Some(TokenKind::Word), word_len(&text[at..])),
            _ => {
                let character = text[at..].chars().next().unwrap_or(' ');
                let message = format!("unexpected character {character:?}");
                errors.push(TextError { line, column: (at - line_start) as u32 + 1, message });
                (None, character.len_utf8())
            }
        };
        if let Some(kind) = kind {
            let token = Token { kind, text: &text[at..at + len], line, column: (at - line_start) as u32 + 1 };
            if kind == TokenKind::Text && !is_closed(token.text) {
                errors.push(TextError { line, column: token.column, message: "unterminated string".into() });
            }
            tokens.push(token);
        }
        at += len;
    }
    tokens.push(Token { kind: TokenKind::End, text: "", line, column: (at - line_start) as u32 + 1 });
    tokens
}

/// Length of the string literal the bytes start with: up to its closing quote, or to the end of the line.
fn string_len(bytes: &[u8]) -> usize {
    let mut at = 1;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\n' => return at,
            b'\\' if bytes.get(at + 1).is_some_and(u8::is_ascii) && bytes[at + 1] != b'\n' => at += 2,
            _ => at += 1,
        }
    }
    at
}

fn is_closed(literal: &str) -> bool {
    // A quote at the end closes the string unless it is the opening one or escaped; `string_len` stops at
    // the first unescaped quote, so an odd run of backslashes before the last quote means "escaped".
    let Some(inner) = literal.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) else { return false };
    inner.bytes().rev().take_while(|byte| *byte == b'\\').count() % 2 == 0
}

/// Length of the number the bytes start with, generously: `0x1f`, `12`, `1.5e-3`.
fn number_len(bytes: &[u8]) -> usize {
    let is_hex = bytes.starts_with(b"0x") || bytes.starts_with(b"0X");
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let is_exponent_sign = !is_hex && at > 0 && matches!(byte, b'+' | b'-') && matches!(bytes[at - 1], b'e' | b'E');
        if !(byte.is_ascii_alphanumeric() || byte == b'.' || byte == b'_' || is_exponent_sign) {
            break;
        }
        at += 1;
    }
    at
}

/// Length of the word a text starts with: letters, digits, `_`, `$`, `.`, and `::` inside.
pub(super) fn word_len(text: &str) -> usize {
    let bytes = text.as_bytes();
    let is_inside = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'.');
    if !bytes.first().is_some_and(|first| is_inside(*first) && !first.is_ascii_digit()) {
        return 0;
    }
    let mut at = 1;
    loop {
        match bytes.get(at) {
            Some(&byte) if is_inside(byte) => at += 1,
            Some(b':')
                if bytes.get(at + 1) == Some(&b':') && bytes.get(at + 2).is_some_and(|byte| is_inside(*byte)) =>
            {
                at += 3;
            }
            Some(_) | None => return at,
        }
    }
}

/// A name as it stands in the text: plain if that is unambiguous, else quoted.
pub(super) fn write_name(name: &str, out: &mut String) {
    if !name.is_empty() && word_len(name) == name.len() && !is_reserved(name) {
        out.push_str(name);
    } else {
        write_text(name, out);
    }
}

/// A string literal.
pub(super) fn write_text(text: &str, out: &mut String) {
    out.push('"');
    for character in text.chars() {
        match u8::try_from(character) {
            Ok(byte) if byte.is_ascii() => write_byte(byte, out),
            _ if character.is_control() => out.extend(character.escape_unicode()),
            _ => out.push(character),
        }
    }
    out.push('"');
}

/// A string literal of bytes that need not be UTF-8.
pub(super) fn write_bytes(bytes: &[u8], out: &mut String) {
    out.push('"');
    bytes.iter().for_each(|byte| write_byte(*byte, out));
    out.push('"');
}

fn write_byte(byte: u8, out: &mut String) {
    match byte {
        b'\n' => out.push_str("\\n"),
        b'\t' => out.push_str("\\t"),
        b'\r' => out.push_str("\\r"),
        b'"' => out.push_str("\\\""),
        b'\\' => out.push_str("\\\\"),
        0x20..=0x7e => out.push(char::from(byte)),
        0..=0x1f | 0x7f..=0xff => out.push_str(&format!("\\x{byte:02x}")),
    }
}

/// The bytes of a string literal; on a bad escape its byte offset in the literal and what is wrong.
pub(super) fn read_bytes(literal: &str) -> Result<Vec<u8>, (usize, String)> {
    let inner = literal.strip_prefix('"').unwrap_or(literal);
    let inner = inner.strip_suffix('"').unwrap_or(inner);
    let mut bytes = Vec::with_capacity(inner.len());
    let mut rest = inner;
    while let Some(escape) = rest.find('\\') {
        bytes.extend_from_slice(&rest.as_bytes()[..escape]);
        let offset = 1 + inner.len() - rest.len() + escape;
        let len = read_escape(&rest[escape..], &mut bytes).ok_or((offset, "unknown escape in string".to_string()))?;
        rest = &rest[escape + len..];
    }
    bytes.extend_from_slice(rest.as_bytes());
    Ok(bytes)
}

/// Resolves the escape a text starts with and returns its length.
fn read_escape(text: &str, out: &mut Vec<u8>) -> Option<usize> {
    let byte = match text.as_bytes().get(1)? {
        b'n' => b'\n',
        b't' => b'\t',
        b'r' => b'\r',
        b'"' => b'"',
        b'\\' => b'\\',
        b'x' => {
            let digits = text.get(2..4).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
            out.push(u8::from_str_radix(digits, 16).ok()?);
            return Some(4);
        }
        b'u' => {
            let body = text.get(2..)?.strip_prefix('{')?;
            let end = body.as_bytes().iter().take(7).position(|byte| *byte == b'}')?;
            let digits = body.get(..end).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
            let character = char::from_u32(u32::from_str_radix(digits, 16).ok()?)?;
            out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
            return Some(4 + end);
        }
        _ => return None,
    };
    out.push(byte);
    Some(2)
}
