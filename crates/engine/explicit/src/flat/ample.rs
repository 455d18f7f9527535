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
//! processes of every state, so the answers are a table, by location. How many others each process conflicts with is a
//! [`Scene`]; a step changes it for pairs with the process that moved only.

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
        Some(Self { layout: Layout::new(model), first_slots, slots, conflicts })
    }

    /// Looks at a state.
    #[inline]
    pub(super) fn look_at(&self, state: &[u8], scene: &mut Scene) {
        scene.processes.clear();
        for position in self.layout.positions(state) {
            let slot = self.slots[self.first_slots[usize::from(position.proctype)] + usize::from(position.location)];
            scene.processes.push(Standing { at: position.at as u32, slot, n_conflicts: 0 });
        }
        for process in 0..scene.processes.len() {
            scene.processes[process].n_conflicts = self.n_conflicts(scene, process);
        }
    }

    /// A process has moved, and nobody was made or has ended.
    #[inline]
    pub(super) fn moved(&self, scene: &mut Scene, process: u8, state: &[u8]) {
        let process = usize::from(process);
        let Standing { at, slot: old, .. } = scene.processes[process];
        let position = self.layout.at(state, at as usize);
        let new = self.slots[self.first_slots[usize::from(position.proctype)] + usize::from(position.location)];
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
        let at = (own + future) as usize;
        self.conflicts[at / 64] >> (at % 64) & 1 != 0
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
