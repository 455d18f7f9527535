//! Context-bounded search (Qadeer and Rehof 2005; Musuvathi and Qadeer 2007): first without preemptions, then with one,
//! and so on.
//!
//! Most concurrency errors need few switches, and the executions that show them with the fewest are the ones people
//! understand. A bucket holds states to go on from with the thread that ran last; running that thread on is free,
//! leaving it although it could go on costs one *preemption* (a *switch* is any change of thread). States where
//! another thread could take over are kept for the next bucket. A state is kept with its least cost and the
//! threads that reached it at that cost: dearer visits are dominated, because changing over costs at most one. When
//! a bucket meets no new state, nothing new lies beyond any bound, and the search is a proof.
//!
//! No reduction thins this search out: the representative that a partial-order reduction keeps may need more
//! switches than the execution it stands for.

use std::collections::VecDeque;
use std::rc::Rc;

use unpick_program::interp::{Choice, State};
use unpick_store::{Seen, StateId};
use unpick_system::{Bound, Budget, Limit, Measure, Reason};

use crate::loops::Loops;
use crate::macro_step::MacroStepEnd;
use crate::schedule::Scheduled;
use crate::search::{End, Search};

/// States with a thread to run on.
#[derive(Default)]
pub(crate) struct Buckets {
    /// What is to be done at the present cost.
    now: VecDeque<Work>,
    /// States from which others may take over, at one more.
    later: Vec<Remembered>,
    /// Cost and threads of each stored state.
    visits: Vec<Visit>,
    /// Bounds that have been searched completely.
    pub closed: Vec<Bound>,
}

enum Work {
    /// The thread moves.
    Run { state: State, thread: usize, loops: Loops },
    /// The thread, in the middle of a step, has options left.
    Choose { state: State, thread: usize, loops: Loops, choice: Choice, next: u128 },
}

struct Remembered {
    state: State,
    loops: Loops,
    id: StateId,
    enabled: Rc<[usize]>,
}

/// The least cost at which a state was met, and the threads that ran last then.
#[derive(Clone, Copy)]
struct Visit {
    cost: u32,
    threads: u64,
}

const NEVER: Visit = Visit { cost: u32::MAX, threads: 0 };

