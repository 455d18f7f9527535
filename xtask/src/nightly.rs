//! What takes too long for every change: the unsafe code of `store` under tools that watch memory and threads, every fuzz
//! target, and the random campaigns on the seeds of the day.
//!
//! `store` runs under Miri where the nightly toolchain has it, and natively under the sanitizers of LLVM. Each fuzz
//! target and each campaign has a number of seconds; a campaign takes seeds in small chunks until they are over. Its
//! first seed depends on the date, so that every night looks at others. The log says what ran, what did not and why, and
//! lies with the other runs of that date and machine in `bench/runs/`.

mod store;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant, SystemTime};

use anyhow::{Context, Result, bail};

use crate::campaign::{own, unpick};

/// Campaigns that take seeds, and how many at a time: the work of some seconds.
const CAMPAIGNS: [(&str, u64); 7] = [
    ("csmith", 8),
    ("sanitizers", 4),
    ("inputs", 20),
    ("threads", 20),
    ("promela", 8),
    ("programs", 2000),
    ("automata", 1000),
];

/// Seeds of a day; no campaign comes to the end of them.
const SEEDS_A_DAY: u64 = 1_000_000;

/// `words`: `--seconds N` for each part (default 60), `--only TEXT` for the parts with that in their names, which are
/// not kept unless `--log FILE` says where.
pub fn run(words: &[&str]) -> Result<()> {
    let (mut seconds, mut file, mut log) = (60, None, Log::default());
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let value = words.next().with_context(|| format!("{word} needs a value"))?;
        match *word {
            "--seconds" => seconds = value.parse()?,
            "--only" => log.only = Some((*value).to_owned()),
            "--log" => file = Some(PathBuf::from(value)),
            other => bail!("nightly knows no `{other}`"),
        }
    }
    let time = Duration::from_secs(seconds);
    if file.is_none() && log.only.is_none() {
        file = Some(dated_file()?);
    }
    let (commit, time_of_day) =
        (output("git", &["rev-parse", "--short", "HEAD"])?, output("date", &["-u", "+%F %H:%M"])?);
    log.note(&format!("cargo xtask nightly --seconds {seconds}, commit {commit}, {time_of_day} UTC"));
    store::run(&mut log, seconds)?;
    fuzz(&mut log, seconds)?;
    for (campaign, n_seeds) in CAMPAIGNS {
        if !log.wants(campaign) {
            continue;
        }
        let binary = unpick()?;
        let result = seeds_of_the_day(&binary, campaign, n_seeds, time)?;
        log.result(campaign, &result);
    }
    if let Some(file) = file {
        std::fs::create_dir_all(file.parent().unwrap_or(Path::new(".")))?;
        std::fs::write(&file, &log.text).with_context(|| file.display().to_string())?;
        eprintln!("xtask: written to {}", file.display());
    }
    if log.failed.is_empty() {
        return Ok(());
    }
    bail!("failed: {}", log.failed.join("; "));
}

/// Where the results of this day and machine lie.
fn dated_file() -> Result<PathBuf> {
    let n_cores = std::thread::available_parallelism().map_or(1, |n| n.get());
    let folder = format!("bench/runs/{}-{}-{n_cores}-cores", output("date", &["-u", "+%F"])?, std::env::consts::ARCH);
    Ok(Path::new(&folder).join("nightly.txt"))
}

/// What a command prints.
fn output(program: &str, words: &[&str]) -> Result<String> {
    let output = Command::new(program).args(words).output().with_context(|| format!("cannot run {program}"))?;
    Ok(String::from_utf8(output.stdout)?.trim().to_owned())
}

/// What happened, as it is kept.
#[derive(Default)]
struct Log {
    text: String,
    failed: Vec<String>,
    only: Option<String>,
}

/// The end of a part.
struct Outcome {
    is_passed: bool,
    /// What was done, in a line.
    summary: String,
    seconds: f64,
    /// What was printed, if it failed.
    output: String,
}

