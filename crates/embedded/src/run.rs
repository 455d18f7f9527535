//! Execution of one piece of C in a state of the model.
//!
//! The memory with the state's number gets the variables of the model, the function of the piece runs to its end on
//! the reference interpreter of C, and what it left is taken apart again. Everything else that can come of it (a
//! violation, something without a model, a choice) is a fault of the step.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::{Arc, Weak};

use unpick_automaton::embedded::{Caller, CodeFault, Frames};
use unpick_base::{Span, ViolationKind};

use super::Embedded;
use super::memo::{Memo, Outcome};
use super::mirror::{Copied, From, NoNumber};
use unpick_automaton::code::PieceId;
use unpick_automaton::interp::{Fault, FaultKind};
use unpick_automaton::{Scalar, Scope};
use unpick_program::interp::{Machine, Observer, Prepared, State, Stop, Until, Value, Wants};
use unpick_program::{FuncId, GlobalId, Loc};

/// How many instructions a piece may execute.
const FUEL: u64 = 50_000_000;

/// How many memories a thread of ours keeps ready.
const MAX_READY: usize = 4096;

/// What one thread of ours needs to run C.
pub(super) struct Scratch {
    of: Weak<()>,
    pub(super) prepared: Prepared,
    ready: RefCell<HashMap<u32, State, foldhash::fast::RandomState>>,
    memo: RefCell<Memo>,
}

thread_local! {
    /// States of the C interpreter belong to one thread, so each has its own; those of dropped models are dropped
    /// when the next is made.
    static SCRATCHES: RefCell<Vec<Rc<Scratch>>> = const { RefCell::new(Vec::new()) };
}

/// Sees what a run prints and returns.
#[derive(Default)]
struct RunObserver {
    value: Option<Value>,
    output: Vec<u8>,
    /// What it leans on.
    note: Option<String>,
}

impl Observer for RunObserver {
    fn wants(&self) -> Wants {
        Wants::RARE
    }

    fn returned(&mut self, state: &State, thread: usize, _: FuncId, value: Option<Value>) {
        if state.depth(thread) == 1 {
            self.value = value;
        }
    }

    fn note(&mut self, text: &str) {
        self.note.get_or_insert_with(|| text.to_owned());
    }

    fn output(&mut self, stream: i32, bytes: &[u8]) {
        if stream == 1 {
            self.output.extend_from_slice(bytes);
        }
    }
}

impl Embedded {
    pub(super) fn scratch(&self) -> Rc<Scratch> {
        SCRATCHES.with_borrow_mut(|rooms| {
            let is_ours = |scratch: &&Rc<Scratch>| std::ptr::eq(scratch.of.as_ptr(), Arc::as_ptr(&self.identity));
            if let Some(scratch) = rooms.iter().find(is_ours) {
                return scratch.clone();
            }
            rooms.retain(|scratch| scratch.of.strong_count() > 0);
            let mut prepared = Machine::new(&self.program, self.options.clone()).prepared();
            for process in self.processes.iter() {
                for (object, copied) in
                    process.objects.iter().flat_map(|one| process.copied.iter().map(move |at| (one, at)))
                {
                    prepared.forget(*object, copied.bit / 8, copied.bytes().0);
                }
            }
            let scratch = Rc::new(Scratch {
                of: Arc::downgrade(&self.identity),
                prepared,
                ready: RefCell::default(),
                memo: RefCell::default(),
            });
            rooms.push(scratch.clone());
            scratch
        })
    }

    /// Gives C data their first values; part of making the first state.
    pub(super) fn set_first_values(&self, frames: &mut dyn Frames) -> Result<(), Fault> {
        let scratch = self.scratch();
        let machine = Machine::again(&self.program, self.options.clone(), &scratch.prepared);
        let mut state = machine.at_rest();
        // The first memory is number 0, whatever its first values do to it.
        let bytes = machine.freeze(&state).map_err(|why| self.unknown(why.0.to_owned(), Loc::NONE))?;
        self.lock().number(&bytes);
        if let Some(start) = self.start {
            self.call(&machine, &mut state, start, &[], &mut RunObserver::default())?;
        }
        self.keep(&machine, state, &scratch, frames)
    }

