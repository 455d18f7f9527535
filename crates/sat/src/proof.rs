//! Refutations with proofs: clauses are solved by themselves, afresh, by the solver that writes LRAT, and what it wrote is
//! checked by a crate that knows no solver.
//!
//! Assumptions are clauses here, because nothing is asked afterwards.

use unpick_lrat::{Formula, Refutation};

use crate::solver::{Budget, Clauses, Unfinished};

/// Why there is no refutation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unrefuted {
    /// There is a model.
    Satisfiable,
    /// It is not known.
    Unknown(Unfinished),
}

/// Solves clauses and checks the proof that they have no model.
///
/// # Errors
/// They have one, or nobody knows; a proof that is wrong counts as none.
#[cfg(feature = "cadical")]
pub fn refute(clauses: &Clauses, budget: &Budget<'_>) -> Result<Refutation, Unrefuted> {
    use crate::solver::Outcome;
    match crate::solver::cadical::refute(clauses, budget) {
        (Outcome::Satisfiable, _) => Err(Unrefuted::Satisfiable),
        (Outcome::Unknown(why), _) => Err(Unrefuted::Unknown(why)),
        (Outcome::Unsatisfiable, proof) => Refutation::check(formula(clauses), proof)
            .map_err(|why| Unrefuted::Unknown(Unfinished::Failed(format!("the solver's proof is wrong: {why}")))),
    }
}

/// Solves clauses and checks the proof that they have no model.
///
/// # Errors
/// Always: this build has no solver that writes proofs.
#[cfg(not(feature = "cadical"))]
pub fn refute(clauses: &Clauses, _: &Budget<'_>) -> Result<Refutation, Unrefuted> {
    let _ = formula(clauses);
    let why = "this build has no solver that writes proofs (feature `cadical`)";
    Err(Unrefuted::Unknown(Unfinished::Failed(why.to_owned())))
}

/// The clauses as the checker has them.
fn formula(clauses: &Clauses) -> Formula {
    let n_variables = u32::try_from(clauses.n_variables()).expect("variables should fit 31 bits");
    let clauses = clauses.iter().map(|clause| clause.iter().map(|literal| literal.dimacs()).collect()).collect();
    Formula { n_variables, clauses }
}

#[cfg(all(test, feature = "cadical"))]
mod tests {
    use unpick_lrat::{Proof, Step};

    use super::*;
    use crate::solver::tests::{pigeons, random_clauses};

    #[test]
    fn pigeons_are_refuted_with_a_proof_that_reads_back() {
        let refutation = refute(&pigeons(6), &Budget::UNLIMITED).expect("seven pigeons should not fit six holes");
        let (formula, proof) = (refutation.formula().to_string(), refutation.proof().to_string());
        let formula = Formula::parse(&formula).expect("it should read back");
        let proof = Proof::parse(&proof).expect("it should read back");
        assert_eq!(Refutation::check(formula, proof), Ok(refutation));
    }

    #[test]
    fn what_has_a_model_is_not_refuted() {
        let mut clauses = pigeons(4);
        let satisfiable = Clauses::new();
        assert_eq!(refute(&satisfiable, &Budget::UNLIMITED), Err(Unrefuted::Satisfiable));
        clauses = without_first(&clauses);
        assert_eq!(refute(&clauses, &Budget::UNLIMITED), Err(Unrefuted::Satisfiable));
        assert_eq!(refute(&pigeons(9), &Budget::conflicts(5)), Err(Unrefuted::Unknown(Unfinished::Conflicts)));
    }

    fn without_first(clauses: &Clauses) -> Clauses {
        use crate::solver::ClauseSink;
        let mut rest = Clauses::new();
        clauses.iter_from(1).for_each(|clause| rest.add_clause(clause));
        rest
    }

    /// Formulas large enough that the solver eliminates variables and finds equivalences.
    #[test]
    fn proofs_with_preprocessing_are_accepted() {
        let n_refuted =
            (0..40).filter(|seed| refute(&random_clauses(*seed, 80, 400), &Budget::UNLIMITED).is_ok()).count();
        assert!(n_refuted >= 10, "{n_refuted} of 40 should be unsatisfiable");
    }

    #[test]
    fn every_reason_that_is_left_out_is_noticed() {
        let refutation = refute(&pigeons(4), &Budget::UNLIMITED).expect("five pigeons should not fit four holes");
        let n_steps = refutation.proof().steps.len();
        for at in 0..n_steps {
            let mut proof = refutation.proof().clone();
            match &mut proof.steps[at] {
                Step::Add { reasons, .. } if !reasons.is_empty() => drop(reasons.pop()),
                Step::Add { .. } | Step::Delete { .. } => continue,
            }
            assert!(Refutation::check(refutation.formula().clone(), proof).is_err(), "step {at}");
        }
    }
}
