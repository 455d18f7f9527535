//! Weak fairness of a strongly connected component: for every process it has a step of it or a state in which it cannot
//! move.

use unpick_store::Recall;
use unpick_system::{Processes, Product, ProductStepper, Stepper as _, Successors, Which};

use super::super::edges::Graph;
use super::components::Component;
use super::recall;

/// Whether the component is fair to all. The movers are not stored, so its states are expanded again.
pub(super) fn is_fair(graph: &Graph<'_>, component: &Component, checker: &mut FairnessChecker<'_>) -> bool {
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
pub(super) struct FairnessChecker<'a> {
    stepper: ProductStepper<'a>,
    store: &'a dyn Recall,
    successors: Successors,
    state: Option<u32>,
}

impl<'a> FairnessChecker<'a> {
    pub(super) fn new(product: &'a Product<'a>, store: &'a dyn Recall) -> Self {
        Self { stepper: product.steps(), store, successors: Successors::default(), state: None }
    }

    pub(super) fn look_at(&mut self, state: u32) {
        if self.state != Some(state) {
            self.successors.clear();
            self.stepper.expand(&recall(self.store, state), Which::All, &mut self.successors);
            self.state = Some(state);
        }
    }

    /// Processes that cannot move in the state.
    pub(super) fn disabled(&self) -> Processes {
        self.successors.enabled.complement()
    }

    fn movers(&self) -> impl Iterator<Item = Processes> + '_ {
        self.successors.movers.iter().copied()
    }

    /// The movers on some path to the next state.
    pub(super) fn movers_to(&self, next: u32) -> Processes {
        let bytes = recall(self.store, next);
        let mut movers = Processes::default();
        for (at, found) in self.successors.list.iter().enumerate() {
            if self.successors.state(*found) == bytes {
                movers.extend(self.successors.movers.get(at).copied().unwrap_or_default());
            }
        }
        movers
    }
}
