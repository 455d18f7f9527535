//! The searches that answer a question about a program, and how they work together.
//!
//! A program of several threads is searched in two ways: completely, thinned out by the reduction; and by number of
//! preemptions, which finds simple executions first but proves little. With two workers they run side by side, with one
//! worker one after the other, and the answer is the same: which of two violations is shown depends only on how much
//! work each search needed for it, not on which was faster.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use unpick_engine_explicit::{ExplicitEngine, Matching, Reduction};
use unpick_ir::Program;
use unpick_ir::interp::Options;
use unpick_system::{
    Bound, Budget, Control, Coverage, Engine as _, Evidence, Goal, Goals, Halt, Ledger, Limit, Measure, ProgramRun,
    ProofKind, PropertySet, Reason, Snapshot, Stats, Verdict, Why,
};

use crate::guard;
use crate::watch::{Part, Watch};

/// The simple search may cost this many times the transitions of the complete one, and some more, for its execution to
/// be preferred.
const PATIENCE: u64 = 4;
const FREE_TRANSITIONS: u64 = 10_000;
/// No limit.
const UNLIMITED: u64 = u64::MAX;

/// What to search, and how.
pub struct Question<'a> {
    pub program: &'a Program,
    pub options: Options,
    pub properties: PropertySet,
    pub reduction: Reduction,
    pub bounds: Option<(Measure, Option<u32>)>,
    pub keeps_going: bool,
    pub matching: Matching,
    pub max_threads: usize,
    pub table_from: Option<u64>,
    pub memory_bytes: u64,
    pub depth: Option<u64>,
    pub unwind: Option<u64>,
    pub workers: usize,
    pub seed: Option<u64>,
}

/// What a search found.
pub struct Searched {
    pub verdict: Verdict,
    pub stats: Stats,
    pub assumptions: Vec<String>,
    pub others: Vec<ProgramRun>,
    /// Whether there are no others, apart from what may lie behind them.
    pub found_all: bool,
    pub bounds: Vec<Bound>,
    pub coverage: Coverage,
}

/// Answers a question. `part` ends the complete search before the time is over, so that some is left for simple
/// executions; `on_found` hears of each violation of a search that goes on.
pub fn answer(
    question: &Question<'_>,
    has_threads: bool,
    watch: &Watch,
    part: &Part<'_>,
    on_found: &(dyn Fn(&Evidence) + Sync),
) -> Searched {
    match question.bounds {
        Some(bounds) => question.search(Some(bounds), question.memory_bytes, watch),
        None if !has_threads || question.keeps_going => {
            let control = Announced { watch, on_found };
            question.search(None, question.memory_bytes, &control)
        }
        None if question.workers < 2 => one_after_the_other(question, watch, part),
        None => side_by_side(question, watch),
    }
}

impl Question<'_> {
    fn search(&self, bounds: Option<(Measure, Option<u32>)>, memory_bytes: u64, control: &dyn Control) -> Searched {
        let mut engine = ExplicitEngine::new(self.program, self.options.clone())
            .with_max_threads(self.max_threads)
            .with_reduction(self.reduction)
            .with_seed(self.seed)
            .with_early(bounds.is_none() && self.is_default())
            .keep_going(self.keeps_going)
            .with_matching(self.matching.clone());
        if let Some(n_states) = self.table_from {
            engine = engine.with_table_from(n_states);
        }
        if let Some((measure, max)) = bounds {
            engine = engine.with_bounds(measure, max);
        }
        let mut goals = Goals::new();
        let goal = goals.push(Goal::new(self.properties));
        let memory_bytes = Some(memory_bytes);
        let budget = Budget { memory_bytes, depth: self.depth, unwind: self.unwind, control };
        if self.properties == PropertySet::EMPTY {
            goals[goal].verdict = Some(Ledger::default().settle(ProofKind::Exhausted { n_states: 0 }));
        } else if engine.supports(&goals[goal]) {
            engine.advance(&mut goals, &budget);
        }
        let verdict = goals[goal].verdict.take().unwrap_or_else(|| {
            let what = format!("the explicit engine cannot decide {}", self.properties);
            Verdict::Unknown(Why::because(Reason::unsupported(what)))
        });
        let searched = Searched {
            verdict,
            stats: engine.stats(),
            assumptions: engine.assumptions(),
            others: engine.others().to_vec(),
            found_all: engine.found_all(),
            bounds: engine.closed_bounds().to_vec(),
            coverage: engine.coverage(),
        };
        // Freeing millions of states one by one takes longer than the report may.
        if let Some(Halt::Time | Halt::Interrupt) = guard::halt() {
            std::mem::forget(engine);
        }
        searched
    }

    /// Whether the first violation ends the search and nothing but time and memory bounds it.
    fn is_default(&self) -> bool {
        let is_bounded = self.bounds.is_some() || self.depth.is_some() || self.unwind.is_some();
        !self.keeps_going && !is_bounded && self.matching.is_exact() && self.reduction == Reduction::default()
    }

    fn hunt(&self, control: &dyn Control) -> Searched {
        // It keeps whole states, and must leave room for the search that proves.
        self.search(Some((Measure::Preemptions, None)), self.memory_bytes / 8, control)
    }
}

/// How many transitions the simple search may need if the complete one needed so many.
fn allowed(complete: &Searched) -> u64 {
    complete.stats.transitions.saturating_mul(PATIENCE).saturating_add(FREE_TRANSITIONS)
}

