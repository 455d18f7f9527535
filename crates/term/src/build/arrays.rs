//! Constructors of arrays: maps without end, so an index is never outside.

use crate::arena::Terms;
use crate::node::{Op, Sort, Term};

impl Terms {
    /// Widths of index and element of an array.
    pub fn array_widths(&self, array: Term) -> (u32, u32) {
        match self.sort(array) {
            Sort::Array { index, element } => (index, element),
            Sort::Bits(width) => panic!("an array should be here, not {width} bits"),
        }
    }

    fn expect_width(&self, term: Term, width: u32, what: &str) {
        assert_eq!(self.width(term), width, "{what} should have the array's width");
    }

    /// The array with this element everywhere.
    pub fn const_array(&mut self, index_width: u32, element: Term) -> Term {
        let sort = Sort::Array { index: index_width, element: self.width(element) };
        self.build(Op::ConstArray, sort, &[element])
    }

    /// The element at an index.
    pub fn select(&mut self, array: Term, index: Term) -> Term {
        let (index_width, element_width) = self.array_widths(array);
        self.expect_width(index, index_width, "an index");
        self.build(Op::Select, Sort::Bits(element_width), &[array, index])
    }

    /// The array with another element at an index.
    pub fn store(&mut self, array: Term, index: Term, element: Term) -> Term {
        let (index_width, element_width) = self.array_widths(array);
        self.expect_width(index, index_width, "an index");
        self.expect_width(element, element_width, "an element");
        self.build(Op::Store, self.sort(array), &[array, index, element])
    }

    /// The array with one element from `start` on, `length` times, modulo the width of the index: C's `memset`.
    pub fn fill(&mut self, array: Term, start: Term, length: Term, element: Term) -> Term {
        let (index_width, element_width) = self.array_widths(array);
        self.expect_width(start, index_width, "the start");
        self.expect_width(length, index_width, "the length");
        self.expect_width(element, element_width, "an element");
        self.build(Op::Fill, self.sort(array), &[array, start, length, element])
    }

    /// The array `target` with `length` elements of `source` from `source_start` on at `target_start`, modulo the width of
    /// the index, all read before the first is written: C's `memmove`.
    pub fn copy(&mut self, target: Term, target_start: Term, source: Term, source_start: Term, length: Term) -> Term {
        let (index_width, _) = self.array_widths(target);
        assert_eq!(self.sort(target), self.sort(source), "both arrays should have one sort");
        self.expect_width(target_start, index_width, "the target's start");
        self.expect_width(source_start, index_width, "the source's start");
        self.expect_width(length, index_width, "the length");
        self.build(Op::Copy, self.sort(target), &[target, target_start, source, source_start, length])
    }
}
