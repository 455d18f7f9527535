//! Visibility (which instructions other threads can observe) and data races between instructions.
//!
//! An object is private to the thread that made it until a pointer to it is stored where others can read it, is given
//! to a new thread, or has been converted to a number. Accesses of a thread to private objects and to its registers
//! commute with all steps of other threads, so they need no scheduling point. The end of an object's lifetime and the
//! end of a thread are visible too.

use super::exec::{Exec, stored_bytes};
use super::object::ObjectKind;
use super::state::{Frame, State, constant_pointer};
use super::value::{Pointer, Value};
use super::{Machine, Observer};
use crate::{Access, Address, BitRange, FuncId, Loc, Operand, SlotId, Stmt, StmtKind, Terminator};

/// What a thread is about to do to memory.
#[derive(Clone, PartialEq, Debug)]
pub struct NextAccess {
    /// Number of the thread.
    pub thread: usize,
    /// The innermost function of the user's own that is at work.
    pub function: FuncId,
    /// Where in it.
    pub loc: Loc,
    /// An atomic access.
    pub is_atomic: bool,
    /// A volatile access that one instruction of the processor makes.
    pub is_volatile: bool,
    /// The end of the object's life.
    pub is_free: bool,
    /// The ranges it touches: one, or two for a copy.
    pub parts: Vec<Part>,
}

/// A range of bytes of one object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Part {
    /// Pointer to the start of the object.
    pub object: Pointer,
    /// First byte.
    pub offset: u64,
    /// How many.
    pub bytes: u64,
    /// They are written.
    pub is_write: bool,
}

/// Two accesses of which at least one writes and not both are atomic, with nothing that orders them.
#[derive(Clone, PartialEq, Debug)]
pub struct Race {
    /// One access; it writes.
    pub first: NextAccess,
    /// The other.
    pub second: NextAccess,
    /// What the first one does to the bytes both touch.
    pub first_part: Part,
    /// What the second one does to them.
    pub second_part: Part,
}

impl Part {
    /// Whether both touch the same bytes and one of them writes.
    pub fn conflicts(&self, other: &Part) -> bool {
        (self.is_write || other.is_write) && self.overlaps(other)
    }

    fn overlaps(&self, other: &Part) -> bool {
        self.object.same_object(other.object)
            && self.offset < other.offset + other.bytes
            && other.offset < self.offset + self.bytes
    }
}

