//! Narration: a replay as steps on source lines.
//!
//! Consecutive instructions of one line in one activation make a step; coming round a loop begins a new one.
//! What a library function does is told as part of the line that called it: only what it changes in the user's
//! objects is seen. Temporaries are never seen.

mod operands;
mod signal;
mod turn;

use unpick_program::interp::{Machine, ObjectKind, Observer, Pointer, State, Value};
use unpick_program::{Block, FuncId, Loc, Program, RegId, ShapeId, Stmt, show};

use crate::place::leaves;
use crate::wait::is_handler;
use crate::{Actors, Change, Chosen, Made, Message, Part, Scope, Step, Trace};
use operands::Operands;
use signal::LostSignal;
pub(crate) use turn::TurnEnd;
use turn::Turns;

/// Of very long executions the first and the last steps are kept.
const N_FIRST: usize = 1_000;
const N_LAST: usize = 100_000;
/// Steps in which names for heap objects are looked for everywhere.
const N_NAMED: usize = 2_000;

/// Fewer bytes of an input are told one by one.
const MIN_BYTES: usize = 3;

/// The observer of a replay.
pub(crate) struct Narrator<'m, 'p> {
    machine: &'m Machine<'p>,
    threads: Vec<Vec<Activation>>,
    n_activations: u64,
    steps: Vec<Step>,
    n_omitted: u64,
    open: Option<Open>,
    /// The next instruction begins a new step whatever its line.
    is_cut: bool,
    /// The numbers of the steps that were begun, in order; none for those that were taken back.
    numbers: Vec<Option<usize>>,
    turns: Turns,
    /// The function that each thread began with.
    names: Vec<String>,
    /// Starts and ends of threads that others have yet to notice.
    handed: Vec<Handed>,
    n_messages: u64,
    /// The latest lost signals.
    lost: Vec<LostSignal>,
    /// The numbers of threads that are interrupt handlers.
    handlers: Vec<u32>,
    /// The program has marked progress or, if it never does, started or ended a thread.
    pub has_progressed: bool,
    has_marks: bool,
}

/// Something that a thread has yet to notice.
struct Handed {
    to: usize,
    message: Message,
}

/// A function at work.
struct Activation {
    number: u64,
    function: FuncId,
    loc: Loc,
    /// Its parameters have been told.
    is_told: bool,
}

/// The step being told.
struct Open {
    thread: usize,
    /// How many steps were begun before.
    serial: u32,
    activation: u64,
    loc: Loc,
    step: Step,
    values: Vec<ShownValue>,
    /// How many of the values are those of parameters.
    n_params: usize,
    /// Parts of shared objects that the line has read.
    reads: Vec<(Pointer, u64, u64)>,
    /// The bytes among what was chosen, one entry for each choice.
    bytes: Vec<Option<u8>>,
    /// What the line has compared.
    operands: Operands,
    /// Something has happened that others can notice.
    has_effect: bool,
}

/// A variable or part of one that the step touched.
struct ShownValue {
    what: What,
    shape: Option<ShapeId>,
    change: Change,
}

#[derive(PartialEq)]
enum What {
    Register(u64, RegId),
    Memory(Pointer, u64, u64),
}

impl Open {
    /// The activation at work.
    fn scope(&self) -> Scope {
        Scope { thread: self.step.thread, function: self.step.function.clone(), depth: self.step.depth }
    }

    /// Whether control has passed and nothing else.
    fn is_blank(&self) -> bool {
        let step = &self.step;
        !step.is_eventful()
            && step.calls.is_empty()
            && step.folded.is_empty()
            && self.values.iter().all(|watched| watched.change.old == watched.change.new)
    }
}

