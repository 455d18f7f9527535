//! The files that a run writes besides what it prints.

use std::path::{Path, PathBuf};

use unpick_report::accept::{Baseline, accepted};
use unpick_report::escape::visible;
use unpick_report::{Outcome as Report, Sources, fingerprint};
use unpick_witness::{Finding, Judgement};

use crate::args::FileArgs;
use crate::failure::{Failure, Outcome};
use crate::output::save;

/// What the writers need beyond the report.
pub struct Context<'a> {
    pub sources: &'a dyn Sources,
    pub baseline: Option<&'a Baseline>,
    /// What was checked, for people.
    pub name: String,
}

/// Writes every file that was asked for.
pub fn write(report: &Report, files: &FileArgs, context: &Context<'_>) -> Outcome<()> {
    let Context { sources, baseline, name } = context;
    if let Some(path) = &files.html {
        save(path, &unpick_report::html::html(report, name, *sources))?;
    }
    if let Some(path) = &files.sarif {
        save(path, &unpick_report::sarif::sarif(report, *baseline, *sources))?;
    }
    if let Some(path) = &files.junit {
        save(path, &unpick_report::junit::junit(report, name, *sources))?;
    }
    Ok(())
}

/// The names of the sources in one line.
pub fn name_of(files: &[PathBuf]) -> String {
    let names: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
    names.join(" ")
}

/// Reads the file of an earlier run.
pub fn read_baseline(path: &Path) -> Outcome<Baseline> {
    let name = path.display().to_string();
    let text = std::fs::read_to_string(path).map_err(|error| {
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
        eprintln!("warning: {}:{}: {}", visible(&bad.file), bad.line, visible(&bad.message));
    }
}
