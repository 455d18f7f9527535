//! Trimming: nodes without predecessors lie on no cycle and are removed repeatedly (topological sort, Kahn 1962; OWCTY,
//! Fisler et al. 2001).

use super::Graph;

/// What remains.
pub(crate) struct Left {
    /// For each node, how many of those that remain lead to it; zero if it does not remain.
    pub(crate) degrees: Vec<u32>,
    /// How many remain.
    pub(crate) n_left: usize,
}

/// Takes away what no cycle leads to. If nothing remains, there is no cycle.
pub(crate) fn trim(graph: &impl Graph) -> Left {
    let mut degrees = vec![0u32; graph.n_nodes()];
    for source in graph.sources() {
        graph.successors(source).for_each(|target| degrees[target as usize] += 1);
    }
    let mut n_left = degrees.iter().filter(|degree| **degree > 0).count();
    let mut waiting: Vec<u32> = Vec::new();
    for source in graph.sources().filter(|source| degrees[*source as usize] == 0).collect::<Vec<u32>>() {
        waiting.push(source);
        while let Some(node) = waiting.pop() {
            for next in graph.successors(node) {
                let degree = &mut degrees[next as usize];
                *degree -= 1;
                if *degree == 0 {
                    n_left -= 1;
                    waiting.push(next);
                }
            }
        }
    }
    Left { degrees, n_left }
}
