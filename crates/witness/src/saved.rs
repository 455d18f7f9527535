//! The trace file: a self-contained execution that can be shown and replayed later.
//!
//! The file is JSON and carries its format and version, so that a reader can refuse what it does not know
//! instead of guessing. It holds the decisions and how the program was read (enough for the interpreter), the steps as
//! they were shown, and the texts of their sources (enough for people, even after the sources changed). It is described
//! in `docs/trace-file.md`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::{Deserialize, Serialize};
use unpick_program::interp::Decision;

use crate::{Finding, Trace};

/// Name of the format, in every file.
const FORMAT: &str = "unpick-trace";
/// Version that this code writes, and the only one that it reads.
const SCHEMA: u32 = 1;

/// Larger sources are not kept whole, only the lines around those of the trace.
const MAX_SOURCE_BYTES: usize = 1 << 20;
const N_AROUND: u32 = 10;
const MAX_LINES: u32 = 1_000_000;

/// How to execute a trace again, besides the decisions.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Recipe {
    /// Version of unpick.
    pub version: String,
    /// The command line behind `unpick`, as it was given.
    pub arguments: Vec<String>,
    /// Threads may switch before every instruction.
    pub every_step: bool,
    /// The claim that is violated, as the user wrote it.
    pub claim: Option<String>,
    /// The decision with which an endless part begins.
    pub loop_from: Option<usize>,
    /// Where the violation is noticed: file, line, column. It may lie in a model of the library.
    pub noticed: (String, u32, u32),
    /// The execution of a model, instead of decisions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<ModelRecipe>,
    /// What the model was extracted from, if it stands for a program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extracted: Option<Extracted>,
}

/// What a model is extracted from. Its execution is extracted and taken again, or it is the program's own.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Extracted {
    /// Sources, table, preferences, environment and harness, as they were named.
    pub files: Vec<String>,
    /// Lines that were taken out of table and preferences: file, line, and what is there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dropped: Vec<(String, u32, String)>,
    /// Rows that were added.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub added: Vec<String>,
    /// If the execution is the program's own, the function with which the program starts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry: Option<String>,
    /// Whether the claim that it violates is about fair executions.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_fair: bool,
}

/// An execution of a model.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct ModelRecipe {
    /// What is wrong: `fault` in the last step, `end` in a state where nothing is possible, or what watches whole
    /// executions: `claim:NAME`, `acceptance`, `non-progress`.
    pub wrong: String,
    /// Only weakly fair executions count.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_fair: bool,
    /// The moves of each step, as [`crate::moves_text`] writes it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub moves: Vec<String>,
    /// For whole executions the states beside what watches them, in hexadecimal digits.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub states: Vec<String>,
    /// The state to which the execution returns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loop_from: Option<usize>,
}

