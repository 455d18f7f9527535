//! Canonical bytes of a state.
//!
//! Objects are numbered in the order in which they are found from threads and globals, open inputs likewise, so
//! that neither the order of allocations nor forgotten inputs show. What no future can see is left out: dead
//! registers, lost heap objects (unless leaks count), where objects were made, decisions.
//!
//! A state is a list of components: threads, changed globals, dynamic objects. What a component says does not
//! depend on the rest of the state: the objects and inputs it mentions are left out of its bytes and listed behind
//! it. So the bytes of most components are known from the state before. A short key has numbers in place of the
//! bytes; a component remembers its number until it changes.

use std::cell::{Cell, RefCell};

use super::Machine;
use super::exec::width;
use super::object::{Object, ObjectKind};
use super::state::{State, Thread};
use super::value::{FIRST_FUNCTION, Lazy, Pointer, Value};
use crate::{GlobalId, Loc, RegId, ViolationKind};

/// Gives numbers to byte strings: equal ones for equal strings, different ones for different strings.
pub trait Numbering {
    /// Tells numberings apart; not 0.
    fn identity(&self) -> u32;
    /// The number of a string; `None` if there is no room for another.
    fn number(&self, bytes: &[u8]) -> Option<u32>;
}

/// There is no room for another component.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NoRoom;

impl Machine<'_> {
    /// Appends canonical bytes: equal for two states only if they have the same future. Registers that are never
    /// read again, objects nobody can reach, object numbers and decisions do not count.
    pub fn key(&self, state: &State, out: &mut Vec<u8>) {
        let mut room = self.room.borrow_mut();
        let written = self.write_key(state, None, &mut room, out);
        written.expect("only a numbering should run out of room");
    }

    /// Appends a key that is short because a numbering knows its components: equal for two states exactly if their
    /// keys are. Gives the number of bytes that had to be written for it.
    pub fn short_key(&self, state: &State, numbering: &dyn Numbering, out: &mut Vec<u8>) -> Result<u64, NoRoom> {
        let mut room = self.room.borrow_mut();
        let before = room.n_written;
        self.write_key(state, Some(numbering), &mut room, out)?;
        Ok(room.n_written - before)
    }

    fn write_key(
        &self,
        state: &State,
        numbering: Option<&dyn Numbering>,
        room: &mut Room,
        out: &mut Vec<u8>,
    ) -> Result<(), NoRoom> {
        room.begin(state);
        Writer { machine: self, state, numbering, room, out }.whole()?;
        if let Some(atomic) = &state.atomic {
            out.push(1);
            number(out, atomic.thread as u64);
            number(out, u64::from(atomic.depth));
            if let Some(start) = &atomic.start {
                self.write_key(start, numbering, room, out)?;
            }
        } else {
            out.push(0);
        }
        Ok(())
    }

    /// A cheap necessary condition for equal keys.
    pub fn shallow_eq(&self, a: &State, b: &State) -> bool {
        let place = |thread: &Thread| {
            let place = thread.frames.last().map(|frame| (frame.function, frame.block, frame.index));
            (thread.frames.len(), place, thread.is_ended)
        };
        a.threads.len() == b.threads.len()
            && a.threads.iter().zip(b.threads.iter()).all(|(a, b)| place(a) == place(b) && self.same_numbers(a, b))
            && a.memory.exposed.len() == b.memory.exposed.len()
    }

    /// Whether the live registers of the innermost activations, at the same place, do not differ in plain bits.
    fn same_numbers(&self, a: &Thread, b: &Thread) -> bool {
        let (Some(frame), Some(other)) = (a.frames.last(), b.frames.last()) else { return true };
        let live = self.liveness.at(self.program, frame.function, frame.block, frame.index as usize);
        let (a, b) = (&a.regs[frame.reg_base as usize..], &b.regs[other.reg_base as usize..]);
        live.iter().all(|reg| match (a.get(reg.0 as usize), b.get(reg.0 as usize)) {
            (Some(Value::Bits(a)), Some(Value::Bits(b))) => a == b,
            _ => true,
        })
    }
}

/// What a component was numbered as, and in which numbering. A copy has forgotten it, because copies are made to be
/// changed.
#[derive(Default, Debug)]
pub(crate) struct Memo(Cell<(u32, u32)>);

impl Memo {
    #[inline(always)]
    pub(crate) fn forget(&mut self) {
        self.0.get_mut().0 = 0;
    }

    fn get(&self, numbering: &dyn Numbering) -> Option<u32> {
        let (identity, number) = self.0.get();
        (identity == numbering.identity()).then_some(number)
    }
}

impl Clone for Memo {
    fn clone(&self) -> Memo {
        Memo::default()
    }
}

