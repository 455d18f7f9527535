//! The explicit engine: follows every execution of a program, depth first, and remembers where it has been.
//!
//! Between two choices a program is deterministic, so only the states at choices are stored. Which thread goes on
//! is a choice before every instruction that other threads can notice, and nowhere else. A deterministic
//! stretch that never ends is noticed when it comes back to a state of its own. What is `Holds` in the end has
//! been followed everywhere; whatever was cut, sampled or met without a meaning is a reason for `Unknown`.
#![forbid(unsafe_code)]

pub mod along;
mod bounded;
mod branches;
mod components;
mod crossroads;
mod cycle;
mod early;
mod effect;
pub mod flat;
pub mod flat_liveness;
mod guide;
mod known;
mod lasso;
mod locks;
mod loops;
mod matching;
mod order;
mod reduce;
mod schedule;
mod search;
mod shorten;
mod stretch;
mod superstep;
mod tabled;
mod temporal;
mod watch;

use unpick_base::id::Id;
use unpick_ir::Program;
use unpick_ir::interp::{Machine, Options};
use unpick_store::{ExactStore, StateStore};
use unpick_system::{
    Bound, Budget, Claim, Coverage, Engine, Goal, GoalId, Goals, Measure, ProgramRun, Progress, ProofKind, PropertySet,
    Reason, Stats, Verdict, Why,
};

use early::Early;
pub use guide::{GuidedTurn, guide};
pub use matching::Matching;
use order::Order;
pub use schedule::memory_model;
use search::{End, Search};
pub use shorten::shorter;
use tabled::Table;

/// Makes the store of a search.
pub type NewStore = fn() -> Box<dyn StateStore>;

/// How the interleavings of threads are thinned out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Reduction {
    /// A switch is possible before every instruction.
    None,
    /// As before; but where states are flat, steps that commute are taken in one order only, see `flat/sleep.rs`.
    Sleep,
    /// A switch is possible before every access to memory that other threads can reach.
    GlobalAccess,
    /// As before, but a thread runs on as long as its accesses do not conflict with others'; see `superstep.rs`.
    Superstep,
    /// As with `GlobalAccess`, but only as many threads are followed as do not commute; see `crossroads.rs`.
    #[default]
    Dpor,
}

/// Decides claims about whole executions: what came of it, what it cost, and what it rests on. No interleaving is left
/// out between accesses to shared memory.
pub fn decide_claims(
    program: &Program,
    options: Options,
    max_threads: usize,
    claims: &[Claim],
    budget: &Budget<'_>,
) -> (Verdict, Stats, Vec<String>) {
    let machine = Machine::new(program, Options { is_lazy: true, ..options });
    let store = Box::new(ExactStore::new(None));
    let search = Search::new(machine, PropertySet::EMPTY, Reduction::GlobalAccess, max_threads, store);
    let judged = temporal::decide(search, claims, budget);
    (judged.verdict, Stats { engine: "explicit", ..judged.stats }, judged.notes)
}

/// Sets of threads have to fit in a word.
const MOST_THREADS: usize = 60;
/// Threads at once unless the caller says otherwise.
const MAX_THREADS: usize = 16;

/// The engine; see the module.
pub struct ExplicitEngine<'p> {
    program: &'p Program,
    options: Options,
    new_store: NewStore,
    max_threads: usize,
    reduction: Reduction,
    table_from: u64,
    keeps_going: bool,
    matching: Matching,
    bounds: Option<(Measure, Option<u32>)>,
    closed: Vec<Bound>,
    seed: Option<u64>,
    /// What else the search tries in its pauses.
    early: Option<Early>,
    others: Vec<ProgramRun>,
    found_all: bool,
    search: Option<Search<'p>>,
    /// What the running search is about.
    open: Vec<GoalId>,
    /// Left over from finished searches.
    assumptions: Vec<String>,
    stats: Stats,
    coverage: Coverage,
}

impl<'p> ExplicitEngine<'p> {
    /// An engine for a verified program. What `options` says about laziness and checks is replaced by what the
    /// search needs.
    pub fn new(program: &'p Program, options: Options) -> Self {
        Self::with_store(program, options, || Box::new(ExactStore::new(None)))
    }

    /// Like [`ExplicitEngine::new`], over another kind of store.
    pub fn with_store(program: &'p Program, options: Options, new_store: NewStore) -> Self {
        Self {
            program,
            options,
            new_store,
            max_threads: MAX_THREADS,
            reduction: Reduction::default(),
            table_from: tabled::LARGE,
            keeps_going: false,
            matching: Matching::default(),
            bounds: None,
            closed: Vec::new(),
            seed: None,
            early: None,
            others: Vec::new(),
            found_all: false,
            search: None,
            open: Vec::new(),
            assumptions: Vec::new(),
            stats: Stats { engine: "explicit", ..Stats::default() },
            coverage: Coverage::default(),
        }
    }

