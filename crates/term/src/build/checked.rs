//! Checked arithmetic: the plain result, and a Boolean that says whether it is the mathematical one.

use crate::arena::Terms;
use crate::bits::BitVec;
use crate::node::{Op, Sort, Term};

/// How the bits of a number are read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Signedness {
    /// As a natural number.
    Unsigned,
    /// As two's complement.
    Signed,
}

/// A result modulo the width.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Checked {
    /// What the machine computes.
    pub result: Term,
    /// Whether nothing overflowed; of width 1.
    pub ok: Term,
}

impl Terms {
    /// The sum, and whether it fits.
    pub fn checked_add(&mut self, left: Term, right: Term, signedness: Signedness) -> Checked {
        let result = self.add(left, right);
        let overflows = match signedness {
            Signedness::Unsigned => self.ult(result, left),
            Signedness::Signed => {
                // Both signs differ from that of the result.
                let (left, right, sign) = (self.sign(left), self.sign(right), self.sign(result));
                let (first, second) = (self.xor(left, sign), self.xor(right, sign));
                self.and(first, second)
            }
        };
        Checked { result, ok: overflows.negate_if(true) }
    }

    /// The difference, and whether it fits.
    pub fn checked_sub(&mut self, left: Term, right: Term, signedness: Signedness) -> Checked {
        let result = self.sub(left, right);
        let overflows = match signedness {
            Signedness::Unsigned => self.ult(left, right),
            Signedness::Signed => {
                // The signs differ, and the result does not have the left one's.
                let (left, right, sign) = (self.sign(left), self.sign(right), self.sign(result));
                let (first, second) = (self.xor(left, right), self.xor(left, sign));
                self.and(first, second)
            }
        };
        Checked { result, ok: overflows.negate_if(true) }
    }

    /// The product, and whether it fits.
    pub fn checked_mul(&mut self, left: Term, right: Term, signedness: Signedness) -> Checked {
        let width = self.same_width(left, right);
        let result = self.mul(left, right);
        let overflows = match (signedness, width) {
            (Signedness::Unsigned, 1) => Term::FALSE,
            // (-1) * (-1) is 1, which one bit cannot hold.
            (Signedness::Signed, 1) => result,
            (Signedness::Unsigned, _) => self.build(Op::UmulOverflow, Sort::BOOL, &[left, right]),
            (Signedness::Signed, _) => self.build(Op::SmulOverflow, Sort::BOOL, &[left, right]),
        };
        Checked { result, ok: overflows.negate_if(true) }
    }

    /// The negation, and whether it fits: signed, all but the least number; unsigned, only 0.
    pub fn checked_neg(&mut self, term: Term, signedness: Signedness) -> Checked {
        let result = self.neg(term);
        let ok = match signedness {
            Signedness::Unsigned => self.is_zero(term),
            Signedness::Signed => self.is_least(term).negate_if(true),
        };
        Checked { result, ok }
    }

    /// The signed quotient, and whether it fits: all but the least number by -1. A division by 0 is a question of its own.
    pub fn checked_sdiv(&mut self, left: Term, right: Term) -> Checked {
        let result = self.sdiv(left, right);
        Checked { result, ok: self.quotient_fits(left, right) }
    }

    /// The signed remainder, and whether the quotient fits, which C asks for, too.
    pub fn checked_srem(&mut self, left: Term, right: Term) -> Checked {
        let result = self.srem(left, right);
        Checked { result, ok: self.quotient_fits(left, right) }
    }

    fn quotient_fits(&mut self, left: Term, right: Term) -> Term {
        let inverted = self.not(right);
        let is_minus_one = self.is_zero(inverted);
        let is_least = self.is_least(left);
        self.and(is_least, is_minus_one).negate_if(true)
    }

    /// Whether a term is the least signed number.
    fn is_least(&mut self, term: Term) -> Term {
        let least = self.constant_bits(&BitVec::least(self.width(term)));
        self.eq(term, least)
    }

    /// `term * 2^amount`, and whether it fits: shifted back it is the same. An amount of the width or more overflows unless
    /// the term is 0; whether C allows such an amount is a question of its own.
    pub fn checked_shl(&mut self, term: Term, amount: Term, signedness: Signedness) -> Checked {
        let result = self.shl(term, amount);
        let back = match signedness {
            Signedness::Unsigned => self.lshr(result, amount),
            Signedness::Signed => self.ashr(result, amount),
        };
        Checked { result, ok: self.eq(back, term) }
    }
}
