//! Infinite executions of models, on all cores (trimming before component search, as OWCTY, Fisler et al. 2001): the
//! product with a claim is explored like any other set of states, and the part of its graph in which a violation can
//! lie is kept and searched for cycles.
//!
//! A cycle of the product goes round in one strongly connected part of the claim, and only parts that accept something
//! count ([`claim_components`]). Of the states in such parts the edges that stay there are kept, four bytes each ([`edges`]); for most
//! claims that is a small share of all. If a claim holds, the kept graph mostly has no cycle at all, which taking
//! states without predecessors away shows, in linear time and without order ([`trim`]); what remains is cut into components
//! ([`components`]), and a component that accepts is a violation. If only weakly fair executions count, the component has
//! to be fair to all processes as well ([`fair`]).
//!
//! The reduction of the safety search serves here too, with a condition for cycles and an eye on what the claim sees
//! (`ample.rs`, `unpick_automaton::footprints`); an execution that was found in the reduced graph is made again step by step
//! ([`concrete`]).
//!
//! The graph is looked through whenever it has become four times as large, so that a violation is found long before
//! the last state; and because states are found breadth first, a few are then visited depth first too, by the plain search
//! ([`couvreur`]). With one worker it is always the same execution that is shown.

mod claim_components;
mod components;
mod concrete;
mod edges;
mod fair;
mod lasso;
mod trim;
mod walker;
mod worker;

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use unpick_store::{ExactStore, Recall, StateId};
use unpick_system::{Budget, Halt, Limit, Product, Snapshot, Stats};

use self::claim_components::ClaimComponents;
use self::edges::Graph;
use self::fair::FairnessChecker;
use self::lasso::Outline;
use self::walker::Walker;
use self::worker::Worker;
use super::Order;
use super::frontier::{Chunk, Pool};
use super::predecessor_log::StateNumber;
use crate::couvreur::{self, LivenessEnd};

/// The graph is looked through for the first time when there are so many states.
const FIRST_LOOK: u64 = 1 << 16;
/// And again each time there are so many times as many.
const GROWTH: u64 = 4;
/// Of the states found so far, as many as this part of them are then visited depth first as well, but no fewer than so many:
/// what lies thousands of steps deep is out of reach for long otherwise.
const PROBE_PART: u64 = 16;
const LEAST_PROBE: u64 = 1 << 15;

/// How to search.
#[derive(Clone, Copy, Default, Debug)]
pub struct CycleOptions {
    /// Only as many processes are followed as are enough, where the claim allows it.
    pub reduces: bool,
    /// Which states come first.
    pub order: Order,
}

/// What workers share.
struct Shared<'a> {
    product: &'a Product<'a>,
    store: &'a dyn Recall,
    parts: ClaimComponents,
    n_workers: usize,
    reduces: bool,
    order: Order,
    memory_bytes: Option<u64>,
    depth_limit: Option<u64>,
    pool: Pool,
    /// Work is to end: something was found, a limit met, or it is time to look through the graph.
    is_over: AtomicBool,
    next_look: AtomicU64,
    found: Mutex<Option<Found>>,
    limit: Mutex<Option<Limit>>,
    n_states: AtomicU64,
    n_transitions: AtomicU64,
    /// Bytes of edges.
    n_bytes: AtomicU64,
    depth: AtomicU64,
}

/// A state in which something is wrong.
struct Found {
    depth: u64,
    state: StateNumber,
}

impl Shared<'_> {
    fn stop(&self, limit: Limit) {
        self.limit.lock().expect("no worker should panic").get_or_insert(limit);
        self.end();
    }

    fn found(&self, found: Found) {
        let mut known = self.found.lock().expect("no worker should panic");
        if known.as_ref().is_none_or(|known| (found.depth, found.state) < (known.depth, known.state)) {
            *known = Some(found);
        }
        self.end();
    }

    fn end(&self) {
        self.is_over.store(true, Ordering::SeqCst);
        self.pool.close();
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
            bytes: self.store.bytes() + self.pool.bytes() + n_bytes + table_bytes + self.product.system().bytes(),
        }
    }

    /// The number of a state in the store.
    fn id(&self, state: StateNumber) -> u64 {
        state.index * self.n_workers as u64 + u64::from(state.worker)
    }

    fn number(&self, id: u64) -> StateNumber {
        let n_workers = self.n_workers as u64;
        StateNumber { worker: (id % n_workers) as u32, index: id / n_workers }
    }
}

/// Whether this search can follow the product: values that states do not tell are for the other one.
pub fn is_possible(product: &Product<'_>) -> bool {
    product.system().key_start() == 0
}

/// Whether as few processes may be followed as are enough: not if executions have to be fair, which depends on who
/// could move, nor if a claim could tell how often a state is repeated.
fn can_reduce(product: &Product<'_>) -> bool {
    product.claim().is_none_or(|claim| claim.is_stutter_invariant) && product.is_plain() && !product.is_fair()
}

