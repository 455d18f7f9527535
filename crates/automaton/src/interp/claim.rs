//! Steps of claims (never automata): they read the state of the model and change nothing but the location of the claim.

use unpick_base::Span;

use super::work::Work;
use super::{Fault, FaultKind, Machine};
use crate::{LocationId, Step, Transition};

/// Who says so when a claim looks at a state: no process has this number.
const CLAIM: u8 = u8::MAX;

/// In what circumstances a claim looks at a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Look {
    /// The processes are about to move.
    First,
    /// Nothing was possible: `timeout` is true.
    Timeout,
    /// Nothing is possible, and the claim has seen this state before: `timeout` is true, and `np_` is not.
    Stutter,
}

/// One move of a claim.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClaimStep {
    /// Where it goes.
    pub target: u16,
    /// An assertion that failed on the way.
    pub fault: Option<Fault>,
}

impl Machine<'_> {
    /// Adds the moves of a claim (by its position in the model) from a location in a state. After an atomic
    /// transition the claim goes on at once; what it cannot finish it does not begin, but ends on the way count.
    pub fn claim_moves(
        &self,
        state: &[u8],
        claim: usize,
        location: u16,
        look: Look,
        into: &mut Vec<ClaimStep>,
    ) -> Result<(), Fault> {
        let automaton = &self.model.claims[claim].automaton;
        let mut work = Work::new(self.model, state);
        work.is_timeout = look != Look::First;
        work.is_stuttering = look == Look::Stutter;
        let mut seen = vec![LocationId(location.into())];
        let mut at = 0;
        while at < seen.len() {
            let mut can_move = false;
            let mut escape = None;
            for transition in &automaton.locations[seen[at]].transitions {
                let Some(target) = transition.target else { continue };
                if escape.is_some() && transition.escape != escape {
                    break;
                }
                let Some(fault) = self.claim_take(&mut work, transition, can_move)? else { continue };
                can_move = true;
                escape = transition.escape;
                if transition.is_atomic && fault.is_none() && !automaton.locations[target].is_end {
                    if !seen.contains(&target) {
                        seen.push(target);
                    }
                    continue;
                }
                into.push(ClaimStep { target: target.0 as u16, fault });
            }
            at += 1;
        }
        Ok(())
    }

    /// Adds the locations to which a claim can go in a state before the processes move; false if an assertion of
    /// it fails.
    pub fn claim_steps(&self, state: &[u8], claim: usize, location: u16, into: &mut Vec<u16>) -> Result<bool, Fault> {
        let mut moves = Vec::new();
        self.claim_moves(state, claim, location, Look::First, &mut moves)?;
        into.extend(moves.iter().map(|step| step.target));
        Ok(moves.iter().all(|step| step.fault.is_none()))
    }

    /// Whether the transition can be taken, and what went wrong then.
    fn claim_take(
        &self,
        work: &mut Work,
        transition: &Transition,
        can_move: bool,
    ) -> Result<Option<Option<Fault>>, Fault> {
        let span = transition.span;
        let is_taken = match &transition.step {
            Step::Else => !can_move,
            Step::Skip => true,
            Step::Condition(_) | Step::Assert(_) | Step::Printf(..) | Step::Printm(..) => {
                let place = |fault: Fault| match fault.span {
                    Span::NONE => Fault { span, ..fault },
                    _ => fault,
                };
                self.act(work, CLAIM, &transition.step, span).map_err(place)?
            }
            Step::Assign(..)
            | Step::Send { .. }
            | Step::Receive(_)
            | Step::SetPriority(..)
            | Step::Code(_)
            | Step::DStep(_)
            | Step::End => return Err(Fault { kind: FaultKind::ClaimEffect, span }),
        };
        Ok(is_taken.then(|| work.faults.pop()))
    }
}
