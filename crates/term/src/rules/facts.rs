//! Rules that use facts: comparisons decided by ranges, operations that change nothing, narrower words.

use super::{Level, Rule, rule};
use crate::arena::Terms;
use crate::bits::mask;
use crate::fact::Fact;
use crate::node::{Node, Op, Term};

pub(super) const EQ: &[Rule] = &[rule("eq-excluded", Level::One, eq_excluded)];

pub(super) const LESS: &[Rule] =
    &[rule("less-decided", Level::One, less_decided), rule("slt-same-sign", Level::One, slt_same_sign)];

pub(super) const AND: &[Rule] =
    &[rule("and-redundant", Level::One, and_redundant), rule("and-concat", Level::One, and_concat)];

pub(super) const SUM: &[Rule] = &[rule("narrow", Level::One, narrow)];

pub(super) const DIVIDE: &[Rule] =
    &[rule("urem-smaller", Level::One, urem_smaller), rule("narrow-quotient", Level::One, narrow)];

pub(super) const SEXT: &[Rule] = &[rule("sext-positive", Level::One, sext_positive)];

pub(super) const ASHR: &[Rule] = &[rule("ashr-positive", Level::One, ashr_positive)];

pub(super) const PRODUCT_OVERFLOW: &[Rule] = &[
    rule("umul-overflow-decided", Level::One, umul_overflow_decided),
    rule("smul-overflow-decided", Level::One, smul_overflow_decided),
];

fn facts_of_both(terms: &Terms, node: &Node) -> Option<[Fact; 2]> {
    Some([terms.fact(node.args[0])?, terms.fact(node.args[1])?])
}

/// match: `x == y`
/// result: false
/// condition: ranges, known bits or congruences exclude it
fn eq_excluded(terms: &mut Terms, node: &Node) -> Option<Term> {
    let [x, y] = facts_of_both(terms, node)?;
    x.excludes(&y).then_some(Term::FALSE)
}

/// match: `x < y`
/// result: true or false
/// condition: the ranges of that order decide it
fn less_decided(terms: &mut Terms, node: &Node) -> Option<Term> {
    let [x, y] = facts_of_both(terms, node)?;
    let (is_always, is_never) = match node.op {
        Op::Slt => (x.smax < y.smin, x.smin >= y.smax),
        _ => (x.umax < y.umin, x.umin >= y.umax),
    };
    (is_always || is_never).then(|| terms.constant_of_bool(is_always))
}

/// match: `x < y`, signed
/// result: `x < y`, unsigned
/// condition: both have one sign, which is known
fn slt_same_sign(terms: &mut Terms, node: &Node) -> Option<Term> {
    let [x, y] = facts_of_both(terms, node)?;
    let is_same = node.op == Op::Slt && x.sign().is_some() && x.sign() == y.sign();
    is_same.then(|| terms.ult(node.args[0], node.args[1]))
}

/// match: `x & y`
/// result: `x`
/// condition: `y` has ones wherever `x` may have some
fn and_redundant(terms: &mut Terms, node: &Node) -> Option<Term> {
    let [x, y] = facts_of_both(terms, node)?;
    let all = mask(x.width);
    if !x.zeros & all & !y.ones == 0 {
        return Some(node.args[0]);
    }
    (!y.zeros & all & !x.ones == 0).then_some(node.args[1])
}

/// match: `(x :: c) & (y :: z)` with any splits, or `(c :: x) & (y :: z)`
/// result: the conjunctions of the parts, joined
fn and_concat(terms: &mut Terms, node: &Node) -> Option<Term> {
    let [left, right, _] = node.args;
    for [one, other] in [[left, right], [right, left]] {
        let Some(parts) = terms.matches(one, Op::Concat) else { continue };
        let has_constant = terms.is_constant(parts[0]) || terms.is_constant(parts[1]);
        if !has_constant || terms.matches(other, Op::Concat).is_none() {
            continue;
        }
        let boundary = terms.width(parts[1]);
        let (high, low) = (terms.extract(other, node.sort - 1, boundary), terms.extract(other, boundary - 1, 0));
        let (high, low) = (terms.and(parts[0], high), terms.and(parts[1], low));
        return Some(terms.concat(high, low));
    }
    None
}

