//! A model as a search over flat states sees it: a first state, and what can follow a state.
//!
//! A state is a byte vector. One call of [`Step::steps`] gives all that one process, or any process, can do next;
//! compiled code and the reference interpreter are two ways to answer, and searches take either. States that lie
//! inside an `atomic` come out with [`Successor::only`]; whoever searches walks through them.

use unpick_ir::automaton::Model;
use unpick_ir::automaton::interp::{Control, Machine};
use unpick_ir::automaton::layout::Layout;

use crate::reached::Reached;

/// Which processes are asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Who<'a> {
    /// Everybody.
    All,
    /// Everybody who is not asleep.
    Awake(Asleep<'a>),
    /// Everybody, and `timeout` is true: asked when [`Who::All`] could do nothing.
    Timeout,
    /// The process with this number alone.
    Only(u8),
}

/// Processes that need not be asked: older ones than some process, where they stand at certain locations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Asleep<'a> {
    /// All that sleep have smaller numbers.
    pub below: u8,
    /// Bits for locations of process types, in the order of [`Reached::marks`], and maybe more.
    pub slots: &'a [u64],
    /// How many bits further those of a process begin, by its number; of those that have none, no further.
    pub offsets: &'a [u32],
}

impl Asleep<'_> {
    /// Whether a process sleeps at a location.
    #[inline(always)]
    pub fn has(&self, process: usize, slot: usize) -> bool {
        let slot = slot + self.offsets.get(process).map_or(0, |offset| *offset as usize);
        let is_set = self.slots.get(slot / 64).is_some_and(|word| word >> (slot % 64) & 1 != 0);
        (process < usize::from(self.below)) & is_set
    }
}

/// One state that can come next; its bytes lie in the [`Successors`] it belongs to. Compiled code writes it by
/// offset.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Successor {
    /// Where its bytes start.
    pub start: u32,
    /// How many there are; none if something went wrong after which there is no state.
    pub len: u32,
    /// The process that alone may go on, because it is inside an `atomic`; [`NOBODY`] if everybody may.
    pub only: u8,
    /// The process that moved; of a rendezvous, the one that sent.
    pub mover: u8,
    /// Something went wrong on the way.
    pub is_fault: bool,
    /// Where the process that moved stood, in the order of [`Reached::marks`]; [`NOWHERE`] if two moved.
    pub slot: u32,
}

/// No process.
pub const NOBODY: u8 = u8::MAX;

/// No location, or it does not matter which.
pub const NOWHERE: u32 = u32::MAX;

/// States that can come next, in the order of the model; reused from call to call.
#[derive(Default, Debug)]
pub struct Successors {
    /// The states, one after the other.
    pub bytes: Vec<u8>,
    /// Where each lies.
    pub list: Vec<Successor>,
}

impl Successors {
    /// Forgets all.
    #[inline]
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.list.clear();
    }

    /// The bytes of a state.
    #[inline]
    pub fn state(&self, successor: Successor) -> &[u8] {
        &self.bytes[successor.start as usize..][..successor.len as usize]
    }

    /// Adds a state.
    #[inline]
    pub fn push(&mut self, state: &[u8], only: u8, mover: u8, is_fault: bool, slot: u32) {
        let start = self.bytes.len() as u32;
        self.bytes.extend_from_slice(state);
        self.list.push(Successor { start, len: state.len() as u32, only, mover, is_fault, slot });
    }
}

/// A model that can be stepped. Each worker of a search has its own room.
pub trait Step: Sync {
    /// What a worker needs while it steps.
    type Room: Send;

    /// Room for one more worker.
    fn room(&self) -> Self::Room;

    /// The model.
    fn model(&self) -> &Model;

    /// Where processes stood that were stepped in this room.
    fn reached<'r>(&self, room: &'r Self::Room) -> &'r Reached;

    /// Adds what these processes can do in a state, `else` and rendezvous included, youngest process first. With
    /// [`Who::Only`] nothing added means that everybody may try.
    fn steps(&self, room: &mut Self::Room, state: &[u8], who: Who<'_>, into: &mut Successors);

    /// Adds the locations to which a claim (by its position in the model) can go from a location in this state;
    /// false if something went wrong.
    fn claim_steps(&self, room: &mut Self::Room, state: &[u8], claim: usize, at: u16, into: &mut Vec<u16>) -> bool;
}

/// The reference interpreter as a [`Step`].
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

impl Step for Interpreted<'_> {
    type Room = Reached;

    fn room(&self) -> Reached {
        Reached::new(self.model)
    }

    fn model(&self) -> &Model {
        self.model
    }

    fn reached<'r>(&self, room: &'r Reached) -> &'r Reached {
        room
    }

    fn steps(&self, room: &mut Reached, state: &[u8], who: Who<'_>, into: &mut Successors) {
        room.mark(&self.layout, state);
        let machine = Machine::new(self.model);
        let slots: Vec<usize> = self.layout.positions(state).map(|position| room.slot(position)).collect();
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
