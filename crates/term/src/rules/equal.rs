//! Rules for equality of words wider than 1: what is equal on both sides goes, what is around an unknown is undone.

use super::{Level, Rule, rule};
use crate::arena::Terms;
use crate::node::{Node, Op, Term};

pub(super) const EQ: &[Rule] = &[
    rule("eq-same", Level::Zero, eq_same),
    rule("eq-different", Level::Zero, eq_different),
    rule("eq-inverted", Level::Zero, eq_inverted),
    rule("eq-inverted-constant", Level::Zero, eq_inverted_constant),
    rule("eq-add-constant", Level::Zero, eq_add_constant),
    rule("eq-xor-constant", Level::Zero, eq_xor_constant),
    rule("eq-mul-odd", Level::Zero, eq_mul_odd),
    rule("eq-cancel", Level::Zero, eq_cancel),
    rule("eq-cancel-one", Level::Zero, eq_cancel_one),
    rule("eq-concat", Level::Zero, eq_concat),
    rule("eq-extension", Level::Zero, eq_extension),
    rule("eq-zext-constant", Level::Zero, eq_zext_constant),
    rule("eq-sext-constant", Level::Zero, eq_sext_constant),
    rule("eq-ite-constants", Level::One, eq_ite_constants),
    rule("eq-ite-branch", Level::One, eq_ite_branch),
];

/// match: `x == x`
/// result: true
fn eq_same(_: &mut Terms, node: &Node) -> Option<Term> {
    (node.args[0] == node.args[1]).then_some(Term::TRUE)
}

/// match: `c + x == d + x`, `x == ~x`
/// result: false
/// condition: `c` and `d` differ
fn eq_different(terms: &mut Terms, node: &Node) -> Option<Term> {
    terms.are_different_by_shape(node.args[0], node.args[1]).then_some(Term::FALSE)
}

/// match: `~x == ~y`, `-x == -y`
/// result: `x == y`
fn eq_inverted(terms: &mut Terms, node: &Node) -> Option<Term> {
    for op in [Op::Not, Op::Neg] {
        if let (Some(left), Some(right)) = (terms.matches(node.args[0], op), terms.matches(node.args[1], op)) {
            return Some(terms.eq(left[0], right[0]));
        }
    }
    None
}

/// match: `c == ~x`, `c == -x`
/// result: `~c == x`, `-c == x`
fn eq_inverted_constant(terms: &mut Terms, node: &Node) -> Option<Term> {
    let constant = terms.constant_value(node.args[0])?;
    if let Some(inner) = terms.matches(node.args[1], Op::Not) {
        let constant = terms.constant_bits(&constant.not());
        return Some(terms.eq(constant, inner[0]));
    }
    let inner = terms.matches(node.args[1], Op::Neg)?[0];
    let constant = terms.constant_bits(&constant.neg());
    Some(terms.eq(constant, inner))
}

/// match: `c == d + x`
/// result: `c - d == x`
fn eq_add_constant(terms: &mut Terms, node: &Node) -> Option<Term> {
    let outer = terms.constant_value(node.args[0])?;
    let (inner, rest) = terms.matches_constant_first(node.args[1], Op::Add)?;
    let constant = terms.constant_bits(&outer.sub(&inner));
    Some(terms.eq(constant, rest))
}

/// match: `c == d ^ x`
/// result: `c ^ d == x`
fn eq_xor_constant(terms: &mut Terms, node: &Node) -> Option<Term> {
    let outer = terms.constant_value(node.args[0])?;
    let (inner, rest) = terms.matches_constant_first(node.args[1], Op::Xor)?;
    let constant = terms.constant_bits(&outer.xor(&inner));
    Some(terms.eq(constant, rest))
}

/// match: `c == d * x`
/// result: `c / d == x`, modulo the width
/// condition: `d` is odd
fn eq_mul_odd(terms: &mut Terms, node: &Node) -> Option<Term> {
    let outer = terms.constant_value(node.args[0])?;
    let (factor, rest) = terms.matches_constant_first(node.args[1], Op::Mul)?;
    if !factor.bit(0) {
        return None;
    }
    let constant = terms.constant_bits(&outer.mul(&factor.inverse()));
    Some(terms.eq(constant, rest))
}

/// match: `x + y == x + z`, `x ^ y == x ^ z`
/// result: `y == z`
fn eq_cancel(terms: &mut Terms, node: &Node) -> Option<Term> {
    for op in [Op::Add, Op::Xor] {
        let (Some(left), Some(right)) = (terms.matches(node.args[0], op), terms.matches(node.args[1], op)) else {
            continue;
        };
        for [one, left_rest] in [[left[0], left[1]], [left[1], left[0]]] {
            if let Some(position) = right.iter().position(|&other| other == one) {
                return Some(terms.eq(left_rest, right[1 - position]));
            }
        }
    }
    None
}

