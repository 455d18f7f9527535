//! Strongly connected components (Gabow 2000): one depth-first search with a stack of nodes and a stack of where
//! components begin, nothing recursive.

use super::Graph;

/// Nodes that can all reach each other, by at least one edge.
pub(crate) struct Component {
    /// Sorted.
    pub(crate) nodes: Vec<u32>,
}

impl Component {
    pub(crate) fn contains(&self, node: u32) -> bool {
        self.nodes.binary_search(&node).is_ok()
    }
}

/// The number of a node whose component is known.
const DONE: u32 = 0;
/// Not yet seen; numbers of nodes that have been seen are smaller.
const UNSEEN: u32 = u32::MAX;

/// Calls for every component with a cycle until it is told to stop; no edge leads from one to a later one. `left` has a
/// number for each node, zero for those that are left aside.
pub(crate) fn for_each_component(graph: &impl Graph, left: Vec<u32>, mut visit: impl FnMut(Component) -> bool) {
    let mut numbers = left;
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
            if let Some(node) = entering.take() {
                stack.push(node);
                numbers[node as usize] = stack.len() as u32;
                starts.push(stack.len() as u32);
                frames.push((node, graph.begin(node)));
            }
            let Some((node, position)) = frames.last_mut() else { break };
            if let Some(next) = graph.at(*position) {
                *position += 1;
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
            let (node, number) = (*node, numbers[*node as usize]);
            frames.pop();
            if starts.last() == Some(&number) {
                starts.pop();
                let mut nodes = stack.split_off(number as usize - 1);
                nodes.iter().for_each(|node| numbers[*node as usize] = DONE);
                nodes.sort_unstable();
                let has_cycle = nodes.len() > 1 || graph.successors(node).any(|next| next == node);
                if has_cycle && !visit(Component { nodes }) {
                    return;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Adjacency;
    use super::*;

    #[test]
    fn components_with_a_cycle_come_before_those_that_lead_to_them() {
        let mut graph = Adjacency::default();
        for successors in [&[1, 5][..], &[2], &[1, 3], &[4, 3], &[], &[0, 6], &[6, 2]] {
            graph.push(successors.iter().copied());
        }
        let mut found = Vec::new();
        let mut visit = |component: Component| {
            found.push(component.nodes);
            true
        };
        for_each_component(&graph, vec![1; 7], &mut visit);
        for_each_component(&graph, vec![1, 0, 1, 1, 1, 0, 1], &mut visit);
        assert_eq!(found, [&[3][..], &[1, 2], &[6], &[0, 5], &[3], &[6]]);
    }
}
