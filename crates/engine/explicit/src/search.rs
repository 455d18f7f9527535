//! Stateful depth-first search over the nondeterministic choices of a program: scheduling and values.

use unpick_program::interp::{Choice, Held, Machine, State, Violation};
use unpick_program::{Loc, ViolationKind};
use unpick_store::{Seen, StateId, StateStore};
use unpick_system::{
    Bound, Budget, Coverage, Ledger, Limit, ProgramRun, PropertySet, Reason, Reduction, Site, Snapshot, Stats, TURNS,
    Why,
};

use crate::branches::Branches;
use crate::dpor::{BacktrackSet, NextSteps};
use crate::effect::{EMPTY, EffectId, Effects, SetId};
use crate::findings::Findings;
use crate::loops::Loops;
use crate::macro_step::MacroStepEnd;
use crate::matching;
use crate::meter::Meter;
use crate::observer::SearchObserver;
use crate::order::Order;
use crate::scc_summaries::{SccSummaries, Status};
use crate::schedule::Scheduled;
use crate::transition_cache::{self, Caching};
use crate::visited::Visited;

/// What a node of the stack takes besides what its state shares with others, estimated.
const NODE_BYTES: u64 = 1024;

/// A search and where it stands.
pub(crate) struct Search<'p> {
    pub machine: Machine<'p>,
    pub properties: PropertySet,
    pub reduction: Reduction,
    pub visited: Visited,
    /// Choices on the way to the current state, outermost first.
    pub stack: Vec<Node>,
    /// The state to go on from; else the next option of the innermost choice.
    path: Option<Path>,
    pub observer: SearchObserver<'p>,
    pub findings: Findings,
    pub meter: Meter,
    pub effects: Effects,
    /// Status and summary of each stored state.
    summaries: SccSummaries,
    /// The current macro step has reached the end of the program.
    pub has_ended: bool,
    /// The current macro step violates an assumption.
    pub is_dropped: bool,
    /// Threads may switch, and states are looked at, also while there is only one.
    pub alone_too: bool,
    /// Look for more after a violation.
    pub keeps_going: bool,
    /// Branching statistics.
    branches: Branches,
    /// What is tried first.
    pub order: Order,
    /// A race between supersteps.
    pub race_found_early: Option<(State, Violation)>,
    /// Lengths of the supersteps from the first state, by thread.
    #[cfg(test)]
    pub lengths: Vec<(usize, usize)>,
    /// Bounds that have been searched completely.
    pub bounds: Vec<Bound>,
    /// Effects of threads that wait where the execution ends.
    pub end_summary: SetId,
    /// Whether steps are cached.
    pub caching: Caching<'p>,
    /// Effects of the current macro step besides its footprint.
    pub extra: Vec<EffectId>,
    /// More threads at once are not followed.
    pub max_threads: usize,
    /// The verdict is known to rest on sequential consistency.
    pub has_noted_threads: bool,
}

/// A state and the thread that runs.
pub(crate) struct Path {
    pub state: State,
    pub thread: usize,
    /// The search was halted in the middle of a macro step, before the next instruction.
    pub is_resumed: bool,
    /// The thread stops before a value with too many possibilities.
    pub is_still: bool,
    /// The next steps of the threads when the running one was chosen.
    pub next: Option<NextSteps>,
    /// Locks the running thread held when it was chosen.
    pub held: Vec<Held>,
    /// The state before the thread was chosen, at the beginning of a superstep.
    pub before: Option<State>,
}

/// A choice with options left.
pub(crate) struct Node {
    /// The state at the choice; kept as long as options may be left.
    pub state: Option<State>,
    pub thread: usize,
    pub options: Options,
    pub loops: Loops,
    pub id: StateId,
    pub bytes: u64,
    /// Effects of the step that led here.
    pub incoming: Vec<EffectId>,
    /// The summary of the subtree so far.
    pub summary: SetId,
    /// Effects of the rest of the step that this choice interrupts.
    pub rest: SetId,
    /// Its number in the order in which states came on the stack.
    pub index: u32,
    /// The least number of a state that can be reached from here and is not finished.
    pub low: u32,
}

