//! Lexer: preprocessed C text to tokens, in one pass over the bytes.
//!
//! Tokens are sixteen bytes each and carry no text: names are interned, literals are decoded from their
//! span by the parser. Line markers go to the source map, `#pragma pack` to a side table keyed by the
//! token it precedes, every other directive is dropped here, so the parser sees a clean stream.

pub mod directive;
pub mod literal;
pub mod text;
pub mod token;

use std::collections::HashMap;
use std::rc::Rc;

use unpick_base::{Diagnostic, Severity, Span, Symbol};

use crate::session::Session;
use crate::syntax::PragmaPack;
pub use token::{Keywords, Token, TokenKind};

/// More errors than this in one text end its treatment.
pub const MAX_ERRORS: usize = 100;

/// What the lexer makes of a text.
pub struct Lexed {
    /// Ends with exactly one `Eof`.
    pub tokens: Vec<Token>,
    /// `#pragma pack` and the index of the first token behind it.
    pub pragmas: Vec<(usize, PragmaPack)>,
    /// From `__name__` to `name`, for attributes.
    pub bare_names: HashMap<Symbol, Symbol, foldhash::fast::RandomState>,
    /// Errors reported so far.
    pub n_errors: usize,
}

/// Turns the text with this index into tokens.
pub fn tokenize(session: &mut Session, text_index: usize) -> Lexed {
    let source = session.sources.text(text_index);
    let (text, base) = (source.text.clone(), source.base);
    let keywords = Keywords::new(&mut session.interner);
    let mut lexer = Lexer {
        text: &text,
        bytes: text.as_bytes(),
        position: if text.starts_with('\u{feff}') { 3 } else { 0 },
        base,
        text_index,
        file: session.sources.text(text_index).name.clone(),
        keywords,
        has_warned_directive: false,
        lexed: Lexed {
            tokens: Vec::with_capacity(text.len() / 4 + 1),
            pragmas: Vec::new(),
            bare_names: HashMap::default(),
            n_errors: 0,
        },
        session,
    };
    while lexer.lexed.n_errors < MAX_ERRORS && lexer.token() {}
    lexer.finish()
}

pub(crate) struct Lexer<'a> {
    text: &'a str,
    bytes: &'a [u8],
    position: usize,
    base: u32,
    text_index: usize,
    /// The file the last line marker named.
    file: Rc<str>,
    keywords: Keywords,
    has_warned_directive: bool,
    lexed: Lexed,
    session: &'a mut Session,
}

/// What a byte can be part of.
const IDENT: u8 = 1;
const DIGIT: u8 = 2;
const SPACE: u8 = 4;

const CLASS: [u8; 256] = {
    let mut class = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let is_letter = (byte as u8).is_ascii_alphabetic() || byte == b'_' as usize || byte == b'$' as usize;
        class[byte] = if is_letter {
            IDENT
        } else if (byte as u8).is_ascii_digit() {
            DIGIT
        } else if matches!(byte as u8, b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c) {
            SPACE
        } else {
            0
        };
        byte += 1;
    }
    class
};

