//! Which locations of processes are accepted or progress.

use unpick_ir::automaton::{Location, LocationId, Model, ProctypeId, layout};

/// Found once for a model.
pub(super) struct Layout {
    processes: layout::Layout,
    accepting: Flags,
    progress: Flags,
}

/// Locations by process type.
struct Flags {
    is_any: bool,
    by_proctype: Vec<Vec<bool>>,
}

impl Layout {
    pub(super) fn new(model: &Model) -> Self {
        Self {
            processes: layout::Layout::new(model),
            accepting: Flags::new(model, &|location| location.is_accept),
            progress: Flags::new(model, &|location| location.is_progress),
        }
    }

    /// Whether some process is at a location that is accepted.
    pub(super) fn is_accepting(&self, state: &[u8]) -> bool {
        self.is_somebody(state, &self.accepting)
    }

    /// Whether some process is at a location that is progress.
    pub(super) fn is_progress(&self, state: &[u8]) -> bool {
        self.is_somebody(state, &self.progress)
    }

    fn is_somebody(&self, state: &[u8], flags: &Flags) -> bool {
        if !flags.is_any {
            return false;
        }
        let is_flagged =
            |process: layout::Position| flags.by_proctype[usize::from(process.proctype)][usize::from(process.location)];
        self.processes.positions(state).any(is_flagged)
    }
}

impl Flags {
    fn new(model: &Model, wanted: &dyn Fn(&Location) -> bool) -> Self {
        let of = |proctype: ProctypeId| -> Vec<bool> {
            let locations = &model.proctypes[proctype].automaton.locations;
            (0..locations.len()).map(|at| wanted(&locations[LocationId(at as u32)])).collect()
        };
        let by_proctype: Vec<Vec<bool>> = model.proctypes.ids().map(of).collect();
        Self { is_any: by_proctype.iter().flatten().any(|flag| *flag), by_proctype }
    }
}
