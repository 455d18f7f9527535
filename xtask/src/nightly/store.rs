//! The tests of `store`, whose unsafe code several threads run at once, under whatever watches memory and threads.
//!
//! Miri finds undefined behaviour of every kind, weak memory included, but is slow: one schedule of each test, on fewer
//! states (`cfg!(miri)`), and cut short after half of the time that a part has. The sanitizers run natively, to the end. For the thread sanitizer the standard library is
//! built anew: in the one that comes with the compiler it does not see who waits for whom in a mutex, and would take every
//! access that a mutex orders for a race.

use std::path::Path;
use std::process::{Command, Output};
use std::time::Instant;

use anyhow::{Context, Result};

use super::{Log, Outcome};
use crate::campaign::scratch;

const TARGET: &str = "x86_64-unknown-linux-gnu";

pub fn run(log: &mut Log, seconds: u64) -> Result<()> {
    let Some(sysroot) = stdout(Command::new("rustc").args(["+nightly", "--print", "sysroot"])) else {
        log.note("store: not run: there is no nightly toolchain (rustup toolchain install nightly)");
        return Ok(());
    };
    miri(log, seconds.div_ceil(2))?;
    test(log, "store, address sanitizer", &mut sanitized("address"))?;
    if Path::new(&sysroot).join("lib/rustlib/src/rust/library").is_dir() {
        test(log, "store, thread sanitizer", sanitized("thread").arg("-Zbuild-std"))
    } else {
        log.note("store, thread sanitizer: not run: rustup component add rust-src --toolchain nightly");
        Ok(())
    }
}

/// Each test has so many seconds; one that is not done by then has found nothing so far.
fn miri(log: &mut Log, seconds: u64) -> Result<()> {
    let part = "store under Miri";
    if !log.wants(part) {
        return Ok(());
    }
    if stdout(Command::new("cargo").args(["+nightly", "miri", "--version"])).is_none() {
        log.note(&format!("{part}: not run: rustup component add miri --toolchain nightly"));
        return Ok(());
    }
    let folder = scratch("miri")?;
    let limit = format!("{{ period = \"{seconds}s\", terminate-after = 1, on-timeout = \"pass\" }}");
    std::fs::write(folder.join("nextest.toml"), format!("[profile.default]\nslow-timeout = {limit}\n"))?;
    let config = format!("nightly:{}", folder.join("nextest.toml").display());
    let mut command = Command::new("cargo");
    command.args(["+nightly", "miri", "nextest", "run", "--package", "unpick-store", "--no-fail-fast"]);
    // Properties are tried on a few values: each takes seconds here.
    command.args(["--tool-config-file", &config]).env("PROPTEST_CASES", "4");
    command.env("MIRIFLAGS", "-Zmiri-disable-isolation");
    let start = Instant::now();
    let output = command.output().context("cannot run cargo")?;
    let text = String::from_utf8_lossy(&output.stderr);
    let summary = text.lines().find_map(|line| line.split_once("s] ").filter(|_| line.contains("Summary")));
    let n_cut = text.lines().filter(|line| line.trim_start().starts_with("TIMEOUT-PASS")).count();
    let summary = summary.map_or("", |(_, summary)| summary);
    let summary = format!("{summary}; {n_cut} of them cut short after {seconds} s, without a fault until then");
    log.result(part, &Outcome::of(&output, summary, start));
    std::fs::remove_dir_all(&folder)?;
    Ok(())
}

fn sanitized(sanitizer: &str) -> Command {
    let mut command = Command::new("cargo");
    command.args(["+nightly", "test", "--quiet", "--package", "unpick-store", "--tests"]);
    // With a target, build scripts and macros go without.
    command.args(["--target", TARGET, "--target-dir", &format!("target/{sanitizer}-sanitizer")]);
    // Where the standard library is linked as it is, it counts as built for something else.
    command.env("RUSTFLAGS", format!("-Zsanitizer={sanitizer} -Cunsafe-allow-abi-mismatch=sanitizer"));
    command
}

fn test(log: &mut Log, part: &str, command: &mut Command) -> Result<()> {
    if !log.wants(part) {
        return Ok(());
    }
    let start = Instant::now();
    let output = command.output().context("cannot run cargo")?;
    log.result(part, &Outcome::of(&output, results(&output), start));
    Ok(())
}

/// The lines in which test binaries say how they ended.
fn results(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stdout);
    let lines = text.lines().filter_map(|line| line.strip_prefix("test result: "));
    let counts = lines.map(|line| line.split(';').take(2).collect::<String>());
    counts.filter(|line| !line.contains(" 0 passed")).collect::<Vec<_>>().join("; ")
}

/// What a command prints, if it succeeds.
fn stdout(command: &mut Command) -> Option<String> {
    let output = command.output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