/// What is chosen at a node.
pub(crate) enum Options {
    /// With `may_stand`, also that the thread makes no choice and stands still.
    Value {
        choice: Choice,
        first: u128,
        n_tried: u128,
        may_stand: bool,
        held: Vec<Held>,
    },
    Schedule(BacktrackSet),
}

/// How a call of [`Search::explore`] ended.
pub(crate) enum End {
    /// Everything has been followed, but for what the ledger says.
    Finished(Ledger),
    /// The budget is used up; exploring again goes on.
    Halted(Why),
    /// A violation.
    Found(ProgramRun),
}

impl<'p> Search<'p> {
    pub(crate) fn new(
        machine: Machine<'p>,
        properties: PropertySet,
        reduction: Reduction,
        max_threads: usize,
        store: Box<dyn StateStore>,
    ) -> Self {
        let state = machine.initial();
        let visited = Visited::new(store, &machine, &state);
        let (next, held, before) = (None, Vec::new(), None);
        let path = Some(Path { state, thread: 0, is_resumed: false, is_still: false, next, held, before });
        Self {
            observer: SearchObserver::new(machine.program, machine.has_threads()),
            effects: Effects::new(properties.contains(ViolationKind::Leak)),
            machine,
            properties,
            reduction,
            visited,
            findings: Findings::default(),
            meter: Meter::new(),
            stack: Vec::new(),
            path,
            summaries: SccSummaries::default(),
            has_ended: false,
            is_dropped: false,
            alone_too: false,
            keeps_going: false,
            branches: Branches::default(),
            order: Order::new(None),
            race_found_early: None,
            #[cfg(test)]
            lengths: Vec::new(),
            bounds: Vec::new(),
            end_summary: EMPTY,
            caching: Caching::After(transition_cache::LARGE),
            extra: Vec::new(),
            max_threads,
            has_noted_threads: false,
        }
    }

    /// Searches until everything is settled or the budget ends.
    pub(crate) fn explore(&mut self, budget: &Budget<'_>) -> End {
        loop {
            if self.is_large()
                && let Some(end) = self.explore_cached(budget)
            {
                return end;
            }
            let Some(mut path) = self.path.take().or_else(|| self.next_option()) else { return self.finish() };
            if let Some(before) = path.before.take()
                && let Some((state, violation)) = self.race_between_supersteps(before)
            {
                if !self.keeps_going {
                    return self.found(&state, violation);
                }
                self.note(&state, violation);
            }
            let macro_step = match path.is_still {
                true => MacroStepEnd::Schedule(Some(path.thread)),
                false => self.macro_step(&mut path.state, path.thread, path.is_resumed, budget),
            };
            let macro_step = match macro_step {
                MacroStepEnd::Cut { by_state } => self.cut_here(&path.state, path.thread, by_state),
                // The thread stands before what goes wrong, and others can still do what they do before it.
                MacroStepEnd::Violated(violation) if self.keeps_going && others_can_go(&path.state) => {
                    self.note(&path.state, violation);
                    self.cut_off(&path.state, path.thread);
                    MacroStepEnd::Schedule(Some(path.thread))
                }
                macro_step => macro_step,
            };
            let end = match macro_step {
                MacroStepEnd::Value(choice) => {
                    let options = self.values(choice, false, &path);
                    self.branch(path, options, budget)
                }
                MacroStepEnd::Samples(choice) => {
                    self.cut_off(&path.state, path.thread);
                    let options = self.values(choice, others_can_go(&path.state), &path);
                    self.branch(path, options, budget)
                }
                MacroStepEnd::Schedule(without) => {
                    match self.schedule(&path.state, path.thread, path.next.take(), without) {
                        Scheduled::Threads(_, next)
                            if self.goes_on(&path, &next, without) && self.race_found_early.is_none() =>
                        {
                            path.state.record_thread(path.thread);
                            self.path = Some(Path { is_resumed: false, is_still: false, next: Some(next), ..path });
                            self.observer.footprint.clear();
                            None
                        }
                        Scheduled::Threads(enabled, next) => {
                            self.branch(path, Options::Schedule(BacktrackSet::all(enabled, next)), budget)
                        }
                        Scheduled::Over => self.over(&path, budget),
                        Scheduled::Violated(violation) => self.violated(&path, violation, budget),
                    }
                }
                MacroStepEnd::Over | MacroStepEnd::Cut { .. } => self.over(&path, budget),
                MacroStepEnd::Violated(violation) => self.violated(&path, violation, budget),
                MacroStepEnd::Halted(limit) => {
                    self.path = Some(Path { is_resumed: true, ..path });
                    Some(self.halt(limit))
                }
            };
            if let Some((state, violation)) = self.race_found_early.take() {
                if !self.keeps_going {
                    return self.found(&state, violation);
                }
                self.note(&state, violation);
            }
            if let Some(end) = end {
                return end;
            }
        }
    }

