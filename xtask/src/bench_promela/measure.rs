//! One timed search of a model, by SPIN or by unpick; the fastest of a few counts.

use std::path::Path;
use std::process::{Command, Output};

use anyhow::{Context, Result, bail};

use super::{LIMIT, Row, Way};
use crate::campaign::{measured, output_within};

/// How often either side searches, of which the fastest counts.
const N_TRIES: usize = 3;

/// Whoever has searched for so many seconds does not try again: it is not chance that decides.
const ENOUGH: f64 = 5.0;

/// What one search needed.
#[derive(Clone, Copy, Debug)]
pub struct Measured {
    pub states: f64,
    /// Not told by SPIN.
    pub transitions: f64,
    pub seconds: f64,
    pub cpu: f64,
    /// Bytes that the set of states took, as the searcher counts them.
    pub bytes: f64,
    /// The same with states that wait and the ways to all states; SPIN's stack is not counted.
    pub all_bytes: f64,
    pub is_error: bool,
}

/// Copies a model and what it includes, and lets SPIN write its verifier.
pub fn generate(bench: &Path, own: &Path, row: &Row, is_plain: bool) -> Result<()> {
    std::fs::create_dir_all(own)?;
    let source = bench.join(&row.file);
    std::fs::copy(&source, own.join("model.pml")).with_context(|| source.display().to_string())?;
    std::fs::copy(bench.join("threads/locks.pml"), own.join("locks.pml"))?;
    let mut generate = Command::new("spin");
    if is_plain {
        // Otherwise statements are merged and dead values forgotten, which is our reduction.
        generate.args(["-o1", "-o2", "-o3"]);
    }
    done(own, generate.args(&row.macros).args(["-a", "model.pml"]))
}

/// Compiles the verifier.
pub fn compile(own: &Path, options: &[&str]) -> Result<()> {
    let mut compile = Command::new("gcc");
    done(own, compile.args(["-w", "-DMEMLIM=12000", "-o", "pan", "pan.c"]).args(options))
}

/// The fastest of SPIN's searches, with tables of one slot or two (or a half, if there is time) for each of so many
/// states, and a stack without limit.
pub fn search_of_spin(own: &Path, n_states: f64) -> Result<Option<Measured>> {
    let enough = n_states.max(2.0).log2().ceil() as u32;
    let tries = [enough, enough + 1, enough - 1].into_iter();
    fastest(tries.take(N_TRIES), |bits| {
        let mut pan = Command::new(own.join("pan"));
        pan.args(["-m20000000", &format!("-w{bits}")]);
        warm_up(n_states);
        match timed(own, &pan)? {
            Some((output, cpu)) => read_pan(&String::from_utf8_lossy(&output.stdout), cpu).map(Some),
            None => Ok(None),
        }
    })
}

/// The fastest of our searches.
pub fn ours(
    bench: &Path,
    folder: &Path,
    binary: &Path,
    row: &Row,
    way: Way,
    n_workers: usize,
) -> Result<Option<Measured>> {
    let command = our_command(bench, binary, row, way, n_workers);
    let mut n_states = 1e7;
    fastest(0..N_TRIES, |_| {
        warm_up(n_states);
        let measured = read_ours(folder, &command)?;
        n_states = measured.map_or(n_states, |measured| measured.states);
        Ok(measured)
    })
}

pub fn our_command(bench: &Path, binary: &Path, row: &Row, way: Way, n_workers: usize) -> Command {
    let mut command = Command::new(binary);
    command.args(["check", "--json", "--quiet", "--trace", "none", "--property", "assertion,end-state"]);
    command.args(["--memory", "12G", "--workers", &n_workers.to_string(), "--time"]);
    command.arg(format!("{}s", LIMIT.as_secs()));
    match way {
        Way::Plain => command.args(["--reduce", "none", "--store", "exact"]),
        Way::Asleep => command.args(["--reduce", "sleep", "--store", "exact"]),
        Way::Compressed => command.args(["--reduce", "none", "--store", "tree"]),
        Way::Reduced => command.args(["--reduce", "auto"]),
    };
    command.args(&row.macros).arg(bench.join(&row.file));
    command
}

