//! Every model passes the verifier of automata and is read back unchanged from its text form.

use std::path::{Path, PathBuf};
use std::process::Command;

use unpick_automaton::Model;
use unpick_automaton::text::{parse, print};
use unpick_automaton::verify::verify;
use unpick_front_promela::session::Session;

fn files(folders: &[&str], wanted: &str) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    let mut folders: Vec<PathBuf> = folders.iter().map(|folder| root.join(folder)).collect();
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder should be readable") {
            let path = entry.expect("a folder should be readable").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == wanted) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

fn compile(text: &str) -> Option<Model> {
    let mut session = Session::default();
    let index = session.sources.add("model.pml", text).expect("a model should fit");
    unpick_front_promela::compile(&mut session, index)
}

/// The text as the front end gets it.
fn preprocessed(path: &Path) -> String {
    let text = std::fs::read_to_string(path).expect("a model should be readable");
    if !text.lines().any(|line| line.trim_start().starts_with('#')) {
        return text;
    }
    let output = Command::new("cc").args(["-E", "-x", "c"]).arg(path).output().expect("there should be a compiler");
    String::from_utf8(output.stdout).expect("a model should be UTF-8")
}

fn check(model: &Model, path: &Path) {
    if let Err(faults) = verify(model) {
        let faults: Vec<String> = faults.iter().map(ToString::to_string).collect();
        panic!("{}:\n{}", path.display(), faults.join("\n"));
    }
    let text = print(model);
    match parse(&text) {
        Ok(again) => assert!(again == *model, "{}: read back differently:\n{text}", path.display()),
        Err(error) => panic!("{}: {error}\n{text}", path.display()),
    }
}

#[test]
fn models_keep_the_rules_and_are_read_back() {
    let mut n_models = 0;
    for path in files(&["tests/promela", "bench/promela", "examples"], "pml") {
        let Some(model) = compile(&preprocessed(&path)) else { continue };
        check(&model, &path);
        check(&model.beside_claim(), &path);
        n_models += 1;
    }
    assert!(n_models > 120, "only {n_models} models");
}
