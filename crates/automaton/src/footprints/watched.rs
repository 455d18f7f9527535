//! Visibility (Peled 1993): what a claim sees of a model. Visible steps have to be followed in every order.
//!
//! A claim is like one more process that may read at any time what its propositions read. Propositions about where a process
//! is, and labels that are accepted or progress, are seen when a process comes to such a location or leaves it.

use crate::LivenessProperty;
use crate::{Automaton, Claim, Expr, Location, LocationId, Model, Place, Step};
use unpick_base::id::Id as _;

use super::finder::Finder;
use super::places::places_of;
use super::{COUNT, Footprint, PROCESSES, inner_start};

/// The claim, if there is one.
pub(super) fn claim(model: &Model, watch: Option<LivenessProperty>) -> Option<&Claim> {
    match watch {
        Some(LivenessProperty::Claim(claim)) => model.claims.get(claim),
        Some(LivenessProperty::Accepted | LivenessProperty::NonProgress) | None => None,
    }
}

/// The expressions of a claim.
fn expressions(claim: &Claim) -> impl Iterator<Item = &Expr> {
    let transitions = claim.automaton.locations.iter().flat_map(|location| &location.transitions);
    transitions.filter_map(|transition| match &transition.step {
        Step::Condition(expr) | Step::Assert(expr) => Some(expr),
        _ => None,
    })
}

/// Calls for every place that a claim looks at.
pub(super) fn for_each_place(claim: &Claim, visit: &mut dyn FnMut(&Place)) {
    expressions(claim).for_each(|expr| places_of(expr, visit));
}

impl Finder<'_> {
    /// What a claim looks at, whenever it likes.
    pub(super) fn claim(&mut self, claim: &Claim) -> Footprint {
        let mut access = Footprint::default();
        for expr in expressions(claim) {
            let was_blind = self.is_blind;
            self.is_watching = false;
            self.expr(expr, &mut access);
            // Where processes are is told by locations; anything else that is not a value is not seen here.
            let mut is_blind = was_blind || self.is_watching;
            let mut pids = Vec::new();
            expr.visit(&mut |expr| match expr {
                Expr::RemoteLabel(_, pid, _) | Expr::RemoteVar(_, pid, _) => {
                    access.reads.insert(PROCESSES);
                    access.writes.insert(PROCESSES);
                    access.writes.insert(COUNT);
                    pids.extend(pid.as_deref().cloned());
                }
                Expr::Last
                | Expr::Priority
                | Expr::Enabled(_)
                | Expr::GetPriority(_)
                | Expr::PcValue(_)
                | Expr::NonProgress => is_blind = true,
                _ => {}
            });
            self.is_blind = is_blind;
            pids.iter().for_each(|pid| self.expr(pid, &mut access));
        }
        access
    }
}

/// Locations, by process type, at which it is seen that a process is there.
pub(super) fn seen(model: &Model, watch: Option<LivenessProperty>) -> Vec<Vec<bool>> {
    let is_seen = |location: &Location| match watch {
        None => false,
        Some(LivenessProperty::NonProgress) => location.is_progress,
        Some(LivenessProperty::Claim(_) | LivenessProperty::Accepted) => location.is_accept,
    };
    let flags = |automaton: &Automaton| automaton.locations.iter().map(is_seen).collect();
    let mut seen: Vec<Vec<bool>> = model.proctypes.iter().map(|proctype| flags(&proctype.automaton)).collect();
    for expr in claim(model, watch).into_iter().flat_map(expressions) {
        expr.visit(&mut |expr| match expr {
            Expr::RemoteLabel(proctype, _, location) => seen[proctype.index()][location.index()] = true,
            Expr::RemoteVar(proctype, _, _) => seen[proctype.index()].fill(true),
            _ => {}
        });
    }
    seen
}

/// Whether a step from a location may change what is seen.
pub(super) fn is_visible(automaton: &Automaton, at: LocationId, seen: &[bool]) -> bool {
    if seen.iter().all(|is_seen| !is_seen) {
        return false;
    }
    let mut reached = vec![false; automaton.locations.len()];
    let mut waiting = vec![at];
    reached[at.index()] = true;
    while let Some(from) = waiting.pop() {
        if seen[from.index()] {
            return true;
        }
        let location = &automaton.locations[from];
        for transition in &location.transitions {
            // Inside an `atomic` or `d_step` a process comes to many locations; it may stay at any that it comes to.
            let goes_on = transition.is_atomic || location.is_in_d_step || inner_start(transition).is_some();
            for target in [transition.target, inner_start(transition)].into_iter().flatten() {
                if seen[target.index()] {
                    return true;
                }
                if goes_on && !std::mem::replace(&mut reached[target.index()], true) {
                    waiting.push(target);
                }
            }
        }
    }
    false
}
