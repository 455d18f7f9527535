//! Automata: reachability of faults and invalid ends, and what watches whole executions, each a search over flat states.
//!
//! Unless a store is named, states are kept plain as long as they fit, which is fastest; when they do not, they are compressed to
//! about a tenth and the search goes on; and when that does not fit either, it starts again with a few bits for each
//! state (Holzmann's bitstate hashing), after which nothing better than `unknown` can be said unless something is found.
//! Every step down is announced. What several workers find depends on who was faster, so it is looked for again by one.

mod cycles;
mod reachability;

pub use cycles::Cycles;
pub use reachability::Reachability;

use unpick_automaton::Model;
use unpick_automaton::run::Impossible;
use unpick_system::{Reason, StoreKind, System};

/// A failing execution found by several workers is looked for again by one, so that it is always the same, if the
/// search was no longer than this.
const MAX_REPEATED: u64 = 20_000_000;

/// Makes systems of automata: compiled to native code, or interpreted.
pub trait Compile: Sync {
    /// The system of one model. Steps need to tell by how much they change the weighted sum of a state only if `notes_changes`
    /// ([`unpick_system::Successor::change`]).
    fn compile<'m>(&self, model: &'m Model, notes_changes: bool) -> Box<dyn System + 'm>;
}

/// How much of the memory plain states may take before compressed ones are tried: the frontier and the way to each state
/// need some too.
fn share(memory_bytes: Option<u64>) -> Option<u64> {
    memory_bytes.map(|bytes| bytes / 100 * 85)
}

/// Native code and interpreter disagree.
fn mismatch(impossible: Impossible) -> Reason {
    Reason::Internal(format!("the interpreter cannot follow the search: {impossible}"))
}

/// The assumption that tells of the step from plain to compressed states.
fn step_down_note(n_states: u64) -> String {
    format!("plain states do not fit into memory ({n_states} found): the search goes on with compressed states")
}

fn words(kind: StoreKind) -> &'static str {
    match kind {
        StoreKind::Auto | StoreKind::Exact => "plain states",
        StoreKind::Tree => "compressed states",
        StoreKind::Compact => "signatures of states",
        StoreKind::Bitstate => "a few bits for each state",
    }
}
