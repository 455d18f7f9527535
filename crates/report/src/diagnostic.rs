//! Rendering of the front ends' diagnostics on the user's source lines.

use annotate_snippets::Level;
use unpick_base::{Diagnostic, Diagnostics, Severity, SourceMap, Span};

use crate::snippet::{Message, SourcePoint};
use crate::{Colour, Sources};

/// Draws all diagnostics, in the order found.
pub fn diagnostics(items: &Diagnostics, map: &SourceMap, sources: &dyn Sources, colour: Colour) -> String {
    items.iter().map(|item| diagnostic(item, map, sources, colour)).collect()
}

/// Draws one diagnostic.
pub fn diagnostic(item: &Diagnostic, map: &SourceMap, sources: &dyn Sources, colour: Colour) -> String {
    let level = match item.severity {
        Severity::Note => Level::NOTE,
        Severity::Warning => Level::WARNING,
        Severity::Assumption => Level::WARNING.with_name("assumption"),
        Severity::Error => Level::ERROR,
    };
    let primary = point(item.span, "", true, map, sources);
    let labels = item.labels.iter().map(|label| point(label.span, &label.text, false, map, sources));
    Message {
        level,
        id: None,
        title: item.message.clone(),
        points: std::iter::once(primary).chain(labels).flatten().collect(),
        notes: Vec::new(),
        help: item.help.clone(),
    }
    .render(colour)
}

/// `file:line:column: message` on one line: the assumption as listed with a verdict.
pub fn assumption_line(item: &Diagnostic, map: &SourceMap) -> String {
    match map.place(item.span.lo) {
        Some(place) => format!("{} ({}:{})", item.message, place.file, place.line),
        None => item.message.clone(),
    }
}

fn point(span: Span, label: &str, is_primary: bool, map: &SourceMap, sources: &dyn Sources) -> Option<SourcePoint> {
    let place = map.place(span.lo)?;
    let (preprocessed, _) = map.line(span.lo)?;
    let snippet = map.snippet(span);
    let snippet = snippet.lines().next().unwrap_or("");
    let original = sources.line(&place.file, place.line);
    let (source, column, len) = match original {
        Some(original) => {
            let (column, len) = locate(&original, preprocessed, place.column, snippet);
            (original, column, len)
        }
        None => (preprocessed.to_owned(), place.column, snippet.len()),
    };
    Some(SourcePoint {
        file: place.file.to_string(),
        line: place.line,
        column,
        source: Some(source),
        len,
        label: label.to_owned(),
        is_primary,
    })
}

/// Finds the preprocessed text in the line as the user wrote it. Macros and comments move text, so where the
/// columns do not agree, the same text near the same column is the best guess, and else the whole line.
fn locate(original: &str, preprocessed: &str, column: u32, snippet: &str) -> (u32, usize) {
    let at = column.saturating_sub(1) as usize;
    let same_prefix = original.get(..at).is_some() && original.get(..at) == preprocessed.get(..at);
    let same_text = original.get(at..).is_some_and(|rest| rest.starts_with(snippet));
    if same_text && (same_prefix || !snippet.is_empty()) {
        return (column, snippet.len());
    }
    if !snippet.is_empty() {
        let matches = original.match_indices(snippet).map(|(found, _)| found);
        if let Some(found) = matches.min_by_key(|found| found.abs_diff(at)) {
            return (found as u32 + 1, snippet.len());
        }
    }
    let indent = original.len() - original.trim_start().len();
    (indent as u32 + 1, original.trim().len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(text: &str) -> SourceMap {
        let mut map = SourceMap::new();
        map.add("a.c", text).unwrap();
        map
    }

    #[test]
    fn a_caret_stands_under_the_place() {
        let map = map("int x;\n  return y;\n");
        let item = Diagnostic::new(Severity::Error, Span::new(17, 18), "`y` is not declared")
            .label(Span::new(5, 6), "did you mean this?")
            .help("declare it");
        let text = diagnostic(&item, &map, &|_: &str, _: u32| None, Colour::Never);
        assert!(text.contains("error: `y` is not declared"), "{text}");
        assert!(text.contains("a.c:2:10") && text.contains("|          ^"), "{text}");
        assert!(text.contains("help: declare it") && text.contains("did you mean this?"), "{text}");
    }

    #[test]
    fn macros_show_the_line_as_written() {
        let map = map("  f(((void *)0), y);\n");
        let item = Diagnostic::new(Severity::Error, Span::new(18, 19), "no `y`");
        let sources = |_: &str, _: u32| Some("  f(NULL, y);".to_owned());
        let text = diagnostic(&item, &map, &sources, Colour::Never);
        assert!(text.contains("f(NULL, y);") && text.contains("a.c:1:11"), "{text}");
    }

    #[test]
    fn a_diagnostic_without_a_place_is_a_message() {
        let item = Diagnostic::new(Severity::Assumption, Span::NONE, "no `main`\x1b[2J");
        let text = diagnostic(&item, &SourceMap::new(), &|_: &str, _: u32| None, Colour::Never);
        assert_eq!(text, "assumption: no `main`\u{241b}[2J\n");
    }
}
