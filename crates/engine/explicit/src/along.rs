//! Executions of a program along given lines: whether there is one that visits them in this order and goes wrong.
//!
//! A model found an execution that goes wrong, and some of its decisions were free where those of the program are not.
//! The lines say who ran when and past which statements. The threads of the program are run in this order, one
//! instruction at a time; statements in between that the model does not have are passed over. Inputs are tried in all
//! ways that the interpreter tells apart. What is found is replayed by whoever asked, so the lines only have to lead the
//! way; if nothing is found, the model's execution is most likely an artefact.

mod endless;
mod failing;

use unpick_ir::interp::{Machine, State, Violation};
use unpick_ir::{FileId, Loc, ViolationKind};
use unpick_system::ProgramRun;

pub(crate) use endless::follow_claim;
pub(crate) use failing::follow_lines;

/// What became of the lines.
#[derive(Clone, Debug)]
pub(crate) enum Followed {
    /// An execution of the program visits them and goes wrong.
    Reached(Box<ProgramRun>),
    /// No execution does; so many of them can be visited.
    Lost {
        /// The most waypoints that any execution passes.
        n_passed: usize,
    },
    /// Not all executions were tried.
    Undecided {
        /// Why.
        why: String,
    },
}

/// The line of the user's that a thread executes next.
fn line_of(machine: &Machine<'_>, state: &State, thread: usize) -> Option<(FileId, u32)> {
    if state.is_ended(thread) {
        return None;
    }
    let program = machine.program;
    let frames = state.frames(program, thread);
    let innermost = frames.last()?;
    // Inside of the library the caller waits.
    if program.functions[innermost.function].is_model || innermost.loc.line == 0 {
        return None;
    }
    Some((innermost.loc.file, innermost.loc.line))
}

/// Something is wrong where a thread stands, on the user's own lines.
fn violation(machine: &Machine<'_>, state: &State, thread: usize, kind: ViolationKind, message: String) -> Violation {
    let program = machine.program;
    let frames = state.frames(program, thread);
    let users = frames.iter().rev().find(|frame| !program.functions[frame.function].is_model);
    Violation {
        kind,
        message,
        loc: users.map_or(Loc::NONE, |frame| frame.loc),
        function: users.map(|frame| program.functions[frame.function].source_name.clone()).unwrap_or_default(),
        thread,
        frames: frames.iter().map(|frame| (frame.function, frame.loc)).collect(),
    }
}
