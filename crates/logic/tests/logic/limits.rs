//! Formulas as deep as the parser allows are translated or refused, on a stack of ordinary size.

use unpick_logic::parse::{Options, parse};
use unpick_logic::rewrite::{negation_normal_form, simplify};
use unpick_logic::stutter::stuttering;
use unpick_logic::{Formula, Lasso, TranslateError, translate};

/// `before` repeatedly, then `p`, then `after` as often; `N` becomes the number of the repetition.
fn nested(before: &str, after: &str, times: usize, n_names: usize) -> Formula {
    let numbered = |at: usize| before.replace('N', &(at % n_names).to_string());
    let text = format!("{}p{}", (0..times).map(numbered).collect::<String>(), after.repeat(times));
    parse(&text, &Options::default()).unwrap_or_else(|error| panic!("{text}: {error:?}")).formula
}

#[test]
fn deep_formulas_overflow_no_stack() {
    let formulas = [
        nested("!", "", 198, 1),
        nested("X ", "", 198, 1),
        nested("[]<>", "", 99, 1),
        nested("[](pN || X ", ")", 40, 7),
        nested("<>(pN && X ", ")", 40, 7),
        nested("(pN U ", ")", 98, 60),
        nested("(pN <-> ", ")", 98, 60),
        nested("!(pN -> <>", ")", 48, 60),
        nested("(qN V (pN && X ", "))", 38, 3),
        nested("(X pN U ", ")", 65, 5),
    ];
    for formula in formulas {
        let word = Lasso { prefix: vec![1, 2], cycle: vec![3, 0, u64::MAX] };
        let value = word.satisfies(&formula);
        assert_eq!(word.satisfies(&negation_normal_form(&formula)), value);
        assert_eq!(word.satisfies(&simplify(&formula)), value);
        for (formula, value) in [(&formula, value), (&formula.negated(), !value)] {
            match translate(formula, 200) {
                Ok(automaton) => assert_eq!(automaton.accepts(&word), value, "{formula:?}"),
                Err(error) => assert_eq!(error, TranslateError::TooLarge),
            }
        }
        stuttering(&formula, 100);
    }
}

#[test]
fn what_is_too_much_is_said() {
    let deep = (0..300).fold(Formula::atom(0), |formula, _| formula.negated());
    assert_eq!(translate(&deep, 100), Err(TranslateError::TooDeep));
    assert_eq!(translate(&Formula::atom(64), 100), Err(TranslateError::TooManyAtoms));
    let responses = (0..30).map(|at| format!("[](p{at} -> <>q{at})")).collect::<Vec<_>>().join(" && ");
    let formula = parse(&responses, &Options::default()).expect("the formula should parse").formula;
    assert_eq!(translate(&formula, 100), Err(TranslateError::TooLarge));
}
