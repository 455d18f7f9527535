//! The concurrent programs under `tests/` in different orders of searching: the same seed must give the same report, and
//! every seed the same verdict.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::campaign::{in_parallel, output_within, unpick};

const LIMIT: Duration = Duration::from_secs(300);

/// A program and a command line that its comments give.
struct Case {
    file: PathBuf,
    words: Vec<String>,
}

/// `words`: how many pairs of a program and a seed; each is run twice.
pub fn run(words: &[&str]) -> Result<()> {
    let n_runs: usize = words.first().map_or(Ok(200), |word| word.parse())?;
    let cases = cases()?;
    let binary = unpick()?;
    let start = Instant::now();
    let pairs: Vec<(&Case, u64)> =
        cases.iter().cycle().take(n_runs).zip(0..).map(|(case, at)| (case, 1 + at)).collect();
    let outcomes = in_parallel(&pairs, |(case, seed)| compare(&binary, case, *seed));
    let mut different = Vec::new();
    for ((case, seed), outcome) in pairs.iter().zip(outcomes) {
        let name = case.file.display();
        if let Some(why) = outcome.with_context(|| format!("{name}, seed {seed}"))? {
            different.push(format!("{name} {} --seed {seed}: {why}", case.words.join(" ")));
        }
    }
    println!(
        "{} programs of several threads, {n_runs} seeds, each twice: {} differ; wall {:.1} s",
        cases.len().min(n_runs),
        different.len(),
        start.elapsed().as_secs_f64(),
    );
    if different.is_empty() { Ok(()) } else { bail!("{}", different.join("\n")) }
}

/// Runs without a seed and twice with it; what differs, if anything does.
fn compare(binary: &Path, case: &Case, seed: u64) -> Result<Option<String>> {
    let seed = seed.to_string();
    let plain = report(binary, case, &[])?;
    let first = report(binary, case, &["--seed", &seed])?;
    let second = report(binary, case, &["--seed", &seed])?;
    let verdict = |report: &serde_json::Value| report["verdict"].to_string();
    Ok(if verdict(&plain) != verdict(&first) {
        Some(format!("{} instead of {}", verdict(&first), verdict(&plain)))
    } else if first != second {
        Some(format!("two reports:\n{first}\n{second}"))
    } else {
        None
    })
}

/// The report without what depends on the machine.
fn report(binary: &Path, case: &Case, more: &[&str]) -> Result<serde_json::Value> {
    let mut command = Command::new(binary);
    command.args(["check", "--quiet", "--json"]).args(&case.words).args(more).arg(&case.file);
    let output = output_within(&mut command, LIMIT)?.context("the search takes too long")?;
    let mut json: serde_json::Value =
        serde_json::from_slice(&output.stdout).with_context(|| String::from_utf8_lossy(&output.stderr).into_owned())?;
    if let Some(stats) = json["stats"].as_object_mut() {
        stats.remove("seconds");
    }
    Ok(json)
}

/// One command line for each program of one file under the topics about threads.
fn cases() -> Result<Vec<Case>> {
    let mut cases = Vec::new();
    for topic in ["tests/c/reduce", "tests/c/threads", "tests/c/trace"] {
        for entry in std::fs::read_dir(topic).with_context(|| topic.to_owned())? {
            let file = entry?.path();
            let text = std::fs::read_to_string(&file).unwrap_or_default();
            let line = text.lines().find_map(|line| line.strip_prefix("// run: check"));
            // How far a search gets before a time limit depends on the machine.
            if let Some(line) = line
                && !text.contains("// files:")
                && !line.contains("--time")
            {
                let line = line.split("=>").next().unwrap_or_default();
                let words = line.split_whitespace().map(str::to_owned).collect();
                cases.push(Case { file, words });
            }
        }
    }
    cases.sort_by(|one, other| one.file.cmp(&other.file));
    Ok(cases)
}
