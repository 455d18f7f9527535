//! The ledger of a search: everything that keeps it from being a proof.
//!
//! Soundness is computed here and nowhere else. A [`Proof`] can be made by [`Ledger::settle`] alone (its field is
//! private), and only while no cut, no lossy store and no construct without a meaning has been entered, so no engine can
//! say `Holds` by mistake.

use crate::{Reason, Verdict, Why};

/// Why a goal holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Proof {
    kind: ProofKind,
}

/// What a proof rests on.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ProofKind {
    /// Every execution was followed to its end or to a state already explored, with an exact store.
    Exhausted {
        /// Distinct states stored.
        n_states: u64,
    },
    /// All goals on all paths were refuted by a solver, that no loop goes on beyond its bound among them.
    Refuted {
        /// Goals that were decided.
        n_goals: u64,
        /// Questions that it took.
        n_queries: u64,
    },
}

impl Proof {
    /// What it rests on.
    pub fn kind(&self) -> &ProofKind {
        &self.kind
    }
}

/// What a search has left out so far.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Ledger {
    why: Why,
}

impl Ledger {
    /// Enters something that was left out.
    pub fn add(&mut self, reason: Reason) {
        self.why.add(reason);
    }

    /// Whether nothing was left out.
    pub fn is_empty(&self) -> bool {
        self.why.is_empty()
    }

    /// The reasons so far.
    pub fn why(&self) -> &Why {
        &self.why
    }

    /// The verdict of a search that has come to its end and found nothing.
    pub fn settle(self, kind: ProofKind) -> Verdict {
        match self.why.is_empty() {
            true => Verdict::Holds(Proof { kind }),
            false => Verdict::Unknown(self.why),
        }
    }

    /// The verdict of a search that was stopped, for this reason among others.
    pub fn halted(mut self, reason: Reason) -> Verdict {
        self.add(reason);
        Verdict::Unknown(self.why)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limit;

    #[test]
    fn nothing_holds_once_something_was_left_out() {
        let kind = ProofKind::Exhausted { n_states: 3 };
        assert!(matches!(Ledger::default().settle(kind.clone()), Verdict::Holds(proof) if *proof.kind() == kind));
        let mut ledger = Ledger::default();
        ledger.add(Reason::LossyStore);
        assert!(matches!(ledger.settle(kind), Verdict::Unknown(why) if why.reasons().len() == 1));
        let halted = Ledger::default().halted(Reason::limit(Limit::Time));
        assert!(matches!(halted, Verdict::Unknown(why) if why.reasons().len() == 1));
    }
}
