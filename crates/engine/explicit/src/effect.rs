//! Effects of steps (footprints with locks), interned, and sets of them: the summaries of subtrees for dynamic
//! partial-order reduction.
//!
//! An effect is what a step of a thread touches, under names that are the same in all interleavings, with the
//! locks it needs and the threads it knows to have ended. Programs have few different effects, so sets of them are
//! rows of bits, and so is what conflicts with an effect. Sets are numbered; uniting is done once for each pair.

use std::collections::HashMap;
use std::rc::Rc;

use unpick_program::interp::{Footprint, Held, Machine, Name, State, ThreadSet};

type Map<K, V> = HashMap<K, V, foldhash::fast::RandomState>;

/// Number of an effect.
pub(crate) type EffectId = u32;
/// Number of a set of effects.
pub(crate) type SetId = u32;
/// Number of a set of locks.
pub(crate) type LocksId = u32;

/// The empty set.
pub(crate) const EMPTY: SetId = 0;

/// What a step does as far as other threads can tell.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Effect {
    pub thread: u32,
    /// The thread's parent, its parent, and so on.
    pub ancestors: Rc<[u32]>,
    ranges: Rc<[Range]>,
    /// Locks it holds, takes or waits for.
    needs: LocksId,
    known_ended: ThreadSet,
    /// It ends the program.
    pub is_exit: bool,
    /// What it touches is not known.
    pub is_total: bool,
}

/// The effects of one step, one by one and as a set.
#[derive(Clone, Default)]
pub(crate) struct StepEffects {
    pub effects: Rc<[EffectId]>,
    pub set: SetId,
}

/// A range of bytes of the objects with a name.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
struct Range {
    name: u32,
    from: u64,
    to: u64,
    is_write: bool,
}

/// A lock with a name of its own.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
struct Lock {
    name: u32,
    offset: i64,
    is_exclusive: bool,
}

/// All effects met so far.
pub(crate) struct Effects {
    names: Map<Name, u32>,
    effects: Vec<Effect>,
    effect_ids: Map<Effect, EffectId>,
    locks: Vec<Rc<[Lock]>>,
    lock_ids: Map<Rc<[Lock]>, LocksId>,
    sets: Vec<Rc<[u64]>>,
    set_ids: Map<Rc<[u64]>, SetId>,
    unions: Map<(SetId, SetId), SetId>,
    /// What conflicts with an effect while a thread that holds some locks stands still.
    conflicts: Map<(EffectId, LocksId, u32), Row>,
    nothing: StepEffects,
    /// For sets in the making.
    room: Vec<u64>,
    /// An exit looks at everything, because leaks are looked for.
    is_exit_watched: bool,
}

/// Effects as bits, of those that were known when it was last looked at.
#[derive(Default)]
struct Row {
    bits: Vec<u64>,
    n_known: usize,
}

impl Effects {
    pub(crate) fn new(is_exit_watched: bool) -> Self {
        let (no_locks, nothing): (Rc<[Lock]>, Rc<[u64]>) = (Rc::from([]), Rc::from([]));
        Self {
            names: Map::default(),
            effects: Vec::new(),
            effect_ids: Map::default(),
            lock_ids: Map::from_iter([(no_locks.clone(), 0)]),
            locks: vec![no_locks],
            set_ids: Map::from_iter([(nothing.clone(), EMPTY)]),
            sets: vec![nothing],
            unions: Map::default(),
            conflicts: Map::default(),
            nothing: StepEffects::default(),
            room: Vec::new(),
            is_exit_watched,
        }
    }

    pub(crate) fn effect(&self, id: EffectId) -> &Effect {
        &self.effects[id as usize]
    }

    /// Bytes of everything numbered, estimated.
    pub(crate) fn bytes(&self) -> u64 {
        let n_words = self.effects.len().div_ceil(64);
        (self.unions.len() * 24 + self.sets.len() * (80 + n_words * 8) + self.effects.len() * 200) as u64
    }

