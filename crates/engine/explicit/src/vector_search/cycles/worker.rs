//! One thread that explores the product.

use std::sync::atomic::Ordering;

use unpick_store::{InsertBatch, Seen, StoreFull};
use unpick_system::{Control, Limit};

use super::super::frontier::Chunk;
use super::super::predecessor_log::{PredecessorLog, StateNumber};
use super::edges::{Edges, MAX_ID};
use super::walker::{Batch, Walker, Way};
use super::{Found, Shared};

/// So many successors are made before the store is asked for the first of them.
const BATCH: usize = 64;
/// Work sharing threshold: so many states are handed over to an idle worker.
const MIN_SHARED_STATES: usize = 64;

/// A worker; lives from one look through the graph to the next.
pub(super) struct Worker<'a> {
    index: usize,
    shared: &'a Shared<'a>,
    walker: Walker<'a>,
    /// Where the states that this worker found came from.
    pub(super) log: PredecessorLog,
    pub(super) edges: Edges,
    /// What was made and not stored yet.
    next: Batch,
    /// How many of these the store has been told of.
    n_begun: usize,
    /// What the store keeps of them, and what it says of them.
    insertions: InsertBatch,
    seen: Vec<Seen>,
    groups: Vec<Group>,
    /// States, by position in their chunk, of which following one process was not enough.
    again: Vec<u32>,
    fresh: Chunk,
    n_transitions: u64,
    n_told: u64,
    n_bytes_told: u64,
}

/// The successors of one state.
#[derive(Clone, Copy)]
struct Group {
    first: u32,
    /// The state's position in its chunk.
    offset: u32,
    /// The part of the claim whose edges are kept.
    part: Option<u16>,
    /// They are those of one process only.
    is_alone: bool,
}

impl<'a> Worker<'a> {
    pub(super) fn new(index: usize, shared: &'a Shared<'a>) -> Self {
        Self {
            index,
            shared,
            walker: Walker::new(shared.product, shared.reduces),
            log: PredecessorLog::default(),
            edges: Edges::default(),
            next: Batch::default(),
            n_begun: 0,
            insertions: InsertBatch::default(),
            seen: Vec::new(),
            groups: Vec::new(),
            again: Vec::new(),
            fresh: shared.pool.fresh(index as u32, 0, 0),
            n_transitions: 0,
            n_told: 0,
            n_bytes_told: 0,
        }
    }

    /// The first state is this worker's.
    pub(super) fn begin(&mut self) {
        self.log.begin(StateNumber::NONE);
        self.log.push(0, 0, 0);
        self.fresh.first.index = 1;
        self.n_told = 1;
    }

    /// Forgets what is dead in a state.
    pub(super) fn forget(&self, state: &mut [u8]) {
        self.walker.forget(state);
    }

    /// Works until nothing is left to do or work is to end.
    pub(super) fn run(&mut self, control: Option<&dyn Control>) {
        self.shared.store.register(self.index);
        while let Some(chunk) = self.take() {
            self.look_at(&chunk);
            self.shared.pool.give_back(chunk);
            self.tell();
            if let Some(control) = control
                && let Some(halt) = control.poll(&self.shared.snapshot())
            {
                self.shared.stop(halt.into());
            }
        }
        self.hand_over();
        self.shared.store.unregister(self.index);
    }

    fn take(&mut self) -> Option<Chunk> {
        if let Some(chunk) = self.shared.pool.try_take() {
            return Some(chunk);
        }
        self.hand_over();
        self.shared.store.unregister(self.index);
        let chunk = self.shared.pool.take();
        self.shared.store.register(self.index);
        chunk
    }

    /// Shares the found states with idle workers.
    fn hand_over(&mut self) {
        if self.fresh.len() > 0 {
            self.shared.depth.fetch_max(self.fresh.depth, Ordering::Relaxed);
            let next = self.shared.pool.fresh(self.index as u32, self.log.len(), self.fresh.depth);
            self.shared.pool.put(std::mem::replace(&mut self.fresh, next));
        }
    }

    /// Adds what was done to what all have done, and looks at the limits.
    fn tell(&mut self) {
        let shared = self.shared;
        let n_states = self.log.len();
        let n_all = shared.n_states.fetch_add(n_states - self.n_told, Ordering::Relaxed) + n_states - self.n_told;
        self.n_told = n_states;
        shared.n_transitions.fetch_add(std::mem::take(&mut self.n_transitions), Ordering::Relaxed);
        let n_bytes = self.edges.bytes();
        shared.n_bytes.fetch_add(n_bytes - self.n_bytes_told, Ordering::Relaxed);
        self.n_bytes_told = n_bytes;
        if n_all * shared.n_workers as u64 > MAX_ID
            || shared.memory_bytes.is_some_and(|limit| shared.snapshot().bytes > limit)
        {
            shared.stop(Limit::Memory);
        } else if n_all >= shared.next_look.load(Ordering::Relaxed) {
            shared.end();
        }
    }

