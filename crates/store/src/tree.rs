//! Tree compression of states (Blom, Lisser, van de Pol and Weber 2008; Laarman, van de Pol and Weber, SPIN 2011): an
//! exact set in which states share equal subtrees.
//!
//! A state is cut into leaves of up to eight bytes. Leaves get numbers, neighbouring numbers become pairs, pairs get
//! numbers, until one pair is left, the root. Different states have different roots, and parts that many states have in
//! common are kept once, so a state costs little more than its root. Roots lie in a compact hash table (`quotient.rs`;
//! van der Vegt and Laarman 2011). Where states are cut, and how balanced their trees are, decides how often subtrees
//! recur: `tree/shape.rs`.
//!
//! A root tells its state only together with the state's length. Fifteen lengths are classes that are part of the root;
//! any other becomes a word of an additional pair.
//!
//! Each worker remembers, for every place in the tree, the pairs it met there last and their numbers. Successors differ
//! from each other in few words, so few pairs are looked up, without being told which state a successor was made from.
//!
//! Ids are slots of roots: they change when the table grows, that is, in [`StateStore::quiescent_point`].

mod batch;
mod shape;

use std::io::{self, Read, Write};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use self::batch::Folding;
use self::shape::Shape;
use crate::barrier::{Barrier, Rehash};
use crate::exclusive::Exclusive;
use crate::keyset::{CLASS_BITS, HALF_BITS, KeySet, Packing, pair, parts};
use crate::memory::Allowance;
use crate::nodes::{self, Block, Nodes};
use crate::saved::{LoadError, Loader, Saver};
use crate::{Batch, InsertBatch, Recall, Seen, StateId, StateStore, StoreFull};

/// Changes when shapes do.
const KIND: &str = "tree.2";
const FIRST_PACKING: Packing = Packing::Pair { class_bits: 0, half_bits: 18 };
/// Pairs that a worker finds without the index; a power of two.
const N_RECENT: usize = 1 << 12;
/// Lengths with a class of their own.
const N_CLASSES: usize = (1 << CLASS_BITS) - 1;

/// Tells where the parts of a state begin, in ascending order; asked once for each length.
pub type Borders = Box<dyn Fn(&[u8]) -> Vec<usize> + Send + Sync>;

/// The tree-compressed store; see the module.
pub struct TreeStore {
    roots: KeySet,
    /// Missing if the limit forbids even that.
    nodes: Option<Nodes>,
    /// Lengths of the classes, and one; zero is free.
    lens: [AtomicU32; N_CLASSES],
    /// Of the classes.
    shapes: [OnceLock<Shape>; N_CLASSES],
    borders: Borders,
    workers: Box<[Exclusive<Scratch>]>,
    allowance: Allowance,
    barrier: Barrier,
}

/// A worker's caches and buffers.
#[derive(Default)]
struct Scratch {
    block: Block,
    /// By place in the tree.
    memo: Vec<Memo>,
    /// By hash of the pair; as long as a power of two.
    recent: Vec<(u64, u32)>,
    /// Numbers of the level at hand.
    level: Vec<u32>,
    /// Of the last state.
    len_and_one: usize,
    class: Option<u64>,
    /// Buffers for states that are folded together.
    batch: Folding,
}

/// The two pairs met last at a place and their numbers: where a successor differs from its parent, the next one
/// is again as the parent was.
#[derive(Clone, Copy)]
struct Memo {
    pairs: [u64; 2],
    numbers: [u32; 2],
}

impl TreeStore {
    /// An empty store for one worker that uses no more than `limit` bytes, if one is given.
    pub fn new(limit: Option<u64>) -> Self {
        Self::with_workers(limit, 1)
    }

    /// An empty store for this many workers.
    pub fn with_workers(limit: Option<u64>, n_workers: usize) -> Self {
        Self::with_borders(limit, n_workers, Box::new(|_| Vec::new()))
    }