    fn values(&mut self, choice: Choice, may_stand: bool, path: &Path) -> Options {
        let first = self.order.first_of(choice.n_options);
        Options::Value { choice, first, n_tried: 0, may_stand, held: path.held.clone() }
    }

    /// Whether the search is large enough for the transition cache.
    fn is_large(&self) -> bool {
        match &self.caching {
            Caching::After(n_states) => self.visited.len() >= *n_states,
            Caching::Running(_) => true,
            Caching::Refused => false,
        }
    }

    /// The execution ends here, or is of no more interest.
    fn over(&mut self, path: &Path, budget: &Budget<'_>) -> Option<End> {
        self.meter.stats.executions += 1;
        let incoming = self.step_effects(path);
        let summary = std::mem::replace(&mut self.end_summary, EMPTY);
        self.step_done(incoming, summary, EMPTY, u32::MAX);
        self.poll(budget).map(|limit| self.halt(limit))
    }

    pub(crate) fn stats(&self) -> Stats {
        let states = match &self.caching {
            Caching::Running(cached) => cached.n_states(),
            Caching::After(_) | Caching::Refused => self.visited.len(),
        };
        Stats { states, instructions: self.observer.n_instructions, ..self.meter.stats }
    }

    pub(crate) fn notes(&self) -> &[String] {
        &self.observer.notes
    }

    pub(crate) fn coverage(&self) -> Coverage {
        self.observer.coverage()
    }

    /// Instructions and written keys.
    fn basic_work(&self) -> u64 {
        self.observer.n_instructions + self.visited.n_key_bytes / 8
    }

    /// What has been done so far, whatever the time.
    pub(crate) fn done(&self) -> u64 {
        self.meter.done(self.basic_work())
    }

    /// Whether it is time for a pause.
    pub(crate) fn pause(&mut self) -> Option<Limit> {
        let basic = self.basic_work();
        self.meter.pauses(basic).then_some(Limit::Time)
    }

    /// Polls, now and then, whether to go on.
    pub(crate) fn poll(&mut self, budget: &Budget<'_>) -> Option<Limit> {
        self.findings.tell(budget);
        if let Some(pause) = self.pause() {
            return Some(pause);
        }
        let basic = self.basic_work();
        if !self.meter.is_poll_due(basic) && !budget.control.is_urgent() {
            return None;
        }
        self.meter.polled(basic);
        let snapshot = Snapshot {
            phase: "exploring",
            states: self.visited.len(),
            transitions: self.meter.stats.transitions,
            depth: self.stack.len() as u64,
            bytes: self.bytes(),
        };
        budget.control.poll(&snapshot).map(Limit::from)
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.visited.bytes() + self.meter.waiting_bytes + self.summaries.bytes() + self.effects.bytes()
    }

    pub(crate) fn n_states(&self) -> u64 {
        self.visited.len()
    }

    /// So many states wait to be followed. They share what they have in common, so this is an estimate.
    pub(crate) fn hold_states(&mut self, n_states: usize) {
        self.meter.waiting_bytes = n_states as u64 * (2 * NODE_BYTES + self.visited.key_len());
    }

    /// Stores a state, in the middle of a thread's step if one is given; `None` if there is no room.
    pub(crate) fn insert(&mut self, state: &State, running: Option<usize>, budget: &Budget<'_>) -> Option<Seen> {
        if budget.memory_bytes.is_some_and(|limit| self.bytes() > limit) {
            return None;
        }
        let seen = self.visited.insert(&self.machine, state, running, self.observer.loops.cut_threads());
        let bytes = self.bytes();
        self.meter.note_bytes(bytes);
        seen
    }

