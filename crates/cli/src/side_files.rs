//! The files that a run writes besides what it prints.

use std::path::{Path, PathBuf};

use unpick_report::accept::{Baseline, accepted};
use unpick_report::chart;
use unpick_report::competition::{self, Form, Task};
use unpick_report::escape::visible;
use unpick_report::{Outcome as Report, Sources, fingerprint};
use unpick_witness::{Finding, Judgement};

use crate::args::FileArgs;
use crate::failure::{Failure, Outcome};
use crate::files;
use crate::output::save;

/// What the writers need beyond the report.
pub struct Context<'a> {
    pub sources: &'a dyn Sources,
    pub baseline: Option<&'a Baseline>,
    /// What was checked, for people.
    pub name: String,
    /// The sources; empty if they are not at hand.
    pub files: &'a [PathBuf],
    pub is_64_bit: bool,
}

/// Writes every file that was asked for.
pub fn write(report: &Report, files: &FileArgs, context: &Context<'_>) -> Outcome<()> {
    let Context { sources, baseline, name, .. } = context;
    if let Some(path) = &files.html {
        save(path, &unpick_report::html::html(report, name, *sources))?;
    }
    if let Some(path) = &files.dot {
        let is_svg = path.extension().is_some_and(|extension| extension == "svg");
        save(path, &if is_svg { chart::svg(report) } else { chart::dot(report) })?;
    }
    if let Some(path) = &files.sarif {
        save(path, &unpick_report::sarif::sarif(report, *baseline, *sources))?;
    }
    if let Some(path) = &files.witness {
        write_witness(report, path, context)?;
    }
    if let Some(path) = &files.junit {
        save(path, &unpick_report::junit::junit(report, name, *sources))?;
    }
    Ok(())
}

/// A verdict without evidence has no witness, and an old one must not be taken for it.
fn write_witness(report: &Report, path: &Path, context: &Context<'_>) -> Outcome<()> {
    let form = match path.extension().and_then(|extension| extension.to_str()) {
        Some("graphml" | "xml") => Form::GraphMl,
        Some("yml" | "yaml") => Form::Yaml,
        Some(_) | None => {
            let message = format!("--witness {}: the form is known by the extension", path.display());
            return Err(Failure::new(message).help("known are .graphml (version 1.0) and .yml (version 2)"));
        }
    };
    let is_c = |file: &PathBuf| file.extension().is_some_and(|extension| extension == "c" || extension == "i");
    if context.files.is_empty() || !context.files.iter().all(is_c) {
        return Err(Failure::new("--witness: the competitions know witnesses of C programs only")
            .help("it is written by `unpick check` on .c and .i files"));
    }
    let read = |file: &PathBuf| {
        let name = file.display().to_string();
        let bytes = files::read(file).map_err(|error| Failure::new(format!("cannot read {name}: {error}")))?;
        Ok((name, bytes))
    };
    let files = context.files.iter().map(read).collect::<Outcome<Vec<_>>>()?;
    let task = Task { files, is_64_bit: context.is_64_bit, created: now() };
    match competition::witness(report, &task, form, context.sources) {
        Some(text) => save(path, &text),
        None => match std::fs::remove_file(path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(Failure::new(format!("cannot remove {}: {error}", path.display())))
            }
            Ok(()) | Err(_) => Ok(()),
        },
    }
}

/// Date and time in ISO 8601, universal time.
fn now() -> String {
    let seconds = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |time| time.as_secs());
    let (days, rest) = ((seconds / 86_400) as i64, seconds % 86_400);
    // Years are counted from the first of March, in eras of 400 years: then the leap day is the last of a year.
    let days = days + 719_468;
    let (era, day_of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let (month, year) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    let year = year + year_of_era + era * 400;
    format!("{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z", rest / 3600, rest / 60 % 60, rest % 60)
}

/// The names of the sources in one line.
pub fn name_of(files: &[PathBuf]) -> String {
    let names: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
    names.join(" ")
}

/// Reads the file of an earlier run.
pub fn read_baseline(path: &Path) -> Outcome<Baseline> {
    let name = path.display().to_string();
    let text = files::read_to_string(path).map_err(|error| {
        Failure::new(format!("cannot read {name}: {error}"))
            .help("a baseline is what an earlier run wrote with --sarif")
    })?;
    Baseline::read(&name, &text).map_err(|error| {
        Failure::new(format!("{name}: {error}")).help("a baseline is what an earlier run wrote with --sarif")
    })
}

/// Gives every finding its fingerprint and looks up whether it is accepted. A violation that is not comes first.
pub fn accept(report: &mut Report, baseline: Option<&Baseline>, sources: &dyn Sources) {
    let mut complaints = Vec::new();
    let mut look = |finding: &mut Finding| {
        finding.fingerprint = fingerprint::of(finding, sources);
        let (why, bad) = accepted(finding, baseline, sources);
        finding.accepted = why;
        complaints.extend(bad);
    };
    if let Judgement::Violated { finding, .. } = &mut report.judgement {
        look(finding);
    }
    report.others.iter_mut().for_each(|other| look(&mut other.finding));
    complaints.dedup();
    for bad in complaints {
        tell!("warning: {}:{}: {}", visible(&bad.file), bad.line, visible(&bad.message));
    }
}