    /// An empty store for states that have parts. Any borders are correct; good ones save memory.
    pub fn with_borders(limit: Option<u64>, n_workers: usize, borders: Borders) -> Self {
        let allowance = Allowance::new(limit);
        let nodes = Nodes::new(&allowance, n_workers).ok();
        Self {
            roots: KeySet::new(&allowance, n_workers, FIRST_PACKING),
            nodes,
            lens: Default::default(),
            shapes: Default::default(),
            borders,
            workers: (0..n_workers.max(1)).map(|_| Exclusive::default()).collect(),
            allowance,
            barrier: Barrier::default(),
        }
    }

    /// Loads a store that [`StateStore::save`] has saved.
    pub fn load(input: &mut dyn Read, limit: Option<u64>, n_workers: usize) -> Result<Self, LoadError> {
        Self::load_with_borders(input, limit, n_workers, Box::new(|_| Vec::new()))
    }

    /// The same, with borders for states of lengths that it does not know yet.
    pub fn load_with_borders(
        input: &mut dyn Read,
        limit: Option<u64>,
        n_workers: usize,
        borders: Borders,
    ) -> Result<Self, LoadError> {
        let mut loader = Loader::new(input, KIND)?;
        let allowance = Allowance::new(limit);
        let lens: [AtomicU32; N_CLASSES] = Default::default();
        let shapes: [OnceLock<Shape>; N_CLASSES] = Default::default();
        for (len, shape) in lens.iter().zip(&shapes) {
            let len_and_one = loader.number_to(u32::MAX.into())? as u32;
            len.store(len_and_one, Ordering::Relaxed);
            let n_leaves = loader.number_to(u32::MAX.into())?;
            match len_and_one.checked_sub(1) {
                Some(len) => {
                    let loaded = Shape::load(&mut loader, len as usize, n_leaves)?;
                    shape.get_or_init(|| loaded);
                }
                None if n_leaves != 0 => return Err(LoadError::Damaged),
                None => {}
            }
        }
        let nodes = match loader.number_to(1)? {
            0 => None,
            _ => Some(Nodes::load(&mut loader, &allowance, n_workers)?),
        };
        let roots = KeySet::load(&mut loader, &allowance, n_workers, FIRST_PACKING)?;
        loader.end()?;
        let workers = (0..n_workers.max(1)).map(|_| Exclusive::default()).collect();
        Ok(Self { roots, nodes, lens, shapes, borders, workers, allowance, barrier: Barrier::default() })
    }

    /// The root of a state, without inserting it.
    #[inline]
    pub(crate) fn root_of(&self, worker: usize, state: &[u8]) -> Result<u64, StoreFull> {
        self.fold(&mut self.workers[worker].lock(), state)
    }

    /// The state with a root that [`Self::root_of`] gave.
    pub(crate) fn state_of(&self, root: u64, into: &mut Vec<u8>) {
        self.unfold(root, into).expect("a root should have a state");
    }

    /// How many pairs the states have among them, roots aside.
    pub fn n_nodes(&self) -> u64 {
        self.nodes.as_ref().map_or(0, |nodes| nodes.n_numbers().into())
    }

    /// The root of a state, for which pairs are numbered as needed.
    #[inline]
    fn fold(&self, scratch: &mut Scratch, state: &[u8]) -> Result<u64, StoreFull> {
        self.find_class(scratch, state);
        let mut other = None;
        let shape = self.shape(scratch.class, state, &mut other);
        if scratch.memo.len() < shape.n_places() {
            self.make_ready(scratch, shape)?;
        }
        let Scratch { block, memo, recent, level, class, .. } = scratch;
        let (mut places, mut rest) = memo.split_at_mut(shape.n_leaves());
        for ((leaf, place), number) in shape.read(state).zip(&mut *places).zip(&mut *level) {
            *number = self.number(block, recent, place, leaf)?;
        }
        let mut n = shape.firsts().len();
        (places, rest) = rest.split_at_mut(n);
        for (at, ((from, is_pair), place)) in shape.firsts().iter().zip(places).enumerate() {
            let from = *from as usize;
            level[at] = match is_pair {
                true => self.number(block, recent, place, join(level[from], level[from + 1]))?,
                false => level[from],
            };
        }
        while n > 2 {
            (places, rest) = rest.split_at_mut(n / 2);
            for (at, place) in places.iter_mut().enumerate() {
                level[at] = self.number(block, recent, place, join(level[2 * at], level[2 * at + 1]))?;
            }
            n /= 2;
        }
        match class {
            Some(class) => Ok(pair(*class, level[0].into(), level[1].into())),
            None => {
                let left = self.number(block, recent, &mut rest[0], join(state.len() as u32, level[0]))?;
                Ok(pair(N_CLASSES as u64, left.into(), level[1].into()))
            }
        }
    }

