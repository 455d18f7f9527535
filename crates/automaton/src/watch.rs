//! What can watch a model besides its own assertions: the subject of searches for endless executions.

/// What watches the model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Watch {
    /// The claim with this position in the model.
    Claim(usize),
    /// Locations of processes that are accepted should not be seen again and again.
    Accepted,
    /// Progress should be seen again and again.
    NonProgress,
}