    /// Gives the C data of a new process their first values.
    pub(super) fn begin_process(&self, frames: &mut dyn Frames, caller: Caller) -> Result<(), Fault> {
        let Some(start) = caller.proctype.and_then(|proctype| self.processes[proctype].start) else { return Ok(()) };
        self.with(frames, caller, |machine, state, object| {
            self.call(machine, state, start, &self.args(machine, object), &mut RunObserver::default())
        })
    }

    /// Forgets the C data of a process that ends.
    pub(super) fn forget_process(&self, frames: &mut dyn Frames, caller: Caller) -> Result<(), Fault> {
        let Some(proctype) = caller.proctype.filter(|proctype| self.processes[*proctype].has_data) else {
            return Ok(());
        };
        let scratch = self.scratch();
        let machine = Machine::again(&self.program, self.options.clone(), &scratch.prepared);
        let mut state = self.memory(&machine, &scratch, frames);
        if let Some(object) = self.object_of(proctype, caller.process) {
            machine.blank(&mut state, machine.pointer_to(object), self.program.globals[object].size);
            self.processes[proctype].copied.iter().for_each(|copied| {
                copied.forget(&machine, &mut state, object);
            });
        }
        self.keep(&machine, state, &scratch, frames)
    }

    /// Executes statements; false if they do not want to be executed. Caller wants what they print gets it.
    pub(super) fn run_statements(
        &self,
        frames: &mut dyn Frames,
        caller: Caller,
        piece: PieceId,
        span: Span,
        output: Option<&mut Vec<u8>>,
    ) -> Result<bool, Fault> {
        let scratch = self.scratch();
        let key = self.seen(frames, caller, piece);
        if output.is_none() {
            match scratch.memo.borrow().get(&key) {
                Some(Outcome::Done(after)) => {
                    self.repeat(frames, caller, after);
                    return Ok(true);
                }
                Some(Outcome::Refused) => return Ok(false),
                Some(Outcome::Value(_)) | None => {}
            }
        }
        let mut watcher = RunObserver::default();
        let done = self.run(frames, caller, piece, &mut watcher);
        if let Some(output) = output {
            output.append(&mut watcher.output);
        }
        let is_wanted = done.map_err(|fault| at(fault, span))?;
        let outcome = if is_wanted { self.after(frames, caller) } else { Outcome::Refused };
        scratch.memo.borrow_mut().insert(key, outcome);
        Ok(is_wanted)
    }

    fn run(
        &self,
        frames: &mut dyn Frames,
        caller: Caller,
        piece: PieceId,
        watcher: &mut RunObserver,
    ) -> Result<bool, Fault> {
        let entry = &self.pieces[piece];
        let mut is_wanted = true;
        self.with(frames, caller, |machine, state, object| {
            let args = self.args(machine, object);
            if let Some(precondition) = entry.precondition {
                self.call(machine, state, precondition, &args, watcher)?;
                if self.number(watcher.value)? == 0 {
                    if self.options.checks.contains(ViolationKind::Assertion) {
                        return Err(self.precondition(&entry.text));
                    }
                    is_wanted = false;
                    return Ok(());
                }
            }
            self.call(machine, state, entry.function, &args, watcher)
        })?;
        Ok(is_wanted)
    }

    /// The value of an expression.
    pub(super) fn evaluate(
        &self,
        frames: &dyn Frames,
        caller: Caller,
        piece: PieceId,
        span: Span,
    ) -> Result<i32, Fault> {
        let scratch = self.scratch();
        let key = self.seen(frames, caller, piece);
        if let Some(Outcome::Value(value)) = scratch.memo.borrow().get(&key) {
            return Ok(*value);
        }
        let value = self.look(frames, caller, piece).map_err(|fault| at(fault, span))?;
        scratch.memo.borrow_mut().insert(key, Outcome::Value(value));
        Ok(value)
    }

