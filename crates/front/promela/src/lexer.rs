//! Lexer: preprocessed text to tokens; line markers map positions to the user's files.
//!
//! Embedded C is one token: its text is for another front end. Everything else, also the bodies of
//! `inline`, is cut into tokens here; `stream` decides which line ends are semicolons.

mod token;

use std::sync::Arc;

use unpick_base::{Diagnostic, Severity, Span};

use crate::session::Session;
use crate::syntax::At;
pub use token::{Code, CodeKind, Keyword, Punct, Token, TokenKind, char_spelling};

/// All tokens of a text; the last one is [`TokenKind::End`].
pub fn lex(session: &mut Session, text_index: usize) -> Vec<Token> {
    let source = session.sources.text(text_index);
    let (text, base, file) = (source.text.clone(), source.base, source.name.clone());
    let lexer = Lexer {
        session,
        text_index,
        text: &text,
        bytes: text.as_bytes(),
        base,
        file,
        position: 0,
        is_after_newline: false,
        has_reported_character: false,
        tokens: Vec::new(),
    };
    lexer.run()
}

struct Lexer<'a> {
    session: &'a mut Session,
    text_index: usize,
    text: &'a str,
    bytes: &'a [u8],
    base: u32,
    file: std::rc::Rc<str>,
    position: usize,
    is_after_newline: bool,
    has_reported_character: bool,
    tokens: Vec<Token>,
}

