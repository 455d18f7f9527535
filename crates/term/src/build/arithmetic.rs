//! Constructors of arithmetic and shifts. On width 1 each is a gate; signed division is unsigned division of magnitudes.

use crate::arena::Terms;
use crate::node::{Op, Sort, Term};

impl Terms {
    fn arithmetic(&mut self, op: Op, left: Term, right: Term) -> Term {
        let width = self.width(left);
        self.build(op, Sort::Bits(width), &[left, right])
    }

    /// Modulo the width.
    pub fn add(&mut self, left: Term, right: Term) -> Term {
        match self.same_width(left, right) {
            1 => self.xor(left, right),
            _ => self.arithmetic(Op::Add, left, right),
        }
    }

    /// Two's complement.
    pub fn neg(&mut self, term: Term) -> Term {
        match self.width(term) {
            1 => term,
            width => self.build(Op::Neg, Sort::Bits(width), &[term]),
        }
    }

    /// Modulo the width.
    pub fn sub(&mut self, left: Term, right: Term) -> Term {
        let negated = self.neg(right);
        self.add(left, negated)
    }

    /// Modulo the width.
    pub fn mul(&mut self, left: Term, right: Term) -> Term {
        match self.same_width(left, right) {
            1 => self.and(left, right),
            _ => self.arithmetic(Op::Mul, left, right),
        }
    }

    /// Unsigned quotient; by 0 all ones.
    pub fn udiv(&mut self, left: Term, right: Term) -> Term {
        match self.same_width(left, right) {
            1 => self.implies(right, left),
            _ => self.arithmetic(Op::Udiv, left, right),
        }
    }

    /// Unsigned remainder; by 0 the dividend.
    pub fn urem(&mut self, left: Term, right: Term) -> Term {
        match self.same_width(left, right) {
            1 => self.and_not(left, right),
            _ => self.arithmetic(Op::Urem, left, right),
        }
    }

    /// Signed quotient, rounded towards 0. By 0, as in SMT-LIB: all ones (-1) for a dividend that is not negative, else 1;
    /// the least number by -1 is the least number.
    pub fn sdiv(&mut self, left: Term, right: Term) -> Term {
        self.same_width(left, right);
        let (is_left_negative, is_right_negative) = (self.sign(left), self.sign(right));
        let (dividend, divisor) = (self.magnitude(left), self.magnitude(right));
        let quotient = self.udiv(dividend, divisor);
        let negated = self.neg(quotient);
        let is_negative = self.xor(is_left_negative, is_right_negative);
        self.ite(is_negative, negated, quotient)
    }

    /// Signed remainder with the sign of the dividend, C's `%`; by 0 the dividend.
    pub fn srem(&mut self, left: Term, right: Term) -> Term {
        self.same_width(left, right);
        let is_left_negative = self.sign(left);
        let (dividend, divisor) = (self.magnitude(left), self.magnitude(right));
        let remainder = self.urem(dividend, divisor);
        let negated = self.neg(remainder);
        self.ite(is_left_negative, negated, remainder)
    }

    fn magnitude(&mut self, term: Term) -> Term {
        let is_negative = self.sign(term);
        let negated = self.neg(term);
        self.ite(is_negative, negated, term)
    }

    /// The left without the bits of the right.
    fn and_not(&mut self, left: Term, right: Term) -> Term {
        let inverted = self.not(right);
        self.and(left, inverted)
    }

    /// By the width or more: 0. Both have one width.
    pub fn shl(&mut self, term: Term, amount: Term) -> Term {
        match self.same_width(term, amount) {
            1 => self.and_not(term, amount),
            _ => self.arithmetic(Op::Shl, term, amount),
        }
    }

    /// By the width or more: 0. Both have one width.
    pub fn lshr(&mut self, term: Term, amount: Term) -> Term {
        match self.same_width(term, amount) {
            1 => self.and_not(term, amount),
            _ => self.arithmetic(Op::Lshr, term, amount),
        }
    }

    /// By the width or more: copies of the sign. Both have one width.
    pub fn ashr(&mut self, term: Term, amount: Term) -> Term {
        match self.same_width(term, amount) {
            1 => term,
            _ => self.arithmetic(Op::Ashr, term, amount),
        }
    }
}
