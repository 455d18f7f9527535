//! Reports of `unpick table` besides the table: figures, and the rule that decided on an entry.

use crate::entry::{Entry, entries};
use crate::extraction::Decided;
use crate::rules::{Decision, Origin, chain};
use crate::table::Mapping;
use crate::write::Written;

/// The figures that the method is judged by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Figures {
    /// Entries of the table.
    pub n_entries: usize,
    /// Rows that end in `...`.
    pub n_ellipses: usize,
    /// `Substitute` rules.
    pub n_substitutes: usize,
    /// Entries whose meaning is written out.
    pub n_explicit: usize,
    /// Lines of the model that were extracted.
    pub n_extracted: usize,
    /// Lines of the model that were written by hand.
    pub n_handwritten: usize,
}

impl Figures {
    /// Counts.
    pub fn new(decided: &Decided<'_>, written: &Written) -> Figures {
        let entries = entries(&decided.context, &decided.decisions);
        let table = &decided.program.table;
        Figures {
            n_entries: entries.len(),
            n_ellipses: table.rows.iter().filter(|row| row.pattern.ellipsis.is_some()).count(),
            n_substitutes: table.substitutes.len(),
            n_explicit: entries.iter().filter(|entry| entry.is_explicit()).count(),
            n_extracted: written.n_extracted,
            n_handwritten: written.n_handwritten,
        }
    }

    /// Explicit entries in percent.
    pub fn explicit_percent(&self) -> usize {
        percent(self.n_explicit, self.n_entries)
    }

    /// Extracted lines in percent.
    pub fn extracted_percent(&self) -> usize {
        percent(self.n_extracted, self.n_extracted + self.n_handwritten)
    }

    /// The figures as a table.
    pub fn text(&self) -> String {
        format!(
            "table entries      {:>5}\nellipsis rows      {:>5}\nsubstitute rules   {:>5}\ndefault rules      {:>4}%\n\
             explicit rules     {:>4}%\nmodel handwritten  {:>4}%\nmodel extracted    {:>4}%\n",
            self.n_entries,
            self.n_ellipses,
            self.n_substitutes,
            100 - self.explicit_percent(),
            self.explicit_percent(),
            100 - self.extracted_percent(),
            self.extracted_percent(),
        )
    }
}

fn percent(part: usize, whole: usize) -> usize {
    (100 * part + whole / 2).checked_div(whole).unwrap_or(0)
}

/// Which rule decided on the entries of a line, or on one with this text.
pub fn explain(decided: &Decided<'_>, what: &str) -> Option<String> {
    let entries = entries(&decided.context, &decided.decisions);
    let line: Option<u32> = what.rsplit(':').next().and_then(|line| line.parse().ok());
    let words = crate::pattern::canonical_words(what);
    let is_meant = |entry: &&Entry| match line {
        Some(line) => {
            entry.fragments.iter().any(|id| decided.context.line(&decided.context.code.fragments[*id]) == line)
        }
        None => crate::pattern::canonical_words(&entry.text) == words,
    };
    let mut text = String::new();
    for entry in entries.iter().filter(is_meant) {
        let mapping = entry.decision.mapping.text();
        text.push_str(&format!("{}: {}\t{mapping}\n", entry.class.letter(), entry.text));
        text.push_str(&rule(decided, &entry.decision));
        if decided.is_restated(entry) {
            text.push_str("    a row of the table says the same\n");
        }
        for losers in losing(decided, entry) {
            text.push_str(&format!("    it wins over {losers}\n"));
        }
    }
    (!text.is_empty()).then_some(text)
}

fn rule(decided: &Decided<'_>, decision: &Decision) -> String {
    let table = &decided.program.table;
    let place = |span: unpick_base::Span| match decided.context.sources.place(span.lo) {
        Some(place) => format!("{}:{}", place.file, place.line),
        None => "?".into(),
    };
    match decision.origin {
        Origin::Row(row) => {
            let row = &table.rows[row];
            format!("    decided by the row `{}` of the table ({})\n", row.text, place(row.span))
        }
        Origin::Library(row) => {
            format!("    decided by the built-in row `{}`\n", decided.program.library.rows[row].text)
        }
        Origin::Restriction(at) => {
            let (name, mapping, span) = &decided.program.preferences.restrictions[at];
            format!("    decided by the restriction of `{name}` to {} ({})\n", mapping.text(), place(*span))
        }
        Origin::ClassDefault => format!("    decided by {}\n", decision.why),
        Origin::BuiltIn => format!("    decided by the built-in default: {}\n", decision.why),
        Origin::Dependency(object) => {
            let mut text = String::from("    decided by what it depends on\n");
            for step in chain(&decided.context, &decided.decisions, object) {
                text.push_str(&format!("    because {step}\n"));
            }
            text
        }
    }
}

