//! Claims about whole executions: invariants, formulas of linear temporal logic, absence of livelock, termination.

use unpick_logic::formula::Formula;
use unpick_logic::lasso::Lasso;
use unpick_program::interp::Checks;
use unpick_program::{FuncId, ViolationKind};

/// A claim. Its propositions are functions of the program without parameters, true if they return another number
/// than zero.
#[derive(Clone, Debug)]
pub struct Claim {
    /// What is claimed.
    pub kind: ClaimKind,
    /// Only executions count in which no thread is able to go on for ever and never does.
    pub is_fair: bool,
    /// The claim as the user wrote it.
    pub text: String,
    /// Its propositions.
    pub atoms: Vec<FuncId>,
}

/// What is claimed.
#[derive(Clone, Debug)]
pub enum ClaimKind {
    /// The only proposition holds in every state.
    Invariant,
    /// The formula holds for every execution; executions that end stay in their last state.
    Ltl(Formula),
    /// No endless execution goes without progress.
    Livelock,
    /// No execution is endless.
    Termination,
}

/// A point of an endless execution.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Point {
    /// Which propositions hold.
    pub letter: u64,
    /// Threads that could move.
    pub enabled: u64,
    /// The thread that moved; `None` if the program had ended.
    pub moved: Option<u32>,
    /// The step made progress.
    pub is_progress: bool,
}

impl Claim {
    /// The kind of a violation of this claim.
    pub fn violation(&self) -> ViolationKind {
        match self.kind {
            ClaimKind::Invariant => ViolationKind::Invariant,
            ClaimKind::Ltl(_) => ViolationKind::Ltl,
            ClaimKind::Livelock => ViolationKind::Livelock,
            ClaimKind::Termination => ViolationKind::Termination,
        }
    }

    /// What must not go wrong on the way of an execution that is led to violate a claim.
    pub fn checks_on_the_way() -> Checks {
        Checks::ALL.without(ViolationKind::DataRace).without(ViolationKind::Leak)
    }

    /// Whether the execution that goes through all points and then for ever from `start` to the end violates the
    /// claim.
    pub fn is_violated(&self, points: &[Point], start: usize) -> bool {
        let cycle = &points[start..];
        if cycle.is_empty() || (self.is_fair && !is_fair(cycle)) {
            return false;
        }
        match &self.kind {
            ClaimKind::Invariant => false,
            ClaimKind::Ltl(formula) => {
                let letters = |points: &[Point]| points.iter().map(|point| point.letter).collect();
                let word = Lasso { prefix: letters(&points[..start]), cycle: letters(cycle) };
                !word.satisfies(formula)
            }
            ClaimKind::Livelock => cycle.iter().all(|point| point.moved.is_some() && !point.is_progress),
            ClaimKind::Termination => cycle.iter().all(|point| point.moved.is_some()),
        }
    }
}

/// Whether every thread that could always move did.
fn is_fair(cycle: &[Point]) -> bool {
    let always = cycle.iter().fold(u64::MAX, |enabled, point| enabled & point.enabled);
    let moved = cycle.iter().filter_map(|point| point.moved).fold(0, |moved, thread| moved | 1 << thread);
    always & !moved == 0
}
