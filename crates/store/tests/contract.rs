//! The contract of `StateStore`, tested on every store: against a hash set, with several workers, at the memory limit.

use std::collections::HashSet;
use std::io::Read;
use std::sync::atomic::{AtomicU64, Ordering};

use proptest::prelude::*;
use unpick_store::{
    Batch, BitstateStore, CompactStore, ExactStore, InsertBatch, LoadError, Recall, Seen, Span, StateStore, TreeStore,
};

/// Something to insert, and how.
#[derive(Clone, Debug)]
struct Step {
    state: Vec<u8>,
    way: Way,
}

#[derive(Clone, Copy, Debug)]
enum Way {
    AtOnce,
    InHalves,
    InBatches,
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
    let way = prop_oneof![Just(Way::AtOnce), Just(Way::InHalves), Just(Way::InBatches)];
    let step = (state, way).prop_map(|(state, way)| Step { state, way });
    prop::collection::vec(step, 0..300)
}

/// Inserts the steps, some of them in two halves with others in between.
fn agrees_with_a_hash_set(store: &impl StateStore, steps: &[Step]) -> Result<(), TestCaseError> {
    let mut set = HashSet::new();
    let mut pipe: Vec<(u64, &[u8])> = Vec::new();
    let mut batch: Vec<&[u8]> = Vec::new();
    let mut check = |is_fresh: bool, state: &[u8]| {
        prop_assert_eq!(is_fresh, set.insert(state.to_vec()), "{:?}", state);
        Ok(())
    };
    for Step { state, way } in steps {
        let hash = store.hash(state);
        match way {
            Way::AtOnce => check(store.insert_hashed(0, hash, state).unwrap().is_fresh(), state)?,
            Way::InHalves => pipe.push((store.begin(0, hash, state).unwrap(), state)),
            Way::InBatches => batch.push(state),
        }
        if batch.len() == 7 {
            for (is_fresh, state) in insert_all(store, 0, &batch).into_iter().zip(batch.drain(..)) {
                check(is_fresh, state)?;
            }
        }
        if pipe.len() == 9 {
            for (pending, state) in pipe.drain(..) {
                check(store.finish(0, pending, state).unwrap().is_fresh(), state)?;
            }
            store.quiescent_point(0);
        }
    }
    for (is_fresh, state) in insert_all(store, 0, &batch).into_iter().zip(batch) {
        check(is_fresh, state)?;
    }
    for (pending, state) in pipe {
        check(store.finish(0, pending, state).unwrap().is_fresh(), state)?;
    }
    prop_assert_eq!(store.len(), set.len() as u64);
    Ok(())
}

