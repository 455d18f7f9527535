//! Tests of queries: against the evaluator of terms, for all solvers and circuits; arrays against a plain map.

use std::collections::BTreeMap;

use unpick_term::{Signedness, Sort};

use super::*;
use crate::blast::Divider;
use crate::blast::tests::{OPERATIONS, options};
use crate::solver::tests::Numbers;

fn contexts() -> Vec<Context> {
    options().into_iter().map(|options| Context::with(crate::default_solver(), options)).collect()
}

fn is_sat(context: &mut Context, terms: &Terms, assumptions: &[Term]) -> bool {
    match context.solve(terms, assumptions, &Budget::UNLIMITED) {
        Answer::Sat(_) => true,
        Answer::Unsat(core) => {
            assert!(core.iter().all(|term| assumptions.contains(term)));
            false
        }
        Answer::Unknown(why) => panic!("{why:?}"),
    }
}

#[test]
fn results_are_what_the_evaluator_says_and_nothing_else() {
    let mut numbers = Numbers::new(3);
    for mut context in contexts() {
        let mut terms = Terms::new();
        let (a, b) = (terms.input("a", Sort::Bits(16)), terms.input("b", Sort::Bits(16)));
        for (name, operation) in OPERATIONS {
            let term = operation(&mut terms, a, b);
            for _ in 0..3 {
                let values = [numbers.next() & 0xffff, numbers.next() >> numbers.below(16) & 0xffff].map(u128::from);
                let fixed: Vec<Term> = [(a, values[0]), (b, values[1])]
                    .map(|(term, value)| {
                        let constant = terms.constant(16, value);
                        terms.eq(term, constant)
                    })
                    .to_vec();
                let mut model = Model::new();
                model.set(terms.input_of(a), Value::Bits(BitVec::new(16, values[0])));
                model.set(terms.input_of(b), Value::Bits(BitVec::new(16, values[1])));
                let expected = terms.eval(term, &model);
                let expected = terms.constant_bits(expected.bits());
                let same = terms.eq(term, expected);
                let differs = terms.not(same);
                assert!(is_sat(&mut context, &terms, &[fixed[0], fixed[1], same]), "{name}: {values:?}");
                assert!(!is_sat(&mut context, &terms, &[fixed[0], fixed[1], differs]), "{name}: {values:?}");
            }
        }
    }
}

#[test]
fn quotients_are_found_and_refuted() {
    for mut context in contexts() {
        let mut terms = Terms::new();
        let (n, d) = (terms.input("n", Sort::Bits(8)), terms.input("d", Sort::Bits(8)));
        let (quotient, rest) = (terms.udiv(n, d), terms.urem(n, d));
        let product = terms.mul(quotient, d);
        let sum = terms.add(product, rest);
        let (is_whole, is_zero) = (terms.eq(sum, n), terms.is_zero(d));
        let (is_broken, is_positive) = (terms.not(is_whole), terms.not(is_zero));
        assert!(!is_sat(&mut context, &terms, &[is_broken, is_positive]));
        let [seven, five] = [7, 5].map(|value| terms.constant(8, value));
        let (is_seven, is_five) = (terms.eq(quotient, seven), terms.eq(rest, five));
        let Answer::Sat(model) = context.solve(&terms, &[is_seven, is_five], &Budget::UNLIMITED) else {
            panic!("there should be a division with quotient 7 and rest 5")
        };
        let mut evaluator = Evaluator::new(&terms, &model);
        assert_eq!((evaluator.number(quotient), evaluator.number(rest)), (7, 5));
    }
}

/// A quotient multiplied back is the product of the relation, at any width.
#[test]
fn division_is_undone_without_a_search() {
    let mut terms = Terms::new();
    let mut context = Context::new();
    let [n, d] = ["n", "d"].map(|name| terms.input(name, Sort::Bits(64)));
    let (quotient, rest) = (terms.udiv(n, d), terms.urem(n, d));
    let product = terms.mul(d, quotient);
    let sum = terms.add(rest, product);
    let same = terms.eq(sum, n);
    let differs = terms.not(same);
    assert!(!is_sat(&mut context, &terms, &[differs]));
    assert!(context.effort().n_conflicts < 10, "{:?}", context.effort());
}