/// Rules that also speak of an entry, but have less to say.
fn losing(decided: &Decided<'_>, entry: &Entry) -> Vec<String> {
    let preferences = &decided.program.preferences;
    let mut losers = Vec::new();
    let fragment = &decided.context.code.fragments[entry.fragments[0]];
    let rank = match entry.decision.origin {
        Origin::Row(_) => 0,
        Origin::Restriction(_) => 1,
        Origin::Library(_) => 2,
        Origin::ClassDefault => 3,
        Origin::BuiltIn | Origin::Dependency(_) => 4,
    };
    if rank < 1 {
        let touched = || fragment.effects.touched().map(|object| &decided.context.code.objects.get(object).name);
        for (name, mapping, _) in &preferences.restrictions {
            if touched().any(|touched| touched == name) {
                losers.push(format!("the restriction of `{name}` to {}", mapping.text()));
            }
        }
    }
    if rank < 3
        && let Some((_, mapping)) = preferences.defaults.iter().find(|(class, _)| *class == fragment.class)
    {
        losers.push(format!("the preferences' default for a {}, {}", fragment.class.name(), mapping.text()));
    }
    losers
}

/// The user's rows and all entries they do not speak of, after the program has changed.
pub fn refreshed(decided: &Decided<'_>, old: &str) -> (String, Changes) {
    let mut changes = Changes::default();
    let table = &decided.program.table;
    let mut is_used = decided.used_rows();
    let entries = entries(&decided.context, &decided.decisions);
    for entry in &entries {
        if let Origin::Row(row) = entry.decision.origin {
            is_used[row] = true;
        }
    }
    let orphans: Vec<&str> =
        table.rows.iter().zip(&is_used).filter(|(_, is_used)| !**is_used).map(|(row, _)| row.text.as_str()).collect();
    let mut text = String::new();
    for line in old.lines() {
        let pattern = line.split('\t').next().unwrap_or("");
        let pattern = match pattern.split_once(':') {
            Some((letter, rest)) if crate::code::Class::of_letter(letter.trim()).is_some() => rest.trim(),
            _ => pattern.trim(),
        };
        let is_row = line.contains('\t') && !line.trim_start().starts_with('#');
        if is_row && orphans.contains(&pattern) {
            changes.orphaned.push(pattern.to_owned());
            text.push_str(&format!("# orphaned: {line}\n"));
        } else {
            text.push_str(line);
            text.push('\n');
        }
    }
    for entry in &entries {
        let is_mentioned = matches!(entry.decision.origin, Origin::Row(_)) || decided.is_restated(entry);
        if !is_mentioned {
            changes.new.push(entry.text.clone());
            let mapping = match &entry.decision.mapping {
                // Built-in rows are longer than a line.
                Mapping::Text(_) => continue,
                mapping => mapping.text(),
            };
            text.push_str(&format!("{}: {}\t{mapping}\t# new\n", entry.class.letter(), entry.text));
        }
    }
    (text, changes)
}

/// What a change of the program means for a table.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Changes {
    /// Entries without a row.
    pub new: Vec<String>,
    /// Rows without an entry.
    pub orphaned: Vec<String>,
}

impl Changes {
    /// Pairs of an orphaned row and the new entry most like it.
    pub fn changed(&self) -> Vec<(String, String)> {
        let similarity = |one: &str, other: &str| {
            let (one, other) = (crate::pattern::canonical_words(one), crate::pattern::canonical_words(other));
            let n_common = one.iter().filter(|word| other.contains(word)).count();
            200 * n_common / (one.len() + other.len()).max(1)
        };
        let mut pairs = Vec::new();
        for orphan in &self.orphaned {
            let best = self.new.iter().max_by_key(|new| similarity(orphan, new));
            if let Some(best) = best.filter(|best| similarity(orphan, best) >= 60) {
                pairs.push((orphan.clone(), best.clone()));
            }
        }
        pairs
    }
}
