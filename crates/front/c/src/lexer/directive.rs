//! Directives in preprocessed text: line markers, pragmas, and others.

use unpick_base::{Diagnostic, Severity};

use super::{Lexer, text};
use crate::syntax::PragmaPack;

impl Lexer<'_> {
    /// Whether the `#` (or `%:`) at the position is the first thing on its line.
    pub(super) fn at_directive(&self, byte: u8) -> bool {
        if byte == b'%' && self.byte(1) != b':' {
            return false;
        }
        let before = self.bytes[..self.position].iter().rev();
        before.take_while(|byte| **byte != b'\n').all(|byte| matches!(byte, b' ' | b'\t' | b'\r'))
    }

    /// Treats the directive at the position and moves to the next line.
    pub(super) fn directive(&mut self) {
        let from = self.position;
        let mark = if self.byte(0) == b'%' { 2 } else { 1 };
        let mut end = from;
        while end < self.bytes.len() && self.bytes[end] != b'\n' {
            let is_joined = self.bytes[end] == b'\\' && self.bytes.get(end + 1) == Some(&b'\n');
            end += 1 + usize::from(is_joined);
        }
        let end = end.min(self.bytes.len());
        let all = self.text;
        let line = all[from + mark..end].trim();
        // The marker speaks of the next line, so the line end belongs to the directive.
        self.position = (end + 1).min(self.bytes.len());
        if line.starts_with(|first: char| first.is_ascii_digit()) {
            return self.line_marker(line);
        }
        let (word, rest) = line.split_at(line.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(line.len()));
        match word {
            "line" => self.line_marker(rest.trim_start()),
            "pragma" => self.pragma(rest.trim()),
            "" | "ident" | "sccs" => {}
            _ => {
                if !self.has_warned_directive {
                    self.has_warned_directive = true;
                    let message = format!("preprocessor directive `#{word}` is ignored");
                    let help = "the text is read as the output of a preprocessor";
                    let span = self.span(from, end);
                    self.report(Diagnostic::new(Severity::Warning, span, message).help(help));
                }
            }
        }
    }

    /// `12 "file.c" 1 3`.
    fn line_marker(&mut self, line: &str) {
        let digits = line.find(|c: char| !c.is_ascii_digit()).unwrap_or(line.len());
        let Ok(number) = line[..digits].parse::<u32>() else { return };
        let rest = line[digits..].trim_start();
        let mut is_system = false;
        if let Some(quoted) = rest.strip_prefix('"') {
            let mut name = String::new();
            let mut chars = quoted.char_indices();
            let mut end = quoted.len();
            while let Some((at, char)) = chars.next() {
                match char {
                    '"' => {
                        end = at + 1;
                        break;
                    }
                    '\\' => name.extend(chars.next().map(|(_, char)| char)),
                    _ => name.push(char),
                }
            }
            is_system = quoted[end..].split_ascii_whitespace().any(|flag| flag == "3");
            if *self.file != *name {
                self.file = name.into();
            }
        }
        let file = self.file.clone();
        self.session.sources.mark(self.text_index, self.position as u32, &file, number, is_system);
    }

    /// Keeps `pack`, drops everything else.
    fn pragma(&mut self, line: &str) {
        let Some(rest) = line.strip_prefix("pack") else { return };
        let Some(inside) = rest.trim_start().strip_prefix('(') else { return };
        let Some((inside, _)) = inside.split_once(')') else { return };
        let words: Vec<&str> = inside.split(',').map(str::trim).collect();
        let number = |word: &str| word.parse::<u32>().ok();
        let pack = match words.as_slice() {
            [""] => Some(PragmaPack::Reset),
            ["push"] => Some(PragmaPack::Push(None)),
            ["push", size] => Some(PragmaPack::Push(number(size))),
            ["push", _, size] => Some(PragmaPack::Push(number(size))),
            ["pop", ..] => Some(PragmaPack::Pop),
            [size] => number(size).map(PragmaPack::Set),
            _ => None,
        };
        if let Some(pack) = pack {
            let next_token = self.lexed.tokens.len();
            self.lexed.pragmas.push((next_token, pack));
        }
    }

    /// `_Pragma("...")`, whose first word lies before the position.
    pub(super) fn pragma_operator(&mut self, from: usize) {
        let rest = &self.text[self.position..];
        let Some((literal, length)) = operand(rest) else {
            let end = self.position;
            return self.error(from, end, "expected `(\"...\")` after `_Pragma`");
        };
        self.position += length;
        self.pragma(text::pragma_text(literal).trim());
    }
}

/// The literal in `("...")` at the start of the text, and the length of the whole.
fn operand(text: &str) -> Option<(&str, usize)> {
    let inside = text.trim_ascii_start().strip_prefix('(')?.trim_ascii_start();
    let body = inside.strip_prefix('L').unwrap_or(inside).strip_prefix('"')?;
    let mut bytes = body.bytes().enumerate();
    loop {
        match bytes.next()? {
            (_, b'\\') => _ = bytes.next(),
            (_, b'\n') => return None,
            (end, b'"') => {
                let tail = body[end + 1..].trim_ascii_start().strip_prefix(')')?;
                return Some((&body[..end], text.len() - tail.len()));
            }
            _ => {}
        }
    }
}
