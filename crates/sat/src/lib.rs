//! Questions about bits and words of bits, answered by a SAT solver.
#![forbid(unsafe_code)]

pub mod circuit;
pub mod word;

pub use circuit::{Answer, Bit, Circuit};
pub use word::Word;
