//! `unpick replay`: make the compiled program do what a saved trace says, and see whether it fails.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Parser as _;
use unpick_program::interp::{Checks, Machine, Options, Violation};
use unpick_program::{Loc, ViolationKind};
use unpick_system::ProgramRun;
use unpick_witness::{Finding, SavedTrace, Schedule, replay_turns};

use crate::args::{Cli, Command, InputArgs, ReplayArgs, TargetArg, with_compiler_spellings};
use crate::commands::check::fingerprint;
use crate::config::Layers;
use crate::failure::{Failure, Outcome};
use crate::input::{Loaded, Settings, analyse, lower, read_text};
use crate::native::{Native, build, judge, run as run_test, sanitizers, write_test};
use crate::output::{save, say};
use crate::scratch;

/// A test that takes longer has gone astray.
const LIMIT: Duration = Duration::from_secs(75);

pub fn run(mut args: ReplayArgs) -> Outcome<u8> {
    let name = args.trace.display().to_string();
    let saved =
        SavedTrace::from_json(&read_text(&args.trace)?).map_err(|error| Failure::new(format!("{name}: {error}")))?;
    if args.input.files.is_empty() {
        args.input = recorded_input(&saved).unwrap_or(args.input);
    }
    if args.input.files.is_empty() {
        args.input.files = sources_of(&saved);
    }
    if saved.finding.is_process || args.input.files.is_empty() {
        return Err(Failure::new(format!("{name}: the trace names no C source"))
            .help("only executions of C programs can be replayed: unpick replay TRACE FILE.c..."));
    }
    let layers = Layers::read(&args.input)?;
    let settings = Settings::new(&args.input, &layers)?;
    let flags = flags(&settings, &saved.finding)?;
    let loaded = lower(&settings, analyse(&settings)?)?;
    if fingerprint(&loaded.program) != saved.fingerprint {
        return Err(Failure::new(format!("{name}: the sources are not those that were checked")).help(
            "give the files and the flags of the check again, unchanged: unpick replay TRACE FILE.c... -D...; \
             or check once more with --save-trace",
        ));
    }
    if !loaded.program.functions.iter().any(|function| function.source_name == "main" && !function.is_model) {
        return Err(Failure::new("only programs that start in main can be replayed"));
    }
    let (finding, schedule) = turns(&loaded, &saved)?;
    let analysed = analyse(&settings)?;
    let finds_leaks = finding.kind == "leak";
    let head = head(&finding, &flags);
    let test = write_test(&analysed.session, &analysed.units, &loaded.program, &schedule, &head, finds_leaks);
    let folder = scratch::Folder::new().map_err(|error| Failure::new(format!("cannot make a folder: {error}")))?;
    let source = args.keep.clone().unwrap_or_else(|| folder.path().join("replay.c"));
    save(&source, &test.text)?;
    let built = build(&test, &source, &flags)?;
    for turn in 1..=args.times.max(1) {
        match judge(&finding, run_test(&built, LIMIT)?) {
            Native::Reproduced(line) if turn == args.times.max(1) => {
                say(&format!("{}\nreplay: reproduced ({} at {}:{})\n", line, finding.kind, finding.file, finding.line));
            }
            Native::Reproduced(_) => {}
            Native::Otherwise(how) => {
                say(&format!(
                    "{how}\nreplay: not reproduced ({} at {}:{})\n",
                    finding.kind, finding.file, finding.line
                ));
                return Ok(3);
            }
        }
    }
    Ok(0)
}

/// The files and flags of the check, if the trace carries them.
fn recorded_input(saved: &SavedTrace) -> Option<InputArgs> {
    let words = saved.recipe.as_ref()?.arguments.iter().map(std::ffi::OsString::from);
    let words = std::iter::once(std::ffi::OsString::from("unpick")).chain(words);
    match Cli::try_parse_from(with_compiler_spellings(words)).ok()?.command {
        Command::Check(check) => Some(InputArgs { is_recorded: true, ..check.input }),
        _ => None,
    }
}

/// The C files that the steps of a trace lie in, as far as they are there.
fn sources_of(saved: &SavedTrace) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = Vec::new();
    let named = saved.trace.steps.iter().map(|step| &step.file).chain([&saved.finding.file]);
    for file in named.map(PathBuf::from) {
        if file.extension().is_some_and(|extension| extension == "c") && file.exists() && !files.contains(&file) {
            files.push(file);
        }
    }
    files
}

/// What the compiler needs besides the test.
fn flags(settings: &Settings, finding: &Finding) -> Outcome<Vec<&'static str>> {
    if settings.entry != "main" || !settings.interrupts.handlers.is_empty() || !settings.devices.is_empty() {
        return Err(Failure::new(
            "only programs that start in main, without interrupts and registers, can be replayed",
        ));
    }
    let Some(flags) = sanitizers(&finding.kind) else {
        return Err(Failure::new(format!("nothing in a compiled program shows the failure `{}`", finding.kind))
            .help("assertions, deadlocks, data races, memory errors and arithmetic errors can be replayed"));
    };
    let mut flags = flags.to_vec();
    if settings.target == TargetArg::Ilp32 {
        flags.push("-m32");
    }
    Ok(flags)
}

/// Follows the decisions on the interpreter and takes down who does what in which order.
fn turns(loaded: &Loaded, saved: &SavedTrace) -> Outcome<(Finding, Schedule)> {
    let finding = &saved.finding;
    let kind = ViolationKind::from_name(&finding.kind)
        .ok_or_else(|| Failure::new(format!("the trace tells of a failure `{}` that is not known", finding.kind)))?;
    let violation = Violation {
        kind,
        message: finding.message.clone(),
        loc: Loc::NONE,
        function: finding.function.clone(),
        thread: finding.thread as usize,
        frames: Vec::new(),
    };
    let mut mismatch = None;
    // Where uses of indeterminate values are not looked for, reading one is a decision. The file says neither whether
    // they were, nor whether threads could switch before every instruction.
    let looked_for = Checks::NONE.with(kind);
    for checks in [looked_for.with(ViolationKind::Uninitialized), looked_for] {
        let machine = Machine::new(&loaded.program, Options { is_lazy: false, checks, ..Options::default() });
        for every_step in [false, true] {
            let decisions = saved.decisions.clone();
            let evidence =
                ProgramRun { decisions, every_step, claim: None, loop_from: None, violation: violation.clone() };
            match replay_turns(&machine, &loaded.program, &evidence) {
                Ok((mut found, schedule)) => {
                    // What a deadlock or a race blames is known only to the engine that found it.
                    (found.file, found.line) = (finding.file.clone(), finding.line);
                    return Ok((found, schedule));
                }
                Err(error) => mismatch = mismatch.or(Some(error)),
            }
        }
    }
    let why = mismatch.map_or_else(String::new, |error| error.to_string());
    Err(Failure::new(format!("the trace does not lead to its failure any more: {why}")))
}

fn head(finding: &Finding, flags: &[&str]) -> String {
    let flags = flags.join(" ");
    let place = Path::new(&finding.file).display();
    format!(
        "Forces the threads of a program into the turns that lead to a failure, and gives it the inputs.\n\
         {} at {place}:{}: {}\n\
         \n\
         Written by `unpick replay`. To build it, compile this file once for each part and link:\n  \
         for part in 0 1; do cc -g -w -pthread $([ $part = 0 ] || echo {flags}) -DUNPICK_PART=$part -c FILE -o part$part.o; done\n  \
         cc -pthread {flags} part*.o -o replay -lm",
        finding.kind,
        finding.line,
        finding.message.lines().next().unwrap_or_default(),
    )
}
