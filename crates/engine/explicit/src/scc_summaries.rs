//! Summaries by strongly connected component (Tarjan 1972): for each visited state whether it is on the search stack,
//! else the effects of all steps reachable from it.
//!
//! States that can reach each other form a component of the graph. The effects behind one of them are behind all, and
//! are known when the search leaves the component's first state; until then states that have left the stack are open.

use std::collections::HashMap;

use unpick_store::StateId;

use crate::effect::SetId;

/// The status of a visited state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Status {
    /// On the stack.
    OnStack {
        /// Its number in the order in which states came on the stack.
        index: u32,
    },
    /// Not on the stack, but another state of its component is.
    Open {
        /// Its number in that order.
        index: u32,
    },
    /// Its component is finished.
    Left {
        /// Effects of all steps reachable from it.
        summary: SetId,
        /// Effects of the rest of the step it interrupts.
        rest: SetId,
    },
}

/// The statuses of all states; see the module.
#[derive(Default)]
pub(crate) struct SccSummaries {
    /// By number of the state.
    statuses: Vec<Entry>,
    /// States of unfinished components that have left the stack.
    open: Vec<StateId>,
    n_entered: u32,
}

/// A status in eight bytes.
#[derive(Clone, Copy)]
struct Entry {
    summary: u32,
    rest: u32,
}

const ON_STACK: u32 = u32::MAX;
const OPEN: u32 = u32::MAX - 1;

impl SccSummaries {
    pub(crate) fn bytes(&self) -> u64 {
        (self.statuses.capacity() * size_of::<Entry>() + self.open.capacity() * size_of::<StateId>()) as u64
    }

    pub(crate) fn get(&self, id: StateId) -> Status {
        // The first state of all is stored without having been on the stack.
        let Some(entry) = self.statuses.get(id.0 as usize) else { return Status::Left { summary: 0, rest: 0 } };
        match entry.summary {
            ON_STACK => Status::OnStack { index: entry.rest },
            OPEN => Status::Open { index: entry.rest },
            summary => Status::Left { summary, rest: entry.rest },
        }
    }

    /// The state comes on the stack; its number.
    pub(crate) fn enter(&mut self, id: StateId) -> u32 {
        let index = self.n_entered;
        self.n_entered += 1;
        self.put(id, Entry { summary: ON_STACK, rest: index });
        index
    }

    /// The state leaves the stack; `low` is the least number of a state that it can reach and that has not left.
    pub(crate) fn leave(&mut self, id: StateId, index: u32, low: u32, summary: SetId, rest: SetId) {
        if low < index {
            self.put(id, Entry { summary: OPEN, rest: index });
            self.open.push(id);
            return;
        }
        self.put(id, Entry { summary, rest });
        // States that came after this one and are open belong to its component.
        while let Some(open) = self.open.last().copied() {
            match self.get(open) {
                Status::Open { index: later } if later > index => {
                    self.put(open, Entry { summary, rest: 0 });
                    self.open.pop();
                }
                Status::Open { .. } | Status::OnStack { .. } | Status::Left { .. } => break,
            }
        }
    }

    /// The same of states that have got other numbers: pairs of the old one and the new one.
    pub(crate) fn renumbered(&self, pairs: &[(StateId, StateId)]) -> Self {
        let mut renumbered = Self { n_entered: self.n_entered, ..Self::default() };
        for (old, new) in pairs {
            if let Some(entry) = self.statuses.get(old.0 as usize) {
                renumbered.put(*new, *entry);
            }
        }
        let new_numbers: HashMap<u64, StateId> = pairs.iter().map(|(old, new)| (old.0, *new)).collect();
        renumbered.open = self.open.iter().filter_map(|open| new_numbers.get(&open.0).copied()).collect();
        renumbered
    }

    fn put(&mut self, id: StateId, entry: Entry) {
        let at = id.0 as usize;
        if at >= self.statuses.len() {
            self.statuses.resize(at + 1, Entry { summary: 0, rest: 0 });
        }
        self.statuses[at] = entry;
    }
}
