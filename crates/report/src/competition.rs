//! Verification witnesses in the exchange formats of SV-COMP: GraphML 1.0, or YAML 2.
//!
//! A violation witness gives the inputs, where they are read, and the thread that moves; the rest follows from the
//! program. A correctness witness of an exhaustive search has no invariants to offer: it says that there are none
//! needed. YAML is written as JSON, which is a part of it and leaves no question how text is quoted. Traces of several
//! threads use version 2.2, which knows threads, all others 2.0.

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use unpick_witness::{Finding, Judgement, Step, Trace};

use crate::xml::escape;
use crate::{Outcome, Sources};

/// What was checked, and when.
pub struct Task {
    /// The sources: names as the user gave them, and contents.
    pub files: Vec<(String, Vec<u8>)>,
    /// Whether long and pointers have 64 bits.
    pub is_64_bit: bool,
    /// Date and time in ISO 8601.
    pub created: String,
}

/// Which form a witness has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// Version 1.0.
    GraphMl,
    /// Version 2.
    Yaml,
}

/// The witness of a run; none if the verdict is unknown.
pub fn witness(outcome: &Outcome, task: &Task, form: Form, sources: &dyn Sources) -> Option<String> {
    let violated = match &outcome.judgement {
        Judgement::Verified => None,
        Judgement::Violated { finding, trace } => Some((finding, trace)),
        Judgement::Unknown(_) => return None,
    };
    let property = specification(violated.map(|(finding, _)| finding.kind.as_str()), &outcome.properties);
    Some(match form {
        Form::GraphMl => graphml(violated, task, &property, sources),
        Form::Yaml => yaml(violated, task, &property, sources),
    })
}

/// The property in the notation of property files.
fn specification(violated: Option<&str>, properties: &[String]) -> String {
    let known = |kind: &str| match kind {
        "reach-error" | "assertion" => Some("G ! call(reach_error())"),
        "overflow" => Some("G ! overflow"),
        "data-race" => Some("G ! data-race"),
        "double-free" | "invalid-free" => Some("G valid-free"),
        "null-dereference" | "out-of-bounds" | "use-after-free" => Some("G valid-deref"),
        "leak" => Some("G valid-memtrack"),
        "termination" => Some("F end"),
        _ => None,
    };
    let mut formulas: Vec<&str> = match violated {
        Some(kind) => known(kind).into_iter().collect(),
        None => properties.iter().filter_map(|property| known(property)).collect(),
    };
    formulas.sort_unstable();
    formulas.dedup();
    let check = |formula: &str| format!("CHECK( init(main()), LTL({formula}) )");
    match (formulas.as_slice(), violated) {
        // The competitions have no notation for the rest.
        ([], Some(kind)) => kind.to_owned(),
        (formulas, _) => formulas.iter().map(|formula| check(formula)).collect::<Vec<_>>().join("\n"),
    }
}

fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A value that the environment chose: the function, and what it returned.
fn results(step: &Step) -> impl Iterator<Item = (&str, &str)> {
    let is_number = |value: &str| value.strip_prefix('-').unwrap_or(value).chars().all(|digit| digit.is_ascii_digit());
    let choices = step.choices.iter().filter(move |choice| !choice.value.is_empty() && is_number(&choice.value));
    choices.filter_map(|choice| Some((choice.label.strip_suffix("()")?, choice.value.as_str())))
}

