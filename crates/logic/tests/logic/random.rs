//! Random formulas.

use proptest::prelude::*;
use unpick_logic::{Formula, Node};

/// Formulas over the atoms below `n_atoms`, up to five connectives deep.
pub fn formula(n_atoms: u32) -> impl Strategy<Value = Formula> {
    formula_of_size(n_atoms, 5, 14)
}

/// Formulas of about `n_nodes` nodes and at most this depth.
pub fn formula_of_size(n_atoms: u32, depth: u32, n_nodes: u32) -> impl Strategy<Value = Formula> {
    let leaf = prop_oneof![
        1 => Just(Formula::truth()),
        1 => Just(Formula::falsehood()),
        12 => (0..n_atoms).prop_map(Formula::atom),
    ];
    leaf.prop_recursive(depth, n_nodes, 3, |inner| {
        let pair = (inner.clone(), inner.clone());
        let list = prop::collection::vec(inner.clone(), 2..4);
        let node = prop_oneof![
            2 => inner.clone().prop_map(Node::Not),
            2 => inner.clone().prop_map(Node::Next),
            2 => inner.clone().prop_map(Node::Eventually),
            2 => inner.prop_map(Node::Always),
            2 => list.clone().prop_map(Node::And),
            2 => list.prop_map(Node::Or),
            1 => pair.clone().prop_map(|(left, right)| Node::Implies(left, right)),
            1 => pair.clone().prop_map(|(left, right)| Node::Equivalent(left, right)),
            2 => pair.clone().prop_map(|(left, right)| Node::Until(left, right)),
            1 => pair.clone().prop_map(|(left, right)| Node::WeakUntil(left, right)),
            2 => pair.clone().prop_map(|(left, right)| Node::Release(left, right)),
            1 => pair.prop_map(|(left, right)| Node::StrongRelease(left, right)),
        ];
        node.prop_map(Formula::new)
    })
}
