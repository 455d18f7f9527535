//! Search with a transition cache (as in LTSmin; Blom, van de Pol and Weber 2010): the depth-first search of
//! `search.rs` with dynamic partial-order reduction, over collapsed vectors instead of interpreter states.
//!
//! Large searches execute the same steps many times. So when a search has become large, it starts over here, where a
//! step is executed on the interpreter once for everything it depends on and looked up from then on (see `cache.rs`).
//! Programs for which this is not possible are left to the interrupted search. A violation is executed from the
//! beginning on the interpreter before it is reported; now and then a cached step is executed again and compared.

mod cache;
mod race;

use unpick_program::ViolationKind;
use unpick_program::interp::{CollapseTable, Refused, State, Stop, Until};
use unpick_store::{ExactStore, Seen, StateId, StateStore};
use unpick_system::{Budget, Limit, Snapshot};

use crate::dpor::BacktrackSet;
use crate::effect::{EMPTY, SetId};
use crate::scc_summaries::{SccSummaries, Status};
use crate::schedule::Scheduled;
use crate::search::{End, Search, next_thread};
use cache::{After, NONE, Outcome, TransitionCache};
use unpick_system::Reduction;

/// Searches of this many states are large.
pub(crate) const LARGE: u64 = 8_000;
/// One in so many lookups is audited: the cached step is executed again.
const AUDIT: u64 = if cfg!(debug_assertions) { 3 } else { 1 << 14 };
/// Steps between two polls.
const POLL: u64 = 4_096;
/// After so many executed steps, at least half of the lookups should hit.
const MANY_RUNS: u64 = 200_000;

/// Whether steps are cached.
pub(crate) enum Caching<'p> {
    /// From so many states on.
    After(u64),
    /// Now.
    Running(Box<CachedSearch<'p>>),
    /// Not possible for this program.
    Refused,
}

/// The state of the search.
pub(crate) struct CachedSearch<'p> {
    cache: TransitionCache<'p>,
    store: ExactStore,
    summaries: SccSummaries,
    stack: Vec<StackEntry>,
    key: Vec<u8>,
    /// The vector that a step leads to.
    next: Vec<u32>,
    is_begun: bool,
    first: Vec<u32>,
    n_steps: u64,
    polled: u64,
}

/// A state on the stack.
struct StackEntry {
    vector: Vec<u32>,
    /// The next transition of each thread; [`NONE`] if it has ended.
    transitions: Vec<u32>,
    backtrack: BacktrackSet,
    id: StateId,
    /// The step that led here.
    incoming: u32,
    summary: SetId,
    index: u32,
    low: u32,
    /// The step that is being followed, and its next outcome.
    thread: usize,
    running: u32,
    outcome: usize,
}

/// Why the search leaves its loop.
enum Exit {
    Ended(Box<End>),
    Refused(Refused),
}

impl From<Refused> for Exit {
    fn from(refused: Refused) -> Self {
        Exit::Refused(refused)
    }
}

impl CachedSearch<'_> {
    pub(crate) fn n_states(&self) -> u64 {
        self.store.len()
    }

    fn bytes(&self) -> u64 {
        let per_entry =
            256 + self.stack.last().map_or(0, |entry| entry.vector.len() * 4 + entry.transitions.len() * 32);
        self.store.bytes() + self.summaries.bytes() + self.cache.bytes() + (self.stack.len() * per_entry) as u64
    }
}

