//! Decision rules: which row, restriction or default applies to a fragment, and propagation of omissions along
//! dependencies.
//!
//! Priority: a row of the table, always; else the restrictions of the objects that the fragment touches, the one of
//! smallest rank; else the built-in rows for the library; else the default of the class. A default (not a row) that
//! suppresses a fragment also suppresses all that depends on it: assignments from it, decisions by it. So without a
//! table the model has at least the behaviours of the program. A row that leaves a dependency open is an error instead,
//! see `audit`.

use std::collections::{BTreeMap, HashMap, HashSet};

use unpick_base::{IdVec, Interner};
use unpick_front_c::ast::ExprId;

use crate::code::{Class, Code, FragmentId, FragmentKind, FunctionId};
use crate::context::Context;
use crate::effect::ObjectId;
use crate::library;
use crate::pattern::{Bindings, Subexpressions, canonical_words, words};
use crate::plan::{Plan, Treatment};
use crate::rows;
use crate::shape::Shape;
use crate::table::{Mapping, Preferences, Row, Table};
use crate::text::Writer;

/// The origin of a decision.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Origin {
    /// A row of the user's table.
    Row(usize),
    /// A built-in row.
    Library(usize),
    /// The restriction of an object.
    Restriction(usize),
    /// The default of the class, as the preferences say.
    ClassDefault,
    /// The default of the class, as we say.
    BuiltIn,
    /// Something that the fragment depends on is not in the model.
    Dependency(ObjectId),
}

/// What becomes of a fragment, or of one polarity of it.
#[derive(Clone, Debug)]
pub struct Decision {
    /// What.
    pub mapping: Mapping,
    /// Its origin.
    pub origin: Origin,
    /// Why, for people.
    pub why: String,
    /// What metavariables of the row stand for.
    pub bindings: Bindings,
}

impl Decision {
    /// The words of its right side, with those that metavariables stand for.
    pub fn mentioned(&self) -> Vec<String> {
        let text = self.mapping.text();
        let mut mentioned = words(text);
        for (name, bound, _) in &self.bindings {
            if text.contains(&format!("${name}")) {
                mentioned.extend(words(bound));
            }
        }
        mentioned
    }

    /// The right side as a row without metavariables would have it.
    pub fn shown(&self) -> String {
        let mut bindings: Vec<_> = self.bindings.iter().collect();
        // The longest first: one name may be the beginning of another.
        bindings.sort_by_key(|(name, _, _)| std::cmp::Reverse(name.len()));
        let text = self.mapping.text().to_owned();
        bindings.iter().fold(text, |text, (name, bound, _)| text.replace(&format!("${name}"), bound))
    }

    /// Whether a built-in row speaks of what pointers point to: all that they may mean is spoken of.
    pub fn has_pointed(&self) -> bool {
        self.bindings.iter().any(|(name, _, _)| library::is_pointed(name))
    }

    /// Whether the user wrote it.
    pub fn is_row(&self) -> bool {
        matches!(self.origin, Origin::Row(_))
    }
}

/// Why an object is not in the model.
#[derive(Clone, Debug)]
pub struct Cause {
    /// The fragment that is not executed, or not as it is.
    pub fragment: Option<FragmentId>,
    /// In words.
    pub why: String,
    /// The object that this one depends on.
    pub from: Option<ObjectId>,
}

/// All decisions.
pub struct Decisions {
    /// For each fragment; for conditions as written.
    pub plain: IdVec<FragmentId, Decision>,
    /// For conditions negated.
    pub negated: HashMap<FragmentId, Decision>,
    /// Objects that are not in the model.
    pub lost: BTreeMap<ObjectId, Cause>,
    /// Assertions that are not in the model, and why.
    pub dropped: Vec<(FragmentId, String)>,
}

