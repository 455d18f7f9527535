//! Random C programs: `unpick simulate` must print the checksum the compiled program prints.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::campaign::{cc, in_parallel, output_within, scratch, unpick};

/// Programs that take longer than this when compiled are left out.
const NATIVE_LIMIT: Duration = Duration::from_secs(5);

enum Outcome {
    Same {
        native: f64,
        ours: f64,
    },
    /// The compiled program does not finish.
    LeftOut,
    Slow,
    Different(String),
}

pub fn run(words: &[&str]) -> Result<()> {
    let (mut first, mut last, mut limit) = (1u64, 1000u64, 1200u64);
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if *word == "--seconds" {
            limit = words.next().context("--seconds needs a number")?.parse()?;
        } else {
            let (from, to) = word.split_once('-').context("seeds are given as FIRST-LAST")?;
            (first, last) = (from.parse()?, to.parse()?);
        }
    }
    let folder = scratch("csmith")?;
    let binary = unpick()?;
    let seeds: Vec<u64> = (first..=last).collect();
    let start = Instant::now();
    let outcomes = in_parallel(&seeds, |seed| {
        let outcome = compare(&folder, &binary, *seed, Duration::from_secs(limit));
        if let Ok(Outcome::Different(why)) = &outcome {
            eprintln!("seed {seed}: {why}");
        }
        outcome
    });
    let (mut same, mut left_out, mut slow, mut different) = (0, Vec::new(), Vec::new(), Vec::new());
    let (mut native_time, mut our_time) = (0.0, 0.0);
    for (seed, outcome) in seeds.iter().zip(outcomes) {
        match outcome.with_context(|| format!("seed {seed}"))? {
            Outcome::Same { native, ours } => {
                same += 1;
                native_time += native;
                our_time += ours;
            }
            Outcome::LeftOut => left_out.push(*seed),
            Outcome::Slow => slow.push(*seed),
            Outcome::Different(_) => different.push(*seed),
        }
    }
    println!(
        "csmith seeds {first}-{last}: {same} same, {} different, {} too slow for us, {} left out (compiled \
         program needs over 5 s); compiled {native_time:.1} s, unpick {our_time:.1} s, wall {:.1} s",
        different.len(),
        slow.len(),
        left_out.len(),
        start.elapsed().as_secs_f64(),
    );
    println!("left out: {left_out:?}");
    if different.is_empty() && slow.is_empty() {
        std::fs::remove_dir_all(&folder)?;
        return Ok(());
    }
    bail!("different: {different:?}; too slow: {slow:?}");
}

fn compare(folder: &Path, binary: &Path, seed: u64, limit: Duration) -> Result<Outcome> {
    let own = folder.join(seed.to_string());
    std::fs::create_dir_all(&own)?;
    let source = own.join("program.c");
    let made = Command::new("csmith")
        .args(["--seed", &seed.to_string(), "--output"])
        .arg(&source)
        .current_dir(&own)
        .output()
        .context("cannot run csmith (Debian packages csmith and libcsmith-dev)")?;
    if !made.status.success() {
        bail!("csmith failed");
    }
    let native = own.join("native");
    let built = cc().args(["-O0", "-w", "-I/usr/include/csmith", "-o"]).arg(&native).arg(&source).output()?;
    if !built.status.success() {
        bail!("cc rejects the program: {}", String::from_utf8_lossy(&built.stderr));
    }
    let start = Instant::now();
    let Some(expected) = output_within(&mut Command::new(&native), NATIVE_LIMIT)? else {
        std::fs::remove_dir_all(&own)?;
        return Ok(Outcome::LeftOut);
    };
    let native_seconds = start.elapsed().as_secs_f64();
    let start = Instant::now();
    let mut command = Command::new(binary);
    command.args(["simulate", "-I/usr/include/csmith"]).arg(&source);
    let Some(ours) = output_within(&mut command, limit)? else { return Ok(Outcome::Slow) };
    if ours.stdout != expected.stdout {
        let shown = String::from_utf8_lossy(&ours.stdout).trim().to_owned();
        let complaint: String = String::from_utf8_lossy(&ours.stderr).chars().take(600).collect();
        let expected = String::from_utf8_lossy(&expected.stdout).trim().to_owned();
        return Ok(Outcome::Different(format!("expected `{expected}`, got `{shown}` {complaint}")));
    }
    std::fs::remove_dir_all(&own)?;
    Ok(Outcome::Same { native: native_seconds, ours: start.elapsed().as_secs_f64() })
}
