//! An exact set of byte strings in a few bytes each: states share what they have in common.
//!
//! A state is a row of words of four bytes. Neighbouring words become pairs, pairs get numbers, neighbouring numbers
//! become pairs, until one pair is left, the root. Different states have different roots, and parts that many states
//! have in common are kept once, so a state costs little more than its root, and [`crate::quotient`] keeps of the
//! root only what its place does not tell. (Tree compression after Blom, Lisser, van de Pol and Weber, 2008; compact
//! roots after van der Vegt and Laarman, 2011.)
//!
//! A root tells its state only together with the state's length. Fifteen lengths are classes that are part of
//! the root; any other becomes a word of an additional pair.
//!
//! Each worker remembers, for every place in the tree, the pair it met there last and its number. Successors differ from
//! each other in few words, so few pairs have to be looked up, and nobody has to tell what a successor was made from.
//!
//! Ids are places of roots: they change when the table grows, that is, in [`StateStore::relax`].

use std::sync::atomic::{AtomicU32, Ordering};

use crate::exclusive::Exclusive;
use crate::gate::{Errand, Gate};
use crate::keyset::{CLASS_BITS, HALF_BITS, KeySet, Packing, pair, parts};
use crate::memory::Allowance;
use crate::nodes::{Block, Nodes};
use crate::{Recall, Seen, StateId, StateStore, StoreFull};

const WORD: usize = 4;
/// States are padded to this many words, so that both halves of a root are numbers of pairs.
const LEAST_WORDS: usize = 4;
/// Lengths with a class of their own.
const N_CLASSES: usize = (1 << CLASS_BITS) - 1;

/// The tree-compressed store; see the module.
pub struct TreeStore {
    roots: KeySet,
    /// Missing if the limit forbids even that.
    nodes: Option<Nodes>,
    /// Lengths of the classes, and one; zero is free.
    lens: [AtomicU32; N_CLASSES],
    workers: Box<[Exclusive<Scratch>]>,
    allowance: Allowance,
    gate: Gate,
}

/// What a worker remembers.
#[derive(Default)]
struct Scratch {
    block: Block,
    /// By place in the tree: the pair met last, and its number.
    memo: Vec<(u64, u32)>,
    /// Words or numbers of the level at hand.
    level: Vec<u32>,
    len: usize,
    class: Option<u64>,
}

impl TreeStore {
    /// An empty store for one worker that uses no more than `limit` bytes, if one is given.
    pub fn new(limit: Option<u64>) -> Self {
        Self::with_workers(limit, 1)
    }

    /// An empty store for this many workers.
    pub fn with_workers(limit: Option<u64>, n_workers: usize) -> Self {
        let allowance = Allowance::new(limit);
        let nodes = Nodes::new(&allowance, n_workers).ok();
        let packing = Packing::Pair { class_bits: 0, half_bits: 18 };
        Self {
            roots: KeySet::new(&allowance, n_workers, packing),
            nodes,
            lens: Default::default(),
            workers: (0..n_workers.max(1)).map(|_| Exclusive::default()).collect(),
            allowance,
            gate: Gate::default(),
        }
    }

    /// How many pairs the states have among them, roots aside.
    pub fn n_nodes(&self) -> u64 {
        self.nodes.as_ref().map_or(0, |nodes| nodes.n_numbers().into())
    }

    /// The root of a state, for which pairs are numbered as needed.
    fn fold(&self, scratch: &mut Scratch, state: &[u8]) -> Result<u64, StoreFull> {
        let Some(nodes) = &self.nodes else { return Err(self.allowance.full()) };
        let Scratch { block, memo, level, len, class } = scratch;
        let mut n = n_words(state.len());
        if memo.len() < n || *len != state.len() {
            // As many places as there are pairs, and the one for the length.
            memo.resize(memo.len().max(n + 1), NO_PAIR);
            level.resize(level.len().max(n), 0);
            (*len, *class) = (state.len(), self.class(state.len()));
        }
        let mut place = memo.iter_mut();
        let mut number = |pair: u64| {
            let (known, number) = place.next().expect("there should be a place for every pair");
            if *known != pair || *number == NO_NUMBER {
                *number = NO_NUMBER;
                *number = nodes.number(&self.allowance, block, pair)?;
                *known = pair;
            }
            Ok(*number)
        };
        read_words(state, &mut level[..n]);
        while n > 2 {
            for at in 0..n / 2 {
                level[at] = number(join(level[2 * at], level[2 * at + 1]))?;
            }
            if n % 2 == 1 {
                level[n / 2] = level[n - 1];
            }
            n = n.div_ceil(2);
        }
        match class {
            Some(class) => Ok(pair(*class, level[0].into(), level[1].into())),
            None => {
                let left = number(join(state.len() as u32, level[0]))?;
                Ok(pair(N_CLASSES as u64, left.into(), level[1].into()))
            }
        }
    }

    /// The class of states of this length, a new one if there is one left.
    fn class(&self, len: usize) -> Option<u64> {
        let wanted = u32::try_from(len + 1).ok()?;
        for (class, known) in self.lens.iter().enumerate() {
            let found = known.compare_exchange(0, wanted, Ordering::Relaxed, Ordering::Relaxed);
            if found.is_ok() || found == Err(wanted) {
                return Some(class as u64);
            }
        }
        None
    }

