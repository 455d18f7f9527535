//! The engine for liveness of automata: the product with a claim, acceptance or progress is searched for accepting
//! cycles.

use std::sync::Mutex;

use unpick_automaton::Model;
use unpick_store::{ExactStore, NumberedTreeStore, Recall, StepDownStore};
use unpick_system::{
    Answer, AutomatonRun, Control, Engine, Goal, Guidance, Ledger, LivenessProperty, Product, ProofKind, Reason,
    Reduction, Stats, StoreKind, Strategy, Subject, Task, Unfit,
};

use super::{Compile, MAX_REPEATED, mismatch, share, step_down_note};
use crate::couvreur::{self, LivenessEnd};
use crate::vector_search::cycles::{self, CycleOptions};

/// Looks for executions that something accepts which watches the automata; one such goal at a time.
pub struct Cycles(pub &'static dyn Compile);

impl Engine for Cycles {
    fn name(&self) -> &'static str {
        "cycles"
    }

    fn supports(&self, task: &Task<'_>) -> Result<(), Unfit> {
        question(task).map(|_| ()).ok_or(Unfit::Foreign)
    }

    fn run(&self, task: &Task<'_>, control: &dyn Control) -> Answer {
        match question(task) {
            Some((model, watched)) => {
                Question { compile: self.0, model, watched, strategy: task.strategy, control }.decide()
            }
            None => {
                let why = Reason::unsupported("only what watches automata is searched for");
                Answer::new(Ledger::default().halted(why), Stats::default())
            }
        }
    }
}

/// What is looked for, and whether only weakly fair executions count.
type Watched = (LivenessProperty, bool);

fn question<'t>(task: &Task<'t>) -> Option<(&'t Model, Watched)> {
    match (task.subject, task.goals, &task.strategy.guidance) {
        (Subject::Automata(model, None), [Goal::Unseen { watch, is_fair }], Guidance::Free) => {
            Some((model, (*watch, *is_fair)))
        }
        _another_question => None,
    }
}

/// One claim.
struct Question<'a> {
    compile: &'a dyn Compile,
    model: &'a Model,
    watched: Watched,
    strategy: &'a Strategy,
    control: &'a dyn Control,
}

impl Question<'_> {
    fn decide(&self) -> Answer {
        let mut notes = Vec::new();
        let kind = match self.strategy.vectors.store {
            kind @ (StoreKind::Auto | StoreKind::Exact | StoreKind::Tree) => kind,
            StoreKind::Compact | StoreKind::Bitstate => {
                notes.push(
                    "claims are decided over whole states, compressed ones: a lossy store has no cycles".to_owned(),
                );
                StoreKind::Tree
            }
        };
        let note = Mutex::new(None);
        let stepped_down = |n_states| {
            let text = step_down_note(n_states);
            self.control.milestone(&text);
            *note.lock().expect("nobody should panic here") = Some(text);
        };
        let (mut end, mut stats) = self.search(kind, self.strategy.n_workers, &stepped_down);
        notes.extend(note.lock().expect("nobody should panic here").take());
        if matches!(end, LivenessEnd::Violated(_) | LivenessEnd::Lost)
            && self.strategy.n_workers > 1
            && stats.states <= MAX_REPEATED
        {
            // Which execution is shown should not depend on the speed of workers.
            if let (again @ LivenessEnd::Violated(_), again_stats) = self.search(kind, 1, &|_| {}) {
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
        Answer { assumptions: notes, ..Answer::new(verdict, stats) }
    }

    /// The plain search: one worker, every step, plain states.
    fn search_unreduced(&self) -> (LivenessEnd, Stats) {
        let system = self.compile.compile(self.model, false);
        let product = Product::new(&*system, &self.model.claims, self.watched.0, self.watched.1);
        let store = ExactStore::with_workers(share(self.strategy.memory_bytes), 1);
        couvreur::search(&product, &store, &self.strategy.budget(self.control))
    }

    fn search(&self, kind: StoreKind, n_workers: usize, stepped_down: &(dyn Fn(u64) + Sync)) -> (LivenessEnd, Stats) {
        let system = self.compile.compile(self.model, false);
        let product = Product::new(&*system, &self.model.claims, self.watched.0, self.watched.1);
        let limit = share(self.strategy.memory_bytes);
        let budget = self.strategy.budget(self.control);
        let options = CycleOptions {
            reduces: !matches!(self.strategy.reduction, Reduction::None | Reduction::Sleep),
            order: self.strategy.vectors.order,
        };
        if !cycles::is_possible(&product) {
            return self.search_unreduced();
        }
        let plain = || ExactStore::with_workers(limit, n_workers);
        let tree = || NumberedTreeStore::with_workers(limit, n_workers);
        let store: Box<dyn Recall + '_> = match kind {
            StoreKind::Auto => Box::new(StepDownStore::new(plain(), tree, stepped_down)),
            StoreKind::Exact => Box::new(plain()),
            StoreKind::Tree | StoreKind::Compact | StoreKind::Bitstate => Box::new(tree()),
        };
        cycles::search(&product, &*store, options, &budget)
    }

    /// A shortest execution instead, where no endless one is needed to violate the claim.
    fn shorter(&self, run: AutomatonRun) -> AutomatonRun {
        if run.loop_from.is_some() {
            return run;
        }
        let system = self.compile.compile(self.model, false);
        let product = Product::new(&*system, &self.model.claims, self.watched.0, self.watched.1);
        let store = ExactStore::with_workers(share(self.strategy.memory_bytes), 1);
        cycles::shortest(&product, &store, &self.strategy.budget(self.control)).unwrap_or(run)
    }
}
