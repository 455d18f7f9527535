//! The commands as users meet them: help, configuration, JSON, saved traces, generated files.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const FAILING: &str = "#include <stdlib.h>\nint main(void)\n{\n    int *p = malloc(sizeof *p);\n    *p = 1;\n    \
                       free(p);\n    return *p;\n}\n";

fn unpick(folder: &Path, words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_unpick"))
        .current_dir(folder)
        .args(words)
        .env("NO_COLOR", "1")
        .env("XDG_CONFIG_HOME", folder.join("user"))
        .output()
        .expect("unpick should start")
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("output should be UTF-8")
}

fn folder(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("commands-{name}"));
    let _ = std::fs::remove_dir_all(&folder);
    for (file, text) in files {
        let path = folder.join(file);
        std::fs::create_dir_all(path.parent().expect("a file should lie in a folder")).expect("writable");
        std::fs::write(path, text).expect("the target folder should be writable");
    }
    folder
}

#[test]
fn every_verb_has_help_with_an_example() {
    let here = Path::new(".");
    for verb in ["check", "simulate", "extract", "show", "replay", "dap", "lsp", "library", "completions", "man"] {
        let help = unpick(here, &[verb, "--help"]);
        assert_eq!(help.status.code(), Some(0), "{verb}");
        assert!(stdout(&help).contains("Example"), "{verb}:\n{}", stdout(&help));
    }
    assert_eq!(unpick(here, &["--version"]).status.code(), Some(0));
    assert_eq!(unpick(here, &[]).status.code(), Some(2));
}

#[test]
fn the_last_line_is_the_verdict_and_the_failing_line_is_shown() {
    let folder = folder("text", &[("a.c", FAILING)]);
    let output = unpick(&folder, &["check", "a.c"]);
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(text.lines().last(), Some("verdict: violated (use-after-free at a.c:7)"), "{text}");
    assert!(text.contains("a.c:7:") && text.contains("return *p;") && text.contains("^"), "{text}");
    assert!(text.contains("*p") && text.contains("a.c:6"), "{text}");
    let none = stdout(&unpick(&folder, &["check", "--trace", "none", "a.c"]));
    let full = stdout(&unpick(&folder, &["check", "--trace", "full", "a.c"]));
    assert!(none.len() < full.len() && !none.contains("a.c:5"), "{none}");
}

#[test]
fn the_json_document_has_every_field_of_its_schema() {
    let folder = folder("json", &[("a.c", FAILING), ("b.c", "int main(void) { return 0; }\n")]);
    for (file, verdict) in [("a.c", "violated"), ("b.c", "verified")] {
        let output = unpick(&folder, &["check", "--json", file]);
        let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("stdout should be one document");
        assert_eq!((json["schema"].as_u64(), json["verdict"].as_str()), (Some(1), Some(verdict)));
        for field in ["reason", "violation", "assumptions", "stats", "trace"] {
            assert!(json.get(field).is_some(), "{field}");
        }
        for field in ["states", "transitions", "depth", "seconds", "peak_bytes", "engine"] {
            assert!(json["stats"].get(field).is_some(), "{field}");
        }
        if verdict == "violated" {
            for field in ["kind", "file", "line", "column", "function", "thread", "message"] {
                assert!(json["violation"].get(field).is_some(), "{field}");
            }
            let step = &json["trace"]["steps"][0];
            for field in ["thread", "file", "line", "function", "text", "changes"] {
                assert!(step.get(field).is_some(), "{field}");
            }
        }
    }
}

#[test]
fn a_saved_trace_can_be_shown_without_its_source() {
    let folder = folder("saved", &[("a.c", FAILING)]);
    assert_eq!(unpick(&folder, &["check", "--save-trace", "t.json", "a.c"]).status.code(), Some(1));
    std::fs::remove_file(folder.join("a.c")).unwrap();
    let shown = unpick(&folder, &["show", "t.json"]);
    assert_eq!(shown.status.code(), Some(0));
    assert!(stdout(&shown).contains("return *p;"), "{}", stdout(&shown));
    std::fs::write(folder.join("t.json"), "{\"format\": \"unpick-trace\", \"schema\": 999}").unwrap();
    assert_eq!(unpick(&folder, &["show", "t.json"]).status.code(), Some(2));
}

