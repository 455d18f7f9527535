//! The frontier: chunks of unexpanded states, shared between workers (work sharing).

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex};

use unpick_system::Arrival;

use super::Order;
use super::checkpoint::{read_bytes, read_u64, write_u64};
use super::predecessor_log::StateNumber;

/// A chunk holds at most so many states.
pub(super) const MAX_STATES: usize = 2048;
/// So many if the newest chunk comes first: in a chunk, states are looked at side by side.
const MAX_DEEP_STATES: usize = 16;
/// A chunk is full when it has so many bytes.
const FULL_BYTES: usize = 128 << 10;
/// How often a waiting worker polls for a chunk before it goes to sleep.
const WATCH: usize = 2000;

/// States found by one worker, one after the other.
pub(super) struct Chunk {
    /// The number of the first state; the others follow.
    pub(super) first: StateNumber,
    /// How many steps lead to them.
    pub(super) depth: u64,
    bytes: Vec<u8>,
    ends: Vec<u32>,
    /// The weighted sum of each state, where those of successors are made from it; not written to disk.
    sums: Vec<u64>,
    /// The step by which each was found, where it matters; not written to disk.
    arrivals: Vec<Arrival>,
}

impl Chunk {
    pub(super) fn new(worker: u32, first: u64, depth: u64) -> Self {
        Self {
            first: StateNumber { worker, index: first },
            depth,
            bytes: Vec::new(),
            ends: Vec::new(),
            sums: Vec::new(),
            arrivals: Vec::new(),
        }
    }

    #[inline]
    pub(super) fn push(&mut self, state: &[u8]) {
        self.bytes.extend_from_slice(state);
        self.ends.push(self.bytes.len() as u32);
    }

    /// Adds the weighted sum of the state that was pushed last.
    #[inline]
    pub(super) fn push_sum(&mut self, sum: u64) {
        self.sums.push(sum);
    }

    /// The weighted sum of a state, if all have one.
    #[inline]
    pub(super) fn sum(&self, at: usize) -> Option<u64> {
        if self.sums.len() == self.ends.len() { self.sums.get(at).copied() } else { None }
    }

    /// Adds the step by which the state was found that was pushed last.
    #[inline]
    pub(super) fn push_arrival(&mut self, arrival: Arrival) {
        self.arrivals.push(arrival);
    }

    /// The step by which a state was found, as far as it is known.
    #[inline]
    pub(super) fn arrival(&self, at: usize) -> Arrival {
        self.arrivals.get(at).copied().unwrap_or(Arrival::NONE)
    }

    #[inline]
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    #[inline]
    pub(super) fn is_full(&self, order: Order) -> bool {
        let most = match order {
            Order::Breadth => MAX_STATES,
            Order::Depth => MAX_DEEP_STATES,
        };
        self.ends.len() >= most || self.bytes.len() >= FULL_BYTES
    }

    #[inline]
    pub(super) fn state(&self, at: usize) -> &[u8] {
        let start = if at == 0 { 0 } else { self.ends[at - 1] as usize };
        &self.bytes[start..self.ends[at] as usize]
    }

    pub(super) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        for number in [self.first.worker.into(), self.first.index, self.depth, self.ends.len() as u64] {
            write_u64(out, number)?;
        }
        for end in &self.ends {
            out.write_all(&end.to_le_bytes())?;
        }
        out.write_all(&self.bytes)
    }

    pub(super) fn read(input: &mut dyn Read) -> io::Result<Self> {
        let (worker, index, depth) = (read_u64(input)?, read_u64(input)?, read_u64(input)?);
        let len = read_u64(input)?.min(u64::from(u32::MAX));
        let ends = read_bytes(input, 4 * len)?;
        let ends: Vec<u32> =
            ends.chunks_exact(4).map(|end| u32::from_le_bytes([end[0], end[1], end[2], end[3]])).collect();
        if !ends.is_sorted() {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let bytes = read_bytes(input, ends.last().copied().unwrap_or(0).into())?;
        Ok(Self {
            first: StateNumber { worker: worker as u32, index },
            depth,
            bytes,
            ends,
            sums: Vec::new(),
            arrivals: Vec::new(),
        })
    }

    fn size(&self) -> u64 {
        (self.bytes.capacity()
            + 4 * self.ends.capacity()
            + 8 * self.sums.capacity()
            + size_of::<Arrival>() * self.arrivals.capacity()) as u64
    }
}

/// The pool of chunks (work sharing).
pub(super) struct Pool {
    state: Mutex<Waiting>,
    changed: Condvar,
    n_workers: usize,
    order: Order,
    /// Waiting workers spin on this for a moment before they sleep.
    n_chunks: AtomicUsize,
    /// A worker waits, and the pool is empty.
    is_wanting: AtomicBool,
    bytes: AtomicU64,
    peak_bytes: AtomicU64,
}

