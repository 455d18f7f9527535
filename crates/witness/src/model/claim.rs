//! Executions that violate a claim: confirmed on the reference interpreter, told with the point to which they return.

use unpick_automaton::Model;
use unpick_automaton::interp::{FaultKind, Machine};
use unpick_automaton::run::{Impossible, Taken, Walk, way};
use unpick_base::{SourceMap, Span};
use unpick_program::ViolationKind;
use unpick_system::{AutomatonRun, Interpreted, LivenessProperty, Product, ProductFault};

use super::Teller;
use crate::{Finding, ReplayMismatch, Trace};

/// Replays an execution of a model beside a claim and puts it into the user's terms. The model is the one that was
/// searched, with the claim counted among its processes.
pub(super) fn replay_claim(
    model: &Model,
    sources: &SourceMap,
    (watch, is_fair): (LivenessProperty, bool),
    run: &AutomatonRun,
) -> Result<(Finding, Trace), ReplayMismatch> {
    let machine = Machine::new(model);
    let teller = Teller { machine: &machine, model, sources };
    let first = match machine.initial() {
        Ok(first) => first,
        Err(fault) => return Ok((teller.fault(&fault, None, &[]), Trace::default())),
    };
    let walk = Walk::new(&machine, &first, &run.moves);
    walk.last()?;
    let mut states: Vec<Vec<u8>> = walk.states.iter().map(|(_, state)| state.clone()).collect();
    let loop_from = run.loop_from.map(|from| walk.loop_from(&machine, from)).transpose()?;
    if loop_from.is_some_and(|from| from + 1 < states.len()) {
        // The last state is the one with which the endless part begins again.
        states.pop();
    }
    let step = Interpreted::new(model);
    let product = Product::new(&step, &model.claims, watch, is_fair);
    let beside = product.beside(&states, loop_from);
    let beside = beside.ok_or_else(|| ReplayMismatch::new("the claim does not accept the execution"))?;
    let confirmed = product.confirm(&beside.path, beside.loop_from);
    let fault = confirmed.map_err(|doubt| ReplayMismatch::new(&doubt.to_string()))?;
    // The steps from a state of the execution to the next one.
    let steps_from = |position: usize| {
        let until = walk.states.get(position + 1).map_or(walk.taken.len(), |(n_before, _)| *n_before);
        &walk.taken[walk.states[position].0..until]
    };
    let mut taken: Vec<Taken> = Vec::new();
    let mut loop_start = None;
    for (at, position) in beside.positions.iter().enumerate() {
        if beside.loop_from == Some(at) {
            loop_start = Some(n_told(&taken));
        }
        if at + 1 < beside.positions.len() || beside.loop_from.is_some() {
            taken.extend_from_slice(steps_from(*position));
        }
    }
    if matches!(fault, Some(ProductFault::StepFault)) {
        let last = beside.positions.last().expect("there should be a first state");
        taken.extend(way(&machine, &states[*last], |_, fault| fault.is_some()).ok_or(Impossible::NoWay)?);
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
        watch: LivenessProperty,
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
            LivenessProperty::Claim(claim) => {
                let claim = &self.model.claims[claim];
                let message = match (&claim.formula, fault) {
                    (_, Some(ProductFault::ClaimFault(fault))) if fault.kind == FaultKind::ClaimEffect => {
                        let message = "a claim does more than look at the model, which is not followed here".to_owned();
                        let finding = self.finding(ViolationKind::Ltl, claim.span, None, &[], message);
                        return Finding { is_unknown: true, ..finding };
                    }
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
            LivenessProperty::Accepted => {
                let message = format!("accepted states are visited infinitely often{then}");
                self.at_loop(ViolationKind::Ltl, message, taken, loop_start)
            }
            LivenessProperty::NonProgress => {
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
