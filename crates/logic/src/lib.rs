//! Linear temporal logic over opaque atoms, and the automata that engines run beside a program.
//!
//! A caller [parses](parse) a formula, learns which expressions its atoms stand for, [translates](translate()) the
//! negation to a [`Buchi`] automaton, and asks [`stutter`] whether reductions that leave out or repeat states are
//! allowed. What it finds, [`Lasso::satisfies`] confirms without the automaton.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub mod buchi;
pub mod formula;
mod graph;
pub mod guard;
pub mod lasso;
pub mod never;
pub mod parse;
pub mod rewrite;
pub mod stutter;
mod term;
pub mod translate;

pub use buchi::{Buchi, Edge};
pub use formula::{AtomId, Formula, Node};
pub use guard::{Cube, Guard, Letter, MAX_ATOMS};
pub use lasso::Lasso;
pub use translate::{TranslateError, translate};
