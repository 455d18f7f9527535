//! No verdict through a table contradicts the program: every C program under `tests/c` that says what it is worth is also
//! checked as a model that is extracted without a table.
//!
//! A model may know less, so `unknown` is always right. `verified` is wrong where the program has a violation that models
//! look for, `violated` where it has none.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Violations that models look for; they assume the others away.
const LOOKED_FOR: [&str; 3] = ["assertion", "deadlock", "reach-error"];

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("tests/c should be readable").flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "c") {
            files.push(path);
        }
    }
}

/// The flags of the first run that the verdict of the file is about, and the verdict.
fn expected(text: &str) -> Option<(Vec<String>, String, Vec<String>)> {
    let directive = |key: &'static str| {
        text.lines().filter_map(move |line| line.strip_prefix("// ")?.strip_prefix(key)?.strip_prefix(": "))
    };
    let run = directive("run").find(|run| run.starts_with("check") && !run.contains("=>"))?;
    let verdict = directive("verdict").next()?.trim().to_owned();
    let flags = run.split_whitespace().skip(1).filter(|flag| *flag != "--json");
    let flags: Vec<String> = flags.map(str::to_owned).collect();
    let files = directive("files").flat_map(str::split_whitespace).map(str::to_owned).collect();
    // What a formula says is another question, and time is given below. Words in quotes are not taken apart here.
    let is_other = run.contains('\'')
        || flags
            .iter()
            .any(|flag| ["--ltl", "--invariant", "--tabled", "--property", "--time"].contains(&flag.as_str()));
    (!is_other).then_some((flags, verdict, files))
}

/// The assumption of a verified model about deadlocks of some threads.
const PARTIAL: &str = "threads that wait for each other while others run on";

/// The verdict through a model; none if the flags are not for models.
fn tabled(file: &Path, flags: &[String], more: &[String]) -> Option<String> {
    let name = file.file_name().expect("a program should have a name");
    let folder = file.parent().expect("a program should lie in a folder");
    let mut command = Command::new(env!("CARGO_BIN_EXE_unpick"));
    command.args(["check", "--tabled", "--time", "5s"]).args(flags).arg(name).args(more).current_dir(folder);
    let output = command.output().expect("unpick should run");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let verdict = text.lines().rev().find_map(|line| line.strip_prefix("verdict: ")).map(str::to_owned);
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    let is_refused = errors.contains("is for programs") || errors.contains("extracted models know nothing of");
    if verdict.is_none() && !is_refused {
        // Sources that are wrong have no model either.
        let is_wrong_source = errors.contains("the source has");
        return (!is_wrong_source).then(|| format!("no verdict: {errors}"));
    }
    // Models do not look for deadlocks of some threads, and say so.
    let is_partial = name.to_string_lossy().starts_with("partial_deadlock") && text.contains(PARTIAL);
    verdict.filter(|verdict| !(is_partial && verdict == "verified"))
}

#[test]
fn no_model_contradicts_its_program() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/c");
    let mut files = Vec::new();
    collect(&root, &mut files);
    files.sort();
    let next = std::sync::atomic::AtomicUsize::new(0);
    let wrong = std::sync::Mutex::new(Vec::new());
    let n_compared = std::sync::atomic::AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(file) = files.get(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed)) {
                    let text = std::fs::read_to_string(file).unwrap_or_default();
                    let Some((flags, verdict, more)) = expected(&text) else { continue };
                    let Some(found) = tabled(file, &flags, &more) else { continue };
                    n_compared.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                    let is_looked_for = LOOKED_FOR.iter().any(|kind| verdict == format!("violated {kind}"));
                    let is_wrong = found.starts_with("no verdict")
                        || found == "verified" && is_looked_for
                        || found.starts_with("violated") && verdict == "verified";
                    if is_wrong {
                        let line = format!("{}: {verdict}, but the model says {found}", file.display());
                        wrong.lock().expect("no thread should fail").push(line);
                    }
                }
            });
        }
    });
    let wrong = wrong.into_inner().expect("no thread should fail");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(n_compared.into_inner() > 200, "there should be programs to compare");
}
