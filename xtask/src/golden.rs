//! Golden record: what `unpick check` answers on every program, model, table case and IR text of the project, with the
//! flags that lead through other code, kept line by line in `tests/golden/runs.txt`.
//!
//! A change that should not change answers shows an equal record; one that should explains each line that differs in
//! `tests/golden/changes.toml`, until the record is written anew. What is kept of a run: verdict, kind, place, reason,
//! states, transitions, steps of the trace, where its loop begins, and the exit code where it is not the verdict's.
//! Runs that are too long or that chance has a part in are left out, or their counts are, in `tests/golden/left-out.toml`.

mod outcome;
mod rules;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use self::outcome::Outcome;
use self::rules::{Change, Extent, LeftOut};
use crate::campaign::{in_parallel_with, measured, n_workers, unpick};
use crate::programs::{Group, Program, collect, root};

const USAGE: &str = "usage: cargo xtask golden [--binary PATH] [--record] [--only TEXT] [--every N] [--jobs N]";

/// Far more than any run needs that is kept: the clock should not decide, however busy the machine is.
const LIMIT: Duration = Duration::from_secs(120);

/// Runs that take more of a processor are told, so that they may be left out.
const LONG_SECONDS: f64 = 3.0;

/// The same on every machine; the default depends on it.
const MEMORY: &str = "2G";

struct Options {
    binary: Option<PathBuf>,
    is_recording: bool,
    only: String,
    /// Each run whose name's hash is a multiple of this.
    every: u64,
    n_jobs: usize,
}

impl Options {
    fn read(words: &[&str]) -> Result<Options> {
        let only = String::new();
        let mut options = Options { binary: None, is_recording: false, only, every: 1, n_jobs: n_workers() };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let mut value = || words.next().copied().context(USAGE);
            match *word {
                "--record" => options.is_recording = true,
                "--binary" => options.binary = Some(Path::new(value()?).canonicalize().context("the binary")?),
                "--only" => options.only = value()?.to_owned(),
                "--every" => options.every = value()?.parse().ok().filter(|every| *every > 0).context(USAGE)?,
                "--jobs" => options.n_jobs = value()?.parse().ok().filter(|jobs| *jobs > 0).context(USAGE)?,
                _ => bail!(USAGE),
            }
        }
        Ok(options)
    }

    fn takes(&self, name: &str) -> bool {
        name.contains(&self.only) && fnv(name).is_multiple_of(self.every)
    }

    fn is_everything(&self) -> bool {
        self.only.is_empty() && self.every == 1
    }
}

/// FNV-1a: a run stays in its slice when others come or go.
fn fnv(name: &str) -> u64 {
    name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

pub fn run(words: &[&str]) -> Result<()> {
    let options = Options::read(words)?;
    let (root, folder) = (root()?, root()?.join("tests/golden"));
    let left_out = LeftOut::read(&read(&folder.join("left-out.toml"))?)?;
    let programs: BTreeMap<String, Program> = collect(&root)?
        .iter()
        .flat_map(variants)
        .map(|program| (program.name(), program))
        .filter(|(name, _)| options.takes(name) && left_out.extent(name) != Some(Extent::Run))
        .collect();
    let binary = options.binary.clone().map_or_else(unpick, Ok)?;
    eprintln!("xtask: {} runs", programs.len());
    let items: Vec<(&String, &Program)> = programs.iter().collect();
    let outcomes = in_parallel_with(options.n_jobs, &items, |(name, program)| -> Result<(String, Outcome)> {
        let (mut outcome, cpu_seconds) = measure(&root, &binary, program)?;
        if cpu_seconds > LONG_SECONDS {
            eprintln!("xtask: {name}: {cpu_seconds:.1} s");
        }
        if left_out.extent(name) == Some(Extent::Counts) {
            outcome.forget_counts();
        }
        Ok(((*name).clone(), outcome))
    });
    let now: BTreeMap<String, Outcome> = outcomes.into_iter().collect::<Result<_>>()?;
    let file = folder.join("runs.txt");
    let recorded = outcome::read_record(&read(&file)?)?;
    if options.is_recording {
        return record(&file, &options, recorded, now);
    }
    let changes = rules::read_changes(&read(&folder.join("changes.toml"))?)?;
    let comparison = Comparison::new(&options, &recorded, &now, &changes);
    print!("{}", comparison.text);
    if !comparison.is_explained {
        bail!("answers changed: say why in tests/golden/changes.toml, or repair it");
    }
    Ok(())
}

/// An absent file is an empty one.
fn read(file: &Path) -> Result<String> {
    match std::fs::read_to_string(file) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(String::new()),
        text => text.with_context(|| file.display().to_string()),
    }
}

