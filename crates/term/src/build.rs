//! Constructors: they check sorts, express what has no operation of its own by what has one, fold constants, sort arguments
//! and ask the rules. All of this takes constant time per call.

mod arithmetic;
mod arrays;
mod checked;
mod compare;
mod floats;
mod logic;
mod rebuild;
#[cfg(test)]
mod tests;
mod words;

pub use checked::{Checked, Signedness};

use crate::arena::Terms;
use crate::eval;
use crate::node::{Node, Op, Sort, Term};
use crate::value::Value;

impl Terms {
    /// The term of an operation, in normal form.
    pub(crate) fn build(&mut self, op: Op, sort: Sort, args: &[Term]) -> Term {
        self.build_with_low(op, sort, args, 0)
    }

    pub(crate) fn build_with_low(&mut self, op: Op, sort: Sort, args: &[Term], low: u64) -> Term {
        let mut node = Node::with_low(op, sort, args, low);
        if let Some(folded) = self.fold(&node) {
            return folded;
        }
        if op.is_commutative() && self.rank(node.args[1]) < self.rank(node.args[0]) {
            node.args.swap(0, 1);
        }
        // What exists was not rewritten when it was made, and would not be now.
        if let Ok(term) = self.find(&node) {
            return term;
        }
        if let Some(rewritten) = self.rewrite(&node) {
            return rewritten;
        }
        let fact = self.fact_of_node(&node);
        match fact.and_then(|fact| fact.value()).and_then(|value| self.constant_by_fact(&node, value)) {
            Some(constant) => constant,
            None => self.intern(node, fact),
        }
    }

    /// The order of the arguments of commutative operations: a constant is first.
    fn rank(&self, term: Term) -> (bool, Term) {
        (!self.is_constant(term), term)
    }

    /// The constant that an operation on constants gives.
    fn fold(&mut self, node: &Node) -> Option<Term> {
        let args = node.args();
        let Sort::Bits(_) = node.sort() else { return None };
        if !args.iter().all(|&arg| self.is_constant(arg)) {
            return None;
        }
        let values: Vec<Value> =
            args.iter().map(|&arg| self.constant_value(arg).map(Value::Bits)).collect::<Option<_>>()?;
        let references: Vec<&Value> = values.iter().collect();
        let value = eval::apply(node.op, node.sort(), node.aux, &references);
        Some(self.constant_bits(value.bits()))
    }

    /// The common width of two bit-vectors.
    pub(crate) fn same_width(&self, left: Term, right: Term) -> u32 {
        let width = self.width(left);
        assert_eq!(width, self.width(right), "both arguments should have one width");
        width
    }

    /// Checks that a term is a Boolean.
    pub(crate) fn expect_bool(&self, term: Term) {
        assert_eq!(self.sort(term), Sort::BOOL, "a Boolean should be here");
    }
}
