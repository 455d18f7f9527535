//! Directed graphs of numbered nodes: strongly connected components (Gabow 2000), trimming (Kahn 1962), weak fairness, and
//! lassos, once for all that look for endless executions.
//!
//! Two ways to see a graph are enough. Kept edges are given by position ([`Graph`]), which costs nothing
//! beside the edges: components and trimming visit every edge. Edges made on demand are given for one node
//! ([`Walked`]), with what is known of each: a lasso visits few. [`crate::couvreur`] finds components while it explores, by
//! an algorithm of its own, and shares the lassos; the depth-first search of programs finds them to summarise what lies
//! behind a state, in `scc_summaries.rs`.

mod components;
mod lasso;
mod trim;

pub(crate) use components::{Component, for_each_component};
pub(crate) use lasso::{Walked, is_fair, round, shortest_way};
pub(crate) use trim::trim;

/// A graph with all its edges; nodes are numbers below [`Graph::n_nodes`].
pub(crate) trait Graph {
    /// How many nodes there are.
    fn n_nodes(&self) -> usize;

    /// Nodes that have successors, and maybe others.
    fn sources(&self) -> impl Iterator<Item = u32> + '_;

    /// Where a node's successors begin; for [`Graph::at`].
    fn begin(&self, node: u32) -> u32;

    /// The successor there, if there is one more; the next one is at the next position.
    fn at(&self, position: u32) -> Option<u32>;

    /// A node's successors.
    #[inline]
    fn successors(&self, node: u32) -> impl Iterator<Item = u32> + '_ {
        (self.begin(node)..u32::MAX).map_while(|position| self.at(position))
    }
}

/// A graph in two vectors.
#[derive(Default)]
pub(crate) struct Adjacency {
    /// Where the successors of each node begin.
    first: Vec<u32>,
    /// The successors of one node after the other, each time with [`END`] behind them.
    targets: Vec<u32>,
}

/// No successor.
const END: u32 = u32::MAX;

impl Adjacency {
    /// Adds a node with its successors, which may be added later.
    pub(crate) fn push(&mut self, successors: impl Iterator<Item = u32>) {
        self.first.push(self.targets.len() as u32);
        self.targets.extend(successors);
        self.targets.push(END);
    }
}

impl Graph for Adjacency {
    fn n_nodes(&self) -> usize {
        self.first.len()
    }

    fn sources(&self) -> impl Iterator<Item = u32> + '_ {
        0..self.first.len() as u32
    }

    fn begin(&self, node: u32) -> u32 {
        self.first[node as usize]
    }

    fn at(&self, position: u32) -> Option<u32> {
        self.targets.get(position as usize).copied().filter(|target| *target != END)
    }
}
