//! Findings are told when they are found: a search for all of them may take long, and the first is worth looking at.
//!
//! Nothing is told before its replay has agreed, and nothing twice.

use std::sync::{Mutex, MutexGuard};

use unpick_program::Program;
use unpick_program::interp::{Checks, Machine, Options};
use unpick_report::accept::{Baseline, accepted};
use unpick_report::escape::visible;
use unpick_report::{Outcome as Report, Sources, fingerprint};
use unpick_system::{Evidence, Verdict};
use unpick_witness::{Finding, Judgement};

use crate::events;
use crate::supervisor::Supervisor;

/// Tells findings of one run.
pub struct Announcer<'a> {
    pub program: &'a Program,
    /// How what was found is replayed.
    pub checks: Checks,
    pub max_enumerate: u128,
    pub watch: &'a Supervisor,
    pub sources: &'a (dyn Sources + Sync),
    pub baseline: Option<&'a Baseline>,
    pub is_quiet: bool,
    /// Kind, file and line of what was told.
    pub told: Mutex<Vec<(String, String, u32)>>,
}

impl Announcer<'_> {
    /// A search that goes on has found something.
    pub fn found(&self, evidence: &Evidence) {
        if self.is_quiet && !events::is_streaming() {
            return;
        }
        let Announcer { program, checks, max_enumerate, .. } = *self;
        let options = Options { is_lazy: false, checks, max_enumerate, ..Options::default() };
        let machine = Machine::new(program, options);
        let judgement = Judgement::new(&machine, program, &Verdict::Fails(evidence.clone()));
        if let Judgement::Violated { finding, .. } = judgement {
            self.tell(finding, !self.is_quiet && !events::is_streaming());
        }
    }

    /// The run is over: events for what has not been told yet.
    pub fn rest(&self, report: &Report) {
        if let (Judgement::Violated { finding, .. }, true) = (&report.judgement, events::is_streaming()) {
            self.tell(finding.clone(), false);
            report.others.iter().for_each(|other| self.tell(other.finding.clone(), false));
        }
    }

    fn told(&self) -> MutexGuard<'_, Vec<(String, String, u32)>> {
        self.told.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn tell(&self, mut finding: Finding, has_line: bool) {
        let place = (finding.kind.clone(), finding.file.clone(), finding.line);
        if self.told().contains(&place) {
            return;
        }
        finding.fingerprint = fingerprint::of(&finding, self.sources);
        finding.accepted = accepted(&finding, self.baseline, self.sources).0;
        if events::is_streaming() {
            events::finding(&finding);
        } else if has_line && finding.accepted.is_none() {
            let Finding { kind, file, line, message, .. } = &finding;
            self.watch.say(&format!("found: {kind} at {}:{line}: {}", visible(file), visible(message)));
        }
        self.told().push(place);
    }
}
