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
mod expand;
mod frontier;
mod hashing;
mod predecessor_log;
mod sleep;
mod worker;

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use unpick_automaton::run::Impossible;
use unpick_store::StateStore;
use unpick_system::{AutomatonRun, AutomatonViolation, Budget, Limit, Reached, Snapshot, Stats, Successors, System};

pub use borders::borders;
use checkpoint::Pause;
pub use checkpoint::{Checkpoint, Saved};
use expand::Expander;
use frontier::{Chunk, Pool};
pub use hashing::Audit;
use predecessor_log::{PredecessorLog, StateNumber};
pub use unpick_system::{Hashing, Order};
use worker::Worker;

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
    system: &'a dyn System,
    store: &'a dyn StateStore,
    options: SearchOptions,
    budget: Limits,
    pool: Pool,
    /// Work is to end: something was found, or a limit met.
    is_over: AtomicBool,
    logs: Vec<Mutex<PredecessorLog>>,
    checkpoint: Option<&'a dyn Checkpoint>,
    pause: Pause,
    found: Mutex<Option<Found>>,
    limit: Mutex<Option<Limit>>,
    n_states: AtomicU64,
    n_transitions: AtomicU64,
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

impl Shared<'_> {
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
        let logs: Vec<_> = self.logs.iter().map(|log| log.lock().expect("no worker should panic")).collect();
        let logs: Vec<&PredecessorLog> = logs.iter().map(|log| &**log).collect();
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
        Snapshot {
            phase: "exploring",
            states: self.n_states.load(Ordering::Relaxed),
            transitions: self.n_transitions.load(Ordering::Relaxed),
            depth: self.depth.load(Ordering::Relaxed),
            bytes: self.store.bytes() + self.pool.bytes() + self.system.bytes(),
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
    let Ok(mut first) = system.initial() else {
        let run = AutomatonRun { moves: Vec::new(), loop_from: None, wrong: AutomatonViolation::Fault };
        let stats = Stats { engine: "explicit", ..Stats::default() };
        return SearchResult { end: SearchEnd::Violated(run), stats, audit: None, reached: Reached::default() };
    };
    Expander::new(system, options.reduction).forget(&mut first);
    let is_new = saved.is_none();
    let mut saved = saved.unwrap_or_else(|| from_the_beginning(&first));
    let n_lineages = saved.logs.len().max(options.n_workers);
    saved.logs.resize_with(n_lineages, PredecessorLog::default);
    let shared = Shared {
        system,
        store,
        options,
        budget: Limits { memory_bytes: budget.memory_bytes, depth: budget.depth },
        pool: Pool::new(options.n_workers, options.order),
        is_over: AtomicBool::new(false),
        logs: saved.logs.into_iter().map(Mutex::new).collect(),
        checkpoint,
        pause: Pause::default(),
        found: Mutex::new(None),
        limit: Mutex::new(None),
        n_states: AtomicU64::new(saved.n_states),
        n_transitions: AtomicU64::new(saved.n_transitions),
        depth: AtomicU64::new(saved.depth),
        audit: hashing::Counts::default(),
        reached: Mutex::default(),
    };
    saved.chunks.into_iter().for_each(|chunk| shared.pool.put(chunk));
    if is_new {
        let key = &first[system.key_start()..];
        let hash = if options.hashing == Hashing::Full { store.hash(key) } else { hashing::anew(key) };
        if store.insert_unregistered(hash, key).is_err() {
            shared.stop(Limit::Memory);
        }
    }
    std::thread::scope(|scope| {
        for index in 1..options.n_workers {
            let shared = &shared;
            scope.spawn(move || Worker::new(index, shared).run(None));
        }
        Worker::new(0, &shared).run(Some(budget.control));
    });
    let (end, stats) = finish(&shared, &first);
    let audit = (options.hashing == Hashing::Audited).then(|| shared.audit.sum());
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

/// What came of a search.
fn finish(shared: &Shared<'_>, first: &[u8]) -> (SearchEnd, Stats) {
    let logs: Vec<_> = shared.logs.iter().map(|log| log.lock().expect("no worker should panic")).collect();
    let logs: Vec<&PredecessorLog> = logs.iter().map(|log| &**log).collect();
    let snapshot = shared.snapshot();
    let lineage_bytes: u64 = logs.iter().map(|log| log.bytes()).sum();
    let stats = Stats {
        states: snapshot.states,
        transitions: snapshot.transitions,
        depth: snapshot.depth,
        peak_bytes: shared.store.bytes() + shared.pool.peak_bytes() + lineage_bytes,
        store_bytes: shared.store.bytes(),
        engine: "explicit",
        ..Stats::default()
    };
    let found = *shared.found.lock().expect("no worker should panic");
    let limit = *shared.limit.lock().expect("no worker should panic");
    let end = match (found, limit) {
        (Some(found), _) => match run(shared.system, shared.options.reduction, first, &logs, found) {
            Ok(run) => SearchEnd::Violated(run),
            Err(impossible) => SearchEnd::Mismatch(impossible),
        },
        (None, Some(limit)) => SearchEnd::Halted(limit),
        (None, None) => SearchEnd::Exhausted,
    };
    (end, stats)
}

/// The execution to what was found: its states are made again from the first one on, and then its moves.
fn run(
    system: &dyn System,
    reduction: VectorReduction,
    first: &[u8],
    logs: &[&PredecessorLog],
    found: Found,
) -> Result<AutomatonRun, Impossible> {
    let reduces = reduction == VectorReduction::Ample;
    let mut ways = Vec::new();
    let mut at = found.state;
    loop {
        let origin = logs[at.worker as usize].origin(at.index);
        if origin.parent == StateNumber::NONE {
            break;
        }
        ways.push((origin.mover, origin.rank));
        at = origin.parent;
    }
    let mut path = vec![first.to_vec()];
    let mut expander = Expander::new(system, reduction);
    let mut plain = Expander::new(system, VectorReduction::None);
    let mut next = Successors::default();
    for (mover, rank) in ways.into_iter().rev() {
        next.clear();
        let last = path.last().expect("a path should have a state");
        plain.expand(last, &mut next);
        let successor = expand::nth_of(&next, 0, mover, rank as usize);
        let successor = successor.expect("a state should have the successors that it had");
        let mut state = next.state(successor).to_vec();
        if reduces {
            expander.follow_chain(&mut state, |passed| path.push(passed.to_vec()));
        }
        path.push(state);
    }
    let wrong = if found.wrong { AutomatonViolation::InvalidEnd } else { AutomatonViolation::Fault };
    AutomatonRun::along(system, &path, reduces, wrong)
}