    /// Takes the next option of the innermost choice that has one left.
    fn next_option(&mut self) -> Option<Path> {
        loop {
            self.extra.clear();
            self.observer.footprint.clear();
            let depth = self.stack.len().checked_sub(1)?;
            let node = &mut self.stack[depth];
            match &mut node.options {
                Options::Value { choice, first, n_tried, may_stand, held } if *n_tried < choice.n_options => {
                    let pick = (*first + *n_tried) % choice.n_options;
                    *n_tried += 1;
                    let is_last = *n_tried == choice.n_options && !*may_stand;
                    let state = if is_last { node.state.take() } else { node.state.clone() };
                    let mut state = state.expect("a choice with options left should have its state");
                    self.observer.loops = if is_last { std::mem::take(&mut node.loops) } else { node.loops.clone() };
                    self.meter.stats.transitions += 1;
                    self.machine.pick(&mut state, choice, pick);
                    let (thread, held) = (node.thread, held.clone());
                    self.observer.is_retry = state.is_at_terminator(self.machine.program, thread);
                    let (next, before) = (None, None);
                    return Some(Path { state, thread, is_resumed: false, is_still: false, next, held, before });
                }
                Options::Value { may_stand, held, .. } if *may_stand => {
                    *may_stand = false;
                    let state = node.state.take().expect("a choice with options left should have its state");
                    self.observer.loops = std::mem::take(&mut node.loops);
                    self.observer.loops.cut(node.thread);
                    self.meter.stats.transitions += 1;
                    let (thread, held, next, before) = (node.thread, held.clone(), None, None);
                    return Some(Path { state, thread, is_resumed: false, is_still: true, next, held, before });
                }
                Options::Value { .. } => self.pop(),
                Options::Schedule(backtrack) => {
                    let Some(thread) = next_thread(backtrack, &mut self.effects, node.summary, node.low < node.index)
                    else {
                        self.pop();
                        continue;
                    };
                    // Others may turn out to be needed as long as not all are followed.
                    let is_last = backtrack.is_finished() && backtrack.is_full();
                    if self.reduction == Reduction::Superstep {
                        backtrack.begin_superstep(thread);
                    }
                    let next = backtrack.next.clone();
                    let state = if is_last { node.state.take() } else { node.state.clone() };
                    let mut state = state.expect("a choice with options left should have its state");
                    self.observer.loops = if is_last { std::mem::take(&mut node.loops) } else { node.loops.clone() };
                    let is_dpor = self.reduction == Reduction::Dpor;
                    let held = if is_dpor { state.held(thread).to_vec() } else { Vec::new() };
                    backtrack.set_held(self.effects.locks(&self.machine, &state, &held));
                    self.meter.stats.transitions += 1;
                    let before = (self.reduction == Reduction::Superstep).then(|| state.clone());
                    state.record_thread(thread);
                    self.observer.is_retry = false;
                    let next = Some(next);
                    return Some(Path { state, thread, is_resumed: false, is_still: false, next, held, before });
                }
            }
        }
    }

    /// Leaves the innermost choice: everything behind it has been followed.
    fn pop(&mut self) {
        let Some(node) = self.stack.pop() else { return };
        self.meter.waiting_bytes -= node.bytes;
        #[cfg(test)]
        if let Options::Schedule(backtrack) = &node.options
            && self.stack.is_empty()
        {
            self.lengths = backtrack.superstep_lengths();
        }
        let is_value = matches!(node.options, Options::Value { .. });
        let (summary, rest) = (node.summary, if is_value { node.rest } else { EMPTY });
        self.summaries.leave(node.id, node.index, node.low, summary, rest);
        let low = if node.low < node.index { node.low } else { u32::MAX };
        self.step_done(node.incoming, summary, rest, low);
    }

