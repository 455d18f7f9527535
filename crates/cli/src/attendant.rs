//! The `Control` of the command line: engines ask it for the clock and the limits, and tell it progress, findings, and
//! what a checkpoint holds.

use unpick_system::{Checkpoint, Control, Evidence, Halt, Snapshot};

use crate::announce::Announcer;
use crate::checkpoint::Keeper;
use crate::guard;
use crate::supervisor::Supervisor;

/// Attends to the engines of one run.
pub struct Attendant<'a> {
    pub watch: &'a Supervisor,
    /// Tells what is found while a search goes on.
    pub announcer: Option<&'a Announcer<'a>>,
    /// Where a search is kept.
    pub keeper: Option<&'a Keeper>,
}

impl Control for Attendant<'_> {
    fn poll(&self, at: &Snapshot) -> Option<Halt> {
        self.watch.poll(at)
    }

    fn is_urgent(&self) -> bool {
        guard::is_urgent()
    }

    fn is_leaving(&self) -> bool {
        matches!(guard::halt(), Some(Halt::Time | Halt::Interrupt))
    }

    fn elapsed(&self) -> f64 {
        self.watch.elapsed()
    }

    fn enter(&self, phase: &'static str) {
        guard::enter(phase);
    }

    fn milestone(&self, text: &str) {
        self.watch.milestone(text);
    }

    fn warn(&self, text: &str) {
        self.watch.warn(text);
    }

    fn found(&self, evidence: &Evidence) {
        guard::found_one();
        if let Some(announcer) = self.announcer {
            announcer.found(evidence);
        }
    }

    fn checkpoint(&self) -> Option<&dyn Checkpoint> {
        self.keeper.map(|keeper| keeper as &dyn Checkpoint)
    }
}