impl<'p> Search<'p> {
    /// Continues with cached steps, if the search is large enough and of the right kind. `None` if the interrupted
    /// search has to continue.
    pub(crate) fn explore_cached(&mut self, budget: &Budget<'_>) -> Option<End> {
        let mut cached = match std::mem::replace(&mut self.caching, Caching::Refused) {
            Caching::Running(cached) => cached,
            Caching::Refused => return None,
            Caching::After(_) if !self.is_cacheable(budget) => return None,
            Caching::After(_) => {
                let options = self.machine.options.clone();
                let (parts, first) = CollapseTable::new(self.machine.program, options)?;
                let store = ExactStore::new(None);
                store.register(0);
                Box::new(CachedSearch {
                    cache: TransitionCache::new(parts),
                    store,
                    summaries: SccSummaries::default(),
                    stack: Vec::new(),
                    key: Vec::new(),
                    next: Vec::new(),
                    is_begun: false,
                    first,
                    n_steps: 0,
                    polled: 0,
                })
            }
        };
        // Loops are counted along executions; here there are none.
        let loops = std::mem::take(&mut self.observer.loops);
        let is_lock_broken = self.observer.is_lock_broken;
        match self.explore_from_cache(&mut cached, budget) {
            Exit::Ended(end) => {
                self.caching = Caching::Running(cached);
                Some(*end)
            }
            Exit::Refused(refused) => {
                (self.observer.loops, self.observer.is_lock_broken) = (loops, is_lock_broken);
                self.observer.footprint.clear();
                budget.control.milestone(&format!("steps are not written down: {}", refused.0));
                None
            }
        }
    }

    fn is_cacheable(&self, budget: &Budget<'_>) -> bool {
        self.reduction == Reduction::Dpor
            && !self.keeps_going
            && !self.alone_too
            && self.visited.matching.is_exact()
            && self.findings.ledger.is_empty()
            && budget.depth.is_none()
            && budget.unwind.is_none()
            && !self.properties.contains(ViolationKind::Termination)
    }

    fn explore_from_cache(&mut self, cached: &mut CachedSearch<'p>, budget: &Budget<'_>) -> Exit {
        if !cached.is_begun {
            cached.is_begun = true;
            let first = cached.first.clone();
            if let Err(refused) = cached.cache.meet(&first, &mut self.effects) {
                return Exit::Refused(refused);
            }
            cached.next = first;
            if let Err(leave) = self.come_to(cached, NONE, 0, false) {
                return leave;
            }
        }
        loop {
            if cached.n_steps - cached.polled >= POLL {
                cached.polled = cached.n_steps;
                if let Some(limit) = self.poll_cached(cached, budget) {
                    return Exit::Ended(Box::new(self.halt(limit)));
                }
                if cached.cache.n_runs > MANY_RUNS && cached.cache.n_runs * 2 > cached.n_steps {
                    return Exit::Refused(Refused("most steps are new"));
                }
            }
            if let Err(leave) = self.next_outcome(cached) {
                return leave;
            }
            if cached.stack.is_empty() {
                return Exit::Ended(Box::new(self.finish()));
            }
        }
    }

    fn poll_cached(&mut self, cached: &CachedSearch<'p>, budget: &Budget<'_>) -> Option<Limit> {
        if let Some(pause) = self.pause() {
            return Some(pause);
        }
        let bytes = cached.bytes() + self.bytes();
        self.meter.note_bytes(bytes);
        if budget.memory_bytes.is_some_and(|limit| bytes > limit) {
            return Some(Limit::Memory);
        }
        let snapshot = Snapshot {
            phase: "exploring",
            states: cached.store.len(),
            transitions: self.meter.stats.transitions,
            depth: cached.stack.len() as u64,
            bytes,
        };
        budget.control.poll(&snapshot).map(Limit::from)
    }

