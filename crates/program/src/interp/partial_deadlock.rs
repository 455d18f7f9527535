//! Partial deadlocks (circular waits): threads that wait for each other and cannot be released by any other thread.
//!
//! A library function says what a thread waits for: a region that blocks after `hold take` waits for that lock, one
//! that blocks after `ended` waits for the end of that thread. Only the holder of a lock releases it, and only a thread
//! itself reaches its end. So the greatest set of waiting threads, each of which waits for a member or for a lock that
//! an ended thread has kept, waits for ever. Waiting for a condition, a semaphore or a barrier is not counted: any
//! running thread may signal.

use super::{Footprint, Held, Machine, Name, Pending, State};

/// What a thread waits for that only certain threads can bring about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wait<L> {
    /// A lock.
    Lock(L),
    /// The end of a thread.
    End(usize),
}

/// A thread that waits for ever.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DeadlockedThread<L> {
    /// The thread.
    pub thread: usize,
    /// What it waits for.
    pub wait: Wait<L>,
    /// The thread that would have to release it: itself, another one that is stuck, or one that has ended.
    pub on: usize,
}

/// The threads that are stuck. `waits` has an entry for every thread: what it waits for, nothing if it can go on or
/// waits for something else. `holds` says whether a thread holds a lock in the way of a wish for it, and whether alone.
pub fn partial_deadlock<L: Copy>(
    waits: &[Option<Wait<L>>],
    is_ended: impl Fn(usize) -> bool,
    holds: impl Fn(usize, L) -> Option<bool>,
) -> Vec<DeadlockedThread<L>> {
    let mut left: Vec<bool> = waits.iter().map(Option::is_some).collect();
    let keeps = |left: &[bool], thread: usize| match waits[thread]? {
        Wait::End(other) => left.get(other).copied().unwrap_or(false).then_some(other),
        Wait::Lock(lock) => {
            let holders = (0..waits.len()).filter_map(|other| Some((other, holds(other, lock)?)));
            let (n_holders, n_alone) =
                holders.clone().fold((0, 0), |(n, alone), (_, is_alone)| (n + 1, alone + usize::from(is_alone)));
            // A lock that was initialised anew while it was held.
            if n_alone > 0 && n_holders > 1 {
                return None;
            }
            holders.map(|(other, _)| other).find(|other| left[*other] || is_ended(*other))
        }
    };
    loop {
        let freed = (0..waits.len()).find(|thread| left[*thread] && keeps(&left, *thread).is_none());
        match freed {
            Some(thread) => left[thread] = false,
            None => break,
        }
    }
    let found = (0..waits.len()).filter(|thread| left[*thread]);
    found
        .filter_map(|thread| Some(DeadlockedThread { thread, wait: waits[thread]?, on: keeps(&left, thread)? }))
        .collect()
}

/// Whether some thread may be stuck; asked of every state. From each waiting thread it goes on to what that one waits for,
/// and so on: a thread that can go on at the end of the chain releases all of them. A lock that several threads hold
/// (readers) forks the chain, which is left to [`partial_deadlock`].
pub fn may_deadlock<L: Copy>(
    n_threads: usize,
    wait_of: impl Fn(usize) -> Option<Wait<L>>,
    is_ended: impl Fn(usize) -> bool,
    holds: impl Fn(usize, L) -> Option<bool>,
) -> bool {
    let is_suspect = |thread: usize| {
        let mut at = thread;
        for _ in 0..n_threads {
            let blocker = match wait_of(at) {
                None => return at != thread && is_ended(at),
                Some(Wait::End(other)) if other < n_threads && !is_ended(other) => other,
                Some(Wait::End(_)) => return false,
                Some(Wait::Lock(lock)) => {
                    let mut holders = (0..n_threads).filter(|other| holds(*other, lock).is_some());
                    match (holders.next(), holders.next()) {
                        (None, _) => return false,
                        (Some(holder), None) => holder,
                        (Some(_), Some(_)) => return true,
                    }
                }
            };
            at = blocker;
        }
        true
    };
    (0..n_threads).any(is_suspect)
}

