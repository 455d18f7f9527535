//! Floor 2: models as processes of guarded steps over one state vector; data, text form, verifier, reference
//! interpreter, random generator.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod model;

pub mod code;
pub mod dead_variables;
pub mod embedded;
pub mod footprints;
pub mod generate;
pub mod interp;
pub mod layout;
mod liveness_property;
mod operator;
pub mod run;
pub mod text;
pub mod verify;
mod walk;

pub use liveness_property::LivenessProperty;
pub use model::*;
pub use operator::{Binary, Probe, Unary};