    /// Follows one more outcome of the innermost state, or leaves it.
    fn next_outcome(&mut self, cached: &mut CachedSearch<'p>) -> Result<(), Exit> {
        let Some(entry) = cached.stack.last_mut() else { return Ok(()) };
        if entry.running == NONE || entry.outcome >= cached.cache.transition(entry.running).outcomes.len() {
            let is_open = entry.low < entry.index;
            let Some(thread) = next_thread(&mut entry.backtrack, &mut self.effects, entry.summary, is_open) else {
                self.leave(cached);
                return Ok(());
            };
            entry.backtrack.set_held(cached.cache.part(&entry.vector, thread).locks);
            (entry.thread, entry.running, entry.outcome) = (thread, entry.transitions[thread], 0);
        }
        let (thread, running) = (entry.thread, entry.running);
        let transition = cached.cache.transition(running);
        let outcome = &transition.outcomes[entry.outcome];
        entry.outcome += 1;
        cached.n_steps += 1;
        self.meter.stats.transitions += 1;
        match outcome.after {
            After::Going => {}
            After::Over => {
                self.findings.is_feasible = true;
                self.meter.stats.executions += 1;
                self.settle_step(cached, running, EMPTY, u32::MAX);
                return Ok(());
            }
            After::Violated => return Err(self.violated_here(cached)),
        }
        let next = &mut cached.next;
        outcome.change.apply(&entry.vector, next);
        if !is_clean(&cached.cache, outcome, next) {
            return Err(Exit::Refused(Refused("something points to an object that ended")));
        }
        if transition.written_locks != 0 && breaks_lock(&cached.cache, next, thread, transition.written_locks) {
            return Err(Exit::Refused(Refused("a lock is written over")));
        }
        if cached.n_steps.is_multiple_of(AUDIT) {
            let vector = entry.vector.clone();
            if !cached.cache.agrees(&vector, thread, running, &mut self.observer, &mut self.effects)? {
                debug_assert!(false, "a step should be what was written down");
                return Err(Exit::Refused(Refused("a step is not what was written down")));
            }
        }
        let is_whole = cached.cache.transition(running).outcomes.len() == 1;
        self.come_to(cached, running, thread, is_whole)
    }

    /// The search comes to a state by a step of a thread.
    fn come_to(
        &mut self,
        cached: &mut CachedSearch<'p>,
        incoming: u32,
        thread: usize,
        is_whole: bool,
    ) -> Result<(), Exit> {
        encode(&cached.next, &mut cached.key);
        let hash = cached.store.hash(&cached.key);
        let seen = cached.store.insert_hashed(0, hash, &cached.key);
        cached.store.quiescent_point(0);
        match seen {
            Ok(Seen::Fresh(id)) => self.new_state(cached, id, incoming, thread),
            Ok(Seen::Known(id)) => {
                self.meet_again(cached, id, incoming, is_whole);
                Ok(())
            }
            Err(_) => Err(Exit::Refused(Refused("too many states"))),
        }
    }

    /// A new state.
    fn new_state(
        &mut self,
        cached: &mut CachedSearch<'p>,
        id: StateId,
        incoming: u32,
        thread: usize,
    ) -> Result<(), Exit> {
        let vector = cached.next.clone();
        let n_threads = cached.cache.parts.n_threads(&vector);
        if n_threads > self.max_threads {
            return Err(Exit::Refused(Refused("many threads")));
        }
        let n_before = cached.stack.last().map_or(0, |entry| entry.transitions.len());
        if self.properties.contains(ViolationKind::DataRace)
            && has_race(&cached.cache, &vector, thread, n_before..n_threads)
        {
            return Err(self.violated_here(cached));
        }
        let transitions = self.transitions(cached, &vector, n_threads)?;
        let can_go = |transition: u32| transition != NONE && !cached.cache.transition(transition).outcomes.is_empty();
        let mut enabled: Vec<usize> = (0..n_threads).filter(|thread| can_go(transitions[*thread])).collect();
        if enabled.is_empty() {
            return self.nobody_moves(cached, &transitions, id, incoming);
        }
        if self.properties.contains(ViolationKind::Deadlock) && cached.cache.is_stuck(&vector, &transitions) {
            return Err(self.violated_here(cached));
        }
        // As in `schedule.rs`.
        if let Some(at) = enabled.iter().position(|other| *other == thread) {
            enabled[..=at].rotate_right(1);
        }
        self.order.arrange(&mut enabled);
        self.enter(cached, vector, transitions, enabled, id, incoming);
        Ok(())
    }

