//! Bit-parallel simulation of an and-inverter graph: each node has a word of 64 values, one per pattern of its inputs.
//!
//! Nodes that differ in one pattern are not equal, which costs an instruction per node and 64 patterns. It tests what was
//! built, and tells which nodes are worth asking a solver whether they are equal.

use super::{Aig, Edge, Gate, Node};

/// Where the patterns of inputs come from: 64 values for each.
pub trait Patterns {
    /// Values of the input with this number.
    fn input(&mut self, number: u32) -> u64;
}

impl<F: FnMut(u32) -> u64> Patterns for F {
    fn input(&mut self, number: u32) -> u64 {
        self(number)
    }
}

/// Values of all nodes of a graph under 64 patterns; grows with the graph.
#[derive(Clone, Default, Debug)]
pub struct Simulation {
    words: Vec<u64>,
}

impl Simulation {
    /// Nothing simulated yet.
    pub fn new() -> Simulation {
        Simulation::default()
    }

    /// Simulates the nodes that are new since the last call.
    pub fn extend(&mut self, aig: &Aig, patterns: &mut dyn Patterns) {
        self.words.reserve(aig.len() - self.words.len());
        for index in self.words.len()..aig.len() {
            let node = Node(u32::try_from(index).expect("nodes should have numbers of 32 bits"));
            let word = match aig.gate(node) {
                Gate::False => 0,
                Gate::Input(number) => patterns.input(number),
                Gate::And(one, other) => self.word(one) & self.word(other),
            };
            self.words.push(word);
        }
    }

    /// The 64 values of an edge.
    pub fn word(&self, edge: Edge) -> u64 {
        let word = self.words[edge.node().index()];
        if edge.is_negated() { !word } else { word }
    }
}
