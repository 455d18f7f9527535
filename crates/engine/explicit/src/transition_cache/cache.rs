//! The transition cache: a thread's step is found by its component of the state and the shared words it reads, and
//! executed on the interpreter only the first time.
//!
//! Each thread component has a decision tree over reads. An inner node says which place of the vector the step reads
//! next, a leaf holds the cached transition. Runs are deterministic, so two runs that have read the same so far read
//! the same place next.

use std::rc::Rc;

use unpick_program::interp::{
    Change, CollapseTable, DeadlockedThread, Held, ReadLog, Refused, SharedRead, State, Stop, Until, Wait,
    may_deadlock, partial_deadlock,
};

use super::race::Accesses;
use crate::effect::{EffectId, Effects, LocksId, SetId};
use crate::observer::SearchObserver;

/// Steps of more instructions are not cached.
const FUEL: u64 = 20_000_000;
/// Steps of a depth-first search with more outcomes are refused.
pub(super) const MAX_OUTCOMES: usize = 64;
/// Children of a node below this number are nodes, from it on leaves.
const FIRST_TRANSITION: u32 = 1 << 31;
/// The dependence of every step: the number of threads, and whether another one is alive.
const HEAD: u32 = u32::MAX;
/// Whether threads have ended, from thread 0 on.
const FIRST_END: u32 = 1 << 31;
/// No leaf.
pub(super) const NONE: u32 = u32::MAX;

/// How a step ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum After {
    /// Before something that others can notice, or at the end of the thread.
    Going,
    /// With the program.
    Over,
    /// With a violation.
    Violated,
}

/// One outcome of a step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Outcome {
    /// Values chosen on the way.
    pub picks: Vec<u128>,
    pub after: After,
    pub change: Change,
}

/// A cached step with all its outcomes.
pub(super) struct CachedTransition {
    /// All outcomes; none if the thread is blocked.
    pub outcomes: Vec<Outcome>,
    pub effects: Rc<[EffectId]>,
    pub set: SetId,
    /// Its writes: object, offset, bytes.
    ranges: Vec<(u32, u64, u64)>,
    /// Locks, by number, that it overwrites.
    pub written_locks: u64,
    /// What a blocked thread waits for, if only certain threads can release it.
    wait: Option<Wait<Held>>,
}

/// Data of a thread component.
#[derive(Clone)]
pub(super) struct ThreadComponent {
    pub is_ended: bool,
    /// Its next access to shared memory.
    pub access: u32,
    /// What it holds.
    pub locks: LocksId,
    /// Locks, by number, that it holds alone.
    pub held: u64,
    /// All locks that it holds, and whether others can reach them.
    holds: Rc<[(Held, bool)]>,
    /// The tree of its steps.
    root: u32,
}

struct Node {
    /// What is read: a place, the end of a thread, or the head.
    read: u32,
    children: Vec<(u32, u32)>,
}

/// All cached steps.
pub(super) struct TransitionCache<'p> {
    pub parts: CollapseTable<'p>,
    known: Vec<Option<ThreadComponent>>,
    nodes: Vec<Node>,
    transitions: Vec<CachedTransition>,
    pub accesses: Accesses,
    locks: Vec<(u32, i64)>,
    /// Places of threads in vectors.
    places: Vec<u32>,
    parents: Vec<Option<usize>>,
    pub n_runs: u64,
    /// Steps with more outcomes are refused.
    max_outcomes: usize,
}

impl<'p> TransitionCache<'p> {
    pub(super) fn new(parts: CollapseTable<'p>, max_outcomes: usize) -> Self {
        Self {
            parts,
            known: Vec::new(),
            nodes: Vec::new(),
            transitions: Vec::new(),
            accesses: Accesses::default(),
            locks: Vec::new(),
            places: Vec::new(),
            parents: Vec::new(),
            n_runs: 0,
            max_outcomes,
        }
    }

    pub(super) fn transition(&self, transition: u32) -> &CachedTransition {
        &self.transitions[transition as usize]
    }

    /// How many threads there have been at most.
    pub(super) fn n_places(&self) -> usize {
        self.places.len()
    }

