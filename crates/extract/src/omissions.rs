//! Omissions of a model: behaviours of the program that the model lacks, and what they mean for its verdicts.
//!
//! Added behaviours cost nothing when nothing is found. Missing behaviours are either an assumption, which the verdict
//! states, or a doubt, with which nothing is verified. Doubts are about what models are made for: threads that start,
//! wait and continue. A lock that is not in the model cannot be waited for, and a deadlock over it is not found.

use std::collections::BTreeSet;

use crate::audit::is_nothing;
use crate::calls::{ExternalCall, channel_end, external_calls, is_synchronisation, synchronises};
use crate::code::{FragmentId, FragmentKind};
use crate::extraction::Decided;
use crate::library;
use crate::messages;
use crate::plan::Treatment;
use crate::rules::{Decision, Origin};
use crate::table::Mapping;
use crate::write::Written;

/// More names than these are only counted.
const MAX_NAMES: usize = 8;

/// What a verdict on a model is worth.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Omissions {
    /// What it rests on.
    pub assumptions: Vec<String>,
    /// Why nothing is proved if nothing is found.
    pub doubts: Vec<String>,
}

impl Omissions {
    /// Looks at all that is decided and written.
    pub fn new(decided: &Decided<'_>, written: &Written) -> Omissions {
        let mut omissions = Omissions::default();
        omissions.assumptions.push(
            "nothing undefined happens in the program (overflow, wild pointers, values never set): check it without a table"
                .into(),
        );
        let dropped = Dropped::new(decided);
        dropped.tell(decided, &mut omissions);
        library_rows(decided, &mut omissions);
        ends_of_channels(decided, &mut omissions);
        starts(decided, &mut omissions);
        others_objects(decided, &mut omissions);
        if !written.untranslated.is_empty() {
            let texts =
                written.untranslated.iter().map(|id| decided.context.code.fragments[*id].text.clone()).collect();
            omissions.doubts.push(format!("{} should be in the model and could not be said there", listed(&texts)));
        }
        if written.loses_end {
            omissions
                .doubts
                .push("a function that callers wait for ends its thread, and the model goes on in them".into());
        }
        if !written.whole.is_empty() {
            let texts: BTreeSet<String> =
                written.whole.iter().map(|id| decided.context.code.fragments[*id].text.clone()).collect();
            let is_one = if texts.len() == 1 { "is one step" } else { "are one step each" };
            let text = format!("{} {is_one}: no other thread comes between reading and writing", listed(&texts));
            omissions.assumptions.push(text);
        }
        omissions
    }
}

/// What a model does not look for.
const ALL_OR_NONE: &str = "threads that wait for each other while others run on or end the program were not looked for: \
                           in a model a deadlock is that no thread can go on";

/// What follows for models without some of the program's locks.
const UNKNOWN_WAITS: &str = "who waits for whom is not known";

/// The first comment of a model that is written to a file: where it comes from, and what threads do to each other that
/// is not in it. Whoever checks the file later has nothing else to know it by.
pub fn head(decided: &Decided<'_>, written: &Written, files: &str) -> String {
    let mut text = format!("{HEAD}{files} by unpick.");
    let mut dropped = Dropped::new(decided);
    let untranslated = written.untranslated.iter().filter(|id| synchronises(&decided.context, **id));
    dropped.synchronisation.extend(untranslated.map(|id| decided.context.code.fragments[*id].text.clone()));
    if let Some(waiting) = dropped.waiting() {
        let waiting = format!("{waiting}. {NO_CLAIM}").replace("*/", "* /");
        let mut column = usize::MAX;
        for word in waiting.split_whitespace() {
            if column.saturating_add(word.len()) > 108 {
                text.push_str("\n  ");
                column = 2;
            }
            text.push_str(&format!(" {word}"));
            column += word.len() + 1;
        }
    }
    text.push_str(" */\n");
    text
}

const HEAD: &str = "/* Extracted from ";
const NO_CLAIM: &str = "No verdict on this model says anything about deadlocks of the program.";

/// What the first comment of a model says about locks of the program that are not in it.
pub fn left_out(model: &str) -> Option<String> {
    let (comment, _) = model.trim_start().strip_prefix(HEAD)?.split_once("*/")?;
    let (_, rest) = comment.split_once(" by unpick.")?;
    let rest = rest.split_whitespace().collect::<Vec<_>>().join(" ");
    let waiting = rest.strip_suffix(NO_CLAIM)?.trim().trim_end_matches('.').to_owned();
    waiting.contains(UNKNOWN_WAITS).then_some(waiting)
}

