//! Threads with a transition cache (as in LTSmin; Blom, van de Pol and Weber 2010): states are collapsed vectors, and a
//! step is executed on the interpreter once for everything it depends on and looked up from then on (see `cache.rs`).
//!
//! Large searches execute the same steps many times. So a search that has become large goes on here: the new states
//! met so far are led to vectors along the tree in which they were found, with their summaries, and the stack with its
//! backtrack sets. A violation is executed from the beginning on the interpreter before it is reported; now and then a
//! cached step is executed again and compared.
//!
//! Where the search has to start over instead: when a value was chosen. On the interpreter that is a state of its own,
//! and inputs may be open, so that a state stands for many vectors; here all outcomes of a step are known when it is
//! looked up. A program for which steps cannot be cached is left to the search that was interrupted, where that one
//! stands: to carry back what was met since then, each of its steps would have to be executed, and that is what the
//! search does anyway.

mod cache;
mod carry;
mod race;

use unpick_program::ViolationKind;
use unpick_program::interp::{CollapseTable, Refused, Stop, Until};
use unpick_store::{ExactStore, Seen, StateId, StateStore};
use unpick_system::{Budget, Limit, Reduction};

use crate::dfs::{Advance, Arrival, Dfs, Entered, Threads};
use crate::dpor::BacktrackSet;
use crate::effect::{EMPTY, LocksId, StepEffects};
use crate::scc_summaries::SccSummaries;
use crate::schedule::Scheduled;
use crate::search::{End, Search};
use cache::{After, MAX_OUTCOMES, NONE, Outcome, TransitionCache};

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

/// A depth-first search with cached steps.
pub(crate) struct CachedSearch<'p> {
    lookup: Lookup<'p>,
    /// The state that shows a violation, stored although nothing follows it.
    n_unfollowed: u64,
    dfs: Dfs<Vector, ()>,
}

/// Steps and states that are known.
pub(crate) struct Lookup<'p> {
    cache: TransitionCache<'p>,
    store: ExactStore,
    key: Vec<u8>,
    /// The vector that a step leads to.
    next: Vec<u32>,
    n_steps: u64,
    polled: u64,
    /// The state that was stored last shows a violation.
    is_claimed: bool,
}

/// Threads whose steps are looked up.
pub(crate) struct CachedThreads<'s, 'p> {
    search: &'s mut Search<'p>,
    lookup: &'s mut Lookup<'p>,
}

/// A state, and the step from it that is being followed.
#[derive(Clone)]
pub(crate) struct Vector {
    numbers: Vec<u32>,
    /// The next transition of each thread; [`NONE`] if it has ended.
    transitions: Vec<u32>,
    thread: usize,
    /// The transition that is being followed, and its next outcome.
    running: u32,
    outcome: usize,
}

impl Vector {
    fn new(numbers: Vec<u32>, transitions: Vec<u32>) -> Self {
        Self { numbers, transitions, thread: 0, running: NONE, outcome: 0 }
    }
}

impl CachedSearch<'_> {
    pub(crate) fn n_states(&self) -> u64 {
        self.lookup.store.len() - self.n_unfollowed
    }
}

impl<'p> Search<'p> {
    /// Goes on depth first with cached steps, if the search is of the right kind. `None` if the interrupted one has to.
    pub(crate) fn explore_cached(&mut self, budget: &Budget<'_>) -> Option<End> {
        // Loops are counted along executions; with cached steps there are none.
        let (loops, is_lock_broken) = (std::mem::take(&mut self.observer.loops), self.observer.is_lock_broken);
        match self.try_cached(budget) {
            Ok(end) => end,
            Err(refused) => {
                (self.observer.loops, self.observer.is_lock_broken) = (loops, is_lock_broken);
                self.observer.footprint.clear();
                budget.control.milestone(&format!("steps are not written down: {}", refused.0));
                None
            }
        }
    }

    fn try_cached(&mut self, budget: &Budget<'_>) -> Result<Option<End>, Refused> {
        let mut cached = match std::mem::replace(&mut self.caching, Caching::Refused) {
            Caching::Running(cached) => cached,
            Caching::After(_) if self.is_cacheable(Reduction::Dpor, budget) => {
                let Some((mut lookup, first)) = Lookup::new(self, MAX_OUTCOMES) else { return Ok(None) };
                let dfs = match self.carried(&mut lookup, &first)? {
                    Some(dfs) => dfs,
                    None => {
                        lookup.store = new_store();
                        let (at, id) = CachedThreads { search: self, lookup: &mut lookup }.first(first)?;
                        Dfs::new(at, id, false)
                    }
                };
                Box::new(CachedSearch { lookup, n_unfollowed: 0, dfs })
            }
            Caching::After(_) | Caching::Refused => return Ok(None),
        };
        let CachedSearch { lookup, dfs, .. } = &mut *cached;
        let end = dfs.explore(&mut CachedThreads { search: self, lookup }, budget)?;
        self.caching = Caching::Running(cached);
        Ok(Some(end))
    }