impl Machine<'_> {
    /// Two threads that are both about to touch the same memory, at least one of them to write it and not both
    /// atomically. If every interleaving is explored, the program has a data race exactly if such a state exists.
    pub fn race(&self, state: &State) -> Option<Race> {
        self.races(state, 1).pop()
    }

    /// All such pairs of threads, or as many as asked for.
    pub fn races(&self, state: &State, n_wanted: usize) -> Vec<Race> {
        let mut races = Vec::new();
        if state.atomic.is_some() {
            return races;
        }
        let accesses: Vec<NextAccess> =
            (0..state.threads.len()).filter_map(|thread| self.next_access(state, thread)).collect();
        for (at, first) in accesses.iter().enumerate() {
            for second in &accesses[at + 1..] {
                if races.len() < n_wanted
                    && let Some(race) = self.conflict(state, first, second)
                {
                    races.push(race);
                }
            }
        }
        races
    }

    fn conflict(&self, state: &State, first: &NextAccess, second: &NextAccess) -> Option<Race> {
        if first.is_atomic && second.is_atomic {
            return None;
        }
        // C leaves little more than `volatile sig_atomic_t` to handlers; code for small machines takes any volatile
        // object that is read or written at once, and rightly so: nothing comes between.
        let is_whole = |access: &NextAccess| access.is_atomic || access.is_volatile;
        if is_whole(first) && is_whole(second) && state.level(first.thread) != state.level(second.thread) {
            return None;
        }
        for one in &first.parts {
            for other in &second.parts {
                if !one.overlaps(other) || !(one.is_write || other.is_write) || self.is_model_object(state, one.object)
                {
                    continue;
                }
                let (first, second) = (first.clone(), second.clone());
                return Some(match one.is_write {
                    true => Race { first, second, first_part: *one, second_part: *other },
                    false => Race { first: second, second: first, first_part: *other, second_part: *one },
                });
            }
        }
        None
    }

    /// Library models keep their own house in order.
    fn is_model_object(&self, state: &State, object: Pointer) -> bool {
        match state.memory.get(object).map(|object| object.kind) {
            Some(ObjectKind::Global(global)) => self.program.globals[global].is_model,
            Some(ObjectKind::Slot(..) | ObjectKind::Alloca(_) | ObjectKind::Heap(_)) => false,
            None => true,
        }
    }

    /// The access to memory that the next instruction of a thread makes, if it makes one outside atomic regions.
    pub fn next_access(&self, state: &State, thread: usize) -> Option<NextAccess> {
        let (stmt, is_atomic, parts) = self.next_parts(state, thread)?;
        let parts: Vec<Part> = parts.into_iter().flatten().collect();
        let frames = state.frames(self.program, thread);
        let own = frames.iter().rev().find(|frame| !self.program.functions[frame.function].is_model);
        let (function, loc) = own.or(frames.last()).map(|frame| (frame.function, frame.loc))?;
        let is_free = matches!(stmt.kind, StmtKind::Free { .. });
        let is_volatile = match &stmt.kind {
            StmtKind::Load { access, .. } | StmtKind::Store { access, .. } => access.is_volatile,
            _other => false,
        } && parts.iter().all(|part| part.bytes <= u64::from(self.program.pointer_bytes));
        Some(NextAccess { thread, function, loc, is_atomic, is_volatile, is_free, parts })
    }

    /// The next instruction of a thread if it is an access, whether that is atomic, and what it touches.
    pub(crate) fn next_parts(&self, state: &State, thread: usize) -> Option<(&Stmt, bool, [Option<Part>; 2])> {
        let frame = state.threads[thread].frames.last()?;
        let block = &self.program.functions[frame.function].blocks[frame.block];
        let stmt = block.stmts.get(frame.index as usize)?;
        let mut found = Found { machine: self, state, thread, frame, parts: [None; 2] };
        let is_atomic = found.look(stmt)?;
        found.parts.iter().any(Option::is_some).then_some((stmt, is_atomic, found.parts))
    }
}

/// Collects what an instruction of a thread touches.
struct Found<'a, 'p> {
    machine: &'a Machine<'p>,
    state: &'a State,
    thread: usize,
    frame: &'a Frame,
    /// What it touches: one range, or two for a copy.
    parts: [Option<Part>; 2],
}

