//! Gates that are recognised in the and-inverter graph: exclusive or, multiplexer, majority, long conjunctions.
//!
//! The graph has one kind of gate; clauses are fewer and propagate more if the gate that was meant is found again.

use crate::aig::{Aig, Edge, Node};

/// The gate at a node.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Shape {
    /// The conjunction of all of these.
    And(Vec<Edge>),
    /// Exactly one of both.
    Xor(Edge, Edge),
    /// The second where the first is true, else the third.
    Ite(Edge, Edge, Edge),
    /// At least two.
    Majority([Edge; 3]),
}

/// How many operands a conjunction has at most: longer ones make long clauses.
const MAX_OPERANDS: usize = 24;

/// The gate at a conjunction.
pub(super) fn shape(aig: &Aig, node: Node) -> Shape {
    let (one, other) = aig.operands(node).expect("only conjunctions should have shapes");
    multiplexer(aig, one, other)
        .or_else(|| majority(aig, one, other))
        .or_else(|| majority(aig, other, one))
        .unwrap_or_else(|| Shape::And(conjuncts(aig, one, other)))
}

/// Operands of a conjunction that an edge negates.
fn below_negation(aig: &Aig, edge: Edge) -> Option<(Edge, Edge)> {
    if edge.is_negated() { aig.operands(edge.node()) } else { None }
}

/// `!(x & y) & !(!x & z)` chooses `!y` where `x` is true, else `!z`.
fn multiplexer(aig: &Aig, one: Edge, other: Edge) -> Option<Shape> {
    let (a, b) = below_negation(aig, one)?;
    let (c, d) = below_negation(aig, other)?;
    let (x, y, z) = match () {
        () if a == !c => (a, b, d),
        () if a == !d => (a, b, c),
        () if b == !c => (b, a, d),
        () if b == !d => (b, a, c),
        () => return None,
    };
    Some(if y == !z { Shape::Xor(x, y) } else { Shape::Ite(x, !y, !z) })
}

/// `!(a & b) & !(c & !(!a & !b))`: fewer than two of `a`, `b`, `c`, so at least two of their negations.
fn majority(aig: &Aig, both: Edge, third: Edge) -> Option<Shape> {
    let (a, b) = below_negation(aig, both)?;
    let (one, other) = below_negation(aig, third)?;
    let is_neither = |edge: Edge| {
        let below = below_negation(aig, edge);
        below.is_some_and(|below| below == (!a, !b) || below == (!b, !a))
    };
    let c = match () {
        () if is_neither(other) => one,
        () if is_neither(one) => other,
        () => return None,
    };
    Some(Shape::Majority([!a, !b, !c]))
}

/// The operands, with those of conjunctions that nothing else uses in their place.
fn conjuncts(aig: &Aig, one: Edge, other: Edge) -> Vec<Edge> {
    let mut operands = Vec::new();
    let mut pending = vec![other, one];
    while let Some(edge) = pending.pop() {
        let is_inner =
            !edge.is_negated() && aig.has_one_user(edge.node()) && operands.len() + pending.len() + 2 <= MAX_OPERANDS;
        match aig.operands(edge.node()) {
            Some((left, right)) if is_inner && !is_gate(aig, left, right) => pending.extend([right, left]),
            _ => operands.push(edge),
        }
    }
    operands.sort_unstable();
    operands.dedup();
    operands
}

fn is_gate(aig: &Aig, one: Edge, other: Edge) -> bool {
    multiplexer(aig, one, other).is_some() || majority(aig, one, other).is_some() || majority(aig, other, one).is_some()
}
