//! `unpick dap`: serve a saved trace to a debugger's client on standard input and output.

use std::path::{Path, PathBuf};

use unpick_witness::SavedTrace;

use crate::dap::Session;
use crate::failure::Outcome;
use crate::input::read_text;
use crate::wire;

pub fn run(trace: Option<PathBuf>) -> Outcome<u8> {
    let mut session = Session::new(trace, Box::new(load));
    wire::serve(&mut session)?;
    Ok(0)
}

fn load(path: &Path) -> Result<SavedTrace, String> {
    let text = read_text(path).map_err(|failure| failure.message)?;
    SavedTrace::from_json(&text).map_err(|error| format!("{}: {error}", path.display()))
}