fn graphml(violated: Option<(&Finding, &Trace)>, task: &Task, property: &str, sources: &dyn Sources) -> String {
    let mut text = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\" \
         xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\">\n",
    );
    for (id, kind, of) in KEYS {
        text += &format!(" <key attr.name=\"{id}\" attr.type=\"{kind}\" for=\"{of}\" id=\"{id}\"/>\n");
    }
    let kind = if violated.is_some() { "violation_witness" } else { "correctness_witness" };
    let (name, bytes) = task.files.first().map_or(("", &[][..]), |(name, bytes)| (name.as_str(), bytes.as_slice()));
    let architecture = if task.is_64_bit { "64bit" } else { "32bit" };
    text += " <graph edgedefault=\"directed\">\n";
    for (key, value) in [
        ("witness-type", kind),
        ("sourcecodelang", "C"),
        ("producer", concat!("unpick ", env!("CARGO_PKG_VERSION"))),
        ("specification", property),
        ("programfile", name),
        ("programhash", &digest(bytes)),
        ("architecture", architecture),
        ("creationtime", &task.created),
    ] {
        text += &format!("  <data key=\"{key}\">{}</data>\n", escape(value).replace("&#10;", "\n"));
    }
    text += "  <node id=\"N0\">\n   <data key=\"entry\">true</data>\n  </node>\n";
    if let Some((_, trace)) = violated {
        text += &path(trace, sources);
    }
    text + " </graph>\n</graphml>\n"
}

const KEYS: [(&str, &str, &str); 17] = [
    ("witness-type", "string", "graph"),
    ("sourcecodelang", "string", "graph"),
    ("producer", "string", "graph"),
    ("specification", "string", "graph"),
    ("programfile", "string", "graph"),
    ("programhash", "string", "graph"),
    ("architecture", "string", "graph"),
    ("creationtime", "string", "graph"),
    ("entry", "boolean", "node"),
    ("violation", "boolean", "node"),
    ("startline", "int", "edge"),
    ("originfile", "string", "edge"),
    ("threadId", "int", "edge"),
    ("createThread", "int", "edge"),
    ("assumption", "string", "edge"),
    ("assumption.scope", "string", "edge"),
    ("assumption.resultfunction", "string", "edge"),
];

/// The nodes and edges of an execution.
fn path(trace: &Trace, _: &dyn Sources) -> String {
    let mut text = String::new();
    let steps: Vec<&Step> = trace.steps.iter().filter(|step| step.line > 0).collect();
    for (at, step) in steps.iter().enumerate() {
        let mut data = vec![
            ("startline", step.line.to_string()),
            ("originfile", step.file.clone()),
            ("threadId", step.thread.to_string()),
        ];
        // The thread that is started is the one whose first step receives the start.
        let started = step.sent.iter().filter(|message| message.channel == "start");
        let child = started.filter_map(|start| {
            let receives = |step: &&&Step| step.received.iter().any(|message| message.id == start.id);
            steps.iter().find(receives).map(|step| step.thread)
        });
        data.extend(child.take(1).map(|thread| ("createThread", thread.to_string())));
        if let Some((function, value)) = results(step).last() {
            data.push(("assumption", format!("\\result == {value};")));
            data.push(("assumption.scope", step.function.clone()));
            data.push(("assumption.resultfunction", function.to_owned()));
        }
        let next = at + 1;
        let mark = if next == steps.len() { "\n   <data key=\"violation\">true</data>\n  " } else { "" };
        text += &format!("  <node id=\"N{next}\">{mark}</node>\n  <edge source=\"N{at}\" target=\"N{next}\">\n");
        for (key, value) in data {
            text += &format!("   <data key=\"{key}\">{}</data>\n", escape(&value));
        }
        text += "  </edge>\n";
    }
    text
}

fn yaml(violated: Option<(&Finding, &Trace)>, task: &Task, property: &str, sources: &dyn Sources) -> String {
    let has_threads = violated.is_some_and(|(_, trace)| trace.steps.iter().any(|step| step.thread != 0));
    let hashes: serde_json::Map<String, Value> =
        task.files.iter().map(|(name, bytes)| (name.clone(), json!(digest(bytes)))).collect();
    let names: Vec<&str> = task.files.iter().map(|(name, _)| name.as_str()).collect();
    let content = violated.map_or(Vec::new(), |(finding, trace)| segments(finding, trace, has_threads, sources));
    let entry = json!({
        "entry_type": if violated.is_some() { "violation_sequence" } else { "invariant_set" },
        "metadata": {
            "format_version": if has_threads { "2.2" } else { "2.0" },
            "uuid": uuid(&format!("{content:?}{hashes:?}{}", task.created)),
            "creation_time": task.created,
            "producer": { "name": "unpick", "version": env!("CARGO_PKG_VERSION") },
            "task": {
                "input_files": names,
                "input_file_hashes": hashes,
                "specification": property,
                "data_model": if task.is_64_bit { "LP64" } else { "ILP32" },
                "language": "C",
            },
        },
        "content": content,
    });
    let mut text = serde_json::to_string_pretty(&json!([entry])).expect("a witness should be expressible in JSON");
    text.push('\n');
    text
}