    /// The next transitions of all threads.
    fn transitions(
        &mut self,
        cached: &mut CachedSearch<'p>,
        vector: &[u32],
        n_threads: usize,
    ) -> Result<Vec<u32>, Exit> {
        let head = cached.cache.head(vector);
        let mut transitions = Vec::with_capacity(n_threads);
        for thread in 0..n_threads {
            if cached.cache.part(vector, thread).is_ended {
                transitions.push(NONE);
                continue;
            }
            let transition = match cached.cache.find(vector, head, thread) {
                Some(transition) => transition,
                None => {
                    let transition = cached.cache.execute(vector, thread, &mut self.observer, &mut self.effects)?;
                    if self.observer.is_lock_broken {
                        return Err(Exit::Refused(Refused("a lock is written over")));
                    }
                    if n_threads > 1
                        && !self.has_noted_threads
                        && let Some(state) = cached.cache.parts.state(vector, thread)
                    {
                        self.note_threads(&state);
                    }
                    transition
                }
            };
            transitions.push(transition);
        }
        Ok(transitions)
    }

    /// No thread can go on.
    fn nobody_moves(
        &mut self,
        cached: &mut CachedSearch<'p>,
        transitions: &[u32],
        id: StateId,
        incoming: u32,
    ) -> Result<(), Exit> {
        self.findings.is_feasible = true;
        let is_stuck = transitions.iter().any(|transition| *transition != NONE);
        if is_stuck && self.properties.contains(ViolationKind::Deadlock) {
            return Err(self.violated_here(cached));
        }
        let mut summary = EMPTY;
        for transition in transitions.iter().filter(|transition| **transition != NONE) {
            summary = self.effects.union(summary, cached.cache.transition(*transition).set);
        }
        let index = cached.summaries.enter(id);
        cached.summaries.leave(id, index, index, summary, EMPTY);
        self.meter.stats.executions += 1;
        self.settle_step(cached, incoming, summary, u32::MAX);
        Ok(())
    }

    /// Pushes a new state on the stack.
    fn enter(
        &mut self,
        cached: &mut CachedSearch<'p>,
        vector: Vec<u32>,
        transitions: Vec<u32>,
        enabled: Vec<usize>,
        id: StateId,
        incoming: u32,
    ) {
        let index = cached.summaries.enter(id);
        let mut summary = EMPTY;
        let mut disabled = Vec::new();
        for (thread, transition) in transitions.iter().enumerate().filter(|(_, transition)| **transition != NONE) {
            let transition = cached.cache.transition(*transition);
            if transition.outcomes.is_empty() {
                summary = self.effects.union(summary, transition.set);
                disabled.push((thread, transition.effects.clone()));
            }
        }
        let backtrack = BacktrackSet::first(enabled, transitions.len(), disabled);
        let (low, running) = (index, NONE);
        let (thread, outcome) = (0, 0);
        let entry =
            StackEntry { vector, transitions, backtrack, id, incoming, summary, index, low, thread, running, outcome };
        cached.stack.push(entry);
        self.meter.set_depth(cached.stack.len() as u64);
    }

    /// A visited state.
    fn meet_again(&mut self, cached: &mut CachedSearch<'p>, id: StateId, incoming: u32, is_whole: bool) {
        self.meter.stats.executions += 1;
        match cached.summaries.get(id) {
            Status::Left { summary, .. } => self.settle_step(cached, incoming, summary, u32::MAX),
            Status::Open { index } => self.settle_step(cached, incoming, EMPTY, index),
            Status::OnStack { index } => {
                self.findings.is_feasible = true;
                let is_self = is_whole && cached.stack.last().is_some_and(|entry| entry.index == index);
                if !is_self {
                    self.settle_step(cached, incoming, EMPTY, index);
                    return;
                }
                let transition = cached.cache.transition(incoming);
                let entry = cached.stack.last_mut().expect("the state should be on the stack");
                entry.summary = self.effects.union(entry.summary, transition.set);
                entry.backtrack.step_was_idle(&mut self.effects, transition.effects.clone());
            }
        }
    }

    /// Pops the innermost state.
    fn leave(&mut self, cached: &mut CachedSearch<'p>) {
        let Some(entry) = cached.stack.pop() else { return };
        cached.summaries.leave(entry.id, entry.index, entry.low, entry.summary, EMPTY);
        let low = if entry.low < entry.index { entry.low } else { u32::MAX };
        self.settle_step(cached, entry.incoming, entry.summary, low);
    }

