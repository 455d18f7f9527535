//! Canonical snapshots of memory between two executions: equal bytes exactly for indistinguishable memories, and
//! complete enough to resume from.
//!
//! A state in which no thread runs is its memory: globals that differ from their first contents, what can be found
//! from them on the heap, and addresses that became numbers. Dynamic objects are numbered in the order in which they
//! are found, dead ones to which something still points included, so that the order of allocations does not show.
//! Heap objects that nothing leads to are left out. Where an object was made counts: messages name the place.
//!
//! A [`State`] belongs to one thread of ours; bytes can be handed from one to another, and kept.

use std::collections::HashMap;
use std::rc::Rc;

use super::memory::Tombstone;
use super::object::{Cell, Object, ObjectKind};
use super::state::{State, Threads, global_pointer};
use super::value::{FIRST_FUNCTION, Pointer, Value};
use super::{Machine, Options};
use crate::analysis::Liveness;
use crate::program::FileId;
use crate::{FuncId, GlobalId, Loc, Program, ShapeId, SlotId};

/// Memory that cannot be kept as bytes; the reason.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Unfrozen(pub &'static str);

/// What [`Machine::new`] finds out about a program, without the program: it can be kept beside it.
#[derive(Clone)]
pub struct Prepared {
    liveness: Rc<Liveness>,
    initial: State,
    may_block: bool,
    has_threads: bool,
    has_interrupts: bool,
    single_slots: Rc<std::collections::HashSet<(FuncId, SlotId)>>,
}

impl Prepared {
    /// Makes bytes of a global indeterminate from the beginning.
    pub fn forget(&mut self, global: GlobalId, offset: u64, n_bytes: u64) {
        if let Some(object) = self.initial.memory.get_mut(global_pointer(global)) {
            object.write_undef(offset, n_bytes);
        }
    }
}

impl<'p> Machine<'p> {
    /// What was found out about the program.
    pub fn prepared(&self) -> Prepared {
        Prepared {
            liveness: self.liveness.clone(),
            initial: self.initial.clone(),
            may_block: self.may_block,
            has_threads: self.has_threads,
            has_interrupts: self.has_interrupts,
            single_slots: self.single_slots.clone(),
        }
    }

    /// A machine for the program that this was found out about.
    pub fn again(program: &'p Program, options: Options, prepared: &Prepared) -> Machine<'p> {
        let Prepared { liveness, initial, may_block, has_threads, has_interrupts, single_slots } = prepared.clone();
        let key_scratch = std::cell::RefCell::default();
        let is_any = !options.checks.contains(crate::ViolationKind::Uninitialized);
        let uninitialised = is_any.then(|| super::uninitialised::UninitialisedReads::new(program, &liveness));
        Machine {
            program,
            options,
            liveness,
            initial,
            uninitialised,
            may_block,
            has_threads,
            has_interrupts,
            single_slots,
            key_scratch,
        }
    }

    /// The first memory, in which no thread runs.
    pub fn at_rest(&self) -> State {
        State { threads: Threads::default(), ..self.initial.clone() }
    }

    /// Starts a function in a memory in which no thread runs; it is thread 0.
    pub fn begin(&self, state: &mut State, function: FuncId, args: &[Value]) {
        debug_assert_eq!(state.threads.len(), 0, "nobody should run yet");
        state.start_thread(self.program, function, args);
    }

    /// Forgets threads that have ended.
    pub fn rest(&self, state: &mut State) {
        debug_assert_eq!(state.n_live_threads(), 0, "nobody should run any more");
        state.threads = Threads::default();
    }

    /// A pointer to the start of a global.
    pub fn pointer_to(&self, global: GlobalId) -> Pointer {
        global_pointer(global)
    }

    /// Writes plain bytes into a global.
    pub fn poke(&self, state: &mut State, global: GlobalId, offset: u64, bytes: &[u8]) {
        if let Some(object) = state.memory.get_mut(global_pointer(global)) {
            object.write_bytes(offset, bytes);
        }
    }

    /// Makes bytes of a global indeterminate.
    pub fn forget(&self, state: &mut State, global: GlobalId, offset: u64, n_bytes: u64) {
        if let Some(object) = state.memory.get_mut(global_pointer(global)) {
            object.write_undef(offset, n_bytes);
        }
    }

    /// Globals that do not hold what they held at first.
    pub fn changed(&self, state: &State) -> Vec<GlobalId> {
        let differing = state.memory.differing(&self.initial.memory, self.program.globals.len() as u32);
        let changed = differing.filter(|(_, now, then)| !now.has_contents_of(then));
        changed.map(|(number, _, _)| GlobalId(number - 1)).collect()
    }

    /// Writes zeros into the object a pointer leads to, as many as lie in it.
    pub fn blank(&self, state: &mut State, at: Pointer, n_bytes: u64) {
        if let (Some(object), Ok(offset)) = (state.memory.get_mut(at), u64::try_from(at.offset)) {
            let n_bytes = n_bytes.min(object.size().saturating_sub(offset));
            object.write_bytes(offset, &vec![0; n_bytes as usize]);
        }
    }

    /// The bytes of a memory in which no thread runs.
    pub fn freeze(&self, state: &State) -> Result<Vec<u8>, Unfrozen> {
        let mut freezer = Freezer {
            state,
            n_globals: self.program.globals.len() as u32,
            out: Vec::new(),
            found: HashMap::default(),
            order: Vec::new(),
        };
        freezer.whole(&self.initial)?;
        Ok(freezer.out)
    }

    /// The memory that was frozen.
    pub fn thaw(&self, bytes: &[u8]) -> State {
        let mut thawer = Thawer { bytes, at: 0, n_globals: self.program.globals.len() as u32 };
        let mut state = self.at_rest();
        thawer.whole(&mut state);
        state
    }
}

struct Freezer<'a> {
    state: &'a State,
    n_globals: u32,
    out: Vec<u8>,
    found: HashMap<(u32, u32), u32>,
    /// Dynamic objects in the order in which they are found.
    order: Vec<Pointer>,
}

