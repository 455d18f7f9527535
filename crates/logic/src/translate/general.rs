//! Transition-based generalised Büchi automata: a run accepts if it sees every acceptance mark infinitely often.
//!
//! One mark on all edges out of a state makes that state accepting in Büchi's sense, so the same type, and the same
//! reductions, serve before and after degeneralisation.

use crate::guard::Cube;

/// A transition; several may lead to the same state.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Transition {
    pub(super) cube: Cube,
    /// Bit `n` is the `n`-th mark.
    pub(super) marks: u64,
    pub(super) target: usize,
}

/// A generalised Büchi automaton with acceptance on transitions.
#[derive(Clone, Debug)]
pub(super) struct General {
    pub(super) initial: usize,
    pub(super) edges: Vec<Vec<Transition>>,
    /// How many marks there are.
    pub(super) n_sets: usize,
}

impl General {
    pub(super) fn n_states(&self) -> usize {
        self.edges.len()
    }

    /// The word with this many marks.
    pub(super) fn all_marks(n_sets: usize) -> u64 {
        if n_sets >= 64 { u64::MAX } else { (1 << n_sets) - 1 }
    }

    /// All marks of this automaton.
    pub(super) fn all(&self) -> u64 {
        Self::all_marks(self.n_sets)
    }

    /// What is to be made small: states, then transitions.
    pub(super) fn weight(&self) -> (usize, usize) {
        (self.n_states(), self.edges.iter().map(Vec::len).sum())
    }

    /// Keeps the states with `keep`, and among them those that can be reached.
    pub(super) fn restrict(&mut self, keep: &[bool]) {
        let mut numbers = vec![usize::MAX; self.n_states()];
        let mut order = vec![self.initial];
        numbers[self.initial] = 0;
        let mut at = 0;
        while at < order.len() {
            self.edges[order[at]].retain(|edge| keep[edge.target]);
            for edge in &self.edges[order[at]] {
                if numbers[edge.target] == usize::MAX {
                    numbers[edge.target] = order.len();
                    order.push(edge.target);
                }
            }
            at += 1;
        }
        let renumbered = |state: &usize| {
            let edges = self.edges[*state].iter();
            edges.map(|edge| Transition { target: numbers[edge.target], ..*edge }).collect()
        };
        self.edges = order.iter().map(renumbered).collect();
        self.initial = 0;
    }
}
