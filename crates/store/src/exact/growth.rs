//! Growth of the table: when it is due, and how the workers share it.

use std::sync::atomic::Ordering;
use std::sync::{Arc, MutexGuard};

use super::ExactStore;
use super::doubling::Doubling;
use super::table::Table;
use crate::barrier::Rehash;

/// Lines a worker takes at a time when the table grows.
const STRIP: usize = 1 << 12;

/// Doubles the table.
impl Rehash for ExactStore {
    fn prepare(&self) -> bool {
        if !self.is_crowded() {
            return false;
        }
        let table = match self.table().doubled(&self.allowance) {
            Some(table) => {
                *self.doubling() = Some(Arc::new(Doubling::new(self.table())));
                Ok(table)
            }
            None => Table::new(&self.allowance, self.table().line_bits + 1),
        };
        match table {
            Ok(table) => self.tables.begin(table),
            Err(_) => self.is_last.store(true, Ordering::Relaxed),
        }
        self.tables.next().is_some()
    }

    fn share(&self) {
        let old = self.table();
        let Some(new) = self.tables.next() else { return };
        let doubling = self.doubling().clone();
        if let Some(doubling) = doubling {
            while let Some(strips) = self.tables.take(1, doubling.n_strips()) {
                doubling.strip(old, new, doubling.n_strips() - 1 - strips.start);
            }
            return;
        }
        while let Some(lines) = self.tables.take(STRIP, old.n_lines()) {
            for at in lines {
                for slot in old.line(at) {
                    let word = slot.load(Ordering::Relaxed);
                    if word != 0 {
                        let is_put = new.put(old.upper_hash(at, word), word);
                        assert!(is_put, "a table twice as large should have room");
                    }
                }
            }
        }
    }

    fn finish(&self) {
        let Some(old) = self.tables.end() else { return };
        match self.doubling().take() {
            // All workers that shared in the work have dropped their references.
            Some(doubling) => Arc::into_inner(doubling).expect("nobody should hold the work").end(self.table()),
            None => old.discard(&self.allowance),
        }
    }
}

impl ExactStore {
    pub(super) fn is_crowded(&self) -> bool {
        let n_slots = self.table().n_slots();
        let n_states = self.arena.n_records();
        if self.is_last.load(Ordering::Relaxed) {
            if n_states > n_slots / 16 * 15 {
                self.is_full.store(true, Ordering::Relaxed);
            }
            return false;
        }
        n_states > n_slots / 16 * 11
    }

    fn doubling(&self) -> MutexGuard<'_, Option<Arc<Doubling>>> {
        self.doubling.lock().expect("no holder of the work should panic")
    }
}
