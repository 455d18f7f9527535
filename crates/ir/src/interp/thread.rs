//! Threads.
use super::{Machine, State};

impl Machine<'_> {
    /// The threads that can do a step.
    pub fn runnable(&self, _state: &State) -> Vec<usize> {
        Vec::new()
    }
}
