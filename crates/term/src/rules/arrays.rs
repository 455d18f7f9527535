//! Rules for arrays: read over write where the indices are equal or never are (McCarthy's axioms, 1962).

use super::{Level, Rule, rule};
use crate::arena::Terms;
use crate::node::{Node, Op, Term};

pub(super) const SELECT: &[Rule] = &[
    rule("select-const-array", Level::Zero, select_const_array),
    rule("select-stored", Level::Zero, select_stored),
    rule("select-past-stores", Level::Zero, select_past_stores),
];

pub(super) const STORE: &[Rule] = &[
    rule("store-store", Level::Zero, store_store),
    rule("store-selected", Level::Zero, store_selected),
    rule("store-const-array", Level::Zero, store_const_array),
];

pub(super) const FILL: &[Rule] =
    &[rule("fill-nothing", Level::Zero, fill_nothing), rule("fill-one", Level::Zero, fill_one)];

pub(super) const COPY: &[Rule] =
    &[rule("copy-nothing", Level::Zero, copy_nothing), rule("copy-one", Level::Zero, copy_one)];

/// How many writes a read looks through; what is further away is left to the solver.
const MAX_STORES: usize = 1024;

/// match: `const(x)[i]`
/// result: `x`
fn select_const_array(terms: &mut Terms, node: &Node) -> Option<Term> {
    Some(terms.matches(node.args[0], Op::ConstArray)?[0])
}

/// match: `store(a, i, x)[i]`
/// result: `x`
fn select_stored(terms: &mut Terms, node: &Node) -> Option<Term> {
    let store = terms.matches(node.args[0], Op::Store)?;
    (store[1] == node.args[1]).then_some(store[2])
}

/// match: `store(a, i, x)[j]`
/// result: `a[j]`, past as many writes as possible
/// condition: `i` and `j` are never equal
fn select_past_stores(terms: &mut Terms, node: &Node) -> Option<Term> {
    let [start, index, _] = node.args;
    let mut array = start;
    for _ in 0..MAX_STORES {
        let Some(store) = terms.matches(array, Op::Store) else { break };
        if !terms.are_different(store[1], index) {
            break;
        }
        array = store[0];
    }
    (array != start).then(|| terms.select(array, index))
}

/// match: `store(store(a, i, _), i, x)`
/// result: `store(a, i, x)`
fn store_store(terms: &mut Terms, node: &Node) -> Option<Term> {
    let inner = terms.matches(node.args[0], Op::Store)?;
    (inner[1] == node.args[1]).then(|| terms.store(inner[0], node.args[1], node.args[2]))
}

/// match: `store(a, i, a[i])`
/// result: `a`
fn store_selected(terms: &mut Terms, node: &Node) -> Option<Term> {
    let select = terms.matches(node.args[2], Op::Select)?;
    (select[0] == node.args[0] && select[1] == node.args[1]).then_some(node.args[0])
}

/// match: `store(const(x), i, x)`
/// result: `const(x)`
fn store_const_array(terms: &mut Terms, node: &Node) -> Option<Term> {
    let inner = terms.matches(node.args[0], Op::ConstArray)?;
    (inner[0] == node.args[2]).then_some(node.args[0])
}

/// match: `fill(a, i, 0, x)`
/// result: `a`
fn fill_nothing(terms: &mut Terms, node: &Node) -> Option<Term> {
    terms.constant_value(node.args[2])?.is_zero().then_some(node.args[0])
}

/// match: `fill(a, i, 1, x)`
/// result: `store(a, i, x)`
fn fill_one(terms: &mut Terms, node: &Node) -> Option<Term> {
    let args = node.args();
    (terms.constant_u128(args[2])? == 1).then(|| terms.store(args[0], args[1], args[3]))
}

/// match: `copy(a, i, b, j, 0)`
/// result: `a`
fn copy_nothing(terms: &mut Terms, node: &Node) -> Option<Term> {
    terms.constant_value(node.args()[4])?.is_zero().then_some(node.args[0])
}

/// match: `copy(a, i, b, j, 1)`
/// result: `store(a, i, b[j])`
fn copy_one(terms: &mut Terms, node: &Node) -> Option<Term> {
    let args = node.args();
    if terms.constant_u128(args[4])? != 1 {
        return None;
    }
    let element = terms.select(args[2], args[3]);
    Some(terms.store(args[0], args[1], element))
}
