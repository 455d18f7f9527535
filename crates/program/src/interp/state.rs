//! The state of a running program: threads and their activations, memory, open inputs, decisions so far.

use std::ops::{Index, IndexMut};
use std::rc::Rc;

use super::choice::{Decision, Logged, ReadLog, truncate};
use super::domain::Domain;
use super::interrupt::Interruptible;
use super::key::{Memo, Mentions};
use super::memory::{Memory, Tombstone};
use super::object::{AnyBytes, Cell, Object, ObjectKind};
use super::value::{Lazy, Pointer, Value};
use crate::{Address, BlockId, FuncId, Global, GlobalId, Loc, Program, RegId, SlotId, Ty};

/// A state of the program: memory, threads, open inputs, and the decisions that led here.
#[derive(Clone)]
pub struct State {
    pub(crate) memory: Memory,
    pub(crate) threads: Threads,
    /// Open inputs, each shared between states until it is narrowed; numbers of forgotten ones are used again.
    pub(crate) inputs: Vec<Option<Rc<Input>>>,
    /// Inputs made so far.
    pub(crate) n_inputs: u64,
    pub(crate) log: ReadLog,
    /// The thread in an atomic region.
    pub(crate) atomic: Option<Atomic>,
}

/// All threads; each is shared between states until it moves.
#[derive(Clone, Default)]
pub(crate) struct Threads(Vec<Rc<Thread>>);

impl Threads {
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn push(&mut self, thread: Thread) {
        self.0.push(Rc::new(thread));
    }

    pub(crate) fn get(&self, thread: usize) -> Option<&Thread> {
        self.0.get(thread).map(|thread| &**thread)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Thread> {
        self.0.iter().map(|thread| &**thread)
    }

    pub(crate) fn from_shared(threads: Vec<Rc<Thread>>) -> Self {
        Self(threads)
    }
}

impl Index<usize> for Threads {
    type Output = Thread;

    #[inline(always)]
    fn index(&self, thread: usize) -> &Thread {
        &self.0[thread]
    }
}

impl IndexMut<usize> for Threads {
    #[inline(always)]
    fn index_mut(&mut self, thread: usize) -> &mut Thread {
        let thread = Rc::make_mut(&mut self.0[thread]);
        thread.memo.forget();
        thread
    }
}

#[derive(Clone, Default)]
pub(crate) struct Thread {
    pub frames: Vec<Frame>,
    /// Registers of all activations.
    pub regs: Vec<Value>,
    /// Stack objects of all activations; null while not live.
    pub slots: Vec<Pointer>,
    /// Results of `Alloc` on the stack, of all activations.
    pub allocas: Vec<Pointer>,
    /// Instances of thread-local globals, in order of the globals.
    pub locals: Vec<(GlobalId, Pointer)>,
    pub is_ended: bool,
    /// Locks it holds, in the order in which it took them.
    pub held: Vec<Held>,
    /// The thread that started it.
    pub parent: Option<u32>,
    /// Threads it knows to have ended: it, or a thread before it started this one, has looked.
    pub known_ended: ThreadSet,
    /// Places at which it has made heap objects, ascending.
    pub sites: Vec<Loc>,
    /// What may interrupt it.
    pub interrupts: Interruptible,
    /// The option taken for the next instruction.
    pub picked: Option<u128>,
    /// What it was numbered as.
    pub memo: Memo,
    /// Dynamic objects it mentions, in the order in which they were written when it was numbered.
    pub mentions: Mentions,
}

/// A lock that a thread holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Held {
    /// Pointer to the lock.
    pub lock: Pointer,
    /// It cannot be held otherwise now.
    pub is_exclusive: bool,
}

/// A set of threads. Threads with numbers above 63 are never in it: callers accept an under-approximation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct ThreadSet(pub u64);

impl ThreadSet {
    /// Adds a thread.
    pub fn insert(&mut self, thread: usize) {
        if thread < 64 {
            self.0 |= 1 << thread;
        }
    }

    /// Whether a thread is in it.
    pub fn contains(self, thread: usize) -> bool {
        thread < 64 && self.0 >> thread & 1 == 1
    }
}

/// An activation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Frame {
    pub function: FuncId,
    pub block: BlockId,
    /// Next instruction; the number of instructions stands for the terminator. Behind a call in callers.
    pub index: u32,
    pub reg_base: u32,
    pub slot_base: u32,
    pub alloca_base: u32,
    /// Where the caller wants the result.
    pub dst: Option<RegId>,
}

/// The running atomic region.
#[derive(Clone)]
pub(crate) struct Atomic {
    pub thread: usize,
    pub depth: u32,
    /// The state at the beginning, restored if the region blocks; absent in programs where nothing can.
    pub start: Option<Rc<State>>,
}

