//! Rules for sums and products.

use super::{Level, Rule, rule};
use crate::arena::Terms;
use crate::node::{Node, Op, Term};

pub(super) const ADD: &[Rule] =
    &[rule("add-zero", Level::Zero, add_zero), rule("add-negation", Level::Zero, add_negation)];

pub(super) const NEG: &[Rule] = &[rule("neg-neg", Level::Zero, neg_neg)];

pub(super) const MUL: &[Rule] = &[rule("mul-zero", Level::Zero, mul_zero), rule("mul-one", Level::Zero, mul_one)];

/// match: `0 + x`
/// result: `x`
fn add_zero(terms: &mut Terms, node: &Node) -> Option<Term> {
    terms.constant_value(node.args[0])?.is_zero().then_some(node.args[1])
}

/// match: `x + -x`
/// result: `0`
fn add_negation(terms: &mut Terms, node: &Node) -> Option<Term> {
    let [left, right, _] = node.args;
    let is_negation = |terms: &Terms, term: Term, of: Term| terms.op(term) == Op::Neg && terms.args(term)[0] == of;
    (is_negation(terms, left, right) || is_negation(terms, right, left)).then(|| terms.constant(node.sort, 0))
}

/// match: `--x`
/// result: `x`
fn neg_neg(terms: &mut Terms, node: &Node) -> Option<Term> {
    let inner = terms.node(node.args[0]);
    (inner.op == Op::Neg).then(|| inner.args[0])
}

/// match: `0 * x`
/// result: `0`
fn mul_zero(terms: &mut Terms, node: &Node) -> Option<Term> {
    terms.constant_value(node.args[0])?.is_zero().then_some(node.args[0])
}

/// match: `1 * x`
/// result: `x`
fn mul_one(terms: &mut Terms, node: &Node) -> Option<Term> {
    (terms.constant_u128(node.args[0])? == 1).then_some(node.args[1])
}
