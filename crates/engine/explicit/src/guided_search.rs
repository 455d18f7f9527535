//! Guided search: is there an execution of the program that visits given lines in this order and ends in a violation?
//! (Feasibility check of an abstract counterexample, Clarke et al. 2000.)
//!
//! A model found a violating execution, and some of its nondeterminism may be absent from the program. The lines say
//! which thread ran when and past which statements. The threads of the program are run in this order, one instruction
//! at a time; statements in between that the model does not have are passed over. Inputs are tried in all ways that the
//! interpreter distinguishes. The result is replayed by the caller, so the lines are only guidance; if nothing is
//! found, the model's execution is most likely spurious.

mod endless;
mod failing;

use unpick_program::interp::{Machine, State, Violation};
use unpick_program::{FileId, Loc, ViolationKind};
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
pub(crate) fn violation(
    machine: &Machine<'_>,
    state: &State,
    thread: usize,
    kind: ViolationKind,
    message: String,
) -> Violation {
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