    fn look(&self, frames: &dyn Frames, caller: Caller, piece: PieceId) -> Result<i32, Fault> {
        let entry = &self.pieces[piece];
        let scratch = self.scratch();
        let machine = Machine::again(&self.program, self.options.clone(), &scratch.prepared);
        let mut state = self.memory(&machine, &scratch, frames);
        let number = self.number_in(frames) as u32;
        let object = self.put_all(&machine, &mut state, frames, caller);
        let args = self.args(&machine, object);
        let mut watcher = RunObserver::default();
        if let Some(precondition) = entry.precondition {
            self.call(&machine, &mut state, precondition, &args, &mut watcher)?;
            if self.number(watcher.value)? == 0 {
                return Err(self.precondition(&entry.text));
            }
        }
        self.call(&machine, &mut state, entry.function, &args, &mut watcher)?;
        let value = self.number(watcher.value)?;
        let mut is_same = true;
        self.each(caller, |copied, home| {
            let home = home.or(object);
            is_same &=
                home.is_none_or(|home| copied.get(&machine, &state, home).ok() == Some(copied.read(frames, caller)));
        });
        self.wipe(&machine, &mut state, caller, object);
        let bytes = machine.freeze(&state).map_err(|why| self.unknown(why.0.to_owned(), Loc::NONE))?;
        if !is_same || self.lock().number(&bytes) != number {
            let message = "a `c_expr` changes data, so that its value depends on the search".to_owned();
            return Err(self.unknown(message, Loc::NONE));
        }
        Ok(value)
    }

