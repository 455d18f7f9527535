//! Walk over all places that a process type names: variables are cut into cells at the borders of these accesses.

use crate::{Expr, FrameInit, Match, Place, Proctype, Receive, Step};

/// Calls for every place that occurs in the processes of a type.
pub(super) fn for_each_place(proctype: &Proctype, visit: &mut dyn FnMut(&Place)) {
    if let Some(condition) = &proctype.provided {
        places_of(condition, visit);
    }
    for init in &proctype.frame.init {
        if let FrameInit::Value(_, expr) = init {
            places_of(expr, visit);
        }
    }
    for transition in proctype.automaton.locations.iter().flat_map(|location| &location.transitions) {
        match &transition.step {
            Step::Condition(expr) | Step::Assert(expr) | Step::Printm(expr, _) => places_of(expr, visit),
            Step::Assign(place, expr) => {
                place_and_indices(place, visit);
                places_of(expr, visit);
            }
            Step::Send { channel, args, .. } => {
                places_of(channel, visit);
                args.iter().for_each(|arg| places_of(arg, visit));
            }
            Step::Receive(receive) => places_of_receive(receive, visit),
            Step::Printf(_, args) => args.iter().for_each(|arg| places_of(arg, visit)),
            Step::SetPriority(pid, priority) => {
                places_of(pid, visit);
                places_of(priority, visit);
            }
            Step::Skip | Step::Else | Step::Code(_) | Step::DStep(_) | Step::End => {}
        }
    }
}

fn place_and_indices(place: &Place, visit: &mut dyn FnMut(&Place)) {
    visit(place);
    place.indices.iter().for_each(|index| places_of(&index.expr, visit));
}

fn places_of_receive(receive: &Receive, visit: &mut dyn FnMut(&Place)) {
    places_of(&receive.channel, visit);
    for arg in &receive.args {
        match arg {
            Match::Store(place) => place_and_indices(place, visit),
            Match::Equal(expr) => places_of(expr, visit),
        }
    }
}

pub(super) fn places_of(expr: &Expr, visit: &mut dyn FnMut(&Place)) {
    match expr {
        Expr::Load(place) => place_and_indices(place, visit),
        Expr::Unary(_, operand)
        | Expr::Len(operand)
        | Expr::Probe(_, operand)
        | Expr::Enabled(operand)
        | Expr::GetPriority(operand)
        | Expr::PcValue(operand) => places_of(operand, visit),
        Expr::Binary(_, left, right) => {
            places_of(left, visit);
            places_of(right, visit);
        }
        Expr::Conditional(parts) => {
            places_of(&parts.0, visit);
            places_of(&parts.1, visit);
            places_of(&parts.2, visit);
        }
        Expr::Run(run) => run.args.iter().for_each(|arg| places_of(arg, visit)),
        Expr::Poll(receive) => places_of_receive(receive, visit),
        Expr::RemoteLabel(_, pid, _) => pid.iter().for_each(|pid| places_of(pid, visit)),
        Expr::RemoteVar(_, pid, place) => {
            pid.iter().for_each(|pid| places_of(pid, visit));
            place_and_indices(place, visit);
        }
        Expr::Const(_)
        | Expr::Pid
        | Expr::ProcessCount
        | Expr::Last
        | Expr::Priority
        | Expr::Timeout
        | Expr::NonProgress
        | Expr::Code(..) => {}
    }
}