/// An open input.
#[derive(Clone, Debug)]
pub(crate) struct Input {
    /// Which it is in the order of all inputs.
    pub serial: u64,
    pub domain: Domain,
    pub ty: Ty,
    pub width: u32,
    pub label: Rc<str>,
    pub loc: Loc,
}

/// An activation as the outside sees it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FrameView {
    /// The function.
    pub function: FuncId,
    /// The block it is in.
    pub block: BlockId,
    /// The instruction it is at; the number of instructions stands for the terminator.
    pub index: usize,
    /// Its place.
    pub loc: Loc,
}

impl State {
    pub(crate) fn initial(program: &Program) -> State {
        State::initial_with_room(program, 0)
    }

    /// The first state, with numbers left free between the globals and all other objects.
    pub(crate) fn initial_with_room(program: &Program, n_free: u32) -> State {
        let memory = Memory::new(program);
        let mut state = State {
            memory,
            threads: Threads::default(),
            inputs: Vec::new(),
            n_inputs: 0,
            log: ReadLog::default(),
            atomic: None,
        };
        for (id, global) in program.globals.iter_enumerated() {
            // Thread-local globals keep their number free of use, so that numbers are those of the globals.
            state.memory.add(global_object(id, global, program.pointer_bytes));
        }
        for (global, device) in &program.devices {
            if let Some(address) = device.address {
                state.memory.place(global_pointer(*global), address);
            }
        }
        state.memory.reserve(n_free);
        if let Some(entry) = program.entry {
            state.start_thread(program, entry, &[]);
        }
        state
    }

    /// Adds a thread about to enter the function.
    pub(crate) fn start_thread(&mut self, program: &Program, function: FuncId, args: &[Value]) -> usize {
        let mut thread = Thread::default();
        for (id, global) in program.globals.iter_enumerated().filter(|(_, global)| global.is_thread_local) {
            let mut object = global_object(id, global, program.pointer_bytes);
            object.is_private = true;
            object.thread = self.threads.len() as u32;
            let pointer = self.memory.add(object);
            thread.locals.push((id, pointer));
        }
        thread.enter(program, function, args, None);
        self.threads.push(thread);
        self.threads.len() - 1
    }

    /// The pointer to the start of a global, as seen by a thread.
    #[inline]
    pub(crate) fn global(&self, thread: usize, global: GlobalId) -> Pointer {
        // Thread-local storage is rare, so that the search costs nothing where there is none.
        let locals = &self.threads[thread].locals;
        if let Some((_, pointer)) = locals.iter().find(|(id, _)| *id == global) {
            return *pointer;
        }
        global_pointer(global)
    }

    /// How many threads were started.
    pub fn n_threads(&self) -> usize {
        self.threads.len()
    }

    /// How many threads were started and have not ended.
    pub fn n_live_threads(&self) -> usize {
        self.threads.iter().filter(|thread| !thread.is_ended).count()
    }

    /// Whether a thread has ended.
    pub fn is_ended(&self, thread: usize) -> bool {
        self.threads[thread].is_ended
    }

    /// Whether the next thing a thread does is the end of a block.
    pub fn is_at_terminator(&self, program: &Program, thread: usize) -> bool {
        let frame = self.threads[thread].frames.last();
        frame.is_some_and(|frame| {
            frame.index as usize >= program.functions[frame.function].blocks[frame.block].stmts.len()
        })
    }

    /// The thread inside an atomic region: only it may run unless it blocks.
    pub fn atomic_thread(&self) -> Option<usize> {
        self.atomic.as_ref().map(|atomic| atomic.thread)
    }

    /// The locks a thread holds, in the order in which it took them.
    pub fn held(&self, thread: usize) -> &[Held] {
        &self.threads[thread].held
    }

    /// Threads that a thread knows to have ended, because it has waited for them or was started after that.
    pub fn known_ended(&self, thread: usize) -> ThreadSet {
        self.threads[thread].known_ended
    }

    /// The thread that started a thread.
    pub fn parent(&self, thread: usize) -> Option<usize> {
        self.threads[thread].parent.map(|parent| parent as usize)
    }

    /// The activations of a thread, from the outermost to the innermost.
    pub fn frames(&self, program: &Program, thread: usize) -> Vec<FrameView> {
        let frames = &self.threads[thread].frames;
        frames.iter().enumerate().map(|(depth, frame)| frame.view(program, depth + 1 == frames.len())).collect()
    }

    /// How many activations a thread has.
    pub fn depth(&self, thread: usize) -> usize {
        self.threads[thread].frames.len()
    }