    pub(super) fn bytes(&self) -> u64 {
        self.parts.bytes() + (self.transitions.len() * 512 + self.nodes.len() * 64) as u64
    }

    /// The data of a thread's component.
    #[inline]
    pub(super) fn part(&self, vector: &[u32], thread: usize) -> &ThreadComponent {
        let part = vector[self.places[thread] as usize] - 1;
        self.known[part as usize].as_ref().expect("a part in a vector should be known")
    }

    /// The head of a state: the common dependence of all steps.
    pub(super) fn head(&self, vector: &[u32]) -> u32 {
        let n_threads = self.parts.n_threads(vector);
        let n_live = (0..n_threads).filter(|thread| !self.part(vector, *thread).is_ended).count();
        (n_threads as u32) << 1 | u32::from(n_live < 2)
    }

    #[inline]
    fn read(&self, vector: &[u32], head: u32, read: u32) -> u32 {
        if read < FIRST_END {
            return vector.get(read as usize).copied().unwrap_or(0);
        }
        if read == HEAD {
            return head;
        }
        let thread = (read - FIRST_END) as usize;
        if thread >= (head >> 1) as usize { 2 } else { u32::from(self.part(vector, thread).is_ended) }
    }

    /// The cached transition of a thread's step, if there is one.
    #[inline]
    pub(super) fn find(&self, vector: &[u32], head: u32, thread: usize) -> Option<u32> {
        let mut at = self.part(vector, thread).root;
        while at < FIRST_TRANSITION {
            let node = &self.nodes[at as usize];
            at = node.child(self.read(vector, head, node.read))?;
        }
        Some(at - FIRST_TRANSITION)
    }

    /// Learns what it needs to know of the threads of a vector that have moved or are new.
    pub(super) fn meet(&mut self, vector: &[u32], effects: &mut Effects) -> Result<(), Refused> {
        for thread in 0..self.parts.n_threads(vector) {
            let place = self.parts.thread_place(thread).ok_or(Refused("a thread without a place"))?;
            if self.places.len() == thread {
                self.places.push(place);
            }
            let part = vector[place as usize] - 1;
            if self.known.len() <= part as usize {
                self.known.resize(part as usize + 1, None);
            }
            if self.known[part as usize].is_some() {
                continue;
            }
            let state = self.parts.state(vector, thread).ok_or(Refused("parts that do not fit together"))?;
            let parent = state.parent(thread);
            if self.parents.len() == thread {
                self.parents.push(parent);
            }
            if self.parents[thread] != parent {
                return Err(Refused("threads start each other in different ways"));
            }
            let mut held = 0;
            let locks: Vec<(u32, i64)> = self.parts.exclusive_locks(part).collect();
            for lock in locks {
                held |= 1 << self.lock(lock)?;
            }
            let access =
                self.accesses.class(&self.parts.machine, &state, self.parts.next_shared_access(&state, thread));
            let root = self.nodes.len() as u32;
            self.nodes.push(Node { read: HEAD, children: Vec::new() });
            self.known[part as usize] = Some(ThreadComponent {
                is_ended: state.is_ended(thread),
                access,
                locks: effects.locks(&self.parts.machine, &state, state.held(thread)),
                held,
                holds: self.parts.held_locks(part).collect(),
                root,
            });
        }
        Ok(())
    }

    /// The number of a lock.
    fn lock(&mut self, lock: (u32, i64)) -> Result<u32, Refused> {
        if let Some(known) = self.locks.iter().position(|known| *known == lock) {
            return Ok(known as u32);
        }
        let number = self.locks.len() as u32;
        if number >= 64 {
            return Err(Refused("too many locks"));
        }
        self.locks.push(lock);
        for transition in &mut self.transitions {
            transition.written_locks |= u64::from(writes_over(&transition.ranges, lock)) << number;
        }
        Ok(number)
    }

    /// Runs a thread's step and writes down what came of it.
    pub(super) fn execute(
        &mut self,
        vector: &[u32],
        thread: usize,
        observer: &mut SearchObserver<'_>,
        effects: &mut Effects,
    ) -> Result<u32, Refused> {
        self.n_runs += 1;
        let head = self.head(vector);
        let (transition, reads) = self.run(vector, thread, observer, effects)?;
        for outcome in transition.outcomes.iter().filter(|outcome| outcome.after == After::Going) {
            let next = outcome.change.applied(vector);
            self.meet(&next, effects)?;
        }
        let number = self.transitions.len() as u32;
        self.insert(vector, head, thread, &reads, number)?;
        self.transitions.push(transition);
        Ok(number)
    }

