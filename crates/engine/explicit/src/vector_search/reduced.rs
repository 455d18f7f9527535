//! The reduced system, a wrapper around one of macro steps: those of as few processes as are enough, chains of them taken at
//! once, dead variables reset.
//!
//! Ample sets (`ample.rs`) choose a process whose steps alone are enough, or all; a process that can do one thing only is
//! followed to the end of its chain of such steps. With sleep sets (`sleep.rs`) some processes are not asked because of
//! the step that led to a state.

use unpick_automaton::dead_variables::DeadVariables;
use unpick_automaton::interp::Fault;
use unpick_base::weighted_sum;
use unpick_system::{
    Arrival, Expansion, Floor, LivenessProperty, NOWHERE, Reached, Stepper, Successor, Successors, System, Walking,
    Which,
};

use super::VectorReduction;
use super::ample::{Ample, ConflictCounts};
use super::sleep::Sleep;

/// A chain of steps that are alone is cut after so many.
const MAX_CHAIN: usize = 256;

/// The system; see the module.
pub(super) struct Reduced<'a> {
    system: &'a dyn System,
    reduction: VectorReduction,
    /// What watches the system besides those who look for what goes wrong.
    watch: Option<LivenessProperty>,
}

impl<'a> Reduced<'a> {
    pub(super) fn new(system: &'a dyn System, reduction: VectorReduction, watch: Option<LivenessProperty>) -> Self {
        Self { system, reduction, watch }
    }

    pub(super) fn steps(&self, walking: Walking) -> ReducedStepper<'a> {
        let is_ample = self.reduction == VectorReduction::Ample;
        ReducedStepper {
            stepper: self.system.stepper(walking),
            key_start: self.floor().key_start(),
            passes_faults: walking.passes_faults,
            ample: if is_ample { Ample::new(self.system, self.watch) } else { None },
            sleep: if self.reduction == VectorReduction::Sleep { Sleep::new(self.system) } else { None },
            dead: if is_ample { self.system.floor().dead() } else { None },
            conflict_counts: ConflictCounts::default(),
            moved: ConflictCounts::default(),
            chained: Vec::new(),
            chain: Successors::default(),
            circled: Vec::new(),
        }
    }
}

impl System for Reduced<'_> {
    fn floor(&self) -> &dyn Floor {
        self.system.floor()
    }

    /// Where nothing is dead that could be forgotten, as in all that follow.
    fn initial(&self) -> Result<Vec<u8>, Fault> {
        let mut first = self.system.initial()?;
        if self.reduction == VectorReduction::Ample
            && let Some(dead) = self.floor().dead()
        {
            dead.forget(&mut first);
        }
        Ok(first)
    }

    fn stepper(&self, walking: Walking) -> Box<dyn Stepper + '_> {
        Box::new(self.steps(walking))
    }
}

/// One worker's reduced steps.
pub(super) struct ReducedStepper<'a> {
    stepper: Box<dyn Stepper + 'a>,
    /// Where the part of a state begins that tells it from others.
    key_start: usize,
    /// Assertions that fail end nothing.
    passes_faults: bool,
    ample: Option<Ample<'a>>,
    sleep: Option<Sleep<'a>>,
    dead: Option<DeadVariables>,
    /// Where processes stand in the state at hand, and behind one of its successors.
    conflict_counts: ConflictCounts,
    moved: ConflictCounts,
    chained: Vec<u8>,
    chain: Successors,
    /// A state that the chain came through: a chain that comes back to it goes round in a circle.
    circled: Vec<u8>,
}

impl Stepper for ReducedStepper<'_> {
    fn expand(&mut self, state: &[u8], which: Which<'_>, into: &mut Successors) -> Expansion {
        match which {
            Which::Few(arrival) => match &mut self.sleep {
                Some(_) if arrival == Arrival::NONE => self.stepper.expand(state, Which::All, into),
                Some(sleep) => self.stepper.expand(state, Which::Awake(sleep.after(arrival, state)), into),
                None => self.expand_with_chains(state, true, into),
            },
            Which::All if self.sleep.is_none() => self.expand_with_chains(state, false, into),
            Which::All | Which::Awake(_) | Which::Agent(_) | Which::Timeout => self.stepper.expand(state, which, into),
        }
    }

    fn reached(&self) -> &Reached {
        self.stepper.reached()
    }
}

