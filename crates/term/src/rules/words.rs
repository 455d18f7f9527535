//! Rules that take words apart and join them. Joins lean to the right, extractions go inwards, extensions by zeros are
//! `Zext`.

use super::{Level, Rule, rule};
use crate::arena::Terms;
use crate::node::{Node, Op, Sort, Term};

pub(super) const CONCAT: &[Rule] = &[
    rule("concat-zero", Level::Zero, concat_zero),
    rule("concat-zext", Level::Zero, concat_zext),
    rule("concat-concat", Level::Zero, concat_concat),
    rule("concat-constants", Level::Zero, concat_constants),
    rule("concat-constant-zext", Level::Zero, concat_constant_zext),
    rule("concat-extracts", Level::Zero, concat_extracts),
    rule("concat-extracts-and-rest", Level::Zero, concat_extracts_and_rest),
];

pub(super) const EXTRACT: &[Rule] = &[
    rule("extract-extract", Level::Zero, extract_extract),
    rule("extract-concat", Level::Zero, extract_concat),
    rule("extract-zext", Level::Zero, extract_zext),
    rule("extract-sext", Level::Zero, extract_sext),
    rule("extract-not", Level::Zero, extract_not),
    rule("extract-ite", Level::Zero, extract_ite),
    rule("extract-bitwise", Level::Zero, extract_bitwise),
    rule("extract-low-of-sum", Level::One, extract_low_of_sum),
];

pub(super) const EXTEND: &[Rule] = &[
    rule("zext-zext", Level::Zero, zext_zext),
    rule("sext-sext", Level::Zero, sext_sext),
    rule("sext-zext", Level::Zero, sext_zext),
];

/// match: `0 :: x`
/// result: `zext(x)`
fn concat_zero(terms: &mut Terms, node: &Node) -> Option<Term> {
    let is_zero = terms.constant_value(node.args[0])?.is_zero();
    is_zero.then(|| terms.zext(node.args[1], node.sort))
}

/// match: `zext(x) :: y`
/// result: `zext(x :: y)`
fn concat_zext(terms: &mut Terms, node: &Node) -> Option<Term> {
    let inner = terms.matches(node.args[0], Op::Zext)?[0];
    let joined = terms.concat(inner, node.args[1]);
    Some(terms.zext(joined, node.sort))
}

/// match: `(x :: y) :: z`
/// result: `x :: (y :: z)`
fn concat_concat(terms: &mut Terms, node: &Node) -> Option<Term> {
    let inner = terms.matches(node.args[0], Op::Concat)?;
    let low = terms.concat(inner[1], node.args[1]);
    Some(terms.concat(inner[0], low))
}

/// match: `c :: (d :: x)`
/// result: `(c :: d) :: x`, whose first part is a constant
fn concat_constants(terms: &mut Terms, node: &Node) -> Option<Term> {
    let outer = terms.constant_value(node.args[0])?;
    let (inner, rest) = terms.matches_constant_first(node.args[1], Op::Concat)?;
    let constant = terms.constant_bits(&outer.concat(&inner));
    Some(terms.concat(constant, rest))
}

/// match: `c :: zext(x)`
/// result: `(c :: 0) :: x`
fn concat_constant_zext(terms: &mut Terms, node: &Node) -> Option<Term> {
    let outer = terms.constant_value(node.args[0])?;
    let inner = terms.matches(node.args[1], Op::Zext)?[0];
    let zeros = terms.width(node.args[1]) - terms.width(inner);
    let constant = terms.constant_bits(&outer.concat(&crate::bits::BitVec::zero(zeros)));
    Some(terms.concat(constant, inner))
}

impl Terms {
    /// The part of one word that two parts of it are together, if the first lies right above the second.
    fn joined_extracts(&mut self, high: Term, low: Term) -> Option<Term> {
        // A single bit of a wider word may be negated as a whole, and is no longer a part of it.
        let (upper, lower) = (self.matches(high, Op::Extract)?[0], self.matches(low, Op::Extract)?[0]);
        let (start, middle) = (self.extract_low(low), self.extract_low(high));
        let is_adjacent = upper == lower && start + self.width(low) == middle;
        is_adjacent.then(|| self.extract(upper, middle + self.width(high) - 1, start))
    }
}

/// match: `x[h:m+1] :: x[m:l]`
/// result: `x[h:l]`
fn concat_extracts(terms: &mut Terms, node: &Node) -> Option<Term> {
    terms.joined_extracts(node.args[0], node.args[1])
}

/// match: `x[h:m+1] :: (x[m:l] :: y)`
/// result: `x[h:l] :: y`
fn concat_extracts_and_rest(terms: &mut Terms, node: &Node) -> Option<Term> {
    let inner = terms.matches(node.args[1], Op::Concat)?;
    let joined = terms.joined_extracts(node.args[0], inner[0])?;
    Some(terms.concat(joined, inner[1]))
}

/// The lowest and the highest bit that an extraction takes.
fn bounds(node: &Node) -> (u32, u32) {
    let low = node.aux as u32;
    (low, low + node.sort - 1)
}

/// match: `x[i:j][h:l]`
/// result: `x[j+h:j+l]`
fn extract_extract(terms: &mut Terms, node: &Node) -> Option<Term> {
    let inner = terms.matches(node.args[0], Op::Extract)?[0];
    let offset = terms.extract_low(node.args[0]);
    let (low, high) = bounds(node);
    Some(terms.extract(inner, offset + high, offset + low))
}

