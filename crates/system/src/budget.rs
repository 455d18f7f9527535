//! How far a search may go. Engines never ask the clock: whoever starts them hands a supervisor down.

use std::fmt;

use crate::ProgramRun;

/// The limits of one call of an engine.
#[derive(Clone, Copy)]
pub struct Budget<'a> {
    /// Bytes that states may take.
    pub memory_bytes: Option<u64>,
    /// How many choices may follow one another on one execution.
    pub depth: Option<u64>,
    /// How often a loop may come round in one activation.
    pub unwind: Option<u64>,
    /// Watches over the search.
    pub supervisor: &'a dyn Supervisor,
}

impl Budget<'_> {
    /// No limit at all, for tests and tiny models.
    pub const UNLIMITED: Budget<'static> =
        Budget { memory_bytes: None, depth: None, unwind: None, supervisor: &Unwatched };
}

impl fmt::Debug for Budget<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Budget")
            .field("memory_bytes", &self.memory_bytes)
            .field("depth", &self.depth)
            .field("unwind", &self.unwind)
            .finish_non_exhaustive()
    }
}

/// Asked now and then (many times a second) by a working engine; shows progress and says when to stop.
pub trait Supervisor {
    /// `Some` ends the search.
    fn poll(&self, snapshot: &Snapshot) -> Option<Halt>;
    /// Whether to ask [`Supervisor::poll`] now instead of now and then. Costs next to nothing, so that work whose amount is
    /// not known beforehand (a copy of a large state) can ask often.
    fn is_urgent(&self) -> bool {
        false
    }
    /// Something worth telling has been reached.
    fn milestone(&self, _text: &str) {}
    /// A search that goes on behind violations has found one; nobody has replayed it yet.
    fn found(&self, _run: &ProgramRun) {}
}

impl<F: Fn(&Snapshot) -> Option<Halt>> Supervisor for F {
    fn poll(&self, snapshot: &Snapshot) -> Option<Halt> {
        self(snapshot)
    }
}

/// Never stops anything.
#[derive(Clone, Copy, Debug)]
pub struct Unwatched;

impl Supervisor for Unwatched {
    fn poll(&self, _: &Snapshot) -> Option<Halt> {
        None
    }
}

/// Why a supervisor ends a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Halt {
    /// The time is over.
    Time,
    /// The process uses more memory than allowed.
    Memory,
    /// The user interrupted.
    Interrupt,
}

/// Where a search stands.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Snapshot {
    /// What the engine does now: `exploring`.
    pub phase: &'static str,
    /// Distinct states stored.
    pub states: u64,
    /// Choices taken.
    pub transitions: u64,
    /// Length of the current execution in choices.
    pub depth: u64,
    /// Bytes taken by states.
    pub bytes: u64,
}
