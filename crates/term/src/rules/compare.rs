//! Rules for comparisons.

use super::{Level, Rule, rule};
use crate::arena::Terms;
use crate::node::{Node, Term};

pub(super) const EQ: &[Rule] = &[rule("eq-same", Level::Zero, eq_same)];

pub(super) const LESS: &[Rule] = &[rule("less-same", Level::Zero, less_same)];

/// match: `x == x`
/// result: true
fn eq_same(_: &mut Terms, node: &Node) -> Option<Term> {
    (node.args[0] == node.args[1]).then_some(Term::TRUE)
}

/// match: `x < x`, signed or not
/// result: false
fn less_same(_: &mut Terms, node: &Node) -> Option<Term> {
    (node.args[0] == node.args[1]).then_some(Term::FALSE)
}