#[test]
fn cores_name_what_contradicts() {
    let mut terms = Terms::new();
    let mut context = Context::new();
    let [a, b, c, d] = ["a", "b", "c", "d"].map(|name| terms.input(name, Sort::Bits(32)));
    let (ab, bc, ca) = (terms.ult(a, b), terms.ult(b, c), terms.ult(c, a));
    let other = terms.ult(a, c);
    let even = terms.bit(d, 0);
    let Answer::Unsat(core) = context.solve(&terms, &[even, ab, bc, ca], &Budget::UNLIMITED) else {
        panic!("a cycle of smaller ones should be impossible")
    };
    assert!(!core.contains(&even) && core.contains(&ca));
    assert!(!is_sat(&mut context, &terms, &core));
    assert!(is_sat(&mut context, &terms, &[even, ab, bc, other]));
    assert_eq!(context.solve(&terms, &[Term::FALSE, ab], &Budget::UNLIMITED), Answer::Unsat(vec![Term::FALSE]));
    assert_eq!(context.solve(&terms, &[Term::TRUE], &Budget::UNLIMITED), Answer::Sat(Model::new()));
    assert_eq!(context.solve(&terms, &[], &Budget::UNLIMITED), Answer::Sat(Model::new()));
}

#[test]
fn a_refuted_goal_leaves_nothing_behind() {
    let mut terms = Terms::new();
    let mut context = Context::new();
    let x = terms.input("x", Sort::Bits(16));
    let square = terms.mul(x, x);
    let three = terms.constant(16, 3);
    let is_three = terms.eq(square, three);
    assert!(!is_sat(&mut context, &terms, &[is_three]), "no square is 3 modulo 4");
    let nine = terms.constant(16, 9);
    let is_nine = terms.eq(square, nine);
    assert!(is_sat(&mut context, &terms, &[is_nine]));
    assert!(is_sat(&mut context, &terms, &[terms.constant_of_bool(true)]));
}

#[test]
fn budgets_end_queries() {
    let mut terms = Terms::new();
    let mut context = Context::new();
    let [x, y, z] = ["x", "y", "z"].map(|name| terms.input(name, Sort::Bits(24)));
    let (xy, yz) = (terms.mul(x, y), terms.mul(y, z));
    let (left, right) = (terms.mul(xy, z), terms.mul(x, yz));
    let same = terms.eq(left, right);
    let differs = terms.not(same);
    let answer = context.solve(&terms, &[differs], &Budget::conflicts(100));
    assert_eq!(answer, Answer::Unknown(Unfinished::Conflicts));
    let answer = context.solve(&terms, &[differs], &Budget { conflicts: None, stop: &|| true });
    assert_eq!(answer, Answer::Unknown(Unfinished::Stopped));
    let small = Options { max_nodes: 1000, ..Options::default() };
    let mut context = Context::with(crate::default_solver(), small);
    assert_eq!(context.solve(&terms, &[differs], &Budget::UNLIMITED), Answer::Unknown(Unfinished::Size));
}

