//! Embedded C in models: what is refused and where, and that everything that works for models works for these.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn unpick(folder: &Path, words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_unpick"));
    command.args(words).current_dir(folder).output().expect("unpick should start")
}

fn json(folder: &Path, words: &[&str]) -> (Option<i32>, serde_json::Value) {
    let output = unpick(folder, &[&["check", "--json", "--quiet"], words].concat());
    (output.status.code(), serde_json::from_slice(&output.stdout).unwrap_or_default())
}

fn with(text: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder should be made");
    std::fs::write(folder.path().join("model.pml"), text).expect("a model should be written");
    folder
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// What is wrong, where, and with which words.
#[test]
fn bad_code_is_refused_with_its_place() {
    let cases = [
        ("byte x;\nactive proctype P() {\n  c_code { now.x = ; }\n}", "model.pml:3:20", "expected"),
        ("active proctype P() { c_code { y = 1; } }", "model.pml:1:32", "`y` is not declared"),
        ("active proctype P() { c_code { f(1); } }", "model.pml:1:32", "`f` is not declared"),
        ("byte x; active proctype P() { c_code { now.nosuch = 1; } }", "model.pml:1:44", "nosuch"),
        (
            "active proctype P() { byte x; c_code { Pq->x = 1; } } proctype q() { byte x; skip }",
            "model.pml:1:40",
            "`Pq`",
        ),
        ("active proctype P() { c_code { if (1) { }", "model.pml:1:23", "closing `}`"),
        ("active proctype P() { c_code [1 { } }", "model.pml:1:23", "closing `]`"),
        ("active proctype P() { c_expr { 1 + } }", "model.pml:1:", "expected"),
        ("byte x; active proctype P() { c_code { now.x = 1 } }", "model.pml:1:", "expected"),
        ("int x; active proctype P() { c_expr { now.x = 1 } }", "model.pml:1:39", "must not change"),
        ("int x; active proctype P() { c_expr { now.x++ } }", "model.pml:1:39", "must not change"),
        ("c_decl {\n  struct S { int 3; };\n}\ninit { skip }", "model.pml:2:", "expected"),
        ("c_state \"int n\" \"Everywhere\"\ninit { skip }", "model.pml:1:17", "\"Global\""),
        ("c_state \"int n\" \"Local Q\"\ninit { skip }", "model.pml:1:17", "`Q`"),
        ("c_state \"strange n\" \"Global\"\ninit { skip }", "model.pml:1:10", "strange"),
        ("c_track \"&n\" \"sizeof(int)\"\ninit { skip }", "model.pml:1:11", "`n`"),
        ("c_decl { int n; }\nc_track \"&n\" \"4\" \"Sometimes\"\ninit { skip }", "model.pml:2:18", "\"Matched\""),
        ("c_decl {\n  \\#include \"nothere.h\"\n}\ninit { skip }", "model.pml:2", "nothere.h"),
        ("init { { byte y; y = 1 }; { byte y; c_code { Pinit->y = 1; } } }", "model.pml:1:53", "y"),
    ];
    for (text, place, words) in cases {
        let folder = with(text);
        let output = unpick(folder.path(), &["check", "model.pml"]);
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{text}: {message}");
        assert!(message.contains(place) && message.contains(words), "{text}: {message}");
    }
}

/// Two workers that pass C data to each other through the heap, and a few thousand states.
const QUEUE: &str = "c_decl {
  \\#include <stdlib.h>
  struct item { int value; struct item *next; } *first;
  int n;
}
c_code {
  void put(int value) {
    struct item *item = malloc(sizeof *item);
    item->value = value; item->next = first; first = item; n++;
  }
  int get(void) {
    struct item *item = first;
    int value = item->value;
    first = item->next; free(item); n--;
    return value;
  }
}
byte sum;
active [2] proctype Put() { byte i; do :: i < 3 && c_expr { n < 3 } -> c_code { put(PPut->i + PPut->_pid); }; i++ :: i == 3 -> break od }
active proctype Get() { byte v, k; do :: c_expr { first } -> c_code { PGet->v = get(); }; sum = sum + v; k++ :: k == 6 -> break od; assert(sum == 9) }
ltl bounded { [] (c_expr { n <= 4 }) }
";

