//! Shortest counterexamples to safety parts of claims, by breadth-first search in the product: the depth-first search
//! for cycles would show thousands of steps.

use std::collections::VecDeque;

use unpick_store::Recall;
use unpick_system::{AutomatonRun, Budget, Product, System as _};

use super::{DONE, LivenessEnd, PATIENCE, Search, Stop, UNSEEN};

/// The nearest state in which something is wrong already; `None` if a limit is met before. The store should be empty.
pub fn shortest(product: &Product<'_>, store: &dyn Recall, budget: &Budget<'_>) -> Option<AutomatonRun> {
    let mut search = Search::new(product, store);
    let initial = product.initial().ok()?;
    let hash = store.hash(product.key(&initial));
    let initial = search.number(hash, &initial).ok()?;
    search.places[initial as usize] = DONE;
    let mut origins = vec![initial; search.places.len()];
    let mut waiting = VecDeque::from([initial]);
    while let Some(from) = waiting.pop_front() {
        search.n_visited += 1;
        if search.n_visited.is_multiple_of(PATIENCE) {
            search.check(budget).ok()?;
        }
        search.load(from);
        search.pending.clear();
        search.movers.clear();
        match search.expand() {
            Ok(()) => {}
            Err(Stop::Fault) => {
                let path = search.way_back(from, &origins);
                return match LivenessEnd::violated(product, &path, None) {
                    LivenessEnd::Violated(run) => Some(run),
                    _no_run_of_the_interpreter => None,
                };
            }
            Err(Stop::Limit(_) | Stop::Cycle) => return None,
        }
        origins.resize(search.places.len(), initial);
        for at in 0..search.pending.len() {
            let next = search.pending[at];
            if search.places[next as usize] == UNSEEN {
                search.places[next as usize] = DONE;
                origins[next as usize] = from;
                waiting.push_back(next);
            }
        }
    }
    None
}

impl Search<'_> {
    /// The states from the first one, which is its own origin, to this one.
    fn way_back(&mut self, last: u32, origins: &[u32]) -> Vec<Vec<u8>> {
        let mut path = vec![self.bytes_of(last)];
        let mut at = last;
        while origins[at as usize] != at {
            at = origins[at as usize];
            path.push(self.bytes_of(at));
        }
        path.reverse();
        path
    }
}
