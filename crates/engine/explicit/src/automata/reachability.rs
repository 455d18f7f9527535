//! Whether a fault or an invalid end can be reached, over stores from plain to lossy.

use std::io::{self, Read, Write};
use std::sync::Mutex;

use unpick_automaton::Model;
use unpick_program::ViolationKind;
use unpick_store::{BitstateStore, CompactStore, ExactStore, LoadError, StateStore, StepDownStore, TreeStore};
use unpick_system::{
    Answer, Checkpoint, Control, Engine, Guidance, Ledger, Limit, ProofKind, PropertySet, Reason, Reduction, Ruled,
    Rules, Stats, StoreKind, Strategy, Subject, System, Task, Unfit, Verdict,
};

use super::{Compile, MAX_REPEATED, mismatch, share, step_down_note, words};
use crate::safety;
use crate::vector_search::{self, Audit, Saved, SearchEnd, SearchOptions, SearchResult, VectorReduction};

/// Bits set for a state in a bitstate store.
const N_BITS: u32 = 3;
/// Bits of a signature in a compact store.
const SIGNATURE_BITS: u32 = 64;
/// What a bitstate store takes without a given amount of memory.
const BITSTATE_BYTES: u64 = 1 << 30;

/// Searches all states of automata on all cores; see the module.
pub struct Reachability(pub &'static dyn Compile);

impl Engine for Reachability {
    fn name(&self) -> &'static str {
        "reachability"
    }

    fn supports(&self, task: &Task<'_>) -> Result<(), Unfit> {
        question(task).map(|_| ()).ok_or(Unfit::Foreign)
    }

    fn run(&self, task: &Task<'_>, control: &dyn Control) -> Answer {
        let Some((model, rules, properties)) = question(task) else {
            let why = Reason::unsupported("only safety properties of automata are searched for");
            return Answer::new(Ledger::default().halted(why), Stats::default());
        };
        let search = Search { compile: self.0, model, rules, properties, strategy: task.strategy, control };
        let answer = search.over_stores(task.strategy.n_workers);
        let is_resumed = answer.reached.is_none();
        let is_repeatable = task.strategy.n_workers > 1 && answer.stats.states <= MAX_REPEATED && !is_resumed;
        if matches!(answer.verdict, Verdict::Fails(_)) && is_repeatable {
            // Which execution is shown should not depend on the speed of workers.
            let again = search.over_stores(1);
            if matches!(again.verdict, Verdict::Fails(_)) {
                return Answer { reached: answer.reached, ..again };
            }
        }
        answer
    }
}

fn question<'t>(task: &Task<'t>) -> Option<(&'t Model, Option<&'t dyn Rules>, PropertySet)> {
    match (task.subject, &task.strategy.guidance) {
        (Subject::Automata(model, rules), Guidance::Free) => Some((model, rules, safety(task.goals)?)),
        _another_subject_or_a_hint => None,
    }
}

/// A store, and where the search over it was put aside if it goes on.
type Opened<'s> = (Box<dyn StateStore + 's>, Option<Saved>);

struct Search<'a> {
    compile: &'a dyn Compile,
    model: &'a Model,
    rules: Option<&'a dyn Rules>,
    properties: PropertySet,
    strategy: &'a Strategy,
    control: &'a dyn Control,
}

