//! Generation of processes: functions that run on their own, functions that callers wait for, and inlined bodies.

use std::collections::{BTreeSet, HashMap};

use unpick_front_c::ast::DeclId;
use unpick_front_promela::syntax::{
    Active, At, Block, Decl, ExprKind as To, Init, Name, Proctype, ReceiveArg, Step, Stmt, StmtKind, TypeName, Unit,
    Var, VarRef,
};

use super::call::back_channel;
use super::control::{append, condition, condition_stmt, labelled, over, push};
use super::embedded::Place;
use super::{Exit, Frame, Process, Writer, filled};
use crate::code::FunctionId;
use crate::embed::code_step;
use crate::names::Names;
use crate::shape::Shape;
use crate::translate::{at, falsehood, int, step, truth, var, var_ref};

impl Writer<'_> {
    /// A process type for a function that runs on its own.
    pub(super) fn process(&mut self, function: FunctionId) {
        let name = self.processes[&function].clone();
        let (mut process, mut frame) = self.begin(function, &name, false);
        let params = self.params(function, &mut frame, &mut process);
        self.c_params(function, false, &mut frame, &mut process);
        let mut first = self.prologue(function, &mut frame, &params);
        self.temporaries(function, &mut frame, &mut process);
        let nodes = &self.context.code.functions[function].body;
        let mut body = self.nodes(nodes, &mut frame, &mut process);
        if let Exit::Process { label, is_used } = &frame.exit {
            let (label, is_used) = (label.clone(), *is_used || process.is_stopped);
            let mut last = self.epilogue(function);
            if process.is_left {
                last.push(labelled(process.leave.clone(), Some(condition_stmt(truth()))));
            }
            self.end(&mut body, label, is_used, last);
        }
        let is_single = self.plan.starts.iter().filter(|start| start.function == function).count() == 1;
        let start = self.plan.starts.iter().find(|start| start.function == function);
        let is_active = is_single && !self.needs_start() && start.is_some_and(|start| start.arguments.is_empty());
        let active = start
            .filter(|_| is_active)
            .map(|start| Active { count: (start.count > 1).then(|| int(start.count as i32)) });
        append(&mut first, body);
        self.finish(name, active, params, process, first, function);
    }

    /// Visible effects of the end of a process: threads are joined, and `main` ends them all.
    fn epilogue(&self, function: FunctionId) -> Block {
        let code = self.context.code;
        if code.thread_functions.contains(&function) && self.shows_ends {
            let place =
                VarRef { index: Some(Box::new(var(Name::from("_pid")))), ..var_ref(Name::from("thread_ended")) };
            // Its number is not reused: it stays, where a process may stay.
            let rest = labelled(Name::from("end_of_thread"), Some(condition_stmt(falsehood())));
            return vec![step(StmtKind::Assign(place, truth())), rest];
        }
        if code.functions[function].name == "main" && !code.thread_functions.is_empty() {
            return vec![labelled(Name::from("progress_at_the_end"), Some(over()))];
        }
        Block::new()
    }

    /// Whether processes are started by `init` instead of being active.
    fn needs_start(&self) -> bool {
        self.plan.is_any_start
            || !self.start.is_empty()
            || self
                .plan
                .starts
                .iter()
                .any(|start| !start.arguments.is_empty() || self.plan.is_recursive(start.function))
    }

    /// A process type for a function that callers wait for.
    pub(super) fn callable_process(&mut self, function: FunctionId) {
        if !self.written.insert(function) {
            return;
        }
        let name = self.callable[&function].clone();
        let (mut process, mut frame) = self.begin(function, &name, true);
        let mut params = self.params(function, &mut frame, &mut process);
        self.c_params(function, true, &mut frame, &mut process);
        let mut first = self.prologue(function, &mut frame, &[]);
        let back = process.names.fresh("caller");
        let is_shared = self.shared_back.is_some();
        params.push(plain_decl(if is_shared { TypeName::Byte } else { TypeName::Chan }, back.clone()));
        let result = match self.signature(function, true).result {
            Some(member) => Some(Place::C(format!("{}.{member}", process.base))),
            None => self.result_variable(function, &mut process),
        };
        frame.exit = match frame.exit {
            Exit::Process { label, is_used }
            | Exit::Inline { label, is_used, .. }
            | Exit::Callable { label, is_used, .. } => Exit::Callable { label, is_used, result: result.clone() },
        };
        self.temporaries(function, &mut frame, &mut process);
        let nodes = &self.context.code.functions[function].body;
        let mut body = self.nodes(nodes, &mut frame, &mut process);
        let value = match result {
            Some(Place::Promela(result)) => at(To::Var(result)),
            Some(Place::C(_)) | None => int(0),
        };
        let (channel, args) = match &self.shared_back {
            Some(shared) => (shared.clone(), vec![var(back), value]),
            None => (back, vec![value]),
        };
        let send = step(StmtKind::Send { channel: var_ref(channel), is_sorted: false, args });
        if let Exit::Callable { label, is_used, .. } = &frame.exit {
            self.end(&mut body, label.clone(), *is_used || process.is_stopped, vec![send]);
        }
        append(&mut first, body);
        self.finish(name, None, params, process, first, function);
    }

    fn begin(&mut self, function: FunctionId, proctype: &Name, is_callable: bool) -> (Process, Frame) {
        let code = self.context.code;
        let is_main = code.functions[function].name == "main" && !code.thread_functions.is_empty() && !is_callable;
        let mut process = Process {
            names: self.names.clone(),
            decls: Vec::new(),
            declared: BTreeSet::new(),
            locals: HashMap::new(),
            results: HashMap::new(),
            back: None,
            n_labels: 0,
            finish: Name::from("finish"),
            is_stopped: false,
            leave: Name::from("leave"),
            is_left: false,
            is_main,
            is_callable,
            is_one_of_many: is_callable || !code.thread_functions.is_empty() && !is_main,
            base: if self.context.embedding.is_some() { self.c_record(function, proctype).1 } else { String::new() },
            members: Vec::new(),
            member_names: Names::default(),
            c_locals: HashMap::new(),
            c_values: HashMap::new(),
        };
        process.names.reserve("end_of_thread");
        process.names.reserve("progress_at_the_end");
        process.leave = process.names.fresh("leave");
        let label = process.names.fresh("finish");
        process.finish = label.clone();
        let exit = match is_callable {
            true => Exit::Callable { label, is_used: false, result: None },
            false => Exit::Process { label, is_used: false },
        };
        let frame = Frame {
            function,
            names: HashMap::new(),
            c_names: HashMap::new(),
            proctype: proctype.clone(),
            labels: HashMap::new(),
            exit,
            targets: Vec::new(),
            comments: Vec::new(),
            is_at_top: true,
        };
        self.row_declarations(function, &mut process);
        (process, frame)
    }

    /// What the table declares for a function, at the top of the process that it is part of.
    pub(super) fn row_declarations(&self, function: FunctionId, process: &mut Process) {
        for step in self.rows.declares(&self.context.code.functions[function].name) {
            let Step::Decl(mut decl) = step else { continue };
            decl.vars.retain(|var| process.declared.insert(var.name.clone()));
            decl.vars.iter().for_each(|var| process.names.reserve(&var.name));
            if !decl.vars.is_empty() {
                process.decls.push(decl);
            }
        }
    }

    /// Whether the harness gives a number to a parameter that stays C.
    fn is_given_c(&self, function: FunctionId, unit: usize, param: DeclId) -> bool {
        let params = &self.context.code.functions[function].params;
        let position = params.iter().position(|known| *known == param);
        self.context.is_embedded(unit, param) && position.is_some_and(|at| self.plan.is_given(function, at))
    }

    /// Initialisation of the process's embedded data.
    fn prologue(&mut self, function: FunctionId, frame: &mut Frame, params: &[Decl]) -> Block {
        let mut block = Block::new();
        if self.context.embedding.is_none() {
            return block;
        }
        let item = &self.context.code.functions[function];
        if let Some((count, true)) = self.instances(function) {
            let me = var(Name::from("_pid"));
            let is_there = crate::translate::binary(unpick_front_promela::syntax::Binary::Less, me, int(count as i32));
            block.push(step(StmtKind::Assert(is_there)));
            let text = format!("at most {count} processes run at the same time, which is asserted");
            if !self.c_assumptions.contains(&text) {
                self.c_assumptions.push(text);
            }
        }
        let given = item.params.iter().filter(|param| self.is_given_c(function, item.unit, **param));
        let texts = given.zip(params).filter_map(|(param, decl)| {
            let name = &decl.vars.first()?.name;
            Some(format!("{} = P{}->{name}", frame.c_names.get(param)?, frame.proctype))
        });
        let texts: Vec<String> = texts.collect();
        if !texts.is_empty() {
            block.push(code_step(&texts.join("; ")));
        }
        block
    }

    /// Whether a parameter is one in the model.
    pub(super) fn is_param_held(&self, unit: usize, param: DeclId) -> bool {
        if self.context.is_embedded(unit, param) {
            return self.context.object(unit, param).is_some_and(|object| !self.is_lost(object));
        }
        let object = self.context.object(unit, param);
        let is_number = matches!(self.context.variable(unit, param), Ok(Shape::Scalar(_)));
        object.is_some_and(|object| !self.is_lost(object)) && is_number
    }

    /// Parameters that the model holds.
    fn params(&mut self, function: FunctionId, frame: &mut Frame, process: &mut Process) -> Vec<Decl> {
        let item = &self.context.code.functions[function];
        let mut decls = Vec::new();
        for param in &item.params {
            let Some(object) = self.context.object(item.unit, *param) else { continue };
            if self.is_lost(object) {
                continue;
            }
            let wanted = self.context.interner.name(self.context.code.units[item.unit].decls[*param].name);
            let wanted = if wanted.is_empty() { "unnamed" } else { wanted };
            if self.is_given_c(function, item.unit, *param) {
                let name = process.names.fresh(wanted);
                process.declared.insert(name.clone());
                decls.push(plain_decl(TypeName::Int, name));
                continue;
            }
            let Ok(shape @ Shape::Scalar(_)) = self.context.variable(item.unit, *param) else { continue };
            let name = process.names.fresh(wanted);
            frame.names.insert(*param, name.clone());
            process.declared.insert(name.clone());
            let mut decl = self.decl(&name, &shape);
            // Parameters have no widths.
            if decl.ty == TypeName::Unsigned {
                decl.ty = TypeName::Int;
                decl.vars[0].width = None;
            }
            decls.push(decl);
        }
        decls
    }

    /// Declares the temporary objects of a function that the model mentions.
    pub(super) fn temporaries(&mut self, function: FunctionId, frame: &mut Frame, process: &mut Process) {
        let code = self.context.code;
        let item = &code.functions[function];
        let fragments = crate::plan::fragments(&item.body);
        let declared: BTreeSet<_> = fragments
            .iter()
            .filter_map(|id| match code.fragments[*id].what {
                crate::code::FragmentKind::Declaration(decl) => Some(decl),
                _ => None,
            })
            .collect();
        for local in item.locals.iter().filter(|local| !declared.contains(local)) {
            let Some(object) = self.context.object(item.unit, *local).filter(|object| !self.is_lost(*object)) else {
                continue;
            };
            let is_used = fragments.iter().any(|id| {
                let touches = code.fragments[*id].effects.touched().any(|touched| touched == object);
                touches && !self.decisions.plain[*id].mapping.is_suppressed()
            });
            if is_used && self.context.is_embedded(item.unit, *local) {
                self.c_local(item.unit, *local, frame, process);
            } else if let (Ok(shape), true) = (self.context.variable(item.unit, *local), is_used) {
                self.local(item.unit, *local, &shape, frame, process);
            }
        }
    }

    /// Where a function leaves what it returns, if the model holds it.
    pub(super) fn result_variable(&mut self, function: FunctionId, process: &mut Process) -> Option<Place> {
        let item = &self.context.code.functions[function];
        if self.is_lost(item.result) {
            return None;
        }
        if let Some(place) = process.results.get(&function) {
            return Some(place.clone());
        }
        let wanted = format!("{}_value", item.name);
        let place = if self.context.embedding.is_some() {
            Place::C(self.c_member(&wanted, item.unit, self.c_result(function)?, process))
        } else {
            let unit = &self.context.code.units[item.unit];
            let unpick_front_c::types::Type::Function(ty) = unit.types.get(unit.decls[item.decl].ty.ty) else {
                return None;
            };
            let shape = self.context.shapes.shape(unit, item.unit, ty.ret.ty);
            let Ok(shape @ Shape::Scalar(_)) = shape else { return None };
            let name = process.names.fresh(&wanted);
            let decl = self.decl(&name, &shape);
            process.declared.insert(name.clone());
            process.decls.push(decl);
            Place::Promela(var_ref(name))
        };
        process.results.insert(function, place.clone());
        Some(place)
    }

    /// A jump to the end that stands at the end anyway is no jump.
    pub(super) fn end(&mut self, body: &mut Block, label: Name, is_used: bool, last: Block) {
        let n_jumps = count_jumps(body, &label);
        let is_at_end = matches!(body.last(), Some(step) if is_jump(step, &label));
        if is_at_end {
            body.pop();
        }
        if is_used && n_jumps > usize::from(is_at_end) {
            push(body, labelled(label, None));
        }
        append(body, last);
    }

    fn finish(
        &mut self,
        name: Name,
        active: Option<Active>,
        params: Vec<Decl>,
        process: Process,
        body: Block,
        function: FunctionId,
    ) {
        self.c_finish(function, &name, process.members);
        let mut block: Block = process.decls.into_iter().map(Step::Decl).collect();
        append(&mut block, filled(body));
        self.units.push(Unit::Proctype(Proctype {
            active,
            is_deterministic: false,
            name,
            params,
            priority: None,
            provided: None,
            body: block,
            at: At::default(),
        }));
    }

    /// `init`, if processes need values or one of them is picked.
    pub(super) fn start_process(&mut self) {
        if self.units.is_empty() && self.start.is_empty() {
            // A model without a process is none.
            let body = filled(Block::new());
            return self.units.push(Unit::Init(Init { priority: None, body, at: At::default() }));
        }
        if !self.needs_start() {
            return;
        }
        let mut steps = in_d_steps(std::mem::take(&mut self.start));
        let mut body = Block::new();
        let mut runs: Vec<Step> = Vec::new();
        let is_waiting = self.plan.starts.iter().any(|start| self.plan.is_recursive(start.function));
        let back: Name = self.names.fresh("returned");
        if is_waiting && self.shared_back.is_none() {
            body.push(Step::Decl(back_channel(&back, 1)));
        }
        for start in &self.plan.starts {
            let item = &self.context.code.functions[start.function];
            let given = item.params.iter().zip(&start.arguments);
            let held = given.filter(|(param, _)| self.is_param_held(item.unit, **param));
            let mut arguments: Vec<_> = held.map(|(_, value)| int(*value)).collect();
            let name = match self.processes.get(&start.function) {
                Some(name) => name.clone(),
                None => {
                    arguments.push(self.return_channel(&back));
                    self.callable[&start.function].clone()
                }
            };
            let run = condition(at(To::Run { name, args: arguments, priority: None }));
            runs.extend(std::iter::repeat_n(run, start.count.max(1) as usize));
        }
        if self.plan.is_any_start {
            steps.push(step(StmtKind::If(runs.into_iter().map(|run| vec![run]).collect())));
        } else {
            steps.extend(runs);
        }
        if steps.len() > 1 {
            body.push(step(StmtKind::Atomic(steps)));
        } else {
            body.append(&mut steps);
        }
        if let (true, Some(shared)) = (is_waiting, self.shared_back.clone()) {
            // Their results are not used.
            let receive = self.receive(shared, ReceiveArg::Var(var_ref(Name::from("_"))));
            let rest = Stmt { kind: StmtKind::Do(vec![vec![receive]]), at: At::default() };
            body.push(labelled(Name::from("end_of_start"), Some(rest)));
        }
        self.units.push(Unit::Init(Init { priority: None, body, at: At::default() }));
    }
}

