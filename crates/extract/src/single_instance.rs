//! Single-instance analysis: functions with at most one activation at a time, whose local objects can be held like
//! static ones.
//!
//! A process has one activation of a function at a time, unless the function is recursive. So the number of processes
//! counts in which it may run: those from the start, threads started by others, and processes that the user's own
//! Promela texts run.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use unpick_base::Interner;
use unpick_front_c::ast::DeclId;

use crate::code::{Code, FragmentId, FunctionId};
use crate::plan::{Plan, Treatment, fragments_once};
use crate::rules::thread_start;

/// An unknown number.
const MANY: u32 = 2;

/// Local objects of functions that run once at a time; `outside` are the words of hand-written Promela texts.
pub fn single_locals(
    code: &Code,
    plan: &Plan,
    interner: &Interner,
    outside: &BTreeSet<String>,
) -> HashSet<(usize, DeclId)> {
    let processes = processes(code, plan, interner, outside);
    let mut n_processes: BTreeMap<FunctionId, u32> = BTreeMap::new();
    let mut of_starts: BTreeMap<FunctionId, u32> = BTreeMap::new();
    for (process, (count, is_start)) in &processes {
        for function in reached(code, *process) {
            // Only one of the starts is picked.
            let into = if plan.is_any_start && *is_start { &mut of_starts } else { &mut n_processes };
            let known = into.entry(function).or_default();
            *known = if plan.is_any_start && *is_start { (*known).max(*count) } else { *known + count };
        }
    }
    let mut locals = HashSet::new();
    for (id, function) in code.functions.iter_enumerated() {
        let count = |of: &BTreeMap<FunctionId, u32>| of.get(&id).copied().unwrap_or(0);
        let is_outside = outside.contains(&function.name) || plan.roots.contains(&id);
        if count(&n_processes) + count(&of_starts) <= 1 && !plan.is_recursive(id) && !is_outside {
            locals.extend(function.locals.iter().map(|local| (function.unit, *local)));
        }
    }
    locals
}

/// How many processes begin with a function, and whether they are there from the start.
fn processes(
    code: &Code,
    plan: &Plan,
    interner: &Interner,
    outside: &BTreeSet<String>,
) -> BTreeMap<FunctionId, (u32, bool)> {
    let mut processes: BTreeMap<FunctionId, (u32, bool)> = BTreeMap::new();
    for start in &plan.starts {
        let known = processes.entry(start.function).or_insert((0, true));
        known.0 += start.count.max(1);
    }
    let starts: Vec<(FragmentId, FunctionId)> =
        (code.fragments.ids()).filter_map(|id| Some((id, thread_start(code, interner, id)?.function))).collect();
    // Processes that the user's texts run have any number of instances.
    for (function, treatment) in plan.treatments() {
        if treatment == Treatment::Process && !code.thread_functions.contains(&function) {
            processes.entry(function).or_insert((MANY, false));
        }
    }
    for function in &code.thread_functions {
        let own: Vec<FragmentId> = starts.iter().filter(|(_, of)| of == function).map(|(id, _)| *id).collect();
        // A thread that is started once, by something that itself happens once.
        let happens_once = |id: &FragmentId| {
            let Some(starter) = code.fragments[*id].function else { return false };
            let is_start = processes.get(&starter).is_some_and(|(count, is_start)| *count == 1 && *is_start);
            let is_called = code.functions.iter().any(|function| function.callees.contains(&starter));
            let is_root = is_start && !is_called && !code.addressed.contains(&starter);
            is_root && fragments_once(&code.functions[starter].body).contains(id)
        };
        let n_threads = if !own.is_empty() && own.iter().all(happens_once) { own.len() as u32 } else { MANY };
        let is_outside = outside.contains(&code.functions[*function].name);
        let known = processes.entry(*function).or_insert((0, false));
        known.1 = false;
        known.0 += if is_outside { MANY } else { n_threads };
    }
    processes
}

/// A function and all that it calls.
fn reached(code: &Code, function: FunctionId) -> BTreeSet<FunctionId> {
    let mut reached = BTreeSet::new();
    let mut open = vec![function];
    while let Some(function) = open.pop() {
        if reached.insert(function) {
            open.extend(&code.functions[function].callees);
        }
    }
    reached
}
