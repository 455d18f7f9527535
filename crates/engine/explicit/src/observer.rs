//! The observer of a search: loop iterations, assumptions, coverage, instruction counts.

use unpick_base::id::Id;
use unpick_program::analysis::Analyses;
use unpick_program::interp::{Footprint, Held, Observer, Pointer, State, Value, Wants, volatile_kept};
use unpick_program::{Block, BlockId, FuncId, GlobalId, Loc, Program};
use unpick_system::Coverage;

use crate::locks::Locks;
use crate::loops::Loops;

/// The observer of a search.
pub(crate) struct SearchObserver<'p> {
    program: &'p Program,
    /// Loops on the execution at hand.
    pub loops: Loops,
    analyses: Analyses<'p>,
    /// A choice has just been made at the end of a block, which was announced before.
    pub is_retry: bool,
    /// Assumptions reached, in order.
    pub notes: Vec<String>,
    /// Volatile variables that were read and nothing but the program changes.
    volatile: Vec<GlobalId>,
    /// Instructions executed.
    pub n_instructions: u64,
    locks: Locks,
    /// Which blocks were run to their end, by function and block.
    covered: Vec<Vec<bool>>,
    /// Where control went from each block, by function and block.
    jumps: Vec<Vec<Vec<BlockId>>>,
    /// The program has said that it makes progress.
    pub has_progressed: bool,
    /// A thread wrote over a lock that another one held, so that holding it protects nothing.
    pub is_lock_broken: bool,
    /// Accesses are written down.
    pub is_recording: bool,
    /// What the stretch at hand touched.
    pub footprint: Footprint,
}

impl<'p> SearchObserver<'p> {
    pub(crate) fn new(program: &'p Program, is_recording: bool) -> Self {
        Self {
            program,
            loops: Loops::default(),
            analyses: Analyses::new(program),
            is_retry: false,
            notes: Vec::new(),
            volatile: Vec::new(),
            n_instructions: 0,
            locks: Locks::default(),
            covered: vec![Vec::new(); program.functions.len()],
            jumps: vec![Vec::new(); program.functions.len()],
            has_progressed: false,
            is_lock_broken: false,
            is_recording,
            footprint: Footprint::default(),
        }
    }

    /// What was reached, at the grain of blocks run to their end.
    pub(crate) fn coverage(&self) -> Coverage {
        let mut coverage = Coverage { lock_order: self.locks.order(), ..Coverage::default() };
        for (function, covered) in self.covered.iter().enumerate() {
            let function = FuncId::from_index(function);
            for (block, _) in covered.iter().enumerate().filter(|(_, is_covered)| **is_covered) {
                coverage.blocks.insert((function, BlockId::from_index(block)));
                let block = &self.program.functions[function].blocks[BlockId::from_index(block)];
                let locs = block.stmts.iter().map(|stmt| stmt.loc).chain([block.loc]);
                coverage.lines.extend(locs.filter(|loc| loc.line != 0).map(|loc| (loc.file, loc.line)));
                coverage.functions.insert(function);
            }
        }
        for (function, jumps) in self.jumps.iter().enumerate() {
            for (from, to) in jumps.iter().enumerate().flat_map(|(from, all)| all.iter().map(move |to| (from, *to))) {
                coverage.jumps.insert((FuncId::from_index(function), BlockId::from_index(from), to));
            }
        }
        coverage
    }

    /// The number of a block, from where it lies in its function.
    fn block_id(&self, function: FuncId, block: &Block) -> BlockId {
        let first = self.program.functions[function].blocks.as_slice().as_ptr() as usize;
        BlockId::from_index((std::ptr::from_ref(block) as usize - first) / size_of::<Block>())
    }
}

