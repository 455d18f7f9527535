//! Infinite executions of models, on all cores (trimming before component search, as OWCTY, Fisler et al. 2001): the
//! product with a claim is explored like any other set of states, and the part of its graph in which a violation can
//! lie is kept and searched for cycles.
//!
//! A cycle of the product goes round in one strongly connected part of the claim, and only parts that accept something
//! count ([`claim_components`]). Of the states in such parts the edges that stay there are kept, four bytes each (`edges.rs`); for most
//! claims that is a small share of all. If a claim holds, the kept graph mostly has no cycle at all, which taking
//! states without predecessors away shows, in linear time and without order; what remains is cut into components
//! (both: [`graph`]), and a component that accepts is a violation. If only weakly fair executions count, the component has
//! to be fair to all processes as well ([`component`]).
//!
//! The reduction of the safety search serves here too, with a condition for cycles and an eye on what the claim sees
//! (`ample.rs`, `unpick_automaton::footprints`); an execution that was found in the reduced graph is made again step by step
//! ([`concrete`]).
//!
//! The graph is looked through whenever it has become four times as large, so that a violation is found long before
//! the last state; and because states are found breadth first, a few are then visited depth first too, by the plain search
//! ([`couvreur`]). With one worker it is always the same execution that is shown.

mod claim_components;
mod component;
mod concrete;

use std::ops::Deref;
use std::sync::atomic::Ordering;

use unpick_store::{ExactStore, Recall, StateId, StateStore};
use unpick_system::{AutomatonRun, Budget, Halt, Limit, Product, Snapshot, Stats, System, Walking};

pub(super) use self::claim_components::ClaimComponents;
use self::component::{Expander, ProductPart};
use self::concrete::Outline;
use super::edges::EdgeGraph;
use super::exchange::SharedMemory;
use super::predecessor_log::StateNumber;
use super::reduced::Reduced;
use super::worker::{Kept, Lead};
use super::{Hashing, Order, SearchOptions, Shared, VectorReduction, from_the_beginning};
use crate::couvreur::{self, LivenessEnd};
use crate::graph;

/// The graph is looked through for the first time when there are so many states.
const FIRST_LOOK: u64 = 1 << 16;
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

/// Whether this search can follow the product: values that states do not tell are for the other one.
pub fn is_possible(product: &Product<'_>) -> bool {
    product.floor().key_start() == 0
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
    let (system, reduces) = (product.system(), options.reduces && can_reduce(product));
    let wrapper = Reduced::new(system, VectorReduction::Ample, Some(product.watch()));
    let explored = product.over(if reduces { &wrapper } else { system });
    let Ok(first) = explored.initial() else {
        return (LivenessEnd::violated(product, &[], None), Stats { engine: "explicit", ..Stats::default() });
    };
    let reduction = if reduces { VectorReduction::Ample } else { VectorReduction::None };
    let options = faults(store.n_workers(), reduction, options.order);
    let shared = Shared {
        walking: Walking { passes_faults: true, ..Walking::default() },
        exchange: Box::new(SharedMemory { store, wants_numbers: true }),
        recorded: Some(ClaimComponents::new(product)),
        ..Shared::new(&explored, store, options, from_the_beginning(&first), budget)
    };
    shared.begin(&first);
    let search = Search { product, wrapper: reduces.then_some(&wrapper), store, shared: &shared, budget };
    let mut end = None;
    let look = &mut || {
        end = search.look_and_probe();
        end.is_some()
    };
    shared.explore(Lead { control: budget.control, next_look: FIRST_LOOK, look });
    let end = end.unwrap_or_else(|| search.end());
    (end, Stats { store_bytes: 0, hash: "", ..shared.stats() })
}

/// A search for faults of the product.
fn faults(n_workers: usize, reduction: VectorReduction, order: Order) -> SearchOptions {
    let hashing = Hashing::Full;
    SearchOptions { n_workers, stops_at_faults: true, stops_at_invalid_ends: false, reduction, hashing, order }
}

/// A shortest execution to a state in which something is wrong already, for claims whose violation needs no endless
/// one; nothing if a limit is met before. The store should be empty.
pub fn shortest(product: &Product<'_>, store: &dyn StateStore, budget: &Budget<'_>) -> Option<AutomatonRun> {
    let first = product.initial().ok()?;
    let saved = from_the_beginning(&first);
    let options = faults(1, VectorReduction::None, Order::Breadth);
    let shared = Shared {
        walking: Walking { passes_faults: true, is_orderly: true, ..Walking::default() },
        ..Shared::new(product, store, options, saved, budget)
    };
    shared.begin(&first);
    shared.explore(Lead { control: budget.control, next_look: u64::MAX, look: &mut || false });
    let found = (*shared.found.lock().expect("no worker should panic"))?;
    match LivenessEnd::violated(product, &shared.path(product, None, first, found.state), None) {
        LivenessEnd::Violated(run) => Some(run),
        _no_run_of_the_interpreter => None,
    }
}

