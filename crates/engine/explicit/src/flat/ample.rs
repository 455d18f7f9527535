//! Which single process is enough to follow from a state.
//!
//! A process is enough if what its next step touches is touched by no other process from where that one stands to its
//! end, whatever processes it makes on the way: the step then commutes with everything that the others can do before,
//! and nothing that they do can let it do something else. Following only this process loses no end state and no step
//! that goes wrong, unless it is done around a cycle for ever; so a state must be followed in full unless one of the
//! states that it leads to is new. (New states come later in the order of storing than the states that lead to them,
//! so that every state leads to one that was followed in full, by steps that commute with what was left out.)
//!
//! If something watches the model, the step must not change what is watched, and a state must be followed in full unless
//! this leads to states that come later in some order: no cycle then consists of states that were not.
//!
//! If the process can do one thing only, the state that this leads to takes the place of the one before, which is
//! never stored: chains of such steps become one step. SPIN does this to statements of one process before the search;
//! here it is done to whatever chain comes up.

use unpick_ir::automaton::Model;
use unpick_ir::automaton::layout::Layout;
use unpick_system::Watch;

use super::access::{Access, Accesses};

/// Chooses processes; see the module.
pub(super) struct Ample {
    accesses: Accesses,
    layout: Layout,
    /// Type and location of each process of the state at hand.
    positions: Vec<(u8, u16)>,
    /// What processes before each one may touch.
    before: Vec<Access>,
}

impl Ample {
    /// `None` if the model does not allow it.
    pub(super) fn new(model: &Model, watch: Option<Watch>) -> Option<Self> {
        let accesses = Accesses::new(model, watch)?;
        let layout = Layout::new(model);
        Some(Self { accesses, layout, positions: Vec::new(), before: Vec::new() })
    }

    /// Looks at a state, of which the processes can then be asked for.
    pub(super) fn look_at(&mut self, state: &[u8]) {
        self.positions.clear();
        self.before.clear();
        let mut before = self.accesses.watched;
        for position in self.layout.positions(state) {
            self.positions.push((position.proctype, position.location));
            self.before.push(before);
            before.add(&self.accesses.at(position.proctype, position.location).future);
        }
    }

    /// The processes of the state that may be enough, youngest first, from `below` down; the caller has to see that
    /// one can do something.
    pub(super) fn next(&self, below: usize, after: &mut Access) -> Option<usize> {
        for process in (0..below.min(self.positions.len())).rev() {
            let (proctype, location) = self.positions[process];
            let known = self.accesses.at(proctype, location);
            let is_enough = known.own.is_some_and(|own| !own.conflicts(&self.before[process]) && !own.conflicts(after));
            after.add(&known.future);
            if is_enough {
                return Some(process);
            }
        }
        None
    }

    /// How many processes there are.
    pub(super) fn n_processes(&self) -> usize {
        self.positions.len()
    }
}
