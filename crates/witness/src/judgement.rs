//! A verdict that may be shown: nothing is called violated before its replay has agreed.

use unpick_ir::Program;
use unpick_ir::interp::Machine;
use unpick_system::{Reason, Verdict, Why};

use crate::replay::replay;
use crate::{Finding, Trace};

/// A verdict in the user's terms.
#[derive(Clone, PartialEq, Eq, Debug)]
#[expect(clippy::large_enum_variant, reason = "a run has one")]
pub enum Judgement {
    /// Every behaviour of the model was covered.
    Verified,
    /// An execution goes wrong, and its replay does too.
    Violated {
        /// What goes wrong.
        finding: Finding,
        /// How it comes about.
        trace: Trace,
    },
    /// Neither is known, for at least one reason.
    Unknown(Why),
}

impl Judgement {
    /// Puts a verdict into the user's terms. A violation is replayed on `machine`, which must run concretely;
    /// if the replay disagrees, the verdict becomes unknown and says that we are to blame.
    pub fn new(machine: &Machine<'_>, program: &Program, verdict: &Verdict) -> Self {
        match verdict {
            Verdict::Holds(_) => Judgement::Verified,
            Verdict::Fails(evidence) => match replay(machine, program, evidence) {
                Ok((finding, trace)) => Judgement::Violated { finding, trace },
                Err(mismatch) => {
                    let reason = Reason::Internal(format!("the replay of a violation disagrees: {mismatch}"));
                    Judgement::Unknown(Why::because(reason))
                }
            },
            Verdict::Unknown(why) => Judgement::Unknown(why.clone()),
        }
    }
}
