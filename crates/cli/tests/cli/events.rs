//! What is said while a search runs, and why one did not come to its end.

use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::Value;

fn unpick(name: &str, source: &str, words: &[&str]) -> Output {
    let folder: PathBuf = std::env::temp_dir().join(format!("unpick-events-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary folder should be writable");
    let file = folder.join(name);
    std::fs::write(&file, source).expect("a temporary file should be writable");
    Command::new(env!("CARGO_BIN_EXE_unpick"))
        .arg("check")
        .args(words)
        .arg(&file)
        .env("NO_COLOR", "1")
        .output()
        .expect("unpick should start")
}

fn events(output: &Output) -> Vec<Value> {
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines().map(|line| serde_json::from_str(line).expect("each line should be one JSON object")).collect()
}

const TWO: &str = "#include <assert.h>\n\
    extern int __VERIFIER_nondet_int(void);\n\
    int main(void)\n{\n\
        int x = __VERIFIER_nondet_int();\n\
        if (x == 1)\n\
            assert(x == 2);\n\
        if (x == 3)\n\
            assert(x == 4);\n\
        return 0;\n}\n";

#[test]
fn a_run_is_a_stream_of_events() {
    let output = unpick("two.c", TWO, &["--json-events", "--all"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let events = events(&output);
    let names: Vec<&str> = events.iter().filter_map(|event| event["event"].as_str()).collect();
    assert_eq!(names, ["start", "finding", "finding", "verdict", "end"], "{events:?}");
    let mut lines: Vec<u64> = events[1..3].iter().filter_map(|event| event["violation"]["line"].as_u64()).collect();
    lines.sort_unstable();
    assert_eq!(lines, [7, 9]);
    assert_eq!(events[3]["verdict"], "violated");
    assert_eq!((&events[4]["exit_code"], &events[4]["error"]), (&Value::from(1), &Value::Null));
}

#[test]
fn a_proof_has_no_findings() {
    let source = "int main(void) { return 0; }\n";
    let output = unpick("proof.c", source, &["--json-events"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let names: Vec<String> = events(&output).iter().map(|event| event["event"].to_string()).collect();
    assert_eq!(names, ["\"start\"", "\"verdict\"", "\"end\""]);
}

#[test]
fn wrong_input_ends_the_stream() {
    let output = unpick("wrong.c", "int main(void) { return }\n", &["--json-events"]);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    let events = events(&output);
    assert_eq!(events[0]["event"], "start");
    assert!(events.iter().any(|event| event["event"] == "end" && event["exit_code"] == 2), "{events:?}");
}

#[test]
fn findings_are_told_when_they_are_found() {
    let output = unpick("all.c", TWO, &["--all"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(said.lines().filter(|line| line.starts_with("found: assertion at ")).count(), 2, "{said}");
    // Without --all the report says it at once, and no stream was asked for.
    for words in [&["--quiet", "--all"][..], &[]] {
        let output = unpick("all.c", TWO, words);
        assert!(!String::from_utf8_lossy(&output.stderr).contains("found:"), "{output:?}");
    }
}

const GROWING: &str = "extern unsigned __VERIFIER_nondet_uint(void);\n\
    int main(void)\n{\n\
        unsigned long sum = 0;\n\
        for (;;) {\n\
            unsigned x = __VERIFIER_nondet_uint();\n\
            sum = sum * 31 + (x > 5);\n\
        }\n\
    }\n";

#[test]
fn a_search_that_does_not_end_says_where_it_grows() {
    let output = unpick("growing.c", GROWING, &["--time", "1s", "--quiet"]);
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("in the loop at ") && text.contains("growing.c:5"), "{text}");
    assert!(text.contains("executions part most at: __VERIFIER_nondet_uint() at "), "{text}");
    // Near miss: a search that ends has nothing to explain.
    let source = GROWING.replace("for (;;)", "for (int i = 0; i < 3; i++)");
    let output = unpick("ending.c", &source, &["--time", "60s", "--quiet"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(!text.contains("executions part"), "{text}");
}
