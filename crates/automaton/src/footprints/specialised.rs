//! The specialisation of each process in a state, remembered from the state before.
//!
//! Most states have the processes of the one before, at the same places and with the same constant parameters: whether
//! that is so is decided by a few bytes.

use crate::layout::Layout;

use super::Footprints;

/// The specialisations of the last state's processes.
pub struct SpecialisedProcesses {
    layout: Layout,
    /// How long the state was.
    len: usize,
    /// Bytes that determine its processes and their specialisations.
    signs: Vec<(u32, u8)>,
    /// Position and specialisation of each process.
    specialisations: Vec<(u32, u32)>,
}

impl SpecialisedProcesses {
    /// For the states of a model.
    pub fn new(footprints: &Footprints<'_>) -> Self {
        Self { layout: footprints.layout(), len: 0, signs: Vec::new(), specialisations: Vec::new() }
    }

    /// Looks at a state; whether its processes are others than before.
    #[inline]
    pub fn look_at(&mut self, footprints: &mut Footprints<'_>, state: &[u8]) -> bool {
        let is_same = state.len() == self.len
            && self.layout.n_processes(state) == self.specialisations.len()
            && self.signs.iter().all(|(at, sign)| state[*at as usize] == *sign);
        if !is_same {
            self.look_anew(footprints, state);
        }
        !is_same
    }

    /// How many processes there are in a state.
    #[inline]
    pub fn n_processes(&self, state: &[u8]) -> usize {
        self.layout.n_processes(state)
    }

    /// Position and specialisation of each process.
    #[inline]
    pub fn specialisations(&self) -> &[(u32, u32)] {
        &self.specialisations
    }

    #[cold]
    fn look_anew(&mut self, footprints: &mut Footprints<'_>, state: &[u8]) {
        self.len = state.len();
        self.signs.clear();
        self.specialisations.clear();
        let mut next = self.layout.first_position(state);
        while let Some(position) = next {
            let specialisation = footprints.specialisation(state, self.specialisations.len(), position);
            self.specialisations.push((position.at as u32, specialisation as u32));
            self.signs.extend(footprints.signs(position).map(|at| (at as u32, state[at])));
            next = self.layout.next_position(state, position);
        }
    }
}