    /// More threads than this at once are a reason for `unknown`.
    #[must_use]
    pub fn with_max_threads(self, max_threads: usize) -> Self {
        Self { max_threads: max_threads.min(MOST_THREADS), ..self }
    }

    /// How interleavings are thinned out.
    #[must_use]
    pub fn with_reduction(self, reduction: Reduction) -> Self {
        Self { reduction, ..self }
    }

    /// From how many states on steps are looked up instead of run, where that is possible; see `tabled.rs`.
    #[must_use]
    pub fn with_table_from(self, table_from: u64) -> Self {
        Self { table_from, ..self }
    }

    /// Look for all violations that differ in kind or place. Those besides the verdict are in
    /// [`ExplicitEngine::others`].
    #[must_use]
    pub fn keep_going(self, keeps_going: bool) -> Self {
        Self { keeps_going, ..self }
    }

    /// When two states count as the same; unless they are, silence is no proof.
    #[must_use]
    pub fn with_matching(self, matching: Matching) -> Self {
        Self { matching, ..self }
    }

    /// Search by number of changes of thread, up to a bound if one is given. Nothing is thinned out then.
    #[must_use]
    pub fn with_bounds(self, measure: Measure, max: Option<u32>) -> Self {
        Self { bounds: Some((measure, max)), ..self }
    }

    /// The bounds that were searched completely, from the smallest.
    pub fn closed_bounds(&self) -> &[Bound] {
        &self.closed
    }

    /// Try threads and values in another order than they come, the same one for the same seed.
    #[must_use]
    pub fn with_seed(self, seed: Option<u64>) -> Self {
        Self { seed, ..self }
    }

    /// Pause now and then to try short executions in varied orders and searches within small bounds; see `early.rs`.
    /// Only where the first violation ends the search and nothing bounds it.
    #[must_use]
    pub fn with_early(self, is_wanted: bool) -> Self {
        let early = is_wanted.then(|| Early::new(self.seed));
        Self { early, ..self }
    }

    /// Violations besides the one in the verdict.
    pub fn others(&self) -> &[ProgramRun] {
        &self.others
    }

    /// Whether the violations are all that there are, apart from what may lie behind them.
    pub fn found_all(&self) -> bool {
        self.found_all
    }

    /// Starts a search for all goals that have no verdict yet.
    fn start(&mut self, goals: &Goals) -> Search<'p> {
        self.open = goals.iter_enumerated().filter(|(_, goal)| goal.verdict.is_none()).map(|(id, _)| id).collect();
        let open = self.open.iter().map(|id| goals[*id].properties);
        let properties = open.fold(PropertySet::EMPTY, PropertySet::union);
        let options = Options { is_lazy: true, checks: properties.iter().collect(), ..self.options.clone() };
        let machine = Machine::new(self.program, options);
        // Levels of interrupts let and forbid steps in ways that footprints do not show.
        let reduction = match (self.bounds.is_some() || !self.matching.is_exact(), self.reduction) {
            (true, Reduction::Dpor | Reduction::Superstep) => Reduction::GlobalAccess,
            (false, Reduction::Dpor | Reduction::Superstep) if machine.has_interrupts() => Reduction::GlobalAccess,
            (_, reduction) => reduction,
        };
        let mut search = Search::new(machine, properties, reduction, self.max_threads, (self.new_store)());
        search.keeps_going = self.keeps_going;
        search.table = Table::After(self.table_from);
        search.matching = self.matching.clone();
        search.order = Order::new(self.seed);
        search
    }

    /// Explores with pauses for what is tried besides.
    fn explore_with_pauses(&mut self, search: &mut Search<'p>, budget: &Budget<'_>) -> End {
        let Some(mut early) = self.early.take() else { return search.explore(budget) };
        let end = loop {
            search.pause_at = early.pause_at;
            let end = search.explore(budget);
            let is_paused = matches!(end, End::Halted(_)) && std::mem::take(&mut search.is_paused);
            // A search that is over without an answer leaves something open.
            let is_open = matches!(&end, End::Finished(ledger) if !ledger.is_empty());
            if !is_paused && !is_open {
                break end;
            }
            let work = if is_open { early.last_look() } else { search.done() };
            let has_threads = search.machine.has_threads();
            let found = early.look(work, has_threads, budget, || self.another(search));
            if let Some((evidence, other)) = found {
                self.keep_notes(&other);
                break End::Found(evidence);
            }
            if is_open {
                break end;
            }
        };
        self.early = Some(early);
        end
    }

    /// A search for the same that begins anew and thins nothing out.
    fn another(&self, search: &Search<'p>) -> Search<'p> {
        let machine = Machine::new(self.program, search.machine.options.clone());
        let store = (self.new_store)();
        Search::new(machine, search.properties, Reduction::GlobalAccess, self.max_threads, store)
    }

    /// Gives every goal of the running search the same verdict.
    fn settle_all(&mut self, goals: &mut Goals, verdict: &Verdict) {
        for id in &self.open {
            goals[*id].verdict = Some(verdict.clone());
        }
    }

    /// Gives the goal that a violation belongs to its verdict.
    fn settle(&mut self, goals: &mut Goals, evidence: ProgramRun) -> Progress {
        let kind = evidence.violation.kind;
        let mut open = self.open.iter().copied();
        let goal = open.find(|id| goals[*id].properties.contains(kind)).unwrap_or(GoalId::from_index(0));
        goals[goal].verdict = Some(Verdict::from(evidence));
        Progress::Settled(goal)
    }

    /// Keeps what a search learned beyond its verdict.
    fn keep(&mut self, search: &Search<'p>) {
        let stats = search.stats();
        self.stats.states = stats.states;
        self.stats.transitions = stats.transitions;
        self.stats.depth = self.stats.depth.max(stats.depth);
        self.stats.executions = stats.executions;
        self.stats.instructions = stats.instructions;
        self.stats.peak_bytes = self.stats.peak_bytes.max(stats.peak_bytes);
        self.keep_notes(search);
    }

    /// Keeps what executions rest on and what they reached.
    fn keep_notes(&mut self, search: &Search<'p>) {
        for note in search.notes() {
            if !self.assumptions.contains(note) {
                self.assumptions.push(note.clone());
            }
        }
        let coverage = search.coverage();
        self.coverage.lock_order.extend(coverage.lock_order.clone());
        self.coverage.extend(coverage);
    }
}

