//! Stutter invariance of formulas (Michaud and Duret-Lutz, SPIN 2015): whether repetitions of a state can change the
//! value of a formula.
//!
//! Partial-order reduction, supersteps and coarser atomic blocks leave out or repeat states, so they are sound only for
//! stutter-invariant formulas. A formula without `X` is invariant. For others the automata decide: a formula is not
//! invariant if two words that differ in repetitions only get different answers. By repeating letters of both, they
//! have a common longer word, so it is enough to look for a word that the automaton of the formula and the automaton of
//! its negation both accept when each may, instead of moving, stay where it is on a letter equal to its last one.
//! Infinite stuttering of an automaton is not accepting.

use std::collections::HashMap;

use crate::buchi::Buchi;
use crate::formula::Formula;
use crate::guard::{Cube, Letter};
use crate::translate::translate;

/// What is known of a formula.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stuttering {
    /// Repetitions make no difference.
    Invariant,
    /// Some word and the same with repetitions get different answers.
    Sensitive,
    /// The check would take too long; to be treated like `Sensitive`.
    Unknown,
}

/// Whether reductions that change the number of repetitions may be used for the formula. `max_states` bounds the
/// automata and, 64 times, their product.
pub fn stuttering(formula: &Formula, max_states: usize) -> Stuttering {
    if !crate::rewrite::simplify(formula).has_next() {
        return Stuttering::Invariant;
    }
    let (Ok(yes), Ok(no)) = (translate(formula, max_states), translate(&formula.negated(), max_states)) else {
        return Stuttering::Unknown;
    };
    let Some(letters) = letters(formula) else { return Stuttering::Unknown };
    match Product::new(&yes, &no, letters, max_states.saturating_mul(64)) {
        None => Stuttering::Unknown,
        Some(product) if product.accepts() => Stuttering::Sensitive,
        Some(_) => Stuttering::Invariant,
    }
}

/// All letters over the atoms of the formula; `None` if they are too many to try.
fn letters(formula: &Formula) -> Option<Vec<Letter>> {
    let atoms = formula.atoms();
    if atoms.len() > 10 {
        return None;
    }
    let bits: Vec<Letter> = atoms.iter().map(|atom| Cube::literal(*atom, true).positive).collect();
    let letter = |choice: u64| {
        let chosen = bits.iter().enumerate().filter(|(at, _)| choice >> at & 1 == 1);
        chosen.fold(0, |letter, (_, bit)| letter | bit)
    };
    Some((0..1 << atoms.len()).map(letter).collect())
}

/// A state of both automata and the letter read last.
type Pair = (usize, usize, Option<Letter>);

/// A step of the product.
struct Step {
    target: usize,
    /// Bit 0: the first automaton moved to an accepting state; bit 1: the second did.
    marks: u8,
}

/// The two automata side by side, each with the right to stand still.
struct Product {
    steps: Vec<Vec<Step>>,
}

impl Product {
    fn new(left: &Buchi, right: &Buchi, letters: Vec<Letter>, max_pairs: usize) -> Option<Self> {
        let mut pairs: Vec<Pair> = vec![(left.initial, right.initial, None)];
        let mut numbers: HashMap<Pair, usize> = HashMap::from([(pairs[0], 0)]);
        let mut steps: Vec<Vec<Step>> = Vec::new();
        let mut n_steps = 0;
        while steps.len() < pairs.len() {
            let pair = pairs[steps.len()];
            let mut row = Vec::new();
            for letter in &letters {
                let still = pair.2 == Some(*letter);
                for (left_state, left_mark) in ways(left, pair.0, *letter, still) {
                    for (right_state, right_mark) in ways(right, pair.1, *letter, still) {
                        let target = (left_state, right_state, Some(*letter));
                        let target = *numbers.entry(target).or_insert_with(|| {
                            pairs.push(target);
                            pairs.len() - 1
                        });
                        row.push(Step { target, marks: u8::from(left_mark) | u8::from(right_mark) << 1 });
                    }
                }
            }
            n_steps += row.len();
            steps.push(row);
            if pairs.len() > max_pairs || n_steps > max_pairs.saturating_mul(64) {
                return None;
            }
        }
        Some(Self { steps })
    }

    /// Whether a component has steps with both marks: then a run sees both infinitely often.
    fn accepts(&self) -> bool {
        let successor = |state: usize, at: usize| self.steps[state].get(at).map(|step| step.target);
        let components = crate::graph::components(self.steps.len(), &successor);
        let mut marks = vec![0; self.steps.len()];
        for (state, steps) in self.steps.iter().enumerate() {
            for step in steps.iter().filter(|step| components.of[step.target] == components.of[state]) {
                marks[components.of[state]] |= step.marks;
            }
        }
        marks.contains(&3)
    }
}

/// Where an automaton can be after the letter, and whether it moved to an accepting state.
fn ways(automaton: &Buchi, state: usize, letter: Letter, still: bool) -> Vec<(usize, bool)> {
    let moves = automaton.successors(state, letter).map(|target| (target, automaton.accepting[target]));
    moves.chain(still.then_some((state, false))).collect()
}