    /// A register of an activation (0 is the outermost).
    pub fn register(&self, thread: usize, frame: usize, reg: RegId) -> Value {
        let thread = &self.threads[thread];
        thread.regs[thread.frames[frame].reg_base as usize + reg.0 as usize]
    }

    /// A stack object of an activation, if it is live.
    pub fn slot(&self, thread: usize, frame: usize, slot: SlotId) -> Option<Pointer> {
        let thread = &self.threads[thread];
        let pointer = thread.slots[thread.frames[frame].slot_base as usize + slot.0 as usize];
        (pointer != Pointer::NULL).then_some(pointer)
    }

    /// The live object a pointer points into.
    pub fn object(&self, pointer: Pointer) -> Option<&Object> {
        self.memory.get(pointer)
    }

    /// What is known of the dead object a pointer points into.
    pub fn tombstone(&self, pointer: Pointer) -> Option<Tombstone> {
        self.memory.tombstone(pointer)
    }

    /// The domain of an open input.
    pub fn domain(&self, lazy: Lazy) -> Option<&Domain> {
        self.inputs.get(lazy.input() as usize)?.as_ref().map(|input| &input.domain)
    }

    /// Records that the caller lets a thread run.
    pub fn record_thread(&mut self, thread: usize) {
        self.log.push(Logged::Made(Decision::Thread(thread as u32)));
    }

    pub(crate) fn decisions(&self) -> Vec<Decision> {
        let mut fixed: std::collections::HashMap<u64, u128, foldhash::fast::RandomState> = self
            .inputs
            .iter()
            .flatten()
            .map(|input| (input.serial, truncate(input.domain.min() as u128, input.width)))
            .collect();
        let mut decisions = Vec::new();
        for logged in self.log.iter() {
            match logged {
                Logged::Made(decision) => decisions.push(decision),
                Logged::Fixed(serial, bits) => {
                    fixed.insert(serial, bits);
                }
                Logged::Open(serial) => {
                    let bits = fixed.remove(&serial).expect("an open input should be in the state or fixed");
                    decisions.push(Decision::Value(bits));
                }
            }
        }
        decisions.reverse();
        decisions
    }
}

/// Numbers of global objects follow those of the globals.
pub(crate) fn global_pointer(global: GlobalId) -> Pointer {
    Pointer { object: global.0 + 1, generation: 0, offset: 0 }
}

fn global_object(id: GlobalId, global: &Global, pointer_bytes: u8) -> Object {
    let mut object = Object::new(ObjectKind::Global(id), global.size, global.align, global.loc);
    object.is_read_only = global.is_read_only;
    if let Some(reason) = &global.init.any {
        object.forget();
        object.any = Some(AnyBytes::whole(reason.as_str().into()));
    }
    let len = global.init.bytes.len().min(object.bytes.len());
    if len > 0 {
        object.write_bytes(0, &global.init.bytes[..len]);
    }
    for (offset, address) in &global.init.pointers {
        let value = Value::Ptr(constant_pointer(*address));
        if offset + u64::from(pointer_bytes) <= object.size() {
            object.write_cell(Cell { offset: *offset, len: pointer_bytes, value });
        }
    }
    object
}

/// The pointer a constant address stands for; thread-local globals are looked up by the caller.
pub(crate) fn constant_pointer(address: Address) -> Pointer {
    match address {
        Address::Global(global, offset) => global_pointer(global).at(offset),
        Address::Func(function) => Pointer::function(function),
        Address::Label(function, block) => Pointer::function(function).at(1 + i64::from(block.0)),
    }
}

impl Thread {
    /// Adds an activation of the function.
    pub(crate) fn enter(&mut self, program: &Program, function: FuncId, args: &[Value], dst: Option<RegId>) {
        let body = &program.functions[function];
        let frame = Frame {
            function,
            block: BlockId(0),
            index: 0,
            reg_base: self.regs.len() as u32,
            slot_base: self.slots.len() as u32,
            alloca_base: self.allocas.len() as u32,
            dst,
        };
        let base = self.regs.len();
        self.regs.resize(base + body.regs.len(), Value::Undef);
        for (param, value) in body.params.iter().zip(args) {
            self.regs[base + param.0 as usize] = *value;
        }
        self.slots.resize(self.slots.len() + body.slots.len(), Pointer::NULL);
        self.frames.push(frame);
    }
}

impl Frame {
    fn view(&self, program: &Program, is_innermost: bool) -> FrameView {
        let block = &program.functions[self.function].blocks[self.block];
        let index = if is_innermost { self.index as usize } else { (self.index as usize).saturating_sub(1) };
        let loc = block.stmts.get(index).map_or(block.loc, |stmt| stmt.loc);
        FrameView { function: self.function, block: self.block, index, loc }
    }
}
