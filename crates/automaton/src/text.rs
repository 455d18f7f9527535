//! The text form of a model: what [`print()`] writes, [`parse`] reads back to an equal model.
//!
//! One transition stands on a line, under its location: what it needs and does, where it leads. `docs/automaton.md`
//! shows it by example. In short:
//!
//! ```text
//! automaton last
//! channel c0: 2 of byte, short @40-60
//! globals size 2 {
//!   channel c0
//!   init global0.byte = channel 0
//!   var q global0.byte @30-38
//!   var n global1.byte @62-68
//! }
//! proctype p0 P size 1 @70-200 {
//!   var i local0.byte @80-86
//!   start l1
//!   l0:
//!   l1 end @90-120:
//!     when (global1.byte + 1) < 5 -> l2 atomic #0 @92-99
//!     else -> l3 #1 @101-105
//!   l2 @100-101:
//!     send global0.byte (local0.byte, -1) -> l1 #2 @110-118
//!   l3:
//!     end #3
//! }
//! process p0 priority 1
//! ```
//!
//! - A comment runs from `;` to the end of the line; line breaks mean nothing else.
//! - `@12-15` is the place in the source, in bytes; none is no place.
//! - Ids are dense and declared in order: `c0 c1`, `p0 p1`, `l0 l1`, `code0 code1`.
//! - A place is its frame and offset, its indices and how the value is kept:
//!   `global4[local0.byte of 3 by 2].short` is the third of three elements, two bytes apart, when `local0.byte` is 2.
//! - Operators of one kind stand in a row (`a + b - c`) and mean what they mean in C; others need parentheses.
//! - Names that are no plain words are quoted.
//!
//! The C text of a model is part of it, the code compiled from it is not: a reader of a model with C compiles it
//! again, which also determines the space for its data in states.

mod lex;
mod parse;
mod print;
mod words;

use std::fmt;

pub(crate) use parse::MAX_NESTING;
pub use parse::parse;
pub use print::print;

/// What is wrong with a text, and where. Lines and (byte) columns count from one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TextError {
    /// Line, from one.
    pub line: u32,
    /// Byte column, from one.
    pub column: u32,
    /// One sentence, lower case, no full stop.
    pub message: String,
}

impl fmt::Display for TextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for TextError {}

#[cfg(test)]
mod tests;