    /// Stores the state at a choice and, if it is new, follows its options.
    fn branch(&mut self, mut path: Path, options: Options, budget: &Budget<'_>) -> Option<End> {
        if budget.depth.is_some_and(|depth| self.stack.len() as u64 >= depth) {
            let limit = Limit::Depth(budget.depth.unwrap_or_default());
            let hottest = self.observer.loops.hottest(self.machine.program);
            self.findings.ledger.add(Reason::Limit {
                limit,
                hottest,
                branches: self.branches.most(self.machine.program),
            });
            self.findings.is_feasible = true;
            self.cut_off(&path.state, path.thread);
            return self.over(&path, budget);
        }
        let running = matches!(options, Options::Value { .. }).then_some(path.thread);
        let n_before = self.visited.n_key_bytes;
        let seen = self.insert(&path.state, running, budget);
        let n_written = self.visited.n_key_bytes - n_before;
        let Some(seen) = seen else {
            // The state is not stored, so running on from it asks for the same choice again.
            path.is_resumed = matches!(options, Options::Schedule(_));
            path.next = None;
            self.path = Some(path);
            return Some(self.halt(Limit::Memory));
        };
        let incoming = self.step_effects(&path);
        match seen {
            Seen::Known(id) => {
                self.meter.stats.executions += 1;
                if let Some(end) = self.met_again(&path, id, incoming, matches!(options, Options::Value { .. })) {
                    return Some(end);
                }
            }
            Seen::Fresh(id) => {
                self.note_branch(&path, &options);
                self.push(path, options, id, incoming, n_written);
            }
        }
        self.poll(budget).map(|limit| self.halt(limit))
    }

    /// The execution has come to a state that is stored already.
    fn met_again(&mut self, path: &Path, id: StateId, mut incoming: Vec<EffectId>, is_value: bool) -> Option<End> {
        match self.summaries.get(id) {
            Status::Left { summary, rest } => self.step_done(incoming, summary, rest, u32::MAX),
            Status::OnStack { index } => {
                if let MacroStepEnd::Violated(violation) = self.repeated(&path.state, path.thread, None) {
                    return Some(self.found(&path.state, violation));
                }
                let is_self = self.stack.last().is_some_and(|node| node.index == index) && !is_value;
                if is_self && self.reduction == Reduction::Dpor {
                    let set = self.effects.set(&incoming);
                    let node = self.stack.last_mut().expect("the state should be on the stack");
                    node.summary = self.effects.union(node.summary, set);
                    if let Options::Schedule(backtrack) = &mut node.options {
                        backtrack.step_was_idle(&mut self.effects, incoming.into());
                    }
                    return None;
                }
                if is_value && self.reduction == Reduction::Dpor {
                    incoming.push(self.effects.total(&path.state, path.thread));
                }
                self.step_done(incoming, EMPTY, EMPTY, index);
            }
            Status::Open { index } => {
                if is_value && self.reduction == Reduction::Dpor {
                    incoming.push(self.effects.total(&path.state, path.thread));
                }
                self.step_done(incoming, EMPTY, EMPTY, index);
            }
        }
        None
    }

    fn push(&mut self, path: Path, options: Options, id: StateId, incoming: Vec<EffectId>, n_written: u64) {
        // States share what they have in common; what was written for the key is what has changed.
        let bytes = NODE_BYTES + 2 * n_written;
        self.meter.waiting_bytes += bytes;
        let loops = self.observer.loops.clone();
        let index = self.summaries.enter(id);
        let (options, summary) = match options {
            Options::Schedule(backtrack) if self.reduction == Reduction::Dpor => {
                let BacktrackSet { enabled, next, .. } = backtrack;
                let (backtrack, summary) =
                    BacktrackSet::one(enabled, next, &mut self.effects, &self.machine, &path.state);
                (Options::Schedule(backtrack), summary)
            }
            options => (options, EMPTY),
        };
        let (thread, state) = (path.thread, Some(path.state));
        let (rest, low) = (EMPTY, index);
        self.stack.push(Node { state, thread, options, loops, id, bytes, incoming, summary, rest, index, low });
        self.meter.set_depth(self.stack.len() as u64);
    }

