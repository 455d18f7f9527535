//! Audit of a table: consistency of its rows, and how they relate the model's behaviours to the program's (over- or
//! under-approximation).
//!
//! Inconsistent is a table that suppresses an assignment and keeps what depends on it: the variable would be frozen,
//! which neither adds nor drops behaviours in any orderly way. So that is an error, with the lines of both sides.

use std::collections::BTreeMap;

use unpick_base::{Diagnostic, Diagnostics, Severity};

use crate::calls::synchronises;
use crate::code::{Class, FragmentId, FragmentKind};
use crate::effect::ObjectId;
use crate::entry::{Entry, entries};
use crate::extraction::Decided;
use crate::plan::Treatment;
use crate::proof::{Proof, Proofs};
use crate::rules::{Decision, Origin, chain};
use crate::table::Mapping;

/// What a row does to the behaviours of the program.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Kind {
    /// The same behaviours.
    Exact,
    /// More of them: what is found may be no error of the program.
    Widening,
    /// Fewer of them: what is not found may be there.
    Narrowing,
    /// Unproved.
    Unverified,
    /// Synchronisation differs from the program's: deadlocks are not preserved.
    Unsynchronised,
}

impl Kind {
    /// In a word.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Exact => "exact",
            Kind::Widening => "widening",
            Kind::Narrowing => "narrowing",
            Kind::Unverified => "unverified",
            Kind::Unsynchronised => "unsynchronised",
        }
    }
}

/// Finds what is wrong with the table as a whole.
pub fn check(decided: &Decided<'_>, diagnostics: &mut Diagnostics) {
    let suppressed = suppressed_by_rows(decided);
    for (id, decision) in decided.decisions.plain.iter_enumerated() {
        if !is_written(decided, id) {
            continue;
        }
        wrong_prefix(decided, id, diagnostics);
        let kept_plain = decision.mapping == Mapping::Keep;
        let negated = decided.decisions.negated.get(&id);
        let kept_negated = negated.is_some_and(|negated| negated.mapping == Mapping::Keep);
        if kept_plain || kept_negated {
            kept_without_cause(decided, id, &suppressed, diagnostics);
        }
        for decision in std::iter::once(decision).chain(negated) {
            speaks_of_lost(decided, id, decision, diagnostics);
        }
        if decision.mapping == Mapping::False && negated.is_some_and(|negated| negated.mapping == Mapping::False) {
            let fragment = &decided.context.code.fragments[id];
            let message = format!("neither `{}` nor its negation is possible: the process stops here", fragment.text);
            diagnostics.push(Diagnostic::new(Severity::Warning, fragment.span, message));
        }
    }
    if !decided.program.table.rows.is_empty() {
        for line in vacuity(decided).into_iter().filter(|line| line.starts_with("vacuous")) {
            diagnostics.push(Diagnostic::new(Severity::Warning, unpick_base::Span::NONE, line));
        }
    }
    for (id, why) in &decided.decisions.dropped {
        if !is_written(decided, *id) {
            continue;
        }
        let fragment = &decided.context.code.fragments[*id];
        let message = format!("`{}` is not checked: {why}", fragment.text);
        diagnostics.push(Diagnostic::new(Severity::Warning, fragment.span, message));
    }
}

/// Whether the function of a fragment is part of the model.
pub(crate) fn is_written(decided: &Decided<'_>, id: FragmentId) -> bool {
    let function = decided.context.code.fragments[id].function;
    function.is_none_or(|function| !matches!(decided.plan.treatment(function), Treatment::Unused | Treatment::Abstract))
}

/// Objects whose declaration or some assignment a row suppresses.
fn suppressed_by_rows(decided: &Decided<'_>) -> BTreeMap<ObjectId, FragmentId> {
    let mut objects = BTreeMap::new();
    for (id, decision) in decided.decisions.plain.iter_enumerated() {
        if !decision.is_row() || !decision.mapping.is_suppressed() || !is_written(decided, id) {
            continue;
        }
        let effects = &decided.context.code.fragments[id].effects;
        for object in effects.defs.iter().chain(&effects.havoc) {
            objects.entry(*object).or_insert(id);
        }
    }
    objects
}

