//! A transition system for explicit search: a graph of byte vectors that workers explore together (the narrow waist of
//! LTSmin, "PINS": Blom, van de Pol and Weber, 2010).
//!
//! A [`System`] is shared by all workers; each has a [`Stepper`] with scratch of its own. One virtual call expands a
//! state, none is made for a successor: those come in one buffer ([`Successors`]). Atomic regions are walked through
//! inside ([`crate::macro_step`]), so that searches see only states in which every process may move. Reductions and the
//! product with a claim stand on top and ask for as much of a state as they need ([`Which`]).
//!
//! What a search need not know is not here: names and types of slots belong to the floor that the system was made of,
//! and so does what an execution means there, of which only the moves come back ([`Floor::moves_along`]).

use unpick_automaton::LivenessProperty;
use unpick_automaton::dead_variables::DeadVariables;
use unpick_automaton::footprints::Footprints;
use unpick_automaton::interp::{ClaimStep, Fault, Look};
use unpick_automaton::run::{Impossible, Moves};

use crate::reached::Reached;
use crate::successors::{Arrival, Asleep, Successors};

/// A graph of byte vectors; see the module. Vectors may differ in length.
///
/// Systems stand on each other: atomic regions are walked through by [`crate::macro_step`], rules are added by
/// [`crate::Ruled`], reductions leave steps out, and [`crate::Product`] puts a claim beside all of it. A wrapper says what
/// a first state and steps are; what is known without taking steps is the floor's, whoever stands between.
pub trait System: Sync {
    /// What is known of the model that is at the bottom.
    fn floor(&self) -> &dyn Floor;

    /// The first state, unless it goes wrong.
    fn initial(&self) -> Result<Vec<u8>, Fault>;

    /// Scratch, caches and marks for one worker.
    fn stepper(&self, walking: Walking) -> Box<dyn Stepper + '_>;
}

/// What is known of a model without taking steps, and its reference semantics.
pub trait Floor: Sync {
    /// Where the part of a vector begins that tells states apart.
    fn key_start(&self) -> usize;

    /// What steps touch, if that is known before they are taken and neither a process nor the claim `watch` can observe
    /// more.
    fn footprints(&self, watch: Option<LivenessProperty>) -> Option<Footprints<'_>>;

    /// Which variables are dead where, if any ever are.
    fn dead(&self) -> Option<DeadVariables>;

    /// The labels that some state may have.
    fn labels(&self) -> Labels;

    /// Memory that grows while the system is explored.
    fn bytes(&self) -> u64;

    /// What a claim sees, for one worker.
    fn monitor(&self) -> Box<dyn Monitor + '_>;

    /// Cold: the moves of the reference semantics along states, to a fault behind the last one if `to_fault` and there is
    /// one. With `forgets`, dead variables are zero in the states.
    fn moves_along(&self, path: &[Vec<u8>], forgets: bool, to_fault: bool) -> Result<Vec<Moves>, Impossible>;

    /// Cold: the moves of the reference semantics from state to state and back to the state `loop_from`, and how many come
    /// before that one.
    fn moves_round(
        &self,
        path: &[Vec<u8>],
        loop_from: Option<usize>,
    ) -> Result<(Vec<Moves>, Option<usize>), Impossible>;
}

/// One worker's view of a system.
pub trait Stepper: Send {
    /// Adds macro steps from a state, youngest process first. Entries that [are left](crate::Successor::is_left) do not
    /// count.
    fn expand(&mut self, state: &[u8], which: Which<'_>, into: &mut Successors) -> Expansion;

    /// Where processes stood in states that were expanded.
    fn reached(&self) -> &Reached;
}

/// One worker's view of what a claim beside the model can see, and of the claim's own steps. It is asked whatever is left
/// out of the model's steps, so wrappers need not hand it on.
pub trait Monitor: Send {
    /// Which of the labels a state has.
    fn labels(&mut self, state: &[u8], wanted: Labels) -> Labels;

    /// Adds the locations to which a claim (by its position in the model) can go from a location in this state; false if
    /// something went wrong. For transitions that look at nothing but values.
    fn claim_steps(&mut self, state: &[u8], claim: usize, at: u16, into: &mut Vec<u16>) -> bool;

    /// The same by the book, for transitions that ask for more than values.
    fn claim_moves(
        &mut self,
        state: &[u8],
        claim: usize,
        at: u16,
        look: Look,
        into: &mut Vec<ClaimStep>,
    ) -> Result<(), Fault>;
}

/// Which steps are asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Which<'a> {
    /// Those of all processes; `timeout` is tried when nothing else is possible.
    All,
    /// Of a state that was found by this step, as many as are enough; systems that are not reduced take all.
    Few(Arrival),
    /// Those of all processes that are not asleep; if these can do nothing, those of all.
    Awake(Asleep<'a>),
    /// Those of the process with this number.
    Agent(u8),
    /// Those of all processes while `timeout` is true.
    Timeout,
}

/// What came of expanding a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Expansion {
    /// All that was asked for was added, which for [`Which::Agent`] may be nothing.
    Full,
    /// All successors were added; without `timeout` there are none.
    Timeout,
    /// Successors of one process were added. They are enough if the search finds one of them (for safety) or all of them
    /// (for cycles) later in its order; if not, the state has to be expanded in full.
    Reduced,
    /// Nothing is possible.
    End {
        /// All processes may stay where they are.
        is_valid: bool,
    },
}

/// A set of labels of states.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Labels(u8);

impl Labels {
    /// Some process is at a location that is accepted.
    pub const ACCEPTING: Labels = Labels(1);
    /// Some process is at a location that is progress.
    pub const PROGRESS: Labels = Labels(2);

    /// Those in either set.
    #[must_use]
    pub fn and(self, other: Labels) -> Labels {
        Labels(self.0 | other.0)
    }

    /// Whether all of another set are in it.
    #[inline]
    pub fn contains(self, other: Labels) -> bool {
        self.0 & other.0 == other.0
    }

    /// The set, or none if a condition does not hold.
    #[must_use]
    pub fn when(self, condition: bool) -> Labels {
        if condition { self } else { Labels::default() }
    }
}

/// How a worker walks through atomic regions.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Walking {
    /// A step that goes wrong ends nothing, as long as a state follows: for searches with another goal.
    pub passes_faults: bool,
    /// Every state inside is passed once, and successors come in the order in which the walk comes to them. Else the
    /// first states are passed as often as there are ways to them, which is cheaper where there are few.
    pub is_orderly: bool,
    /// It is noted who moves ([`Successors::movers`]) and who could ([`Successors::enabled`]).
    pub notes_movers: bool,
}
