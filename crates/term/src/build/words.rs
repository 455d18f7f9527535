//! Constructors that take words apart and join them, and that count bits.

use crate::arena::Terms;
use crate::node::{Op, Sort, Term};

impl Terms {
    /// `high` becomes the upper part.
    pub fn concat(&mut self, high: Term, low: Term) -> Term {
        let width = self.width(high) + self.width(low);
        self.build(Op::Concat, Sort::Bits(width), &[high, low])
    }

    /// All of them, the first uppermost; at least one.
    pub fn concat_all(&mut self, parts: &[Term]) -> Term {
        let (&last, upper) = parts.split_last().expect("there should be a part");
        upper.iter().rev().fold(last, |low, &high| self.concat(high, low))
    }

    /// Bits `high` to `low`, both included.
    pub fn extract(&mut self, term: Term, high: u32, low: u32) -> Term {
        let width = self.width(term);
        assert!(low <= high && high < width, "bits {high} to {low} should lie in {width} bits");
        if high - low + 1 == width {
            return term;
        }
        self.build_with_low(Op::Extract, Sort::Bits(high - low + 1), &[term], u64::from(low))
    }

    /// One bit.
    pub fn bit(&mut self, term: Term, position: u32) -> Term {
        self.extract(term, position, position)
    }

    /// The highest bit.
    pub fn sign(&mut self, term: Term) -> Term {
        let width = self.width(term);
        self.bit(term, width - 1)
    }

    /// Zeros above, up to `width` bits.
    pub fn zext(&mut self, term: Term, width: u32) -> Term {
        self.extend(Op::Zext, term, width)
    }

    /// Copies of the sign above, up to `width` bits.
    pub fn sext(&mut self, term: Term, width: u32) -> Term {
        self.extend(Op::Sext, term, width)
    }

    fn extend(&mut self, op: Op, term: Term, width: u32) -> Term {
        let old = self.width(term);
        assert!(width >= old, "{old} bits should not be extended to {width}");
        if width == old { term } else { self.build(op, Sort::Bits(width), &[term]) }
    }

    /// The lowest bits, or zeros above: C's conversion of an unsigned number.
    pub fn resize_unsigned(&mut self, term: Term, width: u32) -> Term {
        if width < self.width(term) { self.extract(term, width - 1, 0) } else { self.zext(term, width) }
    }

    /// The lowest bits, or copies of the sign above: C's conversion of a signed number.
    pub fn resize_signed(&mut self, term: Term, width: u32) -> Term {
        if width < self.width(term) { self.extract(term, width - 1, 0) } else { self.sext(term, width) }
    }

    /// Zeros above the highest one, in the same width; all of them for 0.
    pub fn clz(&mut self, term: Term) -> Term {
        self.count(Op::Clz, term)
    }

    /// Zeros below the lowest one, in the same width; all of them for 0.
    pub fn ctz(&mut self, term: Term) -> Term {
        self.count(Op::Ctz, term)
    }

    /// How many ones, in the same width.
    pub fn popcount(&mut self, term: Term) -> Term {
        match self.width(term) {
            1 => term,
            width => self.build(Op::Popcount, Sort::Bits(width), &[term]),
        }
    }

    fn count(&mut self, op: Op, term: Term) -> Term {
        match self.width(term) {
            1 => term.negate_if(true),
            width => self.build(op, Sort::Bits(width), &[term]),
        }
    }

    /// The bytes in reverse order; the width is a multiple of 8.
    pub fn swap_bytes(&mut self, term: Term) -> Term {
        let width = self.width(term);
        assert_eq!(width % 8, 0, "there should be whole bytes");
        let bytes: Vec<Term> = (0..width / 8).map(|byte| self.extract(term, byte * 8 + 7, byte * 8)).collect();
        self.concat_all(&bytes)
    }
}