    /// Whether running a step again gives what is written down.
    pub(super) fn agrees(
        &mut self,
        vector: &[u32],
        thread: usize,
        known: u32,
        observer: &mut SearchObserver<'_>,
        effects: &mut Effects,
    ) -> Result<bool, Refused> {
        let (transition, _) = self.run(vector, thread, observer, effects)?;
        let known = self.transition(known);
        Ok(transition.outcomes == known.outcomes && transition.set == known.set && transition.ranges == known.ranges)
    }

    /// Puts a leaf into the tree.
    fn insert(
        &mut self,
        vector: &[u32],
        head: u32,
        thread: usize,
        reads: &[u32],
        transition: u32,
    ) -> Result<(), Refused> {
        let mut at = self.part(vector, thread).root;
        for (depth, read) in std::iter::once(&HEAD).chain(reads).enumerate() {
            if self.nodes[at as usize].read != *read {
                return Err(Refused("a step that does not look at the same things twice"));
            }
            let value = self.read(vector, head, *read);
            let is_last = depth == reads.len();
            let known = self.nodes[at as usize].child(value);
            let next = match (known, is_last) {
                (Some(next), false) if next < FIRST_TRANSITION => next,
                (None, true) => FIRST_TRANSITION + transition,
                (None, false) => {
                    self.nodes.push(Node { read: reads[depth], children: Vec::new() });
                    self.nodes.len() as u32 - 1
                }
                (Some(_), _) => return Err(Refused("a step that does not look at the same things twice")),
            };
            if known.is_none() {
                self.nodes[at as usize].add(value, next);
            }
            at = next;
        }
        Ok(())
    }

    /// Runs a thread's step from the state of a vector: all outcomes, and what they depend on.
    fn run(
        &mut self,
        vector: &[u32],
        thread: usize,
        observer: &mut SearchObserver<'_>,
        effects: &mut Effects,
    ) -> Result<(CachedTransition, Vec<u32>), Refused> {
        let start = self.parts.state(vector, thread).ok_or(Refused("parts that do not fit together"))?;
        let held = start.held(thread).to_vec();
        observer.footprint.clear();
        let mut log = ReadLog::new(&self.parts.machine, observer);
        let mut outcomes: Vec<Outcome> = Vec::new();
        let mut open = vec![(start.clone(), Vec::new(), log.written())];
        let mut last: Option<State> = None;
        let mut ends_program = false;
        let mut is_blocked = false;
        while let Some((mut state, picks, written)) = open.pop() {
            log.go_on_from(written);
            let until = Until { fuel: FUEL, shared_access: true, ..Until::NEVER };
            let after = match self.parts.machine.run(&mut state, thread, until, &mut log) {
                Stop::Shared | Stop::ThreadEnded => After::Going,
                Stop::Exited { .. } => After::Over,
                Stop::Violated(_) => After::Violated,
                Stop::Blocked if picks.is_empty() => {
                    // Alone it may have come further than to its first step.
                    let change = self.parts.split(vector, &start, &state, thread, &mut log)?;
                    if change.applied(vector) != vector {
                        return Err(Refused("a thread waits alone"));
                    }
                    last = Some(state);
                    is_blocked = true;
                    break;
                }
                Stop::Choice(choice) if choice.is_exhaustive() && choice.n_options <= self.max_outcomes as u128 => {
                    for pick in (0..choice.n_options).rev() {
                        let mut next = state.clone();
                        self.parts.machine.pick(&mut next, &choice, pick);
                        let picks = picks.iter().copied().chain([pick]).collect();
                        open.push((next, picks, log.written()));
                    }
                    continue;
                }
                Stop::Choice(_) | Stop::TooWide { .. } => return Err(Refused("too many values")),
                Stop::Blocked => return Err(Refused("a choice decides whether a step is possible")),
                Stop::Fuel | Stop::LoopHead(..) | Stop::Limit { .. } => return Err(Refused("a long step")),
                Stop::Infeasible | Stop::Unmodelled { .. } => return Err(Refused("an execution that is cut off")),
            };
            let change = match after {
                After::Going => self.parts.split(vector, &start, &state, thread, &mut log)?,
                After::Over | After::Violated => Change::default(),
            };
            ends_program |= after == After::Over && state.n_live_threads() > 1;
            outcomes.push(Outcome { picks, after, change });
            last = Some(state);
            if outcomes.len() > self.max_outcomes {
                return Err(Refused("too many values"));
            }
        }
        let (reads, ranges) = (log.reads().to_vec(), log.ranges().to_vec());
        let state = last.unwrap_or(start);
        let wait = self.parts.machine.awaited(&state, thread, &observer.footprint).filter(|_| is_blocked);
        let mut found = effects.of_step(&self.parts.machine, &state, thread, &observer.footprint, &held);
        if ends_program {
            found.push(effects.exit(&state, thread));
        }
        let reads: Result<Vec<u32>, Refused> = reads.into_iter().map(|read| self.number(read)).collect();
        let set = effects.set(&found);
        let locks = self.locks.iter().enumerate();
        let written_locks = locks.map(|(at, lock)| u64::from(writes_over(&ranges, *lock)) << at).sum();
        Ok((CachedTransition { outcomes, effects: found.into(), set, ranges, written_locks, wait }, reads?))
    }

