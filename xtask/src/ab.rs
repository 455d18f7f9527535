//! Two builds of unpick on the project's own programs, run by turns: time, verdict, states.
//!
//! Time is that of the processors, user and system, because the wall's depends on what else the machine does; the middle
//! of several runs counts. Old and new alternate, so that a machine which gets slower meanwhile does it to both.

mod table;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use crate::campaign::{in_parallel_with, measured, output_within};
use crate::programs::{Group, Program, collect, root};

const USAGE: &str = "usage: cargo xtask ab OLD NEW [--times N] [--only TEXT] [--all] [--seconds N] [--jobs N]";

struct Options {
    old: PathBuf,
    new: PathBuf,
    n_times: usize,
    only: String,
    /// The programs of tests and examples too.
    is_all: bool,
    seconds: u64,
    /// Programs at a time; more than one blurs what is measured.
    n_jobs: usize,
}

impl Options {
    fn read(words: &[&str]) -> Result<Options> {
        let [old, new, rest @ ..] = words else { bail!(USAGE) };
        let path = |name: &str| Path::new(name).canonicalize().with_context(|| name.to_owned());
        let (old, new) = (path(old)?, path(new)?);
        let mut options = Options { old, new, n_times: 5, only: String::new(), is_all: false, seconds: 60, n_jobs: 1 };
        let mut words = rest.iter();
        while let Some(word) = words.next() {
            let mut value = || words.next().copied().context(USAGE);
            match *word {
                "--times" => options.n_times = value()?.parse().ok().filter(|times| *times > 0).context(USAGE)?,
                "--only" => options.only = value()?.to_owned(),
                "--all" => options.is_all = true,
                "--jobs" => options.n_jobs = value()?.parse().ok().filter(|jobs| *jobs > 0).context(USAGE)?,
                "--seconds" => options.seconds = value()?.parse().context(USAGE)?,
                _ => bail!(USAGE),
            }
        }
        Ok(options)
    }

    fn takes(&self, program: &Program) -> bool {
        let is_bench = [Group::Small, Group::Medium].contains(&program.group);
        (self.is_all || is_bench) && program.name().contains(&self.only)
    }
}

/// What one build answered and needed.
#[derive(Clone, Debug, PartialEq)]
struct Measured {
    verdict: String,
    states: u64,
    cpu_seconds: f64,
    /// Instructions in user mode, where `perf stat` can count them.
    instructions: Option<u64>,
}

struct Row {
    program: Program,
    old: Measured,
    new: Measured,
}

pub fn run(words: &[&str]) -> Result<()> {
    let options = Options::read(words)?;
    let root = root()?;
    let programs: Vec<Program> = collect(&root)?.into_iter().filter(|program| options.takes(program)).collect();
    let counts = instructions(&mut Command::new("true"))?.is_some();
    eprintln!("xtask: {} programs, {} runs of each build", programs.len(), options.n_times);
    let rows = in_parallel_with(options.n_jobs, &programs, |program| compare(&root, &options, program, counts));
    let rows: Vec<Row> = rows.into_iter().collect::<Result<_>>()?;
    print!("{}", table::markdown(&rows));
    Ok(())
}

fn compare(root: &Path, options: &Options, program: &Program, counts: bool) -> Result<Row> {
    let (mut old, mut new) = (Vec::new(), Vec::new());
    for _ in 0..options.n_times {
        old.push(measure(root, &options.old, program, options.seconds)?);
        new.push(measure(root, &options.new, program, options.seconds)?);
    }
    let (mut old, mut new) = (middle(old).context(USAGE)?, middle(new).context(USAGE)?);
    if counts {
        old.instructions = instructions(&mut command(root, &options.old, program, options.seconds))?;
        new.instructions = instructions(&mut command(root, &options.new, program, options.seconds))?;
    }
    eprintln!("{}: {:.2} s, {:.2} s", program.name(), old.cpu_seconds, new.cpu_seconds);
    Ok(Row { program: program.clone(), old, new })
}

