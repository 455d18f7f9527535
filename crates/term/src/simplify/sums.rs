//! Sums and products in one form: addends and factors sorted, equal ones counted, so that what is equal by commutativity,
//! associativity and distribution of constants is one term.

use std::collections::{BTreeMap, HashMap};

use foldhash::fast::FixedState;

use crate::arena::Terms;
use crate::bits::BitVec;
use crate::node::{Op, Term};

/// Longer sums are left alone.
const MAX_PARTS: usize = 32;

/// Normalises the outermost sums and products below the assertions.
pub fn normalise(terms: &mut Terms, assertions: &mut [Term]) {
    let cone = terms.cone(assertions);
    let mut uses: HashMap<Term, usize> = HashMap::new();
    for &term in &cone {
        let is_part = |op: Op| matches!(op, Op::Add | Op::Neg | Op::Mul);
        for arg in terms.args(term) {
            // A sum within a sum is taken apart with it, unless somebody else needs it.
            if !is_part(terms.op(term)) || terms.op(term) != terms.op(arg) {
                *uses.entry(arg.node_term()).or_default() += 2;
            } else {
                *uses.entry(arg.node_term()).or_default() += 1;
            }
        }
    }
    // Arguments first: each node is built again over what became of its arguments, and only then taken apart.
    let mut done: HashMap<Term, Term, FixedState> = HashMap::default();
    let became =
        |done: &HashMap<Term, Term, FixedState>, term: Term| done[&term.node_term()].negate_if(term.is_negated());
    for &term in &cone {
        let args = terms.args(term);
        let new: Vec<Term> = args.iter().map(|&arg| became(&done, arg)).collect();
        let rebuilt = if new[..] == args[..] { term } else { terms.rebuild(term, &new) };
        // A sum that only a sum uses is taken apart there.
        let is_inner = uses.get(&term) == Some(&1);
        let normal = match terms.op(rebuilt) {
            _ if is_inner => None,
            Op::Add => sum(terms, rebuilt),
            Op::Mul if terms.is_constant(terms.args(rebuilt)[0]) => sum(terms, rebuilt),
            Op::Mul => product(terms, rebuilt),
            _ => None,
        };
        done.insert(term, normal.unwrap_or(rebuilt));
    }
    for assertion in assertions {
        *assertion = became(&done, *assertion);
    }
}

/// `c + c1*x1 + c2*x2 + ...` with the terms in order; also of `c * (...)`.
fn sum(terms: &mut Terms, root: Term) -> Option<Term> {
    let width = terms.width(root);
    let mut constant = BitVec::zero(width);
    let mut parts: BTreeMap<Term, BitVec> = BTreeMap::new();
    let mut open = vec![(root, BitVec::one(width))];
    while let Some((term, factor)) = open.pop() {
        if parts.len() + open.len() > MAX_PARTS {
            return None;
        }
        let args = terms.args(term);
        if let Some(value) = terms.constant_value(term) {
            constant = constant.add(&factor.mul(&value));
            continue;
        }
        match terms.op(term) {
            Op::Add => open.extend(args.iter().map(|&arg| (arg, factor.clone()))),
            Op::Neg => open.push((args[0], factor.neg())),
            Op::Mul if terms.is_constant(args[0]) => {
                let value = terms.constant_value(args[0])?;
                open.push((args[1], factor.mul(&value)));
            }
            Op::Concat if scaled(terms, term).is_some() => {
                let (inner, power) = scaled(terms, term)?;
                open.push((inner, factor.mul(&power)));
            }
            _ => {
                let count = parts.entry(term).or_insert_with(|| BitVec::zero(width));
                *count = count.add(&factor);
            }
        }
    }
    // A factor that all have in common stays outside, as one multiplier.
    let common = parts.values().next().filter(|&first| parts.values().all(|factor| factor == first)).cloned();
    let one = BitVec::one(width);
    let mut total = None;
    for (term, factor) in parts {
        let part = times(terms, if common.is_some() { &one } else { &factor }, term);
        total = plus(terms, total, part);
    }
    let total = match (total, &common) {
        (Some(total), Some(common)) => times(terms, common, total),
        (total, _) => total,
    };
    let constant = (!constant.is_zero()).then(|| terms.constant_bits(&constant));
    let sum = match constant {
        Some(constant) => plus(terms, Some(constant), total),
        None => total,
    };
    Some(sum.unwrap_or_else(|| terms.constant(width, 0)))
}

/// Nothing for the factor 0, and no node for 1.
fn times(terms: &mut Terms, factor: &BitVec, term: Term) -> Option<Term> {
    if factor.is_zero() {
        return None;
    }
    if *factor == BitVec::one(factor.width()) {
        return Some(term);
    }
    if factor.is_ones() {
        return Some(terms.neg(term));
    }
    let factor = terms.constant_bits(factor);
    Some(terms.mul(factor, term))
}

fn plus(terms: &mut Terms, left: Option<Term>, right: Option<Term>) -> Option<Term> {
    match (left, right) {
        (Some(left), Some(right)) => Some(terms.add(left, right)),
        (one, other) => one.or(other),
    }
}

/// A word and the power of two that it is multiplied with: its lower part with zeros below.
fn scaled(terms: &Terms, term: Term) -> Option<(Term, BitVec)> {
    let parts = terms.args(term);
    let zeros = terms.constant_value(parts[1])?;
    let is_lower_part = terms.op(parts[0]) == Op::Extract && terms.extract_low(parts[0]) == 0;
    if !zeros.is_zero() || !is_lower_part || parts[0].is_negated() {
        return None;
    }
    let (word, width) = (terms.args(parts[0])[0], terms.width(term));
    let power = BitVec::one(width).shl(&BitVec::new(width, u128::from(zeros.width())));
    (terms.width(word) == width).then_some((word, power))
}

/// `c * x1 * x2 * ...` with the terms in order.
fn product(terms: &mut Terms, root: Term) -> Option<Term> {
    let width = terms.width(root);
    let mut constant = BitVec::one(width);
    let mut parts: Vec<Term> = Vec::new();
    let mut open = vec![root];
    while let Some(term) = open.pop() {
        if parts.len() + open.len() > MAX_PARTS {
            return None;
        }
        let args = terms.args(term);
        if let Some(value) = terms.constant_value(term) {
            constant = constant.mul(&value);
            continue;
        }
        match terms.op(term) {
            Op::Mul => open.extend(args.iter()),
            Op::Neg => {
                constant = constant.neg();
                open.push(args[0]);
            }
            _ => parts.push(term),
        }
    }
    parts.sort_unstable();
    let product = parts.into_iter().reduce(|left, right| terms.mul(left, right));
    match product {
        Some(product) => Some(times(terms, &constant, product).unwrap_or_else(|| terms.constant(width, 0))),
        None => Some(terms.constant_bits(&constant)),
    }
}
