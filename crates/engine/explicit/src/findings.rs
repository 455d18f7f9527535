//! What a search has found: violations, whether some execution satisfies all assumptions, what stands against a proof.

use unpick_program::interp::Violation;
use unpick_program::{FileId, Loc, Program};
use unpick_system::{Budget, Evidence, Ledger, ProgramRun};

/// Observations that count for the verdict.
#[derive(Default)]
pub(crate) struct Findings {
    /// What stands against a proof so far.
    pub ledger: Ledger,
    /// An execution was met that satisfies all assumptions.
    pub is_feasible: bool,
    /// An assumption that cut executions off.
    pub infeasible: Option<Loc>,
    /// Everything was followed that does not lie behind a violation.
    pub found_all: bool,
    /// Violations found on the way, different in kind or place.
    pub runs: Vec<ProgramRun>,
    /// How many of them the control was told of.
    n_told: usize,
}

impl Findings {
    /// Whether a violation of this kind was found at this line.
    pub(crate) fn has(&self, program: &Program, violation: &Violation) -> bool {
        let here = own_line(program, violation);
        let is_same = |known: &Violation| known.kind == violation.kind && own_line(program, known) == here;
        self.runs.iter().any(|known| is_same(&known.violation))
    }

    /// Tells the control of what is new.
    pub(crate) fn tell(&mut self, budget: &Budget<'_>) {
        while let Some(evidence) = self.runs.get(self.n_told) {
            budget.control.found(&Evidence::Program(evidence.clone()));
            self.n_told += 1;
        }
    }
}

/// The line of a violation, or that of the user's call if it lies in a library function.
pub(crate) fn own_line(program: &Program, violation: &Violation) -> (FileId, u32) {
    let own = violation.frames.iter().rposition(|(function, _)| !program.functions[*function].is_model);
    let loc = match own {
        Some(at) if at + 1 < violation.frames.len() => violation.frames[at].1,
        Some(_) | None => violation.loc,
    };
    (loc.file, loc.line)
}
