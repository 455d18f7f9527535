//! The other side: a model goes through `spin -a`, `gcc -O2` and the verifier that comes out.
//!
//! SPIN's default reduction is on; `-DSAFETY` and, but for small models, a deep stack are what a user
//! would choose.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::{LIMIT, Measured, Row, Verdict};
use crate::campaign::{Cost, measured};

/// The three steps to a verdict.
pub struct Cycle {
    pub generate: Cost,
    pub compile: Cost,
    pub pan: Measured,
}

impl Cycle {
    pub fn cost(&self) -> Cost {
        let steps = [self.generate, self.compile, self.pan.cost];
        steps.iter().fold(Cost::default(), |sum, step| Cost {
            wall: sum.wall + step.wall,
            cpu: sum.cpu + step.cpu,
            user: sum.user + step.user,
            peak_bytes: sum.peak_bytes.max(step.peak_bytes),
        })
    }
}

pub fn cycle(suite: &Path, folder: &Path, row: &Row) -> Result<Cycle> {
    let own = folder.join("model");
    std::fs::create_dir_all(&own)?;
    let model = format!("{}.pml", row.name);
    for file in [model.as_str(), "locks.pml"] {
        std::fs::copy(suite.join(file), own.join(file)).with_context(|| format!("bench/threads/{file}"))?;
    }
    let generate = step(&own, Command::new("spin").args(&row.macros).args(["-a", &model]))?;
    let flags = ["-O2", "-w", "-DSAFETY", "-DMEMLIM=6144", "-o", "pan", "pan.c"];
    let compile = step(&own, Command::new("gcc").args(flags))?;
    let mut command = Command::new(own.join("pan"));
    if row.size != "small" {
        command.arg("-m1000000");
    }
    let pan = match measured(command.current_dir(&own), LIMIT)? {
        Some((output, cost)) => {
            let (verdict, states) = read(&String::from_utf8_lossy(&output.stdout))
                .with_context(|| format!("{model} {}", row.macros.join(" ")))?;
            Measured { verdict, cost, search_seconds: cost.wall, states }
        }
        None => {
            let wall = LIMIT.as_secs_f64();
            let cost = Cost { wall, cpu: wall, ..Cost::default() };
            Measured { verdict: Verdict::None, cost, search_seconds: wall, states: 0.0 }
        }
    };
    std::fs::remove_dir_all(&own)?;
    Ok(Cycle { generate, compile, pan })
}

fn step(folder: &Path, command: &mut Command) -> Result<Cost> {
    let (output, cost) = measured(command.current_dir(folder), LIMIT)?.context("no end of compiling")?;
    if !output.status.success() {
        let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        bail!("{command:?}: {out}{err}");
    }
    Ok(cost)
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