    /// The state with this root.
    fn unfold(&self, root: u64, into: &mut Vec<u8>) -> Option<()> {
        let nodes = self.nodes.as_ref()?;
        let (class, mut left, right) = parts(root);
        let len = match self.lens.get(class as usize) {
            Some(len) => len.load(Ordering::Relaxed).checked_sub(1)?,
            None => {
                let (len, inner) = split(nodes.pair(left as u32));
                left = inner.into();
                len
            }
        };
        let mut sizes = vec![n_words(len as usize)];
        while let Some(size) = sizes.last().filter(|size| **size > 2) {
            sizes.push(size.div_ceil(2));
        }
        let mut level = vec![left as u32, right as u32];
        for size in sizes.iter().rev().skip(1) {
            let mut below = Vec::with_capacity(*size);
            for (at, number) in level.iter().enumerate() {
                if 2 * at + 1 < *size {
                    let (first, second) = split(nodes.pair(*number));
                    below.extend([first, second]);
                } else {
                    below.push(*number);
                }
            }
            level = below;
        }
        into.clear();
        into.extend(level.iter().flat_map(|word| word.to_le_bytes()));
        into.truncate(len as usize);
        Some(())
    }

    /// How roots have to be packed for all to fit, those of the near future included.
    fn wanted(&self) -> Packing {
        let n_classes = self.lens.iter().filter(|len| len.load(Ordering::Relaxed) != 0).count() as u32;
        let class_bits = if n_classes as usize == N_CLASSES { CLASS_BITS } else { bits(n_classes.saturating_sub(1)) };
        let n_nodes = self.nodes.as_ref().map_or(0, Nodes::n_numbers);
        Packing::Pair { class_bits, half_bits: bits(n_nodes + n_nodes / 8).min(HALF_BITS) }
    }

    fn is_crowded(&self) -> bool {
        self.nodes.as_ref().is_some_and(Nodes::is_crowded) || self.roots.is_crowded(self.wanted())
    }
}

impl StateStore for TreeStore {
    fn is_exact(&self) -> bool {
        true
    }

    fn n_workers(&self) -> usize {
        self.workers.len()
    }

    fn uses_hash(&self) -> bool {
        false
    }

    fn prefetch(&self, _hash: u64) {}

    fn insert_hashed(&self, worker: usize, _hash: u64, state: &[u8]) -> Result<Seen, StoreFull> {
        let root = self.fold(&mut self.workers[worker].lock(), state)?;
        self.roots.insert(&self.allowance, worker, root)
    }

    #[inline]
    fn begin(&self, worker: usize, _hash: u64, state: &[u8]) -> Result<u64, StoreFull> {
        let root = self.fold(&mut self.workers[worker].lock(), state)?;
        self.roots.prefetch(root);
        Ok(root)
    }

    #[inline]
    fn finish(&self, worker: usize, ticket: u64, _state: &[u8]) -> Result<Seen, StoreFull> {
        self.roots.insert(&self.allowance, worker, ticket)
    }

    #[inline]
    fn relax(&self, _worker: usize) {
        if self.gate.is_called() || self.is_crowded() {
            self.gate.meet(self);
        }
    }

    fn join(&self, _worker: usize) {
        self.gate.join();
    }

    fn leave(&self, _worker: usize) {
        self.gate.leave();
    }

    fn len(&self) -> u64 {
        self.roots.len()
    }

    fn bytes(&self) -> u64 {
        self.allowance.used()
    }
}

/// Only for ids given since the last growth.
impl Recall for TreeStore {
    fn recall(&self, id: StateId, into: &mut Vec<u8>) {
        let root = self.roots.key(id).expect("the id should be of a stored state");
        self.unfold(root, into).expect("a stored root should have a state");
    }
}

impl Errand for TreeStore {
    fn prepare(&self) -> bool {
        let nodes = self.nodes.as_ref().is_some_and(|nodes| nodes.prepare(&self.allowance));
        self.roots.prepare(&self.allowance, self.wanted()) || nodes
    }

    fn share(&self) {
        self.nodes.as_ref().inspect(|nodes| nodes.share());
        self.roots.share();
    }

    fn finish(&self) {
        self.nodes.as_ref().inspect(|nodes| nodes.finish(&self.allowance));
        self.roots.finish(&self.allowance);
    }
}

/// The number of no pair.
const NO_NUMBER: u32 = u32::MAX;
const NO_PAIR: (u64, u32) = (0, NO_NUMBER);

/// How many words stand for a state of this length: an even number, so that all end up in pairs.
fn n_words(len: usize) -> usize {
    len.div_ceil(WORD).next_multiple_of(2).max(LEAST_WORDS)
}

/// The words of a state, padded with zeros.
#[inline(always)]
fn read_words(state: &[u8], into: &mut [u32]) {
    let (words, rest) = state.as_chunks::<WORD>();
    let (front, back) = into.split_at_mut(words.len());
    for (into, word) in front.iter_mut().zip(words) {
        *into = u32::from_le_bytes(*word);
    }
    back.fill(0);
    if !rest.is_empty() {
        let mut word = [0; WORD];
        word[..rest.len()].copy_from_slice(rest);
        back[0] = u32::from_le_bytes(word);
    }
}

#[inline(always)]
fn join(left: u32, right: u32) -> u64 {
    u64::from(left) << 32 | u64::from(right)
}

fn split(pair: u64) -> (u32, u32) {
    ((pair >> 32) as u32, pair as u32)
}

/// Bits of a number.
fn bits(n: u32) -> u32 {
    32 - n.leading_zeros()
}
