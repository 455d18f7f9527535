//! Trace assertions (`trace`, `notrace`): an automaton that observes the sends and receives on its channels.
//!
//! Every send to a channel that the automaton sends to somewhere, and every receive from one that it receives from, is
//! an event. A `trace` has to be able to follow all of them; a `notrace` must not come to its end, and gives up at the
//! first event that it cannot follow. Where it stands is part of the state; 0 is its end.

use unpick_base::Span;

use super::work::Work;
use super::{Fault, FaultKind, Machine};
use crate::{Automaton, Expr, LocationId, Match, Step, Transition};

/// A message that is sent or received.
pub(super) struct Event<'a> {
    pub(super) is_send: bool,
    pub(super) channel: usize,
    pub(super) message: &'a [i32],
    /// The statement of the process.
    pub(super) span: Span,
}

impl Machine<'_> {
    /// Where the trace begins.
    pub(super) fn start_trace(&self, work: &mut Work) {
        if let Some((_, automaton)) = self.model.traces.first() {
            work.set_trace(automaton.start.map_or(LocationId(0), |start| settled(automaton, start)));
        }
    }

    /// Whether the trace may stay where it is.
    pub(super) fn is_trace_over(&self, work: &Work) -> bool {
        self.model.traces.first().is_none_or(|(_, automaton)| {
            let at = work.trace();
            at == LocationId(0) || automaton.locations[at].is_end
        })
    }

    /// The trace follows an event.
    pub(super) fn follow(&self, work: &mut Work, process: u8, event: &Event) -> Result<(), Fault> {
        let Some((is_negated, automaton)) = self.model.traces.first() else { return Ok(()) };
        let mut transitions = automaton.locations.iter().flat_map(|location| &location.transitions);
        let mut is_meant = false;
        while let (Some(transition), false) = (transitions.next(), is_meant) {
            is_meant = self.is_of_channel(work, process, transition, event)?;
        }
        if !is_meant {
            return Ok(());
        }
        let mut targets = Vec::new();
        let at = work.trace();
        if at != LocationId(0) {
            for transition in &automaton.locations[at].transitions {
                let is_followed = self.is_of_channel(work, process, transition, event)?
                    && self.has_fields(work, process, transition, event.message)?;
                if is_followed {
                    targets.push(transition.target.map_or(LocationId(0), |target| settled(automaton, target)));
                }
            }
        }
        let mut wrong = |kind: FaultKind| work.faults.push(Fault { kind, span: event.span });
        match (&targets[..], is_negated) {
            ([], false) => wrong(FaultKind::Trace),
            ([], true) => work.set_trace(LocationId(0)),
            ([target], _) => {
                if *is_negated && *target == LocationId(0) {
                    wrong(FaultKind::NoTrace);
                }
                work.set_trace(*target);
            }
            (_, _) => wrong(FaultKind::TraceChoice),
        }
        Ok(())
    }

    /// Whether the transition is about sends to, or receives from, the channel of the event.
    fn is_of_channel(
        &self,
        work: &mut Work,
        process: u8,
        transition: &Transition,
        event: &Event,
    ) -> Result<bool, Fault> {
        let channel = match &transition.step {
            Step::Send { channel, .. } if event.is_send => channel,
            Step::Receive(receive) if !event.is_send => &receive.channel,
            _ => return Ok(false),
        };
        Ok(self.channel(work, process, channel)? == event.channel)
    }

    /// Whether the message has the fields that the transition asks for; variables stand for anything.
    fn has_fields(
        &self,
        work: &mut Work,
        process: u8,
        transition: &Transition,
        message: &[i32],
    ) -> Result<bool, Fault> {
        let wanted: Vec<Option<&Expr>> = match &transition.step {
            Step::Send { args, .. } => args.iter().map(|arg| matches!(arg, Expr::Const(_)).then_some(arg)).collect(),
            Step::Receive(receive) => receive
                .args
                .iter()
                .map(|arg| match arg {
                    Match::Equal(expr) => Some(expr),
                    Match::Store(_) => None,
                })
                .collect(),
            _ => return Ok(false),
        };
        for (expr, value) in wanted.into_iter().zip(message) {
            if let Some(expr) = expr
                && self.eval(work, process, expr)? != *value
            {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// The location, or the end if there is nothing to follow from it on.
fn settled(automaton: &Automaton, location: LocationId) -> LocationId {
    let goes_on = automaton.locations[location].transitions.iter().any(|transition| transition.step != Step::End);
    if goes_on { location } else { LocationId(0) }
}