impl Search<'_> {
    /// Searches with the store that was named, or with one that fits.
    fn over_stores(&self, n_workers: usize) -> Answer {
        let mut notes = Vec::new();
        let is_kept = self.control.checkpoint().is_some();
        let kinds = match self.strategy.vectors.store {
            // What is written repeatedly should be small.
            StoreKind::Auto if is_kept => vec![StoreKind::Tree],
            StoreKind::Auto => vec![StoreKind::Auto, StoreKind::Bitstate],
            named => vec![named],
        };
        let mut kinds = kinds.into_iter().peekable();
        while let Some(kind) = kinds.next() {
            let mut answer = self.over(kind, n_workers);
            let is_full = matches!(&answer.verdict, Verdict::Unknown(why) if why.is_out_of_memory());
            let Some(next) = kinds.peek().filter(|_| is_full) else {
                answer.assumptions.splice(0..0, notes);
                return answer;
            };
            let text = format!(
                "{} do not fit into memory ({} found): the search starts again with {}",
                words(if kind == StoreKind::Auto { StoreKind::Tree } else { kind }),
                answer.stats.states,
                words(*next),
            );
            self.control.milestone(&text);
            // That plain states became compressed ones before is told as well.
            notes.append(&mut answer.assumptions);
            notes.push(text);
        }
        unreachable!("the last store should give an answer")
    }

    /// Opens a store; `stepped_down` is told if plain states had to become compressed ones.
    fn open<'s>(
        &'s self,
        kind: StoreKind,
        n_workers: usize,
        stepped_down: &'s (dyn Fn(u64) + Sync),
    ) -> Result<Opened<'s>, Reason> {
        let limit = share(self.strategy.memory_bytes);
        match kind {
            StoreKind::Auto => {
                let plain = ExactStore::with_workers(limit, n_workers);
                let tree = move || TreeStore::with_borders(limit, n_workers, vector_search::borders(self.model));
                Ok((Box::new(StepDownStore::new(plain, tree, stepped_down)), None))
            }
            StoreKind::Exact => {
                let new = || Ok(ExactStore::with_workers(limit, n_workers));
                self.begin(new, |input| ExactStore::load(input, limit, n_workers))
            }
            StoreKind::Tree => {
                let borders = || vector_search::borders(self.model);
                let new = || Ok(TreeStore::with_borders(limit, n_workers, borders()));
                self.begin(new, |input| TreeStore::load_with_borders(input, limit, n_workers, borders()))
            }
            StoreKind::Compact => {
                let new = || Ok(CompactStore::new(limit, n_workers, SIGNATURE_BITS));
                self.begin(new, |input| CompactStore::load(input, limit, n_workers))
            }
            StoreKind::Bitstate => {
                // States that wait and the ways to them take the other half.
                let bytes = self.strategy.memory_bytes.map_or(BITSTATE_BYTES, |bytes| bytes / 2);
                let full = |_| Reason::limit(Limit::Memory);
                let new = || BitstateStore::new(bytes, n_workers, N_BITS).map_err(full);
                self.begin(new, |input| BitstateStore::load(input, limit, n_workers))
            }
        }
    }

    /// A store, empty or with what a search on disk had found, and where that search was.
    fn begin<T: StateStore + 'static>(
        &self,
        new: impl FnOnce() -> Result<T, Reason>,
        load: impl Fn(&mut dyn Read) -> Result<T, LoadError>,
    ) -> Result<Opened<'static>, Reason> {
        let mut opened = None;
        let mut read = |input: &mut dyn Read| {
            let saved = Saved::read(input)?;
            let store = load(input).map_err(|error| io::Error::other(error.to_string()))?;
            opened = Some((store, saved));
            Ok(())
        };
        if let Some(checkpoint) = self.control.checkpoint() {
            let refused =
                |error: io::Error| Reason::unsupported(format!("the search on disk is not taken up: {error}"));
            checkpoint.resume(self.strategy.about, &mut read).map_err(refused)?;
        }
        Ok(match opened {
            Some((store, saved)) => (Box::new(store), Some(saved)),
            None => (Box::new(new()?), None),
        })
    }

    /// Searches over one store, from the beginning or from where a search on disk ended.
    fn over(&self, kind: StoreKind, n_workers: usize) -> Answer {
        let note = Mutex::new(None);
        let stepped_down = |n_states| {
            let text = step_down_note(n_states);
            self.control.milestone(&text);
            *note.lock().expect("nobody should panic here") = Some(text);
        };
        let (store, saved) = match self.open(kind, n_workers, &stepped_down) {
            Ok(opened) => opened,
            Err(reason) => {
                let stats = Stats { engine: "explicit", ..Stats::default() };
                return Answer::new(Ledger::default().halted(reason), stats);
            }
        };
        let is_resumed = saved.is_some();
        let hashing = self.strategy.vectors.hashing.chosen(self.model, kind);
        let options = SearchOptions {
            n_workers,
            stops_at_faults: true,
            stops_at_invalid_ends: [ViolationKind::EndState, ViolationKind::Deadlock]
                .into_iter()
                .any(|kind| self.properties.contains(kind)),
            reduction: match self.strategy.reduction {
                Reduction::None => VectorReduction::None,
                // What a store forgets by chance would be lost with all that others leave to it.
                Reduction::Sleep if !store.is_exact() => VectorReduction::None,
                Reduction::Sleep => VectorReduction::Sleep,
                Reduction::GlobalAccess | Reduction::Superstep | Reduction::Dpor => VectorReduction::Ample,
            },
            hashing,
            order: self.strategy.vectors.order,
        };
        let checkpoint = self.control.checkpoint();
        let keeper = checkpoint.map(|checkpoint| Keeper { checkpoint, about: self.strategy.about });
        let keeper = keeper.as_ref().map(|keeper| keeper as &dyn vector_search::Checkpoint);
        let automata = self.compile.compile(self.model, hashing.is_incremental() && store.uses_hash());
        let ruled = self.rules.map(|rules| Ruled { system: &*automata, rules });
        let system: &dyn System = ruled.as_ref().map_or(&*automata, |ruled| ruled);
        let budget = self.strategy.budget(self.control);
        let SearchResult { end, stats, audit, reached } =
            vector_search::search(system, &*store, options, saved, keeper, &budget);
        let mut notes: Vec<String> = checkpoint.and_then(|checkpoint| checkpoint.failure()).into_iter().collect();
        notes.extend(note.lock().expect("nobody should panic here").take());
        notes.extend(audit.map(|audit| {
            let Audit { n_compared, n_mismatches } = audit;
            format!("{n_compared} hashes were computed from scratch too, {n_mismatches} of them differ")
        }));
        Answer {
            assumptions: notes,
            // What was reached before is not kept on disk.
            reached: (!is_resumed).then_some(reached),
            ..Answer::new(verdict(end, stats.states, store.is_exact()), stats)
        }
    }
}

/// What the end of a search says about the question.
fn verdict(end: SearchEnd, n_states: u64, is_exact: bool) -> Verdict {
    let mut ledger = Ledger::default();
    match end {
        SearchEnd::Exhausted => {
            if !is_exact {
                ledger.add(Reason::LossyStore);
            }
            ledger.settle(ProofKind::Exhausted { n_states })
        }
        SearchEnd::Halted(limit) => ledger.halted(Reason::limit(limit)),
        SearchEnd::Violated(run) => run.into(),
        SearchEnd::Mismatch(impossible) => ledger.halted(mismatch(impossible)),
    }
}

/// Keeps one search.
struct Keeper<'a> {
    checkpoint: &'a dyn Checkpoint,
    about: u128,
}

impl vector_search::Checkpoint for Keeper<'_> {
    fn is_due(&self) -> bool {
        self.checkpoint.is_due()
    }

    fn save(&self, write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>) {
        self.checkpoint.save(self.about, write);
    }
}
