//! Degeneralisation: from several acceptance sets on transitions to one set of accepting states, by counting through
//! the sets.
//!
//! A state is paired with the number of marks seen so far of a list; when the list is complete, the pair accepts and
//! counting starts again, several steps at once if a transition carries several marks. Each component has its own list:
//! marks on all its edges, or that occur only together with another mark, need no counting; a component without some
//! mark does not count at all.

use std::collections::HashMap;

use super::component::Components;
use super::general::{General, Transition};

/// One of several equivalent ways to count.
pub(super) struct Plan {
    /// The order in which marks are awaited.
    order: Vec<usize>,
    /// Whether a component is entered with a complete list, or an empty one.
    complete: bool,
}

impl Plan {
    /// All ways for up to three marks, else some.
    pub(super) fn all(automaton: &General) -> Vec<Plan> {
        let ascending: Vec<usize> = (0..automaton.n_sets).collect();
        let orders = if automaton.n_sets <= 3 {
            permutations(&ascending)
        } else {
            vec![ascending.clone(), ascending.into_iter().rev().collect()]
        };
        let both = |order: Vec<usize>| [false, true].map(|complete| Plan { order: order.clone(), complete });
        orders.into_iter().flat_map(both).collect()
    }
}

fn permutations(items: &[usize]) -> Vec<Vec<usize>> {
    if items.is_empty() {
        return vec![Vec::new()];
    }
    let with_first = |at: usize| {
        let rest = [&items[..at], &items[at + 1..]].concat();
        permutations(&rest).into_iter().map(move |tail| [vec![items[at]], tail].concat())
    };
    (0..items.len()).flat_map(with_first).collect()
}

/// The automaton with one mark, which lies on all edges of a state or on none.
pub(super) fn degeneralise(automaton: &General, plan: &Plan) -> General {
    let components = Components::new(automaton);
    let lists = awaited(automaton, &components, plan);
    let entry = |state: usize| match &lists[components.of[state]] {
        Some(list) if plan.complete => (state, list.len()),
        _ => (state, 0),
    };
    let mut order = vec![entry(automaton.initial)];
    let mut numbers = HashMap::from([(order[0], 0)]);
    let mut edges: Vec<Vec<Transition>> = Vec::new();
    while edges.len() < order.len() {
        let (state, level) = order[edges.len()];
        let list = &lists[components.of[state]];
        let marks = u64::from(list.as_ref().is_some_and(|list| level == list.len()));
        let step = |edge: &Transition| {
            let pair = match list {
                Some(list) if components.is_inner(state, edge) => (edge.target, advance(list, level, edge.marks)),
                _ => entry(edge.target),
            };
            let target = *numbers.entry(pair).or_insert_with(|| {
                order.push(pair);
                order.len() - 1
            });
            Transition { marks, target, ..*edge }
        };
        edges.push(automaton.edges[state].iter().map(step).collect());
    }
    General { initial: 0, edges, n_sets: 1 }
}

fn advance(list: &[usize], level: usize, marks: u64) -> usize {
    let start = if level == list.len() { 0 } else { level };
    start + list[start..].iter().take_while(|set| marks >> **set & 1 == 1).count()
}

/// The marks each component has to count, in order; `None` if it misses one.
fn awaited(automaton: &General, components: &Components, plan: &Plan) -> Vec<Option<Vec<usize>>> {
    let mut inner: Vec<Vec<u64>> = vec![Vec::new(); components.count];
    for (state, edges) in automaton.edges.iter().enumerate() {
        let marks = edges.iter().filter(|edge| components.is_inner(state, edge)).map(|edge| edge.marks);
        inner[components.of[state]].extend(marks);
    }
    let list = |inner: Vec<u64>| {
        let seen = inner.iter().fold(0, |seen, marks| seen | marks);
        if inner.is_empty() || seen != automaton.all() {
            return None;
        }
        let mut list: Vec<usize> = plan.order.clone();
        list.retain(|set| inner.iter().any(|marks| marks >> set & 1 == 0));
        for set in plan.order.iter().rev() {
            let comes_with = |other: &usize| {
                other != set && inner.iter().all(|marks| marks >> other & 1 == 0 || marks >> set & 1 == 1)
            };
            if list.iter().any(comes_with) {
                list.retain(|other| other != set);
            }
        }
        Some(list)
    };
    inner.into_iter().map(list).collect()
}
