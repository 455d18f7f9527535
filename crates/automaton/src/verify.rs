//! The verifier of models: all well-formedness rules that other crates may rely on.
//!
//! The interpreter, native code, searches and passes rely on nothing that is not listed here; a user that needs more adds
//! a rule, and to `verify/tests.rs` the smallest text that breaks it. Rules, under the numbers that faults carry:
//!
//!  1. Counts: at most 256 process types; numbers of locations fit 16 bits, those of claims 15; at most one trace.
//!  2. Sizes: the hidden variables, the global frame and every process frame, each with its channels, have less than
//!     2^30 bytes.
//!  3. Scalars: an `unsigned` has 1 to 32 bits.
//!  4. Channels: a channel holds at most 255 messages and says for every field whether it is of an `mtype`; channels of
//!     frames have existing types and are at most 255 in a frame.
//!  5. `mtype`: sets that are named exist.
//!  6. Start: process types and claims have a first location; at most 255 processes of existing types are there first.
//!  7. Locations: those that are named exist; an automaton with locations has location 0, which has no transitions and to
//!     which nothing leads.
//!  8. Targets: a transition has a target if and only if its step is not `end`.
//!  9. Places: a place lies inside its frame, whatever its indices are; an index has at least one value. There are no
//!     local places in the global frame, in claims and in traces. The place of a remote variable lies in the frame of
//!     its process type.
//! 10. Narrow values: where a value is kept in fewer bits than its bytes have, nothing else is kept in these bytes. So
//!     what is read as a `bit` is 0 or 1, and needs no check as an index below 2.
//! 11. Parameters: places of parameters are local, without indices, and apart from each other; `run` gives as many
//!     arguments as there are parameters.
//! 12. Initial values: a frame initialises places of its own, or hidden ones; a channel is put into a `byte` and is one
//!     of the frame. Shown variables have constant indices inside their ranges.
//! 13. `run` stands only in what steps of processes evaluate as a value (a condition, an assigned value, an argument, ...),
//!     below nothing but operators, conditionals and arguments of `run`; the process type exists.
//! 14. Priorities of processes are not 0.
//! 15. `d_step`: it begins at a location inside it; inside there is no `end` and no other `d_step`, and it is entered in
//!     no other way.
//! 16. Flags: a model whose expressions or steps speak of the last process, of priorities or of C says so.
//! 17. C: pieces exist, values are of expressions and steps of statements; owners exist; records have fields of scalars
//!     and of earlier records; local variables are those of existing process types; the number of the memory lies in the
//!     frames.
//! 18. Nesting: expressions nest no deeper than the text form allows.
//! 19. Escapes: transitions of escapes come before all others of a location.

mod code;
mod expr;
mod item;
mod narrow;
mod step;

use std::fmt;

use super::{LocationId, Model, ProctypeId};

/// A broken rule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// In which part of the model, and where there.
    pub part: Part,
    /// The location and the position of the transition.
    pub location: Option<(LocationId, Option<usize>)>,
    /// The number of the rule.
    pub rule: u8,
    /// What is wrong.
    pub message: String,
}

/// A part of a model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// What belongs to no other part.
    Model,
    /// A process type.
    Proctype(ProctypeId),
    /// A claim, by its position.
    Claim(usize),
    /// A trace, by its position.
    Trace(usize),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.part {
            Part::Model => write!(f, "model")?,
            Part::Proctype(id) => write!(f, "{id:?}")?,
            Part::Claim(position) => write!(f, "claim {position}")?,
            Part::Trace(position) => write!(f, "trace {position}")?,
        }
        if let Some((location, transition)) = self.location {
            write!(f, " {location:?}")?;
            if let Some(transition) = transition {
                write!(f, ".{transition}")?;
            }
        }
        write!(f, ": rule {}: {}", self.rule, self.message)
    }
}

/// Checks a model; at most a hundred faults are listed.
pub fn verify(model: &Model) -> Result<(), Vec<Fault>> {
    let mut verifier = Verifier { model, part: Part::Model, location: None, faults: Vec::new() };
    verifier.model();
    // What is kept where can only be said if everything lies somewhere.
    if verifier.faults.is_empty() {
        verifier.narrow();
    }
    if verifier.faults.is_empty() { Ok(()) } else { Err(verifier.faults) }
}

/// The faults found so far, and where the verifier is.
struct Verifier<'m> {
    model: &'m Model,
    part: Part,
    location: Option<(LocationId, Option<usize>)>,
    faults: Vec<Fault>,
}

impl Verifier<'_> {
    const MAX_FAULTS: usize = 100;

    fn require(&mut self, is_so: bool, rule: u8, message: impl FnOnce() -> String) {
        if !is_so && self.faults.len() < Self::MAX_FAULTS {
            let (part, location) = (self.part, self.location);
            self.faults.push(Fault { part, location, rule, message: message() });
        }
    }
}

#[cfg(test)]
mod tests;
