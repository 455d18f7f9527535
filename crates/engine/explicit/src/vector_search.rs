//! Parallel reachability over state vectors (Holzmann and Bošnački 2007; Laarman, van de Pol and Weber 2010): all
//! states of a model, on all cores, each state once.
//!
//! Workers take chunks of unexpanded states, make their successors in batches, insert these into the store, and put the
//! new ones into chunks of their own. The store gets a whole batch after all its slots have been prefetched, so that
//! memory answers in parallel. The order is breadth first, exactly so with one worker, which makes counterexamples
//! shortest; or, by small chunks, depth first. The predecessor of each state is kept beside the store in four bytes, so
//! that any store will do, also one that cannot return its states.

mod ample;
mod bits;
mod borders;
mod checkpoint;
pub mod cycles;
mod edges;
mod exchange;
mod frontier;
mod hashing;
mod predecessor_log;
mod reduced;
mod sleep;
mod worker;

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use unpick_automaton::run::Impossible;
use unpick_base::weighted_sum;
use unpick_store::StateStore;
use unpick_system::{
    AutomatonRun, AutomatonViolation, Budget, Limit, Reached, Snapshot, Stats, Successors, System, Walking, Which,
};

pub use borders::borders;
use checkpoint::Pause;
pub use checkpoint::{Checkpoint, Saved};
use cycles::ClaimComponents;
use exchange::{Exchange, SharedMemory};
use frontier::{Chunk, Pool};
pub use hashing::Audit;
use predecessor_log::{Origin, PredecessorLog, StateNumber};
use reduced::Reduced;
pub use unpick_system::{Hashing, Order};
use worker::{Kept, Lead, Worker};

/// What to look for, and with what.
#[derive(Clone, Copy, Debug)]
pub struct SearchOptions {
    /// How many threads of ours search.
    pub n_workers: usize,
    /// Steps that go wrong end the search.
    pub stops_at_faults: bool,
    /// States in which nothing is possible end the search, unless all processes may stay there.
    pub stops_at_invalid_ends: bool,
    /// What need not be followed.
    pub reduction: VectorReduction,
    /// How states are hashed.
    pub hashing: Hashing,
    /// Which states come first.
    pub order: Order,
}

/// What need not be followed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum VectorReduction {
    /// Nothing: all steps are taken.
    None,
    /// Sleep sets, one step deep: no steps that lead to states that are also reached otherwise; see `sleep.rs`. Every
    /// state is found.
    Sleep,
    /// Ample sets of one process; see `ample.rs`. Dead variables are reset.
    Ample,
}

/// How a search ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SearchEnd {
    /// Every state that can be reached has been looked at.
    Exhausted,
    /// Something is wrong.
    Violated(AutomatonRun),
    /// Something is wrong on a way that the interpreter cannot take: our own mistake.
    Mismatch(Impossible),
    /// A limit was met first.
    Halted(Limit),
}

/// What came of a search.
pub struct SearchResult {
    /// How it ended.
    pub end: SearchEnd,
    /// What it cost.
    pub stats: Stats,
    /// What became of the hashes, if they were to be looked at.
    pub audit: Option<Audit>,
    /// Where processes have stood.
    pub reached: Reached,
}

/// What workers share.
struct Shared<'a> {
    /// What is explored: maybe reduced, maybe beside a claim.
    system: &'a dyn System,
    walking: Walking,
    /// Where states go that workers make, and the store in the memory of this host.
    exchange: Box<dyn Exchange + 'a>,
    store: &'a dyn StateStore,
    /// Where edges matter, if they are recorded.
    recorded: Option<ClaimComponents<'a>>,
    options: SearchOptions,
    budget: Limits,
    pool: Pool,
    /// Work is to end: something was found, or a limit met.
    is_over: AtomicBool,
    /// What workers have found, while they do not work.
    kept: Vec<Mutex<Kept>>,
    checkpoint: Option<&'a dyn Checkpoint>,
    pause: Pause,
    found: Mutex<Option<Found>>,
    limit: Mutex<Option<Limit>>,
    n_states: AtomicU64,
    n_transitions: AtomicU64,
    /// Bytes of edges.
    n_bytes: AtomicU64,
    depth: AtomicU64,
    audit: hashing::Counts,
    reached: Mutex<Reached>,
}

/// Limits that workers look at themselves.
#[derive(Clone, Copy)]
struct Limits {
    memory_bytes: Option<u64>,
    depth: Option<u64>,
}

/// Where something is wrong.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Found {
    depth: u64,
    state: StateNumber,
    wrong: WrongOrder,
}

/// [`AutomatonViolation`] with an order.
type WrongOrder = bool;

