//! Entries of a table: fragments with equal text and polarity form one entry.

use std::collections::HashMap;

use crate::code::{Class, FragmentId};
use crate::context::Context;
use crate::plan::fragments;
use crate::rules::{Decision, Decisions, Origin};
use crate::table::Mapping;

/// An entry.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Its class.
    pub class: Class,
    /// Its text, negated for the second polarity of a condition.
    pub text: String,
    /// Whether it is the negation of a condition.
    pub is_negated: bool,
    /// All fragments with this text, in order.
    pub fragments: Vec<FragmentId>,
    /// What becomes of the first of them.
    pub decision: Decision,
    /// Whether other fragments with this text get something else.
    pub is_mixed: bool,
}

impl Entry {
    /// Whether its meaning is written out: a row that is Promela, or the library's.
    pub fn is_explicit(&self) -> bool {
        let is_text =
            !matches!(self.decision.mapping, Mapping::Keep | Mapping::Print | Mapping::Comment | Mapping::Hide);
        matches!(self.decision.origin, Origin::Row(_)) && is_text
    }
}

/// All entries in order of appearance: file scope first, then function by function.
pub fn entries(context: &Context<'_>, decisions: &Decisions) -> Vec<Entry> {
    let code = context.code;
    let mut order: Vec<FragmentId> = code.globals.clone();
    for function in code.functions.iter() {
        order.extend(fragments(&function.body));
    }
    let mut entries: Vec<Entry> = Vec::new();
    let mut known: HashMap<(Class, String), usize> = HashMap::new();
    let mut add = |class: Class, text: &str, is_negated: bool, id: FragmentId, decision: &Decision| match known
        .get(&(class, text.to_owned()))
    {
        Some(at) => {
            let entry: &mut Entry = &mut entries[*at];
            entry.fragments.push(id);
            entry.is_mixed |= entry.decision.mapping != decision.mapping;
        }
        None => {
            known.insert((class, text.to_owned()), entries.len());
            entries.push(Entry {
                class,
                text: text.to_owned(),
                is_negated,
                fragments: vec![id],
                decision: decision.clone(),
                is_mixed: false,
            });
        }
    };
    for id in order {
        let fragment = &code.fragments[id];
        add(fragment.class, &fragment.text, false, id, &decisions.plain[id]);
        if let Some(negated) = decisions.negated.get(&id) {
            add(fragment.class, &fragment.negated, true, id, negated);
        }
    }
    entries
}

/// The table as text: every entry with what becomes of it, where it stands and why.
pub fn filled(context: &Context<'_>, decisions: &Decisions) -> String {
    let entries = entries(context, decisions);
    let width = entries.iter().map(|entry| entry.text.chars().count()).filter(|width| *width <= 40).max().unwrap_or(0);
    let mut text = String::new();
    for entry in &entries {
        let lines: Vec<String> =
            entry.fragments.iter().map(|id| context.line(&code_fragment(context, *id)).to_string()).collect();
        let mut lines = lines;
        lines.dedup();
        let file = context.place(&code_fragment(context, entry.fragments[0]));
        let file = file.rsplit_once(':').map_or("", |(file, _)| file);
        let file = file.rsplit('/').next().unwrap_or(file);
        let pad = " ".repeat(width.saturating_sub(entry.text.chars().count()));
        // One row would say the same everywhere, and a name that begins like a metavariable would be one.
        let is_row = !entry.is_mixed && !crate::pattern::words(&entry.text).iter().any(|word| word.starts_with('$'));
        let comment = if is_row { "" } else { "# " };
        let mixed = if entry.is_mixed { "; not everywhere the same" } else { "" };
        text.push_str(&format!(
            "{comment}{}: {}{pad}\t{}\t# {file}:{}: {}{mixed}\n",
            entry.class.letter(),
            entry.text,
            entry.decision.shown(),
            shortened(&lines),
            entry.decision.why,
        ));
    }
    text
}

fn code_fragment(context: &Context<'_>, id: FragmentId) -> crate::code::Fragment {
    context.code.fragments[id].clone()
}

fn shortened(lines: &[String]) -> String {
    match lines.len() {
        0..=6 => lines.join(","),
        n => format!("{},... ({n} lines)", lines[..5].join(",")),
    }
}