    /// The locks among these that have a name of their own.
    pub(crate) fn locks(&mut self, machine: &Machine<'_>, state: &State, held: &[Held]) -> LocksId {
        if held.is_empty() {
            return 0;
        }
        let mut locks: Vec<Lock> = Vec::new();
        for held in held {
            if let Some((name, offset)) = machine.lock_name(state, held.lock) {
                locks.push(Lock { name: self.name(name), offset, is_exclusive: held.is_exclusive });
            }
        }
        locks.sort_unstable();
        locks.dedup();
        let locks: Rc<[Lock]> = locks.into();
        if let Some(id) = self.lock_ids.get(&locks) {
            return *id;
        }
        let id = self.locks.len() as LocksId;
        self.locks.push(locks.clone());
        self.lock_ids.insert(locks, id);
        id
    }

    /// The effects of a step: one for each state of knowledge about ended threads during the step.
    pub(crate) fn of_step(
        &mut self,
        machine: &Machine<'_>,
        state: &State,
        thread: usize,
        footprint: &Footprint,
        held_before: &[Held],
    ) -> Vec<EffectId> {
        let mut ids = Vec::new();
        if footprint.touched.is_empty() {
            return ids;
        }
        let mut needed = held_before.to_vec();
        needed.extend_from_slice(&footprint.taken);
        let needs = self.locks(machine, state, &needed);
        let mut knowledge: Vec<ThreadSet> = footprint.touched.iter().map(|touched| touched.known_ended).collect();
        knowledge.sort_unstable_by_key(|known| known.0);
        knowledge.dedup();
        for known_ended in knowledge {
            let touched = footprint.touched.iter().filter(|touched| touched.known_ended == known_ended);
            let mut ranges: Vec<Range> = Vec::new();
            for touched in touched {
                let (from, to) = (touched.part.offset, touched.part.offset + touched.part.bytes);
                ranges.push(Range { name: self.name(touched.name), from, to, is_write: touched.part.is_write });
            }
            ranges.sort_unstable();
            ranges.dedup();
            let plain = self.plain(state, thread);
            ids.push(self.number(Effect { ranges: ranges.into(), needs, known_ended, ..plain }));
        }
        ids
    }

    /// The effect of ending the program.
    pub(crate) fn exit(&mut self, state: &State, thread: usize) -> EffectId {
        let plain = self.plain(state, thread);
        self.number(Effect { is_exit: true, ..plain })
    }

    /// The effect of a step of which not everything is known.
    pub(crate) fn total(&mut self, state: &State, thread: usize) -> EffectId {
        let plain = self.plain(state, thread);
        self.number(Effect { is_total: true, ..plain })
    }

    fn plain(&self, state: &State, thread: usize) -> Effect {
        let ancestors = std::iter::successors(state.parent(thread), |parent| state.parent(*parent));
        Effect {
            thread: thread as u32,
            ancestors: ancestors.map(|thread| thread as u32).collect(),
            ranges: Rc::from([]),
            needs: 0,
            known_ended: ThreadSet::default(),
            is_exit: false,
            is_total: false,
        }
    }

    fn name(&mut self, name: Name) -> u32 {
        let next = self.names.len() as u32;
        *self.names.entry(name).or_insert(next)
    }

    fn number(&mut self, effect: Effect) -> EffectId {
        if let Some(id) = self.effect_ids.get(&effect) {
            return *id;
        }
        let id = self.effects.len() as EffectId;
        self.effects.push(effect.clone());
        self.effect_ids.insert(effect, id);
        id
    }

    // ---- sets ----

    pub(crate) fn set(&mut self, members: &[EffectId]) -> SetId {
        if members.is_empty() {
            return EMPTY;
        }
        let n_words = members.iter().max().map_or(0, |last| *last as usize / 64 + 1);
        let mut bits = vec![0; n_words];
        for member in members {
            bits[*member as usize / 64] |= 1 << (member % 64);
        }
        self.number_set(&bits)
    }

    /// These effects, as those of one step.
    pub(crate) fn step(&mut self, effects: Vec<EffectId>) -> StepEffects {
        if effects.is_empty() {
            return self.nothing.clone();
        }
        let set = self.set(&effects);
        StepEffects { effects: effects.into(), set }
    }