fn kept_without_cause(
    decided: &Decided<'_>,
    id: FragmentId,
    suppressed: &BTreeMap<ObjectId, FragmentId>,
    diagnostics: &mut Diagnostics,
) {
    let code = decided.context.code;
    let fragment = &code.fragments[id];
    let arguments = fragment.effects.call.iter().flat_map(|(_, bindings)| bindings);
    let arguments = arguments.flat_map(|binding| binding.uses.iter().copied());
    let touched: Vec<ObjectId> = fragment.effects.touched().chain(arguments).collect();
    // A declaration alone does nothing with what it declares.
    let is_active = fragment.class != Class::Declaration;
    if let Some((object, cause)) =
        touched.iter().filter(|_| is_active).find_map(|object| suppressed.get(object).map(|cause| (object, cause)))
    {
        let name = &code.objects.get(*object).name;
        let cause = &code.fragments[*cause];
        let message =
            format!("`{}` is kept, but `{name}` depends on `{}`, which is not executed", fragment.text, cause.text);
        let item = Diagnostic::new(Severity::Error, fragment.span, message)
            .label(cause.span, "a row takes this out of the model")
            .help(format!(
                "give this entry a meaning too, take the other one back, or take all of `{name}` out with `Restrict {name} \
                 hide` in the preferences"
            ));
        return diagnostics.push(item);
    }
    let decision = &decided.decisions.plain[id];
    let decision = if decision.mapping == Mapping::Keep { decision } else { &decided.decisions.negated[&id] };
    let row = match decision.origin {
        Origin::Row(row) => Some(&decided.program.table.rows[row]),
        _ => None,
    };
    let is_wanted = row.is_some() || matches!(decision.origin, Origin::Restriction(_) | Origin::ClassDefault);
    if !is_wanted {
        return;
    }
    let span = row.map_or(fragment.span, |row| row.mapping_span);
    if let Err(why) = decided.context.representable(fragment) {
        let message = format!("`{}` cannot be kept: it {why}", fragment.text);
        return diagnostics.push(Diagnostic::new(Severity::Error, span, message).label(fragment.span, "here"));
    }
    let lost = touched.iter().find(|object| decided.decisions.lost.contains_key(object));
    if let Some(lost) = lost.filter(|_| fragment.effects.call.is_none()) {
        let steps = chain(&decided.context, &decided.decisions, *lost);
        let message = format!("`{}` cannot be kept: {}", fragment.text, steps.join("; "));
        diagnostics.push(Diagnostic::new(Severity::Error, span, message).label(fragment.span, "here"));
    }
}

/// A row's right side that mentions what is not in the model: it would read a variable that is never written.
fn speaks_of_lost(decided: &Decided<'_>, id: FragmentId, decision: &Decision, diagnostics: &mut Diagnostics) {
    let (Origin::Row(row), Mapping::Text(_)) = (&decision.origin, &decision.mapping) else { return };
    let mentioned = decision.mentioned();
    let code = decided.context.code;
    let effects = &code.fragments[id].effects;
    let arguments = effects.call.iter().flat_map(|(_, bindings)| bindings.iter().flat_map(|binding| &binding.uses));
    let mut touched = effects.touched().chain(effects.havoc.iter().copied()).chain(arguments.copied());
    let is_lost = |object: &ObjectId| decided.decisions.lost.contains_key(object);
    let Some(lost) = touched.find(|object| is_lost(object) && mentioned.contains(&code.objects.get(*object).name))
    else {
        return;
    };
    let span = decided.program.table.rows[*row].mapping_span;
    if diagnostics.iter().any(|item| item.span == span) {
        return;
    }
    let steps = chain(&decided.context, &decided.decisions, lost).join("; ");
    let message = format!("the right side speaks of what the model does not hold: {steps}");
    let here = code.fragments[id].span;
    diagnostics.push(Diagnostic::new(Severity::Error, span, message).label(here, "the entry"));
}

