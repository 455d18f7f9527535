//! Calls in fragments, and classification of the called functions: synchronisation, channels, harmless ones.

use std::collections::BTreeSet;

use unpick_front_c::ast::{DeclKind, ExprId, ExprKind};

use crate::code::{FragmentId, FragmentKind};
use crate::context::Context;
use crate::effect::direct_callee;
use crate::normal::{children, init_exprs};
use crate::plan::fragments;

/// A call of a function without a body.
pub struct ExternalCall {
    /// Its name; none if it goes through a pointer.
    pub name: Option<String>,
    /// What it is given.
    pub args: Vec<ExprId>,
}

/// All expressions in a fragment.
pub fn exprs(context: &Context<'_>, id: FragmentId) -> Vec<ExprId> {
    let fragment = &context.code.fragments[id];
    let unit = &context.code.units[fragment.unit];
    let mut all = match fragment.what {
        FragmentKind::Declaration(decl) => match &unit.decls[decl].kind {
            DeclKind::Var(var) => var.init.iter().flat_map(init_exprs).collect(),
            DeclKind::Function(_) | DeclKind::Enumerator { .. } | DeclKind::Typedef => Vec::new(),
        },
        FragmentKind::Effect(expr)
        | FragmentKind::Condition(expr)
        | FragmentKind::Assertion(expr)
        | FragmentKind::Assumption(expr)
        | FragmentKind::Stray(expr, _)
        | FragmentKind::Return(expr) => vec![expr],
    };
    let mut at = 0;
    while at < all.len() {
        all.extend(children(&unit.exprs[all[at]].kind));
        at += 1;
    }
    all
}

/// All calls in a fragment of functions without bodies.
pub fn external_calls(context: &Context<'_>, id: FragmentId) -> Vec<ExternalCall> {
    let fragment = &context.code.fragments[id];
    let unit = &context.code.units[fragment.unit];
    let mut calls = Vec::new();
    for expr in exprs(context, id) {
        let ExprKind::Call { callee, args } = &unit.exprs[expr].kind else { continue };
        let decl = direct_callee(unit, *callee);
        let name = decl.map(|decl| context.interner.name(unit.decls[decl].name).to_owned());
        let has_body = match (decl, &name) {
            (Some(decl), Some(name)) => context.code.function_of(fragment.unit, decl, name).is_some(),
            _ => false,
        };
        if !has_body {
            calls.push(ExternalCall { name, args: args.clone() });
        }
    }
    calls
}

/// Whether a fragment starts threads, waits for them or lets them go on: by itself, or in a function that it calls.
pub fn synchronises(context: &Context<'_>, id: FragmentId) -> bool {
    let is_one = |id: FragmentId| {
        let mut names = external_calls(context, id).into_iter().filter_map(|call| call.name);
        names.any(|name| is_synchronisation(&name))
    };
    let Some((function, _)) = &context.code.fragments[id].effects.call else { return is_one(id) };
    let mut reached = BTreeSet::new();
    let mut open = vec![*function];
    while let Some(function) = open.pop() {
        if reached.insert(function) {
            open.extend(&context.code.functions[function].callees);
        }
    }
    reached.iter().any(|function| fragments(&context.code.functions[*function].body).into_iter().any(is_one))
}

/// The number that an expression is, whatever happens.
pub fn constant(context: &Context<'_>, unit: usize, expr: ExprId) -> Option<i128> {
    match context.code.units[unit].exprs[expr].kind {
        ExprKind::Int(value) => Some(value),
        ExprKind::Cast { operand, .. } => constant(context, unit, operand),
        _ => None,
    }
}

/// Whether leaving a call out of the model may hide what threads do to each other: it starts or ends one, waits for one,
/// lets one go on, or leaves the function in another way than by returning.
pub fn is_synchronisation(name: &str) -> bool {
    let families = ["pthread_", "thrd_", "mtx_", "cnd_", "sem_"];
    let others = ["fork", "vfork", "clone", "syscall", "longjmp", "_longjmp", "siglongjmp", "call_once"];
    others.contains(&name) || families.iter().any(|family| name.starts_with(family)) && !is_harmless(name)
}

/// Calls about threads that neither wait nor let others go on; what they return is any value without them.
fn is_harmless(name: &str) -> bool {
    const NAMES: &[&str] = &[
        "pthread_detach",
        "pthread_equal",
        "pthread_exit",
        "pthread_getname_np",
        "pthread_getschedparam",
        "pthread_getspecific",
        "pthread_key_create",
        "pthread_key_delete",
        "pthread_self",
        "pthread_setaffinity_np",
        "pthread_setname_np",
        "pthread_setschedparam",
        "pthread_setspecific",
        "pthread_yield",
        "sem_close",
        "sem_getvalue",
        "sem_unlink",
        "thrd_current",
        "thrd_detach",
        "thrd_equal",
        "thrd_exit",
        "thrd_sleep",
        "thrd_yield",
    ];
    let is_attribute = ["pthread_attr_", "pthread_condattr_", "pthread_rwlockattr_", "pthread_barrierattr_"];
    let is_plain_lock = name.starts_with("pthread_mutexattr_") && name != "pthread_mutexattr_settype";
    NAMES.contains(&name)
        || name.ends_with("_destroy")
        || is_plain_lock
        || is_attribute.iter().any(|start| name.starts_with(start))
}

/// Which end of a channel a call is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// It sends.
    Sends,
    /// It receives.
    Receives,
}

/// The end of a channel that a call of the library may be; its first argument says of which.
pub fn channel_end(name: &str) -> Option<End> {
    match name {
        "send" | "write" | "mq_send" => Some(End::Sends),
        "recv" | "read" | "mq_receive" => Some(End::Receives),
        _ => None,
    }
}
