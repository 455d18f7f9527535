//! One worker of the frontier search, for safety and for cycles.
//!
//! A worker takes chunks of unexpanded states, makes their successors in batches, hands these over ([`super::exchange`]), and
//! puts the new ones into chunks of its own. For a search for cycles it also keeps edges (`edges.rs`), for which it asks the
//! store what number each successor has, not only which are new. Either way the search answers the system's question
//! whether a reduced expansion was enough (the cycle proviso): with edges if all successors come later in the
//! order of numbers, without if one of them is new; if not, the state is expanded again, in full.

use std::ops::Range;
use std::sync::atomic::Ordering;

use unpick_base::weighted_sum::finish;
use unpick_store::{Batch, InsertBatch, Span};
use unpick_system::{Arrival, Control, Expansion, Halt, Limit, Monitor, Stepper, Successors, Which};

use super::cycles::ClaimComponents;
use super::edges::{Edges, MAX_ID};
use super::exchange::{Answer, Arrived, Made};
use super::frontier::Chunk;
use super::hashing::Hasher;
use super::predecessor_log::{self, Origin, PredecessorLog, StateNumber};
use super::{Found, Shared, VectorReduction};

/// So many successors are made before the store is asked for the first of them.
const BATCH: usize = 64;

/// Work sharing threshold: so many states are handed over to an idle worker.
const MIN_SHARED_STATES: usize = 64;

/// The graph has to be so many times as large before it is looked through again.
const GROWTH: u64 = 4;

/// What a worker has found, besides the states themselves.
#[derive(Default)]
pub(super) struct Kept {
    /// Where the states came from.
    pub(super) log: PredecessorLog,
    /// Where some of them lead, if that is recorded.
    pub(super) edges: Edges,
}

/// What one worker does for all.
pub(super) struct Lead<'l> {
    pub(super) control: &'l dyn Control,
    /// When so many states have been found, the graph is looked through while nobody works.
    pub(super) next_look: u64,
    /// Looks through it; true if the search can end.
    pub(super) look: &'l mut dyn FnMut() -> bool,
}

