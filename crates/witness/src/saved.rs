//! The trace file: an execution that can be shown and replayed later, on its own.
//!
//! The file is JSON and carries its format and version, so that a reader can refuse what it does not know
//! instead of guessing. It holds the decisions (enough for the interpreter), the steps as they were shown,
//! and the source lines they speak of (enough for people, even after the sources changed).

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};
use unpick_ir::interp::Decision;

use crate::{Finding, Trace};

/// Name of the format, in every file.
const FORMAT: &str = "unpick-trace";
/// Version that this code writes, and the only one that it reads.
const SCHEMA: u32 = 1;

/// Everything in a trace file.
#[derive(Clone, PartialEq, Debug)]
pub struct SavedTrace {
    /// Identifies the program that the decisions belong to.
    pub fingerprint: String,
    /// The decisions, in order.
    pub decisions: Vec<Decision>,
    /// What goes wrong.
    pub finding: Finding,
    /// The execution as shown.
    pub trace: Trace,
    /// Source lines of the steps, by file and line.
    pub sources: BTreeMap<String, BTreeMap<u32, String>>,
}

/// Why a file is not a trace.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum BadTraceFile {
    /// Not JSON, or not with the fields of a trace; what the reader said.
    Malformed(String),
    /// JSON of another format.
    Format,
    /// A version that this program does not know.
    Schema(u32),
    /// A decision that means nothing.
    Decision(String),
}

#[derive(Serialize, Deserialize)]
struct Document {
    format: String,
    schema: u32,
    program: String,
    decisions: Vec<String>,
    violation: Finding,
    trace: Trace,
    sources: BTreeMap<String, BTreeMap<u32, String>>,
}

/// Read first, so that a file of a later version gives the right message.
#[derive(Deserialize)]
struct Header {
    #[serde(default)]
    format: String,
    #[serde(default)]
    schema: u32,
}

impl SavedTrace {
    /// Collects a trace with the source lines it speaks of.
    pub fn new(
        fingerprint: String,
        decisions: Vec<Decision>,
        finding: Finding,
        trace: Trace,
        mut line: impl FnMut(&str, u32) -> Option<String>,
    ) -> Self {
        let mut sources: BTreeMap<String, BTreeMap<u32, String>> = BTreeMap::new();
        let places = trace.steps.iter().map(|step| (&step.file, step.line));
        let related = finding.related.iter().map(|related| (&related.file, related.line));
        for (file, number) in places.chain([(&finding.file, finding.line)]).chain(related) {
            if let Some(text) = line(file, number) {
                sources.entry(file.clone()).or_default().insert(number, text);
            }
        }
        Self { fingerprint, decisions, finding, trace, sources }
    }

    /// The text of the file.
    pub fn to_json(&self) -> String {
        let document = Document {
            format: FORMAT.to_owned(),
            schema: SCHEMA,
            program: self.fingerprint.clone(),
            decisions: self.decisions.iter().map(decision_text).collect(),
            violation: self.finding.clone(),
            trace: self.trace.clone(),
            sources: self.sources.clone(),
        };
        let mut text = serde_json::to_string_pretty(&document).expect("a trace should always be expressible in JSON");
        text.push('\n');
        text
    }

    /// Reads the text of a file.
    pub fn from_json(text: &str) -> Result<Self, BadTraceFile> {
        let malformed = |error: serde_json::Error| BadTraceFile::Malformed(error.to_string());
        let header: Header = serde_json::from_str(text).map_err(malformed)?;
        if header.format != FORMAT {
            return Err(BadTraceFile::Format);
        }
        if header.schema != SCHEMA {
            return Err(BadTraceFile::Schema(header.schema));
        }
        let document: Document = serde_json::from_str(text).map_err(malformed)?;
        let decisions = document
            .decisions
            .iter()
            .map(|text| decision_from_text(text).ok_or_else(|| BadTraceFile::Decision(text.clone())));
        Ok(Self {
            decisions: decisions.collect::<Result<_, _>>()?,
            fingerprint: document.program,
            finding: document.violation,
            trace: document.trace,
            sources: document.sources,
        })
    }

