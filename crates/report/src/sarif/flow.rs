//! The steps of a trace as thread flows of SARIF.
//!
//! Viewers show a thousand steps of a result and refuse more than ten thousand, so long executions keep their beginning
//! and their end.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use unpick_witness::{Finding, Step, Switch, Trace};

use super::{lean, message, place};
use crate::Sources;
use crate::escape::visible;

const N_FIRST: usize = 200;
const N_LAST: usize = 4_800;

/// One flow for each thread that does something, in the order of their numbers.
pub(super) fn thread_flows(trace: &Trace, finding: &Finding, sources: &dyn Sources) -> Vec<Value> {
    let mut flows: BTreeMap<u32, Vec<Value>> = BTreeMap::new();
    let n_steps = trace.steps.len();
    for (at, step) in trace.steps.iter().enumerate() {
        if step.line == 0 || at >= N_FIRST && at + N_LAST < n_steps {
            continue;
        }
        let is_last = at + 1 == n_steps;
        flows.entry(step.thread).or_default().push(location(trace, step, at, is_last.then_some(finding), sources));
    }
    let flow = |(thread, locations): (u32, Vec<Value>)| {
        let name = message(&trace.actors.long(thread));
        json!({"id": trace.actors.short(thread), "message": name, "locations": locations})
    };
    flows.into_iter().map(flow).collect()
}

/// A sentence about the whole execution.
pub(super) fn summary(trace: &Trace) -> String {
    let mut text = match trace.steps.len() {
        1 => "1 step".to_owned(),
        number => format!("{number} steps"),
    };
    if trace.n_switches > 0 {
        text += &format!(", {} switches, {} preemptions", trace.n_switches, trace.n_preemptions);
    }
    if let Some(start) = trace.loop_start {
        text += &format!(", repeating from step {} on", start + 1);
    }
    text
}

fn location(trace: &Trace, step: &Step, at: usize, last: Option<&Finding>, sources: &dyn Sources) -> Value {
    let mut words = crate::trace::events(step);
    if words.is_empty() {
        words.push(visible(&step.text).into_owned());
    }
    words.extend(last.map(|finding| finding.message.clone()));
    let place = (step.file.as_str(), step.line, step.column);
    let text = format!("{}: {}", trace.actors.short(step.thread), words.join("; "));
    let state = step.changes.iter().map(|change| (visible(&change.name).into_owned(), message(&change.new)));
    let importance = match (last, step.switch, step.is_eventful()) {
        (Some(_), _, _) | (None, Switch::Preemption, _) => "essential",
        (None, Switch::Yield, _) | (None, Switch::None, true) => "important",
        (None, Switch::None, false) => "unimportant",
    };
    lean(json!({
        "location": place::location(place, Some(&text), Some(&step.function), None, sources),
        "executionOrder": at + 1,
        "nestingLevel": step.depth.saturating_sub(1),
        "importance": importance,
        "state": state.collect::<Map<_, _>>(),
        "kinds": kinds(step),
    }))
}

/// Words that the format has for what a step does.
fn kinds(step: &Step) -> Vec<&'static str> {
    let mut kinds = Vec::new();
    let mut add = |is: bool, name: &'static str| {
        if is {
            kinds.push(name);
        }
    };
    add(!step.calls.is_empty() || !step.folded.is_empty(), "call");
    add(step.folded.iter().any(|name| name.ends_with("_lock")), "acquire");
    add(step.folded.iter().any(|name| name.ends_with("_unlock")), "release");
    add(step.is_waiting, "lock");
    kinds
}
