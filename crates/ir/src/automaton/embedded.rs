//! C that a model executes: a program, which of its functions belongs to which piece, and the memories it has left.
//!
//! A step with C code works on a memory of the C program: its globals, static variables and heap, all of them,
//! whether the model tracks them or not. Memories are kept once each and have numbers ([`table`]); a state of the
//! model holds the number, as one more global variable of four bytes, so that whoever stores, hashes or compares
//! states need not know of C. Data that tell no states apart (`c_state "..." "Hidden"`, `c_track ... "UnMatched"`)
//! make two numbers of it: that of the memory among the hidden variables, and that of the memory without such data
//! among the others.
//!
//! The variables of the model lie in C objects while C code runs (`now`, one for the variables of a process): they
//! are copied there before and back after ([`mirror`]). Between two steps these places are zero.

mod link;
mod memo;
mod mirror;
mod run;
mod show;
mod table;
mod touch;

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use unpick_base::IdVec;

use super::code::{MemoryPlace, PieceId};
use crate::interp::Options;
use crate::{FuncId, GlobalId, Loc, Program, ViolationKind};
use mirror::Copied;
pub(crate) use run::{Frames, Who};
use table::Table;

/// Compiled C of a model; see the module.
pub struct Embedded {
    /// Tells it apart from others, for rooms that outlive it.
    identity: Arc<()>,
    program: Program,
    options: Options,
    pieces: IdVec<PieceId, Entry>,
    /// Gives C data that belong to the model their first values.
    start: Option<FuncId>,
    /// Global variables of the model in C objects, those that C code can touch.
    globals: Vec<Copied>,
    /// By process type.
    processes: Vec<ProcessCode>,
    /// The process types that objects are for.
    owners: HashMap<GlobalId, usize>,
    /// Where the number of the memory lies.
    memory: MemoryPlace,
    /// Globals that tell no states apart.
    hidden: Vec<GlobalId>,
    /// Functions that say where data lie that tell no states apart, and how many bytes they have.
    unmatched: Vec<(FuncId, FuncId)>,
    /// Data declared with `c_state` in `now` or in a process type.
    data: Vec<(String, Option<usize>)>,
    table: Mutex<Table>,
    found: Mutex<Vec<CodeFault>>,
}

/// A piece in the program.
struct Entry {
    function: FuncId,
    precondition: Option<FuncId>,
    /// The text of the precondition, for messages.
    text: Arc<str>,
}

/// What C needs of a process type.
struct ProcessCode {
    /// Objects for its variables: one for all processes, or one for each number a process can have.
    objects: Vec<GlobalId>,
    copied: Vec<Copied>,
    /// Gives C data of a process their first values.
    start: Option<FuncId>,
    /// Whether C data belong to each process.
    has_data: bool,
}

/// What went wrong in C code.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CodeFault {
    /// The kind of violation; none if it is only that nothing is known from here on.
    pub kind: Option<ViolationKind>,
    /// What to tell the user.
    pub message: String,
    /// The file, as the user named it.
    pub file: String,
    /// From one; 0 if there is no place.
    pub line: u32,
    /// From one.
    pub column: u32,
    /// The C function, if it is one of the user's.
    pub function: Option<String>,
}

impl Embedded {
    /// What went wrong, by its number.
    pub fn fault(&self, number: u32) -> Option<CodeFault> {
        let found = self.found.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        found.get(number as usize).cloned()
    }

    /// Everything that went wrong so far, whoever asked.
    pub fn faults(&self) -> Vec<CodeFault> {
        self.found.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).clone()
    }

    /// How many bytes the memories take.
    pub fn bytes(&self) -> u64 {
        self.table.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).bytes()
    }

    /// The text of the program, which stands for all of it.
    pub fn text(&self) -> String {
        crate::text::print(&self.program)
    }

    /// Leaves assertions in C code out.
    pub fn without_assertions(&mut self) {
        self.options.checks = self.options.checks.without(ViolationKind::Assertion);
    }

    /// Whether starting and ending a process of this type changes C data.
    pub fn has_data(&self, proctype: super::ProctypeId) -> bool {
        self.processes.get(proctype.0 as usize).is_some_and(|process| process.has_data)
    }

    /// The number of something that went wrong; the same for the same.
    fn note(&self, fault: CodeFault) -> u32 {
        let mut found = self.found.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let known = found.iter().position(|known| *known == fault);
        known.unwrap_or_else(|| {
            found.push(fault);
            found.len() - 1
        }) as u32
    }

    fn place(&self, loc: Loc) -> (String, u32, u32) {
        let file = self.program.files.get(loc.file).cloned().unwrap_or_default();
        (file, loc.line, loc.column)
    }
}

/// The program and what is checked stand for all of it: what was met on the way is no part of what it means.
impl PartialEq for Embedded {
    fn eq(&self, other: &Self) -> bool {
        self.program == other.program && self.memory == other.memory && self.options.checks == other.options.checks
    }
}

impl Eq for Embedded {}

/// The program stands for all of it, as for equality.
impl std::fmt::Debug for Embedded {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text())
    }
}