fn one_after_the_other(question: &Question<'_>, watch: &Watch, part: &Part<'_>) -> Searched {
    let complete = question.search(None, question.memory_bytes, part);
    let limit = match &complete.verdict {
        Verdict::Holds(_) => return complete,
        Verdict::Unknown(why) if !is_cut_short(why) => return complete,
        Verdict::Unknown(_) => UNLIMITED,
        Verdict::Fails(_) => allowed(&complete),
    };
    let simple = question.hunt(&Limited { watch, limit: &AtomicU64::new(limit) });
    join(complete, simple)
}

fn side_by_side(question: &Question<'_>, watch: &Watch) -> Searched {
    let (limit, is_over) = (AtomicU64::new(UNLIMITED), AtomicBool::new(false));
    let found_after = AtomicU64::new(UNLIMITED);
    std::thread::scope(|scope| {
        let hunter = scope.spawn(|| {
            let simple = question.hunt(&Hunter { limit: &limit, is_over: &is_over });
            if let Verdict::Fails(_) | Verdict::Holds(_) = simple.verdict {
                found_after.store(simple.stats.transitions, Ordering::SeqCst);
            }
            simple
        });
        let complete = question.search(None, question.memory_bytes, &Chased { watch, found_after: &found_after });
        match &complete.verdict {
            Verdict::Holds(_) => limit.store(0, Ordering::SeqCst),
            Verdict::Unknown(why) if !is_cut_short(why) => limit.store(0, Ordering::SeqCst),
            Verdict::Unknown(_) => {}
            Verdict::Fails(_) => limit.store(allowed(&complete), Ordering::SeqCst),
        }
        while !hunter.is_finished() {
            if watch.poll(&IDLE).is_some() {
                is_over.store(true, Ordering::SeqCst);
            }
            std::thread::sleep(std::time::Duration::from_millis(2));
        }
        match hunter.join() {
            Ok(simple) => join(complete, simple),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

/// A search that waits for the other one.
const IDLE: Snapshot =
    Snapshot { phase: "looking for simple executions", states: 0, transitions: 0, depth: 0, bytes: 0 };

/// What to tell of two searches.
fn join(complete: Searched, simple: Searched) -> Searched {
    let (mut coverage, mut assumptions) = (complete.coverage.clone(), complete.assumptions.clone());
    coverage.extend(simple.coverage.clone());
    let merged = match (&complete.verdict, &simple.verdict) {
        (Verdict::Fails(_), Verdict::Fails(_)) if simple.stats.transitions <= allowed(&complete) => simple,
        (Verdict::Unknown(why), Verdict::Fails(_) | Verdict::Holds(_)) if is_cut_short(why) => simple,
        (Verdict::Unknown(why), Verdict::Unknown(_)) if is_cut_short(why) => {
            let mut why = why.clone();
            if let Some(bound) = simple.bounds.last() {
                why.add(Reason::Bounded(*bound));
            }
            Searched { verdict: Verdict::Unknown(why), bounds: simple.bounds, ..complete }
        }
        _the_complete_search_counts => complete,
    };
    assumptions.retain(|known| !merged.assumptions.contains(known));
    let mut merged = Searched { coverage, ..merged };
    merged.assumptions.extend(assumptions);
    merged
}

/// Whether time or memory ran out, so that a search by few changes of thread may still find something.
fn is_cut_short(why: &Why) -> bool {
    why.reasons().iter().any(|reason| matches!(reason, Reason::Limit { limit: Limit::Time | Limit::Memory, .. }))
}

/// Hands on what a search finds while it goes on.
struct Announced<'a> {
    watch: &'a Watch,
    on_found: &'a (dyn Fn(&Evidence) + Sync),
}

impl Control for Announced<'_> {
    fn poll(&self, snapshot: &Snapshot) -> Option<Halt> {
        self.watch.poll(snapshot)
    }

    fn milestone(&self, text: &str) {
        self.watch.milestone(text);
    }

    fn found(&self, evidence: &Evidence) {
        guard::found_one();
        (self.on_found)(evidence);
    }
}

/// Ends a search after so many transitions.
struct Limited<'a> {
    watch: &'a Watch,
    limit: &'a AtomicU64,
}

impl Control for Limited<'_> {
    fn poll(&self, snapshot: &Snapshot) -> Option<Halt> {
        let is_over = snapshot.transitions > self.limit.load(Ordering::SeqCst);
        if is_over { Some(Halt::Time) } else { self.watch.poll(snapshot) }
    }

    fn is_urgent(&self) -> bool {
        guard::is_urgent()
    }

    fn milestone(&self, text: &str) {
        self.watch.milestone(text);
    }
}

/// The simple search beside the complete one.
struct Hunter<'a> {
    limit: &'a AtomicU64,
    is_over: &'a AtomicBool,
}

impl Control for Hunter<'_> {
    fn poll(&self, snapshot: &Snapshot) -> Option<Halt> {
        let is_over = snapshot.transitions > self.limit.load(Ordering::SeqCst) || self.is_over.load(Ordering::SeqCst);
        is_over.then_some(Halt::Time)
    }

    fn is_urgent(&self) -> bool {
        guard::is_urgent()
    }
}

/// The complete search beside the simple one: it may stop when nothing it finds can change the answer any more.
struct Chased<'a> {
    watch: &'a Watch,
    found_after: &'a AtomicU64,
}

impl Control for Chased<'_> {
    fn poll(&self, snapshot: &Snapshot) -> Option<Halt> {
        let needed = self.found_after.load(Ordering::SeqCst);
        if needed != UNLIMITED {
            let enough = snapshot.transitions.saturating_mul(PATIENCE).saturating_add(FREE_TRANSITIONS);
            if enough >= needed {
                return Some(Halt::Time);
            }
        }
        self.watch.poll(snapshot)
    }

    fn is_urgent(&self) -> bool {
        guard::is_urgent()
    }
}
