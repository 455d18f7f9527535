//! An append-only arena of byte strings (records): each worker appends to its own chunks, all workers read all chunks.
//!
//! A record is its id, its length, and its bytes, padded to four. Ids count records, so they are dense although lengths
//! differ; reading a worker's records in order makes its chunks the queue of a breadth-first search. From the end of a
//! chunk grows an index of every 32nd record, by which a record is found from its number. A record is written before
//! any other thread can reach it, and only then published: through the table that holds its place, and through the
//! number of records.

use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, Ordering};

use crate::memory::{Allowance, Region, prefetch, prefetch_to_write};
use crate::{StateId, StoreFull};

mod drain;
mod saved;

pub(crate) use drain::Drain;

/// Bits of a [`Place`].
pub(crate) const PLACE_BITS: u32 = 36;
/// A place counts in units of this many bytes.
const UNIT: usize = 4;
/// A chunk has at most this many bytes, and as many bytes of places.
const CHUNK_BITS: u32 = 24;
const CHUNK_UNIT_BITS: u32 = CHUNK_BITS - UNIT.trailing_zeros();
const MAX_CHUNKS: usize = 1 << (PLACE_BITS - CHUNK_UNIT_BITS);
const FIRST_CHUNK: usize = 16 << 10;
/// The head of a record: 40 bits of id, 24 of length.
const HEADER: usize = 8;
const ID_BITS: u32 = 40;
const INDEX_EVERY: u32 = 32;
/// Bytes behind the end of the records that are fetched before they are written.
const WRITE_AHEAD: [usize; 2] = [256, 320];

/// Where a record is: number of the chunk and unit in it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Place(pub(crate) u64);

/// All chunks of all workers.
pub(crate) struct Arena {
    /// Where each chunk begins; apart from the rest, because every lookup needs it.
    starts: Box<[AtomicPtr<u8>]>,
    chunks: Box<[Chunk]>,
    n_chunks: AtomicU32,
    workers: Box<[Worker]>,
}

/// Metadata of a chunk. All zeros is a chunk not yet made.
struct Chunk {
    len: AtomicU32,
    /// End of the records and one, once there is a next chunk.
    used_and_one: AtomicU32,
    /// Number of the worker's next chunk, counted from one.
    next: AtomicU32,
    /// Number of the first record.
    first: AtomicU64,
}

/// One worker's side of the arena, on cache lines of its own.
#[repr(align(128))]
struct Worker {
    /// How many records are published.
    n_records: AtomicU64,
    /// Counted from one.
    first_chunk: AtomicU32,
    /// Two threads under one number exclude each other while they write.
    is_writing: AtomicBool,
    head: UnsafeCell<Head>,
}

// SAFETY: `head` is only touched by the thread that has set `is_writing`.
unsafe impl Sync for Worker {}

/// Where the next record goes.
struct Head {
    /// Counted from one.
    chunk: u32,
    start: *mut u8,
    at: usize,
    /// Records end here: the list of every 32nd record begins.
    end: usize,
    n_in_chunk: u32,
    next_len: usize,
}

// SAFETY: the pointer belongs to the arena and is used under `is_writing` only.
unsafe impl Send for Head {}

/// Exclusive access to the end of a worker's records: appends one record after another.
pub(crate) struct Appender<'a> {
    arena: &'a Arena,
    worker: &'a Worker,
    number: usize,
}

/// A reader's position among the records of one worker; see [`crate::ExactStore::next_record`].
#[derive(Clone, Copy, Debug)]
pub struct Cursor {
    worker: u32,
    /// Counted from one; zero before the first.
    chunk: u32,
    at: u32,
    next: u64,
}

impl Cursor {
    /// How many records lie before it.
    pub fn position(&self) -> u64 {
        self.next
    }
}

impl Arena {
    pub(crate) fn new(n_workers: usize) -> Self {
        // SAFETY: zeros are null pointers and zero counters. The system hands zeroed pages out when they are touched.
        let (starts, chunks) = unsafe {
            (Box::new_zeroed_slice(MAX_CHUNKS).assume_init(), Box::new_zeroed_slice(MAX_CHUNKS).assume_init())
        };
        let workers = (0..n_workers.max(1)).map(|_| Worker::default()).collect();
        Self { starts, chunks, n_chunks: AtomicU32::new(0), workers }
    }

