//! What a run over the suites leaves behind: counts per suite, reasons, and what has changed since another
//! run.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use anyhow::{Context, Result};

use super::judge::{CLASSES, Class, Record};

/// Program to reason, out of the committed list.
pub type Exceptions = BTreeMap<String, String>;

pub fn read(file: &Path) -> Result<Vec<Record>> {
    let text = std::fs::read_to_string(file).with_context(|| file.display().to_string())?;
    Ok(text.lines().filter_map(Record::from_line).collect())
}

pub fn exceptions() -> Result<Exceptions> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../bench/suites-exceptions.md");
    let text = std::fs::read_to_string(&file).with_context(|| file.display().to_string())?;
    Ok(exceptions_of(&text))
}

/// Rows `` | `program` | reason | ``.
fn exceptions_of(text: &str) -> Exceptions {
    let rows = text.lines().filter_map(|line| line.strip_prefix("| `"));
    rows.filter_map(|row| {
        let (name, rest) = row.split_once('`')?;
        Some((name.to_string(), rest.trim_matches([' ', '|']).to_string()))
    })
    .collect()
}

/// Why the label of a program is not followed; rows that end with `/*` are about all programs of a folder.
fn reason<'e>(exceptions: &'e Exceptions, name: &str) -> Option<&'e String> {
    let of_folder = || {
        let folders = exceptions.iter().filter_map(|(row, reason)| Some((row.strip_suffix('*')?, reason)));
        folders.filter(|(folder, _)| folder.ends_with('/') && name.starts_with(folder)).map(|(_, reason)| reason).next()
    };
    exceptions.get(name).or_else(of_folder)
}

/// Wrong answers, crashes and overruns without an explanation.
pub fn unexplained(records: &[Record], exceptions: &Exceptions) -> Vec<String> {
    let counted = |class| matches!(class, Class::Wrong | Class::Crash | Class::PastLimit);
    let faults = records.iter().filter(|record| counted(record.class));
    // A list of differences of meaning excuses answers, never crashes or overruns.
    let open = faults.filter(|record| record.class != Class::Wrong || reason(exceptions, &record.name).is_none());
    open.map(|record| format!("{} {}: {} {}", record.suite, record.name, record.class.name(), record.detail)).collect()
}

pub fn markdown(records: &[Record], before: Option<&[Record]>, exceptions: &Exceptions) -> String {
    let mut text = counts(records, exceptions);
    if let Some(before) = before {
        text.push_str("\n## Before\n\n");
        text.push_str(&counts(before, exceptions));
        text.push_str(&changes(before, records));
    }
    text.push_str(&explained(records, exceptions));
    text.push_str(&reasons(records, Class::Unknown, before));
    text.push_str(&reasons(records, Class::Rejected, before));
    text.push_str(&reasons(records, Class::Skipped, None));
    text
}

fn counts(records: &[Record], exceptions: &Exceptions) -> String {
    let mut suites: BTreeMap<&str, BTreeMap<Class, usize>> = BTreeMap::new();
    for record in records {
        *suites.entry(&record.suite).or_default().entry(record.class).or_default() += 1;
    }
    let names: Vec<&str> = CLASSES.iter().map(|class| class.name()).collect();
    let mut text = format!("| suite | programs | {} |\n|---|---|{}\n", names.join(" | "), "---|".repeat(names.len()));
    let mut sums: BTreeMap<Class, usize> = BTreeMap::new();
    for (suite, counts) in &suites {
        let cells: Vec<String> =
            CLASSES.iter().map(|class| counts.get(class).copied().unwrap_or(0).to_string()).collect();
        let _ = writeln!(text, "| {suite} | {} | {} |", counts.values().sum::<usize>(), cells.join(" | "));
        for (class, count) in counts {
            *sums.entry(*class).or_default() += count;
        }
    }
    let cells: Vec<String> = CLASSES.iter().map(|class| sums.get(class).copied().unwrap_or(0).to_string()).collect();
    let _ = writeln!(text, "| all | {} | {} |", records.len(), cells.join(" | "));
    let is_explained = |record: &&Record| record.class == Class::Wrong && reason(exceptions, &record.name).is_some();
    let n_explained = records.iter().filter(is_explained).count();
    let _ = writeln!(text, "\nOf the wrong ones {n_explained} are explained in `bench/suites-exceptions.md`.");
    text
}

/// Why some labels are not followed, each reason with its programs.
fn explained(records: &[Record], exceptions: &Exceptions) -> String {
    let mut groups: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for record in records.iter().filter(|record| record.class == Class::Wrong) {
        if let Some(reason) = reason(exceptions, &record.name) {
            groups.entry(reason).or_default().push(&record.name);
        }
    }
    let mut text = String::from("\n## Labels that are not followed\n\n| reason | programs | which |\n|---|---|---|\n");
    for (reason, names) in &groups {
        let _ = writeln!(text, "| {reason} | {} | {} |", names.len(), names.join(", "));
    }
    text
}

