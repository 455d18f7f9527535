//! Execution of embedded C: the C program of a model, the function of each piece, and the C memories of its states.
//!
//! A step with C code works on a memory of the C program: its globals, static variables and heap, all of them,
//! whether the model tracks them or not. Memories are kept once each and have numbers ([`table`]); a state of the
//! model holds the number, as one more global variable of four bytes, so that storing, hashing and comparing
//! states need no knowledge of C. Data that tell no states apart (`c_state "..." "Hidden"`, `c_track ... "UnMatched"`)
//! make two numbers of it: that of the memory among the hidden variables, and that of the memory without such data
//! among the others.
//!
//! The variables of the model lie in C objects while C code runs (`now`, one for the variables of a process): they
//! are copied there before and back after ([`mirror`]). Between two steps these places are zero.

#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod footprint;
mod link;
mod memo;
mod mirror;
mod run;
mod show;
mod table;

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use unpick_automaton::code::{MemoryPlace, PieceId};
use unpick_automaton::embedded::{Caller, CodeFault, EmbeddedCode, Frames, ShownData};
use unpick_automaton::interp::Fault;
use unpick_automaton::{Place, ProctypeId};
use unpick_base::{IdVec, Span, ViolationKind};
use unpick_program::interp::Options;
use unpick_program::{FuncId, GlobalId, Loc, Program};

use mirror::Copied;
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
    processes: IdVec<ProctypeId, ProcessCode>,
    /// The process types that objects are for.
    owners: HashMap<GlobalId, ProctypeId>,
    /// Where the number of the memory lies.
    memory: MemoryPlace,
    /// Globals that tell no states apart.
    hidden: Vec<GlobalId>,
    /// Functions that say where data lie that tell no states apart, and how many bytes they have.
    unmatched: Vec<(FuncId, FuncId)>,
    /// Data declared with `c_state` in `now` or in a process type.
    data: Vec<(String, Option<ProctypeId>)>,
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

impl Embedded {
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

impl EmbeddedCode for Embedded {
    fn start(&self, frames: &mut dyn Frames) -> Result<(), Fault> {
        self.set_first_values(frames)
    }

    fn start_process(&self, frames: &mut dyn Frames, caller: Caller) -> Result<(), Fault> {
        self.begin_process(frames, caller)
    }

    fn end_process(&self, frames: &mut dyn Frames, caller: Caller) -> Result<(), Fault> {
        self.forget_process(frames, caller)
    }

    fn execute(
        &self,
        frames: &mut dyn Frames,
        caller: Caller,
        piece: PieceId,
        span: Span,
        output: Option<&mut Vec<u8>>,
    ) -> Result<bool, Fault> {
        self.run_statements(frames, caller, piece, span, output)
    }

    fn value(&self, frames: &dyn Frames, caller: Caller, piece: PieceId, span: Span) -> Result<i32, Fault> {
        self.evaluate(frames, caller, piece, span)
    }

    fn shown(&self, frames: &dyn Frames, processes: &[Caller]) -> Vec<ShownData> {
        self.declared_data(frames, processes)
    }

    fn fault(&self, number: u32) -> Option<CodeFault> {
        let found = self.found.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        found.get(number as usize).cloned()
    }

    fn faults(&self) -> Vec<CodeFault> {
        self.found.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).clone()
    }

    fn bytes(&self) -> u64 {
        self.table.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).bytes()
    }

    fn has_data(&self, proctype: ProctypeId) -> bool {
        self.processes.get(proctype).is_some_and(|process| process.has_data)
    }

    fn touched(&self) -> Vec<Place> {
        self.touched_places()
    }

    fn counts_processes(&self) -> bool {
        self.reads_process_count()
    }

    fn without_assertions(&mut self) {
        self.options.checks = self.options.checks.without(ViolationKind::Assertion);
    }

    /// The program, where the number of the memory lies and what is checked; what was met on the way is no part of it.
    fn text(&self) -> String {
        let (memory, checks) = (self.memory, self.options.checks);
        format!("{memory:?}\n{checks:?}\n{}", unpick_program::text::print(&self.program))
    }
}