/// Whether a write hits a lock that another thread holds alone.
fn breaks_lock(state: &State, thread: usize, object: Pointer, offset: u64, bytes: u64) -> bool {
    let others = (0..state.n_threads()).filter(|other| *other != thread);
    others.flat_map(|other| state.held(other)).any(|held| {
        let at = held.lock.offset as u64;
        held.is_exclusive && held.lock.same_object(object) && offset <= at && at < offset + bytes
    })
}

impl Observer for SearchObserver<'_> {
    fn wants(&self) -> Wants {
        Wants { blocks: true, accesses: self.is_recording, ..Wants::RARE }
    }

    fn terminator(&mut self, _: &State, thread: usize, function: FuncId, block: &Block) {
        if std::mem::take(&mut self.is_retry) {
            return;
        }
        self.n_instructions += block.stmts.len() as u64 + 1;
        let id = self.block_id(function, block);
        let covered = &mut self.covered[function.index()];
        if covered.is_empty() {
            covered.resize(self.program.functions[function].blocks.len(), false);
        }
        covered[id.index()] = true;
        if block.loop_head.is_some() {
            self.loops.pass(&self.analyses, thread, function, id);
        }
    }

    fn jumped(&mut self, function: FuncId, from: BlockId, to: BlockId) {
        let jumps = &mut self.jumps[function.index()];
        if jumps.is_empty() {
            jumps.resize(self.program.functions[function].blocks.len(), Vec::new());
        }
        let known = &mut jumps[from.index()];
        if !known.contains(&to) {
            known.push(to);
        }
    }

    fn called(&mut self, _: &State, thread: usize, _: FuncId, _: Loc) {
        self.loops.enter(thread);
    }

    fn returned(&mut self, _: &State, thread: usize, _: FuncId, _: Option<Value>) {
        self.loops.leave(thread);
    }

    fn note(&mut self, text: &str) {
        if !self.notes.iter().any(|note| note == text) {
            self.notes.push(text.to_owned());
        }
    }

    fn read_volatile(&mut self, global: GlobalId) {
        if !self.volatile.contains(&global) {
            self.volatile.push(global);
            self.notes.extend(volatile_kept(self.program, global));
        }
    }

    fn read(&mut self, state: &State, thread: usize, object: Pointer, offset: u64, bytes: u64) {
        if self.is_recording {
            self.footprint.read(state, thread, object, offset, bytes);
        }
    }

    fn before_write(&mut self, state: &State, thread: usize, object: Pointer, offset: u64, bytes: u64) {
        if self.is_recording {
            self.is_lock_broken |= breaks_lock(state, thread, object, offset, bytes);
            self.footprint.before_write(state, thread, object, offset, bytes);
        }
    }

    fn location(&mut self, state: &State, thread: usize, object: Pointer, offset: u64, bytes: u64, is_write: bool) {
        if self.is_recording {
            self.footprint.location(state, thread, object, offset, bytes, is_write);
        }
    }

    fn ended(&mut self, state: &State, thread: usize, object: Pointer) {
        if self.is_recording {
            self.footprint.ended(state, thread, object);
        }
    }

    fn looked_at(&mut self, state: &State, thread: usize, object: Pointer) {
        if self.is_recording {
            self.footprint.looked_at(state, thread, object);
        }
    }

    fn spawned(&mut self, state: &State, thread: usize, child: usize) {
        if self.is_recording {
            self.footprint.spawned(state, thread, child);
        }
    }

    fn thread_ended(&mut self, state: &State, thread: usize) {
        if self.is_recording {
            self.footprint.thread_ended(state, thread);
        }
    }

    fn asked_for_end(&mut self, state: &State, thread: usize, other: usize) {
        if self.is_recording {
            self.footprint.asked_for_end(state, thread, other);
        }
    }

    fn progress(&mut self) {
        self.has_progressed = true;
    }

    fn taken(&mut self, state: &State, thread: usize, lock: Held) {
        self.locks.taken(self.program, state, thread, lock);
        if self.is_recording {
            self.footprint.taken(state, thread, lock);
        }
    }
}
