//! Sleep sets (Godefroid 1991), one step deep: which processes need not be asked in a state, because of the step that led
//! there.
//!
//! If a step of one process and what an older one can do at its location touch nothing in common but what both only read,
//! their order does not matter: both orders lead to the same states. Of the two, the one in which the older process comes
//! first is kept; in a state that the younger one's step was the first to find, the older sleeps. All states are found
//! all the same, only not on all ways: a state has one step on the average that must be taken, so that up to all others
//! can be saved. (Sleep sets do this for whole executions; here one step is remembered, and only for as long as the
//! state waits.)
//!
//! Why no state is lost, in whatever order states are looked at: let `t`, a step of process `p` at `s`, have been the first
//! to find `s'`, and let `u` be a step of a process `q < p` that sleeps there. `u` was possible at `s` too. That what
//! a step leads to is found is shown by induction, first over the processes from the youngest to the oldest, then over
//! the order in which states were found. `s` was found before `s'`, and `u` belongs to the same process there, so what
//! `u` leads to from `s` is found; from there `t`, of a younger process, leads to what `u` leads to from `s'`, so
//! that is found. In the same way, a step that goes wrong does so where it is taken, and with breadth first no
//! execution becomes longer. A state in which no awake process can move is expanded in full.
//!
//! Steps that depend on more than what they touch are never saved and save none: a handshake moves two processes,
//! `timeout` asks all, and whether a process can end depends on those behind it.

use unpick_automaton::footprints::{Footprints, SpecialisedProcesses};
use unpick_system::{Arrival, Asleep, System};

use super::ample::Classes;
use super::bits::Bits;

/// The sleep sets after each step; see the module. Locations are numbered as in [`unpick_system::Reached`], and behind them
/// those of specialisations.
pub(super) struct Sleep<'m> {
    footprints: Footprints<'m>,
    /// Where the locations of each specialisation begin.
    first_slots: Vec<usize>,
    /// The class of the steps of each location.
    slots: Vec<Option<u32>>,
    classes: Classes,
    /// Rows by class: the locations whose steps commute with those of the class.
    rows: Bits,
    has_traits: bool,
    specialised: SpecialisedProcesses,
    /// What is to be added to the numbers of a process's locations, because of its specialisation.
    offsets: Vec<u32>,
}

impl<'m> Sleep<'m> {
    /// `None` if processes, or observers of them, can see more of each other than what they touch.
    pub(super) fn new(system: &'m dyn System) -> Option<Self> {
        let footprints = system.floor().footprints(None).filter(Footprints::are_complete)?;
        let has_traits = !footprints.is_without_traits();
        let mut sleep = Self {
            specialised: SpecialisedProcesses::new(&footprints),
            footprints,
            first_slots: Vec::new(),
            slots: Vec::new(),
            classes: Classes::default(),
            rows: Bits::default(),
            has_traits,
            offsets: Vec::new(),
        };
        sleep.add_slots();
        if Bits::is_too_large(sleep.classes.all.len(), sleep.slots.len()) {
            return None;
        }
        sleep.add_rows(0, 0);
        Some(sleep)
    }

    /// Roles were found that are not in the table.
    #[cold]
    fn add_roles(&mut self) {
        let (n_classes, n_slots) = (self.classes.all.len(), self.slots.len());
        self.add_slots();
        self.add_rows(n_classes, n_slots);
    }

    /// The classes of the locations of new specialisations.
    fn add_slots(&mut self) {
        for locations in self.footprints.roles_from(self.first_slots.len()) {
            self.first_slots.push(self.slots.len());
            self.slots.extend(locations.iter().map(|known| known.whole.map(|whole| self.classes.class(whole))));
        }
    }

    /// The commutation table, where one of them is behind those that were compared before.
    fn add_rows(&mut self, n_classes: usize, n_slots: usize) {
        self.rows.grow(self.classes.all.len(), self.slots.len());
        for (row, footprint) in self.classes.all.iter().enumerate() {
            let commutes: Vec<bool> = self.classes.all.iter().map(|other| !footprint.conflicts(other)).collect();
            let first_new = if row < n_classes { n_slots } else { 0 };
            for (slot, class) in self.slots.iter().enumerate().skip(first_new) {
                if class.is_some_and(|class| commutes[class as usize]) {
                    self.rows.set(row, slot);
                }
            }
        }
    }

    /// The sleep set of a state that was found by a step.
    #[inline]
    pub(super) fn after(&mut self, arrival: Arrival, state: &[u8]) -> Asleep<'_> {
        if self.has_traits {
            self.look_at(state);
        }
        let offset = self.offsets.get(usize::from(arrival.mover)).copied().unwrap_or(0);
        let slot = (arrival.slot as usize).wrapping_add(offset as usize);
        match self.slots.get(slot) {
            Some(Some(class)) => {
                Asleep { below: arrival.mover, slots: self.rows.row(*class as usize), offsets: &self.offsets }
            }
            Some(None) | None => Asleep { below: 0, slots: &[], offsets: &[] },
        }
    }

    /// Finds what the specialisations of a state's processes add to the numbers of their locations.
    #[inline]
    fn look_at(&mut self, state: &[u8]) {
        if !self.specialised.look_at(&mut self.footprints, state) {
            return;
        }
        if self.first_slots.len() < self.footprints.n_roles() {
            self.add_roles();
        }
        self.offsets.clear();
        for (at, specialisation) in self.specialised.specialisations() {
            let proctype = usize::from(state[*at as usize]);
            self.offsets.push((self.first_slots[*specialisation as usize] - self.first_slots[proctype]) as u32);
        }
    }
}
