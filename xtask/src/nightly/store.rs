//! The tests of `store`, whose unsafe code several threads run at once, under whatever watches memory and threads.
//!
//! Miri finds undefined behaviour of every kind, in one schedule after the other, but is slow. The sanitizers run
//! natively. They see the code of the tests, of `store`, and what either instantiates of the standard library; the rest
//! of the standard library is not built anew and therefore not watched: accesses in there are missed.

use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result};

use super::{Log, Outcome};

/// A sanitizer, its name for the compiler, and the options that it runs with.
const SANITIZERS: [(&str, &str, &str); 2] =
    [("address", "ASAN_OPTIONS", "detect_stack_use_after_return=1"), ("thread", "TSAN_OPTIONS", "halt_on_error=1")];

pub fn run(log: &mut Log) -> Result<()> {
    if !succeeds(&["+nightly", "--version"]) {
        log.note("store: not run: there is no nightly toolchain (rustup toolchain install nightly)");
        return Ok(());
    }
    if succeeds(&["+nightly", "miri", "--version"]) {
        let start = Instant::now();
        let mut command = Command::new("cargo");
        command.args(["+nightly", "miri", "test", "--quiet", "--package", "unpick-store"]);
        // Properties are tried on a few values: each takes seconds here.
        command.env("MIRIFLAGS", "-Zmiri-disable-isolation").env("PROPTEST_CASES", "4");
        let output = command.output().context("cannot run cargo")?;
        log.result("store under Miri", &Outcome::of(&output, results(&output.stdout), start));
    } else {
        log.note("store under Miri: not run: the component is missing (rustup component add miri --toolchain nightly)");
    }
    for (sanitizer, variable, options) in SANITIZERS {
        let start = Instant::now();
        let mut command = Command::new("cargo");
        command.args(["+nightly", "test", "--quiet", "--package", "unpick-store"]);
        // A target makes build scripts and macros go without; the standard library is linked as it is.
        command.args(["--target", TARGET, "--target-dir", &format!("target/{sanitizer}-sanitizer")]);
        command.env("RUSTFLAGS", format!("-Zsanitizer={sanitizer} -Cunsafe-allow-abi-mismatch=sanitizer"));
        command.env(variable, options);
        let output = command.output().context("cannot run cargo")?;
        log.result(&format!("store, {sanitizer} sanitizer"), &Outcome::of(&output, results(&output.stdout), start));
    }
    Ok(())
}

const TARGET: &str = "x86_64-unknown-linux-gnu";

fn succeeds(words: &[&str]) -> bool {
    Command::new("cargo").args(words).output().is_ok_and(|output| output.status.success())
}

/// The lines in which test binaries say how they ended.
fn results(stdout: &[u8]) -> String {
    let text = String::from_utf8_lossy(stdout).into_owned();
    let lines = text.lines().filter_map(|line| line.strip_prefix("test result: "));
    let counts = lines.map(|line| line.split("; 0 ignored").next().unwrap_or(line).trim_end_matches(';'));
    counts.filter(|line| !line.contains(" 0 passed")).collect::<Vec<_>>().join(", ")
}
