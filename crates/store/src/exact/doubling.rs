//! In-place doubling of the table, shared by all workers.
//!
//! A slot at line n goes to line 2n or 2n + 1, because the top bits of its hash choose the line. So going through the
//! lines from the last to the first overwrites only what was read before, and no second table has to be touched, which
//! would take as long as the search takes for the states in it. Workers take strips of lines; a strip waits until the
//! strips are done that its slots go to. Slots displaced from their home line are set aside and reinserted at the end.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use super::{SLOTS, Table};

/// Lines a worker takes at a time.
const STRIP: usize = 1 << 12;
/// Lines of displaced slots are prefetched so many slots ahead.
const AHEAD: usize = 16;

/// The work; see the module.
pub(super) struct Doubling {
    /// Which strips of the old table have been read.
    is_done: Box<[AtomicBool]>,
    /// Upper halves of hashes, and words.
    displaced: Mutex<Vec<(u64, u64)>>,
}

impl Doubling {
    pub(super) fn new(old: &Table) -> Self {
        let n_strips = old.n_lines().div_ceil(STRIP);
        Self { is_done: (0..n_strips).map(|_| AtomicBool::new(false)).collect(), displaced: Mutex::default() }
    }

    pub(super) fn n_strips(&self) -> usize {
        self.is_done.len()
    }

    /// Moves the slots of a strip. Strips have to be taken from the last to the first.
    pub(super) fn strip(&self, old: &Table, new: &Table, strip: usize) {
        for above in [2 * strip, 2 * strip + 1] {
            while above != strip && self.is_done.get(above).is_some_and(|done| !done.load(Ordering::Acquire)) {
                std::thread::yield_now();
            }
        }
        let mut displaced = Vec::new();
        for at in (strip * STRIP..old.n_lines().min((strip + 1) * STRIP)).rev() {
            let line = old.line(at);
            let words: [u64; SLOTS] = std::array::from_fn(|slot| line[slot].load(Ordering::Relaxed));
            let (mut halves, mut n_taken) = ([[0; SLOTS]; 2], [0; 2]);
            for word in words.into_iter().take_while(|word| *word != 0) {
                let hash = old.upper_hash(at, word);
                let home = new.home(hash);
                if home >> 1 == at {
                    halves[home & 1][n_taken[home & 1] % SLOTS] = word;
                    n_taken[home & 1] += 1;
                } else {
                    displaced.push((hash, word));
                }
            }
            for (half, words) in halves.iter().enumerate() {
                for (slot, word) in new.line(2 * at + half).iter().zip(words) {
                    slot.store(*word, Ordering::Relaxed);
                }
            }
        }
        self.displaced.lock().expect("no holder of the slots should panic").extend(displaced);
        self.is_done[strip].store(true, Ordering::Release);
    }

    /// Reinserts the displaced slots, when all strips are done.
    pub(super) fn end(self, new: &Table) {
        let displaced = self.displaced.into_inner().expect("no holder of the slots should panic");
        for (at, (hash, word)) in displaced.iter().enumerate() {
            if let Some((later, _)) = displaced.get(at + AHEAD) {
                new.prefetch(*later);
            }
            assert!(new.put(*hash, *word), "a table twice as large should have room");
        }
    }
}
