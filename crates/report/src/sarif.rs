//! SARIF 2.1.0: findings for code review, with one thread flow for each thread and the order of all steps.
//!
//! What the format has no place for is left out: statistics are properties of the run, assumptions and reasons for
//! `unknown` are notifications of the tool.

mod flow;
mod place;

use std::collections::BTreeMap;

use serde_json::{Value, json};
use serde_sarif::sarif::{
    CodeFlow, Invocation, Message, MultiformatMessageString, Notification, PropertyBag, ReportingDescriptor,
    Result as Finding_, ResultLevel, Run, Sarif, Suppression, Tool, ToolComponent,
};
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
    let driver = ToolComponent::builder()
        .name("unpick")
        .version(env!("CARGO_PKG_VERSION"))
        .rules(KINDS.iter().map(rule).collect::<Vec<_>>())
        .build();
    let properties = json!({
        "verdict": verdict(outcome),
        "states": outcome.stats.states,
        "transitions": outcome.stats.transitions,
        "seconds": outcome.stats.seconds,
        "engine": outcome.stats.engine,
        "properties": outcome.properties,
    });
    let run = Run::builder()
        .tool(Tool::builder().driver(driver).build())
        .column_kind("unicodeCodePoints")
        .invocations(vec![invocation(outcome, sources)])
        .properties(bag(properties))
        .build();
    let document = Sarif::builder().version("2.1.0").schema(SCHEMA).runs(vec![run]).build();
    let mut document = serde_json::to_value(document).expect("SARIF should always be expressible in JSON");
    // Results of a baseline are kept as they were, whatever wrote them.
    document["runs"][0]["results"] = Value::Array(results);
    let mut text = serde_json::to_string_pretty(&document).expect("a value should always be expressible in JSON");
    text.push('\n');
    text
}

fn verdict(outcome: &Outcome) -> &'static str {
    match outcome.judgement {
        Judgement::Verified => "verified",
        Judgement::Violated { .. } => "violated",
        Judgement::Unknown(_) => "unknown",
    }
}

fn bag(value: Value) -> PropertyBag {
    let properties = match value {
        Value::Object(map) => map.into_iter().collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => BTreeMap::new(),
    };
    PropertyBag::builder().additional_properties(properties).build()
}

fn rule(kind: &Kind) -> ReportingDescriptor {
    let text = MultiformatMessageString::builder().text(kind.summary).build();
    let mut tags = vec!["correctness".to_owned()];
    tags.extend(kind.weakness.map(|number| format!("external/cwe/cwe-{number:03}")));
    let tags = PropertyBag::builder().tags(tags).additional_properties(BTreeMap::new()).build();
    ReportingDescriptor::builder().id(kind.name).short_description(text).properties(tags).build()
}

fn result(finding: &Finding, trace: &Trace, baseline: Option<&Baseline>, sources: &dyn Sources) -> Value {
    let mut text = finding.message.clone();
    for note in &finding.notes {
        text += "\n";
        text += note;
    }
    let fingerprints = BTreeMap::from([(ALGORITHM.to_owned(), finding.fingerprint.clone())]);
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
    let rule_index = KINDS.iter().position(|kind| kind.name == finding.kind).map_or(-1, |at| at as i64);
    let result = Finding_::builder()
        .message(message(&text))
        .rule_id(finding.kind.as_str())
        .rule_index(rule_index)
        .level(ResultLevel::Error)
        .locations(locations)
        .related_locations(related.collect::<Vec<_>>())
        .partial_fingerprints(fingerprints)
        .code_flows(match flows.is_empty() {
            true => Vec::new(),
            false => vec![CodeFlow::builder().thread_flows(flows).message(message(&flow::summary(trace))).build()],
        })
        .suppressions(suppressions(finding, sources))
        .build();
    let mut result = serde_json::to_value(result).expect("a result should always be expressible in JSON");
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

fn suppressions(finding: &Finding, sources: &dyn Sources) -> Vec<Suppression> {
    match &finding.accepted {
        Some(Accepted::Comment { reason, file, line }) => {
            let location = place::location((file, *line, 0), None, None, None, sources);
            vec![Suppression::builder().kind("inSource").justification(visible(reason)).location(location).build()]
        }
        Some(Accepted::Baseline { .. }) | None => Vec::new(),
    }
}

fn invocation(outcome: &Outcome, sources: &dyn Sources) -> Invocation {
    let mut notes: Vec<Notification> = outcome
        .assumptions
        .iter()
        .map(|text| Notification::builder().level("note").message(message(&format!("assumption: {text}"))).build())
        .collect();
    if let Judgement::Unknown(why) = &outcome.judgement {
        notes.extend(why.reasons().into_iter().map(|reason| {
            let remedy = reason.remedy().map_or(String::new(), |remedy| format!("; {remedy}"));
            let at = reason.site().map(|site| (site.file.as_str(), site.line, site.column));
            let locations: Vec<_> =
                at.map(|place| place::location(place, None, None, None, sources)).into_iter().collect();
            let text = message(&format!("unknown: {}{remedy}", reason.text()));
            Notification::builder().level("warning").message(text).locations(locations).build()
        }));
    }
    Invocation::builder()
        .execution_successful(true)
        .exit_code(i64::from(outcome.exit_code()))
        .exit_code_description(outcome.verdict_line())
        .tool_execution_notifications(notes)
        .build()
}

/// Text that shows as it is: neither a link nor a place for an argument.
fn message(text: &str) -> Message {
    Message::builder().text(plain(text)).build()
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
