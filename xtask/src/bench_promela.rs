//! Models of Promela: states per second and bytes per state of `unpick check` against SPIN's verifier, both in one run
//! on one machine.
//!
//! `bench/promela/models.txt` lists the models, one line each: `FILE MACROS...`, relative to `bench`. Each is searched
//! exhaustively by both sides, with reductions off (states are counted and have to be equal) and on, by one worker and
//! by two, with plain and with compressed states.

mod liveness;
mod table;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::campaign::{output_within, scratch, unpick};

const USAGE: &str = "usage: cargo xtask bench promela [--out FOLDER] [--only WHAT,...] [NAME...]";

/// Whoever needs longer has no result.
const LIMIT: Duration = Duration::from_secs(400);

/// How often we search, of which the fastest counts; SPIN has as many tries, with tables of different sizes.
const N_TRIES: usize = 4;

/// Whoever needs so many seconds tries once: it is not chance that decides.
const LONG: f64 = 30.0;

/// A model at one size.
struct Row {
    file: PathBuf,
    macros: Vec<String>,
}

impl Row {
    fn name(&self) -> String {
        let stem = self.file.file_stem().unwrap_or_default().to_string_lossy();
        format!("{stem} {}", self.macros.join(" ").replace("-D", "")).trim().to_owned()
    }
}

/// How a model is searched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Way {
    Plain,
    Compressed,
    Reduced,
}

/// What one search needed.
#[derive(Clone, Copy, Debug)]
struct Measured {
    states: f64,
    seconds: f64,
    cpu: f64,
    /// Bytes that states took, as the searcher counts them.
    bytes: f64,
    is_error: bool,
}

/// Everything about a row.
struct Compared {
    name: String,
    /// SPIN and ours with one worker and two, by way.
    results: Vec<(Way, Option<Measured>, [Option<Measured>; 2])>,
    /// Generating and compiling the verifier.
    spin_setup: f64,
}

pub fn run(words: &[&str]) -> Result<()> {
    let (mut out, mut names, mut ways) = (None, Vec::new(), vec![Way::Plain, Way::Compressed, Way::Reduced]);
    let mut is_liveness = false;
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match *word {
            "--out" => out = Some(PathBuf::from(words.next().context(USAGE)?)),
            "--only" => {
                let list = words.next().context(USAGE)?;
                is_liveness = *list == "liveness";
                if is_liveness {
                    continue;
                }
                let way = |name: &str| match name {
                    "plain" => Ok(Way::Plain),
                    "compressed" => Ok(Way::Compressed),
                    "reduced" => Ok(Way::Reduced),
                    _ => bail!("--only takes plain, compressed, reduced, or liveness"),
                };
                ways = list.split(',').map(way).collect::<Result<_>>()?;
            }
            _ if word.starts_with('-') => bail!(USAGE),
            _ => names.push(*word),
        }
    }
    let bench = Path::new("bench").canonicalize().context("bench (run from the project's root)")?;
    let mut rows = read_rows(&std::fs::read_to_string(bench.join("promela/models.txt"))?);
    rows.retain(|row| names.is_empty() || names.iter().any(|name| row.name().contains(name)));
    let binary = unpick()?;
    let folder = scratch("bench-promela")?;
    if is_liveness {
        liveness::run(&bench, &folder, &binary, &names, out.as_deref())?;
        return Ok(std::fs::remove_dir_all(&folder)?);
    }
    let mut compared = Vec::new();
    for row in rows {
        eprintln!("{}", row.name());
        compared.push(compare(&bench, &folder, &binary, &row, &ways)?);
        if let Some(out) = &out {
            std::fs::create_dir_all(out)?;
            std::fs::write(out.join("promela.md"), table::markdown(&compared))?;
        }
    }
    std::fs::remove_dir_all(&folder)?;
    print!("{}", table::markdown(&compared));
    Ok(())
}

fn read_rows(text: &str) -> Vec<Row> {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let row = |line: &str| {
        let mut words = line.split_whitespace().map(str::to_owned);
        Row { file: words.next().unwrap_or_default().into(), macros: words.collect() }
    };
    lines.map(row).collect()
}

