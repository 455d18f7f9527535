//! Conjunctive normal form of an and-inverter graph (Tseitin 1968), by polarity (Plaisted and Greenbaum 1986) and as it
//! is needed.
//!
//! A node gets a variable when an edge to it is first asked for, and of its two implications only that which the asking
//! needs: assuming `e` needs "e implies its definition". Exclusive or, multiplexer and majority are recognised in the
//! graph, so that their inner nodes get no variables; conjunctions that only one node uses are joined into one long one.
//! Values of inputs in a model are right; those of inner nodes may be wrong in the polarity that was not asked for, so
//! models are read at the inputs and evaluated from there.

mod shape;

use crate::aig::{Aig, Edge, Gate, Node};
use crate::solver::{ClauseSink, Lit};
use shape::{Shape, shape};

/// Which implications of a node are wanted: the definition from the variable, or the other way round.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Polarity(u8);

impl Polarity {
    const POSITIVE: Polarity = Polarity(1);
    const NEGATIVE: Polarity = Polarity(2);
    const BOTH: Polarity = Polarity(3);

    fn has(self, other: Polarity) -> bool {
        self.0 & other.0 == other.0
    }

    /// For the node below an edge of this polarity.
    fn below(self, edge: Edge) -> Polarity {
        match edge.is_negated() {
            true => Polarity(self.0 >> 1 | (self.0 & 1) << 1),
            false => self,
        }
    }
}

/// Which nodes have variables, and which of their implications were written.
#[derive(Default)]
pub struct Encoder {
    literals: Vec<Option<Lit>>,
    written: Vec<u8>,
    pending: Vec<(Node, Polarity)>,
    n_clauses: u64,
}

impl Encoder {
    /// Nothing written yet.
    pub fn new() -> Encoder {
        Encoder::default()
    }

    /// How many clauses were written.
    pub fn n_clauses(&self) -> u64 {
        self.n_clauses
    }

    /// The literal of an edge that is going to be assumed true or be put into a clause. What its definition still lacks
    /// in the sink goes there; an encoder therefore belongs to one sink.
    pub fn literal(&mut self, aig: &Aig, edge: Edge, sink: &mut dyn ClauseSink) -> Lit {
        self.literals.resize(aig.len(), None);
        self.written.resize(aig.len(), 0);
        let literal = self.demand(edge, Polarity::POSITIVE, sink);
        while let Some((node, polarity)) = self.pending.pop() {
            self.define(aig, node, polarity, sink);
        }
        literal
    }

    /// The literal of an edge whose node has one.
    pub fn known(&self, edge: Edge) -> Option<Lit> {
        let literal = self.literals.get(edge.node().index()).copied().flatten()?;
        Some(literal.negated_if(edge.is_negated()))
    }

    fn demand(&mut self, edge: Edge, polarity: Polarity, sink: &mut dyn ClauseSink) -> Lit {
        let at = edge.node().index();
        let literal = *self.literals[at].get_or_insert_with(|| sink.new_literal());
        let polarity = polarity.below(edge);
        let missing = Polarity(polarity.0 & !self.written[at]);
        if missing.0 != 0 {
            self.written[at] |= missing.0;
            self.pending.push((edge.node(), missing));
        }
        literal.negated_if(edge.is_negated())
    }

    fn clause(&mut self, literals: &[Lit], sink: &mut dyn ClauseSink) {
        self.n_clauses += 1;
        sink.add_clause(literals);
    }

    /// Writes what is missing of a node's definition.
    fn define(&mut self, aig: &Aig, node: Node, polarity: Polarity, sink: &mut dyn ClauseSink) {
        let output = self.literals[node.index()].expect("a demanded node should have a literal");
        match aig.gate(node) {
            Gate::False => {
                self.written[node.index()] = Polarity::BOTH.0;
                self.clause(&[!output], sink);
            }
            Gate::Input(_) => {}
            Gate::And(..) => match shape(aig, node) {
                Shape::And(operands) => self.define_and(output, &operands, polarity, sink),
                Shape::Xor(one, other) => self.define_xor(output, one, other, polarity, sink),
                Shape::Ite(condition, yes, no) => self.define_ite(output, [condition, yes, no], polarity, sink),
                Shape::Majority(operands) => self.define_majority(output, operands, polarity, sink),
            },
        }
    }

    fn define_and(&mut self, output: Lit, operands: &[Edge], polarity: Polarity, sink: &mut dyn ClauseSink) {
        let literals: Vec<Lit> = operands.iter().map(|operand| self.demand(*operand, polarity, sink)).collect();
        if polarity.has(Polarity::POSITIVE) {
            for literal in &literals {
                self.clause(&[!output, *literal], sink);
            }
        }
        if polarity.has(Polarity::NEGATIVE) {
            let clause: Vec<Lit> =
                std::iter::once(output).chain(literals.into_iter().map(|literal| !literal)).collect();
            self.clause(&clause, sink);
        }
    }

    fn define_xor(&mut self, output: Lit, one: Edge, other: Edge, polarity: Polarity, sink: &mut dyn ClauseSink) {
        let (one, other) = (self.demand(one, Polarity::BOTH, sink), self.demand(other, Polarity::BOTH, sink));
        if polarity.has(Polarity::POSITIVE) {
            self.clause(&[!output, one, other], sink);
            self.clause(&[!output, !one, !other], sink);
        }
        if polarity.has(Polarity::NEGATIVE) {
            self.clause(&[output, !one, other], sink);
            self.clause(&[output, one, !other], sink);
        }
    }

    fn define_ite(&mut self, output: Lit, operands: [Edge; 3], polarity: Polarity, sink: &mut dyn ClauseSink) {
        let condition = self.demand(operands[0], Polarity::BOTH, sink);
        let (yes, no) = (self.demand(operands[1], polarity, sink), self.demand(operands[2], polarity, sink));
        if polarity.has(Polarity::POSITIVE) {
            self.clause(&[!output, !condition, yes], sink);
            self.clause(&[!output, condition, no], sink);
        }
        if polarity.has(Polarity::NEGATIVE) {
            self.clause(&[output, !condition, !yes], sink);
            self.clause(&[output, condition, !no], sink);
        }
    }

    fn define_majority(&mut self, output: Lit, operands: [Edge; 3], polarity: Polarity, sink: &mut dyn ClauseSink) {
        let [a, b, c] = operands.map(|operand| self.demand(operand, polarity, sink));
        for (one, other) in [(a, b), (a, c), (b, c)] {
            if polarity.has(Polarity::POSITIVE) {
                self.clause(&[!output, one, other], sink);
            }
            if polarity.has(Polarity::NEGATIVE) {
                self.clause(&[output, !one, !other], sink);
            }
        }
    }
}

#[cfg(test)]
mod tests;
