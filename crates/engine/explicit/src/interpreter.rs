//! Threads on the interpreter: states are its own, and a step is run each time it is taken.
//!
//! A choice of a value in the middle of a step is a state as well: it is stored and its values are followed one after
//! the other, because inputs are chosen late and executions meet again while they are open.

use unpick_program::ViolationKind;
use unpick_program::interp::{Choice, Held, Refused, State, Violation};
use unpick_store::Seen;
use unpick_system::{Budget, Limit, Reduction, TURNS};

use crate::dfs::{Advance, Arrival, Entered, Threads};
use crate::dpor::{BacktrackSet, NextSteps, disabled};
use crate::effect::{EMPTY, LocksId, SetId, StepEffects};
use crate::loops::Loops;
use crate::macro_step::MacroStepEnd;
use crate::schedule::Scheduled;
use crate::search::{End, NODE_BYTES, Search};
use crate::superstep::Supersteps;

/// The interpreter, with all that a search keeps.
pub(crate) struct Interpreter<'s, 'p> {
    pub search: &'s mut Search<'p>,
    /// Bytes written for the state stored last: what has changed.
    n_written: u64,
}

/// A state at which executions part.
#[derive(Clone)]
pub(crate) struct Place {
    /// Kept as long as options may be left.
    state: Option<State>,
    /// The thread that ran last.
    thread: usize,
    loops: Loops,
    bytes: u64,
    /// In the middle of the thread's step.
    values: Option<Values>,
    /// What the threads would do next; nothing is known at first.
    next: NextSteps,
    /// Sequences of steps from here, if threads take several at once.
    pub supersteps: Option<Supersteps>,
}

/// The values of a choice. With `may_stand`, also that the thread makes no choice and stands still.
#[derive(Clone)]
struct Values {
    choice: Choice,
    first: u128,
    n_tried: u128,
    may_stand: bool,
    held: Vec<Held>,
}

/// A state and the thread that runs.
pub(crate) struct Path {
    pub state: State,
    pub thread: usize,
    /// The search was halted in the middle of a macro step, before the next instruction.
    is_resumed: bool,
    /// The thread stops before a value with too many possibilities.
    is_still: bool,
    /// The next steps of the threads when the running one was chosen.
    next: Option<NextSteps>,
    /// Locks the running thread held when it was chosen.
    pub held: Vec<Held>,
    /// The state before the thread was chosen, at the beginning of a superstep.
    before: Option<State>,
}

/// What a step has led to.
pub(crate) struct Reached {
    state: State,
    values: Option<Values>,
    enabled: Vec<usize>,
    next: NextSteps,
}

impl Place {
    /// The first state, with one thread that runs.
    pub(crate) fn first(state: State) -> Self {
        let (loops, next) = (Loops::default(), NextSteps::new());
        Self { state: Some(state), thread: 0, loops, bytes: 0, values: None, next, supersteps: None }
    }

    fn is_first(&self) -> bool {
        self.next.is_empty() && self.values.is_none()
    }

    fn take(&mut self, is_last: bool) -> (State, Loops) {
        let state = if is_last { self.state.take() } else { self.state.clone() };
        let loops = if is_last { std::mem::take(&mut self.loops) } else { self.loops.clone() };
        (state.expect("a choice with options left should have its state"), loops)
    }
}

impl<'s, 'p> Interpreter<'s, 'p> {
    pub(crate) fn new(search: &'s mut Search<'p>) -> Self {
        Self { search, n_written: 0 }
    }

    fn values(&mut self, choice: Choice, may_stand: bool, held: Vec<Held>) -> Values {
        let first = self.search.order.first_of(choice.n_options);
        Values { choice, first, n_tried: 0, may_stand, held }
    }

