//! Rules for bit-by-bit operations: Boolean algebra two levels deep, after Brummayer and Biere, Local two-level
//! And-Inverter Graph minimization without blowup (2006). They hold for every width.

use super::{Level, Rule, rule};
use crate::arena::Terms;
use crate::bits::BitVec;
use crate::node::{Node, Op, Term};

pub(super) const NOT: &[Rule] = &[
    rule("not-not", Level::Zero, not_not),
    rule("not-neg", Level::Zero, not_neg),
    rule("not-add", Level::Zero, not_add),
    rule("not-xor", Level::Zero, not_xor),
    rule("not-concat", Level::Zero, not_concat),
    rule("not-zext", Level::Zero, not_zext),
    rule("not-sext", Level::Zero, not_sext),
    rule("not-ite", Level::Zero, not_ite),
];

pub(super) const AND: &[Rule] = &[
    rule("and-zero", Level::Zero, and_zero),
    rule("and-ones", Level::Zero, and_ones),
    rule("and-same", Level::Zero, and_same),
    rule("and-complement", Level::Zero, and_complement),
    rule("and-constants", Level::Zero, and_constants),
    rule("and-absorb", Level::Zero, and_absorb),
    rule("and-conflict", Level::Zero, and_conflict),
    rule("and-subsume", Level::Zero, and_subsume),
    rule("and-substitute", Level::Zero, and_substitute),
    rule("and-resolve", Level::Zero, and_resolve),
    rule("and-conflict-inside", Level::Zero, and_conflict_inside),
    rule("and-mask", Level::Zero, and_mask),
];

pub(super) const XOR: &[Rule] = &[
    rule("xor-same", Level::Zero, xor_same),
    rule("xor-zero", Level::Zero, xor_zero),
    rule("xor-ones", Level::Zero, xor_ones),
    rule("xor-constants", Level::Zero, xor_constants),
    rule("xor-cancel", Level::Zero, xor_cancel),
];

/// match: `~~x`
/// result: `x`
fn not_not(terms: &mut Terms, node: &Node) -> Option<Term> {
    Some(terms.matches(node.args[0], Op::Not)?[0])
}

/// match: `~-x`
/// result: `x - 1`
fn not_neg(terms: &mut Terms, node: &Node) -> Option<Term> {
    let inner = terms.matches(node.args[0], Op::Neg)?[0];
    let minus_one = terms.constant_bits(&BitVec::ones(node.sort));
    Some(terms.add(minus_one, inner))
}

/// match: `~(c + x)`
/// result: `~c - x`
fn not_add(terms: &mut Terms, node: &Node) -> Option<Term> {
    let (constant, inner) = terms.matches_constant_first(node.args[0], Op::Add)?;
    let constant = terms.constant_bits(&constant.not());
    Some(terms.sub(constant, inner))
}

/// match: `~(c ^ x)`
/// result: `~c ^ x`
fn not_xor(terms: &mut Terms, node: &Node) -> Option<Term> {
    let (constant, inner) = terms.matches_constant_first(node.args[0], Op::Xor)?;
    let constant = terms.constant_bits(&constant.not());
    Some(terms.xor(constant, inner))
}

/// match: `~(c :: x)`, `~(x :: c)`, `~(~x :: y)`
/// result: `~c :: ~x`, `~x :: ~c`, `x :: ~y`
fn not_concat(terms: &mut Terms, node: &Node) -> Option<Term> {
    let args = terms.matches(node.args[0], Op::Concat)?;
    let is_constant = |arg: Term| terms.is_constant(arg);
    let is_not = terms.matches(args[0], Op::Not).is_some();
    if !is_constant(args[0]) && !is_constant(args[1]) && !is_not {
        return None;
    }
    let (high, low) = (terms.not(args[0]), terms.not(args[1]));
    Some(terms.concat(high, low))
}

/// match: `~zext(x)`
/// result: `ones :: ~x`
fn not_zext(terms: &mut Terms, node: &Node) -> Option<Term> {
    let inner = terms.matches(node.args[0], Op::Zext)?[0];
    let ones = terms.constant_bits(&BitVec::ones(node.sort - terms.width(inner)));
    let low = terms.not(inner);
    Some(terms.concat(ones, low))
}

/// match: `~sext(x)`
/// result: `sext(~x)`
fn not_sext(terms: &mut Terms, node: &Node) -> Option<Term> {
    let inner = terms.matches(node.args[0], Op::Sext)?[0];
    let inner = terms.not(inner);
    Some(terms.sext(inner, node.sort))
}

/// match: `~ite(x, c, d)`
/// result: `ite(x, ~c, ~d)`
fn not_ite(terms: &mut Terms, node: &Node) -> Option<Term> {
    let args = terms.matches(node.args[0], Op::Ite)?;
    let then = terms.constant_value(args[1])?.not();
    let otherwise = terms.constant_value(args[2])?.not();
    let (then, otherwise) = (terms.constant_bits(&then), terms.constant_bits(&otherwise));
    Some(terms.ite(args[0], then, otherwise))
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
    terms.are_complements(node.args[0], node.args[1]).then(|| terms.constant(node.sort, 0))
}

