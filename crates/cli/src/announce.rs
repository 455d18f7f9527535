//! Findings are told when they are found: a search for all of them may take long, and the first is worth looking at.
//!
//! Nothing is told before its replay has agreed, and nothing twice.

use std::cell::RefCell;

use unpick_ir::Program;
use unpick_ir::interp::Machine;
use unpick_report::accept::{Baseline, accepted};
use unpick_report::escape::visible;
use unpick_report::{Outcome as Report, Sources, fingerprint};
use unpick_system::ProgramRun;
use unpick_witness::{Finding, Judgement};

use crate::events;
use crate::watch::Watch;

/// Tells findings of one run.
pub struct Announcer<'a> {
    pub watch: &'a Watch,
    pub sources: &'a dyn Sources,
    pub baseline: Option<&'a Baseline>,
    pub is_quiet: bool,
    /// Kind, file and line of what was told.
    pub told: RefCell<Vec<(String, String, u32)>>,
}

impl Announcer<'_> {
    /// A search that goes on has found something.
    pub fn found(&self, machine: &Machine<'_>, program: &Program, evidence: &ProgramRun) {
        if self.is_quiet && !events::is_streaming() {
            return;
        }
        let judgement = Judgement::new(machine, program, &evidence.clone().into());
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

    fn tell(&self, mut finding: Finding, has_line: bool) {
        let place = (finding.kind.clone(), finding.file.clone(), finding.line);
        if self.told.borrow().contains(&place) {
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
        self.told.borrow_mut().push(place);
    }
}
