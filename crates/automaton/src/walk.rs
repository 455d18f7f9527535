//! Visitors over the expressions of a model.

use super::{Automaton, Expr, Frame, FrameInit, Match, Model, Place, Proctype, Receive, Run, Step};

impl Expr {
    /// Shows an expression and everything below it.
    pub fn visit(&self, see: &mut dyn FnMut(&Expr)) {
        // The copy is what lets one walk serve both; expressions are small.
        self.clone().visit_mut(&mut |expr| see(expr));
    }

    /// Hands an expression and everything below it out to be changed, what is below first.
    pub fn visit_mut(&mut self, change: &mut dyn FnMut(&mut Expr)) {
        match self {
            Expr::Const(_)
            | Expr::Pid
            | Expr::ProcessCount
            | Expr::Last
            | Expr::Priority
            | Expr::Timeout
            | Expr::NonProgress
            | Expr::Code(..) => {}
            Expr::Load(place) => place.visit_mut(change),
            Expr::Unary(_, operand)
            | Expr::Len(operand)
            | Expr::Probe(_, operand)
            | Expr::Enabled(operand)
            | Expr::GetPriority(operand)
            | Expr::PcValue(operand) => operand.visit_mut(change),
            Expr::Binary(_, left, right) => {
                left.visit_mut(change);
                right.visit_mut(change);
            }
            Expr::Conditional(parts) => {
                parts.0.visit_mut(change);
                parts.1.visit_mut(change);
                parts.2.visit_mut(change);
            }
            Expr::Run(run) => {
                let Run { args, .. } = &mut **run;
                args.iter_mut().for_each(|arg| arg.visit_mut(change));
            }
            Expr::Poll(receive) => receive.visit_mut(change),
            Expr::RemoteLabel(_, pid, _) => {
                if let Some(pid) = pid {
                    pid.visit_mut(change);
                }
            }
            Expr::RemoteVar(_, pid, place) => {
                if let Some(pid) = pid {
                    pid.visit_mut(change);
                }
                place.visit_mut(change);
            }
        }
        change(self);
    }
}

impl Place {
    fn visit_mut(&mut self, change: &mut dyn FnMut(&mut Expr)) {
        self.indices.iter_mut().for_each(|index| index.expr.visit_mut(change));
    }
}

impl Receive {
    fn visit_mut(&mut self, change: &mut dyn FnMut(&mut Expr)) {
        self.channel.visit_mut(change);
        for arg in &mut self.args {
            match arg {
                Match::Store(place) => place.visit_mut(change),
                Match::Equal(expr) => expr.visit_mut(change),
            }
        }
    }
}

impl Step {
    fn visit_mut(&mut self, change: &mut dyn FnMut(&mut Expr)) {
        match self {
            Step::Skip | Step::Else | Step::Code(_) | Step::DStep(_) | Step::End => {}
            Step::Condition(expr) | Step::Assert(expr) | Step::Printm(expr, _) => expr.visit_mut(change),
            Step::Assign(place, expr) => {
                place.visit_mut(change);
                expr.visit_mut(change);
            }
            Step::Send { channel, args, .. } => {
                channel.visit_mut(change);
                args.iter_mut().for_each(|arg| arg.visit_mut(change));
            }
            Step::Receive(receive) => receive.visit_mut(change),
            Step::Printf(_, args) => args.iter_mut().for_each(|arg| arg.visit_mut(change)),
            Step::SetPriority(pid, priority) => {
                pid.visit_mut(change);
                priority.visit_mut(change);
            }
        }
    }
}

impl Frame {
    fn visit_mut(&mut self, change: &mut dyn FnMut(&mut Expr)) {
        for init in &mut self.init {
            match init {
                FrameInit::Value(place, expr) => {
                    place.visit_mut(change);
                    expr.visit_mut(change);
                }
                FrameInit::Channel(place, _) => place.visit_mut(change),
            }
        }
    }
}

impl Proctype {
    /// Hands all expressions of its steps out to be changed.
    pub fn visit_mut(&mut self, change: &mut dyn FnMut(&mut Expr)) {
        if let Some(provided) = &mut self.provided {
            provided.visit_mut(change);
        }
        self.automaton.visit_mut(change);
    }
}

impl Automaton {
    /// Shows every place that a step keeps a value in.
    pub fn for_each_written(&self, see: &mut dyn FnMut(&Place)) {
        for transition in self.locations.iter().flat_map(|location| &location.transitions) {
            match &transition.step {
                Step::Assign(place, _) => see(place),
                Step::Receive(receive) => {
                    for arg in &receive.args {
                        if let Match::Store(place) = arg {
                            see(place);
                        }
                    }
                }
                Step::Skip
                | Step::Else
                | Step::Condition(_)
                | Step::Send { .. }
                | Step::Assert(_)
                | Step::Printf(..)
                | Step::Printm(..)
                | Step::SetPriority(..)
                | Step::Code(_)
                | Step::DStep(_)
                | Step::End => {}
            }
        }
    }

    fn visit_mut(&mut self, change: &mut dyn FnMut(&mut Expr)) {
        for location in self.locations.iter_mut() {
            location.transitions.iter_mut().for_each(|transition| transition.step.visit_mut(change));
        }
    }
}

impl Model {
    /// Hands all expressions out to be changed.
    pub fn visit_mut(&mut self, change: &mut dyn FnMut(&mut Expr)) {
        self.globals.visit_mut(change);
        for proctype in self.proctypes.iter_mut() {
            proctype.frame.visit_mut(change);
            proctype.visit_mut(change);
        }
        self.claims.iter_mut().for_each(|claim| claim.automaton.visit_mut(change));
        self.traces.iter_mut().for_each(|(_, automaton)| automaton.visit_mut(change));
    }

    /// The model as it runs beside a claim: SPIN counts the claim among the processes, so that `_nr_pr` is one more.
    pub fn beside_claim(&self) -> Model {
        let mut model = Model { is_beside_claim: true, ..self.clone() };
        model.visit_mut(&mut |expr| {
            if *expr == Expr::ProcessCount {
                let one = Box::new(Expr::Const(1));
                *expr = Expr::Binary(super::Binary::Add, Box::new(Expr::ProcessCount), one);
            }
        });
        model
    }
}
