//! Ample sets of one process (Peled 1993; Holzmann and Peled 1994): which process is enough to follow from a state.
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
//! processes of every state, so the answers are a table, by location. How many others each process conflicts with is a
//! [`Scene`]; a step changes it for pairs with the process that moved only.

use std::collections::HashMap;

use unpick_ir::automaton::footprints::{Cast, Footprint, Footprints};
use unpick_system::{System, Watch};

use super::bits::Bits;

/// The step of such a location may never be taken alone.
const NEVER: u32 = u32::MAX;

/// Chooses processes; see the module.
pub(super) struct Ample<'m> {
    footprints: Footprints<'m>,
    cast: Cast,
    /// Where the locations of each role begin.
    first_slots: Vec<u32>,
    /// By location.
    slots: Vec<Slot>,
    /// What steps touch, and what can be touched from a location on.
    steps: Classes,
    futures: Classes,
    /// Whether a step (row) conflicts with a future (column).
    conflicts: Bits,
}

/// Where the processes of a state stand.
#[derive(Default)]
pub(super) struct Scene {
    processes: Vec<Standing>,
}

/// One of them.
#[derive(Clone, Copy)]
struct Standing {
    /// Where it lies in the state.
    at: u32,
    /// Where the locations of its role begin.
    first_slot: u32,
    slot: Slot,
    /// How many others may touch what its next step touches.
    n_conflicts: u32,
}

impl Scene {
    /// Where a process lies in the state.
    #[inline]
    pub(super) fn place(&self, process: u8) -> Option<usize> {
        self.processes.get(usize::from(process)).map(|standing| standing.at as usize)
    }

    /// How many processes there are.
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.processes.len()
    }

    /// Becomes like another.
    #[inline]
    pub(super) fn copy(&mut self, other: &Scene) {
        self.processes.clone_from(&other.processes);
    }

    /// The youngest process below `below` that may be enough; the caller has to see that it can do something.
    #[inline]
    pub(super) fn next(&self, below: usize) -> Option<usize> {
        let below = below.min(self.processes.len());
        self.processes[..below].iter().rposition(|standing| standing.slot.own != NEVER && standing.n_conflicts == 0)
    }
}

/// What is known of a location.
#[derive(Clone, Copy)]
struct Slot {
    /// The row of its next step, or [`NEVER`].
    own: u32,
    /// The column of what can come from here on.
    future: u32,
}

impl<'m> Ample<'m> {
    /// `None` if the system does not allow it.
    pub(super) fn new(system: &'m dyn System, watch: Option<Watch>) -> Option<Self> {
        let footprints = system.footprints(watch)?;
        let mut ample = Self {
            cast: Cast::new(&footprints),
            footprints,
            first_slots: Vec::new(),
            slots: Vec::new(),
            steps: Classes::default(),
            futures: Classes::default(),
            conflicts: Bits::default(),
        };
        ample.add_slots();
        if Bits::is_too_large(ample.steps.all.len(), ample.futures.all.len()) {
            return None;
        }
        ample.add_conflicts(0, 0);
        Some(ample)
    }

    /// Roles were found that are not in the tables.
    #[cold]
    fn add_roles(&mut self) {
        let (n_steps, n_futures) = (self.steps.all.len(), self.futures.all.len());
        self.add_slots();
        self.add_conflicts(n_steps, n_futures);
    }

    /// What is known of the locations of new roles.
    fn add_slots(&mut self) {
        for locations in self.footprints.roles_from(self.first_slots.len()) {
            self.first_slots.push(self.slots.len() as u32);
            for known in locations {
                let own = known.own.filter(|own| !own.conflicts(&self.footprints.watched));
                let own = own.map_or(NEVER, |own| self.steps.class(own));
                self.slots.push(Slot { own, future: self.futures.class(known.future) });
            }
        }
    }

    /// Which steps conflict with which futures, where one of them is behind those that were compared before.
    fn add_conflicts(&mut self, n_steps: usize, n_futures: usize) {
        self.conflicts.grow(self.steps.all.len(), self.futures.all.len());
        for (row, own) in self.steps.all.iter().enumerate() {
            let first_new = if row < n_steps { n_futures } else { 0 };
            for (column, future) in self.futures.all.iter().enumerate().skip(first_new) {
                if own.conflicts(future) {
                    self.conflicts.set(row, column);
                }
            }
        }
    }

    /// How many processes there are in a state.
    #[inline]
    pub(super) fn n_processes(&self, state: &[u8]) -> usize {
        self.cast.n_processes(state)
    }

    /// Looks at a state.
    #[inline]
    pub(super) fn look_at(&mut self, state: &[u8], scene: &mut Scene) {
        self.cast.look_at(&mut self.footprints, state);
        if self.first_slots.len() < self.footprints.n_roles() {
            self.add_roles();
        }
        scene.processes.clear();
        for (at, role) in self.cast.roles() {
            let first_slot = self.first_slots[*role as usize];
            let slot = self.slot(state, *at, first_slot);
            scene.processes.push(Standing { at: *at, first_slot, slot, n_conflicts: 0 });
        }
        for process in 0..scene.processes.len() {
            scene.processes[process].n_conflicts = self.n_conflicts(scene, process);
        }
    }

    /// A process has moved, and nobody was made or has ended.
    #[inline]
    pub(super) fn moved(&self, scene: &mut Scene, process: u8, state: &[u8]) {
        let process = usize::from(process);
        let Standing { at, first_slot, slot: old, .. } = scene.processes[process];
        let new = self.slot(state, at, first_slot);
        scene.processes[process].slot = new;
        if old.future != new.future {
            let others = scene.processes.iter_mut().enumerate().filter(|(other, _)| *other != process);
            for (_, other) in others.filter(|(_, other)| other.slot.own != NEVER) {
                other.n_conflicts += u32::from(self.conflicts(other.slot.own, new.future));
                other.n_conflicts -= u32::from(self.conflicts(other.slot.own, old.future));
            }
        }
        scene.processes[process].n_conflicts = self.n_conflicts(scene, process);
    }

    /// What is known of the location of the process that lies at a place.
    #[inline]
    fn slot(&self, state: &[u8], at: u32, first_slot: u32) -> Slot {
        let at = at as usize;
        let location = u16::from_le_bytes([state[at + 1], state[at + 2]]);
        self.slots[first_slot as usize + usize::from(location)]
    }

    /// With how many others the next step of a process conflicts.
    #[inline]
    fn n_conflicts(&self, scene: &Scene, process: usize) -> u32 {
        let own = scene.processes[process].slot.own;
        if own == NEVER {
            return 0;
        }
        let others = scene.processes.iter().enumerate().filter(|(other, _)| *other != process);
        others.map(|(_, other)| u32::from(self.conflicts(own, other.slot.future))).sum()
    }

    #[inline]
    fn conflicts(&self, own: u32, future: u32) -> bool {
        self.conflicts.has(own as usize, future as usize)
    }
}

/// Different footprints, numbered.
#[derive(Default)]
pub(super) struct Classes {
    pub(super) all: Vec<Footprint>,
    numbers: HashMap<Footprint, u32>,
}

impl Classes {
    pub(super) fn class(&mut self, footprint: Footprint) -> u32 {
        *self.numbers.entry(footprint).or_insert_with(|| {
            self.all.push(footprint);
            self.all.len() as u32 - 1
        })
    }
}
