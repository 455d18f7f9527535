//! Cooperative scheduling of engines that work on one task: a [`Control`] for each, which counts its work and lets it wait.
//!
//! With as many workers as engines everybody works at once. With fewer, those go on that have done least, where the work of
//! helpers counts [`HANDICAP`] times, and only after the leader has had a start: a leader who soon comes to an end is not
//! held up, and one who has lost himself leaves the helpers some of his time. An engine whose work cannot change the answer
//! any more is told to stop.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use unpick_system::{Answer, Checkpoint, Control, Evidence, Fact, Halt, Snapshot, Verdict};

use crate::portfolio::{allowance, left_to_helpers};

/// No limit.
pub(crate) const UNLIMITED: u64 = u64::MAX;
/// Transitions of a helper count so many times where there are fewer workers than engines.
const HANDICAP: u64 = 32;
/// Transitions that the leader may take before helpers have their first turn.
const START: u64 = 1_000_000;
/// Of the time, so much is the leader's where helpers have to wait for him.
const LEADERS_PART: f64 = 2.0 / 3.0;

/// The participants and their progress.
pub(crate) struct Turns<'a> {
    control: &'a dyn Control,
    n_workers: usize,
    state: Mutex<State>,
    has_changed: Condvar,
}

struct State {
    /// Transitions of each engine.
    work: Vec<u64>,
    /// The participants that have not finished.
    is_active: Vec<bool>,
    /// How far helpers may go.
    limit: u64,
    /// The transitions after which a helper has found a violation.
    found_after: Option<u64>,
    /// Why all have to stop.
    halt: Option<Halt>,
}

impl State {
    /// Whether it is this engine's turn.
    fn is_on(&self, index: usize, n_workers: usize) -> bool {
        let active = || (0..self.work.len()).filter(|other| self.is_active[*other]);
        let rank = |index: usize| match index {
            0 => (self.work[0], 0),
            helper => (self.work[helper].saturating_mul(HANDICAP).saturating_add(START), helper),
        };
        active().filter(|other| rank(*other) < rank(index)).count() < n_workers
    }

    /// Why an engine is to stop, if it is.
    fn verdict_on(&self, index: usize) -> Option<Halt> {
        let is_beaten = match index {
            0 => self.found_after.is_some_and(|needed| allowance(self.work[0]) >= needed),
            helper => self.work[helper] > self.limit.min(self.found_after.unwrap_or(UNLIMITED)),
        };
        self.halt.or(is_beaten.then_some(Halt::Time))
    }
}

impl<'a> Turns<'a> {
    pub(crate) fn new(n_engines: usize, n_workers: usize, control: &'a dyn Control) -> Self {
        let state = State {
            work: vec![0; n_engines],
            is_active: vec![true; n_engines],
            limit: UNLIMITED,
            found_after: None,
            halt: None,
        };
        Self { control, n_workers, state: Mutex::new(state), has_changed: Condvar::new() }
    }

    /// Waits for the first turn; nothing if there is nothing left to do.
    pub(crate) fn take(&self, index: usize) -> Option<Seat<'_, 'a>> {
        let seat = Seat { turns: self, index };
        let state = self.wait(index, self.state());
        let is_idle = index != 0 && (state.limit == 0 || state.halt.is_some());
        drop(state);
        (!is_idle).then_some(seat)
    }

    /// Each update is complete before the lock is given back, so a panic elsewhere leaves nothing half done.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'s>(&'s self, index: usize, mut state: MutexGuard<'s, State>) -> MutexGuard<'s, State> {
        while !state.is_on(index, self.n_workers) && state.verdict_on(index).is_none() {
            state = self.has_changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state
    }

    /// Whether there are fewer workers than engines.
    fn is_tight(&self) -> bool {
        self.n_workers < self.state().work.len()
    }
}

/// The place of one engine.
pub(crate) struct Seat<'t, 'a> {
    turns: &'t Turns<'a>,
    index: usize,
}

impl Seat<'_, '_> {
    /// The engine has come to an end.
    pub(crate) fn leave(self, answer: &Answer) {
        let mut state = self.turns.state();
        state.work[self.index] = answer.stats.transitions;
        match (self.index, &answer.verdict) {
            (0, _) => state.limit = left_to_helpers(answer),
            (_, Verdict::Fails(_)) => {
                let known = state.found_after.unwrap_or(UNLIMITED);
                state.found_after = Some(known.min(answer.stats.transitions));
            }
            (_, Verdict::Holds(_) | Verdict::Unknown(_)) => {}
        }
    }
}

impl Drop for Seat<'_, '_> {
    fn drop(&mut self) {
        let mut state = self.turns.state();
        state.is_active[self.index] = false;
        if std::thread::panicking() {
            state.halt = Some(Halt::Interrupt);
        }
        drop(state);
        self.turns.has_changed.notify_all();
    }
}

impl Control for Seat<'_, '_> {
    fn poll(&self, at: &Snapshot) -> Option<Halt> {
        let Turns { control, n_workers, .. } = *self.turns;
        let mut state = self.turns.state();
        state.work[self.index] = state.work[self.index].max(at.transitions);
        // One voice is enough: the leader's, unless he waits or is done.
        let speaks = self.index == 0 || !state.is_active[0] || !state.is_on(0, n_workers);
        drop(state);
        let halt = if speaks { control.poll(at) } else { None };
        let is_late = self.index == 0 && self.turns.is_tight() && control.elapsed() >= LEADERS_PART;
        let mut state = self.turns.state();
        match halt {
            // What this one has will be free again.
            Some(Halt::Memory) => return halt,
            Some(Halt::Time | Halt::Interrupt) => state.halt = halt,
            None => {}
        }
        self.turns.has_changed.notify_all();
        let state = self.turns.wait(self.index, state);
        state.verdict_on(self.index).or(is_late.then_some(Halt::Time))
    }

    fn is_urgent(&self) -> bool {
        self.turns.control.is_urgent()
    }

    fn is_leaving(&self) -> bool {
        self.turns.control.is_leaving()
    }

    fn elapsed(&self) -> f64 {
        self.turns.control.elapsed()
    }

    fn enter(&self, phase: &'static str) {
        self.turns.control.enter(phase);
    }

    fn warn(&self, text: &str) {
        self.turns.control.warn(text);
    }

    fn milestone(&self, text: &str) {
        let is_told = self.index == 0 || !self.turns.state().is_active[0];
        if is_told {
            self.turns.control.milestone(text);
        }
    }

    fn found(&self, evidence: &Evidence) {
        self.turns.control.found(evidence);
    }

    fn fact(&self, fact: Fact) {
        self.turns.control.fact(fact);
    }

    fn checkpoint(&self) -> Option<&dyn Checkpoint> {
        self.turns.control.checkpoint().filter(|_| self.index == 0)
    }
}
