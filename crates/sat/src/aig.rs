//! And-inverter graph (Kuehlmann, Paruthi, Krohm and Ganai 2002): Boolean functions as two-input AND nodes and negated
//! edges, each pair of operands at most once (structural hashing).
//!
//! A node is made in constant time: constants are folded, and the operands are looked at two levels deep by the rules of
//! Brummayer and Biere ("Local two-level and-inverter graph minimization without blowup", 2006), none of which makes more
//! nodes than it saves. Operands come before their users in the numbering, so that a walk in order is bottom-up.

mod rewrite;
mod simulate;

use std::collections::HashMap;
use std::fmt;
use std::ops::Not;

use rewrite::Step;
pub use simulate::{Patterns, Simulation};

/// An edge of the graph: a node, perhaps negated.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Edge(u32);

impl Edge {
    /// Constantly false.
    pub const FALSE: Edge = Edge(0);
    /// Constantly true.
    pub const TRUE: Edge = Edge(1);

    /// The edge to a node.
    pub fn new(node: Node, is_negated: bool) -> Edge {
        Edge(node.0 << 1 | u32::from(is_negated))
    }

    /// A constant.
    pub fn constant(value: bool) -> Edge {
        Edge(u32::from(value))
    }

    /// The node it leads to.
    pub fn node(self) -> Node {
        Node(self.0 >> 1)
    }

    /// Whether the node's value is negated.
    pub fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }

    /// Its value, if it is constant.
    pub fn value(self) -> Option<bool> {
        (self.0 <= 1).then_some(self.0 == 1)
    }

    /// Negated if asked for.
    #[must_use]
    pub fn negated_if(self, is_negated: bool) -> Edge {
        Edge(self.0 ^ u32::from(is_negated))
    }

    /// The node's own edge, without a negation.
    fn positive(self) -> Edge {
        Edge(self.0 & !1)
    }
}

impl Not for Edge {
    type Output = Edge;

    fn not(self) -> Edge {
        Edge(self.0 ^ 1)
    }
}

impl fmt::Debug for Edge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.value() {
            Some(value) => write!(f, "{value}"),
            None => write!(f, "{}n{}", if self.is_negated() { "!" } else { "" }, self.0 >> 1),
        }
    }
}

/// A node of the graph; node 0 is the constant.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Node(u32);

impl Node {
    /// The node of the constants.
    pub const CONSTANT: Node = Node(0);

    /// Its number; operands have smaller ones than their users.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What computes a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Gate {
    /// Constantly false.
    False,
    /// An unknown, with its number.
    Input(u32),
    /// The conjunction of two edges.
    And(Edge, Edge),
}

/// Marks nodes that are no conjunctions; no edge has this number, because the count of nodes stays below.
const NO_EDGE: Edge = Edge(u32::MAX);

/// A graph that only grows.
pub struct Aig {
    /// Operands, the smaller first; an input has `NO_EDGE` and its number.
    nodes: Vec<[Edge; 2]>,
    inputs: Vec<Node>,
    hashed: HashMap<[Edge; 2], Node, foldhash::fast::RandomState>,
    /// How many nodes use a node, up to 255.
    n_users: Vec<u8>,
}

impl Default for Aig {
    fn default() -> Aig {
        Aig::new()
    }
}

impl Aig {
    /// The constant only.
    pub fn new() -> Aig {
        Aig { nodes: vec![[NO_EDGE; 2]], inputs: Vec::new(), hashed: HashMap::default(), n_users: vec![0] }
    }

    /// How many nodes there are, constant and inputs included.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is nothing but the constant.
    pub fn is_empty(&self) -> bool {
        self.nodes.len() == 1
    }

    /// How many conjunctions there are.
    pub fn n_ands(&self) -> usize {
        self.nodes.len() - 1 - self.inputs.len()
    }

    /// All unknowns, by their numbers.
    pub fn inputs(&self) -> &[Node] {
        &self.inputs
    }

    /// What computes a node.
    pub fn gate(&self, node: Node) -> Gate {
        match self.nodes[node.index()] {
            [NO_EDGE, NO_EDGE] => Gate::False,
            [NO_EDGE, number] => Gate::Input(number.0),
            [one, other] => Gate::And(one, other),
        }
    }

    /// The operands of a conjunction.
    pub fn operands(&self, node: Node) -> Option<(Edge, Edge)> {
        match self.gate(node) {
            Gate::And(one, other) => Some((one, other)),
            Gate::False | Gate::Input(_) => None,
        }
    }

