//! The JSON document of a run, schema 1: stable, so every field is spelled out here and nowhere derived from internal
//! types.

use serde::Serialize;
use unpick_system::{Bound, Measure};
use unpick_witness::{Finding, Judgement, LockGraph, LockStep, Related, Step, Switch, Trace};

use crate::Outcome;

#[derive(Serialize)]
struct Document<'a> {
    schema: u32,
    verdict: &'static str,
    reason: Option<String>,
    violation: Option<JsonViolation<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    others: Vec<JsonViolation<'a>>,
    /// Bounds on changes of thread within which everything was followed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    bounds: Vec<JsonBound>,
    assumptions: &'a [String],
    stats: JsonStats,
    trace: Option<JsonTrace<'a>>,
    /// Left out if no lock was taken while another was held.
    #[serde(skip_serializing_if = "Option::is_none")]
    lock_order: Option<JsonLockOrder<'a>>,
}

#[derive(Serialize)]
struct JsonLockOrder<'a> {
    edges: Vec<JsonLockEdge<'a>>,
    /// Each a list of places in the edges.
    circles: &'a [Vec<usize>],
}

#[derive(Serialize)]
struct JsonLockEdge<'a> {
    held: &'a str,
    taken: &'a str,
    file: &'a str,
    line: u32,
}

#[derive(Serialize)]
struct JsonViolation<'a> {
    kind: &'a str,
    file: &'a str,
    line: u32,
    column: u32,
    function: &'a str,
    thread: u32,
    message: &'a str,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    notes: &'a [String],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    related: Vec<JsonRelated<'a>>,
    #[serde(skip_serializing_if = "str::is_empty")]
    fingerprint: &'a str,
    /// Why the finding is accepted.
    #[serde(skip_serializing_if = "Option::is_none")]
    accepted: Option<String>,
}

#[derive(Serialize)]
struct JsonRelated<'a> {
    file: &'a str,
    line: u32,
    column: u32,
    label: &'a str,
}

#[derive(Serialize)]
struct JsonBound {
    measure: &'static str,
    bound: u32,
    states: u64,
}

#[derive(Serialize)]
struct JsonStats {
    states: u64,
    transitions: u64,
    depth: u64,
    seconds: f64,
    peak_bytes: u64,
    /// Only for searches that tell.
    #[serde(skip_serializing_if = "Option::is_none")]
    store_bytes: Option<u64>,
    /// Only for searches that can hash in several ways.
    #[serde(skip_serializing_if = "str::is_empty")]
    hash: &'static str,
    engine: &'static str,
    coverage: JsonCoverage,
}

/// Functions and lines reached, each with the number of all.
#[derive(Serialize)]
struct JsonCoverage {
    functions: (u64, u64),
    lines: (u64, u64),
}

#[derive(Serialize)]
struct JsonTrace<'a> {
    steps: Vec<JsonStep<'a>>,
    loop_start: Option<usize>,
    /// These and all below are left out where they say nothing: they came later.
    #[serde(skip_serializing_if = "Option::is_none")]
    switches: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    preemptions: Option<u64>,
}

#[derive(Serialize)]
struct JsonStep<'a> {
    thread: u32,
    file: &'a str,
    line: u32,
    function: &'a str,
    text: &'a str,
    changes: Vec<JsonChange<'a>>,
    /// Another thread was at work before: `yield` if it could not go on, else `preemption`.
    #[serde(skip_serializing_if = "Option::is_none")]
    switch: Option<&'static str>,
    #[serde(skip_serializing_if = "is_false")]
    continued: bool,
    #[serde(skip_serializing_if = "is_false")]
    waiting: bool,
    #[serde(skip_serializing_if = "is_false")]
    pending: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    reads: Vec<JsonRead<'a>>,
    #[serde(skip_serializing_if = "str::is_empty")]
    remark: &'a str,
    /// What the step wrote to standard output and error.
    #[serde(skip_serializing_if = "str::is_empty")]
    output: &'a str,
}

#[derive(Serialize)]
struct JsonRead<'a> {
    name: &'a str,
    value: &'a str,
}

/// For fields that are left out.
fn is_false(value: &bool) -> bool {
    !value
}

#[derive(Serialize)]
struct JsonChange<'a> {
    name: &'a str,
    old: &'a str,
    new: &'a str,
}

/// The document, one line without a line end.
pub fn json(outcome: &Outcome) -> String {
    let (verdict, violation, trace) = match &outcome.judgement {
        Judgement::Verified => ("verified", None, None),
        Judgement::Violated { finding, trace } => ("violated", Some(json_violation(finding)), Some(json_trace(trace))),
        Judgement::Unknown(_) => ("unknown", None, None),
    };
    let stats = &outcome.stats;
    let document = Document {
        schema: 1,
        verdict,
        reason: matches!(outcome.judgement, Judgement::Unknown(_)).then(|| outcome.reason()),
        violation,
        others: outcome.others.iter().map(|other| json_violation(&other.finding)).collect(),
        bounds: outcome.bounds.iter().map(json_bound).collect(),
        assumptions: &outcome.assumptions,
        stats: JsonStats {
            states: stats.states,
            transitions: stats.transitions,
            depth: stats.depth,
            seconds: stats.seconds,
            peak_bytes: stats.peak_bytes,
            store_bytes: (stats.store_bytes > 0).then_some(stats.store_bytes),
            hash: stats.hash,
            engine: stats.engine,
            coverage: JsonCoverage { functions: stats.reach.functions, lines: stats.reach.lines },
        },
        trace,
        lock_order: (!outcome.locks.edges.is_empty()).then(|| json_lock_order(&outcome.locks)),
    };
    serde_json::to_string(&document).expect("the document should always be expressible in JSON")
}

