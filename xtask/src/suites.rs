//! Foreign test suites: every program below the given folders whose label we can read, and whether
//! unpick's answer agrees with the label.
//!
//! The labels are read by one file each (`suites/`). A run that ends in another way than by an answer, or
//! outlives its limits, is counted too. Disagreements that have been looked at and are differences of
//! meaning or errors of the label are listed with their reason in `bench/suites-exceptions.md`; any other
//! one makes the command fail.

mod ask;
mod cbmc;
mod divine;
mod expected;
mod goblint;
mod judge;
mod sctbench;
mod sv_comp;
mod table;
mod walk;

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context, Result, bail};

use crate::campaign::{scratch, unpick};
use ask::Limits;
use judge::{Class, Record};

const USAGE: &str = "usage: cargo xtask suites FOLDER... [--binary PATH] [--seconds N] [--memory MB] [--jobs N] \
                     [--out FILE.tsv] [--against FILE.tsv] [--only TEXT] [--again CLASSES]\n       \
                     cargo xtask suites --compare OLD.tsv NEW.tsv";

/// One program with its label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    pub suite: &'static str,
    /// The last parts of its path: the same wherever the suite lies.
    pub name: String,
    /// Where the command is run; file names are relative to it.
    pub folder: PathBuf,
    pub files: Vec<String>,
    pub flags: Vec<String>,
    pub label: Label,
}

/// What a suite says of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Label {
    /// No execution violates the properties chosen by the flags.
    Holds,
    /// Some execution does.
    Fails,
    /// Some execution does, at one of these lines of the first file.
    FailsAt(Vec<u64>),
    /// Claims about single lines.
    Lines(BTreeMap<u64, goblint::Claim>),
    /// The program is accepted by the front end.
    Compiles,
    /// The program breaks a rule that a compiler must diagnose.
    Refused,
    /// `simulate` prints this and exits with 0.
    Prints(String),
    /// Not asked, with the reason.
    Skipped(String),
}

struct Options {
    folders: Vec<PathBuf>,
    binary: Option<PathBuf>,
    limits: Limits,
    n_jobs: usize,
    out: Option<PathBuf>,
    against: Option<PathBuf>,
    only: Option<String>,
    /// Classes of the earlier run whose programs are asked again; the others keep their records.
    again: Option<Vec<Class>>,
}

pub fn run(words: &[&str]) -> Result<()> {
    if let ["--compare", old, new] = words {
        let (old, new) = (table::read(Path::new(old))?, table::read(Path::new(new))?);
        print!("{}", table::markdown(&new, Some(&old), &table::exceptions()?));
        return Ok(());
    }
    let options = options(words)?;
    let binary = match &options.binary {
        Some(path) => path.canonicalize().with_context(|| path.display().to_string())?,
        None => unpick()?,
    };
    let scratch = scratch("suites")?;
    std::fs::write(scratch.join("goblint.h"), goblint::HEADER)?;
    let mut tasks = Vec::new();
    for folder in &options.folders {
        tasks.extend(walk::tasks(folder, &scratch)?);
    }
    if let Some(text) = &options.only {
        tasks.retain(|task| task.name.contains(text) || task.suite.contains(text));
    }
    let before = options.against.as_deref().map(table::read).transpose()?;
    let mut kept = Vec::new();
    if let (Some(again), Some(before)) = (&options.again, &before) {
        let is_kept = |record: &&Record| !again.contains(&record.class);
        let known: std::collections::HashMap<(&str, &str), &Record> = before
            .iter()
            .filter(is_kept)
            .map(|record| ((record.suite.as_str(), record.name.as_str()), record))
            .collect();
        kept = tasks.iter().filter_map(|task| known.get(&(task.suite, task.name.as_str())).copied().cloned()).collect();
        tasks.retain(|task| !known.contains_key(&(task.suite, task.name.as_str())));
    }
    eprintln!("xtask: {} programs", tasks.len());
    let mut records = ask_all(&binary, &tasks, &options)?;
    if let Some(out) = &options.out {
        // What was not asked again belongs to the result all the same.
        let mut file = std::fs::File::options().append(true).open(out)?;
        for record in &kept {
            writeln!(file, "{}", record.line())?;
        }
    }
    records.extend(kept);
    std::fs::remove_dir_all(&scratch)?;
    let exceptions = table::exceptions()?;
    print!("{}", table::markdown(&records, before.as_deref(), &exceptions));
    let unexplained = table::unexplained(&records, &exceptions);
    if !unexplained.is_empty() {
        bail!("{} answers are wrong or missing without an explanation:\n{}", unexplained.len(), unexplained.join("\n"));
    }
    Ok(())
}

