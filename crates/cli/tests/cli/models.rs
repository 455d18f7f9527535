//! Models of Promela on the command line: what is refused and where, stores, limits, checkpoints, simulation, claims.

use std::path::{Path, PathBuf};
use std::process::Command;

fn check(model: &Path, flags: &[&str]) -> (Option<i32>, serde_json::Value) {
    check_for("assertion,end-state", model, flags)
}

fn check_for(properties: &str, model: &Path, flags: &[&str]) -> (Option<i32>, serde_json::Value) {
    let output = Command::new(env!("CARGO_BIN_EXE_unpick"))
        .args(["check", "--json", "--quiet", "--property", properties])
        .args(flags)
        .arg(model)
        .output()
        .expect("unpick should start");
    let document = serde_json::from_slice(&output.stdout).unwrap_or_default();
    (output.status.code(), document)
}

/// Processes of one type that share nothing but a channel with each neighbour: one order of their steps is enough.
#[test]
fn processes_are_told_apart_by_their_parameters() {
    let folder = tempfile::tempdir().expect("a folder should be made");
    let model = folder.path().join("ring.pml");
    let text = "chan w[5] = [1] of { byte };
byte seen[5];
proctype Node(byte me; chan from, to) { byte x; to!me; from?x; seen[me] = x; to!x; from?x; seen[me] = seen[me] + x }
init {
    byte k;
    atomic { do :: k < 5 -> run Node(k, w[k], w[(k + 1) % 5]); k++ :: else -> break od }
    _nr_pr == 1 -> k = 0;
    do :: k < 5 -> assert(seen[k] < 9); k++ :: else -> break od
}
";
    std::fs::write(&model, text).expect("a model should be written");
    let (code, all) = check(&model, &["--reduce", "none"]);
    assert_eq!(code, Some(0), "{all}");
    let (code, reduced) = check(&model, &["--reduce", "auto"]);
    assert_eq!(code, Some(0), "{reduced}");
    let states = |document: &serde_json::Value| document["stats"]["states"].as_u64().expect("states should be counted");
    assert!(states(&reduced) * 20 < states(&all), "{} of {}", states(&reduced), states(&all));
}

/// Whatever is asked, as SPIN has it: the channel is known when the model runs, so it cannot be refused before.
#[test]
fn copies_of_what_nobody_keeps_go_wrong() {
    let folder = tempfile::tempdir().expect("a folder should be made");
    let model = folder.path().join("copies.pml");
    let text = "chan w[2] = [0] of { byte };
proctype Looks(chan from) { byte x; from?<x> }
init { run Looks(w[1]) }
";
    std::fs::write(&model, text).expect("a model should be written");
    for property in ["assertion,end-state", "acceptance", "non-progress"] {
        let (code, document) = check_for(property, &model, &[]);
        assert_eq!(code, Some(1), "{property}: {document}");
        assert_eq!(document["violation"]["line"], 2, "{property}: {document}");
        assert_eq!(document["violation"]["function"], "Looks", "{property}: {document}");
    }
}

