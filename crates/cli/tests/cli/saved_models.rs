//! Executions of models that were saved: shown, and executed again.

use std::path::Path;
use std::process::{Command, Output};

fn unpick(folder: &Path, words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_unpick"))
        .current_dir(folder)
        .args(words)
        .env("NO_COLOR", "1")
        .env("XDG_CONFIG_HOME", "/nonexistent")
        .output()
        .expect("unpick should start")
}

#[test]
fn the_execution_of_a_model_is_saved_and_shown_as_well() {
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR")).join("saved-model.json").display().to_string();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/show");
    let checked = unpick(&folder, &["check", "--save-trace", &scratch, "end-state.pml"]);
    assert_eq!(checked.status.code(), Some(1));
    let shown = unpick(Path::new("/"), &["show", &scratch]);
    let text = String::from_utf8_lossy(&shown.stdout).into_owned();
    assert!(shown.status.success() && text.contains("to_left ? got") && text.contains("process 1"), "{text}");
    let verified = unpick(&folder, &["show", "--verify", &scratch]);
    let text = String::from_utf8_lossy(&verified.stdout).into_owned();
    assert!(verified.status.success() && text.starts_with("the trace replays: "), "{text}");
}

/// A model that counts to a limit and asserts that it stays below; a formula is violated if it never gets there.
fn counter(limit: u32) -> String {
    format!(
        "byte n;\nltl low {{ []<>(n == {limit}) }}\nactive proctype up() {{\n    do\n    :: n < 5 -> n++; assert(n < \
         {limit})\n    :: n == 5 -> n = 0\n    od\n}}\n"
    )
}

#[test]
fn executions_of_models_are_executed_again() {
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR")).join("models");
    std::fs::create_dir_all(&scratch).expect("the target folder should be writable");
    let write = |limit| std::fs::write(scratch.join("n.pml"), counter(limit)).expect("writable");
    let check = |words: &[&str], saved: &str| {
        let mut all = vec!["check", "--save-trace", saved];
        all.extend(words);
        all.push("n.pml");
        assert_eq!(unpick(&scratch, &all).status.code(), Some(1), "{words:?}");
    };
    let verify = |saved: &str| {
        let output = unpick(&scratch, &["show", "--verify", saved]);
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    write(3);
    check(&["--property", "assertion"], "assertion.json");
    let (code, text) = verify("assertion.json");
    assert!(code == Some(0) && text.starts_with("the trace replays: "), "{text}");
    // Now the counter may go further: the same moves end without a fault.
    write(4);
    let (code, text) = verify("assertion.json");
    assert!(code == Some(3) && text.contains("no step goes wrong"), "{text}");
    write(9);
    check(&["--property", "low"], "low.json");
    let (code, text) = verify("low.json");
    assert!(code == Some(0) && text.starts_with("the trace replays: "), "{text}");
    write(4);
    let (code, text) = verify("low.json");
    assert!(code == Some(3) && text.contains("the claim does not accept the execution"), "{text}");
    // Files that were edited by hand are refused, or do not replay.
    let text = std::fs::read_to_string(scratch.join("low.json")).expect("the trace should be there");
    std::fs::write(scratch.join("bad.json"), text.replace("\"moves\": [", "\"moves\": [\"zz\",")).expect("writable");
    write(9);
    assert_eq!(verify("bad.json").0, Some(2));
}

/// Earlier versions saved violations of claims as states.
#[test]
fn executions_of_models_saved_as_states_are_executed_again() {
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR")).join("states");
    std::fs::create_dir_all(&scratch).expect("the target folder should be writable");
    std::fs::write(scratch.join("n.pml"), counter(9)).expect("writable");
    let saved = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/traces/claim_with_states.json");
    let saved = saved.display().to_string();
    let verified = unpick(&scratch, &["show", "--verify", &saved]);
    let text = String::from_utf8_lossy(&verified.stdout);
    assert!(verified.status.code() == Some(0) && text.starts_with("the trace replays"), "{text}");
    std::fs::write(scratch.join("n.pml"), "byte m, n;\nltl low { []<>(n == 9) }\nactive proctype up() { n = 1 }\n")
        .expect("writable");
    let verified = unpick(&scratch, &["show", "--verify", &saved]);
    let text = String::from_utf8_lossy(&verified.stdout);
    assert!(verified.status.code() == Some(3) && text.contains("not those of the model any more"), "{text}");
}
