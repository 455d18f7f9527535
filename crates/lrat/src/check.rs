//! The checker: each clause of a proof by unit propagation over the clauses it names, in the order it names them.
//!
//! To see that a clause follows, its literals are taken to be false. Each reason must then be left with one literal, which
//! becomes true, until one is left with none: a contradiction. Nothing is searched for, so the time is linear in the proof.
//! Resolution asymmetric tautologies, which preserve models only up to equisatisfiability, are not accepted.

use std::collections::HashMap;
use std::fmt;

use crate::{Formula, Proof, Step};

/// Why a proof is none.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Rejection {
    /// A literal is 0, or its variable is not one of the formula's.
    Literal(i32),
    /// This id already has a clause.
    IdInUse(u64),
    /// No clause has this id (any more).
    NoClause(u64),
    /// A reason of the first clause is left with more than one literal, or is true: the second is its id.
    NoUnit(u64, u64),
    /// The reasons of this clause contradict nothing.
    NoContradiction(u64),
    /// Every line follows, but none is the empty clause.
    NotRefuted,
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Rejection::Literal(literal) => write!(f, "{literal} is no literal of the formula"),
            Rejection::IdInUse(id) => write!(f, "id {id} is given twice"),
            Rejection::NoClause(id) => write!(f, "no clause has the id {id}"),
            Rejection::NoUnit(id, reason) => write!(f, "clause {id}: reason {reason} does not propagate"),
            Rejection::NoContradiction(id) => write!(f, "clause {id}: its reasons contradict nothing"),
            Rejection::NotRefuted => write!(f, "the proof does not end in the empty clause"),
        }
    }
}

impl std::error::Error for Rejection {}

/// Checks a whole proof.
pub(crate) fn check(formula: &Formula, proof: &Proof) -> Result<(), Rejection> {
    let mut checker = Checker::new(formula.n_variables);
    for (id, clause) in (1..).zip(&formula.clauses) {
        checker.keep(id, clause)?;
    }
    for step in &proof.steps {
        match step {
            Step::Add { id, clause, reasons } => {
                checker.derive(*id, clause, reasons)?;
                checker.keep(*id, clause)?;
            }
            Step::Delete { ids } => ids.iter().try_for_each(|id| checker.delete(*id))?,
        }
    }
    if checker.is_refuted { Ok(()) } else { Err(Rejection::NotRefuted) }
}

struct Checker {
    clauses: HashMap<u64, Box<[i32]>>,
    /// By variable: 1 true, -1 false, 0 open.
    values: Vec<i8>,
    /// Variables that have a value.
    assigned: Vec<usize>,
    is_refuted: bool,
}

/// What is left of a clause under the values.
enum Left {
    Nothing,
    Unit(i32),
    More,
}

impl Checker {
    fn new(n_variables: u32) -> Checker {
        let values = vec![0; n_variables as usize + 1];
        Checker { clauses: HashMap::new(), values, assigned: Vec::new(), is_refuted: false }
    }

    /// Takes a clause in that is given or was derived.
    fn keep(&mut self, id: u64, clause: &[i32]) -> Result<(), Rejection> {
        for literal in clause {
            let variable = literal.unsigned_abs() as usize;
            if *literal == 0 || variable >= self.values.len() {
                return Err(Rejection::Literal(*literal));
            }
        }
        if self.clauses.insert(id, clause.into()).is_some() {
            return Err(Rejection::IdInUse(id));
        }
        self.is_refuted |= clause.is_empty();
        Ok(())
    }

    fn delete(&mut self, id: u64) -> Result<(), Rejection> {
        self.clauses.remove(&id).map(drop).ok_or(Rejection::NoClause(id))
    }

    /// Sees that a clause follows from its reasons.
    fn derive(&mut self, id: u64, clause: &[i32], reasons: &[u64]) -> Result<(), Rejection> {
        let result = self.propagate(id, clause, reasons);
        for variable in self.assigned.drain(..) {
            self.values[variable] = 0;
        }
        result
    }

    fn propagate(&mut self, id: u64, clause: &[i32], reasons: &[u64]) -> Result<(), Rejection> {
        for literal in clause {
            match self.value(*literal)? {
                // A literal and its negation: true whatever the others are.
                1 => return Ok(()),
                _ => self.set(-*literal),
            }
        }
        for reason in reasons {
            match self.left(*reason)? {
                Left::Nothing => return Ok(()),
                Left::Unit(literal) => self.set(literal),
                Left::More => return Err(Rejection::NoUnit(id, *reason)),
            }
        }
        Err(Rejection::NoContradiction(id))
    }

    /// 1 if a literal is true, -1 if it is false, 0 if it is open.
    fn value(&self, literal: i32) -> Result<i8, Rejection> {
        let value = self.values.get(literal.unsigned_abs() as usize).filter(|_| literal != 0 && literal != i32::MIN);
        let value = value.ok_or(Rejection::Literal(literal))?;
        Ok(if literal < 0 { -value } else { *value })
    }

    fn set(&mut self, literal: i32) {
        let variable = literal.unsigned_abs() as usize;
        self.values[variable] = if literal < 0 { -1 } else { 1 };
        self.assigned.push(variable);
    }

    fn left(&self, reason: u64) -> Result<Left, Rejection> {
        let clause = self.clauses.get(&reason).ok_or(Rejection::NoClause(reason))?;
        let mut left = Left::Nothing;
        for literal in clause {
            match (self.value(*literal)?, &left) {
                (-1, _) => {}
                (0, Left::Nothing) => left = Left::Unit(*literal),
                (0, Left::Unit(unit)) if unit == literal => {}
                (_, _) => return Ok(Left::More),
            }
        }
        Ok(left)
    }
}
