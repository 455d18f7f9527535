//! Tests of the checker: right proofs pass, every corruption of them is refused, and no text makes it panic.

use proptest::prelude::*;

use super::*;

/// All four clauses over two variables.
const FORMULA: &str = "p cnf 2 4\n1 2 0\n-1 2 0\n1 -2 0\n-1 -2 0\n";
const PROOF: &str = "5 2 0 1 2 0\n5 d 1 2 0\n6 0 5 3 4 0\n";

fn checked(formula: &str, proof: &str) -> Result<Refutation, Rejection> {
    let formula = Formula::parse(formula).expect("the formula should be read");
    Refutation::check(formula, Proof::parse(proof).expect("the proof should be read"))
}

#[test]
fn a_right_proof_passes_and_prints_as_it_was_read() {
    let refutation = checked(FORMULA, PROOF).expect("the proof should be right");
    assert_eq!(refutation.formula().to_string(), FORMULA);
    assert_eq!(refutation.proof().to_string(), PROOF);
}

#[test]
fn an_empty_clause_that_is_given_needs_no_proof() {
    assert!(checked("p cnf 0 1\n0\n", "").is_ok());
}

#[test]
fn corrupted_proofs_are_refused() {
    let refused = |proof: &str| checked(FORMULA, proof).expect_err("the proof should be refused");
    assert_eq!(refused(""), Rejection::NotRefuted);
    assert_eq!(refused("5 2 0 1 2 0\n"), Rejection::NotRefuted);
    assert_eq!(refused("5 0 1 2 3 4 0\n"), Rejection::NoUnit(5, 1), "nothing is known yet");
    assert_eq!(refused("5 2 0 1 0\n"), Rejection::NoContradiction(5), "a reason is missing");
    assert_eq!(refused("5 2 0 2 4 0\n"), Rejection::NoUnit(5, 4), "a reason that is true");
    assert_eq!(refused("5 2 0 1 9 0\n"), Rejection::NoClause(9));
    assert_eq!(refused("4 2 0 1 2 0\n"), Rejection::IdInUse(4));
    assert_eq!(refused("5 2 0 1 2 0\n5 d 3 0\n6 0 5 3 4 0\n"), Rejection::NoClause(3), "used after its deletion");
    assert_eq!(refused("5 d 7 0\n"), Rejection::NoClause(7));
    assert_eq!(refused("5 3 0 1 2 0\n"), Rejection::Literal(3), "a variable from nowhere");
    assert_eq!(refused("5 -2147483648 0 1 2 0\n"), Rejection::Literal(i32::MIN));
}

#[test]
fn a_formula_with_a_model_has_no_proof() {
    let formula = "p cnf 2 3\n1 2 0\n-1 2 0\n1 -2 0\n";
    assert!(checked(formula, PROOF).is_err());
    assert_eq!(checked(formula, "4 2 0 1 2 0\n5 1 0 4 3 0\n"), Err(Rejection::NotRefuted));
}

#[test]
fn wrong_text_is_refused_with_its_line() {
    let line = |text: &str| Formula::parse(text).expect_err("it should be refused").line;
    assert_eq!(line("p cnf 2 1\n1 3 0\n"), 2);
    assert_eq!(line("1 0\n"), 1);
    assert_eq!(line("p cnf 2 1\n1 2\n"), 2);
    assert_eq!(line("p cnf 2\n"), 1);
    assert_eq!(line("p cnf 4000000000 1\n"), 1);
    assert_eq!(line("p cnf 1 1\np cnf 1 1\n"), 2);
    for text in ["x\n", "5\n", "5 1 0\n", "5 1 0 -1 0\n", "5 d 1\n", "5 0 1 0 9\n", "-5 0 1 0\n"] {
        assert_eq!(Proof::parse(text).expect_err("it should be refused").line, 1, "{text}");
    }
}

fn formulas() -> impl Strategy<Value = Formula> {
    let literal =
        (1..=6_i32, any::<bool>()).prop_map(|(variable, is_negated)| if is_negated { -variable } else { variable });
    prop::collection::vec(prop::collection::vec(literal, 0..4), 0..20)
        .prop_map(|clauses| Formula { n_variables: 6, clauses })
}

fn has_model(formula: &Formula) -> bool {
    (0..1_u32 << formula.n_variables).any(|values| {
        let is_true = |literal: &i32| (values >> (literal.unsigned_abs() - 1) & 1 == 1) != (*literal < 0);
        formula.clauses.iter().all(|clause| clause.iter().any(is_true))
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2000) })]

    /// Whatever a proof says, what has a model is not refuted.
    #[test]
    fn nothing_with_a_model_is_refuted(
        formula in formulas(),
        lines in prop::collection::vec(
            (prop::collection::vec(-6..=6_i32, 0..3), prop::collection::vec(1..30_u64, 0..8)), 1..12,
        ),
    ) {
        let steps: Vec<Step> = (21..).zip(lines)
            .map(|(id, (clause, reasons))| Step::Add { id, clause, reasons })
            .collect();
        if has_model(&formula) {
            let result = Refutation::check(formula, Proof { steps });
            prop_assert!(result.is_err());
        }
    }

    #[test]
    fn formulas_read_back(formula in formulas()) {
        prop_assert_eq!(Formula::parse(&formula.to_string()), Ok(formula));
    }

    #[test]
    fn no_text_makes_it_panic(text in "[-0-9pcnfd \n]{0,60}") {
        let _ = Proof::parse(&text);
        let _ = Formula::parse(&text);
    }
}
