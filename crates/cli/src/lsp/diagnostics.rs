//! A report of `check --json` as diagnostics, with the steps of the trace as related places.

use std::collections::BTreeMap;

use serde_json::{Value, json};

/// Editors show a list, not a book: the steps before the failure are what matters.
const MAX_STEPS: usize = 60;

/// Diagnostics by URI.
pub(super) fn diagnostics(report: &Value, uri_of: &dyn Fn(&str) -> String) -> BTreeMap<String, Vec<Value>> {
    let mut found: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    let violation = &report["violation"];
    if violation.is_object() {
        let mut item = item(violation, 1, violation["kind"].as_str());
        item["relatedInformation"] = Value::Array(steps(report, uri_of));
        found.entry(uri_of(text(violation, "file"))).or_default().push(item);
    }
    for detail in report["error"]["diagnostics"].as_array().into_iter().flatten() {
        let severity = if detail["severity"] == "error" { 1 } else { 2 };
        if let Some(file) = detail["file"].as_str() {
            found.entry(uri_of(file)).or_default().push(item(detail, severity, None));
        }
    }
    found
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap_or_default()
}

/// A place from one is a place from zero; an unknown column is the first.
fn range(value: &Value) -> Value {
    let line = value["line"].as_u64().unwrap_or(1).max(1) - 1;
    let column = value["column"].as_u64().unwrap_or(1).max(1) - 1;
    json!({ "start": { "line": line, "character": column }, "end": { "line": line, "character": column + 1 } })
}

fn item(value: &Value, severity: u32, code: Option<&str>) -> Value {
    let mut item =
        json!({ "range": range(value), "severity": severity, "source": "unpick", "message": text(value, "message") });
    if let Some(code) = code {
        item["code"] = json!(code);
    }
    item
}

/// The last steps that tell something.
fn steps(report: &Value, uri_of: &dyn Fn(&str) -> String) -> Vec<Value> {
    let steps = report["trace"]["steps"].as_array().map(Vec::as_slice).unwrap_or_default();
    let first = steps.len().saturating_sub(MAX_STEPS);
    let related = steps.iter().enumerate().skip(first).map(|(number, step)| {
        let changes = step["changes"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|change| format!("{}: {} -> {}", text(change, "name"), text(change, "old"), text(change, "new")));
        let what: Vec<String> = std::iter::once(text(step, "text").trim().to_owned()).chain(changes).collect();
        let thread = step["thread"].as_u64().unwrap_or(0);
        json!({
            "location": { "uri": uri_of(text(step, "file")), "range": range(step) },
            "message": format!("step {}, thread {thread}: {}", number + 1, what.join("; ")),
        })
    });
    related.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_violation_comes_with_its_steps() {
        let change = json!({ "name": "x", "old": "0", "new": "1" });
        let step = json!({ "thread": 2, "file": "a.c", "line": 3, "text": " x = 1;", "changes": [change] });
        let report = json!({
            "violation": { "kind": "assertion", "file": "a.c", "line": 7, "column": 5, "message": "no" },
            "trace": { "steps": [step] },
        });
        let found = diagnostics(&report, &|file| format!("file:///{file}"));
        let item = &found["file:///a.c"][0];
        assert_eq!((&item["range"]["start"]["line"], &item["code"]), (&json!(6), &json!("assertion")));
        assert_eq!(item["relatedInformation"][0]["message"], "step 1, thread 2: x = 1;; x: 0 -> 1");
        assert_eq!(item["relatedInformation"][0]["location"]["range"]["start"]["line"], 2);
    }

    #[test]
    fn errors_of_the_sources_are_diagnostics_too() {
        let detail = json!({ "severity": "error", "file": "a.c", "line": 0, "column": 0, "message": "no" });
        let found = diagnostics(&json!({ "error": { "diagnostics": [detail] } }), &|file| file.to_owned());
        assert_eq!(found["a.c"][0]["range"]["start"], json!({ "line": 0, "character": 0 }));
        assert!(diagnostics(&json!({ "verdict": "verified" }), &|file| file.to_owned()).is_empty());
    }
}