#[test]
fn a_saved_trace_is_executed_again() {
    let racing = "#include <pthread.h>\n#include <assert.h>\nint n;\nextern int any(void);\nvoid *up(void *u)\n{\n    n = n + 1;\n    \
                  return u;\n}\nint main(void)\n{\n    pthread_t a;\n    int x = any();\n    pthread_create(&a, 0, up, 0);\n    n = n + \
                  1;\n    pthread_join(a, 0);\n    assert(n == 2 || x != 7);\n    return 0;\n}\n";
    let endless =
        "int main(void)\n{\n    unsigned char n = 250;\n    while (n != 3)\n        n = n + 2;\n    return 0;\n}\n";
    let folder = folder("again", &[("r.c", racing), ("e.c", endless), ("a.c", FAILING)]);
    let runs: [&[&str]; 4] = [
        &["--property", "assertion", "r.c"],
        &["--property", "termination", "e.c"],
        &["a.c"],
        &["--invariant", "n < 2", "--property", "leak", "r.c"],
    ];
    for words in runs {
        let saved = unpick(&folder, &[&["check", "--save-trace", "t.json"], words].concat());
        assert_eq!(saved.status.code(), Some(1), "{words:?}");
        let again = unpick(&folder, &["show", "--verify", "t.json"]);
        assert_eq!(
            again.status.code(),
            Some(0),
            "{words:?}: {}{}",
            stdout(&again),
            String::from_utf8_lossy(&again.stderr)
        );
        assert!(stdout(&again).starts_with("the trace replays: "), "{}", stdout(&again));
    }
    unpick(&folder, &["check", "--property", "assertion", "--save-trace", "t.json", "r.c"]);
    // Another value is written: the step that differs is told with both.
    std::fs::write(folder.join("r.c"), racing.replace("    n = n + 1;\n    return", "    n = n + 5;\n    return"))
        .unwrap();
    let changed = unpick(&folder, &["show", "--verify", "t.json"]);
    let text = stdout(&changed);
    assert_eq!(changed.status.code(), Some(3), "{text}");
    assert!(text.contains("differs\n") && text.contains("n: 0 -> 1") && text.contains("n: 0 -> 5"), "{text}");
    assert!(text.contains("the program has changed since the trace was saved"), "{text}");
    // What comes after the violation may change.
    std::fs::write(folder.join("r.c"), racing.replace("    return 0;", "    return 1;")).unwrap();
    let text = stdout(&unpick(&folder, &["show", "--verify", "t.json"]));
    assert!(text.contains("the trace replays, although the program has changed elsewhere"), "{text}");
    std::fs::remove_file(folder.join("r.c")).unwrap();
    assert_eq!(unpick(&folder, &["show", "--verify", "t.json"]).status.code(), Some(2));
}

