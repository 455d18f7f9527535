//! The seam between "successors made" and "inserted": a worker hands over what it made, and learns what became of it.
//!
//! [`SharedMemory`] is what there is: one store that all workers insert into, which answers at once. Searches on disk and
//! on several hosts are further implementations of [`Exchange`], which answer later:
//!
//! * on disk (delayed duplicate detection; Stern and Dill, "Using magnetic disk instead of main memory in the Murphi
//!   verifier", 1998), [`Exchange::hand_over`] appends to bucket files by hash; [`Exchange::collect`] reads a bucket, drops
//!   what was there before, and gives back the rest;
//! * on several hosts (Stern and Dill, "Parallelizing the Murphi verifier", 1997), states go to the host that owns their
//!   hash; what others have sent is inserted and given back by `collect`.
//!
//! What is given back later brings along where it came from, and becomes the collecting worker's. As long as nobody knows
//! whether a state is new, it counts as known: a reduced expansion then was not enough and is repeated in full, which is
//! always sound. Edges need the number of every state, so only an exchange that answers at once will do for cycles.

use unpick_store::{Batch, InsertBatch, Seen, StateStore, StoreFull};

use super::predecessor_log::Origin;

/// What workers hand states over to; see the module. A worker begins all states of a batch, then hands the batch over.
pub(super) trait Exchange: Sync {
    /// These states will be handed over: what can be done while others are made.
    fn begin(&self, worker: usize, insertions: &mut InsertBatch, batch: &Batch<'_>);

    /// Takes the states that were begun, in the same order, and adds what is known of them at once.
    fn hand_over(&self, made: &Made<'_>, insertions: &mut InsertBatch, answer: &mut Answer) -> Result<(), StoreFull>;

    /// Gives back states that turned out to be new since they were handed over; asked when nothing else is left to do.
    fn collect(&self, worker: usize, take: &mut dyn FnMut(&[u8], Arrived));
}

/// States that a worker made.
pub(super) struct Made<'m> {
    pub(super) worker: usize,
    pub(super) batch: Batch<'m>,
    /// Where a state came from, by position in the batch.
    #[cfg_attr(not(test), expect(dead_code, reason = "for exchanges that answer later"))]
    pub(super) arrived: &'m dyn Fn(usize) -> Arrived,
}

/// How a state was reached.
#[derive(Clone, Copy)]
pub(super) struct Arrived {
    /// How many steps lead to it.
    pub(super) depth: u64,
    pub(super) origin: Origin,
}

/// What is known at once of states that were handed over.
#[derive(Default)]
pub(super) struct Answer {
    /// Positions of those that are new, unless numbers are wanted.
    pub(super) fresh: Vec<u32>,
    /// What the store says of each, if numbers are wanted.
    pub(super) seen: Vec<Seen>,
}

/// One store for all workers.
pub(super) struct SharedMemory<'a> {
    pub(super) store: &'a dyn StateStore,
    /// The number of every state is wanted.
    pub(super) wants_numbers: bool,
}

