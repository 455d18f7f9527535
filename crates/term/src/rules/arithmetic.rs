//! Rules for sums and products: constants move to the front, negations to the outside.

use super::{Level, Rule, rule};
use crate::arena::Terms;
use crate::bits::BitVec;
use crate::node::{Node, Op, Term};

pub(super) const ADD: &[Rule] = &[
    rule("add-zero", Level::Zero, add_zero),
    rule("add-opposite", Level::Zero, add_opposite),
    rule("add-complement", Level::Zero, add_complement),
    rule("add-constants", Level::Zero, add_constants),
    rule("add-not", Level::Zero, add_not),
    rule("add-cancel", Level::Zero, add_cancel),
    rule("add-negs", Level::Zero, add_negs),
    rule("add-lift", Level::Zero, add_lift),
];

pub(super) const NEG: &[Rule] = &[
    rule("neg-neg", Level::Zero, neg_neg),
    rule("neg-not", Level::Zero, neg_not),
    rule("neg-add-constant", Level::Zero, neg_add_constant),
    rule("neg-difference", Level::Zero, neg_difference),
    rule("neg-mul-constant", Level::Zero, neg_mul_constant),
];

pub(super) const MUL: &[Rule] = &[
    rule("mul-zero", Level::Zero, mul_zero),
    rule("mul-one", Level::Zero, mul_one),
    rule("mul-minus-one", Level::Zero, mul_minus_one),
    rule("mul-constants", Level::Zero, mul_constants),
    rule("mul-distribute", Level::Zero, mul_distribute),
    rule("mul-negs", Level::Zero, mul_negs),
    rule("mul-neg", Level::Zero, mul_neg),
    rule("mul-power", Level::Zero, mul_power),
];

pub(super) const UMUL_OVERFLOW: &[Rule] = &[rule("umul-overflow-constant", Level::Zero, umul_overflow_constant)];

pub(super) const SMUL_OVERFLOW: &[Rule] = &[
    rule("smul-overflow-small", Level::Zero, smul_overflow_small),
    rule("smul-overflow-constant", Level::Zero, smul_overflow_constant),
];

/// match: `0 + x`
/// result: `x`
fn add_zero(terms: &mut Terms, node: &Node) -> Option<Term> {
    terms.constant_value(node.args[0])?.is_zero().then_some(node.args[1])
}

/// match: `x + -x`
/// result: `0`
fn add_opposite(terms: &mut Terms, node: &Node) -> Option<Term> {
    terms.are_opposites(node.args[0], node.args[1]).then(|| terms.constant(node.sort, 0))
}

/// match: `x + ~x`
/// result: all ones
fn add_complement(terms: &mut Terms, node: &Node) -> Option<Term> {
    let are_complements = terms.are_complements(node.args[0], node.args[1]);
    are_complements.then(|| terms.constant_bits(&BitVec::ones(node.sort)))
}

/// match: `c + (d + x)`
/// result: `(c + d) + x`
fn add_constants(terms: &mut Terms, node: &Node) -> Option<Term> {
    let outer = terms.constant_value(node.args[0])?;
    let (inner, rest) = terms.matches_constant_first(node.args[1], Op::Add)?;
    let constant = terms.constant_bits(&outer.add(&inner));
    Some(terms.add(constant, rest))
}

/// match: `x + ~y`
/// result: `-1 + (x - y)`
fn add_not(terms: &mut Terms, node: &Node) -> Option<Term> {
    let [left, right, _] = node.args;
    for [one, other] in [[left, right], [right, left]] {
        if let Some(inner) = terms.matches(other, Op::Not) {
            let minus_one = terms.constant_bits(&BitVec::ones(node.sort));
            let difference = terms.sub(one, inner[0]);
            return Some(terms.add(minus_one, difference));
        }
    }
    None
}

/// match: `x + (-x + y)`
/// result: `y`
fn add_cancel(terms: &mut Terms, node: &Node) -> Option<Term> {
    let [left, right, _] = node.args;
    for [one, other] in [[left, right], [right, left]] {
        let Some(args) = terms.matches(other, Op::Add) else { continue };
        if let Some(position) = args.iter().position(|&arg| terms.are_opposites(arg, one)) {
            return Some(args[1 - position]);
        }
    }
    None
}

/// match: `-x + -y`
/// result: `-(x + y)`
fn add_negs(terms: &mut Terms, node: &Node) -> Option<Term> {
    let (left, right) = (terms.matches(node.args[0], Op::Neg)?[0], terms.matches(node.args[1], Op::Neg)?[0]);
    let sum = terms.add(left, right);
    Some(terms.neg(sum))
}

/// match: `x + (c + y)`
/// result: `c + (x + y)`
fn add_lift(terms: &mut Terms, node: &Node) -> Option<Term> {
    let [left, right, _] = node.args;
    if terms.is_constant(left) {
        return None;
    }
    for [one, other] in [[left, right], [right, left]] {
        if let Some((constant, rest)) = terms.matches_constant_first(other, Op::Add) {
            let constant = terms.constant_bits(&constant);
            let sum = terms.add(one, rest);
            return Some(terms.add(constant, sum));
        }
    }
    None
}

/// match: `--x`
/// result: `x`
fn neg_neg(terms: &mut Terms, node: &Node) -> Option<Term> {
    Some(terms.matches(node.args[0], Op::Neg)?[0])
}

/// match: `-~x`
/// result: `1 + x`
fn neg_not(terms: &mut Terms, node: &Node) -> Option<Term> {
    let inner = terms.matches(node.args[0], Op::Not)?[0];
    let one = terms.constant(node.sort, 1);
    Some(terms.add(one, inner))
}

