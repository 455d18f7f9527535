//! One thread of a search over flat states.

use std::sync::atomic::Ordering;

use unpick_store::{Seen, StateStore, StoreFull};
use unpick_system::{Limit, Step, Successors, Supervisor};

use super::expand::{self, Expander, Expansion};
use super::frontier::Chunk;
use super::hashing::Hasher;
use super::lineage::{Lineage, StateNumber};
use super::{Found, Shared};

/// So many successors are made before the store is asked for the first of them.
const BATCH: usize = 64;

/// So many states are worth handing over to a worker who has nothing to do.
const ALMS: usize = 64;

/// A worker; see the module.
pub(super) struct Worker<'a, S: Step, T: StateStore + ?Sized> {
    index: usize,
    shared: &'a Shared<'a, S, T>,
    expander: Expander<'a, S>,
    /// Where the states that this worker found came from; with the others' while the worker waits.
    lineage: Lineage,
    /// What was made and not stored yet.
    next: Successors,
    /// What the store gave for each.
    tickets: Vec<Result<u64, StoreFull>>,
    /// The hash of each, where those of their successors are made from it.
    hashes: Vec<u64>,
    hasher: Hasher,
    takes_batches: bool,
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
    /// The state's position in its chunk.
    offset: u32,
    /// They are those of one process only.
    is_alone: bool,
}

impl<'a, S: Step, T: StateStore + ?Sized> Worker<'a, S, T> {
    pub(super) fn new(index: usize, shared: &'a Shared<'a, S, T>) -> Self {
        let fresh = shared.pool.fresh(index as u32, 0, 0);
        Self {
            index,
            shared,
            expander: Expander::new(shared.step, shared.options.reduces),
            lineage: Lineage::default(),
            next: Successors::default(),
            tickets: Vec::new(),
            hashes: Vec::new(),
            hasher: Hasher::new(shared.options.hashing, shared.store.uses_hash()),
            takes_batches: shared.store.takes_batches(),
            groups: Vec::new(),
            again: Vec::new(),
            fresh,
            key_start: shared.step.model().hidden_size as usize,
            n_transitions: 0,
            n_told: 0,
        }
    }