/// match: `(x :: y)[h:l]`
/// result: a part of `x` or of `y`, or one of each, joined
fn extract_concat(terms: &mut Terms, node: &Node) -> Option<Term> {
    let parts = terms.matches(node.args[0], Op::Concat)?;
    let boundary = terms.width(parts[1]);
    let (low, high) = bounds(node);
    if high < boundary {
        return Some(terms.extract(parts[1], high, low));
    }
    if low >= boundary {
        return Some(terms.extract(parts[0], high - boundary, low - boundary));
    }
    let upper = terms.extract(parts[0], high - boundary, 0);
    let lower = terms.extract(parts[1], boundary - 1, low);
    Some(terms.concat(upper, lower))
}

/// match: `zext(x)[h:l]`
/// result: a part of `x`, or zeros, or zeros above a part
fn extract_zext(terms: &mut Terms, node: &Node) -> Option<Term> {
    let inner = terms.matches(node.args[0], Op::Zext)?[0];
    let width = terms.width(inner);
    let (low, high) = bounds(node);
    if low >= width {
        return Some(terms.constant(node.sort, 0));
    }
    let part = terms.extract(inner, high.min(width - 1), low);
    Some(terms.zext(part, node.sort))
}

/// match: `sext(x)[h:l]`
/// result: a part of `x`, copies of its sign, or copies above a part
fn extract_sext(terms: &mut Terms, node: &Node) -> Option<Term> {
    let inner = terms.matches(node.args[0], Op::Sext)?[0];
    let width = terms.width(inner);
    let (low, high) = bounds(node);
    let part = terms.extract(inner, high.min(width - 1), low.min(width - 1));
    Some(terms.sext(part, node.sort))
}

/// match: `(~x)[h:l]`
/// result: `~(x[h:l])`
fn extract_not(terms: &mut Terms, node: &Node) -> Option<Term> {
    let inner = terms.matches(node.args[0], Op::Not)?[0];
    let (low, high) = bounds(node);
    let part = terms.extract(inner, high, low);
    Some(terms.not(part))
}

/// match: `ite(x, y, z)[h:l]`
/// result: `ite(x, y[h:l], z[h:l])`
/// condition: `y` or `z` is constant
fn extract_ite(terms: &mut Terms, node: &Node) -> Option<Term> {
    let args = terms.matches(node.args[0], Op::Ite)?;
    if !terms.is_constant(args[1]) && !terms.is_constant(args[2]) {
        return None;
    }
    let (low, high) = bounds(node);
    let (then, otherwise) = (terms.extract(args[1], high, low), terms.extract(args[2], high, low));
    Some(terms.ite(args[0], then, otherwise))
}

/// match: `(c & x)[h:l]`, `(c ^ x)[h:l]`
/// result: `c[h:l] & x[h:l]`, `c[h:l] ^ x[h:l]`
fn extract_bitwise(terms: &mut Terms, node: &Node) -> Option<Term> {
    let op = terms.op(node.args[0]);
    if op != Op::And && op != Op::Xor {
        return None;
    }
    let args = terms.matches(node.args[0], op)?;
    if !terms.is_constant(args[0]) {
        return None;
    }
    let (low, high) = bounds(node);
    let (left, right) = (terms.extract(args[0], high, low), terms.extract(args[1], high, low));
    Some(if op == Op::And { terms.and(left, right) } else { terms.xor(left, right) })
}

/// match: `(x + y)[h:0]`, `(x * y)[h:0]`, `(-x)[h:0]`
/// result: the same operation on the lowest bits
/// condition: the arguments are extensions, joins or constants, which become smaller
fn extract_low_of_sum(terms: &mut Terms, node: &Node) -> Option<Term> {
    let inner = *terms.node(node.args[0]);
    if node.aux != 0 || node.args[0].is_negated() || !matches!(inner.op, Op::Add | Op::Mul | Op::Neg) {
        return None;
    }
    let becomes_smaller = |arg: &Term| match terms.op(*arg) {
        Op::Zext | Op::Sext => terms.width(terms.args(*arg)[0]) <= node.sort,
        Op::Concat => terms.width(terms.args(*arg)[1]) >= node.sort,
        op => op == Op::Const,
    };
    if !inner.args().iter().all(becomes_smaller) {
        return None;
    }
    let parts: Vec<Term> = inner.args().iter().map(|&arg| terms.extract(arg, node.sort - 1, 0)).collect();
    Some(match parts[..] {
        [part] => terms.neg(part),
        [left, right] if inner.op == Op::Add => terms.add(left, right),
        [left, right] => terms.mul(left, right),
        _ => return None,
    })
}

/// match: `zext(zext(x))`
/// result: `zext(x)`
fn zext_zext(terms: &mut Terms, node: &Node) -> Option<Term> {
    if node.op != Op::Zext {
        return None;
    }
    let inner = terms.matches(node.args[0], Op::Zext)?[0];
    Some(terms.zext(inner, node.sort))
}

/// match: `sext(sext(x))`
/// result: `sext(x)`
fn sext_sext(terms: &mut Terms, node: &Node) -> Option<Term> {
    if node.op != Op::Sext {
        return None;
    }
    let inner = terms.matches(node.args[0], Op::Sext)?[0];
    Some(terms.sext(inner, node.sort))
}

/// match: `sext(zext(x))`
/// result: `zext(x)`
fn sext_zext(terms: &mut Terms, node: &Node) -> Option<Term> {
    if node.op != Op::Sext {
        return None;
    }
    let inner = terms.matches(node.args[0], Op::Zext)?[0];
    debug_assert_eq!(node.sort(), Sort::Bits(node.sort));
    Some(terms.zext(inner, node.sort))
}
