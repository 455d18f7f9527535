//! What SPIN answers about a model: its verifier is made, compiled, run, and its output read.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use super::Answer;
use crate::campaign::{cc, output_within, quick_cc};

/// Time for compilation.
const LIMIT: Duration = Duration::from_secs(120);

/// How SPIN is asked.
#[derive(Clone, PartialEq, Eq)]
pub struct Way {
    /// Flags of the compiler.
    pub defines: Vec<String>,
    /// Flags of the verifier.
    pub flags: Vec<String>,
}

/// What SPIN may take.
pub struct Effort {
    /// For one search, and for the translation.
    pub time: Duration,
    pub memory_mb: u64,
    /// How deep it may go; the next is tried if that is too little.
    pub depths: &'static [u64],
    /// The logarithm of the number of slots in its table of states.
    pub slots: u32,
}

/// Translates a model; says why if that is not possible. The folder is for SPIN's own files.
pub fn translate(folder: &Path, file: &Path, effort: &Effort) -> Result<Option<Answer>> {
    let mut spin = Command::new("spin");
    spin.args(["-a", "-o1", "-o2", "-o3"]).arg(file).current_dir(folder);
    // Some formulas are too much for it.
    let Some(output) = output_within(&mut spin, effort.time)? else { return Ok(Some(Answer::Limit)) };
    // What SPIN calls an error but lets pass is a warning.
    let text = || String::from_utf8_lossy(&output.stdout).trim().to_owned();
    Ok((!output.status.success()).then(|| Answer::Rejected(text())))
}

/// Compiles and runs the verifier of the model that was translated in the folder.
pub fn ask(folder: &Path, way: &Way, effort: &Effort) -> Result<Answer> {
    if let Some(refused) = compile(folder, way, effort)? {
        return Ok(refused);
    }
    let start = Instant::now();
    for depth in effort.depths {
        let mut pan = Command::new("./pan");
        pan.args([format!("-m{depth}"), format!("-w{}", effort.slots)]).args(&way.flags).current_dir(folder);
        let left = effort.time.saturating_sub(start.elapsed());
        let Some(output) = output_within(&mut pan, left)? else { return Ok(Answer::Limit) };
        match read(&String::from_utf8_lossy(&output.stdout), *depth)? {
            Some(answer) => return Ok(answer),
            None => continue,
        }
    }
    Ok(Answer::Limit)
}

/// Compiles the verifier; says why if that is not possible. What the quick compiler does not know the usual one may.
fn compile(folder: &Path, way: &Way, effort: &Effort) -> Result<Option<Answer>> {
    let memory = format!("-DMEMLIM={}", effort.memory_mb);
    let mut refused = None;
    for mut compiler in quick_cc().into_iter().chain([cc()]) {
        compiler.args(["-w", "-O0", "-o", "pan", "pan.c", &memory]).args(&way.defines).current_dir(folder);
        let Some(output) = output_within(&mut compiler, LIMIT)? else { return Ok(Some(Answer::Limit)) };
        if output.status.success() {
            return Ok(None);
        }
        refused = Some(Answer::Rejected(String::from_utf8_lossy(&output.stderr).trim().to_owned()));
    }
    Ok(refused)
}

/// What the verifier says; nothing if it was not allowed to go as deep as it wanted.
fn read(text: &str, max_depth: u64) -> Result<Option<Answer>> {
    let Some(errors) = text.lines().find_map(|line| line.split("errors: ").nth(1)) else {
        let last = text.lines().last().unwrap_or("");
        return Ok(Some(Answer::Rejected(format!("the verifier comes to no end: {last}"))));
    };
    if errors.trim() != "0" && !text.contains("out of memory") {
        let what = text.lines().find_map(|line| line.strip_prefix("pan:1: ")).unwrap_or("").to_owned();
        // What SPIN could not do says nothing of the model.
        let is_refusal = what.contains("VECTORSZ is too small") || what.contains("partial order reduction invalid");
        return Ok(Some(if is_refusal { Answer::Rejected(what) } else { Answer::Violated(what) }));
    }
    if text.contains("max search depth too small") {
        return Ok(None);
    }
    if text.contains("out of memory") || text.contains("Search not completed") {
        return Ok(Some(Answer::Limit));
    }
    // With fairness SPIN may go round in a model that has ended until it is too deep, without a word.
    let depth = text.split("depth reached ").nth(1).and_then(|rest| rest.split(',').next()?.trim().parse::<u64>().ok());
    if depth.is_some_and(|depth| depth + 1 >= max_depth) {
        return Ok(None);
    }
    let states = text.lines().find(|line| line.contains("states, stored")).context("SPIN should count states")?;
    let states = states.split_whitespace().next().context("a count should be a number")?.parse()?;
    Ok(Some(Answer::Verified(states)))
}
