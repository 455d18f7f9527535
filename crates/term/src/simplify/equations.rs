//! Equations: an input that has to be equal to a term without it becomes that term (Gaussian elimination's first step).

use super::{Simplified, Substitution};
use crate::arena::Terms;
use crate::node::{Op, Term};

/// How many nodes are looked at while solving; equations beyond stay as they are.
const MAX_NODES: usize = 20_000_000;

/// Solves what can be solved, and substitutes it everywhere.
pub fn solve(terms: &mut Terms, simplified: &mut Simplified) {
    let mut solutions = Substitution::new();
    let mut rest = Vec::new();
    let mut budget = MAX_NODES;
    for &assertion in &simplified.assertions {
        match solution(terms, &mut solutions, assertion, &mut budget) {
            Some((input, definition)) => {
                solutions.insert(input, definition);
                simplified.definitions.push((terms.input_of(input), definition));
                simplified.counts.solved += 1;
            }
            None => rest.push(assertion),
        }
    }
    if !solutions.is_empty() {
        simplified.assertions = rest.into_iter().map(|assertion| solutions.apply(terms, assertion)).collect();
    }
}

/// An input and what it is equal to, in terms of inputs that are not solved yet.
fn solution(
    terms: &mut Terms,
    solutions: &mut Substitution,
    assertion: Term,
    budget: &mut usize,
) -> Option<(Term, Term)> {
    for (input, definition) in candidates(terms, assertion) {
        let size = terms.cone(&[definition]).len();
        if solutions.contains(input) || size > *budget {
            continue;
        }
        *budget -= size;
        let definition = solutions.apply(terms, definition);
        if !terms.cone(&[definition]).contains(&input) {
            return Some((input, definition));
        }
    }
    None
}

/// The ways in which an assertion says what an input is.
fn candidates(terms: &mut Terms, assertion: Term) -> Vec<(Term, Term)> {
    let node = assertion.node_term();
    let args = terms.args(node);
    let mut found = Vec::new();
    match terms.op(node) {
        Op::Input => found.push((node, Term::TRUE.negate_if(assertion.is_negated()))),
        // Equality of Booleans is a negated exclusive or.
        Op::Xor => {
            for [one, other] in [[args[0], args[1]], [args[1], args[0]]] {
                if terms.op(one) == Op::Input {
                    found.push((one.node_term(), other.negate_if(!assertion.is_negated() ^ one.is_negated())));
                }
            }
        }
        Op::Eq if !assertion.is_negated() => {
            for [one, other] in [[args[0], args[1]], [args[1], args[0]]] {
                isolate(terms, one, other, &mut found);
            }
        }
        _ => {}
    }
    found
}

/// From `side == other` to `input == ...`: sums and negations move to the other side.
fn isolate(terms: &mut Terms, side: Term, other: Term, found: &mut Vec<(Term, Term)>) {
    let args = terms.args(side);
    match terms.op(side) {
        Op::Input => found.push((side, other)),
        Op::Not if terms.op(args[0]) == Op::Input => {
            let inverted = terms.not(other);
            found.push((args[0], inverted));
        }
        Op::Neg if terms.op(args[0]) == Op::Input => {
            let negated = terms.neg(other);
            found.push((args[0], negated));
        }
        Op::Add => {
            for [one, rest] in [[args[0], args[1]], [args[1], args[0]]] {
                if terms.op(one) == Op::Input {
                    let difference = terms.sub(other, rest);
                    found.push((one, difference));
                }
            }
        }
        _ => {}
    }
}