    /// The step that the innermost state took leads to something with these effects behind it.
    fn settle_step(&mut self, cached: &mut CachedSearch<'p>, incoming: u32, summary: SetId, low: u32) {
        let Some(entry) = cached.stack.last_mut() else { return };
        let transition = cached.cache.transition(incoming);
        entry.low = entry.low.min(low);
        let all = self.effects.union(transition.set, summary);
        entry.summary = self.effects.union(entry.summary, all);
        entry.backtrack.step_done(&mut self.effects, transition.effects.clone(), summary);
    }

    // ---- violations ----

    /// A violation behind the step of the innermost state: executes from the beginning.
    fn violated_here(&mut self, cached: &CachedSearch<'p>) -> Exit {
        match self.rerun(cached) {
            Some(end) => Exit::Ended(Box::new(end)),
            None => Exit::Refused(Refused("a violation that the interpreter does not find")),
        }
    }

    fn rerun(&mut self, cached: &CachedSearch<'p>) -> Option<End> {
        let machine = &cached.cache.parts.machine;
        let mut state = machine.initial();
        let mut moved = 0;
        for (at, entry) in cached.stack.iter().enumerate() {
            moved = entry.thread;
            let outcome = &cached.cache.transition(entry.running).outcomes[entry.outcome - 1];
            if at > 0 {
                state.record_thread(entry.thread);
            }
            let stop = run_again(machine, &mut state, entry.thread, &outcome.picks);
            let is_last = at + 1 == cached.stack.len();
            match stop {
                Stop::Violated(violation) if is_last => return Some(self.found(&state, violation)),
                Stop::Shared | Stop::ThreadEnded => {}
                _something_else => return None,
            }
        }
        match self.schedule(&state, moved, None, None) {
            Scheduled::Violated(violation) => Some(self.found(&state, violation)),
            Scheduled::Threads(..) | Scheduled::Over => None,
        }
    }
}

/// Runs a step with these choices.
fn run_again(machine: &unpick_program::interp::Machine<'_>, state: &mut State, thread: usize, picks: &[u128]) -> Stop {
    let mut picks = picks.iter();
    loop {
        let until = Until { shared_access: true, ..Until::NEVER };
        match machine.run_silent(state, thread, until) {
            Stop::Choice(choice) => match picks.next() {
                Some(pick) => machine.pick(state, &choice, *pick),
                None => return Stop::Choice(choice),
            },
            stop => return stop,
        }
    }
}

/// Whether nothing points to objects that have ended.
fn is_clean(cache: &TransitionCache<'_>, outcome: &Outcome, next: &[u32]) -> bool {
    let ended = outcome.change.ended;
    ended == 0
        || next.iter().enumerate().all(|(place, number)| cache.parts.mentions(place as u32, *number) & ended == 0)
}

/// Whether a step overwrites a lock that another thread holds exclusively.
fn breaks_lock(cache: &TransitionCache<'_>, next: &[u32], thread: usize, written: u64) -> bool {
    (0..cache.parts.n_threads(next)).any(|other| other != thread && cache.part(next, other).held & written != 0)
}

/// Whether the next access of the moved thread, or of a new one, races with that of another.
fn has_race(cache: &TransitionCache<'_>, vector: &[u32], moved: usize, new: std::ops::Range<usize>) -> bool {
    let n_threads = new.end;
    std::iter::once(moved).chain(new).any(|one| {
        let access = cache.part(vector, one).access;
        let races = |other: usize| other != one && cache.accesses.race(access, cache.part(vector, other).access);
        access != 0 && (0..n_threads).any(races)
    })
}

/// A vector as bytes; zeros at its end are left out, because vectors grow.
fn encode(vector: &[u32], key: &mut Vec<u8>) {
    key.clear();
    let len = vector.iter().rposition(|number| *number != 0).map_or(0, |last| last + 1);
    for number in &vector[..len] {
        let mut number = *number;
        while number >= 0x80 {
            key.push(number as u8 | 0x80);
            number >>= 7;
        }
        key.push(number as u8);
    }
}
