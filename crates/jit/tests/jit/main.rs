//! Native code against the interpreter of automata.

mod automata;
mod compare;
mod random;
