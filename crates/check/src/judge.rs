//! Choice of the execution that is shown of a violation: the one that was found, or a shorter one that ends the same
//! way; each replayed.

use unpick_program::Program;
use unpick_program::interp::{Checks, Machine, Options};
use unpick_system::{
    Control, Engine, Evidence, Goal, Guidance, ProgramRun, PropertySet, Strategy, Subject, Task, Verdict,
};
use unpick_witness::{Finding, Judgement, Trace};

use crate::portfolio::first_able;

/// What looking for shorter executions may cost in all, in instructions: about a second.
const WORK: u64 = 4_000_000;

/// Judges violations of one program, the shortest execution known for each.
pub(crate) struct Judge<'a> {
    engines: &'a [&'a dyn Engine],
    program: &'a Program,
    properties: PropertySet,
    strategy: &'a Strategy,
    control: &'a dyn Control,
    concrete: Machine<'a>,
    work: u64,
}

impl<'a> Judge<'a> {
    /// Whoever looks for `properties` replays with `checks`.
    pub(crate) fn new(
        engines: &'a [&'a dyn Engine],
        (program, properties, checks): (&'a Program, PropertySet, Checks),
        strategy: &'a Strategy,
        control: &'a dyn Control,
    ) -> Self {
        let options = Options { is_lazy: false, checks, max_enumerate: strategy.max_enumerate, ..Options::default() };
        Self { engines, program, properties, strategy, control, concrete: Machine::new(program, options), work: WORK }
    }

    /// The judgement on a verdict, and the evidence that was replayed for it.
    pub(crate) fn judge(&mut self, verdict: &Verdict) -> (Judgement, Option<ProgramRun>) {
        let judgement = Judgement::new(&self.concrete, self.program, verdict);
        let (Verdict::Fails(Evidence::Program(run)), Judgement::Violated { finding, trace }) = (verdict, &judgement)
        else {
            return (judgement, None);
        };
        if let Some(short) = self.shorter(run) {
            // Should the replay of the shorter one disagree, the one that was found is as good as ever.
            let shortened = Judgement::new(&self.concrete, self.program, &short.clone().into());
            let is_better = |other: &Finding, fewer: &Trace| {
                let is_same = (&other.kind, &other.file, other.line) == (&finding.kind, &finding.file, finding.line);
                is_same && fewer.steps.len() < trace.steps.len()
            };
            if matches!(&shortened, Judgement::Violated { finding, trace } if is_better(finding, trace)) {
                return (shortened, Some(short));
            }
        }
        (judgement, Some(run.clone()))
    }

    fn shorter(&mut self, run: &ProgramRun) -> Option<ProgramRun> {
        if self.work == 0 || run.claim.is_some() {
            return None;
        }
        let guidance = Guidance::Shorter { than: Box::new(run.clone()), work: self.work };
        let strategy = Strategy { guidance, ..self.strategy.clone() };
        let goals = [Goal::Safety(self.properties)];
        let task = Task { subject: Subject::Program(self.program), goals: &goals, strategy: &strategy };
        let answer = first_able(self.engines, &task, self.control);
        self.work = self.work.saturating_sub(answer.stats.instructions);
        match answer.verdict {
            Verdict::Fails(Evidence::Program(run)) => Some(run),
            _nothing_shorter => None,
        }
    }
}