    /// Runs another search from the first state with cached steps, each of one outcome. `None` if that does not go on.
    pub(crate) fn with_cache(
        &mut self,
        reduction: Reduction,
        budget: &Budget<'_>,
        search: impl FnOnce(&mut CachedThreads<'_, 'p>, Vector) -> Result<End, Refused>,
    ) -> Option<End> {
        let is_possible = matches!(self.caching, Caching::After(_)) && self.is_cacheable(reduction, budget);
        let (mut lookup, first) = Lookup::new(self, 1).filter(|_| is_possible)?;
        let (is_lock_broken, stats) = (self.observer.is_lock_broken, self.meter.stats);
        let mut threads = CachedThreads { search: self, lookup: &mut lookup };
        let end = threads.first(first).and_then(|(at, _)| search(&mut threads, at));
        match end {
            Ok(end) => {
                let dfs = Dfs::standing(Vec::new(), SccSummaries::default());
                let n_unfollowed = u64::from(lookup.is_claimed);
                self.caching = Caching::Running(Box::new(CachedSearch { lookup, n_unfollowed, dfs }));
                Some(end)
            }
            Err(_) => {
                // Helpers are compared by what they count, and this was of no help.
                (self.observer.is_lock_broken, self.meter.stats) = (is_lock_broken, stats);
                None
            }
        }
    }

    pub(crate) fn is_cacheable(&self, reduction: Reduction, budget: &Budget<'_>) -> bool {
        self.reduction == reduction
            && !self.keeps_going
            && !self.alone_too
            && self.visited.matching.is_exact()
            && self.findings.ledger.is_empty()
            && budget.depth.is_none()
            && budget.unwind.is_none()
            && !self.properties.contains(ViolationKind::Termination)
    }
}

fn new_store() -> ExactStore {
    let store = ExactStore::new(None);
    store.register(0);
    store
}

impl<'p> Lookup<'p> {
    /// Empty tables and the first vector; `None` if the program is not of the right kind.
    fn new(search: &mut Search<'p>, max_outcomes: usize) -> Option<(Self, Vec<u32>)> {
        let (parts, first) = CollapseTable::new(search.machine.program, search.machine.options.clone())?;
        let mut cache = TransitionCache::new(parts, max_outcomes);
        cache.meet(&first, &mut search.effects).ok()?;
        let (store, key, next) = (new_store(), Vec::new(), Vec::new());
        Some((Self { cache, store, key, next, n_steps: 0, polled: 0, is_claimed: false }, first))
    }

    fn bytes(&self, depth: u64) -> u64 {
        let per_entry = 256 + self.next.len() * 4 + self.cache.n_places() * 32;
        self.store.bytes() + self.cache.bytes() + depth * per_entry as u64
    }
}

