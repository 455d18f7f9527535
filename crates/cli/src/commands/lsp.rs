//! `unpick lsp`: findings in an editor, on standard input and output.

use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::args::LspArgs;
use crate::failure::Outcome;
use crate::lsp::Server;
use crate::wire;

pub fn run(args: LspArgs) -> Outcome<u8> {
    let mut server = Server::new(Box::new(move |path, function| check(&args, path, function)));
    wire::serve(&mut server)?;
    Ok(server.exit_code())
}

/// Checks a file in a process of its own: whatever happens there, the editor keeps its server. Names in the report are
/// relative to the file's folder, where the check runs.
fn check(args: &LspArgs, path: &Path, function: Option<&str>) -> Result<Value, String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let folder = path.parent().ok_or("the file lies in no folder")?;
    let name = path.file_name().ok_or("the file has no name")?;
    let mut command = Command::new(program);
    command.current_dir(folder).args(["check", "--json", "--quiet", "--time", &args.time]).args(&args.flags);
    if let Some(function) = function {
        command.args(["--entry", function]);
    }
    let output = command.arg("--").arg(name).stdin(Stdio::null()).output().map_err(|error| error.to_string())?;
    serde_json::from_slice(&output.stdout).map_err(|_| {
        let said = String::from_utf8_lossy(&output.stderr);
        format!("unpick check gave no report: {}", said.lines().next().unwrap_or_default())
    })
}
