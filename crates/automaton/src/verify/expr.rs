//! Rules about expressions and places.

use super::Verifier;
use crate::text::MAX_NESTING;
use crate::{Expr, Place, ProctypeId, Run, Scope};

/// Where an expression stands.
#[derive(Clone, Copy)]
pub(super) struct Context {
    /// The type of the process that evaluates it; none if no process does.
    pub(super) proctype: Option<ProctypeId>,
    pub(super) may_spawn: MaySpawn,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum MaySpawn {
    Yes,
    No,
}

impl Context {
    /// As the context, but where no process may be made.
    fn looking(self) -> Self {
        Self { may_spawn: MaySpawn::No, ..self }
    }
}

impl Verifier<'_> {
    pub(super) fn expr(&mut self, expr: &Expr, context: Context) {
        self.nested(expr, context, 0);
    }

    fn nested(&mut self, expr: &Expr, context: Context, level: u32) {
        if level >= MAX_NESTING {
            return self.require(false, 18, || format!("an expression of more than {MAX_NESTING} levels"));
        }
        let (looking, level) = (context.looking(), level + 1);
        match expr {
            Expr::Const(_) | Expr::Pid | Expr::ProcessCount | Expr::Timeout | Expr::NonProgress => {}
            Expr::Load(place) => self.indexed(place, context, level),
            Expr::Last => {
                self.require(self.model.has_last, 16, || "the model does not say that it has _last".to_owned())
            }
            Expr::Priority => self.priorities(),
            Expr::Unary(_, operand) => self.nested(operand, context, level),
            Expr::Binary(_, left, right) => {
                self.nested(left, context, level);
                self.nested(right, context, level);
            }
            Expr::Conditional(parts) => {
                [&parts.0, &parts.1, &parts.2].into_iter().for_each(|part| self.nested(part, context, level));
            }
            Expr::Run(run) => self.run(run, context, level),
            Expr::Len(operand) | Expr::Probe(_, operand) | Expr::Enabled(operand) | Expr::PcValue(operand) => {
                self.nested(operand, looking, level);
            }
            Expr::GetPriority(operand) => {
                self.nested(operand, looking, level);
                self.priorities();
            }
            Expr::Poll(receive) => self.receive(receive, looking),
            Expr::RemoteLabel(proctype, pid, location) => {
                pid.iter().for_each(|pid| self.nested(pid, looking, level));
                let automaton = self.model.proctypes.get(*proctype).map(|proctype| &proctype.automaton);
                let is_there = automaton.is_some_and(|automaton| automaton.locations.get(*location).is_some());
                self.require(is_there, 7, || format!("there is no {location:?} in {proctype:?}"));
            }
            Expr::RemoteVar(proctype, pid, place) => {
                pid.iter().for_each(|pid| self.nested(pid, looking, level));
                let frame = self.model.proctypes.get(*proctype).map(|proctype| proctype.frame.size);
                let is_local = place.scope == Scope::Local && frame.is_some();
                self.require(is_local, 9, || format!("a remote variable that is not local to {proctype:?}"));
                self.bounds(place, frame.unwrap_or(0));
                place.indices.iter().for_each(|index| self.nested(&index.expr, looking, level));
            }
            Expr::Code(piece, _) => self.piece(*piece, true),
        }
    }

    fn priorities(&mut self) {
        self.require(self.model.has_priority, 16, || "the model does not say that it has priorities".to_owned());
    }

    fn run(&mut self, run: &Run, context: Context, level: u32) {
        self.require(context.may_spawn == MaySpawn::Yes, 13, || "a run where only values are looked at".to_owned());
        self.require(run.priority != 0, 14, || "a run with priority 0".to_owned());
        match self.model.proctypes.get(run.proctype) {
            Some(proctype) => self.require(proctype.params.len() == run.args.len(), 11, || {
                format!("a run with {} arguments for {} parameters", run.args.len(), proctype.params.len())
            }),
            None => self.require(false, 13, || format!("there is no {:?} to run", run.proctype)),
        }
        run.args.iter().for_each(|arg| self.nested(arg, context, level));
    }

    pub(super) fn place(&mut self, place: &Place, context: Context) {
        self.indexed(place, context, 0);
    }

    fn indexed(&mut self, place: &Place, context: Context, level: u32) {
        let size = match place.scope {
            Scope::Global => Some(self.model.globals.size),
            Scope::Hidden => Some(self.model.hidden_size),
            Scope::Local => {
                let frame = context.proctype.and_then(|proctype| self.model.proctypes.get(proctype));
                self.require(frame.is_some(), 9, || "a local place where there is no process".to_owned());
                frame.map(|proctype| proctype.frame.size)
            }
            Scope::Nowhere => Some(1 << 30),
        };
        if let Some(size) = size {
            self.bounds(place, size);
        }
        place.indices.iter().for_each(|index| self.nested(&index.expr, context.looking(), level));
    }

    fn bounds(&mut self, place: &Place, size: u32) {
        self.scalar(place.scalar);
        let mut end = u64::from(place.offset) + u64::from(place.scalar.size());
        for index in &place.indices {
            self.require(index.count > 0, 9, || "an index without values".to_owned());
            let reach = u64::from(index.count.saturating_sub(1)) * u64::from(index.stride);
            end = end.saturating_add(reach);
        }
        self.require(end <= u64::from(size), 9, || format!("a place that ends at byte {end} of {size}"));
    }
}
