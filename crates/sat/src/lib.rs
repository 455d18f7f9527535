//! Queries about bits and bit vectors, decided by a SAT solver after bit-blasting.
#![forbid(unsafe_code)]

pub mod circuit;
pub mod word;

pub use circuit::{Answer, Bit, Circuit};
pub use word::Word;
