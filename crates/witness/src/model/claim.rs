//! Executions that violate a claim: confirmed on the reference interpreter, told with the point to which they return.

use unpick_base::{SourceMap, Span};
use unpick_ir::ViolationKind;
use unpick_ir::automaton::Model;
use unpick_ir::automaton::interp::Machine;
use unpick_system::{Interpreted, LassoEvidence, Product, ProductFault, Watch};

use super::{Taken, Teller, way};
use crate::{Finding, ReplayMismatch, Trace};

/// Replays an execution of a model beside a claim and puts it into the user's terms. The model is the one that was
/// searched, with the claim counted among its processes.
pub fn replay_claim(
    model: &Model,
    sources: &SourceMap,
    (watch, is_fair): (Watch, bool),
    evidence: &LassoEvidence,
) -> Result<(Finding, Trace), ReplayMismatch> {
    let machine = Machine::new(model);
    let teller = Teller { machine: &machine, model, sources };
    let step = Interpreted::new(model);
    let product = Product::new(&step, watch, is_fair);
    let confirmed = product.confirm(&evidence.path, evidence.loop_from);
    let fault = confirmed.map_err(|doubt| ReplayMismatch::new(&doubt.to_string()))?;
    let states: Vec<&[u8]> = evidence.path.iter().map(|state| product.split(state).0).collect();
    let again = evidence.loop_from.map(|from| states[from]);
    let mut taken: Vec<Taken> = Vec::new();
    let mut loop_start = None;
    for (at, state) in states.iter().enumerate() {
        if evidence.loop_from == Some(at) {
            loop_start = Some(n_told(&taken));
        }
        let Some(next) = states.get(at + 1).copied().or(again) else { break };
        if let Ok(rest) =
            way(&machine, state, |found, _| found.is_some_and(|found| machine.key(found) == machine.key(next)))
        {
            taken.extend(rest);
        } else if machine.key(state) != machine.key(next) {
            return Err(ReplayMismatch::new("no step leads from a state of the execution to the next"));
        }
    }
    if matches!(fault, Some(ProductFault::StepFault)) {
        let last = states.last().expect("there should be a first state");
        taken.extend(way(&machine, last, |_, fault| fault.is_some())?);
    }
    let has_stopped = loop_start == Some(n_told(&taken));
    let finding = teller.claim(watch, fault.as_ref(), has_stopped, &taken, loop_start);
    let mut trace = teller.trace(&taken);
    trace.loop_start = loop_start.filter(|start| *start < trace.steps.len());
    Ok((finding, trace))
}

/// How many steps people are shown.
fn n_told(taken: &[Taken]) -> usize {
    taken.iter().map(|step| step.next.moves.len()).sum()
}

impl Teller<'_> {
    fn claim(
        &self,
        watch: Watch,
        fault: Option<&ProductFault>,
        has_stopped: bool,
        taken: &[Taken],
        loop_start: Option<usize>,
    ) -> Finding {
        if let (Some(ProductFault::StepFault), Some(last)) = (fault, taken.last())
            && let Some(fault) = last.next.faults.first()
        {
            return self.fault(fault, last.next.moves.last().map(|moved| moved.process), &last.before);
        }
        let then = if has_stopped { ", after which nothing happens any more" } else { "" };
        match watch {
            Watch::Claim(claim) => {
                let claim = &self.model.claims[claim];
                let message = match (&claim.formula, fault) {
                    (_, Some(ProductFault::ClaimFault(fault))) => {
                        return self.fault(fault, None, &[]);
                    }
                    (Some(formula), _) => {
                        format!("the formula `{}`: `{formula}` does not hold for this execution{then}", claim.name)
                    }
                    (None, Some(_)) => format!("the claim `{}` comes to its end", claim.name),
                    (None, None) => format!("the claim `{}` accepts this execution{then}", claim.name),
                };
                self.finding(ViolationKind::Ltl, claim.span, None, &[], message)
            }
            Watch::Accepted => {
                let message = format!("accepted states are passed again and again{then}");
                self.at_loop(ViolationKind::Ltl, message, taken, loop_start)
            }
            Watch::NonProgress => {
                let message = "the execution goes on for ever without progress".to_owned();
                self.at_loop(ViolationKind::Livelock, message, taken, loop_start)
            }
        }
    }

    /// A finding where the endless part begins.
    fn at_loop(&self, kind: ViolationKind, message: String, taken: &[Taken], loop_start: Option<usize>) -> Finding {
        let mut n_before = 0;
        let first = taken.iter().find(|step| {
            n_before += step.next.moves.len();
            loop_start.is_some_and(|start| n_before > start)
        });
        let Some((step, moved)) = first.or(taken.last()).and_then(|step| Some((step, step.next.moves.first()?))) else {
            return self.finding(kind, Span::NONE, None, &[], message);
        };
        let positions = self.machine.positions(&step.before);
        let span = self.transition(moved, &positions).span;
        self.finding(kind, span, Some(moved.process), &step.before, message)
    }
}
