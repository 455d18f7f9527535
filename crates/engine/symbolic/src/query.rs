//! The solver of a run: facts that were learnt, and questions whether something can hold besides.
//!
//! Facts are one conjunction that grows; it is assumed with every question, so nothing but definitions is ever a clause.

use unpick_sat::{Answer, Budget, Context};
use unpick_term::{Model, Term, Terms};

/// Facts, and questions about them.
pub(crate) struct Query {
    context: Context,
    facts: Term,
}

/// What came of a question.
pub(crate) enum Outcome {
    Satisfiable(Model),
    Unsatisfiable,
    Unknown,
}

impl Query {
    pub(crate) fn new() -> Query {
        Query { context: Context::new(), facts: Term::TRUE }
    }

    /// Something holds from now on.
    pub(crate) fn add(&mut self, terms: &mut Terms, fact: Term) {
        self.facts = terms.and(self.facts, fact);
    }

    /// Whether a condition can hold.
    pub(crate) fn check(&mut self, terms: &Terms, condition: Term, conflicts: u64, stop: &dyn Fn() -> bool) -> Outcome {
        let budget = Budget { conflicts: Some(conflicts), stop };
        match self.context.solve(terms, &[self.facts, condition], &budget) {
            Answer::Sat(model) => Outcome::Satisfiable(model),
            Answer::Unsat(_) => Outcome::Unsatisfiable,
            Answer::Unknown(_) => Outcome::Unknown,
        }
    }

    /// Conflicts of all searches so far.
    pub(crate) fn n_conflicts(&self) -> u64 {
        self.context.effort().n_conflicts
    }
}
