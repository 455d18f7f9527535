//! `unpick dap`: serve a saved trace to a debugger's client on standard input and output.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use unpick_witness::SavedTrace;

use crate::dap::Session;
use crate::failure::{Failure, Outcome};
use crate::input::read_text;
use crate::wire::{self, BadMessage};

pub fn run(trace: Option<PathBuf>) -> Outcome<u8> {
    let mut session = Session::new(trace, Box::new(load));
    let mut stdin = std::io::stdin().lock();
    let mut stdout = std::io::stdout().lock();
    while !session.is_over() {
        let message = match wire::read(&mut stdin) {
            Ok(Some(message)) => message,
            Ok(None) => break,
            Err(BadMessage::Document(what)) => {
                eprintln!("unpick: {}", BadMessage::Document(what));
                continue;
            }
            Err(error) => return Err(Failure::new(error.to_string())),
        };
        for answer in session.handle(&message) {
            // A client that has gone needs no answer.
            if wire::write(&mut stdout, &answer).is_err() {
                return Ok(0);
            }
        }
    }
    let _ = stdout.flush();
    Ok(0)
}

fn load(path: &Path) -> Result<SavedTrace, String> {
    let text = read_text(path).map_err(|failure| failure.message)?;
    SavedTrace::from_json(&text).map_err(|error| format!("{}: {error}", path.display()))
}