/// Who went from which class to which.
fn changes(before: &[Record], after: &[Record]) -> String {
    let old: BTreeMap<(&str, &str), &Record> =
        before.iter().map(|record| ((record.suite.as_str(), record.name.as_str()), record)).collect();
    let mut moves: BTreeMap<(Class, Class), Vec<&Record>> = BTreeMap::new();
    for record in after {
        let Some(earlier) = old.get(&(record.suite.as_str(), record.name.as_str())) else { continue };
        if earlier.class != record.class {
            moves.entry((earlier.class, record.class)).or_default().push(record);
        }
    }
    let mut text = String::from("\n## Changes\n\n| before | after | programs | for example |\n|---|---|---|---|\n");
    for ((from, to), records) in &moves {
        let example = records.first().map(|record| record.name.as_str()).unwrap_or_default();
        let _ = writeln!(text, "| {} | {} | {} | {example} |", from.name(), to.name(), records.len());
    }
    text
}

fn reasons(records: &[Record], class: Class, before: Option<&[Record]>) -> String {
    let group = |records: &[Record]| {
        let mut groups: BTreeMap<String, usize> = BTreeMap::new();
        for record in records.iter().filter(|record| record.class == class) {
            *groups.entry(kind_of(&record.detail)).or_default() += 1;
        }
        groups
    };
    let groups = group(records);
    let earlier = before.map(group).unwrap_or_default();
    let mut rows: Vec<(&String, usize)> = groups.iter().map(|(reason, count)| (reason, *count)).collect();
    rows.extend(earlier.keys().filter(|reason| !groups.contains_key(*reason)).map(|reason| (reason, 0)));
    rows.sort_by_key(|(reason, count)| {
        (std::cmp::Reverse((*count).max(earlier.get(*reason).copied().unwrap_or(0))), *reason)
    });
    let mut text = format!("\n## Reasons: {}\n\n", class.name());
    text.push_str(if before.is_some() {
        "| reason | before | after |\n|---|---|---|\n"
    } else {
        "| reason | programs |\n|---|---|\n"
    });
    for (reason, count) in rows {
        let reason = reason.replace('|', "\\|");
        let _ = match before {
            Some(_) => {
                let old = earlier.iter().find(|(name, _)| **name == reason).map_or(0, |(_, count)| *count);
                writeln!(text, "| {reason} | {old} | {count} |")
            }
            None => writeln!(text, "| {reason} | {count} |"),
        };
    }
    text
}

/// A reason without what belongs to the single program: names, places, numbers.
fn kind_of(detail: &str) -> String {
    let detail = detail.split("; ").next().unwrap_or(detail);
    let mut words: Vec<String> = Vec::new();
    let mut quoted = false;
    for word in detail.split_whitespace() {
        let (opens, n_quotes) = (word.contains('`'), word.matches('`').count());
        let is_place = word.contains(".c:") || word.contains(".i:") || word.contains(".h:");
        let is_call = word.ends_with("()") || word.contains("()");
        let is_number = word.chars().next().is_some_and(|c| c.is_ascii_digit());
        if quoted || opens {
            quoted ^= n_quotes % 2 == 1;
            if !quoted {
                words.push("`…`".into());
            }
        } else if is_place || is_call {
            words.push("…".into());
        } else if is_number {
            words.push("N".into());
        } else {
            words.push(word.into());
        }
    }
    words.join(" ").chars().take(110).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(name: &str, class: Class) -> Record {
        let (suite, verdict) = ("S".to_string(), "verified".to_string());
        Record { suite, name: name.into(), class, detail: "no `x` at a.c:3".into(), verdict, seconds: 0.5, peak_mib: 7 }
    }

    #[test]
    fn records_are_read_back() {
        let record = record("a/b.c", Class::PastLimit);
        assert_eq!(Record::from_line(&record.line()), Some(record));
    }

    #[test]
    fn only_wrong_answers_can_be_explained() {
        let exceptions = exceptions_of("| program | reason |\n|---|---|\n| `a.c` | another meaning |\n| `b.c` | x |\n");
        assert_eq!(exceptions.get("a.c").map(String::as_str), Some("another meaning"));
        let records = [record("a.c", Class::Wrong), record("b.c", Class::Crash), record("c.c", Class::Wrong)];
        let open = unexplained(&records, &exceptions);
        assert_eq!(open.len(), 2);
        assert!(open[0].contains("b.c") && open[1].contains("c.c"));
        assert!(markdown(&records, None, &exceptions).contains("| another meaning | 1 | a.c |"));
        let folder = exceptions_of("| `posix/fs/*` | files are inputs |\n");
        assert!(reason(&folder, "posix/fs/open.c").is_some() && reason(&folder, "posix/fstat.c").is_none());
    }

    #[test]
    fn changes_between_two_runs_are_counted() {
        let before = [record("a.c", Class::Unknown), record("b.c", Class::Right)];
        let after = [record("a.c", Class::Right), record("b.c", Class::Right)];
        let text = markdown(&after, Some(&before), &Exceptions::new());
        assert!(text.contains("| unknown | right | 1 | a.c |"), "{text}");
    }

    #[test]
    fn reasons_lose_their_names() {
        assert_eq!(
            kind_of("input f() chosen at a.c:3 is too wide: 12 left; more"),
            "input … chosen at … is too wide: N left"
        );
        assert_eq!(kind_of("no `int x` here"), "no `…` here");
    }
}
