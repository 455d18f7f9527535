//! Automata, simplification and normal form compared with the direct evaluation of formulas on random words.

use proptest::prelude::*;
use unpick_logic::rewrite::{negation_normal_form, simplify};
use unpick_logic::{Buchi, Formula, Lasso, Node, translate};

use crate::random::formula;

/// Words over the atoms below `n_atoms`.
fn lasso(n_atoms: u32) -> impl Strategy<Value = Lasso> {
    let letters = |range| prop::collection::vec(0..1u64 << n_atoms, range);
    (letters(0..4), letters(1..5)).prop_map(|(prefix, cycle)| Lasso { prefix, cycle })
}

fn automaton(formula: &Formula) -> Option<Buchi> {
    translate(formula, 2_000).ok()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn automata_accept_what_satisfies(formula in formula(3), words in prop::collection::vec(lasso(3), 20)) {
        let yes = automaton(&formula).expect("small formulas should have small automata");
        let no = automaton(&formula.negated()).expect("small formulas should have small automata");
        for word in words {
            let value = word.satisfies(&formula);
            prop_assert_eq!(yes.accepts(&word), value, "{:?}\n{}", word, yes);
            prop_assert_eq!(no.accepts(&word), !value, "{:?}\n{}", word, no);
        }
    }

    #[test]
    fn rewriting_changes_no_meaning(formula in formula(3), words in prop::collection::vec(lasso(3), 30)) {
        let (simple, normal) = (simplify(&formula), negation_normal_form(&formula));
        for word in words {
            let value = word.satisfies(&formula);
            prop_assert_eq!(word.satisfies(&simple), value, "simplified: {:?}", simple);
            prop_assert_eq!(word.satisfies(&normal), value, "normal form: {:?}", normal);
        }
    }

    #[test]
    fn automata_read_back(formula in formula(3)) {
        let automaton = automaton(&formula).expect("small formulas should have small automata");
        prop_assert_eq!(Buchi::parse(&automaton.to_string()), Ok(automaton));
    }
}

#[test]
fn evaluation_of_the_definitions() {
    let (a, b) = (Formula::atom(0), Formula::atom(1));
    let word = Lasso { prefix: vec![0b01, 0b01, 0b11], cycle: vec![0b10, 0b00] };
    let holds = |node: Node| word.satisfies(&Formula::new(node));
    assert!(holds(Node::Until(a.clone(), b.clone())));
    assert!(!holds(Node::Until(b.clone(), Formula::falsehood())));
    assert!(holds(Node::StrongRelease(b.clone(), a.clone())));
    assert!(holds(Node::Release(b.clone(), a.clone())));
    assert!(!holds(Node::Always(Formula::new(Node::Eventually(a.clone())))));
    assert!(holds(Node::Always(Formula::new(Node::Eventually(b.clone())))));
    assert!(holds(Node::Next(a.clone())));
    assert!(holds(Node::WeakUntil(a, b)));
}
