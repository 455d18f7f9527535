//! The execution that the topmost component holds: a path to it, and a cycle in it whose edges are made again.

use unpick_system::{Processes, Stepper as _, Which};

use super::{DONE, Search, UNSEEN};
use crate::graph::{self, Walked};

impl Search<'_> {
    /// Its states, and where the endless part begins.
    pub(super) fn lasso(&mut self) -> (Vec<Vec<u8>>, usize) {
        let root = self.roots.last().expect("a cycle should lie in a component").place;
        let entry = self.living[root as usize];
        let n_frames = self.frames.iter().take_while(|frame| frame.place <= root).count();
        self.frames.truncate(n_frames);
        let mut path = self.way();
        let loop_from = path.len() - 1;
        let is_fair = self.is_fair;
        let mut round = graph::round(&mut Topmost { search: self, root }, entry, is_fair);
        // The last state of the round is its first, which is on the path already.
        round.pop();
        path.extend(round.into_iter().map(|(_, id)| self.bytes_of(id)));
        (path, loop_from)
    }
}

/// The component that begins with this place among the living.
struct Topmost<'s, 'a> {
    search: &'s mut Search<'a>,
    root: u32,
}

impl Topmost<'_, '_> {
    fn expand(&mut self, id: u32) {
        let Search { stepper, successors, state, .. } = {
            self.search.load(id);
            &mut *self.search
        };
        successors.clear();
        stepper.expand(state, Which::All, successors);
    }
}

impl Walked for Topmost<'_, '_> {
    /// Who moves.
    type Label = Processes;

    fn edges(&mut self, id: u32, into: &mut Vec<(Processes, u32)>) {
        self.expand(id);
        let search = &mut *self.search;
        let successors = std::mem::take(&mut search.successors);
        for (at, next) in successors.list.iter().enumerate().filter(|(_, next)| next.len > 0) {
            let state = successors.state(*next);
            let hash = search.store.hash(search.product.key(state));
            let Ok(id) = search.number(hash, state) else { continue };
            let place = search.places[id as usize];
            if place != UNSEEN && place != DONE && place > self.root {
                into.push((successors.movers.get(at).copied().unwrap_or_default(), id));
            }
        }
        search.successors = successors;
    }

    fn is_accepting(&mut self, id: u32) -> bool {
        self.search.load(id);
        self.search.stepper.is_accepting(&self.search.state)
    }

    fn disabled(&mut self, id: u32) -> Processes {
        self.expand(id);
        self.search.successors.enabled.complement()
    }

    fn movers(&mut self, _: u32, (movers, _): (Processes, u32), _: Processes) -> Processes {
        movers
    }
}
