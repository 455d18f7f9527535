//! The reference interpreter of automata: their semantics, written to be read and compared with.
//!
//! [`Machine::initial`] is the first state, [`Machine::successors`] what can come next. The rules are those of
//! SPIN's verifier:
//!
//! * one transition of one process is a step; a send to a rendezvous channel and the receive by another process
//!   are one step together, possible only together;
//! * after an atomic transition only the same process may go on ([`Control::Only`]); if it cannot, all processes may;
//!   when the step was a rendezvous, what counts is the receiver's transition;
//! * `else` is possible if no other transition of the process is; `timeout` is true in a second look at a state in
//!   which nothing was possible;
//! * a process ends only when it is the youngest, and takes its channels with it.

mod claim;
mod code;
mod eval;
mod step;
mod trace;
mod values;
mod work;

use unpick_base::Span;

use crate::{Location, LocationId, Model, Step, Transition};
pub use claim::{ClaimStep, Look};
pub use eval::{binary, unary};
pub use values::{Channel, Shown};
use work::Work;

#[cfg(test)]
mod tests;

/// Who may take the next step.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Control {
    /// All processes. Only such states are states of the model; the others lie inside its steps.
    Any,
    /// This process, which is in an `atomic`; all if it cannot.
    Only(u8),
}

/// Something that should not happen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// What.
    pub kind: FaultKind,
    /// Where.
    pub span: Span,
}

/// What went wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FaultKind {
    /// `assert` of something false.
    Assertion,
    /// An index outside its array.
    Index,
    /// A division by zero.
    Division,
    /// A channel variable that names no channel.
    NoChannel,
    /// A message with too many or too few fields.
    Fields,
    /// A look at the contents of a rendezvous channel.
    RendezvousPoll,
    /// A statement inside a `d_step` that cannot be executed, or a rendezvous there.
    BlockedDStep,
    /// A `d_step` that does not end.
    EndlessDStep,
    /// More than 255 processes.
    TooManyProcesses,
    /// More than 255 channels.
    TooManyChannels,
    /// `enabled` of the process itself, or of one that asks the same of it.
    EnabledSelf,
    /// A priority outside 1 to 255.
    Priority,
    /// Two possible transitions in a `D_proctype`.
    Choice,
    /// Something in embedded C, by its number in [`EmbeddedCode::fault`](crate::embedded::EmbeddedCode::fault).
    Code(u32),
    /// Embedded C that was not compiled.
    NoCode,
    /// A claim that does more than look.
    ClaimEffect,
    /// A message that the `trace` does not allow.
    Trace,
    /// The last message of what `notrace` forbids.
    NoTrace,
    /// A message that a trace could follow in two ways.
    TraceChoice,
}

/// One process's part in a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Move {
    /// Which process.
    pub process: u8,
    /// Its location before.
    pub location: LocationId,
    /// Which transition of the location.
    pub transition: u32,
}

/// A state that can come next.
#[derive(Clone, Debug)]
pub struct Successor {
    /// The state.
    pub state: Vec<u8>,
    /// Who may go on.
    pub control: Control,
    /// Who moved: one process, or sender and receiver.
    pub moves: Vec<Move>,
    /// What went wrong on the way, though the step could be taken.
    pub faults: Vec<Fault>,
}

/// Runs a model.
pub struct Machine<'a> {
    model: &'a Model,
}

impl<'a> Machine<'a> {
    /// A machine for this model.
    pub fn new(model: &'a Model) -> Self {
        Self { model }
    }

    /// The first state.
    pub fn initial(&self) -> Result<Vec<u8>, Fault> {
        let mut work = Work::empty(self.model);
        self.init_frame(&mut work, None, &self.model.globals)?;
        self.start_code(&mut work)?;
        self.start_trace(&mut work);
        for (proctype, priority) in &self.model.start {
            let args = vec![0; self.model.proctypes[*proctype].params.len()];
            self.spawn(&mut work, *proctype, &args, *priority, Span::NONE)?;
        }
        Ok(work.bytes)
    }

