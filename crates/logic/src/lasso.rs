//! What a formula means, said directly: its value on an ultimately periodic word.
//!
//! The value of every subformula at every position is computed from the definition of its connective. Positions are
//! finitely many since the word repeats; a fixpoint around the cycle is reached after passing it twice. Nothing here is
//! shared with the translation to automata, so that each can be the other's test, and a counterexample found
//! through an automaton can be confirmed without it.

use unpick_base::id::Id;

use crate::formula::{Formula, Node};
use crate::guard::{Letter, MAX_ATOMS};

/// An infinite word: `prefix` once, then `cycle` for ever.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lasso {
    /// The letters before the cycle.
    pub prefix: Vec<Letter>,
    /// The letters that repeat; at least one.
    pub cycle: Vec<Letter>,
}

impl Lasso {
    /// How many different positions there are.
    pub fn len(&self) -> usize {
        self.prefix.len() + self.cycle.len()
    }

    /// Whether there is no position, which no lasso should be.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The letter at a position below [`Lasso::len`].
    pub fn letter(&self, position: usize) -> Letter {
        match position.checked_sub(self.prefix.len()) {
            None => self.prefix[position],
            Some(position) => self.cycle[position],
        }
    }

    /// The position after this one.
    pub fn next(&self, position: usize) -> usize {
        if position + 1 < self.len() { position + 1 } else { self.prefix.len() }
    }

    /// Whether the word satisfies the formula. Atoms beyond [`MAX_ATOMS`] are false.
    pub fn satisfies(&self, formula: &Formula) -> bool {
        assert!(!self.cycle.is_empty(), "the cycle of a lasso should have a letter");
        self.values(formula)[0]
    }

    /// The value at each position.
    fn values(&self, formula: &Formula) -> Vec<bool> {
        let each = |value: &dyn Fn(usize) -> bool| (0..self.len()).map(value).collect::<Vec<bool>>();
        let all = |value: bool| vec![value; self.len()];
        match formula.node() {
            Node::True => all(true),
            Node::False => all(false),
            Node::Atom(atom) => each(&|at| atom.index() < MAX_ATOMS && (self.letter(at) >> atom.index()) & 1 == 1),
            Node::Not(operand) => self.values(operand).into_iter().map(|value| !value).collect(),
            Node::And(operands) => {
                let values: Vec<_> = operands.iter().map(|operand| self.values(operand)).collect();
                each(&|at| values.iter().all(|values| values[at]))
            }
            Node::Or(operands) => {
                let values: Vec<_> = operands.iter().map(|operand| self.values(operand)).collect();
                each(&|at| values.iter().any(|values| values[at]))
            }
            Node::Implies(left, right) => {
                let (left, right) = (self.values(left), self.values(right));
                each(&|at| !left[at] || right[at])
            }
            Node::Equivalent(left, right) => {
                let (left, right) = (self.values(left), self.values(right));
                each(&|at| left[at] == right[at])
            }
            Node::Next(operand) => {
                let values = self.values(operand);
                each(&|at| values[self.next(at)])
            }
            Node::Eventually(operand) => self.fixpoint(false, &all(true), &self.values(operand)),
            Node::Always(operand) => self.fixpoint(true, &self.values(operand), &all(false)),
            Node::Until(left, right) => self.fixpoint(false, &self.values(left), &self.values(right)),
            Node::WeakUntil(left, right) => self.fixpoint(true, &self.values(left), &self.values(right)),
            Node::Release(left, right) => self.release(true, left, right),
            Node::StrongRelease(left, right) => self.release(false, left, right),
        }
    }

    /// `left R right`: `right` lasts until both are true.
    fn release(&self, weak: bool, left: &Formula, right: &Formula) -> Vec<bool> {
        let (left, right) = (self.values(left), self.values(right));
        let both: Vec<bool> = left.iter().zip(&right).map(|(left, right)| *left && *right).collect();
        self.fixpoint(weak, &right, &both)
    }

    /// The solution of `value = goal or (stay and next value)` that starts from `start`.
    fn fixpoint(&self, start: bool, stay: &[bool], goal: &[bool]) -> Vec<bool> {
        let mut values = vec![start; self.len()];
        for _ in 0..2 {
            for at in (0..self.len()).rev() {
                values[at] = goal[at] || (stay[at] && values[self.next(at)]);
            }
        }
        values
    }
}
