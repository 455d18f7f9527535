//! State matching: when two states count as the same, which users may widen by an abstraction of their own.
//!
//! A function of the program may write an abstract key, and globals may be left out of the key. The search then follows
//! one state of all that are matched: what it finds is real, what it does not find may still be there.

use unpick_program::GlobalId;
use unpick_program::interp::{Machine, State};
use unpick_system::Matching;

/// The abstract key of a state; `None` if the function says nothing about it.
pub(crate) fn key(matching: &Matching, machine: &Machine<'_>, state: &State) -> Option<Vec<u8>> {
    let (_, function) = matching.abstraction.as_ref()?;
    machine.abstraction(state, *function)
}

/// The state without what does not count.
pub(crate) fn relevant(matching: &Matching, machine: &Machine<'_>, state: &State) -> Option<State> {
    let globals: Vec<GlobalId> = matching.unmatched.iter().map(|(_, global)| *global).collect();
    (!globals.is_empty()).then(|| machine.without_globals(state, &globals))
}

/// Why silence is no proof.
pub(crate) fn doubt(matching: &Matching) -> Option<String> {
    if matching.is_exact() {
        return None;
    }
    let by = matching.abstraction.iter().map(|(name, _)| format!("by `{name}` only"));
    let without = matching.unmatched.iter().map(|(name, _)| format!("without `{name}`"));
    let how: Vec<String> = by.chain(without).collect();
    Some(format!("not a proof: states were matched {}", how.join(" and ")))
}