    /// A saved source line.
    pub fn line(&self, file: &str, line: u32) -> Option<&str> {
        self.sources.get(file)?.get(&line).map(String::as_str)
    }
}

impl fmt::Display for BadTraceFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BadTraceFile::Malformed(error) => write!(f, "this is not a saved trace: {error}"),
            BadTraceFile::Format => f.write_str("this is JSON, but not a saved trace of unpick"),
            BadTraceFile::Schema(version) => {
                write!(f, "the trace has version {version}; this unpick reads version {SCHEMA}")
            }
            BadTraceFile::Decision(text) => write!(f, "the trace holds an unknown decision `{text}`"),
        }
    }
}

impl std::error::Error for BadTraceFile {}

/// `value:12`; numbers of 128 bits do not survive as JSON numbers.
fn decision_text(decision: &Decision) -> String {
    match decision {
        Decision::Value(value) => format!("value:{value}"),
        Decision::Arm(arm) => format!("arm:{arm}"),
        Decision::Thread(thread) => format!("thread:{thread}"),
        Decision::Fail(fail) => format!("fail:{fail}"),
    }
}

fn decision_from_text(text: &str) -> Option<Decision> {
    let (kind, value) = text.split_once(':')?;
    match kind {
        "value" => value.parse().ok().map(Decision::Value),
        "arm" => value.parse().ok().map(Decision::Arm),
        "thread" => value.parse().ok().map(Decision::Thread),
        "fail" => value.parse().ok().map(Decision::Fail),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Step;

    fn any_decision() -> impl Strategy<Value = Decision> {
        prop_oneof![
            any::<u128>().prop_map(Decision::Value),
            any::<u32>().prop_map(Decision::Arm),
            any::<u32>().prop_map(Decision::Thread),
            any::<bool>().prop_map(Decision::Fail),
        ]
    }

    proptest! {
        #[test]
        fn a_saved_trace_reads_back(
            decisions in prop::collection::vec(any_decision(), 0..20),
            text in any::<String>(),
            line in 1u32..1000,
        ) {
            let step = Step { file: text.clone(), line, output: text.clone(), ..Step::default() };
            let trace = Trace { steps: vec![step], loop_start: Some(0), ..Trace::default() };
            let finding = Finding { kind: "leak".to_owned(), message: text.clone(), ..Finding::default() };
            let saved = SavedTrace::new("abc".to_owned(), decisions, finding, trace, |_, _| Some(text.clone()));
            prop_assert_eq!(saved.line(&text, line), Some(text.as_str()));
            prop_assert_eq!(SavedTrace::from_json(&saved.to_json()).unwrap(), saved);
        }

        #[test]
        fn any_text_is_refused_without_a_panic(text in any::<String>()) {
            prop_assert!(SavedTrace::from_json(&text).is_err());
        }
    }

    #[test]
    fn other_versions_are_named() {
        let text = r#"{"format":"unpick-trace","schema":7,"new":1}"#;
        assert_eq!(SavedTrace::from_json(text), Err(BadTraceFile::Schema(7)));
        assert_eq!(SavedTrace::from_json("{}"), Err(BadTraceFile::Format));
    }

    #[test]
    fn fields_that_came_later_may_be_missing() {
        let step = r#"{"thread":0,"file":"a.c","line":1,"column":1,"function":"main","depth":1,"text":"f();","changes":[],
            "choices":[],"calls":[],"folded":[],"output":""}"#;
        let finding = r#"{"kind":"leak","file":"a.c","line":1,"column":1,"function":"main","thread":0,"message":"m",
            "inside":null,"stack":[]}"#;
        let text = format!(
            r#"{{"format":"unpick-trace","schema":1,"program":"x","decisions":["thread:1"],"violation":{finding},
            "trace":{{"steps":[{step}],"loop_start":null}},"sources":{{}}}}"#
        );
        let saved = SavedTrace::from_json(&text).expect("an old trace should be read");
        assert_eq!((saved.trace.n_switches, saved.trace.steps.len()), (0, 1));
    }
}
