//! SARIF 2.1.0: findings for code review, with one thread flow for each thread and the order of all steps.
//!
//! What the format has no place for is left out: statistics are properties of the run, assumptions and reasons for
//! `unknown` are notifications of the tool. Objects are written as JSON literals; that the document conforms to the
//! published schema is tested through the command line.

mod flow;
mod place;

use serde_json::{Value, json};
use unpick_witness::{Accepted, Finding, Judgement, Trace};

use crate::accept::{Baseline, fingerprint};
use crate::escape::visible;
use crate::fingerprint::ALGORITHM;
use crate::kinds::{KINDS, Kind};
use crate::{Outcome, Sources};

/// The published schema of the format.
const SCHEMA: &str = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// The document of a run.
pub fn sarif(outcome: &Outcome, baseline: Option<&Baseline>, sources: &dyn Sources) -> String {
    let mut results: Vec<Value> =
        outcome.failing().map(|(finding, trace)| result(finding, trace, baseline, sources)).collect();
    if let Some(baseline) = baseline.filter(|_| outcome.is_complete || outcome.judgement == Judgement::Verified) {
        results.extend(absent(baseline, outcome));
    }
    let document = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "unpick",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": KINDS.iter().map(rule).collect::<Vec<_>>(),
            }},
            "columnKind": "unicodeCodePoints",
            "invocations": [invocation(outcome, sources)],
            "properties": {
                "verdict": verdict(outcome),
                "states": outcome.stats.states,
                "transitions": outcome.stats.transitions,
                "seconds": outcome.stats.seconds,
                "engine": outcome.stats.engine,
                "properties": outcome.properties,
            },
            "results": results,
        }],
    });
    let mut text = serde_json::to_string_pretty(&document).expect("a value should always be expressible in JSON");
    text.push('\n');
    text
}

/// An object without the members that have nothing to say: `null` and empty arrays.
fn lean(object: Value) -> Value {
    match object {
        Value::Object(members) => {
            let says = |value: &Value| !value.is_null() && value.as_array().is_none_or(|array| !array.is_empty());
            Value::Object(members.into_iter().filter(|(_, value)| says(value)).collect())
        }
        other => other,
    }
}

fn verdict(outcome: &Outcome) -> &'static str {
    match outcome.judgement {
        Judgement::Verified => "verified",
        Judgement::Violated { .. } => "violated",
        Judgement::Unknown(_) => "unknown",
    }
}

fn rule(kind: &Kind) -> Value {
    let mut tags = vec!["correctness".to_owned()];
    tags.extend(kind.weakness.map(|number| format!("external/cwe/cwe-{number:03}")));
    json!({"id": kind.name, "shortDescription": {"text": kind.summary}, "properties": {"tags": tags}})
}

fn result(finding: &Finding, trace: &Trace, baseline: Option<&Baseline>, sources: &dyn Sources) -> Value {
    let mut text = finding.message.clone();
    for note in &finding.notes {
        text += "\n";
        text += note;
    }
    let related = finding.related.iter().zip(1..).map(|(related, id)| {
        let place = (related.file.as_str(), related.line, related.column);
        place::location(place, Some(&related.label), None, Some(id), sources)
    });
    let place = (finding.file.as_str(), finding.line, finding.column);
    let locations = match finding.line {
        0 => Vec::new(),
        _ => vec![place::location(place, None, Some(&finding.function), None, sources)],
    };
    let flows = flow::thread_flows(trace, finding, sources);
    let code_flow = || json!({"threadFlows": flows, "message": message(&flow::summary(trace))});
    let rule_index = KINDS.iter().position(|kind| kind.name == finding.kind).map_or(-1, |at| at as i64);
    let mut result = lean(json!({
        "message": message(&text),
        "ruleId": finding.kind,
        "ruleIndex": rule_index,
        "level": "error",
        "locations": locations,
        "relatedLocations": related.collect::<Vec<_>>(),
        "partialFingerprints": {ALGORITHM: finding.fingerprint},
        "codeFlows": if flows.is_empty() { Vec::new() } else { vec![code_flow()] },
        "suppressions": suppressions(finding, sources),
    }));
    if baseline.is_some() {
        let is_known = matches!(finding.accepted, Some(Accepted::Baseline { .. }))
            || baseline.is_some_and(|baseline| is_in(baseline, &finding.fingerprint));
        result["baselineState"] = json!(if is_known { "unchanged" } else { "new" });
    }
    result
}

fn is_in(baseline: &Baseline, wanted: &str) -> bool {
    baseline.results.iter().any(|result| fingerprint(result) == Some(wanted))
}

/// What the baseline has and this run found no more.
fn absent(baseline: &Baseline, outcome: &Outcome) -> Vec<Value> {
    let is_gone = |result: &&Value| {
        outcome.failing().all(|(finding, _)| fingerprint(result) != Some(finding.fingerprint.as_str()))
    };
    let gone = baseline.results.iter().filter(is_gone).cloned();
    gone.map(|mut result| {
        result["baselineState"] = json!("absent");
        result
    })
    .collect()
}

fn suppressions(finding: &Finding, sources: &dyn Sources) -> Vec<Value> {
    match &finding.accepted {
        Some(Accepted::Comment { reason, file, line }) => {
            let location = place::location((file, *line, 0), None, None, None, sources);
            vec![json!({"kind": "inSource", "justification": visible(reason), "location": location})]
        }
        Some(Accepted::Baseline { .. }) | None => Vec::new(),
    }
}

fn invocation(outcome: &Outcome, sources: &dyn Sources) -> Value {
    let note = |text: &String| json!({"level": "note", "message": message(&format!("assumption: {text}"))});
    let mut notes: Vec<Value> = outcome.assumptions.iter().map(note).collect();
    if let Judgement::Unknown(why) = &outcome.judgement {
        notes.extend(why.reasons().into_iter().map(|reason| {
            let remedy = reason.remedy().map_or(String::new(), |remedy| format!("; {remedy}"));
            let at = reason.site().map(|site| (site.file.as_str(), site.line, site.column));
            let locations: Vec<_> =
                at.map(|place| place::location(place, None, None, None, sources)).into_iter().collect();
            let text = message(&format!("unknown: {}{remedy}", reason.text()));
            lean(json!({"level": "warning", "message": text, "locations": locations}))
        }));
    }
    lean(json!({
        "executionSuccessful": true,
        "exitCode": outcome.exit_code(),
        "exitCodeDescription": outcome.verdict_line(),
        "toolExecutionNotifications": notes,
    }))
}

/// Text that shows as it is: neither a link nor a place for an argument.
fn message(text: &str) -> Value {
    json!({"text": plain(text)})
}

fn plain(text: &str) -> String {
    let text: String = crate::escape::visible_lines(text);
    let mut plain = String::with_capacity(text.len());
    for (at, character) in text.char_indices() {
        let is_argument = character == '{' && text[at + 1..].starts_with(|next: char| next.is_ascii_digit());
        match character {
            '{' if is_argument => plain.push_str("{{"),
            ']' if text[at + 1..].starts_with('(') => plain.push_str("\\]"),
            _ => plain.push(character),
        }
    }
    plain
}

#[cfg(test)]
mod tests;
