//! Rules for bit-by-bit operations, from Boolean algebra.

use super::{Level, Rule, rule};
use crate::arena::Terms;
use crate::node::{Node, Op, Term};

pub(super) const NOT: &[Rule] = &[rule("not-not", Level::Zero, not_not)];

pub(super) const AND: &[Rule] = &[
    rule("and-zero", Level::Zero, and_zero),
    rule("and-ones", Level::Zero, and_ones),
    rule("and-same", Level::Zero, and_same),
    rule("and-complement", Level::Zero, and_complement),
];

pub(super) const XOR: &[Rule] = &[rule("xor-same", Level::Zero, xor_same), rule("xor-zero", Level::Zero, xor_zero)];

/// match: `~~x`
/// result: `x`
fn not_not(terms: &mut Terms, node: &Node) -> Option<Term> {
    let inner = terms.node(node.args[0]);
    (inner.op == Op::Not).then(|| inner.args[0])
}

/// match: `0 & x`
/// result: `0`
fn and_zero(terms: &mut Terms, node: &Node) -> Option<Term> {
    terms.constant_value(node.args[0])?.is_zero().then_some(node.args[0])
}

/// match: `ones & x`
/// result: `x`
fn and_ones(terms: &mut Terms, node: &Node) -> Option<Term> {
    terms.constant_value(node.args[0])?.is_ones().then_some(node.args[1])
}

/// match: `x & x`
/// result: `x`
fn and_same(_: &mut Terms, node: &Node) -> Option<Term> {
    (node.args[0] == node.args[1]).then_some(node.args[0])
}

/// match: `x & ~x`
/// result: `0`
fn and_complement(terms: &mut Terms, node: &Node) -> Option<Term> {
    let are_complements = terms.not(node.args[0]) == node.args[1];
    are_complements.then(|| terms.constant(node.sort, 0))
}

/// match: `x ^ x`
/// result: `0`
fn xor_same(terms: &mut Terms, node: &Node) -> Option<Term> {
    (node.args[0] == node.args[1]).then(|| terms.constant(node.sort, 0))
}

/// match: `0 ^ x`
/// result: `x`
fn xor_zero(terms: &mut Terms, node: &Node) -> Option<Term> {
    terms.constant_value(node.args[0])?.is_zero().then_some(node.args[1])
}
