//! One bug of each kind as a page in a browser: what `tests/show` has is driven by `tests/browser/pages.mjs` in Debian's
//! chromium. `UNPICK_PICTURES=FOLDER` keeps screenshots.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

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
            let words = run.1.split_whitespace().map(str::to_owned).collect();
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