impl Lexer<'_> {
    fn run(mut self) -> Vec<Token> {
        loop {
            self.skip_space();
            let Some(&byte) = self.bytes.get(self.position) else { break };
            self.token(byte);
        }
        let end = self.position;
        self.push(end, TokenKind::End);
        self.tokens
    }

    fn byte(&self, ahead: usize) -> u8 {
        self.bytes.get(self.position + ahead).copied().unwrap_or(0)
    }

    fn span(&self, from: usize, to: usize) -> Span {
        Span::new(self.base + from as u32, self.base + to as u32)
    }

    fn error(&mut self, from: usize, to: usize, message: impl Into<String>) {
        let span = self.span(from, to);
        self.session.diagnostics.error(span, message);
    }

    fn push(&mut self, from: usize, kind: TokenKind) {
        let span = self.span(from, self.position);
        let is_after_newline = std::mem::take(&mut self.is_after_newline);
        self.tokens.push(Token { kind, span, is_after_newline, parameter: None });
    }

    /// Blanks, comments, directives.
    fn skip_space(&mut self) {
        loop {
            match self.byte(0) {
                b'\n' => {
                    self.is_after_newline = true;
                    self.position += 1;
                }
                b' ' | b'\t' | b'\r' | b'\x0c' => self.position += 1,
                b'#' => self.directive(),
                b'/' if self.byte(1) == b'*' => self.comment(),
                b'/' if self.byte(1) == b'/' => {
                    self.position = self.line_end();
                }
                _ => return,
            }
        }
    }

    fn line_end(&self) -> usize {
        let rest = &self.bytes[self.position..];
        self.position + rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len())
    }

    fn comment(&mut self) {
        let from = self.position;
        match self.text[from + 2..].find("*/") {
            Some(length) => {
                self.is_after_newline |= self.text[from..from + 2 + length].contains('\n');
                self.position = from + 2 + length + 2;
            }
            None => {
                self.position = self.bytes.len();
                self.error(from, from + 2, "comment does not end");
            }
        }
    }

    /// `# 12 "file.pml"`, or something the preprocessor should have taken away.
    fn directive(&mut self) {
        let from = self.position;
        let end = self.line_end();
        let all = self.text;
        let line = all[from + 1..end].trim();
        self.position = (end + 1).min(self.bytes.len());
        self.is_after_newline = true;
        let rest = line.strip_prefix("line").map_or(line, str::trim_start);
        if rest.starts_with(|first: char| first.is_ascii_digit()) {
            return self.line_marker(rest);
        }
        let word = line.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or("");
        if !matches!(word, "" | "ident" | "pragma") {
            let span = self.span(from, end);
            let message = format!("preprocessor directive `#{word}` in preprocessed text");
            let help = "the text is read as the output of a preprocessor";
            self.session.diagnostics.push(Diagnostic::new(Severity::Error, span, message).help(help));
        }
    }

    fn line_marker(&mut self, line: &str) {
        let digits = line.find(|c: char| !c.is_ascii_digit()).unwrap_or(line.len());
        let Ok(number) = line[..digits].parse::<u32>() else { return };
        if let Some(quoted) = line[digits..].trim_start().strip_prefix('"') {
            let mut name = String::new();
            let mut chars = quoted.chars();
            while let Some(char) = chars.next().filter(|char| *char != '"') {
                name.extend(if char == '\\' { chars.next() } else { Some(char) });
            }
            if *self.file != *name {
                self.file = name.into();
            }
        }
        let file = self.file.clone();
        self.session.sources.mark(self.text_index, self.position as u32, &file, number.max(1), false);
    }

    fn token(&mut self, first: u8) {
        match first {
            b'0'..=b'9' => self.number(),
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => self.word(),
            b'"' => self.string(b'"'),
            b'$' => self.string(b'$'),
            b'\'' => self.character(),
            _ => self.punct(),
        }
    }

    fn number(&mut self) {
        let from = self.position;
        while self.byte(0).is_ascii_digit() {
            self.position += 1;
        }
        let digits = &self.text[from..self.position];
        let value = digits.parse::<i64>().unwrap_or(i64::MAX);
        if i32::try_from(value).is_err() {
            let span = self.span(from, self.position);
            let message = format!("number {digits} does not fit 32 bits and is read as {}", value as i32);
            self.session.diagnostics.warning(span, message);
        }
        self.push(from, TokenKind::Number(value as i32));
    }

    fn word(&mut self) {
        let from = self.position;
        while self.byte(0).is_ascii_alphanumeric() || self.byte(0) == b'_' {
            self.position += 1;
        }
        let word = &self.text[from..self.position];
        match word {
            "c_code" => self.code(from, CodeKind::Code),
            "c_decl" => self.code(from, CodeKind::Decl),
            "c_expr" => self.code(from, CodeKind::Expr),
            _ => {
                let kind = match Keyword::of(word) {
                    Some(keyword) => TokenKind::Keyword(keyword),
                    None => TokenKind::Name(word.into()),
                };
                self.push(from, kind);
            }
        }
    }

    /// A string, or the text between dollars, which means the same.
    fn string(&mut self, quote: u8) {
        let from = self.position;
        self.position += 1;
        loop {
            match self.byte(0) {
                b'\\' if self.position + 1 < self.bytes.len() => self.skip_chars(2),
                b'\n' | 0 if self.position >= self.bytes.len() || self.byte(0) == b'\n' => {
                    let end = self.position;
                    self.error(from, end, "string does not end on its line");
                    break;
                }
                byte if byte == quote => {
                    self.position += 1;
                    break;
                }
                _ => self.skip_chars(1),
            }
        }
        let inside = self.text[from + 1..self.position].trim_end_matches(quote as char);
        let text = format!("\"{inside}\"");
        self.push(from, TokenKind::Text(text.into()));
    }

    fn skip_chars(&mut self, count: usize) {
        let rest = &self.text[self.position..];
        self.position += rest.chars().take(count).map(char::len_utf8).sum::<usize>();
    }

    fn character(&mut self) {
        let from = self.position;
        self.position += 1;
        let is_escape = self.byte(0) == b'\\';
        self.position += usize::from(is_escape);
        let value = match self.byte(0) {
            b'n' if is_escape => b'\n',
            b'r' if is_escape => b'\r',
            b't' if is_escape => b'\t',
            b'f' if is_escape => b'\x0c',
            byte => byte,
        };
        self.skip_chars(1);
        if self.byte(0) == b'\'' && value.is_ascii() {
            self.position += 1;
        } else {
            let end = self.position;
            self.error(from, end, "character constant needs one character and a closing quote");
        }
        self.push(from, TokenKind::Char(value));
    }

    fn punct(&mut self) {
        let from = self.position;
        let rest = &self.text[from..];
        // The longest spelling wins; all are one or two bytes.
        let found = [2, 1].into_iter().find_map(|length| rest.get(..length).and_then(Punct::of));
        match found {
            Some(punct) => {
                self.position += punct.spelling().len();
                self.push(from, TokenKind::Punct(punct));
            }
            None => {
                self.skip_chars(1);
                if !std::mem::replace(&mut self.has_reported_character, true) {
                    let message = format!("character {:?} means nothing here", rest.chars().next().unwrap_or(' '));
                    let end = self.position;
                    self.error(from, end, message);
                }
            }
        }
    }

    /// The rest of `c_code [precondition] { text }`.
    fn code(&mut self, from: usize, kind: CodeKind) {
        self.skip_blanks();
        let mut precondition = None;
        let mut precondition_at = At::default();
        if self.byte(0) == b'[' {
            let first = self.position + 1;
            precondition = self.bracketed(b'[', b']');
            if precondition.is_none() {
                return self.error(from, from + "c_code".len(), "the precondition of embedded C has no closing `]`");
            }
            precondition_at = At(self.span(first, self.position - 1));
            self.skip_blanks();
        }
        if self.byte(0) != b'{' {
            let end = self.position;
            return self.error(from, end, "embedded C needs its text between braces");
        }
        let first = self.position + 1;
        let Some(text) = self.bracketed(b'{', b'}') else {
            return self.error(from, from + "c_code".len(), "embedded C does not end: a closing `}` is missing");
        };
        let at = At(self.span(first, self.position - 1));
        self.push(from, TokenKind::Code(Arc::new(Code { kind, precondition, text, at, precondition_at })));
    }

    fn skip_blanks(&mut self) {
        while self.byte(0).is_ascii_whitespace() {
            self.position += 1;
        }
    }

    /// The text between the bracket at the position and its partner; moves behind it.
    fn bracketed(&mut self, open: u8, close: u8) -> Option<Arc<str>> {
        let from = self.position + 1;
        let mut depth = 0;
        while let Some(&byte) = self.bytes.get(self.position) {
            match byte {
                b'"' | b'\'' => {
                    self.skip_c_literal(byte);
                    continue;
                }
                b'/' if matches!(self.byte(1), b'*' | b'/') => {
                    self.skip_c_comment();
                    continue;
                }
                b'#' if self.position > 0 && self.bytes[self.position - 1] == b'\n' => {
                    // Line markers between the lines of C are ours too.
                    let is_after_newline = self.is_after_newline;
                    self.directive();
                    self.is_after_newline = is_after_newline;
                    continue;
                }
                _ if byte == open => depth += 1,
                _ if byte == close => depth -= 1,
                _ => {}
            }
            self.position += 1;
            if depth == 0 {
                return Some(self.text[from..self.position - 1].into());
            }
        }
        None
    }

    fn skip_c_comment(&mut self) {
        let end = if self.byte(1) == b'*' { "*/" } else { "\n" };
        let rest = &self.text[self.position..];
        // A comment that does not end hides the closing bracket, which is then missed.
        self.position += rest.get(2..).and_then(|rest| rest.find(end)).map_or(rest.len(), |at| at + 2 + end.len());
    }

    fn skip_c_literal(&mut self, quote: u8) {
        self.position += 1;
        while let Some(&byte) = self.bytes.get(self.position) {
            self.position += 1;
            match byte {
                b'\\' => self.position = (self.position + 1).min(self.bytes.len()),
                b'\n' => return,
                _ if byte == quote => return,
                _ => {}
            }
        }
    }
}
