//! What is asked of a program, what an engine promises, and what a verdict rests on.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod checked;
mod claim;
pub mod control;
pub mod engine;
mod flags;
mod hashing;
pub mod ledger;
pub mod lock_order;
pub mod macro_step;
mod memory_model;
pub mod product;
pub mod property;
mod reached;
mod ruled;
pub mod step;
pub mod strategy;
mod successors;
mod system;
pub mod task;
pub mod verdict;
pub mod why;

pub use checked::Checked;
pub use claim::{Claim, ClaimKind, Point};
pub use control::{Budget, Checkpoint, Control, Fact, Halt, Snapshot, Unwatched};
pub use engine::{Answer, Coverage, Engine, Reach, Stats, Unfit};
pub use hashing::Hashing;
pub use ledger::{Ledger, Proof, ProofKind};
pub use lock_order::{LockEdge, LockOrder, OrderedLock};
pub use memory_model::memory_model;
pub use product::{Beside, Processes, Product, ProductFault, ProductStepper};
pub use property::{PropertySet, UnknownProperty};
pub use reached::Reached;
pub use ruled::Ruled;
pub use step::{Interpreted, MicroSteps, Who};
pub use strategy::{Guidance, GuidedTurn, Inputs, Matching, Order, Reduction, StoreKind, Strategy, Vectors, Waypoint};
pub use successors::{Arrival, Asleep, NOBODY, NOWHERE, Successor, Successors};
pub use system::{Expansion, Floor, Labels, Monitor, Stepper, System, Walking, Which};
pub use task::{Goal, Rules, RunStatus, Subject, Task, has_threads};
pub use unpick_automaton::LivenessProperty;
pub use verdict::{AutomatonRun, AutomatonViolation, Evidence, ProgramRun, Verdict};
pub use why::{Bound, Brancher, HotLoop, Limit, Measure, Reason, Site, TURNS, Why, place};
