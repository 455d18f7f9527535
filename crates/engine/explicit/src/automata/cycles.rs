//! The engine for liveness of automata: the product with a claim, acceptance or progress is searched for accepting
//! cycles.

use std::sync::Mutex;

use unpick_automaton::Model;
use unpick_store::{ExactStore, NumberedTreeStore, Recall, StepDownStore};
use unpick_system::{
    Answer, AutomatonRun, Control, Engine, Goal, Guidance, Ledger, LivenessProperty, Product, ProofKind, Reason,
    Reduction, Ruled, Rules, Stats, StoreKind, Strategy, Subject, System, Task, Unfit,
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
            Some((model, rules, watched)) => {
                Question { compile: self.0, model, rules, watched, strategy: task.strategy, control }.decide()
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

/// The automata, and what they leave to others to say.
type Watching<'t> = (&'t Model, Option<&'t dyn Rules>, Watched);

fn question<'t>(task: &Task<'t>) -> Option<Watching<'t>> {
    match (task.subject, task.goals, &task.strategy.guidance) {
        (Subject::Automata(model, rules), [Goal::Unseen { watch, is_fair }], Guidance::Free) => {
            Some((model, rules, (*watch, *is_fair)))
        }
        _another_question => None,
    }
}

/// One claim.
struct Question<'a> {
    compile: &'a dyn Compile,
    model: &'a Model,
    rules: Option<&'a dyn Rules>,
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

    /// Does something with the product of the automata, under their rules, and what watches them.
    fn over_product<R>(&self, run: impl FnOnce(&Product<'_>) -> R) -> R {
        let automata = self.compile.compile(self.model, false);
        let ruled = self.rules.map(|rules| Ruled { system: &*automata, rules });
        let system: &dyn System = ruled.as_ref().map_or(&*automata, |ruled| ruled);
        run(&Product::new(system, &self.model.claims, self.watched.0, self.watched.1))
    }

    /// The plain search: one worker, every step, plain states.
    fn search_unreduced(&self) -> (LivenessEnd, Stats) {
        let store = ExactStore::with_workers(share(self.strategy.memory_bytes), 1);
        self.over_product(|product| couvreur::search(product, &store, &self.strategy.budget(self.control)))
    }

    fn search(&self, kind: StoreKind, n_workers: usize, stepped_down: &(dyn Fn(u64) + Sync)) -> (LivenessEnd, Stats) {
        let limit = share(self.strategy.memory_bytes);
        let budget = self.strategy.budget(self.control);
        let options = CycleOptions {
            reduces: !matches!(self.strategy.reduction, Reduction::None | Reduction::Sleep),
            order: self.strategy.vectors.order,
        };
        let plain = || ExactStore::with_workers(limit, n_workers);
        let tree = || NumberedTreeStore::with_workers(limit, n_workers);
        let store: Box<dyn Recall + '_> = match kind {
            StoreKind::Auto => Box::new(StepDownStore::new(plain(), tree, stepped_down)),
            StoreKind::Exact => Box::new(plain()),
            StoreKind::Tree | StoreKind::Compact | StoreKind::Bitstate => Box::new(tree()),
        };
        let found = self.over_product(|product| {
            cycles::is_possible(product).then(|| cycles::search(product, &*store, options, &budget))
        });
        found.unwrap_or_else(|| self.search_unreduced())
    }

    /// A shortest execution instead, where no endless one is needed to violate the claim.
    fn shorter(&self, run: AutomatonRun) -> AutomatonRun {
        if run.loop_from.is_some() {
            return run;
        }
        let store = ExactStore::with_workers(share(self.strategy.memory_bytes), 1);
        let found = self.over_product(|product| cycles::shortest(product, &store, &self.strategy.budget(self.control)));
        found.unwrap_or(run)
    }
}