/// Random writes to arrays, then a read that is compared with what a map holds.
#[test]
fn arrays_behave_like_maps() {
    for seed in 0..60 {
        let mut numbers = Numbers::new(seed + 100);
        let mut terms = Terms::new();
        let sort = Sort::Array { index: 4, element: 6 };
        let zero = terms.constant(6, 0);
        let mut arrays = vec![terms.input("a", sort), terms.input("b", sort), terms.const_array(4, zero)];
        let words: Vec<Term> = (0..4).map(|number| terms.input(&format!("i{number}"), Sort::Bits(4))).collect();
        let mut elements: Vec<Term> = (0..3).map(|number| terms.input(&format!("e{number}"), Sort::Bits(6))).collect();
        // Sixty-four operations and fewer are read through, more of them by lemmas.
        let n_steps = if seed % 2 == 0 { 6 } else { 40 };
        for _ in 0..n_steps {
            let array = arrays[numbers.below(arrays.len())];
            let other = arrays[numbers.below(arrays.len())];
            let [i, j, k] = [(); 3].map(|()| words[numbers.below(words.len())]);
            let element = elements[numbers.below(elements.len())];
            match numbers.below(6) {
                0 | 1 => arrays.push(terms.store(array, i, element)),
                2 => {
                    let condition = terms.ult(i, j);
                    arrays.push(terms.ite(condition, array, other));
                }
                3 => arrays.push(terms.fill(array, i, k, element)),
                4 => arrays.push(terms.copy(array, i, other, j, k)),
                _ => elements.push(terms.select(array, i)),
            }
        }
        let last = *arrays.last().expect("there should be arrays");
        let reads = [0, 1].map(|number| terms.select(last, words[number]));
        let mut context = Context::new();
        // Whatever the inputs are, a read is what the evaluator says: fix the inputs but not the arrays' elements.
        for _ in 0..3 {
            let mut fixed = Vec::new();
            let mut model = Model::new();
            for input in terms.inputs() {
                let term = terms.input_term(input);
                match terms.sort(term) {
                    Sort::Bits(width) => {
                        let value = u128::from(numbers.next()) & ((1 << width) - 1);
                        let constant = terms.constant(width, value);
                        fixed.push(terms.eq(term, constant));
                        model.set(input, Value::Bits(BitVec::new(width, value)));
                    }
                    Sort::Array { index, element } => {
                        let mut map = BTreeMap::new();
                        let mut array = unpick_term::ArrayValue::new(index, BitVec::zero(element));
                        for at in 0..16 {
                            let value = u128::from(numbers.next() & 63);
                            map.insert(at, value);
                            array.store(at, BitVec::new(element, value));
                            let (at, value) = (terms.constant(index, at), terms.constant(element, value));
                            let read = terms.select(term, at);
                            fixed.push(terms.eq(read, value));
                        }
                        model.set(input, Value::Array(array));
                    }
                }
            }
            for read in reads {
                let expected = terms.constant_bits(terms.eval(read, &model).bits());
                let same = terms.eq(read, expected);
                let differs = terms.not(same);
                fixed.push(same);
                assert!(is_sat(&mut context, &terms, &fixed), "seed {seed}");
                *fixed.last_mut().expect("just pushed") = differs;
                assert!(!is_sat(&mut context, &terms, &fixed), "seed {seed}");
                fixed.pop();
            }
            // With free inputs a model, if any, was checked by evaluation.
            let differs = terms.ult(reads[0], reads[1]);
            let _ = is_sat(&mut context, &terms, &[differs]);
        }
    }
}

#[test]
fn equal_indices_read_equal_elements() {
    let mut terms = Terms::new();
    let mut context = Context::new();
    let array = terms.input("a", Sort::Array { index: 64, element: 8 });
    let [i, j] = ["i", "j"].map(|name| terms.input(name, Sort::Bits(64)));
    let (at_i, at_j) = (terms.select(array, i), terms.select(array, j));
    let (is_same_place, is_same) = (terms.eq(i, j), terms.eq(at_i, at_j));
    let differs = terms.not(is_same);
    assert!(!is_sat(&mut context, &terms, &[is_same_place, differs]));
    let Answer::Sat(model) = context.solve(&terms, &[differs], &Budget::UNLIMITED) else {
        panic!("different places may have different elements")
    };
    let array = model.get(terms.input_of(array)).expect("the array should have a value").array();
    assert!(array.pieces().count() > 1);
}

