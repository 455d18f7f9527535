//! Liveness properties that observe a model besides its own assertions: the subject of searches for infinite
//! executions.

/// A property of infinite executions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LivenessProperty {
    /// The claim with this position in the model.
    Claim(usize),
    /// Accepting locations of processes should not be visited infinitely often.
    Accepted,
    /// Progress should happen infinitely often.
    NonProgress,
}
