//! Tasks of engines: a subject, goals about it, and a strategy.

use unpick_automaton::Model;
use unpick_program::{Program, StmtKind};

use crate::{Claim, LivenessProperty, PropertySet, Strategy};

/// A question for an engine.
#[derive(Clone, Copy)]
pub struct Task<'a> {
    /// What the question is about.
    pub subject: Subject<'a>,
    /// What should be so of all executions, all of it.
    pub goals: &'a [Goal],
    /// How to go about it.
    pub strategy: &'a Strategy,
}

/// What a question is about, by the floor it stands on.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub enum Subject<'a> {
    /// A program as C means it. It is verified.
    Program(&'a Program),
    /// Automata over a vector, and what they leave to others to say.
    Automata(&'a Model, Option<&'a dyn Rules>),
}

/// What automata that were made of a program do not say themselves.
pub trait Rules: Sync {
    /// Whether the program may end here, which is the end of all its threads.
    fn may_exit(&self, state: &[u8]) -> bool;
    /// Whether two threads are about to touch the same memory.
    fn has_race(&self, state: &[u8]) -> bool;
    /// Whether the program goes on from here.
    fn status(&self, _state: &[u8]) -> RunStatus {
        RunStatus::Running
    }
}

/// Whether a program goes on from a state of the automata that were made of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RunStatus {
    /// As far as the automata do.
    Running,
    /// It has ended, and with it all threads, whatever the automata could do.
    Over,
    /// A step has gone wrong, and behind it the automata mean nothing.
    Failed,
}

/// What should be so of all executions.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Goal {
    /// No step goes wrong in one of these ways. Of the steps of automata all count; whether their ends do is for
    /// [`EndState`](unpick_program::ViolationKind::EndState) to say.
    Safety(PropertySet),
    /// A program's executions as a whole are as claimed.
    Claim(Claim),
    /// Nothing that watches the automata accepts an execution.
    Unseen {
        /// What watches.
        watch: LivenessProperty,
        /// Only weakly fair executions count.
        is_fair: bool,
    },
}

/// Whether some statement of a program starts a thread.
pub fn has_threads(program: &Program) -> bool {
    let blocks = program.functions.iter().flat_map(|function| function.blocks.iter());
    blocks.flat_map(|block| &block.stmts).any(|stmt| matches!(stmt.kind, StmtKind::Spawn { .. }))
}
