//! What rules ask about the terms below a node.

use crate::arena::Terms;
use crate::bits::BitVec;
use crate::node::{Args, Op, Term};

impl Terms {
    /// The arguments of a term of this operation that is not negated.
    pub(super) fn matches(&self, term: Term, op: Op) -> Option<Args> {
        (!term.is_negated() && self.op(term) == op).then(|| self.args(term))
    }

    /// Whether each bit of one is the inverse of the other's.
    pub(super) fn are_complements(&self, left: Term, right: Term) -> bool {
        let is_not = |term: Term, of: Term| self.matches(term, Op::Not).is_some_and(|args| args[0] == of);
        (left != right && left.node_term() == right.node_term()) || is_not(left, right) || is_not(right, left)
    }

    /// Whether one is the two's complement of the other.
    pub(super) fn are_opposites(&self, left: Term, right: Term) -> bool {
        let is_neg = |term: Term, of: Term| self.matches(term, Op::Neg).is_some_and(|args| args[0] == of);
        is_neg(left, right) || is_neg(right, left)
    }

    /// The arguments of `~(x & y)`.
    pub(super) fn matches_nand(&self, term: Term) -> Option<Args> {
        if term.is_negated() {
            return self.matches(term.node_term(), Op::And);
        }
        self.matches(self.matches(term, Op::Not)?[0], Op::And)
    }

    /// A constant in front of a commutative or other operation of two arguments, with the second argument.
    pub(super) fn matches_constant_first(&self, term: Term, op: Op) -> Option<(BitVec, Term)> {
        let args = self.matches(term, op)?;
        Some((self.constant_value(args[0])?, args[1]))
    }

    /// A term as a constant plus another term; the constant may be 0.
    pub(super) fn offset(&self, term: Term) -> (BitVec, Term) {
        let zero = || (BitVec::zero(self.width(term)), term);
        self.matches_constant_first(term, Op::Add).unwrap_or_else(zero)
    }

    /// Whether two indices are never equal, as far as their shape says.
    pub(super) fn are_different_by_shape(&self, left: Term, right: Term) -> bool {
        if let (Some(left), Some(right)) = (self.constant_value(left), self.constant_value(right)) {
            return left != right;
        }
        if self.are_complements(left, right) {
            return true;
        }
        let ((left_offset, left_base), (right_offset, right_base)) = (self.offset(left), self.offset(right));
        left_base == right_base && left_offset != right_offset
    }

    /// Whether two indices are never equal.
    pub(super) fn are_different(&self, left: Term, right: Term) -> bool {
        let are_excluded = || Some(self.fact(left)?.excludes(&self.fact(right)?));
        self.are_different_by_shape(left, right) || (self.uses_facts() && are_excluded() == Some(true))
    }
}
