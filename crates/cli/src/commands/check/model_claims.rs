//! Claims about whole executions of a model: each is looked for on its own, in the product with the model.

use unpick_engine_explicit::Reduction;
use unpick_engine_explicit::flat::cycles::{self, CycleOptions};
use unpick_engine_explicit::flat_liveness::{self, LivenessEnd};
use unpick_ir::automaton::Model;
use unpick_ir::automaton::interp::Machine;
use unpick_jit::Native;
use unpick_store::{ExactStore, NumberedTreeStore, Recall};
use unpick_system::{
    AutomatonRun, Budget, Control, Ledger, Limit, Product, ProofKind, Reason, Stats, Verdict, Watch, Wrong,
};

use super::Limits;
use super::model::MAX_REPEATED;
use super::model_search::mismatch;
use crate::args::StoreArg;
use crate::model::LoadedModel;
use crate::watch::Watch as Clock;

/// What is looked for, and whether only weakly fair executions count.
pub type Watched = (Watch, bool);

/// How much of the memory plain states may take before compressed ones are tried, in percent.
const SHARE: u64 = 85;

/// An answer, what it cost, and what the user should know of how it came about.
pub struct Decided {
    pub verdict: Verdict,
    pub stats: Stats,
    pub notes: Vec<String>,
}

/// Decides claims one after the other until one is violated.
pub fn decide(loaded: &LoadedModel, wanted: &[Watched], limits: &Limits, control: &Clock) -> Decided {
    // Without a first state there are no executions that a claim could be about.
    if !wanted.is_empty() && Machine::new(&loaded.model).initial().is_err() {
        let run = AutomatonRun { moves: Vec::new(), loop_from: None, wrong: Wrong::Fault };
        let stats = Stats { engine: "explicit", ..Stats::default() };
        return Decided { verdict: run.into(), stats, notes: Vec::new() };
    }
    // SPIN counts claims among the processes, its own for progress too.
    let beside = loaded.model.beside_claim();
    let mut total = Stats { engine: "explicit", ..Stats::default() };
    let mut notes = Vec::new();
    for watched in wanted {
        let model = if watched.0 == Watch::Accepted { &loaded.model } else { &beside };
        let question = Question { model, watched: *watched, limits, control };
        let decided = question.decide();
        total = total.and(decided.stats);
        for note in decided.notes {
            if !notes.contains(&note) {
                notes.push(note);
            }
        }
        match decided.verdict {
            Verdict::Holds(_) => {}
            verdict @ (Verdict::Fails(_) | Verdict::Unknown(_)) => return Decided { verdict, stats: total, notes },
        }
    }
    let verdict = Ledger::default().settle(ProofKind::Exhausted { n_states: total.states });
    Decided { verdict, stats: total, notes }
}

/// One claim.
struct Question<'a> {
    model: &'a Model,
    watched: Watched,
    limits: &'a Limits,
    control: &'a Clock,
}

impl Question<'_> {
    fn decide(&self) -> Decided {
        let mut notes = Vec::new();
        let kinds: &[StoreArg] = match self.limits.store {
            StoreArg::Auto => &[StoreArg::Exact, StoreArg::Tree],
            StoreArg::Exact => &[StoreArg::Exact],
            StoreArg::Tree => &[StoreArg::Tree],
            StoreArg::Compact | StoreArg::Bitstate => {
                notes.push(
                    "claims are decided over whole states, compressed ones: a lossy store has no cycles".to_owned(),
                );
                &[StoreArg::Tree]
            }
        };
        let (mut end, mut stats) = self.search(kinds[0], self.limits.workers);
        let mut kind = kinds[0];
        if let (LivenessEnd::Halted(Limit::Memory), Some(next)) = (&end, kinds.get(1)) {
            let text = format!(
                "plain states do not fit into memory ({} found): the search for a claim starts again with compressed states",
                stats.states
            );
            self.control.milestone(&text);
            notes.push(text);
            kind = *next;
            (end, stats) = self.search(kind, self.limits.workers);
        }
        if matches!(end, LivenessEnd::Violated(_) | LivenessEnd::Lost)
            && self.limits.workers > 1
            && stats.states <= MAX_REPEATED
        {
            // Which execution is shown should not depend on who was faster.
            if let (again @ LivenessEnd::Violated(_), again_stats) = self.search(kind, 1) {
                (end, stats) = (again, again_stats);
            }
        }
        if end == LivenessEnd::Lost {
            notes.push("the reduced search was not conclusive: a claim was decided without reduction".to_owned());
            (end, stats) = self.search_unreduced();
        }
        let ledger = Ledger::default();
        let verdict = match end {
            LivenessEnd::Lost => ledger.halted(Reason::unsupported("the search was not conclusive")),
            LivenessEnd::Exhausted => ledger.settle(ProofKind::Exhausted { n_states: stats.states }),
            LivenessEnd::Halted(limit) => ledger.halted(Reason::limit(limit)),
            LivenessEnd::Mismatch(impossible) => ledger.halted(mismatch(impossible)),
            LivenessEnd::Violated(run) => self.shorter(run).into(),
        };
        Decided { verdict, stats, notes }
    }

    /// The plain search: one worker, every step, plain states.
    fn search_unreduced(&self) -> (LivenessEnd, Stats) {
        let step = Native::new(self.model);
        let product = Product::new(&step, &self.model.claims, self.watched.0, self.watched.1);
        let store = ExactStore::with_workers(Some(self.limits.memory / 100 * SHARE), 1);
        flat_liveness::search(&product, &store, &self.budget())
    }

    fn search(&self, kind: StoreArg, n_workers: usize) -> (LivenessEnd, Stats) {
        let step = Native::new(self.model);
        let product = Product::new(&step, &self.model.claims, self.watched.0, self.watched.1);
        let limit = Some(self.limits.memory / 100 * SHARE);
        let budget = self.budget();
        let options = CycleOptions {
            reduces: !matches!(self.limits.reduction, Reduction::None | Reduction::Sleep),
            order: self.limits.order,
        };
        if !cycles::is_possible(&product) {
            return self.search_unreduced();
        }
        let store: Box<dyn Recall> = match kind {
            StoreArg::Auto | StoreArg::Exact => Box::new(ExactStore::with_workers(limit, n_workers)),
            StoreArg::Tree | StoreArg::Compact | StoreArg::Bitstate => {
                Box::new(NumberedTreeStore::with_workers(limit, n_workers))
            }
        };
        cycles::search(&product, &*store, options, &budget)
    }

    fn budget(&self) -> Budget<'_> {
        Budget { memory_bytes: Some(self.limits.memory), depth: self.limits.depth, unwind: None, control: self.control }
    }

    /// A shortest execution instead, where no endless one is needed to violate the claim.
    fn shorter(&self, run: AutomatonRun) -> AutomatonRun {
        if run.loop_from.is_some() {
            return run;
        }
        let step = Native::new(self.model);
        let product = Product::new(&step, &self.model.claims, self.watched.0, self.watched.1);
        let store = ExactStore::with_workers(Some(self.limits.memory / 100 * SHARE), 1);
        flat_liveness::shortest(&product, &store, &self.budget()).unwrap_or(run)
    }
}
