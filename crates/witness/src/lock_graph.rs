//! The lock-order graph on the user's own lines.

use unpick_program::Program;
use unpick_system::LockOrder;

/// Which locks were taken while which were held, and the circles among them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LockGraph {
    /// In order of the names.
    pub edges: Vec<LockStep>,
    /// Circles of locks, as places in the edges.
    pub circles: Vec<Vec<usize>>,
    /// It is known that no execution deadlocks.
    pub is_harmless: bool,
}

/// One lock taken while another was held.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LockStep {
    /// The lock that was held.
    pub held: String,
    /// The lock that was taken.
    pub taken: String,
    /// File in which it was taken.
    pub file: String,
    /// Line, from one.
    pub line: u32,
}

impl LockGraph {
    /// What a search has seen.
    pub fn new(program: &Program, order: &LockOrder, is_harmless: bool) -> Self {
        let edges = order.edges().iter().map(|edge| LockStep {
            held: edge.held.name.clone(),
            taken: edge.taken.name.clone(),
            file: program.files.get(edge.loc.file).filter(|_| edge.loc.line != 0).cloned().unwrap_or_default(),
            line: edge.loc.line,
        });
        Self { edges: edges.collect(), circles: order.circles(), is_harmless }
    }

    /// A circle in short: `&a -> &b -> &a`.
    pub fn circle_text(&self, circle: &[usize]) -> String {
        let edges = circle.iter().filter_map(|at| self.edges.get(*at));
        let taken = edges.clone().map(|edge| edge.taken.as_str());
        edges.take(1).map(|edge| edge.held.as_str()).chain(taken).collect::<Vec<_>>().join(" -> ")
    }
}
