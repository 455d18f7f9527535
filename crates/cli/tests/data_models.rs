//! Models with data as Promela and as embedded C: for every program in `tests/c/data`, SPIN comes to the verdict that
//! the program's own comment names, and so do we on the same model, with the same number of states; the comment `verdict:`
//! is what `check` says of the program itself.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use libtest_mimic::{Arguments, Failed, Trial};

fn main() {
    let arguments = Arguments::from_args();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/c/data");
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).expect("tests/c/data should exist").flatten().map(|entry| entry.path()).collect();
    files.sort();
    let mut trials = Vec::new();
    for file in files.into_iter().filter(|file| file.extension().is_some_and(|extension| extension == "c")) {
        let text = std::fs::read_to_string(&file).unwrap_or_default();
        let name = file.file_stem().map_or(String::new(), |stem| stem.to_string_lossy().into_owned());
        for (data, verdict) in models(&text) {
            let file = file.clone();
            trials.push(Trial::test(format!("{name}/{data}"), move || check(&file, &data, &verdict)));
        }
    }
    libtest_mimic::run(&arguments, trials).exit();
}

/// The line `models: promela VERDICT, c VERDICT`.
fn models(text: &str) -> Vec<(String, String)> {
    let line = text.lines().find_map(|line| line.strip_prefix("// models: ")).unwrap_or_default();
    let pairs = line.split(", ").filter_map(|pair| pair.split_once(' '));
    pairs.map(|(data, verdict)| (data.to_owned(), verdict.to_owned())).collect()
}

fn run(program: &str, words: &[&str], folder: &Path) -> Output {
    let output = Command::new(program).args(words).current_dir(folder).output();
    output.unwrap_or_else(|error| panic!("{program} should be installed: {error}"))
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

fn check(file: &Path, data: &str, verdict: &str) -> Result<(), Failed> {
    let scratch = tempfile::tempdir()?;
    let (folder, name) = (scratch.path(), file.to_string_lossy());
    let unpick = env!("CARGO_BIN_EXE_unpick");
    let extract = ["extract", "--to", "promela", "--data", data, &name];
    let output = run(unpick, &extract, folder);
    if !output.status.success() {
        return Err(text(&output).into());
    }
    let again = run(unpick, &extract, folder);
    if again.stdout != output.stdout {
        return Err("the model is another one the second time".into());
    }
    let model = String::from_utf8_lossy(&output.stdout).into_owned();
    std::fs::write(folder.join("model.pml"), &model)?;
    let (theirs, n_states) = spin(folder).map_err(|why| format!("{why}\n{model}"))?;
    if theirs != verdict {
        return Err(format!("SPIN says {theirs} instead of {verdict}\n{model}").into());
    }
    let words = ["check", "--reduce", "none", "--property", "assertion,end-state", "--json", "model.pml"];
    let (ours, n_ours, shown) = answer(&run(unpick, &words, folder))?;
    if ours != verdict || verdict == "verified" && n_ours != n_states {
        return Err(
            format!("{ours} with {n_ours} states instead of {verdict} with {n_states}\n{shown}\n{model}").into()
        );
    }
    Ok(())
}

/// The verdict of SPIN's verifier and its number of states.
fn spin(folder: &Path) -> Result<(&'static str, u64), String> {
    let output = run("spin", &["-a", "-o1", "-o2", "-o3", "model.pml"], folder);
    if !output.status.success() {
        return Err(text(&output));
    }
    let words = ["-w", "-DSAFETY", "-DNOREDUCE", "-DVECTORSZ=16384", "-o", "pan", "pan.c"];
    let output = run("cc", &words, folder);
    if !output.status.success() {
        return Err(text(&output));
    }
    let output = run(folder.join("pan").to_str().unwrap_or_default(), &["-m100000"], folder);
    let text = text(&output);
    let after = |word: &str| text.split(word).nth(1).and_then(|rest| rest.split_whitespace().next());
    let n_errors: u64 = after("errors: ").and_then(|word| word.parse().ok()).ok_or(text.clone())?;
    let line = text.lines().find(|line| line.contains("states, stored")).ok_or(text.clone())?;
    let n_states = line.split_whitespace().next().and_then(|word| word.parse().ok()).ok_or(text.clone())?;
    Ok((if n_errors == 0 { "verified" } else { "violated" }, n_states))
}

/// Our verdict, our number of states, and the whole answer.
fn answer(output: &Output) -> Result<(String, u64, String), String> {
    let shown = text(output);
    let value: serde_json::Value =
        serde_json::from_slice(&output.stdout).map_err(|error| format!("{error}: {shown}"))?;
    let verdict = value["verdict"].as_str().unwrap_or_default().to_owned();
    Ok((verdict, value["stats"]["states"].as_u64().unwrap_or_default(), shown))
}