    /// Notes the class of states like this one.
    #[inline(always)]
    fn find_class(&self, scratch: &mut Scratch, state: &[u8]) {
        if scratch.len_and_one != state.len() + 1 {
            (scratch.len_and_one, scratch.class) = (state.len() + 1, self.class(state.len()));
        }
    }

    /// The shape of states of this class; `other` holds the shape of a state without class.
    #[inline(always)]
    fn shape<'s>(&'s self, class: Option<u64>, state: &[u8], other: &'s mut Option<Shape>) -> &'s Shape {
        match class {
            Some(class) => self.shapes[class as usize].get_or_init(|| Shape::new(state.len(), &(self.borders)(state))),
            None => other.insert(Shape::new(state.len(), &[])),
        }
    }

    /// The number of a pair met at this place.
    #[inline(always)]
    fn number(
        &self,
        block: &mut Block,
        recent: &mut [(u64, u32)],
        place: &mut Memo,
        pair: u64,
    ) -> Result<u32, StoreFull> {
        if place.pairs[0] != pair {
            let number = if place.pairs[1] == pair { place.numbers[1] } else { self.look_up(block, recent, pair)? };
            place.pairs = [pair, place.pairs[0]];
            place.numbers = [number, place.numbers[0]];
        }
        Ok(place.numbers[0])
    }

    fn look_up(&self, block: &mut Block, recent: &mut [(u64, u32)], pair: u64) -> Result<u32, StoreFull> {
        let hash = nodes::mix(pair);
        let at = (hash >> 20) as usize & (recent.len() - 1);
        if recent[at].0 != pair {
            let Some(nodes) = &self.nodes else { return Err(self.allowance.full()) };
            recent[at] = (pair, nodes.number(&self.allowance, block, pair, hash)?);
        }
        Ok(recent[at].1)
    }

    /// Makes places for states of a shape. They begin with a pair that has a number, so that none is special.
    #[cold]
    fn make_ready(&self, scratch: &mut Scratch, shape: &Shape) -> Result<(), StoreFull> {
        let Some(nodes) = &self.nodes else { return Err(self.allowance.full()) };
        let zero = nodes.number(&self.allowance, &mut scratch.block, 0, nodes::mix(0))?;
        scratch.recent.resize(N_RECENT, (0, zero));
        scratch.memo.resize(shape.n_places(), Memo { pairs: [0; 2], numbers: [zero; 2] });
        scratch.level.resize(scratch.level.len().max(shape.n_leaves()), 0);
        Ok(())
    }

    /// The class of states of this length, a new one if there is one left.
    fn class(&self, len: usize) -> Option<u64> {
        let wanted = u32::try_from(len + 1).ok()?;
        let is_class = |known: &AtomicU32| match known.load(Ordering::Relaxed) {
            0 => known.compare_exchange(0, wanted, Ordering::Relaxed, Ordering::Relaxed).unwrap_or_else(|found| found),
            found => found,
        };
        let class =
            self.lens.iter().position(|known| matches!(is_class(known), found if found == 0 || found == wanted))?;
        Some(class as u64)
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
        let other;
        let shape = match self.shapes.get(class as usize) {
            Some(shape) => shape.get()?,
            None => {
                other = Shape::new(len as usize, &[]);
                &other
            }
        };
        let mut level = vec![left as u32, right as u32];
        while level.len() < shape.firsts().len() {
            level = level.iter().flat_map(|number| <[u32; 2]>::from(split(nodes.pair(*number)))).collect();
        }
        let mut leaves = Vec::with_capacity(shape.n_leaves());
        for (number, (_, is_pair)) in level.into_iter().zip(shape.firsts()) {
            match is_pair {
                true => leaves.extend(<[u32; 2]>::from(split(nodes.pair(number)))),
                false => leaves.push(number),
            }
        }
        shape.write(leaves.into_iter().map(|number| nodes.pair(number)), into);
        Some(())
    }