    /// The execution ends here, or is of no more interest.
    fn over(&mut self, path: &Path) -> Advance<'p, Self> {
        let (step, summary) = self.end_effects(path);
        Advance::Over { step, summary, stuck: None }
    }

    /// Effects of the last step, and of the threads that wait behind it.
    fn end_effects(&mut self, path: &Path) -> (StepEffects, SetId) {
        (self.search.step_effects(path), std::mem::replace(&mut self.search.end_summary, EMPTY))
    }

    /// No thread can go on that the search would follow.
    fn stuck(&mut self, path: Path) -> Advance<'p, Self> {
        let (step, summary) = self.end_effects(&path);
        let reached = Reached { state: path.state, values: None, enabled: Vec::new(), next: NextSteps::new() };
        let (thread, is_whole) = (path.thread, true);
        let stuck = Some(Arrival { reached, thread, step: step.clone(), is_choice: false, is_whole });
        Advance::Over { step, summary, stuck }
    }

    /// Executions part in the state that was reached.
    fn at(
        &mut self,
        path: Path,
        values: Option<Values>,
        enabled: Vec<usize>,
        next: NextSteps,
        budget: &Budget<'_>,
    ) -> Advance<'p, Self> {
        let search = &mut *self.search;
        if let Some(depth) = budget.depth.filter(|depth| search.meter.depth >= *depth) {
            search.doubt(search.limited(Limit::Depth(depth)));
            search.cut_off(&path.state, path.thread);
            return self.over(&path);
        }
        let step = search.step_effects(&path);
        let is_choice = values.is_some();
        let reached = Reached { state: path.state, values, enabled, next };
        Advance::At(Arrival { reached, thread: path.thread, step, is_choice, is_whole: !is_choice })
    }

    /// Something is wrong at the end of the path.
    fn violated(&mut self, path: &Path, violation: Violation) -> Advance<'p, Self> {
        let search = &mut *self.search;
        if !search.keeps_going {
            return Advance::Found(Box::new(search.found(&path.state, violation)));
        }
        let own_checks = [ViolationKind::Assertion, ViolationKind::ReachError, ViolationKind::Deadlock];
        let is_own_check = own_checks.contains(&violation.kind);
        search.note(&path.state, violation);
        // The thread stops at a violation, so the others have to be followed before it.
        match is_own_check {
            true => search.exited(&path.state, path.thread),
            false => search.cut_off(&path.state, path.thread),
        }
        self.over(path)
    }

    /// Runs the thread to the end of its macro step.
    fn run(&mut self, path: &mut Path, budget: &Budget<'_>) -> MacroStepEnd {
        let search = &mut *self.search;
        let macro_step = match path.is_still {
            true => MacroStepEnd::Schedule(Some(path.thread)),
            false => search.macro_step(&mut path.state, path.thread, path.is_resumed, budget),
        };
        match macro_step {
            MacroStepEnd::Cut { by_state } => search.cut_here(&path.state, path.thread, by_state),
            // The thread stands before what goes wrong, and others can still do what they do before it.
            MacroStepEnd::Violated(violation) if search.keeps_going && others_can_go(&path.state) => {
                search.note(&path.state, violation);
                search.cut_off(&path.state, path.thread);
                MacroStepEnd::Schedule(Some(path.thread))
            }
            macro_step => macro_step,
        }
    }

    /// Executions part here.
    fn note_branch(&mut self, reached: &Reached, thread: usize) {
        let search = &mut *self.search;
        match &reached.values {
            Some(values) if values.choice.n_options > 1 => {
                search.branches.note(&values.choice.label, values.choice.loc);
            }
            None if reached.enabled.len() > 1 => {
                let frames = reached.state.frames(search.machine.program, thread);
                let is_own = |function| !search.machine.program.functions[function].is_model;
                let own = frames.iter().rev().find(|frame| is_own(frame.function));
                search.branches.note(TURNS, own.map_or(unpick_program::Loc::NONE, |frame| frame.loc));
            }
            Some(_) | None => {}
        }
    }
}

impl<'p> Threads<'p> for Interpreter<'_, 'p> {
    type State = Place;
    type Step = Path;
    type Reached = Reached;
    type Move = ();
    type Claimed = std::convert::Infallible;

    fn n_states(&self) -> u64 {
        self.search.visited.len()
    }

