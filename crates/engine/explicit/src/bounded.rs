//! Context-bounded search (Qadeer and Rehof 2005; Musuvathi and Qadeer 2007): first without preemptions, then with one,
//! and so on.
//!
//! Most concurrency errors need few switches, and the executions that show them with the fewest are the ones people
//! understand. A bucket holds states to go on from with the thread that ran last; running that thread on is free,
//! leaving it although it could go on costs one *preemption* (a *switch* is any change of thread). States where
//! another thread could take over are kept for the next bucket. A state is kept with its least cost and the
//! threads that reached it at that cost: dearer visits are dominated, because changing over costs at most one. When
//! a bucket meets no new state, nothing new lies beyond any bound, and the search is a proof.
//!
//! No reduction thins this search out: the representative that a partial-order reduction keeps may need more
//! switches than the execution it stands for.
//!
//! If cached steps are asked for from the first state on, they are looked up in the transition cache (`transition_cache.rs`)
//! as long as each has one outcome; inputs are better left open, which only the interpreter does. Where that does not go on, the search starts over on the interpreter:
//! what waits in the buckets is of no use without the costs of all states that were visited, and to find these again
//! there is to search again. Programs show early whether they fit.

use std::collections::VecDeque;
use std::rc::Rc;

use unpick_program::interp::Refused;
use unpick_store::{Seen, StateId};
use unpick_system::{Bound, Budget, Limit, Measure, Reason, Reduction};

use crate::dfs::{Advance, Arrival, Entered, Threads};
use crate::interpreter::{Interpreter, Place};
use crate::search::{End, Search};
use crate::transition_cache::{CachedThreads, Caching};

/// A search by cost.
struct Buckets<'p, T: Threads<'p>> {
    measure: Measure,
    /// The present cost.
    cost: u32,
    /// What is to be done at the present cost.
    now: VecDeque<Work<'p, T>>,
    /// States from which others may take over, at one more.
    later: Vec<Remembered<'p, T>>,
    /// Cost and threads of each stored state.
    visits: Vec<Visit>,
}

struct Work<'p, T: Threads<'p>> {
    at: T::State,
    /// The thread that moves; none if its step has begun and has other outcomes.
    thread: Option<usize>,
    way: Way<'p, T>,
}

struct Remembered<'p, T: Threads<'p>> {
    at: T::State,
    id: StateId,
    enabled: Vec<usize>,
    way: Way<'p, T>,
}

/// The moves that led to a state, the last one first.
type Way<'p, T> = Option<Rc<Moved<'p, T>>>;

struct Moved<'p, T: Threads<'p>> {
    last: T::Move,
    before: Way<'p, T>,
}

/// A long way is freed move by move: freeing each move inside the next would take stack in proportion to its length.
impl<'p, T: Threads<'p>> Drop for Moved<'p, T> {
    fn drop(&mut self) {
        let mut before = self.before.take();
        while let Some(mut moved) = before.and_then(Rc::into_inner) {
            before = moved.before.take();
        }
    }
}

/// The least cost at which a state was met, and the threads that ran last then.
#[derive(Clone, Copy)]
struct Visit {
    cost: u32,
    threads: u64,
}

const NEVER: Visit = Visit { cost: u32::MAX, threads: 0 };

impl Search<'_> {
    /// Searches bound after bound, up to the greatest one if it is given.
    pub(crate) fn explore_bounds(&mut self, measure: Measure, max: Option<u32>, budget: &Budget<'_>) -> End {
        let first = |search: &mut CachedThreads<'_, '_>, at| Buckets::new(measure, at).explore(search, max, budget);
        // Cached steps also stop where a thread is the only one left, so that bounds have other numbers of states.
        if matches!(self.caching, Caching::After(0))
            && let Some(end) = self.with_cache(Reduction::GlobalAccess, budget, first)
        {
            return end;
        }
        self.bounds.clear();
        self.caching = Caching::Refused;
        let first = Place::first(self.machine.initial());
        match Buckets::new(measure, first).explore(&mut Interpreter::new(self), max, budget) {
            Ok(end) => end,
            Err(refused) => unreachable!("the interpreter should refuse nothing: {}", refused.0),
        }
    }

    /// What lies beyond the greatest bound is left out.
    fn bounded(&mut self, measure: Measure, bound: u32, n_states: u64) -> End {
        self.findings.ledger.add(Reason::Bounded(Bound { measure, bound, n_states }));
        self.finish()
    }
}

