//! Light, then heavy: every query goes to the solver that starts at once, and only what that one does not settle within a
//! few conflicts to the solver that preprocesses.
//!
//! On the many cheap queries of a program the heavy solver is some ten times slower, on the few hard ones it is the only
//! one that ends. Which is which shows in the conflicts spent; no clock is looked at, so that answers repeat.

use super::{Budget, ClauseSink, Clauses, Lit, Outcome, Solver, Unfinished};

/// Conflicts that the light solver may spend on a query.
const LIGHT_CONFLICTS: u64 = 2_000;

/// Which solver has the answer of the last query.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Answered {
    Light,
    Heavy,
}

/// Two solvers over the same clauses; the second is made when it is first needed.
pub struct Ladder {
    light: Box<dyn Solver>,
    heavy: Option<Box<dyn Solver>>,
    make_heavy: fn() -> Box<dyn Solver>,
    clauses: Clauses,
    /// How many clauses the heavy solver has.
    n_passed_on: usize,
    answered: Answered,
    /// Phases that are wanted, for a solver that is made later.
    preferred: Vec<Lit>,
}

impl Ladder {
    /// A cheap solver and one for what it does not settle.
    pub fn new(light: Box<dyn Solver>, make_heavy: fn() -> Box<dyn Solver>) -> Ladder {
        Ladder {
            light,
            heavy: None,
            make_heavy,
            clauses: Clauses::new(),
            n_passed_on: 0,
            answered: Answered::Light,
            preferred: Vec::new(),
        }
    }

    /// How many conflicts each of the two has spent.
    pub fn conflicts_by_solver(&self) -> (u64, u64) {
        (self.light.n_conflicts(), self.heavy.as_ref().map_or(0, |heavy| heavy.n_conflicts()))
    }

    fn answering(&self) -> &dyn Solver {
        match (self.answered, &self.heavy) {
            (Answered::Heavy, Some(heavy)) => heavy.as_ref(),
            (Answered::Heavy | Answered::Light, _) => self.light.as_ref(),
        }
    }

    /// The heavy solver, with all clauses.
    fn heavy(&mut self) -> &mut dyn Solver {
        let is_new = self.heavy.is_none();
        let heavy = self.heavy.get_or_insert_with(self.make_heavy);
        if is_new {
            self.preferred.iter().for_each(|literal| heavy.prefer(*literal));
        }
        for clause in self.clauses.iter_from(self.n_passed_on) {
            heavy.add_clause(clause);
        }
        self.n_passed_on = self.clauses.len();
        heavy.as_mut()
    }
}

impl ClauseSink for Ladder {
    fn new_literal(&mut self) -> Lit {
        self.clauses.new_literal();
        self.light.new_literal()
    }

    fn add_clause(&mut self, clause: &[Lit]) {
        self.clauses.add_clause(clause);
        self.light.add_clause(clause);
    }
}

impl Solver for Ladder {
    fn name(&self) -> String {
        let heavy = self.heavy.as_ref().map(|heavy| format!(", then {}", heavy.name()));
        format!("{}{}", self.light.name(), heavy.unwrap_or_default())
    }

    fn solve(&mut self, assumptions: &[Lit], budget: &Budget<'_>) -> Outcome {
        let light = budget.conflicts.map_or(LIGHT_CONFLICTS, |conflicts| conflicts.min(LIGHT_CONFLICTS));
        self.answered = Answered::Light;
        let outcome = self.light.solve(assumptions, &Budget { conflicts: Some(light), stop: budget.stop });
        let left = budget.conflicts.map(|conflicts| conflicts - light);
        if outcome != Outcome::Unknown(Unfinished::Conflicts) || left == Some(0) {
            return outcome;
        }
        self.answered = Answered::Heavy;
        self.heavy().solve(assumptions, &Budget { conflicts: left, stop: budget.stop })
    }

    fn value(&self, literal: Lit) -> Option<bool> {
        self.answering().value(literal)
    }

    fn core(&self) -> &[Lit] {
        self.answering().core()
    }

    fn prefer(&mut self, literal: Lit) {
        self.preferred.push(literal);
        self.light.prefer(literal);
        if let Some(heavy) = &mut self.heavy {
            heavy.prefer(literal);
        }
    }

    fn n_conflicts(&self) -> u64 {
        let (light, heavy) = self.conflicts_by_solver();
        light + heavy
    }
}
