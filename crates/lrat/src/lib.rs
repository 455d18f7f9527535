//! Proofs that a formula in conjunctive normal form has no model: LRAT (Cruz-Filipe, Heule, Hunt, Kaufmann and
//! Schneider-Kamp 2017), as far as it needs reverse unit propagation only, and a checker for it.
//!
//! This crate sees no solver and no other crate: what it accepts rests on some hundred lines that can be read at once. A
//! [`Refutation`] can only be made by checking, so that who holds one needs to trust nothing else.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod check;
mod text;

pub use check::Rejection;
pub use text::TextError;

/// Clauses over variables numbered from 1; a negative number is a negation, as in DIMACS.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Formula {
    /// The highest variable.
    pub n_variables: u32,
    /// All of them are said to be true; clause `i` of this list has the id `i + 1` in proofs.
    pub clauses: Vec<Vec<i32>>,
}

/// One line of a proof.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Step {
    /// A clause that follows from clauses before.
    Add {
        /// Its id, which no other clause has.
        id: u64,
        /// Its literals.
        clause: Vec<i32>,
        /// Ids of clauses; each of them is left with at most one literal when all literals of the clause, and what the
        /// reasons before imply, are false; the last is left with none.
        reasons: Vec<u64>,
    },
    /// Clauses that are not needed any more.
    Delete {
        /// Their ids.
        ids: Vec<u64>,
    },
}

/// Lines of a proof, in order.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Proof {
    /// The lines; the last clause added is the empty one.
    pub steps: Vec<Step>,
}

/// A formula without a model, and the proof of that, which was checked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refutation {
    formula: Formula,
    proof: Proof,
}

impl Refutation {
    /// Checks a proof.
    ///
    /// # Errors
    /// The first line that does not follow, or that no line is the empty clause.
    pub fn check(formula: Formula, proof: Proof) -> Result<Refutation, Rejection> {
        check::check(&formula, &proof)?;
        Ok(Refutation { formula, proof })
    }

    /// What has no model.
    pub fn formula(&self) -> &Formula {
        &self.formula
    }

    /// Why it has none.
    pub fn proof(&self) -> &Proof {
        &self.proof
    }
}

#[cfg(test)]
mod tests;
