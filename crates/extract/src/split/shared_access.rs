//! Shared-access analysis of a model: the accesses of statements, and the objects that several processes access.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use unpick_front_promela::syntax::{
    Block, Decl, Expr, ExprKind, Model, Name, Receive, ReceiveArg, Step, Stmt, StmtKind, Unit, VarRef,
};

use crate::translate::NOTHING;

/// What tells objects apart: names without indices.
pub(super) fn path(var: &VarRef) -> String {
    match &var.field {
        Some(field) => format!("{}.{}", var.name, path(field)),
        None => var.name.to_string(),
    }
}

/// Local names of a process.
pub(super) fn locals(params: &[Decl], body: &Block) -> HashSet<Name> {
    let mut names: HashSet<Name> = params.iter().flat_map(|decl| &decl.vars).map(|var| var.name.clone()).collect();
    for step in body {
        if let Step::Decl(decl) = step {
            names.extend(decl.vars.iter().map(|var| var.name.clone()));
        }
    }
    names
}

/// All names that processes mention.
pub(super) fn names(model: &Model) -> HashSet<Name> {
    let mut all = HashSet::new();
    for unit in &model.units {
        let Unit::Proctype(proctype) = unit else { continue };
        all.extend(locals(&proctype.params, &proctype.body));
        let mut visit = |var: &VarRef, _: bool| {
            all.insert(var.name.clone());
        };
        accesses(&proctype.body, &mut visit);
    }
    all
}

/// Objects that one process writes and another one touches.
pub(super) fn shared(model: &Model, outside: &BTreeSet<String>) -> BTreeSet<String> {
    let runs = runs(model);
    let mut touched: BTreeMap<String, BTreeSet<usize>> = BTreeMap::new();
    let mut written: BTreeMap<String, BTreeSet<usize>> = BTreeMap::new();
    for (index, unit) in model.units.iter().enumerate() {
        let Unit::Proctype(proctype) = unit else { continue };
        let locals = locals(&proctype.params, &proctype.body);
        let n_runs = runs.get(&proctype.name).copied().unwrap_or(0);
        let is_many = n_runs + usize::from(proctype.active.is_some()) > 1
            || proctype.active.as_ref().is_some_and(|active| active.count.is_some());
        let mut visit = |var: &VarRef, is_written: bool| {
            if locals.contains(&var.name) || &*var.name == NOTHING || var.name.starts_with('_') {
                return;
            }
            // Several processes of one type are like several types.
            let instances = if is_many { vec![2 * index, 2 * index + 1] } else { vec![2 * index] };
            touched.entry(path(var)).or_default().extend(&instances);
            if is_written {
                written.entry(path(var)).or_default().extend(&instances);
            }
        };
        accesses(&proctype.body, &mut visit);
    }
    let is_outside = |path: &str| path.split('.').next().is_some_and(|root| outside.contains(root));
    let is_shared = |path: &String| {
        let n_touching = touched.get(path).map_or(0, BTreeSet::len);
        is_outside(path) || written.contains_key(path) && n_touching > 1
    };
    touched.keys().filter(|path| is_shared(path)).cloned().collect()
}

/// How often processes are started: two stands for many.
fn runs(model: &Model) -> BTreeMap<Name, usize> {
    let mut runs: BTreeMap<Name, usize> = BTreeMap::new();
    for unit in &model.units {
        let (body, is_single) = match unit {
            Unit::Proctype(proctype) => (&proctype.body, proctype.active.as_ref().is_some_and(|it| it.count.is_none())),
            Unit::Init(init) => (&init.body, true),
            _ => continue,
        };
        let mut seen = HashSet::new();
        let mut jumps_back = false;
        let mut found: Vec<(Name, bool)> = Vec::new();
        walk(body, false, &mut |stmt, is_repeated| {
            match &stmt.kind {
                StmtKind::Label(name, _) => {
                    seen.insert(name.clone());
                }
                StmtKind::Goto(name, _) => jumps_back |= seen.contains(name),
                _ => {}
            }
            if let Some(name) = started(&stmt.kind) {
                found.push((name, is_repeated));
            }
        });
        for (name, is_repeated) in found {
            *runs.entry(name).or_default() += if is_repeated || jumps_back || !is_single { 2 } else { 1 };
        }
    }
    runs
}

/// The processes that a statement starts by itself.
fn started(kind: &StmtKind) -> Option<Name> {
    match kind {
        StmtKind::Condition(expr) | StmtKind::Assign(_, expr) => match &expr.kind {
            ExprKind::Run { name, .. } => Some(name.clone()),
            _ => None,
        },
        _ => None,
    }
}

/// Visits all statements, with whether they may be executed again.
fn walk(block: &Block, is_repeated: bool, visit: &mut dyn FnMut(&Stmt, bool)) {
    for step in block {
        match step {
            Step::Stmt(stmt) => walk_stmt(stmt, is_repeated, visit),
            Step::Unless(stmt, escape) => {
                walk_stmt(stmt, is_repeated, visit);
                walk_stmt(escape, is_repeated, visit);
            }
            Step::Decl(_) | Step::Exclusive(_) => {}
        }
    }
}

