//! What SPIN says of a model.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result};

use super::Answer;
use crate::campaign::{cc, output_within};

/// Time for each of SPIN's stages.
const LIMIT: Duration = Duration::from_secs(120);

/// How deep SPIN may go.
const MAX_DEPTH: u64 = 200_000;

/// How SPIN is asked.
pub struct Way {
    /// Flags of the compiler.
    pub defines: Vec<String>,
    /// Flags of the verifier.
    pub flags: Vec<String>,
}

/// Translates, compiles and runs. The folder holds `model.pml`.
pub fn ask(folder: &Path, way: &Way) -> Result<Answer> {
    ask_file(folder, Path::new("model.pml"), way)
}

/// The same for a model that lies elsewhere.
pub fn ask_file(folder: &Path, file: &Path, way: &Way) -> Result<Answer> {
    let mut spin = Command::new("spin");
    spin.args(["-a", "-o1", "-o2", "-o3"]).arg(file).current_dir(folder);
    let Some(output) = output_within(&mut spin, LIMIT)? else { return Ok(Answer::Limit) };
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    // What SPIN calls an error but lets pass is a warning.
    if !output.status.success() {
        return Ok(Answer::Rejected(text.trim().to_owned()));
    }
    let mut compiler = cc();
    compiler.args(["-w", "-O0", "-o", "pan", "pan.c"]).args(&way.defines).current_dir(folder);
    let Some(output) = output_within(&mut compiler, LIMIT)? else { return Ok(Answer::Limit) };
    if !output.status.success() {
        return Ok(Answer::Rejected(String::from_utf8_lossy(&output.stderr).trim().to_owned()));
    }
    let mut pan = Command::new("./pan");
    pan.args([&format!("-m{MAX_DEPTH}"), "-w20"]).args(&way.flags).current_dir(folder);
    let Some(output) = output_within(&mut pan, Duration::from_secs(10))? else { return Ok(Answer::Limit) };
    read(&String::from_utf8_lossy(&output.stdout))
}

fn read(text: &str) -> Result<Answer> {
    if text.contains("max search depth too small") || text.contains("out of memory") {
        return Ok(Answer::Limit);
    }
    // With fairness SPIN may go round in a model that has ended until it is too deep, without a word.
    let depth = text.split("depth reached ").nth(1).and_then(|rest| rest.split(',').next()?.trim().parse::<u64>().ok());
    if depth.is_some_and(|depth| depth + 1 >= MAX_DEPTH) && text.contains("errors: 0") {
        return Ok(Answer::Limit);
    }
    let errors = text.lines().find_map(|line| line.split("errors: ").nth(1)).context("SPIN should count errors")?;
    if errors.trim() != "0" {
        let what = text.lines().find_map(|line| line.strip_prefix("pan:1: ")).unwrap_or("").to_owned();
        return Ok(Answer::Violated(what));
    }
    let states = text.lines().find(|line| line.contains("states, stored")).context("SPIN should count states")?;
    let states = states.split_whitespace().next().context("a count should be a number")?.parse()?;
    Ok(Answer::Verified(states))
}
