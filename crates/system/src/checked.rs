//! A system whose footprints are checked: it panics when a step touches what its footprint does not name (the idea of
//! LTSmin's `pins2pins-check`). For tests: every state is expanded many times.
//!
//! What a step writes is seen by comparing states. What it reads shows in two steps of two processes: if their footprints
//! say that they have nothing to do with each other, they must lead to the same states in both orders, and neither may let
//! the other do more or less. That is what partial-order reductions take for granted.

use std::collections::{BTreeSet, HashSet, VecDeque};

use unpick_automaton::footprints::{Footprints, LocationFootprints, SpecialisedProcesses};
use unpick_automaton::interp::Fault;
use unpick_automaton::layout::Layout;

use crate::reached::Reached;
use crate::successors::{NOWHERE, Successors};
use crate::system::{Expansion, Floor, Stepper, System, Walking, Which};

/// The system; see the module.
#[derive(Clone, Copy)]
pub struct Checked<'a> {
    system: &'a dyn System,
    footprints_of: &'a dyn System,
}

impl<'a> Checked<'a> {
    /// A system and its own footprints.
    pub fn new(system: &'a dyn System) -> Self {
        Self::against(system, system)
    }

    /// A system and the footprints of another one with states of the same layout.
    pub fn against(system: &'a dyn System, footprints_of: &'a dyn System) -> Self {
        Self { system, footprints_of }
    }

    /// Expands states breadth first, up to so many; how many there were.
    pub fn explore(self, most: usize) -> usize {
        let Ok(first) = self.initial() else { return 0 };
        let mut stepper = self.stepper(Walking::default());
        let mut seen = HashSet::from([first.clone()]);
        let mut waiting = VecDeque::from([first]);
        let mut next = Successors::default();
        while let Some(state) = waiting.pop_front() {
            next.clear();
            stepper.expand(&state, Which::All, &mut next);
            // Nothing comes behind a step that goes wrong: it may leave a process in the middle of its atomic region.
            for successor in next.list.iter().filter(|successor| successor.len > 0 && !successor.is_fault) {
                let state = next.state(*successor).to_vec();
                if seen.len() < most && seen.insert(state.clone()) {
                    waiting.push_back(state);
                }
            }
        }
        seen.len()
    }
}

impl System for Checked<'_> {
    fn floor(&self) -> &dyn Floor {
        self.system.floor()
    }

    fn initial(&self) -> Result<Vec<u8>, Fault> {
        self.system.initial()
    }

    fn stepper(&self, walking: Walking) -> Box<dyn Stepper + '_> {
        let checks = self.footprints_of.floor().footprints(None).map(|footprints| Checks {
            layout: footprints.layout(),
            specialised: SpecialisedProcesses::new(&footprints),
            footprints,
            stepper: self.system.stepper(Walking::default()),
        });
        Box::new(CheckedStepper { checks, stepper: self.system.stepper(walking) })
    }
}

struct CheckedStepper<'a> {
    stepper: Box<dyn Stepper + 'a>,
    /// Nothing if the system has no footprints.
    checks: Option<Checks<'a>>,
}

impl Stepper for CheckedStepper<'_> {
    fn expand(&mut self, state: &[u8], which: Which<'_>, into: &mut Successors) -> Expansion {
        if let (Which::All | Which::Few(_) | Which::Awake(_), Some(checks)) = (which, &mut self.checks) {
            checks.check(state);
        }
        self.stepper.expand(state, which, into)
    }

    fn reached(&self) -> &Reached {
        self.stepper.reached()
    }
}

/// One worker's checks.
struct Checks<'a> {
    footprints: Footprints<'a>,
    specialised: SpecialisedProcesses,
    layout: Layout,
    stepper: Box<dyn Stepper + 'a>,
}

/// What a process can do in a state.
struct Steps {
    states: BTreeSet<Vec<u8>>,
    /// Something goes wrong, so that there is more to it than states.
    is_faulty: bool,
}