fn wrong_prefix(decided: &Decided<'_>, id: FragmentId, diagnostics: &mut Diagnostics) {
    let class = decided.context.code.fragments[id].class;
    let negated = decided.decisions.negated.get(&id);
    for decision in std::iter::once(&decided.decisions.plain[id]).chain(negated) {
        let Origin::Row(row) = decision.origin else { continue };
        let row = &decided.program.table.rows[row];
        let is_wrong = row.class.is_some_and(|written| written != class);
        let is_known = diagnostics.iter().any(|item| item.span == row.span);
        if is_wrong && !is_known {
            let message = format!("`{}` is a {}: its prefix is `{}:`", row.text, class.name(), class.letter());
            diagnostics.push(Diagnostic::new(Severity::Warning, row.span, message));
        }
    }
}

/// What an entry does to the behaviours: the worst that it does anywhere.
pub fn kind(decided: &Decided<'_>, proofs: &Proofs, entry: &Entry) -> Kind {
    let kinds = entry.fragments.iter().map(|id| fragment_kind(decided, proofs, *id, entry.is_negated));
    kinds.max().unwrap_or(Kind::Exact)
}

/// What a row does to the behaviours at one place.
pub(crate) fn fragment_kind(decided: &Decided<'_>, proofs: &Proofs, id: FragmentId, is_negated: bool) -> Kind {
    let decisions = &decided.decisions;
    let (this, other) = match is_negated {
        true => (&decisions.negated[&id], Some(&decisions.plain[id])),
        false => (&decisions.plain[id], decisions.negated.get(&id)),
    };
    let proved = proofs.get(id, is_negated).and_then(|proof| match proof {
        Proof::Equivalent => Some(Kind::Exact),
        Proof::Widens => Some(Kind::Widening),
        Proof::Narrows(_) => Some(Kind::Narrowing),
        Proof::Incomparable(_) => Some(Kind::Unverified),
        Proof::Unknown(_) => None,
    });
    match &this.mapping {
        Mapping::Text(_) if matches!(this.origin, Origin::Library(_)) => Kind::Exact,
        Mapping::Text(text) if is_nothing(text) && synchronises(&decided.context, id) => Kind::Unsynchronised,
        Mapping::Text(_) => proved.unwrap_or(Kind::Unverified),
        // Of an object that is held in another way, what is kept may mean something else.
        Mapping::Keep if proofs.get(id, is_negated).is_some() => proved.unwrap_or(Kind::Unverified),
        Mapping::True | Mapping::False if proved == Some(Kind::Exact) => Kind::Exact,
        Mapping::Keep | Mapping::True | Mapping::False if other.is_some() => {
            match (&this.mapping, other.map(|other| &other.mapping)) {
                // One way whatever the data says: behaviours are lost, and others are new.
                (Mapping::True, Some(Mapping::False)) | (Mapping::False, Some(Mapping::True)) => Kind::Unverified,
                (Mapping::False, _) | (_, Some(Mapping::False)) => Kind::Narrowing,
                (Mapping::True, _) => Kind::Widening,
                _ => Kind::Exact,
            }
        }
        Mapping::Keep => Kind::Exact,
        Mapping::True => Kind::Exact,
        Mapping::False => Kind::Narrowing,
        Mapping::Print | Mapping::Comment | Mapping::Hide if synchronises(&decided.context, id) => Kind::Unsynchronised,
        Mapping::Print | Mapping::Comment | Mapping::Hide => {
            let effects = &decided.context.code.fragments[id].effects;
            let has_effect = !effects.defs.is_empty() || !effects.havoc.is_empty() || effects.call.is_some();
            match proved {
                Some(kind @ (Kind::Narrowing | Kind::Unverified)) => kind,
                _ if has_effect => Kind::Widening,
                _ => Kind::Exact,
            }
        }
    }
}

