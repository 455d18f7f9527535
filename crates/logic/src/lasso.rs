//! Evaluation of a formula on an ultimately periodic word (a lasso), directly from the semantics of LTL.
//!
//! The value of every subformula at every position is computed from the definition of its connective. The word repeats,
//! so there are finitely many positions, and the fixpoint around the cycle is reached after two rounds. Nothing here is
//! shared with the translation to automata, so that each can be the other's test, and a counterexample found through an
//! automaton can be confirmed without it.

use std::collections::HashMap;
use std::rc::Rc;

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
        Evaluation { word: self, done: HashMap::new() }.values(formula)[0]
    }
}

/// The values found so far, by the place of the formula, since subformulas may be shared.
struct Evaluation<'a> {
    word: &'a Lasso,
    done: HashMap<usize, Rc<Vec<bool>>>,
}

impl Evaluation<'_> {
    /// The value at each position.
    fn values(&mut self, formula: &Formula) -> Rc<Vec<bool>> {
        if let Some(values) = self.done.get(&formula.address()) {
            return values.clone();
        }
        let operands: Vec<_> = formula.node().operands().into_iter().map(|operand| self.values(operand)).collect();
        let values = Rc::new(self.combined(formula.node(), &operands));
        self.done.insert(formula.address(), values.clone());
        values
    }

    /// The values of a connective from those of its operands.
    fn combined(&self, node: &Node, operands: &[Rc<Vec<bool>>]) -> Vec<bool> {
        let n_positions = self.word.len();
        let each = |value: &dyn Fn(usize) -> bool| (0..n_positions).map(value).collect::<Vec<bool>>();
        let all = |value: bool| vec![value; n_positions];
        match node {
            Node::True => all(true),
            Node::False => all(false),
            Node::Atom(atom) => each(&|at| atom.index() < MAX_ATOMS && (self.word.letter(at) >> atom.index()) & 1 == 1),
            Node::Not(_) => each(&|at| !operands[0][at]),
            Node::And(_) => each(&|at| operands.iter().all(|values| values[at])),
            Node::Or(_) => each(&|at| operands.iter().any(|values| values[at])),
            Node::Implies(..) => each(&|at| !operands[0][at] || operands[1][at]),
            Node::Equivalent(..) => each(&|at| operands[0][at] == operands[1][at]),
            Node::Next(_) => each(&|at| operands[0][self.word.next(at)]),
            Node::Eventually(_) => self.fixpoint(false, &all(true), &operands[0]),
            Node::Always(_) => self.fixpoint(true, &operands[0], &all(false)),
            Node::Until(..) => self.fixpoint(false, &operands[0], &operands[1]),
            Node::WeakUntil(..) => self.fixpoint(true, &operands[0], &operands[1]),
            // The right side lasts until both are true.
            Node::Release(..) | Node::StrongRelease(..) => {
                let both = each(&|at| operands[0][at] && operands[1][at]);
                self.fixpoint(matches!(node, Node::Release(..)), &operands[1], &both)
            }
        }
    }

    /// The solution of `value = goal or (stay and next value)` that starts from `start`.
    fn fixpoint(&self, start: bool, stay: &[bool], goal: &[bool]) -> Vec<bool> {
        let mut values = vec![start; self.word.len()];
        for _ in 0..2 {
            for at in (0..self.word.len()).rev() {
                values[at] = goal[at] || (stay[at] && values[self.word.next(at)]);
            }
        }
        values
    }
}
