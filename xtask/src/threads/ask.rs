//! What `unpick check` says of a program, with and without reduction.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use anyhow::{Context, Result, bail};

use crate::campaign::{cc, output_within};
use crate::sanitizers::Error;

/// Seconds after which a search gives up; the program is then left out of the comparison.
const SECONDS: f64 = 3.0;
const LIMIT: Duration = Duration::from_secs(60);

/// What is compared: a name, the properties, and how much of the answer has to be the same.
pub struct Question {
    pub name: &'static str,
    pub properties: &'static str,
    pub wants_all: bool,
}

/// The properties as users have them; what they say has been compared one by one.
const DEFAULT_WAY: &str = "--reduce dpor";
/// Steps are looked up, which a search for all violations does not do.
const TABLED_WAY: &str = "--cache-steps-from 0";
const BRUTE_FORCE: &str = "--reduce none";
/// Over flat states, as models are searched; only the default set is asked so.
const FLAT_WAYS: [&str; 3] = ["--engine flat", "--engine flat --reduce none", "--engine flat --reduce sleep"];

/// How many answers came from a search over flat states, not from what takes its place where a program does not fit.
pub static N_FLAT: AtomicUsize = AtomicUsize::new(0);

/// Data races and the default set end the search at a first violation, which differs from one order of searching to
/// another; of these only the verdicts are compared.
pub const QUESTIONS: [Question; 4] = [
    Question { name: "all", properties: "assertion,deadlock,memory,unlock-error", wants_all: true },
    Question { name: "race", properties: "race", wants_all: false },
    Question { name: "default", properties: "default", wants_all: false },
    Question { name: "first", properties: "assertion,deadlock,memory,unlock-error", wants_all: false },
];

/// An answer as far as it has to agree with others.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    Verified,
    /// All violations found, or none when they were not all asked for.
    Violated(BTreeSet<Error>),
    Unknown(String),
    /// Too many states: says nothing.
    Limit,
    Broken(String),
}

/// The ways of searching this binary knows, brute force first.
pub fn ways(binary: &Path) -> Result<Vec<Vec<String>>> {
    let help = Command::new(binary).args(["check", "--help"]).output()?;
    let help = String::from_utf8_lossy(&help.stdout).into_owned();
    let mut ways = vec!["--reduce none", "--reduce global-access", "--reduce dpor"];
    if help.contains("- superstep") {
        ways.push("--reduce superstep");
    }
    if help.contains("--cache-steps-from") {
        ways.push(TABLED_WAY);
    }
    if help.contains("--workers") {
        ways.push("--workers 2");
    }
    if help.contains("--seed") {
        ways.push("--seed 1");
    }
    if help.contains("--engine") {
        ways.extend(FLAT_WAYS);
    }
    Ok(ways.iter().map(|way| way.split(' ').map(str::to_owned).collect()).collect())
}

impl Question {
    /// Whether it is asked in this way. The default set holds nothing that the others do not ask for; what a search for
    /// all violations answers is asked again only where that is another search.
    pub fn is_asked(&self, way: &[String]) -> bool {
        let way = way.join(" ");
        let is_flat = FLAT_WAYS.contains(&way.as_str());
        match self.name {
            "default" => way == DEFAULT_WAY || way == TABLED_WAY || is_flat,
            _ if is_flat => false,
            "first" => way == BRUTE_FORCE || way == TABLED_WAY,
            _ => !self.wants_all || way != TABLED_WAY,
        }
    }
}

/// Writes a program and preprocesses it once for all questions.
pub fn prepare(folder: &Path, text: &str) -> Result<PathBuf> {
    std::fs::create_dir_all(folder)?;
    let source = folder.join("program.c");
    std::fs::write(&source, text)?;
    let preprocessed = folder.join("program.i");
    let output = cc().args(["-E", "-o"]).arg(&preprocessed).arg(&source).output()?;
    if !output.status.success() {
        bail!("cc rejects {}: {}", source.display(), String::from_utf8_lossy(&output.stderr));
    }
    Ok(preprocessed)
}

pub fn ask(binary: &Path, source: &Path, question: &Question, way: &[String]) -> Result<Answer> {
    let mut command = Command::new(binary);
    command
        .args(["check", "--quiet", "--json", "--strict", "--time", &format!("{SECONDS}s"), "--memory", "2G"])
        .args(way);
    command.args(["--property", question.properties]);
    if question.wants_all {
        command.arg("--all");
    }
    let Some(output) = output_within(command.arg(source), LIMIT)? else { return Ok(Answer::Limit) };
    let Ok(json) = serde_json::from_slice::<serde_json::Value>(&output.stdout) else {
        let complaint: String = String::from_utf8_lossy(&output.stderr).chars().take(600).collect();
        return Ok(Answer::Broken(format!("{:?} {complaint}", output.status.code())));
    };
    if json["stats"]["engine"] == "flat" {
        N_FLAT.fetch_add(1, Ordering::Relaxed);
    }
    // When part of its time has gone, a search goes on to look for one violation only.
    let is_cut = json["stats"]["seconds"].as_f64().is_none_or(|seconds| seconds > SECONDS / 2.0);
    let reason = || json["reason"].to_string();
    Ok(match json["verdict"].as_str().context("a report should have a verdict")? {
        "verified" => Answer::Verified,
        "violated" if question.wants_all && is_cut => Answer::Limit,
        "violated" if !question.wants_all => Answer::Violated(BTreeSet::new()),
        "violated" => {
            let others = json["others"].as_array().into_iter().flatten();
            Answer::Violated(others.chain([&json["violation"]]).map(error).collect::<Result<_>>()?)
        }
        _ if reason().contains("time") || reason().contains("memory") => Answer::Limit,
        _ => Answer::Unknown(reason()),
    })
}

fn error(violation: &serde_json::Value) -> Result<Error> {
    let kind = violation["kind"].as_str().context("a violation should have a kind")?;
    let line = violation["line"].as_u64().context("a violation should have a line")?;
    Ok((kind.to_owned(), u32::try_from(line)?))
}
