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
//! It is a system like the one below it ([`System`]), so that reductions of that one serve here as well. What a claim does is
//! asked of the compiled model where that is simple, else of the reference interpreter.

mod beside;
mod confirm;
mod processes;

use unpick_automaton::interp::{ClaimStep, Fault, Look};
use unpick_automaton::{Claim, Expr, LivenessProperty, LocationId, Step};

use crate::reached::Reached;
use crate::successors::{NOBODY, NOWHERE, Successor, Successors};
use crate::system::{Expansion, Floor, Labels, Monitor, Stepper, System, Walking, Which};
pub use beside::Beside;
pub use confirm::Unconfirmed;
pub use processes::Processes;

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

/// One worker's view of the product: a step of the claim, and one of the system below.
pub struct ProductStepper<'a> {
    product: &'a Product<'a>,
    stepper: Box<dyn Stepper + 'a>,
    monitor: Box<dyn Monitor + 'a>,
    steps: Successors,
    moves: Vec<ClaimStep>,
    targets: Vec<u16>,
    wrong: Option<ProductFault>,
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
            possible: system.floor().labels(),
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

    /// The same product over another view of the system.
    pub fn over<'b>(&self, system: &'b dyn System) -> Product<'b>
    where
        'a: 'b,
    {
        Product { system, simple: self.simple.clone(), ..*self }
    }

    /// Whether the state has to be visited infinitely often for a violation.
    pub fn is_accepting(&self, monitor: &mut dyn Monitor, state: &[u8]) -> bool {
        let (model, location) = self.split(state);
        match self.watch {
            LivenessProperty::Claim(claim) => {
                self.claims[claim].automaton.locations[LocationId(location.into())].is_accept
                    || self.has_label(monitor, model, Labels::ACCEPTING)
            }
            LivenessProperty::Accepted => self.has_label(monitor, model, Labels::ACCEPTING),
            LivenessProperty::NonProgress => true,
        }
    }

    /// Whether the state must not be visited infinitely often for a violation.
    pub fn is_progress(&self, monitor: &mut dyn Monitor, state: &[u8]) -> bool {
        self.watch == LivenessProperty::NonProgress && self.has_label(monitor, self.split(state).0, Labels::PROGRESS)
    }

    fn has_label(&self, monitor: &mut dyn Monitor, state: &[u8], label: Labels) -> bool {
        self.possible.contains(label) && monitor.labels(state, label).contains(label)
    }

    /// One worker's view, in which every successor comes once and, if only fair executions count, with its movers.
    pub fn steps(&self) -> ProductStepper<'_> {
        self.walk(Walking { passes_faults: true, is_orderly: true, notes_movers: self.is_fair })
    }

    fn walk(&self, walking: Walking) -> ProductStepper<'_> {
        ProductStepper {
            product: self,
            stepper: self.system.stepper(walking),
            monitor: self.floor().monitor(),
            steps: Successors::default(),
            moves: Vec::new(),
            targets: Vec::new(),
            wrong: None,
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

    /// What tells states apart: all but the hidden variables.
    pub fn key<'s>(&self, state: &'s [u8]) -> &'s [u8] {
        &state[self.system.floor().key_start()..]
    }

    /// The state of the model and the location of the claim.
    pub fn split<'s>(&self, state: &'s [u8]) -> (&'s [u8], u16) {
        let (model, location) = state.split_at(state.len() - 2);
        (model, u16::from_le_bytes([location[0], location[1]]) & !AGAIN)
    }
}

impl System for Product<'_> {
    fn floor(&self) -> &dyn Floor {
        self.system.floor()
    }

    fn initial(&self) -> Result<Vec<u8>, Fault> {
        let mut state = self.system.initial()?;
        let location = match self.claim() {
            Some(claim) => claim.automaton.start.expect("a claim should have a first location").0 as u16,
            None => 0,
        };
        state.extend_from_slice(&location.to_le_bytes());
        Ok(state)
    }

    /// Where the claim depends on more than values, successors come as by [`Product::steps`] all the same.
    fn stepper(&self, walking: Walking) -> Box<dyn Stepper + '_> {
        Box::new(if self.is_plain { self.walk(Walking { passes_faults: true, ..walking }) } else { self.steps() })
    }
}

