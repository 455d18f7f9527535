//! Models without a table: every unit of the well-known libraries that `cc` accepts is extracted, and `spin -a` has to
//! take what comes of it. Where it does not, functions are tried one by one, because one of them may be to blame.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use anyhow::{Context, Result, bail};

use crate::campaign::{cc, in_parallel, output_within, scratch, unpick};
use crate::real_code::{LIBRARIES, Library, fetch, units};

/// Time for one extraction, and for `spin -a` of one model.
const LIMIT: Duration = Duration::from_secs(60);

/// What came of a unit.
struct Unit {
    /// Functions with bodies that the compiler keeps.
    n_functions: usize,
    n_passed: usize,
    seconds: f64,
    /// Why the model of the whole unit was not taken.
    complaint: Option<String>,
}

/// The sum over a library.
#[derive(Default)]
struct Sum {
    n_units: usize,
    n_whole: usize,
    n_functions: usize,
    n_passed: usize,
    seconds: f64,
}

pub fn run(words: &[&str]) -> Result<()> {
    let table = match words {
        [] => None,
        ["--table", file] => Some(PathBuf::from(file)),
        _ => bail!("usage: cargo xtask tables-corpus [--table FILE]"),
    };
    if Command::new("spin").arg("-V").output().is_err() {
        bail!("spin is not installed");
    }
    let folder = scratch("tables-corpus")?;
    let binary = unpick()?;
    fetch(&folder)?;
    let mut text = String::from(
        "| library | units | models that SPIN takes | functions | in such models | seconds to extract |\n|---|---|---|---|---|---|\n",
    );
    let mut complaints = String::new();
    let mut total = Sum::default();
    for library in LIBRARIES {
        let sum = measure(&folder, &binary, library, &mut complaints)?;
        text.push_str(&row(library.name, &sum));
        total.n_units += sum.n_units;
        total.n_whole += sum.n_whole;
        total.n_functions += sum.n_functions;
        total.n_passed += sum.n_passed;
        total.seconds += sum.seconds;
    }
    text.push_str(&row("all", &total));
    let share = 100.0 * total.n_passed as f64 / total.n_functions.max(1) as f64;
    text.push_str(&format!("\nFunctions in models that SPIN takes: {share:.2} %.\n\n{complaints}"));
    print!("{text}");
    if let Some(table) = table {
        std::fs::write(table, &text)?;
    }
    std::fs::remove_dir_all(&folder)?;
    if share < 95.0 {
        bail!("fewer than 95 % of the functions");
    }
    Ok(())
}

fn row(name: &str, sum: &Sum) -> String {
    let Sum { n_units, n_whole, n_functions, n_passed, seconds } = sum;
    let row = format!("| {name} | {n_units} | {n_whole} | {n_functions} | {n_passed} | {seconds:.1} |\n");
    eprint!("{row}");
    row
}

fn measure(folder: &Path, binary: &Path, library: &Library, complaints: &mut String) -> Result<Sum> {
    let (sources, flags) = units(folder, library)?;
    let results = in_parallel(&sources, |source| extract(folder, binary, source, &flags));
    let mut sum = Sum::default();
    for (source, result) in sources.iter().zip(results) {
        let name = source.strip_prefix(folder.join("vendor")).unwrap_or(source).display().to_string();
        let Some(unit) = result.with_context(|| name.clone())? else { continue };
        sum.n_units += 1;
        sum.n_functions += unit.n_functions;
        sum.n_passed += unit.n_passed;
        sum.seconds += unit.seconds;
        match unit.complaint {
            None => sum.n_whole += 1,
            Some(complaint) => {
                let line = format!("- {name} ({} of {} functions): {complaint}\n", unit.n_passed, unit.n_functions);
                eprint!("{line}");
                complaints.push_str(&line);
            }
        }
    }
    Ok(sum)
}

/// One unit; `None` if it is not for this compiler.
fn extract(folder: &Path, binary: &Path, source: &Path, flags: &[String]) -> Result<Option<Unit>> {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let own = folder.join(format!("model-{}", COUNT.fetch_add(1, Ordering::Relaxed)));
    std::fs::create_dir_all(&own)?;
    let Some(functions) = functions(&own, source, flags)? else { return Ok(None) };
    let start = std::time::Instant::now();
    let whole = model(binary, &own, source, flags, None)?;
    let seconds = start.elapsed().as_secs_f64();
    let complaint = match whole {
        Ok(()) => taken_by_spin(&own)?,
        Err(complaint) => Some(complaint),
    };
    let n_functions = functions.len();
    let mut n_passed = n_functions;
    if complaint.is_some() {
        n_passed = 0;
        for function in &functions {
            let is_taken =
                model(binary, &own, source, flags, Some(function))?.is_ok() && taken_by_spin(&own)?.is_none();
            n_passed += usize::from(is_taken);
        }
    }
    std::fs::remove_dir_all(&own)?;
    Ok(Some(Unit { n_functions, n_passed, seconds, complaint }))
}

/// The functions that a compiler makes of a unit; `None` if it rejects it.
fn functions(own: &Path, source: &Path, flags: &[String]) -> Result<Option<Vec<String>>> {
    let object = own.join("unit.o");
    let mut command = cc();
    command.args(["-c", "-O0", "-w", "-o"]).arg(&object).args(flags).arg(source);
    if !output_within(&mut command, LIMIT)?.is_some_and(|output| output.status.success()) {
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
    source: &Path,
    flags: &[String],
    function: Option<&str>,
) -> Result<Result<(), String>> {
    let mut command = Command::new(binary);
    command.args(["extract", "--to", "promela"]).args(flags).arg(source).arg("-o").arg(own.join("model.pml"));
    command.args(function.map(|name| ["--process", name]).into_iter().flatten());
    Ok(match output_within(&mut command, LIMIT)? {
        None => Err("extraction takes longer than a minute".into()),
        Some(output) if output.status.success() => Ok(()),
        Some(output) => Err(first_error(&output.stderr)),
    })
}

/// What SPIN has against the model.
fn taken_by_spin(own: &Path) -> Result<Option<String>> {
    Ok(match output_within(Command::new("spin").args(["-a", "model.pml"]).current_dir(own), LIMIT)? {
        None => Some("`spin -a` takes longer than a minute".into()),
        Some(output) if output.status.success() => None,
        Some(output) => Some(first_error(&[output.stdout, output.stderr].concat())),
    })
}

fn first_error(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text).into_owned();
    let line = text.lines().find(|line| line.contains("rror")).or(text.lines().next());
    line.unwrap_or("nothing was said").trim().to_owned()
}
