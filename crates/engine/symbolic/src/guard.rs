//! Guards: path conditions as lists of branch literals, so that a join of the two ways of a branch takes its literal off
//! again (the path conditions of symbolic execution, King 1976; state merging as in bounded model checking, Clarke, Kroening
//! and Lerda 2004).
//!
//! Lists are hash-consed and share their beginnings. Two guards of states at one place exclude each other, so what follows
//! their common beginning tells them apart: that, and not the whole guard, is the condition of a join. When a path dies
//! (its end is a fact in the log), the other way of its last branch is implied, and its literal is dropped.
//!
//! The same lists hold what is known on a path besides (assumptions, checks that were passed).

use std::collections::HashMap;

use unpick_term::{Term, Terms};

/// A list of literals, by number; equal lists have equal numbers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Guard(u32);

impl Guard {
    /// No condition.
    pub(crate) const ALWAYS: Guard = Guard(0);
}

struct Node {
    parent: Guard,
    literal: Term,
    depth: u32,
    /// All literals together.
    meaning: Term,
    /// The literal follows from those before it: the other way is dead.
    is_implied: bool,
}

/// All lists of one run.
pub(crate) struct Guards {
    nodes: Vec<Node>,
    numbers: HashMap<(Guard, Term), Guard>,
    n_implied: usize,
}

impl Guards {
    pub(crate) fn new() -> Guards {
        let root =
            Node { parent: Guard::ALWAYS, literal: Term::TRUE, depth: 0, meaning: Term::TRUE, is_implied: false };
        Guards { nodes: vec![root], numbers: HashMap::new(), n_implied: 0 }
    }

    fn node(&self, guard: Guard) -> &Node {
        &self.nodes[guard.0 as usize]
    }

    /// The list with one more literal.
    pub(crate) fn push(&mut self, terms: &mut Terms, guard: Guard, literal: Term) -> Guard {
        if literal == Term::TRUE {
            return guard;
        }
        if let Some(known) = self.numbers.get(&(guard, literal)) {
            return *known;
        }
        let meaning = terms.and(self.node(guard).meaning, literal);
        let depth = self.node(guard).depth + 1;
        let number = Guard(u32::try_from(self.nodes.len()).expect("guards should fit 32 bits"));
        self.nodes.push(Node { parent: guard, literal, depth, meaning, is_implied: false });
        self.numbers.insert((guard, literal), number);
        number
    }

    /// The conjunction of all literals.
    pub(crate) fn term(&self, guard: Guard) -> Term {
        self.node(guard).meaning
    }

    /// The list without its last literal, and that literal.
    pub(crate) fn last(&self, guard: Guard) -> Option<(Guard, Term)> {
        let node = self.node(guard);
        (node.depth > 0).then_some((node.parent, node.literal))
    }

    /// How many literals there are.
    pub(crate) fn depth(&self, guard: Guard) -> u32 {
        self.node(guard).depth
    }

    /// The longest common beginning.
    pub(crate) fn common(&self, mut left: Guard, mut right: Guard) -> Guard {
        while left != right {
            match self.depth(left) >= self.depth(right) {
                true => left = self.node(left).parent,
                false => right = self.node(right).parent,
            }
        }
        left
    }

    /// The conjunction of the literals behind a beginning.
    fn since(&self, terms: &mut Terms, guard: Guard, beginning: Guard) -> Term {
        let mut all = Term::TRUE;
        let mut at = guard;
        while at != beginning {
            all = terms.and(self.node(at).literal, all);
            at = self.node(at).parent;
        }
        all
    }

    /// What the literals of a list say of a condition, looking at the last `MAX_LOOK` of them.
    pub(crate) fn decide(&self, terms: &mut Terms, guard: Guard, condition: Term) -> Option<bool> {
        const MAX_LOOK: usize = 256;
        if let Some(truth) = terms.constant_bool(condition) {
            return Some(truth);
        }
        let negation = terms.not(condition);
        let mut at = guard;
        for _ in 0..MAX_LOOK {
            let node = self.node(at);
            if node.depth == 0 {
                return None;
            }
            if node.literal == condition {
                return Some(true);
            }
            if node.literal == negation {
                return Some(false);
            }
            at = node.parent;
        }
        None
    }

    /// A path with this guard is over, and the log says so: the other way of its last branch is implied from now on.
    pub(crate) fn died(&mut self, terms: &mut Terms, guard: Guard) {
        if let Some((parent, literal)) = self.last(guard) {
            let other = terms.not(literal);
            let other = self.push(terms, parent, other);
            if other != parent {
                self.nodes[other.0 as usize].is_implied = true;
                self.n_implied += 1;
            }
        }
    }

    /// The list without literals that are implied.
    pub(crate) fn normal(&mut self, terms: &mut Terms, guard: Guard) -> Guard {
        if self.n_implied == 0 {
            return guard;
        }
        let mut literals = Vec::new();
        let mut at = guard;
        let mut is_changed = false;
        while self.depth(at) > 0 {
            let node = self.node(at);
            match node.is_implied {
                true => is_changed = true,
                false => literals.push(node.literal),
            }
            at = node.parent;
        }
        if !is_changed {
            return guard;
        }
        literals.into_iter().rev().fold(Guard::ALWAYS, |list, literal| {
            let longer = self.push(terms, list, literal);
            if self.node(longer).is_implied { list } else { longer }
        })
    }

    /// The guard of either, and the condition under which it is the first of them.
    pub(crate) fn join(&mut self, terms: &mut Terms, left: Guard, right: Guard) -> (Guard, Term) {
        let beginning = self.common(left, right);
        let to_left = self.since(terms, left, beginning);
        let to_right = self.since(terms, right, beginning);
        let either = terms.or(to_left, to_right);
        (self.push(terms, beginning, either), to_left)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use unpick_term::Sort;

    #[test]
    fn a_join_of_both_ways_takes_the_literal_off() {
        let (mut terms, mut guards) = (Terms::new(), Guards::new());
        let (a, b) = (terms.input("a", Sort::BOOL), terms.input("b", Sort::BOOL));
        let not_b = terms.not(b);
        let base = guards.push(&mut terms, Guard::ALWAYS, a);
        let left = guards.push(&mut terms, base, b);
        let right = guards.push(&mut terms, base, not_b);
        assert_eq!(guards.join(&mut terms, left, right), (base, b));
        assert_eq!(guards.decide(&mut terms, left, not_b), Some(false));
        guards.died(&mut terms, right);
        assert_eq!(guards.normal(&mut terms, left), base);
    }
}
