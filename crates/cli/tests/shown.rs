//! One bug of each kind, as it is shown: in the terminal word for word, and as a page in a browser.
//!
//! `tests/show/KIND.c` names its command line in a comment; `tests/show/KIND.txt` is what the terminal shows
//! (`UNPICK_BLESS=1` rewrites it). The pages are driven by `tests/browser/pages.mjs` in Debian's chromium;
//! `UNPICK_PICTURES=FOLDER` keeps screenshots.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use unpick_ir::ViolationKind;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository should be there")
}

/// The programs, each with its command line.
fn programs() -> Vec<(PathBuf, Vec<String>)> {
    let folder = root().join("tests/show");
    let mut programs = Vec::new();
    for entry in std::fs::read_dir(&folder).expect("tests/show should exist").flatten() {
        let path = entry.path();
        if path.extension().is_some_and(|extension| extension == "c" || extension == "pml") {
            let text = std::fs::read_to_string(&path).expect("programs should be readable");
            let run =
                text.lines().find_map(|line| line.split_once("run: ")).expect("a program should say how it is run");
            let words = run.1.trim_end_matches("*/").split_whitespace().map(str::to_owned).collect();
            programs.push((path, words));
        }
    }
    programs.sort();
    programs
}

fn unpick(folder: &Path, words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_unpick"))
        .current_dir(folder)
        .args(words)
        .env("NO_COLOR", "1")
        .env("XDG_CONFIG_HOME", "/nonexistent")
        .output()
        .expect("unpick should start")
}

fn name(path: &Path) -> String {
    path.file_name().expect("a program should have a name").to_string_lossy().into_owned()
}

#[test]
fn every_kind_of_violation_looks_as_recorded() {
    let blesses = std::env::var_os("UNPICK_BLESS").is_some();
    let mut kinds = Vec::new();
    for (path, words) in programs() {
        let (folder, file) = (path.parent().expect("a program should lie in a folder"), name(&path));
        let mut words: Vec<&str> = words.iter().map(String::as_str).collect();
        words.extend(["--width", "100", &file]);
        let output = unpick(folder, &words);
        assert_eq!(output.status.code(), Some(1), "{file}: {}", String::from_utf8_lossy(&output.stderr));
        let text = String::from_utf8(output.stdout).expect("output should be UTF-8");
        // What the search costs is not what is tested here.
        let is_cost = |line: &&str| line.starts_with("statistics:") || line.starts_with("no violation within");
        let shown: String = text.lines().filter(|line| !is_cost(line)).map(|line| format!("{line}\n")).collect();
        let kind = path.with_extension("");
        assert!(shown.contains(&format!("error[{}]", name(&kind))), "{shown}");
        kinds.push(name(&kind));
        let expected = path.with_extension("txt");
        if blesses {
            std::fs::write(&expected, &shown).expect("tests/show should be writable");
        }
        let recorded = std::fs::read_to_string(&expected).unwrap_or_default();
        assert!(
            recorded == shown,
            "{file} looks otherwise; UNPICK_BLESS=1 records it\n--- recorded\n{recorded}\n--- now\n{shown}"
        );
    }
    // Unwinding assertions are not made by any engine yet.
    let mut wanted: Vec<&str> = ViolationKind::ALL.iter().map(|kind| kind.name()).collect();
    wanted.retain(|kind| *kind != "unwinding");
    wanted.sort_unstable();
    assert_eq!(kinds, wanted);
}

