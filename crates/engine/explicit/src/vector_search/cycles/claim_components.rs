//! Strongly connected parts of a claim: which can hold a cycle that counts.

use unpick_automaton::{Automaton, LocationId};
use unpick_base::id::Id as _;
use unpick_system::{Labels, LivenessProperty, Monitor, Product, System as _};

use crate::graph::{Adjacency, for_each_component};

/// Set in the location of a claim that looks at an end again; makes no difference to its part.
const AGAIN: u16 = 1 << 15;

/// What is known of the claim's locations.
pub(in crate::vector_search) struct ClaimComponents<'a> {
    product: &'a Product<'a>,
    /// The part that a location lies in, if a cycle in it may count.
    by_location: Vec<Option<u16>>,
}

impl<'a> ClaimComponents<'a> {
    pub(super) fn new(product: &'a Product<'a>) -> Self {
        let has_accepting_processes = product.floor().labels().contains(Labels::ACCEPTING);
        let by_location = match product.watch() {
            LivenessProperty::Claim(_) => {
                product.claim().map_or_else(Vec::new, |claim| parts(&claim.automaton, has_accepting_processes))
            }
            LivenessProperty::Accepted => vec![has_accepting_processes.then_some(0)],
            LivenessProperty::NonProgress => vec![Some(0)],
        };
        Self { product, by_location }
    }

    /// What a worker asks labels of.
    pub(in crate::vector_search) fn monitor(&self) -> Box<dyn Monitor + 'a> {
        self.product.system().floor().monitor()
    }

    /// The part in which a cycle through this state that counts would lie. States with progress are on none.
    #[inline]
    pub(in crate::vector_search) fn of(&self, monitor: &mut dyn Monitor, state: &[u8]) -> Option<u16> {
        let (_, location) = state.split_last_chunk::<2>().expect("a state should hold the claim's location");
        let part = self.by_location[usize::from(u16::from_le_bytes(*location) & !AGAIN)]?;
        (!self.product.is_progress(monitor, state)).then_some(part)
    }

    /// Whether the state has to be visited infinitely often for a violation.
    pub(in crate::vector_search) fn is_accepting(&self, monitor: &mut dyn Monitor, state: &[u8]) -> bool {
        self.product.is_accepting(monitor, state)
    }
}

/// Parts of an automaton that accept, `all` if processes may do so wherever the claim is. A part is named by its first
/// location.
fn parts(automaton: &Automaton, all: bool) -> Vec<Option<u16>> {
    let mut graph = Adjacency::default();
    for location in automaton.locations.iter() {
        graph.push(location.transitions.iter().filter_map(|transition| Some(transition.target?.index() as u32)));
    }
    let mut parts = vec![None; automaton.locations.len()];
    for_each_component(&graph, vec![1; parts.len()], |component| {
        if all || component.nodes.iter().any(|location| automaton.locations[LocationId(*location)].is_accept) {
            component.nodes.iter().for_each(|location| parts[*location as usize] = Some(component.nodes[0] as u16));
        }
        true
    });
    parts
}
