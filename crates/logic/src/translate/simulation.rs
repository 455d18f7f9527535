//! Direct simulation (Etessami and Holzmann, CONCUR 2000; Somenzi and Bloem, CAV 2000): a state that can answer every
//! move of another makes the other superfluous.
//!
//! `q` is below `r` if for every edge of `q` and every letter it reads, `r` has an edge that reads the letter, carries at
//! least the same marks, and leads to a state above. States below each other are merged; an edge is dropped if the
//! remaining ones of the same state read its letters, carry its marks, and lead to states above its target. Backward
//! simulation does the same with the edges into a state. Letters are compared by cubes covering cubes, never one
//! by one.

use super::general::{General, Transition};
use crate::guard::{Cube, covers};

/// How many edges may be compared to find a simulation; beyond, only equal states are merged.
const MAX_EFFORT: usize = 100_000_000;

/// Merges and prunes by forward simulation.
pub(super) fn forward(automaton: &mut General) {
    merge_equal(automaton);
    let Some(below) = relation(automaton.n_states(), &automaton.edges, false, &|_, _| true) else { return };
    // The first state of each class stands for it: its edges answer those of all others.
    let first = classes(&below);
    for state in 0..automaton.n_states() {
        if first[state] != state {
            automaton.edges[state].clear();
            continue;
        }
        let mut edges = std::mem::take(&mut automaton.edges[state]);
        edges.iter_mut().for_each(|edge| edge.target = first[edge.target]);
        edges.sort_unstable();
        edges.dedup();
        automaton.edges[state] = prune(edges, &below);
    }
    automaton.initial = first[automaton.initial];
    automaton.restrict(&vec![true; automaton.n_states()]);
}

/// Merges by backward simulation. With `by_state`, only states with the same mark are compared.
pub(super) fn backward(automaton: &mut General, by_state: bool) {
    let mut reversed: Vec<Vec<Transition>> = vec![Vec::new(); automaton.n_states()];
    for (state, edges) in automaton.edges.iter().enumerate() {
        for edge in edges {
            // The marks of a state are compared as such.
            let marks = if by_state { 0 } else { edge.marks };
            reversed[edge.target].push(Transition { target: state, marks, ..*edge });
        }
    }
    let mark = |state: usize| automaton.edges[state].first().map_or(0, |edge| edge.marks);
    let comparable = |left: usize, right: usize| {
        (left != automaton.initial || right == automaton.initial) && (!by_state || mark(left) & !mark(right) == 0)
    };
    let Some(below) = relation(automaton.n_states(), &reversed, true, &comparable) else { return };
    let first = classes(&below);
    for state in 0..automaton.n_states() {
        let mut edges = std::mem::take(&mut automaton.edges[state]);
        edges.iter_mut().for_each(|edge| edge.target = first[edge.target]);
        automaton.edges[first[state]].append(&mut edges);
    }
    for edges in &mut automaton.edges {
        edges.sort_unstable();
        edges.dedup();
    }
    automaton.initial = first[automaton.initial];
    automaton.restrict(&vec![true; automaton.n_states()]);
}

/// The greatest simulation within `comparable`; `None` if it takes too long.
fn relation(
    n_states: usize,
    edges: &[Vec<Transition>],
    reversed: bool,
    comparable: &dyn Fn(usize, usize) -> bool,
) -> Option<Vec<Vec<bool>>> {
    let mut effort = MAX_EFFORT.checked_sub(n_states.saturating_mul(n_states))?;
    let mut below: Vec<Vec<bool>> =
        (0..n_states).map(|left| (0..n_states).map(|right| comparable(left, right)).collect()).collect();
    // States are numbered along the edges, so differences travel fastest towards low numbers, or high ones if reversed.
    let order: Vec<usize> = if reversed { (0..n_states).collect() } else { (0..n_states).rev().collect() };
    loop {
        let mut changed = false;
        for left in order.iter().copied() {
            for right in 0..n_states {
                if left != right && below[left][right] {
                    let failed = edges[left].iter().position(|edge| !is_answered(edge, &edges[right], &below));
                    let n_looked_at = failed.map_or(edges[left].len(), |at| at + 1);
                    effort = effort.checked_sub(n_looked_at * edges[right].len())?;
                    below[left][right] = failed.is_none();
                    changed |= failed.is_some();
                }
            }
        }
        if !changed {
            return Some(below);
        }
    }
}

/// Whether the given edges read every letter of this one with its marks and lead above its target.
fn is_answered(edge: &Transition, answers: &[Transition], below: &[Vec<bool>]) -> bool {
    let above = &below[edge.target];
    let fits = |answer: &&Transition| edge.marks & !answer.marks == 0 && above[answer.target];
    if answers.iter().any(|answer| edge.cube.implies(answer.cube) && fits(&answer)) {
        return true;
    }
    let cubes: Vec<Cube> = answers.iter().filter(fits).map(|answer| answer.cube).collect();
    covers(&cubes, edge.cube)
}

/// The first of the states that are equivalent to each.
fn classes(below: &[Vec<bool>]) -> Vec<usize> {
    let equivalent = |left: usize, right: usize| below[left][right] && below[right][left];
    let first = |state: usize| (0..=state).find(|other| equivalent(*other, state));
    (0..below.len()).map(|state| first(state).expect("a state should be equivalent to itself")).collect()
}

/// Drops edges that the remaining ones answer, those with most literals first.
fn prune(mut edges: Vec<Transition>, below: &[Vec<bool>]) -> Vec<Transition> {
    edges.sort_by_key(|edge| std::cmp::Reverse((edge.cube.positive | edge.cube.negative).count_ones()));
    let mut at = 0;
    while at < edges.len() {
        let edge = edges.remove(at);
        if !is_answered(&edge, &edges, below) {
            edges.insert(at, edge);
            at += 1;
        }
    }
    edges
}

/// Merges states with the same edges, and again those that have the same edges then.
fn merge_equal(automaton: &mut General) {
    loop {
        let n_states = automaton.n_states();
        let mut rows = std::collections::HashMap::new();
        let mut first = Vec::new();
        for (state, edges) in automaton.edges.iter_mut().enumerate() {
            edges.sort_unstable();
            edges.dedup();
            first.push(*rows.entry(edges.clone()).or_insert(state));
        }
        automaton.edges.iter_mut().flatten().for_each(|edge| edge.target = first[edge.target]);
        automaton.initial = first[automaton.initial];
        automaton.restrict(&vec![true; n_states]);
        if automaton.n_states() == n_states {
            return;
        }
    }
}
