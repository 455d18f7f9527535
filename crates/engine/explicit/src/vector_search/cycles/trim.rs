//! Trimming: states without predecessors in the graph lie on no cycle and are removed repeatedly (topological sort,
//! Kahn 1962; OWCTY, Fisler et al. 2001).

use super::super::edges::Graph;

/// What remains.
pub(super) struct Left {
    /// For each state, how many of those that remain lead to it; zero if it does not remain.
    pub(super) degrees: Vec<u32>,
    /// How many remain.
    pub(super) n_left: usize,
}

/// Takes away what no cycle leads to. If nothing remains, there is no cycle.
pub(super) fn trim(graph: &Graph<'_>) -> Left {
    let mut degrees = vec![0u32; graph.n_ids()];
    graph.for_each_target(|target| degrees[target as usize] += 1);
    let mut n_left = degrees.iter().filter(|degree| **degree > 0).count();
    let mut waiting: Vec<u32> = Vec::new();
    for source in graph.sources().filter(|source| degrees[*source as usize] == 0).collect::<Vec<u32>>() {
        waiting.push(source);
        while let Some(state) = waiting.pop() {
            for next in graph.successors(state) {
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