impl Machine<'_> {
    /// What a thread waits for that only certain threads can bring about; nothing if it can go on.
    pub fn wait_of(&self, state: &State, thread: usize, pending: &Pending) -> Option<Wait<Held>> {
        if !pending.is_blocked {
            return None;
        }
        self.awaited(state, thread, &pending.footprint)
    }

    /// What a region that has come so far and blocks waits for.
    pub fn awaited(&self, state: &State, thread: usize, footprint: &Footprint) -> Option<Wait<Held>> {
        if let Some(lock) = footprint.taken.last() {
            return Some(Wait::Lock(*lock));
        }
        let frame = state.threads[thread].frames.last()?;
        if !self.program.functions[frame.function].is_model {
            return None;
        }
        let ends = footprint.touched.iter().filter(|touched| touched.name == Name::Ends && !touched.part.is_write);
        let mut open = ends.filter(|touched| {
            let is_ended = |thread: u64| state.threads.get(thread as usize).is_none_or(|thread| thread.is_ended);
            touched.part.bytes != 1 || !is_ended(touched.part.offset)
        });
        let first = open.next()?;
        let is_one = first.part.bytes == 1 && open.all(|other| other.part == first.part);
        is_one.then_some(Wait::End(first.part.offset as usize))
    }

    /// The threads of a partial deadlock, given the next steps of all threads.
    pub fn stuck_among<'a>(
        &self,
        state: &State,
        pending: impl Iterator<Item = Option<&'a Pending>>,
    ) -> Vec<DeadlockedThread<Held>> {
        let waits: Vec<Option<Wait<Held>>> =
            pending.enumerate().map(|(thread, pending)| self.wait_of(state, thread, pending?)).collect();
        let (is_ended, holds) = (|thread| state.is_ended(thread), |thread, wish: Held| holds(state, thread, wish));
        match may_deadlock(waits.len(), |thread| waits[thread], is_ended, holds) {
            true => partial_deadlock(&waits, is_ended, holds),
            false => Vec::new(),
        }
    }

    /// The threads of a partial deadlock.
    pub fn partial_deadlock(&self, state: &State) -> Vec<DeadlockedThread<Held>> {
        if state.atomic.is_some() {
            return Vec::new();
        }
        let pending: Vec<Option<Pending>> = (0..state.n_threads()).map(|thread| self.pending(state, thread)).collect();
        self.stuck_among(state, pending.iter().map(Option::as_ref))
    }
}

/// Whether a thread holds a lock in a way that excludes the wish of others, and whether alone.
fn holds(state: &State, thread: usize, wish: Held) -> Option<bool> {
    let held = state.held(thread).iter().filter(|held| held.lock == wish.lock);
    let in_the_way = held.filter(|held| held.is_exclusive || wish.is_exclusive);
    in_the_way.map(|held| held.is_exclusive).reduce(|one, other| one || other)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Holders of the locks 0, 1, ...: threads, and whether alone.
    fn found(waits: &[Option<Wait<usize>>], holders: &[&[(usize, bool)]], ended: &[usize]) -> Vec<usize> {
        let holds = |thread, lock: usize| {
            holders[lock].iter().find(|(holder, _)| *holder == thread).map(|(_, is_alone)| *is_alone)
        };
        let is_ended = |thread| ended.contains(&thread);
        let found: Vec<usize> = partial_deadlock(waits, is_ended, holds).iter().map(|member| member.thread).collect();
        let may = may_deadlock(waits.len(), |thread| waits[thread], is_ended, holds);
        assert!(may || found.is_empty());
        // Without readers nothing is left open.
        assert!(!may || !found.is_empty() || holders.iter().any(|holders| holders.len() > 1));
        found
    }

    #[test]
    fn circles_and_what_hangs_on_them_are_stuck() {
        let (lock, end) = (|lock| Some(Wait::Lock(lock)), |thread| Some(Wait::End(thread)));
        let cross: &[&[(usize, bool)]] = &[&[(1, true)], &[(2, true)]];
        assert_eq!(found(&[None, lock(1), lock(0)], cross, &[]), [1, 2]);
        assert_eq!(found(&[end(1), lock(1), lock(0)], cross, &[]), [0, 1, 2]);
        // Thread 2 goes on and gives its lock back.
        assert_eq!(found(&[end(1), lock(1), None], cross, &[]), []);
        // A lock that an ended thread has kept.
        assert_eq!(found(&[end(1), lock(1), None], cross, &[2]), [0, 1]);
        // A thread that waits for itself.
        assert_eq!(found(&[None, lock(0)], cross, &[]), [1]);
        assert_eq!(found(&[end(0)], cross, &[]), [0]);
        // One of two readers is enough to keep a writer waiting.
        assert_eq!(found(&[None, lock(0), None], &[&[(1, false), (2, false)]], &[]), [1]);
        assert_eq!(found(&[None, lock(0), None], &[&[(0, false), (2, false)]], &[]), []);
        // Two threads that both hold a lock alone: it was initialised anew.
        assert_eq!(found(&[None, lock(0), None], &[&[(1, true), (2, true)]], &[]), []);
    }
}