impl<'a> Shared<'a> {
    fn new(
        system: &'a dyn System,
        store: &'a dyn StateStore,
        options: SearchOptions,
        saved: Saved,
        budget: &Budget<'_>,
    ) -> Self {
        let Saved { n_states, n_transitions, depth, mut logs, chunks } = saved;
        logs.resize_with(logs.len().max(options.n_workers), PredecessorLog::default);
        let kept = logs.into_iter().map(|log| Mutex::new(Kept { log, ..Kept::default() }));
        let shared = Shared {
            system,
            walking: Walking::default(),
            exchange: Box::new(SharedMemory { store, wants_numbers: false }),
            store,
            recorded: None,
            options,
            budget: Limits { memory_bytes: budget.memory_bytes, depth: budget.depth },
            pool: Pool::new(options.n_workers, options.order),
            is_over: AtomicBool::new(false),
            kept: kept.collect(),
            checkpoint: None,
            pause: Pause::default(),
            found: Mutex::new(None),
            limit: Mutex::new(None),
            n_states: AtomicU64::new(n_states),
            n_transitions: AtomicU64::new(n_transitions),
            n_bytes: AtomicU64::new(0),
            depth: AtomicU64::new(depth),
            audit: hashing::Counts::default(),
            reached: Mutex::default(),
        };
        chunks.into_iter().for_each(|chunk| shared.pool.put(chunk));
        shared
    }

    /// Stores the first state.
    fn begin(&self, first: &[u8]) {
        let key = &first[self.system.floor().key_start()..];
        let hash = match self.options.hashing.is_incremental() {
            true => weighted_sum::finish(weighted_sum::sum(key)),
            false => self.store.hash(key),
        };
        if self.store.insert_unregistered(hash, key).is_err() {
            self.stop(Limit::Memory);
        }
    }

    /// Explores until nothing is left, something is found, or a limit is met.
    fn explore(&self, lead: Lead<'_>) {
        std::thread::scope(|scope| {
            for index in 1..self.options.n_workers {
                scope.spawn(move || Worker::new(index, self).run(None));
            }
            Worker::new(0, self).run(Some(lead));
        });
    }

    /// Whether all workers may have to wait for one.
    fn has_pauses(&self) -> bool {
        self.checkpoint.is_some() || self.recorded.is_some()
    }

    /// What all workers have found. No worker may be at work.
    fn all_kept(&self) -> Vec<std::sync::MutexGuard<'_, Kept>> {
        self.kept.iter().map(|kept| kept.lock().expect("no worker should panic")).collect()
    }

    /// The states from the first one to this one, by number, and how each was found.
    fn way(&self, kept: &[impl std::ops::Deref<Target = Kept>], to: StateNumber) -> Vec<(StateNumber, Origin)> {
        let mut way = Vec::new();
        let mut at = to;
        while at != StateNumber::NONE {
            let origin = kept[at.worker as usize].log.origin(at.index);
            way.push((at, origin));
            at = origin.parent;
        }
        way.reverse();
        way
    }

    /// The states from the first one to this one, those inside of chains too: they are made again.
    fn path(
        &self,
        system: &dyn System,
        wrapper: Option<&Reduced<'_>>,
        first: Vec<u8>,
        to: StateNumber,
    ) -> Vec<Vec<u8>> {
        let way = self.way(&self.all_kept(), to);
        let mut path = vec![first];
        let mut reduced = wrapper.map(|wrapper| wrapper.steps(self.walking));
        let mut plain = system.stepper(self.walking);
        let mut next = Successors::default();
        for (_, origin) in &way[1..] {
            next.clear();
            let last = path.last().expect("a path should have a state");
            plain.expand(last, Which::All, &mut next);
            let successor = predecessor_log::nth_of(&next, 0, origin.mover, origin.rank as usize);
            let successor = successor.expect("a state should have the successors that it had");
            let mut state = next.state(successor).to_vec();
            if let Some(reduced) = &mut reduced {
                reduced.follow_chain(&mut state, |passed| path.push(passed.to_vec()));
            }
            path.push(state);
        }
        path
    }

    /// The number of a state in a store that counts the states of each worker.
    fn id(&self, state: StateNumber) -> u64 {
        state.index * self.options.n_workers as u64 + u64::from(state.worker)
    }

    fn number(&self, id: u64) -> StateNumber {
        let n_workers = self.options.n_workers as u64;
        StateNumber { worker: (id % n_workers) as u32, index: id / n_workers }
    }

    fn stop(&self, limit: Limit) {
        let mut known = self.limit.lock().expect("no worker should panic");
        known.get_or_insert(limit);
        self.end();
    }

    fn found(&self, found: Found) {
        let mut known = self.found.lock().expect("no worker should panic");
        if known.is_none_or(|known| found < known) {
            *known = Some(found);
        }
        self.end();
    }

    fn end(&self) {
        self.is_over.store(true, Ordering::SeqCst);
        self.pool.close();
    }

    /// Writes the checkpoint. No worker may hold a chunk.
    fn keep(&self) {
        let Some(checkpoint) = self.checkpoint else { return };
        let kept = self.all_kept();
        let logs: Vec<&PredecessorLog> = kept.iter().map(|kept| &kept.log).collect();
        let snapshot = self.snapshot();
        let counts = [snapshot.states, snapshot.transitions, snapshot.depth];
        self.pool.with_all(|chunks| {
            checkpoint.save(&mut |out| {
                checkpoint::write(out, counts, &logs, &mut chunks.iter(), chunks.len())?;
                self.store.save(out)
            });
        });
    }

    fn snapshot(&self) -> Snapshot {
        let states = self.n_states.load(Ordering::Relaxed);
        let n_bytes = self.n_bytes.load(Ordering::Relaxed);
        // Looking through the graph takes two words for each state.
        let table_bytes = if n_bytes > 0 { states * 8 } else { 0 };
        Snapshot {
            phase: "exploring",
            states,
            transitions: self.n_transitions.load(Ordering::Relaxed),
            depth: self.depth.load(Ordering::Relaxed),
            bytes: self.store.bytes() + self.pool.bytes() + n_bytes + table_bytes + self.system.floor().bytes(),
        }
    }

    fn stats(&self) -> Stats {
        let snapshot = self.snapshot();
        let log_bytes: u64 = self.all_kept().iter().map(|kept| kept.log.bytes() + kept.edges.bytes()).sum();
        Stats {
            states: snapshot.states,
            transitions: snapshot.transitions,
            depth: snapshot.depth,
            peak_bytes: self.store.bytes() + self.pool.peak_bytes() + log_bytes,
            store_bytes: self.store.bytes(),
            hash: if self.store.uses_hash() { self.options.hashing.word() } else { "" },
            engine: "explicit",
            ..Stats::default()
        }
    }
}

