//! Name resolution in expressions.

use unpick_base::Span;

use super::{ContextKind, Sema, Type};
use crate::syntax::{self, ExprKind, Name, ReceiveArg, VarRef};
use unpick_automaton::{ChannelTypeId, Expr, Match, Place, Receive, Run};

impl Sema<'_> {
    /// The value of an expression.
    pub(super) fn value(&mut self, expr: &syntax::Expr) -> Option<Expr> {
        let span = expr.at.0;
        match &expr.kind {
            ExprKind::Literal(value, _) => Some(Expr::Const(*value)),
            ExprKind::Var(var) => self.load(var),
            ExprKind::Unary(operator, operand) => {
                let operand = self.number(operand);
                let operator = operator.arithmetic().or_else(|| self.below_ordinary(span));
                Some(Expr::Unary(operator?, Box::new(operand?)))
            }
            ExprKind::Binary(operator, left, right) => {
                let (left, right) = (self.number(left), self.number(right));
                let operator = operator.arithmetic().or_else(|| self.below_ordinary(span));
                Some(Expr::Binary(operator?, Box::new(left?), Box::new(right?)))
            }
            ExprKind::Conditional(condition, yes, no) => {
                let parts = (self.number(condition), self.value(yes), self.value(no));
                Some(Expr::Conditional(Box::new((parts.0?, parts.1?, parts.2?))))
            }
            ExprKind::Run { name, args, priority } => self.run_expr(name, args, *priority, span),
            ExprKind::Len(var) => Some(Expr::Len(Box::new(self.channel(var)?.0))),
            ExprKind::Probe(probe, var) => Some(Expr::Probe(*probe, Box::new(self.channel(var)?.0))),
            ExprKind::Poll(poll) => Some(Expr::Poll(Box::new(self.receive(poll, span)?))),
            ExprKind::Enabled(pid) => {
                if !self.is_in_claim() {
                    self.warn(span, "`enabled` outside a claim");
                }
                Some(Expr::Enabled(Box::new(self.number(pid)?)))
            }
            ExprKind::GetPriority(pid) => {
                self.model.has_priority = true;
                Some(Expr::GetPriority(Box::new(self.number(pid)?)))
            }
            ExprKind::PcValue(pid) => Some(Expr::PcValue(Box::new(self.number(pid)?))),
            ExprKind::Timeout => Some(Expr::Timeout),
            ExprKind::NonProgress => {
                if !self.is_in_claim() {
                    self.error(span, "`np_` outside a claim");
                }
                Some(Expr::NonProgress)
            }
            ExprKind::RemoteLabel { proctype, pid, label } => self.remote_label(proctype, pid.as_deref(), label, span),
            ExprKind::RemoteVar { proctype, pid, var } => self.remote_var(proctype, pid.as_deref(), var, span),
            ExprKind::Code(code) => Some(Expr::Code(self.piece(code), span)),
        }
    }

    fn below_ordinary<T>(&mut self, span: Span) -> Option<T> {
        self.error(span, "a temporal operator below an ordinary one");
        None
    }

    /// A value that is not the number of a channel.
    pub(super) fn number(&mut self, expr: &syntax::Expr) -> Option<Expr> {
        self.value(expr)
    }

    /// Formulas are claims too, and have no context.
    fn is_in_claim(&self) -> bool {
        self.context.as_ref().is_none_or(|context| context.kind == ContextKind::Claim)
    }

    fn load(&mut self, var: &VarRef) -> Option<Expr> {
        let is_plain = var.index.is_none() && var.field.is_none();
        if is_plain && let Some((_, value)) = self.mtypes.get(&var.name) {
            return Some(Expr::Const(*value));
        }
        match &*var.name {
            "_pid" => return Some(Expr::Pid),
            "_nr_pr" => return Some(Expr::ProcessCount),
            "_last" => {
                self.model.has_last = true;
                return Some(Expr::Last);
            }
            "_priority" => {
                self.model.has_priority = true;
                return Some(Expr::Priority);
            }
            // Whatever is no number stands for anything in a trace.
            "_" if self.context.as_ref().is_some_and(|context| context.kind == ContextKind::Trace) => {
                return Some(Expr::Pid);
            }
            "_" => {
                self.error(var.at.0, "`_` cannot be read");
                return None;
            }
            _ => {}
        }
        let (place, _, _) = self.scalar(var)?;
        Some(Expr::Load(Box::new(place)))
    }

    /// The number of a channel, and what is known of it.
    pub(super) fn channel(&mut self, var: &VarRef) -> Option<(Expr, Option<ChannelTypeId>)> {
        if &*var.name == "STDIN" && self.lookup("STDIN").is_none() {
            return Some((Expr::Const(0), None));
        }
        let (place, ty, channel) = self.scalar(var)?;
        if ty != Type::Chan {
            self.error(var.at.0, format!("`{}` is no channel", var.name));
            return None;
        }
        Some((Expr::Load(Box::new(place)), channel))
    }

    fn run_expr(&mut self, name: &Name, args: &[syntax::Expr], priority: Option<i32>, span: Span) -> Option<Expr> {
        if self.is_in_claim() {
            self.error(span, "`run` outside a process");
            return None;
        }
        let Some(proctype) = self.proctypes.get(name).copied() else {
            self.error(span, format!("process type `{name}` is not declared"));
            return None;
        };
        if self.context.as_ref().is_some_and(|context| context.flow.d_step.is_some()) {
            self.error(span, "`run` inside `d_step`");
        }
        self.model.has_priority |= priority.is_some();
        let priority = self.priority(priority, span);
        let args = self.message(args)?;
        let n_params = self.signatures[proctype.0 as usize].params.len();
        if args.len() != n_params {
            let message = format!("process type `{name}` takes {n_params} arguments, {} given", args.len());
            self.error(span, message);
            return None;
        }
        Some(Expr::Run(Box::new(Run { proctype, args, priority, span })))
    }

    /// Values in a row; records are written out.
    pub(super) fn message(&mut self, args: &[syntax::Expr]) -> Option<Vec<Expr>> {
        let mut values = Some(Vec::new());
        for arg in args {
            let found = match &arg.kind {
                ExprKind::Var(var) if self.is_variable(var) => self.scalars(var).map(load_all),
                _ => self.value(arg).map(|value| vec![value]),
            };
            match (&mut values, found) {
                (Some(values), Some(found)) => values.extend(found),
                _ => values = None,
            }
        }
        values
    }

    fn is_variable(&self, var: &VarRef) -> bool {
        !self.mtypes.contains_key(&var.name) && self.lookup(&var.name).is_some()
    }

    pub(super) fn receive(&mut self, receive: &syntax::Receive, span: Span) -> Option<Receive> {
        let (channel, known) = self.channel(&receive.channel)?;
        let mut args = Vec::new();
        for arg in &receive.args {
            match arg {
                ReceiveArg::Var(var) if &*var.name == "_" => args.push(Match::Store(Self::nowhere())),
                ReceiveArg::Var(var) if matches!(&*var.name, "_pid" | "_nr_pr" | "_last") => {
                    self.error(var.at.0, format!("`{}` cannot be assigned", var.name));
                }
                ReceiveArg::Var(var) => {
                    let places = self.scalars(var)?;
                    let is_twice = |place: &Place| args.contains(&Match::Store(place.clone()));
                    if places.iter().any(is_twice) {
                        self.error(var.at.0, format!("`{}` receives two fields of one message", var.name));
                    }
                    args.extend(places.into_iter().map(Match::Store));
                }
                ReceiveArg::Eval(expr) => {
                    if let ExprKind::Var(var) = &expr.kind
                        && self.is_variable(var)
                    {
                        let places = self.scalars(var)?;
                        args.extend(load_all(places).into_iter().map(Match::Equal));
                        continue;
                    }
                    args.push(Match::Equal(self.value(expr)?));
                }
                ReceiveArg::Const(expr) => args.push(Match::Equal(self.value(expr)?)),
            }
        }
        self.check_fields(known, args.len(), "received", span);
        let (is_random, is_copy) = (receive.is_random, receive.is_copy);
        Some(Receive { channel, is_random, is_copy, args, span })
    }

    /// Compares a message with the channel, if it is known which.
    pub(super) fn check_fields(&mut self, known: Option<ChannelTypeId>, given: usize, how: &str, span: Span) {
        self.messages.push((given, span));
        let Some(known) = known else { return };
        let wanted = self.model.channel_types[known].fields.len();
        if wanted != given {
            let message = format!("the channel's messages have {wanted} fields, {given} are {how}");
            self.warn(span, message);
        }
    }

    fn remote_label(&mut self, name: &Name, pid: Option<&syntax::Expr>, label: &Name, span: Span) -> Option<Expr> {
        let Some(proctype) = self.proctypes.get(name).copied() else {
            self.error(span, format!("process type `{name}` is not declared"));
            return None;
        };
        let is_own = self.owner == Some(proctype);
        if !is_own && !self.signatures[proctype.0 as usize].is_finished {
            self.error(span, format!("process type `{name}` has to be written before its labels are looked at"));
            return None;
        }
        let pid = match pid {
            Some(pid) => Some(Box::new(self.number(pid)?)),
            None => None,
        };
        if is_own {
            // As in SPIN, only what stands above is known.
            let Some(location) = self.flow().remote_label(label) else {
                self.error(span, format!("process type `{name}` has no label `{label}` above its own use of it"));
                return None;
            };
            return Some(Expr::RemoteLabel(proctype, pid, location));
        }
        let owned = |body: &&mut super::Body| matches!(body.owner, super::Owner::Proctype(id) if id == proctype);
        let body = self.bodies.iter_mut().find(owned)?;
        let Some(location) = body.flow.remote_label(label) else {
            self.error(span, format!("process type `{name}` has no label `{label}`"));
            return None;
        };
        Some(Expr::RemoteLabel(proctype, pid, location))
    }

    fn remote_var(&mut self, name: &Name, pid: Option<&syntax::Expr>, var: &VarRef, span: Span) -> Option<Expr> {
        let Some(proctype) = self.proctypes.get(name).copied() else {
            self.error(span, format!("process type `{name}` is not declared"));
            return None;
        };
        let pid = match pid {
            Some(pid) => Some(Box::new(self.number(pid)?)),
            None => None,
        };
        let Some(declared) = self.signatures[proctype.0 as usize].top.get(&var.name).cloned() else {
            self.error(var.at.0, format!("process type `{name}` has no variable `{}`", var.name));
            return None;
        };
        let found = self.find_in(var, &declared)?;
        if found.whole.is_some() || matches!(found.ty, Type::Record(_)) {
            self.error(var.at.0, format!("`{}` is not a single value", var.name));
            return None;
        }
        Some(Expr::RemoteVar(proctype, pid, Box::new(found.place())))
    }

    /// Assigning a constant to a channel, or the name of another set to an `mtype`, is a mistake.
    pub(super) fn check_assigned(&mut self, ty: Type, name: &str, expr: &syntax::Expr) {
        let constant = match &expr.kind {
            ExprKind::Literal(..) => Some(None),
            ExprKind::Var(var) => self.mtypes.get(&var.name).map(|(set, _)| Some(*set)),
            _ => None,
        };
        match (ty, constant) {
            (Type::Chan, Some(_)) => self.error(expr.at.0, format!("channel `{name}` cannot be a constant")),
            (Type::Mtype(wanted), Some(Some(given))) if wanted != given && wanted != 0 => {
                let set = self.model.mtypes[wanted].0.clone();
                self.error(expr.at.0, format!("`{name}` is an `mtype:{set}`, and this is a name of another set"));
            }
            _ => {}
        }
    }
}

fn load_all(places: Vec<Place>) -> Vec<Expr> {
    places.into_iter().map(|place| Expr::Load(Box::new(place))).collect()
}