/// Everything in a trace file.
#[derive(Clone, PartialEq, Debug)]
pub struct SavedTrace {
    /// Identifies the program that the decisions belong to.
    pub fingerprint: String,
    /// How to execute it again; none if it can only be shown.
    pub recipe: Option<Recipe>,
    /// The decisions, in order.
    pub decisions: Vec<Decision>,
    /// What the verdict rested on.
    pub assumptions: Vec<String>,
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
    /// The text ends too early; the line where it does.
    Truncated(usize),
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
    #[serde(default)]
    recipe: Option<Recipe>,
    decisions: Vec<String>,
    #[serde(default)]
    assumptions: Vec<String>,
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
        let mut places: BTreeMap<&str, BTreeSet<u32>> = BTreeMap::new();
        let steps = trace.steps.iter().map(|step| (step.file.as_str(), step.line));
        for (file, number) in steps.chain(finding.places()).filter(|(_, number)| *number > 0) {
            places.entry(file).or_default().insert(number);
        }
        let mut sources: BTreeMap<String, BTreeMap<u32, String>> = BTreeMap::new();
        for (file, lines) in places {
            let whole: BTreeMap<u32, String> =
                (1..=MAX_LINES).map_while(|number| Some((number, line(file, number)?))).collect();
            let n_bytes: usize = whole.values().map(String::len).sum();
            let is_kept = |number: &u32| {
                let around = number.saturating_sub(N_AROUND)..=number.saturating_add(N_AROUND);
                n_bytes <= MAX_SOURCE_BYTES || lines.range(around).next().is_some()
            };
            let kept: BTreeMap<u32, String> = whole.into_iter().filter(|(number, _)| is_kept(number)).collect();
            if !kept.is_empty() {
                sources.insert(file.to_owned(), kept);
            }
        }
        Self { fingerprint, recipe: None, decisions, assumptions: Vec::new(), finding, trace, sources }
    }

    /// The text of the file.
    pub fn to_json(&self) -> String {
        let document = Document {
            format: FORMAT.to_owned(),
            schema: SCHEMA,
            program: self.fingerprint.clone(),
            recipe: self.recipe.clone(),
            assumptions: self.assumptions.clone(),
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
        let malformed = |error: serde_json::Error| match error.is_eof() {
            true => BadTraceFile::Truncated(error.line()),
            false => BadTraceFile::Malformed(error.to_string()),
        };
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
        let n_steps = document.trace.steps.len();
        if let Some(start) = document.trace.loop_start.filter(|start| *start > n_steps) {
            return Err(BadTraceFile::Malformed(format!("it repeats from step {start} of {n_steps}")));
        }
        Ok(Self {
            decisions: decisions.collect::<Result<_, _>>()?,
            fingerprint: document.program,
            recipe: document.recipe,
            assumptions: document.assumptions,
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
            BadTraceFile::Truncated(line) => {
                write!(f, "the trace ends too early, in line {line}: was it copied completely?")
            }
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
        Decision::Thread(thread) => format!("thread:{thread}"),
        Decision::Fail(fail) => format!("fail:{fail}"),
        Decision::Address(address) => format!("address:{address}"),
    }
}

fn decision_from_text(text: &str) -> Option<Decision> {
    let (kind, value) = text.split_once(':')?;
    match kind {
        "value" => value.parse().ok().map(Decision::Value),
        "thread" => value.parse().ok().map(Decision::Thread),
        "fail" => value.parse().ok().map(Decision::Fail),
        "address" => value.parse().ok().map(Decision::Address),
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
            any::<u32>().prop_map(Decision::Thread),
            any::<bool>().prop_map(Decision::Fail),
            any::<u64>().prop_map(Decision::Address),
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
            let lines = |_: &str, number: u32| (number < 1_200).then(|| text.clone());
            let mut saved = SavedTrace::new("abc".to_owned(), decisions, finding, trace, lines);
            prop_assert_eq!(saved.line(&text, line), Some(text.as_str()));
            let recipe = Recipe { arguments: vec![text.clone()], noticed: (text.clone(), 1, 2), ..Recipe::default() };
            saved.recipe = Some(recipe);
            saved.assumptions.push(text.clone());
            prop_assert_eq!(SavedTrace::from_json(&saved.to_json()).unwrap(), saved);
        }

        #[test]
        fn any_text_is_refused_without_a_panic(text in any::<String>()) {
            prop_assert!(SavedTrace::from_json(&text).is_err());
        }
    }

    #[test]
    fn a_trace_cut_anywhere_is_refused() {
        let step = Step { file: "a.c".to_owned(), line: 3, ..Step::default() };
        let trace = Trace { steps: vec![step], ..Trace::default() };
        let one = |_: &str, number: u32| (number < 5).then(|| "f();".to_owned());
        let text = SavedTrace::new("x".to_owned(), Vec::new(), Finding::default(), trace, one).to_json();
        for end in 1..text.trim_end().len() {
            let read = SavedTrace::from_json(&text[..end]);
            assert!(matches!(read, Err(BadTraceFile::Truncated(_))), "{end}: {read:?}");
        }
        assert!(SavedTrace::from_json("").is_err());
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
