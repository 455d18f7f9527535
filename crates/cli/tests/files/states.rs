//! Models with all ways of searching: as many states as SPIN counts, whatever goes wrong is found, workers show the same
//! execution, and incremental hashes are those from scratch.
//!
//! - `states: N` — what SPIN calls "states, stored" without reduction;
//! - `faults: N` — steps with a failing assertion, `invalid-ends: N` — states in which nothing is possible, but should
//!   be; nothing goes wrong where neither is given.

use libtest_mimic::{Failed, Trial};
use serde_json::Value;

use crate::annotated::{Annotated, Language};
use crate::binary::json;

/// Searches; those that are not `auto` reach every state.
const WAYS: [[&str; 4]; 9] = [
    ["--reduce", "none", "--workers", "1"],
    ["--reduce", "none", "--workers", "2"],
    ["--reduce", "sleep", "--workers", "1"],
    ["--reduce", "sleep", "--workers", "2"],
    ["--reduce", "auto", "--workers", "1"],
    ["--reduce", "auto", "--workers", "2"],
    ["--reduce", "none", "--search", "depth"],
    ["--reduce", "sleep", "--search", "depth"],
    ["--reduce", "auto", "--search", "depth"],
];

pub fn trials(files: &'static [Annotated]) -> Vec<Trial> {
    let mut trials = Vec::new();
    for file in files.iter().filter(|file| file.is_below("promela") && file.language == Language::Promela) {
        let Expected { states, faults, invalid_ends } = Expected::read(file);
        if let Some(states) = states {
            trials.push(Trial::test(format!("states/{}", file.name), move || compare_with_spin(file, states)));
        }
        if faults.is_some() || invalid_ends.is_some() {
            trials.push(Trial::test(format!("workers/{}", file.name), || compare_workers(file)));
        }
        trials.push(Trial::test(format!("hashes/{}", file.name), || audit_hashes(file)));
    }
    trials
}

/// What a model says of its state space.
struct Expected {
    states: Option<u64>,
    faults: Option<u64>,
    invalid_ends: Option<u64>,
}

impl Expected {
    fn read(file: &Annotated) -> Expected {
        let (states, faults) = (file.number("states"), file.number("faults"));
        Expected { states, faults, invalid_ends: file.number("invalid-ends") }
    }
}

fn check(file: &Annotated, flags: &[&str]) -> Result<(Option<i32>, Value), String> {
    let first = ["check", "--json", "--quiet", "--property", "assertion,end-state"];
    json(file.folder(), &[&first, flags, &[file.file_name()]].concat())
}

fn compare_with_spin(file: &Annotated, states: u64) -> Result<(), Failed> {
    let Expected { faults, invalid_ends, .. } = Expected::read(file);
    let (faults, invalid_ends) = (faults.unwrap_or(0), invalid_ends.unwrap_or(0));
    for flags in WAYS {
        let (code, document) = check(file, &flags)?;
        if faults + invalid_ends == 0 {
            assert_eq!(code, Some(0), "{flags:?}: {document}");
            let found = document["stats"]["states"].as_u64();
            let is_right = if flags[1] == "auto" { found <= Some(states) } else { found == Some(states) };
            assert!(is_right, "{flags:?}: {found:?} of {states} states");
        } else {
            assert_eq!(code, Some(1), "{flags:?}: {document}");
            let is_end = document["violation"]["kind"] == "end-state";
            assert!(if is_end { invalid_ends > 0 } else { faults > 0 }, "{flags:?}: {document}");
        }
    }
    Ok(())
}

fn compare_workers(file: &Annotated) -> Result<(), Failed> {
    let (_, one) = check(file, &["--workers", "1"])?;
    let (_, two) = check(file, &["--workers", "2"])?;
    assert_eq!(one["trace"], two["trace"]);
    assert_eq!(one["violation"], two["violation"]);
    Ok(())
}

fn audit_hashes(file: &Annotated) -> Result<(), Failed> {
    for reduce in ["none", "auto"] {
        let (code, full) = check(file, &["--reduce", reduce, "--workers", "1"])?;
        // Where the first state goes wrong, nothing is hashed.
        if !matches!(code, Some(0 | 1)) || full["stats"]["states"] == 0 {
            continue;
        }
        let (_, audited) = check(file, &["--reduce", reduce, "--workers", "1", "--audit-hash"])?;
        assert_eq!(full["stats"]["states"], audited["stats"]["states"], "--reduce {reduce}");
        let said = audited["assumptions"].to_string();
        assert!(said.contains("computed from scratch too, 0 of them differ"), "--reduce {reduce}: {said}");
    }
    Ok(())
}
