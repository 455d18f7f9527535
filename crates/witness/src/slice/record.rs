//! Recording of the data dependences of every executed instruction.

use std::collections::HashMap;
use std::ptr;
use std::rc::Rc;

use unpick_base::id::Id as _;
use unpick_program::interp::{Observer, Pointer, State, Value};
use unpick_program::{Block, BlockId, FuncId, LockOp, Operand, Program, RegId, Stmt, StmtKind, visit};

use super::control::{Flow, Variable};

/// Number of an event.
pub(super) type EventId = u32;
/// No event: what was there from the beginning.
pub(super) const NONE: EventId = u32::MAX;

/// More events than this are not recorded.
const MAX_EVENTS: usize = 3_000_000;
/// Larger objects are one cell.
const MAX_CELLS: u64 = 1 << 16;

/// An executed instruction.
#[derive(Debug)]
pub(super) struct Event {
    pub thread: u32,
    /// The step that was told at the time; its number comes later.
    pub serial: u32,
    /// What decided that it was executed.
    pub control: EventId,
    /// The innermost lock that the thread held.
    pub hold: Option<u32>,
    /// Where its data dependences begin.
    first: u32,
}

/// A lock from when it was taken to when it was given back.
#[derive(Debug)]
pub(super) struct Hold {
    pub taken: EventId,
    pub given: EventId,
    pub outer: Option<u32>,
    lock: Pointer,
}

/// The recorder of an execution.
pub(crate) struct Slicer<'p> {
    program: &'p Program,
    pub(super) events: Vec<Event>,
    data: Vec<EventId>,
    pub(super) holds: Vec<Hold>,
    /// Events of each thread that could have waited.
    pub(super) waits: Vec<Vec<EventId>>,
    threads: Vec<Thread>,
    memory: HashMap<(u32, u32), Cells>,
    /// What ended objects.
    ends: HashMap<(u32, u32), EventId>,
    flows: HashMap<FuncId, Rc<Flow>>,
    /// The step that is being told.
    serial: u32,
}

#[derive(Default)]
struct Thread {
    activations: Vec<Activation>,
    /// The event that started it, and those of its arguments.
    start: Option<(EventId, Vec<EventId>)>,
    last: Option<EventId>,
    end: Option<EventId>,
    hold: Option<u32>,
    /// Arguments of the call that is being made.
    arguments: Vec<EventId>,
    /// What was overwritten in an atomic region, which is undone if the thread has to wait.
    undo: Option<(u32, Vec<Overwritten>)>,
}

/// A cell before it was written.
type Overwritten = ((u32, u32), usize, EventId);

struct Activation {
    function: FuncId,
    /// What called it.
    call: EventId,
    flow: Rc<Flow>,
    /// What assigned each register last.
    registers: Vec<EventId>,
    /// The variable that is being read.
    reading: Option<Variable>,
    /// The latest passing of each branch.
    branches: Vec<EventId>,
    block: Option<BlockId>,
    /// The terminator of the block is done.
    is_block_over: bool,
    /// What decided about the block.
    control: EventId,
}

/// What wrote each byte of an object last, or the object as a whole.
enum Cells {
    Bytes(Vec<EventId>),
    Whole(EventId),
}

