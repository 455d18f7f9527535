//! Canonical bytes of a state.
use super::{Machine, State};

impl Machine<'_> {
    /// Appends canonical bytes: equal for two states only if they have the same future. Registers that are never
    /// read again, objects nobody can reach, object numbers and decisions do not count.
    pub fn key(&self, _state: &State, _out: &mut Vec<u8>) {}

    /// A cheap necessary condition for equal keys.
    pub fn shallow_eq(&self, _a: &State, _b: &State) -> bool {
        true
    }
}