fn command(root: &Path, binary: &Path, program: &Program, seconds: u64) -> Command {
    let mut command = Command::new(binary);
    command.current_dir(root.join(&program.folder)).env("NO_COLOR", "1").env("XDG_CONFIG_HOME", "/nonexistent");
    command.arg("check").args(&program.flags).arg("--quiet");
    let limit = format!("{seconds}s");
    for words in [&["--json"][..], &["--workers", "1"], &["--time", &limit]] {
        command.args(if program.has(words[0]) { &[] } else { words });
    }
    command.args(&program.files);
    command
}

fn measure(root: &Path, binary: &Path, program: &Program, seconds: u64) -> Result<Measured> {
    let limit = Duration::from_secs(seconds * 2 + 10);
    match measured(&mut command(root, binary, program, seconds), limit)? {
        Some((output, cost)) => Ok(read(&output.stdout, output.status.code(), cost.cpu)),
        None => Ok(Measured { verdict: "stopped".into(), states: 0, cpu_seconds: seconds as f64, instructions: None }),
    }
}

fn read(stdout: &[u8], exit: Option<i32>, cpu_seconds: f64) -> Measured {
    let json: serde_json::Value = serde_json::from_slice(stdout).unwrap_or_default();
    let verdict = match (json["verdict"].as_str(), json["violation"]["kind"].as_str()) {
        (Some("violated"), Some(kind)) => format!("violated {kind}"),
        (Some(verdict), _) => verdict.to_owned(),
        (None, _) => format!("exit {}", exit.unwrap_or(-1)),
    };
    Measured { verdict, states: json["stats"]["states"].as_u64().unwrap_or(0), cpu_seconds, instructions: None }
}

fn middle(mut runs: Vec<Measured>) -> Option<Measured> {
    runs.sort_by(|one, other| one.cpu_seconds.total_cmp(&other.cpu_seconds));
    let middle = runs.len() / 2;
    runs.into_iter().nth(middle)
}

/// Instructions that a command executes; none where `perf` is missing or the machine does not count them.
fn instructions(command: &mut Command) -> Result<Option<u64>> {
    let mut perf = Command::new("perf");
    perf.args(["stat", "-x", ",", "-e", "instructions:u", "--"]).arg(command.get_program()).args(command.get_args());
    perf.current_dir(command.get_current_dir().unwrap_or(Path::new(".")));
    perf.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    if Command::new("perf").arg("--version").output().is_err() {
        return Ok(None);
    }
    let output = output_within(&mut perf, Duration::from_secs(300))?;
    Ok(output.and_then(|output| counted(&String::from_utf8_lossy(&output.stderr))))
}

/// The number in a line like `1234,,instructions:u,...`.
fn counted(report: &str) -> Option<u64> {
    let line = report.lines().find(|line| line.contains("instructions"))?;
    line.split(',').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read() {
        let json = br#"{"verdict":"violated","violation":{"kind":"deadlock"},"stats":{"states":7}}"#;
        let found = read(json, Some(1), 0.5);
        assert_eq!((found.verdict.as_str(), found.states, found.cpu_seconds), ("violated deadlock", 7, 0.5));
        assert_eq!(read(b"", Some(2), 0.5).verdict, "exit 2");
    }

    #[test]
    fn the_middle_run_counts() {
        let run = |seconds| read(b"", Some(0), seconds);
        assert_eq!(middle(vec![run(9.0), run(1.0), run(2.0)]), Some(run(2.0)));
        assert_eq!(middle(Vec::new()), None);
    }

    #[test]
    fn counters_that_are_not_supported_are_none() {
        assert_eq!(counted("1234,,instructions:u,99,100.00,,\n"), Some(1234));
        assert_eq!(counted("<not supported>,,instructions:u,0,100.00,,\n"), None);
        assert_eq!(counted(""), None);
    }

    #[test]
    fn two_builds_are_named() {
        let here = env!("CARGO_MANIFEST_DIR");
        let options = Options::read(&[here, here, "--times", "3", "--all"]).expect("the options should be right");
        assert!(options.is_all && options.n_times == 3);
        assert!(Options::read(&[here]).is_err() && Options::read(&[here, here, "--times", "0"]).is_err());
    }
}
