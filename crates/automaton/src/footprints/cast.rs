//! Which process has which role in a state.
//!
//! Most states have the processes of the one before, at the same places and with the same traits: whether that is so is
//! told by a few bytes.

use crate::layout::Layout;

use super::Footprints;

/// The roles of the last state's processes.
pub struct Cast {
    layout: Layout,
    /// How long the state was.
    len: usize,
    /// Bytes by which its processes and their roles are known.
    signs: Vec<(u32, u8)>,
    /// Where each process lay, and its role.
    roles: Vec<(u32, u32)>,
}

impl Cast {
    /// For the states of a model.
    pub fn new(footprints: &Footprints<'_>) -> Self {
        Self { layout: footprints.layout(), len: 0, signs: Vec::new(), roles: Vec::new() }
    }

    /// Looks at a state; whether its processes are others than before.
    #[inline]
    pub fn look_at(&mut self, footprints: &mut Footprints<'_>, state: &[u8]) -> bool {
        let is_same = state.len() == self.len
            && self.layout.n_processes(state) == self.roles.len()
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

    /// Where each process lies, and its role.
    #[inline]
    pub fn roles(&self) -> &[(u32, u32)] {
        &self.roles
    }

    #[cold]
    fn look_anew(&mut self, footprints: &mut Footprints<'_>, state: &[u8]) {
        self.len = state.len();
        self.signs.clear();
        self.roles.clear();
        let mut next = self.layout.first_position(state);
        while let Some(position) = next {
            let role = footprints.role(state, self.roles.len(), position);
            self.roles.push((position.at as u32, role as u32));
            self.signs.extend(footprints.signs(position).map(|at| (at as u32, state[at])));
            next = self.layout.next_position(state, position);
        }
    }
}
