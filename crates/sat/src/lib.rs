//! Queries about bits and bit vectors, decided by SAT solvers after bit-blasting.
#![forbid(unsafe_code)]

pub mod aig;
pub mod blast;
pub mod circuit;
pub mod cnf;
pub mod dimacs;
pub mod proof;
pub mod query;
pub mod solver;
pub mod word;

pub use aig::{Aig, Edge};
pub use query::{Answer, Context};
pub use solver::{Budget, Lit, Outcome, Solver, Unfinished};

/// The solver for queries of every kind: cheap ones are answered by a light solver, and the few that are hard by CaDiCaL.
#[cfg(feature = "cadical")]
pub fn default_solver() -> Box<dyn Solver> {
    Box::new(solver::Ladder::new(Box::new(solver::Light::new()), || Box::new(solver::Heavy::new())))
}

/// The solver for queries of every kind; this build has the light one only.
#[cfg(not(feature = "cadical"))]
pub fn default_solver() -> Box<dyn Solver> {
    Box::new(solver::Light::new())
}
