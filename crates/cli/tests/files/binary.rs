//! Running unpick and other programs, and what they said.

use std::path::Path;
use std::process::{Command, Output};

/// Runs unpick in a folder, with the user's configuration and colours out of the way.
pub fn unpick(folder: &Path, words: &[&str]) -> Result<Output, String> {
    Command::new(env!("CARGO_BIN_EXE_unpick"))
        .current_dir(folder)
        .args(words)
        .env("NO_COLOR", "1")
        .env("XDG_CONFIG_HOME", "/nonexistent")
        .output()
        .map_err(|error| format!("cannot run unpick: {error}"))
}

/// What `unpick` answers in JSON.
pub fn json(folder: &Path, words: &[&str]) -> Result<(Option<i32>, serde_json::Value), String> {
    let output = unpick(folder, words)?;
    let document = serde_json::from_slice(&output.stdout)
        .map_err(|error| format!("stdout is not JSON: {error}\n$ unpick {}\n{}", words.join(" "), shown(&output)))?;
    Ok((output.status.code(), document))
}

/// Runs another program in a folder: whether it succeeded, and what it printed.
pub fn run(program: &str, words: &[&str], folder: &Path) -> Result<(bool, String), String> {
    let output = Command::new(program).args(words).current_dir(folder).output();
    let output = output.map_err(|error| format!("{program} should be installed: {error}"))?;
    Ok((output.status.success(), lossy(&output.stdout) + &lossy(&output.stderr)))
}

pub fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Everything that a run said.
pub fn shown(output: &Output) -> String {
    format!("exit: {:?}\nstdout:\n{}\nstderr:\n{}", output.status.code(), lossy(&output.stdout), lossy(&output.stderr))
}
