//! Tarjan's algorithm on the search stack, with a summary for each component: the effects of all steps reachable from
//! its states.
//!
//! States that can reach each other form a component of the graph. What lies behind one of them lies behind all, and
//! is known when the search leaves the component's first state; until then states that have left the stack are open.
//! (Tarjan's algorithm.)

use unpick_store::StateId;

use crate::effect::SetId;

/// What is known of a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Status {
    /// On the stack.
    OnStack {
        /// Its number in the order in which states came on the stack.
        index: u32,
    },
    /// Not on the stack, but a state it belongs together with is.
    Open {
        /// Its number in that order.
        index: u32,
    },
    /// Everything behind it has been followed.
    Left {
        /// Effects behind it.
        behind: SetId,
        /// Effects of the rest of the step it interrupts.
        rest: SetId,
    },
}

/// All states; see the module.
#[derive(Default)]
pub(crate) struct Known {
    /// By number of the state.
    statuses: Vec<Entry>,
    /// States of components that are not finished.
    open: Vec<StateId>,
    n_entered: u32,
}

/// A status in eight bytes.
#[derive(Clone, Copy)]
struct Entry {
    behind: u32,
    rest: u32,
}

const ON_STACK: u32 = u32::MAX;
const OPEN: u32 = u32::MAX - 1;

impl Known {
    pub(crate) fn bytes(&self) -> u64 {
        (self.statuses.capacity() * size_of::<Entry>() + self.open.capacity() * size_of::<StateId>()) as u64
    }

    pub(crate) fn get(&self, id: StateId) -> Status {
        // The first state of all is stored without having been on the stack.
        let Some(entry) = self.statuses.get(id.0 as usize) else { return Status::Left { behind: 0, rest: 0 } };
        match entry.behind {
            ON_STACK => Status::OnStack { index: entry.rest },
            OPEN => Status::Open { index: entry.rest },
            behind => Status::Left { behind, rest: entry.rest },
        }
    }

    /// The state comes on the stack; its number.
    pub(crate) fn enter(&mut self, id: StateId) -> u32 {
        let index = self.n_entered;
        self.n_entered += 1;
        self.put(id, Entry { behind: ON_STACK, rest: index });
        index
    }

    /// The state leaves the stack; `low` is the least number of a state that it can reach and that has not left.
    pub(crate) fn leave(&mut self, id: StateId, index: u32, low: u32, behind: SetId, rest: SetId) {
        if low < index {
            self.put(id, Entry { behind: OPEN, rest: index });
            self.open.push(id);
            return;
        }
        self.put(id, Entry { behind, rest });
        // States that came after this one and are open belong to its component.
        while let Some(open) = self.open.last().copied() {
            match self.get(open) {
                Status::Open { index: later } if later > index => {
                    self.put(open, Entry { behind, rest: 0 });
                    self.open.pop();
                }
                Status::Open { .. } | Status::OnStack { .. } | Status::Left { .. } => break,
            }
        }
    }

    fn put(&mut self, id: StateId, entry: Entry) {
        let at = id.0 as usize;
        if at >= self.statuses.len() {
            self.statuses.resize(at + 1, Entry { behind: 0, rest: 0 });
        }
        self.statuses[at] = entry;
    }
}
