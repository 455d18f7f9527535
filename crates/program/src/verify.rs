//! The verifier of programs: all well-formedness rules that other crates may rely on.
//!
//! A pass, an engine or the interpreter relies on nothing that is not listed here; a user that needs more adds a
//! rule, or a [`Form`] if the rule is not meant for all programs. To add a form: a variant with the rules it
//! adds in its documentation, a function in its own file below `verify/`, a call in [`verify`], and a test
//! with the smallest program that breaks each new rule.
//!
//! Rules of [`Form::Program`], each with the name that its faults carry; `verify/tests.rs` has a program for each that
//! breaks it:
//!
//! 1. `pointer-size`: a pointer has 4 or 8 bytes.
//! 2. `entry`: there is an entry, and it exists.
//! 3. `entry`: the entry has no parameters and is not variadic.
//! 4. `name`: no two globals have one name.
//! 5. `name`: no two functions have one name.
//! 6. `location`: a place with a line lies in an existing file.
//! 7. `shape`: shapes that are used exist.
//! 8. `shape`: a shape contains itself only behind a pointer.
//! 9. `shape`: integers and enumerations have 1 to 16 bytes.
//! 10. `shape`: floating shapes are of floating type.
//! 11. `object`: alignments are powers of two.
//! 12. `object`: the initial bytes of a global lie inside it.
//! 13. `object`: the initial pointers of a global lie inside it, in ascending order and without overlap.
//! 14. `device`: devices are existing globals that all threads share.
//! 15. `device`: a device that gives any value has no contents of its own.
//! 16. `device`: a device with an address does not lie at 0 or beyond the last address.
//! 17. `device`: devices with addresses lie apart from each other.
//! 18. `address`: constant addresses name existing globals, functions and blocks.
//! 19. `id`: a function has at least one block.
//! 20. `id`: registers, slots and blocks that are used exist.
//! 21. `id`: the two results of a compare and exchange go to different registers.
//! 22. `parameter`: parameters are different registers.
//! 23. `parameter`: the last parameter of a variadic function is a pointer.
//! 24. `type`: integers have 1 to 128 bits.
//! 25. `type`: operands have the types that the instruction asks for.
//! 26. `type`: destinations have the type of what they receive.
//! 27. `constant`: the bits of a constant fit its type, which is not a pointer.
//! 28. `operation`: arithmetic is applied to a type it has a meaning for (`fadd` to floats, `bswap` to whole bytes).
//! 29. `operation`: `.checked` is an operation that can fail.
//! 30. `operation`: `.overflows` is an addition, a subtraction or a multiplication.
//! 31. `operation`: a comparison has a meaning for the type; pointers have no sign.
//! 32. `operation`: a conversion goes between types it has a meaning for; extensions never shrink.
//! 33. `operation`: the stride of a pointer difference is not zero.
//! 34. `bits`: a bit-field starts at bit 0 to 7 and has 1 to 128 bits.
//! 35. `bits`: the register or value of a bit-field is an integer that holds it.
//! 36. `range`: the bounds of a choice are ordered and are numbers of the integer type.
//! 37. `call`: a call to a known function passes as many arguments as it has parameters.
//! 38. `call`: the arguments have the types of the parameters.
//! 39. `call`: a call takes no result that the function does not have.
//! 40. `call`: what holds for calls holds for a `spawn`.
//! 41. `return`: a returned value has the function's result type.
//! 42. `return`: a function with a result returns a value, and one without returns none.
//! 43. `switch`: a switch is on an integer.
//! 44. `switch`: cases are within the width and ordered (`low <= high`).
//! 45. `switch`: cases are disjoint.
//! 46. `indirect`: an indirect jump lists every label of its function whose address is taken.
//! 47. `indirect`: an indirect jump lists no label twice.
//! 48. `loop`: every cycle of control inside a function passes a loop head.

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
