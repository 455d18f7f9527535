//! Native code against the interpreter of automata.

mod automata;
mod changes;
mod compare;
mod random;
