//! The verbs, one file each.

pub mod check;
pub mod extract;
pub mod generate;
pub mod library;
pub mod show;
pub mod simulate;
pub mod table;
