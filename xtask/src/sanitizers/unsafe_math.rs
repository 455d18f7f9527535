//! csmith without its safe arithmetic: our verdict against the first error the sanitizers report.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use super::{Answer, Error, ask, build, command, first_error, seeds};
use crate::campaign::{in_parallel, output_within, scratch, unpick};

const NATIVE_LIMIT: Duration = Duration::from_secs(5);
const LIMIT: Duration = Duration::from_secs(150);

enum Outcome {
    Verified,
    Violated,
    /// The compiled program does not end, or the sanitizers have no word for its end.
    LeftOut(String),
    Unknown(String),
    Different(String),
}

/// `words`: seeds `FIRST-LAST`.
pub fn run(words: &[&str]) -> Result<()> {
    let seeds = seeds(words, (1, 300))?;
    let folder = scratch("sanitizers")?;
    let binary = unpick()?;
    let start = Instant::now();
    let outcomes = in_parallel(&seeds, |seed| {
        let outcome = compare(&folder, &binary, *seed);
        if let Ok(Outcome::Different(why)) = &outcome {
            eprintln!("seed {seed}: {why}");
        }
        outcome
    });
    let (mut verified, mut violated, mut left_out, mut unknown, mut different) = (0, 0, vec![], vec![], vec![]);
    for (seed, outcome) in seeds.iter().zip(outcomes) {
        match outcome.with_context(|| format!("seed {seed}"))? {
            Outcome::Verified => verified += 1,
            Outcome::Violated => violated += 1,
            Outcome::LeftOut(why) => left_out.push((*seed, why)),
            Outcome::Unknown(why) => unknown.push((*seed, why)),
            Outcome::Different(_) => different.push(*seed),
        }
    }
    println!(
        "csmith without safe arithmetic, {} seeds: {verified} verified and clean, {violated} violated with the \
         sanitizers' kind and line, {} different, {} unknown, {} left out; wall {:.1} s",
        seeds.len(),
        different.len(),
        unknown.len(),
        left_out.len(),
        start.elapsed().as_secs_f64(),
    );
    for (seed, why) in unknown.iter().chain(&left_out) {
        println!("  seed {seed}: {why}");
    }
    if different.is_empty() {
        std::fs::remove_dir_all(&folder)?;
        return Ok(());
    }
    bail!("different: {different:?}; programs in {}", folder.display());
}

fn compare(folder: &Path, binary: &Path, seed: u64) -> Result<Outcome> {
    let own = folder.join(seed.to_string());
    std::fs::create_dir_all(&own)?;
    let source = own.join("program.c");
    let made = Command::new("csmith")
        .args(["--seed", &seed.to_string(), "--no-safe-math", "--max-funcs", "3", "--max-block-size", "3"])
        .args(["--max-block-depth", "3", "--max-expr-complexity", if seed.is_multiple_of(2) { "4" } else { "8" }])
        .args(["--max-array-len-per-dim", "5", "--max-array-dim", "2", "--no-packed-struct"])
        .arg("--output")
        .arg(&source)
        .current_dir(&own)
        .output()
        .context("cannot run csmith (Debian packages csmith and libcsmith-dev)")?;
    if !made.status.success() {
        bail!("csmith failed");
    }
    let native = own.join("native");
    build(&source, &native, &["-I/usr/include/csmith"])?;
    let Some(output) = output_within(&mut command(&native, "symbolize=1"), NATIVE_LIMIT)? else {
        std::fs::remove_dir_all(&own)?;
        return Ok(Outcome::LeftOut("the compiled program does not end".to_owned()));
    };
    let report = String::from_utf8_lossy(&output.stderr);
    let expected: Option<Error> = match first_error(&report, "program.c") {
        Ok(expected) => expected,
        Err(error) => return Ok(Outcome::LeftOut(error.to_string())),
    };
    let answer = ask(binary, &source, &["-I/usr/include/csmith", "--time", "60s"], LIMIT)?;
    let outcome = match (answer, expected) {
        (Answer::Verified, None) => Outcome::Verified,
        (Answer::Violated(ours), Some(expected)) if ours == expected => Outcome::Violated,
        (Answer::Unknown(why), _) => Outcome::Unknown(why),
        (Answer::TooSlow, _) => Outcome::Unknown("too slow".to_owned()),
        (answer, expected) => return Ok(Outcome::Different(format!("{answer:?}; compiled: {expected:?}"))),
    };
    std::fs::remove_dir_all(&own)?;
    Ok(outcome)
}
