//! A growing set of 64-bit keys, packed into as few bits as their values allow, over a quotienting hash table
//! (`quotient.rs`).
//!
//! Keys come in one of two forms ([`Packing`]). A key that does not fit, for its value or because the lines near its
//! home are full, waits in a stash (a small map) until the table is rebuilt. Whether a key fits depends on the key and
//! the table alone, so no two threads look for one key in different places.

use std::collections::HashMap;
use std::io;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::growing::Growing;
use crate::memory::Allowance;
use crate::quotient::{Put, Quotient, Shape};
use crate::saved::{LoadError, Loader, Saver};
use crate::{Seen, StateId, StoreFull};

/// Bits of one half of a pair.
pub(crate) const HALF_BITS: u32 = 30;
/// Bits of a pair's class.
pub(crate) const CLASS_BITS: u32 = 4;
/// Lines of 64 bytes for one worker at first.
const FIRST_LINE_BITS: u32 = 9;
/// Lines a worker takes at a time when the set grows.
const STRIP: usize = 1 << 12;
/// Keys on their way from one table to the next.
const MOVING: usize = 16;
/// Bytes booked for a key in the stash.
const STASHED_BYTES: u64 = 48;
/// With more keys in the stash the table is rebuilt.
const MAX_STASHED: u64 = 64;

/// How keys are packed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Packing {
    /// The key is a number of this many bits.
    Number(u32),
    /// The key is a class and two halves, whose used bits these are.
    Pair { class_bits: u32, half_bits: u32 },
}

/// The set; see the module.
pub(crate) struct KeySet {
    tables: Growing<Table>,
    stash: Mutex<HashMap<u64, u64>>,
    n_stashed: AtomicU64,
    counts: Box<[Count]>,
    /// The table cannot grow any more and is filled up completely.
    is_last: AtomicBool,
}

/// How many keys a worker has added, on a cache line of its own.
#[repr(align(128))]
#[derive(Default)]
struct Count(AtomicU64);

struct Table {
    quotient: Quotient,
    packing: Packing,
}

impl Packing {
    /// Bits of a packed key.
    fn bits(self) -> u32 {
        match self {
            Packing::Number(bits) => bits,
            Packing::Pair { class_bits, half_bits } => class_bits + 2 * half_bits,
        }
    }

    #[inline(always)]
    fn pack(self, key: u64) -> Option<u64> {
        match self {
            Packing::Number(_) => Some(key),
            Packing::Pair { class_bits, half_bits } => {
                let (class, left, right) = parts(key);
                let fits = class >> class_bits == 0 && (left | right) >> half_bits == 0;
                fits.then_some((class << half_bits | left) << half_bits | right)
            }
        }
    }

    fn unpack(self, packed: u64) -> u64 {
        match self {
            Packing::Number(_) => packed,
            Packing::Pair { half_bits, .. } => {
                let mask = (1 << half_bits) - 1;
                pair(packed >> (2 * half_bits), packed >> half_bits & mask, packed & mask)
            }
        }
    }
}

/// A key of the second form.
#[inline(always)]
pub(crate) fn pair(class: u64, left: u64, right: u64) -> u64 {
    (class << HALF_BITS | left) << HALF_BITS | right
}

/// Class, left and right half.
#[inline(always)]
pub(crate) fn parts(key: u64) -> (u64, u64, u64) {
    let mask = (1 << HALF_BITS) - 1;
    (key >> (2 * HALF_BITS), key >> HALF_BITS & mask, key & mask)
}

impl KeySet {
    /// An empty set; `None` if the limit forbids even that.
    pub(crate) fn new(allowance: &Allowance, n_workers: usize, packing: Packing) -> Self {
        let line_bits = FIRST_LINE_BITS + n_workers.max(1).next_power_of_two().trailing_zeros();
        let table = Table::new(allowance, line_bits, packing);
        let is_last = AtomicBool::new(table.is_err());
        let smallest = || Table { quotient: Quotient::smallest(), packing: Packing::Number(64) };
        Self {
            tables: Growing::new(table.unwrap_or_else(|_| smallest())),
            stash: Mutex::default(),
            n_stashed: AtomicU64::new(0),
            counts: (0..n_workers.max(1)).map(|_| Count::default()).collect(),
            is_last,
        }
    }

    pub(crate) fn len(&self) -> u64 {
        self.counts.iter().map(|count| count.0.load(Ordering::Relaxed)).sum()
    }

    #[inline(always)]
    pub(crate) fn prefetch(&self, key: u64) {
        let table = self.tables.get();
        if let Some(packed) = table.packing.pack(key) {
            table.quotient.prefetch(packed);
        }
    }

    /// Adds a key. Its id is its slot, for as long as the set does not grow.
    #[inline]
    pub(crate) fn insert(&self, allowance: &Allowance, worker: usize, key: u64) -> Result<Seen, StoreFull> {
        let table = self.tables.get();
        let seen = match table.packing.pack(key).map_or(Put::NoRoom, |packed| table.quotient.put(packed)) {
            Put::Known(slot) => return Ok(Seen::Known(StateId(slot))),
            Put::Fresh(slot) => Seen::Fresh(StateId(slot)),
            Put::NoRoom => self.insert_into_stash(allowance, table, key)?,
        };
        if seen.is_fresh() {
            // Another thread may use the same number, so this has to be one operation.
            self.counts[worker].0.fetch_add(1, Ordering::Relaxed);
        }
        Ok(seen)
    }

