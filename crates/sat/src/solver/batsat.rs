//! BatSat: MiniSat (Eén and Sörensson 2003) in Rust. Starts at once and answers many cheap queries in little time; no
//! preprocessing and no proofs.

use ::batsat::{Callbacks, ClauseKind, Lit as BatLit, Solver as BatSolver, SolverInterface, SolverOpts, Var, lbool};

use super::{Budget, ClauseSink, Lit, Outcome, Slices, Solver, Unfinished};

/// Counts conflicts, and says when a slice is over.
struct Meter {
    n_conflicts: u64,
    end_of_slice: u64,
}

impl Callbacks for Meter {
    fn on_new_clause(&mut self, _: &[BatLit], kind: ClauseKind) {
        self.n_conflicts += u64::from(kind == ClauseKind::Learnt);
    }

    fn stop(&self) -> bool {
        self.n_conflicts >= self.end_of_slice
    }
}

/// The solver for many cheap queries.
pub struct Light {
    solver: BatSolver<Meter>,
    n_variables: usize,
    model: Vec<lbool>,
    core: Vec<Lit>,
    /// Clauses contradict each other without assumptions.
    is_contradiction: bool,
}

impl Default for Light {
    fn default() -> Light {
        Light::new()
    }
}

impl Light {
    /// No clause.
    pub fn new() -> Light {
        let meter = Meter { n_conflicts: 0, end_of_slice: u64::MAX };
        let solver = BatSolver::new(SolverOpts::default(), meter);
        Light { solver, n_variables: 0, model: Vec::new(), core: Vec::new(), is_contradiction: false }
    }

    fn inner(&mut self, literal: Lit) -> BatLit {
        while self.n_variables <= literal.index() {
            self.solver.new_var_default();
            self.n_variables += 1;
        }
        BatLit::new(variable(literal), !literal.is_negated())
    }
}

fn variable(literal: Lit) -> Var {
    Var::unsafe_from_idx(u32::try_from(literal.index()).expect("a literal should fit 31 bits"))
}

fn outer(literal: BatLit) -> Lit {
    Lit::variable(literal.var().idx() as usize).negated_if(!literal.sign())
}

impl ClauseSink for Light {
    fn new_literal(&mut self) -> Lit {
        let literal = Lit::variable(self.n_variables);
        self.inner(literal);
        literal
    }

    fn add_clause(&mut self, clause: &[Lit]) {
        let mut clause: Vec<BatLit> = clause.iter().map(|literal| self.inner(*literal)).collect();
        if !self.solver.add_clause_reuse(&mut clause) {
            self.is_contradiction = true;
        }
    }
}

impl Solver for Light {
    fn name(&self) -> String {
        "BatSat".to_owned()
    }

    fn solve(&mut self, assumptions: &[Lit], budget: &Budget<'_>) -> Outcome {
        (self.model, self.core) = (Vec::new(), Vec::new());
        if self.is_contradiction {
            return Outcome::Unsatisfiable;
        }
        let assumed: Vec<BatLit> = assumptions.iter().map(|literal| self.inner(*literal)).collect();
        let mut slices = Slices::new(budget);
        loop {
            let slice = match slices.next() {
                Ok(slice) => slice,
                Err(why) => return Outcome::Unknown(why),
            };
            let before = self.solver.cb().n_conflicts;
            self.solver.cb_mut().end_of_slice = before.saturating_add(slice.max(1));
            let answer = self.solver.solve_limited(&assumed);
            slices.spend(self.solver.cb().n_conflicts - before, slice);
            match answer {
                answer if answer == lbool::TRUE => {
                    self.model = self.solver.get_model().to_vec();
                    return Outcome::Satisfiable;
                }
                answer if answer == lbool::FALSE => {
                    // The core is negated: a clause that follows.
                    self.core = self.solver.unsat_core().iter().map(|literal| outer(*literal)).collect();
                    self.core = assumptions.iter().copied().filter(|literal| in_core(&self.core, *literal)).collect();
                    return Outcome::Unsatisfiable;
                }
                _ if budget.conflicts == Some(0) => return Outcome::Unknown(Unfinished::Conflicts),
                _ => {}
            }
        }
    }

    fn value(&self, literal: Lit) -> Option<bool> {
        match *self.model.get(literal.index())? {
            value if value == lbool::TRUE => Some(!literal.is_negated()),
            value if value == lbool::FALSE => Some(literal.is_negated()),
            _ => None,
        }
    }

    fn core(&self) -> &[Lit] {
        &self.core
    }

    fn prefer(&mut self, _: Lit) {
        // Phases are saved from the last assignment; BatSat takes none from outside after a variable was made.
    }

    fn n_conflicts(&self) -> u64 {
        self.solver.cb().n_conflicts
    }
}

/// Whether a core, perhaps given by negations, has an assumption.
fn in_core(core: &[Lit], assumption: Lit) -> bool {
    core.iter().any(|literal| literal.index() == assumption.index())
}
