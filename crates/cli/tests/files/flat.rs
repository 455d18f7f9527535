//! Programs of several threads over flat states: the same verdict and the same kind of violation as on the interpreter,
//! with and without reduction, with one worker and with two; and which programs fit.

use libtest_mimic::{Failed, Trial};

use crate::annotated::{Annotated, Language};
use crate::binary::json;

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

pub fn trials(files: &'static [Annotated]) -> Vec<Trial> {
    let is_asked = |file: &&Annotated| {
        file.language == Language::C && (file.is_below("bench/threads") || file.is_below("c/threads"))
    };
    let trial = |file: &'static Annotated| Trial::test(format!("flat/{}", file.name), || compare(file));
    files.iter().filter(is_asked).map(trial).collect()
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

fn compare(file: &Annotated) -> Result<(), Failed> {
    let Some(flags) = flags(file) else { return Ok(()) };
    let name = file.file_name();
    let must_fit = file.is_below("bench/threads") || FIT.contains(&name);
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
fn flags(file: &Annotated) -> Option<Vec<&str>> {
    let mut flags = Vec::new();
    match (file.value("row"), file.value("run")) {
        // The first row is the smallest; its first word says so.
        (Some(row), _) => flags.extend(row.split_whitespace().skip(1)),
        (None, Some(run)) => {
            let run = run.split(" => ").next().unwrap_or_default();
            flags.extend(run.strip_prefix("check")?.split_whitespace());
        }
        (None, None) => {}
    }
    flags.extend(file.value("flags").unwrap_or_default().split_whitespace());
    let others = ["--time", "--reduce", "--workers", "--property", "--json", "--engine", "--all", "--store"];
    let is_other = |flag: &&str| others.iter().any(|other| flag.starts_with(other));
    (file.value("files").is_none() && !flags.iter().any(is_other)).then_some(flags)
}

fn ask(file: &Annotated, flags: &[&str], way: &[&str]) -> Result<Asked, Failed> {
    let words = [&["check", file.file_name()], flags, way, &["--json", "--quiet", "--time", "20s"]].concat();
    let (_, answer) = json(file.folder(), &words)?;
    let word = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    Ok(Asked {
        answer: Answer { verdict: word(&answer["verdict"]), kind: word(&answer["violation"]["kind"]) },
        engine: word(&answer["stats"]["engine"]),
        assumptions: answer["assumptions"].to_string(),
    })
}
