//! Control over running engines: they ask it now and then whether to go on, and tell it what turns up on the way.
//!
//! Engines never ask the clock, print or open files. They count their work and ask a [`Control`], which may stop them, or
//! let them wait while others have their turn, and which has the files that a search is kept in.

use std::fmt;
use std::io::{self, Read, Write};

use crate::{Bound, Evidence};

/// Watches over engines at work; asked by several threads if several engines work side by side.
pub trait Control: Sync {
    /// Asked many times a second. `Some` ends the search. May block, so that several engines take turns.
    fn poll(&self, at: &Snapshot) -> Option<Halt>;
    /// Whether to ask [`Control::poll`] now instead of now and then. Costs next to nothing, so that work whose amount is
    /// not known beforehand (a copy of a large state) can ask often.
    fn is_urgent(&self) -> bool {
        false
    }
    /// Whether the process ends as soon as it has its answer, so that freeing much memory would only delay it.
    fn is_leaving(&self) -> bool {
        false
    }
    /// How much of the time is over, from 0 to 1; 0 without a clock.
    fn elapsed(&self) -> f64 {
        0.0
    }
    /// Something else begins; what is said of it if the time is over before it ends.
    fn enter(&self, _phase: &'static str) {}
    /// Something worth telling has been reached.
    fn milestone(&self, _text: &str) {}
    /// What was asked for is not done, and why; the answer comes another way.
    fn warn(&self, _text: &str) {}
    /// A search that goes on behind violations has found one; it is not replayed yet.
    fn found(&self, _evidence: &Evidence) {}
    /// Something has been learnt that holds whatever becomes of the search.
    fn fact(&self, _fact: Fact) {}
    /// Where the search is kept, if it is.
    fn checkpoint(&self) -> Option<&dyn Checkpoint> {
        None
    }
}

impl<F: Fn(&Snapshot) -> Option<Halt> + Sync> Control for F {
    fn poll(&self, at: &Snapshot) -> Option<Halt> {
        self(at)
    }
}

/// Never stops anything.
#[derive(Clone, Copy, Debug)]
pub struct Unwatched;

impl Control for Unwatched {
    fn poll(&self, _: &Snapshot) -> Option<Halt> {
        None
    }
}

/// What a search has learnt on its way.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Fact {
    /// Everything within a bound was followed.
    BoundClosed(Bound),
}

/// Where a search is kept, and taken up from. What a file is about tells one search from another.
pub trait Checkpoint: Sync {
    /// Whether it is time to keep the search again.
    fn is_due(&self) -> bool;
    /// Keeps what `write` writes, whole or not at all.
    fn save(&self, about: u128, write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>);
    /// Lets `read` read what was kept, if a search is to go on; false if none is. An error means that there is no
    /// answer; the owner of the files reports it.
    fn resume(&self, about: u128, read: &mut dyn FnMut(&mut dyn Read) -> io::Result<()>) -> io::Result<bool>;
    /// What went wrong when the search was kept last; it has nothing to do with the verdict.
    fn failure(&self) -> Option<String>;
}

/// Why a search is ended from outside.
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
    /// Choices taken; engines that take turns are compared by them.
    pub transitions: u64,
    /// Length of the current execution in choices.
    pub depth: u64,
    /// Bytes taken by states.
    pub bytes: u64,
}

/// What one search may use.
#[derive(Clone, Copy)]
pub struct Budget<'a> {
    /// Bytes that states may take.
    pub memory_bytes: Option<u64>,
    /// How many choices may follow one another on one execution.
    pub depth: Option<u64>,
    /// How often a loop may come round in one activation.
    pub unwind: Option<u64>,
    /// Watches over the search.
    pub control: &'a dyn Control,
}

impl Budget<'_> {
    /// No limit at all, for tests and tiny models.
    pub const UNLIMITED: Budget<'static> =
        Budget { memory_bytes: None, depth: None, unwind: None, control: &Unwatched };
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
