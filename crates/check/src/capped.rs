//! A limit of states on a search, beside the limits of the whole question. States are counted and not timed, so what becomes of
//! the question does not depend on the speed of the machine.

use std::sync::atomic::{AtomicBool, Ordering};

use unpick_system::{Checkpoint, Control, Evidence, Fact, Halt, Snapshot};

/// Control of a search that may find so many states.
pub(crate) struct Capped<'a> {
    control: &'a dyn Control,
    max_states: u64,
    is_over: AtomicBool,
}

impl<'a> Capped<'a> {
    pub(crate) fn new(control: &'a dyn Control, max_states: u64) -> Self {
        Self { control, max_states, is_over: AtomicBool::new(false) }
    }

    /// Whether the search was ended because there were more.
    pub(crate) fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }
}

impl Control for Capped<'_> {
    fn poll(&self, at: &Snapshot) -> Option<Halt> {
        let halt = self.control.poll(at);
        if halt.is_none() && at.states > self.max_states {
            self.is_over.store(true, Ordering::Relaxed);
            return Some(Halt::Time);
        }
        halt
    }

    fn is_urgent(&self) -> bool {
        self.control.is_urgent()
    }

    fn is_leaving(&self) -> bool {
        self.control.is_leaving()
    }

    fn elapsed(&self) -> f64 {
        self.control.elapsed()
    }

    fn enter(&self, phase: &'static str) {
        self.control.enter(phase);
    }

    fn milestone(&self, text: &str) {
        self.control.milestone(text);
    }

    fn warn(&self, text: &str) {
        self.control.warn(text);
    }

    fn found(&self, evidence: &Evidence) {
        self.control.found(evidence);
    }

    fn fact(&self, fact: Fact) {
        self.control.fact(fact);
    }

    fn checkpoint(&self) -> Option<&dyn Checkpoint> {
        self.control.checkpoint()
    }
}
