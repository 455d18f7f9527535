//! Questions about a state: what a function of the program would return in it.

use super::value::Value;
use super::{Choice, Footprint, Machine, Observer, State, Stop, Until};
use crate::FuncId;

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
    fn read(&mut self, state: &State, thread: usize, object: super::Pointer, offset: u64, bytes: u64) {
        self.footprint.read(state, thread, object, offset, bytes);
    }

    fn returned(&mut self, state: &State, thread: usize, _: FuncId, value: Option<Value>) {
        if state.depth(thread) == 1 {
            self.value = value;
        }
    }
}

impl Machine<'_> {
    /// Runs a function without parameters on a copy of the state, as a thread of its own that nobody interrupts.
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