fn json_bound(bound: &Bound) -> JsonBound {
    let measure = match bound.measure {
        Measure::Preemptions => "preemptions",
        Measure::Switches => "switches",
    };
    JsonBound { measure, bound: bound.bound, states: bound.n_states }
}

/// A violation as a value.
pub fn violation(finding: &Finding) -> serde_json::Value {
    serde_json::to_value(json_violation(finding)).unwrap_or_default()
}

fn json_violation(finding: &Finding) -> JsonViolation<'_> {
    JsonViolation {
        kind: &finding.kind,
        file: &finding.file,
        line: finding.line,
        column: finding.column,
        function: &finding.function,
        thread: finding.thread,
        message: &finding.message,
        notes: &finding.notes,
        related: finding.related.iter().map(json_related).collect(),
        fingerprint: &finding.fingerprint,
        accepted: finding.accepted.as_ref().map(crate::accept::text),
    }
}

fn json_lock_order(locks: &LockGraph) -> JsonLockOrder<'_> {
    let edges = locks.edges.iter().map(|edge| {
        let LockStep { held, taken, file, line } = edge;
        JsonLockEdge { held, taken, file, line: *line }
    });
    JsonLockOrder { edges: edges.collect(), circles: &locks.circles }
}

fn json_related(related: &Related) -> JsonRelated<'_> {
    JsonRelated { file: &related.file, line: related.line, column: related.column, label: &related.label }
}

fn json_trace(trace: &Trace) -> JsonTrace<'_> {
    let has_turns = trace.n_switches > 0;
    JsonTrace {
        steps: trace.steps.iter().map(json_step).collect(),
        loop_start: trace.loop_start,
        switches: has_turns.then_some(trace.n_switches),
        preemptions: has_turns.then_some(trace.n_preemptions),
    }
}

fn json_step(step: &Step) -> JsonStep<'_> {
    let changes = step.changes.iter();
    JsonStep {
        thread: step.thread,
        file: &step.file,
        line: step.line,
        function: &step.function,
        text: &step.text,
        changes: changes.map(|change| JsonChange { name: &change.name, old: &change.old, new: &change.new }).collect(),
        switch: match step.switch {
            Switch::None => None,
            Switch::Yield => Some("yield"),
            Switch::Preemption => Some("preemption"),
        },
        continued: step.is_continued,
        waiting: step.is_waiting,
        pending: step.is_pending,
        reads: step.reads.iter().map(|read| JsonRead { name: &read.name, value: &read.value }).collect(),
        remark: &step.remark,
        output: &step.output,
    }
}

#[cfg(test)]
mod tests {
    use unpick_system::Stats;
    use unpick_system::{Limit, Reason, Why};
    use unpick_witness::Change;

    use super::*;

    #[test]
    fn the_schema_is_the_published_one() {
        let step = Step {
            file: "a.c".to_owned(),
            line: 3,
            function: "main".to_owned(),
            text: "x = 1;".to_owned(),
            changes: vec![Change {
                name: "x".to_owned(),
                old: "0".to_owned(),
                new: "1".to_owned(),
                scope: None,
                part: None,
            }],
            ..Step::default()
        };
        let finding = Finding {
            kind: "leak".to_owned(),
            file: "a.c".to_owned(),
            line: 3,
            column: 2,
            function: "main".to_owned(),
            message: "m".to_owned(),
            ..Finding::default()
        };
        let outcome = Outcome {
            assumptions: vec!["a".to_owned()],
            ..Outcome::new(
                Judgement::Violated { finding, trace: Trace { steps: vec![step], ..Trace::default() } },
                Stats { states: 2, engine: "explicit", ..Stats::default() },
            )
        };
        let expected = concat!(
            r#"{"schema":1,"verdict":"violated","reason":null,"violation":{"kind":"leak","file":"a.c","line":3,"#,
            r#""column":2,"function":"main","thread":0,"message":"m"},"assumptions":["a"],"stats":{"states":2,"#,
            r#""transitions":0,"depth":0,"seconds":0.0,"peak_bytes":0,"engine":"explicit","coverage":{"functions":[0,0],"lines":[0,0]}},"trace":{"steps":[{"#,
            r#""thread":0,"file":"a.c","line":3,"function":"main","text":"x = 1;","changes":[{"name":"x","old":"0","#,
            r#""new":"1"}]}],"loop_start":null}}"#,
        );
        assert_eq!(json(&outcome), expected);
    }

    #[test]
    fn unknown_has_a_reason_and_nothing_else() {
        let why = Why::because(Reason::limit(Limit::Interrupt));
        let outcome = Outcome::new(Judgement::Unknown(why), Stats::default());
        let text = json(&outcome);
        assert!(text.contains(r#""verdict":"unknown","reason":"interrupted","violation":null"#), "{text}");
        assert!(text.ends_with(r#""trace":null}"#));
    }
}
