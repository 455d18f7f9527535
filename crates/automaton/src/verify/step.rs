//! Rules about transitions.

use super::Verifier;
use super::expr::{Context, MaySpawn};
use crate::{Automaton, Expr, Location, ProctypeId, Receive, Step, Transition};

impl Verifier<'_> {
    pub(super) fn transition(
        &mut self,
        automaton: &Automaton,
        location: &Location,
        transition: &Transition,
        proctype: Option<ProctypeId>,
    ) {
        let is_end = transition.step == Step::End;
        self.require(transition.target.is_none() == is_end, 8, || match is_end {
            true => "a process that ends goes somewhere".to_owned(),
            false => "a transition without a target".to_owned(),
        });
        for target in transition.target.iter().chain(&transition.escape) {
            self.target(automaton, *target);
        }
        if let Some(target) = transition.target.and_then(|target| automaton.locations.get(target)) {
            let is_entered = target.is_in_d_step && !location.is_in_d_step;
            self.require(!is_entered, 15, || "a transition leads into a d_step".to_owned());
        }
        let is_inside = location.is_in_d_step;
        self.require(!is_inside || !is_end, 15, || "a process ends inside a d_step".to_owned());
        self.step(automaton, &transition.step, is_inside, proctype);
    }

    fn step(&mut self, automaton: &Automaton, step: &Step, is_in_d_step: bool, proctype: Option<ProctypeId>) {
        let looking = Context { proctype, may_spawn: MaySpawn::No };
        // Only processes make others.
        let may_spawn = if proctype.is_some() { MaySpawn::Yes } else { MaySpawn::No };
        let acting = Context { proctype, may_spawn };
        match step {
            Step::Skip | Step::Else | Step::End => {}
            Step::Condition(expr) | Step::Assert(expr) => self.expr(expr, acting),
            Step::Assign(place, expr) => {
                self.place(place, looking);
                self.expr(expr, acting);
            }
            Step::Send { channel, args, .. } => {
                self.expr(channel, looking);
                self.exprs(args, acting);
            }
            Step::Receive(receive) => self.receive(receive, looking),
            Step::Printf(_, args) => self.exprs(args, acting),
            Step::Printm(expr, set) => {
                self.expr(expr, acting);
                self.mtype(*set);
            }
            Step::SetPriority(pid, priority) => {
                self.expr(pid, acting);
                self.expr(priority, acting);
                self.require(self.model.has_priority, 16, || {
                    "the model does not say that it has priorities".to_owned()
                });
            }
            Step::Code(piece) => self.piece(*piece, false),
            Step::DStep(start) => {
                self.require(!is_in_d_step, 15, || "a d_step inside another one".to_owned());
                self.d_step(automaton, *start);
            }
        }
    }

    fn exprs(&mut self, exprs: &[Expr], context: Context) {
        exprs.iter().for_each(|expr| self.expr(expr, context));
    }

    pub(super) fn receive(&mut self, receive: &Receive, context: Context) {
        self.expr(&receive.channel, context);
        for arg in &receive.args {
            match arg {
                crate::Match::Store(place) => self.place(place, context),
                crate::Match::Equal(expr) => self.expr(expr, context),
            }
        }
    }
}