/// Looks for an execution that violates what watches the model. The store should be empty, made for as many workers, and
/// number its states in the order in which each worker found them.
pub fn search(
    product: &Product<'_>,
    store: &dyn Recall,
    options: CycleOptions,
    budget: &Budget<'_>,
) -> (LivenessEnd, Stats) {
    let Ok(mut first) = product.initial() else {
        return (LivenessEnd::violated(product, &[], None), Stats { engine: "explicit", ..Stats::default() });
    };
    let n_workers = store.n_workers();
    let shared = Shared {
        product,
        store,
        parts: ClaimComponents::new(product),
        n_workers,
        reduces: options.reduces && can_reduce(product),
        memory_bytes: budget.memory_bytes,
        depth_limit: budget.depth,
        pool: Pool::new(n_workers, options.order),
        order: options.order,
        is_over: AtomicBool::new(false),
        next_look: AtomicU64::new(FIRST_LOOK),
        found: Mutex::new(None),
        limit: Mutex::new(None),
        n_states: AtomicU64::new(1),
        n_transitions: AtomicU64::new(0),
        n_bytes: AtomicU64::new(0),
        depth: AtomicU64::new(0),
    };
    let mut workers: Vec<Worker<'_>> = (0..n_workers).map(|index| Worker::new(index, &shared)).collect();
    workers[0].forget(&mut first);
    match store.insert(&first) {
        Ok(_) => workers[0].begin(),
        Err(_) => shared.stop(Limit::Memory),
    }
    let mut chunk = Chunk::new(0, 0, 0);
    chunk.push(&first);
    shared.pool.put(chunk);
    let end = go_on(&shared, &mut workers, budget);
    let snapshot = shared.snapshot();
    let lineage_bytes: u64 = workers.iter().map(|worker| worker.log.bytes()).sum();
    let stats = Stats {
        states: snapshot.states,
        transitions: snapshot.transitions,
        depth: snapshot.depth,
        peak_bytes: snapshot.bytes + shared.pool.peak_bytes() + lineage_bytes,
        engine: "explicit",
        ..Stats::default()
    };
    (end, stats)
}

/// Explores until it is time to look through the graph, and again, until the answer is known.
fn go_on(shared: &Shared<'_>, workers: &mut [Worker<'_>], budget: &Budget<'_>) -> LivenessEnd {
    loop {
        std::thread::scope(|scope| {
            let (first, others) = workers.split_first_mut().expect("there should be a worker");
            for worker in others {
                scope.spawn(move || worker.run(None));
            }
            first.run(Some(budget.control));
        });
        if let Some(found) = shared.found.lock().expect("no worker should panic").take() {
            let states = lasso::way(shared, workers, found.state);
            return concrete::execution(shared, &Outline { states, loop_from: None });
        }
        if let Some(limit) = *shared.limit.lock().expect("no worker should panic") {
            return LivenessEnd::Halted(limit);
        }
        match look_through(shared, workers, budget) {
            Ok(None) => {}
            Ok(Some(outline)) => return concrete::execution(shared, &outline),
            Err(limit) => return LivenessEnd::Halted(limit),
        }
        let n_states = shared.n_states.load(Ordering::Relaxed);
        shared.next_look.store(n_states * GROWTH, Ordering::Relaxed);
        shared.is_over.store(false, Ordering::SeqCst);
        if !shared.pool.reopen() {
            return LivenessEnd::Exhausted;
        }
        if let Some(end) = probe(shared, (n_states / PROBE_PART).max(LEAST_PROBE), budget) {
            return end;
        }
    }
}

/// Visits some states depth first, from the beginning; tells if that gives an answer.
fn probe(shared: &Shared<'_>, n_states: u64, budget: &Budget<'_>) -> Option<LivenessEnd> {
    // Its way to a state is not the shortest, which a limit of depth would not mean.
    if shared.depth_limit.is_some() {
        return None;
    }
    let control = |snapshot: &Snapshot| match snapshot.states > n_states {
        true => Some(Halt::Time),
        false => budget.control.poll(&shared.snapshot()),
    };
    let memory = budget.memory_bytes.map(|limit| limit.saturating_sub(shared.snapshot().bytes));
    let budget = Budget { memory_bytes: memory, control: &control, ..*budget };
    match couvreur::search(shared.product, &ExactStore::new(memory), &budget).0 {
        LivenessEnd::Halted(_) | LivenessEnd::Lost => None,
        end @ (LivenessEnd::Violated(_) | LivenessEnd::Mismatch(_) | LivenessEnd::Exhausted) => Some(end),
    }
}

/// Looks for a violation in the graph so far.
fn look_through(shared: &Shared<'_>, workers: &[Worker<'_>], budget: &Budget<'_>) -> Result<Option<Outline>, Limit> {
    let n_ids = workers.iter().map(|worker| worker.log.len()).max().unwrap_or(0) * shared.n_workers as u64;
    let graph = Graph::new(workers.iter().map(|worker| &worker.edges), n_ids as usize);
    if graph.is_empty() {
        return Ok(None);
    }
    let left = trim::trim(&graph);
    if left.n_left == 0 {
        return Ok(None);
    }
    if let Some(halt) = budget.control.poll(&shared.snapshot()) {
        return Err(halt.into());
    }
    let mut walker = Walker::new(shared.product, false);
    let mut checker = FairnessChecker::new(&mut walker, shared.store);
    let mut result = None;
    components::for_each(&graph, left.degrees, |component| {
        let counts =
            component.is_accepting && (!shared.product.is_fair() || fair::is_fair(&graph, &component, &mut checker));
        if counts {
            result = Some(lasso::lasso(shared, workers, &graph, &component, &mut checker));
        }
        !counts
    });
    Ok(result)
}

/// The bytes of a state.
fn recall(store: &dyn Recall, id: u32) -> Vec<u8> {
    let mut state = Vec::new();
    store.recall(StateId(id.into()), &mut state);
    state
}
