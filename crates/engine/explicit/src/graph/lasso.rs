//! Lassos by aims: a cycle inside a strongly connected component that passes all that acceptance and weak fairness require,
//! by a shortest way from each to the next.
//!
//! A component is fair (weakly, "just") if for every process it has a step of it or a node in which it cannot move: an
//! execution whose cycle passes all of these is weakly fair.

use std::collections::{HashMap, VecDeque};

use unpick_system::Processes;

/// A part of a graph whose edges are made when they are asked for.
pub(crate) trait Walked {
    /// What is known of an edge.
    type Label: Copy;

    /// Adds the edges from a node that stay in the part.
    fn edges(&mut self, node: u32, into: &mut Vec<(Self::Label, u32)>);

    /// Whether a cycle through the node counts.
    fn is_accepting(&mut self, node: u32) -> bool;

    /// Processes that cannot move in a node.
    fn disabled(&mut self, node: u32) -> Processes;

    /// Processes that move on an edge; those that are `known` need not be found.
    fn movers(&mut self, from: u32, edge: (Self::Label, u32), known: Processes) -> Processes;
}

/// An edge from a node: what is known of it, and where it leads.
type Edge<W> = (<W as Walked>::Label, u32);

/// Whether an edge from a node is what is looked for.
type IsAim<'c, W> = dyn FnMut(&mut W, u32, Edge<W>) -> bool + 'c;

/// Whether the nodes of a component, which is all of the part, make it fair to all.
pub(crate) fn is_fair<W: Walked>(part: &mut W, nodes: &[u32]) -> bool {
    let mut fair = Processes::default();
    let mut edges = Vec::new();
    nodes.iter().any(|node| {
        fair.extend(part.disabled(*node));
        edges.clear();
        part.edges(*node, &mut edges);
        for edge in &edges {
            fair.extend(part.movers(*node, *edge, fair));
        }
        fair == Processes::ALL
    })
}

/// A way from `start` back to it through an accepting node and, where that counts, through what is fair to all. The part is
/// a component that holds all of this.
pub(crate) fn round<W: Walked>(part: &mut W, start: u32, is_fair: bool) -> Vec<Edge<W>> {
    let fair = if is_fair { part.disabled(start) } else { Processes::ALL };
    let mut round = Round { part, at: start, steps: Vec::new(), fair };
    if !round.part.is_accepting(start) {
        round.go(&mut |part, _, (_, to)| part.is_accepting(to));
    }
    for process in 0..=u8::MAX {
        if !round.fair.contains(process) {
            let others = Processes::from_iter([process]).complement();
            round.go(&mut |part, from, edge| {
                part.movers(from, edge, others).contains(process) || part.disabled(edge.1).contains(process)
            });
        }
    }
    if round.steps.is_empty() || round.at != start {
        round.go(&mut |_, _, (_, to)| to == start);
    }
    round.steps
}

struct Round<'p, W: Walked> {
    part: &'p mut W,
    at: u32,
    steps: Vec<Edge<W>>,
    /// Processes that have moved or could not.
    fair: Processes,
}

impl<W: Walked> Round<'_, W> {
    /// Goes on to what has to be passed next.
    fn go(&mut self, is_aim: &mut IsAim<'_, W>) {
        let way = shortest_way(self.part, self.at, is_aim).expect("a component should hold what it has passed");
        for edge in way {
            if self.fair != Processes::ALL {
                self.fair.extend(self.part.movers(self.at, edge, self.fair));
                self.fair.extend(self.part.disabled(edge.1));
            }
            self.steps.push(edge);
            self.at = edge.1;
        }
    }
}

/// The fewest edges, at least one, the last of which is what is looked for.
pub(crate) fn shortest_way<W: Walked>(part: &mut W, start: u32, is_aim: &mut IsAim<'_, W>) -> Option<Vec<Edge<W>>> {
    let mut origins: HashMap<u32, (u32, W::Label), foldhash::fast::RandomState> = HashMap::default();
    let mut waiting = VecDeque::from([start]);
    let mut edges = Vec::new();
    while let Some(from) = waiting.pop_front() {
        edges.clear();
        part.edges(from, &mut edges);
        for edge in edges.iter().copied() {
            if is_aim(part, from, edge) {
                let mut way = vec![edge];
                let mut at = from;
                while at != start {
                    let (before, label) = origins[&at];
                    way.push((label, at));
                    at = before;
                }
                way.reverse();
                return Some(way);
            }
            let (label, next) = edge;
            if next != start && !origins.contains_key(&next) {
                origins.insert(next, (from, label));
                waiting.push_back(next);
            }
        }
    }
    None
}
