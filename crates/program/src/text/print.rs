//! Printer of the text form: a program, item by item.
//!
//! Printing never fails, also not on programs the verifier would refuse: ids that lead nowhere are written
//! as they are, so that a broken program can be looked at.

mod item;
mod stmt;

use std::collections::HashMap;
use std::fmt::Write;

use rustc_apfloat::ieee::{Double, Quad, Single, X87DoubleExtended};
use unpick_base::IdVec;
use unpick_base::id::Id;

use super::lex::write_name;
use super::word_ty;
use super::words::ty_word;
use crate::program::*;

/// The text of a program; [`parse`](super::parse) gives back an equal one.
pub fn print(program: &Program) -> String {
    let mut printer = Printer::new(program, None);
    printer.program();
    printer.out
}

/// The text of one instruction, without its place.
pub fn print_stmt(program: &Program, function: &Function, stmt: &Stmt) -> String {
    let mut printer = Printer::new(program, Some(function));
    printer.stmt(&stmt.kind);
    printer.out
}

/// The text of one terminator, without its place.
pub fn print_terminator(program: &Program, function: &Function, terminator: &Terminator) -> String {
    let mut printer = Printer::new(program, Some(function));
    printer.terminator(terminator);
    printer.out
}

/// How many globals and functions have a name: only a name of one can stand for it.
#[derive(Default)]
struct NameCounts<'p> {
    globals: HashMap<&'p str, u32>,
    functions: HashMap<&'p str, u32>,
}

struct Printer<'p> {
    program: &'p Program,
    function: Option<&'p Function>,
    /// `None` when printing single instructions: then names are taken to be unique.
    counts: Option<NameCounts<'p>>,
    out: String,
    /// The place that an instruction without one has.
    loc: Loc,
    /// Floating constants of the line, for its comment.
    floats: Vec<String>,
}

/// Appends to the text.
macro_rules! put {
    ($printer:expr, $($argument:tt)*) => {
        write!($printer.out, $($argument)*).expect("writing to a string should succeed")
    };
}
use put;

impl<'p> Printer<'p> {
    fn new(program: &'p Program, function: Option<&'p Function>) -> Self {
        let counts = function.is_none().then(|| {
            let mut counts = NameCounts::default();
            program.globals.iter().for_each(|global| *counts.globals.entry(&global.name).or_default() += 1);
            program.functions.iter().for_each(|function| *counts.functions.entry(&function.name).or_default() += 1);
            counts
        });
        Self { program, function, counts, out: String::new(), loc: Loc::NONE, floats: Vec::new() }
    }

    fn ty(&mut self, ty: Ty) {
        self.out.push_str(&ty_word(ty));
    }

    fn reg_ty(&self, reg: RegId) -> Option<Ty> {
        Some(self.function?.regs.get(reg)?.ty)
    }

    fn global_name(&mut self, id: GlobalId) {
        let name = self.program.globals.get(id).map(|global| global.name.as_str());
        let is_unique = |name: &&str| self.counts.as_ref().is_none_or(|counts| counts.globals.get(name) == Some(&1));
        match name.filter(is_unique) {
            Some(name) => write_name(name, &mut self.out),
            None => put!(self, "#{}", id.0),
        }
    }

    fn function_name(&mut self, id: FuncId) {
        let name = self.program.functions.get(id).map(|function| function.name.as_str());
        let is_unique = |name: &&str| self.counts.as_ref().is_none_or(|counts| counts.functions.get(name) == Some(&1));
        match name.filter(is_unique) {
            Some(name) => write_name(name, &mut self.out),
            None => put!(self, "#{}", id.0),
        }
    }

    fn address(&mut self, address: Address) {
        match address {
            Address::Global(id, offset) => {
                self.out.push('&');
                self.global_name(id);
                if offset != 0 {
                    put!(self, "{offset:+}");
                }
            }
            Address::Func(id) => {
                self.out.push_str("fn ");
                self.function_name(id);
            }
            Address::Label(id, block) => {
                put!(self, "label {block:?} of ");
                self.function_name(id);
            }
        }
    }

