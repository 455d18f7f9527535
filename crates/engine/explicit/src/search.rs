//! What a search over the executions of a program keeps, whatever its order: the machine, what was visited, found and
//! done, and the effects of steps.
//!
//! The order is another's: depth first in `dfs.rs`, by cost in `bounded.rs`, breadth first in `temporal.rs`.

use unpick_program::interp::{Machine, State, Violation};
use unpick_program::{Loc, ViolationKind};
use unpick_store::Seen;
use unpick_system::{
    Bound, Budget, Coverage, Ledger, Limit, ProgramRun, PropertySet, Reason, Reduction, Site, Snapshot, Stats, Why,
};

use crate::branches::Branches;
use crate::dfs::Dfs;
use crate::effect::{EMPTY, EffectId, Effects, SetId};
use crate::findings::Findings;
use crate::interpreter::{Interpreter, Path, Place};
use crate::matching;
use crate::meter::Meter;
use crate::observer::SearchObserver;
use crate::order::Order;
use crate::transition_cache::{self, Caching};
use crate::visited::Visited;

/// What a state that waits to be followed takes besides what it shares with others, estimated.
pub(crate) const NODE_BYTES: u64 = 1024;

/// A search and where it stands.
pub(crate) struct Search<'p> {
    pub machine: Machine<'p>,
    pub properties: PropertySet,
    pub reduction: Reduction,
    /// Look for more after a violation.
    pub keeps_going: bool,
    /// Threads may switch, and states are looked at, also while there is only one.
    pub alone_too: bool,
    /// More threads at once are not followed.
    pub max_threads: usize,
    /// What is tried first.
    pub order: Order,
    pub visited: Visited,
    pub observer: SearchObserver<'p>,
    pub findings: Findings,
    pub meter: Meter,
    pub effects: Effects,
    /// Branching statistics.
    pub branches: Branches,
    /// The depth-first search on the interpreter, once it has begun.
    pub dfs: Option<Box<Dfs<Place, Path>>>,
    /// Whether steps are cached.
    pub caching: Caching<'p>,
    /// Bounds that have been searched completely.
    pub bounds: Vec<Bound>,
    /// The current macro step has reached the end of the program.
    pub has_ended: bool,
    /// The current macro step violates an assumption.
    pub is_dropped: bool,
    /// Effects of the current macro step besides its footprint.
    pub extra: Vec<EffectId>,
    /// Effects of threads that wait where the execution ends.
    pub end_summary: SetId,
    /// A race between supersteps.
    pub race_found_early: Option<(State, Violation)>,
    /// The verdict is known to rest on sequential consistency.
    pub has_noted_threads: bool,
    /// Lengths of the supersteps from the first state, by thread.
    #[cfg(test)]
    pub lengths: Vec<(usize, usize)>,
}

/// How a search ended.
pub(crate) enum End {
    /// Everything has been followed, but for what the ledger says.
    Finished(Ledger),
    /// The budget is used up; exploring again goes on.
    Halted(Why),
    /// A violation.
    Found(ProgramRun),
}

impl<'p> Search<'p> {
    pub(crate) fn new(machine: Machine<'p>, properties: PropertySet, reduction: Reduction, max_threads: usize) -> Self {
        Self {
            observer: SearchObserver::new(machine.program, machine.has_threads()),
            effects: Effects::new(properties.contains(ViolationKind::Leak)),
            visited: Visited::new(&machine),
            machine,
            properties,
            reduction,
            keeps_going: false,
            alone_too: false,
            max_threads,
            order: Order::new(None),
            findings: Findings::default(),
            meter: Meter::new(),
            branches: Branches::default(),
            dfs: None,
            caching: Caching::After(transition_cache::LARGE),
            bounds: Vec::new(),
            has_ended: false,
            is_dropped: false,
            extra: Vec::new(),
            end_summary: EMPTY,
            race_found_early: None,
            has_noted_threads: false,
            #[cfg(test)]
            lengths: Vec::new(),
        }
    }

    /// Searches depth first until everything is settled or the budget ends: on the interpreter, and with a transition
    /// cache as soon as that pays.
    pub(crate) fn explore(&mut self, budget: &Budget<'_>) -> End {
        loop {
            if self.is_large()
                && let Some(end) = self.explore_cached(budget)
            {
                return end;
            }
            let is_logged = self.is_cacheable(Reduction::Dpor, budget) && matches!(self.caching, Caching::After(_));
            let first = || Dfs::new(Place::first(self.machine.initial()), self.visited.first, is_logged);
            let mut dfs = self.dfs.take().unwrap_or_else(|| Box::new(first()));
            dfs.log.take_if(|_| !is_logged);
            let end = dfs.explore(&mut Interpreter::new(self), budget);
            self.dfs = Some(dfs);
            if let Ok(end) = end {
                return end;
            }
        }
    }

    /// Whether the search is large enough for the transition cache.
    pub(crate) fn is_large(&self) -> bool {
        match &self.caching {
            Caching::After(n_states) => self.visited.len() >= *n_states,
            Caching::Running(_) => true,
            Caching::Refused => false,
        }
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
        self.ask(self.visited.len(), self.bytes(), budget)
    }

    /// Asks the control whether to go on.
    pub(crate) fn ask(&self, n_states: u64, bytes: u64, budget: &Budget<'_>) -> Option<Limit> {
        let (transitions, depth) = (self.meter.stats.transitions, self.meter.depth);
        let snapshot = Snapshot { phase: "exploring", states: n_states, transitions, depth, bytes };
        budget.control.poll(&snapshot).map(Limit::from)
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.visited.bytes() + self.meter.waiting_bytes + self.meter.summary_bytes + self.effects.bytes()
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

    /// Keeps a violation, unless one of its kind was found at this line, and goes on.
    pub(crate) fn note(&mut self, state: &State, violation: Violation) {
        self.findings.is_feasible = true;
        if !self.findings.has(self.machine.program, &violation) {
            let run = self.run_to(state, violation);
            self.findings.runs.push(run);
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

    pub(crate) fn found(&self, state: &State, violation: Violation) -> End {
        End::Found(self.run_to(state, violation))
    }

    /// The execution that leads to a state.
    fn run_to(&self, state: &State, violation: Violation) -> ProgramRun {
        let every_step = matches!(self.reduction, Reduction::None | Reduction::Sleep);
        let decisions = self.machine.decisions(state);
        ProgramRun { decisions, every_step, claim: None, loop_from: None, violation }
    }

    /// What a limit has to do with the program.
    pub(crate) fn limited(&self, limit: Limit) -> Reason {
        let hottest = self.observer.loops.hottest(self.machine.program);
        Reason::Limit { limit, hottest, branches: self.branches.most(self.machine.program) }
    }

    pub(crate) fn halt(&self, limit: Limit) -> End {
        let mut why = self.findings.ledger.why().clone();
        why.add(self.limited(limit));
        End::Halted(why)
    }

    pub(crate) fn finish(&mut self) -> End {
        let doubt = matching::doubt(&self.visited.matching);
        let is_doubtful = !self.findings.ledger.is_empty() || doubt.is_some();
        self.findings.found_all = self.keeps_going && !is_doubtful && !self.observer.is_lock_broken;
        if !self.findings.runs.is_empty() {
            return End::Found(self.findings.runs.remove(0));
        }
        if let Some(loc) = self.findings.infeasible.filter(|_| !self.findings.is_feasible) {
            self.findings.ledger.add(Reason::Vacuous { site: self.site(loc) });
        }
        if let Some(what) = doubt {
            self.findings.ledger.add(Reason::unsupported(what));
        }
        End::Finished(self.findings.ledger.clone())
    }
}