/// The activation that a stack object belongs to; mostly one of the running thread.
fn owner(program: &Program, state: &State, running: usize, object: Pointer) -> Option<Scope> {
    let ObjectKind::Slot(function, slot) = state.object(object)?.kind else { return None };
    let others = (0..state.n_threads()).filter(|thread| *thread != running);
    for thread in std::iter::once(running).chain(others) {
        let frames = state.frames(program, thread);
        let is_owner = |at: &usize| {
            frames[*at].function == function
                && state.slot(thread, *at, slot).is_some_and(|place| place.same_object(object))
        };
        if let Some(at) = (0..frames.len()).rev().find(is_owner) {
            let own = frames[..=at].iter().filter(|frame| !program.functions[frame.function].is_model);
            let function = program.functions[function].source_name.clone();
            return Some(Scope { thread: thread as u32, function, depth: own.count() as u32 });
        }
    }
    None
}

/// What was chosen, with many bytes of one input as one line in hexadecimal.
fn joined(choices: Vec<Chosen>, bytes: &[Option<u8>]) -> Vec<Chosen> {
    let mut told: Vec<Chosen> = Vec::new();
    let mut at = 0;
    while at < choices.len() {
        let is_run = |next: &usize| choices[*next].label == choices[at].label && bytes[*next].is_some();
        let n_bytes = (at..choices.len()).take_while(is_run).count();
        if n_bytes < MIN_BYTES {
            told.push(choices[at].clone());
            at += 1;
            continue;
        }
        let hexadecimal = bytes[at..at + n_bytes].iter().flatten().map(|byte| format!("{byte:02x}"));
        let value = format!("bytes {}", hexadecimal.collect::<Vec<_>>().join(" "));
        told.push(Chosen { label: choices[at].label.clone(), value });
        at += n_bytes;
    }
    told
}

/// The number of a heap object.
fn heap_number(state: &State, object: Pointer) -> Option<u64> {
    match state.object(object)?.kind {
        ObjectKind::Heap(number) => Some(number),
        ObjectKind::Global(_) | ObjectKind::Slot(..) | ObjectKind::Alloca(_) => None,
    }
}

impl What {
    /// Whether a part of an object lies within.
    fn covers(&self, object: Pointer, offset: u64, size: u64) -> bool {
        match self {
            What::Register(..) => false,
            What::Memory(other, start, len) => {
                other.same_object(object) && *start <= offset && offset + size <= start + len
            }
        }
    }
}

impl<'m, 'p> Narrator<'m, 'p> {
    pub(crate) fn new(machine: &'m Machine<'p>) -> Self {
        Self {
            machine,
            threads: Vec::new(),
            n_activations: 0,
            steps: Vec::new(),
            n_omitted: 0,
            open: None,
            is_cut: false,
            numbers: Vec::new(),
            turns: Turns::default(),
            names: Vec::new(),
            handed: Vec::new(),
            n_messages: 0,
            lost: Vec::new(),
            handlers: Vec::new(),
            has_progressed: false,
            has_marks: machine.marks_progress(),
        }
    }

    /// Ends the step at hand unless nothing has happened in it; the number of the step that follows.
    pub(crate) fn cut(&mut self) -> usize {
        self.is_cut = true;
        if !self.has_only_begun() {
            self.close();
        }
        self.steps.len()
    }

    /// The execution as told.
    pub(crate) fn finish(&mut self) -> Trace {
        self.close();
        Trace {
            steps: std::mem::take(&mut self.steps),
            loop_start: None,
            n_omitted: self.n_omitted,
            n_switches: self.turns.n_switches,
            n_preemptions: self.turns.n_preemptions,
            actors: Actors {
                names: std::mem::take(&mut self.names),
                handlers: std::mem::take(&mut self.handlers),
                ..Actors::default()
            },
            constants: Vec::new(),
        }
    }

    /// Which step is being told of a thread, counting also those that are taken back later.
    pub(crate) fn serial(&self, thread: usize) -> Option<u32> {
        self.open.as_ref().filter(|open| open.thread == thread).map(|open| open.serial)
    }

    /// The numbers of steps by their serials; none if some were left out.
    pub(crate) fn numbers(&self) -> Option<&[Option<usize>]> {
        (self.n_omitted == 0).then_some(&self.numbers)
    }