pub(super) fn plain_decl(ty: TypeName, name: Name) -> Decl {
    let var = Var { name, width: None, size: None, init: None, at: At::default() };
    Decl { visibility: None, ty, vars: vec![var], at: At::default() }
}

/// SPIN merges what follows each other in an atomic sequence, but not without end.
fn in_d_steps(steps: Block) -> Block {
    if steps.len() <= 100 {
        return steps;
    }
    steps.chunks(100).map(|label_long_sequences| step(StmtKind::DStep(label_long_sequences.to_vec()))).collect()
}

fn is_jump(step: &Step, label: &Name) -> bool {
    matches!(step, Step::Stmt(stmt) if matches!(&stmt.kind, StmtKind::Goto(name, _) if name == label))
}

fn count_jumps(block: &Block, label: &Name) -> usize {
    fn in_stmt(stmt: &unpick_front_promela::syntax::Stmt, label: &Name) -> usize {
        match &stmt.kind {
            StmtKind::Goto(name, _) => usize::from(name == label),
            StmtKind::Label(_, Some(inner)) => in_stmt(inner, label),
            StmtKind::If(options) | StmtKind::Do(options) => {
                options.iter().map(|option| count_jumps(option, label)).sum()
            }
            StmtKind::Atomic(block) | StmtKind::DStep(block) | StmtKind::Block(block) => count_jumps(block, label),
            _ => 0,
        }
    }
    block
        .iter()
        .map(|step| match step {
            Step::Stmt(stmt) => in_stmt(stmt, label),
            Step::Unless(stmt, escape) => in_stmt(stmt, label) + in_stmt(escape, label),
            Step::Decl(_) | Step::Exclusive(_) => 0,
        })
        .sum()
}