impl<'p> CachedThreads<'_, 'p> {
    /// The first state.
    fn first(&mut self, first: Vec<u32>) -> Result<(Vector, StateId), Refused> {
        let transitions = self.transitions(&first, 1)?;
        self.lookup.next.clone_from(&first);
        Ok((Vector::new(first, transitions), self.store()?.id()))
    }

    /// Stores the next vector.
    fn store(&mut self) -> Result<Seen, Refused> {
        let Lookup { store, key, next, .. } = &mut *self.lookup;
        encode(next, key);
        let seen = store.insert_hashed(0, store.hash(key), key);
        store.quiescent_point(0);
        seen.map_err(|_| Refused("too many states"))
    }

    /// Puts the vector into `next` that an outcome leads to.
    fn apply(&mut self, from: &Vector) -> Result<(), Refused> {
        let Lookup { cache, next, .. } = &mut *self.lookup;
        let transition = cache.transition(from.running);
        let outcome = &transition.outcomes[from.outcome - 1];
        outcome.change.apply(&from.numbers, next);
        if !is_clean(cache, outcome, next) {
            return Err(Refused("something points to an object that ended"));
        }
        if transition.written_locks != 0 && breaks_lock(cache, next, from.thread, transition.written_locks) {
            return Err(Refused("a lock is written over"));
        }
        Ok(())
    }

    /// The next transitions of all threads.
    fn transitions(&mut self, vector: &[u32], n_threads: usize) -> Result<Vec<u32>, Refused> {
        let head = self.lookup.cache.head(vector);
        (0..n_threads).map(|thread| self.transition(vector, head, thread)).collect()
    }

    /// The next transition of a thread.
    fn transition(&mut self, vector: &[u32], head: u32, thread: usize) -> Result<u32, Refused> {
        let (search, cache) = (&mut *self.search, &mut self.lookup.cache);
        if cache.part(vector, thread).is_ended {
            return Ok(NONE);
        }
        if let Some(transition) = cache.find(vector, head, thread) {
            return Ok(transition);
        }
        let transition = cache.execute(vector, thread, &mut search.observer, &mut search.effects)?;
        if search.observer.is_lock_broken {
            return Err(Refused("a lock is written over"));
        }
        if cache.parts.n_threads(vector) > 1
            && !search.has_noted_threads
            && let Some(state) = cache.parts.state(vector, thread)
        {
            search.note_threads(&state);
        }
        Ok(transition)
    }

    /// The state shows a violation.
    fn claimed(&mut self) -> Entered<'p, Self> {
        self.lookup.is_claimed = true;
        Entered::Claimed(())
    }

    /// No thread can go on.
    fn nobody_moves(&mut self, transitions: &[u32]) -> Entered<'p, Self> {
        let search = &mut *self.search;
        search.findings.is_feasible = true;
        let waiting = || transitions.iter().filter(|transition| **transition != NONE);
        if waiting().next().is_some() && search.properties.contains(ViolationKind::Deadlock) {
            return self.claimed();
        }
        let sets = waiting().map(|transition| self.lookup.cache.transition(*transition).set);
        Entered::Over(sets.fold(EMPTY, |summary, set| search.effects.union(summary, set)))
    }
}

impl<'p> Threads<'p> for CachedThreads<'_, 'p> {
    type State = Vector;
    type Step = ();
    /// How many threads there were before.
    type Reached = usize;
    /// The thread and the values chosen on the way.
    type Move = (usize, Vec<u128>);
    type Claimed = ();

    fn n_states(&self) -> u64 {
        self.lookup.store.len()
    }

