//! Rules for division and shifts. A shift by a constant is a join of parts and zeros, so that later extractions see through.

use super::{Level, Rule, rule};
use crate::arena::Terms;
use crate::node::{Node, Op, Term};

pub(super) const UDIV: &[Rule] = &[
    rule("udiv-zero", Level::Zero, udiv_zero),
    rule("udiv-power", Level::Zero, udiv_power),
    rule("udiv-same", Level::Zero, udiv_same),
    rule("udiv-of-zero", Level::Zero, udiv_of_zero),
];

pub(super) const UREM: &[Rule] = &[
    rule("urem-zero", Level::Zero, urem_zero),
    rule("urem-power", Level::Zero, urem_power),
    rule("urem-same", Level::Zero, urem_same),
    rule("urem-of-zero", Level::Zero, urem_of_zero),
];

pub(super) const SHIFT: &[Rule] = &[
    rule("shift-of-zero", Level::Zero, shift_of_zero),
    rule("ashr-of-ones", Level::Zero, ashr_of_ones),
    rule("shl-constant", Level::Zero, shl_constant),
    rule("lshr-constant", Level::Zero, lshr_constant),
    rule("ashr-constant", Level::Zero, ashr_constant),
    rule("shift-same", Level::Zero, shift_same),
];

impl Terms {
    /// `term * 2^distance`.
    pub(crate) fn shifted_up(&mut self, term: Term, distance: u32) -> Term {
        let width = self.width(term);
        match distance {
            0 => term,
            _ if distance >= width => self.constant(width, 0),
            _ => {
                let high = self.extract(term, width - 1 - distance, 0);
                let zeros = self.constant(distance, 0);
                self.concat(high, zeros)
            }
        }
    }

    /// `term / 2^distance`.
    pub(super) fn shifted_down(&mut self, term: Term, distance: u32) -> Term {
        let width = self.width(term);
        if distance >= width {
            return self.constant(width, 0);
        }
        let high = self.extract(term, width - 1, distance);
        self.zext(high, width)
    }
}

/// match: `x / 0`
/// result: all ones
fn udiv_zero(terms: &mut Terms, node: &Node) -> Option<Term> {
    let divisor = terms.constant_value(node.args[1])?;
    divisor.is_zero().then(|| terms.constant_bits(&divisor.not()))
}

/// match: `x / 2^k`
/// result: the upper part of `x`, zeros above
fn udiv_power(terms: &mut Terms, node: &Node) -> Option<Term> {
    let exponent = terms.constant_value(node.args[1])?.log2()?;
    Some(terms.shifted_down(node.args[0], exponent))
}

/// match: `x / x`
/// result: all ones if `x` is 0, else 1
fn udiv_same(terms: &mut Terms, node: &Node) -> Option<Term> {
    if node.args[0] != node.args[1] {
        return None;
    }
    let is_zero = terms.is_zero(node.args[0]);
    let one = terms.constant(node.sort, 1);
    let ones = terms.neg(one);
    Some(terms.ite(is_zero, ones, one))
}

/// match: `0 / x`
/// result: all ones if `x` is 0, else 0
fn udiv_of_zero(terms: &mut Terms, node: &Node) -> Option<Term> {
    if !terms.constant_value(node.args[0])?.is_zero() {
        return None;
    }
    let is_zero = terms.is_zero(node.args[1]);
    Some(terms.sext(is_zero, node.sort))
}

/// match: `x % 0`
/// result: `x`
fn urem_zero(terms: &mut Terms, node: &Node) -> Option<Term> {
    terms.constant_value(node.args[1])?.is_zero().then_some(node.args[0])
}

/// match: `x % 2^k`
/// result: the lower `k` bits of `x`, zeros above
fn urem_power(terms: &mut Terms, node: &Node) -> Option<Term> {
    let exponent = terms.constant_value(node.args[1])?.log2()?;
    if exponent == 0 {
        return Some(terms.constant(node.sort, 0));
    }
    let low = terms.extract(node.args[0], exponent - 1, 0);
    Some(terms.zext(low, node.sort))
}

/// match: `x % x`
/// result: `0`
fn urem_same(terms: &mut Terms, node: &Node) -> Option<Term> {
    (node.args[0] == node.args[1]).then(|| terms.constant(node.sort, 0))
}

/// match: `0 % x`
/// result: `0`
fn urem_of_zero(terms: &mut Terms, node: &Node) -> Option<Term> {
    terms.constant_value(node.args[0])?.is_zero().then_some(node.args[0])
}

/// match: `0` shifted by `x`
/// result: `0`
fn shift_of_zero(terms: &mut Terms, node: &Node) -> Option<Term> {
    terms.constant_value(node.args[0])?.is_zero().then_some(node.args[0])
}

/// match: all ones shifted down by `x`, signed
/// result: all ones
fn ashr_of_ones(terms: &mut Terms, node: &Node) -> Option<Term> {
    (node.op == Op::Ashr && terms.constant_value(node.args[0])?.is_ones()).then_some(node.args[0])
}

/// How far a constant amount shifts, at most the width.
fn distance(terms: &Terms, node: &Node) -> Option<u32> {
    let amount = terms.constant_value(node.args[1])?;
    Some(amount.to_u128().map_or(node.sort, |amount| amount.min(u128::from(node.sort)) as u32))
}

/// match: `x << k`
/// result: the lower part of `x`, and `k` zeros
fn shl_constant(terms: &mut Terms, node: &Node) -> Option<Term> {
    if node.op != Op::Shl {
        return None;
    }
    let distance = distance(terms, node)?;
    Some(terms.shifted_up(node.args[0], distance))
}

/// match: `x >> k`, unsigned
/// result: the upper part of `x`, zeros above
fn lshr_constant(terms: &mut Terms, node: &Node) -> Option<Term> {
    if node.op != Op::Lshr {
        return None;
    }
    let distance = distance(terms, node)?;
    Some(terms.shifted_down(node.args[0], distance))
}

/// match: `x >> k`, signed
/// result: the upper part of `x`, its sign above
fn ashr_constant(terms: &mut Terms, node: &Node) -> Option<Term> {
    if node.op != Op::Ashr {
        return None;
    }
    let distance = distance(terms, node)?.min(node.sort - 1);
    let high = terms.extract(node.args[0], node.sort - 1, distance);
    Some(terms.sext(high, node.sort))
}

/// match: `x >> x`, unsigned
/// result: `0`: a number is smaller than two to its power
fn shift_same(terms: &mut Terms, node: &Node) -> Option<Term> {
    (node.op == Op::Lshr && node.args[0] == node.args[1]).then(|| terms.constant(node.sort, 0))
}