/// Decides on everything; `surroundings` is what stands around the program in the model, `ignored` are rows of the table
/// that are not looked at.
#[expect(clippy::too_many_arguments, reason = "each is another part of what decides")]
pub fn decide(
    context: &Context<'_>,
    table: &Table,
    ignored: &HashSet<usize>,
    library: &Table,
    preferences: &Preferences,
    plan: &Plan,
    surroundings: &str,
    any_value: &[String],
) -> Decisions {
    let mut judge = Judge {
        context,
        preferences,
        plan,
        own: Index::new(table, |at, _| !ignored.contains(&at)),
        library: Index::new(library, |_, row| !is_code(row)),
        embedded: Index::new(library, |_, row| is_code(row)),
    };
    let mut decisions =
        Decisions { plain: IdVec::new(), negated: HashMap::new(), lost: BTreeMap::new(), dropped: Vec::new() };
    let n_units = context.code.units.len();
    let mut writers: Vec<Writer<'_>> =
        (0..n_units).map(|unit| Writer::new(&context.code.units[unit], context.interner, context.sources)).collect();
    for id in context.code.fragments.ids() {
        let writer = &mut writers[context.code.fragments[id].unit];
        let plain = judge.first(id, false, writer);
        decisions.plain.push(plain);
        if context.code.fragments[id].class == Class::Condition {
            let negated = judge.first(id, true, writer);
            decisions.negated.insert(id, negated);
        }
    }
    for (object, _) in
        context.code.objects.iter().filter(|(_, object)| object.is_shared && any_value.contains(&object.name))
    {
        let why = "something outside the program changes it".to_owned();
        decisions.lost.insert(object, Cause { fragment: None, why, from: None });
    }
    spread(context, plan, &mut decisions, surroundings);
    decisions
}

/// Rows by the only text they match, and the others in order.
struct Index<'a> {
    rows: &'a [Row],
    exact: HashMap<String, Vec<usize>>,
    others: Vec<usize>,
}

impl<'a> Index<'a> {
    fn new(table: &'a Table, is_wanted: impl Fn(usize, &Row) -> bool) -> Self {
        let mut index = Index { rows: &table.rows, exact: HashMap::new(), others: Vec::new() };
        for (at, row) in table.rows.iter().enumerate().filter(|(at, row)| is_wanted(*at, row)) {
            match row.pattern.exact() {
                Some(text) => index.exact.entry(text).or_default().push(at),
                None => index.others.push(at),
            }
        }
        index
    }

    /// The first row that matches. One whose prefix names another class is only taken if there is no other.
    fn find(
        &self,
        words: &[String],
        class: Class,
        function: Option<&str>,
        parts: &mut dyn FnMut() -> Subexpressions,
    ) -> Option<(usize, Bindings)> {
        let is_other = |at: usize| self.rows[at].class.is_some_and(|written| written != class);
        self.find_among(words, function, parts, &|at| !is_other(at))
            .or_else(|| self.find_among(words, function, parts, &is_other))
    }

    fn find_among(
        &self,
        words: &[String],
        function: Option<&str>,
        parts: &mut dyn FnMut() -> Subexpressions,
        is_wanted: &dyn Fn(usize) -> bool,
    ) -> Option<(usize, Bindings)> {
        let is_here = |at: usize| self.rows[at].function.is_none() || self.rows[at].function.as_deref() == function;
        let concerns = |at: usize| is_here(at) && is_wanted(at);
        let exact = self.exact.get(&words.join(" ")).into_iter().flatten().copied().find(|at| concerns(*at));
        let mut known: Option<Subexpressions> = None;
        let other = self.others.iter().copied().filter(|at| concerns(*at)).find_map(|at| {
            let pattern = &self.rows[at].pattern;
            if !pattern.has_metavariables() {
                return pattern.matches(words, &Subexpressions::new()).map(|bindings| (at, bindings));
            }
            // Most rows are about something else: their names tell without a closer look.
            let is_near = pattern.words.iter().all(|word| match word {
                crate::pattern::Word::Exact(word) => words.contains(word),
                crate::pattern::Word::Any(_) => true,
            });
            if !is_near {
                return None;
            }
            let parts = known.get_or_insert_with(&mut *parts);
            pattern.matches(words, parts).map(|bindings| (at, bindings))
        });
        match (exact, other) {
            (Some(exact), Some((at, bindings))) if at < exact => Some((at, bindings)),
            (Some(exact), _) => Some((exact, Bindings::new())),
            (None, other) => other,
        }
    }
}

