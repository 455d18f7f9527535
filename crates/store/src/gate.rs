//! Where workers meet so that a table can be replaced while nobody uses it.
//!
//! Readers that announce every access would pay for it at every access; workers that pass a gate every thousand
//! insertions pay nothing. The price is a rule: a worker that waits for another, or ends, leaves first.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard};

/// What the workers do together, once all are at the gate.
pub(crate) trait Errand {
    /// Called by one worker before any shares in the work; false if there is nothing to do.
    fn prepare(&self) -> bool;
    /// Called by as many workers as come in time; returns when no piece of work is left to take.
    fn share(&self);
    /// Called by one worker when all that shared have returned.
    fn finish(&self);
}

/// The gate of one store; see the module.
#[derive(Default)]
pub(crate) struct Gate {
    state: Mutex<State>,
    changed: Condvar,
    is_called: AtomicBool,
}

#[derive(Default)]
struct State {
    n_joined: usize,
    n_waiting: usize,
    n_sharing: usize,
    /// How many errands are over.
    round: u64,
    phase: Phase,
}

#[derive(Default, Clone, Copy, PartialEq, Eq)]
enum Phase {
    #[default]
    Gathering,
    Preparing,
    Sharing,
}

impl Gate {
    /// Whether somebody waits at the gate.
    #[inline]
    pub(crate) fn is_called(&self) -> bool {
        self.is_called.load(Ordering::Relaxed)
    }

    /// From now on no errand begins without this worker.
    pub(crate) fn join(&self) {
        let mut state = self.lock();
        while state.phase != Phase::Gathering {
            state = self.wait(state);
        }
        state.n_joined += 1;
    }

    /// Errands no longer wait for this worker.
    pub(crate) fn leave(&self) {
        let mut state = self.lock();
        state.n_joined = state.n_joined.saturating_sub(1);
        drop(state);
        self.changed.notify_all();
    }

    /// Waits for all workers that have joined and does the errand with them; `errand` is the same for all.
    pub(crate) fn meet(&self, errand: &dyn Errand) {
        let mut state = self.lock();
        let round = state.round;
        self.is_called.store(true, Ordering::Relaxed);
        state.n_waiting += 1;
        let mut has_shared = false;
        while state.round == round {
            if state.phase == Phase::Gathering && state.n_waiting >= state.n_joined {
                state.phase = Phase::Preparing;
                drop(state);
                let is_needed = errand.prepare();
                state = self.lock();
                if is_needed {
                    state.phase = Phase::Sharing;
                    self.changed.notify_all();
                } else {
                    self.end_round(&mut state);
                }
            } else if state.phase == Phase::Sharing && !has_shared {
                state.n_sharing += 1;
                drop(state);
                errand.share();
                has_shared = true;
                state = self.lock();
                state.n_sharing -= 1;
                if state.n_sharing == 0 {
                    errand.finish();
                    self.end_round(&mut state);
                }
            } else {
                state = self.wait(state);
            }
        }
    }

    fn end_round(&self, state: &mut State) {
        state.round += 1;
        state.n_waiting = 0;
        state.phase = Phase::Gathering;
        self.is_called.store(false, Ordering::Relaxed);
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no holder of the gate should panic")
    }

    fn wait<'a>(&self, state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        self.changed.wait(state).expect("no holder of the gate should panic")
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU64;

    use super::*;

    /// Hands out ten pieces of work each time.
    #[derive(Default)]
    struct Counter {
        pieces: AtomicU64,
        done: AtomicU64,
        finished: AtomicU64,
    }

    impl Errand for Counter {
        fn prepare(&self) -> bool {
            self.pieces.store(10, Ordering::Relaxed);
            true
        }

        fn share(&self) {
            let take = || self.pieces.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |n| n.checked_sub(1));
            while take().is_ok() {
                self.done.fetch_add(1, Ordering::Relaxed);
            }
        }

        fn finish(&self) {
            assert_eq!(self.pieces.load(Ordering::Relaxed), 0);
            self.finished.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[test]
    fn one_alone_does_not_wait() {
        let (gate, counter) = (Gate::default(), Counter::default());
        gate.meet(&counter);
        gate.join();
        gate.meet(&counter);
        assert_eq!((counter.done.into_inner(), counter.finished.into_inner()), (20, 2));
        assert!(!gate.is_called());
    }

    #[test]
    fn all_who_joined_meet_and_who_leaves_is_not_waited_for() {
        let (gate, counter) = (Gate::default(), Counter::default());
        let rounds = 50;
        for _ in 0..3 {
            gate.join();
        }
        std::thread::scope(|scope| {
            for worker in 0..3 {
                let (gate, counter) = (&gate, &counter);
                scope.spawn(move || {
                    for _ in 0..rounds * (worker + 1) {
                        gate.meet(counter);
                    }
                    gate.leave();
                });
            }
        });
        // The slowest sets the number of rounds: the others only take part in theirs.
        assert_eq!(counter.finished.into_inner(), 3 * rounds);
        assert_eq!(counter.done.into_inner(), 30 * rounds);
    }
}
