//! A model beside what watches it: the graph that searches for endless executions walk.
//!
//! A state of the product is a state of the model in which everybody may move, and two bytes for the location of a
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
mod inner;
mod layout;
mod processes;

use unpick_ir::automaton::interp::{ClaimStep, Fault, Look, Machine};
use unpick_ir::automaton::{Expr, LocationId, Model, Step as ModelStep};

use crate::step::{NOBODY, Step, Successors, Who};
pub use beside::Beside;
pub use confirm::Doubt;
use inner::InnerStates;
use layout::Layout;
pub use processes::Processes;

/// What watches the model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Watch {
    /// The claim with this position in the model.
    Claim(usize),
    /// Locations of processes that are accepted should not be seen again and again.
    Accepted,
    /// Progress should be seen again and again.
    NonProgress,
}

/// A state that can come next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Next {
    /// Where its bytes start.
    pub start: u32,
    /// How many there are.
    pub len: u32,
    /// Which entry of [`Expansion::movers`] belongs to it.
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
pub struct Expansion {
    /// Their bytes, one after the other.
    pub bytes: Vec<u8>,
    /// The states that can come next.
    pub list: Vec<Next>,
    /// Who moved on the way, for each step of the model.
    pub movers: Vec<Processes>,
    /// Who could move.
    pub enabled: Processes,
    /// What is wrong.
    pub wrong: Option<ProductFault>,
    /// Nothing could move: the list holds what the claim does alone.
    pub is_end: bool,
}

impl Expansion {
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
pub struct ProductRoom<R> {
    room: R,
    steps: Successors,
    inner: InnerStates,
    moves: Vec<ClaimStep>,
    targets: Vec<u16>,
}

/// A model and its watch.
pub struct Product<'a, S: Step> {
    step: &'a S,
    watch: Watch,
    layout: Layout,
    /// Which locations of the claim are simple: conditions only, whatever the circumstances.
    simple: Vec<bool>,
    /// The claim speaks of `timeout`.
    has_timeout: bool,
    /// The claim speaks of `np_`, which a second look at an end changes.
    has_non_progress: bool,
    is_fair: bool,
}

/// Set in the location of a claim that looks at an end again, if that makes a difference.
const AGAIN: u16 = 1 << 15;

impl<'a, S: Step> Product<'a, S> {
    /// The product. If only weakly fair executions count, it is also found who could move and who did.
    pub fn new(step: &'a S, watch: Watch, is_fair: bool) -> Self {
        let model = step.model();
        let mut product = Self {
            step,
            watch,
            layout: Layout::new(model),
            simple: Vec::new(),
            has_timeout: false,
            has_non_progress: false,
            is_fair,
        };
        if let Watch::Claim(claim) = watch {
            for location in model.claims[claim].automaton.locations.iter() {
                let is_simple = |step: &ModelStep| match step {
                    ModelStep::Skip | ModelStep::Else | ModelStep::End => true,
                    ModelStep::Condition(expr) => !speaks_of_circumstances(expr),
                    _ => false,
                };
                let mut all = location.transitions.iter();
                product.simple.push(all.all(|transition| {
                    !transition.is_atomic && transition.escape.is_none() && is_simple(&transition.step)
                }));
                for transition in &location.transitions {
                    if let ModelStep::Condition(expr) | ModelStep::Assert(expr) = &transition.step {
                        product.has_timeout |= mentions(expr, &|expr| *expr == Expr::Timeout);
                        product.has_non_progress |= mentions(expr, &|expr| *expr == Expr::NonProgress);
                    }
                }
            }
        }
        product
    }

    /// Room for one more worker.
    pub fn room(&self) -> ProductRoom<S::Room> {
        ProductRoom {
            room: self.step.room(),
            steps: Successors::default(),
            inner: InnerStates::default(),
            moves: Vec::new(),
            targets: Vec::new(),
        }
    }

