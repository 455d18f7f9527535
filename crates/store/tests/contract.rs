//! What every store promises: compared with a hash set, with several workers, at its limit.

use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, Ordering};

use proptest::prelude::*;
use unpick_store::{ExactStore, Recall, Seen, StateStore, TreeStore};

/// Something to insert, and how.
#[derive(Clone, Debug)]
struct Step {
    state: Vec<u8>,
    is_piped: bool,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let short = prop::collection::vec(0u8..3, 0..7);
    let sparse = (0usize..70, 0usize..70, any::<u8>()).prop_map(|(len, at, value)| {
        let mut state = vec![0; len];
        if let Some(byte) = state.get_mut(at) {
            *byte = value;
        }
        state
    });
    let state = prop_oneof![short, sparse];
    let step = (state, any::<bool>()).prop_map(|(state, is_piped)| Step { state, is_piped });
    prop::collection::vec(step, 0..300)
}

/// Inserts the steps, some of them in two halves with others in between.
fn agrees_with_a_hash_set(store: &impl StateStore, steps: &[Step]) -> Result<(), TestCaseError> {
    let mut set = HashSet::new();
    let mut pipe: Vec<(u64, &[u8])> = Vec::new();
    let mut check = |seen: Seen, state: &[u8]| {
        prop_assert_eq!(seen.is_fresh(), set.insert(state.to_vec()), "{:?}", state);
        Ok(())
    };
    for Step { state, is_piped } in steps {
        let hash = store.hash(state);
        if *is_piped {
            pipe.push((store.begin(0, hash, state).unwrap(), state));
        } else {
            check(store.insert_hashed(0, hash, state).unwrap(), state)?;
        }
        if pipe.len() == 9 {
            for (ticket, state) in pipe.drain(..) {
                check(store.finish(0, ticket, state).unwrap(), state)?;
            }
            store.relax(0);
        }
    }
    for (ticket, state) in pipe {
        check(store.finish(0, ticket, state).unwrap(), state)?;
    }
    prop_assert_eq!(store.len(), set.len() as u64);
    Ok(())
}

/// As if of three processes: states that share most of their parts.
fn state(n: u64, len: usize) -> Vec<u8> {
    let mut state = vec![7; len];
    for (at, digit) in [n % 97, n / 97 % 89, n / 97 / 89].into_iter().enumerate() {
        let at = at * len / 3;
        state[at..at + 2].copy_from_slice(&(digit as u16).to_le_bytes());
    }
    state
}

/// All workers insert all states, in different orders and lengths; everything is fresh once.
fn is_fresh_once(store: &impl StateStore, n_states: u64, lens: &[usize]) {
    let n_fresh = AtomicU64::new(0);
    let n_workers = store.n_workers();
    (0..n_workers).for_each(|worker| store.join(worker));
    std::thread::scope(|scope| {
        for worker in 0..n_workers {
            let n_fresh = &n_fresh;
            scope.spawn(move || {
                for n in 0..n_states {
                    let n = if worker % 2 == 0 { n } else { n_states - 1 - n };
                    let state = state(n, lens[n as usize % lens.len()]);
                    let ticket = store.begin(worker, store.hash(&state), &state).unwrap();
                    if n % 64 == 0 {
                        store.relax(worker);
                    }
                    let seen = store.finish(worker, ticket, &state).unwrap();
                    n_fresh.fetch_add(u64::from(seen.is_fresh()), Ordering::Relaxed);
                }
                store.leave(worker);
            });
        }
    });
    assert_eq!((n_fresh.into_inner(), store.len()), (n_states, n_states));
}

fn keeps_its_limit(make: impl Fn(u64) -> Box<dyn StateStore>, limits: &[u64]) {
    for limit in limits {
        let store = make(*limit);
        let n = (0..).find(|n| store.insert(&state(*n, 40)).is_err()).expect("the store should be full some day");
        assert!(store.bytes() <= *limit, "{} of {limit}", store.bytes());
        assert_eq!(store.len(), n);
        assert!(*limit < 500_000 || n > limit / 100, "{n} states in {limit} bytes");
        for n in 0..n {
            assert!(!store.insert(&state(n, 40)).expect("known states should stay known").is_fresh());
        }
    }
}

proptest! {
    #[test]
    fn exact_agrees_with_a_hash_set(steps in steps()) {
        agrees_with_a_hash_set(&ExactStore::new(None), &steps)?;
    }

    #[test]
    fn tree_agrees_with_a_hash_set(steps in steps()) {
        agrees_with_a_hash_set(&TreeStore::new(None), &steps)?;
    }

    #[test]
    fn tree_gives_states_back(steps in steps()) {
        let store = TreeStore::new(None);
        let mut back = vec![1];
        for Step { state, .. } in steps {
            let seen = store.insert_hashed(0, 0, &state).unwrap();
            store.recall(seen.id(), &mut back);
            prop_assert_eq!(&back, &state);
        }
    }
}

const N_STATES: u64 = if cfg!(miri) { 3_000 } else { 60_000 };

#[test]
fn exact_is_fresh_once() {
    is_fresh_once(&ExactStore::with_workers(None, 3), N_STATES, &[33]);
    is_fresh_once(&ExactStore::with_workers(None, 2), N_STATES, &[20, 100, 9]);
}

#[test]
fn tree_is_fresh_once() {
    is_fresh_once(&TreeStore::with_workers(None, 3), N_STATES, &[33]);
    let lens: Vec<_> = (9..40).collect();
    is_fresh_once(&TreeStore::with_workers(None, 2), N_STATES, &lens);
    is_fresh_once(&TreeStore::with_workers(None, 4), N_STATES / 4, &[9, 2_000]);
}

#[test]
fn exact_keeps_its_limit() {
    keeps_its_limit(|limit| Box::new(ExactStore::new(Some(limit))), &[0, 1_000, 100_000, 1_000_000, 4_000_000]);
}

#[test]
fn tree_keeps_its_limit() {
    keeps_its_limit(|limit| Box::new(TreeStore::new(Some(limit))), &[0, 1_000, 100_000, 500_000, 1_000_000, 2_000_000]);
}

#[test]
fn trees_are_small() {
    let store = TreeStore::new(None);
    for n in 0..97 * 89 * 40 {
        store.insert(&state(n, 60)).unwrap();
    }
    let bytes_per_state = store.bytes() as f64 / store.len() as f64;
    assert!(bytes_per_state < 12.0, "{bytes_per_state} bytes per state, {} pairs", store.n_nodes());
}
