//! Which function of a C text a line belongs to, also while the text is being edited.
//!
//! Braces are counted outside comments and literals; a function is a name before a parenthesis at depth zero that is
//! followed by a body. That is wrong for code that hides braces in macros, and good enough for a menu entry.

/// The function whose head or body the line (from zero) lies in.
pub(super) fn function_at(text: &str, wanted: usize) -> Option<String> {
    let mut scan = Scan::default();
    let letters: Vec<char> = text.chars().collect();
    let mut at = 0;
    while at < letters.len() {
        at = scan.step(&letters, at);
        if let Some((name, from, to)) = scan.finished.take()
            && (from..=to).contains(&wanted)
        {
            return Some(name);
        }
    }
    // A body that is not closed yet.
    scan.body.filter(|(_, from)| *from <= wanted).map(|(name, _)| name)
}

#[derive(Default)]
struct Scan {
    line: usize,
    depth: usize,
    parentheses: usize,
    word: String,
    /// Name and line of what may be the head of a function.
    head: Option<(String, usize)>,
    body: Option<(String, usize)>,
    finished: Option<(String, usize, usize)>,
}

impl Scan {
    /// Takes one letter, comment or literal; where the next one begins.
    fn step(&mut self, letters: &[char], at: usize) -> usize {
        let letter = letters[at];
        let next = letters.get(at + 1).copied();
        match (letter, next) {
            ('/', Some('/')) => return self.skip(letters, at, |letters, at| letters[at] == '\n', 0),
            ('/', Some('*')) => {
                return self.skip(
                    letters,
                    at + 2,
                    |letters, at| letters[at] == '*' && letters.get(at + 1) == Some(&'/'),
                    2,
                );
            }
            ('"' | '\'', _) => return self.literal(letters, at, letter),
            ('#', _) if self.word.is_empty() => return self.skip(letters, at, |letters, at| letters[at] == '\n', 0),
            _ => {}
        }
        if letter == '_' || letter.is_alphanumeric() {
            let is_inside = at > 0 && (letters[at - 1] == '_' || letters[at - 1].is_alphanumeric());
            if !is_inside {
                self.word.clear();
            }
            self.word.push(letter);
            return at + 1;
        }
        self.symbol(letter);
        at + 1
    }

    fn symbol(&mut self, letter: char) {
        match letter {
            '\n' => self.line += 1,
            '(' => {
                if self.depth == 0 && self.parentheses == 0 && self.head.is_none() && !self.word.is_empty() {
                    self.head = Some((std::mem::take(&mut self.word), self.line));
                }
                self.parentheses += 1;
            }
            ')' => self.parentheses = self.parentheses.saturating_sub(1),
            '{' => {
                if self.depth == 0 && self.parentheses == 0 {
                    self.body = self.head.take();
                }
                self.depth += 1;
            }
            '}' => {
                self.depth = self.depth.saturating_sub(1);
                if self.depth == 0 {
                    self.finished = self.body.take().map(|(name, from)| (name, from, self.line));
                    self.head = None;
                }
            }
            ';' | '=' if self.depth == 0 && self.parentheses == 0 => self.head = None,
            _ => {}
        }
        if !letter.is_whitespace() {
            self.word.clear();
        }
    }

    fn skip(&mut self, letters: &[char], from: usize, is_end: impl Fn(&[char], usize) -> bool, len: usize) -> usize {
        let mut at = from;
        while at < letters.len() && !is_end(letters, at) {
            self.line += usize::from(letters[at] == '\n');
            at += 1;
        }
        (at + len).min(letters.len())
    }

    fn literal(&mut self, letters: &[char], from: usize, quote: char) -> usize {
        let mut at = from + 1;
        while at < letters.len() && letters[at] != quote && letters[at] != '\n' {
            at += if letters[at] == '\\' { 2 } else { 1 };
        }
        if letters.get(at) == Some(&quote) { at + 1 } else { at.min(letters.len()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "#include <x.h>\nint table[2] = { 1, 2 };\nint f(int a);\n/* g( { */\nstatic int\ng(int a,\n  int b)\n{\n  \
                        if (a) { return '}'; } // }\n  return b;\n}\n\nvoid h(void) {\n  \"{\";\n";

    #[test]
    fn lines_belong_to_functions() {
        for line in 5..=10 {
            assert_eq!(function_at(TEXT, line).as_deref(), Some("g"), "line {line}");
        }
        for line in [0, 1, 2, 3, 11] {
            assert_eq!(function_at(TEXT, line), None, "line {line}");
        }
        assert_eq!(function_at(TEXT, 13).as_deref(), Some("h"), "a body that is not closed yet");
    }

    proptest::proptest! {
        #[test]
        fn any_text_has_an_answer(text in ".{0,80}", line in 0usize..5) {
            let _ = function_at(&text, line);
        }
    }
}
