//! One thread of a search over flat states.

use std::sync::atomic::Ordering;

use unpick_store::{Batch, InsertBatch, Span};
use unpick_system::{Control, Expansion, Limit, Successors};

use super::expand::{self, Expander};
use super::frontier::Chunk;
use super::hashing::Hasher;
use super::predecessor_log::{PredecessorLog, StateNumber};
use super::{Found, Shared};

/// So many successors are made before the store is asked for the first of them.
const BATCH: usize = 64;

/// Work sharing threshold: so many states are handed over to an idle worker.
const MIN_SHARED_STATES: usize = 64;

/// A worker; see the module.
pub(super) struct Worker<'a> {
    index: usize,
    shared: &'a Shared<'a>,
    expander: Expander<'a>,
    /// Where the states that this worker found came from; with the others' while the worker waits.
    log: PredecessorLog,
    /// What was made and not stored yet.
    next: Successors,
    /// Where the part of each lies that is to be stored; what has none is left out.
    spans: Vec<Span>,
    /// How many of these the store has been told of.
    n_begun: usize,
    /// What the store keeps of them.
    insertions: InsertBatch,
    /// Those that are new, by position among `spans`.
    found: Vec<u32>,
    /// The hash of each, where those of their successors are made from it.
    hashes: Vec<u64>,
    hasher: Hasher,
    /// Whose successors they are.
    groups: Vec<Group>,
    /// States, by position in their chunk, of which following one process was not enough.
    again: Vec<u32>,
    /// New states.
    fresh: Chunk,
    /// Where the part of a state begins that tells it from others.
    key_start: usize,
    n_transitions: u64,
    n_told: u64,
}

/// The successors of one state.
#[derive(Clone, Copy)]
struct Group {
    /// Where they begin.
    first: u32,
    /// Where those that are stored begin.
    first_span: u32,
    /// The state's position in its chunk.
    offset: u32,
    /// They are those of one process only.
    is_alone: bool,
}

impl<'a> Worker<'a> {
    pub(super) fn new(index: usize, shared: &'a Shared<'a>) -> Self {
        let fresh = shared.pool.fresh(index as u32, 0, 0);
        Self {
            index,
            shared,
            expander: Expander::new(shared.system, shared.options.reduction),
            log: PredecessorLog::default(),
            next: Successors::default(),
            spans: Vec::new(),
            n_begun: 0,
            insertions: InsertBatch::default(),
            found: Vec::new(),
            hashes: Vec::new(),
            hasher: Hasher::new(shared.options.hashing, shared.store.uses_hash()),
            groups: Vec::new(),
            again: Vec::new(),
            fresh,
            key_start: shared.system.key_start(),
            n_transitions: 0,
            n_told: 0,
        }
    }

    /// Works until nothing is left to do. The worker with the control also writes checkpoints.
    pub(super) fn run(mut self, control: Option<&dyn Control>) {
        self.withdraw();
        self.fresh.first.index = self.log.len();
        self.n_told = self.log.len();
        self.shared.store.register(self.index);
        while let Some(chunk) = self.take() {
            self.look_at(&chunk);
            self.shared.pool.give_back(chunk);
            self.tell();
            if let Some(control) = control
                && !self.shared.is_over.load(Ordering::Relaxed)
            {
                let halt = control.poll(&self.shared.snapshot());
                // A search that is stopped from outside can be taken up again.
                if self.shared.checkpoint.is_some_and(|checkpoint| halt.is_some() || checkpoint.is_due()) {
                    self.keep();
                }
                if let Some(halt) = halt {
                    self.shared.stop(halt.into());
                }
            }
        }
        self.hand_over();
        self.deposit();
        self.shared.store.unregister(self.index);
        self.shared.audit.add(self.hasher.audit());
        self.shared.reached.lock().expect("no worker should panic").join(self.expander.reached());
    }