    /// The packing with which all roots fit, with some reserve.
    fn wanted(&self) -> Packing {
        let n_classes = self.lens.iter().filter(|len| len.load(Ordering::Relaxed) != 0).count() as u32;
        let class_bits = if n_classes as usize == N_CLASSES { CLASS_BITS } else { bits(n_classes.saturating_sub(1)) };
        let n_nodes = self.nodes.as_ref().map_or(0, Nodes::n_numbers);
        Packing::Pair { class_bits, half_bits: bits(n_nodes + n_nodes / 8).min(HALF_BITS) }
    }

    /// Whether [`StateStore::quiescent_point`] has something to do.
    #[inline]
    pub(crate) fn is_due(&self) -> bool {
        self.barrier.is_requested() || self.is_crowded()
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

    /// Folding is a chain of lookups, so whole batches are folded together, in `finish_all`.
    fn begin_all(&self, _worker: usize, _desk: &mut InsertBatch, _batch: &Batch<'_>) {}

    fn finish_all(
        &self,
        worker: usize,
        _desk: &mut InsertBatch,
        batch: &Batch<'_>,
        fresh: &mut Vec<u32>,
    ) -> Result<(), StoreFull> {
        self.insert_states(worker, batch, fresh)
    }

    #[inline]
    fn finish(&self, worker: usize, pending: u64, _state: &[u8]) -> Result<Seen, StoreFull> {
        self.roots.insert(&self.allowance, worker, pending)
    }

    #[inline]
    fn quiescent_point(&self, _worker: usize) {
        if self.is_due() {
            self.barrier.rehash(self);
        }
    }

    fn register(&self, _worker: usize) {
        self.barrier.register();
    }

    fn unregister(&self, _worker: usize) {
        self.barrier.unregister();
    }

    fn len(&self) -> u64 {
        self.roots.len()
    }

    fn bytes(&self) -> u64 {
        self.allowance.used()
    }

    fn save(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut saver = Saver::new(out, KIND)?;
        for (len, shape) in self.lens.iter().zip(&self.shapes) {
            // A worker may have taken the class without having made its shape: then it has no states either.
            let shape = shape.get();
            saver.number(shape.map_or(0, |_| len.load(Ordering::Relaxed).into()))?;
            saver.number(shape.map_or(0, |shape| shape.n_leaves() as u64))?;
            if let Some(shape) = shape {
                saver.numbers(shape.saved())?;
            }
        }
        saver.number(self.nodes.is_some().into())?;
        if let Some(nodes) = &self.nodes {
            nodes.save(&mut saver)?;
        }
        self.roots.save(&mut saver)?;
        saver.end()
    }
}

/// Only for ids given since the last growth.
impl Recall for TreeStore {
    fn recall(&self, id: StateId, into: &mut Vec<u8>) {
        let root = self.roots.key(id).expect("the id should be of a stored state");
        self.unfold(root, into).expect("a stored root should have a state");
    }
}

impl Rehash for TreeStore {
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

#[inline(always)]
fn join(left: u32, right: u32) -> u64 {
    u64::from(right) << 32 | u64::from(left)
}

fn split(pair: u64) -> (u32, u32) {
    (pair as u32, (pair >> 32) as u32)
}

/// Bits of a number.
fn bits(n: u32) -> u32 {
    32 - n.leading_zeros()
}
