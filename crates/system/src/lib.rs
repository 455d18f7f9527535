//! What is asked of a program, what an engine promises, and what a verdict rests on.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod checked;
mod claim;
pub mod control;
pub mod engine;
mod flags;
pub mod ledger;
pub mod lock_order;
pub mod macro_step;
pub mod product;
pub mod property;
mod reached;
mod ruled;
pub mod step;
mod successors;
mod system;
pub mod verdict;
pub mod why;

pub use checked::Checked;
pub use claim::{Claim, ClaimKind, Point};
pub use control::{Budget, Checkpoint, Control, Fact, Halt, Snapshot, Unwatched};
pub use engine::{Coverage, Engine, Goal, GoalId, Goals, Progress, Reach, Stats};
pub use ledger::{Ledger, Proof, ProofKind};
pub use lock_order::{LockEdge, LockOrder, OrderedLock};
pub use product::{Beside, Processes, Product, ProductExpansion, ProductFault, ProductRoom};
pub use property::{PropertySet, UnknownProperty};
pub use reached::Reached;
pub use ruled::{Rule, Ruled};
pub use step::{Interpreted, MicroSteps, Who};
pub use successors::{Asleep, NOBODY, NOWHERE, Successor, Successors};
pub use system::{Expansion, Labels, Stepper, System, Walking, Which};
pub use unpick_ir::automaton::Watch;
pub use verdict::{AutomatonRun, Evidence, ProgramRun, Verdict, Wrong};
pub use why::{Bound, Brancher, HotLoop, Limit, Measure, Reason, Site, TURNS, Why, place};
