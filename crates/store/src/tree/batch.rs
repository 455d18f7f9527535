//! Batched folding of states into trees, level by level, so that the lookups of their pairs overlap in memory.
//!
//! Folding one state is a chain: a pair cannot be looked up before its halves have numbers. Between states there is no
//! such order. So a batch is folded level by level: first all pairs of a level are made, and the index lines of those
//! that are in no cache are prefetched; then those lines are read and the pairs they point to prefetched; then the
//! numbers are taken. Until then, the position among the pending pairs stands for the number.

use super::shape::Shape;
use super::{Memo, Scratch, TreeStore, join};
use crate::keyset::pair;
use crate::nodes::{self, Nodes};
use crate::{Batch, StoreFull};

/// Marks a position among the pending pairs; numbers are smaller.
const WAITS: u32 = 1 << 31;

/// No number.
const UNLIKELY: u32 = u32::MAX;

/// States of one length on their way to their roots, a row of numbers each.
#[derive(Default)]
pub(super) struct Folding {
    rows: Vec<u32>,
    /// Bytes of the states.
    len: usize,
    /// Numbers that a row has at first.
    width: usize,
    pending: Vec<Pending>,
    /// The root of each state.
    roots: Vec<Result<u64, StoreFull>>,
}

/// A pair that has no number yet.
struct Pending {
    pair: u64,
    hash: u64,
    number: u32,
}

impl TreeStore {
    /// Folds states, prefetches the lines of their roots, and inserts the roots.
    pub(super) fn insert_states(
        &self,
        worker: usize,
        states: &Batch<'_>,
        fresh: &mut Vec<u32>,
    ) -> Result<(), StoreFull> {
        let mut states = states.states();
        let mut scratch = self.workers[worker].lock();
        let mut batch = std::mem::take(&mut scratch.batch);
        batch.roots.clear();
        let mut next = states.next();
        while let Some(first) = next {
            self.find_class(&mut scratch, first);
            let mut other = None;
            let shape = self.shape(scratch.class, first, &mut other);
            batch.rows.clear();
            (batch.len, batch.width) = (first.len(), shape.n_leaves());
            let mut n_states = 0;
            let is_ready = scratch.memo.len() >= shape.n_places() || self.make_ready(&mut scratch, shape).is_ok();
            while let Some(state) = next.filter(|state| state.len() == batch.len) {
                if is_ready {
                    self.first_level(&mut scratch, &mut batch, shape, state);
                }
                n_states += 1;
                next = states.next();
            }
            match is_ready {
                true => self.fold_batch(&mut scratch, &mut batch, shape, n_states),
                false => batch.roots.extend((0..n_states).map(|_| Err(self.allowance.full()))),
            }
        }
        let mut result = Ok(());
        for (at, root) in batch.roots.iter().enumerate() {
            match root.and_then(|root| self.roots.insert(&self.allowance, worker, root)) {
                Ok(seen) if seen.is_fresh() => fresh.push(at as u32),
                Ok(_) => {}
                Err(full) => {
                    result = Err(full);
                    break;
                }
            }
        }
        scratch.batch = batch;
        result
    }

    /// Adds the row of a state.
    #[inline]
    fn first_level(&self, scratch: &mut Scratch, batch: &mut Folding, shape: &Shape, state: &[u8]) {
        // A prepared scratch implies nodes.
        let Some(nodes) = &self.nodes else { return };
        let Scratch { memo, recent, .. } = scratch;
        for (leaf, place) in shape.read(state).zip(memo) {
            let number = number_or_place(nodes, recent, place, &mut batch.pending, leaf);
            batch.rows.push(number);
        }
    }

    /// Takes all rows to their roots.
    fn fold_batch(&self, scratch: &mut Scratch, batch: &mut Folding, shape: &Shape, n_states: usize) {
        if let Err(full) = self.fold_rows(scratch, batch, shape) {
            // The memo must not keep positions of pending pairs.
            scratch.memo.clear();
            batch.pending.clear();
            batch.roots.extend((0..n_states).map(|_| Err(full)));
            return;
        }
        let mut roots = std::mem::take(&mut batch.roots);
        for row in batch.rows.chunks_exact(batch.width) {
            let root = self.root(scratch, batch, shape, row);
            if let Ok(root) = root {
                self.roots.prefetch(root);
            }
            roots.push(root);
        }
        batch.roots = roots;
    }