/// Whether a right side is a step that does nothing.
pub(crate) fn is_nothing(text: &str) -> bool {
    crate::pattern::words(text).iter().all(|word| matches!(word.as_str(), "skip" | "true" | "1" | ";"))
}

/// The report of `--audit`.
pub fn report(decided: &Decided<'_>) -> String {
    let proofs = Proofs::new(decided);
    let all = entries(&decided.context, &decided.decisions);
    let mut text = String::new();
    for (name, held) in &proofs.abstractions {
        text.push_str(&format!("the model's `{name}` holds {held}\n"));
    }
    for kind_wanted in [Kind::Unsynchronised, Kind::Narrowing, Kind::Unverified, Kind::Widening, Kind::Exact] {
        let of_kind: Vec<&Entry> = all.iter().filter(|entry| kind(decided, &proofs, entry) == kind_wanted).collect();
        // Most tables leave nothing of this kind out.
        if kind_wanted == Kind::Unsynchronised && of_kind.is_empty() {
            continue;
        }
        text.push_str(&format!("{}: {} of {} entries\n", kind_wanted.name(), of_kind.len(), all.len()));
        for entry in of_kind {
            let is_proved = entry.fragments.iter().all(|id| {
                matches!(proofs.get(*id, entry.is_negated), Some(Proof::Equivalent | Proof::Widens | Proof::Narrows(_)))
            });
            // What is exact because it is kept needs no words.
            if kind_wanted != Kind::Exact || is_proved && entry.decision.is_row() {
                text.push_str(&told(decided, &proofs, entry, is_proved));
            }
        }
    }
    for line in vacuity(decided) {
        text.push_str(&format!("{line}\n"));
    }
    text
}

/// One entry with what is known of it.
fn told(decided: &Decided<'_>, proofs: &Proofs, entry: &Entry, is_proved: bool) -> String {
    let fragment = &decided.context.code.fragments[entry.fragments[0]];
    let place = decided.context.place(fragment);
    let mapping = entry.decision.mapping.text();
    let proved = if is_proved { ", proved" } else { "" };
    let mut text =
        format!("  {}: {}\t{mapping}\t# {place}: {}{proved}\n", entry.class.letter(), entry.text, entry.decision.why);
    let mut reasons: Vec<&String> = Vec::new();
    for id in &entry.fragments {
        match proofs.get(*id, entry.is_negated) {
            Some(Proof::Narrows(example) | Proof::Incomparable(example)) if !reasons.contains(&example) => {
                reasons.push(example);
                text.push_str(&format!("      forgets something: {example}\n"));
            }
            Some(Proof::Unknown(why))
                if !reasons.contains(&why) && matches!(entry.decision.mapping, Mapping::Text(_)) =>
            {
                reasons.push(why);
                text.push_str(&format!("      not proved: {why}\n"));
            }
            _ => {}
        }
    }
    if let Origin::Dependency(object) = entry.decision.origin {
        for step in chain(&decided.context, &decided.decisions, object) {
            text.push_str(&format!("      because {step}\n"));
        }
    }
    text
}

