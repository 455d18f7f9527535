//! Models without a table: every unit of the well-known libraries that `cc` accepts is extracted, and `spin -a` has to
//! take what comes of it. Where it does not, functions are tried one by one, because one of them may be to blame.
//!
//! Sources and results stay in a folder, so that a run that was stopped goes on where it was; results belong to the binary
//! that gave them. The largest units come first, because the workers should not wait for one of them at the end.

mod results;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::campaign::{cc, in_parallel, output_within, unpick};
use crate::real_code::{LIBRARIES, fetch, units};
use results::{Outcome, Results, report};

const USAGE: &str = "usage: cargo xtask tables-corpus [--folder DIR] [--limit SECONDS] [--only TEXT] [--table FILE]";

/// What is asked for.
struct Wishes {
    /// Where sources, models and results lie.
    folder: PathBuf,
    /// Time for one extraction, and for `spin -a` of one model.
    limit: Duration,
    /// A part of the names of the units to look at.
    only: String,
    /// Where to write the report.
    table: Option<PathBuf>,
}

/// A unit to be looked at.
struct Source {
    /// Its library.
    library: &'static str,
    /// Where it lies.
    path: PathBuf,
    /// What it is called in reports.
    name: String,
    /// How it is read.
    flags: Vec<String>,
}

pub fn run(words: &[&str]) -> Result<()> {
    let wishes = wishes(words)?;
    if Command::new("spin").arg("-V").output().is_err() {
        bail!("spin is not installed");
    }
    let binary = unpick()?;
    std::fs::create_dir_all(&wishes.folder).with_context(|| wishes.folder.display().to_string())?;
    if !wishes.folder.join("vendor").is_dir() {
        fetch(&wishes.folder)?;
    }
    let sources = sources(&wishes)?;
    let results = Mutex::new(Results::open(&wishes.folder, &binary)?);
    let known = |source: &&Source| !results.lock().expect("no worker should panic").knows(&source.name);
    let open: Vec<&Source> = sources.iter().filter(known).collect();
    eprintln!("{} units, {} of them to be looked at", sources.len(), open.len());
    let n_done = AtomicUsize::new(0);
    let done = in_parallel(&open, |source| -> Result<()> {
        let outcome = look_at(&wishes, &binary, source).with_context(|| source.name.clone())?;
        let count = n_done.fetch_add(1, Ordering::Relaxed) + 1;
        if let Outcome { complaint: Some(complaint), .. } = &outcome {
            eprintln!("{}: {complaint}", source.name);
        }
        if count.is_multiple_of(100) {
            eprintln!("{count} of {}", open.len());
        }
        results.lock().expect("no worker should panic").add(source.library, &source.name, outcome)
    });
    done.into_iter().collect::<Result<Vec<()>>>()?;
    let results = results.into_inner().expect("no worker should panic");
    let names = sources.iter().map(|source| source.name.as_str());
    let (text, share) = report(&results, &names.collect::<Vec<_>>());
    print!("{text}");
    if let Some(table) = wishes.table {
        std::fs::write(table, &text)?;
    }
    if share < 95.0 {
        bail!("fewer than 95 % of the functions");
    }
    Ok(())
}

fn wishes(words: &[&str]) -> Result<Wishes> {
    let mut wishes = Wishes {
        folder: std::env::temp_dir().join("unpick-tables-corpus"),
        limit: Duration::from_secs(60),
        only: String::new(),
        table: None,
    };
    for pair in words.chunks(2) {
        match pair {
            ["--folder", folder] => wishes.folder = PathBuf::from(folder),
            ["--limit", seconds] => wishes.limit = Duration::from_secs(seconds.parse().context(USAGE)?),
            ["--only", text] => wishes.only = (*text).to_owned(),
            ["--table", file] => wishes.table = Some(PathBuf::from(file)),
            _ => bail!(USAGE),
        }
    }
    Ok(wishes)
}

/// All units, the largest first.
fn sources(wishes: &Wishes) -> Result<Vec<Source>> {
    let mut sources = Vec::new();
    for library in LIBRARIES {
        let (paths, flags) = units(&wishes.folder, library)?;
        for path in paths {
            let name = path.strip_prefix(wishes.folder.join("vendor")).unwrap_or(&path).display().to_string();
            if name.contains(&wishes.only) {
                let size = std::fs::metadata(&path).map_or(0, |data| data.len());
                sources.push((size, Source { library: library.name, path, name, flags: flags.clone() }));
            }
        }
    }
    sources.sort_by(|(one, first), (other, second)| other.cmp(one).then_with(|| first.name.cmp(&second.name)));
    Ok(sources.into_iter().map(|(_, source)| source).collect())
}

