//! Thread components: a thread with its private memory, in a canonical numbering.

use std::rc::Rc;

use super::super::object::{Object, ObjectKind};
use super::super::state::{State, Thread};
use super::super::value::{FIRST_FUNCTION, Pointer, Value};
use super::super::{Held, NextAccess};
use super::word::renamed;
use super::{CollapseTable, Map, Refused, plain_kind};
use crate::{Loc, ViolationKind};

/// A thread's own part of a state.
pub(super) struct Local {
    pub thread: Rc<Thread>,
    /// Its objects; their numbers follow those of shared ones.
    pub objects: Vec<Rc<Object>>,
    /// Dynamic shared objects it points to.
    pub mentions: u64,
}

/// Whether a pointer leads to an object that no other thread knows.
pub(super) fn is_own(pointer: Pointer, n_shared: u32) -> bool {
    pointer.object > n_shared && pointer.object < FIRST_FUNCTION
}

/// Gives the objects of a thread numbers in the order in which they are found.
struct Renaming<'a> {
    state: &'a State,
    thread: usize,
    n_shared: u32,
    names: &'a Map<u32, u32>,
    found: Map<u32, u32>,
    /// Objects in order.
    order: Vec<Pointer>,
    mentioned: Vec<Pointer>,
}

impl Renaming<'_> {
    fn pointer(&mut self, pointer: Pointer) -> Result<Pointer, Refused> {
        if !is_own(pointer, self.n_shared) {
            self.mentioned.push(pointer);
            return Ok(pointer);
        }
        let Some(object) = self.state.object(pointer) else { return Err(Refused("a pointer to a dead object")) };
        if let Some(name) = self.names.get(&pointer.object) {
            let named = Pointer { object: *name, generation: 0, offset: pointer.offset };
            self.mentioned.push(named);
            return Ok(named);
        }
        if !object.is_private || object.thread as usize != self.thread {
            return Err(Refused("an object of another thread"));
        }
        let next = self.n_shared + 1 + self.order.len() as u32;
        let number = *self.found.entry(pointer.object).or_insert(next);
        if number == next {
            self.order.push(pointer.at(0));
        }
        Ok(Pointer { object: number, generation: 0, offset: pointer.offset })
    }

    fn value(&mut self, value: Value) -> Result<Value, Refused> {
        renamed(value, &mut |pointer| self.pointer(pointer))
    }
}

impl CollapseTable<'_> {
    /// The number of a thread's part of a state; `names` are the new numbers of objects it shares from now on.
    pub(super) fn local(&mut self, state: &State, thread: usize, names: &Map<u32, u32>) -> Result<u32, Refused> {
        let n_shared = self.n_shared();
        let mut renaming = Renaming {
            state,
            thread,
            n_shared,
            names,
            found: Map::default(),
            order: Vec::new(),
            mentioned: Vec::new(),
        };
        let own = self.canonical(state, thread, &mut renaming)?;
        let mut objects = Vec::new();
        let mut next = 0;
        while let Some(pointer) = renaming.order.get(next).copied() {
            next += 1;
            let mut object = state.object(pointer).ok_or(Refused("a pointer to a dead object"))?.clone();
            for cell in &mut object.cells {
                cell.value = renaming.value(cell.value)?;
            }
            if object.base.is_some() || object.any.is_some() {
                return Err(Refused("an object of a kind that is not followed"));
            }
            object.kind = plain_kind(object.kind);
            if matches!(object.kind, ObjectKind::Heap(_)) && self.machine.options.checks.contains(ViolationKind::Leak) {
                return Err(Refused("a heap object of one thread"));
            }
            objects.push(Rc::new(object));
        }
        let mut mentions = 0;
        for pointer in &renaming.mentioned {
            if state.object(*pointer).is_none() && names.values().all(|name| *name != pointer.object) {
                mentions |= self.mention(*pointer);
            }
        }
        if mentions != 0 {
            return Err(Refused("a pointer to a dead object"));
        }
        for pointer in &renaming.mentioned {
            mentions |= self.mention(*pointer);
        }
        let key = key(thread, &own, &objects);
        if let Some(known) = self.local_ids.get(&key) {
            return Ok(*known);
        }
        let id = self.locals.len() as u32;
        self.locals.push(Local { thread: Rc::new(own), objects, mentions });
        self.local_ids.insert(key, id);
        Ok(id)
    }

    /// The thread with canonical pointers and without dead registers.
    fn canonical(&self, state: &State, thread: usize, renaming: &mut Renaming<'_>) -> Result<Thread, Refused> {
        let program = self.machine.program;
        let mut own = state.threads[thread].clone();
        if own.picked.is_some() {
            return Err(Refused("a choice is open"));
        }
        let mut regs = vec![Value::Undef; own.regs.len()];
        for (depth, frame) in own.frames.iter().enumerate() {
            let live = self.machine.liveness.at(program, frame.function, frame.block, frame.index as usize);
            let awaited = own.frames.get(depth + 1).and_then(|above| above.dst);
            for reg in live.iter().filter(|reg| Some(**reg) != awaited) {
                let at = frame.reg_base as usize + reg.0 as usize;
                regs[at] = renaming.value(own.regs[at])?;
            }
        }
        own.regs = regs;
        for pointer in own.slots.iter_mut().chain(&mut own.allocas) {
            *pointer = renaming.pointer(*pointer)?;
        }
        for (_, pointer) in &mut own.locals {
            *pointer = renaming.pointer(*pointer)?;
        }
        for held in &mut own.held {
            held.lock = renaming.pointer(held.lock)?;
        }
        Ok(own)
    }

    /// Locks that a thread with this part holds alone: objects that are shared, and offsets.
    pub fn exclusive_locks(&self, part: u32) -> impl Iterator<Item = (u32, i64)> {
        let n_shared = self.n_shared();
        let held = self.locals[part as usize].thread.held.iter();
        let is_known = move |held: &&Held| held.is_exclusive && !is_own(held.lock, n_shared);
        held.filter(is_known).map(|held| (held.lock.object, held.lock.offset))
    }

    /// All locks that a thread with this part holds; and whether others can reach them.
    pub fn held_locks(&self, part: u32) -> impl Iterator<Item = (Held, bool)> {
        let n_shared = self.n_shared();
        let held = self.locals[part as usize].thread.held.iter();
        held.map(move |held| (*held, !is_own(held.lock, n_shared)))
    }

    /// The access to shared memory that a thread of the state, put together for it, makes next.
    pub fn next_shared_access(&self, state: &State, thread: usize) -> Option<NextAccess> {
        let n_shared = self.n_shared();
        let mut access = self.machine.next_access(state, thread)?;
        access.parts.retain(|part| !is_own(part.object, n_shared));
        (!access.parts.is_empty()).then_some(access)
    }
}