/// A program with the flags it is listed with, and with each of those that lead through other code.
fn variants(program: &Program) -> Vec<Program> {
    const MODEL: [&[&str]; 4] =
        [&["--reduce", "none"], &["--reduce", "sleep"], &["--store", "tree"], &["--workers", "2"]];
    const THREADS: [&[&str]; 3] = [&["--reduce", "none"], &["--engine", "flat"], &["--workers", "2"]];
    const SEQUENTIAL: [&[&str]; 1] = [&["--workers", "2"]];
    let flags: &[&[&str]] = match program {
        Program { group: Group::Medium, .. } => &[],
        Program { is_model: true, .. } => &MODEL,
        Program { has_threads: true, .. } => &THREADS,
        Program { .. } => &SEQUENTIAL,
    };
    let others = flags.iter().filter(|flags| !program.has(flags[0])).map(|flags| program.with(flags));
    [program.clone()].into_iter().chain(others).collect()
}

fn measure(root: &Path, binary: &Path, program: &Program) -> Result<(Outcome, f64)> {
    let mut command = Command::new(binary);
    // What the user has configured is not the project's.
    command.current_dir(root.join(&program.folder)).env("NO_COLOR", "1").env("XDG_CONFIG_HOME", "/nonexistent");
    command.arg("check").args(&program.flags).arg("--quiet");
    let limit = format!("{}s", LIMIT.as_secs());
    // The default for workers is the number of cores.
    for words in [&["--json"][..], &["--workers", "1"], &["--memory", MEMORY], &["--time", &limit]] {
        command.args(if program.has(words[0]) { &[] } else { words });
    }
    let found = measured(command.args(&program.files), LIMIT + Duration::from_secs(30))?;
    let Some((output, cost)) = found else { bail!("{}: ignores its time limit", program.name()) };
    Ok((Outcome::read(&output.stdout, output.status.code()), cost.cpu))
}

/// Replaces the lines of what was run; lines of runs that there are no more go.
fn record(
    file: &Path,
    options: &Options,
    recorded: BTreeMap<String, Outcome>,
    now: BTreeMap<String, Outcome>,
) -> Result<()> {
    let (late, now): (BTreeMap<_, _>, BTreeMap<_, _>) = now.into_iter().partition(|(_, outcome)| outcome.is_late());
    let n_now = now.len();
    let mut lines: BTreeMap<String, Outcome> = recorded.into_iter().filter(|(name, _)| !options.takes(name)).collect();
    lines.extend(now);
    std::fs::create_dir_all(file.parent().context("a folder")?)?;
    std::fs::write(file, outcome::write_record(&lines))?;
    eprintln!("xtask: {n_now} runs recorded, {} in all", lines.len());
    if !late.is_empty() {
        let names: Vec<&str> = late.keys().map(String::as_str).collect();
        bail!("the time limit decides, so these belong into left-out.toml:\n{}", names.join("\n"));
    }
    Ok(())
}

/// What differs from the record, and whether all of it is explained.
struct Comparison {
    text: String,
    is_explained: bool,
}

