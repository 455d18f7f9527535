//! Location of a violation on the user's own lines: a fault inside a library function is reported at its caller.

use serde::{Deserialize, Serialize};
use unpick_program::interp::Violation;
use unpick_program::{Loc, Program, ViolationKind};

use crate::Trace;

/// An execution that goes wrong.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Failing {
    /// What goes wrong.
    pub finding: Finding,
    /// How it comes about.
    pub trace: Trace,
}

/// What goes wrong, and where.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Finding {
    /// Name of the violation's kind.
    pub kind: String,
    /// File as the user named it.
    pub file: String,
    /// From one.
    pub line: u32,
    /// From one.
    pub column: u32,
    /// Function as the user named it.
    pub function: String,
    /// Number of the thread or process.
    pub thread: u32,
    /// The finding is about a model, in which processes take turns.
    #[serde(default)]
    pub is_process: bool,
    /// The interrupt handler in which it happens, if it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handler: Option<String>,
    /// Why it is wrong.
    pub message: String,
    /// The library function inside which it happens, if it does.
    pub inside: Option<String>,
    /// The calls that led there, innermost first; the first is the finding itself.
    pub stack: Vec<Frame>,
    /// Context: the waiting threads, the locks held.
    #[serde(default)]
    pub notes: Vec<String>,
    /// Other places that take part.
    #[serde(default)]
    pub related: Vec<Related>,
    /// It is no violation: the execution comes to something that has no meaning here.
    #[serde(default, skip)]
    pub is_unknown: bool,
    /// The same for the same mistake after lines have moved; empty until filled in from the sources.
    #[serde(default)]
    pub fingerprint: String,
    /// Why the finding is accepted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accepted: Option<Accepted>,
}

/// Why a finding is known already.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Accepted {
    /// An earlier run had it.
    Baseline {
        /// The file of the earlier run.
        file: String,
    },
    /// A comment in the source says so.
    Comment {
        /// What it says.
        reason: String,
        /// Where it stands.
        file: String,
        /// From one.
        line: u32,
    },
}

/// Another place that takes part in a finding.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Related {
    /// File as the user named it.
    pub file: String,
    /// From one.
    pub line: u32,
    /// From one.
    pub column: u32,
    /// What happens there.
    pub label: String,
}

/// One activation of the call stack.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Frame {
    /// Function as the user named it.
    pub function: String,
    /// File.
    pub file: String,
    /// Line at which it stands.
    pub line: u32,
}

impl Finding {
    /// A violation in the user's terms.
    pub fn of(program: &Program, violation: &Violation) -> Self {
        let frames = &violation.frames;
        let is_own = |at: &usize| !program.functions[frames[*at].0].is_model;
        let own: Vec<usize> = (0..frames.len()).filter(is_own).collect();
        let innermost = own.last().copied();
        // A leak's place is where the object was made, whatever thread runs when it is noticed.
        let is_elsewhere = violation.kind == ViolationKind::Leak;
        let inside = innermost.and_then(|at| frames.get(at + 1)).filter(|_| !is_elsewhere);
        let stack = own.iter().rev().map(|at| {
            let (function, loc) = frames[*at];
            Frame { function: source_name(program, function), file: file(program, loc), line: loc.line }
        });
        let (loc, function) = match (innermost, inside) {
            (Some(at), Some(_)) => (frames[at].1, source_name(program, frames[at].0)),
            (Some(_) | None, _) => (violation.loc, violation.function.clone()),
        };
        Self {
            kind: violation.kind.name().to_owned(),
            file: file(program, loc),
            line: loc.line,
            column: loc.column,
            function,
            thread: violation.thread as u32,
            is_process: false,
            handler: None,
            message: violation.message.clone(),
            inside: inside.map(|(function, _)| source_name(program, *function)),
            stack: if is_elsewhere { Vec::new() } else { stack.collect() },
            notes: Vec::new(),
            related: Vec::new(),
            is_unknown: false,
            fingerprint: String::new(),
            accepted: None,
        }
    }

    /// Every place that takes part, the finding's own first.
    pub fn places(&self) -> Vec<(&str, u32)> {
        let own = std::iter::once((self.file.as_str(), self.line));
        let related = self.related.iter().map(|related| (related.file.as_str(), related.line));
        let callers = self.stack.iter().map(|frame| (frame.file.as_str(), frame.line));
        let mut places: Vec<_> = own.chain(related).chain(callers).filter(|(_, line)| *line != 0).collect();
        let mut seen = std::collections::BTreeSet::new();
        places.retain(|place| seen.insert(*place));
        places
    }
}

fn source_name(program: &Program, function: unpick_program::FuncId) -> String {
    program.functions[function].source_name.clone()
}

fn file(program: &Program, loc: Loc) -> String {
    program.files.get(loc.file).filter(|_| loc.line != 0).cloned().unwrap_or_default()
}
