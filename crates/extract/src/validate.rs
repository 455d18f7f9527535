//! Validation of a model that contains the user's texts: errors are reported at the row they come from.
//!
//! Right sides are read one by one before, but whether their names mean something is known only to the whole model.

use std::collections::HashMap;

use unpick_base::{Diagnostic, Diagnostics, Severity, Span};
use unpick_front_promela::session::Session;

use crate::extraction::Decided;
use crate::rules::Origin;
use crate::table::Mapping;
use crate::write::Written;

/// Reads the model as our own front end does, if parts of it are hand-written.
pub fn validate(decided: &Decided<'_>, written: &Written, diagnostics: &mut Diagnostics) {
    let Some(text) = expanded(&written.text).filter(|_| has_texts(decided)) else { return };
    let mut session = Session::default();
    let Some(index) = session.sources.add("model", &text) else { return };
    if unpick_front_promela::compile(&mut session, index).is_some() {
        return;
    }
    for item in session.diagnostics.iter().filter(|item| item.severity == Severity::Error) {
        let line = session.sources.place(item.span.lo).map_or(0, |place| place.line as usize);
        let fragment = line.checked_sub(1).and_then(|at| written.lines.get(at)).copied().flatten();
        let shown = written.text.lines().nth(line.saturating_sub(1)).unwrap_or_default().trim().to_owned();
        let shown = shown.split("/*").next().unwrap_or_default().trim();
        let row = fragment.and_then(|id| {
            let negated = decided.decisions.negated.get(&id);
            let all = std::iter::once(&decided.decisions.plain[id]).chain(negated);
            let mut rows = all.filter(|decision| matches!(decision.mapping, Mapping::Text(_)));
            rows.find_map(|decision| match decision.origin {
                Origin::Row(row) => Some(&decided.program.table.rows[row]),
                _ => None,
            })
        });
        let mut found = match row {
            Some(row) => Diagnostic::new(
                Severity::Error,
                row.mapping_span,
                format!("the right side does not fit the model: {}", item.message),
            ),
            None => Diagnostic::new(
                Severity::Error,
                Span::NONE,
                format!("the model is wrong at `{shown}`: {}", item.message),
            ),
        };
        found.help.clone_from(&item.help);
        diagnostics.push(found);
    }
}

/// Whether parts of the model are the user's own.
fn has_texts(decided: &Decided<'_>) -> bool {
    let (table, harness) = (&decided.program.table, &decided.program.harness);
    let has_rows = table.rows.iter().any(|row| matches!(row.mapping, Mapping::Text(_))) || !table.declares.is_empty();
    let is_bare = harness.environment.is_empty() && harness.declare.is_empty();
    has_rows || !is_bare || !harness.ltl.is_empty() || !harness.invariants.is_empty()
}

/// The text with constants put in; nothing if it needs a preprocessor.
fn expanded(text: &str) -> Option<String> {
    let mut constants: HashMap<&str, &str> = HashMap::new();
    for line in text.lines().filter(|line| line.trim_start().starts_with('#')) {
        let (name, value) = line.trim().strip_prefix("#define ")?.split_once(' ')?;
        let is_plain = name.chars().all(|letter| letter.is_alphanumeric() || letter == '_');
        let is_number = value.trim().parse::<i64>().is_ok();
        constants.insert(name, Some(value.trim()).filter(|_| is_plain && is_number)?);
    }
    let mut result = String::with_capacity(text.len());
    for line in text.lines() {
        if !line.trim_start().starts_with('#') {
            push_replaced(line, &constants, &mut result);
        }
        result.push('\n');
    }
    Some(result)
}

/// Adds a line with constants in place of their names; texts between quotes stay.
fn push_replaced(line: &str, constants: &HashMap<&str, &str>, into: &mut String) {
    let mut rest = line;
    let mut is_quoted = false;
    while let Some(first) = rest.chars().next() {
        let is_word = first.is_alphanumeric() || first == '_';
        let end = match is_word {
            true => rest.find(|letter: char| !(letter.is_alphanumeric() || letter == '_')).unwrap_or(rest.len()),
            false => first.len_utf8(),
        };
        let (word, behind) = rest.split_at(end);
        is_quoted ^= word == "\"";
        into.push_str(constants.get(word).filter(|_| is_word && !is_quoted).unwrap_or(&word));
        rest = behind;
    }
}