    /// The environment has decided something.
    pub(crate) fn choice(&mut self, thread: usize, label: &str, value: String, byte: Option<u8>) {
        self.turn_to(None, thread);
        // What a library function leaves open is its business: its name tells more than how it asks.
        let inner = self.user(thread).and_then(|at| self.threads[thread].get(at + 1));
        let name = inner.map(|inner| &self.machine.program.functions[inner.function].source_name);
        let label = name.map_or_else(|| label.to_owned(), |name| format!("{name}()"));
        if let Some(open) = &mut self.open {
            open.step.choices.push(Chosen { label, value });
            open.bytes.push(byte);
        }
    }

    /// How many pointers the names of heap objects may lead through: long executions have no time for it.
    fn n_levels(&self) -> usize {
        if self.steps.len() < N_NAMED { 2 } else { 0 }
    }

    fn is_model(&self, function: FuncId) -> bool {
        self.machine.program.functions[function].is_model
    }

    fn push(&mut self, thread: usize, function: FuncId) {
        while self.threads.len() <= thread {
            self.threads.push(Vec::new());
        }
        let number = thread as u32;
        if self.threads[thread].is_empty()
            && !self.handlers.contains(&number)
            && self.machine.has_interrupts()
            && is_handler(self.machine.program, function)
        {
            self.handlers.push(number);
        }
        self.n_activations += 1;
        let activation = Activation { number: self.n_activations, function, loc: Loc::NONE, is_told: false };
        self.threads[thread].push(activation);
    }

    /// Notes where the running function is.
    fn arrive(&mut self, thread: usize, function: FuncId, loc: Loc) {
        if self.threads.get(thread).is_none_or(Vec::is_empty) {
            self.push(thread, function);
        }
        if let Some(top) = self.threads[thread].last_mut()
            && loc.line != 0
        {
            top.loc = loc;
        }
    }

    /// The innermost activation of the user's own code.
    fn user(&self, thread: usize) -> Option<usize> {
        self.threads.get(thread)?.iter().rposition(|activation| !self.is_model(activation.function))
    }

    /// The same with its frame in the state, which has the same order.
    fn user_frame(&self, state: &State, thread: usize) -> Option<(usize, usize, FuncId)> {
        let at = self.user(thread)?;
        let activations = &self.threads[thread];
        let frame = state.depth(thread).checked_sub(activations.len() - at)?;
        Some((thread, frame, activations[at].function))
    }

    /// Makes the step at hand that of the line where the user's code is.
    fn turn_to(&mut self, state: Option<&State>, thread: usize) {
        let Some(at) = self.user(thread) else { return };
        let activation = &self.threads[thread][at];
        let (number, loc, function) = (activation.number, activation.loc, activation.function);
        if loc.line == 0 {
            return;
        }
        let is_same = self.open.as_ref().is_some_and(|open| {
            open.thread == thread && open.activation == number && open.loc.line == loc.line && open.loc.file == loc.file
        });
        if is_same && (!self.is_cut || self.has_only_begun()) {
            self.is_cut = false;
            return;
        }
        self.close();
        let is_continued = !self.is_cut && self.turns.is_latest(thread, number, loc);
        self.is_cut = false;
        let program = self.machine.program;
        let source_name = |function: FuncId| program.functions[function].source_name.clone();
        let own = self.threads[thread][..=at].iter().filter(|activation| !self.is_model(activation.function));
        let step = Step {
            thread: thread as u32,
            file: program.files.get(loc.file).cloned().unwrap_or_default(),
            line: loc.line,
            column: loc.column,
            function: source_name(function),
            depth: own.count() as u32,
            switch: self.turns.switch_to(thread),
            is_continued,
            folded: self.threads[thread].get(at + 1).map(|inner| source_name(inner.function)).into_iter().collect(),
            ..Step::default()
        };
        self.numbers.push(None);
        self.open = Some(Open {
            thread,
            serial: self.numbers.len() as u32 - 1,
            activation: number,
            loc,
            step,
            values: Vec::new(),
            n_params: 0,
            reads: Vec::new(),
            bytes: Vec::new(),
            operands: Operands::default(),
            has_effect: false,
        });
        if let (Some(state), false) = (state, self.threads[thread][at].is_told) {
            self.threads[thread][at].is_told = true;
            self.tell_parameters(state, thread, function);
        }
    }