/// Forty stores at unknown places, and a read of one of them behind all: few lemmas are needed.
#[test]
fn forty_stores_need_few_lemmas() {
    let mut terms = Terms::new();
    let mut context = Context::new();
    let sort = Sort::Array { index: 32, element: 32 };
    let mut array = terms.input("a", sort);
    let places: Vec<Term> = (0..80).map(|number| terms.input(&format!("i{number}"), Sort::Bits(32))).collect();
    let values: Vec<Term> = (0..80).map(|number| terms.input(&format!("v{number}"), Sort::Bits(32))).collect();
    for (place, value) in places.iter().zip(&values) {
        array = terms.store(array, *place, *value);
    }
    let read = terms.select(array, places[3]);
    let mut assumptions: Vec<Term> = (4..80)
        .map(|number| {
            let same = terms.eq(places[3], places[number]);
            terms.not(same)
        })
        .collect();
    let same = terms.eq(read, values[3]);
    assumptions.push(terms.not(same));
    assert!(!is_sat(&mut context, &terms, &assumptions));
    assert!(context.effort().n_lemmas < 2_000, "{:?}", context.effort());
}

#[cfg(feature = "cadical")]
#[test]
fn proved_goals_have_certificates() {
    let mut terms = Terms::new();
    let [x, y] = ["x", "y"].map(|name| terms.input(name, Sort::Bits(8)));
    let sum = terms.checked_add(x, y, Signedness::Unsigned);
    let (is_small, overflows) = (terms.ult(sum.result, x), terms.not(sum.ok));
    let fits = terms.not(overflows);
    let (quotient, rest) = (terms.udiv(x, y), terms.urem(x, y));
    let is_large = terms.ult(x, quotient);
    let is_positive = terms.ult(rest, y);
    let mut context = Context::new();
    assert!(!is_sat(&mut context, &terms, &[is_small, fits]));
    context.refute(&terms, &[is_small, fits], &Budget::UNLIMITED).expect("a proof should be found");
    context.refute(&terms, &[is_large, is_positive], &Budget::UNLIMITED).expect("a proof should be found");
    let refused = context.refute(&terms, &[is_positive], &Budget::UNLIMITED);
    assert_eq!(refused, Err(Unrefuted::Satisfiable));
    assert_eq!(options().iter().filter(|options| options.divider == Divider::Relation).count(), 2);
}

/// Random terms under random values of their inputs: what the evaluator says is possible, and nothing else is.
#[test]
fn random_terms_have_the_values_of_the_evaluator() {
    let choices = options();
    let first = super::z3::number_of("UNPICK_SAT_FIRST").unwrap_or(0);
    for seed in first..first + super::z3::number_of("UNPICK_SAT_TESTS").unwrap_or(2_000) {
        let (mut terms, goals) = super::z3::random_query(seed, &[7, u64::MAX]);
        let mut numbers = Numbers::new(seed + 1_000_000);
        let mut context = Context::with(crate::default_solver(), choices[numbers.below(choices.len())]);
        for _ in 0..3 {
            let mut model = Model::new();
            let mut fixed = Vec::new();
            for input in terms.inputs_of(&goals) {
                let term = terms.input_term(input);
                // An array keeps to what is read of it.
                let Sort::Bits(width) = terms.sort(term) else { continue };
                let value = BitVec::new(width, u128::from(numbers.next() >> numbers.below(40)));
                let constant = terms.constant_bits(&value);
                fixed.push(terms.eq(term, constant));
                model.set(input, Value::Bits(value));
            }
            let is_array = |input| matches!(terms.sort(terms.input_term(input)), Sort::Array { .. });
            let has_arrays = terms.inputs_of(&goals).into_iter().any(is_array);
            for goal in &goals {
                let is_true = !terms.eval(*goal, &model).bits().is_zero();
                let other = terms.not(*goal);
                let (expected, impossible) = if is_true { (*goal, other) } else { (other, *goal) };
                let ask =
                    |context: &mut Context, goal: Term| is_sat(context, &terms, &[fixed.as_slice(), &[goal]].concat());
                assert!(ask(&mut context, expected), "seed {seed}");
                // With an unknown array both may be possible.
                assert!(has_arrays || !ask(&mut context, impossible), "seed {seed}");
            }
        }
    }
}
