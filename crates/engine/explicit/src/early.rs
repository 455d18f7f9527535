//! Bug hunting beside exhaustive search: random schedules, and iterative deepening over small bounds on loops,
//! preemptions and choices.
//!
//! A depth-first search can lose itself in one corner of a large program although an error lies close to the start of
//! most executions. So it pauses now and then, each time after twice the work, and a small part of the work done since
//! goes into two other things: executions in which threads and values are chosen at random, the same ones in every run
//! of unpick; and complete searches below bounds on loop iterations, preemptions and choices, from small to large. What
//! they find is evidence like any other. What they do not find says nothing, so no proof rests on them. Work is counted
//! and not timed: the answer does not depend on how fast the machine is.

use unpick_program::interp::State;
use unpick_system::{Budget, Measure, ProgramRun, Stats};

use crate::loops::Loops;
use crate::macro_step::MacroStepEnd;
use crate::order::mix;
use crate::schedule::Scheduled;
use crate::search::{End, Search};

/// Work before the first pause.
const FIRST_PAUSE: u64 = 200_000;
/// One of so many units of work goes into short executions, and as much into searches within bounds.
const SHARE: u64 = 32;
/// Work of the shortest executions; every pause doubles it.
const SHORT: u64 = 4_000;
/// Short executions get at least so much work in the first pause, so that there are some.
const LEAST: u64 = 50_000;
/// Bounds that are searched in one pause.
const LEVELS_AT_ONCE: u32 = 2;
/// Beyond this many levels a search within bounds is the search without.
const MAX_LEVEL: u32 = 20;

/// What has been tried so far.
pub(crate) struct Early {
    seed: u64,
    /// Where the search pauses next.
    pub pause_at: u64,
    /// Where it paused last.
    paused_at: u64,
    n_pauses: u32,
    /// Executions so far.
    n_runs: u64,
    /// Levels that have been searched completely; they come first.
    n_closed: u32,
    /// Nothing lies beyond the bounds that were searched.
    is_over: bool,
    /// Transitions, executions and instructions that this has cost.
    cost: (u64, u64, u64),
}

impl Early {
    pub(crate) fn new(seed: Option<u64>) -> Self {
        Self {
            seed: seed.unwrap_or(0),
            pause_at: FIRST_PAUSE,
            paused_at: 0,
            n_pauses: 0,
            n_runs: 0,
            n_closed: 0,
            is_over: false,
            cost: (0, 0, 0),
        }
    }

    /// The search pauses after so much work: looks for something elsewhere. `new` makes a search like the one that
    /// pauses.
    pub(crate) fn look<'p>(
        &mut self,
        work: u64,
        has_threads: bool,
        budget: &Budget<'_>,
        new: impl Fn() -> Search<'p>,
    ) -> Option<(ProgramRun, Search<'p>)> {
        let share = (work - self.paused_at) / SHARE;
        (self.paused_at, self.pause_at) = (work, work.saturating_mul(2));
        self.n_pauses += 1;
        if self.is_over {
            return None;
        }
        let mut sampler = new();
        let least = if self.n_pauses == 1 { LEAST } else { 0 };
        let found = self.run_some(&mut sampler, share.max(least), budget);
        self.count(&sampler);
        if let Some(evidence) = found {
            return Some((evidence, sampler));
        }
        let levels = self.n_closed..(self.n_closed + LEVELS_AT_ONCE).min(MAX_LEVEL);
        let share = share / u64::from(LEVELS_AT_ONCE);
        for level in levels {
            let mut bounded = new();
            let end = bounded.explore_level(level, share, has_threads, budget);
            self.count(&bounded);
            match end {
                End::Found(evidence) => return Some((evidence, bounded)),
                End::Finished(ledger) => {
                    self.is_over |= ledger.is_empty();
                    self.n_closed += u32::from(level == self.n_closed);
                }
                End::Halted(_) => {}
            }
        }
        None
    }

    /// Executions in varied orders until so much work is done.
    fn run_some(&mut self, search: &mut Search<'_>, share: u64, budget: &Budget<'_>) -> Option<ProgramRun> {
        let length = SHORT << self.n_pauses.min(20);
        let first = search.machine.initial();
        while search.done() < share {
            search.meter.pause_at = share.min(search.done() + length);
            let dice = Dice::new(mix(self.seed) ^ self.n_runs, self.n_runs);
            self.n_runs += 1;
            match search.run_at_random(first.clone(), dice, budget) {
                Some(End::Found(evidence)) => return Some(evidence),
                Some(End::Halted(_)) => return None,
                Some(End::Finished(_)) | None => {}
            }
            // Every execution is this one, or is as long before the first choice.
            if search.meter.stats.transitions == 0 {
                break;
            }
        }
        None
    }

    /// What the last look counts as the work before it.
    pub(crate) fn last_look(&self) -> u64 {
        self.paused_at + 8 * FIRST_PAUSE
    }

    /// Adds what this has cost.
    pub(crate) fn add_cost(&self, stats: &mut Stats) {
        let (transitions, executions, instructions) = self.cost;
        stats.transitions += transitions;
        stats.executions += executions;
        stats.instructions += instructions;
    }

    fn count(&mut self, search: &Search<'_>) {
        let stats = search.stats();
        self.cost.0 += stats.transitions;
        self.cost.1 += stats.executions;
        self.cost.2 += stats.instructions;
    }
}