    /// Looks at all states of a chunk, whatever happens meanwhile, except that a limit is met.
    fn look_at(&mut self, chunk: &Chunk) {
        if let Some(depth) = self.shared.depth_limit
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
            if offset % MIN_SHARED_STATES == 0 && self.fresh.len() >= MIN_SHARED_STATES && self.shared.pool.is_wanting()
            {
                self.hand_over();
            }
            if !self.expand(chunk, offset, false) {
                return;
            }
        }
        if self.store(chunk).is_err() {
            return;
        }
        while let Some(offset) = self.again.pop() {
            if !self.expand(chunk, offset as usize, true) {
                return;
            }
        }
        let _ = self.store(chunk);
    }

    /// Makes the successors of a state; false if there is no use in going on.
    fn expand(&mut self, chunk: &Chunk, offset: usize, in_full: bool) -> bool {
        let shared = self.shared;
        let state = chunk.state(offset);
        let first = self.next.len();
        let part = shared.parts.of(shared.product, &mut self.walker.scratch, state);
        let is_alone = match self.walker.expand(state, in_full, &mut self.next) {
            Way::Full => false,
            Way::Alone => true,
            Way::AutomatonViolation => {
                let state = StateNumber { index: chunk.first.index + offset as u64, ..chunk.first };
                shared.found(Found { depth: chunk.depth, state });
                return false;
            }
        };
        self.groups.push(Group { first: first as u32, offset: offset as u32, part, is_alone });
        shared.store.begin_each(self.index, &mut self.insertions, &self.next.states(self.n_begun));
        self.n_begun = self.next.len();
        self.next.len() < BATCH || self.store(chunk).is_ok()
    }

    /// Stores the successors made so far.
    fn store(&mut self, chunk: &Chunk) -> Result<(), ()> {
        let finished =
            self.shared.store.finish_each(self.index, &mut self.insertions, &self.next.states(0), &mut self.seen);
        let groups = std::mem::take(&mut self.groups);
        let mut result = finished.map_err(drop);
        for (at, group) in groups.iter().enumerate() {
            let end = groups.get(at + 1).map_or(self.next.len(), |next| next.first as usize);
            if self.seen.len() < end || self.take_group(chunk, *group, end).is_err() {
                result = Err(());
                break;
            }
        }
        if result.is_err() {
            self.shared.stop(Limit::Memory);
        }
        self.shared.store.quiescent_point(self.index);
        self.groups = groups;
        self.groups.clear();
        self.next.clear();
        self.n_begun = 0;
        self.seen.clear();
        result
    }

    /// Takes the successors of one state, which have been stored.
    fn take_group(&mut self, chunk: &Chunk, group: Group, end: usize) -> Result<(), StoreFull> {
        let shared = self.shared;
        let number = StateNumber { index: chunk.first.index + u64::from(group.offset), ..chunk.first };
        let source = shared.id(number);
        let mut is_enough = true;
        for at in group.first as usize..end {
            self.n_transitions += 1;
            let state = self.next.state(at);
            let seen = self.seen[at];
            if let Seen::Fresh(id) = seen {
                let number = StateNumber { worker: self.index as u32, index: self.log.len() };
                debug_assert_eq!(id.0, shared.id(number), "the store should count as we do");
                self.fresh.push(state);
                self.log.push(group.offset as usize, 0, 0);
                if self.fresh.is_full(shared.order) {
                    self.hand_over();
                }
            }
            is_enough &= !group.is_alone || seen.id().0 > source;
            if group.part.is_some()
                && shared.parts.of(shared.product, &mut self.walker.scratch, self.next.state(at)) == group.part
            {
                self.edges.push(seen.id().0 as u32);
            }
        }
        if !is_enough {
            self.edges.discard();
            self.again.push(group.offset);
        } else if group.part.is_some() {
            let is_accepting =
                shared.product.is_accepting(&mut self.walker.scratch, chunk.state(group.offset as usize));
            if !self.edges.commit(source as u32, is_accepting) {
                return Err(StoreFull { bytes: shared.store.bytes() });
            }
        }
        Ok(())
    }
}
