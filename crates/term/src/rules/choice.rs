//! Rules for the choice between two values wider than 1; on Booleans the constructor makes gates.

use super::{Level, Rule, rule};
use crate::arena::Terms;
use crate::node::{Node, Op, Sort, Term};

pub(super) const ITE: &[Rule] = &[
    rule("ite-same-condition", Level::Zero, ite_same_condition),
    rule("ite-merge", Level::Zero, ite_merge),
    rule("ite-bit", Level::Zero, ite_bit),
    rule("ite-not", Level::Zero, ite_not),
    rule("ite-extension", Level::Zero, ite_extension),
    rule("ite-concat", Level::One, ite_concat),
    rule("ite-store", Level::One, ite_store),
];

/// match: `ite(x, ite(x, y, _), z)` or `ite(x, y, ite(x, _, z))`
/// result: `ite(x, y, z)`
fn ite_same_condition(terms: &mut Terms, node: &Node) -> Option<Term> {
    let [condition, then, otherwise] = node.args;
    // Conditions are not negated, so that the same one is the same term.
    let inner = |term: Term| terms.matches(term, Op::Ite).filter(|args| args[0] == condition);
    let (new_then, new_otherwise) = match (inner(then), inner(otherwise)) {
        (None, None) => return None,
        (one, other) => (one.map_or(then, |args| args[1]), other.map_or(otherwise, |args| args[2])),
    };
    Some(terms.ite(condition, new_then, new_otherwise))
}

/// match: `ite(x, y, ite(z, y, w))` and the three others with a branch in common
/// result: `ite(x | z, y, w)`, `ite(x | ~z, y, w)`, `ite(x & z, w, y)`, `ite(x & ~z, w, y)`
fn ite_merge(terms: &mut Terms, node: &Node) -> Option<Term> {
    let [condition, then, otherwise] = node.args;
    if let Some(inner) = terms.matches(otherwise, Op::Ite) {
        if inner[1] == then {
            let either = terms.or(condition, inner[0]);
            return Some(terms.ite(either, then, inner[2]));
        }
        if inner[2] == then {
            let either = terms.or(condition, inner[0].negate_if(true));
            return Some(terms.ite(either, then, inner[1]));
        }
    }
    let inner = terms.matches(then, Op::Ite)?;
    if inner[2] == otherwise {
        let both = terms.and(condition, inner[0]);
        return Some(terms.ite(both, inner[1], otherwise));
    }
    if inner[1] == otherwise {
        let both = terms.and(condition, inner[0].negate_if(true));
        return Some(terms.ite(both, inner[2], otherwise));
    }
    None
}

/// match: `ite(x, 1, 0)`, `ite(x, 0, 1)`, `ite(x, ones, 0)`, `ite(x, 0, ones)`
/// result: `zext(x)`, `zext(~x)`, `sext(x)`, `sext(~x)`
fn ite_bit(terms: &mut Terms, node: &Node) -> Option<Term> {
    let then = terms.constant_value(node.args[1])?;
    let otherwise = terms.constant_value(node.args[2])?;
    let (bit, value) = match (then.is_zero(), otherwise.is_zero()) {
        (false, true) => (node.args[0], then),
        (true, false) => (node.args[0].negate_if(true), otherwise),
        (true, true) | (false, false) => return None,
    };
    if value.to_u128() == Some(1) {
        return Some(terms.zext(bit, node.sort));
    }
    value.is_ones().then(|| terms.sext(bit, node.sort))
}

/// match: `ite(x, ~y, ~z)` or `ite(x, -y, -z)`
/// result: `~ite(x, y, z)` or `-ite(x, y, z)`
fn ite_not(terms: &mut Terms, node: &Node) -> Option<Term> {
    for op in [Op::Not, Op::Neg] {
        if let (Some(then), Some(otherwise)) = (terms.matches(node.args[1], op), terms.matches(node.args[2], op)) {
            let inner = terms.ite(node.args[0], then[0], otherwise[0]);
            return Some(if op == Op::Not { terms.not(inner) } else { terms.neg(inner) });
        }
    }
    None
}

/// match: `ite(x, zext(y), zext(z))` or `ite(x, sext(y), sext(z))`
/// result: `zext(ite(x, y, z))` or `sext(ite(x, y, z))`
/// condition: `y` and `z` have one width
fn ite_extension(terms: &mut Terms, node: &Node) -> Option<Term> {
    for op in [Op::Zext, Op::Sext] {
        let (Some(then), Some(otherwise)) = (terms.matches(node.args[1], op), terms.matches(node.args[2], op)) else {
            continue;
        };
        if terms.width(then[0]) == terms.width(otherwise[0]) {
            let inner = terms.ite(node.args[0], then[0], otherwise[0]);
            return Some(if op == Op::Zext { terms.zext(inner, node.sort) } else { terms.sext(inner, node.sort) });
        }
    }
    None
}

/// match: `ite(x, y :: z, y :: w)` or `ite(x, y :: z, w :: z)`
/// result: `y :: ite(x, z, w)` or `ite(x, y, w) :: z`
fn ite_concat(terms: &mut Terms, node: &Node) -> Option<Term> {
    let (then, otherwise) = (terms.matches(node.args[1], Op::Concat)?, terms.matches(node.args[2], Op::Concat)?);
    if then[0] == otherwise[0] {
        let low = terms.ite(node.args[0], then[1], otherwise[1]);
        return Some(terms.concat(then[0], low));
    }
    if then[1] == otherwise[1] {
        let high = terms.ite(node.args[0], then[0], otherwise[0]);
        return Some(terms.concat(high, then[1]));
    }
    None
}

/// match: `ite(x, store(a, i, y), a)`, `ite(x, a, store(a, i, y))`, `ite(x, store(a, i, y), store(a, i, z))`
/// result: `store(a, i, ite(x, y, z))`, where `z` or `y` is `a[i]` if there is no store
fn ite_store(terms: &mut Terms, node: &Node) -> Option<Term> {
    let [condition, then, otherwise] = node.args;
    if let Sort::Bits(_) = node.sort() {
        return None;
    }
    let stores = (terms.matches(then, Op::Store), terms.matches(otherwise, Op::Store));
    let (array, index, elements) = match stores {
        (Some(one), Some(other)) if one[0] == other[0] && one[1] == other[1] => (one[0], one[1], [one[2], other[2]]),
        (Some(one), _) if one[0] == otherwise => (one[0], one[1], [one[2], terms.select(one[0], one[1])]),
        (_, Some(other)) if other[0] == then => (other[0], other[1], [terms.select(other[0], other[1]), other[2]]),
        _ => return None,
    };
    let element = terms.ite(condition, elements[0], elements[1]);
    Some(terms.store(array, index, element))
}