struct Judge<'a> {
    context: &'a Context<'a>,
    preferences: &'a Preferences,
    plan: &'a Plan,
    own: Index<'a>,
    library: Index<'a>,
    /// Built-in rows for what stays C.
    embedded: Index<'a>,
}

/// Whether a row is about what stays C.
fn is_code(row: &Row) -> bool {
    row.mapping.text().contains("c_code")
}

impl Judge<'_> {
    /// The decision before dependencies.
    fn first(&mut self, id: FragmentId, is_negated: bool, writer: &mut Writer<'_>) -> Decision {
        let code = self.context.code;
        let fragment = &code.fragments[id];
        let text = if is_negated { &fragment.negated } else { &fragment.text };
        let words = canonical_words(text);
        let function = fragment.function.map(|function| code.functions[function].name.as_str());
        let what = fragment.what;
        let unit = fragment.unit;
        let mut parts = || parts(self.context, unit, what, writer);
        if let Some((row, bindings)) = self.own.find(&words, fragment.class, function, &mut parts) {
            let mapping = self.own.rows[row].mapping.clone();
            return Decision { mapping, origin: Origin::Row(row), why: "a row of the table".into(), bindings };
        }
        let decision = |mapping: Mapping, origin: Origin, why: String| Decision {
            mapping: if fragment.class == Class::Condition && matches!(mapping, Mapping::Hide | Mapping::Comment) {
                Mapping::True
            } else {
                mapping
            },
            origin,
            why,
            bindings: Bindings::new(),
        };
        if let Some((at, mapping, name)) = self.restriction(id) {
            return decision(mapping, Origin::Restriction(at), format!("`{name}` is restricted in the preferences"));
        }
        for index in [&self.library, &self.embedded] {
            let is_tried = self.context.embedding.is_some() || std::ptr::eq(index, &self.library);
            let found = index.find(&words, fragment.class, None, &mut parts).filter(|_| is_tried);
            let Some((row, bindings)) = found else { continue };
            let mapping = index.rows[row].mapping.clone();
            let mut needed = bindings.iter().filter(|(name, _, _)| mapping.text().contains(&format!("${name}")));
            // What is started has to be a function by its name.
            let is_started = |name: &str| mapping.text().contains(&format!("run ${name}"));
            let is_known = |name: &str, expr| !is_started(name) || self.context.designated(unit, expr).is_some();
            if needed.all(|(name, _, expr)| self.can_hold(unit, *expr, name, &mapping) && is_known(name, *expr)) {
                let why = "a built-in row for the library".into();
                return Decision { mapping, origin: Origin::Library(row), why, bindings };
            }
        }
        if let Some((_, mapping)) = self.preferences.defaults.iter().rev().find(|(class, _)| *class == fragment.class) {
            let why = format!("the preferences' default for a {}", fragment.class.name());
            return decision(mapping.clone(), Origin::ClassDefault, why);
        }
        let (mapping, why) = self.built_in(id);
        decision(mapping, Origin::BuiltIn, why)
    }

    fn can_hold(&self, unit: usize, expr: ExprId, name: &str, mapping: &Mapping) -> bool {
        if let Some(function) = self.context.designated(unit, expr) {
            return self.plan.treatment(function) == Treatment::Process;
        }
        if rows::is_embedded(self.context, unit, expr) {
            // Values can be asked for, results put there; anything else has to be a variable of Promela.
            let text = mapping.text();
            let is_message = name == "m" && text.contains("message[");
            return text.contains("c_code") || is_message || matches!(name, "result" | "n" | "q");
        }
        if library::is_pointed(name) {
            return rows::chosen(self.context, unit, name, expr).is_ok();
        }
        self.context
            .probe(unit, |translator| match translator.place(expr) {
                Ok((_, Shape::Scalar(_))) => Ok(()),
                Ok((_, Shape::Record(_) | Shape::Array(..))) => Err("is no number".into()),
                Err(_) => translator.expr(expr).map(|_| ()),
            })
            .or_else(|_| rows::chosen(self.context, unit, name, expr))
            .is_ok()
    }

    /// The restriction of smallest rank among those of the objects touched.
    fn restriction(&self, id: FragmentId) -> Option<(usize, Mapping, String)> {
        let code = self.context.code;
        let fragment = &code.fragments[id];
        let function = fragment.function.map(|function| code.functions[function].name.as_str());
        let found = fragment.effects.touched().filter_map(|object| {
            let object = code.objects.get(object);
            let restrictions = self.preferences.restrictions.iter().enumerate();
            restrictions.rev().find(|(_, (name, _, _))| match name.split_once('.') {
                Some((scope, local)) => function == Some(scope) && !object.is_shared && local == object.name,
                None => *name == object.name,
            })
        });
        let (at, (name, mapping, _)) = found.min_by_key(|(_, (_, mapping, _))| mapping.rank())?;
        Some((at, mapping.clone(), name.clone()))
    }

    fn built_in(&self, id: FragmentId) -> (Mapping, String) {
        let fragment = &self.context.code.fragments[id];
        if let Some((function, _)) = &fragment.effects.call
            && self.plan.treatment(*function) == Treatment::Abstract
        {
            let name = &self.context.code.functions[*function].name;
            return (Mapping::Print, format!("`{name}` stays abstract"));
        }
        match (self.context.representable(fragment), fragment.class) {
            (Ok(()), _) => (Mapping::Keep, "the model can hold it".into()),
            (Err(why), Class::Declaration) => (Mapping::Hide, why),
            (Err(why), Class::Condition) => (Mapping::True, why),
            (Err(why), Class::Assignment | Class::Call | Class::Expression) => (Mapping::Print, why),
        }
    }
}