/// A search, its edges included.
struct Search<'s> {
    product: &'s Product<'s>,
    /// The reduced system, if that was explored.
    wrapper: Option<&'s Reduced<'s>>,
    store: &'s dyn Recall,
    shared: &'s Shared<'s>,
    budget: &'s Budget<'s>,
}

impl Search<'_> {
    /// The answer, when no worker goes on.
    fn end(&self) -> LivenessEnd {
        if let Some(found) = *self.shared.found.lock().expect("no worker should panic") {
            let states = self.way(&self.shared.all_kept(), found.state);
            return concrete::execution(self, &Outline { states, loop_from: None });
        }
        if let Some(limit) = *self.shared.limit.lock().expect("no worker should panic") {
            return LivenessEnd::Halted(limit);
        }
        self.look().unwrap_or(LivenessEnd::Exhausted)
    }

    /// The answer, if what is known of the graph gives one or a few states that are visited depth first.
    fn look_and_probe(&self) -> Option<LivenessEnd> {
        self.look().or_else(|| {
            let n_states = self.shared.n_states.load(Ordering::Relaxed);
            let is_done = self.shared.pool.is_empty();
            if is_done { None } else { probe(self, (n_states / PROBE_PART).max(LEAST_PROBE)) }
        })
    }

    fn look(&self) -> Option<LivenessEnd> {
        match self.look_through(&self.shared.all_kept()) {
            Ok(outline) => outline.map(|outline| concrete::execution(self, &outline)),
            Err(limit) => Some(LivenessEnd::Halted(limit)),
        }
    }

    /// Looks for a violation in the graph so far.
    fn look_through(&self, kept: &[impl Deref<Target = Kept>]) -> Result<Option<Outline>, Limit> {
        let n_ids = kept.iter().map(|kept| kept.log.len()).max().unwrap_or(0) * kept.len() as u64;
        let graph = EdgeGraph::new(kept.iter().map(|kept| &kept.edges), n_ids as usize);
        if graph.is_empty() {
            return Ok(None);
        }
        let left = graph::trim(&graph);
        if left.n_left == 0 {
            return Ok(None);
        }
        if let Some(halt) = self.budget.control.poll(&self.shared.snapshot()) {
            return Err(halt.into());
        }
        let is_fair = self.product.is_fair();
        let mut expander = Expander::new(self.product, self.store);
        let mut result = None;
        graph::for_each_component(&graph, left.degrees, |component| {
            let Some(start) = component.nodes.iter().copied().find(|state| graph.is_accepting(*state)) else {
                return true;
            };
            let mut part = ProductPart { graph: &graph, component: &component, expander: &mut expander };
            if is_fair && !graph::is_fair(&mut part, &component.nodes) {
                return true;
            }
            let mut states = self.way(kept, self.shared.number(start.into()));
            let loop_from = Some(states.len() - 1);
            states.extend(graph::round(&mut part, start, is_fair).into_iter().map(|(_, state)| state));
            // The last state of the round is its first, which is on the way already.
            states.pop();
            result = Some(Outline { states, loop_from });
            false
        });
        Ok(result)
    }

    /// The states from the first one to this one.
    fn way(&self, kept: &[impl Deref<Target = Kept>], to: StateNumber) -> Vec<u32> {
        self.shared.way(kept, to).into_iter().map(|(state, _)| self.shared.id(state) as u32).collect()
    }
}

/// Visits some states depth first, from the beginning; tells if that gives an answer.
fn probe(search: &Search<'_>, n_states: u64) -> Option<LivenessEnd> {
    let Search { product, shared, budget, .. } = search;
    // Its way to a state is not the shortest, which a limit of depth would not mean.
    if budget.depth.is_some() {
        return None;
    }
    let control = |snapshot: &Snapshot| match snapshot.states > n_states {
        true => Some(Halt::Time),
        false => budget.control.poll(&shared.snapshot()),
    };
    let memory = budget.memory_bytes.map(|limit| limit.saturating_sub(shared.snapshot().bytes));
    let budget = Budget { memory_bytes: memory, control: &control, ..**budget };
    match couvreur::search(product, &ExactStore::new(memory), &budget).0 {
        LivenessEnd::Halted(_) | LivenessEnd::Lost => None,
        end @ (LivenessEnd::Violated(_) | LivenessEnd::Mismatch(_) | LivenessEnd::Exhausted) => Some(end),
    }
}

/// The bytes of a state.
fn recall(store: &dyn Recall, id: u32) -> Vec<u8> {
    let mut state = Vec::new();
    store.recall(StateId(id.into()), &mut state);
    state
}
