//! CaDiCaL (Biere, Fazekas, Fleury and Froleyks 2024), for hard queries: preprocessing, inprocessing, and proofs whose
//! steps name their reasons (LRAT). Needs a C++ compiler to build.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use cadical_sys::{CaDiCal, ProofTracer, Status};

use unpick_lrat::{Proof, Step};

use super::{Budget, ClauseSink, Clauses, Lit, Outcome, Slices, Solver, Unfinished};

/// The solver for few hard queries.
pub struct Heavy {
    solver: CaDiCal,
    n_variables: usize,
    model: Vec<i8>,
    core: Vec<Lit>,
}

impl Default for Heavy {
    fn default() -> Heavy {
        Heavy::new()
    }
}

impl Heavy {
    /// No clause.
    pub fn new() -> Heavy {
        let mut solver = CaDiCal::new();
        // Variables that the solver makes up would have to be told from ours, and proofs would need more than resolution.
        solver.set("factor", 0);
        solver.set("factorcheck", 0);
        Heavy { solver, n_variables: 0, model: Vec::new(), core: Vec::new() }
    }
}

/// Solves clauses by themselves and keeps the proof if they have no model.
pub(crate) fn refute(clauses: &Clauses, budget: &Budget<'_>) -> (Outcome, Proof) {
    let mut heavy = Heavy::new();
    let recorder = Rc::new(RefCell::new(Recorder::default()));
    heavy.solver.connect_proof_tracer1(Rc::clone(&recorder), true, false);
    for clause in clauses.iter() {
        heavy.add_clause(clause);
    }
    let outcome = heavy.solve(&[], budget);
    if outcome == Outcome::Unsatisfiable {
        heavy.solver.conclude();
    }
    drop(heavy);
    let steps = std::mem::take(&mut recorder.borrow_mut().steps);
    (outcome, Proof { steps })
}

impl ClauseSink for Heavy {
    fn new_literal(&mut self) -> Lit {
        self.n_variables += 1;
        Lit::variable(self.n_variables - 1)
    }

    fn add_clause(&mut self, clause: &[Lit]) {
        for literal in clause {
            self.n_variables = self.n_variables.max(literal.index() + 1);
            self.solver.add(literal.dimacs());
        }
        self.solver.add(0);
    }
}

impl Solver for Heavy {
    fn name(&self) -> String {
        CaDiCal::signature()
    }

    fn solve(&mut self, assumptions: &[Lit], budget: &Budget<'_>) -> Outcome {
        (self.model, self.core) = (Vec::new(), Vec::new());
        let mut slices = Slices::new(budget);
        loop {
            let slice = match slices.next() {
                Ok(slice) => slice,
                Err(why) => return Outcome::Unknown(why),
            };
            for literal in assumptions {
                self.n_variables = self.n_variables.max(literal.index() + 1);
                self.solver.assume(literal.dimacs());
            }
            self.solver.limit("conflicts", i32::try_from(slice).unwrap_or(i32::MAX));
            let before = self.n_conflicts();
            let status = self.solver.solve();
            slices.spend(self.n_conflicts() - before, slice);
            match status {
                Status::SATISFIABLE => {
                    self.read_model();
                    return Outcome::Satisfiable;
                }
                Status::UNSATISFIABLE => {
                    let solver = &mut self.solver;
                    self.core = assumptions.iter().copied().filter(|literal| solver.failed(literal.dimacs())).collect();
                    return Outcome::Unsatisfiable;
                }
                Status::UNKNOWN if budget.conflicts == Some(0) => return Outcome::Unknown(Unfinished::Conflicts),
                Status::UNKNOWN => {}
            }
        }
    }

    fn value(&self, literal: Lit) -> Option<bool> {
        match *self.model.get(literal.index())? {
            0 => None,
            value => Some((value > 0) != literal.is_negated()),
        }
    }

    fn core(&self) -> &[Lit] {
        &self.core
    }

    fn prefer(&mut self, literal: Lit) {
        self.solver.phase(literal.dimacs());
    }

    fn n_conflicts(&self) -> u64 {
        u64::try_from(self.solver.get_statistic_value("conflicts")).unwrap_or(0)
    }
}

impl Heavy {
    /// Kept, because the solver forgets its model with the next clause.
    fn read_model(&mut self) {
        let n_known = usize::try_from(self.solver.vars()).unwrap_or(0).min(self.n_variables);
        for index in 0..n_known {
            let variable = Lit::variable(index).dimacs();
            let value = self.solver.val(variable);
            self.model.push(if value == variable { 1 } else { -1 });
        }
    }
}

/// Takes down a proof, with ids of its own: those of the given clauses count from 1 in their order.
#[derive(Default)]
struct Recorder {
    ids: HashMap<i64, u64>,
    steps: Vec<Step>,
    n_given: u64,
    n_derived: u64,
    weakened: Option<i64>,
}

/// Ids of derived clauses begin here, so that they need not wait for the last given clause.
const FIRST_DERIVED: u64 = 1 << 40;

impl ProofTracer for Recorder {
    fn add_original_clause(&mut self, id: i64, _: bool, _: &[i32], is_restored: bool) {
        // A restored clause has its old id.
        if !is_restored {
            self.n_given += 1;
            self.ids.insert(id, self.n_given);
        }
    }

    fn add_derived_clause(&mut self, id: i64, _: bool, _: i32, clause: &[i32], antecedents: &[i64]) {
        let reasons = antecedents.iter().map(|id| self.ids.get(id).copied().unwrap_or(0)).collect();
        let own = FIRST_DERIVED + self.n_derived;
        self.n_derived += 1;
        self.ids.insert(id, own);
        self.steps.push(Step::Add { id: own, clause: clause.to_vec(), reasons });
    }

    fn delete_clause(&mut self, id: i64, _: bool, _: &[i32]) {
        // A weakened clause may be restored; until the end it stays in the proof.
        if self.weakened == Some(id) {
            return;
        }
        if let Some(id) = self.ids.get(&id) {
            self.steps.push(Step::Delete { ids: vec![*id] });
        }
    }

    /// Comes before the deletion of the same clause.
    fn weaken_minus(&mut self, id: i64, _: &[i32]) {
        self.weakened = Some(id);
    }

    fn strengthen(&mut self, _: i64) {}

    fn finalize_clause(&mut self, _: i64, _: &[i32]) {}

    fn add_assumption(&mut self, _: i32) {}

    fn add_constraint(&mut self, _: &[i32]) {}

    fn reset_assumptions(&mut self) {}

    fn add_assumption_clause(&mut self, _: i64, _: &[i32], _: &[i64]) {}

    fn conclude_sat(&mut self, _: i32, _: &[i32]) {}

    fn conclude_unsat(&mut self, _: i32, _: &[i64]) {}

    fn conclude_unknown(&mut self, _: &[i32]) {}
}