impl Found<'_, '_> {
    /// Whether the access is atomic; `None` if there is none.
    fn look(&mut self, stmt: &Stmt) -> Option<bool> {
        let program = self.machine.program;
        let size = |ty| stored_bytes(ty, program.pointer_bytes);
        let regs = &program.functions[self.frame.function].regs;
        let is_atomic = |access: &Access| access.atomic.is_some();
        match &stmt.kind {
            StmtKind::Load { dst, addr, access } => {
                self.add(addr, size(regs[*dst].ty), false);
                Some(is_atomic(access))
            }
            StmtKind::Store { addr, ty, access, .. } => {
                self.add(addr, size(*ty), true);
                Some(is_atomic(access))
            }
            StmtKind::LoadBits { addr, bits, access, .. } => {
                self.add_bits(addr, *bits, false);
                Some(is_atomic(access))
            }
            StmtKind::StoreBits { addr, bits, access, .. } => {
                self.add_bits(addr, *bits, true);
                Some(is_atomic(access))
            }
            StmtKind::MemCopy { dst, src, bytes, .. } => {
                let bytes = self.number(bytes)?;
                self.add(dst, bytes, true);
                self.add(src, bytes, false);
                Some(false)
            }
            StmtKind::MemSet { dst, bytes, .. } => {
                let bytes = self.number(bytes)?;
                self.add(dst, bytes, true);
                Some(false)
            }
            StmtKind::MemAny { dst, bytes, is_assumed, .. } => {
                let bytes = self.number(bytes)?;
                self.add(dst, bytes, true);
                Some(*is_assumed)
            }
            StmtKind::Output { addr, bytes, .. } => {
                let bytes = self.number(bytes)?;
                self.add(addr, bytes, false);
                Some(false)
            }
            StmtKind::AtomicRmw { dst, addr, .. } | StmtKind::AtomicCas { dst, addr, .. } => {
                self.add(addr, size(regs[*dst].ty), true);
                Some(true)
            }
            StmtKind::SetJump { addr, .. } => {
                self.add(addr, super::jump::n_bytes(program.pointer_bytes), true);
                Some(false)
            }
            StmtKind::LongJump { addr, .. } => {
                self.add(addr, super::jump::n_bytes(program.pointer_bytes), false);
                Some(false)
            }
            StmtKind::Free { addr, .. } => {
                let object = self.pointer(addr)?;
                let bytes = self.state.memory.get(object)?.size();
                self.push(Part { object: object.at(0), offset: 0, bytes, is_write: true });
                Some(false)
            }
            StmtKind::Assign(..)
            | StmtKind::SlotLive(_)
            | StmtKind::SlotDead(_)
            | StmtKind::Alloc { .. }
            | StmtKind::ObjectSize { .. }
            | StmtKind::Call { .. }
            | StmtKind::Choose { .. }
            | StmtKind::Assume(_)
            | StmtKind::Assert { .. }
            | StmtKind::CheckIndex { .. }
            | StmtKind::Note(_)
            | StmtKind::Unmodelled(_)
            | StmtKind::Fence(_)
            | StmtKind::AtomicBegin
            | StmtKind::AtomicEnd
            | StmtKind::Wait(_)
            | StmtKind::Spawn { .. }
            | StmtKind::SelfThread(_)
            | StmtKind::Hold { .. }
            | StmtKind::Progress
            | StmtKind::ThreadEnded { .. }
            | StmtKind::Interrupts { .. } => None,
        }
    }

    /// Adds a range in bounds of a live object; anything else goes wrong by itself.
    fn add(&mut self, addr: &Operand, bytes: u64, is_write: bool) {
        let Some(pointer) = self.pointer(addr) else { return };
        let Some(object) = self.state.memory.get(pointer) else { return };
        let Ok(offset) = u64::try_from(pointer.offset) else { return };
        if bytes > 0 && offset.checked_add(bytes).is_some_and(|end| end <= object.size()) {
            self.push(Part { object: pointer.at(0), offset, bytes, is_write });
        }
    }

    /// Adds the memory location of a bit-field.
    fn add_bits(&mut self, addr: &Operand, bits: BitRange, is_write: bool) {
        self.add(addr, bits.n_bytes(), is_write);
        if let [Some(part), _] = &mut self.parts {
            let size = self.state.memory.get(part.object).map_or(0, super::Object::size);
            (part.offset, part.bytes) = bits.location(part.offset, size);
        }
    }

    fn push(&mut self, part: Part) {
        let free = self.parts.iter_mut().find(|part| part.is_none());
        *free.expect("an instruction should touch at most two ranges") = Some(part);
    }

    fn value(&self, operand: &Operand) -> Value {
        let thread = &self.state.threads[self.thread];
        match *operand {
            Operand::Reg(reg) => thread.regs[self.frame.reg_base as usize + reg.0 as usize],
            Operand::Bits(ty, bits) => {
                Value::from_bits(super::exec::width(ty, self.machine.program.pointer_bytes), bits)
            }
            Operand::Slot(slot) => Value::Ptr(thread.slots[self.frame.slot_base as usize + slot.0 as usize]),
            Operand::Address(Address::Global(global, offset)) => {
                Value::Ptr(self.state.global(self.thread, global).at(offset))
            }
            Operand::Address(address) => Value::Ptr(constant_pointer(address)),
            Operand::Null => Value::NULL,
            Operand::Undef(_) => Value::Undef,
        }
    }

    fn number(&self, operand: &Operand) -> Option<u64> {
        match self.value(operand) {
            Value::Bits(bits) => Some(bits),
            Value::Lazy(lazy) => self.state.settle(lazy, 64).bits().map(|bits| bits as u64),
            Value::Undef | Value::Wide(_) | Value::Ptr(_) | Value::Fragment { .. } => None,
        }
    }