/// match: `zext(x) + zext(y)`, likewise `*`, `/`, `%`, with constants, too
/// result: the same in fewer bits, extended
/// condition: facts say that the upper bits of result and arguments are zero
fn narrow(terms: &mut Terms, node: &Node) -> Option<Term> {
    let is_small = |arg: Term| terms.is_constant(arg) || terms.op(arg) == Op::Zext;
    if !is_small(node.args[0]) || !is_small(node.args[1]) {
        return None;
    }
    let [x, y] = facts_of_both(terms, node)?;
    let result = crate::fact::transfer(node.op, node.sort, 0, &[x, y]);
    let needed = |fact: &Fact| fact.width - fact.leading_zeros();
    let width = needed(&x).max(needed(&y)).max(needed(&result)).max(2);
    if width >= node.sort {
        return None;
    }
    let (left, right) = (terms.extract(node.args[0], width - 1, 0), terms.extract(node.args[1], width - 1, 0));
    let inner = match node.op {
        Op::Add => terms.add(left, right),
        Op::Mul => terms.mul(left, right),
        Op::Udiv => terms.udiv(left, right),
        Op::Urem => terms.urem(left, right),
        _ => return None,
    };
    Some(terms.zext(inner, node.sort))
}

/// match: `x % y`
/// result: `x`
/// condition: `x` is always smaller
fn urem_smaller(terms: &mut Terms, node: &Node) -> Option<Term> {
    let [x, y] = facts_of_both(terms, node)?;
    (node.op == Op::Urem && x.umax < y.umin).then_some(node.args[0])
}

/// match: `sext(x)`
/// result: `zext(x)`
/// condition: `x` is never negative
fn sext_positive(terms: &mut Terms, node: &Node) -> Option<Term> {
    let is_positive = node.op == Op::Sext && terms.fact(node.args[0])?.sign() == Some(false);
    is_positive.then(|| terms.zext(node.args[0], node.sort))
}

/// match: `x >> y`, signed
/// result: `x >> y`, unsigned
/// condition: `x` is never negative
fn ashr_positive(terms: &mut Terms, node: &Node) -> Option<Term> {
    let is_positive = node.op == Op::Ashr && terms.fact(node.args[0])?.sign() == Some(false);
    is_positive.then(|| terms.lshr(node.args[0], node.args[1]))
}

/// match: `x * y` overflows, unsigned
/// result: true or false
/// condition: the product of the greatest fits, or that of the least does not
fn umul_overflow_decided(terms: &mut Terms, node: &Node) -> Option<Term> {
    if node.op != Op::UmulOverflow {
        return None;
    }
    let [x, y] = facts_of_both(terms, node)?;
    let fits = |a: u128, b: u128| a.checked_mul(b).is_some_and(|product| product <= mask(x.width));
    if fits(x.umax, y.umax) {
        return Some(Term::FALSE);
    }
    (!fits(x.umin, y.umin)).then_some(Term::TRUE)
}

/// match: `x * y` overflows, signed
/// result: false
/// condition: the products of the extremes fit
fn smul_overflow_decided(terms: &mut Terms, node: &Node) -> Option<Term> {
    if node.op != Op::SmulOverflow {
        return None;
    }
    let [x, y] = facts_of_both(terms, node)?;
    let whole = Fact::unknown(x.width);
    let fits = |a: i128, b: i128| a.checked_mul(b).is_some_and(|product| (whole.smin..=whole.smax).contains(&product));
    let all_fit = fits(x.smin, y.smin) && fits(x.smin, y.smax) && fits(x.smax, y.smin) && fits(x.smax, y.smax);
    all_fit.then_some(Term::FALSE)
}