    fn take(&mut self) -> Option<Chunk> {
        if self.shared.checkpoint.is_some() && self.shared.pause.is_wanted() {
            self.hand_over();
            self.deposit();
            self.shared.store.unregister(self.index);
            self.shared.pause.wait();
            self.shared.store.register(self.index);
            self.withdraw();
        }
        if let Some(chunk) = self.shared.pool.try_take() {
            return Some(chunk);
        }
        self.hand_over();
        self.deposit();
        self.shared.store.unregister(self.index);
        let chunk = self.shared.pool.take();
        self.shared.store.register(self.index);
        self.withdraw();
        chunk
    }

    /// Keeps the search while the others wait.
    fn keep(&mut self) {
        self.hand_over();
        self.deposit();
        let shared = self.shared;
        // Another worker may want the store to grow before it comes to the pause.
        shared.store.unregister(self.index);
        shared.pause.begin(shared.options.n_workers - 1, || shared.pool.n_idle());
        // A worker at a limit has left states of its chunk unexpanded: such a search is not written.
        if !shared.is_over.load(Ordering::SeqCst) {
            shared.keep();
        }
        shared.pause.end();
        shared.store.register(self.index);
        self.withdraw();
    }

    fn deposit(&mut self) {
        let mut place = self.shared.logs[self.index].lock().expect("no worker should panic");
        *place = std::mem::take(&mut self.log);
    }

    fn withdraw(&mut self) {
        let mut place = self.shared.logs[self.index].lock().expect("no worker should panic");
        self.log = std::mem::take(&mut *place);
    }

    /// Shares the found states with idle workers.
    fn hand_over(&mut self) {
        if self.fresh.len() > 0 {
            self.shared.depth.fetch_max(self.fresh.depth, Ordering::Relaxed);
            let next = self.shared.pool.fresh(self.index as u32, self.log.len(), self.fresh.depth);
            self.shared.pool.put(std::mem::replace(&mut self.fresh, next));
        }
    }

    /// Adds what was done to what all have done.
    fn tell(&mut self) {
        let n_states = self.log.len();
        self.shared.n_states.fetch_add(n_states - self.n_told, Ordering::Relaxed);
        self.n_told = n_states;
        self.shared.n_transitions.fetch_add(self.n_transitions, Ordering::Relaxed);
        self.n_transitions = 0;
        if self.shared.budget.memory_bytes.is_some_and(|limit| self.shared.snapshot().bytes > limit) {
            self.shared.stop(Limit::Memory);
        }
    }

    fn look_at(&mut self, chunk: &Chunk) {
        if let Some(depth) = self.shared.budget.depth
            && chunk.depth >= depth
        {
            self.shared.stop(Limit::Depth(depth));
            return;
        }
        self.log.begin(chunk.first);
        if self.fresh.depth != chunk.depth + 1 {
            self.hand_over();
            self.fresh.depth = chunk.depth + 1;
        }
        for offset in 0..chunk.len() {
            if offset % 256 == 0 && self.shared.is_over.load(Ordering::Relaxed) {
                return;
            }
            if offset % MIN_SHARED_STATES == 0 && self.fresh.len() >= MIN_SHARED_STATES && self.shared.pool.is_wanting()
            {
                self.hand_over();
            }
            let first = self.next.list.len();
            let expansion = self.expander.expand_after(chunk.arrival(offset), chunk.state(offset), &mut self.next);
            if expansion == (Expansion::End { is_valid: false }) && self.shared.options.stops_at_invalid_ends {
                self.wrong(chunk, offset, true);
            }
            self.made(chunk, offset, first, expansion == Expansion::Reduced);
        }
        self.store();
        while let Some(offset) = self.again.pop() {
            let first = self.next.list.len();
            self.expander.expand_in_full(chunk.state(offset as usize), &mut self.next);
            self.made(chunk, offset as usize, first, false);
        }
        self.store();
    }

