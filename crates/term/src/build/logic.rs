//! Constructors of logic: bit by bit, and the choice between two values.

use crate::arena::Terms;
use crate::node::{Op, Sort, Term};

impl Terms {
    /// Each bit inverted; of a Boolean, its negation, which makes no node.
    pub fn not(&mut self, term: Term) -> Term {
        match self.width(term) {
            1 => term.negate_if(true),
            width => self.build(Op::Not, Sort::Bits(width), &[term]),
        }
    }

    /// Bit by bit.
    pub fn and(&mut self, left: Term, right: Term) -> Term {
        let width = self.same_width(left, right);
        self.build(Op::And, Sort::Bits(width), &[left, right])
    }

    /// Bit by bit; expressed by `and` (De Morgan).
    pub fn or(&mut self, left: Term, right: Term) -> Term {
        let (left, right) = (self.not(left), self.not(right));
        let neither = self.and(left, right);
        self.not(neither)
    }

    /// Bit by bit. Negations of arguments move to the result.
    pub fn xor(&mut self, left: Term, right: Term) -> Term {
        let width = self.same_width(left, right);
        let (left, is_left_negated) = self.without_not(left);
        let (right, is_right_negated) = self.without_not(right);
        let result = self.build(Op::Xor, Sort::Bits(width), &[left, right]);
        if is_left_negated == is_right_negated { result } else { self.not(result) }
    }

    /// The term below a negation, and whether there was one. A constant keeps its bits if it is wider than 1.
    fn without_not(&self, term: Term) -> (Term, bool) {
        if self.width(term) == 1 {
            return (term.node_term(), term.is_negated());
        }
        match self.op(term) {
            Op::Not => (self.args(term)[0], true),
            _ => (term, false),
        }
    }

    /// On Booleans: the second holds if the first does. Wider terms bit by bit.
    pub fn implies(&mut self, premise: Term, conclusion: Term) -> Term {
        let premise = self.not(premise);
        self.or(premise, conclusion)
    }

    /// All of them; true without any.
    pub fn and_all(&mut self, terms: &[Term]) -> Term {
        terms.iter().fold(Term::TRUE, |all, &term| self.and(all, term))
    }

    /// At least one of them; false without any.
    pub fn or_all(&mut self, terms: &[Term]) -> Term {
        terms.iter().fold(Term::FALSE, |any, &term| self.or(any, term))
    }

    /// The second if the first holds, else the third; bit-vectors or arrays.
    pub fn ite(&mut self, condition: Term, then: Term, otherwise: Term) -> Term {
        self.expect_bool(condition);
        let sort = self.sort(then);
        assert_eq!(sort, self.sort(otherwise), "both branches should have one sort");
        if let Some(value) = self.constant_bool(condition) {
            return if value { then } else { otherwise };
        }
        if then == otherwise {
            return then;
        }
        if condition.is_negated() {
            return self.ite(condition.node_term(), otherwise, then);
        }
        if sort == Sort::BOOL {
            return self.ite_of_bools(condition, then, otherwise);
        }
        self.build(Op::Ite, sort, &[condition, then, otherwise])
    }

    /// Gates where a branch is constant or is the condition; else a multiplexer whose first branch is not negated.
    fn ite_of_bools(&mut self, condition: Term, then: Term, otherwise: Term) -> Term {
        let not = condition.negate_if(true);
        if then == Term::TRUE || then == condition {
            return self.or(condition, otherwise);
        }
        if then == Term::FALSE || then == not {
            return self.and(not, otherwise);
        }
        if otherwise == Term::TRUE || otherwise == not {
            return self.or(not, then);
        }
        if otherwise == Term::FALSE || otherwise == condition {
            return self.and(condition, then);
        }
        if then == otherwise.negate_if(true) {
            return self.xor(condition, otherwise);
        }
        let is_negated = then.is_negated();
        let (then, otherwise) = (then.negate_if(is_negated), otherwise.negate_if(is_negated));
        self.build(Op::Ite, Sort::BOOL, &[condition, then, otherwise]).negate_if(is_negated)
    }
}
