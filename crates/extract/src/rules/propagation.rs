//! Propagation of omissions along dependencies: what rests on something that the model leaves out goes too.

use std::collections::HashSet;

use super::{Cause, Decision, Decisions, Origin, thread_start};
use crate::code::{Class, FragmentId, FragmentKind, FunctionId};
use crate::context::Context;
use crate::effect::ObjectId;
use crate::pattern::{Bindings, words};
use crate::plan::{Plan, Treatment};
use crate::shape::Shape;
use crate::table::Mapping;

/// Propagates omissions by defaults to all dependent fragments and objects.
pub(super) fn spread(context: &Context<'_>, plan: &Plan, decisions: &mut Decisions, surroundings: &str) {
    let code = context.code;
    for (id, decision) in decisions.plain.iter_enumerated() {
        let fragment = &code.fragments[id];
        // A condition that is not looked at still does what the calls in it do.
        let is_condition = fragment.class == Class::Condition && decision.mapping == Mapping::True;
        let is_suppressed = decision.mapping.is_suppressed() || is_condition;
        let is_open = !decision.is_row() && is_suppressed && is_live(context, plan, id);
        let is_library = matches!((&decision.origin, &decision.mapping), (Origin::Library(_), Mapping::Text(_)));
        // What a thread gets is passed on as it is, if it stays C; rows about locks there say all that happens.
        let is_lock = decision.mapping.text().contains("c_code");
        let is_passed =
            context.embedding.is_some() && (is_lock || thread_start(context.code, context.interner, id).is_some());
        if is_library && !is_passed && is_live(context, plan, id) {
            // `pthread_join(t, &value)` also writes what the row does not speak of; where nothing happens, as when a lock
            // is destroyed, nothing is written.
            let mentioned = decision.mentioned();
            let is_idle = decision.mapping.text().starts_with("skip");
            let says_all = is_idle || decision.has_pointed();
            let is_mentioned = |object: &ObjectId| says_all || mentioned.contains(&code.objects.get(*object).name);
            for object in fragment.effects.havoc.iter().filter(|object| !is_mentioned(object)) {
                let why = "the built-in row says nothing about it".to_owned();
                decisions.lost.entry(*object).or_insert(Cause { fragment: Some(id), why, from: None });
            }
        }
        if is_open {
            let effects = &fragment.effects;
            let mut objects: Vec<ObjectId> = effects.defs.iter().chain(&effects.havoc).copied().collect();
            if let Some((function, _)) = &effects.call {
                objects.extend(plan.writes(*function));
                objects.push(code.functions[*function].result);
            }
            for object in objects {
                let cause = Cause { fragment: Some(id), why: decision.why.clone(), from: None };
                decisions.lost.entry(object).or_insert(cause);
            }
        }
    }
    for (function, treatment) in plan.treatments() {
        lose_parameters(context, function, treatment, plan, decisions);
    }
    let mentioned: HashSet<String> = words(surroundings).into_iter().collect();
    lose_undefined(context, decisions, &mentioned);
    // Somebody else may be the other end of a channel, who says so.
    let is_channel_open = mentioned.contains("message");
    loop {
        while round(context, plan, decisions) {}
        if is_channel_open || !crate::messages::lose(context, plan, decisions) {
            break;
        }
    }
    collect_dropped(context, decisions);
}

/// Whether a fragment may be executed: an uncalled function writes nothing.
fn is_live(context: &Context<'_>, plan: &Plan, id: FragmentId) -> bool {
    context.code.fragments[id].function.is_none_or(|function| plan.is_live(function))
}

/// Objects that no unit defines may have any value, unless they are imported or the environment of the program mentions
/// them.
fn lose_undefined(context: &Context<'_>, decisions: &mut Decisions, mentioned: &HashSet<String>) {
    let code = context.code;
    let defined: HashSet<ObjectId> =
        code.globals.iter().flat_map(|id| code.fragments[*id].effects.defs.iter().copied()).collect();
    for (unit, decl) in &code.undefined {
        let Some(object) = context.object(*unit, *decl) else { continue };
        let name = &code.objects.get(object).name;
        if defined.contains(&object) || mentioned.contains(name) {
            continue;
        }
        let why = "no file given defines it".to_owned();
        decisions.lost.entry(object).or_insert(Cause { fragment: None, why, from: None });
    }
}

