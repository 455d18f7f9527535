//! The failing programs of several threads under `tests/`, compiled and made to fail as their traces say: each ten times
//! out of ten.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::campaign::{in_parallel, output_within, unpick};

const LIMIT: Duration = Duration::from_secs(300);
/// Kinds that a compiled program shows; what the library forbids but does not check is not among them.
const KINDS: [&str; 13] = [
    "assertion",
    "reach-error",
    "deadlock",
    "data-race",
    "null-dereference",
    "out-of-bounds",
    "use-after-free",
    "double-free",
    "invalid-free",
    "leak",
    "overflow",
    "division-by-zero",
    "invalid-shift",
];
/// What has to reproduce, in per cent.
const WANTED: usize = 95;

struct Case {
    file: PathBuf,
    words: Vec<String>,
}

/// `words`: how many times each program has to fail (ten), and how many programs (all).
pub fn run(words: &[&str]) -> Result<()> {
    let n_times: u32 = words.first().map_or(Ok(10), |word| word.parse())?;
    let n_programs: usize = words.get(1).map_or(Ok(usize::MAX), |word| word.parse())?;
    let mut cases = cases()?;
    if n_programs < cases.len() {
        // A slice that is spread over the alphabet.
        let stride = cases.len().div_ceil(n_programs.max(1));
        cases = cases.into_iter().step_by(stride).collect();
    }
    let binary = unpick()?;
    let folder = tempfile::tempdir()?;
    let start = Instant::now();
    let numbered: Vec<(usize, &Case)> = cases.iter().enumerate().collect();
    let outcomes = in_parallel(&numbered, |(number, case)| {
        attempt(&binary, case, &folder.path().join(format!("{number}.json")), n_times)
    });
    let mut failed = Vec::new();
    for (case, outcome) in cases.iter().zip(outcomes) {
        if let Some(why) = outcome.with_context(|| case.file.display().to_string())? {
            failed.push(format!("{}: {why}", case.file.display()));
        }
    }
    let n_reproduced = cases.len() - failed.len();
    println!(
        "{} failing programs of several threads, {n_times} runs each: {n_reproduced} fail natively every time; wall {:.1} s",
        cases.len(),
        start.elapsed().as_secs_f64(),
    );
    failed.iter().for_each(|line| println!("  {line}"));
    if n_reproduced * 100 < WANTED * cases.len() {
        bail!("fewer than {WANTED} per cent reproduce");
    }
    Ok(())
}

/// Checks a program and replays its trace; what went wrong, if anything did.
fn attempt(binary: &Path, case: &Case, trace: &Path, n_times: u32) -> Result<Option<String>> {
    let mut check = Command::new(binary);
    check.args(["check", "--quiet", "--save-trace"]).arg(trace).args(&case.words).arg(&case.file);
    let output = output_within(&mut check, LIMIT)?.context("the search takes too long")?;
    if output.status.code() != Some(1) {
        bail!("no violation was found: {}", String::from_utf8_lossy(&output.stdout));
    }
    let mut replay = Command::new(binary);
    replay.arg("replay").arg(trace).args(["--times", &n_times.to_string()]);
    replay.args(case.words.iter().filter(|word| is_for_input(word))).arg(&case.file);
    let output = output_within(&mut replay, LIMIT)?.context("the replay takes too long")?;
    if output.status.code() == Some(0) {
        return Ok(None);
    }
    let said = [output.stdout, output.stderr].concat();
    Ok(Some(String::from_utf8_lossy(&said).trim().replace('\n', " | ")))
}

/// Whether a flag of `check` says how the sources are read.
fn is_for_input(word: &str) -> bool {
    ["-D", "-U", "-I", "--library-fails", "--malloc-fails", "--no-spurious"].iter().any(|flag| word.starts_with(flag))
}

/// The failing programs whose kind a compiled program can show.
fn cases() -> Result<Vec<Case>> {
    let mut cases = Vec::new();
    for topic in ["tests/c/threads", "tests/c/reduce", "tests/c/trace"] {
        for entry in std::fs::read_dir(topic).with_context(|| topic.to_owned())? {
            let file = entry?.path();
            let text = std::fs::read_to_string(&file).unwrap_or_default();
            let kind = text.lines().find_map(|line| line.strip_prefix("// verdict: violated "));
            let line = text.lines().find_map(|line| line.strip_prefix("// run: check"));
            let has_threads = text.contains("pthread.h") || text.contains("threads.h");
            let (Some(kind), Some(line), true) = (kind, line, has_threads) else { continue };
            if KINDS.contains(&kind.trim())
                && !text.contains("// files:")
                && !line.contains("=>")
                && !line.contains("--ltl")
            {
                let words = line.split_whitespace().map(str::to_owned).collect();
                cases.push(Case { file, words });
            }
        }
    }
    cases.sort_by(|one, other| one.file.cmp(&other.file));
    Ok(cases)
}
