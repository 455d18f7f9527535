//! Programs of several threads over flat states: the same verdict and the same kind of violation as on the interpreter,
//! with and without reduction, with one worker and with two; and which programs fit.

use std::path::{Path, PathBuf};
use std::process::Command;

use libtest_mimic::{Arguments, Failed, Trial};

/// Ways to search over flat states.
const WAYS: [&[&str]; 4] = [
    &["--workers", "1"],
    &["--workers", "2"],
    &["--workers", "1", "--reduce", "none", "--store", "tree"],
    &["--workers", "2", "--reduce", "sleep"],
];

/// Programs under `tests/c/threads` that have to fit, so that fewer are noticed.
const FIT: [&str; 9] = [
    "bounded_buffer.c",
    "cond_lost_signal.c",
    "cond_signal_one.c",
    "cond_spurious.c",
    "join_orders.c",
    "locked_update.c",
    "lost_update_race.c",
    "mutex_order.c",
    "mutex_exclusion.c",
];

fn main() {
    let arguments = Arguments::from_args();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository should exist");
    let mut trials = Vec::new();
    for folder in ["bench/threads", "tests/c/threads"] {
        let entries = std::fs::read_dir(root.join(folder)).expect("the folder should exist");
        let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        files.retain(|file| file.extension().is_some_and(|extension| extension == "c"));
        files.sort();
        for file in files {
            let name = format!("{folder}/{}", file.file_name().unwrap_or_default().display());
            let base = file.file_name().unwrap_or_default().display().to_string();
            let must_fit = folder == "bench/threads" || FIT.contains(&base.as_str());
            trials.push(Trial::test(name, move || compare(&file, must_fit)));
        }
    }
    libtest_mimic::run(&arguments, trials).exit();
}

/// What a search says.
#[derive(PartialEq, Debug)]
struct Answer {
    verdict: String,
    kind: String,
}

/// What a search says, which one it was, and on which assumptions.
struct Asked {
    answer: Answer,
    engine: String,
    assumptions: String,
}

fn compare(file: &Path, must_fit: bool) -> Result<(), Failed> {
    let text = std::fs::read_to_string(file).map_err(|error| error.to_string())?;
    let Some(flags) = flags(&text) else { return Ok(()) };
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let Asked { answer: usual, .. } = ask(file, &flags, &["--workers", "1"])?;
    for way in WAYS {
        let Asked { answer, engine, assumptions } = ask(file, &flags, &[&["--engine", "flat"], way].concat())?;
        if must_fit && engine != "flat" {
            return Err(format!("{way:?}: the program should fit, but was searched by {engine}").into());
        }
        let is_limited = |answer: &Answer| answer.verdict == "unknown";
        // Over flat states a deadlock is that no thread can go on; a proof names that.
        let is_partial = name.starts_with("partial_deadlock") && usual.kind == "deadlock";
        if is_partial && engine == "flat" && answer.verdict == "verified" {
            if !assumptions.contains("wait for each other while others run on") {
                return Err(format!("{way:?}: partial deadlocks are not named: {assumptions}").into());
            }
            continue;
        }
        // Where it does not fit, the usual search runs with the flags of this one.
        let is_other_search = engine != "flat" && is_limited(&answer);
        if answer != usual && !is_limited(&usual) && !is_other_search {
            return Err(format!("{way:?}: {answer:?} by {engine}, and usually {usual:?}").into());
        }
    }
    Ok(())
}

/// The flags that a file asks for itself; nothing if it is checked in a way that is not for this search.
fn flags(text: &str) -> Option<Vec<String>> {
    let line = |key: &str| text.lines().find_map(|line| line.trim().strip_prefix("// ")?.strip_prefix(key));
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<String>>();
    let mut flags = Vec::new();
    match (line("row: "), line("run: ")) {
        // The first row is the smallest; its first word says so.
        (Some(row), _) => flags.extend(words(row).into_iter().skip(1)),
        (None, Some(run)) => {
            let run = run.split(" => ").next().unwrap_or_default();
            flags.extend(words(run.strip_prefix("check")?));
        }
        (None, None) => {}
    }
    flags.extend(line("flags: ").map(words).unwrap_or_default());
    let others = ["--time", "--reduce", "--workers", "--property", "--json", "--engine", "--all", "--store"];
    let is_other = |flag: &String| others.iter().any(|other| flag.starts_with(other));
    (line("files: ").is_none() && !flags.iter().any(is_other)).then_some(flags)
}

fn ask(file: &Path, flags: &[String], way: &[&str]) -> Result<Asked, Failed> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_unpick"));
    command.arg("check").arg(file).args(flags).args(way).args(["--json", "--quiet", "--time", "20s"]);
    command.current_dir(file.parent().unwrap_or(Path::new(".")));
    let output = command.output().map_err(|error| error.to_string())?;
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).map_err(|error| {
        format!(
            "{way:?}: {error}: {} {}",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        )
    })?;
    let word = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    let answer = Answer { verdict: word(&json["verdict"]), kind: word(&json["violation"]["kind"]) };
    Ok(Asked { answer, engine: word(&json["stats"]["engine"]), assumptions: json["assumptions"].to_string() })
}
