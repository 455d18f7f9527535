//! Emitted models: SPIN takes and compiles them, and agrees with us on the verdict and on the number of states when
//! nothing is reduced.

use std::path::{Path, PathBuf};
use std::process::Command;

/// A model to be made: folder below the repository, sources and flags.
struct Case {
    folder: &'static str,
    words: &'static [&'static str],
}

const CASES: &[Case] = &[
    Case { folder: "examples/tables/abp", words: &["abp.c"] },
    Case { folder: "examples/tables/abp", words: &["--no-simplify", "abp.c"] },
    Case { folder: "examples/tables/phone", words: &["phone.c"] },
    Case { folder: "examples/tables/phone", words: &["-D", "BUG_HANGUP", "phone.c"] },
    Case { folder: "examples/tables/checkpoint", words: &["-D", "BUG_LEAVE", "manager.c", "worker.c", "main.c"] },
    Case { folder: "examples/tables/checkpoint", words: &["-D", "BUG_LOST", "manager.c", "worker.c", "main.c"] },
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn run(program: &str, words: &[&str], folder: &Path) -> (bool, String) {
    let output = Command::new(program).args(words).current_dir(folder).output();
    let output = output.unwrap_or_else(|error| panic!("{program} should be installed: {error}"));
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    (output.status.success(), text)
}

/// What comes before a word in the line that holds it.
fn number_before(text: &str, word: &str) -> u64 {
    let line = text.lines().find(|line| line.contains(word)).unwrap_or_else(|| panic!("{word} in {text}"));
    line.split_whitespace()
        .next()
        .and_then(|number| number.parse().ok())
        .expect("a line of pan should begin with a number")
}

/// The verdict of SPIN's verifier, and its number of states; large state spaces are worth a better compiler.
fn spin(folder: &Path, is_large: bool) -> (bool, u64) {
    let (is_taken, text) = run("spin", &["-a", "-o1", "-o2", "-o3", "model.pml"], folder);
    assert!(is_taken, "{text}");
    let mut words = vec!["-w", "-DSAFETY", "-DNOREDUCE", "-DNOCLAIM", "-o", "pan", "pan.c"];
    let mut limits = vec!["-m1000000", "-c1"];
    if is_large {
        words.extend(["-O2", "-DCOLLAPSE"]);
        limits.push("-w24");
    }
    let (is_compiled, text) = run("cc", &words, folder);
    assert!(is_compiled, "{text}");
    let (_, text) = run(folder.join("pan").to_str().expect("paths should be text"), &limits, folder);
    assert!(!text.contains("too small") && !text.contains("max search depth"), "{text}");
    let errors =
        text.split("errors: ").nth(1).and_then(|rest| rest.split_whitespace().next()).expect("a number of errors");
    (errors == "0", number_before(&text, "states, stored"))
}

/// Our verdict and number of states.
fn unpick(folder: &Path, is_large: bool) -> (bool, u64) {
    let store = if is_large { "tree" } else { "exact" };
    let words =
        ["check", "--reduce", "none", "--store", store, "--property", "assertion,end-state", "--json", "model.pml"];
    let output = Command::new(env!("CARGO_BIN_EXE_unpick")).args(words).current_dir(folder).output();
    let output = output.expect("unpick should run");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let value: serde_json::Value = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
    let n_states = value["stats"]["states"].as_u64().expect("a number of states");
    (value["verdict"] == "verified", n_states)
}

/// Extracts a model and lets both look at it; how many states it has, if both find nothing.
fn agree(folder: &Path, words: &[&str], is_large: bool) -> Option<u64> {
    let scratch = tempfile::tempdir().expect("a scratch folder should be possible");
    let model = scratch.path().join("model.pml");
    let mut command = Command::new(env!("CARGO_BIN_EXE_unpick"));
    command.args(["extract", "--to", "promela", "-o"]).arg(&model).args(words).current_dir(folder);
    let output = command.output().expect("unpick should run");
    assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
    let (theirs, ours) = (spin(scratch.path(), is_large), unpick(scratch.path(), is_large));
    assert_eq!(theirs.0, ours.0, "verdicts on {words:?}");
    // Searches that end early end in different states.
    if theirs.0 {
        assert_eq!(theirs.1, ours.1, "states of {words:?}");
    }
    theirs.0.then_some(theirs.1)
}

#[test]
fn spin_and_we_agree_on_the_examples() {
    for Case { folder, words } in CASES {
        agree(&root().join(folder), words, false);
    }
}

#[test]
fn spin_and_we_agree_on_the_states_of_the_checkpoint_manager() {
    let folder = root().join("examples/tables/checkpoint");
    let n_states = agree(&folder, &["manager.c", "worker.c", "main.c"], true);
    // Small enough for a test, too large for a mistake in it to stay unseen.
    assert!(n_states.is_some_and(|n_states| n_states > 1_000_000), "{n_states:?}");
}

#[test]
fn quicksort_sorts_for_both() {
    let n_states = agree(&root().join("examples/tables/quicksort"), &["quicksort.c"], false);
    assert!(n_states.is_some_and(|n_states| n_states > 10_000), "{n_states:?}");
}

/// Programs of several threads, extracted without a single row.
const THREADS: &[&str] = &[
    "bounded_buffer.c",
    "cond.c",
    "cond_lost_signal.c",
    "cond_signal_one.c",
    "counter_of_two_locks_fixed.c",
    "endless_thread.c",
    "init_while_locked.c",
    "join_orders.c",
];

#[test]
fn row_11_programs_of_several_threads_need_no_rows() {
    let folder = root().join("tests/c/threads");
    for program in THREADS {
        agree(&folder, &[program], false);
    }
}