impl ReducedStepper<'_> {
    /// Adds the successors of one process if that `may` be enough, else all, and follows their chains.
    fn expand_with_chains(&mut self, state: &[u8], may: bool, into: &mut Successors) -> Expansion {
        let first = into.list.len();
        let conflict_counts = self.look_at(state);
        let expansion = match may && self.step_alone(&conflict_counts, state, into) {
            true => Expansion::Reduced,
            false => self.stepper.expand(state, Which::All, into),
        };
        self.follow_chains(&conflict_counts, state, first, into);
        self.conflict_counts = conflict_counts;
        expansion
    }

    fn look_at(&mut self, state: &[u8]) -> ConflictCounts {
        let mut conflict_counts = std::mem::take(&mut self.conflict_counts);
        if let Some(ample) = &mut self.ample {
            ample.look_at(state, &mut conflict_counts);
        }
        conflict_counts
    }

    /// Adds what a process can do that may be enough; false if there is none.
    fn step_alone(&mut self, conflict_counts: &ConflictCounts, state: &[u8], into: &mut Successors) -> bool {
        let first = into.list.len();
        let mut below = conflict_counts.len();
        while let Some(process) = conflict_counts.next(below) {
            self.stepper.expand(state, Which::Agent(process as u8), into);
            if into.list.len() > first {
                return true;
            }
            below = process;
        }
        false
    }

    /// Goes on from each successor of a state as long as one process can do one thing and is enough, and forgets what is
    /// dead. In the state nothing was left to forget.
    fn follow_chains(&mut self, conflict_counts: &ConflictCounts, state: &[u8], first: usize, into: &mut Successors) {
        for at in first..into.list.len() {
            let successor = into.list[at];
            if successor.is_fault && !self.passes_faults || successor.len == 0 {
                continue;
            }
            let range = successor.start as usize..successor.start as usize + successor.len as usize;
            let mut change = successor.known_change();
            let next = &mut into.bytes[range.clone()];
            let is_near = self.forget_after(conflict_counts, state, successor, next, &mut change);
            let noted = &mut into.list[at];
            (noted.has_change, noted.change) = (change.is_some(), change.unwrap_or(0));
            if !is_near {
                let mut moved = std::mem::take(&mut self.moved);
                if let Some(ample) = &mut self.ample {
                    ample.look_at(&into.bytes[range.clone()], &mut moved);
                }
                self.moved = moved;
            } else if let Some(ample) = &self.ample {
                self.moved.copy(conflict_counts);
                ample.moved(&mut self.moved, successor.mover, &into.bytes[range.clone()]);
            }
            if self.moved.next(usize::MAX).is_none() {
                continue;
            }
            let mut end = std::mem::take(&mut self.chained);
            end.clear();
            end.extend_from_slice(&into.bytes[range.clone()]);
            let change = self.follow(&mut end, |_| {});
            into.list[at].add_change(change);
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

    /// Forgets what is dead in a successor of a state, and notes by how much that changes its weighted sum. If one process has
    /// moved and the others are where they were, only there, and that is what comes back.
    #[inline]
    fn forget_after(
        &self,
        conflict_counts: &ConflictCounts,
        state: &[u8],
        successor: Successor,
        next: &mut [u8],
        change: &mut Option<u64>,
    ) -> bool {
        let is_near = |ample: &Ample<'_>| {
            successor.slot != NOWHERE
                && next.len() == state.len()
                && ample.n_processes(next) == ample.n_processes(state)
        };
        let place = conflict_counts.place(successor.mover).filter(|_| self.ample.as_ref().is_some_and(is_near));
        match (&self.dead, place) {
            (Some(dead), Some(place)) => match change {
                Some(change) => dead.forget_after_telling(next, place, &mut self.uncounted(change)),
                None => dead.forget_after(next, place),
            },
            (Some(dead), None) => match change {
                Some(change) => dead.forget_telling(next, &mut self.uncounted(change)),
                None => dead.forget(next),
            },
            (None, _) => {}
        }
        place.is_some()
    }

    /// Takes out of a weighted sum what is forgotten.
    #[inline]
    fn uncounted(&self, change: &mut u64) -> impl FnMut(usize, &[u8]) {
        let key_start = self.key_start;
        move |at, bytes| {
            for (place, byte) in bytes.iter().enumerate().filter(|(_, byte)| **byte != 0) {
                *change = change.wrapping_add(weighted_sum::byte_change(at + place - key_start, *byte, 0));
            }
        }
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

    /// The same from a state in which processes stand as `moved` says; by how much the weighted sum changes, if the steps tell.
    fn follow(&mut self, state: &mut Vec<u8>, mut passed: impl FnMut(&[u8])) -> Option<u64> {
        let mut sum_change = Some(0u64);
        let (mut chain, mut conflict_counts) = (std::mem::take(&mut self.chain), std::mem::take(&mut self.moved));
        for n_passed in 1..=MAX_CHAIN {
            if n_passed.is_power_of_two() {
                self.circled.clear();
                self.circled.extend_from_slice(state);
            }
            chain.clear();
            if !self.step_alone(&conflict_counts, state, &mut chain) {
                break;
            }
            let mut real = chain.list.iter().filter(|successor| !successor.is_left());
            let (Some(only), None) = (real.next(), real.next()) else { break };
            if only.is_fault {
                break;
            }
            let (only, range) = (*only, only.start as usize..only.start as usize + only.len as usize);
            let mut change = only.known_change();
            let is_near = self.forget_after(&conflict_counts, state, only, &mut chain.bytes[range], &mut change);
            if chain.state(only) == state.as_slice() {
                break;
            }
            sum_change = sum_change.zip(change).map(|(sum, change)| sum.wrapping_add(change));
            passed(state);
            state.clear();
            state.extend_from_slice(chain.state(only));
            if *state == self.circled {
                break;
            }
            match &mut self.ample {
                Some(ample) if is_near => ample.moved(&mut conflict_counts, only.mover, state),
                Some(ample) => ample.look_at(state, &mut conflict_counts),
                None => break,
            }
        }
        (self.chain, self.moved) = (chain, conflict_counts);
        sum_change
    }
}