#[test]
fn every_store_and_order_finds_as_many_states() {
    let folder = with(QUEUE);
    let base = ["--property", "assertion,end-state", "--reduce", "none", "model.pml"];
    let (code, exact) = json(folder.path(), &[&base[..], &["--workers", "1"]].concat());
    let states = exact["stats"]["states"].as_u64();
    assert!(code == Some(0) && states > Some(500), "{exact}");
    for flags in [&["--workers", "2"][..], &["--store", "tree"], &["--search", "depth"], &["--hash", "incremental"]] {
        let (code, found) = json(folder.path(), &[&base[..], flags].concat());
        assert_eq!((code, found["stats"]["states"].as_u64()), (Some(0), states), "{flags:?}: {found}");
    }
    let (code, reduced) = json(folder.path(), &["--property", "assertion,end-state", "model.pml"]);
    assert_eq!(code, Some(0), "{reduced}");
    assert!(reduced["stats"]["states"].as_u64() < states, "{reduced}");
}

#[test]
fn claims_see_the_data_of_c() {
    let folder = with(QUEUE);
    assert_eq!(json(folder.path(), &["model.pml"]).0, Some(0));
    let (code, found) = json(folder.path(), &["--ltl", "[] (c_expr { n < 3 })", "model.pml"]);
    assert_eq!((code, &found["violation"]["kind"]), (Some(1), &serde_json::json!("ltl")), "{found}");
    // The trace tells how the data of C change.
    let steps = found["trace"]["steps"].as_array().expect("there should be steps");
    let changes: Vec<&serde_json::Value> = steps.iter().flat_map(|step| step["changes"].as_array()).flatten().collect();
    let has = |name: &str, old: &str, new: &str| {
        changes.iter().any(|change| change["name"] == name && change["old"] == old && change["new"] == new)
    };
    assert!(has("n", "2", "3") && has("first", "NULL", "&heap#0"), "{changes:?}");
}

#[test]
fn a_violation_in_c_is_shown_saved_and_followed_again() {
    let folder = with(&QUEUE.replace("first = item->next; free(item);", "free(item); first = item->next;"));
    let words = ["check", "--html", "page.html", "--save-trace", "trace.json", "--workers", "2", "model.pml"];
    let output = unpick(folder.path(), &words);
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("verdict: violated (use-after-free at model.pml:14)"), "{text}");
    assert!(std::fs::read_to_string(folder.path().join("page.html")).is_ok_and(|page| page.contains("use-after-free")));
    let output = unpick(folder.path(), &["show", "--verify", "trace.json"]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.code() == Some(0) && text.contains("the trace replays"), "{text}");
}

#[test]
fn simulation_executes_c() {
    let folder = with(
        "c_decl { int n; }\nactive proctype P() { do :: c_expr { n < 3 } -> c_code { n++; printf(\"n %d\\n\", n); } :: else -> break od }",
    );
    let output = unpick(folder.path(), &["simulate", "model.pml"]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(text.contains("n 1") && text.contains("n 3") && !text.contains("n 4"), "{text}");
}

#[test]
fn a_search_with_c_is_not_kept_on_disk() {
    let folder = with(QUEUE);
    let (code, found) = json(folder.path(), &["--checkpoint", "kept", "model.pml"]);
    assert_eq!(code, Some(2), "{found}");
    assert!(found["error"]["message"].to_string().contains("embedded C"), "{found}");
}

#[test]
fn assertions_in_c_are_looked_for_with_the_others() {
    let folder = with("c_decl {\n \\#include <assert.h>\n}\nbyte x; active proctype P() { c_code { assert(now.x); } }");
    assert_eq!(json(folder.path(), &["model.pml"]).1["violation"]["kind"], "assertion");
    assert_ne!(json(folder.path(), &["--property", "end-state", "model.pml"]).0, Some(1));
}

#[test]
fn the_example_fails_with_its_bug() {
    let folder = root().join("examples/receiver");
    let (code, found) = json(&folder, &["receiver.pml"]);
    assert_eq!(code, Some(0), "{found}");
    let (code, found) = json(&folder, &["-D", "BUG", "receiver.pml"]);
    assert_eq!((code, &found["violation"]["kind"]), (Some(1), &serde_json::json!("out-of-bounds")), "{found}");
    assert_eq!(found["violation"]["file"], "receiver.c");
}
