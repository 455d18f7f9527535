//! The search through a model's states: in which store, kept where, and what becomes of it when memory is short.
//!
//! Unless the user names a store, states are kept plain as long as they fit, which is fastest; when they do not, the
//! search starts again with compressed states, which take about a tenth; and when these do not fit either, with a few
//! bits for each state, after which nothing better than `unknown` can be said unless something is found. Every step
//! down is announced.

use std::io::Read;
use std::time::Duration;

use unpick_engine_explicit::Reduction;
use unpick_engine_explicit::flat::{
    self, Audit, Checkpoint, FlatEnd, FlatOptions, FlatReduction, FlatSearched, Hashing, Saved,
};
use unpick_ir::automaton::Model;
use unpick_ir::automaton::run::Impossible;
use unpick_jit::Native;
use unpick_pass::Translation;
use unpick_store::{BitstateStore, CompactStore, ExactStore, LoadError, StateStore, TreeStore};
use unpick_system::{Budget, Control as _, Halt, Ledger, ProofKind, Reached, Reason, Ruled, Stats, System, Verdict};

use super::Limits;
use crate::args::StoreArg;
use crate::checkpoint::{Keeper, open};
use crate::failure::{Failure, Outcome};
use crate::watch::Watch;

/// Bits set for a state in a bitstate store.
const N_BITS: u32 = 3;
/// Bits of a signature in a compact store.
const SIGNATURE_BITS: u32 = 64;
/// How much of the memory plain states may take before compressed ones are tried, in percent: the frontier and the
/// way to each state need some too.
const SHARE: u64 = 85;

/// Where a search is kept on disk, and taken up from.
#[derive(Clone, Debug, Default)]
pub struct Disk {
    /// The file to write.
    pub checkpoint: Option<std::path::PathBuf>,
    /// How often.
    pub every: Duration,
    /// The file to go on from.
    pub resume: Option<std::path::PathBuf>,
}

/// A question about all states of a model.
pub struct ModelSearch<'a> {
    pub model: &'a Model,
    /// The program that the model was made of, if it was; then the model is that program's.
    pub program: Option<&'a Translation>,
    pub stops_at_invalid_ends: bool,
    pub limits: &'a Limits,
    pub watch: &'a Watch,
    /// What tells this search from others on disk.
    pub about: u128,
    pub disk: &'a Disk,
}

/// What came of a search.
pub struct Searched {
    pub verdict: Verdict,
    pub stats: Stats,
    /// What the user should know of it.
    pub notes: Vec<String>,
    /// Where processes have stood, if that is known.
    pub reached: Option<Reached>,
}