impl Outcome {
    fn of(output: &Output, summary: String, start: Instant) -> Outcome {
        let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
        let is_passed = output.status.success();
        let output = if is_passed { String::new() } else { text.into_owned() };
        Outcome { is_passed, summary, seconds: start.elapsed().as_secs_f64(), output }
    }
}

impl Log {
    /// Whether a part is asked for.
    fn wants(&self, part: &str) -> bool {
        self.only.as_ref().is_none_or(|text| part.contains(text.as_str()))
    }

    fn note(&mut self, line: &str) {
        eprintln!("xtask: {line}");
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn result(&mut self, part: &str, outcome: &Outcome) {
        let Outcome { is_passed, summary, seconds, output } = outcome;
        let word = if *is_passed { "passed" } else { "FAILED" };
        self.note(&format!("{part}: {word}, {seconds:.0} s: {summary}"));
        if !is_passed {
            eprintln!("{output}");
            self.failed.push(part.to_owned());
            for line in without_paths(output).lines() {
                let _ = writeln!(self.text, "    {line}");
            }
        }
    }
}

/// A text that says the same on every machine.
fn without_paths(text: &str) -> String {
    let own = std::env::current_dir().map(|folder| folder.display().to_string()).unwrap_or_default();
    let temporary = std::env::temp_dir().display().to_string();
    let home = std::env::var("HOME").unwrap_or_default();
    let mut text = text.to_owned();
    for (path, short) in [(own, "."), (temporary, "$TMPDIR"), (home, "~")] {
        if path.len() > 1 {
            text = text.replace(&path, short);
        }
    }
    text
}

/// Every fuzz target for so many seconds.
fn fuzz(log: &mut Log, seconds: u64) -> Result<()> {
    let mut targets: Vec<String> = std::fs::read_dir("fuzz/tests")?
        .flatten()
        .filter_map(|entry| Some(entry.path().file_stem()?.to_str()?.to_owned()))
        .collect();
    targets.retain(|target| log.wants(&format!("fuzz {target}")));
    targets.sort();
    if targets.is_empty() {
        return Ok(());
    }
    let cargo = |words: &[&str]| {
        let mut command = Command::new("cargo");
        command.args(["test", "--release", "--quiet"]).args(words).current_dir("fuzz");
        command.env("UNPICK_FUZZ_SECONDS", seconds.to_string());
        command.output().context("cannot run cargo")
    };
    let start = Instant::now();
    let built = cargo(&["--no-run"])?;
    if !built.status.success() {
        log.result("fuzz", &Outcome::of(&built, "does not build".to_owned(), start));
        return Ok(());
    }
    for target in targets {
        let start = Instant::now();
        let output = cargo(&["--test", &target])?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let summary = text.lines().find_map(|line| line.strip_prefix("test result: ")).unwrap_or_default();
        let summary =
            format!("{seconds} s for each of its tests: {}", summary.split("; finished").next().unwrap_or(""));
        log.result(&format!("fuzz {target}"), &Outcome::of(&output, summary, start));
    }
    Ok(())
}

/// A campaign, chunk after chunk, until its time is over or something is wrong.
fn seeds_of_the_day(binary: &Path, campaign: &str, n_seeds: u64, time: Duration) -> Result<Outcome> {
    let day = SystemTime::UNIX_EPOCH.elapsed()?.as_secs() / (24 * 60 * 60);
    let first = day * SEEDS_A_DAY;
    let start = Instant::now();
    let mut next = first;
    loop {
        let chunk = format!("{next}-{}", next + n_seeds - 1);
        let output = own().args([campaign, &chunk]).env("UNPICK_BINARY", binary).output()?;
        next += n_seeds;
        let summary = format!("seeds {first}-{}", next - 1);
        if !output.status.success() || start.elapsed() >= time {
            return Ok(Outcome::of(&output, summary, start));
        }
    }
}