/// Tries until there is no other way to try, or enough time has gone by.
fn fastest<T>(
    tries: impl Iterator<Item = T>,
    mut search: impl FnMut(T) -> Result<Option<Measured>>,
) -> Result<Option<Measured>> {
    let (mut best, mut seconds): (Option<Measured>, f64) = (None, 0.0);
    for one in tries {
        let Some(measured) = search(one)? else { return Ok(best) };
        seconds += measured.seconds;
        if best.is_none_or(|best| measured.seconds < best.seconds) {
            best = Some(measured);
        }
        if seconds > ENOUGH {
            break;
        }
    }
    Ok(best)
}

/// Has memory at hand for the next run, which finds so many states: a virtual machine may have to get it from its
/// host first, which takes longer than the search. Large pages are touched, because small ones would leave the memory in
/// pieces.
pub fn warm_up(n_states: f64) {
    const PAGE: usize = 4096;
    let bytes = (n_states * 150.0).clamp(256e6, 5e9) as usize;
    let Ok(mut memory) = memmap2::MmapMut::map_anon(bytes) else { return };
    // A system without large pages has only small ones to touch.
    let _ = memory.advise(memmap2::Advice::HugePage);
    memory.iter_mut().step_by(PAGE).for_each(|byte| *byte = 1);
    std::hint::black_box(&memory);
}

pub fn done(own: &Path, command: &mut Command) -> Result<()> {
    let output = output_within(command.current_dir(own), LIMIT)?.context("SPIN or the compiler takes too long")?;
    if !output.status.success() {
        bail!("{command:?}: {}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    }
    Ok(())
}

/// What the verifier says.
pub fn read_pan(text: &str, cpu: f64) -> Result<Measured> {
    if text.contains("max search depth too small") || text.contains("out of memory") {
        bail!("SPIN gives up: {text}");
    }
    let before = |mark: &str| -> Result<f64> {
        let line = text.lines().find(|line| line.contains(mark)).with_context(|| format!("no `{mark}`: {text}"))?;
        let word = line.split(mark).next().and_then(|start| start.split_whitespace().last());
        Ok(word.with_context(|| line.to_owned())?.parse()?)
    };
    let after = |mark: &str| -> Option<f64> {
        text.lines().find_map(|line| line.split_once(mark)?.1.split_whitespace().next()?.parse().ok())
    };
    let states = before(" states, stored")?;
    let bytes = before("\tactual memory usage for states").unwrap_or(f64::NAN) * 1048576.0;
    let seconds = after("pan: elapsed time ").context("no time")?;
    let is_error = !text.contains("errors: 0");
    Ok(Measured { states, transitions: f64::NAN, seconds, cpu, bytes, all_bytes: bytes, is_error })
}

/// Runs our side; nothing if a limit was met.
pub fn read_ours(folder: &Path, command: &Command) -> Result<Option<Measured>> {
    let (output, cpu) = timed(folder, command)?.context("unpick ignores its time limit")?;
    let json: serde_json::Value = serde_json::from_slice(&output.stdout)
        .with_context(|| format!("{command:?}: {}", String::from_utf8_lossy(&output.stderr)))?;
    let number = |key: &str| json["stats"][key].as_f64().with_context(|| format!("no `{key}` in the statistics"));
    let is_error = match json["verdict"].as_str() {
        Some("verified") => false,
        Some("violated") => true,
        _ => return Ok(None),
    };
    let (states, seconds, all_bytes) = (number("states")?, number("seconds")?, number("peak_bytes")?);
    let (transitions, bytes) = (number("transitions")?, number("store_bytes").unwrap_or(f64::NAN));
    Ok(Some(Measured { states, transitions, seconds, cpu, bytes, all_bytes, is_error }))
}

/// Runs a command in a folder; its output and seconds of the processors.
pub fn timed(folder: &Path, command: &Command) -> Result<Option<(Output, f64)>> {
    let mut own = Command::new(command.get_program());
    own.args(command.get_args()).current_dir(folder);
    Ok(measured(&mut own, LIMIT * 2)?.map(|(output, cost)| (output, cost.cpu)))
}