    fn pointer(&self, operand: &Operand) -> Option<Pointer> {
        match self.value(operand) {
            Value::Ptr(pointer) => Some(pointer),
            Value::Bits(bits) => Some(self.state.memory.from_address(bits, self.machine.program.functions.len())),
            Value::Undef | Value::Wide(_) | Value::Fragment { .. } | Value::Lazy(_) => None,
        }
    }
}

impl<O: Observer + ?Sized> Exec<'_, '_, O> {
    /// Whether other threads can notice the next instruction, or it can notice them.
    pub(crate) fn concerns_others(&self) -> bool {
        let Some(stmt) = self.block.stmts.get(self.index) else {
            return match &self.block.terminator {
                Terminator::Exit { .. } | Terminator::EndThread => true,
                Terminator::Return(_) => self.return_is_noticed(),
                Terminator::Goto(_)
                | Terminator::Branch { .. }
                | Terminator::Switch { .. }
                | Terminator::IndirectGoto { .. }
                | Terminator::Unreachable => false,
            };
        };
        match &stmt.kind {
            StmtKind::Load { addr, .. }
            | StmtKind::Store { addr, .. }
            | StmtKind::LoadBits { addr, .. }
            | StmtKind::StoreBits { addr, .. }
            | StmtKind::AtomicRmw { addr, .. }
            | StmtKind::AtomicCas { addr, .. }
            | StmtKind::Free { addr, .. }
            | StmtKind::ObjectSize { addr, .. }
            | StmtKind::SetJump { addr, .. }
            | StmtKind::Output { addr, .. } => self.may_be_shared(addr),
            StmtKind::MemCopy { dst, src, .. } => self.may_be_shared(dst) || self.may_be_shared(src),
            StmtKind::MemSet { dst, .. } | StmtKind::MemAny { dst, .. } => self.may_be_shared(dst),
            StmtKind::SlotLive(slot) | StmtKind::SlotDead(slot) => self.slot_is_shared(*slot),
            StmtKind::AtomicBegin | StmtKind::Wait(_) | StmtKind::Spawn { .. } | StmtKind::ThreadEnded { .. } => true,
            // Activations end, and with them objects that others may know.
            StmtKind::Interrupts { .. } | StmtKind::LongJump { .. } => true,
            StmtKind::Assign(..)
            | StmtKind::Alloc { .. }
            | StmtKind::Call { .. }
            | StmtKind::Choose { .. }
            | StmtKind::Assume(_)
            | StmtKind::Assert { .. }
            | StmtKind::CheckIndex { .. }
            | StmtKind::Note(_)
            | StmtKind::Unmodelled(_)
            | StmtKind::Fence(_)
            | StmtKind::AtomicEnd
            | StmtKind::SelfThread(_)
            | StmtKind::Hold { .. }
            | StmtKind::Progress => false,
        }
    }

    fn may_be_shared(&self, addr: &Operand) -> bool {
        match self.operand(addr) {
            Value::Ptr(pointer) => {
                self.state.memory.get(pointer).is_none_or(|object| !object.is_private && !object.is_read_only)
            }
            Value::Undef | Value::Bits(_) | Value::Wide(_) | Value::Fragment { .. } | Value::Lazy(_) => true,
        }
    }

    fn is_shared(&self, pointer: Pointer) -> bool {
        self.state.memory.get(pointer).is_some_and(|object| !object.is_private)
    }

    fn slot_is_shared(&self, slot: SlotId) -> bool {
        self.is_shared(self.state.threads[self.thread].slots[self.slot_base + slot.0 as usize])
    }

    /// Returning ends the lives of stack objects, or the thread.
    fn return_is_noticed(&self) -> bool {
        let thread = &self.state.threads[self.thread];
        let Some(frame) = thread.frames.last() else { return true };
        let slots = thread.slots[frame.slot_base as usize..].iter();
        thread.frames.len() == 1
            || slots.chain(&thread.allocas[frame.alloca_base as usize..]).any(|pointer| self.is_shared(*pointer))
    }
}