    #[cold]
    fn insert_into_stash(&self, allowance: &Allowance, table: &Table, key: u64) -> Result<Seen, StoreFull> {
        let mut stash = self.stash();
        let n = stash.len() as u64;
        let first = table.quotient.shape().n_slots();
        if let Some(at) = stash.get(&key) {
            return Ok(Seen::Known(StateId(first + at)));
        }
        if self.is_last.load(Ordering::Relaxed) && n > first / 64 {
            return Err(allowance.full());
        }
        allowance.take(STASHED_BYTES)?;
        stash.insert(key, n);
        self.n_stashed.store(n + 1, Ordering::Relaxed);
        Ok(Seen::Fresh(StateId(first + n)))
    }

    /// The key with this id, if the set has not grown since.
    pub(crate) fn key(&self, id: StateId) -> Option<u64> {
        let table = self.tables.get();
        match id.0.checked_sub(table.quotient.shape().n_slots()) {
            None => Some(table.packing.unpack(table.quotient.key(id.0)?)),
            Some(at) => self.stash().iter().find(|(_, known)| **known == at).map(|(key, _)| *key),
        }
    }

    /// Saves all keys, while no worker inserts.
    pub(crate) fn save(&self, saver: &mut Saver) -> io::Result<()> {
        let table = self.tables.get();
        saver.number(self.len())?;
        // Keys come as they lie in the table, so they have to be loaded into a table of the same shape: in a smaller
        // one, all would begin at one end.
        saver.number(table.quotient.shape().line_bits.into())?;
        let (class_bits, half_bits) = match table.packing {
            Packing::Number(bits) => (0, bits),
            Packing::Pair { class_bits, half_bits } => (class_bits, half_bits),
        };
        saver.number(class_bits.into())?;
        saver.number(half_bits.into())?;
        let slots = (0..table.quotient.shape().n_slots()).filter_map(|slot| table.quotient.key(slot));
        saver.numbers(slots.map(|packed| table.packing.unpack(packed)))?;
        let stash: Vec<_> = self.stash().keys().copied().collect();
        saver.numbers(stash.into_iter())
    }

    /// Loads a saved set; `packing` tells the form of its keys.
    pub(crate) fn load(
        loader: &mut Loader,
        allowance: &Allowance,
        n_workers: usize,
        packing: Packing,
    ) -> Result<Self, LoadError> {
        let n_keys = loader.number()?;
        let line_bits = loader.number_to(56)?.max(FIRST_LINE_BITS.into()) as u32;
        let class_bits = loader.number_to(CLASS_BITS.into())? as u32;
        let half_bits = loader.number_to(64)? as u32;
        let packing = match packing {
            Packing::Number(bits) => Packing::Number(bits),
            Packing::Pair { .. } if half_bits > HALF_BITS => return Err(LoadError::Damaged),
            Packing::Pair { .. } => Packing::Pair { class_bits, half_bits },
        };
        let most = if let Packing::Number(bits) = packing { u64::MAX >> (64 - bits) } else { u64::MAX };
        let mut set = Self::new(allowance, n_workers, packing);
        if line_bits > set.tables.get().quotient.shape().line_bits {
            set.tables.get().quotient.discard(allowance);
            set.tables = Growing::new(Table::new(allowance, line_bits, packing)?);
        }
        loader.numbers(n_keys, |key| {
            let is_fresh = key <= most && set.insert(allowance, 0, key)?.is_fresh();
            if is_fresh { Ok(()) } else { Err(LoadError::Damaged) }
        })?;
        Ok(set)
    }

    /// Whether it is time to grow; `wanted` is how keys would have to be packed for all to fit.
    pub(crate) fn is_crowded(&self, wanted: Packing) -> bool {
        if self.is_last.load(Ordering::Relaxed) {
            return false;
        }
        let table = self.tables.get();
        self.len() > room(table.quotient.shape())
            || self.n_stashed.load(Ordering::Relaxed) > MAX_STASHED
            || !table.packing.covers(wanted)
    }

    /// Prepares a table for more keys, or for keys of more bits; see [`crate::barrier::Rehash`].
    pub(crate) fn prepare(&self, allowance: &Allowance, wanted: Packing) -> bool {
        if !self.is_crowded(wanted) {
            return false;
        }
        let table = self.tables.get();
        let mut line_bits = table.quotient.shape().line_bits;
        // As few lines as hold the keys, unless the present number of bits does and there is no other reason.
        let packing = loop {
            let packing = table.packing.widened(wanted, line_bits);
            if self.len() <= room(Shape { line_bits, key_bits: packing.bits() }) / 16 * 15 {
                break packing;
            }
            line_bits += 1;
        };
        let is_same = line_bits == table.quotient.shape().line_bits && packing == table.packing;
        let line_bits = if is_same { line_bits + 1 } else { line_bits };
        match Table::new(allowance, line_bits, packing) {
            Ok(next) => self.tables.begin(next),
            Err(_) => self.is_last.store(true, Ordering::Relaxed),
        }
        self.tables.next().is_some()
    }

