//! Fingerprints of models and of searches through them, for checkpoints and saved traces.

use unpick_automaton::Model;
use unpick_system::{StoreKind, Strategy, Vectors};
use xxhash_rust::xxh3::xxh3_128;

/// Tells models apart, layout of states included.
pub fn of_model(model: &Model) -> String {
    format!("{:032x}", xxh3_128(format!("{model:?}").as_bytes()))
}

/// Tells searches on disk apart: the model as it is searched, layout of states included, and everything that changes
/// what is found.
pub fn of_search(model: &Model, properties: &[String], strategy: &Strategy) -> u128 {
    let Vectors { store, hashing, .. } = strategy.vectors;
    // What is kept is compressed unless another set is named. Other words for another incremental hash than this.
    let set = if store == StoreKind::Auto { StoreKind::Tree } else { store };
    let hash = if hashing.chosen(model, set).is_incremental() { "weighted sum" } else { "true" };
    let what = format!("{model:?}\0{properties:?}\0{:?}\0{store:?}\0{hash}", strategy.reduction);
    xxh3_128(what.as_bytes())
}