impl<'p, T: Threads<'p, State: Clone>> Buckets<'p, T> {
    pub(crate) fn new(measure: Measure, first: T::State) -> Self {
        let work = Work { at: first, thread: Some(0), way: None };
        Self { measure, cost: 0, now: VecDeque::from([work]), later: Vec::new(), visits: Vec::new() }
    }

    /// Searches bound after bound.
    pub(crate) fn explore(&mut self, threads: &mut T, max: Option<u32>, budget: &Budget<'_>) -> Result<End, Refused> {
        loop {
            let n_before = threads.n_states();
            // Beyond the greatest bound it is only asked whether anything new is there.
            let is_beyond = max.is_some_and(|max| self.cost > max);
            while let Some(work) = self.now.pop_front() {
                let end = self.work(threads, work, budget)?;
                let is_halted = matches!(end, Some(End::Halted(_)));
                if is_beyond && !is_halted && (end.is_some() || threads.n_states() > n_before) {
                    let n_states = threads.n_states();
                    return Ok(threads.search().bounded(self.measure, self.cost - 1, n_states));
                }
                if let Some(end) = end {
                    return Ok(end);
                }
            }
            let n_states = threads.n_states();
            if !is_beyond && n_states > n_before {
                let closed = Bound { measure: self.measure, bound: self.cost, n_states };
                budget.control.milestone(&format!("no violation within {}: {n_states} states", closed.text()));
                threads.search().bounds.push(closed);
            }
            if self.cost > 0 && n_states == n_before {
                return Ok(threads.search().finish());
            }
            self.cost += 1;
            if let Some(end) = self.take_over(threads, budget)? {
                return Ok(end);
            }
        }
    }

    /// Fills the next bucket: at every remembered state, each thread that has not run there.
    fn take_over(&mut self, threads: &mut T, budget: &Budget<'_>) -> Result<Option<End>, Refused> {
        for Remembered { at, id, enabled, way } in std::mem::take(&mut self.later) {
            let visit = self.visits[id.0 as usize];
            for thread in enabled.iter().filter(|thread| visit.threads >> **thread & 1 == 0) {
                self.now.push_back(Work { at: at.clone(), thread: Some(*thread), way: way.clone() });
            }
            if let Some(end) = threads.poll(budget)? {
                return Ok(Some(*end));
            }
        }
        Ok(None)
    }

    /// Takes one step, or another outcome of one.
    fn work(&mut self, threads: &mut T, work: Work<'p, T>, budget: &Budget<'_>) -> Result<Option<End>, Refused> {
        let Work { mut at, thread, way } = work;
        let step = match thread {
            Some(thread) => threads.begin(&mut at, thread, true).0,
            None => match threads.next_outcome(&mut at) {
                Some(step) => step,
                None => return Ok(None),
            },
        };
        let n_waiting = self.now.len() + self.later.len();
        threads.search().hold_states(n_waiting);
        threads.search().meter.stats.transitions += 1;
        let advance = threads.advance(&mut at, step, budget)?;
        let moved = Some(Rc::new(Moved { last: threads.last_move(&at), before: way.clone() }));
        self.now.push_front(Work { at, thread: None, way });
        let end = match advance {
            Advance::At(arrival) => self.arrive(threads, arrival, moved, budget)?,
            // The end counts: a bound that adds nothing but ends is not the last one.
            Advance::Over { stuck: Some(arrival), .. } => match threads.insert(&arrival, budget)? {
                Some(_) => None,
                None => Some(threads.search().halt(Limit::Memory)),
            },
            Advance::Over { stuck: None, .. } => None,
            Advance::Found(end) => Some(*end),
            Advance::Claimed(claimed) => Some(confirm(threads, claimed, moved)?),
            Advance::Halted(_, limit) => Some(threads.search().halt(limit)),
        };
        match end {
            Some(end) => Ok(Some(end)),
            None => Ok(threads.poll(budget)?.map(|end| *end)),
        }
    }

    /// A state was reached with a thread that ran last.
    fn arrive(
        &mut self,
        threads: &mut T,
        arrival: Arrival<T::Reached>,
        way: Way<'p, T>,
        budget: &Budget<'_>,
    ) -> Result<Option<End>, Refused> {
        let Some(seen) = threads.insert(&arrival, budget)? else {
            return Ok(Some(threads.search().halt(Limit::Memory)));
        };
        let Arrival { reached, thread, is_choice, .. } = arrival;
        let is_done = match seen {
            Seen::Fresh(_) => false,
            Seen::Known(_) if is_choice => true,
            Seen::Known(id) => {
                let visit = self.visits.get(id.0 as usize).copied().unwrap_or(NEVER);
                visit.cost < self.cost || thread < 64 && visit.threads >> thread & 1 == 1
            }
        };
        if is_done {
            return Ok(None);
        }
        match threads.enter(reached, thread)? {
            Entered::Choice(at) => self.now.push_front(Work { at, thread: None, way }),
            Entered::Over(_) => {}
            Entered::Claimed(claimed) => return confirm(threads, claimed, way).map(Some),
            Entered::Threads(_, backtrack, _)
                if backtrack.enabled.iter().chain([&thread]).any(|thread| *thread >= 64) =>
            {
                let what = "more than 64 threads under a bound on context switches".to_owned();
                threads.search().findings.ledger.add(Reason::unsupported(what));
            }
            Entered::Threads(at, backtrack, _) => self.visit(at, seen.id(), thread, backtrack.enabled, way),
        }
        Ok(None)
    }

    /// A state is visited at the present cost by a thread that has not run there.
    fn visit(&mut self, at: T::State, id: StateId, thread: usize, enabled: Vec<usize>, way: Way<'p, T>) {
        let number = id.0 as usize;
        if number >= self.visits.len() {
            self.visits.resize(number + 1, NEVER);
        }
        let visit = &mut self.visits[number];
        let is_first = visit.cost == u32::MAX;
        visit.cost = self.cost;
        visit.threads |= 1 << thread;
        let can_go_on = enabled.contains(&thread);
        if can_go_on {
            self.now.push_back(Work { at: at.clone(), thread: Some(thread), way: way.clone() });
        } else if self.measure == Measure::Preemptions {
            // No preemption.
            for other in &enabled {
                if visit.threads >> *other & 1 == 0 {
                    visit.threads |= 1 << *other;
                    self.now.push_back(Work { at: at.clone(), thread: Some(*other), way: way.clone() });
                }
            }
        }
        if is_first && enabled.len() > usize::from(can_go_on) {
            self.later.push(Remembered { at, id, enabled, way });
        }
    }
}

/// Runs an execution again that ends in a violation.
fn confirm<'p, T: Threads<'p>>(threads: &mut T, claimed: T::Claimed, way: Way<'p, T>) -> Result<End, Refused> {
    let mut moves = Vec::new();
    let mut rest = way;
    while let Some(moved) = rest {
        moves.push(moved.last.clone());
        rest = moved.before.clone();
    }
    moves.reverse();
    threads.confirm(claimed, &moves)
}
