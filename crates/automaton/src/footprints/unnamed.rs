//! Check of footprints against a step that was taken: what it wrote and its footprint does not name.

use super::{COUNT, Cells, FIRST_FREE, Footprint, Footprints, PROCESSES, TRACE};
use crate::layout::Position;
use crate::{ProctypeId, Scope};

impl Footprints<'_> {
    /// The first byte in which two states with the same processes differ although it is neither a variable of this process
    /// nor in a cell that the footprint names as written.
    pub fn unnamed_write(&self, footprint: &Footprint, process: usize, state: &[u8], next: &[u8]) -> Option<usize> {
        let positions: Vec<Position> = self.layout().positions(state).collect();
        let changed = (0..state.len()).filter(|at| state[*at] != next[*at]);
        { changed }.find(|at| {
            let is_own = |cells: &[usize]| {
                let names = |cell: &usize| {
                    let mut one = Cells::default();
                    one.insert(*cell);
                    footprint.writes.meets(&one)
                };
                cells.iter().any(names)
            };
            match self.holder(&positions, *at) {
                Holder::Process(holder) => holder != process,
                Holder::Cells(cells) => !is_own(&cells),
            }
        })
    }

    /// What a byte of a state belongs to.
    fn holder(&self, positions: &[Position], at: usize) -> Holder {
        let model = self.model;
        let n_hidden = model.hidden_size as usize;
        if at < n_hidden {
            return Holder::Cells(self.finder.cell_at(Scope::Hidden, at as u32).into_iter().collect());
        }
        if at == n_hidden {
            return Holder::Cells(vec![PROCESSES, COUNT]);
        }
        let globals_at = n_hidden + model.global_head();
        if at < globals_at {
            return Holder::Cells(vec![TRACE]);
        }
        let mut end = globals_at + model.globals.size as usize;
        if at < end {
            return Holder::Cells(self.finder.cell_at(Scope::Global, (at - globals_at) as u32).into_iter().collect());
        }
        for (number, channel) in model.globals.channels.iter().enumerate() {
            end += model.channel_types[*channel].size() as usize;
            if at < end {
                return Holder::Cells(self.finder.ends_of(number));
            }
        }
        let holder = positions.partition_point(|position| position.at <= at) - 1;
        let frame = &model.proctypes[ProctypeId(positions[holder].proctype.into())].frame;
        match at < positions[holder].at + model.process_head() + frame.size as usize {
            true => Holder::Process(holder),
            // All channels that processes make share two cells.
            false => Holder::Cells(self.finder.ends_of(model.globals.channels.len())),
        }
    }
}

/// See [`Footprints::holder`].
enum Holder {
    Process(usize),
    Cells(Vec<usize>),
}

impl super::Finder<'_> {
    /// The cell that a byte of hidden or global variables lies in, if it is ever touched.
    fn cell_at(&self, scope: Scope, offset: u32) -> Option<usize> {
        let scope = super::finder::shared(scope)?;
        let stretch = self.borders[scope].partition_point(|border| *border <= offset).checked_sub(1)?;
        debug_assert!(self.first[scope] >= FIRST_FREE, "these cells should come behind the fixed ones");
        Some(self.first[scope] + stretch)
    }

    /// The cells of a channel's ends.
    fn ends_of(&self, number: usize) -> Vec<usize> {
        vec![self.first_end + 2 * number, self.first_end + 2 * number + 1]
    }
}
