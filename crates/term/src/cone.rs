//! What a term is made of: its cone of influence.

use std::collections::BTreeSet;

use crate::arena::Terms;
use crate::node::{InputId, Op, Term};

impl Terms {
    /// All nodes that the roots reach, arguments before what uses them; none is negated. The numbers of nodes ascend, so
    /// this is a topological order.
    pub fn cone(&self, roots: &[Term]) -> Vec<Term> {
        let mut seen = vec![0u64; self.n_nodes().div_ceil(64)];
        let mut visit = |term: Term| {
            let (word, bit) = (term.index() / 64, 1 << (term.index() % 64));
            let is_new = seen[word] & bit == 0;
            seen[word] |= bit;
            is_new
        };
        let mut found: Vec<Term> = Vec::new();
        for root in roots {
            if visit(*root) {
                found.push(root.node_term());
            }
        }
        let mut next = 0;
        while let Some(&term) = found.get(next) {
            next += 1;
            for arg in self.args(term) {
                if visit(arg) {
                    found.push(arg.node_term());
                }
            }
        }
        found.sort_unstable();
        found
    }

    /// The inputs that the roots depend on.
    pub fn inputs_of(&self, roots: &[Term]) -> BTreeSet<InputId> {
        let cone = self.cone(roots);
        cone.into_iter().filter(|&term| self.op(term) == Op::Input).map(|term| self.input_of(term)).collect()
    }
}