    pub(crate) fn n_workers(&self) -> usize {
        self.workers.len()
    }

    /// How many records all workers have published.
    pub(crate) fn n_records(&self) -> u64 {
        self.workers.iter().map(|worker| worker.n_records.load(Ordering::Relaxed)).sum()
    }

    /// How many records this worker has published.
    pub(crate) fn n_records_of(&self, worker: usize) -> u64 {
        self.workers[worker].n_records.load(Ordering::Acquire)
    }

    /// Takes the worker's appender, waiting for a thread that holds it.
    #[inline]
    pub(crate) fn appender(&self, worker: usize) -> Appender<'_> {
        let number = worker;
        let worker = &self.workers[worker];
        while worker.is_writing.swap(true, Ordering::Acquire) {
            std::thread::yield_now();
        }
        Appender { arena: self, worker, number }
    }

    /// Loads the beginning of a record into the cache.
    #[inline]
    pub(crate) fn prefetch(&self, place: Place) {
        let start = self.address(place);
        prefetch(start);
        prefetch(start.wrapping_add(64));
    }

    /// The record at a place.
    ///
    /// # Safety
    /// The place was returned by [`Appender::write`] of this arena, and the write happened before this call.
    #[inline]
    pub(crate) unsafe fn record(&self, place: Place) -> (StateId, &[u8]) {
        // SAFETY: the record was written there and nothing is written over it as long as the arena lives.
        unsafe { read_record(self.address(place)) }
    }

    #[inline]
    fn id(&self, worker: usize, number: u64) -> StateId {
        StateId(number * self.workers.len() as u64 + worker as u64)
    }

    /// The record with this id, if there is one.
    pub(crate) fn by_id(&self, id: StateId) -> Option<&[u8]> {
        let n_workers = self.workers.len() as u64;
        let (worker, number) = ((id.0 % n_workers) as usize, id.0 / n_workers);
        // The table may hold a record a moment before its worker has counted it, which it does before it drops the
        // appender.
        let owner = &self.workers[worker];
        while owner.n_records.load(Ordering::Acquire) <= number && owner.is_writing.load(Ordering::Acquire) {
            std::thread::yield_now();
        }
        let mut cursor = self.cursor(worker, number)?;
        self.next(&mut cursor).map(|(_, bytes)| bytes)
    }

    /// A cursor before the worker's record of this number, if as many are published.
    pub(crate) fn cursor(&self, worker: usize, number: u64) -> Option<Cursor> {
        let mut cursor = Cursor { worker: u32::try_from(worker).ok()?, chunk: 0, at: 0, next: 0 };
        if number == 0 {
            return Some(cursor);
        }
        // The cursor is to stand behind the record before.
        let before = number - 1;
        if before >= self.n_records_of(worker) {
            return None;
        }
        let mut chunk = self.workers[worker].first_chunk.load(Ordering::Acquire);
        while let Some((next, _)) = self.chunk_after(chunk).filter(|(_, first)| *first <= before) {
            chunk = next;
        }
        let from = &self.chunks[chunk as usize - 1];
        let in_chunk = (before - from.first.load(Ordering::Relaxed)) as u32;
        let start = self.starts[chunk as usize - 1].load(Ordering::Relaxed);
        let entry = from.len.load(Ordering::Relaxed) as usize - 4 * (in_chunk / INDEX_EVERY + 1) as usize;
        // SAFETY: the record is published, so its entry in the list has been written.
        cursor.at = unsafe { start.add(entry).cast::<u32>().read() };
        cursor.chunk = chunk;
        cursor.next = before - u64::from(in_chunk % INDEX_EVERY);
        while cursor.next < number {
            self.next(&mut cursor)?;
        }
        Some(cursor)
    }

    /// The record behind the cursor, if it is published.
    #[inline]
    pub(crate) fn next(&self, cursor: &mut Cursor) -> Option<(StateId, &[u8])> {
        let worker = self.workers.get(cursor.worker as usize)?;
        if cursor.next >= worker.n_records.load(Ordering::Acquire) {
            return None;
        }
        if cursor.chunk == 0 {
            cursor.chunk = worker.first_chunk.load(Ordering::Relaxed);
        }
        // A chunk stays empty if its first record turned out to be known and the next did not fit.
        while self.chunks[cursor.chunk as usize - 1].used_and_one.load(Ordering::Relaxed) == cursor.at + 1 {
            cursor.chunk = self.chunks[cursor.chunk as usize - 1].next.load(Ordering::Relaxed);
            cursor.at = 0;
        }
        let start = self.starts[cursor.chunk as usize - 1].load(Ordering::Relaxed);
        // SAFETY: the record is published, so it has been written behind the one before or in the next chunk.
        let (id, bytes) = unsafe { read_record(start.add(cursor.at as usize)) };
        debug_assert_eq!(id, self.id(cursor.worker as usize, cursor.next), "records should come in order");
        cursor.at += record_len(bytes.len()) as u32;
        cursor.next += 1;
        Some((id, bytes))
    }

    /// The worker's chunk after this one and the number of its first record.
    fn chunk_after(&self, chunk: u32) -> Option<(u32, u64)> {
        let next = self.chunks[chunk as usize - 1].next.load(Ordering::Acquire);
        let after = self.chunks.get((next as usize).wrapping_sub(1))?;
        Some((next, after.first.load(Ordering::Relaxed)))
    }

    #[inline(always)]
    fn address(&self, place: Place) -> *mut u8 {
        let (chunk, at) = split(place);
        self.starts[chunk].load(Ordering::Relaxed).wrapping_add(at)
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        for (start, chunk) in self.starts.iter_mut().zip(&mut self.chunks).take(*self.n_chunks.get_mut() as usize) {
            if let Some(start) = std::ptr::NonNull::new(*start.get_mut()) {
                // SAFETY: the chunk was a region of this length before it was taken apart.
                drop(unsafe { Region::from_parts(start, *chunk.len.get_mut() as usize) });
            }
        }
    }
}

