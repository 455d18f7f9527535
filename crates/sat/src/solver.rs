//! Satisfiability of clauses: one interface for all solvers.
//!
//! Clauses are only ever added; what is asked goes into assumptions, so that no goal that failed stays behind as a clause
//! and makes later ones hold. An answer starts as `Unknown`, and only a search that ran to its end makes it anything else.
//! Work is counted in conflicts, not in time, so that answers do not depend on the machine; between slices of work the
//! caller is asked whether to stop. Nothing is global: two solvers know nothing of each other.

pub mod batsat;
#[cfg(feature = "cadical")]
pub mod cadical;
pub mod external;
mod ladder;

use std::fmt;
use std::num::NonZeroI32;
use std::ops::Not;

pub use self::batsat::Light;
#[cfg(feature = "cadical")]
pub use self::cadical::Heavy;
pub use external::External;
pub use ladder::Ladder;

/// A variable or its negation, numbered from 1 as in DIMACS.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lit(NonZeroI32);

impl Lit {
    /// The literal with a number of DIMACS; not 0, and not the one number that has no negation.
    pub fn from_dimacs(number: i32) -> Option<Lit> {
        if number == i32::MIN { None } else { NonZeroI32::new(number).map(Lit) }
    }

    /// The variable with a number, counted from 0.
    ///
    /// # Panics
    /// If the number does not fit.
    pub fn variable(number: usize) -> Lit {
        let number = i32::try_from(number + 1).expect("variables should be fewer than two billion");
        Lit(NonZeroI32::new(number).expect("a successor should not be zero"))
    }

    /// Its number in DIMACS.
    pub fn dimacs(self) -> i32 {
        self.0.get()
    }

    /// The number of its variable, counted from 0.
    pub fn index(self) -> usize {
        self.0.get().unsigned_abs() as usize - 1
    }

    /// Whether it is the negation of its variable.
    pub fn is_negated(self) -> bool {
        self.0.get() < 0
    }

    /// Negated if asked for.
    #[must_use]
    pub fn negated_if(self, is_negated: bool) -> Lit {
        if is_negated { !self } else { self }
    }
}

impl Not for Lit {
    type Output = Lit;

    fn not(self) -> Lit {
        Lit(-self.0)
    }
}

impl fmt::Debug for Lit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// What clauses are written to.
pub trait ClauseSink {
    /// A new variable.
    fn new_literal(&mut self) -> Lit;
    /// At least one of these is true.
    fn add_clause(&mut self, clause: &[Lit]);
}

/// How much one query may cost.
#[derive(Clone, Copy)]
pub struct Budget<'a> {
    /// Conflicts of the search.
    pub conflicts: Option<u64>,
    /// Asked between slices of the search; true ends it.
    pub stop: &'a dyn Fn() -> bool,
}

impl Budget<'_> {
    /// As long as it takes.
    pub const UNLIMITED: Budget<'static> = Budget { conflicts: None, stop: &|| false };

    /// So many conflicts.
    pub fn conflicts(conflicts: u64) -> Budget<'static> {
        Budget { conflicts: Some(conflicts), ..Budget::UNLIMITED }
    }
}

impl fmt::Debug for Budget<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Budget").field("conflicts", &self.conflicts).finish_non_exhaustive()
    }
}

/// What came of a query.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// There is a model: ask for values.
    Satisfiable,
    /// There is none: ask which assumptions failed.
    Unsatisfiable,
    /// Not known.
    Unknown(Unfinished),
}

/// Why a search did not end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unfinished {
    /// The conflicts were used up.
    Conflicts,
    /// The formula would get more nodes than allowed.
    Size,
    /// The caller stopped it.
    Stopped,
    /// The solver failed, for this reason.
    Failed(String),
}

/// A solver.
pub trait Solver: ClauseSink {
    /// Name and version, for reports.
    fn name(&self) -> String;
    /// Whether all clauses and assumptions can be true together.
    fn solve(&mut self, assumptions: &[Lit], budget: &Budget<'_>) -> Outcome;
    /// The value of a literal in the model of the last query, which was satisfiable; none if it does not matter.
    fn value(&self, literal: Lit) -> Option<bool>;
    /// Assumptions of the last query, which was unsatisfiable, that cannot be true together.
    fn core(&self) -> &[Lit];
    /// The search tries this literal first.
    fn prefer(&mut self, literal: Lit);
    /// Conflicts of all queries so far.
    fn n_conflicts(&self) -> u64;
}

/// Clauses in the order they came, one behind the other.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Clauses {
    n_variables: usize,
    literals: Vec<Lit>,
    ends: Vec<usize>,
}

impl Clauses {
    /// No variable and no clause.
    pub fn new() -> Clauses {
        Clauses::default()
    }

    /// How many variables there are.
    pub fn n_variables(&self) -> usize {
        self.n_variables
    }

    /// How many clauses there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is no clause.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The clauses from one on.
    pub fn iter_from(&self, first: usize) -> impl Iterator<Item = &[Lit]> {
        (first..self.ends.len()).map(|at| {
            let start = if at == 0 { 0 } else { self.ends[at - 1] };
            &self.literals[start..self.ends[at]]
        })
    }

    /// All clauses.
    pub fn iter(&self) -> impl Iterator<Item = &[Lit]> {
        self.iter_from(0)
    }

    /// Whether an assignment makes every clause true.
    pub fn are_satisfied(&self, value: &dyn Fn(Lit) -> bool) -> bool {
        self.iter().all(|clause| clause.iter().any(|literal| value(*literal)))
    }

    /// Makes sure that a variable counts.
    fn note_variable(&mut self, literal: Lit) {
        self.n_variables = self.n_variables.max(literal.index() + 1);
    }
}

impl ClauseSink for Clauses {
    fn new_literal(&mut self) -> Lit {
        self.n_variables += 1;
        Lit::variable(self.n_variables - 1)
    }

    fn add_clause(&mut self, clause: &[Lit]) {
        for literal in clause {
            self.note_variable(*literal);
        }
        self.literals.extend_from_slice(clause);
        self.ends.push(self.literals.len());
    }
}

/// Work between two questions whether to stop: little at first, so that stopping is prompt where conflicts are slow.
pub(crate) struct Slices<'a> {
    budget: &'a Budget<'a>,
    next: u64,
    used: u64,
}

impl<'a> Slices<'a> {
    pub(crate) fn new(budget: &'a Budget<'a>) -> Slices<'a> {
        Slices { budget, next: 500, used: 0 }
    }

    /// How many conflicts come next, or why none does.
    pub(crate) fn next(&mut self) -> Result<u64, Unfinished> {
        if (self.budget.stop)() {
            return Err(Unfinished::Stopped);
        }
        let left = self.budget.conflicts.map_or(u64::MAX, |conflicts| conflicts.saturating_sub(self.used));
        if left == 0 && self.used > 0 {
            return Err(Unfinished::Conflicts);
        }
        let slice = self.next.min(left);
        self.next = (2 * self.next).min(4_000);
        Ok(slice)
    }

    /// Counts what a slice took: at least what was allowed, so that a search that cannot move ends too.
    pub(crate) fn spend(&mut self, conflicts: u64, allowed: u64) {
        self.used += conflicts.max(allowed).max(1);
    }
}

#[cfg(test)]
pub(crate) mod tests;