/// match: `c & (d & x)`
/// result: `(c & d) & x`
fn and_constants(terms: &mut Terms, node: &Node) -> Option<Term> {
    let outer = terms.constant_value(node.args[0])?;
    let (inner, rest) = terms.matches_constant_first(node.args[1], Op::And)?;
    let constant = terms.constant_bits(&outer.and(&inner));
    Some(terms.and(constant, rest))
}

/// Both orders of the arguments.
fn both_orders(node: &Node) -> [[Term; 2]; 2] {
    let [left, right, _] = node.args;
    [[left, right], [right, left]]
}

/// match: `x & (x & y)`
/// result: `x & y`
fn and_absorb(terms: &mut Terms, node: &Node) -> Option<Term> {
    let is_inside = |[one, other]: &[Term; 2]| terms.matches(*other, Op::And).is_some_and(|args| args.contains(one));
    both_orders(node).iter().find(|order| is_inside(order)).map(|[_, other]| *other)
}

/// match: `x & (~x & y)`
/// result: `0`
fn and_conflict(terms: &mut Terms, node: &Node) -> Option<Term> {
    let conflicts = |[one, other]: &[Term; 2]| {
        let args = terms.matches(*other, Op::And);
        args.is_some_and(|args| args.iter().any(|&arg| terms.are_complements(arg, *one)))
    };
    both_orders(node).iter().any(conflicts).then(|| terms.constant(node.sort, 0))
}

/// match: `x & ~(~x & y)`
/// result: `x`
fn and_subsume(terms: &mut Terms, node: &Node) -> Option<Term> {
    let subsumes = |[one, other]: &[Term; 2]| {
        let args = terms.matches_nand(*other);
        args.is_some_and(|args| args.iter().any(|&arg| terms.are_complements(arg, *one)))
    };
    both_orders(node).iter().find(|order| subsumes(order)).map(|[one, _]| *one)
}

/// match: `x & ~(x & y)`
/// result: `x & ~y`
fn and_substitute(terms: &mut Terms, node: &Node) -> Option<Term> {
    for [one, other] in both_orders(node) {
        let Some(args) = terms.matches_nand(other) else { continue };
        if let Some(position) = args.iter().position(|&arg| arg == one) {
            let rest = terms.not(args[1 - position]);
            return Some(terms.and(one, rest));
        }
    }
    None
}

/// match: `~(x & y) & ~(x & ~y)`
/// result: `~x`
fn and_resolve(terms: &mut Terms, node: &Node) -> Option<Term> {
    let (left, right) = (terms.matches_nand(node.args[0])?, terms.matches_nand(node.args[1])?);
    for [shared, left_rest] in [[left[0], left[1]], [left[1], left[0]]] {
        for [other, right_rest] in [[right[0], right[1]], [right[1], right[0]]] {
            if shared == other && terms.are_complements(left_rest, right_rest) {
                return Some(terms.not(shared));
            }
        }
    }
    None
}

/// match: `(x & y) & (~x & z)`
/// result: `0`
fn and_conflict_inside(terms: &mut Terms, node: &Node) -> Option<Term> {
    let (left, right) = (terms.matches(node.args[0], Op::And)?, terms.matches(node.args[1], Op::And)?);
    let conflicts = |one: &Term| right.iter().any(|&other| terms.are_complements(*one, other));
    left.iter().any(conflicts).then(|| terms.constant(node.sort, 0))
}

/// match: `c & x`
/// result: zeros and parts of `x`, joined
/// condition: `c` has at most three runs of equal bits
fn and_mask(terms: &mut Terms, node: &Node) -> Option<Term> {
    let mask = terms.constant_value(node.args[0])?;
    let width = node.sort;
    let ends: Vec<u32> = (1..width).filter(|&position| mask.bit(position) != mask.bit(position - 1)).collect();
    if ends.len() > 2 || width == 1 {
        return None;
    }
    let starts = std::iter::once(0).chain(ends.iter().copied());
    let runs: Vec<(u32, u32)> = starts.zip(ends.iter().copied().chain([width])).collect();
    let mut parts = Vec::new();
    for &(low, end) in runs.iter().rev() {
        parts.push(match mask.bit(low) {
            true => terms.extract(node.args[1], end - 1, low),
            false => terms.constant(end - low, 0),
        });
    }
    Some(terms.concat_all(&parts))
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

/// match: `ones ^ x`
/// result: `~x`
fn xor_ones(terms: &mut Terms, node: &Node) -> Option<Term> {
    terms.constant_value(node.args[0])?.is_ones().then(|| terms.not(node.args[1]))
}

/// match: `c ^ (d ^ x)`
/// result: `(c ^ d) ^ x`
fn xor_constants(terms: &mut Terms, node: &Node) -> Option<Term> {
    let outer = terms.constant_value(node.args[0])?;
    let (inner, rest) = terms.matches_constant_first(node.args[1], Op::Xor)?;
    let constant = terms.constant_bits(&outer.xor(&inner));
    Some(terms.xor(constant, rest))
}

/// match: `x ^ (x ^ y)`
/// result: `y`
fn xor_cancel(terms: &mut Terms, node: &Node) -> Option<Term> {
    for [one, other] in both_orders(node) {
        let Some(args) = terms.matches(other, Op::Xor) else { continue };
        if let Some(position) = args.iter().position(|&arg| arg == one) {
            return Some(args[1 - position]);
        }
    }
    None
}
