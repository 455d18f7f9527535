//! Labels of states: which locations of processes are accepting, and which are progress.

use unpick_automaton::{Location, LocationId, Model, ProctypeId, layout};

use crate::system::Labels;

/// Found once for a model.
pub(crate) struct Flags {
    processes: layout::Layout,
    accepting: Flagged,
    progress: Flagged,
}

/// Locations by process type.
struct Flagged {
    is_any: bool,
    by_proctype: Vec<Vec<bool>>,
}

impl Flags {
    pub(crate) fn new(model: &Model) -> Self {
        Self {
            processes: layout::Layout::new(model),
            accepting: Flagged::new(model, &|location| location.is_accept),
            progress: Flagged::new(model, &|location| location.is_progress),
        }
    }

    /// The labels that some state may have.
    pub(crate) fn possible(&self) -> Labels {
        Labels::ACCEPTING.when(self.accepting.is_any).and(Labels::PROGRESS.when(self.progress.is_any))
    }

    /// Those of these labels that a state has, because some process is at such a location.
    pub(crate) fn labels(&self, state: &[u8], wanted: Labels) -> Labels {
        let is = |label: Labels, flagged| wanted.contains(label) && self.is_somebody(state, flagged);
        let accepting = Labels::ACCEPTING.when(is(Labels::ACCEPTING, &self.accepting));
        accepting.and(Labels::PROGRESS.when(is(Labels::PROGRESS, &self.progress)))
    }

    fn is_somebody(&self, state: &[u8], flagged: &Flagged) -> bool {
        if !flagged.is_any {
            return false;
        }
        let is_flagged = |process: layout::Position| {
            flagged.by_proctype[usize::from(process.proctype)][usize::from(process.location)]
        };
        self.processes.positions(state).any(is_flagged)
    }
}

impl Flagged {
    fn new(model: &Model, wanted: &dyn Fn(&Location) -> bool) -> Self {
        let of = |proctype: ProctypeId| -> Vec<bool> {
            let locations = &model.proctypes[proctype].automaton.locations;
            (0..locations.len()).map(|at| wanted(&locations[LocationId(at as u32)])).collect()
        };
        let by_proctype: Vec<Vec<bool>> = model.proctypes.ids().map(of).collect();
        Self { is_any: by_proctype.iter().flatten().any(|flag| *flag), by_proctype }
    }
}