/// Names or texts between quotes, not too many.
fn listed(names: &BTreeSet<String>) -> String {
    let mut text: Vec<String> = names.iter().take(MAX_NAMES).map(|name| format!("`{name}`")).collect();
    if names.len() > MAX_NAMES {
        text.push(format!("{} more", names.len() - MAX_NAMES));
    }
    match text.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
        None => String::new(),
    }
}

/// Calls that are not in the model.
#[derive(Default)]
struct Dropped {
    /// Calls that start, end, block or wake threads, as they are written.
    synchronisation: BTreeSet<String>,
    /// Ends of channels.
    messages: BTreeSet<String>,
    /// Functions of the program that unknown code may call, with the function it came through.
    callbacks: BTreeSet<String>,
    /// Calls through pointers that may lead anywhere.
    pointers: BTreeSet<String>,
    /// Objects that are not given back.
    frees: BTreeSet<String>,
    /// All other functions without bodies.
    others: BTreeSet<String>,
}

impl Dropped {
    fn new(decided: &Decided<'_>) -> Dropped {
        let mut dropped = Dropped::default();
        for (id, fragment) in decided.context.code.fragments.iter_enumerated() {
            let treatment = fragment.function.map(|function| decided.plan.treatment(function));
            if treatment == Some(Treatment::Unused) {
                continue;
            }
            let is_gone = treatment == Some(Treatment::Abstract) || !is_said(decided, id);
            // A call that is not made takes with it all that happens in the function.
            if is_gone && fragment.effects.call.is_some() && synchronises(&decided.context, id) {
                dropped.synchronisation.insert(fragment.text.clone());
            }
            for call in external_calls(&decided.context, id) {
                // What a row says about a call is the user's word, see `Kind::Unverified`.
                if is_gone {
                    dropped.add(decided, id, &call);
                }
            }
        }
        dropped
    }

    fn add(&mut self, decided: &Decided<'_>, id: FragmentId, call: &ExternalCall) {
        let context = &decided.context;
        let fragment = &context.code.fragments[id];
        let Some(name) = &call.name else {
            // Of a pointer that is none of the functions known, nothing is known anyway.
            if !matches!(fragment.what, FragmentKind::Stray(..)) {
                self.pointers.insert(fragment.text.clone());
            }
            return;
        };
        for function in call.args.iter().filter_map(|arg| context.designated(fragment.unit, *arg)) {
            self.callbacks.insert(format!("{} by {name}", context.code.functions[function].name));
        }
        if is_synchronisation(name) {
            self.synchronisation.insert(fragment.text.clone());
        } else if channel_end(name).is_some() {
            self.messages.insert(fragment.text.clone());
        } else if matches!(name.as_str(), "free" | "realloc") {
            self.frees.insert(fragment.text.clone());
        } else if library::ends(name).is_none() && !name.starts_with("__VERIFIER_") {
            self.others.insert(name.clone());
        }
    }

    /// What threads do to each other outside of the model.
    fn waiting(&self) -> Option<String> {
        let calls = listed(&self.synchronisation);
        let are = are(&self.synchronisation);
        (!calls.is_empty()).then(|| format!("{calls} {are} not in the model: {UNKNOWN_WAITS}"))
    }

    fn tell(self, decided: &Decided<'_>, omissions: &mut Omissions) {
        omissions.doubts.extend(self.waiting());
        let mut others = self.others;
        match messages::uses(&decided.context, &decided.plan, &decided.decisions).is_empty() {
            true => others.extend(self.messages.iter().filter_map(|text| named(text))),
            false if !self.messages.is_empty() => {
                let are = are(&self.messages);
                omissions
                    .doubts
                    .push(format!("{} {are} not in the model, but other messages are", listed(&self.messages)));
            }
            false => {}
        }
        if !self.callbacks.is_empty() {
            omissions.doubts.push(format!("nobody knows when the following are called: {}", listed(&self.callbacks)));
        }
        let addressed = &decided.context.code.addressed;
        let is_thread = |function| decided.context.code.thread_functions.contains(function);
        if !self.pointers.is_empty() && addressed.iter().any(|function| !is_thread(function)) {
            let calls = listed(&self.pointers);
            omissions.doubts.push(format!("{calls} may call any function whose address is taken"));
        } else if !self.pointers.is_empty() {
            let text = format!("what {} does by pointer changes nothing in the model", listed(&self.pointers));
            omissions.assumptions.push(text);
        }
        if !self.frees.is_empty() && !decided.context.pools.heaps().is_empty() {
            let are = are(&self.frees);
            omissions
                .doubts
                .push(format!("{} {are} not in the model: allocated objects stay in use", listed(&self.frees)));
        } else {
            others.extend(self.frees.iter().filter_map(|text| named(text)));
        }
        if !others.is_empty() {
            let (have, they) =
                if others.len() == 1 { ("has no body", "it returns") } else { ("have no bodies", "they return") };
            omissions
                .assumptions
                .push(format!("{} {have}: {they}, and only what pointers were given to is changed", listed(&others)));
        }
    }
}