impl<'p> Slicer<'p> {
    pub(super) fn on(program: &'p Program) -> Slicer<'p> {
        Slicer {
            program,
            events: Vec::new(),
            data: Vec::new(),
            holds: Vec::new(),
            waits: Vec::new(),
            threads: Vec::new(),
            memory: HashMap::new(),
            ends: HashMap::new(),
            flows: HashMap::new(),
            serial: 0,
        }
    }

    /// The step that the next events belong to, if it has begun yet.
    pub(crate) fn tell(&mut self, serial: Option<u32>) {
        self.serial = serial.unwrap_or(u32::MAX);
    }

    pub(super) fn is_full(&self) -> bool {
        self.events.len() >= MAX_EVENTS
    }

    pub(super) fn n_threads(&self) -> usize {
        self.threads.len()
    }

    /// The last event of a thread.
    pub(super) fn last(&self, thread: usize) -> Option<EventId> {
        self.threads.get(thread)?.last
    }

    /// What an event computes with.
    pub(super) fn data(&self, event: EventId) -> &[EventId] {
        let end = self.events.get(event as usize + 1).map_or(self.data.len(), |next| next.first as usize);
        &self.data[self.events[event as usize].first as usize..end]
    }

    /// Everything that an event depends on.
    pub(super) fn sources(&self, event: EventId) -> Vec<EventId> {
        let control = self.events[event as usize].control;
        self.data(event).iter().copied().chain((control != NONE).then_some(control)).collect()
    }

    fn thread(&mut self, thread: usize) -> &mut Thread {
        while self.threads.len() <= thread {
            self.threads.push(Thread::default());
            self.waits.push(Vec::new());
        }
        &mut self.threads[thread]
    }

    /// The thread has to wait, and what it did in its atomic region is undone.
    pub(crate) fn blocked(&mut self, thread: usize) {
        let Some((_, overwritten)) = self.thread(thread).undo.take() else { return };
        for (object, at, old) in overwritten.into_iter().rev() {
            match self.memory.get_mut(&object) {
                Some(Cells::Bytes(bytes)) => bytes[at] = old,
                Some(Cells::Whole(whole)) => *whole = old,
                None => {}
            }
        }
    }

    /// The instruction at which a thread stands, as if it were done.
    pub(crate) fn look(&mut self, state: &State, thread: usize) {
        let Some(frame) = state.frames(self.program, thread).last().copied() else { return };
        let block = &self.program.functions[frame.function].blocks[frame.block];
        match block.stmts.get(frame.index) {
            Some(stmt) => self.step(state, thread, frame.function, stmt),
            None => self.terminator(state, thread, frame.function, block),
        }
    }

    /// Makes the innermost activation of a thread that of a function. Undone regions may have left some behind.
    fn arrive(&mut self, state: &State, thread: usize, function: FuncId) {
        let depth = state.depth(thread);
        let activations = &mut self.thread(thread).activations;
        activations.truncate(depth);
        if activations.last().is_some_and(|activation| activation.function == function) {
            return;
        }
        activations.clear();
        let start = self.thread(thread).start.take();
        let (call, arguments) = start.unwrap_or((NONE, Vec::new()));
        self.enter(thread, function, call, &arguments);
    }

    fn enter(&mut self, thread: usize, function: FuncId, call: EventId, arguments: &[EventId]) {
        let body = &self.program.functions[function];
        let mut registers = vec![NONE; body.regs.len()];
        for (param, argument) in body.params.iter().zip(arguments) {
            // Of an argument that nothing computed the call is all there is to say.
            let event = match *argument {
                NONE => call,
                argument if call == NONE => argument,
                argument => self.record(thread, call, &[argument]),
            };
            registers[param.index()] = event;
        }
        let flow = Rc::clone(self.flows.entry(function).or_insert_with(|| Rc::new(Flow::new(body))));
        self.thread(thread).activations.push(Activation {
            function,
            call,
            flow,
            registers,
            reading: None,
            branches: vec![NONE; body.blocks.len()],
            block: None,
            is_block_over: true,
            control: call,
        });
    }

    /// Enters the block that is at work, if that is a new one; returns it.
    fn enter_block(&mut self, thread: usize, function: FuncId, is_it: impl Fn(&Block) -> bool) -> Option<BlockId> {
        let body = &self.program.functions[function];
        let activation = self.threads[thread].activations.last_mut()?;
        if !activation.is_block_over
            && let Some(block) = activation.block.filter(|block| is_it(&body.blocks[*block]))
        {
            return Some(block);
        }
        let mut next = Vec::new();
        if let Some(block) = activation.block {
            visit::successors(&body.blocks[block].terminator, |target| next.push(target));
        }
        let block = next.into_iter().chain(body.blocks.ids()).find(|block| is_it(&body.blocks[*block]))?;
        let passed = activation.flow.deciders[block].iter().map(|branch| activation.branches[branch.index()]);
        activation.control = passed.filter(|event| *event != NONE).max().unwrap_or(activation.call);
        activation.block = Some(block);
        activation.is_block_over = false;
        Some(block)
    }

    /// What assigned an operand last.
    fn source(&self, thread: usize, operand: &Operand) -> EventId {
        let activation = self.threads[thread].activations.last();
        match (operand, activation) {
            (Operand::Reg(reg), Some(activation)) => activation.registers[reg.index()],
            (Operand::Reg(_), None)
            | (
                Operand::Bits(..) | Operand::Null | Operand::Address(_) | Operand::Slot(_) | Operand::Undef(_),
                Some(_) | None,
            ) => NONE,
        }
    }

    fn record(&mut self, thread: usize, control: EventId, data: &[EventId]) -> EventId {
        if self.is_full() {
            return NONE;
        }
        let id = self.events.len() as EventId;
        let first = self.data.len() as u32;
        let (serial, hold) = (self.serial, self.thread(thread).hold);
        self.events.push(Event { thread: thread as u32, serial, control, hold, first });
        self.data.extend(data.iter().copied().filter(|source| *source != NONE));
        self.thread(thread).last = Some(id);
        id
    }

    /// One more dependence of the event at hand.
    fn depend(&mut self, thread: usize, source: EventId) {
        let is_latest = self.last(thread).is_some_and(|last| last as usize + 1 == self.events.len());
        if is_latest && source != NONE && self.data.last() != Some(&source) {
            self.data.push(source);
        }
    }

    fn act(&mut self, thread: usize, stmt: &StmtKind) -> EventId {
        let control = self.threads[thread].activations.last().map_or(NONE, |activation| activation.control);
        let mut sources = Vec::new();
        match stmt {
            // What is computed for an argument matters if the parameter does.
            StmtKind::Call { callee, args, .. } | StmtKind::Spawn { callee, args, .. } => {
                sources.push(self.source(thread, callee));
                self.threads[thread].arguments = args.iter().map(|arg| self.source(thread, arg)).collect();
            }
            stmt => visit::operands(stmt, |operand| {
                sources.push(self.source(thread, operand));
                sources.extend(self.passed_by(thread, operand));
            }),
        }
        if let Some(activation) = self.threads[thread].activations.last_mut() {
            activation.reading = Variable::read_by(stmt);
        }
        self.record(thread, control, &sources)
    }

    /// The branch that could have assigned a register since it was, had it gone another way.
    fn passed_by(&self, thread: usize, operand: &Operand) -> Option<EventId> {
        let (Operand::Reg(reg), Some(activation)) = (operand, self.threads[thread].activations.last()) else {
            return None;
        };
        activation.missed(&Variable::Register(*reg), activation.registers[reg.index()])
    }

    /// Pointers to dead objects: the step that ended them.
    fn depend_on_ends(&mut self, state: &State, thread: usize, stmt: &StmtKind) {
        let Some(frame) = state.depth(thread).checked_sub(1) else { return };
        let mut ends = Vec::new();
        visit::operands(stmt, |operand| {
            if let Operand::Reg(reg) = operand
                && let Value::Ptr(pointer) = state.register(thread, frame, *reg)
            {
                ends.extend(self.ends.get(&object(pointer)).copied());
            }
        });
        for end in ends {
            self.depend(thread, end);
        }
    }

    fn note_hold(&mut self, thread: usize, event: EventId, lock: Option<Pointer>, op: LockOp) {
        let Some(lock) = lock else { return };
        match op {
            LockOp::Take | LockOp::Get => {
                let outer = self.threads[thread].hold;
                self.holds.push(Hold { taken: event, given: NONE, outer, lock });
                self.threads[thread].hold = Some(self.holds.len() as u32 - 1);
            }
            LockOp::Give => {
                let mut at = self.threads[thread].hold;
                while let Some(number) = at {
                    let hold = &mut self.holds[number as usize];
                    if hold.lock == lock && hold.given == NONE {
                        hold.given = event;
                        break;
                    }
                    at = hold.outer;
                }
                while let Some(number) = self.threads[thread].hold {
                    let hold = &self.holds[number as usize];
                    if hold.given == NONE {
                        break;
                    }
                    self.threads[thread].hold = hold.outer;
                }
            }
        }
    }
}

impl Activation {
    /// The latest branch after an assignment that could have made another one, had it gone another way.
    fn missed(&self, variable: &Variable, assigned: EventId) -> Option<EventId> {
        let branches = self.flow.assigners.get(variable)?;
        let passed = branches.iter().map(|branch| self.branches[branch.index()]).filter(|event| *event != NONE);
        passed.filter(|event| assigned == NONE || *event > assigned).max()
    }
}

/// An object in one of its lives.
fn object(pointer: Pointer) -> (u32, u32) {
    (pointer.object, pointer.generation)
}

impl Observer for Slicer<'_> {
    fn step(&mut self, state: &State, thread: usize, function: FuncId, stmt: &Stmt) {
        if self.is_full() {
            return;
        }
        self.arrive(state, thread, function);
        self.enter_block(thread, function, |block| block.stmts.as_ptr_range().contains(&ptr::from_ref(stmt)));
        let event = self.act(thread, &stmt.kind);
        self.depend_on_ends(state, thread, &stmt.kind);
        match &stmt.kind {
            StmtKind::Wait(_) => self.waits[thread].push(event),
            StmtKind::AtomicBegin => {
                let undo = &mut self.threads[thread].undo;
                undo.get_or_insert((0, Vec::new())).0 += 1;
            }
            StmtKind::AtomicEnd => {
                let undo = &mut self.threads[thread].undo;
                if undo.as_ref().is_some_and(|(depth, _)| *depth <= 1) {
                    *undo = None;
                } else if let Some((depth, _)) = undo {
                    *depth -= 1;
                }
            }
            StmtKind::Hold { addr: Operand::Reg(reg), op, .. } => {
                let frame = state.depth(thread).saturating_sub(1);
                let lock = match state.register(thread, frame, *reg) {
                    Value::Ptr(pointer) => Some(pointer),
                    _ => None,
                };
                self.note_hold(thread, event, lock, *op);
            }
            _ => {}
        }
    }