#[test]
fn files_that_are_no_traces_are_refused_with_a_reason() {
    let folder =
        folder("refused", &[("a.c", FAILING), ("empty.json", ""), ("b.json", "[1, 2]"), ("c.json", "{\"a\": 1}")]);
    unpick(&folder, &["check", "--save-trace", "t.json", "a.c"]);
    let text = std::fs::read_to_string(folder.join("t.json")).unwrap();
    let write = |file: &str, text: &str| std::fs::write(folder.join(file), text).unwrap();
    write("cut.json", &text[..text.len() / 2]);
    write("later.json", &text.replace("\"schema\": 1", "\"schema\": 9"));
    write("decision.json", &text.replacen("\"decisions\": [", "\"decisions\": [\"jump:1\", ", 1).replace(", ]", "]"));
    write("loop.json", &text.replacen("\"loop_start\": null", "\"loop_start\": 99999", 1));
    std::fs::write(folder.join("bytes.json"), [0x7f, 0x45, 0x4c, 0x46, 0xff, 0x00]).unwrap();
    let cases = [
        ("empty.json", "ends too early"),
        ("cut.json", "ends too early, in line"),
        ("b.json", "this is not a saved trace"),
        ("c.json", "not a saved trace of unpick"),
        ("a.c", "this is not a saved trace"),
        ("later.json", "has version 9; this unpick reads version 1"),
        ("decision.json", "unknown decision `jump:1`"),
        ("loop.json", "repeats from step 99999"),
        ("bytes.json", "cannot read bytes.json"),
        ("none.json", "cannot read none.json"),
    ];
    for (file, reason) in cases {
        let output = unpick(&folder, &["show", file]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{file}: {said}");
        assert!(said.contains(reason), "{file}: {said}");
    }
}

#[test]
fn a_malicious_source_shows_harmlessly() {
    let nasty = "\u{1b}[31m\u{1b}]0;title\u{7}\u{202e}\u{200b}\u{6f22}\u{5b57}<script>".repeat(20);
    let source = format!(
        "#include <pthread.h>\nint n;\nvoid *up(void *u) {{ n += 1; /* {nasty} */ return u; }}\nint main(void) {{\n  \
         pthread_t a;\n  pthread_create(&a, 0, up, \"{nasty}\");\n  n += 2; /* {nasty} */\n  return 0;\n}}\n"
    );
    let name = "a\u{1b}[31m\u{202e}.c";
    let folder = folder("malicious", &[(name, &source)]);
    for width in ["60", "100", "160"] {
        let checked = unpick(&folder, &["check", "--width", width, "--save-trace", "t.json", name]);
        assert_eq!(checked.status.code(), Some(1));
        let shown = unpick(&folder, &["show", "--width", width, "t.json"]);
        for text in [stdout(&checked), stdout(&shown)] {
            let is_harmless = |c: char| c == '\n' || !c.is_control() && !['\u{202e}', '\u{200b}'].contains(&c);
            assert!(text.chars().all(is_harmless), "{text:?}");
            assert!(text.contains("| thread 1") && text.contains("race"), "{text}");
        }
    }
}

#[test]
fn flags_beat_the_projects_file_and_that_the_users() {
    let source = "int main(void) { return 0; }\nint other(void) { return 1 / ZERO; }\n";
    let files = [
        ("a.c", source),
        ("unpick.toml", "defines = [\"ZERO=0\"]\nentry = \"other\"\n"),
        ("user/unpick/config.toml", "entry = \"nowhere\"\ntime = \"7s\"\n"),
    ];
    let folder = folder("config", &files);
    assert_eq!(unpick(&folder, &["check", "a.c"]).status.code(), Some(1));
    assert_eq!(unpick(&folder, &["check", "--entry", "main", "a.c"]).status.code(), Some(0));
    let shown = stdout(&unpick(&folder, &["check", "--print-config", "--unwind", "3", "a.c"]));
    for line in ["entry = \"other\"  # unpick.toml", "unwind = 3  # command line", "depth = unlimited  # default"] {
        assert!(shown.contains(line), "{shown}");
    }
    assert!(shown.contains("time = \"7s\"  # ") && shown.contains("config.toml"), "{shown}");
}

#[test]
fn a_compilation_database_gives_flags_and_files() {
    let database = r#"[
        {"directory": "build", "file": "../a.c", "command": "cc -DVALUE=3 '-I../some include' -O2 -c ../a.c"},
        {"directory": "build", "file": "../b.c", "arguments": ["cc", "-DOTHER", "-c", "../b.c"]}
    ]"#;
    let files = [
        ("a.c", "#include \"h.h\"\nint b(void);\nint main(void) { return VALUE - H + b(); }\n"),
        ("b.c", "#ifndef OTHER\n#error no\n#endif\nint b(void) { return 0; }\n"),
        ("some include/h.h", "#define H 3\n"),
        ("build/keep", ""),
        ("db.json", database),
    ];
    let folder = folder("database", &files);
    let output = unpick(&folder, &["check", "--strict", "--compile-commands", "db.json"]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let output = unpick(&folder, &["simulate", "--compile-commands", "db.json", "a.c", "b.c"]);
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn compiler_spellings_of_flags_work() {
    let files = [("a.c", "int main(void) { return X - 4 + Y; }\n"), ("x.h", "#define X 4\n#define Y 1\n")];
    let folder = folder("spellings", &files);
    let words = ["simulate", "-std=gnu11", "-include", "x.h", "-UY", "-DY=0", "a.c"];
    assert!(unpick(&folder, &words).status.code().is_some_and(|code| code < 2));
    let words = ["simulate", "-std=gnu11", "-include", "x.h", "a.c"];
    assert_eq!(unpick(&folder, &words).status.code(), Some(1));
}

#[test]
fn the_same_seed_gives_the_same_execution() {
    let source = "#include <stdio.h>\nextern int __VERIFIER_nondet_int(void);\nint main(void)\n{\n    for (int i = 0; i < 5; \
                  i++)\n        printf(\"%d\\n\", __VERIFIER_nondet_int());\n}\n";
    let folder = folder("seed", &[("a.c", source)]);
    let run = |seed: &str| stdout(&unpick(&folder, &["simulate", "--seed", seed, "a.c"]));
    assert_eq!(run("3"), run("3"));
    assert_ne!(run("3"), run("4"));
}

#[test]
fn completions_and_manual_pages_are_generated() {
    let folder = folder("generated", &[("man/keep", "")]);
    for shell in ["bash", "zsh", "fish"] {
        assert!(stdout(&unpick(&folder, &["completions", shell])).contains("unwind"), "{shell}");
    }
    assert_eq!(unpick(&folder, &["man", "man"]).status.code(), Some(0));
    let page = std::fs::read_to_string(folder.join("man/unpick-check.1")).expect("the page should be written");
    assert!(page.contains("unwind"));
    assert_eq!(unpick(&folder, &["man", "nowhere"]).status.code(), Some(2));
}

#[test]
fn the_published_support_table_is_that_of_the_models() {
    let table = stdout(&unpick(Path::new("."), &["library"]));
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/library.md");
    let published = std::fs::read_to_string(path).expect("docs/library.md should exist");
    assert!(published.contains(table.trim_end()), "run `unpick library` and update docs/library.md");
}

#[test]
fn printed_c_behaves_like_the_original() {
    let folder = folder("printer", &[("a.c", FAILING)]);
    let printed = stdout(&unpick(&folder, &["extract", "--to", "c", "a.c"]));
    std::fs::write(folder.join("b.c"), printed).unwrap();
    let output = unpick(&folder, &["check", "b.c"]);
    assert!(stdout(&output).contains("violated (use-after-free"), "{}", stdout(&output));
}

#[test]
fn markup_and_control_characters_in_sources_are_harmless() {
    let source = "int main(void)\n{\n    int *p = 0; // \x1b[31m <script>\n    return *p; // \x07\x1b]0;title\x07\n}\n";
    let folder = folder("control", &[("a.c", source)]);
    let text = stdout(&unpick(&folder, &["check", "a.c"]));
    assert!(!text.contains('\x1b') && !text.contains('\x07'), "{text:?}");
}
