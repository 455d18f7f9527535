//! From a state at which everybody may move to all such states that can come next.
//!
//! A step may lead into an `atomic`, in which only one process goes on. The states inside are walked through here
//! and never stored: their successors take their place until everybody may move, or the process cannot, in which
//! case everybody may again. Walking could take for ever around a loop, or visit a state as often as there are ways
//! to it, so that from some number on the states inside are remembered for the time of one expansion.

use std::collections::HashSet;

use unpick_ir::automaton::dead_variables::DeadVariables;
use unpick_ir::automaton::interp::Machine;
use unpick_system::{NOBODY, NOWHERE, Reached, Step, Successor, Successors, Watch, Who};

use super::FlatReduction;
use super::ample::{Ample, Scene};
use super::sleep::{Arrival, Sleep};

/// So many states inside `atomic`s are walked through without being remembered.
const MAX_FORGOTTEN: usize = 64;

/// A chain of steps that are alone is cut after so many.
const MAX_CHAIN: usize = 256;

/// Makes successors; see the module.
pub(super) struct Expander<'a, S: Step> {
    step: &'a S,
    room: S::Room,
    reduces: bool,
    /// Assertions that fail end nothing.
    passes_faults: bool,
    ample: Option<Ample<'a>>,
    sleep: Option<Sleep<'a>>,
    dead: Option<DeadVariables>,
    inner: Vec<u8>,
    /// Where processes stand in the state at hand, and behind one of its successors.
    scene: Scene,
    moved: Scene,
    chained: Vec<u8>,
    chain: Successors,
    /// A state that the chain came through: a chain that comes back to it goes round in a circle.
    circled: Vec<u8>,
    remembered: HashSet<Vec<u8>, foldhash::fast::RandomState>,
}

/// What can follow a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Expansion {
    /// Successors were added.
    GoesOn,
    /// Successors of one process were added; it is enough if one of them is new.
    GoesOnAlone,
    /// Nothing is possible, and all processes may stay where they are.
    ValidEnd,
    /// Nothing is possible.
    InvalidEnd,
}

impl<'a, S: Step> Expander<'a, S> {
    /// An expander that follows as few processes as are enough, or all.
    pub(super) fn new(step: &'a S, reduction: FlatReduction) -> Self {
        let reduces = reduction == FlatReduction::Ample;
        Self {
            step,
            room: step.room(),
            reduces,
            passes_faults: false,
            ample: if reduces { Ample::new(step.model(), None) } else { None },
            sleep: if reduction == FlatReduction::Sleep { Sleep::new(step.model()) } else { None },
            dead: if reduces { DeadVariables::new(step.model()) } else { None },
            inner: Vec::new(),
            scene: Scene::default(),
            moved: Scene::default(),
            chained: Vec::new(),
            chain: Successors::default(),
            circled: Vec::new(),
            remembered: HashSet::default(),
        }
    }

    /// Where processes stood.
    pub(super) fn reached(&self) -> &Reached {
        self.step.reached(&self.room)
    }

    /// With as few processes as are enough for what watches the model.
    pub(super) fn watched(step: &'a S, watch: Watch) -> Self {
        let model = step.model();
        let ample = Ample::new(model, Some(watch));
        Self { reduces: true, ample, dead: DeadVariables::new(model), ..Self::new(step, FlatReduction::None) }
    }

    /// For those who look for something else than steps that go wrong: as long as a state follows, it is followed.
    pub(super) fn passing_faults(self) -> Self {
        Self { passes_faults: true, ..self }
    }

    /// Adds successors that are enough. Those that [`is_left`] says were left do not count.
    #[inline]
    pub(super) fn expand(&mut self, state: &[u8], into: &mut Successors) -> Expansion {
        match self.reduces {
            true => self.expand_alone(state, into),
            false => self.expand_all(state, into),
        }
    }

    /// The same for a state that was found by this step.
    #[inline]
    pub(super) fn expand_after(&mut self, arrival: Arrival, state: &[u8], into: &mut Successors) -> Expansion {
        let Some(sleep) = &mut self.sleep else { return self.expand(state, into) };
        if arrival == Arrival::NONE {
            return self.expand(state, into);
        }
        let first = into.list.len();
        self.step.steps(&mut self.room, state, Who::Awake(sleep.after(arrival, state)), into);
        if into.list.len() == first {
            // It may be that only those who sleep can do something.
            return self.expand_all(state, into);
        }
        if into.list[first..].iter().any(|successor| successor.only != NOBODY) {
            self.walk_through(first, into);
        }
        Expansion::GoesOn
    }

