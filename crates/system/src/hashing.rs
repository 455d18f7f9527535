//! How flat states are hashed: as a whole, or incrementally (Nguyen and Ruys, SPIN 2008), which costs as much as a step changes.
//!
//! Which is faster depends on the length of states, and on how whole states are hashed in a kind of set.

use unpick_automaton::Model;

use crate::step::Interpreted;
use crate::strategy::StoreKind;
use crate::successors::Successors;
use crate::system::{System, Walking, Which};

/// How flat states are hashed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Hashing {
    /// As is faster for states as long as those of the model.
    #[default]
    Auto,
    /// All of a state.
    Full,
    /// Only what a step has changed, where the store allows it.
    Incremental,
    /// As before, and compared with a hash from scratch each time.
    Audited,
}

/// From so many bytes on, the hash of a state is made from what a step has changed, where states are compared with those
/// that are kept; measured by `cargo xtask bench promela --only hashing`.
const LONG_KEPT: usize = 64;
/// The same where only their hashes are kept, for which whole states are hashed with more care.
const LONG_LOST: usize = 32;
/// States on the way that is followed to learn how long they are.
const N_MEASURED: usize = 64;

impl Hashing {
    /// How states of a model are hashed in a kind of set: what was asked for, or what should be faster.
    #[must_use]
    pub fn chosen(self, model: &Model, store: StoreKind) -> Hashing {
        let is_long = |least: usize| usual_len(model) >= least;
        match (self, store) {
            (Hashing::Full | Hashing::Incremental | Hashing::Audited, _) => self,
            (Hashing::Auto, StoreKind::Auto | StoreKind::Exact) if is_long(LONG_KEPT) => Hashing::Incremental,
            (Hashing::Auto, StoreKind::Compact | StoreKind::Bitstate) if is_long(LONG_LOST) => Hashing::Incremental,
            (Hashing::Auto, _) => Hashing::Full,
        }
    }

    /// Whether hashes are made from those of predecessors; to be asked of what was [chosen](Self::chosen).
    pub fn is_incremental(self) -> bool {
        matches!(self, Hashing::Incremental | Hashing::Audited)
    }

    /// As the flag has it.
    pub fn word(self) -> &'static str {
        match self {
            Hashing::Auto => "auto",
            Hashing::Full => "full",
            Hashing::Incremental | Hashing::Audited => "incremental",
        }
    }
}

/// How long the states of a model get on one way through them. The oldest process goes first, which mostly makes the others;
/// always the same way, because a search that was kept has to be taken up with the same hash.
fn usual_len(model: &Model) -> usize {
    let interpreted = Interpreted::new(model);
    let Ok(mut state) = interpreted.initial() else { return 0 };
    let (mut stepper, mut next) = (interpreted.stepper(Walking::default()), Successors::default());
    let mut longest = state.len();
    for _ in 0..N_MEASURED {
        next.clear();
        stepper.expand(&state, Which::All, &mut next);
        let Some(last) = next.list.iter().rev().find(|successor| successor.len > 0) else { break };
        state.clear();
        state.extend_from_slice(next.state(*last));
        longest = longest.max(state.len());
    }
    longest - model.hidden_size as usize
}
