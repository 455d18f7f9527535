//! When two states count as the same: if they are, or if the user says so.
//!
//! A function of the program may write an abstract key, and globals may be left out of the key. The search then follows
//! one state of all that are matched: what it finds is real, what it does not find may still be there.

use unpick_ir::interp::{Machine, State};
use unpick_ir::{FuncId, GlobalId};

/// How states are matched.
#[derive(Clone, Default, Debug)]
pub struct Matching {
    /// What this function writes and returns stands for the memory of the state; its name comes first. Where the
    /// threads are counts in any case.
    pub abstraction: Option<(String, FuncId)>,
    /// These globals do not count, with their names.
    pub unmatched: Vec<(String, GlobalId)>,
}

impl Matching {
    /// Whether states are matched by what they are.
    pub fn is_exact(&self) -> bool {
        self.abstraction.is_none() && self.unmatched.is_empty()
    }

    /// The abstract key of a state; `None` if the function says nothing about it.
    pub(crate) fn key(&self, machine: &Machine<'_>, state: &State) -> Option<Vec<u8>> {
        let (_, function) = self.abstraction.as_ref()?;
        machine.abstraction(state, *function)
    }

    /// The state without what does not count.
    pub(crate) fn relevant(&self, machine: &Machine<'_>, state: &State) -> Option<State> {
        let globals: Vec<GlobalId> = self.unmatched.iter().map(|(_, global)| *global).collect();
        (!globals.is_empty()).then(|| machine.without_globals(state, &globals))
    }

    /// Why silence is no proof.
    pub(crate) fn doubt(&self) -> Option<String> {
        if self.is_exact() {
            return None;
        }
        let by = self.abstraction.iter().map(|(name, _)| format!("by `{name}` only"));
        let without = self.unmatched.iter().map(|(name, _)| format!("without `{name}`"));
        let how: Vec<String> = by.chain(without).collect();
        Some(format!("not a proof: states were matched {}", how.join(" and ")))
    }
}