    /// Runs something in the memory of a state and takes what it leaves back into the state.
    fn with(
        &self,
        frames: &mut dyn Frames,
        caller: Caller,
        run: impl FnOnce(&Machine<'_>, &mut State, Option<GlobalId>) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        let scratch = self.scratch();
        let machine = Machine::again(&self.program, self.options.clone(), &scratch.prepared);
        let mut state = self.memory(&machine, &scratch, frames);
        let object = self.put_all(&machine, &mut state, frames, caller);
        run(&machine, &mut state, object)?;
        self.take_all(&machine, &state, frames, caller, object)?;
        self.wipe(&machine, &mut state, caller, object);
        self.check_others(&machine, &state)?;
        self.keep(&machine, state, &scratch, frames)
    }

    /// The memory that a state of the model names.
    pub(super) fn memory(&self, machine: &Machine<'_>, scratch: &Scratch, frames: &dyn Frames) -> State {
        let number = self.number_in(frames) as u32;
        if let Some(state) = scratch.ready.borrow().get(&number) {
            return state.clone();
        }
        let bytes = self.lock().get(number).expect("a state should name a memory that was met");
        let state = machine.thaw(&bytes);
        self.remember(scratch, number, &state);
        state
    }

    fn remember(&self, scratch: &Scratch, number: u32, state: &State) {
        let mut ready = scratch.ready.borrow_mut();
        if ready.len() >= MAX_READY {
            ready.clear();
        }
        ready.insert(number, state.clone());
    }

    /// Writes the number of a memory into a state of the model.
    fn keep(
        &self,
        machine: &Machine<'_>,
        mut state: State,
        scratch: &Scratch,
        frames: &mut dyn Frames,
    ) -> Result<(), Fault> {
        let unknown = |why: unpick_program::interp::Unfrozen| self.unknown(why.0.to_owned(), Loc::NONE);
        let bytes = machine.freeze(&state).map_err(unknown)?;
        let number = self.lock().number(&bytes);
        if !scratch.ready.borrow().contains_key(&number) {
            // Numbers of objects are those of the order in which they are found, as everywhere.
            self.remember(scratch, number, &machine.thaw(&bytes));
        }
        frames.set(self.scope(), 0, self.offset(), Scalar::Int, number as i32);
        if self.memory.hidden_at.is_some() {
            for (place, size) in &self.unmatched {
                self.blank(machine, &mut state, *place, *size)?;
            }
            for global in &self.hidden {
                machine.blank(&mut state, machine.pointer_to(*global), self.program.globals[*global].size);
            }
            let bytes = machine.freeze(&state).map_err(unknown)?;
            let matched = self.lock().matched(&bytes);
            frames.set(Scope::Global, 0, self.memory.at, Scalar::Int, matched as i32);
        }
        Ok(())
    }

    /// Sets data to zero whose place and size two functions know.
    fn blank(&self, machine: &Machine<'_>, state: &mut State, place: FuncId, size: FuncId) -> Result<(), Fault> {
        let mut watcher = RunObserver::default();
        self.call(machine, state, size, &[], &mut watcher)?;
        let size = watcher.value.and_then(Value::bits).unwrap_or(0) as u64;
        self.call(machine, state, place, &[], &mut watcher)?;
        if let Some(Value::Ptr(pointer)) = watcher.value {
            machine.blank(state, pointer, size);
        }
        Ok(())
    }

    /// The number of the memory that a state of the model names.
    pub(super) fn number_in(&self, frames: &dyn Frames) -> i32 {
        frames.get(self.scope(), 0, self.offset(), Scalar::Int)
    }

    /// Where the number of the whole memory lies.
    pub(super) fn scope(&self) -> Scope {
        if self.memory.hidden_at.is_some() { Scope::Hidden } else { Scope::Global }
    }

    pub(super) fn offset(&self) -> u32 {
        self.memory.hidden_at.unwrap_or(self.memory.at)
    }

    pub(super) fn each(&self, caller: Caller, mut see: impl FnMut(&Copied, Option<GlobalId>)) {
        self.globals.iter().for_each(|copied| see(copied, copied.object));
        if let Some(proctype) = caller.proctype {
            self.processes[proctype].copied.iter().for_each(|copied| see(copied, None));
        }
    }

    /// Puts the variables of the model where C text finds them. Gives the object of the process.
    fn put_all(
        &self,
        machine: &Machine<'_>,
        state: &mut State,
        frames: &dyn Frames,
        caller: Caller,
    ) -> Option<GlobalId> {
        let object = caller.proctype.and_then(|proctype| self.object_of(proctype, caller.process));
        self.each(caller, |copied, home| {
            if let Some(home) = home.or(object) {
                copied.put(machine, state, home, copied.read(frames, caller));
            }
        });
        object
    }

    /// Takes them back.
    fn take_all(
        &self,
        machine: &Machine<'_>,
        state: &State,
        frames: &mut dyn Frames,
        caller: Caller,
        object: Option<GlobalId>,
    ) -> Result<(), Fault> {
        let mut done = Ok(());
        self.each(caller, |copied, home| {
            let Some(home) = home.or(object) else { return };
            let old = copied.read(frames, caller);
            match (copied.get(machine, state, home), copied.from) {
                (Ok(new), _) if new == old => {}
                (Ok(new), From::Var { scope, offset, scalar }) => {
                    frames.set(scope, caller.process, offset, scalar, new)
                }
                (Ok(_), From::Pid | From::ProcessCount | From::Last) => {
                    done = Err(self.unknown(format!("C code changes `{}`", copied.name), Loc::NONE));
                }
                (Err(NoNumber::Indeterminate), _) => {
                    let message = format!("C code leaves an indeterminate value in `{}`", copied.name);
                    done = Err(self.go_wrong(Some(ViolationKind::Uninitialized), message, Loc::NONE, None));
                }
                (Err(NoNumber::Address), _) => {
                    let message = format!("C code leaves a pointer in `{}`, a number of the model", copied.name);
                    done = Err(self.unknown(message, Loc::NONE));
                }
            }
        });
        done
    }

    /// Between two steps the places of global variables are zero, and those of local ones hold nothing.
    fn wipe(&self, machine: &Machine<'_>, state: &mut State, caller: Caller, object: Option<GlobalId>) {
        self.each(caller, |copied, home| match (home, object) {
            (Some(home), _) => copied.put(machine, state, home, 0),
            (None, Some(object)) => copied.forget(machine, state, object),
            (None, None) => {}
        });
    }

    /// Variables of processes that are not at work have no storage, so they cannot have been written to.
    fn check_others(&self, machine: &Machine<'_>, state: &State) -> Result<(), Fault> {
        for changed in machine.changed(state) {
            let Some(process) = self.owners.get(&changed).map(|owner| &self.processes[*owner]) else { continue };
            let is_empty = |copied: &Copied| copied.get(machine, state, changed).is_err();
            if !process.copied.iter().all(is_empty) {
                let message = "C code writes to a variable of another process through a pointer".to_owned();
                return Err(self.unknown(message, Loc::NONE));
            }
        }
        Ok(())
    }

    fn args(&self, machine: &Machine<'_>, object: Option<GlobalId>) -> Vec<Value> {
        object.map(|object| Value::Ptr(machine.pointer_to(object))).into_iter().collect()
    }

    /// Runs a function to its end.
    fn call(
        &self,
        machine: &Machine<'_>,
        state: &mut State,
        function: FuncId,
        args: &[Value],
        watcher: &mut RunObserver,
    ) -> Result<(), Fault> {
        watcher.value = None;
        machine.begin(state, function, &args[..args.len().min(self.program.functions[function].params.len())]);
        let until = Until { fuel: FUEL, ..Until::NEVER };
        let stop = machine.run(state, 0, until, watcher);
        if let Some(note) = &watcher.note {
            return Err(self.unknown(format!("C code leans on an assumption: {note}"), Loc::NONE));
        }
        match stop {
            Stop::ThreadEnded if state.n_live_threads() == 0 => {
                machine.rest(state);
                Ok(())
            }
            Stop::ThreadEnded => Err(self.unknown("C code of the model starts threads".to_owned(), Loc::NONE)),
            Stop::Violated(violation) => {
                let is_ours = violation.function.starts_with("__unpick_");
                let function = (!is_ours).then_some(violation.function);
                Err(self.go_wrong(Some(violation.kind), violation.message, violation.loc, function))
            }
            Stop::Unmodelled { loc, what } => Err(self.unknown(what, loc)),
            Stop::Limit { what, loc } => Err(self.unknown(what, loc)),
            Stop::Fuel => {
                let message = format!("C code does not come to an end within {FUEL} instructions");
                Err(self.unknown(message, self.here(state)))
            }
            Stop::Choice(_) | Stop::TooWide { .. } => {
                let message = "C code depends on something that can have any value; let the model choose it";
                Err(self.unknown(message.to_owned(), self.here(state)))
            }
            Stop::Exited { .. } => Err(self.unknown("C code ends the program".to_owned(), self.here(state))),
            Stop::Infeasible => {
                let message = "C code makes an assumption that does not hold; say it in the model";
                Err(self.unknown(message.to_owned(), self.here(state)))
            }
            Stop::Blocked | Stop::LoopHead(..) | Stop::Shared => {
                Err(self.unknown("C code waits for something that does not come".to_owned(), self.here(state)))
            }
        }
    }

    /// Where the run stands, on the user's lines.
    fn here(&self, state: &State) -> Loc {
        let frames = state.frames(&self.program, 0);
        let is_users = |function: FuncId| !self.program.functions[function].is_model;
        frames.iter().rev().find(|frame| is_users(frame.function)).map_or(Loc::NONE, |frame| frame.loc)
    }

    /// What a C function returned, as a number of the model.
    fn number(&self, value: Option<Value>) -> Result<i32, Fault> {
        match value {
            Some(Value::Bits(bits)) => Ok(bits as u32 as i32),
            Some(Value::Undef) | None => {
                let message = "a C expression has an indeterminate value".to_owned();
                Err(self.go_wrong(Some(ViolationKind::Uninitialized), message, Loc::NONE, None))
            }
            Some(Value::Wide(_) | Value::Ptr(_) | Value::Fragment { .. } | Value::Lazy(_)) => {
                Err(self.unknown("a C expression has an address for a value".to_owned(), Loc::NONE))
            }
        }
    }

    fn precondition(&self, text: &str) -> Fault {
        let message = format!("the precondition `{text}` does not hold");
        self.go_wrong(Some(ViolationKind::Assertion), message, Loc::NONE, None)
    }

    fn unknown(&self, message: String, loc: Loc) -> Fault {
        self.go_wrong(None, message, loc, None)
    }

    fn go_wrong(&self, kind: Option<ViolationKind>, message: String, loc: Loc, function: Option<String>) -> Fault {
        let (file, line, column) = self.place(loc);
        let number = self.note(CodeFault { kind, message, file, line, column, function });
        Fault { kind: FaultKind::Code(number), span: Span::NONE }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, super::Table> {
        self.table.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

impl Copied {
    /// Its value in a state of the model.
    pub(super) fn read(&self, frames: &dyn Frames, caller: Caller) -> i32 {
        match self.from {
            From::Var { scope, offset, scalar } => frames.get(scope, caller.process, offset, scalar),
            From::Pid => caller.process.into(),
            From::ProcessCount => frames.n_processes(),
            From::Last => frames.last(),
        }
    }
}

fn at(fault: Fault, span: Span) -> Fault {
    match fault.span {
        Span::NONE => Fault { span, ..fault },
        _ => fault,
    }
}