    fn terminator(&mut self, state: &State, thread: usize, function: FuncId, block: &Block) {
        if self.is_full() {
            return;
        }
        self.arrive(state, thread, function);
        let at = self.enter_block(thread, function, |other| ptr::eq(block, other));
        let control = self.threads[thread].activations.last().map_or(NONE, |activation| activation.control);
        let mut sources = Vec::new();
        visit::terminator_operands(&block.terminator, |operand| {
            sources.push(self.source(thread, operand));
            sources.extend(self.passed_by(thread, operand));
        });
        let event = self.record(thread, control, &sources);
        if let (Some(activation), Some(at)) = (self.threads[thread].activations.last_mut(), at) {
            activation.branches[at.index()] = event;
            activation.is_block_over = true;
        }
    }

    fn read(&mut self, _: &State, thread: usize, pointer: Pointer, offset: u64, bytes: u64) {
        let found: Vec<EventId> = match self.memory.get(&object(pointer)) {
            Some(Cells::Whole(whole)) => vec![*whole],
            Some(Cells::Bytes(cells)) => {
                let end = ((offset + bytes) as usize).min(cells.len());
                let mut found = cells[(offset as usize).min(end)..end].to_vec();
                found.dedup();
                found
            }
            None => Vec::new(),
        };
        let activation = self.threads.get_mut(thread).and_then(|thread| thread.activations.last_mut());
        let missed = activation.and_then(|activation| {
            let latest = found.iter().copied().filter(|source| *source != NONE).max().unwrap_or(NONE);
            let variable = activation.reading.take()?;
            activation.missed(&variable, latest)
        });
        for source in found.into_iter().chain(missed) {
            self.depend(thread, source);
        }
    }

