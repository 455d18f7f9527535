//! Evaluation of a function of the program in a state: its result, or its writes.

use super::value::Value;
use super::{Choice, Footprint, Machine, Observer, State, Stop, Until, Wants};
use crate::{FuncId, GlobalId};

/// Instructions after which a question counts as unanswered.
const FUEL: u64 = 1_000_000;

/// What a function says about a state.
#[derive(Clone, PartialEq, Debug)]
pub enum Answer {
    /// Whether it returned something other than zero.
    Is(bool),
    /// It depends on an input that is still open; take the options with [`Machine::pick`] and ask again.
    Depends(Choice),
    /// It did not return; why, in words.
    Nothing(String),
}

/// Catches what the function returns.
struct Listener {
    footprint: Footprint,
    value: Option<Value>,
}

impl Observer for Listener {
    fn wants(&self) -> Wants {
        Wants { accesses: true, ..Wants::RARE }
    }

    fn read(&mut self, state: &State, thread: usize, object: super::Pointer, offset: u64, bytes: u64) {
        self.footprint.read(state, thread, object, offset, bytes);
    }

    fn returned(&mut self, state: &State, thread: usize, _: FuncId, value: Option<Value>) {
        if state.depth(thread) == 1 {
            self.value = value;
        }
    }
}

/// Notes everything that is written.
#[derive(Default)]
struct Scribe {
    bytes: Vec<u8>,
}

impl Observer for Scribe {
    fn wants(&self) -> Wants {
        Wants { accesses: true, ..Wants::RARE }
    }

    fn written(&mut self, state: &State, _: usize, object: super::Pointer, offset: u64, bytes: u64) {
        let Some(object) = state.object(object).filter(|object| !object.is_private) else { return };
        let end = ((offset + bytes) as usize).min(object.bytes.len());
        self.bytes.extend_from_slice(&offset.to_le_bytes());
        self.bytes.extend_from_slice(object.bytes.get(offset as usize..end).unwrap_or_default());
    }

    fn returned(&mut self, state: &State, thread: usize, _: FuncId, value: Option<Value>) {
        if let (1, Some(Value::Bits(bits))) = (state.depth(thread), value) {
            self.bytes.extend_from_slice(&bits.to_le_bytes());
        }
    }
}

impl Machine<'_> {
    /// Runs a function on a copy of the state and gives what it writes to memory that outlives it, and what it
    /// returns, behind the places where all threads are; `None` if it does not return.
    pub fn abstraction(&self, state: &State, function: FuncId) -> Option<Vec<u8>> {
        let mut copy = state.clone();
        copy.atomic = None;
        let thread = copy.start_thread(self.program, function, &[]);
        let mut scribe = Scribe::default();
        let stop = self.run(&mut copy, thread, Until { fuel: FUEL, ..Until::NEVER }, &mut scribe);
        if stop != Stop::ThreadEnded {
            return None;
        }
        let mut key = Vec::new();
        for thread in state.threads.iter() {
            key.push(u8::from(thread.is_ended));
            for frame in &thread.frames {
                for number in [frame.function.0, frame.block.0, frame.index] {
                    key.extend_from_slice(&number.to_le_bytes());
                }
            }
            key.extend_from_slice(&u32::MAX.to_le_bytes());
        }
        key.append(&mut scribe.bytes);
        Some(key)
    }

    /// The state with some globals as they were in the beginning.
    pub fn without_globals(&self, state: &State, globals: &[GlobalId]) -> State {
        let mut copy = state.clone();
        for global in globals {
            let pointer = super::state::global_pointer(*global);
            let first = self.initial.memory.get(pointer).cloned();
            if let (Some(object), Some(first)) = (copy.memory.get_mut(pointer), first) {
                *object = first;
            }
        }
        copy
    }

    /// Runs a function without parameters on a copy of the state, as an uninterrupted thread of its own.
    pub fn ask(&self, state: &State, function: FuncId) -> (Answer, Footprint) {
        let mut copy = state.clone();
        copy.atomic = None;
        let thread = copy.start_thread(self.program, function, &[]);
        let mut listener = Listener { footprint: Footprint::default(), value: None };
        let stop = self.run(&mut copy, thread, Until { fuel: FUEL, ..Until::NEVER }, &mut listener);
        let nothing = |what: &str| Answer::Nothing(what.to_owned());
        let answer = match stop {
            Stop::ThreadEnded => match listener.value {
                Some(Value::Bits(bits)) => Answer::Is(bits != 0),
                Some(Value::Ptr(_)) => Answer::Is(true),
                Some(_) | None => nothing("its value is indeterminate"),
            },
            Stop::Choice(choice) => Answer::Depends(choice),
            Stop::Violated(violation) => Answer::Nothing(violation.message),
            Stop::Fuel => nothing("it does not return"),
            Stop::Blocked => nothing("it waits for something"),
            Stop::Unmodelled { what, .. } | Stop::Limit { what, .. } => Answer::Nothing(what),
            Stop::TooWide { label, .. } => Answer::Nothing(format!("the input {label} has too many values")),
            Stop::LoopHead(..) | Stop::Shared | Stop::Exited { .. } | Stop::Infeasible => nothing("it does not return"),
        };
        (answer, listener.footprint)
    }
}