    /// The model.
    pub fn model(&self) -> &'a Model {
        self.step.model()
    }

    /// The model as it steps.
    pub fn step(&self) -> &'a S {
        self.step
    }

    /// Whether where the claim goes depends on nothing but the values in a state.
    pub fn is_plain(&self) -> bool {
        !self.has_timeout && !self.has_non_progress && self.simple.iter().all(|is_simple| *is_simple)
    }

    /// What watches it.
    pub fn watch(&self) -> Watch {
        self.watch
    }

    /// Whether only weakly fair executions count.
    pub fn is_fair(&self) -> bool {
        self.is_fair
    }

    /// The first state.
    pub fn initial(&self) -> Result<Vec<u8>, Fault> {
        let mut state = Machine::new(self.model()).initial()?;
        let location = match self.watch {
            Watch::Claim(claim) => {
                let start = self.model().claims[claim].automaton.start;
                start.expect("a claim should have a first location").0 as u16
            }
            Watch::Accepted | Watch::NonProgress => 0,
        };
        state.extend_from_slice(&location.to_le_bytes());
        Ok(state)
    }

    /// What tells states apart: all but the hidden variables.
    pub fn key<'s>(&self, state: &'s [u8]) -> &'s [u8] {
        &state[self.model().hidden_size as usize..]
    }

    /// The state of the model and the location of the claim.
    pub fn split<'s>(&self, state: &'s [u8]) -> (&'s [u8], u16) {
        let (model, location) = state.split_at(state.len() - 2);
        (model, u16::from_le_bytes([location[0], location[1]]) & !AGAIN)
    }

    /// Whether the state has to be seen again and again for a violation.
    pub fn is_accepting(&self, state: &[u8]) -> bool {
        let (model, location) = self.split(state);
        match self.watch {
            Watch::Claim(claim) => {
                let locations = &self.model().claims[claim].automaton.locations;
                locations[LocationId(location.into())].is_accept || self.layout.is_accepting(model)
            }
            Watch::Accepted => self.layout.is_accepting(model),
            Watch::NonProgress => true,
        }
    }

    /// Whether the state must not be seen again and again for a violation.
    pub fn is_progress(&self, state: &[u8]) -> bool {
        self.watch == Watch::NonProgress && self.layout.is_progress(self.split(state).0)
    }

    /// Finds what can follow a state.
    pub fn expand(&self, room: &mut ProductRoom<S::Room>, state: &[u8], into: &mut Expansion) {
        into.clear();
        let (model_state, location) = state.split_at(state.len() - 2);
        let location = u16::from_le_bytes([location[0], location[1]]);
        let (is_again, location) = (location & AGAIN != 0, location & !AGAIN);
        let mut who = Who::All;
        self.ask(room, model_state, who);
        if room.steps.list.is_empty() {
            who = Who::Timeout;
            self.ask(room, model_state, who);
        }
        let is_end = room.steps.list.is_empty();
        let look = match who {
            Who::Timeout if is_end && is_again => Look::Stutter,
            Who::Timeout => Look::Timeout,
            Who::All | Who::Awake(_) | Who::Only(_) => Look::First,
        };
        into.wrong = self.move_claim(room, model_state, location, look);
        if room.targets.is_empty() && self.has_timeout && look == Look::First && into.wrong.is_none() {
            // A claim that waits for `timeout` gets it, and the processes with it.
            into.wrong = self.move_claim(room, model_state, location, Look::Timeout);
            self.ask(room, model_state, Who::Timeout);
        }
        if into.wrong.is_some() || room.targets.is_empty() {
            return;
        }
        if is_end {
            return self.stutter(room, model_state, into);
        }
        if who == Who::All {
            self.find_enabled(room, into);
        }
        self.walk(room, into);
    }

    fn ask(&self, room: &mut ProductRoom<S::Room>, state: &[u8], who: Who<'_>) {
        room.steps.clear();
        self.step.steps(&mut room.room, state, who, &mut room.steps);
    }

    /// Where the claim goes from a state of the model, or what is wrong with it; for [plain](Self::is_plain) ones.
    pub fn claim_targets<'r>(
        &self,
        room: &'r mut ProductRoom<S::Room>,
        state: &[u8],
        location: u16,
    ) -> Result<&'r [u16], ProductFault> {
        match self.move_claim(room, state, location, Look::First) {
            Some(wrong) => Err(wrong),
            None => Ok(&room.targets),
        }
    }

    /// Finds where the claim goes, and what is wrong.
    fn move_claim(
        &self,
        room: &mut ProductRoom<S::Room>,
        state: &[u8],
        location: u16,
        look: Look,
    ) -> Option<ProductFault> {
        room.targets.clear();
        let Watch::Claim(claim) = self.watch else {
            room.targets.push(0);
            return None;
        };
        let locations = &self.model().claims[claim].automaton.locations;
        // A claim that is at its end where it begins has made no step into it.
        if locations[LocationId(location.into())].is_end {
            return Some(ProductFault::ClaimEnd(location));
        }
        let mut wrong = None;
        let is_asked = self.simple[usize::from(location)]
            && self.step.claim_steps(&mut room.room, state, claim, location, &mut room.targets);
        if !is_asked {
            room.targets.clear();
            room.moves.clear();
            let machine = Machine::new(self.model());
            if let Err(fault) = machine.claim_moves(state, claim, location, look, &mut room.moves) {
                return Some(ProductFault::ClaimFault(fault));
            }
            for step in room.moves.drain(..) {
                wrong = step.fault.map(ProductFault::ClaimFault).or(wrong);
                room.targets.push(step.target);
            }
        }
        room.targets.sort_unstable();
        room.targets.dedup();
        let end = room.targets.iter().find(|target| locations[LocationId((**target).into())].is_end);
        wrong.or(end.map(|end| ProductFault::ClaimEnd(*end)))
    }

    /// Nothing moves but the claim.
    fn stutter(&self, room: &ProductRoom<S::Room>, state: &[u8], into: &mut Expansion) {
        into.is_end = true;
        if self.watch == Watch::NonProgress {
            return;
        }
        into.movers.push(Processes::ALL);
        let again = if self.has_non_progress { AGAIN } else { 0 };
        for target in &room.targets {
            into.push(state, *target | again, 0);
        }
    }

    /// Finds who could move: whoever could, but does not for ever, is treated unfairly. As in SPIN, a rendezvous is the
    /// sender's move alone.
    fn find_enabled(&self, room: &ProductRoom<S::Room>, into: &mut Expansion) {
        if self.is_fair {
            into.enabled = room.steps.list.iter().map(|next| next.mover).collect();
        }
    }

    /// Walks through `atomic` sequences to states in which everybody may move.
    fn walk(&self, room: &mut ProductRoom<S::Room>, into: &mut Expansion) {
        let ProductRoom { room, steps, inner, targets, .. } = room;
        inner.clear();
        let mut at = 0;
        let mut movers = Processes::default();
        loop {
            for index in 0..steps.list.len() {
                let next = steps.list[index];
                let state = steps.state(next);
                if state.is_empty() {
                    into.wrong = Some(ProductFault::StepFault);
                    return;
                }
                let mut movers = movers;
                if self.is_fair {
                    movers.insert(next.mover);
                }
                if next.only == NOBODY {
                    self.arrive(state, targets, movers, into);
                } else {
                    inner.insert(state, next.only, movers);
                }
            }
            let Some((state, only, so_far)) = inner.get(at) else { return };
            at += 1;
            movers = so_far;
            steps.clear();
            self.step.steps(room, state, Who::Only(only), steps);
            if steps.list.is_empty() {
                self.arrive(state, targets, movers, into);
            }
        }
    }

    /// A step is done.
    fn arrive(&self, state: &[u8], targets: &[u16], movers: Processes, into: &mut Expansion) {
        let way = if self.is_fair {
            into.movers.push(movers);
            into.movers.len() as u32 - 1
        } else {
            0
        };
        for target in targets {
            into.push(state, *target, way);
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