/// match: `-(c + x)`
/// result: `-c - x`
fn neg_add_constant(terms: &mut Terms, node: &Node) -> Option<Term> {
    let (constant, rest) = terms.matches_constant_first(node.args[0], Op::Add)?;
    let constant = terms.constant_bits(&constant.neg());
    Some(terms.sub(constant, rest))
}

/// match: `-(x - y)`
/// result: `y - x`
fn neg_difference(terms: &mut Terms, node: &Node) -> Option<Term> {
    let args = terms.matches(node.args[0], Op::Add)?;
    for [one, other] in [[args[0], args[1]], [args[1], args[0]]] {
        if let Some(subtrahend) = terms.matches(other, Op::Neg) {
            return Some(terms.sub(subtrahend[0], one));
        }
    }
    None
}

/// match: `-(c * x)`
/// result: `-c * x`
fn neg_mul_constant(terms: &mut Terms, node: &Node) -> Option<Term> {
    let (constant, rest) = terms.matches_constant_first(node.args[0], Op::Mul)?;
    let constant = terms.constant_bits(&constant.neg());
    Some(terms.mul(constant, rest))
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

/// match: `ones * x`
/// result: `-x`
fn mul_minus_one(terms: &mut Terms, node: &Node) -> Option<Term> {
    terms.constant_value(node.args[0])?.is_ones().then(|| terms.neg(node.args[1]))
}

/// match: `c * (d * x)`
/// result: `(c * d) * x`
fn mul_constants(terms: &mut Terms, node: &Node) -> Option<Term> {
    let outer = terms.constant_value(node.args[0])?;
    let (inner, rest) = terms.matches_constant_first(node.args[1], Op::Mul)?;
    let constant = terms.constant_bits(&outer.mul(&inner));
    Some(terms.mul(constant, rest))
}

/// match: `c * (d + x)`
/// result: `c * d + c * x`
fn mul_distribute(terms: &mut Terms, node: &Node) -> Option<Term> {
    let outer = terms.constant_value(node.args[0])?;
    let (inner, rest) = terms.matches_constant_first(node.args[1], Op::Add)?;
    let constant = terms.constant_bits(&outer.mul(&inner));
    let product = terms.mul(node.args[0], rest);
    Some(terms.add(constant, product))
}

/// match: `-x * -y`
/// result: `x * y`
fn mul_negs(terms: &mut Terms, node: &Node) -> Option<Term> {
    let (left, right) = (terms.matches(node.args[0], Op::Neg)?[0], terms.matches(node.args[1], Op::Neg)?[0]);
    Some(terms.mul(left, right))
}

/// match: `x * -y`
/// result: `-(x * y)`, or `-x * y` for a constant
fn mul_neg(terms: &mut Terms, node: &Node) -> Option<Term> {
    let [left, right, _] = node.args;
    for [one, other] in [[left, right], [right, left]] {
        let Some(negated) = terms.matches(other, Op::Neg) else { continue };
        if let Some(constant) = terms.constant_value(one) {
            let constant = terms.constant_bits(&constant.neg());
            return Some(terms.mul(constant, negated[0]));
        }
        let product = terms.mul(one, negated[0]);
        return Some(terms.neg(product));
    }
    None
}

/// match: `2^k * x`
/// result: the lower part of `x`, and `k` zeros
fn mul_power(terms: &mut Terms, node: &Node) -> Option<Term> {
    let exponent = terms.constant_value(node.args[0])?.log2()?;
    Some(terms.shifted_up(node.args[1], exponent))
}

/// match: `c * x` overflows, unsigned
/// result: `ones / c < x`
fn umul_overflow_constant(terms: &mut Terms, node: &Node) -> Option<Term> {
    let constant = terms.constant_value(node.args[0])?;
    if constant.is_zero() {
        return Some(Term::FALSE);
    }
    let most = terms.constant_bits(&BitVec::ones(constant.width()).udiv(&constant));
    Some(terms.ult(most, node.args[1]))
}

/// match: `c * x` overflows, signed
/// result: false for 0 and 1; for -1 whether `x` is the least number
fn smul_overflow_small(terms: &mut Terms, node: &Node) -> Option<Term> {
    let constant = terms.constant_value(node.args[0])?;
    let width = constant.width();
    if constant.is_zero() || constant == BitVec::one(width) {
        return Some(Term::FALSE);
    }
    let least = BitVec::least(width);
    constant.is_ones().then(|| {
        let least = terms.constant_bits(&least);
        terms.eq(least, node.args[1])
    })
}

/// match: `c * x` overflows, signed
/// result: `x < low` or `high < x`, where `low` to `high` are the numbers whose product fits
/// condition: `c` is not 0, 1 or -1
fn smul_overflow_constant(terms: &mut Terms, node: &Node) -> Option<Term> {
    let constant = terms.constant_value(node.args[0])?;
    let width = constant.width();
    if constant.is_zero() || constant.is_ones() || constant == BitVec::one(width) {
        return None;
    }
    let (least, greatest) = (BitVec::least(width), BitVec::least(width).not());
    // Rounded towards 0, which is into the range.
    let magnitude = if constant.sign() { constant.neg() } else { constant.clone() };
    let (from_least, from_greatest) = (least.udiv(&magnitude), greatest.udiv(&magnitude));
    let (low, high) = match constant.sign() {
        false => (from_least.neg(), from_greatest),
        true => (from_greatest.neg(), from_least),
    };
    let (low, high) = (terms.constant_bits(&low), terms.constant_bits(&high));
    let (below, above) = (terms.slt(node.args[1], low), terms.slt(high, node.args[1]));
    Some(terms.or(below, above))
}
