//! The Promela front end: what it takes, what it refuses, and how many states its models have.

mod automata;
mod checks;
mod random;
mod states;
mod syntax;
