//! Product of a model with what watches it (a claim, acceptance, progress): the graph in which searches for endless
//! executions look for accepting cycles (Vardi and Wolper 1986).
//!
//! A state of the product is a state of the model in which all processes may move, and two bytes for the location of a
//! claim. The rules are those of SPIN's verifier:
//!
//! * the claim moves first, and has to; then a process takes a step, to the end of its `atomic`;
//! * where no process can move, not even with `timeout`, the claim goes on alone: what has ended stays as it is;
//! * a claim that comes to an end, be it where it begins, or whose assertion fails, is violated there and then;
//! * a state is accepted if the claim or some process is at a location that is.
//!
//! What a claim does is asked of the compiled model where that is simple, else of the reference interpreter.

mod beside;
mod confirm;
mod processes;

use unpick_automaton::interp::{ClaimStep, Fault, Look};
use unpick_automaton::{Claim, Expr, LivenessProperty, LocationId, Step};

use crate::successors::Successors;
use crate::system::{Expansion, Labels, Stepper, System, Walking, Which};
pub use beside::Beside;
pub use confirm::Unconfirmed;
pub use processes::Processes;

/// A state that can come next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Next {
    /// Where its bytes start.
    pub start: u32,
    /// How many there are.
    pub len: u32,
    /// Which entry of [`ProductExpansion::movers`] belongs to it.
    pub way: u32,
}

/// What is wrong before an endless execution is looked for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ProductFault {
    /// The claim has come to its end.
    ClaimEnd(u16),
    /// An assertion of the claim fails.
    ClaimFault(Fault),
    /// A step of a process goes wrong.
    StepFault,
}

/// What can follow a state; reused from call to call.
#[derive(Default, Debug)]
pub struct ProductExpansion {
    /// Their bytes, one after the other.
    pub bytes: Vec<u8>,
    /// The states that can come next.
    pub list: Vec<Next>,
    /// The movers on the way, for each step of the model.
    pub movers: Vec<Processes>,
    /// The enabled processes.
    pub enabled: Processes,
    /// What is wrong.
    pub wrong: Option<ProductFault>,
    /// Nothing could move: the list holds what the claim does alone.
    pub is_end: bool,
}

impl ProductExpansion {
    /// The bytes of a state.
    pub fn state(&self, next: Next) -> &[u8] {
        &self.bytes[next.start as usize..][..next.len as usize]
    }

    fn clear(&mut self) {
        self.bytes.clear();
        self.list.clear();
        self.movers.clear();
        self.enabled = Processes::default();
        self.wrong = None;
        self.is_end = false;
    }

    fn push(&mut self, state: &[u8], location: u16, way: u32) {
        let start = self.bytes.len() as u32;
        self.bytes.extend_from_slice(state);
        self.bytes.extend_from_slice(&location.to_le_bytes());
        self.list.push(Next { start, len: self.bytes.len() as u32 - start, way });
    }
}

/// What a worker needs while it walks.
pub struct ProductScratch<'a> {
    stepper: Box<dyn Stepper + 'a>,
    steps: Successors,
    moves: Vec<ClaimStep>,
    targets: Vec<u16>,
}

/// A system and its watch.
pub struct Product<'a> {
    system: &'a dyn System,
    claims: &'a [Claim],
    watch: LivenessProperty,
    /// The labels that some state may have.
    possible: Labels,
    /// Which locations of the claim are simple: conditions only, whatever the circumstances.
    simple: Vec<bool>,
    /// Where the claim goes depends on nothing but values.
    is_plain: bool,
    /// The claim speaks of `timeout`.
    has_timeout: bool,
    /// The claim speaks of `np_`, which a second look at an end changes.
    has_non_progress: bool,
    is_fair: bool,
}

/// Set in the location of a claim that looks at an end again, if that makes a difference.
const AGAIN: u16 = 1 << 15;

impl<'a> Product<'a> {
    /// The product with one of these claims or another watch. If only weakly fair executions count, it is also found who
    /// could move and who did.
    pub fn new(system: &'a dyn System, claims: &'a [Claim], watch: LivenessProperty, is_fair: bool) -> Self {
        let mut product = Self {
            system,
            claims,
            watch,
            possible: system.labels(),
            simple: Vec::new(),
            is_plain: false,
            has_timeout: false,
            has_non_progress: false,
            is_fair,
        };
        if let Some(claim) = product.claim() {
            for location in claim.automaton.locations.iter() {
                let is_simple = |step: &Step| match step {
                    Step::Skip | Step::Else | Step::End => true,
                    Step::Condition(expr) => !speaks_of_circumstances(expr),
                    _ => false,
                };
                let mut all = location.transitions.iter();
                product.simple.push(all.all(|transition| {
                    !transition.is_atomic && transition.escape.is_none() && is_simple(&transition.step)
                }));
                for transition in &location.transitions {
                    if let Step::Condition(expr) | Step::Assert(expr) = &transition.step {
                        product.has_timeout |= mentions(expr, &|expr| *expr == Expr::Timeout);
                        product.has_non_progress |= mentions(expr, &|expr| *expr == Expr::NonProgress);
                    }
                }
            }
        }
        product.is_plain =
            !product.has_timeout && !product.has_non_progress && product.simple.iter().all(|is_simple| *is_simple);
        product
    }