    /// An operand where the reader expects this type (`None`: where it expects none).
    fn operand(&mut self, operand: Operand, expected: Option<Ty>) {
        match operand {
            Operand::Reg(reg) => put!(self, "{reg:?}"),
            Operand::Bits(Ty::Int(1), 0) => self.out.push_str("false"),
            Operand::Bits(Ty::Int(1), 1) => self.out.push_str("true"),
            Operand::Bits(ty, bits) => {
                self.type_prefix(ty, expected);
                self.constant(ty, bits);
            }
            Operand::Null => self.out.push_str("null"),
            Operand::Address(address) => self.address(address),
            Operand::Slot(slot) => put!(self, "&{slot:?}"),
            Operand::Undef(ty) => {
                self.type_prefix(ty, expected);
                self.out.push_str("undef");
            }
        }
    }

    fn type_prefix(&mut self, ty: Ty, expected: Option<Ty>) {
        if expected != Some(ty) {
            self.ty(ty);
            self.out.push(' ');
        }
    }

    fn pointer(&mut self, operand: Operand) {
        self.operand(operand, Some(Ty::Ptr));
    }

    /// A byte count or an index.
    fn word(&mut self, operand: Operand) {
        self.operand(operand, Some(word_ty(self.program.pointer_bytes)));
    }

    fn constant(&mut self, ty: Ty, bits: u128) {
        match ty {
            Ty::Int(width) => match as_small_negative(width, bits) {
                Some(value) => put!(self, "{value}"),
                None if bits <= u128::from(i32::MAX.unsigned_abs()) => put!(self, "{bits}"),
                None => put!(self, "{bits:#x}"),
            },
            Ty::F32 | Ty::F64 | Ty::F80 | Ty::F128 | Ty::Ptr => {
                put!(self, "{bits:#x}");
                self.floats.extend(float_comment(ty, bits));
            }
        }
    }

    /// The place of what was just written, unless the reader knows it, and the comment; ends the line.
    fn place_and_end(&mut self, loc: Loc) {
        self.place(loc);
        if !self.floats.is_empty() {
            let comment = std::mem::take(&mut self.floats).join(", ");
            put!(self, " ; {comment}");
        }
        self.out.push('\n');
    }

    fn place(&mut self, loc: Loc) {
        if loc == self.loc {
            return;
        }
        if loc == Loc::NONE {
            self.out.push_str(" @none");
        } else if loc.file == self.loc.file {
            put!(self, " @{}:{}", loc.line, loc.column);
        } else {
            put!(self, " @{}:{}:{}", loc.file.0, loc.line, loc.column);
        }
        self.loc = loc;
    }

    fn list<T>(&mut self, items: &[T], mut write: impl FnMut(&mut Self, &T)) {
        for (index, item) in items.iter().enumerate() {
            if index > 0 {
                self.out.push_str(", ");
            }
            write(self, item);
        }
    }
}

/// The value of bits whose sign bit is set, if it is near enough to zero to be meant as negative.
fn as_small_negative(width: u8, bits: u128) -> Option<i128> {
    let unused = 128u32.checked_sub(u32::from(width)).filter(|unused| *unused < 128)?;
    let value = (bits << unused) as i128 >> unused;
    let fits = bits << unused >> unused == bits;
    (fits && (-65536..0).contains(&value)).then_some(value)
}

fn float_comment(ty: Ty, bits: u128) -> Option<String> {
    use rustc_apfloat::Float;
    match ty {
        Ty::F32 => Some(format!("{}", Single::from_bits(bits & u128::from(u32::MAX)))),
        Ty::F64 => Some(format!("{}", Double::from_bits(bits & u128::from(u64::MAX)))),
        Ty::F80 => Some(format!("{}", X87DoubleExtended::from_bits(bits & ((1 << 80) - 1)))),
        Ty::F128 => Some(format!("{}", Quad::from_bits(bits))),
        Ty::Int(_) | Ty::Ptr => None,
    }
}

/// Items with their ids, for headers that show the number.
fn numbered<I: Id, T>(items: &IdVec<I, T>) -> impl Iterator<Item = (usize, &T)> {
    items.iter().enumerate()
}
