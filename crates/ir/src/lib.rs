//! The one program representation of unpick: data, text form, verifier, reference interpreter.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub mod interp;
pub mod program;
pub mod show;
pub mod text;
pub mod violation;

pub use program::*;
pub use violation::ViolationKind;
