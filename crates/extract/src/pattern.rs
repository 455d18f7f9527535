//! Patterns on the left sides of rows: literal texts, prefixes (`...`), and metavariables (`$x`) for subexpressions.
//!
//! Texts are compared word by word, so that layout, a semicolon at the end and needless parentheses do not matter. A
//! metavariable stands for a whole subexpression, never for part of one: the words it takes must be the text of a node
//! of the fragment's tree.

use std::collections::HashMap;

use unpick_front_c::ast::ExprId;

/// A left side.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pattern {
    /// Its words.
    pub words: Vec<Word>,
    /// Whether more may follow, and if so, whether the last word may go on too.
    pub ellipsis: Option<Ellipsis>,
}

/// What `...` stands behind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ellipsis {
    /// A whole word.
    Word,
    /// The beginning of a word.
    Prefix,
}

/// A word of a pattern.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Word {
    /// Has to be there.
    Exact(String),
    /// `$name`: any subexpression, the same one everywhere.
    Any(String),
}

/// Bindings of metavariables: their names, texts and expressions.
pub type Bindings = Vec<(String, String, ExprId)>;

/// The subexpressions of a fragment by their text.
pub type Subexpressions = HashMap<String, ExprId>;

impl Pattern {
    /// Reads a left side; `None` if there is nothing in it.
    pub fn parse(text: &str) -> Option<Pattern> {
        let text = text.trim().trim_end_matches(';').trim_end();
        let (head, ellipsis) = match text.find("...") {
            Some(at) if text[at + 3..].trim_matches([' ', ')', ';']).is_empty() => {
                let is_prefix = text[..at].ends_with(|last: char| last.is_alphanumeric() || last == '_');
                (&text[..at], Some(if is_prefix { Ellipsis::Prefix } else { Ellipsis::Word }))
            }
            Some(_) | None => (text, None),
        };
        let words = if ellipsis.is_some() { words(head) } else { simplified(words(head)) };
        if words.is_empty() {
            return None;
        }
        let words = words.into_iter().map(|word| match word.strip_prefix('$') {
            Some(name) if !name.is_empty() => Word::Any(name.to_owned()),
            Some(_) | None => Word::Exact(word),
        });
        Some(Pattern { words: words.collect(), ellipsis })
    }

    /// The text that this pattern matches alone, if it matches only one.
    pub fn exact(&self) -> Option<String> {
        if self.ellipsis.is_some() {
            return None;
        }
        let words: Option<Vec<&str>> = self
            .words
            .iter()
            .map(|word| match word {
                Word::Exact(word) => Some(word.as_str()),
                Word::Any(_) => None,
            })
            .collect();
        Some(words?.join(" "))
    }

    /// Whether it has metavariables.
    pub fn has_metavariables(&self) -> bool {
        self.words.iter().any(|word| matches!(word, Word::Any(_)))
    }

    /// Whether the words match, and what metavariables stand for.
    pub fn matches(&self, words: &[String], parts: &Subexpressions) -> Option<Bindings> {
        let mut bindings = Bindings::new();
        self.match_from(0, words, parts, &mut bindings).then_some(bindings)
    }

    fn match_from(&self, at: usize, words: &[String], parts: &Subexpressions, bindings: &mut Bindings) -> bool {
        let is_last = at + 1 == self.words.len();
        match self.words.get(at) {
            None => self.ellipsis.is_some() || words.is_empty(),
            Some(Word::Exact(word)) => {
                let Some(first) = words.first() else { return false };
                let goes_on = is_last && self.ellipsis == Some(Ellipsis::Prefix) && first.starts_with(word.as_str());
                (first == word || goes_on) && self.match_from(at + 1, &words[1..], parts, bindings)
            }
            Some(Word::Any(name)) => (1..=words.len()).any(|len| {
                let text = simplified(words[..len].to_vec()).join(" ");
                let Some(expr) = parts.get(&text) else { return false };
                let known = bindings.iter().find(|(known, _, _)| known == name);
                if known.is_some_and(|(_, known, _)| *known != text) {
                    return false;
                }
                bindings.push((name.clone(), text, *expr));
                let is_match = self.match_from(at + 1, &words[len..], parts, bindings);
                if !is_match {
                    bindings.pop();
                }
                is_match
            }),
        }
    }
}

/// The words of a canonical text.
pub fn canonical_words(text: &str) -> Vec<String> {
    simplified(words(text.trim().trim_end_matches(';')))
}

const OPERATORS: &[&str] = &[
    "<<=", ">>=", "...", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+=", "-=", "*=", "/=",
    "%=", "&=", "^=", "|=",
];