impl Search<'_> {
    /// Searches bound after bound, up to the greatest one if it is given.
    pub(crate) fn explore_bounds(&mut self, measure: Measure, max: Option<u32>, budget: &Budget<'_>) -> End {
        let mut buckets = Buckets::default();
        let state = self.machine.initial();
        buckets.now.push_back(Work::Run { state, thread: 0, loops: Loops::default() });
        let mut cost = 0;
        loop {
            let n_before = self.n_states();
            // Beyond the greatest bound it is only asked whether anything new is there.
            let is_beyond = max.is_some_and(|max| cost > max);
            while let Some(work) = buckets.now.pop_front() {
                if let Some(end) = self.work(work, &mut buckets, measure, cost, budget) {
                    if !is_beyond || matches!(end, End::Halted(_)) {
                        self.bounds = buckets.closed;
                        return end;
                    }
                    return self.bounded(buckets, measure, cost - 1);
                }
                if is_beyond && self.n_states() > n_before {
                    return self.bounded(buckets, measure, cost - 1);
                }
            }
            let is_new = self.n_states() > n_before;
            if !is_beyond && is_new {
                let closed = Bound { measure, bound: cost, n_states: self.n_states() };
                let text = format!("no violation within {}: {} states", closed.text(), closed.n_states);
                budget.control.milestone(&text);
                buckets.closed.push(closed);
            }
            if cost > 0 && !is_new {
                self.bounds = buckets.closed;
                return self.finish();
            }
            cost += 1;
            if let Some(end) = self.take_over(&mut buckets, budget) {
                self.bounds = buckets.closed;
                return end;
            }
        }
    }

    fn bounded(&mut self, buckets: Buckets, measure: Measure, bound: u32) -> End {
        self.findings.ledger.add(Reason::Bounded(Bound { measure, bound, n_states: self.n_states() }));
        self.bounds = buckets.closed;
        self.finish()
    }

    /// Fills the next bucket: at every remembered state, each thread that has not run there.
    fn take_over(&mut self, buckets: &mut Buckets, budget: &Budget<'_>) -> Option<End> {
        for Remembered { state, loops, id, enabled } in std::mem::take(&mut buckets.later) {
            let visit = buckets.visits[id.0 as usize];
            for thread in enabled.iter().filter(|thread| visit.threads >> **thread & 1 == 0) {
                let mut state = state.clone();
                state.record_thread(*thread);
                buckets.now.push_back(Work::Run { state, thread: *thread, loops: loops.clone() });
            }
            if let Some(limit) = self.poll(budget) {
                return Some(self.halt(limit));
            }
        }
        None
    }

    fn work(
        &mut self,
        work: Work,
        buckets: &mut Buckets,
        measure: Measure,
        cost: u32,
        budget: &Budget<'_>,
    ) -> Option<End> {
        self.hold_states(buckets.now.len() + buckets.later.len());
        let (mut state, thread) = match work {
            Work::Run { state, thread, loops } => {
                self.observer.is_retry = false;
                self.observer.loops = loops;
                (state, thread)
            }
            Work::Choose { state, thread, loops, choice, next } => {
                self.observer.loops.clone_from(&loops);
                let mut picked = state.clone();
                self.machine.pick(&mut picked, &choice, next);
                if next + 1 < choice.n_options {
                    buckets.now.push_front(Work::Choose { state, thread, loops, choice, next: next + 1 });
                }
                self.observer.is_retry = picked.is_at_terminator(self.machine.program, thread);
                (picked, thread)
            }
        };
        self.meter.stats.transitions += 1;
        self.observer.footprint.clear();
        let macro_step = self.macro_step(&mut state, thread, false, budget);
        self.stretch_done(macro_step, state, thread, buckets, measure, cost, budget)
    }

    /// The thread has run to the end of a stretch.
    #[allow(clippy::too_many_arguments)]
    fn stretch_done(
        &mut self,
        macro_step: MacroStepEnd,
        state: State,
        thread: usize,
        buckets: &mut Buckets,
        measure: Measure,
        cost: u32,
        budget: &Budget<'_>,
    ) -> Option<End> {
        match macro_step {
            MacroStepEnd::Value(choice) => match self.store_state(&state, Some(thread), budget) {
                Ok(Seen::Fresh(_)) => {
                    let loops = self.observer.loops.clone();
                    buckets.now.push_front(Work::Choose { state, thread, loops, choice, next: 0 });
                    self.poll(budget).map(|limit| self.halt(limit))
                }
                Ok(Seen::Known(_)) => self.poll(budget).map(|limit| self.halt(limit)),
                Err(end) => Some(*end),
            },
            // Some of its values, and that the thread stands still while others go on.
            MacroStepEnd::Samples(choice) => {
                let values = MacroStepEnd::Value(choice);
                let end = self.stretch_done(values, state.clone(), thread, buckets, measure, cost, budget);
                if end.is_some() {
                    return end;
                }
                self.observer.loops.cut(thread);
                self.stretch_done(MacroStepEnd::Cut { by_state: false }, state, thread, buckets, measure, cost, budget)
            }
            MacroStepEnd::Cut { by_state } => {
                let macro_step = self.cut_here(&state, thread, by_state);
                self.stretch_done(macro_step, state, thread, buckets, measure, cost, budget)
            }
            MacroStepEnd::Schedule(without) => match self.schedule(&state, thread, None, without) {
                Scheduled::Threads(enabled, _) => {
                    self.arrive(state, thread, enabled.into(), buckets, measure, cost, budget)
                }
                // The end counts: a bound that adds nothing but ends is not the last one.
                Scheduled::Over => match self.store_state(&state, None, budget) {
                    Ok(_) => self.poll(budget).map(|limit| self.halt(limit)),
                    Err(end) => Some(*end),
                },
                Scheduled::Violated(violation) => Some(self.found(&state, violation)),
            },
            MacroStepEnd::Over => self.poll(budget).map(|limit| self.halt(limit)),
            MacroStepEnd::Violated(violation) => Some(self.found(&state, violation)),
            MacroStepEnd::Halted(limit) => Some(self.halt(limit)),
        }
    }

    /// A state was reached with a thread that ran last.
    #[allow(clippy::too_many_arguments)]
    fn arrive(
        &mut self,
        state: State,
        thread: usize,
        enabled: Rc<[usize]>,
        buckets: &mut Buckets,
        measure: Measure,
        cost: u32,
        budget: &Budget<'_>,
    ) -> Option<End> {
        if enabled.iter().any(|thread| *thread >= 64) {
            let what = "more than 64 threads under a bound on context switches".to_owned();
            self.findings.ledger.add(Reason::unsupported(what));
            return None;
        }
        let id = match self.store_state(&state, None, budget) {
            Ok(Seen::Fresh(id) | Seen::Known(id)) => id,
            Err(end) => return Some(*end),
        };
        let at = id.0 as usize;
        if at >= buckets.visits.len() {
            buckets.visits.resize(at + 1, NEVER);
        }
        let visit = &mut buckets.visits[at];
        let is_first = visit.cost == u32::MAX;
        if visit.cost < cost || visit.threads >> thread & 1 == 1 {
            return self.poll(budget).map(|limit| self.halt(limit));
        }
        visit.cost = cost;
        visit.threads |= 1 << thread;
        if enabled.contains(&thread) {
            let mut next = state.clone();
            next.record_thread(thread);
            buckets.now.push_back(Work::Run { state: next, thread, loops: self.observer.loops.clone() });
        } else if measure == Measure::Preemptions {
            // No preemption.
            let others: Vec<usize> = enabled.iter().copied().filter(|other| visit.threads >> *other & 1 == 0).collect();
            for other in others {
                visit.threads |= 1 << other;
                let mut next = state.clone();
                next.record_thread(other);
                buckets.now.push_back(Work::Run { state: next, thread: other, loops: self.observer.loops.clone() });
            }
        }
        if is_first && enabled.len() > usize::from(enabled.contains(&thread)) {
            buckets.later.push(Remembered { state, loops: self.observer.loops.clone(), id, enabled });
        }
        self.poll(budget).map(|limit| self.halt(limit))
    }

    /// Stores a state, in the middle of a thread's step if one is given.
    fn store_state(&mut self, state: &State, running: Option<usize>, budget: &Budget<'_>) -> Result<Seen, Box<End>> {
        self.insert(state, running, budget).ok_or_else(|| Box::new(self.halt(Limit::Memory)))
    }
}