impl PartialEq for Memo {
    fn eq(&self, _: &Memo) -> bool {
        true
    }
}

/// Objects a component mentions; as forgetful as [`Memo`].
#[derive(Default, Debug)]
pub(crate) struct Mentions(RefCell<Vec<Pointer>>);

impl Clone for Mentions {
    fn clone(&self) -> Mentions {
        Mentions::default()
    }
}

/// Room for writing keys, used again and again.
#[derive(Default)]
pub(crate) struct Room {
    /// The component at hand.
    bytes: Vec<u8>,
    /// Dynamic objects it mentions.
    mentions: Vec<Pointer>,
    /// Open inputs it mentions.
    lazies: Vec<Lazy>,
    /// It holds values of inputs, open or with one value left.
    has_lazy: bool,
    /// Numbers of dynamic objects in order of discovery, by number in the state: key, generation, number.
    objects: Vec<(u32, u32, u32)>,
    /// Those of which another life of the same object number was found first.
    more_objects: Vec<(u32, u32, u32)>,
    n_objects: u32,
    /// Open inputs in order of discovery: key and number.
    inputs: Vec<(u32, u32)>,
    n_inputs: u32,
    /// Objects found whose contents are still to be written.
    pending: Vec<Pointer>,
    /// Which key is being written; what other keys left behind does not count.
    key: u32,
    n_written: u64,
}

impl Room {
    fn begin(&mut self, state: &State) {
        if self.key == u32::MAX {
            self.objects.clear();
            self.inputs.clear();
            self.key = 0;
        }
        self.key += 1;
        let n_numbers = state.memory.n_numbers();
        if self.objects.len() < n_numbers {
            self.objects.resize(n_numbers, (0, 0, 0));
        }
        if self.inputs.len() < state.inputs.len() {
            self.inputs.resize(state.inputs.len(), (0, 0));
        }
        self.more_objects.clear();
        self.pending.clear();
        (self.n_objects, self.n_inputs) = (0, 0);
    }

    /// The number of an object in order of discovery, and whether it was just discovered.
    fn discover(&mut self, pointer: Pointer) -> (u32, bool) {
        let fresh = self.n_objects;
        if self.objects.len() <= pointer.object as usize {
            self.objects.resize(pointer.object as usize + 1, (0, 0, 0));
        }
        let at = &mut self.objects[pointer.object as usize];
        if at.0 != self.key {
            *at = (self.key, pointer.generation, fresh);
            self.n_objects += 1;
            return (fresh, true);
        }
        if at.1 == pointer.generation {
            return (at.2, false);
        }
        let known = self.more_objects.iter().find(|known| (known.0, known.1) == (pointer.object, pointer.generation));
        if let Some(known) = known {
            return (known.2, false);
        }
        self.more_objects.push((pointer.object, pointer.generation, fresh));
        self.n_objects += 1;
        (fresh, true)
    }

    fn is_discovered(&self, pointer: Pointer) -> bool {
        let at = self.objects[pointer.object as usize];
        let is_same = |known: &(u32, u32, u32)| (known.0, known.1) == (pointer.object, pointer.generation);
        at.0 == self.key && (at.1 == pointer.generation || self.more_objects.iter().any(is_same))
    }
}

struct Writer<'a, 'p> {
    machine: &'a Machine<'p>,
    state: &'a State,
    numbering: Option<&'a dyn Numbering>,
    room: &'a mut Room,
    out: &'a mut Vec<u8>,
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
    fn whole(&mut self) -> Result<(), NoRoom> {
        let state = self.state;
        number(self.out, state.threads.len() as u64);
        for thread in state.threads.iter() {
            self.thread_component(thread)?;
        }
        self.globals()?;
        number(self.out, state.memory.exposed.len() as u64);
        for (base, object) in &state.memory.exposed {
            number(self.out, *base);
            // All of these live: globals have their places, the others are found here if nowhere else.
            number(self.out, u64::from(*object <= self.n_globals()));
            match *object <= self.n_globals() {
                true => number(self.out, u64::from(*object)),
                false => self.mention(state.memory.start_of(*object)),
            }
        }
        let mut next = 0;
        while next < self.room.pending.len() {
            let pointer = self.room.pending[next];
            next += 1;
            let object = state.memory.get(pointer).expect("only live objects are pending");
            self.object_component(object, Writer::object)?;
        }
        if self.machine.options.checks.contains(ViolationKind::Leak) {
            self.lost_objects();
        }
        Ok(())
    }

    fn n_globals(&self) -> u32 {
        self.machine.program.globals.len() as u32
    }

    // ---- components ----

