//! Extraction: models against the programs that they come from.

mod inclusion;
mod meaning;
mod models;
mod proofs;
