//! The `unpick` command: files, flags, clock; joins the stages.
#![forbid(unsafe_code)]

mod args;
mod checkpoint;
mod claims;
mod commands;
mod compile_commands;
mod config;
mod dap;
mod embedded;
mod explore;
mod failure;
mod input;
mod lines;
mod lsp;
mod model;
mod native;
mod output;
mod pictures;
mod preprocess;
mod property_file;
mod quantity;
mod side_files;
mod tabled;
mod trail;
mod tui;
mod watch;
mod wire;

use std::io::Write as _;
use std::process::ExitCode;

use clap::Parser as _;

use args::{Cli, Command, with_compiler_spellings};
use failure::Failure;

/// Searching a program makes and drops many small things; see `docs/dependencies.md`.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Recursive descent over deeply nested sources needs room; untouched pages cost nothing.
const STACK_BYTES: usize = 1 << 30;

fn main() -> ExitCode {
    let worker = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(run);
    match worker.map(|worker| worker.join()) {
        Ok(Ok(code)) => ExitCode::from(code),
        // The panic has already said what happened.
        Ok(Err(_)) => ExitCode::from(101),
        Err(error) => {
            eprintln!("error: cannot start: {error}");
            ExitCode::from(2)
        }
    }
}

fn run() -> u8 {
    let cli = match Cli::try_parse_from(with_compiler_spellings(std::env::args_os())) {
        Ok(cli) => cli,
        Err(error) => {
            let _ = error.print();
            return u8::from(error.use_stderr()) * 2;
        }
    };
    let wants_json = matches!(&cli.command, Command::Check(args) if args.json);
    let result = match cli.command {
        Command::Check(args) => commands::check::run(*args),
        Command::Simulate(args) => commands::simulate::run(args),
        Command::Extract(args) => commands::extract::run(*args),
        Command::Table(args) => commands::table::run(*args),
        Command::Show(args) => commands::show::run(args),
        Command::Replay(args) => commands::replay::run(*args),
        Command::Dap { trace } => commands::dap::run(trace),
        Command::Lsp(args) => commands::lsp::run(args),
        Command::Library => commands::library::run(),
        Command::Completions { shell } => commands::generate::completions(shell),
        Command::Man { folder } => commands::generate::man(&folder),
    };
    result.unwrap_or_else(|failure| {
        complain(&failure, wants_json);
        2
    })
}

/// Says what is wrong: for people on stderr, for machines as a JSON object.
fn complain(failure: &Failure, wants_json: bool) {
    let mut stderr = std::io::stderr().lock();
    for detail in &failure.details {
        let _ = write!(stderr, "{}", detail.rendered);
    }
    let _ = writeln!(stderr, "error: {}", failure.message);
    if let Some(help) = &failure.help {
        let _ = writeln!(stderr, "help: {help}");
    }
    if wants_json {
        let document = serde_json::json!({
            "schema": 1,
            "verdict": null,
            "error": { "message": failure.message, "help": failure.help, "diagnostics": failure.details },
        });
        output::say(&format!("{document}\n"));
    }
}