impl ProductStepper<'_> {
    /// What was wrong with the state that was expanded last; then a successor without a state stands for it.
    pub fn take_wrong(&mut self) -> Option<ProductFault> {
        self.wrong.take()
    }

    /// As [`Product::is_accepting`].
    pub fn is_accepting(&mut self, state: &[u8]) -> bool {
        self.product.is_accepting(&mut *self.monitor, state)
    }

    /// As [`Product::is_progress`].
    pub fn is_progress(&mut self, state: &[u8]) -> bool {
        self.product.is_progress(&mut *self.monitor, state)
    }

    /// Where claim and system go, as far as is asked; the steps are in `self.steps`, the claim's targets in
    /// `self.targets`. Nothing if the claim is blocked or something is wrong.
    fn step(&mut self, state: &[u8], which: Which<'_>) -> Option<Expansion> {
        let (model, location) = state.split_at(state.len() - 2);
        let location = u16::from_le_bytes([location[0], location[1]]);
        let (is_again, location) = (location & AGAIN != 0, location & !AGAIN);
        if self.product.is_plain {
            // Where the claim is blocked, no process is expanded.
            self.wrong = self.move_claim(model, location, Look::First);
            let goes_on = self.wrong.is_none() && !self.targets.is_empty();
            return goes_on.then(|| self.ask(model, which));
        }
        let expansion = self.ask(model, which);
        let look = match expansion {
            Expansion::End { .. } if is_again => Look::Stutter,
            Expansion::End { .. } | Expansion::Timeout => Look::Timeout,
            Expansion::Full | Expansion::Reduced => Look::First,
        };
        self.wrong = self.move_claim(model, location, look);
        if self.targets.is_empty() && self.product.has_timeout && look == Look::First && self.wrong.is_none() {
            // A claim that waits for `timeout` gets it, and the processes with it.
            self.wrong = self.move_claim(model, location, Look::Timeout);
            self.ask(model, Which::Timeout);
        }
        (self.wrong.is_none() && !self.targets.is_empty()).then_some(expansion)
    }

    fn ask(&mut self, state: &[u8], which: Which<'_>) -> Expansion {
        self.steps.clear();
        self.stepper.expand(state, which, &mut self.steps)
    }

    /// Finds where the claim goes, and what is wrong.
    fn move_claim(&mut self, state: &[u8], location: u16, look: Look) -> Option<ProductFault> {
        self.targets.clear();
        let LivenessProperty::Claim(claim) = self.product.watch else {
            self.targets.push(0);
            return None;
        };
        let locations = &self.product.claims[claim].automaton.locations;
        // A claim that is at its end where it begins has made no step into it.
        if locations[LocationId(location.into())].is_end {
            return Some(ProductFault::ClaimEnd(location));
        }
        let mut wrong = None;
        let is_asked = self.product.simple[usize::from(location)]
            && self.monitor.claim_steps(state, claim, location, &mut self.targets);
        if !is_asked {
            self.targets.clear();
            self.moves.clear();
            if let Err(fault) = self.monitor.claim_moves(state, claim, location, look, &mut self.moves) {
                return Some(ProductFault::ClaimFault(fault));
            }
            for step in self.moves.drain(..) {
                wrong = step.fault.map(ProductFault::ClaimFault).or(wrong);
                self.targets.push(step.target);
            }
        }
        self.targets.sort_unstable();
        self.targets.dedup();
        let end = self.targets.iter().find(|target| locations[LocationId((**target).into())].is_end);
        wrong.or(end.map(|end| ProductFault::ClaimEnd(*end)))
    }

    /// Nothing moves but the claim: what has ended stays as it is.
    fn stutter(&self, state: &[u8], into: &mut Successors) {
        if self.product.watch == LivenessProperty::NonProgress {
            return;
        }
        let again = if self.product.has_non_progress { AGAIN } else { 0 };
        for target in &self.targets {
            into.push_joined(state, *target | again, Successor::UNKNOWN);
            if self.product.is_fair {
                into.movers.push(Processes::ALL);
            }
        }
    }

    /// Joins what the processes do with what the claim does. Who could move, but does not for ever, is treated unfairly; as
    /// in SPIN, a rendezvous is the sender's move alone.
    fn join(&mut self, into: &mut Successors) {
        let steps = &self.steps;
        for (at, successor) in steps.list.iter().enumerate().filter(|(_, successor)| !successor.is_left()) {
            if successor.len == 0 {
                self.wrong = Some(ProductFault::StepFault);
                return;
            }
            for target in &self.targets {
                into.push_joined(steps.state(*successor), *target, *successor);
            }
            if let Some(movers) = steps.movers.get(at) {
                into.movers.resize(into.list.len(), *movers);
            }
        }
        into.enabled = steps.enabled;
    }
}

impl Stepper for ProductStepper<'_> {
    fn expand(&mut self, state: &[u8], which: Which<'_>, into: &mut Successors) -> Expansion {
        into.enabled = Processes::default();
        let mut expansion = Expansion::Full;
        match self.step(state, which) {
            Some(Expansion::End { .. }) => self.stutter(&state[..state.len() - 2], into),
            Some(found) => {
                expansion = found;
                self.join(into);
            }
            None => {}
        }
        if self.wrong.is_some() {
            into.push(&[], NOBODY, NOBODY, true, NOWHERE);
        }
        expansion
    }

    fn reached(&self) -> &Reached {
        self.stepper.reached()
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