impl Default for Worker {
    fn default() -> Self {
        let start = std::ptr::null_mut();
        let head = Head { chunk: 0, start, at: 0, end: 0, n_in_chunk: 0, next_len: FIRST_CHUNK };
        Self {
            n_records: AtomicU64::new(0),
            first_chunk: AtomicU32::new(0),
            is_writing: AtomicBool::new(false),
            head: UnsafeCell::new(head),
        }
    }
}

impl Drop for Appender<'_> {
    #[inline]
    fn drop(&mut self) {
        self.worker.is_writing.store(false, Ordering::Release);
    }
}

impl Appender<'_> {
    /// Writes a record without publishing it; the next write overwrites it unless it is published before.
    #[inline]
    pub(crate) fn write(&mut self, allowance: &Allowance, bytes: &[u8]) -> Result<Place, StoreFull> {
        let len = record_len(bytes.len());
        let number = self.worker.n_records.load(Ordering::Relaxed);
        if self.needed(len) > self.head().end {
            self.open_chunk(allowance, len, number)?;
        }
        let id = self.arena.id(self.number, number);
        let head = self.head();
        // SAFETY: the record ends before `end`, which is within the chunk; no reader knows of this part of it.
        unsafe {
            let record = head.start.add(head.at);
            record.cast::<u64>().write_unaligned((bytes.len() as u64) << ID_BITS | id.0);
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), record.add(HEADER), bytes.len());
            if head.n_in_chunk.is_multiple_of(INDEX_EVERY) {
                head.start.add(head.end - 4).cast::<u32>().write(head.at as u32);
            }
        }
        Ok(Place(u64::from(head.chunk - 1) << CHUNK_UNIT_BITS | (head.at / UNIT) as u64))
    }

    /// Publishes what was written last, whose length this is.
    #[inline]
    pub(crate) fn publish(&mut self, len: usize) -> StateId {
        let head = self.head();
        head.at += record_len(len);
        if head.n_in_chunk.is_multiple_of(INDEX_EVERY) {
            head.end -= 4;
        }
        head.n_in_chunk += 1;
        let next = head.start.wrapping_add(head.at);
        let number = self.worker.n_records.load(Ordering::Relaxed);
        self.worker.n_records.store(number + 1, Ordering::Release);
        // The next claim of a slot waits for the record before it to reach the cache, so its lines are prefetched.
        for ahead in WRITE_AHEAD {
            prefetch_to_write(next.wrapping_add(ahead));
        }
        self.arena.id(self.number, number)
    }

    /// Where the chunk's list has to begin at least if a record of this length is to fit.
    #[inline]
    fn needed(&mut self, len: usize) -> usize {
        let head = self.head();
        head.at + len + if head.n_in_chunk.is_multiple_of(INDEX_EVERY) { 4 } else { 0 }
    }

    #[inline]
    fn head(&mut self) -> &mut Head {
        // SAFETY: an appender exists only while `is_writing` is held for it, and lends the head with itself.
        unsafe { &mut *self.worker.head.get() }
    }

    /// Goes on in a new chunk, in which a record of this length fits.
    #[cold]
    fn open_chunk(&mut self, allowance: &Allowance, len: usize, number: u64) -> Result<(), StoreFull> {
        let least = (len + 4).next_multiple_of(4096);
        let mut chunk_len = self.head().next_len.max(least);
        let is_id_too_long = self.arena.id(self.number, number).0 >> (ID_BITS - 1) != 0;
        if chunk_len > 1 << CHUNK_BITS || is_id_too_long {
            return Err(allowance.full());
        }
        let region = loop {
            match allowance.region(chunk_len) {
                Ok(region) => break region,
                // Near the limit smaller chunks use what is left.
                Err(_) if chunk_len > least => chunk_len = (chunk_len / 2).next_multiple_of(4096).max(least),
                Err(full) => return Err(full),
            }
        };
        let arena = self.arena;
        let one_more = |n: u32| ((n as usize) < MAX_CHUNKS).then_some(n + 1);
        let Ok(at) = arena.n_chunks.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_more) else {
            allowance.give_back(chunk_len as u64);
            return Err(allowance.full());
        };
        let (at, chunk) = (at as usize, at + 1);
        let start = region.into_start();
        arena.chunks[at].len.store(chunk_len as u32, Ordering::Relaxed);
        arena.chunks[at].first.store(number, Ordering::Relaxed);
        arena.starts[at].store(start.as_ptr(), Ordering::Release);
        let worker = self.worker;
        let head = self.head();
        match arena.chunks.get((head.chunk as usize).wrapping_sub(1)) {
            Some(before) => {
                before.used_and_one.store(head.at as u32 + 1, Ordering::Relaxed);
                before.next.store(chunk, Ordering::Release);
            }
            None => worker.first_chunk.store(chunk, Ordering::Release),
        }
        let next_len = (chunk_len * 4).min(1 << CHUNK_BITS);
        *head = Head { chunk, start: start.as_ptr(), at: 0, end: chunk_len, n_in_chunk: 0, next_len };
        Ok(())
    }
}

