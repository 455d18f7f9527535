//! Insertion rates of the stores in a synthetic breadth-first search, with the machine's memory latency for comparison.
//!
//! `cargo run --release -p unpick-store --example rates -- [millions of states] [bytes of a vector] [store ...]`
//!
//! Every state has three successors. On the `torus` they are neighbours of three counters, as in a product of three
//! processes; in the `random` graph two of the three are anywhere. A state is a vector in which each process has a
//! third, a few bytes of which change.
//!
//! Measured with 3 million states (lossy stores: 5 million) of 60 bytes on two cores of a busy virtual machine (Xeon
//! 2.8 GHz, ten times as many processes as cores, 206 ns for a random access on large pages, 356 ns on small ones), so
//! these compare stores and say little about what a quiet machine does. Nanoseconds of processor time per insertion,
//! making the successor included; one worker, torus and random graph:
//!
//! | store | no prefetch | table | table and record | bytes for a state |
//! |---|---|---|---|---|
//! | exact | 166, 317 | 125, 226 | 166, 151 | 92 |
//! | tree | 223, – | 157, – | as before | 5.9 |
//! | compact, 64 bits | 160, – | 117, – | as before | 13.4 |
//! | bitstate | 113, – | 56, – | as before | 8, finds 99.996 % |
//!
//! Loading records ahead pays where known states are far from new ones. Two workers did 1.6 to 2.2 times as many
//! insertions per second of processor time of the busiest. All 14,348,907 towers of `hanoi` have different
//! incremental hashes.

use std::collections::VecDeque;
use std::hint::black_box;
use std::sync::atomic::{AtomicU64, Ordering};

use unpick_base::weighted_sum;
use unpick_store::{BitstateStore, CompactStore, ExactStore, StateStore, TreeStore};

