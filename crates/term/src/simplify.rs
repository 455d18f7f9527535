//! Rewriting of a whole question, level 2: what is asserted changes what may be left out. In the order of z3's preamble for
//! QF_BV: split conjunctions, use assertions inside each other, solve equations, normalise sums, remove inputs that nothing
//! constrains (Bruttomesso, 2008; Brummayer, 2009). Rounds go on until nothing changes.
//!
//! The result is satisfiable if and only if the question is. Inputs that are gone have definitions, by which
//! [`Simplified::complete`] gives them values again.

mod equations;
mod substitute;
mod sums;
#[cfg(test)]
mod tests;
mod unconstrained;

pub(crate) use substitute::Substitution;

use std::collections::BTreeSet;

use crate::arena::Terms;
use crate::node::{InputId, Op, Term};
use crate::value::Model;

/// A question after simplification.
pub struct Simplified {
    /// All of these have to be true. `[Term::FALSE]` if they cannot; empty if everything is true already.
    pub assertions: Vec<Term>,
    /// What was done, for statistics.
    pub counts: Counts,
    /// Inputs that are gone, in the order in which they went; each term has only inputs that were there afterwards.
    definitions: Vec<(InputId, Term)>,
}

/// How often each step changed something.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Counts {
    /// Inputs replaced by what they are equal to.
    pub solved: usize,
    /// Inputs removed because nothing constrained them.
    pub unconstrained: usize,
    /// Rounds until nothing changed.
    pub rounds: usize,
}

impl Simplified {
    /// Gives the inputs that are gone their values, from a model of the assertions.
    pub fn complete(&self, terms: &Terms, model: &mut Model) {
        for &(input, definition) in self.definitions.iter().rev() {
            let value = terms.eval(definition, model);
            model.set(input, value);
        }
    }

    /// Inputs that are gone with their definitions, in the order in which they went.
    pub fn definitions(&self) -> &[(InputId, Term)] {
        &self.definitions
    }
}

/// More rounds than this change little that matters.
const MAX_ROUNDS: usize = 12;

impl Terms {
    /// Simplifies the question whether all of these Booleans can be true.
    pub fn simplify(&mut self, assertions: &[Term]) -> Simplified {
        let mut simplified =
            Simplified { assertions: assertions.to_vec(), counts: Counts::default(), definitions: Vec::new() };
        for _ in 0..MAX_ROUNDS {
            let before = simplified.assertions.clone();
            self.split(&mut simplified.assertions);
            self.use_assertions(&mut simplified.assertions);
            equations::solve(self, &mut simplified);
            self.split(&mut simplified.assertions);
            sums::normalise(self, &mut simplified.assertions);
            unconstrained::remove(self, &mut simplified);
            self.split(&mut simplified.assertions);
            simplified.counts.rounds += 1;
            if simplified.assertions == before {
                break;
            }
        }
        simplified
    }

    /// Conjunctions become their parts; true ones go, a false one is all that is left.
    fn split(&self, assertions: &mut Vec<Term>) {
        let mut parts = BTreeSet::new();
        let mut open: Vec<Term> = std::mem::take(assertions);
        while let Some(term) = open.pop() {
            if !term.is_negated() && self.op(term) == Op::And {
                open.extend(self.args(term));
            } else if term != Term::TRUE {
                parts.insert(term);
            }
        }
        let contradicts = |term: &Term| !term.is_negated() && parts.contains(&term.negate_if(true));
        *assertions = if parts.contains(&Term::FALSE) || parts.iter().any(contradicts) {
            vec![Term::FALSE]
        } else {
            parts.into_iter().collect()
        };
    }

    /// An assertion that occurs inside another one is true there. An assertion cannot occur inside itself, and what it uses
    /// has a smaller number, so none is left out on its own word.
    fn use_assertions(&mut self, assertions: &mut [Term]) {
        let mut known = Substitution::new();
        for &assertion in assertions.iter() {
            known.insert(assertion.node_term(), Term::TRUE.negate_if(assertion.is_negated()));
        }
        for assertion in assertions {
            if self.op(*assertion).arity() == 0 {
                continue;
            }
            let args = self.args(*assertion);
            let new_args: Vec<Term> = args.iter().map(|&arg| known.apply(self, arg)).collect();
            if new_args[..] != args[..] {
                *assertion = self.rebuild(*assertion, &new_args).negate_if(assertion.is_negated());
            }
        }
    }
}
