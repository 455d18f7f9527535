//! `unpick show --tui` in a terminal: a pseudo-terminal from `script` (Debian: bsdutils), keys from a pipe.

use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

fn saved() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/show");
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("tui.json");
    let status = Command::new(env!("CARGO_BIN_EXE_unpick"))
        .current_dir(folder)
        .args(["check", "--quiet", "--save-trace"])
        .arg(&path)
        .arg("assertion.c")
        .stdout(Stdio::null())
        .status()
        .expect("unpick should start");
    assert_eq!(status.code(), Some(1));
    path
}

/// What the terminal got, and the exit code. Keys are pressed when the other screen is there: before, the terminal would
/// take them for lines.
fn on_terminal(command: &str, keys: &str) -> (String, Option<i32>) {
    let mut script = Command::new("script")
        .args(["-qefc", &format!("stty rows 30 cols 100; {command}"), "/dev/null"])
        .env("TERM", "xterm")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("script should be installed (Debian: apt-get install bsdutils)");
    let mut input = script.stdin.take().expect("the input should be a pipe");
    let mut output = script.stdout.take().expect("the output should be a pipe");
    let (mut text, mut room, mut has_typed) = (Vec::new(), [0; 4096], false);
    loop {
        match output.read(&mut room) {
            Ok(0) | Err(_) => break,
            Ok(len) => text.extend_from_slice(&room[..len]),
        }
        // The first picture comes after the keyboard is ready. Of pictures only words are drawn, not the spaces between.
        if !has_typed && String::from_utf8_lossy(&text).contains("quit") {
            has_typed = true;
            input.write_all(keys.as_bytes()).expect("keys should go through");
        }
    }
    let status = script.wait().expect("script should end");
    (String::from_utf8_lossy(&text).into_owned(), status.code())
}

#[test]
fn the_screen_is_used_and_given_back() {
    let command = format!("{} show --tui {}", env!("CARGO_BIN_EXE_unpick"), saved().display());
    let (text, code) = on_terminal(&command, "jwshared-1\rGq");
    assert_eq!(code, Some(0), "{text}");
    let (begin, end) = (text.find("\u{1b}[?1049h"), text.rfind("\u{1b}[?1049l"));
    assert!(begin.is_some() && begin < end, "the other screen should be left again: {text:?}");
    // The picture itself is tested without a terminal; this is what only the keys can have brought.
    assert!(text.contains("data-race:") && text.contains("shared-1"), "{text:?}");
    assert!(text.rfind("\u{1b}[?25h") > begin, "the cursor should be back: {text:?}");
}

#[test]
fn without_a_terminal_there_is_no_screen() {
    let output = Command::new(env!("CARGO_BIN_EXE_unpick"))
        .args(["show", "--tui"])
        .arg(saved())
        .output()
        .expect("unpick should start");
    assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0));
    assert!(String::from_utf8_lossy(&output.stderr).contains("not a terminal"), "{output:?}");
}
