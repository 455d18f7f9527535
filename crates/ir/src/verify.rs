//! What every part of the house may take for granted about a program.
//!
//! A pass, an engine or the interpreter relies on nothing that is not listed here; whoever needs more adds a
//! rule, or a [`Form`] if the rule is not meant for all programs. To add a form: a variant with the rules it
//! adds in its documentation, a function in its own file below `verify/`, a call in [`verify`], and a test
//! with the smallest program that breaks each new rule.
//!
//! Rules of [`Form::Program`], under the names that faults carry:
//!
//! - `pointer-size`: a pointer has 4 or 8 bytes.
//! - `entry`: there is an entry; it exists, has no parameters and is not variadic.
//! - `name`: no two globals have one name, no two functions either.
//! - `location`: a place with a line lies in an existing file.
//! - `shape`: shapes refer to existing shapes; a shape contains itself only behind a pointer; sizes of
//!   integers and enumerations are 1 to 16 bytes; floating shapes are of floating type.
//! - `object`: alignments are powers of two; a global's bytes and pointers lie inside it, the pointers in
//!   ascending order without overlap.
//! - `device`: devices are globals for all threads, those that give any value without contents of their own; those with
//!   an address lie apart from each other and not at 0.
//! - `address`: constant addresses name existing globals, functions and blocks.
//! - `id`: registers, slots and blocks that are used exist; a function has at least one block.
//! - `parameter`: parameters are different registers; the last one of a variadic function is a pointer.
//! - `type`: integers have 1 to 128 bits; operands and destinations have the types the instruction asks for.
//! - `constant`: the bits of a constant fit its type, which is not a pointer.
//! - `operation`: an operation is applied to a kind of type it has a meaning for (`fadd` to floats, `bswap`
//!   to whole bytes, `.checked` to operations that can fail, extensions never shrink, strides of `ptrdiff`
//!   are not zero).
//! - `bits`: a bit-field starts at bit 0 to 7 and has 1 to 128 bits, which the register or value holds.
//! - `range`: the bounds of a choice are ordered and are numbers of the integer type.
//! - `call`: a call to a known function passes as many arguments as it has parameters, of their types, and
//!   takes no result the function does not have; so does a `spawn`.
//! - `return`: a return has a value of the function's result type, or none if the function has none.
//! - `switch`: cases are within the width, ordered (`low <= high`) and disjoint.
//! - `indirect`: an indirect jump lists every label of its function whose address is taken, each once.
//! - `loop`: every cycle of control inside a function passes a loop head.

mod control;
mod function;
mod item;
mod operation;
mod stmt;

use std::fmt;

use crate::program::*;

/// What is required of a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Form {
    /// Well-formed: it can be executed.
    Program,
}

/// A broken rule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// The function it lies in.
    pub function: Option<FuncId>,
    /// The block it lies in.
    pub block: Option<BlockId>,
    /// Index of the instruction in its block; the number of instructions stands for the terminator.
    pub stmt: Option<usize>,
    /// Name of the rule.
    pub rule: &'static str,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(function) = self.function {
            write!(f, "{function:?}")?;
        }
        if let Some(block) = self.block {
            write!(f, " {block:?}")?;
        }
        if let Some(stmt) = self.stmt {
            write!(f, " #{stmt}")?;
        }
        let separator = if self.function.is_some() { ": " } else { "" };
        write!(f, "{separator}{}: {}", self.rule, self.message)
    }
}

/// Checks that a program has a form; at most a hundred faults are listed.
pub fn verify(program: &Program, form: Form) -> Result<(), Vec<Fault>> {
    let mut faults = Faults { items: Vec::new(), function: None, block: None, stmt: None };
    item::check(program, &mut faults);
    for (id, function) in program.functions.iter_enumerated() {
        faults.function = Some(id);
        function::check(program, function, &mut faults);
        faults.block = None;
        faults.stmt = None;
    }
    faults.function = None;
    control::check_indirect(program, &mut faults);
    match form {
        Form::Program => {}
    }
    if faults.items.is_empty() { Ok(()) } else { Err(faults.items) }
}

/// The faults found so far, and the place being looked at.
struct Faults {
    items: Vec<Fault>,
    function: Option<FuncId>,
    block: Option<BlockId>,
    stmt: Option<usize>,
}

impl Faults {
    const MAX: usize = 100;

    fn add(&mut self, rule: &'static str, message: impl Into<String>) {
        if self.items.len() < Self::MAX {
            let Faults { function, block, stmt, .. } = *self;
            self.items.push(Fault { function, block, stmt, rule, message: message.into() });
        }
    }

    /// Adds a fault unless the condition holds; the message is only made if needed.
    fn require(&mut self, rule: &'static str, holds: bool, message: impl FnOnce() -> String) {
        if !holds {
            self.add(rule, message());
        }
    }
}

#[cfg(test)]
mod tests;