    /// The step that led to a state, if it matters to [`Expander::expand_after`].
    #[inline]
    pub(super) fn arrival(&self, successor: Successor) -> Option<Arrival> {
        self.sleep.as_ref().map(|_| Arrival::by(successor))
    }

    /// Adds the successors of one process if that may be enough, else all.
    fn expand_alone(&mut self, state: &[u8], into: &mut Successors) -> Expansion {
        let first = into.list.len();
        let scene = self.look_at(state);
        let expansion = match self.step_alone(&scene, state, into) {
            true => Expansion::GoesOnAlone,
            false => self.expand_all(state, into),
        };
        self.follow_chains(&scene, state, first, into);
        self.scene = scene;
        expansion
    }

    /// Adds all successors again, after those of one process were not enough.
    pub(super) fn expand_in_full(&mut self, state: &[u8], into: &mut Successors) {
        let first = into.list.len();
        let scene = self.look_at(state);
        self.expand_all(state, into);
        self.follow_chains(&scene, state, first, into);
        self.scene = scene;
    }

    fn look_at(&mut self, state: &[u8]) -> Scene {
        let mut scene = std::mem::take(&mut self.scene);
        if let Some(ample) = &mut self.ample {
            ample.look_at(state, &mut scene);
        }
        scene
    }

    /// Adds what a process can do that may be enough; false if there is none.
    fn step_alone(&mut self, scene: &Scene, state: &[u8], into: &mut Successors) -> bool {
        let first = into.list.len();
        let mut below = scene.len();
        while let Some(process) = scene.next(below) {
            self.step.steps(&mut self.room, state, Who::Only(process as u8), into);
            if into.list.len() > first {
                if into.list[first..].iter().any(|successor| successor.only != NOBODY) {
                    self.walk_through(first, into);
                }
                return true;
            }
            below = process;
        }
        false
    }

    /// Goes on from each successor of a state as long as one process can do one thing and is enough, and forgets what is
    /// dead. In the state nothing was left to forget.
    fn follow_chains(&mut self, scene: &Scene, state: &[u8], first: usize, into: &mut Successors) {
        for at in first..into.list.len() {
            let successor = into.list[at];
            if successor.is_fault && !self.passes_faults || successor.len == 0 {
                continue;
            }
            let range = successor.start as usize..successor.start as usize + successor.len as usize;
            if !self.forget_after(scene, state, successor, &mut into.bytes[range.clone()]) {
                let mut moved = std::mem::take(&mut self.moved);
                if let Some(ample) = &mut self.ample {
                    ample.look_at(&into.bytes[range.clone()], &mut moved);
                }
                self.moved = moved;
            } else if let Some(ample) = &self.ample {
                self.moved.copy(scene);
                ample.moved(&mut self.moved, successor.mover, &into.bytes[range.clone()]);
            }
            if self.moved.next(usize::MAX).is_none() {
                continue;
            }
            let mut end = std::mem::take(&mut self.chained);
            end.clear();
            end.extend_from_slice(&into.bytes[range.clone()]);
            self.follow(&mut end, |_| {});
            if end.len() == range.len() {
                into.bytes[range].copy_from_slice(&end);
            } else {
                into.list[at].start = into.bytes.len() as u32;
                into.list[at].len = end.len() as u32;
                into.bytes.extend_from_slice(&end);
            }
            self.chained = end;
        }
    }

    /// Forgets what is dead in a successor of a state. If one process has moved and the others are where they were, only
    /// there, and that is what comes back.
    #[inline]
    fn forget_after(&self, scene: &Scene, state: &[u8], successor: Successor, next: &mut [u8]) -> bool {
        let n_at = self.step.model().hidden_size as usize;
        let place = scene
            .place(successor.mover)
            .filter(|_| successor.slot != NOWHERE && next.len() == state.len() && next[n_at] == state[n_at]);
        match (&self.dead, place) {
            (Some(dead), Some(place)) => dead.forget_after(next, place),
            (Some(dead), None) => dead.forget(next),
            (None, _) => {}
        }
        place.is_some()
    }

    /// Forgets what is dead in a state.
    pub(super) fn forget(&self, state: &mut [u8]) {
        if let Some(dead) = &self.dead {
            dead.forget(state);
        }
    }

