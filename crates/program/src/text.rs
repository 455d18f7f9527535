//! The text form of a program: what `print` writes, `parse` reads back to an equal program.
//!
//! The form is made to be read by people first: one instruction per line, the type written once, constants
//! without their type where the instruction already says it. `docs/ir.md` shows it by example. In short:
//!
//! ```text
//! pointer 8
//! entry main
//! file 0 "a.c"
//! shape 0: int "int" size 4 signed
//! global counter: size 4 align 4 as shape0 @0:1:5 = hex "01000000"
//!
//! fn main() -> i32 @0:3:5 {
//!   reg r0 n: i32 as shape0
//!   reg r1: i1
//! b0:
//!   r0 = load &counter @4:11
//!   r1 = cmp.slt i32 r0, 10
//!   branch r1 ? b1 : b2
//! b1:
//!   r0 = add.checked i32 r0, 1 @5:5
//!   goto b2
//! b2:
//!   return r0 @6:3
//! }
//! ```
//!
//! - A comment runs from `;` to the end of the line; line breaks mean nothing else.
//! - `@file:line:column` is the place of an instruction, `@line:column` one in the file of the place before,
//!   no place at all repeats the place before; each function and global starts from `@none`.
//! - Ids are dense: `r0 r1 r2`, `b0 b1 b2` are declared in this order.
//! - Globals and functions are referred to by name, or as `#3` by number where a name is not unique.
//! - Names that are no plain words, are reserved or look like an id are quoted.
//! - A constant stands alone (`5`) where the instruction gives its type and as `i64 5` elsewhere. Integers
//!   may be negative; floating constants are their bits (`0x3fc00000`), and the reader also takes `1.5`.

mod lex;
mod parse;
mod print;
mod words;

use std::fmt;

pub use parse::parse;
pub use print::{print, print_stmt, print_terminator};

use crate::Ty;

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

/// Type of a byte count or index: constants of this type need no prefix in such places.
fn word_ty(pointer_bytes: u8) -> Ty {
    Ty::Int(pointer_bytes.saturating_mul(8))
}

#[cfg(test)]
mod tests;