    pub(crate) fn share(&self) {
        let old = self.tables.get();
        let Some(new) = self.tables.next() else { return };
        // Packed as before, keys need not be known for that.
        let is_same = old.packing == new.packing && old.quotient.shape().key_bits == new.quotient.shape().key_bits;
        // Lines are prefetched some keys ahead.
        let (mut waiting, mut n_keys) = ([0; MOVING], 0);
        while let Some(lines) = self.tables.take(STRIP, old.quotient.n_lines()) {
            old.quotient.all_permuted(lines, |permuted| {
                let mut moving = permuted;
                if !is_same {
                    let key = old.packing.unpack(old.quotient.unpermuted(permuted));
                    match new.packing.pack(key) {
                        Some(packed) => moving = new.quotient.permuted(packed),
                        None => return self.stash_key(key),
                    }
                }
                new.quotient.prefetch_permuted(moving);
                let before = std::mem::replace(&mut waiting[n_keys % MOVING], moving);
                if n_keys >= MOVING {
                    self.keep_permuted(new, before);
                }
                n_keys += 1;
            });
        }
        let n_waiting = n_keys.min(MOVING);
        (n_keys - n_waiting..n_keys).for_each(|at| self.keep_permuted(new, waiting[at % MOVING]));
    }

    pub(crate) fn finish(&self, allowance: &Allowance) {
        let Some(old) = self.tables.end() else { return };
        old.quotient.discard(allowance);
        let stash = std::mem::take(&mut *self.stash());
        allowance.give_back(self.n_stashed.swap(0, Ordering::Relaxed) * STASHED_BYTES);
        stash.into_keys().for_each(|key| self.keep(self.tables.get(), key));
        // Keys that have no room now either are few; they are booked whatever the limit.
        let n_stashed = self.stash().len() as u64;
        self.n_stashed.store(n_stashed, Ordering::Relaxed);
        allowance.take_anyway(n_stashed * STASHED_BYTES);
    }

    /// Puts a key of the set into another table.
    fn keep(&self, table: &Table, key: u64) {
        match table.packing.pack(key) {
            Some(packed) => self.keep_permuted(table, table.quotient.permuted(packed)),
            None => self.stash_key(key),
        }
    }

    #[inline(always)]
    fn keep_permuted(&self, table: &Table, permuted: u64) {
        if table.quotient.put_permuted(permuted) == Put::NoRoom {
            self.stash_key(table.packing.unpack(table.quotient.unpermuted(permuted)));
        }
    }

    fn stash_key(&self, key: u64) {
        let mut stash = self.stash();
        let n = stash.len() as u64;
        stash.insert(key, n);
    }

    fn stash(&self) -> std::sync::MutexGuard<'_, HashMap<u64, u64>> {
        self.stash.lock().expect("no holder of the map should panic")
    }
}

impl Packing {
    fn covers(self, wanted: Packing) -> bool {
        match (self, wanted) {
            (Packing::Number(bits), Packing::Number(wanted)) => bits >= wanted,
            (Packing::Pair { class_bits, half_bits }, Packing::Pair { class_bits: class, half_bits: half }) => {
                class_bits >= class && half_bits >= half
            }
            (Packing::Number(_), Packing::Pair { .. }) | (Packing::Pair { .. }, Packing::Number(_)) => false,
        }
    }

    /// A packing for a table of so many lines: this one if it covers what is wanted, for then growing is a stream;
    /// otherwise as many bits as small words hold, so that it lasts.
    fn widened(self, wanted: Packing, line_bits: u32) -> Packing {
        let is_wide = |packing: Packing| Shape { line_bits, key_bits: packing.bits() }.is_wide();
        if self.covers(wanted) && !is_wide(self) {
            return self;
        }
        let Packing::Pair { class_bits, half_bits } = wanted else { return wanted };
        for spare in (0..=3).rev() {
            let half_bits = (half_bits + spare).min(HALF_BITS);
            let packing = Packing::Pair { class_bits, half_bits };
            if !is_wide(packing) {
                return packing;
            }
        }
        Packing::Pair { class_bits: CLASS_BITS, half_bits: HALF_BITS }
    }
}

impl Table {
    fn new(allowance: &Allowance, line_bits: u32, packing: Packing) -> Result<Self, StoreFull> {
        if line_bits >= usize::BITS - 8 {
            return Err(allowance.full());
        }
        let key_bits = packing.bits().max(line_bits);
        Ok(Self { quotient: Quotient::new(allowance, Shape { line_bits, key_bits })?, packing })
    }
}

/// How many keys a table of this shape holds with short probe distances.
fn room(shape: Shape) -> u64 {
    shape.n_slots() / 64 * 54
}
