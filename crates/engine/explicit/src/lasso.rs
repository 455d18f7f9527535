//! Lassos of fair executions in the state graph: accepting, fair strongly connected components (Tarjan 1972) of the
//! product with an automaton.
//!
//! Tarjan's algorithm finds the components of the product; a component is a violation if it has a cycle, an accepting
//! state and, where only fair executions count, for each thread an edge on which it moves or a state in which it
//! cannot. The cycle that is shown goes through all of these, by shortest ways.

use std::collections::{HashMap, HashSet, VecDeque};

use unpick_logic::buchi::Buchi;
use unpick_system::{Claim, ClaimKind};

use crate::temporal::{Edge, Graph, NodeKind};

type Map<K, V> = HashMap<K, V, foldhash::fast::RandomState>;

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
    is_fair: bool,
    /// Edges with progress do not count.
    skips_progress: bool,
    /// Executions that end stay in their last state for ever.
    stutters: bool,
    letter: &'a dyn Fn(u64) -> u64,
}

/// An endless execution that violates a claim other than an invariant; `letter` translates letters of the graph to
/// those of the claim.
pub(crate) fn find(
    graph: &Graph,
    claim: &Claim,
    automaton: Option<&Buchi>,
    letter: &dyn Fn(u64) -> u64,
) -> Option<Lasso> {
    let is_livelock = matches!(claim.kind, ClaimKind::Livelock);
    let stutters = matches!(claim.kind, ClaimKind::Ltl(_));
    let product = Product { graph, automaton, is_fair: claim.is_fair, skips_progress: is_livelock, stutters, letter };
    let initial = (0, automaton.map_or(0, |automaton| automaton.initial as u32));
    let component = product.violating_component(initial)?;
    Some(product.lasso(initial, &component))
}

impl Product<'_> {
    /// What follows a state, with the edge of the graph.
    fn successors(&self, (node, state): Pair, into: &mut Vec<(Pair, Edge)>, is_cycle: bool) {
        into.clear();
        let data = &self.graph.nodes[node as usize];
        let stutter = [Edge { from: node, to: node, label: 0, is_progress: false }];
        let edges = match data.kind {
            NodeKind::End if self.stutters => &stutter[..],
            _kind => &data.edges[..],
        };
        let is_point = matches!(data.kind, NodeKind::Point | NodeKind::End);
        for edge in edges.iter().filter(|edge| !(is_cycle && self.skips_progress && edge.is_progress)) {
            match self.automaton {
                Some(automaton) if is_point => {
                    let letter = (self.letter)(data.letter);
                    into.extend(
                        automaton.successors(state as usize, letter).map(|next| ((edge.to, next as u32), *edge)),
                    );
                }
                Some(_) | None => into.push(((edge.to, state), *edge)),
            }
        }
    }

    fn is_accepting(&self, (_, state): Pair) -> bool {
        self.automaton.is_none_or(|automaton| automaton.accepting[state as usize])
    }

    /// A component that holds a violation.
    fn violating_component(&self, initial: Pair) -> Option<HashSet<Pair>> {
        if self.skips_progress {
            // Cycles without progress may begin behind progress: components of the graph without such edges, from
            // every state that can be reached.
            let mut tarjan = Tarjan::default();
            for root in self.reachable(initial) {
                if let Some(found) = tarjan.components(self, root) {
                    return Some(found);
                }
            }
            return None;
        }
        Tarjan::default().components(self, initial)
    }

    fn reachable(&self, initial: Pair) -> Vec<Pair> {
        let mut seen: HashSet<Pair> = HashSet::from([initial]);
        let mut order = vec![initial];
        let (mut at, mut next) = (0, Vec::new());
        while at < order.len() {
            self.successors(order[at], &mut next, false);
            at += 1;
            for (pair, _) in &next {
                if seen.insert(*pair) {
                    order.push(*pair);
                }
            }
        }
        order
    }

    /// Whether a component holds a violating cycle.
    fn is_violation(&self, component: &HashSet<Pair>) -> bool {
        if !component.iter().any(|pair| self.is_accepting(*pair)) {
            return false;
        }
        let (mut always, mut moved, mut has_edge) = (u64::MAX, 0u64, false);
        let mut next = Vec::new();
        for pair in component {
            let data = &self.graph.nodes[pair.0 as usize];
            match data.kind {
                NodeKind::Point => always &= data.enabled,
                NodeKind::End => always = 0,
                NodeKind::Choice | NodeKind::Question => {}
            }
            self.successors(*pair, &mut next, true);
            for (_, edge) in next.iter().filter(|(target, _)| component.contains(target)) {
                has_edge = true;
                if data.kind == NodeKind::Point {
                    moved |= 1 << edge.label;
                }
            }
        }
        has_edge && (!self.is_fair || always & !moved == 0)
    }

    /// The execution into the component and round it.
    fn lasso(&self, initial: Pair, component: &HashSet<Pair>) -> Lasso {
        let in_component = |pair: Pair| component.contains(&pair);
        let (mut edges, first) = self.way(initial, false, &|_| true, &|pair, _| in_component(pair));
        let start = edges.len();
        let mut at = first;
        let go = |at: Pair, edges: &mut Vec<Edge>, is_goal: &dyn Fn(Pair, Option<&Edge>) -> bool| {
            let (way, end) = self.way(at, true, &in_component, is_goal);
            edges.extend(way);
            end
        };
        at = go(at, &mut edges, &|pair, _| self.is_accepting(pair));
        if self.is_fair {
            let always = component.iter().fold(u64::MAX, |enabled, pair| {
                let data = &self.graph.nodes[pair.0 as usize];
                if data.kind == NodeKind::Point { enabled & data.enabled } else { enabled }
            });
            let some: u64 =
                component.iter().fold(0, |enabled, pair| enabled | self.graph.nodes[pair.0 as usize].enabled);
            for thread in (0..64).filter(|thread| some >> thread & 1 == 1) {
                let cannot = |pair: Pair| {
                    let data = &self.graph.nodes[pair.0 as usize];
                    data.kind == NodeKind::Point && data.enabled >> thread & 1 == 0
                };
                at = match always >> thread & 1 == 1 {
                    true => go(at, &mut edges, &|_, edge| {
                        edge.is_some_and(|edge| edge.label == thread && edge.is_step(self.graph))
                    }),
                    false => go(at, &mut edges, &|pair, _| cannot(pair)),
                };
            }
        }
        // Back to the beginning, by at least one edge.
        let is_back = |pair: Pair, edge: Option<&Edge>| pair == first && edge.is_some();
        if at != first || edges.len() == start {
            go(at, &mut edges, &is_back);
        }
        let is_end = self.graph.nodes[first.0 as usize].kind == NodeKind::End;
        if is_end {
            edges.truncate(start);
        }
        Lasso { edges, start }
    }

    /// A shortest way to a goal: a state, or a state entered by an edge.
    fn way(
        &self,
        from: Pair,
        is_cycle: bool,
        is_inside: &dyn Fn(Pair) -> bool,
        is_goal: &dyn Fn(Pair, Option<&Edge>) -> bool,
    ) -> (Vec<Edge>, Pair) {
        if is_goal(from, None) {
            return (Vec::new(), from);
        }
        let mut came: Map<Pair, (Pair, Edge)> = Map::default();
        let mut open = VecDeque::from([from]);
        let mut next = Vec::new();
        while let Some(at) = open.pop_front() {
            self.successors(at, &mut next, is_cycle);
            for (target, edge) in next.iter().filter(|(target, _)| is_inside(*target)) {
                let edge = *edge;
                if is_goal(*target, Some(&edge)) {
                    let mut edges = vec![edge];
                    let mut back = at;
                    while back != from {
                        let (before, edge) = came[&back];
                        edges.push(edge);
                        back = before;
                    }
                    edges.reverse();
                    return (edges, *target);
                }
                if *target != from && !came.contains_key(target) {
                    came.insert(*target, (at, edge));
                    open.push_back(*target);
                }
            }
        }
        unreachable!("states of a component should reach each other")
    }
}