    /// Works until nothing is left to do. The one who has the supervisor also keeps the search, now and then.
    pub(super) fn run(mut self, supervisor: Option<&dyn Supervisor>) {
        self.withdraw();
        self.fresh.first.index = self.lineage.len();
        self.n_told = self.lineage.len();
        self.shared.store.join(self.index);
        while let Some(chunk) = self.take() {
            self.look_at(&chunk);
            self.shared.pool.give_back(chunk);
            self.tell();
            if let Some(supervisor) = supervisor
                && !self.shared.is_over.load(Ordering::Relaxed)
            {
                let halt = supervisor.poll(&self.shared.snapshot());
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
        self.shared.store.leave(self.index);
        self.shared.audit.add(self.hasher.audit());
        self.shared.reached.lock().expect("no worker should panic").join(self.expander.reached());
    }

    fn take(&mut self) -> Option<Chunk> {
        if self.shared.checkpoint.is_some() && self.shared.pause.is_wanted() {
            self.hand_over();
            self.deposit();
            self.shared.store.leave(self.index);
            self.shared.pause.wait();
            self.shared.store.join(self.index);
            self.withdraw();
        }
        if let Some(chunk) = self.shared.pool.try_take() {
            return Some(chunk);
        }
        self.hand_over();
        self.deposit();
        self.shared.store.leave(self.index);
        let chunk = self.shared.pool.take();
        self.shared.store.join(self.index);
        self.withdraw();
        chunk
    }

    /// Keeps the search while the others wait.
    fn keep(&mut self) {
        self.hand_over();
        self.deposit();
        let shared = self.shared;
        // Another worker may want the store to grow before it comes to the pause.
        shared.store.leave(self.index);
        shared.pause.begin(shared.options.n_workers - 1, || shared.pool.n_idle());
        // Who ran into a limit meanwhile has left states of its chunk unlooked at: such a search is not worth keeping.
        if !shared.is_over.load(Ordering::SeqCst) {
            shared.keep();
        }
        shared.pause.end();
        shared.store.join(self.index);
        self.withdraw();
    }

    fn deposit(&mut self) {
        let mut place = self.shared.lineages[self.index].lock().expect("no worker should panic");
        *place = std::mem::take(&mut self.lineage);
    }

    fn withdraw(&mut self) {
        let mut place = self.shared.lineages[self.index].lock().expect("no worker should panic");
        self.lineage = std::mem::take(&mut *place);
    }

    /// Gives what was found to whoever has time.
    fn hand_over(&mut self) {
        if self.fresh.len() > 0 {
            self.shared.depth.fetch_max(self.fresh.depth, Ordering::Relaxed);
            let next = self.shared.pool.fresh(self.index as u32, self.lineage.len(), self.fresh.depth);
            self.shared.pool.put(std::mem::replace(&mut self.fresh, next));
        }
    }

    /// Adds what was done to what all have done.
    fn tell(&mut self) {
        let n_states = self.lineage.len();
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
        self.lineage.begin(chunk.first);
        if self.fresh.depth != chunk.depth + 1 {
            self.hand_over();
            self.fresh.depth = chunk.depth + 1;
        }
        for offset in 0..chunk.len() {
            if offset % 256 == 0 && self.shared.is_over.load(Ordering::Relaxed) {
                return;
            }
            if offset % ALMS == 0 && self.fresh.len() >= ALMS && self.shared.pool.is_wanting() {
                self.hand_over();
            }
            let first = self.next.list.len();
            let expansion = self.expander.expand(chunk.state(offset), &mut self.next);
            if expansion == Expansion::InvalidEnd && self.shared.options.stops_at_invalid_ends {
                self.wrong(chunk, offset, true);
            }
            self.made(chunk, offset, first, expansion == Expansion::GoesOnAlone);
        }
        self.store(chunk);
        while let Some(offset) = self.again.pop() {
            let first = self.next.list.len();
            self.expander.expand_in_full(chunk.state(offset as usize), &mut self.next);
            self.made(chunk, offset as usize, first, false);
        }
        self.store(chunk);
    }

    /// Successors from `first` on were made of a state.
    #[inline]
    fn made(&mut self, chunk: &Chunk, offset: usize, first: usize, is_alone: bool) {
        self.groups.push(Group { first: first as u32, offset: offset as u32, is_alone });
        self.hasher.look_at(&chunk.state(offset)[self.key_start..], chunk.hash(offset));
        for successor in &self.next.list[first..] {
            if successor.len == 0 {
                // Walked through, or nothing that could be stored.
                if !self.takes_batches {
                    self.tickets.push(Ok(0));
                }
                if self.hasher.keeps() {
                    self.hashes.push(0);
                }
                continue;
            }
            let key = &self.next.state(*successor)[self.key_start..];
            let hash = match self.hasher.is_full() {
                true => self.shared.store.hash(key),
                false => self.hasher.hash(key, &chunk.state(offset)[self.key_start..]),
            };
            if self.hasher.keeps() {
                self.hashes.push(hash);
            }
            if !self.takes_batches {
                self.tickets.push(self.shared.store.begin(self.index, hash, key));
            }
        }
        if self.next.list.len() >= BATCH {
            self.store(chunk);
        }
    }

    fn wrong(&self, chunk: &Chunk, offset: usize, wrong: bool) {
        let state = StateNumber { index: chunk.first.index + offset as u64, ..chunk.first };
        self.shared.found(Found { depth: chunk.depth, state, wrong });
    }

    /// Stores the successors made so far.
    fn store(&mut self, chunk: &Chunk) {
        if self.takes_batches {
            self.begin_all();
        }
        for ticket in self.tickets.iter().flatten() {
            self.shared.store.load_record(*ticket);
        }
        let mut groups = std::mem::take(&mut self.groups);
        for (at, group) in groups.iter().enumerate() {
            let end = groups.get(at + 1).map_or(self.next.list.len(), |next| next.first as usize);
            match self.store_group(chunk, group.offset as usize, group.first as usize, end) {
                None => break,
                Some(0) if group.is_alone => self.again.push(group.offset),
                Some(_) => {}
            }
        }
        self.shared.store.relax(self.index);
        groups.clear();
        self.groups = groups;
        self.next.clear();
        self.tickets.clear();
        self.hashes.clear();
    }

    /// Begins all insertions at once; whatever is not to be inserted gets a ticket too.
    fn begin_all(&mut self) {
        let Self { next, tickets, key_start, .. } = self;
        let states = next.list.iter().filter(|successor| successor.len > 0);
        let mut keys = states.map(|successor| &next.state(*successor)[*key_start..]);
        self.shared.store.begin_all(self.index, &mut keys, tickets);
        let mut n_keys = tickets.len();
        if n_keys == next.list.len() {
            return;
        }
        tickets.resize(next.list.len(), Ok(0));
        for (at, successor) in next.list.iter().enumerate().rev() {
            tickets[at] = match successor.len {
                0 => Ok(0),
                _ => {
                    n_keys -= 1;
                    tickets[n_keys]
                }
            };
        }
    }

    /// Stores the successors of one state and counts the new ones; `None` if there is no use in going on.
    fn store_group(&mut self, chunk: &Chunk, offset: usize, first: usize, end: usize) -> Option<usize> {
        let mut n_new = 0;
        for at in first..end {
            let successor = self.next.list[at];
            if expand::is_left(successor) {
                continue;
            }
            self.n_transitions += 1;
            if successor.is_fault && self.shared.options.stops_at_faults {
                self.wrong(chunk, offset, false);
                return None;
            }
            if successor.len == 0 {
                continue;
            }
            let state = self.next.state(successor);
            let ticket = self.tickets[at];
            match ticket.and_then(|ticket| self.shared.store.finish(self.index, ticket, &state[self.key_start..])) {
                Ok(Seen::Known(_)) => {}
                Ok(Seen::Fresh(_)) => {
                    n_new += 1;
                    self.fresh.push(state);
                    if self.hasher.keeps() {
                        self.fresh.push_hash(self.hashes[at]);
                    }
                    self.lineage.push(offset, successor.mover, expand::rank(&self.next, first, at));
                    if self.fresh.is_full(self.shared.options.order) {
                        self.hand_over();
                    }
                }
                Err(_) => {
                    self.shared.stop(Limit::Memory);
                    return None;
                }
            }
        }
        Some(n_new)
    }
}