/// One unit.
fn look_at(wishes: &Wishes, binary: &Path, source: &Source) -> Result<Outcome> {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let own = wishes.folder.join(format!("model-{}-{number}", std::process::id()));
    std::fs::create_dir_all(&own)?;
    let outcome = look_at_in(&own, wishes, binary, source);
    std::fs::remove_dir_all(&own)?;
    outcome
}

fn look_at_in(own: &Path, wishes: &Wishes, binary: &Path, source: &Source) -> Result<Outcome> {
    let mut outcome = Outcome::default();
    let Some(functions) = functions(own, source, wishes.limit)? else { return Ok(outcome) };
    outcome.is_ours = true;
    outcome.n_functions = functions.len();
    let attempt = |function: Option<&str>| -> Result<(f64, f64, Option<String>)> {
        let start = Instant::now();
        let extracted = model(binary, own, source, wishes.limit, function)?;
        let seconds = start.elapsed().as_secs_f64();
        let start = Instant::now();
        let complaint = match extracted {
            Ok(()) => taken_by_spin(own, wishes.limit)?,
            Err(complaint) => Some(complaint),
        };
        Ok((seconds, start.elapsed().as_secs_f64(), complaint))
    };
    (outcome.seconds, outcome.spin_seconds, outcome.complaint) = attempt(None)?;
    if outcome.complaint.is_none() {
        outcome.n_passed = outcome.n_functions;
        return Ok(outcome);
    }
    // Each on its own takes long where the whole took long; those that are not tried count as refused.
    let start = Instant::now();
    for function in &functions {
        if start.elapsed() > 5 * wishes.limit {
            outcome.n_untried += 1;
            continue;
        }
        outcome.n_passed += usize::from(attempt(Some(function))?.2.is_none());
    }
    Ok(outcome)
}

/// The functions that a compiler makes of a unit; `None` if it rejects it.
fn functions(own: &Path, source: &Source, limit: Duration) -> Result<Option<Vec<String>>> {
    let object = own.join("unit.o");
    let mut command = cc();
    command.args(["-c", "-O0", "-w", "-o"]).arg(&object).args(&source.flags).arg(&source.path);
    if !output_within(&mut command, limit)?.is_some_and(|output| output.status.success()) {
        return Ok(None);
    }
    let symbols = Command::new("nm").arg("--defined-only").arg(&object).output().context("cannot run nm")?;
    let text = String::from_utf8_lossy(&symbols.stdout).into_owned();
    let names = text.lines().filter_map(|line| {
        let mut words = line.split_whitespace().skip(1);
        let is_function = words.next().is_some_and(|kind| kind.eq_ignore_ascii_case("t"));
        // What the compiler has split off is no function of the source.
        words.next().filter(|name| is_function && !name.contains('.')).map(str::to_owned)
    });
    Ok(Some(names.collect()))
}

/// Extracts a unit, or one function of it with all it calls.
fn model(
    binary: &Path,
    own: &Path,
    source: &Source,
    limit: Duration,
    function: Option<&str>,
) -> Result<Result<(), String>> {
    let mut command = Command::new(binary);
    command.args(["extract", "--to", "promela"]).args(&source.flags).arg(&source.path);
    command.arg("-o").arg(own.join("model.pml"));
    command.args(function.map(|name| ["--process", name]).into_iter().flatten());
    Ok(match output_within(&mut command, limit)? {
        None => Err(format!("extraction takes longer than {} s", limit.as_secs())),
        Some(output) if output.status.success() => Ok(()),
        Some(output) => Err(first_error(&output.stderr)),
    })
}

/// What SPIN has against the model.
fn taken_by_spin(own: &Path, limit: Duration) -> Result<Option<String>> {
    Ok(match output_within(Command::new("spin").args(["-a", "model.pml"]).current_dir(own), limit)? {
        None => Some(format!("`spin -a` takes longer than {} s", limit.as_secs())),
        Some(output) if output.status.success() => None,
        Some(output) => Some(first_error(&[output.stdout, output.stderr].concat())),
    })
}

fn first_error(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text).into_owned();
    let line = text.lines().find(|line| line.contains("rror")).or(text.lines().next());
    line.unwrap_or("nothing was said").trim().replace('\t', " ")
}