    /// Joins numbers until two are left in each row.
    fn fold_rows(&self, scratch: &mut Scratch, batch: &mut Folding, shape: &Shape) -> Result<(), StoreFull> {
        let mut next_place = batch.width;
        self.take_numbers(scratch, batch, 0, next_place)?;
        let Some(nodes) = &self.nodes else { return Err(self.allowance.full()) };
        let mut n = shape.firsts().len();
        if n < batch.width {
            let Scratch { memo, recent, .. } = &mut *scratch;
            let places = &mut memo[next_place..next_place + n];
            for row in batch.rows.chunks_exact_mut(batch.width) {
                for (at, ((from, is_pair), place)) in shape.firsts().iter().zip(&mut *places).enumerate() {
                    let from = *from as usize;
                    row[at] = match is_pair {
                        true => {
                            let pair = join(row[from], row[from + 1]);
                            number_or_place(nodes, recent, place, &mut batch.pending, pair)
                        }
                        false => row[from],
                    };
                }
            }
            self.take_numbers(scratch, batch, next_place, n)?;
        }
        next_place += n;
        while n > 2 {
            n /= 2;
            let Scratch { memo, recent, .. } = &mut *scratch;
            let places = &mut memo[next_place..next_place + n];
            for row in batch.rows.chunks_exact_mut(batch.width) {
                for (at, place) in places.iter_mut().enumerate() {
                    let pair = join(row[2 * at], row[2 * at + 1]);
                    row[at] = number_or_place(nodes, recent, place, &mut batch.pending, pair);
                }
            }
            self.take_numbers(scratch, batch, next_place, n)?;
            next_place += n;
        }
        Ok(())
    }

    /// Numbers all pending pairs and replaces their positions.
    fn take_numbers(
        &self,
        scratch: &mut Scratch,
        batch: &mut Folding,
        first_place: usize,
        n_places: usize,
    ) -> Result<(), StoreFull> {
        if batch.pending.is_empty() {
            return Ok(());
        }
        let Some(nodes) = &self.nodes else { return Err(self.allowance.full()) };
        for item in &mut batch.pending {
            item.number = nodes.likely_number(item.hash).unwrap_or(UNLIKELY);
        }
        let Scratch { block, memo, recent, .. } = scratch;
        for item in &mut batch.pending {
            if item.number == UNLIKELY || nodes.pair(item.number) != item.pair {
                item.number = nodes.number(&self.allowance, block, item.pair, item.hash)?;
            }
            let at = (item.hash >> 20) as usize & (recent.len() - 1);
            recent[at] = (item.pair, item.number);
        }
        let pending = &batch.pending;
        let take = |number: &mut u32| {
            if *number & WAITS != 0 {
                *number = pending[(*number & !WAITS) as usize].number;
            }
        };
        memo[first_place..first_place + n_places].iter_mut().flat_map(|place| &mut place.numbers).for_each(take);
        batch.rows.iter_mut().for_each(take);
        batch.pending.clear();
        Ok(())
    }

    /// The root of a state of which two numbers are left.
    fn root(&self, scratch: &mut Scratch, batch: &Folding, shape: &Shape, row: &[u32]) -> Result<u64, StoreFull> {
        let (left, right) = (row[0], row[1]);
        match scratch.class {
            Some(class) => Ok(pair(class, left.into(), right.into())),
            None => {
                let place = shape.n_places() - 1;
                let Scratch { block, memo, recent, .. } = scratch;
                let left = self.number(block, recent, &mut memo[place], join(batch.len as u32, left))?;
                Ok(pair(super::N_CLASSES as u64, left.into(), right.into()))
            }
        }
    }
}

/// The number of a pair met at this place, or its position among the pending pairs.
#[inline(always)]
fn number_or_place(
    nodes: &Nodes,
    recent: &[(u64, u32)],
    place: &mut Memo,
    pending: &mut Vec<Pending>,
    pair: u64,
) -> u32 {
    if place.pairs[0] == pair {
        return place.numbers[0];
    }
    let number = if place.pairs[1] == pair {
        place.numbers[1]
    } else {
        let hash = nodes::mix(pair);
        let known = recent[(hash >> 20) as usize & (recent.len() - 1)];
        if known.0 == pair {
            known.1
        } else {
            nodes.prefetch(hash);
            pending.push(Pending { pair, hash, number: 0 });
            WAITS | (pending.len() - 1) as u32
        }
    };
    place.pairs = [pair, place.pairs[0]];
    place.numbers = [number, place.numbers[0]];
    number
}