    pub(crate) fn members(&self, set: SetId) -> Rc<[EffectId]> {
        let words = self.sets[set as usize].iter().enumerate();
        words.flat_map(|(at, word)| ones(at, *word)).collect()
    }

    pub(crate) fn union(&mut self, a: SetId, b: SetId) -> SetId {
        if a == b || b == EMPTY {
            return a;
        }
        if a == EMPTY {
            return b;
        }
        let pair = (a.min(b), a.max(b));
        if let Some(known) = self.unions.get(&pair) {
            return *known;
        }
        let (one, other) = (&self.sets[a as usize], &self.sets[b as usize]);
        let (long, short) = if one.len() >= other.len() { (one, other) } else { (other, one) };
        let mut bits = std::mem::take(&mut self.room);
        bits.clear();
        bits.extend_from_slice(long);
        for (bits, more) in bits.iter_mut().zip(short.iter()) {
            *bits |= more;
        }
        let id = self.number_set(&bits);
        self.room = bits;
        self.unions.insert(pair, id);
        id
    }

    /// The number of a set; its last word is not zero.
    fn number_set(&mut self, bits: &[u64]) -> SetId {
        if let Some(id) = self.set_ids.get(bits) {
            return *id;
        }
        let id = self.sets.len() as SetId;
        let bits: Rc<[u64]> = bits.into();
        self.sets.push(bits.clone());
        self.set_ids.insert(bits, id);
        id
    }

    // ---- conflicts ----

    /// The effects of a set that do not commute with an effect and that other threads can have while thread
    /// `still`, which holds `held`, does not move.
    pub(crate) fn conflicts(&mut self, effect: EffectId, still: u32, held: LocksId, set: SetId) -> Vec<EffectId> {
        let members = self.sets[set as usize].clone();
        let row = self.row(effect, still, held);
        let words = members.iter().zip(&row.bits).enumerate();
        words.flat_map(|(at, (members, row))| ones(at, members & row)).collect()
    }

    /// All effects known by now that conflict with one.
    fn row(&mut self, effect: EffectId, still: u32, held: LocksId) -> &Row {
        let key = (effect, held, still);
        let n_known = self.conflicts.get(&key).map_or(0, |row| row.n_known);
        let is_conflict = |other: usize| self.is_conflict(effect, still, held, other as EffectId);
        let new: Vec<usize> = (n_known..self.effects.len()).filter(|other| is_conflict(*other)).collect();
        let row = self.conflicts.entry(key).or_default();
        row.bits.resize(self.effects.len().div_ceil(64), 0);
        for other in new {
            row.bits[other / 64] |= 1 << (other % 64);
        }
        row.n_known = self.effects.len();
        row
    }

    fn is_conflict(&self, effect: EffectId, still: u32, held: LocksId, other: EffectId) -> bool {
        let (effect, other) = (self.effect(effect), self.effect(other));
        if other.thread == effect.thread || other.thread == still || other.known_ended.contains(still as usize) {
            return false;
        }
        if self.excludes(held, other.needs) {
            return false;
        }
        if effect.is_total || other.is_total || (other.is_exit && self.is_exit_watched) {
            return true;
        }
        effect.ranges.iter().any(|one| {
            other.ranges.iter().any(|other| {
                one.name == other.name && (one.is_write || other.is_write) && one.from < other.to && other.from < one.to
            })
        })
    }

    /// Whether holding some locks keeps others from having theirs.
    fn excludes(&self, held: LocksId, needs: LocksId) -> bool {
        if held == 0 || needs == 0 {
            return false;
        }
        let (held, needs) = (&self.locks[held as usize], &self.locks[needs as usize]);
        held.iter().any(|held| {
            needs.iter().any(|need| {
                held.name == need.name && held.offset == need.offset && (held.is_exclusive || need.is_exclusive)
            })
        })
    }
}

/// The effects that the bits of a word stand for.
fn ones(at: usize, mut word: u64) -> impl Iterator<Item = EffectId> {
    std::iter::from_fn(move || {
        let bit = (word != 0).then(|| word.trailing_zeros())?;
        word &= word - 1;
        Some((at * 64) as EffectId + bit)
    })
}
