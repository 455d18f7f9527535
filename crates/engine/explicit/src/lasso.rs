//! Lassos of fair executions in the state graph of a program: accepting, fair strongly connected components of the product
//! with an automaton.
//!
//! The states of the product are numbered breadth first; components, fairness and the way round are those of any
//! [`crate::graph`].

use std::collections::HashMap;

use unpick_logic::buchi::Buchi;
use unpick_system::{Claim, ClaimKind, Processes};

use crate::graph::{self, Adjacency, Component, Walked};
use crate::temporal::{Edge, Graph, NodeKind};

/// An execution: edges from the start, those from `start` on for ever.
pub(crate) struct Lasso {
    pub edges: Vec<Edge>,
    pub start: usize,
}

impl Lasso {
    /// The same execution, with an endless part that begins where a thread is about to move; none if no thread moves on it.
    pub(crate) fn from_point(self, graph: &Graph) -> Option<Lasso> {
        let Lasso { mut edges, start } = self;
        if edges.len() == start {
            return Some(Lasso { edges, start });
        }
        let skipped = edges[start..].iter().position(|edge| edge.is_step(graph))?;
        let again = edges[start..start + skipped].to_vec();
        edges.extend(again);
        Some(Lasso { edges, start: start + skipped })
    }
}

/// A state of the product: node and state of the automaton.
type Pair = (u32, u32);

struct Product<'a> {
    graph: &'a Graph,
    automaton: Option<&'a Buchi>,
    /// Edges with progress do not count.
    skips_progress: bool,
    /// Executions that end stay in their last state for ever.
    stutters: bool,
    letter: &'a dyn Fn(u64) -> u64,
    /// All states that can be reached.
    pairs: Vec<Pair>,
    numbers: HashMap<Pair, u32, foldhash::fast::RandomState>,
}

/// An endless execution that violates a claim other than an invariant; `letter` translates letters of the graph to
/// those of the claim.
pub(crate) fn find(
    graph: &Graph,
    claim: &Claim,
    automaton: Option<&Buchi>,
    letter: &dyn Fn(u64) -> u64,
) -> Option<Lasso> {
    let initial = (0, automaton.map_or(0, |automaton| automaton.initial as u32));
    let mut product = Product {
        graph,
        automaton,
        skips_progress: matches!(claim.kind, ClaimKind::Livelock),
        stutters: matches!(claim.kind, ClaimKind::Ltl(_)),
        letter,
        pairs: vec![initial],
        numbers: HashMap::from_iter([(initial, 0)]),
    };
    let edges = product.explore();
    let mut found = None;
    graph::for_each_component(&edges, vec![1; product.pairs.len()], |component| {
        let mut part = Part { product: &product, component: Some(&component) };
        let counts = component.nodes.iter().any(|pair| part.is_accepting(*pair))
            && (!claim.is_fair || graph::is_fair(&mut part, &component.nodes));
        if counts {
            found = Some(component);
        }
        !counts
    });
    found.map(|component| product.lasso(&component, claim.is_fair))
}

impl Product<'_> {
    /// What follows a state, with the edge of the graph.
    fn successors(&self, (node, state): Pair, into: &mut Vec<(Edge, Pair)>) {
        into.clear();
        let data = &self.graph.nodes[node as usize];
        let stutter = [Edge { from: node, to: node, label: 0, is_progress: false }];
        let edges = match data.kind {
            NodeKind::End if self.stutters => &stutter[..],
            _kind => &data.edges[..],
        };
        let is_point = matches!(data.kind, NodeKind::Point | NodeKind::End);
        for edge in edges {
            match self.automaton {
                Some(automaton) if is_point => {
                    let letter = (self.letter)(data.letter);
                    into.extend(
                        automaton.successors(state as usize, letter).map(|next| (*edge, (edge.to, next as u32))),
                    );
                }
                Some(_) | None => into.push((*edge, (edge.to, state))),
            }
        }
    }

    /// Whether a cycle may go along an edge.
    fn counts(&self, edge: &Edge) -> bool {
        !(self.skips_progress && edge.is_progress)
    }

    /// Numbers all states; the edges that count.
    fn explore(&mut self) -> Adjacency {
        let mut edges = Adjacency::default();
        let (mut at, mut next, mut targets) = (0, Vec::new(), Vec::new());
        while at < self.pairs.len() {
            self.successors(self.pairs[at], &mut next);
            targets.clear();
            for (edge, pair) in &next {
                let number = *self.numbers.entry(*pair).or_insert(self.pairs.len() as u32);
                if number as usize == self.pairs.len() {
                    self.pairs.push(*pair);
                }
                targets.extend(self.counts(edge).then_some(number));
            }
            edges.push(targets.iter().copied());
            at += 1;
        }
        edges
    }

    /// The execution into the component and round it.
    fn lasso(&self, component: &Component, is_fair: bool) -> Lasso {
        let way = match component.contains(0) {
            true => Vec::new(),
            false => {
                let mut all = Part { product: self, component: None };
                let way = graph::shortest_way(&mut all, 0, &mut |_, _, (_, to)| component.contains(to));
                way.expect("a component should be reachable")
            }
        };
        let first = way.last().map_or(0, |(_, number)| *number);
        let mut edges: Vec<Edge> = way.into_iter().map(|(edge, _)| edge).collect();
        let start = edges.len();
        if self.graph.nodes[self.pairs[first as usize].0 as usize].kind != NodeKind::End {
            let round = graph::round(&mut Part { product: self, component: Some(component) }, first, is_fair);
            edges.extend(round.into_iter().map(|(edge, _)| edge));
        }
        Lasso { edges, start }
    }
}

/// A component of the product with the edges that count, or all of it.
struct Part<'p> {
    product: &'p Product<'p>,
    component: Option<&'p Component>,
}

impl Walked for Part<'_> {
    type Label = Edge;

    fn edges(&mut self, number: u32, into: &mut Vec<(Edge, u32)>) {
        let mut next = Vec::new();
        self.product.successors(self.product.pairs[number as usize], &mut next);
        let numbered = next.into_iter().map(|(edge, pair)| (edge, self.product.numbers[&pair]));
        into.extend(numbered.filter(|(edge, number)| {
            self.component.is_none_or(|component| self.product.counts(edge) && component.contains(*number))
        }));
    }

    fn is_accepting(&mut self, number: u32) -> bool {
        let (_, state) = self.product.pairs[number as usize];
        self.product.automaton.is_none_or(|automaton| automaton.accepting[state as usize])
    }

    /// In the middle of a step, all can move that could before.
    fn disabled(&mut self, number: u32) -> Processes {
        let node = &self.product.graph.nodes[self.product.pairs[number as usize].0 as usize];
        match node.kind {
            NodeKind::Point => {
                (0..64).filter(|thread| node.enabled >> thread & 1 == 1).collect::<Processes>().complement()
            }
            NodeKind::End => Processes::ALL,
            NodeKind::Choice | NodeKind::Question => Processes::default(),
        }
    }

    fn movers(&mut self, _: u32, (edge, _): (Edge, u32), _: Processes) -> Processes {
        Processes::from_iter(edge.is_step(self.product.graph).then_some(edge.label as u8))
    }
}

impl Edge {
    /// Whether a thread moves on it, rather than an option being taken.
    fn is_step(&self, graph: &Graph) -> bool {
        graph.nodes[self.from as usize].kind == NodeKind::Point
    }
}
