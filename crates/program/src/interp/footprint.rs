//! Footprints of steps: the accessed objects, under names that are equal in all interleavings.
//!
//! Object numbers depend on who allocated first, so two executions that differ only in the order of independent
//! steps number the same object differently. A [`Name`] does not: globals are themselves, stack objects are
//! slots of a function in a thread, heap objects are places in the source where a thread made them. Several
//! objects may share a name, which costs precision only; a lock is compared by name only if no other object ever
//! has that name.

use super::exec::Exec;
use super::object::ObjectKind;
use super::value::Pointer;
use super::{Held, Machine, Observer, Part, Silent, State, Stop, ThreadSet, Until, Wants};
use crate::{FuncId, GlobalId, Loc, SlotId, Stmt, StmtKind, Terminator};

/// An object or several, by where they come from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Name {
    /// A variable of static storage.
    Global(GlobalId),
    /// A thread's instance of a thread-local variable.
    Local(GlobalId, u32),
    /// A local variable in a thread.
    Slot(FuncId, SlotId, u32),
    /// Stack memory of variable size that a function made in a thread.
    Alloca(FuncId, u32),
    /// What a thread allocated at a place: the first time, or later.
    Heap(Loc, u32, bool),
    /// Whether threads have ended; the byte is the number of the thread.
    Ends,
    /// Which threads there are.
    Spawns,
}

/// Numbers that stand for what is no object: thread ends and thread starts.
const ENDS: Pointer = Pointer { object: 0, generation: 1, offset: 0 };
const SPAWNS: Pointer = Pointer { object: 0, generation: 2, offset: 0 };

/// More ranges than this are widened to whole objects.
const MAX_PARTS: usize = 48;

/// A range that a step touched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Touched {
    /// The range, by object number: for steps of one execution.
    pub part: Part,
    /// Its object by name: for steps of different executions.
    pub name: Name,
    /// What the thread knew when it touched it.
    pub known_ended: ThreadSet,
}

/// Collects what steps touch. Memory that only its own thread can reach and memory that is never written are left out.
#[derive(Clone, Default, Debug)]
pub struct Footprint {
    /// Ranges.
    pub touched: Vec<Touched>,
    /// Locks taken, or waited for.
    pub taken: Vec<Held>,
}

impl Footprint {
    /// Forgets everything.
    pub fn clear(&mut self) {
        self.touched.clear();
        self.taken.clear();
    }

    /// Whether two steps touch the same bytes and one of them writes.
    pub fn conflicts(&self, other: &Footprint) -> bool {
        self.touched.iter().any(|one| other.touched.iter().any(|other| one.part.conflicts(&other.part)))
    }

    /// Whether the steps started a thread or ended one.
    pub fn starts_or_ends_threads(&self) -> bool {
        self.touched.iter().any(|touched| touched.part.is_write && matches!(touched.name, Name::Ends | Name::Spawns))
    }

    fn add(&mut self, state: &State, thread: usize, object: Pointer, offset: u64, bytes: u64, is_write: bool) {
        let Some(data) = state.memory.get(object) else { return };
        if data.is_private || data.is_read_only {
            return;
        }
        let name = name_of(data.kind, data.loc, data.thread, data.is_first, data.is_private);
        self.push(state, thread, Part { object: object.at(0), offset, bytes, is_write }, name);
    }

    fn push(&mut self, state: &State, thread: usize, part: Part, name: Name) {
        let known_ended = state.threads[thread].known_ended;
        if self.touched.iter().rev().take(8).any(|known| known.part == part && known.known_ended == known_ended) {
            return;
        }
        if self.touched.len() >= MAX_PARTS {
            self.widen();
        }
        self.touched.push(Touched { part, name, known_ended });
    }

