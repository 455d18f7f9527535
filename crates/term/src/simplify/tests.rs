//! Whole questions against brute force: simplified and not, they are satisfiable together, and each model of the simplified
//! one, completed, is a model of the question.

use super::Simplified;
use crate::arena::Terms;
use crate::bits::BitVec;
use crate::node::{InputId, Op, Sort, Term};
use crate::random::Pool;
use crate::value::{Model, Value};
use crate::{Evaluator, Level};

/// All assignments of these inputs, unless they are too many.
fn assignments(terms: &Terms, inputs: &[InputId]) -> Option<Vec<Model>> {
    let mut models = vec![Model::new()];
    for &input in inputs {
        let Sort::Bits(width) = terms.sort(terms.input_term(input)) else { return None };
        if models.len() << width > 1 << 8 {
            return None;
        }
        let extended = models.iter().flat_map(|model| {
            (0..1u128 << width).map(move |value| {
                let mut model = model.clone();
                model.set(input, Value::Bits(BitVec::new(width, value)));
                model
            })
        });
        models = extended.collect();
    }
    Some(models)
}

fn holds(terms: &Terms, assertions: &[Term], model: &Model) -> bool {
    let mut evaluator = Evaluator::new(terms, model);
    assertions.iter().all(|&assertion| evaluator.number(assertion) == 1)
}

/// Compares a question with its simplification; `None` if there are too many assignments.
fn check(terms: &mut Terms, assertions: &[Term]) -> Option<Simplified> {
    let inputs: Vec<InputId> = terms.inputs_of(assertions).into_iter().collect();
    let models = assignments(terms, &inputs)?;
    let simplified = terms.simplify(assertions);
    let left: Vec<InputId> = terms.inputs_of(&simplified.assertions).into_iter().collect();
    let left_models = assignments(terms, &left)?;
    let is_satisfiable = models.iter().any(|model| holds(terms, assertions, model));
    let shown = |terms: &Terms| {
        let text =
            |list: &[Term]| list.iter().map(|&term| terms.display(term).to_string()).collect::<Vec<_>>().join("\n");
        format!("{}\nbecame\n{}", text(assertions), text(&simplified.assertions))
    };
    let mut is_still_satisfiable = false;
    for mut model in left_models.into_iter().filter(|model| holds(terms, &simplified.assertions, model)) {
        is_still_satisfiable = true;
        simplified.complete(terms, &mut model);
        assert!(holds(terms, assertions, &model), "{model:?} is no model:\n{}", shown(terms));
    }
    assert_eq!(is_satisfiable, is_still_satisfiable, "{}", shown(terms));
    Some(simplified)
}

#[test]
fn simplified_questions_have_the_same_answers() {
    let (mut n_checked, mut solved, mut unconstrained, mut satisfiable) = (0, 0, 0, 0);
    for seed in 0..6000 {
        let mut terms = Terms::new();
        terms.set_level([Level::Fold, Level::Zero, Level::One][seed as usize % 3]);
        let widths: &[u32] = [&[2, 1][..], &[3, 1], &[2, 3], &[2, 1, 4]][seed as usize % 4];
        let mut pool = Pool::new(&mut terms, seed, widths);
        for _ in 0..10 {
            pool.step(&mut terms);
        }
        let mut assertions = Vec::new();
        for _ in 0..1 + pool.rng.below(4) {
            let width = pool.rng.pick(widths);
            let (left, right) = (pool.word(&mut terms, width), pool.word(&mut terms, width));
            assertions.push(match pool.rng.below(5) {
                0 => terms.ult(left, right),
                1 => terms.slt(left, right),
                2 => terms.eq(left, right).negate_if(true),
                3 => pool.word(&mut terms, 1),
                _ => terms.eq(left, right),
            });
        }
        if let Some(simplified) = check(&mut terms, &assertions) {
            n_checked += 1;
            solved += simplified.counts.solved;
            unconstrained += simplified.counts.unconstrained;
            satisfiable += usize::from(simplified.assertions != [Term::FALSE]);
        }
    }
    // So that it is known to have compared something.
    assert!(n_checked > 2000 && satisfiable > 500 && solved > 500 && unconstrained > 500);
}

#[test]
fn reads_that_occur_once_are_free() {
    let mut terms = Terms::new();
    let array = terms.input("a", Sort::Array { index: 8, element: 8 });
    let index = terms.input("i", Sort::Bits(8));
    let element = terms.select(array, index);
    let (seven, three) = (terms.constant(8, 7), terms.constant(8, 3));
    let assertions = [terms.eq(element, seven), terms.ult(index, three)];
    let simplified = terms.simplify(&assertions);
    assert!(simplified.assertions.is_empty());
    let mut model = Model::new();
    simplified.complete(&terms, &mut model);
    assert!(holds(&terms, &assertions, &model));
}

#[test]
fn sums_are_equal_in_any_order() {
    let mut terms = Terms::new();
    let [x, y, z] = ["x", "y", "z"].map(|name| terms.input(name, Sort::Bits(32)));
    let (four, five) = (terms.constant(32, 4), terms.constant(32, 5));
    let (left, right) = (terms.add(x, y), terms.add(y, z));
    let (left, right) = (terms.add(left, z), terms.add(x, right));
    let scaled = terms.mul(four, left);
    let (once, five_times) = (terms.add(scaled, left), terms.mul(five, right));
    let products = [terms.mul(x, y), terms.mul(y, z)];
    let (one, other) = (terms.mul(products[0], z), terms.mul(x, products[1]));
    let differ = [terms.eq(once, five_times).negate_if(true), terms.eq(one, other).negate_if(true)];
    for assertion in differ {
        // The inputs are used elsewhere, too, so that none is free.
        let guards = [x, y, z].map(|input| terms.ult(input, four));
        let simplified = terms.simplify(&[assertion, guards[0], guards[1], guards[2]]);
        assert_eq!(simplified.assertions, [Term::FALSE]);
    }
}

#[test]
fn long_chains_of_definitions_are_solved_in_one_go() {
    let mut terms = Terms::new();
    let inputs: Vec<Term> = (0..500).map(|number| terms.input(&format!("x{number}"), Sort::Bits(32))).collect();
    let one = terms.constant(32, 1);
    let mut assertions: Vec<Term> = Vec::new();
    for pair in inputs.windows(2) {
        let next = terms.add(pair[0], one);
        assertions.push(terms.eq(pair[1], next));
    }
    let last = terms.constant(32, 1000);
    assertions.push(terms.eq(inputs[499], last));
    let simplified = terms.simplify(&assertions);
    assert!(simplified.assertions.is_empty());
    let mut model = Model::new();
    simplified.complete(&terms, &mut model);
    assert_eq!(model.get(terms.input_of(inputs[0])), Some(&Value::Bits(BitVec::new(32, 501))));
    assert!(terms.op(inputs[0]) == Op::Input && holds(&terms, &assertions, &model));
}
