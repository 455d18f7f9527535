//! Inputs that occur once: below an operation that can give every value by it, both become one new input (Bruttomesso,
//! RTL Verification, 2008; Brummayer, 2009).

use std::collections::HashMap;

use super::{Simplified, Substitution};
use crate::arena::Terms;
use crate::bits::BitVec;
use crate::node::{Op, Sort, Term};

/// Removes what it can in one pass over the nodes, arguments first, so that new inputs free those above them.
pub fn remove(terms: &mut Terms, simplified: &mut Simplified) {
    let mut uses: HashMap<Term, usize> = HashMap::new();
    let cone = terms.cone(&simplified.assertions);
    for &term in &cone {
        for arg in terms.args(term) {
            *uses.entry(arg.node_term()).or_default() += 1;
        }
    }
    for &assertion in &simplified.assertions {
        *uses.entry(assertion.node_term()).or_default() += 1;
    }
    let mut pass = Pass { uses, fresh: HashMap::new(), definitions: Vec::new() };
    let mut replaced = Substitution::new();
    for term in cone {
        if let Some(replacement) = pass.replacement(terms, term) {
            // A conjunction with what is possible is not as free as an input.
            if terms.op(replacement) == Op::Input {
                pass.fresh.insert(term, replacement);
            }
            replaced.insert(term, replacement);
        }
    }
    if replaced.is_empty() {
        return;
    }
    for (input, definition) in pass.definitions {
        // What stands beside the input may have been replaced, too.
        let definition = replaced.apply(terms, definition);
        simplified.definitions.push((terms.input_of(input), definition));
        simplified.counts.unconstrained += 1;
    }
    let assertions = std::mem::take(&mut simplified.assertions);
    simplified.assertions = assertions.into_iter().map(|assertion| replaced.apply(terms, assertion)).collect();
}

struct Pass {
    uses: HashMap<Term, usize>,
    /// Nodes that are as good as an input now, with that input.
    fresh: HashMap<Term, Term>,
    definitions: Vec<(Term, Term)>,
}

impl Pass {
    /// The input that an argument is, if it occurs nowhere else and was no Boolean's negation.
    fn free(&self, terms: &Terms, arg: Term) -> Option<Term> {
        let node = arg.node_term();
        if self.uses.get(&node) != Some(&1) {
            return None;
        }
        match terms.op(node) {
            Op::Input => Some(node),
            _ => self.fresh.get(&node).copied(),
        }
    }

    /// What replaces a node: a new input, or with orders that input where both answers are possible.
    fn replacement(&mut self, terms: &mut Terms, term: Term) -> Option<Term> {
        let args = terms.args(term);
        let free: Vec<Option<Term>> = args.iter().map(|&arg| self.free(terms, arg)).collect();
        match terms.op(term) {
            Op::Not | Op::Neg | Op::Extract => self.unary(terms, term, args[0], free[0]?),
            Op::Add | Op::Xor | Op::Mul | Op::Eq => {
                let position = free.iter().position(Option::is_some)?;
                let (arg, input) = (args[position], free[position]?);
                self.binary(terms, term, arg, input, args[1 - position])
            }
            Op::Ult | Op::Slt => {
                let position = free.iter().position(Option::is_some)?;
                self.order(terms, term, position, free[position]?, args[1 - position])
            }
            Op::And => {
                let (left, right) = (free[0]?, free[1]?);
                if args[0].is_negated() || args[1].is_negated() {
                    return None;
                }
                let fresh = self.new_input(terms, term);
                let ones = terms.constant_bits(&BitVec::ones(terms.width(term)));
                self.definitions.push((left, fresh));
                self.definitions.push((right, ones));
                Some(fresh)
            }
            Op::Concat => {
                let (high, low) = (free[0]?, free[1]?);
                if args[0].is_negated() || args[1].is_negated() {
                    return None;
                }
                let fresh = self.new_input(terms, term);
                let (width, boundary) = (terms.width(term), terms.width(low));
                let (upper, lower) = (terms.extract(fresh, width - 1, boundary), terms.extract(fresh, boundary - 1, 0));
                self.definitions.push((high, upper));
                self.definitions.push((low, lower));
                Some(fresh)
            }
            Op::Select => {
                let array = free[0]?;
                let fresh = self.new_input(terms, term);
                let (index_width, element_width) = terms.array_widths(array);
                let zero = terms.constant(element_width, 0);
                let zeros = terms.const_array(index_width, zero);
                let definition = terms.store(zeros, args[1], fresh);
                self.definitions.push((array, definition));
                Some(fresh)
            }
            _ => None,
        }
    }

    fn new_input(&mut self, terms: &mut Terms, term: Term) -> Term {
        terms.fresh_input("free", terms.sort(term))
    }

    fn unary(&mut self, terms: &mut Terms, term: Term, arg: Term, input: Term) -> Option<Term> {
        if arg.is_negated() {
            return None;
        }
        let fresh = self.new_input(terms, term);
        let definition = match terms.op(term) {
            Op::Not => terms.not(fresh),
            Op::Neg => terms.neg(fresh),
            _ => {
                let (width, low) = (terms.width(input), terms.extract_low(term));
                let wide = terms.zext(fresh, width);
                terms.shifted_up(wide, low)
            }
        };
        self.definitions.push((input, definition));
        Some(fresh)
    }

    fn binary(&mut self, terms: &mut Terms, term: Term, arg: Term, input: Term, other: Term) -> Option<Term> {
        let op = terms.op(term);
        if op == Op::Mul && !terms.constant_value(other).is_some_and(|factor| factor.bit(0)) {
            return None;
        }
        let fresh = self.new_input(terms, term);
        let definition = match op {
            Op::Add => terms.sub(fresh, other),
            Op::Xor => terms.xor(fresh, other).negate_if(arg.is_negated()),
            Op::Mul => {
                let factor = terms.constant_value(other)?;
                let inverse = terms.constant_bits(&factor.inverse());
                terms.mul(inverse, fresh)
            }
            _ => {
                let one = terms.constant(terms.width(other), 1);
                let another = terms.xor(other, one);
                terms.ite(fresh, other, another)
            }
        };
        self.definitions.push((input, definition));
        Some(fresh)
    }

    /// `x < t` can be true if `t` is not the least number, and false always; `t < x` if `t` is not the greatest.
    fn order(&mut self, terms: &mut Terms, term: Term, position: usize, input: Term, other: Term) -> Option<Term> {
        let width = terms.width(input);
        let least = if terms.op(term) == Op::Slt { BitVec::least(width) } else { BitVec::zero(width) };
        let (least, greatest) = (terms.constant_bits(&least), terms.constant_bits(&least.not()));
        let (if_true, if_false) = if position == 0 { (least, greatest) } else { (greatest, least) };
        let fresh = terms.fresh_input("free", Sort::BOOL);
        let is_impossible = terms.eq(other, if_true);
        let replacement = terms.and(fresh, is_impossible.negate_if(true));
        let definition = terms.ite(fresh, if_true, if_false);
        self.definitions.push((input, definition));
        Some(replacement)
    }
}
