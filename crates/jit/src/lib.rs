//! Just-in-time compilation of models to native code.
//!
//! [`Native`] steps a model as [`unpick_system::step::Interpreted`] does, with the same successors in the same
//! order. Every location of a process type has one function, compiled when the location has been seen often
//! enough to be worth it; before that, and for what is too rare to be compiled, the reference interpreter steps
//! the process. Whatever goes wrong in a step is left to the interpreter too: compiled code only notices it.

#![deny(unsafe_op_in_unsafe_fn)]
#![warn(missing_docs)]

mod compile;
mod context;
mod emit;
mod facts;
mod limits;
mod memory;
mod native;

pub use native::{Native, Scratch};
