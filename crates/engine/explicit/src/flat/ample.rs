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
//!
//! Whether one location's next step conflicts with anything from another location on is asked for every pair of
//! processes of every state, so the answers are a table, by location.

use std::collections::HashMap;

use unpick_ir::automaton::Model;
use unpick_ir::automaton::layout::Layout;
use unpick_system::Watch;

use super::access::{Access, Accesses};

/// The step of such a location may never be taken alone.
const NEVER: u32 = u32::MAX;

/// Chooses processes; see the module.
pub(super) struct Ample {
    layout: Layout,
    /// Where the locations of each process type begin.
    first_slots: Vec<usize>,
    /// By location.
    slots: Vec<Slot>,
    /// Bits: whether a step (row) conflicts with a future (column).
    conflicts: Vec<u64>,
    /// Locations of the processes of the state at hand.
    positions: Vec<Slot>,
}

/// What is known of a location.
#[derive(Clone, Copy)]
struct Slot {
    /// Where the row of its next step begins, in bits, or [`NEVER`].
    own: u32,
    /// The column of what can come from here on.
    future: u32,
}

impl Ample {
    /// `None` if the model does not allow it.
    pub(super) fn new(model: &Model, watch: Option<Watch>) -> Option<Self> {
        let accesses = Accesses::new(model, watch)?;
        let (mut steps, mut futures) = (Classes::default(), Classes::default());
        let (mut first_slots, mut slots) = (Vec::new(), Vec::new());
        for locations in accesses.by_proctype() {
            first_slots.push(slots.len());
            for known in locations {
                let own = known.own.filter(|own| !own.conflicts(&accesses.watched));
                let own = own.map_or(NEVER, |own| steps.class(own));
                slots.push(Slot { own, future: futures.class(known.future) });
            }
        }
        let n_columns = u32::try_from(futures.all.len()).ok()?;
        let n_bits = n_columns.checked_mul(u32::try_from(steps.all.len()).ok()?).filter(|n_bits| *n_bits < NEVER)?;
        let mut conflicts = vec![0; n_bits as usize / 64 + 1];
        let pairs = steps.all.iter().flat_map(|own| futures.all.iter().map(move |future| own.conflicts(future)));
        for (at, _) in pairs.enumerate().filter(|(_, conflicts)| *conflicts) {
            conflicts[at / 64] |= 1 << (at % 64);
        }
        for slot in slots.iter_mut().filter(|slot| slot.own != NEVER) {
            slot.own *= n_columns;
        }
        Some(Self { layout: Layout::new(model), first_slots, slots, conflicts, positions: Vec::new() })
    }

    /// Looks at a state, of which the processes can then be asked for; false if none of them may be enough.
    #[inline]
    pub(super) fn look_at(&mut self, state: &[u8]) -> bool {
        self.positions.clear();
        let mut is_any = false;
        for position in self.layout.positions(state) {
            let slot = self.slots[self.first_slots[usize::from(position.proctype)] + usize::from(position.location)];
            is_any |= slot.own != NEVER;
            self.positions.push(slot);
        }
        is_any
    }

    /// The youngest process of the state below `below` that may be enough; the caller has to see that it can do
    /// something.
    #[inline]
    pub(super) fn next(&self, below: usize) -> Option<usize> {
        (0..below.min(self.positions.len())).rev().find(|process| {
            let own = self.positions[*process].own;
            let mut others = self.positions.iter().enumerate().filter(|(other, _)| other != process);
            own != NEVER && !others.any(|(_, other)| self.conflicts(own, other.future))
        })
    }

    #[inline]
    fn conflicts(&self, own: u32, future: u32) -> bool {
        let at = (own + future) as usize;
        self.conflicts[at / 64] >> (at % 64) & 1 != 0
    }

    /// How many processes there are.
    pub(super) fn n_processes(&self) -> usize {
        self.positions.len()
    }
}

/// Different accesses, numbered.
#[derive(Default)]
pub(super) struct Classes {
    pub(super) all: Vec<Access>,
    numbers: HashMap<Access, u32>,
}

impl Classes {
    pub(super) fn class(&mut self, access: Access) -> u32 {
        *self.numbers.entry(access).or_insert_with(|| {
            self.all.push(access);
            self.all.len() as u32 - 1
        })
    }
}
