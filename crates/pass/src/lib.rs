//! Passes: translations from one floor of the intermediate representation to another.
//!
//! [`to_automata()`] translates a C program whose threads and objects are known beforehand into automata over state
//! vectors, so that the search over vectors serves C programs as it serves Promela models. The translation is exact or
//! refuses: a construct without exact translation is refused at once ([`Untranslatable`]) or becomes an assertion that
//! fails, which [`Translation::diagnose`] tells from a violation, so that the caller can fall back on another search.

#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod arith;
mod colour;
mod emit;
mod graph;
mod layout;
mod objects;
mod points_to;
mod profile;
mod proposition;
mod transfer;
mod translation;
mod webs;

#[cfg(test)]
mod tests;

pub use profile::Profile;
pub use proposition::Proposition;
pub use translation::{
    ChoiceOutcome, Diagnosis, LocationMeaning, Purpose, SchedulingPoint, Translation, Turn, to_automata,
};

/// Why a program cannot be translated.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Untranslatable(pub String);

impl Untranslatable {
    fn new<T>(text: impl Into<String>) -> Result<T, Untranslatable> {
        Err(Untranslatable(text.into()))
    }
}
