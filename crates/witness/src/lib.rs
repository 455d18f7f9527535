//! Witnesses: evidence of engines, replayed on the reference interpreter, mapped to source lines, and saved.
#![forbid(unsafe_code)]

pub mod coverage;
pub mod difference;
mod endless;
mod explain;
pub mod finding;
pub mod flow;
pub mod graph;
pub mod judgement;
pub mod lock_graph;
pub mod model;
mod narrate;
mod observers;
mod place;
mod reach;
pub mod replay;
pub mod saved;
pub mod schedule;
mod slice;
pub mod states;
pub mod trace;
mod wait;
pub mod walk;

pub use coverage::FileCoverage;
pub use difference::{Difference, first_difference};
pub use explain::stuck_text;
pub use finding::{Accepted, Failing, Finding, Frame, Related};
pub use flow::program_flow;
pub use graph::{FlowEdge, FlowGraph, FlowNode, Mark, ShownState, ShownStep, StateGraph, TooManyStates};
pub use judgement::Judgement;
pub use lock_graph::{LockGraph, LockStep};
pub use model::{
    claim_flow, model_flow, model_states, moves_from_text, moves_text, replay_run, retrace_model, tell_moves,
};
pub use replay::{ReplayMismatch, replay, replay_turns, retrace};
pub use saved::{BadTraceFile, Extracted, ModelRecipe, Recipe, SavedTrace};
pub use schedule::Schedule;
pub use states::program_states;
pub use trace::{Actors, Change, Chosen, Made, Message, Part, Read, Scope, Step, Switch, Trace};
pub use walk::Walk;