impl Exchange for SharedMemory<'_> {
    #[inline]
    fn begin(&self, worker: usize, insertions: &mut InsertBatch, batch: &Batch<'_>) {
        match self.wants_numbers {
            false => self.store.begin_all(worker, insertions, batch),
            true => self.store.begin_each(worker, insertions, batch),
        }
    }

    fn hand_over(&self, made: &Made<'_>, insertions: &mut InsertBatch, answer: &mut Answer) -> Result<(), StoreFull> {
        match self.wants_numbers {
            false => self.store.finish_all(made.worker, insertions, &made.batch, &mut answer.fresh),
            true => self.store.finish_each(made.worker, insertions, &made.batch, &mut answer.seen),
        }
    }

    fn collect(&self, _: usize, _: &mut dyn FnMut(&[u8], Arrived)) {}
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use unpick_automaton::Model;
    use unpick_automaton::text::parse;
    use unpick_store::ExactStore;
    use unpick_system::{Budget, Hashing, Interpreted, Order};

    use super::*;
    use crate::vector_search::{SearchEnd, SearchOptions, SearchResult, VectorReduction, search, search_by};

    /// Nothing is answered before it is asked for, as on disk.
    struct Delayed<'a> {
        store: &'a ExactStore,
        waiting: Mutex<Vec<(Vec<u8>, Arrived)>>,
    }

    impl Exchange for Delayed<'_> {
        fn begin(&self, _: usize, _: &mut InsertBatch, _: &Batch<'_>) {}

        fn hand_over(&self, made: &Made<'_>, _: &mut InsertBatch, _: &mut Answer) -> Result<(), StoreFull> {
            let states = made.batch.states().enumerate();
            let mut waiting = self.waiting.lock().expect("no worker should panic");
            waiting.extend(states.map(|(at, state)| (state.to_vec(), (made.arrived)(at))));
            Ok(())
        }

        fn collect(&self, worker: usize, take: &mut dyn FnMut(&[u8], Arrived)) {
            let waiting = std::mem::take(&mut *self.waiting.lock().expect("no worker should panic"));
            for (state, arrived) in waiting {
                let seen = self.store.insert_hashed(worker, self.store.hash(&state), &state);
                self.store.quiescent_point(worker);
                if seen.expect("there should be room").is_fresh() {
                    take(&state, arrived);
                }
            }
        }
    }

    /// Processes count for themselves, then together; an assertion says how far.
    fn model(most: usize) -> Model {
        let process = "proctype pN P size 1 {
            start l0
            l0: when local0.byte < 3 -> l1 #0
                else -> l2 #1
            l1: local0.byte = local0.byte + 1 -> l0 #2
            l2: global0.byte = global0.byte + 1 -> l3 #3
            l3: assert global0.byte < MOST -> l4 #4
            l4: end #5
        }";
        let process = process.replace("MOST", &most.to_string());
        let processes: String = (0..3).map(|n| process.replace("pN", &format!("p{n}"))).collect();
        let text = format!(
            "automaton globals size 1 {{ var n global0.byte }} {processes}
            process p0 priority 1 process p1 priority 1 process p2 priority 1"
        );
        parse(&text).expect("the model should be right")
    }

    #[test]
    fn answers_may_come_later() {
        for (most, reduction, n_workers) in [
            (4, VectorReduction::None, 1),
            (4, VectorReduction::None, 2),
            (4, VectorReduction::Ample, 1),
            (2, VectorReduction::None, 1),
            (2, VectorReduction::Ample, 2),
        ] {
            let model = model(most);
            let system = Interpreted::new(&model);
            let options = SearchOptions {
                n_workers,
                stops_at_faults: true,
                stops_at_invalid_ends: true,
                reduction,
                hashing: Hashing::Full,
                order: Order::Breadth,
            };
            let store = ExactStore::with_workers(None, n_workers);
            let at_once = search(&system, &store, options, None, None, &Budget::UNLIMITED);
            let store = ExactStore::with_workers(None, n_workers);
            let exchange = Box::new(Delayed { store: &store, waiting: Mutex::default() });
            let later = search_by(exchange, &system, &store, options, None, None, &Budget::UNLIMITED);
            match (&at_once, &later) {
                (
                    SearchResult { end: SearchEnd::Exhausted, stats, .. },
                    SearchResult { end: SearchEnd::Exhausted, stats: later, .. },
                ) => {
                    assert_eq!(most, 4);
                    // Without an answer nothing is left out, but chains are followed all the same.
                    assert!(later.states >= stats.states, "{stats:?} {later:?}");
                    assert!(reduction == VectorReduction::Ample || later.states == stats.states, "{stats:?} {later:?}");
                }
                (
                    SearchResult { end: SearchEnd::Violated(run), .. },
                    SearchResult { end: SearchEnd::Violated(later), .. },
                ) => {
                    assert_eq!((most, run.wrong), (2, later.wrong));
                    assert_eq!(run.moves.len(), later.moves.len());
                }
                _another_end => panic!("{:?} and {:?}", at_once.end, later.end),
            }
        }
    }
}