    /// Whether some of the threads, which would do the steps of these leaves, wait for each other for ever.
    pub(super) fn is_stuck(&self, vector: &[u32], transitions: &[u32]) -> bool {
        let wait_of = |thread: usize| {
            let transition = transitions[thread];
            let wait = if transition == NONE { None } else { self.transition(transition).wait };
            wait.map(|wait| match wait {
                Wait::Lock(lock) => Wait::Lock((thread, lock)),
                Wait::End(other) => Wait::End(other),
            })
        };
        let is_ended = |thread: usize| self.part(vector, thread).is_ended;
        // What only its thread can reach has a number of the thread's own.
        let holds = |thread: usize, (who, wish): (usize, Held)| {
            let held = self.part(vector, thread).holds.iter();
            let is_same = |held: &Held| held.lock.object == wish.lock.object && held.lock.offset == wish.lock.offset;
            let same = held.filter(|(held, is_shared)| is_same(held) && (*is_shared || thread == who));
            let in_the_way = same.map(|(held, _)| held).filter(|held| held.is_exclusive || wish.is_exclusive);
            in_the_way.map(|held| held.is_exclusive).reduce(|one, other| one || other)
        };
        if !may_deadlock(transitions.len(), wait_of, is_ended, holds) {
            return false;
        }
        let waits: Vec<Option<Wait<(usize, Held)>>> = (0..transitions.len()).map(wait_of).collect();
        let found: Vec<DeadlockedThread<(usize, Held)>> = partial_deadlock(&waits, is_ended, holds);
        !found.is_empty()
    }

    fn number(&mut self, read: SharedRead) -> Result<u32, Refused> {
        match read {
            SharedRead::Place(place) => Ok(place),
            SharedRead::Word(object, word) => self.parts.place_of(object, word),
            SharedRead::Life(object) => self.parts.place_of_life(object),
            SharedRead::Ended(thread) => Ok(FIRST_END + thread),
        }
    }
}

impl Node {
    #[inline]
    fn child(&self, value: u32) -> Option<u32> {
        if self.children.len() <= 8 {
            return self.children.iter().find(|(known, _)| *known == value).map(|(_, child)| *child);
        }
        let at = self.children.binary_search_by_key(&value, |(known, _)| *known).ok()?;
        Some(self.children[at].1)
    }

    fn add(&mut self, value: u32, child: u32) {
        let at = self.children.partition_point(|(known, _)| *known < value);
        self.children.insert(at, (value, child));
    }
}

fn writes_over(ranges: &[(u32, u64, u64)], (object, at): (u32, i64)) -> bool {
    let at = at as u64;
    ranges.iter().any(|(written, offset, bytes)| *written == object && *offset <= at && at < offset + bytes)
}
