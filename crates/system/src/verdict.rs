//! Verdicts, each with what makes it credible: a proof, an execution to be replayed, or the reasons why nothing is known.

use unpick_automaton::LivenessProperty;
use unpick_automaton::run::{Impossible, Moves};
use unpick_program::interp::{Decision, Violation};

use crate::{Claim, Proof, System, Why};

/// The answer to a goal.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// No execution of the model violates the goal.
    Holds(Proof),
    /// An execution does.
    Fails(Evidence),
    /// Neither is known.
    Unknown(Why),
}

/// An execution that violates a goal, as the moves that produce it on the floor where it was found. Replaying them on
/// that floor's reference interpreter shows the violation again; until then it is not trusted.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Evidence {
    /// An execution of a program.
    Program(ProgramRun),
    /// An execution of automata.
    Automaton(AutomatonRun),
}

impl From<ProgramRun> for Verdict {
    fn from(run: ProgramRun) -> Self {
        Verdict::Fails(Evidence::Program(run))
    }
}

impl From<AutomatonRun> for Verdict {
    fn from(run: AutomatonRun) -> Self {
        Verdict::Fails(Evidence::Automaton(run))
    }
}

/// An execution of a program that violates a goal, as the decisions that produce it.
#[derive(Clone, Debug)]
pub struct ProgramRun {
    /// One for each decision the execution needs, in order.
    pub decisions: Vec<Decision>,
    /// Threads may switch before every instruction, not only where others can notice.
    pub every_step: bool,
    /// The claim that the execution violates, if it is about more than one step.
    pub claim: Option<Claim>,
    /// The decision with which the endless part begins; it goes to the last one.
    pub loop_from: Option<usize>,
    /// What goes wrong in the end.
    pub violation: Violation,
}

/// An execution of automata that violates a goal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AutomatonRun {
    /// The moves: process and transition of each step.
    pub moves: Vec<Moves>,
    /// The step with which the endless part begins; it goes to the last one. If that is behind the last one, nothing
    /// happens any more.
    pub loop_from: Option<usize>,
    /// What is wrong.
    pub wrong: AutomatonViolation,
}

/// The violation at the end of an execution of automata.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AutomatonViolation {
    /// The last step fails, or the first state.
    Fault,
    /// An invalid end state.
    InvalidEnd,
    /// A liveness property is violated; perhaps only weakly fair executions count.
    Behaviour {
        /// The property.
        watch: LivenessProperty,
        /// Only weakly fair executions count.
        is_fair: bool,
    },
}

impl AutomatonRun {
    /// The execution along states at which all processes may move; what is wrong happens in the last one or in a step from
    /// it. With `forgets`, dead variables are zero in the states.
    pub fn along(
        system: &dyn System,
        path: &[Vec<u8>],
        forgets: bool,
        wrong: AutomatonViolation,
    ) -> Result<Self, Impossible> {
        let moves = system.floor().moves_along(path, forgets, wrong == AutomatonViolation::Fault)?;
        Ok(Self { moves, loop_from: None, wrong })
    }

    /// The execution along states at which all processes may move, and from `loop_from` on in a cycle. Hidden variables
    /// may have other values when the loop begins again.
    pub fn round(
        system: &dyn System,
        path: &[Vec<u8>],
        loop_from: Option<usize>,
        (watch, is_fair): (LivenessProperty, bool),
    ) -> Result<Self, Impossible> {
        let (moves, loop_from) = system.floor().moves_round(path, loop_from)?;
        Ok(Self { moves, loop_from, wrong: AutomatonViolation::Behaviour { watch, is_fair } })
    }
}
