//! Memoisation of pieces: the same piece in the same memory with the same values of the model has the same effect.
//!
//! States of a model differ in much that a piece does not see, so that most executions can be looked up.

use std::collections::HashMap;

use super::Embedded;
use super::mirror::From;
use unpick_automaton::code::PieceId;
use unpick_automaton::embedded::{Caller, Frames};
use unpick_automaton::{Scalar, Scope};

/// Outcomes that one thread of ours has met.
#[derive(Default)]
pub(super) struct Memo {
    outcomes: HashMap<Box<[u8]>, Outcome, foldhash::fast::RandomState>,
    n_bytes: usize,
}

/// What came of a piece.
#[derive(Clone)]
pub(super) enum Outcome {
    /// Statements were executed.
    Done(Box<After>),
    /// Statements did not want to be.
    Refused,
    /// The value of an expression.
    Value(i32),
}

/// What statements left.
#[derive(Clone)]
pub(super) struct After {
    number: i32,
    matched: i32,
    /// The variables of the model that the piece sees, in order.
    values: Box<[i32]>,
}

/// Everything is forgotten when it takes more.
const MAX_BYTES: usize = 32 << 20;
/// What an outcome takes at least.
const OUTCOME: usize = 96;

impl Memo {
    pub(super) fn get(&self, key: &[u8]) -> Option<&Outcome> {
        self.outcomes.get(key)
    }

    pub(super) fn insert(&mut self, key: Vec<u8>, outcome: Outcome) {
        if self.n_bytes > MAX_BYTES {
            *self = Memo::default();
        }
        self.n_bytes += OUTCOME + 2 * key.len();
        self.outcomes.insert(key.into(), outcome);
    }
}

impl Embedded {
    /// All that a piece sees.
    pub(super) fn seen(&self, frames: &dyn Frames, caller: Caller, piece: PieceId) -> Vec<u8> {
        let mut key = Vec::with_capacity(64);
        key.extend_from_slice(&piece.0.to_le_bytes());
        key.push(caller.process);
        key.extend_from_slice(&self.number_in(frames).to_le_bytes());
        self.each(caller, |copied, _| key.extend_from_slice(&copied.read(frames, caller).to_le_bytes()));
        key
    }

    /// What a state of the model holds after a piece.
    pub(super) fn after(&self, frames: &dyn Frames, caller: Caller) -> Outcome {
        let mut values = Vec::new();
        self.each(caller, |copied, _| values.push(copied.read(frames, caller)));
        let matched = frames.get(Scope::Global, 0, self.memory.at, Scalar::Int);
        Outcome::Done(Box::new(After { number: self.number_in(frames), matched, values: values.into() }))
    }

    /// Puts that into another one.
    pub(super) fn repeat(&self, frames: &mut dyn Frames, caller: Caller, after: &After) {
        let mut values = after.values.iter();
        self.each(caller, |copied, _| {
            let value = *values.next().expect("a piece should see the same variables each time");
            if let From::Var { scope, offset, scalar } = copied.from {
                frames.set(scope, caller.process, offset, scalar, value);
            }
        });
        frames.set(Scope::Global, 0, self.memory.at, Scalar::Int, after.matched);
        frames.set(self.scope(), 0, self.offset(), Scalar::Int, after.number);
    }
}
