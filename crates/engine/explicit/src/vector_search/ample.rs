//! Ample sets of one process (Peled 1993; Holzmann and Peled 1994): which process is enough to follow from a state.
//!
//! A process is enough if no other process, from where that one stands to its end and with all processes it creates,
//! touches what its next step touches: the step then commutes with everything that the others can do before, and they
//! cannot change what it does. Following only this process loses no end state and no failing step, unless it is
//! postponed around a cycle for ever (cycle proviso); so a state must be followed in full unless one of the states that
//! it leads to is new. (New states come later in the order of storing than their predecessors, so that every state
//! leads to one that was followed in full, by steps that commute with those left out.)
//!
//! If a liveness property observes the model, the step must be invisible to it, and a state must be followed in full
//! unless this leads to states that come later in some order: no cycle then consists of states that were not.
//!
//! If the process can do one thing only, the state that this leads to takes the place of the one before, which is
//! never stored: chains of such steps become one step. SPIN does this to statements of one process before the search;
//! here it is done to whatever chain comes up.
//!
//! Whether one location's next step conflicts with anything from another location on is asked for every pair of
//! processes of every state, so the answers are a table, by location. How many others each process conflicts with is kept in
//! [`ConflictCounts`]; a step changes it for pairs with the process that moved only.

use std::collections::HashMap;

use unpick_automaton::footprints::{Footprint, Footprints, SpecialisedProcesses};
use unpick_system::{LivenessProperty, System};

use super::bits::Bits;

/// The step of such a location may never be taken alone.
const NEVER: u32 = u32::MAX;

/// Chooses processes; see the module.
pub(super) struct Ample<'m> {
    footprints: Footprints<'m>,
    specialised: SpecialisedProcesses,
    /// Where the locations of each specialisation begin.
    first_slots: Vec<u32>,
    /// By location.
    slots: Vec<Slot>,
    /// Classes of equal footprints: of steps, and of futures from a location on.
    steps: Classes,
    futures: Classes,
    /// Whether a step (row) conflicts with a future (column).
    conflicts: Bits,
}

/// For each process of a state, the number of processes it conflicts with.
#[derive(Default)]
pub(super) struct ConflictCounts {
    processes: Vec<ProcessConflicts>,
}

/// One of them.
#[derive(Clone, Copy)]
struct ProcessConflicts {
    /// Where it lies in the state.
    at: u32,
    /// Where the locations of its specialisation begin.
    first_slot: u32,
    slot: Slot,
    /// How many others may touch what its next step touches.
    n_conflicts: u32,
}

impl ConflictCounts {
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
    pub(super) fn copy(&mut self, other: &ConflictCounts) {
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
    pub(super) fn new(system: &'m dyn System, watch: Option<LivenessProperty>) -> Option<Self> {
        let footprints = system.floor().footprints(watch)?;
        let mut ample = Self {
            specialised: SpecialisedProcesses::new(&footprints),
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

    /// Adds the locations of new specialisations.
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
        self.specialised.n_processes(state)
    }

    /// Looks at a state.
    #[inline]
    pub(super) fn look_at(&mut self, state: &[u8], conflict_counts: &mut ConflictCounts) {
        self.specialised.look_at(&mut self.footprints, state);
        if self.first_slots.len() < self.footprints.n_roles() {
            self.add_roles();
        }
        conflict_counts.processes.clear();
        for (at, specialisation) in self.specialised.specialisations() {
            let first_slot = self.first_slots[*specialisation as usize];
            let slot = self.slot(state, *at, first_slot);
            conflict_counts.processes.push(ProcessConflicts { at: *at, first_slot, slot, n_conflicts: 0 });
        }
        for process in 0..conflict_counts.processes.len() {
            conflict_counts.processes[process].n_conflicts = self.n_conflicts(conflict_counts, process);
        }
    }

    /// A process has moved, and no process was created or has ended.
    #[inline]
    pub(super) fn moved(&self, conflict_counts: &mut ConflictCounts, process: u8, state: &[u8]) {
        let process = usize::from(process);
        let ProcessConflicts { at, first_slot, slot: old, .. } = conflict_counts.processes[process];
        let new = self.slot(state, at, first_slot);
        conflict_counts.processes[process].slot = new;
        if old.future != new.future {
            let others = conflict_counts.processes.iter_mut().enumerate().filter(|(other, _)| *other != process);
            for (_, other) in others.filter(|(_, other)| other.slot.own != NEVER) {
                other.n_conflicts += u32::from(self.conflicts(other.slot.own, new.future));
                other.n_conflicts -= u32::from(self.conflicts(other.slot.own, old.future));
            }
        }
        conflict_counts.processes[process].n_conflicts = self.n_conflicts(conflict_counts, process);
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
    fn n_conflicts(&self, conflict_counts: &ConflictCounts, process: usize) -> u32 {
        let own = conflict_counts.processes[process].slot.own;
        if own == NEVER {
            return 0;
        }
        let others = conflict_counts.processes.iter().enumerate().filter(|(other, _)| *other != process);
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