impl Comparison {
    fn new(
        options: &Options,
        recorded: &BTreeMap<String, Outcome>,
        now: &BTreeMap<String, Outcome>,
        changes: &[Change],
    ) -> Comparison {
        let mut text = String::new();
        let (mut n_same, mut n_explained, mut n_other) = (0, 0, 0);
        let (mut new, mut used) = (Vec::new(), BTreeSet::new());
        let taken = recorded.keys().filter(|name| options.takes(name));
        let names: BTreeSet<&String> = taken.chain(now.keys()).collect();
        for name in names {
            let found = now.get(name);
            let Some(old) = recorded.get(name) else {
                new.push(name);
                continue;
            };
            if found == Some(old) {
                n_same += 1;
            } else if let Some(number) = changes.iter().position(|change| change.explains(name, old, found)) {
                used.insert(number);
                n_explained += 1;
            } else {
                n_other += 1;
                let found = found.map_or("no such run".to_owned(), Outcome::shown);
                text += &format!("{name}\n  - {}\n  + {found}\n", old.shown());
            }
        }
        if !new.is_empty() {
            text += &format!("{} runs are not recorded, such as {}\n", new.len(), new[0]);
        }
        let stale = changes.iter().enumerate().filter(|(number, _)| options.is_everything() && !used.contains(number));
        let stale: Vec<&str> = stale.map(|(_, change)| change.runs()).collect();
        for runs in &stale {
            text += &format!("changes.toml: the entry for `{runs}` explains nothing (any more)\n");
        }
        text += &format!("golden: {n_same} the same, {n_explained} explained, {n_other} other\n");
        Comparison { text, is_explained: n_other == 0 && stale.is_empty() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(words: &[&str]) -> Options {
        Options::read(words).expect("the options should be right")
    }

    fn outcomes(lines: &str) -> BTreeMap<String, Outcome> {
        outcome::read_record(lines).expect("the record should be readable")
    }

    const OLD: &str = "a.c\tverified\tstates 5\nb.c\tviolated deadlock\tat b.c:3\tstates 2\nc.c\tverified\n";

    fn compare(now: &str, changes: &str) -> (String, bool) {
        let changes = rules::read_changes(changes).expect("the changes should be readable");
        let found = Comparison::new(&options(&[]), &outcomes(OLD), &outcomes(now), &changes);
        (found.text, found.is_explained)
    }

    #[test]
    fn equal_answers_need_no_reason_and_others_do() {
        assert_eq!(compare(OLD, ""), ("golden: 3 the same, 0 explained, 0 other\n".to_owned(), true));
        let now = OLD.replace("states 5", "states 4");
        let (text, is_explained) = compare(&now, "");
        assert!(!is_explained && text.starts_with("a.c\n  - verified, states 5\n  + verified, states 4\n"), "{text}");
        let reason = "[[change]]\nruns = \"a*\"\nfields = [\"states\"]\nreason = \"better reduction\"\n";
        assert_eq!(compare(&now, reason), ("golden: 2 the same, 1 explained, 0 other\n".to_owned(), true));
        assert!(!compare(&now.replace("violated deadlock", "verified"), reason).1);
    }

    #[test]
    fn runs_that_are_gone_need_a_reason_and_new_ones_do_not() {
        let now = OLD.replace("c.c", "d.c");
        let (text, is_explained) = compare(&now, "");
        assert!(!is_explained && text.contains("c.c\n  - verified\n  + no such run\n"), "{text}");
        assert!(text.contains("1 runs are not recorded, such as d.c\n"), "{text}");
        assert!(compare(&now, "[[change]]\nruns = \"c.c\"\ngone = true\nreason = \"renamed\"\n").1);
    }

    #[test]
    fn a_reason_for_nothing_is_told() {
        let (text, is_explained) = compare(OLD, "[[change]]\nruns = \"a.c\"\nfields = [\"states\"]\nreason = \"r\"\n");
        assert!(!is_explained && text.contains("`a.c` explains nothing"), "{text}");
    }

    #[test]
    fn slices_hold_a_part_of_the_runs_and_always_the_same() {
        let slice = options(&["--every", "10"]);
        let names: Vec<String> = (0..1000).map(|number| format!("tests/c/{number}.c")).collect();
        let n_taken = names.iter().filter(|name| slice.takes(name)).count();
        assert!((60..140).contains(&n_taken), "{n_taken}");
        assert!(
            options(&["--only", "/7.c"]).takes("tests/c/7.c") && !options(&["--only", "/7.c"]).takes("tests/c/8.c")
        );
        assert!(Options::read(&["--every", "0"]).is_err() && Options::read(&["--sometimes"]).is_err());
    }

    #[test]
    fn flags_that_a_run_has_are_not_varied() {
        let program = Program {
            group: Group::Tests,
            folder: "tests/promela".into(),
            flags: vec!["--reduce".into(), "auto".into()],
            files: vec!["a.pml".into()],
            is_model: true,
            has_threads: false,
        };
        let names: Vec<String> = variants(&program).iter().map(Program::name).collect();
        let expected = ["", " --store tree", " --workers 2"];
        assert_eq!(names, expected.map(|flags| format!("tests/promela/a.pml --reduce auto{flags}")));
        assert_eq!(variants(&Program { group: Group::Medium, ..program }).len(), 1);
    }
}
