//! Coverage of models: locations at which processes have stood. What an exhaustive search has not marked is unreachable.

use unpick_automaton::layout::{Layout, Position};
use unpick_automaton::{LocationId, Model, ProctypeId};

/// Marks for all locations of all process types.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Reached {
    /// The first slot of each type.
    first: Vec<u32>,
    marks: Vec<u8>,
}

impl Reached {
    /// Nothing is marked yet.
    pub fn new(model: &Model) -> Self {
        let mut reached = Self::default();
        for proctype in model.proctypes.iter() {
            reached.first.push(reached.marks.len() as u32);
            reached.marks.resize(reached.marks.len() + proctype.automaton.locations.len(), 0);
        }
        reached
    }

    /// One mark for each location, those of the first type first: set to one when a process steps from there.
    #[inline(always)]
    pub fn marks(&mut self) -> &mut [u8] {
        &mut self.marks
    }

    /// Marks where the processes of a state stand.
    pub fn mark(&mut self, layout: &Layout, state: &[u8]) {
        for position in layout.positions(state) {
            let slot = self.slot(position);
            self.marks[slot] = 1;
        }
    }

    /// Which of the marks is that of a process's location.
    pub fn slot(&self, position: Position) -> usize {
        self.first[usize::from(position.proctype)] as usize + usize::from(position.location)
    }

    /// Marks what the other has marked.
    pub fn join(&mut self, other: &Reached) {
        self.first.clone_from(&other.first);
        self.marks.resize(other.marks.len(), 0);
        self.marks.iter_mut().zip(&other.marks).for_each(|(mark, other)| *mark |= other);
    }

    /// Whether a process has stood there.
    pub fn has(&self, proctype: ProctypeId, location: LocationId) -> bool {
        let slot = self.first.get(proctype.0 as usize).map(|first| first + location.0);
        slot.and_then(|slot| self.marks.get(slot as usize)).is_some_and(|mark| *mark != 0)
    }
}
