//! Quiescent-state barrier: tables are replaced when every registered worker is at a quiescent point, where it holds no
//! reference into them (as in quiescent-state-based reclamation, Hart, McKenney, Demke Brown and Walpole 2007).
//!
//! Announcing every access would cost at every access; a check at a quiescent point, once in a thousand insertions,
//! costs nothing. The price is a rule: a worker that waits for another, or ends, unregisters first.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard};

/// The work that the workers share once all are at the barrier.
pub(crate) trait Rehash {
    /// Called by one worker before the work begins; false if there is nothing to do.
    fn prepare(&self) -> bool;
    /// Called by all workers that arrive in time; returns when no piece of work is left to take.
    fn share(&self);
    /// Called by one worker when all calls of [`Self::share`] have returned.
    fn finish(&self);
}

/// The barrier of one store; see the module.
#[derive(Default)]
pub(crate) struct Barrier {
    state: Mutex<State>,
    changed: Condvar,
    is_requested: AtomicBool,
}

#[derive(Default)]
struct State {
    n_registered: usize,
    n_waiting: usize,
    n_sharing: usize,
    /// How many rehashes are over.
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

impl Barrier {
    /// Whether a worker waits at the barrier.
    #[inline]
    pub(crate) fn is_requested(&self) -> bool {
        self.is_requested.load(Ordering::Relaxed)
    }

    /// From now on no rehash begins before this worker has arrived.
    pub(crate) fn register(&self) {
        let mut state = self.lock();
        while state.phase != Phase::Gathering {
            state = self.wait(state);
        }
        state.n_registered += 1;
    }

    /// Rehashes no longer wait for this worker.
    pub(crate) fn unregister(&self) {
        let mut state = self.lock();
        state.n_registered = state.n_registered.saturating_sub(1);
        drop(state);
        self.changed.notify_all();
    }

    /// Waits for all registered workers and does the work with them; `work` is the same for all.
    pub(crate) fn rehash(&self, work: &dyn Rehash) {
        let mut state = self.lock();
        let round = state.round;
        self.is_requested.store(true, Ordering::Relaxed);
        state.n_waiting += 1;
        let mut has_shared = false;
        while state.round == round {
            if state.phase == Phase::Gathering && state.n_waiting >= state.n_registered {
                state.phase = Phase::Preparing;
                drop(state);
                let is_needed = work.prepare();
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
                work.share();
                has_shared = true;
                state = self.lock();
                state.n_sharing -= 1;
                if state.n_sharing == 0 {
                    work.finish();
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
        self.is_requested.store(false, Ordering::Relaxed);
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no holder of the barrier should panic")
    }

    fn wait<'a>(&self, state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        self.changed.wait(state).expect("no holder of the barrier should panic")
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

    impl Rehash for Counter {
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
    fn a_single_worker_does_not_wait() {
        let (barrier, counter) = (Barrier::default(), Counter::default());
        barrier.rehash(&counter);
        barrier.register();
        barrier.rehash(&counter);
        assert_eq!((counter.done.into_inner(), counter.finished.into_inner()), (20, 2));
        assert!(!barrier.is_requested());
    }

    #[test]
    fn registered_workers_meet_and_unregistered_ones_are_not_waited_for() {
        let (barrier, counter) = (Barrier::default(), Counter::default());
        let rounds = 50;
        for _ in 0..3 {
            barrier.register();
        }
        std::thread::scope(|scope| {
            for worker in 0..3 {
                let (barrier, counter) = (&barrier, &counter);
                scope.spawn(move || {
                    for _ in 0..rounds * (worker + 1) {
                        barrier.rehash(counter);
                    }
                    barrier.unregister();
                });
            }
        });
        // The worker with the most rounds sets their number; the others take part in fewer.
        assert_eq!(counter.finished.into_inner(), 3 * rounds);
        assert_eq!(counter.done.into_inner(), 30 * rounds);
    }
}