/// Looks at every state of a model. The store should be empty, or the one that was saved with the search that goes on.
pub fn search(
    system: &dyn System,
    store: &dyn StateStore,
    options: SearchOptions,
    saved: Option<Saved>,
    checkpoint: Option<&dyn Checkpoint>,
    budget: &Budget<'_>,
) -> SearchResult {
    let exchange = Box::new(SharedMemory { store, wants_numbers: false });
    search_by(exchange, system, store, options, saved, checkpoint, budget)
}

/// The same over another exchange.
fn search_by<'a>(
    exchange: Box<dyn Exchange + 'a>,
    system: &'a dyn System,
    store: &'a dyn StateStore,
    options: SearchOptions,
    saved: Option<Saved>,
    checkpoint: Option<&'a dyn Checkpoint>,
    budget: &Budget<'_>,
) -> SearchResult {
    let wrapper = Reduced::new(system, options.reduction, None);
    let explored: &dyn System = if options.reduction == VectorReduction::None { system } else { &wrapper };
    let Ok(first) = explored.initial() else {
        let run = AutomatonRun { moves: Vec::new(), loop_from: None, wrong: AutomatonViolation::Fault };
        let stats = Stats { engine: "explicit", ..Stats::default() };
        return SearchResult { end: SearchEnd::Violated(run), stats, audit: None, reached: Reached::default() };
    };
    let is_new = saved.is_none();
    let saved = saved.unwrap_or_else(|| from_the_beginning(&first));
    let shared = Shared { exchange, checkpoint, ..Shared::new(explored, store, options, saved, budget) };
    if is_new {
        shared.begin(&first);
    }
    shared.explore(Lead { control: budget.control, next_look: u64::MAX, look: &mut || false });
    let found = *shared.found.lock().expect("no worker should panic");
    let limit = *shared.limit.lock().expect("no worker should panic");
    let end = match (found, limit) {
        (Some(found), _) => {
            let reduces = options.reduction == VectorReduction::Ample;
            let path = shared.path(system, reduces.then_some(&wrapper), first, found.state);
            let wrong = if found.wrong { AutomatonViolation::InvalidEnd } else { AutomatonViolation::Fault };
            match AutomatonRun::along(system, &path, reduces, wrong) {
                Ok(run) => SearchEnd::Violated(run),
                Err(impossible) => SearchEnd::Mismatch(impossible),
            }
        }
        (None, Some(limit)) => SearchEnd::Halted(limit),
        (None, None) => SearchEnd::Exhausted,
    };
    let audit = (options.hashing == Hashing::Audited).then(|| shared.audit.sum());
    let stats = shared.stats();
    SearchResult { end, stats, audit, reached: shared.reached.into_inner().expect("no worker should panic") }
}

/// A search that has found the first state only.
fn from_the_beginning(first: &[u8]) -> Saved {
    let mut chunk = Chunk::new(0, 0, 0);
    chunk.push(first);
    let mut log = PredecessorLog::default();
    log.begin(StateNumber::NONE);
    log.push(0, 0, 0);
    Saved { n_states: 1, logs: vec![log], chunks: vec![chunk], ..Saved::default() }
}
