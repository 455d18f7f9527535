//! `docs/tutorial-tables.md`: its files are written and its commands executed, and they print what it shows.

use std::path::Path;
use std::process::Command;

/// A fenced block: what stands behind the fence, and its lines.
fn blocks(text: &str) -> Vec<(String, Vec<String>)> {
    let mut blocks = Vec::new();
    let mut open: Option<(String, Vec<String>)> = None;
    for line in text.lines() {
        match (line.strip_prefix("```"), open.take()) {
            (Some(info), None) => open = Some((info.to_owned(), Vec::new())),
            (Some(_), Some(block)) => blocks.push(block),
            (None, Some((info, mut lines))) => {
                lines.push(line.to_owned());
                open = Some((info, lines));
            }
            (None, None) => {}
        }
    }
    blocks
}

/// Runs a command of the document; what it prints, and how it ends.
fn run(folder: &Path, line: &str) -> (i32, String) {
    let binary = Path::new(env!("CARGO_BIN_EXE_unpick"));
    let programs = binary.parent().expect("a binary should lie in a folder").display();
    let path = format!("{programs}:{}", std::env::var("PATH").unwrap_or_default());
    let output = Command::new("sh").args(["-c", line]).env("PATH", path).current_dir(folder).output();
    let output = output.expect("a shell should be there");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().unwrap_or(-1), text(&output.stdout) + &text(&output.stderr))
}

/// The exit code that belongs to what is shown.
fn expected_code(shown: &[String]) -> i32 {
    let shows = |text: &str| shown.iter().any(|line| line.starts_with(text));
    if shows("verdict: violated") {
        1
    } else if shows("verdict: unknown") {
        3
    } else if shows("error: ") {
        2
    } else {
        0
    }
}

#[test]
fn the_tutorial_is_true() {
    let document = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/tutorial-tables.md");
    let document = std::fs::read_to_string(document).expect("the tutorial should be there");
    let folder = tempfile::tempdir().expect("a scratch folder should be possible");
    let mut n_commands = 0;
    for (info, lines) in blocks(&document) {
        if let Some((_, file)) = info.split_once(' ') {
            std::fs::write(folder.path().join(file), lines.join("\n") + "\n").expect("the file should be writable");
            continue;
        }
        assert_eq!(info, "console", "blocks should be files or commands");
        let starts: Vec<usize> = (0..lines.len()).filter(|at| lines[*at].starts_with("$ ")).collect();
        for (at, start) in starts.iter().enumerate() {
            let shown = &lines[start + 1..starts.get(at + 1).copied().unwrap_or(lines.len())];
            let (code, text) = run(folder.path(), &lines[*start][2..]);
            assert_eq!(code, expected_code(shown), "{}\n{text}", lines[*start]);
            let mut rest = text.as_str();
            for line in shown {
                let found =
                    rest.find(line.trim()).unwrap_or_else(|| panic!("`{line}` of `{}` in\n{text}", lines[*start]));
                rest = &rest[found + line.trim().len()..];
            }
            n_commands += 1;
        }
    }
    assert!(n_commands >= 10, "{n_commands}");
}
