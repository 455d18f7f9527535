//! The floors under their former name: [`unpick_program`] and [`unpick_automaton`].
#![forbid(unsafe_code)]

pub use unpick_program::*;

/// Floor 2, [`unpick_automaton`], with the embedded C of [`unpick_embedded`].
pub mod automaton {
    pub use unpick_automaton::*;

    /// What models know of embedded C, and its implementation.
    pub mod embedded {
        pub use unpick_automaton::embedded::*;
        pub use unpick_embedded::Embedded;
    }
}
