//! Replay with an oracle: one concrete execution whose decisions are asked for by key.
//!
//! Decisions in a list have meaning only in their order: a source of values for some inputs (a model of a formula,
//! a user's test) would have to know in which order an execution asks, and what else it asks for. An [`Oracle`] is given
//! a [`Key`] instead: what is asked, by which thread, where, and for which time. A key without an answer gets the
//! smallest option. The order is whatever the run makes; its decisions are recorded and can be replayed by position,
//! which is an oracle too: [`Positional`].
//!
//! Where exposed objects lie is asked for if [`Options::asks_addresses`](super::Options) says so. Threads are switched
//! where others can notice, as everywhere.

use std::collections::HashMap;

use super::{Choice, ChoiceKind, Decision, Machine, Observer, State, Stop, Until};
use crate::{BlockId, FuncId};

/// What a decision is about.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Asked {
    /// The value of an input.
    Value,
    /// Whether a weak compare and exchange fails.
    Fail,
    /// Where an object lies.
    Address,
    /// Which thread goes on.
    Thread,
}

/// A question of an execution. No two questions of one execution have the same key.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Key {
    /// What is asked.
    pub asked: Asked,
    /// The thread that stopped.
    pub thread: usize,
    /// Its innermost activation: function, block and instruction; none if it has ended.
    pub place: Option<(FuncId, BlockId, usize)>,
    /// How often this was asked before, by the same thread at the same place.
    pub occurrence: u64,
    /// What the value stands for, as users know it.
    pub label: String,
}

/// Knows decisions.
pub trait Oracle {
    /// The decision for a key, if it is known.
    fn decide(&mut self, key: &Key) -> Option<Decision>;
}

/// Decisions in the order in which they are asked for.
#[derive(Clone, Debug)]
pub struct Positional<'d> {
    left: std::slice::Iter<'d, Decision>,
}

impl<'d> Positional<'d> {
    /// All of these, from the first on.
    pub fn new(decisions: &'d [Decision]) -> Self {
        Positional { left: decisions.iter() }
    }

    /// Whether every decision was asked for.
    pub fn is_used_up(&self) -> bool {
        self.left.len() == 0
    }
}

impl Oracle for Positional<'_> {
    fn decide(&mut self, _key: &Key) -> Option<Decision> {
        self.left.next().copied()
    }
}

impl Oracle for HashMap<Key, Decision> {
    fn decide(&mut self, key: &Key) -> Option<Decision> {
        self.get(key).copied()
    }
}

/// How an execution went.
#[derive(Clone)]
pub struct Followed {
    /// Where it ended. [`Machine::decisions`] of it replays by position.
    pub state: State,
    /// Why; `Blocked` if no thread can go on.
    pub stop: Stop,
    /// Everything that was asked, with what was taken.
    pub asked: Vec<(Key, Decision)>,
}

/// The oracle's decision does not answer what was asked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Misfit {
    /// What was asked.
    pub key: Key,
    /// What it said.
    pub decision: Decision,
}

impl Machine<'_> {
    /// Runs the program to its end as the oracle says, on a machine that is not lazy. `fuel` bounds the instructions
    /// between two questions, `max_questions` the questions; then the execution is cut with [`Stop::Fuel`].
    pub fn follow<O: Observer>(
        &self,
        oracle: &mut dyn Oracle,
        fuel: u64,
        max_questions: usize,
        observer: &mut O,
    ) -> Result<Followed, Misfit> {
        let mut asking = Asking { oracle, times: HashMap::new(), asked: Vec::new() };
        let mut state = self.initial();
        let mut thread = 0;
        let until = Until { fuel, shared_access: true, ..Until::NEVER };
        let stop = loop {
            let stop = self.run(&mut state, thread, until, observer);
            if asking.asked.len() >= max_questions {
                break Stop::Fuel;
            }
            match stop {
                Stop::Choice(choice) => {
                    let option = asking.option(&state, &choice)?;
                    self.pick(&mut state, &choice, option);
                    observer.picked(choice.thread);
                }
                Stop::Shared | Stop::Blocked | Stop::ThreadEnded => {
                    let runnable = self.runnable(&state);
                    if runnable.is_empty() {
                        break Stop::Blocked;
                    }
                    thread = asking.thread(&state, thread, &runnable)?;
                    state.record_thread(thread);
                }
                ended => break ended,
            }
        };
        Ok(Followed { state, stop, asked: asking.asked })
    }
}

/// Kind of decision, thread, and the instruction that asks.
type Place = (Asked, usize, Option<(FuncId, BlockId, usize)>);

/// The questions of one execution.
struct Asking<'o> {
    oracle: &'o mut dyn Oracle,
    /// How often each was asked.
    times: HashMap<Place, u64>,
    asked: Vec<(Key, Decision)>,
}

impl Asking<'_> {
    fn key(&mut self, state: &State, asked: Asked, thread: usize, label: &str) -> Key {
        let frame = state.threads[thread].frames.last();
        let place = frame.map(|frame| (frame.function, frame.block, frame.index as usize));
        let times = self.times.entry((asked, thread, place)).or_default();
        let occurrence = *times;
        *times += 1;
        Key { asked, thread, place, occurrence, label: label.to_owned() }
    }

    fn option(&mut self, state: &State, choice: &Choice) -> Result<u128, Misfit> {
        let asked = match choice.kind {
            ChoiceKind::Value { .. }
            | ChoiceKind::Split { .. }
            | ChoiceKind::Enumerate { .. }
            | ChoiceKind::Samples { .. } => Asked::Value,
            ChoiceKind::Fail => Asked::Fail,
            ChoiceKind::Address { .. } => Asked::Address,
        };
        let key = self.key(state, asked, choice.thread, &choice.label);
        let option = match self.oracle.decide(&key) {
            Some(decision) => choice.option_of(&decision).ok_or_else(|| Misfit { key: key.clone(), decision })?,
            None => choice.smallest(),
        };
        let decision = choice.decision_of(option);
        self.asked.extend(decision.map(|decision| (key, decision)));
        Ok(option)
    }

    /// The next thread; without an answer the same one if it can go on, else the first.
    fn thread(&mut self, state: &State, thread: usize, runnable: &[usize]) -> Result<usize, Misfit> {
        let key = self.key(state, Asked::Thread, thread, "");
        let next = match self.oracle.decide(&key) {
            Some(Decision::Thread(next)) if runnable.contains(&(next as usize)) => next as usize,
            Some(decision) => return Err(Misfit { key, decision }),
            None if runnable.contains(&thread) => thread,
            None => runnable[0],
        };
        self.asked.push((key, Decision::Thread(next as u32)));
        Ok(next)
    }
}
