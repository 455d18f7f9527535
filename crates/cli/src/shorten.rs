//! What is shown of a violation: the execution that was found, or a shorter one that ends the same way.

use unpick_engine_explicit::shorter;
use unpick_ir::Program;
use unpick_ir::interp::{Machine, Options};
use unpick_system::{Control, Evidence, ProgramRun, Verdict};
use unpick_witness::{Finding, Judgement, Trace};

/// What looking for shorter executions may cost in all, in instructions: about a second.
const WORK: u64 = 4_000_000;

/// Judges violations of one program, the shortest execution known for each.
pub struct Judge<'a> {
    program: &'a Program,
    options: &'a Options,
    concrete: Machine<'a>,
    control: &'a dyn Control,
    work: u64,
}

impl<'a> Judge<'a> {
    pub fn new(program: &'a Program, options: &'a Options, control: &'a dyn Control) -> Self {
        let concrete = Machine::new(program, Options { is_lazy: false, ..options.clone() });
        Self { program, options, concrete, control, work: WORK }
    }

    /// The judgement on a verdict, and the evidence that was replayed for it.
    pub fn judge(&mut self, verdict: Verdict) -> (Judgement, Option<ProgramRun>) {
        let judgement = Judgement::new(&self.concrete, self.program, &verdict);
        let (Verdict::Fails(Evidence::Program(evidence)), Judgement::Violated { finding, trace }) =
            (verdict, &judgement)
        else {
            return (judgement, None);
        };
        let short = match self.work {
            0 => None,
            _ => shorter(self.program, self.options, &evidence, &mut self.work, self.control),
        };
        if let Some(short) = short {
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
        (judgement, Some(evidence))
    }
}