    fn search(&mut self) -> &mut Search<'p> {
        self.search
    }

    fn begin(&mut self, at: &mut Vector, thread: usize, _: bool) -> ((), LocksId) {
        (at.thread, at.running, at.outcome) = (thread, at.transitions[thread], 1);
        ((), self.lookup.cache.part(&at.numbers, thread).locks)
    }

    fn next_outcome(&mut self, at: &mut Vector) -> Option<()> {
        let is_left = at.running != NONE && at.outcome < self.lookup.cache.transition(at.running).outcomes.len();
        at.outcome += usize::from(is_left);
        is_left.then_some(())
    }

    fn advance(&mut self, from: &mut Vector, (): (), _: &Budget<'_>) -> Result<Advance<'p, Self>, Refused> {
        self.lookup.n_steps += 1;
        let transition = self.lookup.cache.transition(from.running);
        let step = StepEffects { effects: transition.effects.clone(), set: transition.set };
        let is_whole = transition.outcomes.len() == 1;
        match transition.outcomes[from.outcome - 1].after {
            After::Going => {}
            After::Over => {
                self.search.findings.is_feasible = true;
                return Ok(Advance::Over { step, summary: EMPTY, stuck: None });
            }
            After::Violated => return Ok(Advance::Claimed(())),
        }
        self.apply(from)?;
        if self.lookup.n_steps.is_multiple_of(AUDIT) {
            let (search, cache) = (&mut *self.search, &mut self.lookup.cache);
            let Vector { numbers, thread, running, .. } = from;
            if !cache.agrees(numbers, *thread, *running, &mut search.observer, &mut search.effects)? {
                debug_assert!(false, "a step should be what was written down");
                return Err(Refused("a step is not what was written down"));
            }
        }
        let reached = from.transitions.len();
        Ok(Advance::At(Arrival { reached, thread: from.thread, step, is_choice: false, is_whole }))
    }

    fn insert(&mut self, _: &Arrival<usize>, _: &Budget<'_>) -> Result<Option<Seen>, Refused> {
        self.store().map(Some)
    }

    fn enter(&mut self, n_before: usize, thread: usize) -> Result<Entered<'p, Self>, Refused> {
        let vector = self.lookup.next.clone();
        let n_threads = self.lookup.cache.parts.n_threads(&vector);
        if n_threads > self.search.max_threads {
            return Err(Refused("many threads"));
        }
        if self.search.properties.contains(ViolationKind::DataRace)
            && has_race(&self.lookup.cache, &vector, thread, n_before..n_threads)
        {
            return Ok(self.claimed());
        }
        let transitions = self.transitions(&vector, n_threads)?;
        let cache = &self.lookup.cache;
        let can_go = |transition: u32| transition != NONE && !cache.transition(transition).outcomes.is_empty();
        let mut enabled: Vec<usize> = (0..n_threads).filter(|thread| can_go(transitions[*thread])).collect();
        if enabled.is_empty() {
            return Ok(self.nobody_moves(&transitions));
        }
        let search = &mut *self.search;
        if search.properties.contains(ViolationKind::Deadlock) && cache.is_stuck(&vector, &transitions) {
            return Ok(self.claimed());
        }
        // As in `schedule.rs`.
        if let Some(at) = enabled.iter().position(|other| *other == thread) {
            enabled[..=at].rotate_right(1);
        }
        search.order.arrange(&mut enabled);
        let mut summary = EMPTY;
        let mut disabled = Vec::new();
        for (thread, transition) in transitions.iter().enumerate().filter(|(_, transition)| **transition != NONE) {
            let transition = cache.transition(*transition);
            if transition.outcomes.is_empty() {
                summary = search.effects.union(summary, transition.set);
                disabled.push((thread, transition.effects.clone()));
            }
        }
        let backtrack = BacktrackSet::first(enabled, n_threads, disabled);
        Ok(Entered::Threads(Vector::new(vector, transitions), backtrack, summary))
    }

    fn met_unfinished(&mut self, _: &mut Arrival<usize>, is_on_stack: bool) -> Option<Box<End>> {
        self.search.findings.is_feasible |= is_on_stack;
        None
    }

    fn leave(&mut self, _: Vector) {}

    fn last_move(&self, at: &Vector) -> (usize, Vec<u128>) {
        (at.thread, self.lookup.cache.transition(at.running).outcomes[at.outcome - 1].picks.clone())
    }

    fn confirm(&mut self, (): (), moves: &[(usize, Vec<u128>)]) -> Result<End, Refused> {
        let unconfirmed = Refused("a violation that the interpreter does not find");
        let machine = &self.lookup.cache.parts.machine;
        let (mut state, mut moved) = (machine.initial(), 0);
        for (at, (thread, picks)) in moves.iter().enumerate() {
            moved = *thread;
            if at > 0 {
                state.record_thread(moved);
            }
            match run_again(machine, &mut state, moved, picks) {
                Stop::Violated(violation) if at + 1 == moves.len() => return Ok(self.search.found(&state, violation)),
                Stop::Shared | Stop::ThreadEnded => {}
                _something_else => return Err(unconfirmed),
            }
        }
        match self.search.schedule(&state, moved, None, None) {
            Scheduled::Violated(violation) => Ok(self.search.found(&state, violation)),
            Scheduled::Threads(..) | Scheduled::Over => Err(unconfirmed),
        }
    }

    fn poll(&mut self, budget: &Budget<'_>) -> Result<Option<Box<End>>, Refused> {
        let (search, lookup) = (&mut *self.search, &mut *self.lookup);
        if lookup.n_steps - lookup.polled < POLL {
            return Ok(None);
        }
        lookup.polled = lookup.n_steps;
        let bytes = lookup.bytes(search.meter.depth) + search.bytes();
        search.meter.note_bytes(bytes);
        let limit = match search.pause() {
            Some(pause) => Some(pause),
            None if budget.memory_bytes.is_some_and(|limit| bytes > limit) => Some(Limit::Memory),
            None => search.ask(lookup.store.len(), bytes, budget),
        };
        if limit.is_none() && lookup.cache.n_runs > MANY_RUNS && lookup.cache.n_runs * 2 > lookup.n_steps {
            return Err(Refused("most steps are new"));
        }
        Ok(limit.map(|limit| Box::new(search.halt(limit))))
    }
}

/// Runs a step with these choices.
fn run_again(
    machine: &unpick_program::interp::Machine<'_>,
    state: &mut unpick_program::interp::State,
    thread: usize,
    picks: &[u128],
) -> Stop {
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