    fn search(&mut self) -> &mut Search<'p> {
        self.search
    }

    fn begin(&mut self, at: &mut Place, thread: usize, is_last: bool) -> (Path, LocksId) {
        let is_first = at.is_first();
        let is_superstep = self.search.reduction == Reduction::Superstep && !is_first;
        if is_superstep {
            let next = &at.next;
            at.supersteps.get_or_insert_with(|| Supersteps::new(next)).begin(thread);
        }
        let next = Some(at.next.clone());
        let (mut state, loops) = at.take(is_last);
        let search = &mut *self.search;
        search.extra.clear();
        search.observer.footprint.clear();
        search.observer.loops = loops;
        search.observer.is_retry = false;
        let held = if search.reduction == Reduction::Dpor { state.held(thread).to_vec() } else { Vec::new() };
        let locks = search.effects.locks(&search.machine, &state, &held);
        let before = is_superstep.then(|| state.clone());
        if !is_first {
            state.record_thread(thread);
        }
        (Path { state, thread, is_resumed: false, is_still: false, next, held, before }, locks)
    }

    fn next_outcome(&mut self, at: &mut Place) -> Option<Path> {
        let values = at.values.as_mut()?;
        let is_value = values.n_tried < values.choice.n_options;
        if !is_value && !std::mem::take(&mut values.may_stand) {
            return None;
        }
        let pick = (values.first + values.n_tried) % values.choice.n_options.max(1);
        values.n_tried += u128::from(is_value);
        let is_last = values.n_tried == values.choice.n_options && !values.may_stand;
        let (choice, held) = (values.choice.clone(), values.held.clone());
        let (mut state, loops) = at.take(is_last);
        let (search, thread) = (&mut *self.search, at.thread);
        search.extra.clear();
        search.observer.footprint.clear();
        search.observer.loops = loops;
        if is_value {
            search.machine.pick(&mut state, &choice, pick);
            search.observer.is_retry = state.is_at_terminator(search.machine.program, thread);
        } else {
            search.observer.loops.cut(thread);
        }
        Some(Path { state, thread, is_resumed: false, is_still: !is_value, next: None, held, before: None })
    }

    fn advance(&mut self, from: &mut Place, mut path: Path, budget: &Budget<'_>) -> Result<Advance<'p, Self>, Refused> {
        if let Some(before) = path.before.take()
            && let Some((state, violation)) = self.search.race_between_supersteps(from, before)
        {
            if !self.search.keeps_going {
                return Ok(Advance::Found(Box::new(self.search.found(&state, violation))));
            }
            self.search.note(&state, violation);
        }
        loop {
            let (enabled, next) = match self.run(&mut path, budget) {
                MacroStepEnd::Value(choice) => {
                    let values = self.values(choice, false, path.held.clone());
                    return Ok(self.at(path, Some(values), Vec::new(), NextSteps::new(), budget));
                }
                MacroStepEnd::Samples(choice) => {
                    self.search.cut_off(&path.state, path.thread);
                    let values = self.values(choice, others_can_go(&path.state), path.held.clone());
                    return Ok(self.at(path, Some(values), Vec::new(), NextSteps::new(), budget));
                }
                MacroStepEnd::Schedule(without) => {
                    match self.search.schedule(&path.state, path.thread, path.next.take(), without) {
                        Scheduled::Threads(_, next)
                            if self.search.goes_on(from, &path, &next, without)
                                && self.search.race_found_early.is_none() =>
                        {
                            path.state.record_thread(path.thread);
                            path = Path { is_resumed: false, is_still: false, next: Some(next), ..path };
                            self.search.observer.footprint.clear();
                            continue;
                        }
                        Scheduled::Threads(enabled, next) => (enabled, next),
                        Scheduled::Over => return Ok(self.stuck(path)),
                        Scheduled::Violated(violation) => return Ok(self.violated(&path, violation)),
                    }
                }
                MacroStepEnd::Over | MacroStepEnd::Cut { .. } => return Ok(self.over(&path)),
                MacroStepEnd::Violated(violation) => return Ok(self.violated(&path, violation)),
                MacroStepEnd::Halted(limit) => {
                    return Ok(Advance::Halted(Path { is_resumed: true, ..path }, limit));
                }
            };
            return Ok(self.at(path, None, enabled, next, budget));
        }
    }

    fn insert(&mut self, arrival: &Arrival<Reached>, budget: &Budget<'_>) -> Result<Option<Seen>, Refused> {
        let n_before = self.search.visited.n_key_bytes;
        let running = arrival.is_choice.then_some(arrival.thread);
        let seen = self.search.insert(&arrival.reached.state, running, budget);
        self.n_written = self.search.visited.n_key_bytes - n_before;
        Ok(seen)
    }

    fn enter(&mut self, reached: Reached, thread: usize) -> Result<Entered<'p, Self>, Refused> {
        self.note_branch(&reached, thread);
        let search = &mut *self.search;
        // States share what they have in common; what was written for the key is what has changed.
        let bytes = NODE_BYTES + 2 * self.n_written;
        search.meter.waiting_bytes += bytes;
        let Reached { state, values, enabled, next } = reached;
        let (n_threads, is_choice) = (next.len(), values.is_some());
        let mut summary = EMPTY;
        let backtrack = match search.reduction {
            Reduction::Dpor if !is_choice => {
                let (waiting, set) = disabled(&enabled, &next, &mut search.effects, &search.machine, &state);
                summary = set;
                BacktrackSet::first(enabled, n_threads, waiting)
            }
            _all_are_followed => BacktrackSet::all(enabled, n_threads),
        };
        let loops = search.observer.loops.clone();
        let at = Place { state: Some(state), thread, loops, bytes, values, next, supersteps: None };
        Ok(if is_choice { Entered::Choice(at) } else { Entered::Threads(at, backtrack, summary) })
    }

    fn met_unfinished(&mut self, arrival: &mut Arrival<Reached>, is_on_stack: bool) -> Option<Box<End>> {
        let (search, state) = (&mut *self.search, &arrival.reached.state);
        if is_on_stack && let MacroStepEnd::Violated(violation) = search.repeated(state, arrival.thread, None) {
            return Some(Box::new(search.found(state, violation)));
        }
        if arrival.is_choice && search.reduction == Reduction::Dpor {
            let mut effects = arrival.step.effects.to_vec();
            effects.push(search.effects.total(state, arrival.thread));
            arrival.step = search.effects.step(effects);
        }
        None
    }

    fn leave(&mut self, at: Place) {
        self.search.meter.waiting_bytes -= at.bytes;
        #[cfg(test)]
        if let Some(supersteps) = &at.supersteps {
            let is_enabled = |thread: &usize| at.next[*thread].as_ref().is_some_and(|next| next.pending.is_enabled);
            let enabled = (0..at.next.len()).filter(is_enabled);
            self.search.lengths = enabled.map(|thread| (thread, supersteps.len(thread))).collect();
        }
    }

    fn last_move(&self, _: &Place) {}

    fn confirm(&mut self, claimed: std::convert::Infallible, _: &[()]) -> Result<End, Refused> {
        match claimed {}
    }

    fn poll(&mut self, budget: &Budget<'_>) -> Result<Option<Box<End>>, Refused> {
        let search = &mut *self.search;
        let limit = search.poll(budget);
        if let Some((state, violation)) = search.race_found_early.take() {
            if !search.keeps_going {
                return Ok(Some(Box::new(search.found(&state, violation))));
            }
            search.note(&state, violation);
        }
        match limit {
            Some(limit) => Ok(Some(Box::new(search.halt(limit)))),
            None if search.is_large() => Err(Refused("the search is large")),
            None => Ok(None),
        }
    }
}

/// Whether threads besides the running one can move.
pub(crate) fn others_can_go(state: &State) -> bool {
    state.n_live_threads() > 1 && state.atomic_thread().is_none()
}