/// The inputs in their order, then what goes wrong.
fn segments(finding: &Finding, trace: &Trace, has_threads: bool, sources: &dyn Sources) -> Vec<Value> {
    let format = if has_threads { "ext_c_expression" } else { "acsl_expression" };
    let mut segments = Vec::new();
    let with_thread = |mut waypoint: Value, thread: u32| {
        if has_threads {
            waypoint["thread_id"] = json!(thread);
        }
        json!({ "waypoint": waypoint })
    };
    for step in &trace.steps {
        for (function, value) in results(step) {
            let Some(column) = end_of_call(&sources.line(&step.file, step.line).unwrap_or_default(), function) else {
                continue;
            };
            let waypoint = json!({
                "type": "function_return",
                "action": "follow",
                "location": location(&step.file, step.line, column, &step.function),
                "constraint": { "value": format!("\\result == {value}"), "format": format },
            });
            segments.push(json!({ "segment": [with_thread(waypoint, step.thread)] }));
        }
    }
    let target = |file: &str, line: u32, column: u32, function: &str, thread: u32| {
        let location = location(file, line, column, function);
        with_thread(json!({ "type": "target", "action": "follow", "location": location }), thread)
    };
    let mut last = vec![target(&finding.file, finding.line, finding.column, &finding.function, finding.thread)];
    if has_threads && finding.kind == "data-race" {
        let other = trace.steps.iter().find(|step| step.is_pending && step.thread != finding.thread);
        last.extend(other.map(|step| target(&step.file, step.line, step.column, &step.function, step.thread)));
    }
    segments.push(json!({ "segment": last }));
    segments
}

fn location(file: &str, line: u32, column: u32, function: &str) -> Value {
    json!({ "file_name": file, "line": line, "column": column.max(1), "function": function })
}

/// The column (from one) of the parenthesis that ends a call in a line.
fn end_of_call(line: &str, function: &str) -> Option<u32> {
    let start = line.find(function)?;
    let mut depth = 0;
    for (at, character) in line.char_indices().skip_while(|(at, _)| *at < start + function.len()) {
        match character {
            '(' => depth += 1,
            ')' if depth == 1 => return u32::try_from(line[..at].chars().count() + 1).ok(),
            ')' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// A name made of a hash, in the form of a random one: the same witness has the same name.
fn uuid(text: &str) -> String {
    let mut bytes: [u8; 16] = Sha256::digest(text.as_bytes())[..16].try_into().expect("a digest should be long enough");
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_end_where_their_parenthesis_does() {
        assert_eq!(end_of_call("  int x = any();", "any"), Some(15));
        assert_eq!(end_of_call("f(any(g(1)), 2)", "any"), Some(11));
        assert_eq!(end_of_call("int x = ANY;", "any"), None);
        assert_eq!(end_of_call("any(", "any"), None);
    }

    #[test]
    fn properties_are_written_as_the_competitions_do() {
        let all = ["assertion", "reach-error", "deadlock"].map(str::to_owned);
        assert_eq!(specification(None, &all), "CHECK( init(main()), LTL(G ! call(reach_error())) )");
        assert_eq!(specification(Some("overflow"), &all), "CHECK( init(main()), LTL(G ! overflow) )");
        assert_eq!(specification(Some("deadlock"), &all), "deadlock");
    }

    #[test]
    fn names_of_witnesses_look_like_random_ones() {
        let name = uuid("x");
        assert_eq!((name.len(), &name[14..15]), (36, "4"));
        assert_eq!(digest(b"abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }
}