impl ModelSearch<'_> {
    /// Searches with the store that the user named, or with one that fits.
    pub fn run(&self, n_workers: usize) -> Outcome<Searched> {
        let named = self.limits.store;
        let mut notes = Vec::new();
        let is_kept = self.disk.checkpoint.is_some();
        let mut kinds = match named {
            // What is written again and again should be small.
            StoreArg::Auto if is_kept => vec![StoreArg::Tree],
            StoreArg::Auto => vec![StoreArg::Exact, StoreArg::Tree, StoreArg::Bitstate],
            named => vec![named],
        }
        .into_iter()
        .peekable();
        while let Some(kind) = kinds.next() {
            let mut searched = self.with(kind, n_workers)?;
            let is_full = matches!(&searched.verdict, Verdict::Unknown(why) if why.is_out_of_memory());
            let Some(next) = kinds.peek().filter(|_| is_full) else {
                searched.notes.splice(0..0, notes);
                return Ok(searched);
            };
            let text = format!(
                "{} do not fit into memory ({} found): the search starts again with {}",
                words(kind),
                searched.stats.states,
                words(*next),
            );
            self.watch.milestone(&text);
            notes.push(text);
        }
        unreachable!("the last store should give an answer")
    }

    fn with(&self, kind: StoreArg, n_workers: usize) -> Outcome<Searched> {
        let limit = Some(self.limits.memory / 100 * SHARE);
        let store = match kind {
            StoreArg::Auto | StoreArg::Exact => {
                let new = || Ok(ExactStore::with_workers(limit, n_workers));
                self.store(new, |input| ExactStore::load(input, limit, n_workers))
            }
            StoreArg::Tree => {
                let borders = || flat::borders(self.model);
                let new = || Ok(TreeStore::with_borders(limit, n_workers, borders()));
                self.store(new, |input| TreeStore::load_with_borders(input, limit, n_workers, borders()))
            }
            StoreArg::Compact => {
                let new = || Ok(CompactStore::new(limit, n_workers, SIGNATURE_BITS));
                self.store(new, |input| CompactStore::load(input, limit, n_workers))
            }
            StoreArg::Bitstate => {
                // States that wait and the ways to them take the other half.
                let bytes = self.limits.memory / 2;
                let new = || BitstateStore::new(bytes, n_workers, N_BITS).map_err(|_| Failure::halted(Halt::Memory));
                self.store(new, |input| BitstateStore::load(input, limit, n_workers))
            }
        };
        let (store, saved) = store?;
        self.over(n_workers, &*store, saved)
    }

    /// A store, empty or with what a search on disk had found, and where that search was.
    fn store<T: StateStore + 'static>(
        &self,
        new: impl FnOnce() -> Outcome<T>,
        load: impl FnOnce(&mut dyn Read) -> Result<T, LoadError>,
    ) -> Outcome<(Box<dyn StateStore>, Option<Saved>)> {
        let Some(path) = &self.disk.resume else { return Ok((Box::new(new()?), None)) };
        let mut input = open(path, self.about)?;
        let wrong = |why: String| Failure::new(format!("--resume {}: {why}", path.display()));
        let saved = Saved::read(&mut input).map_err(|error| wrong(error.to_string()))?;
        let store = load(&mut input).map_err(|error| wrong(error.to_string()))?;
        Ok((Box::new(store), Some(saved)))
    }

    /// Searches over a store, from the beginning or from where a search on disk ended.
    fn over(&self, n_workers: usize, store: &dyn StateStore, saved: Option<Saved>) -> Outcome<Searched> {
        let keeper = self.disk.checkpoint.as_deref().map(|path| Keeper::new(path, self.about, self.disk.every));
        let options = FlatOptions {
            n_workers,
            stops_at_faults: true,
            stops_at_invalid_ends: self.stops_at_invalid_ends,
            reduction: match self.limits.reduction {
                Reduction::None => FlatReduction::None,
                // What a store forgets by chance would be lost with all that others leave to it.
                Reduction::Sleep if !store.is_exact() => FlatReduction::None,
                Reduction::Sleep => FlatReduction::Sleep,
                Reduction::GlobalAccess | Reduction::Superstep | Reduction::Dpor => FlatReduction::Ample,
            },
            hashing: self.limits.hashing,
            order: self.limits.order,
        };
        let budget = Budget {
            memory_bytes: Some(self.limits.memory),
            depth: self.limits.depth,
            unwind: None,
            control: self.watch,
        };
        let checkpoint = keeper.as_ref().map(|keeper| keeper as &dyn Checkpoint);
        let native = Native::new(self.model);
        let is_wrong = |state: &[u8]| self.program.is_some_and(|program| program.has_race(state));
        let may_stop = |state: &[u8]| self.program.is_some_and(|program| program.may_exit(state));
        // What automata do not say of a program: data races, and that the end of the program is the end of all threads.
        let ruled = Ruled { system: &native, is_wrong: &is_wrong, may_stop: &may_stop };
        let system: &dyn System = if self.program.is_some() { &ruled } else { &native };
        let FlatSearched { end, stats, audit, reached } =
            flat::search(system, store, options, saved, checkpoint, &budget);
        let mut notes: Vec<String> = keeper.and_then(|keeper| keeper.failure()).into_iter().collect();
        notes.extend(audit.map(|audit| {
            let Audit { n_compared, n_mismatches } = audit;
            format!("{n_compared} hashes were computed from scratch too, {n_mismatches} of them differ")
        }));
        // What was reached before is not kept on disk.
        let reached = self.disk.resume.is_none().then_some(reached);
        Ok(Searched { verdict: verdict(end, stats.states, store.is_exact()), stats, notes, reached })
    }
}

/// What the end of a search says about the question.
fn verdict(end: FlatEnd, n_states: u64, is_exact: bool) -> Verdict {
    let mut ledger = Ledger::default();
    match end {
        FlatEnd::Exhausted => {
            if !is_exact {
                ledger.add(Reason::LossyStore);
            }
            ledger.settle(ProofKind::Exhausted { n_states })
        }
        FlatEnd::Halted(limit) => ledger.halted(Reason::limit(limit)),
        FlatEnd::Violated(run) => run.into(),
        FlatEnd::Mismatch(impossible) => ledger.halted(mismatch(impossible)),
    }
}

/// Native code and interpreter disagree.
pub fn mismatch(impossible: Impossible) -> Reason {
    Reason::Internal(format!("the interpreter cannot follow the search: {impossible}"))
}

fn words(kind: StoreArg) -> &'static str {
    match kind {
        StoreArg::Auto | StoreArg::Exact => "plain states",
        StoreArg::Tree => "compressed states",
        StoreArg::Compact => "signatures of states",
        StoreArg::Bitstate => "a few bits for each state",
    }
}

/// Tells searches on disk apart: the model as it is searched, layout of states included, and everything that changes
/// what is found.
pub fn about(model: &Model, properties: &[String], limits: &Limits) -> u128 {
    let is_full = limits.hashing == Hashing::Full;
    let what = format!("{model:?}\0{properties:?}\0{:?}\0{:?}\0{is_full}", limits.reduction, limits.store);
    xxhash_rust::xxh3::xxh3_128(what.as_bytes())
}
