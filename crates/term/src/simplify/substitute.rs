//! Terms in place of terms, each node of the graph built once.

use std::collections::HashMap;

use foldhash::fast::FixedState;

use crate::arena::Terms;
use crate::node::Term;

/// What replaces what, and what was computed already. Replacements are substituted in turn, so there should be no cycle.
pub(crate) struct Substitution {
    replacements: HashMap<Term, Term, FixedState>,
    done: HashMap<Term, Term, FixedState>,
}

impl Substitution {
    pub fn new() -> Substitution {
        Substitution { replacements: HashMap::default(), done: HashMap::default() }
    }

    pub fn is_empty(&self) -> bool {
        self.replacements.is_empty()
    }

    pub fn contains(&self, node: Term) -> bool {
        self.replacements.contains_key(&node)
    }

    /// Replaces a node, which is not negated.
    pub fn insert(&mut self, node: Term, replacement: Term) {
        self.replacements.insert(node, replacement);
        self.done.clear();
    }

    /// The term with everything replaced.
    pub fn apply(&mut self, terms: &mut Terms, root: Term) -> Term {
        let mut open = vec![root.node_term()];
        while let Some(&node) = open.last() {
            if self.done.contains_key(&node) {
                open.pop();
                continue;
            }
            let replacement = self.replacements.get(&node).copied();
            let args = terms.args(node);
            let below: &[Term] = match &replacement {
                Some(replacement) => std::slice::from_ref(replacement),
                None => &args,
            };
            let missing: Vec<Term> =
                below.iter().map(|arg| arg.node_term()).filter(|arg| !self.done.contains_key(arg)).collect();
            if !missing.is_empty() {
                open.extend(missing);
                continue;
            }
            let new: Vec<Term> = below.iter().map(|&arg| self.found(arg)).collect();
            let result = match replacement {
                Some(_) => new[0],
                None if new[..] == args[..] => node,
                None => terms.rebuild(node, &new),
            };
            self.done.insert(node, result);
            open.pop();
        }
        self.found(root)
    }

    fn found(&self, term: Term) -> Term {
        self.done[&term.node_term()].negate_if(term.is_negated())
    }
}