    /// Executions part here.
    fn note_branch(&mut self, path: &Path, options: &Options) {
        match options {
            Options::Value { choice, .. } if choice.n_options > 1 => self.branches.note(&choice.label, choice.loc),
            Options::Schedule(backtrack) if backtrack.enabled.len() > 1 => {
                let frames = path.state.frames(self.machine.program, path.thread);
                let is_own = |function| !self.machine.program.functions[function].is_model;
                let own = frames.iter().rev().find(|frame| is_own(frame.function));
                self.branches.note(TURNS, own.map_or(Loc::NONE, |frame| frame.loc));
            }
            Options::Value { .. } | Options::Schedule(_) => {}
        }
    }

    /// Something is wrong at the end of the path.
    fn violated(&mut self, path: &Path, violation: Violation, budget: &Budget<'_>) -> Option<End> {
        if !self.keeps_going {
            return Some(self.found(&path.state, violation));
        }
        let own_checks = [ViolationKind::Assertion, ViolationKind::ReachError, ViolationKind::Deadlock];
        let is_own_check = own_checks.contains(&violation.kind);
        self.note(&path.state, violation);
        // The thread stops at a violation, so the others have to be followed before it.
        match is_own_check {
            true => self.exited(&path.state, path.thread),
            false => self.cut_off(&path.state, path.thread),
        }
        self.over(path, budget)
    }

    /// Keeps a violation, unless one of its kind was found at this line, and goes on.
    pub(crate) fn note(&mut self, state: &State, violation: Violation) {
        self.findings.is_feasible = true;
        if !self.findings.has(self.machine.program, &violation)
            && let End::Found(evidence) = self.found(state, violation)
        {
            self.findings.runs.push(evidence);
        }
    }

    /// Violations besides the one that was the answer.
    pub(crate) fn take_found(&mut self) -> Vec<ProgramRun> {
        std::mem::take(&mut self.findings.runs)
    }

    /// A place of the program by its name.
    pub(crate) fn site(&self, loc: Loc) -> Site {
        Site::new(self.machine.program, loc)
    }

    pub(crate) fn found(&mut self, state: &State, violation: Violation) -> End {
        let every_step = matches!(self.reduction, Reduction::None | Reduction::Sleep);
        End::Found(ProgramRun {
            decisions: self.machine.decisions(state),
            every_step,
            claim: None,
            loop_from: None,
            violation,
        })
    }

    pub(crate) fn halt(&mut self, limit: Limit) -> End {
        let mut why = self.findings.ledger.why().clone();
        let hottest = self.observer.loops.hottest(self.machine.program);
        why.add(Reason::Limit { limit, hottest, branches: self.branches.most(self.machine.program) });
        End::Halted(why)
    }

    pub(crate) fn finish(&mut self) -> End {
        let is_doubtful = !self.findings.ledger.is_empty()
            || !self.visited.is_exact()
            || matching::doubt(&self.visited.matching).is_some();
        self.findings.found_all = self.keeps_going && !is_doubtful && !self.observer.is_lock_broken;
        if !self.findings.runs.is_empty() {
            return End::Found(self.findings.runs.remove(0));
        }
        if let Some(loc) = self.findings.infeasible.filter(|_| !self.findings.is_feasible) {
            self.findings.ledger.add(Reason::Vacuous { site: self.site(loc) });
        }
        if !self.visited.is_exact() {
            self.findings.ledger.add(Reason::LossyStore);
        }
        if let Some(what) = matching::doubt(&self.visited.matching) {
            self.findings.ledger.add(Reason::unsupported(what));
        }
        End::Finished(self.findings.ledger.clone())
    }
}

/// Whether threads besides the running one can move.
pub(crate) fn others_can_go(state: &State) -> bool {
    state.n_live_threads() > 1 && state.atomic_thread().is_none()
}

/// The next thread to follow, after asking whether those followed so far are enough. `is_open`: the state's
/// component of the graph is not finished with it.
pub(crate) fn next_thread(
    backtrack: &mut BacktrackSet,
    effects: &mut Effects,
    summary: SetId,
    is_open: bool,
) -> Option<usize> {
    if backtrack.is_finished() {
        if is_open {
            backtrack.follow_all();
        } else if !backtrack.is_full() {
            backtrack.judge_all(effects, summary);
        }
        backtrack.follow_another();
    }
    backtrack.take_next()
}