    fn thread_component(&mut self, thread: &Thread) -> Result<(), NoRoom> {
        if let Some(numbering) = self.numbering
            && let Some(known) = thread.memo.get(numbering)
        {
            number(self.out, u64::from(known));
            for pointer in thread.mentions.0.borrow().iter() {
                self.mention(*pointer);
            }
            return Ok(());
        }
        self.begin_component();
        self.thread(thread);
        if let Some(identified) = self.end_component()? {
            thread.memo.0.set(identified);
            let mut mentions = thread.mentions.0.borrow_mut();
            mentions.clear();
            mentions.extend_from_slice(&self.room.mentions);
        }
        Ok(())
    }

    fn object_component(&mut self, object: &Object, write: fn(&mut Self, &Object)) -> Result<(), NoRoom> {
        if let Some(numbering) = self.numbering
            && let Some(known) = object.memo.get(numbering)
        {
            number(self.out, u64::from(known));
            let values = object.cells.iter().map(|cell| cell.value);
            for value in values {
                if let Value::Ptr(pointer) | Value::Fragment { pointer, .. } = value
                    && self.is_dynamic(pointer)
                {
                    self.mention(pointer);
                }
            }
            return Ok(());
        }
        self.begin_component();
        write(self, object);
        if let Some(identified) = self.end_component()? {
            object.memo.0.set(identified);
        }
        Ok(())
    }

    fn begin_component(&mut self) {
        self.room.bytes.clear();
        self.room.mentions.clear();
        self.room.lazies.clear();
        self.room.has_lazy = false;
    }

    /// Puts the component at hand into the key. What to remember, if it will be the same in other states.
    fn end_component(&mut self) -> Result<Option<(u32, u32)>, NoRoom> {
        let known = self.put_bytes()?;
        for at in 0..self.room.mentions.len() {
            self.mention(self.room.mentions[at]);
        }
        let is_settled = !self.room.has_lazy;
        for at in 0..self.room.lazies.len() {
            self.input(self.room.lazies[at])?;
        }
        // Inputs are narrowed without the values that name them being touched.
        Ok(known.filter(|_| is_settled))
    }

    /// The bytes at hand, or their number.
    fn put_bytes(&mut self) -> Result<Option<(u32, u32)>, NoRoom> {
        let bytes = &self.room.bytes;
        self.room.n_written += bytes.len() as u64;
        let Some(numbering) = self.numbering else {
            self.out.extend_from_slice(bytes);
            return Ok(None);
        };
        let known = numbering.number(bytes).ok_or(NoRoom)?;
        number(self.out, u64::from(known));
        Ok(Some((numbering.identity(), known)))
    }

    /// A dynamic object that a component mentions. Those found here for the first time have the next number, so that
    /// it need not be written: only whether they live, and else what they were.
    fn mention(&mut self, pointer: Pointer) {
        let (known, is_fresh) = self.room.discover(pointer);
        if !is_fresh {
            number(self.out, u64::from(known) + FIRST_KNOWN);
        } else if self.state.memory.get(pointer).is_some() {
            self.out.push(0);
            self.room.pending.push(pointer.at(0));
        } else {
            let kind = self.state.memory.tombstone(pointer).map(|tombstone| kind_tag(tombstone.kind));
            self.out.push(kind.unwrap_or(NO_KIND));
        }
    }

    /// An open input that a component mentions.
    fn input(&mut self, lazy: Lazy) -> Result<(), NoRoom> {
        let fresh = self.room.n_inputs;
        let at = &mut self.room.inputs[lazy.input() as usize];
        let is_fresh = at.0 != self.room.key;
        if is_fresh {
            *at = (self.room.key, fresh);
            self.room.n_inputs += 1;
        }
        number(self.out, u64::from(at.1));
        if is_fresh {
            self.room.bytes.clear();
            self.state.domain_of(lazy).encode(&mut self.room.bytes);
            self.put_bytes()?;
        }
        Ok(())
    }

    /// Changed globals, each behind its distance from the one before. Nobody changes read-only ones.
    fn globals(&mut self) -> Result<(), NoRoom> {
        let (state, machine) = (self.state, self.machine);
        let mut last = 0;
        for (at, now, then) in state.memory.differing(&machine.initial.memory, self.n_globals()) {
            let global = &machine.program.globals[GlobalId(at - 1)];
            let is_known = self.numbering.is_some_and(|numbering| now.memo.get(numbering).is_some());
            if global.is_read_only || global.is_thread_local || (!is_known && now.has_contents_of(then)) {
                continue;
            }
            number(self.out, u64::from(at - last));
            last = at;
            self.object_component(now, Writer::contents)?;
        }
        self.out.push(0);
        Ok(())
    }

    // ---- the bytes of a component ----

    fn thread(&mut self, thread: &Thread) {
        self.room.bytes.push(u8::from(thread.is_ended));
        if let Some(picked) = thread.picked {
            self.room.bytes.push(1);
            self.room.bytes.extend_from_slice(&picked.to_le_bytes());
        } else {
            self.room.bytes.push(0);
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
            thread.interrupts.encode(&mut self.room.bytes);
        }
    }

