//! Rules for orders, unsigned and signed.

use std::cmp::Ordering;

use super::{Level, Rule, rule};
use crate::arena::Terms;
use crate::bits::BitVec;
use crate::node::{Node, Op, Term};

pub(super) const LESS: &[Rule] = &[
    rule("less-same", Level::Zero, less_same),
    rule("less-inverted", Level::Zero, less_inverted),
    rule("less-extreme", Level::Zero, less_extreme),
    rule("less-next-to-extreme", Level::Zero, less_next_to_extreme),
    rule("less-sign", Level::Zero, less_sign),
    rule("less-extension", Level::Zero, less_extension),
    rule("less-extension-constant", Level::Zero, less_extension_constant),
    rule("less-concat", Level::Zero, less_concat),
    rule("less-ite-constants", Level::One, less_ite_constants),
];

/// How the order of a node compares two constants.
fn order(op: Op, left: &BitVec, right: &BitVec) -> Ordering {
    if op == Op::Slt { left.scmp(right) } else { left.ucmp(right) }
}

/// The least and the greatest number of an order.
fn extremes(op: Op, width: u32) -> (BitVec, BitVec) {
    let least = if op == Op::Slt { BitVec::least(width) } else { BitVec::zero(width) };
    let greatest = least.not();
    (least, greatest)
}

impl Terms {
    /// `left < right` in the order of an operation.
    pub(super) fn less(&mut self, op: Op, left: Term, right: Term) -> Term {
        if op == Op::Slt { self.slt(left, right) } else { self.ult(left, right) }
    }

    /// The condition under which a tree of choices ends in a constant with some property; `None` if it has more than four
    /// branches or one that is not constant.
    pub(super) fn guard_of_leaves(
        &mut self,
        tree: Term,
        property: &mut dyn FnMut(&mut Terms, Term) -> Term,
    ) -> Option<Term> {
        self.matches(tree, Op::Ite)?;
        (self.constant_leaves(tree, 4)? <= 4).then(|| self.guard_below(tree, property))
    }

    /// How many leaves a tree has, if they are constants and at most `most`.
    fn constant_leaves(&self, tree: Term, most: usize) -> Option<usize> {
        if self.is_constant(tree) {
            return Some(1);
        }
        let args = self.matches(tree, Op::Ite).filter(|_| most > 1)?;
        let left = self.constant_leaves(args[1], most - 1)?;
        let right = self.constant_leaves(args[2], most - left)?;
        Some(left + right)
    }

    fn guard_below(&mut self, tree: Term, property: &mut dyn FnMut(&mut Terms, Term) -> Term) -> Term {
        if self.is_constant(tree) {
            return property(self, tree);
        }
        let args = self.args(tree);
        let (then, otherwise) = (self.guard_below(args[1], property), self.guard_below(args[2], property));
        self.ite(args[0], then, otherwise)
    }
}

/// match: `x < x`
/// result: false
fn less_same(_: &mut Terms, node: &Node) -> Option<Term> {
    (node.args[0] == node.args[1]).then_some(Term::FALSE)
}

/// match: `~x < ~y`, `c < ~x`, `~x < c`
/// result: `y < x`, `x < ~c`, `~c < x`
fn less_inverted(terms: &mut Terms, node: &Node) -> Option<Term> {
    let [left, right, _] = node.args;
    let inverted = |terms: &Terms, term: Term| terms.matches(term, Op::Not).map(|args| args[0]);
    let (left, right) = match (inverted(terms, left), inverted(terms, right)) {
        (None, None) => return None,
        (Some(left), Some(right)) => (left, right),
        (Some(left), None) => (left, terms.is_constant(right).then(|| terms.not(right))?),
        (None, Some(right)) => (terms.is_constant(left).then(|| terms.not(left))?, right),
    };
    Some(terms.less(node.op, right, left))
}

/// match: `x < least`, `greatest < x`, `least < x`, `x < greatest`
/// result: false, false, `x != least`, `x != greatest`
fn less_extreme(terms: &mut Terms, node: &Node) -> Option<Term> {
    let [left, right, _] = node.args;
    let (least, greatest) = extremes(node.op, terms.width(left));
    if let Some(constant) = terms.constant_value(left) {
        if constant == greatest {
            return Some(Term::FALSE);
        }
        return (constant == least).then(|| terms.eq(left, right).negate_if(true));
    }
    let constant = terms.constant_value(right)?;
    if constant == least {
        return Some(Term::FALSE);
    }
    (constant == greatest).then(|| terms.eq(left, right).negate_if(true))
}

/// match: `x < least + 1`, `greatest - 1 < x`
/// result: `x == least`, `x == greatest`
fn less_next_to_extreme(terms: &mut Terms, node: &Node) -> Option<Term> {
    let [left, right, _] = node.args;
    let (least, greatest) = extremes(node.op, terms.width(left));
    let one = BitVec::one(least.width());
    let (unknown, extreme) = match (terms.constant_value(left), terms.constant_value(right)) {
        (Some(constant), None) if constant.add(&one) == greatest => (right, greatest),
        (None, Some(constant)) if constant.sub(&one) == least => (left, least),
        _ => return None,
    };
    let extreme = terms.constant_bits(&extreme);
    Some(terms.eq(extreme, unknown))
}