impl Edge {
    /// Whether a thread moves on it, rather than an option being taken.
    fn is_step(&self, graph: &Graph) -> bool {
        graph.nodes[self.from as usize].kind == NodeKind::Point
    }
}

/// Tarjan's algorithm without recursion.
#[derive(Default)]
struct Tarjan {
    index: Map<Pair, u32>,
    low: Vec<u32>,
    is_open: Vec<bool>,
    stack: Vec<Pair>,
}

struct Visit {
    pair: Pair,
    number: u32,
    next: Vec<(Pair, Edge)>,
    at: usize,
}

impl Tarjan {
    /// The first violating component among those reached from a root that are not known yet.
    fn components(&mut self, product: &Product<'_>, root: Pair) -> Option<HashSet<Pair>> {
        if self.index.contains_key(&root) {
            return None;
        }
        let mut visits = vec![self.enter(product, root)];
        while let Some(visit) = visits.last_mut() {
            if let Some((target, _)) = visit.next.get(visit.at).copied() {
                visit.at += 1;
                let number = visit.number;
                match self.index.get(&target) {
                    None => visits.push(self.enter(product, target)),
                    Some(known) if self.is_open[*known as usize] => {
                        self.low[number as usize] = self.low[number as usize].min(*known);
                    }
                    Some(_) => {}
                }
                continue;
            }
            let Visit { pair, number, .. } = visits.pop().expect("a visit was just seen");
            let low = self.low[number as usize];
            if let Some(above) = visits.last() {
                let above = &mut self.low[above.number as usize];
                *above = (*above).min(low);
            }
            if low == number {
                let component = self.close(pair);
                if product.is_violation(&component) {
                    return Some(component);
                }
            }
        }
        None
    }

    fn enter(&mut self, product: &Product<'_>, pair: Pair) -> Visit {
        let number = self.low.len() as u32;
        self.index.insert(pair, number);
        self.low.push(number);
        self.is_open.push(true);
        self.stack.push(pair);
        let mut next = Vec::new();
        product.successors(pair, &mut next, true);
        Visit { pair, number, next, at: 0 }
    }

    fn close(&mut self, root: Pair) -> HashSet<Pair> {
        let mut component = HashSet::new();
        while let Some(pair) = self.stack.pop() {
            self.is_open[self.index[&pair] as usize] = false;
            component.insert(pair);
            if pair == root {
                break;
            }
        }
        component
    }
}