    /// What gives locks and heap objects their names, which reductions compare between executions.
    fn names(&mut self, thread: &Thread) {
        self.number(thread.held.len() as u64);
        for held in &thread.held {
            self.room.bytes.push(u8::from(held.is_exclusive));
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

    fn object(&mut self, object: &Object) {
        self.room
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

    fn contents(&mut self, object: &Object) {
        self.room.bytes.extend_from_slice(&object.bytes);
        match object.undef_mask() {
            Some(mask) => {
                self.room.bytes.push(1);
                self.room.bytes.extend_from_slice(mask);
            }
            None => self.room.bytes.push(0),
        }
        self.number(object.cells.len() as u64);
        for cell in &object.cells {
            self.number(cell.offset);
            self.room.bytes.push(cell.len);
            self.value(cell.value, 8 * u32::from(cell.len));
        }
    }

    fn value(&mut self, value: Value, width: u32) {
        match value {
            Value::Undef => self.room.bytes.push(0),
            Value::Bits(bits) => {
                self.room.bytes.push(1);
                self.number(bits);
            }
            Value::Wide([low, high]) => {
                self.room.bytes.push(2);
                self.room.bytes.extend_from_slice(&low.to_le_bytes());
                self.room.bytes.extend_from_slice(&high.to_le_bytes());
            }
            Value::Ptr(pointer) => {
                self.room.bytes.push(3);
                self.pointer(pointer);
            }
            Value::Fragment { pointer, byte } => {
                self.room.bytes.push(4);
                self.room.bytes.push(byte);
                self.pointer(pointer);
            }
            Value::Lazy(lazy) => {
                self.room.has_lazy = true;
                match self.state.settle(lazy, width) {
                    Value::Lazy(lazy) => self.lazy(lazy),
                    settled => self.value(settled, width),
                }
            }
        }
    }

    fn lazy(&mut self, lazy: Lazy) {
        self.room.bytes.push(5);
        self.room.bytes.extend_from_slice(&lazy.scale().to_le_bytes());
        self.room.bytes.extend_from_slice(&lazy.offset().to_le_bytes());
        self.room.lazies.push(lazy);
    }

    fn pointer(&mut self, pointer: Pointer) {
        let n_globals = self.n_globals();
        match pointer.object {
            0 if pointer.offset == 0 => {
                self.room.bytes.push(4);
                return;
            }
            0 => {
                self.room.bytes.push(0);
                self.room.bytes.extend_from_slice(&pointer.offset.to_le_bytes());
                return;
            }
            object if object >= FIRST_FUNCTION => {
                self.room.bytes.push(1);
                self.number(u64::from(object - FIRST_FUNCTION));
            }
            object if object <= n_globals => {
                self.room.bytes.push(2);
                self.number(u64::from(object));
            }
            _ => {
                self.room.bytes.push(3);
                self.room.mentions.push(pointer.at(0));
            }
        }
        self.number(((pointer.offset << 1) ^ (pointer.offset >> 63)) as u64);
    }

    fn is_dynamic(&self, pointer: Pointer) -> bool {
        pointer.object > self.n_globals() && pointer.object < FIRST_FUNCTION
    }

    fn loc(&mut self, loc: Loc) {
        for part in [loc.file.0, loc.line, loc.column] {
            self.number(u64::from(part));
        }
    }

    fn number(&mut self, value: u64) {
        number(&mut self.room.bytes, value);
    }

    // ---- leaks ----

    /// Where heap objects were made that nothing points to: each is a leak to come.
    fn lost_objects(&mut self) {
        let lost = self.state.memory.iter().filter(|(pointer, object)| {
            matches!(object.kind, ObjectKind::Heap(_)) && !self.room.is_discovered(*pointer)
        });
        let mut places: Vec<Loc> = lost.map(|(_, object)| object.loc).collect();
        places.sort_unstable();
        places.dedup();
        number(self.out, places.len() as u64);
        for loc in places {
            for part in [loc.file.0, loc.line, loc.column] {
                number(self.out, u64::from(part));
            }
        }
    }
}

/// What nothing is known of any more.
const NO_KIND: u8 = 6;
/// Smaller numbers tell what an object is that is mentioned for the first time.
const FIRST_KNOWN: u64 = 7;

/// From 1 to 5.
fn kind_tag(kind: ObjectKind) -> u8 {
    match kind {
        ObjectKind::Global(_) => 1,
        ObjectKind::Slot(..) => 2,
        ObjectKind::Alloca(_) => 3,
        ObjectKind::Heap(_) => 4,
    }
}