#[test]
fn the_execution_of_a_model_is_saved_and_shown_as_well() {
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR")).join("saved-model.json").display().to_string();
    let folder = root().join("tests/show");
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

#[test]
fn pages_can_be_stepped_through_in_a_browser() {
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR")).join("browser");
    let pages = scratch.join("pages");
    let _ = std::fs::remove_dir_all(&pages);
    std::fs::create_dir_all(&pages).expect("the target folder should be writable");
    let page = |name: &str| pages.join(name).display().to_string();
    for (path, words) in programs() {
        let folder = path.parent().expect("a program should lie in a folder");
        let (file, html) = (name(&path), page(&format!("{}.html", name(&path.with_extension("")))));
        let mut words: Vec<&str> = words.iter().map(String::as_str).collect();
        words.extend(["--html", &html, &file]);
        assert_eq!(unpick(folder, &words).status.code(), Some(1), "{file}");
    }
    write_special(&scratch, &page);
    drive(&scratch, &pages);
}

/// Pages of runs that find nothing, and of a program that would like to be more than shown.
fn write_special(scratch: &Path, page: &dyn Fn(&str) -> String) {
    let write = |file: &str, text: &str| std::fs::write(scratch.join(file), text).expect("writable");
    let locks =
        std::fs::read_to_string(root().join("tests/c/trace/lock_order.c")).expect("the program should be there");
    write("verified.c", &locks.replace("int main", "static int unused(void)\n{\n    return 3;\n}\n\nint main"));
    assert_eq!(unpick(scratch, &["check", "--html", &page("verified.html"), "verified.c"]).status.code(), Some(0));
    write("unknown.c", "int main(void)\n{\n    int n = 0;\n    while (n < 100)\n        n++;\n    return n;\n}\n");
    let words = ["check", "--unwind", "3", "--html", &page("unknown.html"), "unknown.c"];
    assert_eq!(unpick(scratch, &words).status.code(), Some(3));
    write_models(scratch, page);
    // Each round of the loop is two steps.
    write(
        "long.c",
        "#include <assert.h>\nstatic int limit = 7;\nstatic int sum;\nint main(void)\n{\n    for (int i = 0; i < 600; i++)\n        sum += i;\n    \
         assert(sum < limit);\n    return 0;\n}\n",
    );
    assert_eq!(unpick(scratch, &["check", "--html", &page("long.html"), "long.c"]).status.code(), Some(1));
    let nasty = "</script><script>alert(1)</script><img src=x onerror=alert(2)>\u{1b}[31m\u{202e}".repeat(8);
    let long = "x".repeat(20_000);
    let source = format!(
        "#include <assert.h>\nint main(void)\n{{\n    const char *text = \"{nasty}\"; /* {nasty} {long} */\n    int n = \
         text[0];\n    assert(n == 0 && \"{nasty}\");\n    return 0;\n}}\n"
    );
    let file = "<img src=x onerror=alert(3)>\u{1b}.c";
    write(file, &source);
    assert_eq!(unpick(scratch, &["check", "--html", &page("malicious.html"), file]).status.code(), Some(1));
}

/// Pages of models: verified with a process that never comes to its alarm, cut short, and with messages.
fn write_models(scratch: &Path, page: &dyn Fn(&str) -> String) {
    let model = "byte level;\nbyte alarm;\nactive proctype pump()\n{\n    do\n    :: level < 9 -> level++\n    :: level > 0 -> \
                 level--\n    od\n}\nactive proctype guard()\n{\nend:\n    level > 9;\n    alarm = 1\n}\n";
    std::fs::write(scratch.join("pump.pml"), model).expect("writable");
    let words = ["check", "--html", &page("verified-model.html"), "pump.pml"];
    assert_eq!(unpick(scratch, &words).status.code(), Some(0));
    let words = ["check", "--depth", "3", "--html", &page("unknown-model.html"), "pump.pml"];
    assert_eq!(unpick(scratch, &words).status.code(), Some(3));
    std::fs::copy(root().join("examples/lossy_link.pml"), scratch.join("lossy_link.pml")).expect("writable");
    let words = ["check", "-DNO_BIT", "--html", &page("messages.html"), "lossy_link.pml"];
    assert_eq!(unpick(scratch, &words).status.code(), Some(1));
}

/// Runs the browser. What it needs is installed from npm into the scratch folder; without network or chromium the test
/// fails and says so.
fn drive(scratch: &Path, pages: &Path) {
    let scripts = root().join("tests/browser");
    for file in ["package.json", "package-lock.json", ".npmrc", "pages.mjs"] {
        std::fs::copy(scripts.join(file), scratch.join(file)).expect("the browser's script should be there");
    }
    if !scratch.join("node_modules/playwright-core").is_dir() {
        let npm = Command::new("npm").args(["ci", "--no-audit", "--no-fund"]).current_dir(scratch).output();
        let npm = npm.expect("npm should be installed (Debian: apt-get install nodejs npm)");
        assert!(npm.status.success(), "npm ci failed:\n{}", String::from_utf8_lossy(&npm.stderr));
    }
    let mut node = Command::new("node");
    node.arg("pages.mjs").arg(pages).current_dir(scratch);
    if let Some(pictures) = std::env::var_os("UNPICK_PICTURES") {
        node.arg(root().join(pictures));
    }
    let output = node.output().expect("node should be installed (Debian: apt-get install nodejs)");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
    assert!(text.contains("27 pages"), "{text}");
    println!("{text}");
}