/// The chunk of a place and the byte in it.
#[inline(always)]
fn split(place: Place) -> (usize, usize) {
    let chunk = (place.0 >> CHUNK_UNIT_BITS) as usize & (MAX_CHUNKS - 1);
    (chunk, (place.0 as usize & ((1 << CHUNK_UNIT_BITS) - 1)) * UNIT)
}

/// Bytes of a record with its head and padding.
#[inline(always)]
fn record_len(len: usize) -> usize {
    HEADER + len.next_multiple_of(UNIT)
}

/// # Safety
/// A record was written at `start`, before, and stays.
#[inline(always)]
unsafe fn read_record<'a>(start: *const u8) -> (StateId, &'a [u8]) {
    // SAFETY: what the caller promises.
    unsafe {
        let (id, len) = read_head(start);
        (id, std::slice::from_raw_parts(start.add(HEADER), len))
    }
}

/// Id and length of a record.
///
/// # Safety
/// As many bytes as a head has may be read.
#[inline(always)]
unsafe fn read_head(start: *const u8) -> (StateId, usize) {
    // SAFETY: what the caller promises.
    let head = unsafe { start.cast::<u64>().read_unaligned() };
    (StateId(head & ((1 << ID_BITS) - 1)), (head >> ID_BITS) as usize)
}