/// A worker; see the module.
pub(super) struct Worker<'a> {
    index: usize,
    shared: &'a Shared<'a>,
    stepper: Box<dyn Stepper + 'a>,
    /// What edges are recorded by.
    monitor: Option<Box<dyn Monitor + 'a>>,
    /// What this worker has found; with the others' while the worker waits.
    kept: Kept,
    /// What was made and not stored yet.
    next: Successors,
    /// Where the part of each lies that is to be stored; what has none is left out.
    spans: Vec<Span>,
    /// How many of these the store has been told of.
    n_begun: usize,
    /// What the store keeps of them.
    insertions: InsertBatch,
    /// What became of them, by position among `spans`.
    answer: Answer,
    /// The hash of each, if it is not left to the store.
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
    /// The steps by which states were found matter.
    keeps_arrivals: bool,
    /// There is no use in going on with the chunk.
    is_stopped: bool,
    n_transitions: u64,
    n_told: u64,
    n_bytes_told: u64,
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
        Self {
            index,
            shared,
            stepper: shared.system.stepper(shared.walking),
            monitor: shared.recorded.as_ref().map(ClaimComponents::monitor),
            kept: Kept::default(),
            next: Successors::default(),
            spans: Vec::new(),
            n_begun: 0,
            insertions: InsertBatch::default(),
            answer: Answer::default(),
            hashes: Vec::new(),
            hasher: Hasher::new(shared.options.hashing, shared.store.uses_hash()),
            groups: Vec::new(),
            again: Vec::new(),
            fresh: shared.pool.fresh(index as u32, 0, 0),
            key_start: shared.system.floor().key_start(),
            keeps_arrivals: shared.options.reduction == VectorReduction::Sleep,
            is_stopped: false,
            n_transitions: 0,
            n_told: 0,
            n_bytes_told: 0,
        }
    }

    /// Works until nothing is left to do.
    pub(super) fn run(mut self, mut lead: Option<Lead<'_>>) {
        self.withdraw();
        self.fresh.first.index = self.kept.log.len();
        self.n_told = self.kept.log.len();
        self.shared.store.register(self.index);
        while let Some(chunk) = self.take() {
            self.look_at(&chunk);
            self.shared.pool.give_back(chunk);
            self.tell();
            if let Some(lead) = &mut lead
                && !self.shared.is_over.load(Ordering::Relaxed)
            {
                self.lead(lead);
            }
        }
        self.hand_over();
        self.deposit();
        self.shared.store.unregister(self.index);
        self.shared.audit.add(self.hasher.audit());
        self.shared.reached.lock().expect("no worker should panic").join(self.stepper.reached());
    }

    /// Asks whether to go on, and does what is due: a checkpoint, a look through the graph.
    fn lead(&mut self, lead: &mut Lead<'_>) {
        let shared = self.shared;
        let halt = lead.control.poll(&shared.snapshot());
        let halt = halt.filter(|halt| *halt != Halt::Memory || !shared.store.step_down(self.index));
        // A search that is stopped from outside can be taken up again.
        if shared.checkpoint.is_some_and(|checkpoint| halt.is_some() || checkpoint.is_due()) {
            self.alone(|| shared.keep());
        }
        let n_states = shared.n_states.load(Ordering::Relaxed);
        if let Some(halt) = halt {
            shared.stop(halt.into());
        } else if n_states >= lead.next_look {
            lead.next_look = n_states * GROWTH;
            self.alone(|| {
                if (lead.look)() {
                    shared.end();
                }
            });
        }
    }

    fn take(&mut self) -> Option<Chunk> {
        if self.shared.has_pauses() && self.shared.pause.is_wanted() {
            self.aside(|shared| shared.pause.wait());
        }
        if let Some(chunk) = self.shared.pool.try_take() {
            return Some(chunk);
        }
        let shared = self.shared;
        shared.exchange.collect(self.index, &mut |state, arrived| self.collected(state, arrived));
        self.tell();
        self.aside(|shared| shared.pool.take())
    }

    /// A state turned out to be new that was handed over some time ago.
    #[cold]
    fn collected(&mut self, state: &[u8], Arrived { depth, origin }: Arrived) {
        if self.fresh.depth != depth || self.fresh.is_full(self.shared.options.order) {
            self.hand_over();
            self.fresh.depth = depth;
        }
        self.fresh.push(state);
        if self.keeps_arrivals {
            self.fresh.push_arrival(Arrival::NONE);
        }
        self.kept.log.begin(origin.parent);
        self.kept.log.push(0, origin.mover, origin.rank as usize);
    }

    /// Does something while the others wait, unless the search is over.
    fn alone(&mut self, act: impl FnOnce()) {
        // Another worker may want the store to grow before it comes to the pause.
        self.aside(|shared| {
            shared.pause.begin(shared.options.n_workers - 1, || shared.pool.n_idle());
            // A worker at a limit has left states of its chunk unexpanded: such a search is not written.
            if !shared.is_over.load(Ordering::SeqCst) {
                act();
            }
            shared.pause.end();
        });
    }

    /// Does something for which this worker's states and what it kept have to be with the others'.
    fn aside<R>(&mut self, act: impl FnOnce(&'a Shared<'a>) -> R) -> R {
        self.hand_over();
        self.deposit();
        self.shared.store.unregister(self.index);
        let result = act(self.shared);
        self.shared.store.register(self.index);
        self.withdraw();
        result
    }

    fn deposit(&mut self) {
        let mut place = self.shared.kept[self.index].lock().expect("no worker should panic");
        *place = std::mem::take(&mut self.kept);
    }

    fn withdraw(&mut self) {
        let mut place = self.shared.kept[self.index].lock().expect("no worker should panic");
        self.kept = std::mem::take(&mut *place);
    }

    /// Shares the found states with idle workers.
    fn hand_over(&mut self) {
        if self.fresh.len() > 0 {
            self.shared.depth.fetch_max(self.fresh.depth, Ordering::Relaxed);
            let next = self.shared.pool.fresh(self.index as u32, self.kept.log.len(), self.fresh.depth);
            self.shared.pool.put(std::mem::replace(&mut self.fresh, next));
        }
    }

    /// Adds what was done to what all have done, and looks at the limits.
    fn tell(&mut self) {
        let shared = self.shared;
        let (n_states, n_bytes) = (self.kept.log.len(), self.kept.edges.bytes());
        let n_all = shared.n_states.fetch_add(n_states - self.n_told, Ordering::Relaxed) + n_states - self.n_told;
        shared.n_bytes.fetch_add(n_bytes - self.n_bytes_told, Ordering::Relaxed);
        (self.n_told, self.n_bytes_told) = (n_states, n_bytes);
        shared.n_transitions.fetch_add(std::mem::take(&mut self.n_transitions), Ordering::Relaxed);
        let has_ids = shared.recorded.is_none() || n_all * shared.options.n_workers as u64 <= MAX_ID;
        let has_room = || shared.budget.memory_bytes.is_none_or(|limit| shared.snapshot().bytes <= limit);
        if !has_ids || !has_room() && !shared.store.step_down(self.index) {
            shared.stop(Limit::Memory);
        }
    }

    fn look_at(&mut self, chunk: &Chunk) {
        if let Some(depth) = self.shared.budget.depth
            && chunk.depth >= depth
        {
            self.shared.stop(Limit::Depth(depth));
            return;
        }
        self.kept.log.begin(chunk.first);
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
            self.expand(chunk, offset, Which::Few(chunk.arrival(offset)));
            if self.is_stopped {
                return;
            }
        }
        self.store(chunk);
        while let Some(offset) = self.again.pop() {
            self.expand(chunk, offset as usize, Which::All);
            if self.is_stopped {
                return;
            }
        }
        self.store(chunk);
    }

    /// Makes the successors of a state.
    #[inline]
    fn expand(&mut self, chunk: &Chunk, offset: usize, which: Which<'_>) {
        let first = self.next.list.len();
        let expansion = self.stepper.expand(chunk.state(offset), which, &mut self.next);
        if expansion == (Expansion::End { is_valid: false }) && self.shared.options.stops_at_invalid_ends {
            self.wrong(chunk, offset, true);
        }
        self.made(chunk, offset, first, expansion == Expansion::Reduced);
    }

    /// Successors from `first` on were made of a state.
    #[inline]
    fn made(&mut self, chunk: &Chunk, offset: usize, first: usize, is_alone: bool) {
        // The state was made a moment ago, and reading what is being written takes long: it is the turn of those before.
        self.begin();
        let first_span = self.spans.len() as u32;
        self.groups.push(Group { first: first as u32, first_span, offset: offset as u32, is_alone });
        self.hasher.look_at(&chunk.state(offset)[self.key_start..], chunk.sum(offset));
        for successor in &self.next.list[first..] {
            if successor.is_left() {
                continue;
            }
            self.n_transitions += 1;
            if successor.is_fault && self.shared.options.stops_at_faults {
                self.wrong(chunk, offset, false);
                if self.shared.recorded.is_some() {
                    // What was not stored was not taken.
                    self.n_transitions -= 1 + self.spans.len() as u64;
                    self.is_stopped = true;
                    return;
                }
            }
            if successor.len == 0 {
                continue;
            }
            let (start, len) = (successor.start + self.key_start as u32, successor.len - self.key_start as u32);
            self.spans.push(Span { start, len });
        }
        if self.hasher.keeps() {
            self.hash(&chunk.state(offset)[self.key_start..], first);
        }
        if self.next.list.len() >= BATCH {
            self.store(chunk);
        }
    }

    /// Hashes the successors from `first` on of a state; what a step has changed becomes the sum behind it.
    fn hash(&mut self, before: &[u8], first: usize) {
        let Successors { bytes, list, .. } = &mut self.next;
        for successor in &mut list[first..] {
            // What is not stored has no hash either.
            if successor.len == 0 {
                continue;
            }
            successor.change = match successor.known_change() {
                Some(change) => self.hasher.after(change),
                None => {
                    let key = &bytes[successor.start as usize..][self.key_start..successor.len as usize];
                    self.hasher.compared(before, key)
                }
            };
            if self.hasher.is_audited() {
                let key = &bytes[successor.start as usize..][self.key_start..successor.len as usize];
                self.hasher.audit_sum(successor.change, key);
            }
            self.hashes.push(finish(successor.change));
        }
    }

    /// Tells the store of all states that it will be asked for: memory is called for them while others are made.
    #[inline]
    fn begin(&mut self) {
        let hashes = self.hasher.keeps().then(|| &self.hashes[self.n_begun..]);
        let batch = Batch { bytes: &self.next.bytes, spans: &self.spans[self.n_begun..], hashes };
        self.shared.exchange.begin(self.index, &mut self.insertions, &batch);
        self.n_begun = self.spans.len();
    }

    fn wrong(&self, chunk: &Chunk, offset: usize, wrong: bool) {
        let state = StateNumber { index: chunk.first.index + offset as u64, ..chunk.first };
        self.shared.found(Found { depth: chunk.depth, state, wrong });
    }

    /// Stores the successors made so far, and takes those that are new.
    fn store(&mut self, chunk: &Chunk) {
        self.begin();
        let shared = self.shared;
        let (mut insertions, mut answer) = (std::mem::take(&mut self.insertions), std::mem::take(&mut self.answer));
        let hashes = self.hasher.keeps().then_some(&self.hashes[..]);
        let batch = Batch { bytes: &self.next.bytes, spans: &self.spans, hashes };
        let made = Made { worker: self.index, batch, arrived: &|position| self.arrived(chunk, position) };
        let finished = shared.exchange.hand_over(&made, &mut insertions, &mut answer);
        (self.insertions, self.answer) = (insertions, answer);
        if finished.is_err() {
            shared.stop(Limit::Memory);
            self.is_stopped = shared.recorded.is_some();
        }
        let groups = std::mem::take(&mut self.groups);
        let mut n_taken = 0;
        for (at, group) in groups.iter().enumerate() {
            let end = groups.get(at + 1).map_or(self.spans.len() as u32, |next| next.first_span);
            let is_enough = match shared.recorded {
                None => self.take_those_found(group, end, &mut n_taken),
                Some(_) => self.take_each(chunk, group, group.first_span as usize..end as usize),
            };
            if self.is_stopped {
                break;
            }
            if group.is_alone && !is_enough {
                self.again.push(group.offset);
            }
        }
        shared.store.quiescent_point(self.index);
        self.groups = groups;
        self.groups.clear();
        self.answer.fresh.clear();
        self.answer.seen.clear();
        self.next.clear();
        self.spans.clear();
        self.n_begun = 0;
        self.hashes.clear();
    }

    /// Takes the new states of a group, of which `n_taken` of all those found come before; whether there is one.
    #[inline]
    fn take_those_found(&mut self, group: &Group, end: u32, n_taken: &mut usize) -> bool {
        let n_before = *n_taken;
        while let Some(position) = self.answer.fresh.get(*n_taken).copied().filter(|position| *position < end) {
            self.take_new(group, position as usize);
            *n_taken += 1;
        }
        *n_taken > n_before
    }

    /// Takes the new states of a group, and keeps its edges; whether all its states come later than the one before them.
    fn take_each(&mut self, chunk: &Chunk, group: &Group, positions: Range<usize>) -> bool {
        for position in positions.clone() {
            let Some(seen) = self.answer.seen.get(position) else {
                self.is_stopped = true;
                return true;
            };
            if seen.is_fresh() {
                let number = StateNumber { worker: self.index as u32, index: self.kept.log.len() };
                debug_assert_eq!(seen.id().0, self.shared.id(number), "the store should count as we do");
                self.take_new(group, position);
            }
        }
        self.record(chunk, group, positions)
    }

    /// Keeps the edges of a group.
    fn record(&mut self, chunk: &Chunk, group: &Group, positions: Range<usize>) -> bool {
        let (shared, edges) = (self.shared, &mut self.kept.edges);
        let (Some(parts), Some(monitor)) = (&shared.recorded, self.monitor.as_deref_mut()) else { return true };
        let state = chunk.state(group.offset as usize);
        let source = shared.id(StateNumber { index: chunk.first.index + u64::from(group.offset), ..chunk.first });
        let part = parts.of(monitor, state);
        let mut is_enough = true;
        for (seen, Span { start, len }) in self.answer.seen[positions.clone()].iter().zip(&self.spans[positions]) {
            is_enough &= seen.id().0 > source;
            let next = &self.next.bytes[*start as usize..][..*len as usize];
            if part.is_some() && parts.of(monitor, next) == part {
                edges.push(seen.id().0 as u32);
            }
        }
        if group.is_alone && !is_enough {
            edges.discard();
        } else if part.is_some() && !edges.commit(source as u32, parts.is_accepting(monitor, state)) {
            shared.stop(Limit::Memory);
            self.is_stopped = true;
        }
        is_enough
    }

    /// Takes a new state, by its position among those that were stored.
    #[inline]
    fn take_new(&mut self, group: &Group, position: usize) {
        let at = self.successor_at(group, position);
        let successor = self.next.list[at];
        self.fresh.push(self.next.state(successor));
        if self.hasher.keeps() {
            self.fresh.push_sum(successor.change);
        }
        if self.keeps_arrivals {
            self.fresh.push_arrival(Arrival::by(successor));
        }
        let (mover, rank) = match self.shared.recorded {
            None => (successor.mover, predecessor_log::rank(&self.next, group.first as usize, at)),
            // The store returns states by number.
            Some(_) => (0, 0),
        };
        self.kept.log.push(group.offset as usize, mover, rank);
        if self.fresh.is_full(self.shared.options.order) {
            self.hand_over();
        }
    }

    /// Where the successor of a group lies that is stored as this one.
    #[inline]
    fn successor_at(&self, group: &Group, position: usize) -> usize {
        // Between the two counts lie states that were not stored.
        let start = self.spans[position].start - self.key_start as u32;
        let mut at = group.first as usize + position - group.first_span as usize;
        while self.next.list[at].len == 0 || self.next.list[at].start != start {
            at += 1;
        }
        at
    }

    /// Where a state came from that was not answered at once.
    #[cold]
    fn arrived(&self, chunk: &Chunk, position: usize) -> Arrived {
        let after = self.groups.partition_point(|group| group.first_span as usize <= position);
        let group = &self.groups[after - 1];
        let parent = StateNumber { index: chunk.first.index + u64::from(group.offset), ..chunk.first };
        let at = self.successor_at(group, position);
        let rank = predecessor_log::rank(&self.next, group.first as usize, at) as u32;
        Arrived { depth: chunk.depth + 1, origin: Origin { parent, mover: self.next.list[at].mover, rank } }
    }
}
