//! Tabled abstraction: every statement and condition of C is an entry of a table, the table decides what each means in a
//! Promela model, and defaults make it useful without one.
#![forbid(unsafe_code)]

pub mod audit;
mod calls;
pub mod code;
pub mod context;
pub mod effect;
pub mod embed;
pub mod entry;
pub mod extraction;
pub mod harness;
pub mod library;
mod link;
mod messages;
mod names;
pub mod normal;
mod once;
pub mod origin;
pub mod pattern;
pub mod plan;
pub mod pool;
mod portions;
pub mod proof;
pub mod refine;
pub mod report;
pub mod rows;
pub mod rules;
pub mod shape;
pub mod simplify;
mod split;
pub mod table;
pub mod text;
pub mod translate;
pub mod validate;
pub mod worth;
pub mod write;