impl Lexer<'_> {
    /// The byte `ahead` of the position; zero behind the end.
    fn byte(&self, ahead: usize) -> u8 {
        self.bytes.get(self.position + ahead).copied().unwrap_or(0)
    }

    fn span(&self, from: usize, to: usize) -> Span {
        Span::new(self.base + from as u32, self.base + to as u32)
    }

    fn push(&mut self, kind: TokenKind, symbol: Symbol, from: usize) {
        let span = self.span(from, self.position);
        self.lexed.tokens.push(Token { kind, symbol, span });
    }

    fn error(&mut self, from: usize, to: usize, message: impl Into<String>) {
        self.report(Diagnostic::new(Severity::Error, self.span(from, to), message));
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        self.lexed.n_errors += usize::from(diagnostic.severity == Severity::Error);
        let (span, n_errors) = (diagnostic.span, self.lexed.n_errors);
        self.session.diagnostics.push(diagnostic);
        if n_errors == MAX_ERRORS {
            let text = "too many errors, the rest of this text is not read";
            self.session.diagnostics.push(Diagnostic::new(Severity::Note, span, text));
        }
    }

    fn finish(mut self) -> Lexed {
        // Nothing sensible follows from half a text, so a text given up on is empty.
        if self.lexed.n_errors >= MAX_ERRORS {
            self.lexed.tokens.clear();
            self.lexed.pragmas.clear();
        }
        self.position = self.bytes.len();
        // The end of file lies right behind the last token, where something is missing.
        let end = self.lexed.tokens.last().map_or(self.base, |token| token.span.hi);
        self.lexed.tokens.push(Token { kind: TokenKind::Eof, symbol: Symbol(0), span: Span::new(end, end) });
        self.lexed
    }

    /// Reads up to and including the next token; false at the end of the text.
    fn token(&mut self) -> bool {
        loop {
            let Some(&byte) = self.bytes.get(self.position) else { return false };
            match CLASS[byte as usize] {
                SPACE => self.position += 1,
                IDENT => {
                    if self.prefixed_literal(byte) || self.identifier() {
                        return true;
                    }
                }
                DIGIT => {
                    self.number();
                    return true;
                }
                _ => match byte {
                    b'"' | b'\'' => {
                        self.quoted(byte, self.position);
                        return true;
                    }
                    b'/' if self.byte(1) == b'/' => self.line_comment(),
                    b'/' if self.byte(1) == b'*' => self.block_comment(),
                    b'.' if self.byte(1).is_ascii_digit() => {
                        self.number();
                        return true;
                    }
                    b'#' | b'%' if self.at_directive(byte) => self.directive(),
                    b'\\' if matches!(self.byte(1), b'\n' | b'\r') => self.position += 1,
                    _ => {
                        if self.punctuator(byte) {
                            return true;
                        }
                        let starts_name = byte == b'\\' && matches!(self.byte(1), b'u' | b'U');
                        if starts_name || self.wide_name_char(self.position).is_some() {
                            self.identifier();
                            return true;
                        }
                        if !self.stray() || self.lexed.n_errors >= MAX_ERRORS {
                            return false;
                        }
                    }
                },
            }
        }
    }

    fn line_comment(&mut self) {
        let rest = &self.bytes[self.position..];
        let mut length = 0;
        while length < rest.len() && rest[length] != b'\n' {
            // A line comment goes on behind a backslash at the end of its line.
            let is_joined = rest[length] == b'\\' && rest.get(length + 1) == Some(&b'\n');
            length += 1 + usize::from(is_joined);
        }
        self.position += length.min(rest.len());
    }

    fn block_comment(&mut self) {
        let from = self.position;
        match self.text[from + 2..].find("*/") {
            Some(length) => self.position = from + 2 + length + 2,
            None => {
                self.position = self.bytes.len();
                self.error(from, from + 2, "comment is never closed");
            }
        }
    }

    /// A non-ASCII letter at this offset, and its length.
    fn wide_name_char(&self, at: usize) -> Option<usize> {
        if *self.bytes.get(at)? < 0x80 {
            return None;
        }
        let char = self.text.get(at..)?.chars().next()?;
        // Marks combine with letters; the Latin-1 signs and general punctuation are no letters.
        (char.is_alphanumeric() || (0x300..0x370).contains(&(char as u32))).then_some(char.len_utf8())
    }

    /// A name or keyword; false if it was a `_Pragma`, which is no token.
    fn identifier(&mut self) -> bool {
        let from = self.position;
        let bytes = self.bytes;
        let mut at = from;
        let mut has_escape = false;
        loop {
            while at < bytes.len() && CLASS[bytes[at] as usize] & (IDENT | DIGIT) != 0 {
                at += 1;
            }
            match bytes.get(at) {
                Some(0x80..) => match self.wide_name_char(at) {
                    Some(length) => at += length,
                    None => break,
                },
                Some(b'\\') if matches!(bytes.get(at + 1), Some(b'u' | b'U')) => {
                    has_escape = true;
                    at += 2;
                }
                _ => break,
            }
        }
        self.position = at;
        let name = &self.text[from..at];
        let symbol = if has_escape {
            self.session.interner.intern(&text::name_without_escapes(name))
        } else {
            self.session.interner.intern(name)
        };
        let kind = self.keywords.kind(symbol);
        if kind == TokenKind::PragmaWord {
            self.pragma_operator(from);
            return false;
        }
        if name.starts_with("__") && name.ends_with("__") && name.len() > 4 {
            let bare = &name[2..name.len() - 2];
            let interner = &mut self.session.interner;
            self.lexed.bare_names.entry(symbol).or_insert_with(|| interner.intern(bare));
        }
        self.push(kind, symbol, from);
        true
    }

    fn number(&mut self) {
        let from = self.position;
        let bytes = self.bytes;
        let mut at = from + 1;
        while let Some(&byte) = bytes.get(at) {
            let is_sign = matches!(byte, b'+' | b'-') && matches!(bytes[at - 1] | 0x20, b'e' | b'p');
            let is_separator = byte == b'\''
                && bytes.get(at + 1).is_some_and(u8::is_ascii_hexdigit)
                && bytes[at - 1].is_ascii_hexdigit();
            if CLASS[byte as usize] & (IDENT | DIGIT) != 0 || byte == b'.' || is_sign || is_separator {
                at += 1;
            } else {
                break;
            }
        }
        self.position = at;
        self.push(TokenKind::Number, Symbol(0), from);
    }

    /// `L"..."`, `u8"..."`, `u'x'` and the like.
    fn prefixed_literal(&mut self, byte: u8) -> bool {
        let length = match (byte, self.byte(1), self.byte(2)) {
            (b'L' | b'u' | b'U', b'"' | b'\'', _) => 1,
            (b'u', b'8', b'"' | b'\'') => 2,
            _ => return false,
        };
        let from = self.position;
        self.position += length;
        self.quoted(self.byte(0), from);
        true
    }

    /// A string or character constant whose opening quote is at the position.
    fn quoted(&mut self, quote: u8, from: usize) {
        let bytes = self.bytes;
        let mut at = self.position + 1;
        loop {
            match bytes.get(at) {
                Some(&byte) if byte == quote => {
                    at += 1;
                    break;
                }
                Some(b'\\') => at += 2,
                None | Some(b'\n') => {
                    at = at.min(bytes.len());
                    let what = if quote == b'"' { "string literal" } else { "character constant" };
                    let quote = quote as char;
                    self.report(
                        Diagnostic::new(Severity::Error, self.span(from, at), format!("{what} is never closed"))
                            .help(format!("add the closing `{quote}` before the end of the line")),
                    );
                    break;
                }
                Some(_) => at += 1,
            }
        }
        self.position = at;
        self.push(if quote == b'"' { TokenKind::Str } else { TokenKind::Char }, Symbol(0), from);
    }

    fn punctuator(&mut self, byte: u8) -> bool {
        use TokenKind::*;
        let (next, third) = (self.byte(1), self.byte(2));
        let (kind, length) = match (byte, next) {
            (b'(', _) => (LParen, 1),
            (b')', _) => (RParen, 1),
            (b'[', _) => (LBracket, 1),
            (b']', _) => (RBracket, 1),
            (b'{', _) => (LBrace, 1),
            (b'}', _) => (RBrace, 1),
            (b';', _) => (Semi, 1),
            (b',', _) => (Comma, 1),
            (b':', b'>') => (RBracket, 2),
            (b':', b':') => (ColonColon, 2),
            (b':', _) => (Colon, 1),
            (b'?', _) => (Question, 1),
            (b'.', b'.') if third == b'.' => (Ellipsis, 3),
            (b'.', _) => (Dot, 1),
            (b'-', b'>') => (Arrow, 2),
            (b'-', b'-') => (MinusMinus, 2),
            (b'-', b'=') => (SubAssign, 2),
            (b'-', _) => (Minus, 1),
            (b'+', b'+') => (PlusPlus, 2),
            (b'+', b'=') => (AddAssign, 2),
            (b'+', _) => (Plus, 1),
            (b'=', b'=') => (EqEq, 2),
            (b'=', _) => (Assign, 1),
            (b'*', b'=') => (MulAssign, 2),
            (b'*', _) => (Star, 1),
            (b'/', b'=') => (DivAssign, 2),
            (b'/', _) => (Slash, 1),
            (b'%', b'=') => (RemAssign, 2),
            (b'%', b'>') => (RBrace, 2),
            (b'%', b':') => return false,
            (b'%', _) => (Percent, 1),
            (b'&', b'&') => (AmpAmp, 2),
            (b'&', b'=') => (AndAssign, 2),
            (b'&', _) => (Amp, 1),
            (b'|', b'|') => (PipePipe, 2),
            (b'|', b'=') => (OrAssign, 2),
            (b'|', _) => (Pipe, 1),
            (b'^', b'=') => (XorAssign, 2),
            (b'^', _) => (Caret, 1),
            (b'~', _) => (Tilde, 1),
            (b'!', b'=') => (Ne, 2),
            (b'!', _) => (Bang, 1),
            (b'<', b'<') if third == b'=' => (ShlAssign, 3),
            (b'<', b'<') => (Shl, 2),
            (b'<', b'=') => (Le, 2),
            (b'<', b':') => (LBracket, 2),
            (b'<', b'%') => (LBrace, 2),
            (b'<', _) => (Lt, 1),
            (b'>', b'>') if third == b'=' => (ShrAssign, 3),
            (b'>', b'>') => (Shr, 2),
            (b'>', b'=') => (Ge, 2),
            (b'>', _) => (Gt, 1),
            _ => return false,
        };
        let from = self.position;
        self.position += length;
        self.push(kind, Symbol(0), from);
        true
    }

    /// Bytes no token begins with; false if the text is given up.
    fn stray(&mut self) -> bool {
        let from = self.position;
        if self.byte(0) == 0 {
            self.report(
                Diagnostic::new(Severity::Error, self.span(from, from + 1), "the text contains a NUL byte")
                    .help("is this file really C source text?"),
            );
            self.lexed.tokens.clear();
            self.lexed.pragmas.clear();
            return false;
        }
        let mut chars = self.text[from..].chars();
        let first = chars.next().expect("a stray byte should be the start of a character");
        self.position += first.len_utf8();
        while self.wide_name_char(self.position).is_none() && self.byte(0) != 0 {
            let Some(char) = chars.next() else { break };
            let is_stray = !char.is_ascii() || char.is_ascii_control() && !char.is_ascii_whitespace();
            if !is_stray && !matches!(char, '@' | '`') {
                break;
            }
            self.position += char.len_utf8();
        }
        let message = match first {
            '#' => "stray `#` in program".to_owned(),
            '\\' => "stray `\\` in program".to_owned(),
            '“' | '”' | '‘' | '’' => format!("`{first}` is a typographic quote, C needs a plain one"),
            _ if first.is_control() => format!("stray control character U+{:04X} in program", first as u32),
            _ => format!("stray character `{first}` in program"),
        };
        self.error(from, self.position, message);
        true
    }
}

#[cfg(test)]
mod tests;