// ---- keys ----

/// Bytes that are equal for equal parts only.
fn key(number: usize, thread: &Thread, objects: &[Rc<Object>]) -> Vec<u8> {
    let mut out = Key(Vec::with_capacity(256));
    out.number(number as u64);
    out.number(u64::from(thread.is_ended));
    out.number(thread.frames.len() as u64);
    for frame in &thread.frames {
        let dst = frame.dst.map_or(0, |dst| u64::from(dst.0) + 1);
        for part in [u64::from(frame.function.0), u64::from(frame.block.0), u64::from(frame.index), dst] {
            out.number(part);
        }
    }
    out.number(thread.regs.len() as u64);
    thread.regs.iter().for_each(|value| out.value(*value));
    for list in [&thread.slots, &thread.allocas] {
        out.number(list.len() as u64);
        list.iter().for_each(|pointer| out.pointer(*pointer));
    }
    out.number(thread.locals.len() as u64);
    thread.locals.iter().for_each(|(_, pointer)| out.pointer(*pointer));
    out.number(thread.held.len() as u64);
    for held in &thread.held {
        out.number(u64::from(held.is_exclusive));
        out.pointer(held.lock);
    }
    out.number(thread.parent.map_or(0, |parent| u64::from(parent) + 1));
    out.number(thread.known_ended.0);
    out.number(thread.sites.len() as u64);
    thread.sites.iter().for_each(|loc| out.loc(*loc));
    objects.iter().for_each(|object| out.object(object));
    out.0
}

struct Key(Vec<u8>);

impl Key {
    fn number(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }

    fn pointer(&mut self, pointer: Pointer) {
        self.number(u64::from(pointer.object));
        self.number(((pointer.offset << 1) ^ (pointer.offset >> 63)) as u64);
    }

    fn loc(&mut self, loc: Loc) {
        [loc.file.0, loc.line, loc.column].into_iter().for_each(|part| self.number(u64::from(part)));
    }

    fn value(&mut self, value: Value) {
        match value {
            Value::Undef => self.0.push(0),
            Value::Bits(bits) => {
                self.0.push(1);
                self.number(bits);
            }
            Value::Wide(halves) => {
                self.0.push(2);
                halves.into_iter().for_each(|half| self.number(half));
            }
            Value::Ptr(pointer) => {
                self.0.push(3);
                self.pointer(pointer);
            }
            Value::Fragment { pointer, byte } => {
                self.0.extend_from_slice(&[4, byte]);
                self.pointer(pointer);
            }
            // Refused before.
            Value::Lazy(_) => self.0.push(5),
        }
    }

    fn object(&mut self, object: &Object) {
        let (tag, a, b) = match object.kind {
            ObjectKind::Global(global) => (1, global.0, 0),
            ObjectKind::Slot(function, slot) => (2, function.0, slot.0),
            ObjectKind::Alloca(function) => (3, function.0, 0),
            ObjectKind::Heap(_) => (4, 0, 0),
        };
        let maker = object.maker.map_or(0, |maker| u64::from(maker.0) + 1);
        let flags = u64::from(object.is_first) | u64::from(object.is_read_only) << 1;
        for part in [tag, u64::from(a), u64::from(b), maker, flags, object.align, object.size()] {
            self.number(part);
        }
        self.loc(object.loc);
        self.0.extend_from_slice(&object.bytes);
        match object.undef_mask() {
            Some(mask) => {
                self.0.push(1);
                self.0.extend_from_slice(mask);
            }
            None => self.0.push(0),
        }
        self.number(object.cells.len() as u64);
        for cell in &object.cells {
            self.number(cell.offset);
            self.0.push(cell.len);
            self.value(cell.value);
        }
    }
}
