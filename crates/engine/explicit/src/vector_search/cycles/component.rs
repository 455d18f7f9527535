//! A component of the kept graph as part of the product: its edges are kept, and who moves on them is found by expanding
//! its states again.

use unpick_store::Recall;
use unpick_system::{Processes, Product, ProductStepper, Stepper as _, Successors, Which};

use super::super::edges::EdgeGraph;
use super::recall;
use crate::graph::{Component, Graph as _, Walked};

/// The part of the product that is a component.
pub(super) struct ProductPart<'p, 'a> {
    pub(super) graph: &'p EdgeGraph<'p>,
    pub(super) component: &'p Component,
    pub(super) expander: &'p mut Expander<'a>,
}

/// Expands one state after the other.
pub(super) struct Expander<'a> {
    stepper: ProductStepper<'a>,
    store: &'a dyn Recall,
    successors: Successors,
    state: Option<u32>,
}

impl<'a> Expander<'a> {
    pub(super) fn new(product: &'a Product<'a>, store: &'a dyn Recall) -> Self {
        Self { stepper: product.steps(), store, successors: Successors::default(), state: None }
    }

    fn look_at(&mut self, state: u32) -> &Successors {
        if self.state != Some(state) {
            self.successors.clear();
            self.stepper.expand(&recall(self.store, state), Which::All, &mut self.successors);
            self.state = Some(state);
        }
        &self.successors
    }
}

impl Walked for ProductPart<'_, '_> {
    type Label = ();

    fn edges(&mut self, state: u32, into: &mut Vec<((), u32)>) {
        let inside = self.graph.successors(state).filter(|next| self.component.contains(*next));
        into.extend(inside.map(|next| ((), next)));
    }

    fn is_accepting(&mut self, state: u32) -> bool {
        self.graph.is_accepting(state)
    }

    fn disabled(&mut self, state: u32) -> Processes {
        self.expander.look_at(state).enabled.complement()
    }

    /// Those on some path to the next state.
    fn movers(&mut self, from: u32, ((), next): ((), u32), known: Processes) -> Processes {
        let mut movers = Processes::default();
        let store = self.expander.store;
        let successors = self.expander.look_at(from);
        if successors.movers.iter().any(|movers| !known.contains_all(*movers)) {
            let bytes = recall(store, next);
            for (found, found_movers) in successors.list.iter().zip(&successors.movers) {
                if successors.state(*found) == bytes {
                    movers.extend(*found_movers);
                }
            }
        }
        movers
    }
}
