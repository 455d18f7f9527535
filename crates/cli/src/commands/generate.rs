//! `unpick completions` and `unpick man`: generated from the flags themselves.

use std::path::Path;

use clap::CommandFactory as _;

use crate::args::Cli;
use crate::failure::{Failure, Outcome};
use crate::output::to_stdout;

pub fn completions(shell: clap_complete::Shell) -> Outcome<u8> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "unpick", &mut script);
    to_stdout(&script);
    Ok(0)
}

pub fn man(folder: &Path) -> Outcome<u8> {
    if !folder.is_dir() {
        return Err(Failure::new(format!("{} is not a folder", folder.display())).help("make it first"));
    }
    clap_mangen::generate_to(Cli::command(), folder)
        .map_err(|error| Failure::new(format!("cannot write into {}: {error}", folder.display())))?;
    Ok(0)
}
