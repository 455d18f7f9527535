//! A verdict that may be shown: nothing is called violated before its replay has agreed.

use unpick_ir::interp::Machine;
use unpick_ir::{Loc, Program};
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
    /// Neither is known; at least one reason, the weightiest first.
    Unknown(Vec<Doubt>),
}

/// A reason for an unknown verdict in the user's terms.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Doubt {
    /// One sentence, lower case, no full stop.
    pub text: String,
    /// What the user can do.
    pub remedy: Option<String>,
    /// File it speaks of; empty for none.
    pub file: String,
    /// Line in the file; 0 for none.
    pub line: u32,
    /// Column in the line; 0 for none.
    pub column: u32,
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
                    Judgement::unknown(program, &Why::because(reason))
                }
            },
            Verdict::Unknown(why) => Judgement::unknown(program, why),
        }
    }

    fn unknown(program: &Program, why: &Why) -> Self {
        Judgement::Unknown(why.reasons().into_iter().map(|reason| Doubt::new(program, reason)).collect())
    }
}

impl Doubt {
    fn new(program: &Program, reason: &Reason) -> Self {
        let loc = reason.loc().unwrap_or(Loc::NONE);
        let file = program.files.get(loc.file).filter(|_| loc.line != 0);
        Self {
            text: reason.text(program),
            remedy: reason.remedy(program),
            file: file.cloned().unwrap_or_default(),
            line: loc.line,
            column: loc.column,
        }
    }
}