/// Names, numbers, literals, operators.
pub fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
        let len = if first.is_alphanumeric() || first == '_' {
            let is_number = first.is_numeric();
            rest.find(|c: char| !(is_name(c) && (is_number || c != '.'))).unwrap_or(rest.len())
        } else if first == '$' {
            1 + rest[1..].find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len() - 1)
        } else if first == '"' || first == '\'' {
            literal_len(rest, first)
        } else {
            let operator = OPERATORS.iter().find(|operator| rest.starts_with(**operator));
            operator.map_or(first.len_utf8(), |operator| operator.len())
        };
        words.push(rest[..len].to_owned());
        rest = rest[len..].trim_start();
    }
    words
}

fn literal_len(text: &str, quote: char) -> usize {
    let mut is_escaped = false;
    for (at, character) in text.char_indices().skip(1) {
        match character {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            _ if character == quote => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// The words without parentheses around all of them, or around a single one that is no argument.
fn simplified(mut words: Vec<String>) -> Vec<String> {
    while words.len() > 2 && words[0] == "(" && closing(&words, 0) == Some(words.len() - 1) {
        words.remove(0);
        words.pop();
    }
    let mut at = 0;
    while at + 2 < words.len() {
        let is_single = words[at] == "(" && words[at + 2] == ")" && is_atom(&words[at + 1]);
        let is_call = at > 0 && (is_atom(&words[at - 1]) || words[at - 1] == ")" || words[at - 1] == "]");
        // `(T)x` is a conversion.
        let is_cast = words.get(at + 3).is_some_and(|next| is_atom(next) || next == "(");
        if is_single && !is_call && !is_cast {
            words.remove(at + 2);
            words.remove(at);
        }
        at += 1;
    }
    words
}

fn is_atom(word: &str) -> bool {
    word.starts_with(|first: char| first.is_alphanumeric() || first == '_' || first == '$')
}

fn closing(words: &[String], open: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, word) in words.iter().enumerate().skip(open) {
        match word.as_str() {
            "(" => depth += 1,
            ")" => {
                depth -= 1;
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}

/// A right side in which one metavariable has another name.
pub fn renamed(text: &str, old: &str, new: &str) -> String {
    let mut result = String::new();
    for (at, part) in text.split('$').enumerate() {
        let is_old = at > 0
            && part.strip_prefix(old).is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'));
        if at > 0 {
            result.push('$');
        }
        match is_old {
            true => result.push_str(&format!("{new}{}", &part[old.len()..])),
            false => result.push_str(part),
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(texts: &[&str]) -> Subexpressions {
        texts.iter().enumerate().map(|(at, text)| (canonical_words(text).join(" "), ExprId(at as u32))).collect()
    }

    fn does_match(pattern: &str, text: &str) -> bool {
        let pattern = Pattern::parse(pattern).expect("the pattern should have words");
        pattern.matches(&canonical_words(text), &Subexpressions::new()).is_some()
    }

    #[test]
    fn layout_does_not_matter() {
        assert!(does_match("x=y+1;", "x = y + 1"));
        assert!(does_match("(x > 0)", "x > 0"));
        assert!(does_match("! (x>0)", "!(x > 0)"));
        assert!(does_match("f ( a,b )", "f(a, b)"));
        assert!(!does_match("f(a)", "f(a, b)"));
        assert!(!does_match("(T)x", "T x"));
    }

    #[test]
    fn ellipses_go_on() {
        assert!(does_match("printf(...", "printf(\"%d\", x)"));
        assert!(does_match("printf(...)", "printf(\"...\")"));
        assert!(does_match("log_...", "log_info(x)"));
        assert!(!does_match("printf(...", "fprintf(f)"));
        assert!(!does_match("log(...", "log_info(x)"));
    }

    #[test]
    fn metavariables_are_whole_subexpressions() {
        let pattern = Pattern::parse("x->state = $v").expect("the pattern should have words");
        let words = canonical_words("x->state = a + f(b)");
        let found = pattern.matches(&words, &parts(&["x->state", "a + f(b)", "a", "f(b)", "b"]));
        let found = found.expect("the right side should be a subexpression");
        assert_eq!((found[0].0.as_str(), found[0].1.as_str()), ("v", "a + f ( b )"));
        assert!(pattern.matches(&words, &parts(&["a", "f(b)"])).is_none());
        let twice = Pattern::parse("$x = $x + 1").expect("the pattern should have words");
        assert!(twice.matches(&canonical_words("a = a + 1"), &parts(&["a", "1", "b"])).is_some());
        assert!(twice.matches(&canonical_words("a = b + 1"), &parts(&["a", "1", "b"])).is_none());
    }
}