/// match: `x == x + y`, `x == x ^ y`
/// result: `0 == y`
fn eq_cancel_one(terms: &mut Terms, node: &Node) -> Option<Term> {
    for op in [Op::Add, Op::Xor] {
        for (one, other) in [(node.args[0], node.args[1]), (node.args[1], node.args[0])] {
            let Some(args) = terms.matches(other, op) else { continue };
            if let Some(position) = args.iter().position(|&arg| arg == one) {
                return Some(terms.is_zero(args[1 - position]));
            }
        }
    }
    None
}

/// match: `x :: y == z :: w`, `c == x :: y`
/// result: `x == z & y == w`
/// condition: the parts have the same widths, or one side is constant
fn eq_concat(terms: &mut Terms, node: &Node) -> Option<Term> {
    let [left, right, _] = node.args;
    let parts = terms.matches(right, Op::Concat)?;
    let boundary = terms.width(parts[1]);
    let is_split = terms.matches(left, Op::Concat).is_some_and(|parts| terms.width(parts[1]) == boundary);
    if !is_split && !terms.is_constant(left) {
        return None;
    }
    let width = terms.width(left);
    let (high, low) = (terms.extract(left, width - 1, boundary), terms.extract(left, boundary - 1, 0));
    let (highs, lows) = (terms.eq(high, parts[0]), terms.eq(low, parts[1]));
    Some(terms.and(highs, lows))
}

/// match: `zext(x) == zext(y)`, `sext(x) == sext(y)`
/// result: `x == y`, the narrower one extended
fn eq_extension(terms: &mut Terms, node: &Node) -> Option<Term> {
    for op in [Op::Zext, Op::Sext] {
        let (Some(left), Some(right)) = (terms.matches(node.args[0], op), terms.matches(node.args[1], op)) else {
            continue;
        };
        let width = terms.width(left[0]).max(terms.width(right[0]));
        let mut extended = |term: Term| if op == Op::Zext { terms.zext(term, width) } else { terms.sext(term, width) };
        let (left, right) = (extended(left[0]), extended(right[0]));
        return Some(terms.eq(left, right));
    }
    None
}

/// match: `c == zext(x)`
/// result: `c[low] == x`, or false if `c` has ones above
fn eq_zext_constant(terms: &mut Terms, node: &Node) -> Option<Term> {
    let constant = terms.constant_value(node.args[0])?;
    let inner = terms.matches(node.args[1], Op::Zext)?[0];
    let low = constant.extract(terms.width(inner) - 1, 0);
    if low.zext(constant.width()) != constant {
        return Some(Term::FALSE);
    }
    let low = terms.constant_bits(&low);
    Some(terms.eq(low, inner))
}

/// match: `c == sext(x)`
/// result: `c[low] == x`, or false if `c` has other bits above than its sign there
fn eq_sext_constant(terms: &mut Terms, node: &Node) -> Option<Term> {
    let constant = terms.constant_value(node.args[0])?;
    let inner = terms.matches(node.args[1], Op::Sext)?[0];
    let low = constant.extract(terms.width(inner) - 1, 0);
    if low.sext(constant.width()) != constant {
        return Some(Term::FALSE);
    }
    let low = terms.constant_bits(&low);
    Some(terms.eq(low, inner))
}

/// match: `c == ite(x, d, e)`, branches nested
/// result: the condition under which a branch is `c`
/// condition: at most four branches, all constant
fn eq_ite_constants(terms: &mut Terms, node: &Node) -> Option<Term> {
    terms.constant_value(node.args[0])?;
    let constant = node.args[0];
    terms.guard_of_leaves(node.args[1], &mut |_, leaf| if leaf == constant { Term::TRUE } else { Term::FALSE })
}

/// match: `x == ite(y, x, z)`, `x == ite(y, z, x)`
/// result: `y | x == z`, `~y | x == z`
fn eq_ite_branch(terms: &mut Terms, node: &Node) -> Option<Term> {
    for (one, other) in [(node.args[0], node.args[1]), (node.args[1], node.args[0])] {
        let Some(args) = terms.matches(other, Op::Ite) else { continue };
        if args[1] == one {
            let rest = terms.eq(one, args[2]);
            return Some(terms.or(args[0], rest));
        }
        if args[2] == one {
            let rest = terms.eq(one, args[1]);
            return Some(terms.or(args[0].negate_if(true), rest));
        }
    }
    None
}