    /// Goes to the end of the chain that begins with a state, and forgets what is dead there and on the way.
    pub(super) fn follow_chain(&mut self, state: &mut Vec<u8>, passed: impl FnMut(&[u8])) {
        self.forget(state);
        let Some(ample) = &mut self.ample else { return };
        ample.look_at(state, &mut self.moved);
        self.follow(state, passed);
    }

    /// The same from a state in which processes stand as `moved` says.
    fn follow(&mut self, state: &mut Vec<u8>, mut passed: impl FnMut(&[u8])) {
        let (mut chain, mut scene) = (std::mem::take(&mut self.chain), std::mem::take(&mut self.moved));
        for n_passed in 1..=MAX_CHAIN {
            if n_passed.is_power_of_two() {
                self.circled.clear();
                self.circled.extend_from_slice(state);
            }
            chain.clear();
            if !self.step_alone(&scene, state, &mut chain) {
                break;
            }
            let mut real = chain.list.iter().filter(|successor| !is_left(**successor));
            let (Some(only), None) = (real.next(), real.next()) else { break };
            if only.is_fault {
                break;
            }
            let (only, range) = (*only, only.start as usize..only.start as usize + only.len as usize);
            let is_near = self.forget_after(&scene, state, only, &mut chain.bytes[range]);
            if chain.state(only) == state.as_slice() {
                break;
            }
            passed(state);
            state.clear();
            state.extend_from_slice(chain.state(only));
            if *state == self.circled {
                break;
            }
            match &mut self.ample {
                Some(ample) if is_near => ample.moved(&mut scene, only.mover, state),
                Some(ample) => ample.look_at(state, &mut scene),
                None => break,
            }
        }
        (self.chain, self.moved) = (chain, scene);
    }

    /// Adds all successors.
    #[inline]
    fn expand_all(&mut self, state: &[u8], into: &mut Successors) -> Expansion {
        let first = into.list.len();
        self.step.steps(&mut self.room, state, Who::All, into);
        if into.list.len() == first {
            self.step.steps(&mut self.room, state, Who::Timeout, into);
            if into.list.len() == first {
                return match Machine::new(self.step.model()).is_valid_end(state) {
                    true => Expansion::ValidEnd,
                    false => Expansion::InvalidEnd,
                };
            }
        }
        if into.list[first..].iter().any(|successor| successor.only != NOBODY) {
            self.walk_through(first, into);
        }
        Expansion::GoesOn
    }

    /// Replaces states inside `atomic`s by what comes out of them.
    fn walk_through(&mut self, first: usize, into: &mut Successors) {
        let mut n_walked = 0;
        self.remembered.clear();
        let mut at = first;
        while at < into.list.len() {
            let successor = into.list[at];
            if successor.only != NOBODY && (!successor.is_fault || self.passes_faults && successor.len > 0) {
                into.list[at].is_fault = false;
                self.inner.clear();
                self.inner.extend_from_slice(into.state(successor));
                n_walked += 1;
                if n_walked > MAX_FORGOTTEN && !self.is_new(successor.only) {
                    into.list[at].len = 0;
                } else {
                    let before = into.list.len();
                    self.step.steps(&mut self.room, &self.inner, Who::Only(successor.only), into);
                    if into.list.len() == before {
                        into.list[at].only = NOBODY;
                    } else {
                        into.list[at].len = 0;
                        for next in &mut into.list[before..] {
                            next.mover = successor.mover;
                            next.slot = if next.slot == NOWHERE { NOWHERE } else { successor.slot };
                        }
                    }
                }
            }
            at += 1;
        }
    }

    fn is_new(&mut self, only: u8) -> bool {
        self.inner.push(only);
        let is_new = self.remembered.insert(self.inner.clone());
        self.inner.pop();
        is_new
    }
}

/// Whether the state was walked through.
#[inline]
pub(super) fn is_left(successor: Successor) -> bool {
    successor.len == 0 && !successor.is_fault
}

/// Among the successors from `first` on that a process began, how many come before this one.
#[inline]
pub(super) fn rank(next: &Successors, first: usize, at: usize) -> usize {
    let mover = next.list[at].mover;
    next.list[first..at].iter().filter(|successor| successor.mover == mover).count()
}

/// The successor that a process began and that has this many before it.
pub(super) fn nth_of(next: &Successors, first: usize, mover: u8, rank: usize) -> Option<Successor> {
    next.list[first..].iter().filter(|successor| successor.mover == mover).nth(rank).copied()
}
