//! Models extracted without a table from every program under `tests/c`: SPIN takes and compiles them, and agrees with us
//! on the verdict and on the number of states when nothing is reduced.

use std::path::Path;

use libtest_mimic::{Failed, Trial};

use crate::annotated::{Annotated, Language};
use crate::binary::{json, lossy, run, unpick};
use crate::on_all_cores;

/// Larger models are left to the examples.
const MAX_STATES: u64 = 20_000;

/// One test of all programs, because what counts is also how many can be compared.
pub fn trials(files: &'static [Annotated]) -> Vec<Trial> {
    vec![Trial::test("extracted", || spin_and_we_agree(files))]
}

fn spin_and_we_agree(files: &[Annotated]) -> Result<(), Failed> {
    let programs: Vec<&Annotated> =
        files.iter().filter(|file| file.is_below("c") && file.language == Language::C).collect();
    let results = on_all_cores(&programs, |file| compare(file).map_err(|why| format!("{}: {why}", file.name)));
    let n_compared = results.iter().filter(|result| matches!(result, Ok(true))).count();
    let wrong: Vec<String> = results.into_iter().filter_map(Result::err).collect();
    if !wrong.is_empty() {
        return Err(format!("{} of {}:\n{}", wrong.len(), programs.len(), wrong.join("\n")).into());
    }
    assert!(n_compared > 200, "only {n_compared} models were compared");
    Ok(())
}

/// Extracts the model of one program and lets both look at it; whether there was something to compare.
fn compare(file: &Annotated) -> Result<bool, String> {
    let scratch = tempfile::tempdir().expect("a scratch folder should be possible");
    let folder = scratch.path();
    let model = folder.join("model.pml").display().to_string();
    let output = unpick(file.folder(), &["extract", "--to", "promela", "-o", &model, file.file_name()])?;
    if !output.status.success() {
        let errors = lossy(&output.stderr);
        // Some programs are there for their mistakes.
        return if errors.contains("the source has") { Ok(false) } else { Err(errors) };
    }
    let words = ["check", "--reduce", "none", "--store", "exact", "--property", "assertion,end-state", "--time", "5s"];
    let (_, ours) = json(folder, &[&words[..], &["--json", "model.pml"]].concat())?;
    let n_states = ours["stats"]["states"].as_u64().ok_or("no number of states")?;
    if ours["verdict"] == "unknown" || n_states > MAX_STATES {
        let (is_taken, text) = run("spin", &["-a", "model.pml"], folder)?;
        return if is_taken { Ok(false) } else { Err(text) };
    }
    let Some((is_verified, n_theirs)) = spin(folder)? else { return Ok(false) };
    if is_verified != (ours["verdict"] == "verified") {
        let theirs = if is_verified { "nothing" } else { "an error" };
        return Err(format!("spin finds {theirs}, we say {}", ours["verdict"]));
    }
    // Searches that end early end in different states.
    if is_verified && n_theirs != n_states {
        return Err(format!("spin stores {n_theirs} states, we {n_states}"));
    }
    Ok(true)
}

/// What SPIN's verifier says, compiled by the fastest compiler there is; nothing if it gets no further than a crash.
fn spin(folder: &Path) -> Result<Option<(bool, u64)>, String> {
    let (is_taken, text) = run("spin", &["-a", "-o1", "-o2", "-o3", "model.pml"], folder)?;
    if !is_taken || text.contains("Error:") || !folder.join("pan.c").exists() {
        return Err(format!("spin -a: {text}"));
    }
    let flags = ["-w", "-DSAFETY", "-DNOREDUCE", "-DNOCLAIM", "-o", "pan", "pan.c"];
    let compiler = if run("tcc", &["-v"], folder).is_ok() { "tcc" } else { "cc" };
    let (is_compiled, text) = run(compiler, &flags, folder)?;
    if !is_compiled {
        return Err(text);
    }
    let pan = folder.join("pan").display().to_string();
    let (_, text) = run(&pan, &["-m100000", "-c1", "-w18"], folder)?;
    // A division by zero ends the verifier itself.
    let Some(errors) = text.split("errors: ").nth(1).and_then(|rest| rest.split_whitespace().next()) else {
        return Ok(None);
    };
    let line = text.lines().find(|line| line.contains("states, stored"));
    let n_states = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
    Ok(Some((errors == "0", n_states.ok_or(text.clone())?)))
}