    /// Whether at most one node uses this one.
    pub fn has_one_user(&self, node: Node) -> bool {
        self.n_users[node.index()] <= 1
    }

    /// A new unknown.
    pub fn input(&mut self) -> Edge {
        let number = u32::try_from(self.inputs.len()).expect("inputs should be fewer than nodes");
        let node = self.push([NO_EDGE, Edge(number)]);
        self.inputs.push(node);
        Edge::new(node, false)
    }

    fn push(&mut self, operands: [Edge; 2]) -> Node {
        assert!(self.nodes.len() < 1 << 30, "the graph should stay below a billion nodes: its users watch its size");
        let node = Node(u32::try_from(self.nodes.len()).expect("just compared"));
        self.nodes.push(operands);
        self.n_users.push(0);
        node
    }

    /// Both.
    pub fn and(&mut self, one: Edge, other: Edge) -> Edge {
        let (mut one, mut other) = (one, other);
        loop {
            match self.rewritten(one, other) {
                Step::Done(edge) => return edge,
                Step::Instead(left, right) => (one, other) = (left, right),
                Step::Keep => break,
            }
        }
        let operands = if one < other { [one, other] } else { [other, one] };
        if let Some(node) = self.hashed.get(&operands) {
            return Edge::new(*node, false);
        }
        let node = self.push(operands);
        self.hashed.insert(operands, node);
        for operand in operands {
            let n_users = &mut self.n_users[operand.node().index()];
            *n_users = n_users.saturating_add(1);
        }
        Edge::new(node, false)
    }

    /// At least one.
    pub fn or(&mut self, one: Edge, other: Edge) -> Edge {
        !self.and(!one, !other)
    }

    /// Exactly one. Negations are moved to the outside, so that `a ^ b` and `!a ^ b` share their nodes.
    pub fn xor(&mut self, one: Edge, other: Edge) -> Edge {
        let is_negated = one.is_negated() != other.is_negated();
        let (one, other) = (one.positive(), other.positive());
        let (both, neither) = (self.and(one, other), self.and(!one, !other));
        self.and(!both, !neither).negated_if(is_negated)
    }

    /// Both or neither.
    pub fn equal(&mut self, one: Edge, other: Edge) -> Edge {
        !self.xor(one, other)
    }

    /// `yes` where the condition is true, else `no`.
    pub fn ite(&mut self, condition: Edge, yes: Edge, no: Edge) -> Edge {
        if condition.is_negated() {
            return self.ite(!condition, no, yes);
        }
        if yes == no {
            return yes;
        }
        if yes == !no {
            return self.xor(condition, no);
        }
        if no.is_negated() && yes.is_negated() {
            return !self.ite(condition, !yes, !no);
        }
        let (yes, no) = (self.and(condition, yes), self.and(!condition, no));
        self.or(yes, no)
    }

    /// At least two of three; the carry of an adder.
    pub fn majority(&mut self, one: Edge, other: Edge, third: Edge) -> Edge {
        let (both, any) = (self.and(one, other), self.or(one, other));
        let third = self.and(third, any);
        self.or(both, third)
    }

    /// All of them, as a balanced tree.
    pub fn and_all(&mut self, edges: &[Edge]) -> Edge {
        match edges {
            [] => Edge::TRUE,
            [edge] => *edge,
            edges => {
                let (left, right) = edges.split_at(edges.len() / 2);
                let (left, right) = (self.and_all(left), self.and_all(right));
                self.and(left, right)
            }
        }
    }

    /// At least one of them.
    pub fn or_all(&mut self, edges: &[Edge]) -> Edge {
        let negated: Vec<Edge> = edges.iter().map(|edge| !*edge).collect();
        !self.and_all(&negated)
    }

    /// All nodes that some edges depend on (their cone), operands first.
    pub fn cone(&self, roots: &[Edge]) -> Vec<Node> {
        let mut is_seen = vec![false; self.nodes.len()];
        let mut pending: Vec<Node> = roots.iter().map(|root| root.node()).collect();
        let mut cone = Vec::new();
        while let Some(node) = pending.pop() {
            if std::mem::replace(&mut is_seen[node.index()], true) {
                continue;
            }
            cone.push(node);
            if let Some((one, other)) = self.operands(node) {
                pending.extend([one.node(), other.node()]);
            }
        }
        cone.sort_unstable();
        cone
    }
}

#[cfg(test)]
mod tests;
