//! Macro steps: from a state at which every process may move to all such states that can come next.
//!
//! A step may lead into an atomic region, in which only one process goes on. The states inside are walked through here and
//! never stored: their successors take their place until all processes may move, or the process cannot, in which case
//! all may again. Walking could take for ever around a loop, or visit a state as often as there are ways to it, so
//! that from some number on the states inside are remembered for the time of one expansion.
//!
//! This is the one walker of searches, over compiled code and over the interpreter; who needs the moves inside as well
//! asks [`unpick_automaton::run`].

mod inside;

use unpick_automaton::dead_variables::DeadVariables;
use unpick_automaton::footprints::Footprints;
use unpick_automaton::interp::{ClaimStep, Fault, Look, Machine};
use unpick_automaton::run::{Impossible, Moves, moves_along, moves_round};
use unpick_automaton::{LivenessProperty, Model};

use crate::flags::Flags;
use crate::product::Processes;
use crate::reached::Reached;
use crate::step::{MicroSteps, Who};
use crate::successors::{NOBODY, NOWHERE, Successor, Successors};
use crate::system::{Expansion, Floor, Labels, Monitor, Stepper, System, Walking, Which};
use inside::Inside;

/// So many states inside atomic regions are walked through without being remembered.
const MAX_FORGOTTEN: usize = 64;

impl<M: MicroSteps> Floor for M {
    fn key_start(&self) -> usize {
        self.model().hidden_size as usize
    }

    fn footprints(&self, watch: Option<LivenessProperty>) -> Option<Footprints<'_>> {
        Footprints::new(self.model(), watch)
    }

    fn dead(&self) -> Option<DeadVariables> {
        DeadVariables::new(self.model())
    }

    fn labels(&self) -> Labels {
        Flags::new(self.model()).possible()
    }

    fn bytes(&self) -> u64 {
        self.model().embedded.as_ref().map_or(0, |embedded| embedded.bytes())
    }

    fn monitor(&self) -> Box<dyn Monitor + '_> {
        Box::new(ModelMonitor { micro: self, scratch: self.scratch(), flags: Flags::new(self.model()) })
    }

    fn moves_along(&self, path: &[Vec<u8>], forgets: bool, to_fault: bool) -> Result<Vec<Moves>, Impossible> {
        moves_along(self.model(), path, forgets, to_fault)
    }

    fn moves_round(
        &self,
        path: &[Vec<u8>],
        loop_from: Option<usize>,
    ) -> Result<(Vec<Moves>, Option<usize>), Impossible> {
        moves_round(self.model(), path, loop_from)
    }
}

/// Automata of which single steps are known are a system of macro steps.
impl<M: MicroSteps> System for M {
    fn floor(&self) -> &dyn Floor {
        self
    }

    fn initial(&self) -> Result<Vec<u8>, Fault> {
        Machine::new(self.model()).initial()
    }

    fn stepper(&self, walking: Walking) -> Box<dyn Stepper + '_> {
        Box::new(MacroStepper {
            micro: self,
            model: self.model(),
            scratch: self.scratch(),
            walking,
            state: Vec::new(),
            inside: Inside::default(),
        })
    }
}

/// One worker's macro steps.
struct MacroStepper<'a, M: MicroSteps> {
    micro: &'a M,
    model: &'a Model,
    scratch: M::Scratch,
    walking: Walking,
    /// The state inside an atomic region at hand.
    state: Vec<u8>,
    inside: Inside,
}

