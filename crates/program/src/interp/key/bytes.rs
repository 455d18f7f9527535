//! What a component of a key says by itself: the bytes of a thread, of an object, of the contents of a global.
//!
//! Pointers to dynamic objects and open inputs are left out and noted for the list behind the bytes.

use super::{Writer, number};
use crate::interp::exec::width;
use crate::interp::object::{Object, ObjectKind};
use crate::interp::state::Thread;
use crate::interp::value::{FIRST_FUNCTION, Lazy, Pointer, Value};
use crate::{Loc, RegId, ViolationKind};

impl Writer<'_, '_> {
    pub(super) fn thread(&mut self, thread: &Thread) {
        self.scratch.bytes.push(u8::from(thread.is_ended));
        if let Some(picked) = thread.picked {
            self.scratch.bytes.push(1);
            self.scratch.bytes.extend_from_slice(&picked.to_le_bytes());
        } else {
            self.scratch.bytes.push(0);
        }
        self.number(thread.frames.len() as u64);
        for (depth, frame) in thread.frames.iter().enumerate() {
            self.number(u64::from(frame.function.0));
            self.number(u64::from(frame.block.0));
            self.number(u64::from(frame.index));
            self.number(frame.dst.map_or(0, |dst| u64::from(dst.0) + 1));
            let above = thread.frames.get(depth + 1);
            self.registers(thread, depth, above.and_then(|above| above.dst));
            let end = above.map_or(thread.slots.len(), |above| above.slot_base as usize);
            for slot in &thread.slots[frame.slot_base as usize..end] {
                self.pointer(*slot);
            }
            let end = above.map_or(thread.allocas.len(), |above| above.alloca_base as usize);
            self.number((end - frame.alloca_base as usize) as u64);
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
            thread.interrupts.encode(&mut self.scratch.bytes);
        }
    }

    /// What gives locks and heap objects their names, which reductions compare between executions.
    fn names(&mut self, thread: &Thread) {
        self.number(thread.held.len() as u64);
        for held in &thread.held {
            self.scratch.bytes.push(u8::from(held.is_exclusive));
            self.pointer(held.lock);
        }
        self.number(thread.parent.map_or(0, |parent| u64::from(parent) + 1));
        self.number(thread.known_ended.0);
        self.number(thread.sites.len() as u64);
        for loc in &thread.sites {
            self.loc(*loc);
        }
    }

    fn registers(&mut self, thread: &Thread, depth: usize, awaited: Option<RegId>) {
        let program = self.machine.program;
        let frame = &thread.frames[depth];
        let live = self.machine.liveness.at(program, frame.function, frame.block, frame.index as usize);
        let declared = &program.functions[frame.function].regs;
        // The activation above is going to overwrite the awaited one.
        for reg in live.iter().filter(|reg| Some(**reg) != awaited) {
            let value = thread.regs[frame.reg_base as usize + reg.0 as usize];
            self.value(value, width(declared[*reg].ty, program.pointer_bytes));
        }
    }

    pub(super) fn object(&mut self, object: &Object) {
        self.scratch
            .bytes
            .push(kind_tag(object.kind) | u8::from(object.is_private) << 4 | u8::from(object.any.is_some()) << 5);
        self.number(object.size());
        self.number(object.align);
        if let Some(any) = &object.any {
            self.number(object.shape.map_or(0, |shape| u64::from(shape.0) + 1));
            self.number(any.parts.as_ref().map_or(0, |parts| parts.len() as u64));
            for (from, to) in any.parts.iter().flatten() {
                self.number(*from);
                self.number(*to);
            }
        }
        if self.machine.options.checks.contains(ViolationKind::Leak) || self.machine.has_threads {
            self.loc(object.loc);
        }
        if self.machine.has_threads {
            self.number(u64::from(object.thread) << 1 | u64::from(object.is_first));
        }
        self.contents(object);
    }

    pub(super) fn contents(&mut self, object: &Object) {
        self.scratch.bytes.extend_from_slice(&object.bytes);
        match object.undef_mask() {
            Some(mask) => {
                self.scratch.bytes.push(1);
                self.scratch.bytes.extend_from_slice(mask);
            }
            None => self.scratch.bytes.push(0),
        }
        self.number(object.cells.len() as u64);
        for cell in &object.cells {
            self.number(cell.offset);
            self.scratch.bytes.push(cell.len);
            self.value(cell.value, 8 * u32::from(cell.len));
        }
    }

    fn value(&mut self, value: Value, width: u32) {
        match value {
            Value::Undef => self.scratch.bytes.push(0),
            Value::Bits(bits) => {
                self.scratch.bytes.push(1);
                self.number(bits);
            }
            Value::Wide([low, high]) => {
                self.scratch.bytes.push(2);
                self.scratch.bytes.extend_from_slice(&low.to_le_bytes());
                self.scratch.bytes.extend_from_slice(&high.to_le_bytes());
            }
            Value::Ptr(pointer) => {
                self.scratch.bytes.push(3);
                self.pointer(pointer);
            }
            Value::Fragment { pointer, byte } => {
                self.scratch.bytes.push(4);
                self.scratch.bytes.push(byte);
                self.pointer(pointer);
            }
            Value::Lazy(lazy) => {
                self.scratch.has_lazy = true;
                match self.state.settle(lazy, width) {
                    Value::Lazy(lazy) => self.lazy(lazy),
                    settled => self.value(settled, width),
                }
            }
        }
    }

    fn lazy(&mut self, lazy: Lazy) {
        self.scratch.bytes.push(5);
        self.scratch.bytes.extend_from_slice(&lazy.scale().to_le_bytes());
        self.scratch.bytes.extend_from_slice(&lazy.offset().to_le_bytes());
        self.scratch.lazies.push(lazy);
    }

    fn pointer(&mut self, pointer: Pointer) {
        let n_globals = self.n_globals();
        match pointer.object {
            0 if pointer.offset == 0 => {
                self.scratch.bytes.push(4);
                return;
            }
            0 => {
                self.scratch.bytes.push(0);
                self.scratch.bytes.extend_from_slice(&pointer.offset.to_le_bytes());
                return;
            }
            object if object >= FIRST_FUNCTION => {
                self.scratch.bytes.push(1);
                self.number(u64::from(object - FIRST_FUNCTION));
            }
            object if object <= n_globals => {
                self.scratch.bytes.push(2);
                self.number(u64::from(object));
            }
            _ => {
                self.scratch.bytes.push(3);
                self.scratch.mentions.push(pointer.at(0));
            }
        }
        self.number(((pointer.offset << 1) ^ (pointer.offset >> 63)) as u64);
    }

    pub(super) fn is_dynamic(&self, pointer: Pointer) -> bool {
        pointer.object > self.n_globals() && pointer.object < FIRST_FUNCTION
    }

    fn loc(&mut self, loc: Loc) {
        for part in [loc.file.0, loc.line, loc.column] {
            self.number(u64::from(part));
        }
    }

    fn number(&mut self, value: u64) {
        number(&mut self.scratch.bytes, value);
    }
}

/// From 1 to 5.
pub(super) fn kind_tag(kind: ObjectKind) -> u8 {
    match kind {
        ObjectKind::Global(_) => 1,
        ObjectKind::Slot(..) => 2,
        ObjectKind::Alloca(_) => 3,
        ObjectKind::Heap(_) => 4,
    }
}
