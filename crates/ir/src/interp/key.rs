//! Canonical bytes of a state.
//!
//! Objects are numbered in the order in which they are found from threads and globals, open inputs likewise, so
//! that neither the order of allocations nor forgotten inputs show. What no future can see is left out: dead
//! registers, lost heap objects (unless leaks count), where objects were made, decisions.

use std::collections::HashMap;

use super::Machine;
use super::exec::width;
use super::object::{Object, ObjectKind};
use super::state::{State, Thread, global_pointer};
use super::value::{FIRST_FUNCTION, Lazy, Pointer, Value};
use crate::{Loc, RegId, ViolationKind};

impl Machine<'_> {
    /// Appends canonical bytes: equal for two states only if they have the same future. Registers that are never
    /// read again, objects nobody can reach, object numbers and decisions do not count.
    pub fn key(&self, state: &State, out: &mut Vec<u8>) {
        let mut writer = Writer {
            machine: self,
            state,
            out,
            objects: HashMap::default(),
            inputs: HashMap::default(),
            pending: Vec::new(),
        };
        writer.whole();
        if let Some(atomic) = &state.atomic {
            out.push(1);
            number(out, atomic.thread as u64);
            number(out, u64::from(atomic.depth));
            if let Some(start) = &atomic.start {
                self.key(start, out);
            }
        } else {
            out.push(0);
        }
    }

    /// A cheap necessary condition for equal keys.
    pub fn shallow_eq(&self, a: &State, b: &State) -> bool {
        let place = |thread: &Thread| {
            let place = thread.frames.last().map(|frame| (frame.function, frame.block, frame.index));
            (thread.frames.len(), place, thread.is_ended)
        };
        a.threads.len() == b.threads.len()
            && a.threads.iter().zip(&b.threads).all(|(a, b)| place(a) == place(b) && self.same_numbers(a, b))
            && a.memory.exposed.len() == b.memory.exposed.len()
    }

    /// Whether the live registers of the innermost activations, at the same place, do not differ in plain bits.
    fn same_numbers(&self, a: &Thread, b: &Thread) -> bool {
        let (Some(frame), Some(other)) = (a.frames.last(), b.frames.last()) else { return true };
        let live = self.liveness.at(self.program, frame.function, frame.block, frame.index as usize);
        let values = a.regs[frame.reg_base as usize..].iter().zip(&b.regs[other.reg_base as usize..]);
        values.enumerate().all(|(reg, values)| match values {
            (Value::Bits(a), Value::Bits(b)) => a == b || !live.contains(RegId(reg as u32)),
            _ => true,
        })
    }
}

type Map<K> = HashMap<K, u64, foldhash::fast::RandomState>;

struct Writer<'a, 'p> {
    machine: &'a Machine<'p>,
    state: &'a State,
    out: &'a mut Vec<u8>,
    /// Numbers of dynamic objects, dead or alive, in order of discovery.
    objects: Map<(u32, u32)>,
    inputs: Map<u32>,
    /// Objects found whose contents are still to be written.
    pending: Vec<Pointer>,
}

