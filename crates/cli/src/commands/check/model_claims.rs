//! Claims about whole executions of a model: each is looked for on its own, in the product with the model.

use unpick_engine_explicit::Reduction;
use unpick_engine_explicit::flat::cycles::{self, CycleOptions};
use unpick_engine_explicit::flat_liveness::{self, LivenessEnd};
use unpick_ir::automaton::Model;
use unpick_ir::automaton::interp::{FaultKind, Machine};
use unpick_jit::Native;
use unpick_store::{ExactStore, NumberedTreeStore};
use unpick_system::{
    Budget, LassoEvidence, Limit, PathEvidence, Product, ProductFault, Reason, Stats, Supervisor as _, Watch, Wrong,
};
use unpick_witness::{Judgement, ModelRecipe, replay_claim};

use super::model::{MAX_REPEATED, unknown, unknown_code, violated};
use super::{Limits, again_model};
use crate::args::StoreArg;
use crate::model::LoadedModel;
use crate::watch::Watch as Supervisor;

/// What is looked for, and whether only weakly fair executions count.
pub type Watched = (Watch, bool);

/// How much of the memory plain states may take before compressed ones are tried, in percent.
const SHARE: u64 = 85;

/// An answer, what it cost, and what the user should know of how it came about.
pub struct Decided {
    pub judgement: Judgement,
    pub stats: Stats,
    pub notes: Vec<String>,
    /// How to execute a violation again.
    pub recipe: Option<ModelRecipe>,
}

/// Decides claims one after the other until one is violated.
pub fn decide(loaded: &LoadedModel, wanted: &[Watched], limits: &Limits, supervisor: &Supervisor) -> Decided {
    // Without a first state there are no executions that a claim could be about.
    if !wanted.is_empty() && Machine::new(&loaded.model).initial().is_err() {
        let evidence = PathEvidence { path: Vec::new(), forgets: false, wrong: Wrong::Fault };
        let (judgement, recipe) = violated(loaded, &evidence);
        let stats = Stats { engine: "explicit", ..Stats::default() };
        return Decided { judgement, stats, notes: Vec::new(), recipe };
    }
    // SPIN counts claims among the processes, its own for progress too.
    let beside = loaded.model.beside_claim();
    let mut total = Stats { engine: "explicit", ..Stats::default() };
    let mut notes = Vec::new();
    for watched in wanted {
        let model = if watched.0 == Watch::Accepted { &loaded.model } else { &beside };
        let question = Question { loaded, model, watched: *watched, limits, supervisor };
        let decided = question.decide();
        total.states += decided.stats.states;
        total.transitions += decided.stats.transitions;
        total.depth = total.depth.max(decided.stats.depth);
        total.peak_bytes = total.peak_bytes.max(decided.stats.peak_bytes);
        for note in decided.notes {
            if !notes.contains(&note) {
                notes.push(note);
            }
        }
        match decided.judgement {
            Judgement::Verified => {}
            judgement @ (Judgement::Violated { .. } | Judgement::Unknown(_)) => {
                return Decided { judgement, stats: total, notes, recipe: decided.recipe };
            }
        }
    }
    Decided { judgement: Judgement::Verified, stats: total, notes, recipe: None }
}

/// One claim.
struct Question<'a> {
    loaded: &'a LoadedModel,
    model: &'a Model,
    watched: Watched,
    limits: &'a Limits,
    supervisor: &'a Supervisor,
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
            self.supervisor.milestone(&text);
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
        let recipe = match &end {
            LivenessEnd::Violated(evidence) => Some(again_model::of_states(self.model, self.watched, evidence)),
            LivenessEnd::Lost | LivenessEnd::Exhausted | LivenessEnd::Halted(_) => None,
        };
        let judgement = match end {
            LivenessEnd::Lost => unknown(Reason::unsupported("the search was not conclusive")),
            LivenessEnd::Exhausted => Judgement::Verified,
            LivenessEnd::Halted(limit) => unknown(Reason::limit(limit)),
            LivenessEnd::Violated(evidence) => self.violated(&self.shorter(evidence)),
        };
        Decided { judgement, stats, notes, recipe }
    }

    /// The plain search: one worker, every step, plain states.
    fn search_unreduced(&self) -> (LivenessEnd, Stats) {
        let step = Native::new(self.model);
        let product = Product::new(&step, self.watched.0, self.watched.1);
        let store = ExactStore::with_workers(Some(self.limits.memory / 100 * SHARE), 1);
        flat_liveness::search(&product, &store, &self.budget())
    }

    fn search(&self, kind: StoreArg, n_workers: usize) -> (LivenessEnd, Stats) {
        let step = Native::new(self.model);
        let product = Product::new(&step, self.watched.0, self.watched.1);
        let limit = Some(self.limits.memory / 100 * SHARE);
        let budget = self.budget();
        let options = CycleOptions {
            reduces: !matches!(self.limits.reduction, Reduction::None | Reduction::Sleep),
            order: self.limits.order,
        };
        if !cycles::is_possible(&product) {
            return self.search_unreduced();
        }
        match kind {
            StoreArg::Auto | StoreArg::Exact => {
                cycles::search(&product, &ExactStore::with_workers(limit, n_workers), options, &budget)
            }
            StoreArg::Tree | StoreArg::Compact | StoreArg::Bitstate => {
                cycles::search(&product, &NumberedTreeStore::with_workers(limit, n_workers), options, &budget)
            }
        }
    }

    fn budget(&self) -> Budget<'_> {
        Budget {
            memory_bytes: Some(self.limits.memory),
            depth: self.limits.depth,
            unwind: None,
            supervisor: self.supervisor,
        }
    }

    /// A shortest execution instead, where no endless one is needed to violate the claim.
    fn shorter(&self, evidence: LassoEvidence) -> LassoEvidence {
        if evidence.fault.is_none() {
            return evidence;
        }
        let step = Native::new(self.model);
        let product = Product::new(&step, self.watched.0, self.watched.1);
        let store = ExactStore::with_workers(Some(self.limits.memory / 100 * SHARE), 1);
        flat_liveness::shortest(&product, &store, &self.budget()).unwrap_or(evidence)
    }

    fn violated(&self, evidence: &LassoEvidence) -> Judgement {
        if let Some(ProductFault::ClaimFault(fault)) = &evidence.fault
            && fault.kind == FaultKind::ClaimEffect
        {
            return unknown(Reason::unsupported(
                "a claim does more than look at the model, which is not followed here",
            ));
        }
        match replay_claim(self.model, &self.loaded.session.sources, self.watched, evidence) {
            Ok((finding, _)) if finding.is_unknown => unknown_code(&finding),
            Ok((finding, trace)) => Judgement::Violated { finding, trace },
            Err(mismatch) => unknown(Reason::Internal(format!("the replay of a violation disagrees: {mismatch}"))),
        }
    }
}
