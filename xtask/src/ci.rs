//! Continuous integration in one command: cargo's steps one after the other, then slices of the campaigns side by side.
//!
//! Cargo's steps use all cores themselves. A campaign, however, ends with whichever of its seeds takes longest, and one
//! after the other each of them would leave cores idle in the end; so a slice has one core, and the core takes the next
//! slice when it is done. Slices are processes of their own, because what they print has to be kept apart.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Mutex;
use std::time::Instant;

use anyhow::{Context, Result, bail};

use crate::campaign::{N_WORKERS, built, in_parallel, own, unpick};
use crate::setup;

/// What is done side by side, the longest first so that none is left alone in the end.
const SLICES: &[&[&str]] = &[
    &["threads", "1-60"],
    &["claims", "1-30"],
    &["headers"],
    &["csmith", "1-40", "--seconds", "300"],
    &["sanitizers", "1-15"],
    &["inputs", "1-40"],
    &["golden", "--every", "20"],
    &["seeds", "40"],
    &["replay", "2", "14"],
    &["promela", "1-16"],
    &["promela", "3201-3208"],
    &["promela", "2401-2408"],
];

/// What the README's test command does and CI repeats. Everything is tried, so that one run shows all that is wrong.
pub fn run() -> Result<()> {
    setup::run()?;
    let start = Instant::now();
    let mut failed = Vec::new();
    // All of them with the profile of the tests: build scripts and macros are built once.
    let steps: [(&str, &[&str]); 4] = [
        ("format", &["fmt", "--all", "--check"]),
        ("lints", &["clippy", "--workspace", "--all-targets", "--release", "--quiet", "--", "-D", "warnings"]),
        // Optimised, because the random programs run to completion on the interpreter.
        ("tests", &["nextest", "run", "--workspace", "--release", "--no-fail-fast"]),
        ("documentation", &["doc", "--workspace", "--no-deps", "--release", "--quiet"]),
    ];
    for (name, words) in steps {
        let start = Instant::now();
        eprintln!("xtask: {name}: cargo {}", words.join(" "));
        let status = Command::new("cargo").args(words).status().context("cannot run cargo")?;
        eprintln!("xtask: {name}: {} after {:.0} s", word(status.success()), start.elapsed().as_secs_f64());
        failed.extend((!status.success()).then(|| name.to_owned()));
    }
    match binary_of_tests() {
        Ok(binary) => failed.extend(run_slices(&binary)?),
        Err(error) => failed.push(error.to_string()),
    }
    eprintln!("xtask: everything took {:.0} s", start.elapsed().as_secs_f64());
    if failed.is_empty() {
        return Ok(());
    }
    bail!("failed: {}", failed.join("; "));
}

fn word(is_success: bool) -> &'static str {
    if is_success { "passed" } else { "FAILED" }
}

/// The binary that the tests of the command line run. Built alone it would be another one: the crates that only tests and
/// chores need turn on features of shared dependencies, so that cargo would build most of these, Cranelift among them, a
/// second time.
fn binary_of_tests() -> Result<PathBuf> {
    if std::env::var_os("UNPICK_BINARY").is_none() {
        let words = ["build", "--workspace", "--tests", "--release", "--quiet"];
        let status = Command::new("cargo").args(words).status().context("cannot run cargo")?;
        if !status.success() {
            bail!("unpick does not build with its tests");
        }
        return built();
    }
    unpick()
}

/// The slices that fail.
fn run_slices(binary: &Path) -> Result<Vec<String>> {
    let printing = Mutex::new(());
    let results = in_parallel(SLICES, |words| -> Result<Option<String>> {
        let start = Instant::now();
        let output = slice(binary, words)?;
        let name = words.join(" ");
        // What a slice printed stays together.
        let _printing = printing.lock().expect("no slice should panic");
        eprintln!("xtask: {name}: {} after {:.0} s", word(output.status.success()), start.elapsed().as_secs_f64());
        eprint!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        Ok((!output.status.success()).then_some(name))
    });
    let results: Result<Vec<Option<String>>> = results.into_iter().collect();
    Ok(results?.into_iter().flatten().collect())
}

/// Runs one slice on one core.
fn slice(binary: &Path, words: &[&str]) -> Result<Output> {
    let mut command = own();
    command.args(words).env("UNPICK_BINARY", binary).env(N_WORKERS, "1");
    command.output().with_context(|| format!("cannot run {}", words.join(" ")))
}
