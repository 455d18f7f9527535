//! Formulas in negation normal form, hash-consed, so that equality is equality of numbers.
//!
//! Only literals are negated; `<>a` is `true U a`, `[]a` is `false R a`, and the weak and strong variants are expressed
//! through `U` and `R`. Syntactic properties of a term are kept here too: whether its truth survives adding letters in
//! front of a word (*eventual*) or removing them (*universal*), and the syntactic implications between terms.

use std::collections::HashMap;

use unpick_base::IdVec;

use crate::formula::AtomId;

unpick_base::define_id! {
    /// A term of a [`Terms`].
    pub(crate) struct TermId("t");
}

/// A term in negation normal form. Operands of `And` and `Or` are sorted, without repetition, at least two.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) enum Term {
    True,
    False,
    Literal(AtomId, bool),
    And(Vec<TermId>),
    Or(Vec<TermId>),
    Next(TermId),
    Until(TermId, TermId),
    Release(TermId, TermId),
}

/// All terms of a translation.
pub(crate) struct Terms {
    items: IdVec<TermId, Term>,
    numbers: HashMap<Term, TermId>,
    /// The negations found so far.
    pub(crate) duals: HashMap<TermId, TermId>,
    eventual: HashMap<TermId, bool>,
    universal: HashMap<TermId, bool>,
    implications: HashMap<(TermId, TermId), bool>,
    /// `true`.
    pub(crate) truth: TermId,
    /// `false`.
    pub(crate) falsehood: TermId,
}

impl Terms {
    /// Only the constants.
    pub(crate) fn new() -> Self {
        let mut terms = Self {
            items: IdVec::new(),
            numbers: HashMap::new(),
            duals: HashMap::new(),
            eventual: HashMap::new(),
            universal: HashMap::new(),
            implications: HashMap::new(),
            truth: TermId(0),
            falsehood: TermId(1),
        };
        terms.intern(Term::True);
        terms.intern(Term::False);
        terms
    }

    /// The number of this term, as it is; [`rewrite`](crate::rewrite) has the constructors that simplify.
    pub(crate) fn intern(&mut self, term: Term) -> TermId {
        if let Some(id) = self.numbers.get(&term) {
            return *id;
        }
        let id = self.items.push(term.clone());
        self.numbers.insert(term, id);
        id
    }

    /// The term with this number.
    pub(crate) fn get(&self, id: TermId) -> &Term {
        &self.items[id]
    }

    /// The operand of `<>`.
    pub(crate) fn eventually(&self, id: TermId) -> Option<TermId> {
        match self.get(id) {
            Term::Until(left, right) if *left == self.truth => Some(*right),
            _ => None,
        }
    }

    /// Whether a word stays in the language when letters are put in front: `X a` implies `a`.
    pub(crate) fn is_eventual(&mut self, id: TermId) -> bool {
        if let Some(known) = self.eventual.get(&id) {
            return *known;
        }
        let known = match self.get(id).clone() {
            Term::True | Term::False => true,
            Term::Literal(..) => false,
            Term::And(operands) | Term::Or(operands) => operands.iter().all(|operand| self.is_eventual(*operand)),
            Term::Next(operand) => self.is_eventual(operand),
            Term::Until(left, right) => left == self.truth || self.is_eventual(right),
            Term::Release(left, right) => self.is_eventual(left) && self.is_eventual(right),
        };
        self.eventual.insert(id, known);
        known
    }

    /// Whether a word stays in the language when letters are taken from its front: `a` implies `X a`.
    pub(crate) fn is_universal(&mut self, id: TermId) -> bool {
        if let Some(known) = self.universal.get(&id) {
            return *known;
        }
        let known = match self.get(id).clone() {
            Term::True | Term::False => true,
            Term::Literal(..) => false,
            Term::And(operands) | Term::Or(operands) => operands.iter().all(|operand| self.is_universal(*operand)),
            Term::Next(operand) => self.is_universal(operand),
            Term::Until(left, right) => self.is_universal(left) && self.is_universal(right),
            Term::Release(left, right) => left == self.falsehood || self.is_universal(right),
        };
        self.universal.insert(id, known);
        known
    }

    /// Whether the term says the same at every position of a word, as `[]<>a` does.
    pub(crate) fn is_positionless(&mut self, id: TermId) -> bool {
        self.is_eventual(id) && self.is_universal(id)
    }

    /// Whether `left` implies `right` for a reason visible in their shape. `false` means nothing.
    pub(crate) fn implies(&mut self, left: TermId, right: TermId) -> bool {
        if left == right || left == self.falsehood || right == self.truth {
            return true;
        }
        if left == self.truth || right == self.falsehood {
            return false;
        }
        if let Some(known) = self.implications.get(&(left, right)) {
            return *known;
        }
        let known = self.implies_by_right(left, right) || self.implies_by_left(left, right);
        self.implications.insert((left, right), known);
        known
    }

    /// Reasons that take the right side apart.
    fn implies_by_right(&mut self, left: TermId, right: TermId) -> bool {
        match self.get(right).clone() {
            Term::True | Term::False | Term::Literal(..) => false,
            Term::And(operands) => operands.iter().all(|operand| self.implies(left, *operand)),
            Term::Or(operands) => operands.iter().any(|operand| self.implies(left, *operand)),
            Term::Next(operand) => match *self.get(left) {
                Term::Next(inner) => self.implies(inner, operand),
                _ => self.is_universal(left) && self.implies(left, operand),
            },
            Term::Until(stay, goal) => {
                self.implies(left, goal)
                    || match *self.get(left) {
                        Term::Until(other_stay, other_goal) => {
                            self.implies(other_goal, goal) && self.implies(other_stay, stay)
                                || stay == self.truth && self.implies(other_goal, right)
                        }
                        _ => false,
                    }
            }
            Term::Release(until, keep) => {
                (until != self.falsehood && self.implies(left, until) && self.implies(left, keep))
                    || match *self.get(left) {
                        Term::Release(other_until, other_keep) => {
                            self.implies(other_keep, keep) && self.implies(other_until, until)
                        }
                        _ => false,
                    }
                    || until == self.falsehood && self.is_universal(left) && self.implies(left, keep)
            }
        }
    }

    /// Reasons that take the left side apart.
    fn implies_by_left(&mut self, left: TermId, right: TermId) -> bool {
        match self.get(left).clone() {
            Term::True | Term::False | Term::Literal(..) => false,
            Term::And(operands) => operands.iter().any(|operand| self.implies(*operand, right)),
            Term::Or(operands) => operands.iter().all(|operand| self.implies(*operand, right)),
            Term::Next(operand) => self.is_eventual(right) && self.implies(operand, right),
            Term::Until(stay, goal) => {
                self.implies(goal, right) && (self.implies(stay, right) || self.is_eventual(right))
            }
            Term::Release(_, keep) => self.implies(keep, right),
        }
    }
}
