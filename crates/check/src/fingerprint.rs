//! Fingerprints of models and of searches through them, for checkpoints and saved traces.

use unpick_automaton::Model;
use unpick_system::{Hashing, Strategy};
use xxhash_rust::xxh3::xxh3_128;

/// Tells models apart, layout of states included.
pub fn of_model(model: &Model) -> String {
    format!("{:032x}", xxh3_128(format!("{model:?}").as_bytes()))
}

/// Tells searches on disk apart: the model as it is searched, layout of states included, and everything that changes
/// what is found.
pub fn of_search(model: &Model, properties: &[String], strategy: &Strategy) -> u128 {
    let is_full = strategy.vectors.hashing == Hashing::Full;
    let what = format!("{model:?}\0{properties:?}\0{:?}\0{:?}\0{is_full}", strategy.reduction, strategy.vectors.store);
    xxh3_128(what.as_bytes())
}
