//! Models with data as Promela and as embedded C: for every program with `models:`, SPIN comes to the verdict that
//! the program's own comment names, and so do we on the same model, with the same number of states; the comment `verdict:`
//! is what `check` says of the program itself.

use std::path::Path;

use libtest_mimic::{Failed, Trial};

use crate::annotated::Annotated;
use crate::binary::{json, lossy, run, shown, unpick};

pub fn trials(files: &'static [Annotated]) -> Vec<Trial> {
    let mut trials = Vec::new();
    for file in files {
        for (data, verdict) in models(file) {
            trials.push(Trial::test(format!("data/{data}/{}", file.name), move || check(file, data, verdict)));
        }
    }
    trials
}

/// The directive `models: promela VERDICT, c VERDICT`.
fn models(file: &Annotated) -> impl Iterator<Item = (&str, &str)> {
    file.value("models").unwrap_or_default().split(", ").filter_map(|pair| pair.split_once(' '))
}

fn check(file: &Annotated, data: &str, verdict: &str) -> Result<(), Failed> {
    let scratch = tempfile::tempdir()?;
    let (folder, name) = (scratch.path(), file.path.to_string_lossy());
    let extract = ["extract", "--to", "promela", "--data", data, &name];
    let output = unpick(folder, &extract)?;
    if !output.status.success() {
        return Err(shown(&output).into());
    }
    let again = unpick(folder, &extract)?;
    if again.stdout != output.stdout {
        return Err("the model is another one the second time".into());
    }
    let model = lossy(&output.stdout);
    std::fs::write(folder.join("model.pml"), &model)?;
    let (theirs, n_states) = spin(folder).map_err(|why| format!("{why}\n{model}"))?;
    if theirs != verdict {
        return Err(format!("SPIN says {theirs} instead of {verdict}\n{model}").into());
    }
    let words = ["check", "--reduce", "none", "--property", "assertion,end-state", "--json", "model.pml"];
    let (_, answer) = json(folder, &words)?;
    let (ours, n_ours) = (answer["verdict"].as_str().unwrap_or_default(), answer["stats"]["states"].as_u64());
    if ours != verdict || verdict == "verified" && n_ours != Some(n_states) {
        let why = format!("{ours} with {n_ours:?} states instead of {verdict} with {n_states}\n{answer:#}\n{model}");
        return Err(why.into());
    }
    Ok(())
}

/// The verdict of SPIN's verifier and its number of states.
fn spin(folder: &Path) -> Result<(&'static str, u64), String> {
    let (is_taken, text) = run("spin", &["-a", "-o1", "-o2", "-o3", "model.pml"], folder)?;
    if !is_taken {
        return Err(text);
    }
    let words = ["-w", "-DSAFETY", "-DNOREDUCE", "-DVECTORSZ=16384", "-o", "pan", "pan.c"];
    let (is_compiled, text) = run("cc", &words, folder)?;
    if !is_compiled {
        return Err(text);
    }
    let (_, text) = run(folder.join("pan").to_str().unwrap_or_default(), &["-m100000"], folder)?;
    let after = |word: &str| text.split(word).nth(1).and_then(|rest| rest.split_whitespace().next());
    let n_errors: u64 = after("errors: ").and_then(|word| word.parse().ok()).ok_or(text.clone())?;
    let line = text.lines().find(|line| line.contains("states, stored")).ok_or(text.clone())?;
    let n_states = line.split_whitespace().next().and_then(|word| word.parse().ok()).ok_or(text.clone())?;
    Ok((if n_errors == 0 { "verified" } else { "violated" }, n_states))
}