impl Engine for ExplicitEngine<'_> {
    fn supports(&self, goal: &Goal) -> bool {
        use unpick_ir::ViolationKind as Kind;
        let foreign = [Kind::Livelock, Kind::Ltl, Kind::Invariant, Kind::EndState];
        !foreign.into_iter().any(|kind| goal.properties.contains(kind))
    }

    fn advance(&mut self, goals: &mut Goals, budget: &Budget<'_>) -> Progress {
        if self.program.entry.is_none() {
            self.open = goals.ids().collect();
            let reason = Reason::unsupported("the program has no entry");
            self.settle_all(goals, &Verdict::Unknown(Why::because(reason)));
            return Progress::Done;
        }
        let mut search = match self.search.take() {
            Some(search) => search,
            None if goals.iter().all(|goal| goal.verdict.is_some()) => return Progress::Done,
            None => self.start(goals),
        };
        let end = match self.bounds {
            Some((measure, max)) => search.explore_bounds(measure, max, budget),
            None => self.explore_with_pauses(&mut search, budget),
        };
        self.closed.clone_from(&search.bounds);
        self.keep(&search);
        if let (Some(early), End::Found(_)) = (&self.early, &end) {
            early.add_cost(&mut self.stats);
        }
        self.others = search.take_found();
        self.found_all = search.found_all && matches!(end, End::Found(_));
        match end {
            // The reduction relies on locks; without it the search needs no such faith.
            End::Finished(_) if search.watch.is_lock_broken && search.reduction == Reduction::Dpor => {
                self.reduction = Reduction::GlobalAccess;
                self.advance(goals, budget)
            }
            End::Finished(ledger) => {
                let verdict = ledger.settle(ProofKind::Exhausted { n_states: search.stats().states });
                self.settle_all(goals, &verdict);
                Progress::Done
            }
            // What was found was found, even if there may be more.
            End::Halted(_) if !self.others.is_empty() => {
                let text = "the search for more violations was cut short".to_owned();
                self.assumptions.push(text);
                let evidence = self.others.remove(0);
                self.settle(goals, evidence)
            }
            End::Halted(why) => {
                self.settle_all(goals, &Verdict::Unknown(why));
                self.search = Some(search);
                Progress::OutOfBudget
            }
            // The execution was not followed beyond the violation, so the other goals need a new search.
            End::Found(evidence) => self.settle(goals, evidence),
        }
    }

    fn stats(&self) -> Stats {
        self.stats
    }

    fn assumptions(&self) -> Vec<String> {
        self.assumptions.clone()
    }

    fn coverage(&self) -> Coverage {
        self.coverage.clone()
    }
}