impl Search<'_> {
    /// One execution; nothing is stored. `None` if it ended, or was long enough, and nothing was wrong.
    fn run_at_random(&mut self, mut state: State, mut dice: Dice, budget: &Budget<'_>) -> Option<End> {
        let (mut thread, mut known) = (0, None);
        self.observer.loops = Loops::default();
        self.observer.is_retry = false;
        self.observer.footprint.clear();
        loop {
            let macro_step = match self.macro_step(&mut state, thread, false, budget) {
                MacroStepEnd::Cut { by_state } => self.cut_here(&state, thread, by_state),
                macro_step => macro_step,
            };
            match macro_step {
                MacroStepEnd::Value(choice) | MacroStepEnd::Samples(choice) => {
                    self.meter.stats.transitions += 1;
                    self.machine.pick(&mut state, &choice, dice.value(choice.n_options));
                    self.observer.is_retry = state.is_at_terminator(self.machine.program, thread);
                }
                MacroStepEnd::Schedule(without) => match self.schedule(&state, thread, known.take(), without) {
                    Scheduled::Threads(enabled, next) => {
                        self.meter.stats.transitions += 1;
                        thread = dice.thread(&enabled, thread);
                        state.record_thread(thread);
                        known = Some(next);
                        self.observer.is_retry = false;
                        self.observer.footprint.clear();
                    }
                    Scheduled::Over => break,
                    Scheduled::Violated(violation) => return Some(self.found(&state, violation)),
                },
                MacroStepEnd::Over | MacroStepEnd::Cut { .. } => break,
                MacroStepEnd::Violated(violation) => return Some(self.found(&state, violation)),
                MacroStepEnd::Halted(_) if self.meter.is_paused => break,
                MacroStepEnd::Halted(limit) => return Some(self.halt(limit)),
            }
            match self.poll(budget) {
                Some(_) if self.meter.is_paused => break,
                Some(limit) => return Some(self.halt(limit)),
                None => {}
            }
        }
        self.meter.stats.executions += 1;
        None
    }

    /// A search within bounds that grow with the level, as far as the work goes.
    fn explore_level(&mut self, level: u32, work: u64, has_threads: bool, budget: &Budget<'_>) -> End {
        self.meter.pause_at = work;
        let unwind = Some(budget.unwind.unwrap_or(u64::MAX).min(1 << level));
        let memory_bytes = budget.memory_bytes.map(|bytes| bytes / 8);
        let within = Budget { unwind, memory_bytes, ..*budget };
        if has_threads {
            return self.explore_bounds(Measure::Preemptions, Some(1 + level / 2), &within);
        }
        self.explore(&Budget { depth: Some(16 << level), ..within })
    }
}

/// Chooses threads and values of one execution.
struct Dice {
    state: u64,
    /// A thread that can go on is left once in so many times.
    leaves: u64,
    /// Threads have random priorities of this seed (as in PCT, Burckhardt et al. 2010), lowered when a thread is left.
    has_ranks: bool,
    last: Vec<usize>,
}

impl Dice {
    /// Executions differ in how often threads change, and in whether some threads are slow.
    fn new(seed: u64, run: u64) -> Self {
        let leaves = [2, 8, 32, 3][(run % 4) as usize];
        Self { state: mix(seed), leaves, has_ranks: run % 8 >= 4, last: Vec::new() }
    }

    fn below(&mut self, n: u64) -> u64 {
        self.state = mix(self.state);
        self.state % n.max(1)
    }

    fn value(&mut self, n_options: u128) -> u128 {
        if n_options <= 4 {
            return u128::from(self.below(n_options as u64));
        }
        // Ends of ranges are where errors are.
        match self.below(4) {
            0 => 0,
            1 => n_options - 1,
            _ => u128::from(self.below(u64::try_from(n_options).unwrap_or(u64::MAX))),
        }
    }

    fn thread(&mut self, enabled: &[usize], running: usize) -> usize {
        if enabled.contains(&running) && self.below(self.leaves) != 0 {
            return running;
        }
        if self.has_ranks {
            self.last.retain(|other| *other != running);
            self.last.push(running);
            let rank = |other: &&usize| self.last.iter().position(|last| last == *other).map_or(0, |at| at + 1);
            return enabled.iter().min_by_key(rank).copied().unwrap_or(running);
        }
        enabled[self.below(enabled.len() as u64) as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dice_are_the_same_for_the_same_seed_and_reach_everything() {
        let throw = |seed, run| {
            let (mut dice, mut thread) = (Dice::new(seed, run), 0);
            let mut throw = || {
                thread = dice.thread(&[0, 1, 2], thread);
                (thread, dice.value(3), dice.value(u128::MAX))
            };
            (0..500).map(|_| throw()).collect::<Vec<_>>()
        };
        for run in 0..8 {
            assert_eq!(throw(1, run), throw(1, run));
            assert_ne!(throw(1, run), throw(2, run));
            for thread in 0..3 {
                assert!(throw(1, run).iter().any(|(other, ..)| *other == thread), "run {run}, thread {thread}");
            }
            assert!((0..3).all(|value| throw(1, run).iter().any(|(_, other, _)| *other == value)));
        }
    }
}