    /// Successors from `first` on were made of a state.
    #[inline]
    fn made(&mut self, chunk: &Chunk, offset: usize, first: usize, is_alone: bool) {
        // The state was made a moment ago, and reading what is being written takes long: it is the turn of those before.
        self.begin();
        let first_span = self.spans.len() as u32;
        self.groups.push(Group { first: first as u32, first_span, offset: offset as u32, is_alone });
        self.hasher.look_at(&chunk.state(offset)[self.key_start..], chunk.hash(offset));
        for successor in &self.next.list[first..] {
            if successor.is_left() {
                continue;
            }
            self.n_transitions += 1;
            if successor.is_fault && self.shared.options.stops_at_faults {
                self.wrong(chunk, offset, false);
            }
            if successor.len == 0 {
                continue;
            }
            let (start, len) = (successor.start + self.key_start as u32, successor.len - self.key_start as u32);
            self.spans.push(Span { start, len });
            if self.hasher.keeps() {
                let key = &self.next.state(*successor)[self.key_start..];
                self.hashes.push(self.hasher.hash(key, &chunk.state(offset)[self.key_start..]));
            }
        }
        if self.next.list.len() >= BATCH {
            self.store();
        }
    }

    /// Tells the store of all states that it will be asked for: memory is called for them while others are made.
    #[inline]
    fn begin(&mut self) {
        let hashes = self.hasher.keeps().then(|| &self.hashes[self.n_begun..]);
        let batch = Batch { bytes: &self.next.bytes, spans: &self.spans[self.n_begun..], hashes };
        self.shared.store.begin_all(self.index, &mut self.insertions, &batch);
        self.n_begun = self.spans.len();
    }

    fn wrong(&self, chunk: &Chunk, offset: usize, wrong: bool) {
        let state = StateNumber { index: chunk.first.index + offset as u64, ..chunk.first };
        self.shared.found(Found { depth: chunk.depth, state, wrong });
    }

    /// Stores the successors made so far, and takes those that are new.
    fn store(&mut self) {
        self.begin();
        let hashes = self.hasher.keeps().then_some(&self.hashes[..]);
        let batch = Batch { bytes: &self.next.bytes, spans: &self.spans, hashes };
        if self.shared.store.finish_all(self.index, &mut self.insertions, &batch, &mut self.found).is_err() {
            self.shared.stop(Limit::Memory);
        }
        let (found, groups) = (std::mem::take(&mut self.found), std::mem::take(&mut self.groups));
        let mut n_taken = 0;
        for (at, group) in groups.iter().enumerate() {
            let end = groups.get(at + 1).map_or(self.spans.len() as u32, |next| next.first_span);
            let n_before = n_taken;
            while let Some(position) = found.get(n_taken).filter(|position| **position < end) {
                self.take_new(group, *position as usize);
                n_taken += 1;
            }
            if group.is_alone && n_taken == n_before {
                self.again.push(group.offset);
            }
        }
        self.shared.store.quiescent_point(self.index);
        (self.found, self.groups) = (found, groups);
        self.found.clear();
        self.groups.clear();
        self.next.clear();
        self.spans.clear();
        self.n_begun = 0;
        self.hashes.clear();
    }

    /// Takes a new state, by its position among those that were stored.
    #[inline]
    fn take_new(&mut self, group: &Group, position: usize) {
        // Between the two counts lie states that were not stored.
        let start = self.spans[position].start - self.key_start as u32;
        let mut at = group.first as usize + position - group.first_span as usize;
        while self.next.list[at].len == 0 || self.next.list[at].start != start {
            at += 1;
        }
        let successor = self.next.list[at];
        self.fresh.push(self.next.state(successor));
        if self.hasher.keeps() {
            self.fresh.push_hash(self.hashes[position]);
        }
        if let Some(arrival) = self.expander.arrival(successor) {
            self.fresh.push_arrival(arrival);
        }
        let rank = expand::rank(&self.next, group.first as usize, at);
        self.log.push(group.offset as usize, successor.mover, rank);
        if self.fresh.is_full(self.shared.options.order) {
            self.hand_over();
        }
    }
}
