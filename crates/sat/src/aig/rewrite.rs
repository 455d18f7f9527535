//! Rewriting rules of the and-inverter graph, two levels deep (Brummayer and Biere 2006).
//!
//! Each rule is one function. `match:` is the conjunction it looks at, `result:` what is equal to it. Rules that answer
//! with another conjunction of older edges come last; each of these makes an operand smaller, so that rewriting ends.

use super::{Aig, Edge};

/// What rules make of a conjunction.
pub(super) enum Step {
    /// It is this edge.
    Done(Edge),
    /// It is this other conjunction.
    Instead(Edge, Edge),
    /// No rule fits.
    Keep,
}

/// Operands of a conjunction below an edge, and whether the edge negates it.
struct Below {
    is_negated: bool,
    operands: [Edge; 2],
}

impl Below {
    /// If one operand is this edge, the other one.
    fn beside(&self, edge: Edge) -> Option<Edge> {
        match self.operands {
            [one, other] if one == edge => Some(other),
            [one, other] if other == edge => Some(one),
            [_, _] => None,
        }
    }

    fn has(&self, edge: Edge) -> bool {
        self.operands.contains(&edge)
    }
}

impl Aig {
    pub(super) fn rewritten(&self, one: Edge, other: Edge) -> Step {
        if let Some(edge) = trivial(one, other) {
            return Step::Done(edge);
        }
        let (below_one, below_other) = (self.below(one), self.below(other));
        for (below, edge, apart) in [(&below_one, one, other), (&below_other, other, one)] {
            let Some(below) = below else { continue };
            if let Some(edge) = contradicted(below, apart).or_else(|| contained(below, edge, apart)) {
                return Step::Done(edge);
            }
        }
        if let (Some(left), Some(right)) = (&below_one, &below_other) {
            let done = contradicted_below(left, right)
                .or_else(|| implied(left, right, one))
                .or_else(|| implied(right, left, other))
                .or_else(|| resolved(left, right));
            if let Some(edge) = done {
                return Step::Done(edge);
            }
            let instead = substituted_below(left, right, one).or_else(|| substituted_below(right, left, other));
            if let Some((left, right)) = instead {
                return Step::Instead(left, right);
            }
        }
        for (below, apart) in [(&below_one, other), (&below_other, one)] {
            if let Some((left, right)) = below.as_ref().and_then(|below| substituted(below, apart)) {
                return Step::Instead(left, right);
            }
        }
        Step::Keep
    }

    fn below(&self, edge: Edge) -> Option<Below> {
        let (one, other) = self.operands(edge.node())?;
        Some(Below { is_negated: edge.is_negated(), operands: [one, other] })
    }
}

/// match: `false & a`, `true & a`, `a & a`, `a & !a`
/// result: a constant or `a`
fn trivial(one: Edge, other: Edge) -> Option<Edge> {
    if one == Edge::FALSE || other == Edge::FALSE || one == !other {
        return Some(Edge::FALSE);
    }
    if one == Edge::TRUE || one == other {
        return Some(other);
    }
    (other == Edge::TRUE).then_some(one)
}

/// match: `(x & y) & !x`
/// result: `false`
fn contradicted(below: &Below, apart: Edge) -> Option<Edge> {
    (!below.is_negated && below.has(!apart)).then_some(Edge::FALSE)
}

/// match: `(x & y) & x`, or `!(x & y) & !x`
/// result: `x & y`, or `!x`
fn contained(below: &Below, edge: Edge, apart: Edge) -> Option<Edge> {
    match below.is_negated {
        false => below.has(apart).then_some(edge),
        true => below.has(!apart).then_some(apart),
    }
}

/// match: `(x & y) & (!x & z)`
/// result: `false`
fn contradicted_below(left: &Below, right: &Below) -> Option<Edge> {
    let is_contradicted =
        !left.is_negated && !right.is_negated && left.operands.iter().any(|operand| right.has(!*operand));
    is_contradicted.then_some(Edge::FALSE)
}

/// match: `(x & y) & !(!x & z)`
/// result: `x & y`
fn implied(left: &Below, right: &Below, edge: Edge) -> Option<Edge> {
    let is_implied = !left.is_negated && right.is_negated && left.operands.iter().any(|operand| right.has(!*operand));
    is_implied.then_some(edge)
}

/// match: `!(x & y) & !(x & !y)`
/// result: `!x`
fn resolved(left: &Below, right: &Below) -> Option<Edge> {
    if !left.is_negated || !right.is_negated {
        return None;
    }
    let [one, other] = left.operands;
    [(one, other), (other, one)].into_iter().find_map(|(x, y)| (right.beside(x) == Some(!y)).then_some(!x))
}

/// match: `!(x & y) & x`
/// result: `!y & x`
fn substituted(below: &Below, apart: Edge) -> Option<(Edge, Edge)> {
    if !below.is_negated {
        return None;
    }
    below.beside(apart).map(|y| (!y, apart))
}

/// match: `(x & y) & !(x & z)`, or `(x & y) & (x & z)`
/// result: `(x & y) & !z`, or `(x & y) & z`
fn substituted_below(left: &Below, right: &Below, edge: Edge) -> Option<(Edge, Edge)> {
    if left.is_negated {
        return None;
    }
    let z = left.operands.iter().find_map(|operand| right.beside(*operand))?;
    Some((edge, z.negated_if(right.is_negated)))
}