const DEAD: u8 = 0;
const FORGOTTEN: u8 = 1;
const LIVE: u8 = 2;

impl Freezer<'_> {
    fn whole(&mut self, initial: &State) -> Result<(), Unfrozen> {
        let state = self.state;
        let mut last = 0;
        for (number, now, then) in state.memory.differing(&initial.memory, self.n_globals) {
            if now.is_read_only || now.has_contents_of(then) {
                continue;
            }
            self.number(u64::from(number - last));
            last = number;
            self.contents(now)?;
        }
        self.number(0);
        self.number(state.memory.exposed.len() as u64);
        for (base, number) in &state.memory.exposed {
            self.number(*base);
            self.pointer(state.memory.start_of(*number));
        }
        let mut next = 0;
        while next < self.order.len() {
            self.object(self.order[next])?;
            next += 1;
        }
        Ok(())
    }

    fn object(&mut self, pointer: Pointer) -> Result<(), Unfrozen> {
        let Some(object) = self.state.memory.get(pointer) else {
            let Some(tombstone) = self.state.memory.tombstone(pointer) else {
                self.out.push(FORGOTTEN);
                return Ok(());
            };
            self.out.push(DEAD);
            self.kind(tombstone.kind);
            self.number(tombstone.size);
            self.loc(tombstone.made);
            self.loc(tombstone.ended);
            return Ok(());
        };
        if !matches!(object.kind, ObjectKind::Heap(_)) || object.any.is_some() {
            return Err(Unfrozen("an object that is neither a global nor on the heap outlives the code"));
        }
        self.out.push(LIVE);
        self.number(object.size());
        self.number(object.align);
        self.loc(object.loc);
        self.number(object.maker.map_or(0, |maker| u64::from(maker.0) + 1));
        self.number(object.shape.map_or(0, |shape| u64::from(shape.0) + 1));
        self.contents(object)
    }

    fn kind(&mut self, kind: ObjectKind) {
        let (tag, one, two) = match kind {
            ObjectKind::Global(global) => (0, global.0, 0),
            ObjectKind::Slot(function, slot) => (1, function.0, slot.0),
            ObjectKind::Alloca(function) => (2, function.0, 0),
            // Which in the order of all does not matter.
            ObjectKind::Heap(_) => (3, 0, 0),
        };
        self.out.push(tag);
        self.number(one.into());
        self.number(two.into());
    }

    fn contents(&mut self, object: &Object) -> Result<(), Unfrozen> {
        self.out.extend_from_slice(&object.bytes);
        match object.undef_mask() {
            Some(mask) => {
                self.out.push(1);
                self.out.extend_from_slice(mask);
            }
            None => self.out.push(0),
        }
        self.number(object.cells.len() as u64);
        for cell in &object.cells {
            self.number(cell.offset);
            self.out.push(cell.len);
            match cell.value {
                Value::Ptr(pointer) => {
                    self.out.push(0);
                    self.pointer(pointer);
                }
                Value::Fragment { pointer, byte } => {
                    self.out.push(1 + byte);
                    self.pointer(pointer);
                }
                Value::Undef | Value::Bits(_) | Value::Wide(_) | Value::Lazy(_) => {
                    return Err(Unfrozen("a value that is still open is kept in memory"));
                }
            }
        }
        Ok(())
    }

    fn pointer(&mut self, pointer: Pointer) {
        match pointer.object {
            0 => self.out.push(0),
            object if object >= FIRST_FUNCTION => {
                self.out.push(1);
                self.number(u64::from(object - FIRST_FUNCTION));
            }
            object if object <= self.n_globals => {
                self.out.push(2);
                self.number(object.into());
            }
            object => {
                self.out.push(3);
                let fresh = self.order.len() as u32;
                let number = *self.found.entry((object, pointer.generation)).or_insert(fresh);
                if number == fresh {
                    self.order.push(pointer.at(0));
                }
                self.number(number.into());
            }
        }
        self.number(((pointer.offset << 1) ^ (pointer.offset >> 63)) as u64);
    }

    fn loc(&mut self, loc: Loc) {
        for part in [loc.file.0, loc.line, loc.column] {
            self.number(part.into());
        }
    }

    /// Small numbers take one byte.
    fn number(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.out.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.out.push(value as u8);
    }
}

