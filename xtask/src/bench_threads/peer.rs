//! The other side: a model goes through `spin -a`, `gcc -O2` and the verifier that comes out.
//!
//! SPIN's default reduction is on; `-DSAFETY` and, but for small models, a deep stack are what a user
//! would choose.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use super::{LIMIT, Measured, Row, Verdict, timed};
use crate::campaign::output_within;

/// The three steps to a verdict; times in seconds.
pub struct Cycle {
    pub generate_seconds: f64,
    pub compile_seconds: f64,
    pub pan: Measured,
}

impl Cycle {
    pub fn seconds(&self) -> f64 {
        self.generate_seconds + self.compile_seconds + self.pan.seconds
    }
}

pub fn cycle(suite: &Path, folder: &Path, row: &Row) -> Result<Cycle> {
    let own = folder.join("model");
    std::fs::create_dir_all(&own)?;
    let model = format!("{}.pml", row.name);
    for file in [model.as_str(), "locks.pml"] {
        std::fs::copy(suite.join(file), own.join(file)).with_context(|| format!("bench/threads/{file}"))?;
    }
    let generate_seconds = step(Command::new("spin").args(&row.macros).args(["-a", &model]).current_dir(&own))?;
    let compile = ["-O2", "-w", "-DSAFETY", "-DMEMLIM=6144", "-o", "pan", "pan.c"];
    let compile_seconds = step(Command::new("gcc").args(compile).current_dir(&own))?;
    let mut command = Command::new(own.join("pan"));
    if row.size != "small" {
        command.arg("-m1000000");
    }
    let none = Measured {
        verdict: Verdict::None,
        seconds: LIMIT.as_secs_f64(),
        search_seconds: LIMIT.as_secs_f64(),
        states: 0.0,
        peak_bytes: 0.0,
    };
    let pan = match timed(&own, &command, LIMIT)? {
        Some((output, seconds, peak_bytes)) => {
            let (verdict, states) = read(&String::from_utf8_lossy(&output.stdout))
                .with_context(|| format!("{model} {}", row.macros.join(" ")))?;
            Measured { verdict, seconds, search_seconds: seconds, states, peak_bytes }
        }
        None => none,
    };
    std::fs::remove_dir_all(&own)?;
    Ok(Cycle { generate_seconds, compile_seconds, pan })
}

fn step(command: &mut Command) -> Result<f64> {
    let start = Instant::now();
    let output = output_within(command, Duration::from_secs(120))?.context("no end of compiling")?;
    if !output.status.success() {
        let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        bail!("{command:?}: {out}{err}");
    }
    Ok(start.elapsed().as_secs_f64())
}

/// Verdict and number of states in what the verifier prints.
fn read(text: &str) -> Result<(Verdict, f64)> {
    if text.contains("max search depth too small") {
        bail!("the verifier's stack is too small");
    }
    let stored = text.lines().find_map(|line| line.trim().strip_suffix(" states, stored"));
    let states: f64 = stored.context("no number of states")?.parse()?;
    let verdict = if text.contains("assertion violated") {
        Verdict::Assertion
    } else if text.contains("invalid end state (") {
        Verdict::Deadlock
    } else if text.contains("Search not completed") {
        Verdict::None
    } else if text.contains("errors: 0") {
        Verdict::Verified
    } else {
        bail!("no verdict in: {text}");
    };
    Ok((verdict, states))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TAIL: &str = "State-vector 44 byte, depth reached 70, errors: 0\n      132 states, stored\n";

    #[test]
    fn verdicts_of_the_verifier() {
        let end = "\tinvalid end states\t+\n";
        assert_eq!(read(&format!("{end}{TAIL}")).expect("a verdict"), (Verdict::Verified, 132.0));
        let deadlock = format!("pan:1: invalid end state (at depth 12)\n{end}{TAIL}").replace("errors: 0", "errors: 1");
        assert_eq!(read(&deadlock).expect("a verdict").0, Verdict::Deadlock);
        let assertion = format!("pan:1: assertion violated (n==2) (at depth 3)\n{TAIL}").replace("0\n", "1\n");
        assert_eq!(read(&assertion).expect("a verdict").0, Verdict::Assertion);
        let cut = format!("Warning: Search not completed\n{TAIL}");
        assert_eq!(read(&cut).expect("a verdict").0, Verdict::None);
        assert!(read(&format!("error: max search depth too small\n{TAIL}")).is_err());
    }
}