/// Small numbers take one byte.
fn number(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

impl Writer<'_, '_> {
    fn whole(&mut self) {
        let state = self.state;
        number(self.out, state.threads.len() as u64);
        for thread in &state.threads {
            self.thread(thread);
        }
        self.globals();
        number(self.out, state.memory.exposed.len() as u64);
        for (base, object) in &state.memory.exposed {
            number(self.out, *base);
            let pointer = state.memory.start_of(*object);
            self.pointer(pointer);
        }
        let mut next = 0;
        while next < self.pending.len() {
            let pointer = self.pending[next];
            next += 1;
            let object = state.memory.get(pointer).expect("only live objects are pending");
            self.object(object);
        }
        if self.machine.options.checks.contains(ViolationKind::Leak) {
            self.lost_objects();
        }
    }

    fn thread(&mut self, thread: &Thread) {
        self.out.push(u8::from(thread.is_ended));
        if let Some(picked) = thread.picked {
            self.out.push(1);
            self.out.extend_from_slice(&picked.to_le_bytes());
        } else {
            self.out.push(0);
        }
        number(self.out, thread.frames.len() as u64);
        for (depth, frame) in thread.frames.iter().enumerate() {
            number(self.out, u64::from(frame.function.0));
            number(self.out, u64::from(frame.block.0));
            number(self.out, u64::from(frame.index));
            number(self.out, frame.dst.map_or(0, |dst| u64::from(dst.0) + 1));
            let above = thread.frames.get(depth + 1);
            self.registers(thread, depth, above.and_then(|above| above.dst));
            let end = above.map_or(thread.slots.len(), |above| above.slot_base as usize);
            for slot in &thread.slots[frame.slot_base as usize..end] {
                self.pointer(*slot);
            }
            let end = above.map_or(thread.allocas.len(), |above| above.alloca_base as usize);
            number(self.out, (end - frame.alloca_base as usize) as u64);
            for alloca in &thread.allocas[frame.alloca_base as usize..end] {
                self.pointer(*alloca);
            }
        }
        for (_, pointer) in &thread.locals {
            self.pointer(*pointer);
        }
        if self.machine.has_threads {
            self.names(thread);
        }
        if self.machine.has_interrupts {
            thread.interrupts.encode(self.out);
        }
    }

    /// What gives locks and heap objects their names, which reductions compare between executions.
    fn names(&mut self, thread: &Thread) {
        number(self.out, thread.held.len() as u64);
        for held in &thread.held {
            self.out.push(u8::from(held.is_exclusive));
            self.pointer(held.lock);
        }
        number(self.out, thread.parent.map_or(0, |parent| u64::from(parent) + 1));
        number(self.out, thread.known_ended.0);
        number(self.out, thread.sites.len() as u64);
        for loc in &thread.sites {
            self.loc(*loc);
        }
    }

    fn registers(&mut self, thread: &Thread, depth: usize, awaited: Option<RegId>) {
        let program = self.machine.program;
        let frame = &thread.frames[depth];
        let mut live = self.machine.liveness.at(program, frame.function, frame.block, frame.index as usize);
        if let Some(reg) = awaited {
            // The activation above is going to overwrite it.
            live.remove(reg);
        }
        for (reg, declared) in program.functions[frame.function].regs.iter_enumerated() {
            if live.contains(reg) {
                let value = thread.regs[frame.reg_base as usize + reg.0 as usize];
                self.value(value, width(declared.ty, program.pointer_bytes));
            }
        }
    }

    /// Globals are named by position; unchanged ones take one byte, read-only ones none.
    fn globals(&mut self) {
        let state = self.state;
        for (id, global) in self.machine.program.globals.iter_enumerated() {
            if global.is_read_only || global.is_thread_local {
                continue;
            }
            let pointer = global_pointer(id);
            let now = state.memory.get_shared(pointer).expect("globals live for ever");
            let then = self.machine.initial.memory.get_shared(pointer).expect("globals live for ever");
            if std::rc::Rc::ptr_eq(now, then) || now.has_contents_of(then) {
                self.out.push(0);
            } else {
                self.out.push(1);
                self.contents(now);
            }
        }
    }

    fn object(&mut self, object: &Object) {
        self.out.push(kind_tag(object.kind) | u8::from(object.is_private) << 4 | u8::from(object.any.is_some()) << 5);
        number(self.out, object.size());
        number(self.out, object.align);
        if object.any.is_some() {
            number(self.out, object.shape.map_or(0, |shape| u64::from(shape.0) + 1));
        }
        if self.machine.options.checks.contains(ViolationKind::Leak) || self.machine.has_threads {
            self.loc(object.loc);
        }
        if self.machine.has_threads {
            number(self.out, u64::from(object.thread) << 1 | u64::from(object.is_first));
        }
        self.contents(object);
        if let Some(channel) = &object.channel {
            number(self.out, channel.messages.len() as u64);
            for message in &channel.messages {
                for (value, ty) in message.iter().zip(&channel.fields) {
                    self.value(*value, width(*ty, self.machine.program.pointer_bytes));
                }
            }
        }
    }

    fn contents(&mut self, object: &Object) {
        self.out.extend_from_slice(&object.bytes);
        match object.undef_mask() {
            Some(mask) => {
                self.out.push(1);
                self.out.extend_from_slice(mask);
            }
            None => self.out.push(0),
        }
        number(self.out, object.cells.len() as u64);
        for cell in &object.cells {
            number(self.out, cell.offset);
            self.out.push(cell.len);
            self.value(cell.value, 8 * u32::from(cell.len));
        }
    }

    fn value(&mut self, value: Value, width: u32) {
        match value {
            Value::Undef => self.out.push(0),
            Value::Bits(bits) => {
                self.out.push(1);
                number(self.out, bits);
            }
            Value::Wide([low, high]) => {
                self.out.push(2);
                self.out.extend_from_slice(&low.to_le_bytes());
                self.out.extend_from_slice(&high.to_le_bytes());
            }
            Value::Ptr(pointer) => {
                self.out.push(3);
                self.pointer(pointer);
            }
            Value::Fragment { pointer, byte } => {
                self.out.push(4);
                self.out.push(byte);
                self.pointer(pointer);
            }
            Value::Lazy(lazy) => match self.state.settle(lazy, width) {
                Value::Lazy(lazy) => self.lazy(lazy),
                settled => self.value(settled, width),
            },
        }
    }

    fn lazy(&mut self, lazy: Lazy) {
        self.out.push(5);
        self.out.extend_from_slice(&lazy.scale().to_le_bytes());
        self.out.extend_from_slice(&lazy.offset().to_le_bytes());
        let fresh = self.inputs.len() as u64;
        let known = *self.inputs.entry(lazy.input()).or_insert(fresh);
        number(self.out, known);
        if known == fresh {
            self.state.domain_of(lazy).encode(self.out);
        }
    }

    fn pointer(&mut self, pointer: Pointer) {
        let n_globals = self.machine.program.globals.len() as u32;
        match pointer.object {
            0 if pointer.offset == 0 => {
                self.out.push(4);
                return;
            }
            0 => {
                self.out.push(0);
                self.out.extend_from_slice(&pointer.offset.to_le_bytes());
                return;
            }
            object if object >= FIRST_FUNCTION => {
                self.out.push(1);
                number(self.out, u64::from(object - FIRST_FUNCTION));
            }
            object if object <= n_globals => {
                self.out.push(2);
                number(self.out, u64::from(object));
            }
            _ => {
                self.out.push(3);
                self.dynamic(pointer);
            }
        }
        number(self.out, ((pointer.offset << 1) ^ (pointer.offset >> 63)) as u64);
    }

    fn dynamic(&mut self, pointer: Pointer) {
        let fresh = self.objects.len() as u64;
        let known = *self.objects.entry((pointer.object, pointer.generation)).or_insert(fresh);
        number(self.out, known);
        if known != fresh {
            return;
        }
        if self.state.memory.get(pointer).is_some() {
            self.out.push(0);
            self.pending.push(pointer.at(0));
        } else {
            let kind = self.state.memory.tombstone(pointer).map(|tombstone| kind_tag(tombstone.kind));
            self.out.push(kind.unwrap_or(15));
        }
    }

    /// Where heap objects were made that nothing points to: each is a leak to come.
    fn lost_objects(&mut self) {
        let lost = self.state.memory.iter().filter(|(pointer, object)| {
            matches!(object.kind, ObjectKind::Heap(_))
                && !self.objects.contains_key(&(pointer.object, pointer.generation))
        });
        let mut places: Vec<Loc> = lost.map(|(_, object)| object.loc).collect();
        places.sort_unstable();
        places.dedup();
        for loc in places {
            self.loc(loc);
        }
    }

    fn loc(&mut self, loc: Loc) {
        number(self.out, u64::from(loc.file.0));
        number(self.out, u64::from(loc.line));
        number(self.out, u64::from(loc.column));
    }
}

fn kind_tag(kind: ObjectKind) -> u8 {
    match kind {
        ObjectKind::Global(_) => 1,
        ObjectKind::Slot(..) => 2,
        ObjectKind::Alloca(_) => 3,
        ObjectKind::Heap(_) => 4,
        ObjectKind::Channel => 5,
    }
}
