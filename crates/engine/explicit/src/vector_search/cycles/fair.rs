//! Weak fairness of a strongly connected component: for every process it has a step of it or a state in which it cannot
//! move.

use unpick_store::Recall;
use unpick_system::{Processes, Product, ProductExpansion};

use super::components::Component;
use super::edges::Graph;
use super::recall;
use super::walker::Walker;

/// Whether the component is fair to all. The movers are not stored, so its states are expanded again.
pub(super) fn is_fair(graph: &Graph<'_>, component: &Component, checker: &mut FairnessChecker<'_, '_>) -> bool {
    let mut fair = Processes::default();
    component.states.iter().any(|state| {
        checker.look_at(*state);
        fair.extend(checker.disabled());
        for next in graph.successors(*state).filter(|next| component.contains(*next)) {
            // A second look at a step that adds nothing can be spared.
            if checker.movers().any(|movers| !fair.contains_all(movers)) {
                fair.extend(checker.movers_to(next));
            }
        }
        fair == Processes::ALL
    })
}

/// Expands one state after the other to find the movers.
pub(super) struct FairnessChecker<'w, 'a> {
    walker: &'w mut Walker<'a>,
    store: &'w dyn Recall,
    expansion: ProductExpansion,
    state: Option<u32>,
}

impl<'w, 'a> FairnessChecker<'w, 'a> {
    pub(super) fn new(walker: &'w mut Walker<'a>, store: &'w dyn Recall) -> Self {
        Self { walker, store, expansion: ProductExpansion::default(), state: None }
    }

    pub(super) fn look_at(&mut self, state: u32) {
        if self.state != Some(state) {
            let bytes = recall(self.store, state);
            self.product().expand(&mut self.walker.scratch, &bytes, &mut self.expansion);
            self.state = Some(state);
        }
    }

    fn product(&self) -> &'a Product<'a> {
        self.walker.product
    }

    /// Processes that cannot move in the state.
    pub(super) fn disabled(&self) -> Processes {
        self.expansion.enabled.complement()
    }

    fn movers(&self) -> impl Iterator<Item = Processes> + '_ {
        self.expansion.movers.iter().copied()
    }

    /// The movers on some path to the next state.
    pub(super) fn movers_to(&self, next: u32) -> Processes {
        let bytes = recall(self.store, next);
        let mut movers = Processes::default();
        for found in self.expansion.list.iter().filter(|found| self.expansion.state(**found) == bytes) {
            movers.extend(self.expansion.movers.get(found.way as usize).copied().unwrap_or_default());
        }
        movers
    }
}
