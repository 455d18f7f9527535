//! Translation of LTL to small Büchi automata (Gastin and Oddoux, CAV 2001).
//!
//! The simplified formula is a very weak alternating automaton whose states are its subformulas (`alternating.rs`);
//! sets of them become the states of an automaton with several acceptance sets on its transitions (`general.rs`);
//! counting through the sets gives one set of accepting states (`degeneralise.rs`). After the last two steps the
//! automaton is made smaller (`reduce.rs`): states that accept nothing are removed, acceptance is adjusted to strongly
//! connected components, states are merged and edges dropped by simulation.
//!
//! The way is that of Gastin and Oddoux (CAV 2001): the simplified formula is a very weak alternating automaton whose
//! states are its subformulas (`alternating.rs`); sets of them become the states of an automaton with several
//! acceptance sets on its transitions (`general.rs`); counting through the sets gives one set of accepting states
//! (`degeneralise.rs`). After the last two steps the automaton is made smaller (`reduce.rs`): states that accept nothing
//! go, acceptance is adjusted to strongly connected components, states are merged and edges dropped by simulation.
//!
//! Which of several equivalent ways to count leads to the smallest automaton cannot be told in advance; automata are
//! small, so all are tried.

use std::fmt;

use unpick_base::id::Id;

use crate::buchi::{Buchi, Edge};
use crate::formula::Formula;
use crate::guard::{Guard, MAX_ATOMS};
use crate::term::Terms;

mod alternating;
mod component;
mod degeneralise;
mod general;
mod reduce;
mod simulation;

use alternating::Alternating;
use general::General;

/// The deepest formula that is translated; the parser accepts none that comes near it.
pub const MAX_DEPTH: usize = 256;

/// Why there is no automaton.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TranslateError {
    /// More states, transitions or subformulas than allowed.
    TooLarge,
    /// The formula is nested deeper than [`MAX_DEPTH`].
    TooDeep,
    /// An atom has a number from [`MAX_ATOMS`] on.
    TooManyAtoms,
}

impl fmt::Display for TranslateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TranslateError::TooLarge => f.write_str("the automaton of the formula is too large"),
            TranslateError::TooDeep => write!(f, "the formula is nested deeper than {MAX_DEPTH} levels"),
            TranslateError::TooManyAtoms => write!(f, "the formula has more than {MAX_ATOMS} different atoms"),
        }
    }
}

impl std::error::Error for TranslateError {}

/// The automaton that accepts exactly the words satisfying the formula. `max_states` bounds the states of every
/// automaton on the way, and 64 times it their transitions; 10,000 is plenty for formulas written by people.
///
/// ```
/// use unpick_logic::{formula::Formula, parse, translate};
/// let parsed = parse::parse("[]<>(x == 1)", &parse::Options::default()).unwrap();
/// let automaton = translate::translate(&parsed.formula.negated(), 10_000).unwrap();
/// assert_eq!(automaton.n_states, 2);
/// ```
pub fn translate(formula: &Formula, max_states: usize) -> Result<Buchi, TranslateError> {
    if formula.depth() > MAX_DEPTH {
        return Err(TranslateError::TooDeep);
    }
    if formula.atoms().iter().any(|atom| atom.index() >= MAX_ATOMS) {
        return Err(TranslateError::TooManyAtoms);
    }
    let mut terms = Terms::new();
    let term = terms.from_formula(formula);
    let mut general = Alternating::new(terms, max_states).general(term)?;
    let mut best: Option<General> = None;
    for transient in [false, true] {
        let mut variant = general.clone();
        reduce::reduce(&mut variant, transient);
        if best.as_ref().is_none_or(|best| variant.weight() < best.weight()) {
            best = Some(variant);
        }
    }
    general = best.expect("one of the variants should be the best");
    let variants = degeneralise::Plan::all(&general);
    let mut best: Option<General> = None;
    for plan in variants {
        let single = degeneralise::degeneralise(&general, &plan);
        for transient in [false, true] {
            let mut variant = single.clone();
            reduce::reduce_states(&mut variant, transient);
            if best.as_ref().is_none_or(|best| variant.weight() < best.weight()) {
                best = Some(variant);
            }
        }
    }
    Ok(finish(&best.expect("one of the variants should be the best")))
}

/// States in the order of a breadth-first walk, the initial one first; a state accepts if its edges carry the mark.
fn finish(automaton: &General) -> Buchi {
    let mut numbers = vec![usize::MAX; automaton.n_states()];
    let mut order = vec![automaton.initial];
    numbers[automaton.initial] = 0;
    let mut at = 0;
    while at < order.len() {
        for edge in &automaton.edges[order[at]] {
            if numbers[edge.target] == usize::MAX {
                numbers[edge.target] = order.len();
                order.push(edge.target);
            }
        }
        at += 1;
    }
    let edges = order.iter().map(|state| {
        let mut targets: Vec<usize> = automaton.edges[*state].iter().map(|edge| edge.target).collect();
        targets.sort_unstable_by_key(|target| numbers[*target]);
        targets.dedup();
        let edge = |target: usize| {
            let cubes = automaton.edges[*state].iter().filter(|edge| edge.target == target).map(|edge| edge.cube);
            Edge { guard: Guard::new(cubes), target: numbers[target] }
        };
        targets.into_iter().map(edge).collect()
    });
    let is_accepting = |state: &usize| automaton.edges[*state].first().is_some_and(|edge| edge.marks != 0);
    Buchi {
        n_states: order.len(),
        initial: 0,
        edges: edges.collect(),
        accepting: order.iter().map(is_accepting).collect(),
    }
}
