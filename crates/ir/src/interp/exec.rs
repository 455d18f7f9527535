//! The run loop and control flow.

use super::{Choice, Machine, Observer, State, Stop, Until};
use crate::Loc;

impl Machine<'_> {
    /// Runs a thread until something needs the caller.
    pub fn run<O: Observer>(&self, _state: &mut State, _thread: usize, _until: Until, _observer: &mut O) -> Stop {
        Stop::Unmodelled { loc: Loc::NONE, what: "under construction".into() }
    }

    /// Takes option `pick` (from 0) of the choice the state stopped at.
    pub fn pick(&self, _state: &mut State, _choice: &Choice, _pick: u128) {}
}