/// The subexpressions of a fragment by their text.
fn parts(context: &Context<'_>, unit: usize, what: FragmentKind, writer: &mut Writer<'_>) -> Subexpressions {
    let mut parts = Subexpressions::new();
    let mut open = match what {
        FragmentKind::Declaration(_) => Vec::new(),
        FragmentKind::Effect(expr)
        | FragmentKind::Condition(expr)
        | FragmentKind::Assertion(expr)
        | FragmentKind::Assumption(expr)
        | FragmentKind::Stray(expr, _)
        | FragmentKind::Return(expr) => vec![expr],
    };
    while let Some(expr) = open.pop() {
        parts.entry(canonical_words(&writer.expr(expr)).join(" ")).or_insert(expr);
        open.extend(crate::normal::children(&context.code.units[unit].exprs[expr].kind));
    }
    parts
}

/// Propagates omissions by defaults to all dependent fragments and objects.
fn spread(context: &Context<'_>, plan: &Plan, decisions: &mut Decisions, surroundings: &str) {
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

/// The start of a thread: its function, what is passed to it, and the object that stands for it.
pub struct ThreadStart {
    /// What runs.
    pub function: FunctionId,
    /// Its argument.
    pub argument: ExprId,
    /// Its number.
    pub handle: ExprId,
}

/// The thread that a fragment starts, by a call of the library.
pub fn thread_start(code: &Code, interner: &Interner, id: FragmentId) -> Option<ThreadStart> {
    use unpick_front_c::ast::ExprKind;
    let fragment = &code.fragments[id];
    let unit = &code.units[fragment.unit];
    let FragmentKind::Effect(mut expr) = fragment.what else { return None };
    while let ExprKind::Assign { rhs: inner, .. } | ExprKind::Cast { operand: inner, .. } = unit.exprs[expr].kind {
        expr = inner;
    }
    let ExprKind::Call { callee, args } = &unit.exprs[expr].kind else { return None };
    let decl = crate::effect::direct_callee(unit, *callee)?;
    let at = crate::library::thread_argument(interner.name(unit.decls[decl].name))?;
    let function = crate::context::designated(code, interner, fragment.unit, *args.get(at)?)?;
    let ExprKind::AddrOf(handle) = unit.exprs[*args.first()?].kind else { return None };
    Some(ThreadStart { function, argument: *args.get(at + 1)?, handle })
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

fn collect_dropped(context: &Context<'_>, decisions: &mut Decisions) {
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