    /// What tells states apart: all but the hidden variables.
    pub fn key<'s>(&self, state: &'s [u8]) -> &'s [u8] {
        &state[self.model.hidden_size as usize..]
    }

    /// The states that can come next. With [`Control::Only`], none means that all processes may try. An error is
    /// something after which there is no state.
    pub fn successors(&self, state: &[u8], control: Control) -> Result<Vec<Successor>, Fault> {
        let found = self.steps(state, control, false)?;
        if found.is_empty() && control == Control::Any {
            return self.steps(state, control, true);
        }
        Ok(found)
    }

    /// The states that can come next, in the first or the second look, in which `timeout` is true.
    pub fn steps(&self, state: &[u8], control: Control, is_timeout: bool) -> Result<Vec<Successor>, Fault> {
        let mut work = Work::new(self.model, state);
        work.is_timeout = is_timeout;
        let mut found = Vec::new();
        match control {
            Control::Only(process) => {
                if usize::from(process) < work.processes.len() {
                    self.process_steps(&work, process, &mut Vec::new(), &mut found)?;
                }
            }
            Control::Any => self.all_steps(&work, &mut found)?,
        }
        Ok(found)
    }

    /// Whether all processes may stay where they are for ever, and the trace too; where no process is left, the trace
    /// is not considered, as in SPIN.
    pub fn is_valid_end(&self, state: &[u8]) -> bool {
        let work = Work::new(self.model, state);
        let are_over = (0..work.processes.len()).all(|process| {
            let (proctype, location) = work.position(process);
            self.model.proctypes[proctype].automaton.locations[location].is_end
        });
        are_over && (work.processes.is_empty() || self.is_trace_over(&work))
    }

    /// Whether some process is at a location that is accepted.
    pub fn is_accepting(&self, state: &[u8]) -> bool {
        self.is_somebody(state, |location| location.is_accept)
    }

    /// Whether some process is at a location that is progress.
    pub fn is_progress(&self, state: &[u8]) -> bool {
        self.is_somebody(state, |location| location.is_progress)
    }

    fn is_somebody(&self, state: &[u8], wanted: impl Fn(&Location) -> bool) -> bool {
        let work = Work::new(self.model, state);
        (0..work.processes.len()).any(|process| {
            let (proctype, location) = work.position(process);
            wanted(&self.model.proctypes[proctype].automaton.locations[location])
        })
    }

    fn all_steps(&self, work: &Work, found: &mut Vec<Successor>) -> Result<(), Fault> {
        for process in (0..work.processes.len()).rev() {
            self.process_steps(work, process as u8, &mut Vec::new(), found)?;
        }
        Ok(())
    }

    /// Adds what a process can do; with an offered message, only taking it. Returns whether it can do anything.
    fn process_steps(
        &self,
        base: &Work,
        process: u8,
        moves: &mut Vec<Move>,
        found: &mut Vec<Successor>,
    ) -> Result<bool, Fault> {
        if !self.may_run(base, process)? {
            return Ok(false);
        }
        let (proctype, location) = base.position(process.into());
        let proctype = &self.model.proctypes[proctype];
        let mut work = base.clone();
        let mut escape = None;
        let mut can_move = false;
        for (index, transition) in proctype.automaton.locations[location].transitions.iter().enumerate() {
            if escape.is_some() && transition.escape != escape {
                break;
            }
            if transition.step == Step::Else && (can_move || base.offer.is_some()) {
                continue;
            }
            if !self.take(&mut work, process, transition)? {
                continue;
            }
            if proctype.is_deterministic && can_move && transition.step != Step::Else {
                work.faults.push(Fault { kind: FaultKind::Choice, span: transition.span });
            }
            moves.push(Move { process, location, transition: index as u32 });
            let is_done = self.complete(&work, base, process, transition, moves, found)?;
            moves.pop();
            can_move |= is_done;
            escape = if is_done { transition.escape } else { None };
            work.clone_from(base);
        }
        Ok(can_move)
    }

    /// A step was taken: it is done, unless a message is on offer that another process has to take.
    fn complete(
        &self,
        work: &Work,
        base: &Work,
        process: u8,
        transition: &Transition,
        moves: &mut Vec<Move>,
        found: &mut Vec<Successor>,
    ) -> Result<bool, Fault> {
        if base.offer.is_none() && work.offer.is_some() {
            let mut is_taken = false;
            for partner in (0..work.processes.len()).rev() {
                if partner != usize::from(process) {
                    is_taken |= self.process_steps(work, partner as u8, moves, found)?;
                }
            }
            return Ok(is_taken);
        }
        let control = if transition.is_atomic { Control::Only(process) } else { Control::Any };
        let (state, moves, faults) = (work.bytes.clone(), moves.clone(), work.faults.clone());
        found.push(Successor { state, control, moves, faults });
        Ok(true)
    }

    /// Whether `provided` and priorities let the process run.
    fn may_run(&self, work: &Work, process: u8) -> Result<bool, Fault> {
        if !self.is_provided(work, process)? {
            return Ok(false);
        }
        if !self.model.has_priority {
            return Ok(true);
        }
        let own = work.priority(process.into());
        for other in 0..work.processes.len() {
            let is_higher = other != usize::from(process) && work.priority(other) > own;
            if is_higher && self.is_provided(work, other as u8)? && self.is_enabled(work, other as u8)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn is_provided(&self, work: &Work, process: u8) -> Result<bool, Fault> {
        let (proctype, _) = work.position(process.into());
        match &self.model.proctypes[proctype].provided {
            Some(provided) => Ok(self.eval(&mut work.clone(), process, provided)? != 0),
            None => Ok(true),
        }
    }

    /// Whether a transition of the process could be taken, partners aside.
    fn is_enabled(&self, work: &Work, process: u8) -> Result<bool, Fault> {
        let (proctype, location) = work.position(process.into());
        for transition in &self.model.proctypes[proctype].automaton.locations[location].transitions {
            let is_possible = match &transition.step {
                Step::Else => work.offer.is_none(),
                _ => self.take(&mut work.clone(), process, transition)?,
            };
            if is_possible {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