/// Whether anything is left that could fail.
pub fn vacuity(decided: &Decided<'_>) -> Vec<String> {
    let fragments = &decided.context.code.fragments;
    let mut assertions =
        fragments.iter_enumerated().filter(|(_, fragment)| matches!(fragment.what, FragmentKind::Assertion(_)));
    let n_dropped = decided.decisions.dropped.len();
    let has_kept = assertions.any(|(id, _)| decided.decisions.plain[id].mapping == Mapping::Keep);
    let harness = &decided.program.harness;
    let explicit = decided.decisions.plain.iter().map(|decision| decision.mapping.text());
    let environment = harness.environment.iter().map(|(_, text)| text.as_str());
    let has_written = explicit.chain(environment).any(|text| text.contains("assert") || text.contains("ltl "));
    let has_claims = has_written || !harness.ltl.is_empty() || !harness.invariants.is_empty();
    let n_kept = decided.decisions.plain.iter().filter(|decision| decision.mapping == Mapping::Keep).count();
    let mut lines = match (has_kept || has_claims, n_dropped, n_kept) {
        (_, _, 0) => vec!["vacuous: nothing of the program's data is in the model".to_owned()],
        (false, 0, _) => vec!["no assertion and no formula: only deadlocks can be found".to_owned()],
        (false, n, _) => vec![format!("vacuous: none of the {n} assertions is in the model")],
        (true, 0, _) => Vec::new(),
        (true, n, _) => vec![format!("{n} assertions are not in the model")],
    };
    for (name, text) in harness.ltl.iter().chain(&harness.invariants).chain(&harness.spoken) {
        if let Some(frozen) = frozen(decided, text) {
            lines.push(format!("vacuous: `{name}` speaks of {frozen}, which nothing in the model changes"));
        }
    }
    lines
}

/// The program's objects in a formula, if nothing in the model changes any of them.
fn frozen(decided: &Decided<'_>, formula: &str) -> Option<String> {
    let code = decided.context.code;
    let words = crate::pattern::words(formula);
    let mentioned: Vec<ObjectId> =
        code.objects.iter().filter(|(_, object)| words.contains(&object.name)).map(|(id, _)| id).collect();
    let names: Vec<&str> = mentioned.iter().map(|object| code.objects.get(*object).name.as_str()).collect();
    let harness = &decided.program.harness;
    let texts = harness.environment.iter().map(|(_, text)| text).chain(&harness.declare);
    let mut written = texts.flat_map(|text| crate::pattern::words(text));
    // Places in processes and what only the environment knows may change as they like.
    let is_own = |word: &String| names.contains(&word.as_str()) || code.function_named(word).is_some();
    let is_word = |word: &&String| word.starts_with(|first: char| first.is_alphabetic() || first == '_');
    let operators = ["U", "V", "W", "X", "true", "false", "always", "eventually", "until", "implies"];
    let constants = &decided.context.constants;
    let mut others = words.iter().filter(is_word).filter(|word| !is_own(word) && !constants.contains_key(*word));
    if mentioned.is_empty() || others.any(|word| !operators.contains(&word.as_str())) || words.iter().any(|w| w == "@")
    {
        return None;
    }
    if written.any(|word| names.contains(&word.as_str())) {
        return None;
    }
    let is_changed = code.fragments.iter_enumerated().any(|(id, fragment)| {
        let decision = &decided.decisions.plain[id];
        let is_executed = matches!(decision.mapping, Mapping::Keep | Mapping::Text(_));
        let mentions = |text: &str| crate::pattern::words(text).iter().any(|word| names.contains(&word.as_str()));
        let changes = fragment.effects.defs.iter().any(|object| mentioned.contains(object));
        fragment.class != Class::Declaration
            && is_written(decided, id)
            && is_executed
            && (changes || matches!(&decision.mapping, Mapping::Text(text) if mentions(text)))
    });
    (!is_changed).then(|| names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "))
}

/// How many conditions of the model are never possible because a row says so.
pub fn n_restrictions(decided: &Decided<'_>) -> usize {
    let plain = decided.decisions.plain.iter_enumerated();
    let negated = decided.decisions.negated.iter().map(|(id, decision)| (*id, decision));
    plain.chain(negated).filter(|(id, decision)| decision.mapping == Mapping::False && is_written(decided, *id)).count()
}

/// The labels that a verdict on the model carries: what the rows in it do to the behaviours.
pub fn labels(decided: &Decided<'_>, proofs: &Proofs) -> BTreeMap<Kind, usize> {
    let mut counts = BTreeMap::new();
    for entry in entries(&decided.context, &decided.decisions) {
        if is_written(decided, entry.fragments[0]) {
            *counts.entry(kind(decided, proofs, &entry)).or_insert(0) += 1;
        }
    }
    counts
}