    /// Whole objects instead of ranges.
    fn widen(&mut self) {
        let mut wide: Vec<Touched> = Vec::new();
        for touched in &self.touched {
            let same = |known: &&mut Touched| {
                known.part.object == touched.part.object && known.known_ended == touched.known_ended
            };
            match wide.iter_mut().find(same) {
                Some(known) => {
                    let end = (known.part.offset + known.part.bytes).max(touched.part.offset + touched.part.bytes);
                    known.part.offset = known.part.offset.min(touched.part.offset);
                    known.part.bytes = end - known.part.offset;
                    known.part.is_write |= touched.part.is_write;
                }
                None => wide.push(*touched),
            }
        }
        self.touched = wide;
    }
}

/// The name of an object.
fn name_of(kind: ObjectKind, loc: Loc, thread: u32, is_first: bool, is_private: bool) -> Name {
    match kind {
        // Thread-local variables are born private; once published they are named like the variable itself, which
        // is less precise and never wrong.
        ObjectKind::Global(global) if is_private => Name::Local(global, thread),
        ObjectKind::Global(global) => Name::Global(global),
        ObjectKind::Slot(function, slot) => Name::Slot(function, slot, thread),
        ObjectKind::Alloca(function) => Name::Alloca(function, thread),
        ObjectKind::Heap(_) => Name::Heap(loc, thread, is_first),
    }
}

impl Observer for Footprint {
    fn wants(&self) -> Wants {
        Wants { accesses: true, ..Wants::RARE }
    }

    fn read(&mut self, state: &State, thread: usize, object: Pointer, offset: u64, bytes: u64) {
        self.add(state, thread, object, offset, bytes, false);
    }

    fn before_write(&mut self, state: &State, thread: usize, object: Pointer, offset: u64, bytes: u64) {
        self.add(state, thread, object, offset, bytes, true);
    }

    fn location(&mut self, state: &State, thread: usize, object: Pointer, offset: u64, bytes: u64, is_write: bool) {
        self.add(state, thread, object, offset, bytes, is_write);
    }

    fn ended(&mut self, state: &State, thread: usize, object: Pointer) {
        let bytes = state.memory.get(object).map_or(0, super::Object::size);
        self.add(state, thread, object, 0, bytes.max(1), true);
    }

    fn looked_at(&mut self, state: &State, thread: usize, object: Pointer) {
        let bytes = state.memory.get(object).map_or(0, super::Object::size);
        self.add(state, thread, object, 0, bytes.max(1), false);
    }

    fn spawned(&mut self, state: &State, thread: usize, _child: usize) {
        let part = Part { object: SPAWNS, offset: 0, bytes: 1, is_write: true };
        self.push(state, thread, part, Name::Spawns);
    }

    fn thread_ended(&mut self, state: &State, thread: usize) {
        let part = Part { object: ENDS, offset: thread as u64, bytes: 1, is_write: true };
        self.push(state, thread, part, Name::Ends);
    }

    fn asked_for_end(&mut self, state: &State, thread: usize, other: usize) {
        let part = Part { object: ENDS, offset: other as u64, bytes: 1, is_write: false };
        self.push(state, thread, part, Name::Ends);
    }

    fn taken(&mut self, _state: &State, _thread: usize, lock: Held) {
        self.taken.push(lock);
    }
}

/// What a thread would do next.
#[derive(Clone, Debug)]
pub struct Pending {
    /// It can do it now.
    pub is_enabled: bool,
    /// It waits for something; a thread that only has to wait for its turn does not.
    pub is_blocked: bool,
    /// What it would touch, up to where it cannot go on if it cannot.
    pub footprint: Footprint,
    /// It is one access that can take part in a data race.
    pub may_race: bool,
    /// That access is atomic.
    pub is_atomic: bool,
    /// Not everything about it is known: it depends on a choice, or ends the program.
    pub is_open: bool,
}

