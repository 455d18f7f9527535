//! How long files and functions may be.
//!
//! A longer one needs a reason in `layers.toml`: a table, one match that only hands on. An entry for what is short by now is
//! a fault as well, so that the lists shrink.
//!
//! Functions are found by their layout, without a parser: rustfmt puts the closing brace of a function below the first
//! letter of its head, and no other brace of the function so far to the left.

use std::collections::BTreeMap;

/// Longest file, in lines.
const MAX_FILE: usize = 600;
/// Longest function, head and braces included.
const MAX_FUNCTION: usize = 80;

/// What is wrong with the sizes of all files (path, text); the reasons are those of `layers.toml`, of files by `path` and of
/// functions by `path: name`.
pub fn faults<'a>(
    files: impl Iterator<Item = (&'a str, &'a str)>,
    long_files: &BTreeMap<String, String>,
    long_functions: &BTreeMap<String, String>,
) -> Vec<String> {
    let mut faults = Vec::new();
    let mut explained = Vec::new();
    for (path, text) in files {
        let n_lines = text.lines().count();
        if n_lines > MAX_FILE {
            match long_files.get_key_value(path) {
                Some((entry, _reason)) => explained.push(entry),
                None => faults.push(format!("{path}: {n_lines} lines; split it by idea")),
            }
        }
        for Function { name, line, n_lines } in functions(text) {
            if n_lines > MAX_FUNCTION {
                match long_functions.get_key_value(&format!("{path}: {name}")) {
                    Some((entry, _reason)) => explained.push(entry),
                    None => faults.push(format!("{path}:{line}: `{name}` has {n_lines} lines; split it by idea")),
                }
            }
        }
    }
    let entries = long_files.keys().chain(long_functions.keys());
    let stale = entries.filter(|entry| !explained.contains(entry));
    faults.extend(stale.map(|entry| format!("layers.toml: `{entry}` is not long any more; delete the entry")));
    faults
}

#[derive(PartialEq, Eq, Debug)]
struct Function<'a> {
    name: &'a str,
    /// Of its head, from one.
    line: usize,
    n_lines: usize,
}

/// The functions with a body of more than one line, nested ones too.
fn functions(text: &str) -> Vec<Function<'_>> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    for (first, line) in lines.iter().enumerate() {
        let indent = line.len() - line.trim_start().len();
        let Some(name) = function_name(&line[indent..]) else { continue };
        if line.ends_with(['}', ';']) {
            continue;
        }
        // The end of a body, or of a head without one.
        let is_last = |line: &&str| {
            let rest = line.strip_prefix(&lines[first][..indent]);
            rest.is_some_and(|rest| rest.starts_with('}') || (rest.starts_with(')') && rest.ends_with(';')))
        };
        if let Some(n_more) = lines[first + 1..].iter().position(is_last) {
            found.push(Function { name, line: first + 1, n_lines: n_more + 2 });
        }
    }
    found
}

/// The name of the function whose head a line begins.
fn function_name(line: &str) -> Option<&str> {
    let (before, rest) = line.split_once("fn ")?;
    let mut words = before.split_whitespace();
    let is_head = words.all(|word| {
        matches!(word, "const" | "async" | "unsafe" | "extern" | "\"C\"" | "pub") || word.starts_with("pub(")
    });
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
    (is_head && end > 0).then(|| &rest[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_measured_by_their_layout() {
        let text = "\
trait Shape {
    fn area(
        &self,
    ) -> u32;
}
pub(crate) const fn one() -> u32 {
    fn inner() {
    }
    1
}
fn short() {}
// fn said()
";
        let found = functions(text);
        let one = Function { name: "one", line: 6, n_lines: 5 };
        let inner = Function { name: "inner", line: 7, n_lines: 2 };
        assert_eq!(found[1..], [one, inner]);
        assert_eq!((found[0].name, found.len()), ("area", 3));
    }

    #[test]
    fn what_is_long_needs_a_reason_and_a_reason_something_long() {
        let long = format!("fn long() {{\n{}}}\n", "    act();\n".repeat(MAX_FUNCTION));
        let reasons = |entry: &str| BTreeMap::from([(entry.to_owned(), "a table".to_owned())]);
        let count = |entry| faults([("a.rs", long.as_str())].into_iter(), &BTreeMap::new(), &reasons(entry)).len();
        assert_eq!((count("a.rs: long"), count("a.rs: other")), (0, 2));
    }
}
