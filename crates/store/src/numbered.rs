//! Tree compression with stable state ids: the node table of a tree store over an exact set of roots.
//!
//! A [`TreeStore`] identifies states by the slots of their roots, which change when the table grows. A search that
//! keeps something beside each state, such as edges between states, needs ids that last: here a root is a record of
//! eight bytes in an [`ExactStore`], about 28 bytes for each state.

use std::io::{self, Write};

use unpick_base::weighted_sum::mix;

use crate::{ExactStore, Recall, Seen, StateId, StateStore, StoreFull, TreeStore};

/// The store; see the module.
pub struct NumberedTreeStore {
    tree: TreeStore,
    roots: ExactStore,
}

impl NumberedTreeStore {
    /// An empty store for this many workers. Pairs and roots each take no more than `limit` bytes, if one is given; a
    /// caller with one limit for both watches [`StateStore::bytes`].
    pub fn with_workers(limit: Option<u64>, n_workers: usize) -> Self {
        let (tree, roots) = (TreeStore::with_workers(limit, n_workers), ExactStore::with_workers(limit, n_workers));
        Self { tree, roots }
    }

    #[inline]
    fn insert_root(&self, worker: usize, root: u64) -> Result<Seen, StoreFull> {
        let bytes = root.to_le_bytes();
        self.roots.insert_hashed(worker, mix(root), &bytes)
    }
}

impl StateStore for NumberedTreeStore {
    fn is_exact(&self) -> bool {
        true
    }

    fn n_workers(&self) -> usize {
        self.roots.n_workers()
    }

    fn uses_hash(&self) -> bool {
        false
    }

    fn prefetch(&self, _hash: u64) {}

    fn insert_hashed(&self, worker: usize, _hash: u64, state: &[u8]) -> Result<Seen, StoreFull> {
        let root = self.tree.root_of(worker, state)?;
        self.insert_root(worker, root)
    }

    #[inline]
    fn begin(&self, worker: usize, _hash: u64, state: &[u8]) -> Result<u64, StoreFull> {
        let root = self.tree.root_of(worker, state)?;
        self.roots.prefetch(mix(root));
        Ok(root)
    }

    #[inline]
    fn load_record(&self, pending: u64) {
        self.roots.load_record(mix(pending));
    }

    #[inline]
    fn finish(&self, worker: usize, pending: u64, _state: &[u8]) -> Result<Seen, StoreFull> {
        self.insert_root(worker, pending)
    }

    fn quiescent_point(&self, worker: usize) {
        // A worker that waits at one barrier must not be waited for at the other.
        if self.tree.is_due() {
            self.roots.unregister(worker);
            self.tree.quiescent_point(worker);
            self.roots.register(worker);
        }
        if self.roots.is_due() {
            self.tree.unregister(worker);
            self.roots.quiescent_point(worker);
            self.tree.register(worker);
        }
    }

    fn register(&self, worker: usize) {
        self.tree.register(worker);
        self.roots.register(worker);
    }

    fn unregister(&self, worker: usize) {
        self.roots.unregister(worker);
        self.tree.unregister(worker);
    }

    fn len(&self) -> u64 {
        self.roots.len()
    }

    fn bytes(&self) -> u64 {
        self.tree.bytes() + self.roots.bytes()
    }

    fn save(&self, out: &mut dyn Write) -> io::Result<()> {
        self.tree.save(out)?;
        self.roots.save(out)
    }
}

impl Recall for NumberedTreeStore {
    fn recall(&self, id: StateId, into: &mut Vec<u8>) {
        let root = self.roots.state(id).expect("the id should be of a stored state");
        let root = u64::from_le_bytes(root.try_into().expect("a root should have eight bytes"));
        self.tree.state_of(root, into);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_stable_and_recall_their_states() {
        let store = NumberedTreeStore::with_workers(None, 2);
        let state = |n: u32| [n.to_le_bytes(), (n / 100).to_le_bytes(), [1, 2, 3, 4], (n % 7).to_le_bytes()].concat();
        std::thread::scope(|scope| {
            for worker in 0..2 {
                let store = &store;
                scope.spawn(move || {
                    store.register(worker);
                    for n in 0..50_000 {
                        let state = state(n);
                        let pending = store.begin(worker, 0, &state).expect("there should be room");
                        store.finish(worker, pending, &state).expect("there should be room");
                        store.quiescent_point(worker);
                    }
                    store.unregister(worker);
                });
            }
        });
        assert_eq!(store.len(), 50_000);
        let mut found = Vec::new();
        for n in 0..50_000 {
            let seen = store.insert(&state(n)).expect("there should be room");
            assert!(!seen.is_fresh());
            store.recall(seen.id(), &mut found);
            assert_eq!(found, state(n));
        }
    }
}
