//! Hash-consed terms over bit-vectors, arrays and floats (QF_ABVFP): constructors with rewriting, a reference evaluator.
//!
//! ```
//! use unpick_term::{Model, Signedness, Sort, Terms, Value, BitVec};
//!
//! let mut terms = Terms::new();
//! let x = terms.input("x", Sort::Bits(32));
//! let y = terms.input("y", Sort::Bits(32));
//! let sum = terms.checked_add(x, y, Signedness::Signed);
//! let same = terms.eq(sum.result, sum.result);
//! assert_eq!(terms.constant_bool(same), Some(true));
//! let mut model = Model::new();
//! model.set(terms.input_of(x), Value::Bits(BitVec::new(32, 0x7fff_ffff)));
//! model.set(terms.input_of(y), Value::Bits(BitVec::one(32)));
//! assert_eq!(terms.eval(sum.ok, &model), Value::Bits(BitVec::of_bool(false)));
//! ```
#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod arena;
mod bits;
mod build;
mod cone;
mod display;
mod eval;
mod fact;
mod float;
mod node;
#[cfg(test)]
mod random;
mod rules;
mod simplify;
mod smtlib;
mod softfloat;
mod text;
mod value;

pub use arena::Terms;
pub use bits::BitVec;
pub use build::{Checked, Signedness};
pub use display::Display;
pub use eval::Evaluator;
pub use fact::Fact;
pub use float::{FpFormat, FpOp, ROUNDING_WIDTH, Rounding};
pub use node::{Args, InputId, MAX_INDEX_WIDTH, MAX_WIDTH, Op, Sort, Term};
pub use rules::{Level, Rule};
pub use simplify::{Counts, Simplified};
pub use smtlib::NotSmtLib;
pub use text::TextError;
pub use value::{ArrayValue, Assignment, Model, Value};
