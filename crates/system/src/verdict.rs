//! Answers, each with what makes it credible.

use unpick_ir::interp::{Decision, Violation};

use crate::{Claim, ProductFault, Why};

/// The answer to a goal.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// No execution of the model violates the goal.
    Holds(Proof),
    /// An execution does.
    Fails(Evidence),
    /// Neither is known.
    Unknown(Why),
}

/// Why a goal holds. Engines of other kinds will add unsatisfiable queries and inductive invariants.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Proof {
    /// Every execution was followed to its end or to a state already explored, with an exact store.
    Exhausted {
        /// Distinct states stored.
        n_states: u64,
    },
}

/// An execution that violates a goal, as the decisions that produce it. Replaying them on the reference
/// interpreter shows the violation again; until that has been done nobody should believe it.
#[derive(Clone, Debug)]
pub struct Evidence {
    /// One for each decision the execution needs, in order.
    pub decisions: Vec<Decision>,
    /// Threads may switch before every instruction, not only where others can notice.
    pub every_step: bool,
    /// The claim that the execution violates, if it is about more than one step.
    pub claim: Option<Claim>,
    /// The decision with which the endless part begins; it goes to the last one.
    pub loop_from: Option<usize>,
    /// What goes wrong in the end.
    pub violation: Violation,
}

/// An execution of a model over flat states, as the states at which everybody may move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PathEvidence {
    /// The states, from the first one on; what is wrong happens in the last one or in a step from it.
    pub path: Vec<Vec<u8>>,
    /// In the states, values that nobody looks at again are zero, as [`unpick_ir::automaton::dead`] says.
    pub forgets: bool,
    /// What is wrong.
    pub wrong: Wrong,
}

/// What a search over flat states can find.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wrong {
    /// A step goes wrong.
    Fault,
    /// Nothing is possible, and it should be.
    InvalidEnd,
}

/// An execution of a model beside a claim that violates it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LassoEvidence {
    /// States of the product from the first one on.
    pub path: Vec<Vec<u8>>,
    /// Where the endless part begins: after the last state comes this one again. Nowhere if something is wrong in the
    /// last state already.
    pub loop_from: Option<usize>,
    /// What is wrong there.
    pub fault: Option<ProductFault>,
}
