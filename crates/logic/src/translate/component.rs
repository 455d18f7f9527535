//! Strongly connected components of an automaton and the marks inside them.

use super::general::{General, Transition};
use crate::graph;

/// Which component each state belongs to.
pub(super) struct Components {
    pub(super) of: Vec<usize>,
    pub(super) count: usize,
}

impl Components {
    /// The components of the graph of all edges.
    pub(super) fn new(automaton: &General) -> Self {
        Self::of_edges(automaton, &|_, _| true)
    }

    /// The components of the graph of the edges that `keep` accepts. An edge never leads to a component with a higher
    /// number.
    pub(super) fn of_edges(automaton: &General, keep: &dyn Fn(usize, &Transition) -> bool) -> Self {
        let successor = |state: usize, at: usize| {
            automaton.edges[state].get(at).map(|edge| if keep(state, edge) { edge.target } else { state })
        };
        let graph::Components { of, count } = graph::components(automaton.n_states(), &successor);
        Self { of, count }
    }

    /// Whether the edge stays in its component.
    pub(super) fn is_inner(&self, state: usize, edge: &Transition) -> bool {
        self.of[state] == self.of[edge.target]
    }

    /// For each component, the marks on its inner edges; `None` without inner edge.
    pub(super) fn marks(&self, automaton: &General) -> Vec<Option<u64>> {
        let mut marks = vec![None; self.count];
        for (state, edges) in automaton.edges.iter().enumerate() {
            for edge in edges.iter().filter(|edge| self.is_inner(state, edge)) {
                let marks = &mut marks[self.of[state]];
                *marks = Some(marks.unwrap_or(0) | edge.marks);
            }
        }
        marks
    }
}