    fn written(&mut self, state: &State, thread: usize, pointer: Pointer, offset: u64, bytes: u64) {
        let Some(event) = self.last(thread).filter(|_| !self.is_full()) else { return };
        let size = state.object(pointer).map_or(0, |object| object.size());
        let key = object(pointer);
        let mut overwritten: Vec<Overwritten> = Vec::new();
        if size > MAX_CELLS {
            // What was there before stays in other bytes.
            let cells = self.memory.entry(key).or_insert(Cells::Whole(NONE));
            if let Cells::Whole(whole) = cells {
                let before = std::mem::replace(whole, event);
                overwritten.push((key, 0, before));
                self.depend(thread, before);
            }
        } else {
            let cells = self.memory.entry(key).or_insert_with(|| Cells::Bytes(vec![NONE; size as usize]));
            if let Cells::Bytes(cells) = cells {
                let end = ((offset + bytes) as usize).min(cells.len());
                for (at, cell) in cells.iter_mut().enumerate().take(end).skip(offset as usize) {
                    overwritten.push((key, at, std::mem::replace(cell, event)));
                }
            }
        }
        // What another thread had written is lost here: that is what races are about.
        let mut lost: Vec<EventId> = overwritten.iter().map(|(_, _, old)| *old).collect();
        lost.dedup();
        for old in lost {
            if self.events.get(old as usize).is_some_and(|old| old.thread as usize != thread) {
                self.depend(thread, old);
            }
        }
        if let Some((_, undo)) = &mut self.threads[thread].undo {
            undo.extend(overwritten);
        }
    }

    fn ended(&mut self, _: &State, thread: usize, pointer: Pointer) {
        if let Some(event) = self.last(thread) {
            self.ends.insert(object(pointer), event);
            self.memory.remove(&object(pointer));
        }
    }

    fn spawned(&mut self, _: &State, thread: usize, child: usize) {
        let arguments = std::mem::take(&mut self.thread(thread).arguments);
        let start = self.last(thread).map(|event| (event, arguments));
        self.thread(child).start = start;
    }

    fn thread_ended(&mut self, _: &State, thread: usize) {
        let last = self.last(thread);
        self.thread(thread).end = last;
    }

    fn asked_for_end(&mut self, _: &State, thread: usize, other: usize) {
        if let Some(end) = self.threads.get(other).and_then(|other| other.end) {
            self.depend(thread, end);
        }
    }

    fn assigned(&mut self, _: &State, thread: usize, _: FuncId, reg: RegId, _: Value) {
        let Some(event) = self.last(thread).filter(|_| !self.is_full()) else { return };
        if let Some(activation) = self.threads[thread].activations.last_mut()
            && let Some(register) = activation.registers.get_mut(reg.index())
        {
            *register = event;
        }
    }

    fn called(&mut self, _: &State, thread: usize, callee: FuncId, _: unpick_program::Loc) {
        if self.is_full() {
            return;
        }
        let arguments = std::mem::take(&mut self.thread(thread).arguments);
        let call = self.last(thread).unwrap_or(NONE);
        self.enter(thread, callee, call, &arguments);
    }

    fn returned(&mut self, _: &State, thread: usize, _: FuncId, _: Option<Value>) {
        self.thread(thread).activations.pop();
    }
}