fn compare(bench: &Path, folder: &Path, binary: &Path, row: &Row, ways: &[Way]) -> Result<Compared> {
    let mut compared = Compared { name: row.name(), results: Vec::new(), spin_setup: 0.0 };
    for way in ways {
        let (setup, spin) = spin(bench, folder, row, *way)?;
        let ours = [ours(bench, folder, binary, row, *way, 1)?, ours(bench, folder, binary, row, *way, 2)?];
        if *way == Way::Plain {
            compared.spin_setup = setup;
            for measured in ours.iter().flatten() {
                let is_same = spin.is_none_or(|spin| spin.is_error || spin.states == measured.states);
                if !is_same && !measured.is_error {
                    bail!("{}: {} states, SPIN has {:?}", row.name(), measured.states, spin);
                }
            }
        }
        if let (Some(spin), Some(ours)) = (&spin, &ours[0])
            && spin.is_error != ours.is_error
        {
            bail!("{}: one finds an error, the other does not ({way:?})", row.name());
        }
        let say = |measured: &Option<Measured>| match measured {
            Some(found) => format!("{:.0} states in {:.2} s", found.states, found.seconds),
            None => "no end".to_owned(),
        };
        eprintln!("  {way:?}: spin {}; ours {}, two workers {}", say(&spin), say(&ours[0]), say(&ours[1]));
        compared.results.push((*way, spin, ours));
    }
    Ok(compared)
}

/// Seconds to make the verifier, and what its search needed.
fn spin(bench: &Path, folder: &Path, row: &Row, way: Way) -> Result<(f64, Option<Measured>)> {
    let own = folder.join("model");
    std::fs::create_dir_all(&own)?;
    let source = bench.join(&row.file);
    let model = source.file_name().context("a model has a name")?.to_owned();
    std::fs::copy(&source, own.join(&model)).with_context(|| source.display().to_string())?;
    std::fs::copy(bench.join("threads/locks.pml"), own.join("locks.pml"))?;
    let start = Instant::now();
    let mut generate = Command::new("spin");
    if way != Way::Reduced {
        generate.args(["-o1", "-o2", "-o3"]);
    }
    done(&own, generate.args(&row.macros).arg("-a").arg(&model))?;
    let mut compile = Command::new("gcc");
    compile.args(["-O2", "-w", "-DSAFETY", "-DMEMLIM=12000", "-o", "pan", "pan.c"]);
    match way {
        Way::Plain => compile.arg("-DNOREDUCE"),
        Way::Compressed => compile.args(["-DNOREDUCE", "-DCOLLAPSE"]),
        Way::Reduced => &mut compile,
    };
    done(&own, &mut compile)?;
    let setup = start.elapsed().as_secs_f64();
    let measured = search_of_spin(&own, Instant::now())?;
    std::fs::remove_dir_all(&own)?;
    Ok((setup, measured))
}

/// The fastest of SPIN's searches: with tables of one slot for each state up to four, and a stack without limit.
fn search_of_spin(own: &Path, start: Instant) -> Result<Option<Measured>> {
    let mut best: Option<Measured> = None;
    let mut slot_bits = vec![24];
    while let Some(bits) = slot_bits.pop() {
        let mut pan = Command::new(own.join("pan"));
        pan.args(["-m20000000", &format!("-w{bits}")]);
        warm_up();
        let Some((output, cpu)) = timed(own, &pan)? else { return Ok(best) };
        let measured = read_pan(&String::from_utf8_lossy(&output.stdout), cpu)?;
        if best.is_none() {
            let enough = measured.states.log2().ceil() as u32;
            slot_bits.extend([enough, enough + 1, enough + 2].into_iter().filter(|found| *found != bits));
        }
        if best.is_none_or(|best| measured.seconds < best.seconds) {
            best = Some(measured);
        }
        if start.elapsed() > LIMIT {
            break;
        }
    }
    Ok(best)
}

