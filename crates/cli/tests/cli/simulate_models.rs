//! `unpick simulate` on models: executions that were found before are followed, and charts are drawn.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const HANDSHAKE: &str = r#"chan ask = [0] of { byte };
chan answer = [1] of { byte };
active proctype client() { byte x; ask!1; answer?x; printf("got %d\n", x); assert(x != 2) }
active proctype server() { byte x; ask?x; if :: answer!x :: answer!x + 1 fi }
ltl small { [] (len(answer) == 0) }
"#;

fn unpick(folder: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_unpick"));
    command.args(args).current_dir(folder).output().expect("unpick should start")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn folder(model: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder should be made");
    let path = folder.path().to_path_buf();
    std::fs::write(path.join("m.pml"), model).expect("the model should be written");
    (folder, path)
}

#[test]
fn a_saved_trace_guides() {
    let (_keep, folder) = folder(HANDSHAKE);
    let saved = unpick(&folder, &["check", "--property", "assertion", "--save-trace", "t.json", "m.pml"]);
    assert_eq!(saved.status.code(), Some(1), "{}", text(&saved.stdout));
    let guided = unpick(&folder, &["simulate", "--guide", "t.json", "--verbose", "m.pml"]);
    assert_eq!(guided.status.code(), Some(1), "{}", text(&guided.stderr));
    let (out, err) = (text(&guided.stdout), text(&guided.stderr));
    assert!(out.contains("got 2") && out.contains("answer!x + 1"), "{out}");
    assert!(err.contains("`assert(x != 2)` does not hold"), "{err}");
}

#[test]
fn the_trace_of_a_claim_guides_with_the_macros_of_its_command() {
    let (_keep, folder) = folder(
        "byte x;\nactive proctype p() { do :: x = 1; printf(\"one\\n\"); x = LAST od }\nltl once { <> [] (x == 1) }\n",
    );
    let args = ["check", "--property", "once", "-DLAST=2", "--save-trace", "t.json", "m.pml"];
    let saved = unpick(&folder, &args);
    assert_eq!(saved.status.code(), Some(1), "{}{}", text(&saved.stdout), text(&saved.stderr));
    let guided = unpick(&folder, &["simulate", "--guide", "t.json", "--chart", "--verbose", "m.pml"]);
    let (out, err) = (text(&guided.stdout), text(&guided.stderr));
    assert_eq!(guided.status.code(), Some(0), "{out}{err}");
    assert!(err.contains("repeat for ever"), "{err}");
    assert!(out.contains("repeats for ever from here") && out.contains("\"one\""), "{out}");
}

#[test]
fn what_is_no_guide_is_refused() {
    let (_keep, folder) = folder(HANDSHAKE);
    unpick(&folder, &["check", "--property", "assertion", "--save-trace", "t.json", "m.pml"]);
    unpick(&folder, &["check", "--property", "small", "--save-trace", "c.json", "m.pml"]);
    std::fs::write(folder.join("other.pml"), "byte x;\nactive proctype p() { x = 1 }\nltl small { [] (x == 0) }\n")
        .expect("a model should be written");
    std::fs::write(folder.join("bad.json"), "{}").expect("a file should be written");
    for (guide, model, says) in [
        ("t.json", "other.pml", "step 1 of the guide is not possible"),
        ("c.json", "other.pml", "step 1 of the guide is not possible"),
        ("bad.json", "m.pml", "bad.json: "),
        ("missing.json", "m.pml", "missing.json"),
        ("missing.trail", "m.pml", "missing.trail"),
    ] {
        let refused = unpick(&folder, &["simulate", "--guide", guide, model]);
        let said = text(&refused.stderr);
        assert!(refused.status.code() == Some(2) && said.contains(says), "{guide} {model}: {said}");
    }
}

#[test]
fn a_trail_of_spin_guides() {
    let (_keep, folder) = folder(HANDSHAKE);
    let run = |program: &str, args: &[&str]| Command::new(program).args(args).current_dir(&folder).output();
    run("spin", &["-a", "m.pml"]).expect("spin should be installed (Debian: apt-get install spin)");
    let compiled = run("cc", &["-w", "-DNOCLAIM", "-o", "pan", "pan.c"]).expect("cc should start");
    assert!(compiled.status.success(), "{}", text(&compiled.stderr));
    run("./pan", &[]).expect("pan should start");
    let guided = unpick(&folder, &["simulate", "--guide", "m.pml.trail", "m.pml"]);
    let (out, err) = (text(&guided.stdout), text(&guided.stderr));
    assert_eq!(guided.status.code(), Some(1), "{out}{err}");
    assert!(out.contains("got 2") && err.contains("`assert(x != 2)` does not hold"), "{out}{err}");
}

#[test]
fn charts_show_messages_of_any_simulation() {
    let (_keep, folder) = folder(HANDSHAKE);
    for seed in ["0", "1", "2", "3"] {
        let args = ["simulate", "--seed", seed, "--chart", "--width", "80", "--dot", "c.svg", "m.pml"];
        let output = unpick(&folder, &args);
        let chart = text(&output.stdout);
        let lines: Vec<&str> = chart.lines().collect();
        assert!(lines[0].contains("client") && lines[0].contains("server"), "{chart}");
        assert!(lines.iter().any(|line| line.contains("|--") && line.contains(">ask?x")), "{chart}");
        assert!(lines.iter().any(|line| line.contains("answer?x<--")), "{chart}");
        assert!(chart.contains("\"got "), "{chart}");
        let svg = std::fs::read_to_string(folder.join("c.svg")).expect("the chart should be written");
        assert_eq!(svg.matches("class=\"message\"").count(), 2, "{svg}");
        let is_wrong = output.status.code() == Some(1);
        assert_eq!(svg.contains("class=\"box wrong\""), is_wrong, "seed {seed}");
    }
    let c = unpick(&folder, &["simulate", "--chart", "m.c"]);
    assert!(text(&c.stderr).contains("for models"), "{}", text(&c.stderr));
}
