//! What is asked of a program, what an engine promises, and what a verdict rests on.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod claim;
pub mod control;
pub mod engine;
pub mod ledger;
pub mod lock_order;
mod memory_model;
pub mod product;
pub mod property;
mod reached;
pub mod step;
pub mod strategy;
pub mod task;
pub mod verdict;
pub mod why;

pub use claim::{Claim, ClaimKind, Point};
pub use control::{Budget, Checkpoint, Control, Fact, Halt, Snapshot, Unwatched};
pub use engine::{Answer, Coverage, Engine, Reach, Stats, Unfit};
pub use ledger::{Ledger, Proof, ProofKind};
pub use lock_order::{LockEdge, LockOrder, OrderedLock};
pub use memory_model::memory_model;
pub use product::{Beside, Expansion, Processes, Product, ProductFault, ProductRoom, Watch};
pub use property::{PropertySet, UnknownProperty};
pub use reached::Reached;
pub use step::{Asleep, Interpreted, NOBODY, NOWHERE, Step, Successor, Successors, Who};
pub use strategy::{Guidance, GuidedTurn, Hashing, Matching, Order, Reduction, StoreKind, Strategy, Vectors, Waypoint};
pub use task::{Goal, Rules, Subject, Task, has_threads};
pub use verdict::{AutomatonRun, Evidence, ProgramRun, Verdict, Wrong};
pub use why::{Bound, Brancher, HotLoop, Limit, Measure, Reason, Site, TURNS, Why, place};
