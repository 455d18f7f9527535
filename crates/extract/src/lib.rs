//! Model extraction with abstraction tables (Holzmann and Smith 2001, "Software model checking: extracting verification
//! models from source code"): every statement and condition of C is an entry of a table, the table decides what each
//! means in a Promela model, and defaults make it useful without one.
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
pub mod omissions;
pub mod origin;
pub mod pattern;
pub mod plan;
pub mod pool;
pub mod proof;
pub mod refine;
pub mod report;
pub mod rows;
pub mod rules;
pub mod shape;
pub mod simplify;
mod single_instance;
mod spin_length_limit;
mod split;
pub mod table;
pub mod text;
pub mod translate;
pub mod validate;
pub mod write;
