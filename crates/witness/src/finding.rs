//! What goes wrong, on the user's own lines: what happens inside a library function is the caller's doing.

use serde::{Deserialize, Serialize};
use unpick_ir::interp::Violation;
use unpick_ir::{Loc, Program, ViolationKind};

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
    /// Why it is wrong.
    pub message: String,
    /// The library function inside which it happens, if it does.
    pub inside: Option<String>,
    /// The calls that led there, innermost first; the first is the finding itself.
    pub stack: Vec<Frame>,
    /// What else is to be known: who waits for whom, which locks were held.
    #[serde(default)]
    pub notes: Vec<String>,
    /// Other places that take part.
    #[serde(default)]
    pub related: Vec<Related>,
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
        // A leak's place is where the object was made, whoever is at work when it is noticed.
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
            message: violation.message.clone(),
            inside: inside.map(|(function, _)| source_name(program, *function)),
            stack: if is_elsewhere { Vec::new() } else { stack.collect() },
            notes: Vec::new(),
            related: Vec::new(),
        }
    }
}

fn source_name(program: &Program, function: unpick_ir::FuncId) -> String {
    program.functions[function].source_name.clone()
}

fn file(program: &Program, loc: Loc) -> String {
    program.files.get(loc.file).filter(|_| loc.line != 0).cloned().unwrap_or_default()
}
