//! Calls: a process that is waited for, or the body in place.

use std::collections::HashMap;

use unpick_front_c::ast::ExprId;
use unpick_front_promela::syntax::{
    At, Block, ChannelInit, Decl, Expr, ExprKind as To, Name, Receive, ReceiveArg, Step, StmtKind, TypeName, Unit,
    VarInit,
};

use super::control::{append, condition, push};
use super::embedded::Place;
use super::process::plain_decl;
use super::{Exit, Frame, Process, Writer};
use crate::code::{FragmentId, FunctionId};
use crate::effect::ObjectId;
use crate::embed::code_step;
use crate::plan::Treatment;
use crate::shape::Shape;
use crate::translate::{at, int, step, var, var_ref};

/// SPIN takes 255 declarations of channels, of which others may need some.
const MAX_CHANNELS: usize = 200;

impl Writer<'_> {
    /// A call of a function with a body; its result goes to `place`.
    pub(super) fn call(
        &mut self,
        id: FragmentId,
        function: FunctionId,
        args: &[ExprId],
        place: Option<Place>,
        frame: &mut Frame,
        process: &mut Process,
    ) -> Block {
        match self.plan.treatment(function) {
            Treatment::Callable => self.run_and_wait(id, function, args, place, frame, process),
            Treatment::Process if self.plan.is_recursive(function) => {
                self.run_and_wait(id, function, args, place, frame, process)
            }
            Treatment::Inline | Treatment::Process | Treatment::Unused => {
                self.inlined(id, function, args, place, frame, process)
            }
            Treatment::Abstract => Block::new(),
        }
    }

    fn run_and_wait(
        &mut self,
        id: FragmentId,
        function: FunctionId,
        args: &[ExprId],
        place: Option<Place>,
        frame: &mut Frame,
        process: &mut Process,
    ) -> Block {
        let name = self.callable_name(function);
        process.names.reserve(&name);
        let back = match self.shared_back.as_ref().or(process.back.as_ref()) {
            Some(back) => back.clone(),
            None => {
                let back = process.names.fresh("returned");
                process.back = Some(back.clone());
                process.decls.push(back_channel(&back, 0));
                back
            }
        };
        if self.context.embedding.is_some() {
            return self.c_run_and_wait(id, function, args, place, &name, &back, frame, process);
        }
        let mut values = Vec::new();
        let item = &self.context.code.functions[function];
        let unit = self.context.code.fragments[id].unit;
        for (param, arg) in item.params.iter().zip(args) {
            let held = self.context.object(item.unit, *param).filter(|object| !self.is_lost(*object));
            if held.is_none() || !matches!(self.context.variable(item.unit, *param), Ok(Shape::Scalar(_))) {
                continue;
            }
            let value = self.translated(unit, frame, |translator| translator.expr(*arg));
            values.push(value.unwrap_or_else(|_| {
                self.untranslated.insert(id);
                int(0)
            }));
        }
        values.push(self.return_channel(&back));
        let run = condition(at(To::Run { name, args: values, priority: None }));
        let arg = match place {
            Some(Place::Promela(place)) => ReceiveArg::Var(place),
            Some(Place::C(_)) | None => ReceiveArg::Var(var_ref(Name::from("_"))),
        };
        let mut block = vec![run, self.receive(back, arg)];
        self.mark(&mut block, id, frame);
        block
    }

    /// The same where values go through the records of processes.
    #[allow(clippy::too_many_arguments)]
    fn c_run_and_wait(
        &mut self,
        id: FragmentId,
        function: FunctionId,
        args: &[ExprId],
        place: Option<Place>,
        name: &Name,
        back: &Name,
        frame: &mut Frame,
        process: &mut Process,
    ) -> Block {
        let child = self.helper("child", TypeName::Byte, process);
        let (variable, _) = self.c_record(function, name);
        let record = format!("{variable}[P{}->{}]", frame.proctype, child.name);
        let signature = self.signature(function, true);
        let item = &self.context.code.functions[function];
        let unit = self.context.code.fragments[id].unit;
        let (mut values, mut given) = (Vec::new(), Vec::new());
        for ((param, arg), member) in item.params.iter().zip(args).zip(&signature.params) {
            if let Some(member) = member {
                let text = self
                    .translated(unit, frame, |translator| translator.embedder.ok_or("is not held as C")?.text(*arg));
                given.extend(text.ok().map(|text| format!("{record}.{member} = {text}")));
            } else if self.is_param_held(item.unit, *param) {
                let value = self.translated(unit, frame, |translator| translator.expr(*arg));
                values.push(value.unwrap_or_else(|_| int(0)));
            }
        }
        values.push(self.return_channel(back));
        let run = at(To::Run { name: name.clone(), args: values, priority: None });
        let mut start = vec![step(StmtKind::Assign(child, run))];
        if !given.is_empty() {
            start.push(code_step(&given.join("; ")));
        }
        let arg = ReceiveArg::Var(var_ref(Name::from("_")));
        let mut end = vec![self.receive(back.clone(), arg)];
        if let (Some(place), Some(member)) = (&place, &signature.result) {
            end.push(self.moved(place, &Place::C(format!("{record}.{member}"))));
        }
        // Dead variables would only tell states apart.
        if signature.result.is_some() || !given.is_empty() {
            end.push(code_step(&format!("memset(&{record}, 0, sizeof({record}))")));
        }
        let mut block = vec![step(StmtKind::Atomic(start)), step(StmtKind::Atomic(end))];
        self.mark(&mut block, id, frame);
        block
    }

    /// The return channel that a called process gets.
    pub(super) fn return_channel(&self, back: &Name) -> Expr {
        match self.shared_back {
            Some(_) => var(Name::from("_pid")),
            None => var(back.clone()),
        }
    }

    /// Waits for a function's end and for what it returns.
    pub(super) fn receive(&self, back: Name, arg: ReceiveArg) -> Step {
        let mut args = vec![arg];
        if self.shared_back.is_some() {
            args.insert(0, ReceiveArg::Eval(var(Name::from("_pid"))));
        }
        step(StmtKind::Receive(Receive { channel: var_ref(back), is_random: false, is_copy: false, args }))
    }

    /// One channel for all functions that others wait for, where SPIN would not take one for each.
    pub(super) fn share_back(&mut self) {
        let waits = |treatment: Treatment| matches!(treatment, Treatment::Callable | Treatment::Process);
        if self.plan.treatments().filter(|(_, treatment)| waits(*treatment)).count() <= MAX_CHANNELS {
            return;
        }
        let name = self.names.fresh("returned");
        let mut decl = plain_decl(TypeName::Chan, name.clone());
        let fields = vec![TypeName::Byte, TypeName::Int];
        decl.vars[0].init = Some(VarInit::Channel(ChannelInit { capacity: int(0), fields, at: At::default() }));
        self.units.push(Unit::Decl(decl));
        self.shared_back = Some(name);
    }

    pub(super) fn inlined(
        &mut self,
        id: FragmentId,
        function: FunctionId,
        args: &[ExprId],
        place: Option<Place>,
        frame: &mut Frame,
        process: &mut Process,
    ) -> Block {
        let item = &self.context.code.functions[function];
        let call_unit = self.context.code.fragments[id].unit;
        self.row_declarations(function, process);
        let label = process.names.fresh(&format!("return_{}", item.name));
        let result = place.is_some().then(|| self.result_variable(function, process)).flatten();
        let mut inner = Frame {
            function,
            names: HashMap::new(),
            c_names: HashMap::new(),
            proctype: frame.proctype.clone(),
            labels: HashMap::new(),
            exit: Exit::Inline { label: label.clone(), is_used: false, result: result.clone() },
            targets: Vec::new(),
            comments: Vec::new(),
            is_at_top: false,
        };
        let mut block = Block::new();
        for (param, arg) in item.params.iter().zip(args) {
            let Some(object) = self.context.object(item.unit, *param) else { continue };
            if self.is_lost(object) {
                continue;
            }
            if self.context.is_embedded(item.unit, *param) {
                let place = self.c_local(item.unit, *param, &mut inner, process);
                let given = self.translated(call_unit, frame, |translator| {
                    translator.embedder.ok_or("is not held as C")?.assigned(&place, *arg)
                });
                append(&mut block, given.unwrap_or_default());
                continue;
            }
            let Ok(shape @ Shape::Scalar(_)) = self.context.variable(item.unit, *param) else { continue };
            let value = self.translated(call_unit, frame, |translator| {
                // The parameter itself cuts what it gets; what stands for it does not.
                Ok((translator.cut_into(*arg, &shape)?, translator.expr(*arg)?))
            });
            let Ok((value, whole)) = value else {
                self.untranslated.insert(id);
                continue;
            };
            // Constants need no copy; copies would also tell states apart that are the same.
            if let Some(name) = self.unchanged(function, object, &whole, frame) {
                inner.names.insert(*param, name);
                continue;
            }
            let name = self.local(item.unit, *param, &shape, &mut inner, process);
            push(&mut block, step(StmtKind::Assign(var_ref(name), value)));
        }
        let text = self.context.code.fragments[id].text.clone();
        if block.is_empty() {
            inner.comments.append(&mut frame.comments);
            inner.comments.push(text);
        } else {
            self.mark(&mut block, id, frame);
        }
        self.temporaries(function, &mut inner, process);
        let nodes = &self.context.code.functions[function].body;
        let mut body = self.nodes(nodes, &mut inner, process);
        if let Exit::Inline { is_used, .. } = inner.exit {
            self.end(&mut body, label, is_used, Block::new());
        }
        append(&mut block, body);
        let place = place.filter(|place| result.as_ref().is_none_or(|result| place != result));
        if let (Some(place), Some(result)) = (place, result) {
            let mut last = vec![self.moved(&place, &result)];
            self.mark(&mut last, id, frame);
            append(&mut block, last);
        }
        frame.comments.append(&mut inner.comments);
        block
    }

    /// What a parameter can be called if it never changes: the caller's local object, or a constant.
    pub(super) fn unchanged(&self, function: FunctionId, param: ObjectId, value: &Expr, frame: &Frame) -> Option<Name> {
        let code = self.context.code;
        let fragments = crate::plan::fragments(&code.functions[function].body);
        if fragments.iter().any(|id| code.fragments[*id].effects.defs.contains(&param)) {
            return None;
        }
        match &value.kind {
            To::Literal(number, _) if *number >= 0 => Some(Name::from(number.to_string())),
            To::Var(var) if var.index.is_none() && var.field.is_none() => {
                let is_constant = self.context.constants.contains_key(&*var.name);
                let is_local = frame.names.values().any(|name| *name == var.name);
                (is_constant || is_local).then(|| var.name.clone())
            }
            _ => None,
        }
    }
}

/// A channel for what functions return.
pub(super) fn back_channel(name: &Name, capacity: i32) -> Decl {
    let mut decl = plain_decl(TypeName::Chan, name.clone());
    let init = ChannelInit { capacity: int(capacity), fields: vec![TypeName::Int], at: At::default() };
    decl.vars[0].init = Some(VarInit::Channel(init));
    decl
}
