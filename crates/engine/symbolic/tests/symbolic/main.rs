//! The engine against the interpreter.

mod random_programs;
mod small_inputs;