const TALK: &str = "chan q = [1] of { byte };
active proctype A() { printf(\"a\\n\"); q!1; assert(false) }
active proctype B() { byte x; q?x; printf(\"b %d\\n\", x) }
";

fn simulate(flags: &[&str], input: &str) -> (Option<i32>, String) {
    use std::io::Write as _;
    let folder = tempfile::tempdir().expect("a folder should be made");
    let model = folder.path().join("talk.pml");
    std::fs::write(&model, TALK).expect("a model should be written");
    let mut child = Command::new(env!("CARGO_BIN_EXE_unpick"))
        .arg("simulate")
        .args(flags)
        .arg("talk.pml")
        .current_dir(folder.path())
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("unpick should start");
    child.stdin.take().expect("there should be an input").write_all(input.as_bytes()).expect("it should be read");
    let output = child.wait_with_output().expect("unpick should end");
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    (output.status.code(), text)
}

#[test]
fn a_simulation_prints_where_its_processes_stand() {
    let mut n_fails = 0;
    for seed in ["1", "2", "3", "4"] {
        let (code, text) = simulate(&["--seed", seed], "");
        assert_eq!((code, text.clone()), simulate(&["--seed", seed], ""));
        assert!(text.contains("      a\n"), "{text}");
        n_fails += usize::from(code == Some(1) && text.contains("error[assertion]"));
    }
    assert_eq!(n_fails, 4, "every execution comes to the assertion");
}

#[test]
fn steps_can_be_chosen() {
    let (code, text) = simulate(&["--interactive"], "9\n1\nv\n1\nq\n");
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("`9` is none of these"), "{text}");
    assert!(text.contains("q = []"), "{text}");
    let (code, text) = simulate(&["--steps", "2"], "");
    assert_eq!(code, Some(3), "{text}");
}

/// What is wrong with a model, where, and with which words.
#[test]
fn bad_models_are_refused_with_their_place() {
    let nested = format!("active proctype P() {{ {}1{} }}", "(".repeat(50_000), ")".repeat(50_000));
    let large = (0..6).map(|n| format!("int a{n}[60000]; ")).collect::<String>() + "init { a0[0] = 1 }";
    let cases = [
        ("active proctype P() { byte x = ; }", "bad.pml:1:"),
        ("active proctype P() { x = 1 }", "bad.pml:1:23"),
        ("byte x; active proctype P() { x!3 }", "bad.pml:1:31"),
        ("chan q = [1] of { byte }; active proctype P() { q!1,2,3 }", "bad.pml:1:49"),
        ("proctype Q(byte a) { skip } init { run Q(1, 2, 3) }", "bad.pml:1:36"),
        ("init { run Q(1) }", "bad.pml:1:8"),
        ("init { goto L }", "bad.pml:1:8"),
        ("mtype = { a, b }; mtype = { a }; init { skip }", "bad.pml:1:29"),
        ("ltl p { []<> (y == 1) } init { skip }", "bad.pml:1:15"),
        ("active [300] proctype P() { skip }", "bad.pml:1:"),
        ("int a[100000]; active proctype P() { a[0] = 1 }", "bad.pml:1:7"),
        ("proctype P() { skip }", "no process runs"),
        ("", "empty"),
        ("#include \"nothere.h\"\ninit { skip }", "bad.pml:1:10"),
        (nested.as_str(), "bad.pml:1:"),
        (large.as_str(), "bad.pml:1:"),
    ];
    let folder = tempfile::tempdir().expect("a folder should be made");
    for (text, place) in cases {
        std::fs::write(folder.path().join("bad.pml"), text).expect("a model should be written");
        let mut command = Command::new(env!("CARGO_BIN_EXE_unpick"));
        let output = command.args(["check", "bad.pml"]).current_dir(folder.path()).output().expect("it should start");
        let message = String::from_utf8_lossy(&output.stderr);
        let shown: String = text.chars().take(60).collect();
        assert_eq!(output.status.code(), Some(2), "{shown}: {message}");
        assert!(message.contains(place), "{shown}: {message}");
    }
}

#[test]
fn too_many_processes_are_found_and_told() {
    let folder = tempfile::tempdir().expect("a folder should be made");
    let model = "init { do :: run R() od } proctype R() { do :: skip od }";
    std::fs::write(folder.path().join("many.pml"), model).expect("a model should be written");
    for reduce in ["none", "auto"] {
        let (code, document) = check(&folder.path().join("many.pml"), &["--reduce", reduce]);
        assert_eq!(code, Some(1), "{document}");
        assert!(document["violation"]["message"].as_str().is_some_and(|text| text.contains("255 processes")));
    }
}

/// A model with some thousand states, written into a folder.
fn counters(folder: &Path) -> PathBuf {
    let path = folder.join("counters.pml");
    let model = "byte x[3]; active [3] proctype P() { byte i; do :: i < 4 -> x[_pid] = i; i++ :: else -> break od }";
    std::fs::write(&path, model).expect("a model should be written");
    path
}

#[test]
fn every_store_finds_as_many_states() {
    let folder = tempfile::tempdir().expect("a folder should be made");
    let model = counters(folder.path());
    let (_, exact) = check(&model, &["--reduce", "none", "--store", "exact"]);
    let states = exact["stats"]["states"].as_u64().expect("states should be counted");
    assert!(states > 1_000, "{exact}");
    for workers in ["1", "2"] {
        let (code, tree) = check(&model, &["--reduce", "none", "--workers", workers, "--store", "tree"]);
        assert_eq!((code, tree["stats"]["states"].as_u64()), (Some(0), Some(states)), "{tree}");
        for lossy in ["compact", "bitstate"] {
            let flags = ["--reduce", "none", "--workers", workers, "--memory", "100M", "--store", lossy];
            let (code, found) = check(&model, &flags);
            let n_found = found["stats"]["states"].as_u64().expect("states should be counted");
            assert_eq!(code, Some(3), "{found}");
            assert!(n_found <= states && n_found * 1000 >= states * 999, "{found}");
        }
    }
}

#[test]
fn hashes_made_from_changes_find_as_many_states() {
    let folder = tempfile::tempdir().expect("a folder should be made");
    let model = counters(folder.path());
    let (_, exact) = check(&model, &["--reduce", "none"]);
    for store in ["exact", "compact", "bitstate"] {
        let flags = ["--reduce", "none", "--memory", "100M", "--hash", "incremental", "--store", store];
        let (_, found) = check(&model, &flags);
        assert_eq!(found["stats"]["states"], exact["stats"]["states"], "{store}: {found}");
    }
}

#[test]
fn memory_that_is_short_is_told() {
    let folder = tempfile::tempdir().expect("a folder should be made");
    let path = folder.path().join("wide.pml");
    let model =
        "int x[8]; active [4] proctype P() { byte i; do :: i < 200 -> x[_pid] = x[_pid] + 3; i++ :: i > 0 -> i-- od }";
    std::fs::write(&path, model).expect("a model should be written");
    let (code, found) = check(&path, &["--reduce", "none", "--memory", "60M", "--time", "60s"]);
    assert_eq!(code, Some(3), "{found}");
    let said = found["assumptions"].to_string();
    assert!(said.contains("goes on with compressed states"), "{found}");
}

/// States of some 270 bytes, half a million of them; they differ in few.
fn wide(folder: &Path, name: &str, more: &str) -> PathBuf {
    let path = folder.join(name);
    let model = format!(
        "byte fill[240], x[4];
active [4] proctype P() {{
    byte i;
    do
    :: atomic {{ i < 24 -> x[_pid] = i; i++ }}
    :: else -> break
    od{more}
}}"
    );
    std::fs::write(&path, model).expect("a model should be written");
    path
}

#[test]
fn plain_states_become_compressed_ones_without_starting_again() {
    let folder = tempfile::tempdir().expect("a folder should be made");
    let model = wide(folder.path(), "wide.pml", "");
    for workers in ["1", "2"] {
        let flags = ["--reduce", "none", "--workers", workers];
        let (code, all) = check(&model, &[&flags[..], &["--memory", "2G"]].concat());
        assert_eq!(code, Some(0), "{all}");
        let (code, small) = check(&model, &[&flags[..], &["--memory", "130M"]].concat());
        assert_eq!(code, Some(0), "{small}");
        assert!(small["assumptions"].to_string().contains("goes on with compressed states"), "{small}");
        assert!(!small["assumptions"].to_string().contains("starts again"), "{small}");
        // Transitions are counted when a state is expanded: none was twice.
        for count in ["states", "transitions"] {
            assert_eq!(small["stats"][count], all["stats"][count], "{small}");
        }
    }
}

#[test]
fn what_is_found_behind_a_step_down_has_its_execution() {
    let folder = tempfile::tempdir().expect("a folder should be made");
    let model = wide(folder.path(), "wrong.pml", "; assert(x[0] + x[1] + x[2] + x[3] < 92)");
    let flags = ["--reduce", "none", "--workers", "1"];
    let (code, all) = check(&model, &[&flags[..], &["--memory", "2G"]].concat());
    assert_eq!(code, Some(1), "{all}");
    let (code, small) = check(&model, &[&flags[..], &["--memory", "130M"]].concat());
    assert_eq!(code, Some(1), "{small}");
    assert!(small["assumptions"].to_string().contains("goes on with compressed states"), "{small}");
    assert_eq!(small["trace"], all["trace"]);
    assert_eq!(small["violation"], all["violation"]);
}

#[test]
fn the_search_for_cycles_steps_down_too() {
    let folder = tempfile::tempdir().expect("a folder should be made");
    let verified = wide(folder.path(), "verified.pml", "");
    let violated = wide(
        folder.path(),
        "violated.pml",
        "; fill[0]++; (fill[0] == 4); accept: do :: true -> x[2] = (x[2] + 1) % 2 od",
    );
    for (model, code) in [(&verified, 0), (&violated, 1)] {
        let flags = ["--reduce", "none", "--workers", "1"];
        let (found, all) = check_for("acceptance", model, &[&flags[..], &["--memory", "2G"]].concat());
        assert_eq!(found, Some(code), "{all}");
        let (found, small) = check_for("acceptance", model, &[&flags[..], &["--memory", "130M"]].concat());
        assert_eq!(found, Some(code), "{small}");
        if code == 0 {
            assert!(small["assumptions"].to_string().contains("goes on with compressed states"), "{small}");
            for count in ["states", "transitions"] {
                assert_eq!(small["stats"][count], all["stats"][count], "{small}");
            }
        }
    }
}

#[test]
fn the_hash_is_chosen_by_the_length_of_states() {
    let folder = tempfile::tempdir().expect("a folder should be made");
    let (short, long) = (counters(folder.path()), wide(folder.path(), "wide.pml", ""));
    let used = |model: &Path, flags: &[&str]| {
        let limits = ["--depth", "9", "--memory", "200M"];
        check(model, &[&limits[..], flags].concat()).1["stats"]["hash"].clone()
    };
    for store in ["exact", "compact", "bitstate", "auto"] {
        assert_eq!(used(&short, &["--store", store]), "full");
        assert_eq!(used(&long, &["--store", store]), "incremental");
        assert_eq!(used(&long, &["--store", store, "--hash", "full"]), "full");
        assert_eq!(used(&short, &["--store", store, "--hash", "incremental"]), "incremental");
    }
    // Compressed states are found by their trees.
    assert_eq!(used(&long, &["--store", "tree"]), serde_json::Value::Null);
}

#[test]
fn a_search_can_be_kept_and_taken_up() {
    let folder = tempfile::tempdir().expect("a folder should be made");
    let model = counters(folder.path());
    let kept = folder.path().join("kept");
    let kept = kept.to_str().expect("a path should be text");
    let (_, whole) = check(&model, &["--reduce", "none"]);
    let states = whole["stats"]["states"].as_u64();
    // Kept after every chunk; what is on disk in the end is a search in its middle.
    let flags = ["--reduce", "none", "--checkpoint", kept, "--checkpoint-every", "0s"];
    // Workers that end before all of them have paused leave none, which is rare.
    for _ in 0..20 {
        assert_eq!(check(&model, &flags).1["stats"]["states"].as_u64(), states);
        if Path::new(kept).exists() {
            break;
        }
    }
    for workers in ["1", "2", "3"] {
        let copy = folder.path().join("copy");
        std::fs::copy(kept, &copy).expect("the search should be on disk");
        let copy = copy.to_str().expect("a path should be text");
        let (code, found) = check(&model, &["--reduce", "none", "--workers", workers, "--resume", copy]);
        assert_eq!((code, found["stats"]["states"].as_u64()), (Some(0), states), "{found}");
    }
    let (code, found) = check(&model, &["--reduce", "auto", "--resume", kept]);
    assert_eq!(code, Some(2), "{found}");
    assert!(found["error"]["message"].to_string().contains("another way of searching"), "{found}");
    std::fs::write(kept, "nonsense").expect("a file should be written");
    assert_eq!(check(&model, &["--reduce", "none", "--resume", kept]).0, Some(2));
}

#[test]
fn the_example_fails_without_its_bit() {
    let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/lossy_link.pml");
    assert_eq!(check(&model, &[]).0, Some(0));
    let (code, found) = check(&model, &["-DNO_BIT"]);
    assert_eq!((code, &found["violation"]["kind"]), (Some(1), &serde_json::json!("assertion")));
    // Messages show names, not numbers.
    assert!(found["trace"].to_string().contains("<data,0,0>"), "{found}");
}

#[test]
fn formulas_become_never_claims() {
    let run = |flags: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_unpick")).args(["extract", "--to", "never"]).args(flags).output();
        let output = output.expect("unpick should start");
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let (code, claim) = run(&["--ltl", "[]<> (x == 1)"]);
    assert_eq!(code, Some(0));
    assert!(claim.starts_with("never {    /* !([]<> (x == 1)) */"), "{claim}");
    // The claim says the same as the formula.
    let folder = tempfile::tempdir().expect("a folder should be made");
    for (body, is_violated) in [("do :: x = 1; x = 0 od", false), ("do :: x = 1 :: x = 0 od", true)] {
        let model = folder.path().join("model.pml");
        let text = format!("byte x; active proctype P() {{ {body} }}\n{claim}");
        std::fs::write(&model, text).expect("a model should be written");
        let output = Command::new(env!("CARGO_BIN_EXE_unpick")).arg("check").arg(&model).output();
        let code = output.expect("unpick should start").status.code();
        assert_eq!(code, Some(i32::from(is_violated)), "{body}");
    }
    assert_eq!(run(&["--ltl", "[]<> ("]).0, Some(2));
    assert_eq!(run(&[]).0, Some(2));
}

#[test]
fn flags_of_programs_are_refused() {
    let folder = tempfile::tempdir().expect("a folder should be made");
    let model = counters(folder.path());
    for flags in [&["--invariant", "x[0] < 2"][..], &["--all"], &["--preemptions", "1"], &["--isr", "f"]] {
        let (code, found) = check(&model, flags);
        assert_eq!(code, Some(2), "{flags:?}: {found}");
        assert!(found["error"]["message"].to_string().contains(flags[0]), "{found}");
    }
}

#[test]
fn statements_that_no_process_comes_to_are_listed() {
    let folder = tempfile::tempdir().expect("a folder should be made");
    let path = folder.path().join("unreached.pml");
    let model = "byte x;\nactive proctype P() {\n  if\n  :: x == 0 -> x = 1\n  :: x == 5 -> x = 2\n  fi;\n  \
                 d_step { x = 3; x = 4 }\n}\nproctype Q() {\n  x = 9\n}\n";
    std::fs::write(&path, model).expect("a model should be written");
    for reduce in ["none", "auto"] {
        let output = Command::new(env!("CARGO_BIN_EXE_unpick"))
            .args(["check", "--reduce", reduce, "unreached.pml"])
            .current_dir(folder.path())
            .output()
            .expect("unpick should start");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let wanted = "not reached:\n  unreached.pml:5: x = 2\n  unreached.pml:10: x = 9\n";
        assert!(text.contains(wanted), "{text}");
    }
}

#[test]
fn formulas_of_the_command_line_that_nothing_satisfies_are_violated() {
    let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/promela/claims/nothing_satisfies.pml");
    for formula in ["false", "[] false", "<> false", "[]<> false", "true U false"] {
        for flags in [&["--ltl", formula][..], &["--ltl", formula, "--fair"], &["--ltl", formula, "--reduce", "none"]] {
            let (code, document) = check(&model, flags);
            assert_eq!((code, &document["violation"]["kind"]), (Some(1), &"ltl".into()), "{flags:?}: {document}");
        }
    }
    assert_eq!(check(&model, &["--ltl", "true"]).0, Some(0));
}

#[test]
fn statements_of_inlines_are_told_as_the_body_has_them() {
    let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/promela/control/inline_text.pml");
    let (code, document) = check(&model, &[]);
    assert_eq!(code, Some(1), "{document}");
    let steps = document["trace"]["steps"].as_array().cloned().unwrap_or_default();
    let texts: Vec<&str> = steps.iter().filter_map(|step| step["text"].as_str()).collect();
    let expected =
        ["event = value", "printf(\"set %d\\n\", value)", "place == value", "place = 3", "assert(place != 3)"];
    assert_eq!(texts, expected);
    let lines: Vec<u64> = steps.iter().filter_map(|step| step["line"].as_u64()).collect();
    assert_eq!(lines, [4, 4, 5, 5, 5]);
    assert_eq!(steps[1]["output"], "set 0\n", "{document}");
}