/// Runs everything; each record is on disk as soon as it is known, so that a run may be cut short.
fn ask_all(binary: &Path, tasks: &[Task], options: &Options) -> Result<Vec<Record>> {
    let file = options.out.as_ref().map(std::fs::File::create).transpose()?;
    let (next, results) = (AtomicUsize::new(0), Mutex::new((Vec::new(), file)));
    let failure = Mutex::new(None);
    std::thread::scope(|scope| {
        for _ in 0..options.n_jobs {
            scope.spawn(|| {
                while let Some((index, task)) = {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    tasks.get(index).map(|task| (index, task))
                } {
                    let record = match record(binary, task, options.limits) {
                        Ok(record) => record,
                        Err(error) => {
                            *failure.lock().expect("no worker should panic") = Some(error);
                            return;
                        }
                    };
                    let mut results = results.lock().expect("no worker should panic");
                    if let Some(file) = &mut results.1 {
                        let _ = writeln!(file, "{}", record.line());
                    }
                    results.0.push((index, record));
                }
            });
        }
    });
    if let Some(error) = failure.into_inner().expect("no worker should panic") {
        return Err(error);
    }
    let mut records = results.into_inner().expect("no worker should panic").0;
    records.sort_by_key(|(index, _)| *index);
    Ok(records.into_iter().map(|(_, record)| record).collect())
}

fn record(binary: &Path, task: &Task, limits: Limits) -> Result<Record> {
    if let Label::Skipped(reason) = &task.label {
        return Ok(Record::skipped(task, reason));
    }
    let answer = ask::ask(binary, task, limits)?;
    let (class, mut detail) = judge::judge(&task.label, &answer);
    if class == Class::Rejected && ask::is_refused_by_cc(task) {
        detail = format!("refused by cc, too: {detail}");
    }
    if matches!(class, Class::Wrong | Class::Crash | Class::PastLimit) {
        eprintln!("xtask: {} {}: {} {detail}", task.suite, task.name, class.name());
    }
    Ok(Record {
        suite: task.suite.into(),
        name: task.name.clone(),
        class,
        detail,
        verdict: answer.brief(),
        seconds: answer.seconds,
        peak_mib: answer.peak_kib / 1024,
    })
}

fn options(words: &[&str]) -> Result<Options> {
    let mut options = Options {
        folders: Vec::new(),
        binary: None,
        limits: Limits { seconds: 10, memory_mib: 2000 },
        n_jobs: 1,
        out: None,
        against: None,
        only: None,
        again: None,
    };
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let mut value = || words.next().copied().context(USAGE);
        match *word {
            "--binary" => options.binary = Some(value()?.into()),
            "--seconds" => options.limits.seconds = value()?.parse().context(USAGE)?,
            "--memory" => options.limits.memory_mib = value()?.trim_end_matches('M').parse().context(USAGE)?,
            "--jobs" => options.n_jobs = value()?.parse().context(USAGE)?,
            "--out" => options.out = Some(value()?.into()),
            "--against" => options.against = Some(value()?.into()),
            "--only" => options.only = Some(value()?.into()),
            "--again" => {
                let classes: Option<Vec<Class>> = value()?.split(',').map(Class::from_name).collect();
                options.again = Some(classes.context("--again takes classes, as unknown,wrong")?);
            }
            flag if flag.starts_with('-') => bail!("unknown option {flag}\n{USAGE}"),
            folder => options.folders.push(folder.into()),
        }
    }
    if options.folders.is_empty() || options.again.is_some() && options.against.is_none() {
        bail!(USAGE);
    }
    Ok(options)
}
