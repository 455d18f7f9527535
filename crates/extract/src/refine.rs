//! Refinement of a table after a spurious counterexample (CEGAR, Clarke et al. 2000): which rows to change.
//!
//! The model went where the program cannot go because something in it is nondeterministic. Only user choices can be
//! taken back: rows and preferences. Data that the model cannot hold stays out, and gets no suggestion.

use std::collections::{BTreeMap, BTreeSet};

use crate::audit::{Kind, fragment_kind, is_written};
use crate::code::{FragmentId, FragmentKind};
use crate::effect::ObjectId;
use crate::extraction::Decided;
use crate::proof::{Proof, Proofs};
use crate::rules::{Decision, Origin};
use crate::table::Mapping;

/// Fragments that may go on where the program cannot, by file and line.
pub type Widened = BTreeMap<(String, u32), BTreeSet<FragmentId>>;

/// A change of the table or of the preferences.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Edit {
    /// Takes a line out of a file.
    Drop {
        /// The file as it was named.
        file: String,
        /// The line.
        line: u32,
        /// What is there.
        text: String,
    },
    /// Adds a row at the top of the table.
    Add {
        /// The row.
        row: String,
    },
}

impl Edit {
    /// For people.
    pub fn shown(&self) -> String {
        match self {
            Edit::Drop { file, line, text } => format!("without `{text}` ({file}:{line})"),
            Edit::Add { row } => format!("with the row `{}`", row.replace('\t', " -> ")),
        }
    }

    /// The text of a file after the change; lines keep their numbers as long as nothing is added.
    pub fn applied(&self, name: &str, text: &str, is_table: bool) -> Option<String> {
        match self {
            Edit::Drop { file, line, .. } if file == name => {
                let lines = text.lines().enumerate().map(|(at, content)| {
                    if at + 1 == *line as usize { format!("# refined: {content}\n") } else { format!("{content}\n") }
                });
                Some(lines.collect())
            }
            Edit::Add { row } if is_table => Some(format!("{row}\n{text}")),
            Edit::Drop { .. } | Edit::Add { .. } => None,
        }
    }
}

/// Where the model may go on although the program cannot.
pub fn widened(decided: &Decided<'_>, proofs: &Proofs) -> Widened {
    let mut widened = Widened::new();
    let plain = decided.decisions.plain.iter_enumerated().map(|(id, decision)| (id, false, decision));
    let negated = decided.decisions.negated.iter().map(|(id, decision)| (*id, true, decision));
    for (id, is_negated, decision) in plain.chain(negated) {
        let fragment = &decided.context.code.fragments[id];
        // What is not executed at all decides nothing.
        let is_silent = decision.mapping.is_suppressed() && !matches!(fragment.what, FragmentKind::Condition(_));
        if is_silent || !is_written(decided, id) || !may_add(decided, proofs, id, is_negated, decision) {
            continue;
        }
        if let Some(place) = decided.context.sources.place(fragment.span.lo) {
            widened.entry((place.file.to_string(), place.line)).or_default().insert(id);
        }
    }
    widened
}

fn may_add(decided: &Decided<'_>, proofs: &Proofs, id: FragmentId, is_negated: bool, decision: &Decision) -> bool {
    let is_one_way = decision.mapping == Mapping::True;
    match fragment_kind(decided, proofs, id, is_negated) {
        Kind::Widening => true,
        Kind::Unverified => is_one_way || matches!(proofs.get(id, is_negated), Some(Proof::Incomparable(_))),
        // A violation that needs no lock may need that there is none.
        Kind::Unsynchronised => true,
        Kind::Exact | Kind::Narrowing => false,
    }
}

/// What could be changed so that a fragment is as in the program.
pub fn ideas(decided: &Decided<'_>, proofs: &Proofs, id: FragmentId) -> Vec<Edit> {
    let mut edits = BTreeSet::new();
    let negated = decided.decisions.negated.get(&id);
    for decision in std::iter::once(&decided.decisions.plain[id]).chain(negated) {
        reconsider(decided, id, decision, &mut edits);
    }
    let abstracted = proofs.abstracted();
    let touched = decided.context.code.fragments[id].effects.touched();
    for object in touched.filter(|object| abstracted.contains(object)) {
        hold_again(decided, object, &mut edits);
    }
    if !edits.is_empty() {
        supply(decided, id, &mut edits);
    }
    edits.into_iter().collect()
}