fn walk_stmt(stmt: &Stmt, is_repeated: bool, visit: &mut dyn FnMut(&Stmt, bool)) {
    visit(stmt, is_repeated);
    match &stmt.kind {
        StmtKind::Label(_, Some(inner)) => walk_stmt(inner, is_repeated, visit),
        StmtKind::If(options) => options.iter().for_each(|option| walk(option, is_repeated, visit)),
        StmtKind::Do(options) => options.iter().for_each(|option| walk(option, true, visit)),
        StmtKind::For { body, .. } | StmtKind::ForIn { body, .. } => walk(body, true, visit),
        StmtKind::Atomic(block) | StmtKind::DStep(block) | StmtKind::Block(block) => walk(block, is_repeated, visit),
        StmtKind::Call(call) => walk_stmt(&call.body, is_repeated, visit),
        _ => {}
    }
}

/// Visits all accesses, with whether they write.
pub(super) fn accesses(block: &Block, visit: &mut dyn FnMut(&VarRef, bool)) {
    walk(block, false, &mut |stmt, _| match &stmt.kind {
        StmtKind::Assign(place, value) => {
            written(place, visit);
            reads(value, visit);
        }
        StmtKind::Increment(place) | StmtKind::Decrement(place) => written(place, visit),
        StmtKind::Condition(expr) | StmtKind::Assert(expr) | StmtKind::Printm(expr) | StmtKind::Return(expr) => {
            reads(expr, visit);
        }
        StmtKind::Printf(_, args) => args.iter().for_each(|arg| reads(arg, visit)),
        StmtKind::Send { channel, args, .. } => {
            reads_of_var(channel, visit);
            args.iter().for_each(|arg| reads(arg, visit));
        }
        StmtKind::Receive(receive) => receives(receive, visit),
        StmtKind::Select { var, from, to, .. } | StmtKind::For { var, from, to, .. } => {
            written(var, visit);
            reads(from, visit);
            reads(to, visit);
        }
        StmtKind::ForIn { var, container, .. } => {
            written(var, visit);
            reads_of_var(container, visit);
        }
        StmtKind::SetPriority(one, other) => {
            reads(one, visit);
            reads(other, visit);
        }
        StmtKind::Call(call) => call.result.iter().for_each(|place| written(place, visit)),
        StmtKind::Label(..)
        | StmtKind::If(_)
        | StmtKind::Do(_)
        | StmtKind::Break
        | StmtKind::Goto(..)
        | StmtKind::Code(_)
        | StmtKind::Else
        | StmtKind::Atomic(_)
        | StmtKind::DStep(_)
        | StmtKind::Block(_) => {}
    });
}

fn receives(receive: &Receive, visit: &mut dyn FnMut(&VarRef, bool)) {
    reads_of_var(&receive.channel, visit);
    for arg in &receive.args {
        match arg {
            ReceiveArg::Var(place) => written(place, visit),
            ReceiveArg::Eval(expr) | ReceiveArg::Const(expr) => reads(expr, visit),
        }
    }
}

fn written(place: &VarRef, visit: &mut dyn FnMut(&VarRef, bool)) {
    reads_of_indices(place, visit);
    visit(place, true);
}

fn reads_of_var(var: &VarRef, visit: &mut dyn FnMut(&VarRef, bool)) {
    reads_of_indices(var, visit);
    visit(var, false);
}

fn reads_of_indices(var: &VarRef, visit: &mut dyn FnMut(&VarRef, bool)) {
    if let Some(index) = &var.index {
        reads(index, visit);
    }
    if let Some(field) = &var.field {
        reads_of_indices(field, visit);
    }
}

pub(super) fn reads(expr: &Expr, visit: &mut dyn FnMut(&VarRef, bool)) {
    match &expr.kind {
        ExprKind::Var(var) | ExprKind::Len(var) | ExprKind::Probe(_, var) => reads_of_var(var, visit),
        ExprKind::Unary(_, operand)
        | ExprKind::Enabled(operand)
        | ExprKind::GetPriority(operand)
        | ExprKind::PcValue(operand) => reads(operand, visit),
        ExprKind::Binary(_, left, right) => {
            reads(left, visit);
            reads(right, visit);
        }
        ExprKind::Conditional(condition, yes, no) => {
            reads(condition, visit);
            reads(yes, visit);
            reads(no, visit);
        }
        ExprKind::Run { args, .. } => args.iter().for_each(|arg| reads(arg, visit)),
        ExprKind::Poll(receive) => receives(receive, visit),
        ExprKind::Literal(..)
        | ExprKind::Timeout
        | ExprKind::NonProgress
        | ExprKind::RemoteLabel { .. }
        | ExprKind::RemoteVar { .. }
        | ExprKind::Code(_) => {}
    }
}