impl<M: MicroSteps> Stepper for MacroStepper<'_, M> {
    fn expand(&mut self, state: &[u8], which: Which<'_>, into: &mut Successors) -> Expansion {
        let first = into.list.len();
        let mut expansion = Expansion::Full;
        match which {
            Which::All | Which::Few(_) => self.micro.steps(&mut self.scratch, state, Who::All, into),
            Which::Awake(asleep) => {
                self.micro.steps(&mut self.scratch, state, Who::Awake(asleep), into);
                if into.list.len() == first {
                    self.micro.steps(&mut self.scratch, state, Who::All, into);
                }
            }
            Which::Agent(process) => self.micro.steps(&mut self.scratch, state, Who::Only(process), into),
            Which::Timeout => self.micro.steps(&mut self.scratch, state, Who::Timeout, into),
        }
        if into.list.len() == first && matches!(which, Which::All | Which::Few(_) | Which::Awake(_)) {
            self.micro.steps(&mut self.scratch, state, Who::Timeout, into);
            if into.list.len() == first {
                return Expansion::End { is_valid: Machine::new(self.model).is_valid_end(state) };
            }
            expansion = Expansion::Timeout;
        }
        if self.walking.notes_movers {
            note_movers(first, expansion, into);
        }
        if into.list[first..].iter().any(|successor| successor.only != NOBODY) {
            self.walk_through(first, into);
        }
        expansion
    }

    fn reached(&self) -> &Reached {
        self.micro.reached(&self.scratch)
    }
}

/// What a claim sees of a model.
struct ModelMonitor<'a, M: MicroSteps> {
    micro: &'a M,
    scratch: M::Scratch,
    flags: Flags,
}

impl<M: MicroSteps> Monitor for ModelMonitor<'_, M> {
    fn labels(&mut self, state: &[u8], wanted: Labels) -> Labels {
        self.flags.labels(state, wanted)
    }

    fn claim_steps(&mut self, state: &[u8], claim: usize, at: u16, into: &mut Vec<u16>) -> bool {
        self.micro.claim_steps(&mut self.scratch, state, claim, at, into)
    }

    fn claim_moves(
        &mut self,
        state: &[u8],
        claim: usize,
        at: u16,
        look: Look,
        into: &mut Vec<ClaimStep>,
    ) -> Result<(), Fault> {
        Machine::new(self.micro.model()).claim_moves(state, claim, at, look, into)
    }
}

/// Notes the movers of single steps and the enabled processes: where only `timeout` enables a step, none is enabled.
fn note_movers(first: usize, expansion: Expansion, into: &mut Successors) {
    let Successors { list, movers, enabled, .. } = into;
    let roots = &list[first..];
    movers.extend(roots.iter().map(|successor| Processes::from_iter([successor.mover])));
    *enabled = match expansion {
        Expansion::Timeout => Processes::default(),
        Expansion::Full | Expansion::Reduced | Expansion::End { .. } => {
            roots.iter().map(|successor| successor.mover).collect()
        }
    };
}

impl<M: MicroSteps> MacroStepper<'_, M> {
    /// Replaces states inside atomic regions by what comes out of them.
    fn walk_through(&mut self, first: usize, into: &mut Successors) {
        let Walking { passes_faults, is_orderly, notes_movers } = self.walking;
        let mut n_walked = 0;
        self.inside.clear();
        let mut at = first;
        while at < into.list.len() {
            let successor = into.list[at];
            if successor.only != NOBODY && (!successor.is_fault || passes_faults && successor.len > 0) {
                into.list[at].is_fault = false;
                self.state.clear();
                self.state.extend_from_slice(into.state(successor));
                let movers = if notes_movers { into.movers[at] } else { Processes::default() };
                n_walked += 1;
                let remembers = is_orderly || n_walked > MAX_FORGOTTEN;
                if remembers && !self.inside.insert(&self.state, successor.only, movers) {
                    into.list[at].len = 0;
                } else {
                    let before = into.list.len();
                    self.micro.steps(&mut self.scratch, &self.state, Who::Only(successor.only), into);
                    if into.list.len() == before {
                        into.list[at].only = NOBODY;
                        if is_orderly {
                            into.list.push(Successor { is_fault: false, only: NOBODY, ..successor });
                            into.list[at].len = 0;
                        }
                    } else {
                        into.list[at].len = 0;
                    }
                    for next in &mut into.list[before..] {
                        if notes_movers {
                            let mut movers = movers;
                            movers.insert(next.mover);
                            into.movers.push(movers);
                        }
                        next.mover = successor.mover;
                        next.add_change(successor.known_change());
                        next.slot = if next.slot == NOWHERE { NOWHERE } else { successor.slot };
                    }
                }
            }
            at += 1;
        }
    }
}
