//! Upper bounds on the number of successors of a state, so that buffers are allocated before code runs.

use unpick_automaton::{Model, Step};

use crate::context::UNIT;
use crate::facts::Facts;

/// How many successors a state can have.
pub(crate) struct Limits {
    /// From one location.
    n_transitions: usize,
    /// Sends from one location, when there are rendezvous.
    n_sends: usize,
    /// Receives from one location.
    n_receives: usize,
    /// How much longer a step makes a state.
    pub(crate) growth: usize,
}

impl Limits {
    pub(crate) fn new(model: &Model, facts: &Facts) -> Self {
        let (mut n_transitions, mut n_sends, mut n_receives) = (0, 0, 0);
        for location in model.proctypes.iter().flat_map(|proctype| proctype.automaton.locations.iter()) {
            let count = |wanted: fn(&Step) -> bool| {
                location.transitions.iter().filter(|transition| wanted(&transition.step)).count()
            };
            n_transitions = n_transitions.max(location.transitions.len());
            n_sends = n_sends.max(count(|step| matches!(step, Step::Send { .. })));
            n_receives = n_receives.max(count(|step| matches!(step, Step::Receive(_) | Step::DStep(_))));
        }
        if !facts.has_rendezvous {
            n_sends = 0;
        }
        let frame_size = |proctype: &unpick_automaton::Proctype| {
            let channels = proctype.frame.channels.iter().map(|ty| model.channel_types[*ty].size()).sum::<u32>();
            model.process_head() + (proctype.frame.size + channels) as usize
        };
        let growth = model.proctypes.iter().map(frame_size).max().unwrap_or(0).next_multiple_of(UNIT);
        Self { n_transitions, n_sends, n_receives, growth }
    }

    pub(crate) fn successors(&self, n_processes: usize) -> usize {
        n_processes * (self.n_transitions + self.n_sends * self.n_receives * n_processes)
    }
}