    /// Room for one more worker.
    pub fn scratch(&self) -> ProductScratch<'a> {
        let walking = Walking { passes_faults: true, is_orderly: true, notes_movers: self.is_fair };
        ProductScratch {
            stepper: self.system.stepper(walking),
            steps: Successors::default(),
            moves: Vec::new(),
            targets: Vec::new(),
        }
    }

    /// The system that is watched.
    pub fn system(&self) -> &'a dyn System {
        self.system
    }

    /// The claim, if that is what watches.
    pub fn claim(&self) -> Option<&'a Claim> {
        match self.watch {
            LivenessProperty::Claim(claim) => Some(&self.claims[claim]),
            LivenessProperty::Accepted | LivenessProperty::NonProgress => None,
        }
    }

    /// Whether where the claim goes depends on nothing but the values in a state.
    pub fn is_plain(&self) -> bool {
        self.is_plain
    }

    /// What watches it.
    pub fn watch(&self) -> LivenessProperty {
        self.watch
    }

    /// Whether only weakly fair executions count.
    pub fn is_fair(&self) -> bool {
        self.is_fair
    }

    /// The first state.
    pub fn initial(&self) -> Result<Vec<u8>, Fault> {
        let mut state = self.system.initial()?;
        let location = match self.claim() {
            Some(claim) => claim.automaton.start.expect("a claim should have a first location").0 as u16,
            None => 0,
        };
        state.extend_from_slice(&location.to_le_bytes());
        Ok(state)
    }

    /// What tells states apart: all but the hidden variables.
    pub fn key<'s>(&self, state: &'s [u8]) -> &'s [u8] {
        &state[self.system.key_start()..]
    }

    /// The state of the model and the location of the claim.
    pub fn split<'s>(&self, state: &'s [u8]) -> (&'s [u8], u16) {
        let (model, location) = state.split_at(state.len() - 2);
        (model, u16::from_le_bytes([location[0], location[1]]) & !AGAIN)
    }

    /// Whether the state has to be visited infinitely often for a violation.
    pub fn is_accepting(&self, scratch: &mut ProductScratch<'_>, state: &[u8]) -> bool {
        let (model, location) = self.split(state);
        let is_accepted = |location: u16| {
            self.claim().is_some_and(|claim| claim.automaton.locations[LocationId(location.into())].is_accept)
        };
        match self.watch {
            LivenessProperty::Claim(_) => is_accepted(location) || self.has_label(scratch, model, Labels::ACCEPTING),
            LivenessProperty::Accepted => self.has_label(scratch, model, Labels::ACCEPTING),
            LivenessProperty::NonProgress => true,
        }
    }

    /// Whether the state must not be visited infinitely often for a violation.
    pub fn is_progress(&self, scratch: &mut ProductScratch<'_>, state: &[u8]) -> bool {
        self.watch == LivenessProperty::NonProgress && self.has_label(scratch, self.split(state).0, Labels::PROGRESS)
    }

    fn has_label(&self, scratch: &mut ProductScratch<'_>, state: &[u8], label: Labels) -> bool {
        self.possible.contains(label) && scratch.stepper.labels(state, label).contains(label)
    }

    /// Finds what can follow a state.
    pub fn expand(&self, scratch: &mut ProductScratch<'_>, state: &[u8], into: &mut ProductExpansion) {
        into.clear();
        let (model_state, location) = state.split_at(state.len() - 2);
        let location = u16::from_le_bytes([location[0], location[1]]);
        let (is_again, location) = (location & AGAIN != 0, location & !AGAIN);
        if self.is_plain {
            // Where the claim is blocked, no process is expanded.
            into.wrong = self.move_claim(scratch, model_state, location, Look::First);
            if into.wrong.is_some() || scratch.targets.is_empty() {
                return;
            }
        }
        let expansion = self.ask(scratch, model_state, Which::All);
        if !self.is_plain {
            let look = match expansion {
                Expansion::End { .. } if is_again => Look::Stutter,
                Expansion::End { .. } | Expansion::Timeout => Look::Timeout,
                Expansion::Full | Expansion::Reduced => Look::First,
            };
            into.wrong = self.move_claim(scratch, model_state, location, look);
            if scratch.targets.is_empty() && self.has_timeout && look == Look::First && into.wrong.is_none() {
                // A claim that waits for `timeout` gets it, and the processes with it.
                into.wrong = self.move_claim(scratch, model_state, location, Look::Timeout);
                self.ask(scratch, model_state, Which::Timeout);
            }
            if into.wrong.is_some() || scratch.targets.is_empty() {
                return;
            }
        }
        match expansion {
            Expansion::End { .. } => self.stutter(scratch, model_state, into),
            Expansion::Full | Expansion::Timeout | Expansion::Reduced => self.join(scratch, into),
        }
    }

    fn ask(&self, scratch: &mut ProductScratch<'_>, state: &[u8], which: Which<'_>) -> Expansion {
        scratch.steps.clear();
        scratch.stepper.expand(state, which, &mut scratch.steps)
    }

    /// Where the claim goes from a state of the model, or what is wrong with it; for [plain](Self::is_plain) ones.
    pub fn claim_targets<'r>(
        &self,
        scratch: &'r mut ProductScratch<'_>,
        state: &[u8],
        location: u16,
    ) -> Result<&'r [u16], ProductFault> {
        match self.move_claim(scratch, state, location, Look::First) {
            Some(wrong) => Err(wrong),
            None => Ok(&scratch.targets),
        }
    }

    /// Finds where the claim goes, and what is wrong.
    fn move_claim(
        &self,
        scratch: &mut ProductScratch<'_>,
        state: &[u8],
        location: u16,
        look: Look,
    ) -> Option<ProductFault> {
        scratch.targets.clear();
        let LivenessProperty::Claim(claim) = self.watch else {
            scratch.targets.push(0);
            return None;
        };
        let locations = &self.claims[claim].automaton.locations;
        // A claim that is at its end where it begins has made no step into it.
        if locations[LocationId(location.into())].is_end {
            return Some(ProductFault::ClaimEnd(location));
        }
        let mut wrong = None;
        let is_asked = self.simple[usize::from(location)]
            && scratch.stepper.claim_steps(state, claim, location, &mut scratch.targets);
        if !is_asked {
            scratch.targets.clear();
            scratch.moves.clear();
            if let Err(fault) = scratch.stepper.claim_moves(state, claim, location, look, &mut scratch.moves) {
                return Some(ProductFault::ClaimFault(fault));
            }
            for step in scratch.moves.drain(..) {
                wrong = step.fault.map(ProductFault::ClaimFault).or(wrong);
                scratch.targets.push(step.target);
            }
        }
        scratch.targets.sort_unstable();
        scratch.targets.dedup();
        let end = scratch.targets.iter().find(|target| locations[LocationId((**target).into())].is_end);
        wrong.or(end.map(|end| ProductFault::ClaimEnd(*end)))
    }

    /// Nothing moves but the claim.
    fn stutter(&self, scratch: &ProductScratch<'_>, state: &[u8], into: &mut ProductExpansion) {
        into.is_end = true;
        if self.watch == LivenessProperty::NonProgress {
            return;
        }
        into.movers.push(Processes::ALL);
        let again = if self.has_non_progress { AGAIN } else { 0 };
        for target in &scratch.targets {
            into.push(state, *target | again, 0);
        }
    }

    /// Joins what the processes do with what the claim does. Who could move, but does not for ever, is treated unfairly; as
    /// in SPIN, a rendezvous is the sender's move alone.
    fn join(&self, scratch: &ProductScratch<'_>, into: &mut ProductExpansion) {
        let ProductScratch { steps, targets, .. } = scratch;
        if self.is_fair {
            into.enabled = steps.enabled;
        }
        for (at, successor) in steps.list.iter().enumerate().filter(|(_, successor)| !successor.is_left()) {
            if successor.len == 0 {
                into.wrong = Some(ProductFault::StepFault);
                return;
            }
            let mut way = 0;
            if self.is_fair {
                way = into.movers.len() as u32;
                into.movers.push(steps.movers[at]);
            }
            for target in targets {
                into.push(steps.state(*successor), *target, way);
            }
        }
    }
}

fn speaks_of_circumstances(expr: &Expr) -> bool {
    mentions(expr, &|expr| {
        matches!(expr, Expr::Timeout | Expr::NonProgress | Expr::Enabled(_) | Expr::Pid | Expr::Priority)
    })
}

fn mentions(expr: &Expr, wanted: &dyn Fn(&Expr) -> bool) -> bool {
    let mut is_found = false;
    expr.visit(&mut |expr| is_found |= wanted(expr));
    is_found
}