    /// The first step of an activation shows what it was called with.
    fn tell_parameters(&mut self, state: &State, thread: usize, function: FuncId) {
        let Some((thread, frame, _)) = self.user_frame(state, thread) else { return };
        let body = &self.machine.program.functions[function];
        let Some(open) = &mut self.open else { return };
        for param in &body.params {
            let reg = &body.regs[*param];
            let Some(name) = &reg.name else { continue };
            let value = state.register(thread, frame, *param);
            let new = show::value(self.machine, state, value, reg.ty, reg.shape);
            let old = show::value(self.machine, state, Value::Undef, reg.ty, reg.shape);
            let what = What::Register(open.activation, *param);
            let change = Change { name: name.clone(), old, new, scope: Some(open.scope()), part: None };
            open.values.push(ShownValue { what, shape: reg.shape, change });
        }
        open.n_params = open.values.len();
    }

    /// The first step of a thread is where its start arrives.
    fn receive(&mut self, step: &mut Step) {
        let thread = step.thread as usize;
        self.names.resize(self.names.len().max(thread + 1), String::new());
        if self.names[thread].is_empty() {
            self.names[thread].clone_from(&step.function);
        }
        let arrived = self.handed.extract_if(.., |handed| handed.to == thread);
        step.received.extend(arrived.map(|handed| handed.message));
    }

    fn close(&mut self) {
        let Some(mut open) = self.open.take() else { return };
        self.receive(&mut open.step);
        // A line that others came between may write over what they wrote, even if the value stays the same.
        let is_continued = open.step.is_continued;
        let is_told = |watched: &ShownValue| {
            watched.change.old != watched.change.new || is_continued && matches!(watched.what, What::Memory(..))
        };
        open.step.changes = open.values.into_iter().filter(is_told).map(|watched| watched.change).collect();
        open.step.choices = joined(std::mem::take(&mut open.step.choices), &open.bytes);
        self.turns.told(open.thread, open.activation, &open.step);
        self.numbers[open.serial as usize] = Some(self.steps.len());
        self.steps.push(open.step);
        if self.steps.len() > N_FIRST + 2 * N_LAST {
            self.steps.drain(N_FIRST..N_FIRST + N_LAST);
            self.n_omitted += N_LAST as u64;
        }
    }
}

impl Observer for Narrator<'_, '_> {
    fn progress(&mut self) {
        self.has_progressed = true;
    }

    fn spawned(&mut self, _: &State, _: usize, child: usize) {
        self.has_progressed |= !self.has_marks;
        self.n_messages += 1;
        let message = Message { id: self.n_messages, channel: "start".to_owned(), text: String::new() };
        if let Some(open) = &mut self.open {
            open.step.sent.push(message.clone());
            self.handed.push(Handed { to: child, message });
        }
    }

    fn thread_ended(&mut self, _: &State, _: usize) {
        self.has_progressed |= !self.has_marks;
    }

    fn step(&mut self, state: &State, thread: usize, function: FuncId, stmt: &Stmt) {
        self.arrive(thread, function, stmt.loc);
        if !self.is_model(function) {
            self.turn_to(Some(state), thread);
            self.note_operands(state, thread, stmt);
        }
    }

    fn terminator(&mut self, state: &State, thread: usize, function: FuncId, block: &Block) {
        self.arrive(thread, function, block.loc);
        if !self.is_model(function) {
            self.turn_to(Some(state), thread);
            if block.loop_head.is_some() {
                self.is_cut = true;
                self.turns.forget_latest(thread);
            }
        }
    }

