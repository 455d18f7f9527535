//! From a state at which everybody may move to all such states that can come next.
//!
//! A step may lead into an `atomic`, in which only one process goes on. The states inside are walked through here
//! and never stored: their successors take their place until everybody may move, or the process cannot, in which
//! case everybody may again. Walking could take for ever around a loop, or visit a state as often as there are ways
//! to it, so that from some number on the states inside are remembered for the time of one expansion.

use std::collections::HashSet;

use unpick_ir::automaton::interp::Machine;
use unpick_system::{NOBODY, Step, Successor, Successors, Who};

/// So many states inside `atomic`s are walked through without being remembered.
const MAX_FORGOTTEN: usize = 64;

/// Makes successors; see the module.
pub(super) struct Expander<'a, S: Step> {
    step: &'a S,
    room: S::Room,
    inner: Vec<u8>,
    remembered: HashSet<Vec<u8>, foldhash::fast::RandomState>,
}

/// What can follow a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Expansion {
    /// Successors were added.
    GoesOn,
    /// Nothing is possible, and all processes may stay where they are.
    ValidEnd,
    /// Nothing is possible.
    InvalidEnd,
}

impl<'a, S: Step> Expander<'a, S> {
    pub(super) fn new(step: &'a S) -> Self {
        Self { step, room: step.room(), inner: Vec::new(), remembered: HashSet::default() }
    }

    /// Adds all successors. Those that [`is_left`] says were left do not count.
    #[inline]
    pub(super) fn expand(&mut self, state: &[u8], into: &mut Successors) -> Expansion {
        let first = into.list.len();
        self.step.steps(&mut self.room, state, Who::All, into);
        if into.list.len() == first {
            self.step.steps(&mut self.room, state, Who::Timeout, into);
            if into.list.len() == first {
                return match Machine::new(self.step.model()).is_valid_end(state) {
                    true => Expansion::ValidEnd,
                    false => Expansion::InvalidEnd,
                };
            }
        }
        if into.list[first..].iter().any(|successor| successor.only != NOBODY) {
            self.walk_through(first, into);
        }
        Expansion::GoesOn
    }

    /// Replaces states inside `atomic`s by what comes out of them.
    fn walk_through(&mut self, first: usize, into: &mut Successors) {
        let mut n_walked = 0;
        self.remembered.clear();
        let mut at = first;
        while at < into.list.len() {
            let successor = into.list[at];
            if successor.only != NOBODY && !successor.is_fault {
                self.inner.clear();
                self.inner.extend_from_slice(into.state(successor));
                n_walked += 1;
                if n_walked > MAX_FORGOTTEN && !self.is_new(successor.only) {
                    into.list[at].len = 0;
                } else {
                    let before = into.list.len();
                    self.step.steps(&mut self.room, &self.inner, Who::Only(successor.only), into);
                    if into.list.len() == before {
                        into.list[at].only = NOBODY;
                    } else {
                        into.list[at].len = 0;
                        for next in &mut into.list[before..] {
                            next.mover = successor.mover;
                        }
                    }
                }
            }
            at += 1;
        }
    }

    fn is_new(&mut self, only: u8) -> bool {
        self.inner.push(only);
        let is_new = self.remembered.insert(self.inner.clone());
        self.inner.pop();
        is_new
    }
}

/// Whether the state was walked through.
#[inline]
pub(super) fn is_left(successor: Successor) -> bool {
    successor.len == 0 && !successor.is_fault
}

/// Among the successors from `first` on that a process began, how many come before this one.
pub(super) fn rank(next: &Successors, first: usize, at: usize) -> usize {
    let mover = next.list[at].mover;
    next.list[first..at].iter().filter(|successor| successor.mover == mover).count()
}

/// The successor that a process began and that has this many before it.
pub(super) fn nth_of(next: &Successors, first: usize, mover: u8, rank: usize) -> Option<Successor> {
    next.list[first..].iter().filter(|successor| successor.mover == mover).nth(rank).copied()
}