fn are(names: &BTreeSet<String>) -> &'static str {
    if names.len() == 1 { "is" } else { "are" }
}

/// The name before the parenthesis of a call, perhaps behind an assignment.
fn named(call: &str) -> Option<String> {
    let before = call.split('(').next()?;
    before.rsplit(|c: char| !(c.is_alphanumeric() || c == '_')).find(|word| !word.is_empty()).map(str::to_owned)
}

/// Whether the model says what a fragment does.
fn is_said(decided: &Decided<'_>, id: FragmentId) -> bool {
    let means = |decision: &Decision| match &decision.mapping {
        // A step that does nothing stands for nothing, unless we say so ourselves.
        Mapping::Text(text) => !is_nothing(text) || matches!(decision.origin, Origin::Library(_)),
        Mapping::Keep => true,
        Mapping::Print | Mapping::Comment | Mapping::Hide | Mapping::True | Mapping::False => false,
    };
    means(&decided.decisions.plain[id])
}

/// What the built-in rows leave out of what the library may do.
fn library_rows(decided: &Decided<'_>, omissions: &mut Omissions) {
    let mut called: BTreeSet<String> = BTreeSet::new();
    for (id, decision) in decided.decisions.plain.iter_enumerated() {
        if matches!(decision.origin, Origin::Library(_)) && crate::audit::is_written(decided, id) {
            called.extend(external_calls(&decided.context, id).into_iter().filter_map(|call| call.name));
        }
    }
    if called.iter().any(|name| is_synchronisation(name)) {
        omissions.assumptions.push("calls that start threads, lock, unlock, signal and wait do not fail".into());
    }
    if called.iter().any(|name| name.ends_with("lock") || name.ends_with("_join")) {
        omissions.assumptions.push(ALL_OR_NONE.into());
    }
    let waits: BTreeSet<String> =
        called.iter().filter(|name| matches!(name.as_str(), "pthread_cond_wait" | "cnd_wait")).cloned().collect();
    if !waits.is_empty() && decided.program.harness.no_spurious {
        omissions.assumptions.push(format!("{} returns only after a signal", listed(&waits)));
    }
    if called.iter().any(|name| channel_end(name).is_some()) {
        omissions.assumptions.push(
            "what is sent to a descriptor is received from the descriptor with the same number, whole and in order; at \
             most 4 messages wait there"
                .into(),
        );
    }
}

/// Messages whose other end may be outside the program.
fn ends_of_channels(decided: &Decided<'_>, omissions: &mut Omissions) {
    let uses = messages::uses(&decided.context, &decided.plan, &decided.decisions);
    let is_open = |this: &&messages::ChannelUse| !uses.iter().any(|other| this.connects(other));
    let text = |this: &messages::ChannelUse| decided.context.code.fragments[this.fragment].text.clone();
    let open: BTreeSet<String> = uses.iter().filter(is_open).map(text).collect();
    if !open.is_empty() && !decided.has_channels_outside() {
        let whose = if open.len() == 1 { "its" } else { "their" };
        omissions.doubts.push(format!(
            "nobody knows who is at the other end of {} when {whose} descriptor is computed",
            listed(&open)
        ));
    }
}

/// Callers of functions outside the program.
fn starts(decided: &Decided<'_>, omissions: &mut Omissions) {
    let starts = &decided.plan.starts;
    let functions = &decided.context.code.functions;
    let names: BTreeSet<String> = starts.iter().map(|start| functions[start.function].name.clone()).collect();
    if decided.program.harness.processes.is_empty() && !names.is_empty() && !names.contains("main") {
        if names.len() == 1 {
            omissions.assumptions.push(format!("{} is called once, when nothing else has happened", listed(&names)));
        } else {
            omissions
                .assumptions
                .push(format!("only one of {} is called, once, when nothing else has happened", listed(&names)));
        }
    }
}

/// Objects that other files define and the model has all the same.
fn others_objects(decided: &Decided<'_>, omissions: &mut Omissions) {
    let code = decided.context.code;
    let is_defined = |object| code.globals.iter().any(|id| code.fragments[*id].effects.defs.contains(&object));
    let names: BTreeSet<String> = code
        .undefined
        .iter()
        .filter_map(|(unit, decl)| decided.context.object(*unit, *decl))
        .filter(|object| !decided.decisions.lost.contains_key(object) && !is_defined(*object))
        .map(|object| code.objects.get(object).name.clone())
        .collect();
    if !names.is_empty() {
        let starts = if names.len() == 1 { "starts" } else { "start" };
        omissions.assumptions.push(format!("{} {starts} as zero, and only the model writes there", listed(&names)));
    }
}
