//! The `unpick` command: files, flags, clock; joins the stages.
#![forbid(unsafe_code)]
// What is printed goes through `output`, which lets nothing of the input steer a terminal.
#![deny(clippy::print_stdout, clippy::print_stderr)]

#[macro_use]
mod output;

mod announce;
mod args;
mod attendant;
mod checkpoint;
mod child;
mod commands;
mod compile_commands;
mod config;
mod dap;
mod embedded;
mod engines;
mod events;
mod failure;
mod files;
mod flags;
mod guard;
mod input;
mod lines;
mod lsp;
mod model;
mod native;
mod pictures;
mod preprocess;
mod property_file;
mod quantity;
mod scratch;
mod side_files;
mod supervisor;
mod tabled;
mod trail;
mod tui;
mod wire;

use std::process::ExitCode;

use clap::Parser as _;

use args::{Cli, Command, with_compiler_spellings};
use failure::Failure;
use unpick_report::Colour;

/// Searching a program makes and drops many small things; see `docs/dependencies.md`.
#[global_allocator]
static ALLOCATOR: unpick_limits::Allocator = unpick_limits::Allocator;

/// Recursive descent over deeply nested sources needs room; untouched pages cost nothing.
const STACK_BYTES: usize = 1 << 30;
/// Where address space is limited, less has to do.
const LEAST_STACK_BYTES: usize = 1 << 24;

fn main() -> ExitCode {
    speak_when_panicking();
    let start = |bytes| std::thread::Builder::new().stack_size(bytes).spawn(run);
    let share = unpick_limits::address_space_limit().map_or(STACK_BYTES, |bytes| (bytes / 8) as usize);
    let mut bytes = share.clamp(LEAST_STACK_BYTES, STACK_BYTES);
    let mut worker = start(bytes);
    while worker.is_err() && bytes > LEAST_STACK_BYTES {
        bytes /= 4;
        worker = start(bytes);
    }
    match worker.map(|worker| worker.join()) {
        Ok(Ok(code)) => ExitCode::from(code),
        // The panic has already said what happened.
        Ok(Err(_)) => ExitCode::from(101),
        Err(error) => {
            tell!("error: cannot start: {error}");
            ExitCode::from(2)
        }
    }
}

fn run() -> u8 {
    let cli = match Cli::try_parse_from(with_compiler_spellings(std::env::args_os())) {
        Ok(cli) => cli,
        Err(error) => {
            refuse_words(&error);
            return u8::from(error.use_stderr()) * 2;
        }
    };
    let wants_json = matches!(&cli.command, Command::Check(args) if args.json || args.json_events);
    let takes_signals = matches!(&cli.command, Command::Show(args) if args.tui);
    if !takes_signals {
        guard::start();
    }
    let result = match cli.command {
        Command::Check(args) => commands::check::run(*args),
        Command::Simulate(args) => commands::simulate::run(*args),
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
    let code = result.unwrap_or_else(|failure| complain(&failure, wants_json));
    match output::lost() {
        Some(failure) => complain(&failure, false),
        None => code,
    }
}

/// Says what is wrong with the command line, or gives the help that was asked for. Words with control characters are
/// quoted in such messages, and get no chance to pass for our own colours.
fn refuse_words(error: &clap::Error) {
    let is_plain = |word: std::ffi::OsString| !word.to_string_lossy().contains(char::is_control);
    let is_colourful = match error.use_stderr() {
        true => input::colour_of_stderr() == Colour::Always,
        false => input::colour_of_stdout() == Colour::Always,
    };
    let text = match is_colourful && std::env::args_os().all(is_plain) {
        true => error.render().ansi().to_string(),
        false => error.render().to_string(),
    };
    if error.use_stderr() { output::tell_drawn(&text) } else { output::say(&text) }
}

/// A panic quotes what it was about, so it speaks through the same gate as everything else.
fn speak_when_panicking() {
    std::panic::set_hook(Box::new(|info| {
        let words = info.payload();
        let said = words.downcast_ref::<&str>().copied().or_else(|| words.downcast_ref::<String>().map(String::as_str));
        let place = info.location().map(ToString::to_string).unwrap_or_default();
        tell!("unpick panicked at {place}:\n{}", said.unwrap_or("without a message"));
        if std::env::var_os("RUST_BACKTRACE").is_some_and(|value| value != "0") {
            tell!("{}", std::backtrace::Backtrace::force_capture());
        }
        tell!("this is a bug of unpick: please report it, with the input");
    }));
}

/// Says what is wrong: for people on stderr, for machines as a JSON object. A limit is nothing wrong: it makes the verdict
/// unknown. The result is the exit code.
fn complain(failure: &Failure, wants_json: bool) -> u8 {
    if let (Some(halt), Some(telling)) = (failure.halt, guard::telling()) {
        let words = guard::words(halt, telling);
        match telling {
            guard::Telling::Text => output::say(&words),
            guard::Telling::Json => output::say_json(&words),
            guard::Telling::Message => output::tell(&words),
        }
        return 3;
    }
    if failure.halt == Some(unpick_system::Halt::Interrupt) {
        return 130;
    }
    for detail in &failure.details {
        output::tell_drawn(&detail.rendered);
    }
    tell!("error: {}", failure.message);
    if let Some(help) = &failure.help {
        tell!("help: {help}");
    }
    if wants_json {
        let document = serde_json::json!({
            "schema": 1,
            "verdict": null,
            "error": { "message": failure.message, "help": failure.help, "diagnostics": failure.details },
        });
        output::say_json(&format!("{document}\n"));
    }
    2
}