/// match: `x < 0` and `-1 < x`, signed; `x < 100..0` and `011..1 < x`, unsigned
/// result: the sign of `x`, or its negation
fn less_sign(terms: &mut Terms, node: &Node) -> Option<Term> {
    let [left, right, _] = node.args;
    let width = terms.width(left);
    // The least number whose sign is the one that comes later in this order.
    let boundary = if node.op == Op::Slt { BitVec::zero(width) } else { BitVec::least(width) };
    if terms.constant_value(right).is_some_and(|constant| constant == boundary) {
        let sign = terms.sign(left);
        return Some(sign.negate_if(node.op == Op::Ult));
    }
    let constant = terms.constant_value(left)?;
    if constant.add(&BitVec::one(width)) != boundary {
        return None;
    }
    let sign = terms.sign(right);
    Some(sign.negate_if(node.op == Op::Slt))
}

/// match: `zext(x) < zext(y)`, `sext(x) < sext(y)`
/// result: `x < y`, the narrower one extended; unsigned if zeros were above
fn less_extension(terms: &mut Terms, node: &Node) -> Option<Term> {
    for op in [Op::Zext, Op::Sext] {
        let (Some(left), Some(right)) = (terms.matches(node.args[0], op), terms.matches(node.args[1], op)) else {
            continue;
        };
        let width = terms.width(left[0]).max(terms.width(right[0]));
        if op == Op::Zext {
            let (left, right) = (terms.zext(left[0], width), terms.zext(right[0], width));
            return Some(terms.ult(left, right));
        }
        let (left, right) = (terms.sext(left[0], width), terms.sext(right[0], width));
        return Some(terms.less(node.op, left, right));
    }
    None
}

/// match: `zext(x) < c`, `c < zext(x)`, `sext(x) < c`, `c < sext(x)`
/// result: `x` compared with the lower part of `c`, or a constant where `c` lies outside of the numbers that `x` has
/// condition: for `sext`, the order is signed
fn less_extension_constant(terms: &mut Terms, node: &Node) -> Option<Term> {
    let [left, right, _] = node.args;
    let (constant, extended) = match (terms.constant_value(left), terms.constant_value(right)) {
        (Some(constant), None) => (constant, right),
        (None, Some(constant)) => (constant, left),
        _ => return None,
    };
    let op = terms.op(extended);
    let inner = match op {
        Op::Zext => terms.matches(extended, op)?[0],
        Op::Sext if node.op == Op::Slt => terms.matches(extended, op)?[0],
        _ => return None,
    };
    let width = constant.width();
    let extend = |value: &BitVec| if op == Op::Zext { value.zext(width) } else { value.sext(width) };
    let (least, greatest) = extremes(if op == Op::Zext { Op::Ult } else { Op::Slt }, terms.width(inner));
    let is_constant_left = extended == right;
    if order(node.op, &constant, &extend(&least)) == Ordering::Less {
        return Some(terms.constant_of_bool(is_constant_left));
    }
    if order(node.op, &constant, &extend(&greatest)) == Ordering::Greater {
        return Some(terms.constant_of_bool(!is_constant_left));
    }
    let low = terms.constant_bits(&constant.extract(least.width() - 1, 0));
    let inner_order = if op == Op::Zext { Op::Ult } else { Op::Slt };
    let (left, right) = if is_constant_left { (low, inner) } else { (inner, low) };
    Some(terms.less(inner_order, left, right))
}

/// match: `x :: y < x :: z`, `x :: y < z :: y`
/// result: `y < z` unsigned, `x < z` in the same order
fn less_concat(terms: &mut Terms, node: &Node) -> Option<Term> {
    let (left, right) = (terms.matches(node.args[0], Op::Concat)?, terms.matches(node.args[1], Op::Concat)?);
    if left[0] == right[0] {
        return Some(terms.ult(left[1], right[1]));
    }
    (left[1] == right[1]).then(|| terms.less(node.op, left[0], right[0]))
}

/// match: `ite(x, d, e) < c`, `c < ite(x, d, e)`, branches nested
/// result: the condition under which the comparison holds
/// condition: at most four branches, all constant
fn less_ite_constants(terms: &mut Terms, node: &Node) -> Option<Term> {
    let [left, right, _] = node.args;
    if terms.is_constant(left) {
        return terms.guard_of_leaves(right, &mut |terms, leaf| terms.less(node.op, left, leaf));
    }
    if !terms.is_constant(right) {
        return None;
    }
    terms.guard_of_leaves(left, &mut |terms, leaf| terms.less(node.op, leaf, right))
}