/// Parameters without a value, or a value that the model cannot hold.
fn lose_parameters(
    context: &Context<'_>,
    function: FunctionId,
    treatment: Treatment,
    plan: &Plan,
    decisions: &mut Decisions,
) {
    let item = &context.code.functions[function];
    for (position, param) in item.params.iter().enumerate() {
        let Some(object) = context.object(item.unit, *param) else { continue };
        let why = match context.holds(item.unit, *param) {
            Err(why) => why,
            Ok(())
                if has_width(context, item.unit, *param)
                    && matches!(treatment, Treatment::Process | Treatment::Callable) =>
            {
                "is cut to a width that parameters of processes do not have".to_owned()
            }
            Ok(()) if treatment == Treatment::Process && plan.is_given(function, position) => continue,
            Ok(()) if treatment == Treatment::Process && position == 0 && is_passed(context, function, decisions) => {
                continue;
            }
            Ok(()) if treatment == Treatment::Process => format!("any value may be given to `{}`", item.name),
            Ok(()) if plan.roots.contains(&function) && context.is_embedded(item.unit, *param) => {
                format!("only the environment calls `{}`", item.name)
            }
            Ok(()) => continue,
        };
        decisions.lost.entry(object).or_insert(Cause { fragment: None, why, from: None });
    }
    if treatment == Treatment::Abstract {
        let why = format!("`{}` stays abstract", item.name);
        decisions.lost.entry(item.result).or_insert(Cause { fragment: None, why, from: None });
    }
}

/// Whether a variable of Promela has a width of its own.
fn has_width(context: &Context<'_>, unit: usize, param: unpick_front_c::ast::DeclId) -> bool {
    matches!(context.variable(unit, param), Ok(Shape::Scalar(scalar)) if scalar.width.is_some())
}

/// Whether all starts of a thread pass an argument that its process receives.
fn is_passed(context: &Context<'_>, function: FunctionId, decisions: &Decisions) -> bool {
    let item = &context.code.functions[function];
    let is_c = item.params.first().is_some_and(|param| context.is_embedded(item.unit, *param));
    let starts =
        context.code.fragments.ids().filter_map(|id| Some((id, thread_start(context.code, context.interner, id)?)));
    let mut starts = starts.filter(|(_, start)| start.function == function).peekable();
    is_c && starts.peek().is_some()
        && starts.all(|(id, start)| {
            let unit = context.code.fragments[id].unit;
            matches!(decisions.plain[id].origin, Origin::Library(_))
                && context.embed(unit, |embedder| embedder.text(start.argument)).is_ok()
        })
}

/// Threads that get what the model does not hold.
fn bind_thread(context: &Context<'_>, id: FragmentId, decisions: &mut Decisions) -> bool {
    let Some(start) = thread_start(context.code, context.interner, id).filter(|_| context.embedding.is_some()) else {
        return false;
    };
    let item = &context.code.functions[start.function];
    let param = item.params.first().and_then(|param| context.object(item.unit, *param));
    let Some(param) = param.filter(|param| !decisions.lost.contains_key(param)) else { return false };
    let from = lost_among(context.code.fragments[id].effects.touched(), decisions);
    let is_row = matches!(decisions.plain[id].origin, Origin::Library(_));
    let why = match from {
        Some(object) => format!("it gets a value that depends on `{}`", context.code.objects.get(object).name),
        None if !is_row => "its thread starts in another way".to_owned(),
        None => return false,
    };
    decisions.lost.insert(param, Cause { fragment: Some(id), why, from });
    true
}

/// One round over all fragments; whether anything changed.
fn round(context: &Context<'_>, plan: &Plan, decisions: &mut Decisions) -> bool {
    let mut has_changed = false;
    for id in context.code.fragments.ids() {
        let fragment = &context.code.fragments[id];
        if let Some(negated) = decisions.negated.get(&id)
            && negated.mapping == Mapping::Keep
            && !negated.is_row()
            && let Some(object) = lost_among(fragment.effects.touched(), decisions)
        {
            let new = dependent(context, object, Mapping::True);
            decisions.negated.insert(id, new);
            has_changed = true;
        }
        has_changed |= is_live(context, plan, id) && bind(context, id, decisions);
        has_changed |= is_live(context, plan, id) && bind_thread(context, id, decisions);
        has_changed |= is_live(context, plan, id) && lose_library_row(context, id, decisions);
        if decisions.plain[id].is_row() || decisions.plain[id].mapping != Mapping::Keep {
            continue;
        }
        let effects = &fragment.effects;
        let is_call = effects.call.is_some();
        // A call goes on without its result; what is assigned from it is lost all the same.
        let touched = lost_among(effects.touched(), decisions);
        let Some(object) = touched else { continue };
        if !is_call {
            let mapping = match fragment.class {
                Class::Condition => Mapping::True,
                Class::Declaration => Mapping::Hide,
                Class::Assignment | Class::Call | Class::Expression => Mapping::Print,
            };
            decisions.plain[id] = dependent(context, object, mapping);
            has_changed = true;
        }
        for def in effects.defs.iter().filter(|_| is_live(context, plan, id)) {
            if !decisions.lost.contains_key(def) {
                let why = format!("it depends on `{}`", context.code.objects.get(object).name);
                decisions.lost.insert(*def, Cause { fragment: Some(id), why, from: Some(object) });
                has_changed = true;
            }
        }
    }
    has_changed
}