/// A fragment that is as in the program needs what it reads: rows go that leave out what writes it, and so on.
fn supply(decided: &Decided<'_>, id: FragmentId, edits: &mut BTreeSet<Edit>) {
    let fragments = &decided.context.code.fragments;
    let mut seen: BTreeSet<ObjectId> = BTreeSet::new();
    let mut open: Vec<ObjectId> = fragments[id].effects.touched().collect();
    while let Some(object) = open.pop() {
        if !seen.insert(object) {
            continue;
        }
        for (writer, decision) in decided.decisions.plain.iter_enumerated() {
            let fragment = &fragments[writer];
            let is_writer = fragment.effects.defs.contains(&object) && decision.mapping.is_suppressed();
            if let (true, Origin::Row(row)) = (is_writer, &decision.origin) {
                drop_row(decided, *row, edits);
                open.extend(fragment.effects.touched());
            }
        }
    }
}

fn reconsider(decided: &Decided<'_>, id: FragmentId, decision: &Decision, edits: &mut BTreeSet<Edit>) {
    let fragment = &decided.context.code.fragments[id];
    let is_lost = |object: ObjectId| decided.decisions.lost.contains_key(&object);
    let can_be_kept = decided.context.representable(fragment).is_ok() && !fragment.effects.touched().any(is_lost);
    match decision.origin {
        Origin::Row(row) if can_be_kept && decision.mapping != Mapping::Keep => drop_row(decided, row, edits),
        Origin::Row(_) | Origin::Library(_) | Origin::BuiltIn => {}
        Origin::Restriction(at) => {
            let (name, mapping, span) = &decided.program.preferences.restrictions[at];
            if let Some(place) = decided.context.sources.place(span.lo) {
                let text = format!("Restrict {name} {}", mapping.text());
                edits.insert(Edit::Drop { file: place.file.to_string(), line: place.line, text });
            }
        }
        Origin::ClassDefault => {
            edits.insert(Edit::Add { row: format!("{}\tkeep", fragment.text) });
            if !fragment.negated.is_empty() {
                edits.insert(Edit::Add { row: format!("{}\tkeep", fragment.negated) });
            }
        }
        Origin::Dependency(object) => {
            // The root of the chain.
            let mut next = Some(object);
            for _ in 0..20 {
                let Some(cause) = next.and_then(|object| decided.decisions.lost.get(&object)) else { break };
                if let (None, Some(root)) = (cause.from, cause.fragment) {
                    reconsider(decided, root, &decided.decisions.plain[root], edits);
                }
                next = cause.from;
            }
        }
    }
}

fn drop_row(decided: &Decided<'_>, row: usize, edits: &mut BTreeSet<Edit>) {
    let row = &decided.program.table.rows[row];
    let place = decided.context.sources.place(row.span.lo);
    if let (Some(place), None) = (place, row.pattern.ellipsis) {
        let text = format!("{} -> {}", row.text, row.mapping.text());
        edits.insert(Edit::Drop { file: place.file.to_string(), line: place.line, text });
    }
}

/// All rows about an object go, so that the model holds its value.
fn hold_again(decided: &Decided<'_>, object: ObjectId, edits: &mut BTreeSet<Edit>) {
    let plain = decided.decisions.plain.iter_enumerated();
    let negated = decided.decisions.negated.iter().map(|(id, decision)| (*id, decision));
    for (id, decision) in plain.chain(negated) {
        let fragment = &decided.context.code.fragments[id];
        let is_meant = fragment.effects.touched().any(|touched| touched == object);
        if let (true, Origin::Row(row)) =
            (is_meant && decided.context.representable(fragment).is_ok(), &decision.origin)
        {
            drop_row(decided, *row, edits);
        }
    }
}
