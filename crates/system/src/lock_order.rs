//! The order in which executions take locks: which was taken while which was held.
//!
//! Two threads that take the same locks in opposite order can wait for each other for ever, and a circle of several
//! locks is no better. Whether it comes to that depends on the schedule; the circle shows in executions that go well.
//! A circle does not count if one lock is held around all of it, if too few threads take part, or if somewhere in it
//! both the one who holds a lock and the one who takes it do so for reading only.

use std::collections::BTreeSet;

use unpick_program::Loc;

/// More circles than this are not told.
const MAX_CIRCLES: usize = 20;
/// Circles of more locks than this are not looked for.
const MAX_LENGTH: usize = 8;

/// One lock taken while another was held.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LockEdge {
    /// The lock that was held; `is_exclusive` as in the IR.
    pub held: OrderedLock,
    /// The lock that was taken.
    pub taken: OrderedLock,
    /// Where it was taken first.
    pub loc: Loc,
    /// The threads that did, as bits; those above 63 share the last bit.
    pub threads: u64,
    /// Other locks that were held whenever this happened.
    pub guards: BTreeSet<String>,
}

/// A lock by its name, and how it is held.
#[derive(Clone, PartialEq, Eq, Debug, PartialOrd, Ord)]
pub struct OrderedLock {
    /// `&a`, `&forks[1]`.
    pub name: String,
    /// It excludes all other holders.
    pub is_exclusive: bool,
}

/// The order in which locks were taken.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LockOrder {
    /// In order of the names.
    edges: Vec<LockEdge>,
}

impl LockOrder {
    /// The pairs, in order of their names.
    pub fn edges(&self) -> &[LockEdge] {
        &self.edges
    }

    /// Adds a pair, or what is new about one that is known.
    pub fn add(&mut self, edge: LockEdge) {
        let key = |edge: &LockEdge| (edge.held.clone(), edge.taken.clone());
        match self.edges.binary_search_by_key(&key(&edge), key) {
            Ok(at) => {
                let known = &mut self.edges[at];
                known.loc = known.loc.min(edge.loc);
                known.threads |= edge.threads;
                known.guards.retain(|guard| edge.guards.contains(guard));
            }
            Err(at) => self.edges.insert(at, edge),
        }
    }

    /// Adds what another search has seen.
    pub fn extend(&mut self, other: LockOrder) {
        for edge in other.edges {
            self.add(edge);
        }
    }

    /// Circles of locks each of which was taken while the one before was held: places in [`LockOrder::edges`].
    pub fn circles(&self) -> Vec<Vec<usize>> {
        let mut circles: Vec<Vec<usize>> = Vec::new();
        let mut seen: BTreeSet<Vec<&str>> = BTreeSet::new();
        for start in (0..self.edges.len()).filter(|at| self.edges[*at].taken.name > self.edges[*at].held.name) {
            let mut path = vec![start];
            self.follow(&mut path, &mut seen, &mut circles);
        }
        circles
    }

    /// Extends a path of edges that begins with the smallest name of a circle.
    fn follow<'a>(&'a self, path: &mut Vec<usize>, seen: &mut BTreeSet<Vec<&'a str>>, circles: &mut Vec<Vec<usize>>) {
        if circles.len() >= MAX_CIRCLES || path.len() > MAX_LENGTH {
            return;
        }
        let first = self.edges[path[0]].held.name.as_str();
        let last = &self.edges[path[path.len() - 1]].taken.name;
        if last == first {
            let names = path.iter().map(|at| self.edges[*at].held.name.as_str()).collect();
            if self.is_dangerous(path) && seen.insert(names) {
                circles.push(path.clone());
            }
            return;
        }
        let is_new = |name: &str| path.iter().all(|at| self.edges[*at].taken.name != name);
        let next: Vec<usize> = (0..self.edges.len())
            .filter(|at| {
                let edge = &self.edges[*at];
                let goes_on = edge.taken.name == first || edge.taken.name.as_str() > first && is_new(&edge.taken.name);
                edge.held.name == *last && goes_on
            })
            .collect();
        for at in next {
            path.push(at);
            self.follow(path, seen, circles);
            path.pop();
        }
    }

    /// Whether threads can wait for each other along a circle.
    fn is_dangerous(&self, circle: &[usize]) -> bool {
        let edges: Vec<&LockEdge> = circle.iter().map(|at| &self.edges[*at]).collect();
        let threads = edges.iter().fold(0, |threads, edge| threads | edge.threads);
        let is_guarded = edges[0].guards.iter().any(|guard| edges.iter().all(|edge| edge.guards.contains(guard)));
        let excludes = |at: usize| {
            let next = edges[(at + 1) % edges.len()];
            edges[at].taken.is_exclusive || next.held.is_exclusive
        };
        threads.count_ones() as usize >= edges.len() && !is_guarded && (0..edges.len()).all(excludes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lock(name: &str) -> OrderedLock {
        let (name, is_exclusive) = name.strip_suffix('r').map_or((name, true), |name| (name, false));
        OrderedLock { name: name.to_owned(), is_exclusive }
    }

    /// `a>b 1 g`: thread 1 takes b while it holds a and g.
    fn order(edges: &[&str]) -> LockOrder {
        let mut order = LockOrder::default();
        for edge in edges {
            let words: Vec<&str> = edge.split_whitespace().collect();
            let (held, taken) = words[0].split_once('>').expect("an edge should have two ends");
            let thread: u32 = words[1].parse().expect("a thread should be a number");
            let guards = words[2..].iter().map(|guard| (*guard).to_owned()).collect();
            order.add(LockEdge { held: lock(held), taken: lock(taken), loc: Loc::NONE, threads: 1 << thread, guards });
        }
        order
    }

    fn circles(edges: &[&str]) -> Vec<String> {
        let order = order(edges);
        let name = |at: &usize| order.edges()[*at].held.name.clone();
        order.circles().iter().map(|circle| circle.iter().map(name).collect()).collect()
    }

    #[test]
    fn opposite_orders_of_two_threads_are_a_circle() {
        assert_eq!(circles(&["a>b 1", "b>a 2"]), ["ab"]);
        assert_eq!(circles(&["a>b 1", "b>a 1"]), [""; 0]);
        assert_eq!(circles(&["a>b 1", "a>b 2", "b>c 1"]), [""; 0]);
    }

    #[test]
    fn circles_of_three_are_told_once() {
        assert_eq!(circles(&["b>c 1", "c>a 2", "a>b 3"]), ["abc"]);
        assert_eq!(circles(&["b>c 1", "c>a 2", "a>b 3", "b>a 4"]), ["ab", "abc"]);
        assert_eq!(circles(&["x>b 1", "b>c 2", "c>b 3"]), ["bc"]);
    }

    #[test]
    fn a_lock_around_it_breaks_a_circle() {
        assert_eq!(circles(&["a>b 1 g", "b>a 2 g"]), [""; 0]);
        assert_eq!(circles(&["a>b 1 g", "b>a 2 h"]), ["ab"]);
        assert_eq!(circles(&["a>b 1 g", "a>b 3", "b>a 2 g"]), ["ab"]);
    }

    #[test]
    fn readers_do_not_keep_each_other_out() {
        assert_eq!(circles(&["ar>b 1", "b>ar 2"]), [""; 0]);
        assert_eq!(circles(&["ar>b 1", "b>a 2"]), ["ab"]);
    }
}