/// Successors between the beginning and the end of an insertion.
const PIPELINE: usize = 24;
/// By how many of them loading a record comes before its comparison.
const SECOND_STAGE: usize = 8;
const MAX_LEN: usize = 256;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Graph {
    Torus,
    Random,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stages {
    None,
    Table,
    TableAndRecord,
}

#[derive(Clone, Copy)]
struct Space {
    graph: Graph,
    /// States of one process; the space is its cube.
    side: u32,
    len: usize,
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let millions: f64 = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(20.0);
    let len: usize = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(60);
    let names: Vec<String> = arguments.collect();
    let side = (millions * 1e6).cbrt().round() as u32;
    let wanted = |name: &str| names.is_empty() || names.iter().any(|wanted| wanted == name);
    if wanted("latency") {
        for (large, name) in [(false, "4 KiB"), (true, "large")] {
            println!("random access to 512 MiB, {name} pages: {:.0} ns", latency(512 << 20, large));
        }
    }
    if wanted("hanoi") {
        towers();
    }
    for graph in [Graph::Torus, Graph::Random] {
        let space = Space { graph, side, len: len.clamp(12, MAX_LEN) };
        println!("\n{graph:?}: {} states of {} bytes, three successors each", side.pow(3), space.len);
        println!("generating alone: {:.1} ns per successor", generation(space));
        println!(
            "{:10} {:>7} {:>8} {:>10} {:>9} {:>12} {:>12}",
            "store", "workers", "prefetch", "states M/s", "M ops/s", "ns/op/worker", "bytes/state"
        );
        if wanted("exact") {
            measure("exact", space, |n_workers| ExactStore::with_workers(None, n_workers));
        }
        if wanted("tree") {
            measure("tree", space, |n_workers| TreeStore::with_workers(None, n_workers));
        }
        if wanted("compact") {
            measure("compact", space, |n_workers| CompactStore::new(None, n_workers, 64));
            measure("compact 48", space, |n_workers| CompactStore::new(None, n_workers, 48));
        }
        if wanted("bitstate") {
            let bytes = u64::from(side).pow(3) * 8;
            let new = |n_workers| BitstateStore::new(bytes, n_workers, 3).expect("there should be memory");
            measure("bitstate", space, new);
        }
    }
}

fn measure<S: StateStore>(name: &str, space: Space, new: impl Fn(usize) -> S) {
    for n_workers in [1, 2] {
        for (stages, label) in [(Stages::None, "none"), (Stages::Table, "table"), (Stages::TableAndRecord, "both")] {
            let store = new(n_workers);
            let (n_lookups, seconds) = search(&store, space, n_workers, stages);
            println!(
                "{name:10} {n_workers:7} {label:>8} {:10.2} {:9.2} {:12.1} {:12.1}{}",
                store.len() as f64 / seconds / 1e6,
                n_lookups as f64 / seconds / 1e6,
                seconds * 1e9 / n_lookups as f64 * n_workers as f64,
                store.bytes() as f64 / store.len() as f64,
                coverage(store.len(), u64::from(space.side).pow(3))
            );
        }
    }
}

/// Nothing if all states were found.
fn coverage(n_found: u64, n_states: u64) -> String {
    if n_found == n_states {
        String::new()
    } else {
        format!("  {:.4} % found", n_found as f64 / n_states as f64 * 100.0)
    }
}

/// All towers of fifteen discs (the model hanoi.3 of BEEM): how many hashes there are, and how many a bitstate store
/// with 64 bits for each tells apart.
fn towers() {
    const N_DISCS: usize = 15;
    let n = 3u64.pow(N_DISCS as u32);
    let store = BitstateStore::new(n * 8, 1, 3).expect("there should be memory");
    let mut hashes = Vec::with_capacity(n as usize);
    for number in 0..n {
        let mut state = [0u8; 3 * N_DISCS];
        let (mut heights, mut rest) = ([0; 3], number);
        for disc in (1..=N_DISCS).rev() {
            let peg = (rest % 3) as usize;
            rest /= 3;
            state[peg * N_DISCS + heights[peg]] = disc as u8;
            heights[peg] += 1;
        }
        let hash = weighted_sum::finish(weighted_sum::sum(&state));
        hashes.push(hash);
        store.insert_hashed(0, hash, &state).expect("a bit array should never be full");
    }
    hashes.sort_unstable();
    hashes.dedup();
    let coverage = store.len() as f64 / n as f64 * 100.0;
    println!(
        "hanoi: {n} states, {} incremental hashes, bitstate with 64 bits each finds {coverage:.4} %",
        hashes.len()
    );
}

/// Searches the whole space: how many insertions it took, and seconds of processor time of the busiest worker.
///
/// Processor time, because the machine may have other things to do; what they do to its caches shows all the same.
fn search<S: StateStore>(store: &S, space: Space, n_workers: usize, stages: Stages) -> (u64, f64) {
    let n_expanded = AtomicU64::new(0);
    let nanoseconds = AtomicU64::new(0);
    let n_lookups = AtomicU64::new(0);
    (0..n_workers).for_each(|worker| store.register(worker));
    std::thread::scope(|scope| {
        for worker in 0..n_workers {
            let (n_expanded, n_lookups, nanoseconds) = (&n_expanded, &n_lookups, &nanoseconds);
            scope.spawn(move || {
                let mut walker =
                    Walker { store, space, worker, stages, queue: VecDeque::new(), pipe: Vec::new(), at: 0 };
                let start = processor_time();
                n_lookups.fetch_add(walker.run(n_expanded), Ordering::Relaxed);
                nanoseconds.fetch_max(processor_time() - start, Ordering::Relaxed);
            });
        }
    });
    (n_lookups.into_inner(), nanoseconds.into_inner() as f64 / 1e9)
}

/// Nanoseconds that this thread has run.
fn processor_time() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the call writes to the structure it is given.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

struct Walker<'a, S> {
    store: &'a S,
    space: Space,
    worker: usize,
    stages: Stages,
    queue: VecDeque<u32>,
    pipe: Vec<Pending>,
    at: usize,
}

struct Pending {
    hash: u64,
    number: u32,
    state: [u8; MAX_LEN],
}

impl<S: StateStore> Walker<'_, S> {
    fn run(&mut self, n_expanded: &AtomicU64) -> u64 {
        // Each worker begins somewhere else and goes on with what it has found.
        self.push(self.space.side.pow(3) / 2 * self.worker as u32);
        self.flush();
        let mut n_lookups = 1;
        loop {
            let mut n_here = 0;
            while let Some(number) = self.queue.pop_front() {
                for next in self.space.successors(number) {
                    self.push(next);
                    n_lookups += 1;
                }
                n_here += 1;
                if n_here % 256 == 0 {
                    self.store.quiescent_point(self.worker);
                }
                if self.queue.is_empty() {
                    self.flush();
                }
            }
            n_expanded.fetch_add(n_here, Ordering::SeqCst);
            self.store.unregister(self.worker);
            let n_done = n_expanded.load(Ordering::SeqCst);
            if n_done > 0 && n_done >= self.store.len() {
                return n_lookups;
            }
            std::thread::yield_now();
            self.store.register(self.worker);
            self.store.quiescent_point(self.worker);
        }
    }

    /// Begins an insertion, and ends the oldest one.
    fn push(&mut self, number: u32) {
        let at = self.at;
        if self.pipe.len() == PIPELINE {
            self.insert(at);
        } else {
            self.pipe.push(Pending { hash: 0, number: 0, state: [0; MAX_LEN] });
        }
        let pending = &mut self.pipe[at];
        self.space.encode(number, &mut pending.state);
        pending.number = number;
        if self.store.uses_hash() {
            pending.hash = self.store.hash(&pending.state[..self.space.len]);
        }
        if self.stages != Stages::None {
            let begun = self.store.begin(self.worker, pending.hash, &pending.state[..self.space.len]);
            pending.hash = begun.expect("the store should have no limit");
        }
        self.at = (at + 1) % PIPELINE;
        if self.stages == Stages::TableAndRecord && self.pipe.len() == PIPELINE {
            self.store.load_record(self.pipe[(self.at + SECOND_STAGE) % PIPELINE].hash);
        }
    }

    fn insert(&mut self, at: usize) {
        let pending = &self.pipe[at];
        let state = &pending.state[..self.space.len];
        let seen = match self.stages {
            Stages::None => self.store.insert_hashed(self.worker, pending.hash, state),
            Stages::Table | Stages::TableAndRecord => self.store.finish(self.worker, pending.hash, state),
        };
        if seen.expect("the store should have no limit").is_fresh() {
            self.queue.push_back(pending.number);
        }
    }

    fn flush(&mut self) {
        for at in 0..self.pipe.len() {
            self.insert(at);
        }
        self.pipe.clear();
        self.at = 0;
    }
}