/// Has memory at hand for whoever runs next: a virtual machine may have to get it from its host first, which takes
/// longer than the search.
fn warm_up() {
    const PAGE: usize = 4096;
    let mut memory = vec![0u8; 3 << 30];
    memory.iter_mut().step_by(PAGE).for_each(|byte| *byte = 1);
    std::hint::black_box(&memory);
}

fn done(folder: &Path, command: &mut Command) -> Result<()> {
    let output = output_within(command.current_dir(folder), LIMIT)?.context("no end of compiling")?;
    if !output.status.success() {
        let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        bail!("{command:?}: {out}{err}");
    }
    Ok(())
}

fn read_pan(text: &str, cpu: f64) -> Result<Measured> {
    let before = |mark: &str| -> Result<f64> {
        let line = text.lines().find(|line| line.contains(mark)).with_context(|| format!("no `{mark}`"))?;
        let word = line.trim().split(mark).next().and_then(|start| start.split_whitespace().last());
        Ok(word.with_context(|| line.to_owned())?.parse()?)
    };
    let after = |mark: &str| -> Option<f64> {
        text.lines().find_map(|line| line.split_once(mark)?.1.split_whitespace().next()?.parse().ok())
    };
    let states = before(" states, stored")?;
    let megabytes = before("\tactual memory usage for states").unwrap_or(f64::NAN);
    let seconds = after("pan: elapsed time ").context("no time")?;
    Ok(Measured { states, seconds, cpu, bytes: megabytes * 1048576.0, is_error: !text.contains("errors: 0") })
}

fn ours(bench: &Path, folder: &Path, binary: &Path, row: &Row, way: Way, n_workers: usize) -> Result<Option<Measured>> {
    let mut command = Command::new(binary);
    command.args(["check", "--json", "--quiet", "--trace", "none", "--property", "assertion,end-state"]);
    command.args(["--memory", "12G", "--workers", &n_workers.to_string(), "--time"]);
    command.arg(format!("{}s", LIMIT.as_secs()));
    match way {
        Way::Plain => command.args(["--reduce", "none", "--store", "exact"]),
        Way::Compressed => command.args(["--reduce", "none", "--store", "tree"]),
        Way::Reduced => command.args(["--reduce", "auto"]),
    };
    command.args(&row.macros).arg(bench.join(&row.file));
    let mut best: Option<Measured> = None;
    for _ in 0..N_TRIES {
        warm_up();
        let Some(measured) = read_ours(folder, &command)? else { return Ok(best) };
        if best.is_none_or(|best| measured.seconds < best.seconds) {
            best = Some(measured);
        }
        if measured.seconds > LONG {
            break;
        }
    }
    Ok(best)
}

/// Runs our side; nothing if a limit was met.
fn read_ours(folder: &Path, command: &Command) -> Result<Option<Measured>> {
    let (output, cpu) = timed(folder, command)?.context("unpick ignores its time limit")?;
    let json: serde_json::Value = serde_json::from_slice(&output.stdout)
        .with_context(|| format!("{command:?}: {}", String::from_utf8_lossy(&output.stderr)))?;
    let number = |key: &str| json["stats"][key].as_f64().with_context(|| format!("no `{key}` in the statistics"));
    let is_error = match json["verdict"].as_str() {
        Some("verified") => false,
        Some("violated") => true,
        _ => return Ok(None),
    };
    let (states, seconds, bytes) = (number("states")?, number("seconds")?, number("peak_bytes")?);
    Ok(Some(Measured { states, seconds, cpu, bytes, is_error }))
}

/// Runs a command; its output and seconds of the processors.
fn timed(folder: &Path, command: &Command) -> Result<Option<(Output, f64)>> {
    let report = folder.join("time");
    let mut outer = Command::new("/usr/bin/time");
    outer.args(["--format", "%U %S", "--quiet", "--output"]).arg(&report);
    outer.arg(command.get_program()).args(command.get_args()).current_dir(folder);
    let output = output_within(&mut outer, LIMIT * 2).context("GNU time (Debian package time)")?;
    let Some(output) = output else { return Ok(None) };
    let report = std::fs::read_to_string(&report)?;
    Ok(Some((output, report.split_whitespace().filter_map(|word| word.parse::<f64>().ok()).sum())))
}