    fn before_write(&mut self, state: &State, thread: usize, object: Pointer, offset: u64, bytes: u64) {
        self.turn_to(Some(state), thread);
        let user = self.user_frame(state, thread);
        let innermost = self.threads.get(thread).and_then(|activations| activations.last());
        let is_folded = innermost.is_some_and(|activation| self.is_model(activation.function));
        let n_levels = self.n_levels();
        let scope = owner(self.machine.program, state, thread, object);
        let heap = heap_number(state, object);
        let Some(open) = &mut self.open else { return };
        open.has_effect = true;
        for leaf in leaves(self.machine, state, user, object, (offset, bytes), is_folded, n_levels) {
            // How the library uses its own members says nothing to the user.
            let is_internal = is_folded && leaf.name.split(['.', '>']).any(|member| member.starts_with("__"));
            if is_internal || open.values.iter().any(|watched| watched.what.covers(object, leaf.offset, leaf.size)) {
                continue;
            }
            let what = What::Memory(object.at(0), leaf.offset, leaf.size);
            let old = show::region(self.machine, state, object.at(0), leaf.offset, leaf.size, leaf.shape);
            let part = heap.map(|object| Part { object, offset: leaf.offset, size: leaf.size });
            let change = Change { name: leaf.name, new: old.clone(), old, scope: scope.clone(), part };
            open.values.push(ShownValue { what, shape: leaf.shape, change });
        }
    }

    fn made(&mut self, state: &State, thread: usize, object: Pointer) {
        self.turn_to(Some(state), thread);
        let bytes = state.object(object).map_or(0, |object| object.size());
        if let (Some(open), Some(object)) = (&mut self.open, heap_number(state, object)) {
            open.has_effect = true;
            open.step.made.push(Made { object, bytes });
        }
    }

    fn ended(&mut self, state: &State, thread: usize, object: Pointer) {
        let Some(number) = heap_number(state, object) else { return };
        self.turn_to(Some(state), thread);
        if let Some(open) = &mut self.open {
            open.has_effect = true;
            open.step.freed.push(number);
        }
    }

    fn read(&mut self, state: &State, thread: usize, object: Pointer, offset: u64, bytes: u64) {
        self.note_loaded(state, object, (offset, bytes));
        self.note_read(state, thread, object, (offset, bytes));
    }

    fn written(&mut self, state: &State, _: usize, object: Pointer, offset: u64, bytes: u64) {
        let Some(open) = &mut self.open else { return };
        for watched in &mut open.values {
            if let What::Memory(other, start, size) = watched.what
                && other.same_object(object)
                && start < offset + bytes
                && offset < start + size
            {
                watched.change.new = show::region(self.machine, state, other, start, size, watched.shape);
            }
        }
    }

    fn assigned(&mut self, state: &State, thread: usize, function: FuncId, reg: RegId, old: Value) {
        if !self.is_model(function) {
            self.note_result(state, thread, reg);
        }
        let data = &self.machine.program.functions[function].regs[reg];
        let Some(name) = data.name.as_ref().filter(|_| !self.is_model(function)) else { return };
        self.turn_to(Some(state), thread);
        let Some((thread, frame, _)) = self.user_frame(state, thread) else { return };
        let Some(open) = &mut self.open else { return };
        let value = state.register(thread, frame, reg);
        let new = show::value(self.machine, state, value, data.ty, data.shape);
        let what = What::Register(open.activation, reg);
        match open.values.iter_mut().find(|watched| watched.what == what) {
            Some(watched) => watched.change.new = new,
            None => {
                let old = show::value(self.machine, state, old, data.ty, data.shape);
                let change = Change { name: name.clone(), old, new, scope: Some(open.scope()), part: None };
                open.values.push(ShownValue { what, shape: data.shape, change });
            }
        }
    }

    fn called(&mut self, state: &State, thread: usize, callee: FuncId, _: Loc) {
        self.note_signal(state, thread, callee);
        let is_direct = self.user(thread).is_some_and(|at| at + 1 == self.threads[thread].len());
        if let (Some(open), true) = (&mut self.open, is_direct) {
            let function = &self.machine.program.functions[callee];
            let names = if function.is_model { &mut open.step.folded } else { &mut open.step.calls };
            names.push(function.source_name.clone());
        }
        self.push(thread, callee);
    }

    fn returned(&mut self, _: &State, thread: usize, _: FuncId, _: Option<Value>) {
        if let Some(activations) = self.threads.get_mut(thread) {
            activations.pop();
        }
    }

    fn output(&mut self, _: i32, bytes: &[u8]) {
        if let Some(open) = &mut self.open {
            open.step.output += &String::from_utf8_lossy(bytes);
        }
    }
}