impl Checks<'_> {
    fn check(&mut self, state: &[u8]) {
        self.specialised.look_at(&mut self.footprints, state);
        let specialisations = self.specialised.specialisations().to_vec();
        let known: Vec<LocationFootprints> = { specialisations.iter() }
            .map(|(at, specialisation)| {
                let at = *at as usize;
                *self.footprints.known(*specialisation, u16::from_le_bytes([state[at + 1], state[at + 2]]))
            })
            .collect();
        let steps: Vec<Steps> =
            (0..specialisations.len()).map(|process| self.steps(state, process, &known[process])).collect();
        for process in 0..specialisations.len() {
            for other in (0..specialisations.len()).filter(|other| *other != process) {
                let (own, others) = (&known[process], &known[other]);
                if steps[process].is_faulty || steps[other].is_faulty {
                    continue;
                }
                // Sleep sets: any two steps of the two.
                if let (Some(one), Some(another)) = (own.whole, others.whole)
                    && process < other
                    && !one.conflicts(&another)
                {
                    self.commute((process, &steps[process]), (other, &steps[other]), true);
                }
                // Ample sets: a step that can be taken, and whatever the other one does before.
                if let Some(own) = own.own
                    && !steps[process].states.is_empty()
                    && !own.conflicts(&others.future)
                {
                    self.commute((process, &steps[process]), (other, &steps[other]), false);
                }
            }
        }
    }

    /// What a process can do, none of which writes what it should not.
    fn steps(&mut self, state: &[u8], process: usize, known: &LocationFootprints) -> Steps {
        let mut found = Successors::default();
        self.stepper.expand(state, Which::Agent(process as u8), &mut found);
        let mut steps = Steps { states: BTreeSet::new(), is_faulty: false };
        for successor in found.list.iter().filter(|successor| !successor.is_left()) {
            let next = found.state(*successor);
            steps.is_faulty |= successor.is_fault;
            steps.states.insert(next.to_vec());
            if successor.is_fault {
                continue;
            }
            let has_others = successor.slot == NOWHERE
                || next.len() != state.len()
                || self.layout.n_processes(next) != self.layout.n_processes(state);
            if has_others {
                assert!(known.whole.is_none(), "process {process} should not meet, make or end others in {state:?}");
                continue;
            }
            for footprint in known.whole.iter().chain([&known.future]) {
                let unnamed = self.footprints.unnamed_write(footprint, process, state, next);
                assert!(unnamed.is_none(), "process {process} should not write byte {unnamed:?} of {state:?}");
            }
        }
        steps
    }

    /// What two processes do, one after the other, leads to the same states in both orders. If not `exactly`, the second
    /// may let the first do less than it could, but not after it.
    fn commute(&mut self, (one, of_one): (usize, &Steps), (other, of_other): (usize, &Steps), exactly: bool) {
        let one_first = self.then(of_one, other, of_other.states.len(), exactly);
        let other_first = self.then(of_other, one, of_one.states.len(), true);
        let (Some(one_first), Some(other_first)) = (one_first, other_first) else { return };
        let is_same = if exactly { one_first == other_first } else { other_first.is_subset(&one_first) };
        assert!(
            is_same,
            "processes {one} and {other} should not notice each other: {:?} {:?}",
            of_one.states, of_other.states
        );
    }

    /// All states behind one more step of a process, which can do as much as before if `counts`; nothing is known if
    /// something goes wrong.
    fn then(&mut self, before: &Steps, process: usize, n_steps: usize, counts: bool) -> Option<BTreeSet<Vec<u8>>> {
        let mut all = BTreeSet::new();
        for state in &before.states {
            let mut found = Successors::default();
            self.stepper.expand(state, Which::Agent(process as u8), &mut found);
            let real: BTreeSet<&[u8]> = { found.list.iter() }
                .filter(|successor| !successor.is_left())
                .map(|successor| found.state(*successor))
                .collect();
            if found.list.iter().any(|successor| successor.is_fault) {
                return None;
            }
            assert!(
                !counts || real.len() == n_steps,
                "process {process} should be able to do as much in {state:?} as before the other process moved"
            );
            all.extend(real.into_iter().map(<[u8]>::to_vec));
        }
        Some(all)
    }
}
