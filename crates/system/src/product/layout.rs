//! Where processes lie in a state, and which of their locations are accepted or progress.

use unpick_ir::automaton::{Location, LocationId, Model, ProctypeId};

/// Found once for a model.
pub(super) struct Layout {
    /// Where the number of processes lies.
    count_at: usize,
    /// Where the first process lies.
    first: usize,
    /// How many bytes a process of each type takes, with its channels.
    sizes: Vec<usize>,
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
        let channels = |frame: &unpick_ir::automaton::Frame| -> usize {
            frame.channels.iter().map(|channel| model.channel_types[*channel].size() as usize).sum()
        };
        let count_at = model.hidden_size as usize;
        let globals = &model.globals;
        let sizes = model
            .proctypes
            .iter()
            .map(|proctype| model.process_head() + proctype.frame.size as usize + channels(&proctype.frame));
        Self {
            count_at,
            first: count_at + model.global_head() + globals.size as usize + channels(globals),
            sizes: sizes.collect(),
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
        let mut at = self.first;
        for _ in 0..state[self.count_at] {
            let proctype = usize::from(state[at]);
            let location = u16::from_le_bytes([state[at + 1], state[at + 2]]);
            if flags.by_proctype[proctype][usize::from(location)] {
                return true;
            }
            at += self.sizes[proctype];
        }
        false
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
