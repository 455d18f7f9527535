//! Strongly connected components (Tarjan 1972), iterative because graphs may be deep.

/// Which component each node belongs to. An edge never leads to a component with a higher number.
pub(crate) struct Components {
    pub(crate) of: Vec<usize>,
    pub(crate) count: usize,
}

const NONE: usize = usize::MAX;

/// The components of the graph whose `at`-th edge out of a node is `successor(node, at)`; an edge that leads back to
/// its own node may stand for an edge that is to be ignored.
pub(crate) fn components(n_nodes: usize, successor: &dyn Fn(usize, usize) -> Option<usize>) -> Components {
    let mut components = Components { of: vec![NONE; n_nodes], count: 0 };
    let mut index = vec![NONE; n_nodes];
    let mut low = vec![0; n_nodes];
    let mut open: Vec<usize> = Vec::new();
    let mut n_seen = 0;
    for root in 0..n_nodes {
        // Each entry is a node and the edge to look at next.
        let mut path = if index[root] == NONE { vec![(root, 0)] } else { Vec::new() };
        while let Some((node, at)) = path.last_mut() {
            let node = *node;
            if index[node] == NONE {
                index[node] = n_seen;
                low[node] = n_seen;
                n_seen += 1;
                open.push(node);
            }
            if let Some(target) = successor(node, *at) {
                *at += 1;
                if index[target] == NONE {
                    path.push((target, 0));
                } else if components.of[target] == NONE {
                    low[node] = low[node].min(index[target]);
                }
                continue;
            }
            path.pop();
            if let Some((parent, _)) = path.last() {
                low[*parent] = low[*parent].min(low[node]);
            }
            if low[node] == index[node] {
                components.close(&mut open, node);
            }
        }
    }
    components
}

impl Components {
    fn close(&mut self, open: &mut Vec<usize>, root: usize) {
        while let Some(member) = open.pop() {
            self.of[member] = self.count;
            if member == root {
                break;
            }
        }
        self.count += 1;
    }
}
