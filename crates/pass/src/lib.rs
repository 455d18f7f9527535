//! From one form of a program to another.
//!
//! [`flatten()`] makes automata over flat states of a program of C whose layout is known beforehand, so that the search
//! over flat states serves programs as it serves models. The translation is exact or refuses: what it cannot say
//! exactly is either refused at once ([`Unfit`]) or becomes a step that goes wrong and that [`Flat::meaning`] knows
//! from a violation, so that whoever searches can take another road.

#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod arith;
mod colour;
mod emit;
mod flat;
mod graph;
mod guess;
mod layout;
mod objects;
mod points;
mod transfer;
mod webs;

#[cfg(test)]
mod tests;

pub use flat::{Chosen, Flat, Meaning, Reaching, Spot, Turn, flatten};
pub use guess::Guess;

/// Why a program cannot be translated.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unfit(pub String);

impl Unfit {
    fn new<T>(text: impl Into<String>) -> Result<T, Unfit> {
        Err(Unfit(text.into()))
    }
}
