//! Traces: executions as source lines, changes of variables, choices, and the violation.

use serde::{Deserialize, Serialize};

/// An execution.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Trace {
    /// One for each stretch of one source line in one activation.
    pub steps: Vec<Step>,
    /// For an endless execution: the step to which it returns after the last one.
    pub loop_start: Option<usize>,
    /// Steps left out of the middle of a very long execution.
    #[serde(default)]
    pub n_omitted: u64,
    /// How often another thread went on, steps that were left out included.
    #[serde(default)]
    pub n_switches: u64,
    /// How many of these switches came although the thread before could have gone on.
    #[serde(default)]
    pub n_preemptions: u64,
    /// What the actors are called.
    #[serde(default)]
    pub actors: Actors,
    /// Shared variables that no step changes, with their values.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub constants: Vec<(String, String)>,
}

/// More variables that never change are not kept.
const MAX_CONSTANTS: usize = 200;

impl Trace {
    /// Keeps those of the shared variables that no step changes. In an execution with steps left out this is unknown.
    pub(crate) fn keep_constants(&mut self, shared: impl IntoIterator<Item = (String, String)>) {
        if self.n_omitted > 0 {
            return;
        }
        let changes = self.steps.iter().flat_map(|step| &step.changes).filter(|change| change.scope.is_none());
        let changed: std::collections::BTreeSet<&str> = changes.map(|change| change.name.as_str()).collect();
        // A part changes with the whole, and the other way round.
        let is_part = |inner: &str, outer: &str| {
            inner.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[', '-']))
        };
        let is_changed = |name: &str| changed.iter().any(|known| is_part(name, known) || is_part(known, name));
        let constants = shared.into_iter().filter(|(name, _)| !is_changed(name)).take(MAX_CONSTANTS);
        self.constants = constants.collect();
    }
}

/// Actors: threads of a program, or processes of a model.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Actors {
    /// One word: `thread` or `process`.
    pub noun: String,
    /// What each runs, by its number: a function or a type of processes. Empty where nothing is known.
    pub names: Vec<String>,
    /// The numbers of those that are interrupt handlers; they go by their names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub handlers: Vec<u32>,
}

impl Default for Actors {
    fn default() -> Self {
        Self { noun: "thread".to_owned(), names: Vec::new(), handlers: Vec::new() }
    }
}

impl Actors {
    /// In short: `thread 2`, `interrupt tick`.
    pub fn short(&self, number: u32) -> String {
        match self.names.get(number as usize).filter(|_| self.handlers.contains(&number)) {
            Some(name) => format!("interrupt {name}"),
            None => format!("{} {number}", self.noun),
        }
    }

    /// With what it runs: `thread 2 (writer)`.
    pub fn long(&self, number: u32) -> String {
        if self.handlers.contains(&number) {
            return self.short(number);
        }
        match self.names.get(number as usize).filter(|name| !name.is_empty()) {
            Some(name) => format!("{} ({name})", self.short(number)),
            None => self.short(number),
        }
    }
}

/// How a step came to follow the one before.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Switch {
    /// The same thread went on.
    #[default]
    None,
    /// Another thread went on because the one before could not.
    Yield,
    /// Another thread went on although the one before could have.
    Preemption,
}

/// One source line at work.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Step {
    /// Number of the thread.
    pub thread: u32,
    /// File as the user named it.
    pub file: String,
    /// From one; 0 if the step belongs to no line.
    pub line: u32,
    /// From one.
    pub column: u32,
    /// Function as the user named it.
    pub function: String,
    /// How many of the user's calls enclose the step.
    pub depth: u32,
    /// The statement; filled in from the source by [`Trace::fill_text`].
    pub text: String,
    /// What became different, in C notation.
    pub changes: Vec<Change>,
    /// What the environment decided.
    pub choices: Vec<Chosen>,
    /// The user's functions that the line called.
    pub calls: Vec<String>,
    /// Library functions that the line called; their own steps are folded into this one.
    pub folded: Vec<String>,
    /// What the line wrote to standard output and error.
    pub output: String,
    /// Whether another thread was at work before.
    #[serde(default)]
    pub switch: Switch,
    /// The line was begun by an earlier step, and other threads came between.
    #[serde(default)]
    pub is_continued: bool,
    /// The thread cannot go on here before others do something.
    #[serde(default)]
    pub is_waiting: bool,
    /// The thread is about to do this; the execution ends before.
    #[serde(default)]
    pub is_pending: bool,
    /// What the line had read of shared memory when other threads came between.
    #[serde(default)]
    pub reads: Vec<Read>,
    /// What else is to be said: what the thread waits for, or what it does to memory in a data race.
    #[serde(default)]
    pub remark: String,
    /// What went out to others.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sent: Vec<Message>,
    /// What came in from others.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub received: Vec<Message>,
    /// Nothing of it bears on the failure.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_irrelevant: bool,
    /// Heap objects that the line made.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub made: Vec<Made>,
    /// Heap objects that the line freed, by their numbers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub freed: Vec<u64>,
}

/// A heap object that was made.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Made {
    /// Its number, as in `heap#3`.
    pub object: u64,
    /// How large it is.
    pub bytes: u64,
}

/// What one thread or process hands to another, for arrows between them.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Message {
    /// The same where it is sent and where it is received; a message may be received several times, or never.
    pub id: u64,
    /// By which way: a channel, or what happens (`start`, `end`).
    pub channel: String,
    /// What is handed over; may be empty.
    pub text: String,
}

/// A value that was read.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Read {
    /// `x`, `p->next`, `a[3].y`.
    pub name: String,
    /// What was found there.
    pub value: String,
}

/// A variable or part of one that became different.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Change {
    /// `x`, `p->next`, `a[3].y`.
    pub name: String,
    /// Value before.
    pub old: String,
    /// Value after.
    pub new: String,
    /// Whose variable it is; none for what all share.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<Scope>,
    /// Where it lies, if it is part of a heap object: names may change, this does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<Part>,
}

/// A part of a heap object.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Part {
    /// Number of the object, as in `heap#3`.
    pub object: u64,
    /// The first byte.
    pub offset: u64,
    /// How many bytes.
    pub size: u64,
}

/// The activation that a local variable belongs to.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Scope {
    /// Number of the thread.
    pub thread: u32,
    /// Function as the user named it.
    pub function: String,
    /// How many of the user's calls enclose it, as in [`Step::depth`].
    pub depth: u32,
}

/// A choice of the environment.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Chosen {
    /// What was chosen: `__VERIFIER_nondet_int()`.
    pub label: String,
    /// How it was decided.
    pub value: String,
}

impl Trace {
    /// Whether it is known which steps bear on the failure.
    pub fn is_sliced(&self) -> bool {
        self.steps.iter().any(|step| step.is_irrelevant)
    }

    /// Writes the source line of each step into it, given a way to look lines up.
    pub fn fill_text(&mut self, mut line: impl FnMut(&str, u32) -> Option<String>) {
        for step in &mut self.steps {
            if let Some(text) = line(&step.file, step.line) {
                step.text = text.trim().to_owned();
            }
        }
    }
}

impl Step {
    /// Whether the step tells something beyond that control passed here.
    pub fn is_eventful(&self) -> bool {
        !self.changes.is_empty()
            || !self.choices.is_empty()
            || !self.output.is_empty()
            || !self.reads.is_empty()
            || !self.remark.is_empty()
            || self.is_waiting
            || self.is_pending
    }
}
