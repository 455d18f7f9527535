//! A node built again over other arguments, through its constructor.

use crate::arena::Terms;
use crate::node::{Op, Term};

impl Terms {
    /// The operation of a term's node over these arguments, of the same sorts as its own; the sign of the term is not looked
    /// at.
    pub(crate) fn rebuild(&mut self, term: Term, args: &[Term]) -> Term {
        let node = *self.node(term);
        match (node.op, args) {
            (Op::Const | Op::Input, _) => term.node_term(),
            (Op::Not, &[a]) => self.not(a),
            (Op::And, &[a, b]) => self.and(a, b),
            (Op::Xor, &[a, b]) => self.xor(a, b),
            (Op::Neg, &[a]) => self.neg(a),
            (Op::Add, &[a, b]) => self.add(a, b),
            (Op::Mul, &[a, b]) => self.mul(a, b),
            (Op::Eq, &[a, b]) => self.eq(a, b),
            (Op::Ult, &[a, b]) => self.ult(a, b),
            (Op::Slt, &[a, b]) => self.slt(a, b),
            (Op::Ite, &[a, b, c]) => self.ite(a, b, c),
            (Op::Extract, &[a]) => self.extract(a, node.aux as u32 + node.sort - 1, node.aux as u32),
            (Op::Udiv | Op::Urem | Op::Shl | Op::Lshr | Op::Ashr | Op::Concat | Op::Zext | Op::Sext, _) => {
                self.build(node.op, node.sort(), args)
            }
            (Op::Clz | Op::Ctz | Op::Popcount | Op::UmulOverflow | Op::SmulOverflow | Op::Fp(_), _) => {
                self.build(node.op, node.sort(), args)
            }
            (Op::ConstArray | Op::Store | Op::Select | Op::Fill | Op::Copy, _) => {
                self.build(node.op, node.sort(), args)
            }
            (Op::Not | Op::And | Op::Xor | Op::Neg | Op::Add | Op::Mul | Op::Eq | Op::Ult | Op::Slt, _)
            | (Op::Ite | Op::Extract, _) => {
                unreachable!("{:?} should have {} arguments", node.op, node.op.arity())
            }
        }
    }
}
