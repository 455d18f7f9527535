//! Reductions of automata that preserve the language: acceptance by component, useless states, simulation (Somenzi and
//! Bloem, CAV 2000).
//!
//! Acceptance first: marks only matter on cycles, so edges between components, and components without some mark, get
//! the marks that help merging; a mark that every cycle of a component meets may as well lie on all its edges; a mark
//! implied by another one is superfluous. Then useless states are removed, and simulation merges and prunes. Each step
//! may enable another, so they repeat until nothing shrinks.

use super::component::Components;
use super::general::General;
use super::simulation;

/// For automata with marks on transitions. `transient` says whether edges between components carry marks.
pub(super) fn reduce(automaton: &mut General, transient: bool) {
    if automaton.n_sets == 0 {
        automaton.n_sets = 1;
        automaton.edges.iter_mut().flatten().for_each(|edge| edge.marks = 1);
    }
    run(automaton, transient, false);
}

/// For automata with one mark that lies on all edges of a state or on none; they stay so.
pub(super) fn reduce_states(automaton: &mut General, transient: bool) {
    run(automaton, transient, true);
}

fn run(automaton: &mut General, transient: bool, by_state: bool) {
    let mut weight = (usize::MAX, usize::MAX);
    while automaton.weight() < weight {
        weight = automaton.weight();
        adjust(automaton, transient, by_state);
        remove_useless(automaton);
        if !by_state {
            drop_marks(automaton);
        }
        simulation::forward(automaton);
        simulation::backward(automaton, by_state);
    }
    adjust(automaton, transient, by_state);
}

/// Chooses the marks that do not matter.
fn adjust(automaton: &mut General, transient: bool, by_state: bool) {
    let all = automaton.all();
    let components = Components::new(automaton);
    let marks = components.marks(automaton);
    let mut saturated = vec![0; components.count];
    for set in 0..automaton.n_sets {
        let bit = 1 << set;
        let without = |state: usize, edge: &_| components.is_inner(state, edge) && edge.marks & bit == 0;
        let parts = Components::of_edges(automaton, &without);
        let mut avoidable = vec![false; components.count];
        for (state, edges) in automaton.edges.iter().enumerate() {
            avoidable[components.of[state]] |=
                edges.iter().any(|edge| without(state, edge) && parts.is_inner(state, edge));
        }
        for component in 0..components.count {
            saturated[component] |= if avoidable[component] { 0 } else { bit };
        }
    }
    let outside = if transient { all } else { 0 };
    for (state, edges) in automaton.edges.iter_mut().enumerate() {
        let component = components.of[state];
        let accepts = marks[component] == Some(all);
        for edge in edges.iter_mut() {
            edge.marks = match (components.is_inner(state, edge), accepts) {
                (false, _) => outside,
                (true, false) => 0,
                (true, true) => edge.marks | saturated[component],
            };
        }
        if by_state {
            let inner = edges.iter().find(|edge| components.is_inner(state, edge)).map(|edge| edge.marks);
            edges.iter_mut().for_each(|edge| edge.marks = inner.unwrap_or(outside));
        }
    }
}

/// Removes states from which no component with all marks can be reached.
fn remove_useless(automaton: &mut General) {
    let components = Components::new(automaton);
    let marks = components.marks(automaton);
    let mut useful: Vec<bool> = marks.iter().map(|marks| *marks == Some(automaton.all())).collect();
    // Successors have lower numbers, so one pass in ascending order is enough.
    let mut members: Vec<Vec<usize>> = vec![Vec::new(); components.count];
    for (state, component) in components.of.iter().enumerate() {
        members[*component].push(state);
    }
    for component in 0..components.count {
        let edges = members[component].iter().flat_map(|state| &automaton.edges[*state]);
        if edges.into_iter().any(|edge| useful[components.of[edge.target]]) {
            useful[component] = true;
        }
    }
    let keep: Vec<bool> = components.of.iter().map(|component| useful[*component]).collect();
    automaton.restrict(&keep);
}

/// Drops a mark that lies on every edge of an accepting component on which another one lies. One mark always stays,
/// since the components that do not accept are recognised by missing it.
fn drop_marks(automaton: &mut General) {
    let components = Components::new(automaton);
    let accepting: Vec<bool> =
        components.marks(automaton).iter().map(|marks| *marks == Some(automaton.all())).collect();
    let mut inner: Vec<u64> = Vec::new();
    for (state, edges) in automaton.edges.iter().enumerate() {
        if accepting[components.of[state]] {
            inner.extend(edges.iter().filter(|edge| components.is_inner(state, edge)).map(|edge| edge.marks));
        }
    }
    let mut kept: Vec<usize> = (0..automaton.n_sets).collect();
    for set in 0..automaton.n_sets {
        let comes_with = |other: &usize| {
            *other != set && inner.iter().all(|marks| marks >> *other & 1 == 0 || marks >> set & 1 == 1)
        };
        if kept.iter().any(comes_with) {
            kept.retain(|other| *other != set);
        }
    }
    if kept.len() == automaton.n_sets {
        return;
    }
    for edge in automaton.edges.iter_mut().flatten() {
        let bits = kept.iter().enumerate().map(|(new, old)| (edge.marks >> old & 1) << new);
        edge.marks = bits.fold(0, |marks, bit| marks | bit);
    }
    automaton.n_sets = kept.len();
}