/// A built-in row that mentions what the model does not hold says nothing.
fn lose_library_row(context: &Context<'_>, id: FragmentId, decisions: &mut Decisions) -> bool {
    let decision = &decisions.plain[id];
    let effects = &context.code.fragments[id].effects;
    if !matches!((&decision.origin, &decision.mapping), (Origin::Library(_), Mapping::Text(_))) {
        return false;
    }
    let lost: Vec<ObjectId> = effects.touched().chain(effects.havoc.iter().copied()).collect();
    let lost: Vec<ObjectId> = lost.into_iter().filter(|object| decisions.lost.contains_key(object)).collect();
    if lost.is_empty() {
        return false;
    }
    let mentioned = decision.mentioned();
    let is_mentioned =
        |object: &&ObjectId| decision.has_pointed() || mentioned.contains(&context.code.objects.get(**object).name);
    let Some(object) = lost.iter().find(is_mentioned).copied() else { return false };
    decisions.plain[id] = dependent(context, object, Mapping::Print);
    let why = format!("it depends on `{}`", context.code.objects.get(object).name);
    for def in effects.defs.iter().chain(&effects.havoc) {
        let cause = Cause { fragment: Some(id), why: why.clone(), from: Some(object) };
        decisions.lost.entry(*def).or_insert(cause);
    }
    true
}

/// Parameters that get what the model does not hold.
fn bind(context: &Context<'_>, id: FragmentId, decisions: &mut Decisions) -> bool {
    let fragment = &context.code.fragments[id];
    let Some((_, bindings)) = &fragment.effects.call else { return false };
    if decisions.plain[id].mapping != Mapping::Keep {
        return false;
    }
    let mut has_changed = false;
    for binding in bindings {
        if decisions.lost.contains_key(&binding.param) {
            continue;
        }
        let from = lost_among(binding.uses.iter().copied(), decisions);
        let why = match from {
            Some(object) => format!("it gets a value that depends on `{}`", context.code.objects.get(object).name),
            None => {
                let value = context.probe(fragment.unit, |translator| translator.expr(binding.argument).map(|_| ()));
                match value {
                    Ok(()) => continue,
                    Err(why) => format!("it gets a value that {why}"),
                }
            }
        };
        decisions.lost.insert(binding.param, Cause { fragment: Some(id), why, from });
        has_changed = true;
    }
    has_changed
}

fn lost_among(objects: impl Iterator<Item = ObjectId>, decisions: &Decisions) -> Option<ObjectId> {
    let mut objects = objects;
    objects.find(|object| decisions.lost.contains_key(object))
}

fn dependent(context: &Context<'_>, object: ObjectId, mapping: Mapping) -> Decision {
    let name = &context.code.objects.get(object).name;
    let why = format!("`{name}` is not in the model");
    Decision { mapping, origin: Origin::Dependency(object), why, bindings: Bindings::new() }
}

pub(super) fn collect_dropped(context: &Context<'_>, decisions: &mut Decisions) {
    for (id, decision) in decisions.plain.iter_enumerated() {
        let is_assertion = matches!(context.code.fragments[id].what, FragmentKind::Assertion(_));
        if is_assertion && decision.mapping.is_suppressed() {
            decisions.dropped.push((id, decision.why.clone()));
        }
    }
}

/// Why an object is not in the model, step by step, from what is asked for to the root.
pub fn chain(context: &Context<'_>, decisions: &Decisions, object: ObjectId) -> Vec<String> {
    let mut steps = Vec::new();
    let mut next = Some(object);
    while let Some(object) = next {
        let Some(cause) = decisions.lost.get(&object) else { break };
        let name = &context.code.objects.get(object).name;
        let place = cause.fragment.map(|id| {
            let fragment = &context.code.fragments[id];
            format!(" ({}: {})", context.place(fragment), fragment.text)
        });
        steps.push(format!("`{name}` is not in the model: {}{}", cause.why, place.unwrap_or_default()));
        next = cause.from;
        if steps.len() > 20 {
            break;
        }
    }
    steps
}