impl Space {
    fn successors(&self, number: u32) -> [u32; 3] {
        let (side, n) = (self.side, self.side.pow(3));
        match self.graph {
            Graph::Torus => {
                let (low, middle, high) = (number % side, number / side % side, number / side / side);
                let turn = |digit: u32| if digit + 1 == side { 0 } else { digit + 1 };
                [
                    number - low + turn(low),
                    number - middle * side + turn(middle) * side,
                    number - high * side * side + turn(high) * side * side,
                ]
            }
            Graph::Random => {
                let spread = |salt: u64| {
                    let product = u128::from(u64::from(number) + salt) * 0x9E37_79B9_7F4A_7C15_F39C;
                    ((((product >> 40) as u64 & 0xFFFF_FFFF) * u64::from(n)) >> 32) as u32
                };
                [if number + 1 == n { 0 } else { number + 1 }, spread(1), spread(0x1234_5678)]
            }
        }
    }

    /// Three processes: a location, a counter, and bytes that rarely change.
    fn encode(&self, number: u32, state: &mut [u8; MAX_LEN]) {
        let mut rest = number;
        let part = self.len / 3;
        for process in 0..3 {
            let digit = rest % self.side;
            rest /= self.side;
            let bytes = &mut state[process * part..];
            bytes[0] = digit as u8;
            bytes[1] = (digit >> 8) as u8;
            bytes[part / 2] = (digit / 7) as u8 & 3;
            bytes[part - 1] = process as u8 + 1;
        }
    }
}

/// Nanoseconds to make and hash a successor.
fn generation(space: Space) -> f64 {
    let mut state = [0; MAX_LEN];
    let n = space.side.pow(3).min(3_000_000);
    let start = processor_time();
    let mut sum = 0u64;
    for number in 0..n {
        for next in space.successors(number) {
            space.encode(next, &mut state);
            sum = sum.wrapping_add(xxhash_rust::xxh3::xxh3_64(&state[..space.len]));
        }
    }
    black_box(sum);
    (processor_time() - start) as f64 / f64::from(n) / 3.0
}

/// Nanoseconds for a load whose address is the result of the one before.
fn latency(bytes: usize, is_large: bool) -> f64 {
    let n = bytes / 64;
    let mut lines: Vec<[u64; 8]> = Vec::with_capacity(n + (2 << 20) / 64);
    let advice = if is_large { libc::MADV_HUGEPAGE } else { libc::MADV_NOHUGEPAGE };
    let start = lines.as_ptr().addr().next_multiple_of(4096);
    // SAFETY: advice on how to back memory of our own changes no content.
    unsafe { libc::madvise(std::ptr::with_exposed_provenance_mut(start), bytes, advice) };
    // One cycle through all lines (Sattolo's shuffle).
    lines.extend((0..n as u64).map(|at| [at; 8]));
    let mut random = 88_172_645_463_325_252u64;
    for at in (1..n).rev() {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        let other = (random % at as u64) as usize;
        let (here, there) = (lines[at][0], lines[other][0]);
        lines[at][0] = there;
        lines[other][0] = here;
    }
    let n_steps = 4_000_000;
    let start = processor_time();
    let mut at = 0;
    for _ in 0..n_steps {
        at = lines[at as usize][0];
    }
    black_box(at);
    (processor_time() - start) as f64 / f64::from(n_steps)
}
