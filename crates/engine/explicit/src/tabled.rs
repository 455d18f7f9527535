//! The search over steps that are written down: the same search as in `search.rs` with the dynamic partial-order
//! reduction, on vectors of small numbers instead of states.
//!
//! Large searches do the same steps again and again. So when a search has become large, it starts over here, where a
//! step is run on the interpreter once for everything it depends on and looked up from then on (see `steps.rs`). What
//! is not followed here, for whatever reason, is left to the search that was interrupted. A violation is run from the
//! beginning on the interpreter before anybody hears of it; now and then a step that is written down is run again and
//! compared.

mod race;
mod steps;

use unpick_ir::ViolationKind;
use unpick_ir::interp::{CollapseTable, Refused, State, Stop, Until};
use unpick_store::{ExactStore, Seen, StateId, StateStore};
use unpick_system::{Budget, Limit, Snapshot};

use crate::crossroads::Crossroads;
use crate::effect::{EMPTY, SetId};
use crate::known::{Known, Status};
use crate::schedule::Scheduled;
use crate::search::{End, Search, next_thread};
use steps::{After, NONE, Outcome, Steps};
use unpick_system::Reduction;

/// Searches of this many states are large.
pub(crate) const LARGE: u64 = 8_000;
/// Every so many steps one that is written down is run again.
const AUDIT: u64 = if cfg!(debug_assertions) { 3 } else { 1 << 14 };
/// Steps between two polls.
const POLL: u64 = 4_096;
/// When so many steps have been run, half should be known.
const MANY_RUNS: u64 = 200_000;

/// Whether steps are written down.
pub(crate) enum Table<'p> {
    /// Once the search has so many states.
    After(u64),
    /// They are.
    Running(Box<Tabled<'p>>),
    /// That is not possible.
    Refused,
}

/// Where the search stands.
pub(crate) struct Tabled<'p> {
    steps: Steps<'p>,
    store: ExactStore,
    known: Known,
    stack: Vec<Spot>,
    key: Vec<u8>,
    /// The vector that a step leads to.
    next: Vec<u32>,
    is_begun: bool,
    first: Vec<u32>,
    n_steps: u64,
    polled: u64,
}

/// A state on the stack.
struct Spot {
    vector: Vec<u32>,
    /// What each thread would do; [`NONE`] if it has ended.
    leaves: Vec<u32>,
    crossroads: Crossroads,
    id: StateId,
    /// The step that led here.
    incoming: u32,
    behind: SetId,
    index: u32,
    low: u32,
    /// The step that is being followed, and its next outcome.
    thread: usize,
    running: u32,
    outcome: usize,
}

/// Why the search leaves its loop.
enum Leave {
    Ended(Box<End>),
    Refused(Refused),
}

impl From<Refused> for Leave {
    fn from(refused: Refused) -> Self {
        Leave::Refused(refused)
    }
}

impl Tabled<'_> {
    pub(crate) fn n_states(&self) -> u64 {
        self.store.len()
    }

    fn bytes(&self) -> u64 {
        let per_spot = 256 + self.stack.last().map_or(0, |spot| spot.vector.len() * 4 + spot.leaves.len() * 32);
        self.store.bytes() + self.known.bytes() + self.steps.bytes() + (self.stack.len() * per_spot) as u64
    }
}

