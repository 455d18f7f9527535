//! The project's own chores: `cargo xtask tidy`, `test`, and the long campaigns.

mod ab;
mod bench_promela;
mod bench_tables;
mod bench_threads;
mod campaign;
mod ci;
mod csmith;
mod golden;
mod headers;
mod kill;
mod models;
mod nightly;
mod programs;
mod promela;
mod random;
mod real_code;
mod replay;
mod sanitizers;
mod seeds;
mod setup;
mod suites;
mod tables_corpus;
mod threads;
mod tidy;

use std::process::{Command, ExitCode};

use anyhow::{Context, Result, bail};

const USAGE: &str = "\
usage: cargo xtask COMMAND

  test                     everything CI checks: format, lints, tests, documentation, tidiness; installs first what the
                           tests compare with (as root on Debian; otherwise it says what to install, and stops)
  nightly [--seconds N] [--only TEXT] [--log FILE]
                           store under Miri and sanitizers, every fuzz target, random campaigns on the day's seeds, N
                           seconds each (default 60); the log goes to bench/runs/DATE-MACHINE/nightly.txt
  tidy                     who imports whom, sizes of files and functions, heads of files, former names, maps that
                           point at nothing
  csmith [A-B] [--seconds N]
                           random programs: unpick simulate against cc -O0 (default seeds 1-1000)
  sanitizers [A-B]         random programs with errors: unpick check against gcc's sanitizers (default 1-300)
  inputs [A-B]             programs with inputs: unpick check against running all inputs (default 1-1000)
  seeds [N]                concurrent programs of tests/ in N orders of searching, each twice (default 200)
  replay [TIMES [PROGRAMS]]
                           failing programs of several threads: made to fail natively, ten times out of ten
  threads [A-B]            random programs of several threads: reductions against brute force (default 1-2000)
  claims [A-B]             random programs of several threads with random claims: flat states against the interpreter
                           (default 1-1000)
  promela [A-B]            random models in Promela: unpick check against SPIN (default 1-2000)
  models FOLDER [--out FILE] [--seconds N] [--minutes N]
                           every model below a folder: unpick check against SPIN, safety and claims
  suites FOLDER... [--binary PATH] [--seconds N] [--memory MB] [--jobs N] [--out FILE] [--against FILE] [--only TEXT]
         [--again CLASSES]
                           other tools' test suites: answers against their labels; --out keeps a line for each
                           program, --against compares with such a file; --again asks only those again that had one of
                           these classes there (wrong,unknown,...)
  suites --compare OLD NEW two such files: counts, changes and reasons
  golden [--binary PATH] [--record] [--only TEXT] [--every N] [--jobs N]
                           answers, places and counts on everything under tests/, bench/ and examples/ against the
                           record in tests/golden: a difference needs a reason there; --record writes the record anew
  ab OLD NEW [--times N] [--only TEXT] [--all] [--seconds N] [--jobs N]
                           two builds of unpick by turns on the programs of bench/, with --all on those of tests/ and
                           examples/ too: CPU time, verdicts, states
  programs [A-B]           random programs of the IR: printed, read back, run with the same decisions (default 1-5000)
  automata [A-B]           random automata: text form, verifier, interpreter against native code (default 1-5000)
  ltl [N]                  random formulas: automata against those of spin -f (default 1000)
  real-code [--table FILE] front end against the C sources of well-known libraries
  tables-corpus [--folder DIR] [--limit SECONDS] [--only TEXT] [--table FILE]
                           models extracted from the same sources without a table: does SPIN take them? What
                           an earlier run has found with the same binary is not looked for again
  headers                  front end against every system header cc accepts alone
  kill [N]                 a search through a model killed N times and taken up again (default 10)
  bench threads [NAME...]  programs of several threads: time to verdict against SPIN's
  bench promela [NAME...]  models: states per second and bytes per state against SPIN's
  bench tables             extraction of the programs of examples/tables, and their table refreshed: time
";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let result = match words.as_slice() {
        ["test"] => ci::run(),
        ["nightly", rest @ ..] => nightly::run(rest),
        ["tidy"] => tidy::run(),
        ["csmith", rest @ ..] => csmith::run(rest),
        ["sanitizers", rest @ ..] => sanitizers::unsafe_math::run(rest),
        ["inputs", rest @ ..] => sanitizers::inputs::run(rest),
        ["seeds", rest @ ..] => seeds::run(rest),
        ["replay", rest @ ..] => replay::run(rest),
        ["threads", rest @ ..] => threads::run(rest),
        ["claims", rest @ ..] => threads::claims::run(rest),
        ["promela", rest @ ..] => promela::run(rest),
        ["models", rest @ ..] => models::run(rest),
        ["suites", rest @ ..] => suites::run(rest),
        ["ab", rest @ ..] => ab::run(rest),
        ["golden", rest @ ..] => golden::run(rest),
        ["programs"] => programs("1-5000"),
        ["programs", seeds] => programs(seeds),
        ["automata"] => automata("1-5000"),
        ["automata", seeds] => automata(seeds),
        ["ltl"] => ltl("1000"),
        ["ltl", n_formulas] => ltl(n_formulas),
        ["real-code", rest @ ..] => real_code::run(rest),
        ["tables-corpus", rest @ ..] => tables_corpus::run(rest),
        ["kill", rest @ ..] => kill::run(rest),
        ["headers"] => headers::run(),
        ["bench", "threads", rest @ ..] => bench_threads::run(rest),
        ["bench", "promela", rest @ ..] => bench_promela::run(rest),
        ["bench", "tables", rest @ ..] => bench_tables::run(rest),
        _ => {
            eprint!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Random formulas against SPIN's automata.
fn ltl(n_formulas: &str) -> Result<()> {
    let n_formulas: u64 = n_formulas.parse().context("the number of formulas should be a number")?;
    let places = ["unpick-logic", "logic", "against_spin::random"];
    test_with("UNPICK_FORMULAS", &n_formulas.to_string(), places, "automata and those of SPIN differ")
}

/// Random programs of the IR.
fn programs(seeds: &str) -> Result<()> {
    let places = ["unpick-program", "program", "random_programs::"];
    test_with("UNPICK_PROGRAMS", seeds, places, "random programs do not read back, or behave otherwise then")
}

/// Random automata.
fn automata(seeds: &str) -> Result<()> {
    let fault = "an automaton is not read back as it was, breaks a rule, or is compiled to something else";
    test_with("UNPICK_AUTOMATA", seeds, ["unpick-jit", "jit", "automata::"], fault)
}

/// Campaigns that are tests of a crate, of which every test run has a slice: more of it.
fn test_with(variable: &str, value: &str, [package, test, filter]: [&str; 3], fault: &str) -> Result<()> {
    let args = ["test", "--release", "--package", package, "--test", test, filter, "--", "--nocapture"];
    let status = Command::new("cargo").args(args).env(variable, value).status()?;
    if !status.success() {
        bail!("{fault}");
    }
    Ok(())
}