impl Machine<'_> {
    /// What a thread would do next; `None` if it has ended.
    pub fn pending(&self, state: &State, thread: usize) -> Option<Pending> {
        let frame = state.threads[thread].frames.last()?;
        let block = &self.program.functions[frame.function].blocks[frame.block];
        let has_turn = self.has_turn(state, thread);
        if let Some((_, is_atomic, parts)) = self.next_parts(state, thread) {
            let mut footprint = Footprint::default();
            for part in parts.iter().flatten() {
                footprint.add(state, thread, part.object, part.offset, part.bytes, part.is_write);
            }
            let (is_enabled, is_blocked) = (has_turn, false);
            return Some(Pending { is_enabled, is_blocked, footprint, may_race: true, is_atomic, is_open: false });
        }
        let mut footprint = Footprint::default();
        let is_end = frame.index as usize >= block.stmts.len();
        if is_end && matches!(block.terminator, Terminator::Exit { .. }) {
            let (is_enabled, is_blocked, may_race, is_atomic) = (has_turn, false, false, false);
            return Some(Pending { is_enabled, is_blocked, footprint, may_race, is_atomic, is_open: true });
        }
        let (can_go, is_whole) = self.attempt(state, thread, &mut footprint as &mut dyn Observer);
        let (is_enabled, is_blocked, may_race, is_atomic) = (can_go && has_turn, !can_go, false, false);
        Some(Pending { is_enabled, is_blocked, footprint, may_race, is_atomic, is_open: !is_whole })
    }

    /// Whether a thread stands before an instruction that has no meaning whatever the state is.
    pub fn is_before_hole(&self, state: &State, thread: usize) -> bool {
        let Some(frame) = state.threads[thread].frames.last() else { return false };
        let block = &self.program.functions[frame.function].blocks[frame.block];
        matches!(block.stmts.get(frame.index as usize), Some(Stmt { kind: StmtKind::Unmodelled(_), .. }))
    }

    /// Whether a thread can do its next step, tried on a copy; and whether the whole step was seen.
    fn attempt<O: Observer + ?Sized>(&self, state: &State, thread: usize, observer: &mut O) -> (bool, bool) {
        let frame = state.threads[thread].frames.last().expect("a thread that tries should have an activation");
        let block = &self.program.functions[frame.function].blocks[frame.block];
        let is_region = matches!(block.stmts.get(frame.index as usize), Some(Stmt { kind: StmtKind::AtomicBegin, .. }));
        let fuel = if is_region { super::thread::TRIAL_FUEL } else { 1 };
        let mut trial = state.clone();
        let mut exec = Exec::new(self, &mut trial, thread, Until { fuel, ..Until::NEVER }, observer);
        exec.is_trial = true;
        match *exec.go() {
            Stop::Blocked => (false, true),
            Stop::Fuel | Stop::ThreadEnded => (true, trial.atomic.is_none()),
            _what_the_caller_will_meet_again => (true, false),
        }
    }

    /// Whether a thread can do a step.
    pub(crate) fn can_step(&self, state: &State, thread: usize) -> bool {
        let Some(frame) = state.threads[thread].frames.last() else { return false };
        let block = &self.program.functions[frame.function].blocks[frame.block];
        let may_block = match block.stmts.get(frame.index as usize) {
            Some(stmt) => super::thread::is_blocking(&stmt.kind) || matches!(stmt.kind, StmtKind::AtomicBegin),
            None => false,
        };
        self.has_turn(state, thread) && (!may_block || self.attempt(state, thread, &mut Silent).0)
    }

    /// The name of a lock, if no other object ever has it: of a global, of the first heap object a thread made at
    /// a place, or of a local variable of the function in which the program starts.
    pub fn lock_name(&self, state: &State, lock: Pointer) -> Option<(Name, i64)> {
        let object = state.memory.get(lock)?;
        let name = name_of(object.kind, object.loc, object.thread, object.is_first, false);
        let is_unique = match name {
            Name::Global(global) => !self.program.globals[global].is_thread_local,
            Name::Heap(_, _, is_first) => is_first,
            Name::Slot(function, slot, 0) => self.single_slots.contains(&(function, slot)),
            Name::Slot(..) | Name::Local(..) | Name::Alloca(..) | Name::Ends | Name::Spawns => false,
        };
        is_unique.then_some((name, lock.offset))
    }
}
