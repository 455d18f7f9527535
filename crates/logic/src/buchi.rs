//! Büchi automata (Büchi 1962; Vardi and Wolper 1986): run beside the program to find executions that satisfy a
//! formula.
//!
//! A run starts in the initial state and takes, for each letter of the word, an edge whose guard the letter fulfils;
//! the first letter is read by an edge out of the initial state. A word is accepted if some run passes accepting states
//! infinitely often. A program satisfies a formula if the automaton of the negated formula accepts none of its
//! executions.

use std::fmt;

use crate::guard::{Guard, Letter};
use crate::lasso::Lasso;

mod text;

pub use text::ReadError;

/// An edge of an automaton.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edge {
    /// Letters that may be read.
    pub guard: Guard,
    /// State that follows.
    pub target: usize,
}

/// A Büchi automaton with accepting states. Its text form, written by `Display`, reads back with [`Buchi::parse`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Buchi {
    /// How many states there are.
    pub n_states: usize,
    /// Where runs start.
    pub initial: usize,
    /// The edges out of each state; at most one to each target.
    pub edges: Vec<Vec<Edge>>,
    /// Which states must be passed infinitely often.
    pub accepting: Vec<bool>,
}

impl Buchi {
    /// The automaton that accepts nothing: a state without edges.
    pub fn empty() -> Self {
        Self { n_states: 1, initial: 0, edges: vec![Vec::new()], accepting: vec![false] }
    }

    /// Whether no word is accepted. Exact for automata made by [`translate`](crate::translate::translate), from which
    /// states without accepted word have been removed.
    pub fn is_empty(&self) -> bool {
        self.edges[self.initial].is_empty()
    }

    /// The states that can follow when the letter is read.
    pub fn successors(&self, state: usize, letter: Letter) -> impl Iterator<Item = usize> {
        self.edges[state].iter().filter(move |edge| edge.guard.holds(letter)).map(|edge| edge.target)
    }

    /// The number of edges, counting each cube of each guard.
    pub fn n_transitions(&self) -> usize {
        self.edges.iter().flatten().map(|edge| edge.guard.cubes().len()).sum()
    }

    /// Whether the word is accepted: an accepting state must lie on a cycle of the product of automaton and word.
    pub fn accepts(&self, word: &Lasso) -> bool {
        let number = |state: usize, position: usize| state * word.len() + position;
        let successors = |pair: usize| {
            let (state, position) = (pair / word.len(), pair % word.len());
            let next = word.next(position);
            self.successors(state, word.letter(position)).map(move |state| number(state, next)).collect::<Vec<_>>()
        };
        let reachable = closure(vec![number(self.initial, 0)], self.n_states * word.len(), &successors);
        let is_accepting = |pair: usize| reachable[pair] && self.accepting[pair / word.len()];
        (0..reachable.len())
            .filter(|pair| is_accepting(*pair))
            .any(|pair| closure(successors(pair), reachable.len(), &successors)[pair])
    }

    /// Reads what `Display` writes.
    pub fn parse(text: &str) -> Result<Self, ReadError> {
        text::read(text)
    }
}

/// What can be reached from the given pairs, themselves included.
fn closure(start: Vec<usize>, n_pairs: usize, successors: &dyn Fn(usize) -> Vec<usize>) -> Vec<bool> {
    let mut seen = vec![false; n_pairs];
    let mut stack = start;
    while let Some(pair) = stack.pop() {
        if !std::mem::replace(&mut seen[pair], true) {
            stack.extend(successors(pair));
        }
    }
    seen
}

impl fmt::Display for Buchi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        text::write(self, f)
    }
}
