//! Read log of a run: the shared components that it depends on.

use super::super::state::{Held, State};
use super::super::value::{Pointer, Value};
use super::super::{Machine, Observer, Wants};
use super::word::WORD;
use super::{Map, N_DYNAMIC};
use crate::{Block, FuncId, GlobalId, Loc, RegId, Stmt, StmtKind};

/// Something outside of a thread's own part.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SharedRead {
    /// What stands at a place of the vector.
    Place(u32),
    /// A word of a shared object.
    Word(u32, u32),
    /// Whether a dynamic object is there.
    Life(u32),
    /// Whether a thread has ended.
    Ended(u32),
}

/// Sees what a run looks at and what it writes, and passes everything on to another observer.
pub struct ReadLog<'a> {
    inner: &'a mut dyn Observer,
    n_globals: u32,
    n_shared: u32,
    /// In order, each once.
    reads: Vec<SharedRead>,
    known: Map<SharedRead, ()>,
    /// Words written: whether all of the word was, without a look at it.
    written: Map<(u32, u32), bool>,
    /// Ranges written: object, offset, bytes.
    ranges: Vec<(u32, u64, u64)>,
    /// The running instruction writes without looking at what was there.
    is_blind: bool,
}

/// What a run has written so far; runs that part company at a choice go on from the same.
#[derive(Clone, Default)]
pub struct Written(Map<(u32, u32), bool>);

impl<'a> ReadLog<'a> {
    /// Watches runs of a machine that has just come to a state put together from parts.
    pub fn new(machine: &Machine<'_>, inner: &'a mut dyn Observer) -> Self {
        let n_globals = machine.program.globals.len() as u32;
        Self {
            inner,
            n_globals,
            n_shared: n_globals + N_DYNAMIC,
            reads: Vec::new(),
            known: Map::default(),
            written: Map::default(),
            ranges: Vec::new(),
            is_blind: false,
        }
    }

    /// What the runs depend on, in the order in which they looked.
    pub fn reads(&self) -> &[SharedRead] {
        &self.reads
    }

    /// Ranges of shared objects that were written: object, offset, bytes.
    pub fn ranges(&self) -> &[(u32, u64, u64)] {
        &self.ranges
    }

    /// What has been written by the run at hand.
    pub fn written(&self) -> Written {
        Written(self.written.clone())
    }

    /// The next run has written this much.
    pub fn go_on_from(&mut self, written: Written) {
        self.written = written.0;
    }

    pub(super) fn has_written(&self, object: u32, word: u32) -> bool {
        self.written.contains_key(&(object, word))
    }

    /// The outcome depends on this.
    pub(super) fn look(&mut self, look: SharedRead) {
        if self.known.insert(look, ()).is_none() {
            self.reads.push(look);
        }
    }

    fn look_at_life(&mut self, object: Pointer) -> bool {
        if object.object == 0 || object.object > self.n_shared {
            return false;
        }
        if object.object > self.n_globals {
            self.look(SharedRead::Life(object.object));
        }
        true
    }

    fn look_at_words(&mut self, object: Pointer, offset: u64, bytes: u64) {
        for word in words(offset, bytes) {
            if self.written.get(&(object.object, word)) != Some(&true) {
                self.look(SharedRead::Word(object.object, word));
            }
        }
    }
}

fn words(offset: u64, bytes: u64) -> std::ops::Range<u32> {
    (offset / WORD) as u32..(offset + bytes).div_ceil(WORD) as u32
}

impl Observer for ReadLog<'_> {
    fn wants(&self) -> Wants {
        Wants { steps: true, blocks: true, accesses: true, ..self.inner.wants() }
    }

    fn step(&mut self, state: &State, thread: usize, function: FuncId, stmt: &Stmt) {
        self.is_blind =
            matches!(stmt.kind, StmtKind::Store { .. } | StmtKind::MemCopy { .. } | StmtKind::MemSet { .. });
        self.inner.step(state, thread, function, stmt);
    }

    fn terminator(&mut self, state: &State, thread: usize, function: FuncId, block: &Block) {
        self.is_blind = false;
        self.inner.terminator(state, thread, function, block);
    }

    fn before_write(&mut self, state: &State, thread: usize, object: Pointer, offset: u64, bytes: u64) {
        if self.look_at_life(object) {
            let size = state.object(object).map_or(0, super::Object::size);
            self.ranges.push((object.object, offset, bytes));
            for word in words(offset, bytes) {
                let from = u64::from(word) * WORD;
                let is_whole = offset <= from && (from + WORD).min(size) <= offset + bytes;
                if self.is_blind && is_whole {
                    self.written.insert((object.object, word), true);
                    continue;
                }
                if self.written.get(&(object.object, word)) != Some(&true) {
                    self.look(SharedRead::Word(object.object, word));
                }
                // It was looked at before, so that what comes of it is known.
                self.written.insert((object.object, word), true);
            }
        }
        self.inner.before_write(state, thread, object, offset, bytes);
    }

    fn written(&mut self, state: &State, thread: usize, object: Pointer, offset: u64, bytes: u64) {
        self.inner.written(state, thread, object, offset, bytes);
    }

    fn read(&mut self, state: &State, thread: usize, object: Pointer, offset: u64, bytes: u64) {
        if self.look_at_life(object) && state.object(object).is_some_and(|object| !object.is_read_only) {
            self.look_at_words(object, offset, bytes);
        }
        self.inner.read(state, thread, object, offset, bytes);
    }

    fn ended(&mut self, state: &State, thread: usize, object: Pointer) {
        self.look_at_life(object);
        self.inner.ended(state, thread, object);
    }

    fn looked_at(&mut self, state: &State, thread: usize, object: Pointer) {
        self.look_at_life(object);
        self.inner.looked_at(state, thread, object);
    }

    fn read_volatile(&mut self, global: GlobalId) {
        self.inner.read_volatile(global);
    }

    fn progress(&mut self) {
        self.inner.progress();
    }

    fn spawned(&mut self, state: &State, thread: usize, child: usize) {
        self.inner.spawned(state, thread, child);
    }

    fn thread_ended(&mut self, state: &State, thread: usize) {
        self.inner.thread_ended(state, thread);
    }

    fn asked_for_end(&mut self, state: &State, thread: usize, other: usize) {
        self.look(SharedRead::Ended(other as u32));
        self.inner.asked_for_end(state, thread, other);
    }

    fn taken(&mut self, state: &State, thread: usize, lock: Held) {
        self.inner.taken(state, thread, lock);
    }

    fn assigned(&mut self, state: &State, thread: usize, function: FuncId, reg: RegId, old: Value) {
        self.inner.assigned(state, thread, function, reg, old);
    }

    fn called(&mut self, state: &State, thread: usize, callee: FuncId, loc: Loc) {
        self.inner.called(state, thread, callee, loc);
    }

    fn returned(&mut self, state: &State, thread: usize, function: FuncId, value: Option<Value>) {
        self.inner.returned(state, thread, function, value);
    }

    fn note(&mut self, text: &str) {
        self.inner.note(text);
    }

    fn output(&mut self, stream: i32, bytes: &[u8]) {
        self.inner.output(stream, bytes);
    }
}