/// Which of the states are new.
fn insert_all(store: &impl StateStore, worker: usize, states: &[&[u8]]) -> Vec<bool> {
    let (bytes, mut spans, mut fresh) = (states.concat(), Vec::new(), Vec::new());
    for state in states {
        let start = spans.last().map_or(0, |last: &Span| last.start + last.len);
        spans.push(Span { start, len: state.len() as u32 });
    }
    let mut insertions = InsertBatch::default();
    let batch = Batch { bytes: &bytes, spans: &spans, hashes: None };
    let (first, second) = spans.split_at(states.len() / 3);
    store.begin_all(worker, &mut insertions, &Batch { spans: first, ..batch });
    store.begin_all(worker, &mut insertions, &Batch { spans: second, ..batch });
    store.finish_all(worker, &mut insertions, &batch, &mut fresh).unwrap();
    (0..states.len()).map(|at| fresh.contains(&(at as u32))).collect()
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
    (0..n_workers).for_each(|worker| store.register(worker));
    std::thread::scope(|scope| {
        for worker in 0..n_workers {
            let n_fresh = &n_fresh;
            scope.spawn(move || {
                for n in 0..n_states {
                    let n = if worker % 2 == 0 { n } else { n_states - 1 - n };
                    let state = state(n, lens[n as usize % lens.len()]);
                    let is_fresh = match n % 2 {
                        0 => {
                            let pending = store.begin(worker, store.hash(&state), &state).unwrap();
                            if n % 64 == 0 {
                                store.quiescent_point(worker);
                            }
                            store.finish(worker, pending, &state).unwrap().is_fresh()
                        }
                        _ => {
                            let are_fresh = insert_all(store, worker, &[&state, &state]);
                            assert!(!are_fresh[1]);
                            are_fresh[0]
                        }
                    };
                    n_fresh.fetch_add(u64::from(is_fresh), Ordering::Relaxed);
                }
                store.unregister(worker);
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
        assert!(*limit < 500_000 || n > limit / 150, "{n} states in {limit} bytes");
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
    fn tree_with_borders_agrees_with_a_hash_set(steps in steps(), borders in [0usize..4, 0usize..40]) {
        let borders = Box::new(move |state: &[u8]| vec![borders[0], state.len() / 3, borders[1]]);
        agrees_with_a_hash_set(&TreeStore::with_borders(None, 1, borders), &steps)?;
    }

    #[test]
    fn compact_agrees_with_a_hash_set(steps in steps(), n_bits in 40u32..=64) {
        agrees_with_a_hash_set(&CompactStore::new(None, 1, n_bits), &steps)?;
    }

    #[test]
    fn bitstate_agrees_with_a_hash_set(steps in steps()) {
        agrees_with_a_hash_set(&BitstateStore::new(1 << 20, 1, 7).unwrap(), &steps)?;
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
fn compact_is_fresh_once() {
    is_fresh_once(&CompactStore::new(None, 3, 64), N_STATES, &[33]);
    is_fresh_once(&CompactStore::new(None, 2, 48), N_STATES, &[20, 100, 9]);
}

#[test]
fn bitstate_is_fresh_once() {
    is_fresh_once(&BitstateStore::new(8 << 20, 3, 7).unwrap(), N_STATES, &[33]);
}

#[test]
fn lossy_stores_say_so() {
    let stores: [&dyn StateStore; 2] = [&CompactStore::new(None, 1, 64), &BitstateStore::new(100, 1, 3).unwrap()];
    assert!(stores.iter().all(|store| !store.is_exact()));
    assert!(ExactStore::new(None).is_exact() && TreeStore::new(None).is_exact());
}

#[test]
fn a_bit_array_loses_few_states_while_it_is_sparse_and_never_invents_any() {
    let store = BitstateStore::new(200_000, 1, 3).unwrap();
    assert!(store.bytes() <= 200_000);
    // About 27 bits for a state: (1 - e^(-3/27))^3, averaged over the filling, is 0.04 %.
    let n_fresh = (0..N_STATES).filter(|n| store.insert(&state(*n, 40)).unwrap().is_fresh()).count() as u64;
    assert_eq!(store.len(), n_fresh);
    assert!((N_STATES - N_STATES / 1000..=N_STATES).contains(&n_fresh), "{n_fresh} of {N_STATES}");
    assert!((0..N_STATES).all(|n| !store.insert(&state(n, 40)).unwrap().is_fresh()));
    assert!(store.fill() > 0.0 && store.fill() < 0.15, "{}", store.fill());
}

#[test]
fn compact_keeps_its_limit() {
    keeps_its_limit(|limit| Box::new(CompactStore::new(Some(limit), 1, 64)), &[0, 1_000, 100_000, 1_000_000]);
}

#[test]
fn exact_keeps_its_limit() {
    keeps_its_limit(|limit| Box::new(ExactStore::new(Some(limit))), &[0, 1_000, 100_000, 1_000_000, 4_000_000]);
}

#[test]
fn tree_keeps_its_limit() {
    keeps_its_limit(|limit| Box::new(TreeStore::new(Some(limit))), &[0, 1_000, 100_000, 700_000]);
}

#[test]
fn trees_are_small() {
    let store = TreeStore::new(None);
    for n in 0..97 * 89 * 20 {
        store.insert(&state(n, 60)).unwrap();
    }
    let bytes_per_state = store.bytes() as f64 / store.len() as f64;
    assert!(bytes_per_state < 12.0, "{bytes_per_state} bytes per state, {} pairs", store.n_nodes());
}

/// More parts than the first index has room for come before it can grow.
#[test]
fn a_batch_of_long_states_is_no_trouble_for_a_small_tree() {
    let store = TreeStore::new(None);
    let states: Vec<Vec<u8>> =
        (0..20).map(|n| (0..20_000u32).flat_map(|at| (n * 20_000 + at).to_le_bytes()).collect()).collect();
    let all: Vec<_> = states.iter().map(Vec::as_slice).collect();
    assert!(insert_all(&store, 0, &all).into_iter().all(|is_fresh| is_fresh));
    store.quiescent_point(0);
    assert!(states.iter().all(|state| !store.insert(state).unwrap().is_fresh()));
    assert_eq!(store.len(), 20);
}

type Load<S> = fn(&mut dyn Read, Option<u64>, usize) -> Result<S, LoadError>;

/// What is saved is loaded, by as many workers or more, and goes on; what is cut or changed is refused.
fn saves_and_loads<S: StateStore>(store: &S, load: Load<S>) {
    let insert = |store: &S, n: u64| {
        let state = state(n, 20 + (n % 30) as usize);
        let seen = store.insert_hashed(0, store.hash(&state), &state).unwrap();
        store.quiescent_point(0);
        seen
    };
    let n_states = 5_000;
    let ids: Vec<_> = (0..n_states).map(|n| insert(store, n)).collect();
    assert!(ids.iter().all(|seen| seen.is_fresh()));
    let mut saved = Vec::new();
    store.save(&mut saved).unwrap();
    for n_workers in [1, 3] {
        let loaded = load(&mut &saved[..], None, n_workers).unwrap();
        assert!(loaded.n_workers() >= n_workers);
        assert_eq!(loaded.len(), n_states);
        assert!((0..n_states).all(|n| !insert(&loaded, n).is_fresh()));
        assert!((n_states..2 * n_states).all(|n| insert(&loaded, n).is_fresh()));
        assert!((0..2 * n_states).all(|n| !insert(&loaded, n).is_fresh()));
    }
    for len in [0, 5, 16, 20, saved.len() / 2, saved.len() - 1] {
        let expected = if len < 16 { "these are no saved states" } else { "the saved states are damaged" };
        let error = load(&mut &saved[..len], None, 1).err().expect("less than was saved should not do");
        assert!(error.to_string().starts_with(expected), "{error}");
    }
    for at in (0..saved.len()).step_by(saved.len() / 97).chain(0..64.min(saved.len())) {
        let mut damaged = saved.clone();
        damaged[at] ^= 0x10;
        assert!(load(&mut &damaged[..], Some(1 << 30), 1).is_err(), "byte {at} should matter");
    }
    assert!(matches!(load(&mut &saved[..], Some(1_000), 1), Err(LoadError::Full(_))));
}

#[test]
fn exact_saves_and_loads() {
    saves_and_loads(&ExactStore::new(None), ExactStore::load);
    let store = ExactStore::with_workers(None, 2);
    let ids: Vec<_> = (0..3_000u64)
        .map(|n| {
            let state = state(n, 30 + n as usize % 5);
            let seen = store.insert_hashed(n as usize % 2, store.hash(&state), &state).unwrap();
            store.quiescent_point(0);
            (seen.id(), state)
        })
        .collect();
    let mut saved = Vec::new();
    store.save(&mut saved).unwrap();
    let loaded = ExactStore::load(&mut &saved[..], None, 2).unwrap();
    for (id, state) in ids {
        assert_eq!(loaded.state(id), Some(&state[..]));
        assert_eq!(loaded.insert(&state), Ok(Seen::Known(id)));
    }
    assert_eq!(loaded.n_records(1), 1_500);
}

#[test]
fn tree_saves_and_loads() {
    saves_and_loads(&TreeStore::new(None), TreeStore::load);
}

#[test]
fn compact_saves_and_loads() {
    saves_and_loads(&CompactStore::new(None, 1, 64), CompactStore::load);
    saves_and_loads(&CompactStore::new(None, 1, 44), CompactStore::load);
}

#[test]
fn bitstate_saves_and_loads() {
    saves_and_loads(&BitstateStore::new(1 << 20, 1, 7).unwrap(), BitstateStore::load);
}

#[test]
fn a_store_of_another_kind_is_named() {
    let mut saved = Vec::new();
    TreeStore::new(None).save(&mut saved).unwrap();
    let error = ExactStore::load(&mut &saved[..], None, 1).err().expect("a tree is no exact store");
    assert_eq!(error.to_string(), "the states were saved from a store of kind `tree.2`");
}
