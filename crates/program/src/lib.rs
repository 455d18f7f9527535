//! Floor 1: C programs in one representation; data, text form, verifier, reference interpreter.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub mod analysis;
pub mod build;
pub mod generate;
pub mod interp;
pub mod program;
pub mod show;
pub mod text;
pub mod verify;
pub mod visit;

pub use program::*;
pub use unpick_base::ViolationKind;
