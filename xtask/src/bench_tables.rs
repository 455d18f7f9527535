//! How long extraction takes: the programs of `examples/tables` as three units of more than 2,500 lines together, extracted
//! to a model and their table refreshed, each as often as it takes to know the fastest run.
//!
//! Beside the time on the clock stands processor time, which other work on the machine changes less.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, bail};

use crate::campaign::{scratch, unpick};

const SOURCES: [&str; 3] = ["phone/phone.c", "checkpoint/manager.c", "checkpoint/worker.c"];
const HEADER: &str = "checkpoint/protocol.h";
const N_RUNS: u32 = 15;
/// What a run may take, in processor time: on a machine with other work the clock says more about that.
const LIMIT: f64 = 0.2;

pub fn run(words: &[&str]) -> Result<()> {
    if !words.is_empty() {
        bail!("usage: cargo xtask bench tables");
    }
    let binary = unpick()?;
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/tables");
    let examples = examples.canonicalize().context("examples/tables should exist")?;
    let folder = scratch("bench-tables")?;
    let mut n_lines = 0;
    for file in SOURCES.iter().chain(&[HEADER]) {
        n_lines += std::fs::read_to_string(examples.join(file)).with_context(|| (*file).to_owned())?.lines().count();
    }
    let table = folder.join("all.map");
    let command = |words: &[&str]| {
        let mut command = Command::new(&binary);
        // No harness lies in this folder: all is extracted by the defaults.
        command.args(words).args(SOURCES.map(|file| examples.join(file))).current_dir(&folder);
        command
    };
    let table_name = table.display().to_string();
    finished(&mut command(&["table", "-o", &table_name]))?;
    // Built-in rows stand in the filled table with the program's own words, which are no Promela where they measure.
    let text = std::fs::read_to_string(&table)?;
    let kept: String = text.lines().filter(|line| !line.contains("sizeof")).map(|line| format!("{line}\n")).collect();
    std::fs::write(&table, kept)?;
    println!("{n_lines} lines in {} units, {N_RUNS} runs each, load {}\n", SOURCES.len(), load());
    println!("| what | fastest, s | median, s | processor time of one run, s |\n|---|---|---|---|");
    let mut slow = Vec::new();
    let rows: [(&str, Vec<&str>); 2] = [
        ("extract", vec!["extract", "--to", "promela", "-o", "model.pml"]),
        ("table --refresh", vec!["table", "--table", &table_name, "--refresh", "-o", "refreshed.map"]),
    ];
    for (name, words) in rows {
        let (fastest, median, processor) = measured(|| finished(&mut command(&words)))?;
        println!("| {name} | {fastest:.3} | {median:.3} | {processor:.3} |");
        if processor > LIMIT {
            slow.push(name);
        }
    }
    std::fs::remove_dir_all(&folder)?;
    if !slow.is_empty() {
        bail!("more than {LIMIT} s of processor time: {}", slow.join(", "));
    }
    Ok(())
}

fn finished(command: &mut Command) -> Result<()> {
    let output = command.output().with_context(|| format!("cannot run {command:?}"))?;
    if !output.status.success() {
        bail!("{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(())
}

/// Times on the clock, the fastest and the median, and processor time of an average run; all in seconds.
fn measured(mut work: impl FnMut() -> Result<()>) -> Result<(f64, f64, f64)> {
    let before = processor_time()?;
    let mut times = Vec::new();
    for _ in 0..N_RUNS {
        let start = Instant::now();
        work()?;
        times.push(start.elapsed().as_secs_f64());
    }
    times.sort_by(f64::total_cmp);
    let processor = (processor_time()? - before) / f64::from(N_RUNS);
    Ok((times[0], times[times.len() / 2], processor))
}

/// Processor time of all children that have ended, in seconds: fields 16 and 17 of the status line, in ticks of 10 ms.
fn processor_time() -> Result<f64> {
    let text = std::fs::read_to_string("/proc/self/stat").context("only Linux tells processor time")?;
    let fields: Vec<&str> = text.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |at: usize| fields.get(at).and_then(|field| field.parse::<f64>().ok()).unwrap_or(0.0);
    // The name in parentheses was the second field.
    Ok((ticks(13) + ticks(14)) / 100.0)
}

/// How many processes wanted to run in the last minute.
fn load() -> String {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split_whitespace().next().unwrap_or("unknown").to_owned()
}