impl<'p> Search<'p> {
    /// Goes on over steps that are written down, if the search is large enough and of the right kind. `None` if the
    /// search that was interrupted has to go on.
    pub(crate) fn explore_tabled(&mut self, budget: &Budget<'_>) -> Option<End> {
        let mut tabled = match std::mem::replace(&mut self.table, Table::Refused) {
            Table::Running(tabled) => tabled,
            Table::Refused => return None,
            Table::After(_) if !self.may_be_tabled(budget) => return None,
            Table::After(_) => {
                let options = self.machine.options.clone();
                let (parts, first) = CollapseTable::new(self.machine.program, options)?;
                let store = ExactStore::new(None);
                store.register(0);
                Box::new(Tabled {
                    steps: Steps::new(parts),
                    store,
                    known: Known::default(),
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
        let loops = std::mem::take(&mut self.watch.loops);
        let is_lock_broken = self.watch.is_lock_broken;
        match self.follow_table(&mut tabled, budget) {
            Leave::Ended(end) => {
                self.table = Table::Running(tabled);
                Some(*end)
            }
            Leave::Refused(refused) => {
                (self.watch.loops, self.watch.is_lock_broken) = (loops, is_lock_broken);
                self.watch.footprint.clear();
                budget.control.milestone(&format!("steps are not written down: {}", refused.0));
                None
            }
        }
    }

    fn may_be_tabled(&self, budget: &Budget<'_>) -> bool {
        self.reduction == Reduction::Dpor
            && !self.keeps_going
            && !self.alone_too
            && self.matching.is_exact()
            && self.ledger.is_empty()
            && budget.depth.is_none()
            && budget.unwind.is_none()
            && !self.properties.contains(ViolationKind::Termination)
    }

    fn follow_table(&mut self, tabled: &mut Tabled<'p>, budget: &Budget<'_>) -> Leave {
        if !tabled.is_begun {
            tabled.is_begun = true;
            let first = tabled.first.clone();
            if let Err(refused) = tabled.steps.meet(&first, &mut self.effects) {
                return Leave::Refused(refused);
            }
            tabled.next = first;
            if let Err(leave) = self.come_to(tabled, NONE, 0, false) {
                return leave;
            }
        }
        loop {
            if tabled.n_steps - tabled.polled >= POLL {
                tabled.polled = tabled.n_steps;
                if let Some(limit) = self.poll_table(tabled, budget) {
                    return Leave::Ended(Box::new(self.halt(limit)));
                }
                if tabled.steps.n_runs > MANY_RUNS && tabled.steps.n_runs * 2 > tabled.n_steps {
                    return Leave::Refused(Refused("most steps are new"));
                }
            }
            if let Err(leave) = self.next_outcome(tabled) {
                return leave;
            }
            if tabled.stack.is_empty() {
                return Leave::Ended(Box::new(self.finish()));
            }
        }
    }

    fn poll_table(&mut self, tabled: &Tabled<'p>, budget: &Budget<'_>) -> Option<Limit> {
        if let Some(pause) = self.pause() {
            return Some(pause);
        }
        let bytes = tabled.bytes() + self.bytes();
        self.note_bytes(bytes);
        if budget.memory_bytes.is_some_and(|limit| bytes > limit) {
            return Some(Limit::Memory);
        }
        let snapshot = Snapshot {
            phase: "exploring",
            states: tabled.store.len(),
            transitions: self.n_transitions(),
            depth: tabled.stack.len() as u64,
            bytes,
        };
        budget.control.poll(&snapshot).map(Limit::from)
    }

    /// Follows one more outcome of the innermost state, or leaves it.
    fn next_outcome(&mut self, tabled: &mut Tabled<'p>) -> Result<(), Leave> {
        let Some(spot) = tabled.stack.last_mut() else { return Ok(()) };
        if spot.running == NONE || spot.outcome >= tabled.steps.leaf(spot.running).outcomes.len() {
            let is_open = spot.low < spot.index;
            let Some(thread) = next_thread(&mut spot.crossroads, &mut self.effects, spot.behind, is_open) else {
                self.leave(tabled);
                return Ok(());
            };
            spot.crossroads.set_held(tabled.steps.part(&spot.vector, thread).locks);
            (spot.thread, spot.running, spot.outcome) = (thread, spot.leaves[thread], 0);
        }
        let (thread, running) = (spot.thread, spot.running);
        let leaf = tabled.steps.leaf(running);
        let outcome = &leaf.outcomes[spot.outcome];
        spot.outcome += 1;
        tabled.n_steps += 1;
        self.count_transition();
        match outcome.after {
            After::Going => {}
            After::Over => {
                self.is_feasible = true;
                self.count_execution();
                self.settle_step(tabled, running, EMPTY, u32::MAX);
                return Ok(());
            }
            After::Violated => return Err(self.violated_here(tabled)),
        }
        let next = &mut tabled.next;
        outcome.change.apply(&spot.vector, next);
        if !is_clean(&tabled.steps, outcome, next) {
            return Err(Leave::Refused(Refused("something points to an object that ended")));
        }
        if leaf.written_locks != 0 && breaks_lock(&tabled.steps, next, thread, leaf.written_locks) {
            return Err(Leave::Refused(Refused("a lock is written over")));
        }
        if tabled.n_steps.is_multiple_of(AUDIT) {
            let vector = spot.vector.clone();
            if !tabled.steps.agrees(&vector, thread, running, &mut self.watch, &mut self.effects)? {
                debug_assert!(false, "a step should be what was written down");
                return Err(Leave::Refused(Refused("a step is not what was written down")));
            }
        }
        let is_whole = tabled.steps.leaf(running).outcomes.len() == 1;
        self.come_to(tabled, running, thread, is_whole)
    }

    /// The search comes to a state by a step of a thread.
    fn come_to(&mut self, tabled: &mut Tabled<'p>, incoming: u32, thread: usize, is_whole: bool) -> Result<(), Leave> {
        encode(&tabled.next, &mut tabled.key);
        let hash = tabled.store.hash(&tabled.key);
        let seen = tabled.store.insert_hashed(0, hash, &tabled.key);
        tabled.store.quiescent_point(0);
        match seen {
            Ok(Seen::Fresh(id)) => self.new_state(tabled, id, incoming, thread),
            Ok(Seen::Known(id)) => {
                self.meet_again(tabled, id, incoming, is_whole);
                Ok(())
            }
            Err(_) => Err(Leave::Refused(Refused("too many states"))),
        }
    }

    /// A state that nobody has seen yet.
    fn new_state(&mut self, tabled: &mut Tabled<'p>, id: StateId, incoming: u32, thread: usize) -> Result<(), Leave> {
        let vector = tabled.next.clone();
        let n_threads = tabled.steps.parts.n_threads(&vector);
        if n_threads > self.max_threads {
            return Err(Leave::Refused(Refused("many threads")));
        }
        let n_before = tabled.stack.last().map_or(0, |spot| spot.leaves.len());
        if self.properties.contains(ViolationKind::DataRace)
            && has_race(&tabled.steps, &vector, thread, n_before..n_threads)
        {
            return Err(self.violated_here(tabled));
        }
        let leaves = self.leaves(tabled, &vector, n_threads)?;
        let can_go = |leaf: u32| leaf != NONE && !tabled.steps.leaf(leaf).outcomes.is_empty();
        let mut enabled: Vec<usize> = (0..n_threads).filter(|thread| can_go(leaves[*thread])).collect();
        if enabled.is_empty() {
            return self.nobody_moves(tabled, &leaves, id, incoming);
        }
        if self.properties.contains(ViolationKind::Deadlock) && tabled.steps.is_stuck(&vector, &leaves) {
            return Err(self.violated_here(tabled));
        }
        // As in `schedule.rs`.
        if let Some(at) = enabled.iter().position(|other| *other == thread) {
            enabled[..=at].rotate_right(1);
        }
        self.order.arrange(&mut enabled);
        self.enter(tabled, vector, leaves, enabled, id, incoming);
        Ok(())
    }

    /// What each thread would do.
    fn leaves(&mut self, tabled: &mut Tabled<'p>, vector: &[u32], n_threads: usize) -> Result<Vec<u32>, Leave> {
        let head = tabled.steps.head(vector);
        let mut leaves = Vec::with_capacity(n_threads);
        for thread in 0..n_threads {
            if tabled.steps.part(vector, thread).is_ended {
                leaves.push(NONE);
                continue;
            }
            let leaf = match tabled.steps.find(vector, head, thread) {
                Some(leaf) => leaf,
                None => {
                    let leaf = tabled.steps.learn(vector, thread, &mut self.watch, &mut self.effects)?;
                    if self.watch.is_lock_broken {
                        return Err(Leave::Refused(Refused("a lock is written over")));
                    }
                    if n_threads > 1
                        && !self.has_noted_threads
                        && let Some(state) = tabled.steps.parts.state(vector, thread)
                    {
                        self.note_threads(&state);
                    }
                    leaf
                }
            };
            leaves.push(leaf);
        }
        Ok(leaves)
    }

    /// No thread can go on.
    fn nobody_moves(
        &mut self,
        tabled: &mut Tabled<'p>,
        leaves: &[u32],
        id: StateId,
        incoming: u32,
    ) -> Result<(), Leave> {
        self.is_feasible = true;
        let is_stuck = leaves.iter().any(|leaf| *leaf != NONE);
        if is_stuck && self.properties.contains(ViolationKind::Deadlock) {
            return Err(self.violated_here(tabled));
        }
        let mut behind = EMPTY;
        for leaf in leaves.iter().filter(|leaf| **leaf != NONE) {
            behind = self.effects.union(behind, tabled.steps.leaf(*leaf).set);
        }
        let index = tabled.known.enter(id);
        tabled.known.leave(id, index, index, behind, EMPTY);
        self.count_execution();
        self.settle_step(tabled, incoming, behind, u32::MAX);
        Ok(())
    }

    /// A state that is new goes on the stack.
    fn enter(
        &mut self,
        tabled: &mut Tabled<'p>,
        vector: Vec<u32>,
        leaves: Vec<u32>,
        enabled: Vec<usize>,
        id: StateId,
        incoming: u32,
    ) {
        let index = tabled.known.enter(id);
        let mut behind = EMPTY;
        let mut disabled = Vec::new();
        for (thread, leaf) in leaves.iter().enumerate().filter(|(_, leaf)| **leaf != NONE) {
            let leaf = tabled.steps.leaf(*leaf);
            if leaf.outcomes.is_empty() {
                behind = self.effects.union(behind, leaf.set);
                disabled.push((thread, leaf.effects.clone()));
            }
        }
        let crossroads = Crossroads::first(enabled, leaves.len(), disabled);
        let (low, running) = (index, NONE);
        let (thread, outcome) = (0, 0);
        let spot = Spot { vector, leaves, crossroads, id, incoming, behind, index, low, thread, running, outcome };
        tabled.stack.push(spot);
        self.note_depth(tabled.stack.len() as u64);
    }

    /// A state that is stored already.
    fn meet_again(&mut self, tabled: &mut Tabled<'p>, id: StateId, incoming: u32, is_whole: bool) {
        self.count_execution();
        match tabled.known.get(id) {
            Status::Left { behind, .. } => self.settle_step(tabled, incoming, behind, u32::MAX),
            Status::Open { index } => self.settle_step(tabled, incoming, EMPTY, index),
            Status::OnStack { index } => {
                self.is_feasible = true;
                let is_self = is_whole && tabled.stack.last().is_some_and(|spot| spot.index == index);
                if !is_self {
                    self.settle_step(tabled, incoming, EMPTY, index);
                    return;
                }
                let leaf = tabled.steps.leaf(incoming);
                let spot = tabled.stack.last_mut().expect("the state should be on the stack");
                spot.behind = self.effects.union(spot.behind, leaf.set);
                spot.crossroads.step_was_idle(&mut self.effects, leaf.effects.clone());
            }
        }
    }

    /// Leaves the innermost state.
    fn leave(&mut self, tabled: &mut Tabled<'p>) {
        let Some(spot) = tabled.stack.pop() else { return };
        tabled.known.leave(spot.id, spot.index, spot.low, spot.behind, EMPTY);
        let low = if spot.low < spot.index { spot.low } else { u32::MAX };
        self.settle_step(tabled, spot.incoming, spot.behind, low);
    }

    /// The step that the innermost state took leads to something with these effects behind it.
    fn settle_step(&mut self, tabled: &mut Tabled<'p>, incoming: u32, behind: SetId, low: u32) {
        let Some(spot) = tabled.stack.last_mut() else { return };
        let leaf = tabled.steps.leaf(incoming);
        spot.low = spot.low.min(low);
        let all = self.effects.union(leaf.set, behind);
        spot.behind = self.effects.union(spot.behind, all);
        spot.crossroads.step_done(&mut self.effects, leaf.effects.clone(), behind);
    }

    // ---- violations ----

    /// Something is wrong behind the step that the innermost state takes: runs the execution from the beginning.
    fn violated_here(&mut self, tabled: &Tabled<'p>) -> Leave {
        match self.rerun(tabled) {
            Some(end) => Leave::Ended(Box::new(end)),
            None => Leave::Refused(Refused("a violation that the interpreter does not find")),
        }
    }

    fn rerun(&mut self, tabled: &Tabled<'p>) -> Option<End> {
        let machine = &tabled.steps.parts.machine;
        let mut state = machine.initial();
        let mut moved = 0;
        for (at, spot) in tabled.stack.iter().enumerate() {
            moved = spot.thread;
            let outcome = &tabled.steps.leaf(spot.running).outcomes[spot.outcome - 1];
            if at > 0 {
                state.record_thread(spot.thread);
            }
            let stop = run_again(machine, &mut state, spot.thread, &outcome.picks);
            let is_last = at + 1 == tabled.stack.len();
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
fn run_again(machine: &unpick_ir::interp::Machine<'_>, state: &mut State, thread: usize, picks: &[u128]) -> Stop {
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

/// Whether nothing points to what has ended.
fn is_clean(steps: &Steps<'_>, outcome: &Outcome, next: &[u32]) -> bool {
    let ended = outcome.change.ended;
    ended == 0
        || next.iter().enumerate().all(|(place, number)| steps.parts.mentions(place as u32, *number) & ended == 0)
}

/// Whether a step writes over a lock that another thread holds alone.
fn breaks_lock(steps: &Steps<'_>, next: &[u32], thread: usize, written: u64) -> bool {
    (0..steps.parts.n_threads(next)).any(|other| other != thread && steps.part(next, other).held & written != 0)
}

/// Whether the thread that has moved, or one that is new, is about to touch the same memory as another one.
fn has_race(steps: &Steps<'_>, vector: &[u32], moved: usize, new: std::ops::Range<usize>) -> bool {
    let n_threads = new.end;
    std::iter::once(moved).chain(new).any(|one| {
        let access = steps.part(vector, one).access;
        let races = |other: usize| other != one && steps.accesses.race(access, steps.part(vector, other).access);
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
