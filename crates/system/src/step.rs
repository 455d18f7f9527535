//! Single steps of automata, inside atomic regions too: what macro steps are made of.
//!
//! One call of [`MicroSteps::steps`] gives all that one process, or any process, can do next; compiled code and the
//! reference interpreter are two ways to answer. States that lie inside an atomic region come out with
//! [`Successor::only`], and [`crate::macro_step`] walks through them, which makes a [`crate::System`] of either.

use unpick_automaton::Model;
use unpick_automaton::interp::{Control, Machine};
use unpick_automaton::layout::Layout;

use crate::reached::Reached;
pub use crate::successors::{Asleep, NOBODY, NOWHERE, Successor, Successors};

/// Which processes are asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Who<'a> {
    /// All processes.
    All,
    /// All processes that are not asleep.
    Awake(Asleep<'a>),
    /// All processes, with `timeout` true: asked when [`Who::All`] could do nothing.
    Timeout,
    /// The process with this number alone.
    Only(u8),
}

/// A model of which single steps are known. Each worker of a search has its own room.
pub trait MicroSteps: Sync {
    /// What a worker needs while it steps.
    type Scratch: Send;

    /// Room for one more worker.
    fn scratch(&self) -> Self::Scratch;

    /// The model.
    fn model(&self) -> &Model;

    /// Where processes stood that were stepped in this room.
    fn reached<'r>(&self, scratch: &'r Self::Scratch) -> &'r Reached;

    /// Adds what these processes can do in a state, `else` and rendezvous included, youngest process first. With
    /// [`Who::Only`] nothing added means that all processes may try.
    fn steps(&self, scratch: &mut Self::Scratch, state: &[u8], who: Who<'_>, into: &mut Successors);

    /// Adds the locations to which a claim (by its position in the model) can go from a location in this state;
    /// false if something went wrong.
    fn claim_steps(
        &self,
        scratch: &mut Self::Scratch,
        state: &[u8],
        claim: usize,
        at: u16,
        into: &mut Vec<u16>,
    ) -> bool;
}

/// The reference interpreter as [`MicroSteps`].
pub struct Interpreted<'a> {
    model: &'a Model,
    layout: Layout,
}

impl<'a> Interpreted<'a> {
    /// A model to be interpreted.
    pub fn new(model: &'a Model) -> Self {
        Self { model, layout: Layout::new(model) }
    }
}

impl MicroSteps for Interpreted<'_> {
    type Scratch = Reached;

    fn scratch(&self) -> Reached {
        Reached::new(self.model)
    }

    fn model(&self) -> &Model {
        self.model
    }

    fn reached<'r>(&self, scratch: &'r Reached) -> &'r Reached {
        scratch
    }

    fn steps(&self, scratch: &mut Reached, state: &[u8], who: Who<'_>, into: &mut Successors) {
        scratch.mark(&self.layout, state);
        let machine = Machine::new(self.model);
        let slots: Vec<usize> = self.layout.positions(state).map(|position| scratch.slot(position)).collect();
        let is_asleep = |process: usize| match who {
            Who::Awake(asleep) => asleep.has(process, slots[process]),
            Who::All | Who::Timeout | Who::Only(_) => false,
        };
        let found = match who {
            Who::All | Who::Awake(_) => machine.steps(state, Control::Any, false),
            Who::Timeout => machine.steps(state, Control::Any, true),
            Who::Only(process) => machine.steps(state, Control::Only(process), false),
        };
        match found {
            Ok(found) => {
                for next in found {
                    let mover = next.moves[0].process;
                    if is_asleep(mover.into()) {
                        continue;
                    }
                    let only = match next.control {
                        Control::Any => NOBODY,
                        Control::Only(process) => process,
                    };
                    // Of a rendezvous, one location would be half the truth.
                    let slot = if next.moves.len() == 1 { slots[usize::from(mover)] as u32 } else { NOWHERE };
                    into.push(&next.state, only, mover, !next.faults.is_empty(), slot);
                }
            }
            Err(_) => into.push(&[], NOBODY, NOBODY, true, NOWHERE),
        }
    }

    fn claim_steps(&self, _: &mut Reached, state: &[u8], claim: usize, at: u16, into: &mut Vec<u16>) -> bool {
        Machine::new(self.model).claim_steps(state, claim, at, into) == Ok(true)
    }
}