struct Thawer<'a> {
    bytes: &'a [u8],
    at: usize,
    n_globals: u32,
}

impl Thawer<'_> {
    fn whole(&mut self, state: &mut State) {
        let mut number = 0;
        loop {
            let distance = self.number() as u32;
            if distance == 0 {
                break;
            }
            number += distance;
            let pointer = Pointer { object: number, generation: 0, offset: 0 };
            let object = state.memory.get_mut(pointer).expect("a global should live");
            self.contents(object);
        }
        let n_exposed = self.number();
        let exposed: Vec<(u64, u32)> = (0..n_exposed).map(|_| (self.number(), self.pointer().object)).collect();
        let mut n_heap = 0;
        while self.at < self.bytes.len() {
            self.object(state, &mut n_heap);
        }
        state.memory.n_heap = n_heap;
        // Those that lie somewhere from the beginning are among them.
        state.memory.exposed.clear();
        for (base, number) in exposed {
            let pointer = state.memory.start_of(number);
            state.memory.place(pointer, base);
        }
    }

    fn object(&mut self, state: &mut State, n_heap: &mut u64) {
        match self.byte() {
            FORGOTTEN => state.memory.put_dead(None),
            DEAD => {
                let kind = self.kind();
                let (size, made, ended) = (self.number(), self.loc(), self.loc());
                state.memory.put_dead(Some(Tombstone { kind, size, made, ended }));
            }
            _live => {
                let (size, align, loc) = (self.number(), self.number(), self.loc());
                let mut object = Object::new(ObjectKind::Heap(*n_heap), size, align, loc);
                *n_heap += 1;
                object.maker = self.number().checked_sub(1).map(|maker| FuncId(maker as u32));
                object.shape = self.number().checked_sub(1).map(|shape| ShapeId(shape as u32));
                self.contents(&mut object);
                state.memory.put(state.memory.n_numbers() as u32, Rc::new(object));
            }
        }
    }

    fn kind(&mut self) -> ObjectKind {
        let (tag, one, two) = (self.byte(), self.number() as u32, self.number() as u32);
        match tag {
            0 => ObjectKind::Global(GlobalId(one)),
            1 => ObjectKind::Slot(FuncId(one), SlotId(two)),
            2 => ObjectKind::Alloca(FuncId(one)),
            _ => ObjectKind::Heap(0),
        }
    }

    fn contents(&mut self, object: &mut Object) {
        let size = object.bytes.len();
        object.write_bytes(0, &self.bytes[self.at..self.at + size]);
        self.at += size;
        if self.byte() == 1 {
            for at in 0..size {
                object.set_undef_bits(at as u64, self.bytes[self.at + at]);
            }
            self.at += size;
        }
        for _ in 0..self.number() {
            let (offset, len, tag) = (self.number(), self.byte(), self.byte());
            let pointer = self.pointer();
            let value = match tag {
                0 => Value::Ptr(pointer),
                byte => Value::Fragment { pointer, byte: byte - 1 },
            };
            object.write_cell(Cell { offset, len, value });
        }
    }

    fn pointer(&mut self) -> Pointer {
        let object = match self.byte() {
            0 => 0,
            1 => FIRST_FUNCTION + self.number() as u32,
            2 => self.number() as u32,
            _dynamic => self.n_globals + 1 + self.number() as u32,
        };
        let offset = self.number();
        Pointer { object, generation: 0, offset: (offset >> 1) as i64 ^ -((offset & 1) as i64) }
    }

    fn loc(&mut self) -> Loc {
        let (file, line, column) = (self.number() as u32, self.number() as u32, self.number() as u32);
        Loc { file: FileId(file), line, column }
    }

    fn byte(&mut self) -> u8 {
        self.at += 1;
        self.bytes[self.at - 1]
    }

    fn number(&mut self) -> u64 {
        let (mut value, mut shift) = (0, 0);
        loop {
            let byte = self.byte();
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return value;
            }
            shift += 7;
        }
    }
}
