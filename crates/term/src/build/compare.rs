//! Constructors of comparisons; `a <= b` is `!(b < a)`.

use crate::arena::Terms;
use crate::node::{Op, Sort, Term};

impl Terms {
    /// Equality of bit-vectors. Arrays are never compared, so no solver needs extensionality.
    pub fn eq(&mut self, left: Term, right: Term) -> Term {
        match self.same_width(left, right) {
            1 => self.xor(left, right).negate_if(true),
            _ => self.build(Op::Eq, Sort::BOOL, &[left, right]),
        }
    }

    /// Unsigned less than.
    pub fn ult(&mut self, left: Term, right: Term) -> Term {
        match self.same_width(left, right) {
            1 => self.and(left.negate_if(true), right),
            _ => self.build(Op::Ult, Sort::BOOL, &[left, right]),
        }
    }

    /// Unsigned less or equal.
    pub fn ule(&mut self, left: Term, right: Term) -> Term {
        self.ult(right, left).negate_if(true)
    }

    /// Signed less than.
    pub fn slt(&mut self, left: Term, right: Term) -> Term {
        match self.same_width(left, right) {
            // The only bit is the sign: 1 is -1.
            1 => self.and(left, right.negate_if(true)),
            _ => self.build(Op::Slt, Sort::BOOL, &[left, right]),
        }
    }

    /// Signed less or equal.
    pub fn sle(&mut self, left: Term, right: Term) -> Term {
        self.slt(right, left).negate_if(true)
    }

    /// Whether all bits are 0.
    pub fn is_zero(&mut self, term: Term) -> Term {
        let width = self.width(term);
        let zero = self.constant(width, 0);
        self.eq(term, zero)
    }
}
