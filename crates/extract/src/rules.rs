//! Decision rules: which row, restriction or default applies to a fragment, and propagation of omissions along
//! dependencies.
//!
//! Priority: a row of the table, always; else the restrictions of the objects that the fragment touches, the one of
//! smallest rank; else the built-in rows for the library; else the default of the class. A default (not a row) that
//! suppresses a fragment also suppresses all that depends on it: assignments from it, decisions by it. So without a
//! table the model has at least the behaviours of the program. A row that leaves a dependency open is an error instead,
//! see `audit`.

mod propagation;

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

pub use self::propagation::chain;
use self::propagation::spread;

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
