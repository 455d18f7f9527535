//! Strongly connected components (Gabow 2000) of the remaining graph, iteratively.
//!
//! One depth-first search with a stack of states and a stack of where components begin (after Gabow, 2000), nothing
//! recursive.

use super::super::edges::Graph;

/// States that can all reach each other, by at least one step.
pub(super) struct Component {
    /// Sorted.
    pub(super) states: Vec<u32>,
    /// One of them is accepted.
    pub(super) is_accepting: bool,
}

impl Component {
    pub(super) fn contains(&self, state: u32) -> bool {
        self.states.binary_search(&state).is_ok()
    }
}

/// The number of a state whose component is known.
const DONE: u32 = 0;
/// Not yet seen; numbers of states that have been seen are smaller.
const UNSEEN: u32 = u32::MAX;

/// Calls for every component with a cycle until it is told to stop. States with degree zero are left aside.
pub(super) fn for_each(graph: &Graph<'_>, degrees: Vec<u32>, mut visit: impl FnMut(Component) -> bool) {
    let mut numbers = degrees;
    for number in &mut numbers {
        *number = if *number == 0 { DONE } else { UNSEEN };
    }
    let (mut frames, mut stack, mut starts) = (Vec::<(u32, u32)>::new(), Vec::<u32>::new(), Vec::<u32>::new());
    for root in 0..numbers.len() as u32 {
        if numbers[root as usize] != UNSEEN {
            continue;
        }
        let mut entering = Some(root);
        loop {
            if let Some(state) = entering.take() {
                stack.push(state);
                numbers[state as usize] = stack.len() as u32;
                starts.push(stack.len() as u32);
                frames.push((state, graph.begin(state)));
            }
            let Some((state, at)) = frames.last_mut() else { break };
            if let Some(next) = graph.at(*at) {
                *at += 1;
                match numbers[next as usize] {
                    DONE => {}
                    UNSEEN => entering = Some(next),
                    number => {
                        while starts.last().is_some_and(|start| *start > number) {
                            starts.pop();
                        }
                    }
                }
                continue;
            }
            let (state, number) = (*state, numbers[*state as usize]);
            frames.pop();
            if starts.last() == Some(&number) {
                starts.pop();
                let states = stack.split_off(number as usize - 1);
                states.iter().for_each(|state| numbers[*state as usize] = DONE);
                let has_cycle = states.len() > 1 || graph.successors(state).any(|next| next == state);
                if has_cycle && !visit(component(graph, states)) {
                    return;
                }
            }
        }
    }
}

fn component(graph: &Graph<'_>, mut states: Vec<u32>) -> Component {
    states.sort_unstable();
    let is_accepting = states.iter().any(|state| graph.is_accepting(*state));
    Component { states, is_accepting }
}
