//! Judgements: verdicts that may be shown; nothing is called violated before its replay has agreed.

use unpick_automaton::Model;
use unpick_base::SourceMap;
use unpick_program::Program;
use unpick_program::interp::Machine;
use unpick_system::{Evidence, Reason, Site, Verdict, Why};

use crate::model::replay_run;
use crate::replay::{ReplayMismatch, replay};
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
            Verdict::Fails(Evidence::Program(run)) => Self::replayed(replay(machine, program, run)),
            Verdict::Fails(_) => Self::replayed(Err(ReplayMismatch::new("it is no execution of a program"))),
            Verdict::Unknown(why) => Judgement::Unknown(why.clone()),
        }
    }

    /// The same for a model. A violation is replayed on the reference interpreter of automata.
    pub fn of_model(model: &Model, sources: &SourceMap, verdict: &Verdict) -> Self {
        match verdict {
            Verdict::Holds(_) => Judgement::Verified,
            Verdict::Fails(Evidence::Automaton(run)) => match replay_run(model, sources, run) {
                // Something without a meaning was reached before anything could be wrong.
                Ok((finding, _)) if finding.is_unknown => {
                    let site = Site { file: finding.file, line: finding.line, column: finding.column };
                    Judgement::Unknown(Why::because(Reason::Unsupported { what: finding.message, site }))
                }
                replayed => Self::replayed(replayed),
            },
            Verdict::Fails(_) => Self::replayed(Err(ReplayMismatch::new("it is no execution of a model"))),
            Verdict::Unknown(why) => Judgement::Unknown(why.clone()),
        }
    }

    fn replayed(replayed: Result<(Finding, Trace), ReplayMismatch>) -> Self {
        match replayed {
            Ok((finding, trace)) => Judgement::Violated { finding, trace },
            Err(mismatch) => {
                let reason = Reason::Internal(format!("the replay of a violation disagrees: {mismatch}"));
                Judgement::Unknown(Why::because(reason))
            }
        }
    }
}