struct Waiting {
    chunks: VecDeque<Chunk>,
    /// Chunks to be used again.
    spare: Vec<Chunk>,
    n_idle: usize,
    is_closed: bool,
}

impl Pool {
    pub(super) fn new(n_workers: usize, order: Order) -> Self {
        let waiting = Waiting { chunks: VecDeque::new(), spare: Vec::new(), n_idle: 0, is_closed: false };
        Self {
            state: Mutex::new(waiting),
            changed: Condvar::new(),
            n_workers,
            order,
            n_chunks: AtomicUsize::new(0),
            is_wanting: AtomicBool::new(false),
            bytes: AtomicU64::new(0),
            peak_bytes: AtomicU64::new(0),
        }
    }

    pub(super) fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    pub(super) fn peak_bytes(&self) -> u64 {
        self.peak_bytes.load(Ordering::Relaxed)
    }

    /// No more chunks are handed out.
    pub(super) fn close(&self) {
        self.lock().is_closed = true;
        self.changed.notify_all();
    }

    /// Whether no chunk waits.
    pub(super) fn is_empty(&self) -> bool {
        self.lock().chunks.is_empty()
    }

    pub(super) fn put(&self, chunk: Chunk) {
        let bytes = self.bytes.fetch_add(chunk.size(), Ordering::Relaxed) + chunk.size();
        self.peak_bytes.fetch_max(bytes, Ordering::Relaxed);
        let mut state = self.lock();
        state.chunks.push_back(chunk);
        self.n_chunks.store(state.chunks.len(), Ordering::Relaxed);
        self.is_wanting.store(state.n_idle > state.chunks.len(), Ordering::Relaxed);
        drop(state);
        self.changed.notify_one();
    }

    /// Whether a worker is idle: even a small chunk would help.
    #[inline]
    pub(super) fn is_wanting(&self) -> bool {
        self.is_wanting.load(Ordering::Relaxed)
    }

    /// The chunk whose turn it is, if there is one at the moment.
    pub(super) fn try_take(&self) -> Option<Chunk> {
        let mut state = self.lock();
        if state.is_closed {
            return None;
        }
        self.pop(&mut state)
    }

    fn pop(&self, state: &mut Waiting) -> Option<Chunk> {
        let chunk = match self.order {
            Order::Breadth => state.chunks.pop_front()?,
            Order::Depth => state.chunks.pop_back()?,
        };
        self.n_chunks.store(state.chunks.len(), Ordering::Relaxed);
        self.bytes.fetch_sub(chunk.size(), Ordering::Relaxed);
        Some(chunk)
    }

    /// Waits for a chunk; `None` when all workers wait, or the pool is closed.
    pub(super) fn take(&self) -> Option<Chunk> {
        let mut state = self.lock();
        state.n_idle += 1;
        let mut is_awake = true;
        loop {
            if state.is_closed {
                return None;
            }
            if let Some(chunk) = self.pop(&mut state) {
                state.n_idle -= 1;
                self.is_wanting.store(state.n_idle > state.chunks.len(), Ordering::Relaxed);
                return Some(chunk);
            }
            if state.n_idle == self.n_workers {
                state.is_closed = true;
                self.changed.notify_all();
                return None;
            }
            self.is_wanting.store(true, Ordering::Relaxed);
            if is_awake {
                // The next chunk is often a moment away, and going to sleep takes longer than that.
                drop(state);
                self.watch();
                state = self.lock();
                is_awake = false;
            } else {
                state = self.changed.wait(state).expect("no worker should panic");
            }
        }
    }

    /// Looks out for a chunk for some microseconds.
    fn watch(&self) {
        for _ in 0..WATCH {
            if self.n_chunks.load(Ordering::Relaxed) > 0 {
                return;
            }
            std::hint::spin_loop();
        }
    }

    /// An empty chunk, used before if possible.
    pub(super) fn fresh(&self, worker: u32, first: u64, depth: u64) -> Chunk {
        match self.lock().spare.pop() {
            Some(mut chunk) => {
                chunk.first = StateNumber { worker, index: first };
                chunk.depth = depth;
                chunk.bytes.clear();
                chunk.ends.clear();
                chunk.sums.clear();
                chunk.arrivals.clear();
                chunk
            }
            None => Chunk::new(worker, first, depth),
        }
    }

    /// The chunk has been looked at.
    pub(super) fn give_back(&self, chunk: Chunk) {
        let mut state = self.lock();
        if state.spare.len() < 2 * self.n_workers {
            state.spare.push(chunk);
        }
    }

    /// How many workers wait for a chunk.
    pub(super) fn n_idle(&self) -> usize {
        self.lock().n_idle
    }

    /// Does something with all chunks, oldest first.
    pub(super) fn with_all<R>(&self, what: impl FnOnce(&VecDeque<Chunk>) -> R) -> R {
        what(&self.lock().chunks)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Waiting> {
        self.state.lock().expect("no worker should panic")
    }
}
