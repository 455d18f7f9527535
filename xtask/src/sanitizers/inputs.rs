//! Generated programs with inputs: our verdict against running the compiled program with every input.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use super::generate::{Generated, NAMES, generate};
use super::{Answer, Error, ask, build, command, first_error, seeds};
use crate::campaign::{in_parallel, output_within, scratch, unpick};

/// Programs compiled into one binary: starting gcc costs more than a program.
const BATCH: usize = 20;
const LIMIT: Duration = Duration::from_secs(120);

#[derive(Default)]
struct Tally {
    verified: usize,
    violated: usize,
    /// Right answers while values may hardly be tried one by one.
    narrow: usize,
    unknown: Vec<(u64, String)>,
    wrong: Vec<(u64, String)>,
}

/// `words`: seeds `FIRST-LAST`.
pub fn run(words: &[&str]) -> Result<()> {
    let seeds = seeds(words, (1, 1000))?;
    let folder = scratch("inputs")?;
    let binary = unpick()?;
    let start = Instant::now();
    let batches: Vec<&[u64]> = seeds.chunks(BATCH).collect();
    let tallies = in_parallel(&batches, |batch| compare(&folder, &binary, batch));
    let mut all = Tally::default();
    for tally in tallies {
        let tally = tally?;
        all.verified += tally.verified;
        all.violated += tally.violated;
        all.narrow += tally.narrow;
        all.unknown.extend(tally.unknown);
        all.wrong.extend(tally.wrong);
    }
    println!(
        "programs with inputs, {} seeds: {} verified and no input fails, {} violated as some input does, {} wrong, {} \
         unknown; {} decided with --enumerate 4; wall {:.1} s",
        seeds.len(),
        all.verified,
        all.violated,
        all.wrong.len(),
        all.unknown.len(),
        all.narrow,
        start.elapsed().as_secs_f64(),
    );
    for (seed, reason) in &all.unknown {
        println!("  seed {seed}: unknown: {reason}");
    }
    if all.wrong.is_empty() {
        std::fs::remove_dir_all(&folder)?;
        return Ok(());
    }
    let wrong: Vec<u64> = all.wrong.iter().map(|(seed, _)| *seed).collect();
    bail!("wrong verdicts: {wrong:?}; programs in {}", folder.display());
}

fn compare(folder: &Path, binary: &Path, batch: &[u64]) -> Result<Tally> {
    let own = folder.join(batch[0].to_string());
    std::fs::create_dir_all(&own)?;
    let programs: Vec<(u64, Generated)> = batch.iter().map(|seed| (*seed, generate(*seed))).collect();
    for (seed, program) in &programs {
        std::fs::write(own.join(format!("{seed}.i")), &program.text)?;
    }
    let expected = native(&own, &programs)?;
    let mut tally = Tally::default();
    for ((seed, _), errors) in programs.iter().zip(expected) {
        let source = own.join(format!("{seed}.i"));
        let answer = ask(binary, &source, &["--time", "60s"], LIMIT)?;
        match judge(&answer, &errors) {
            Judgement::Right if errors.is_empty() => tally.verified += 1,
            Judgement::Right => tally.violated += 1,
            Judgement::Unknown(reason) => tally.unknown.push((*seed, reason)),
            Judgement::Wrong(why) => tally.wrong.push((*seed, why)),
        }
        // Hardly any value may be tried on its own: what is decided is decided on sets of values, or unknown.
        let answer = ask(binary, &source, &["--time", "60s", "--enumerate", "4"], LIMIT)?;
        match judge(&answer, &errors) {
            Judgement::Right => tally.narrow += 1,
            Judgement::Unknown(_) => {}
            Judgement::Wrong(why) => tally.wrong.push((*seed, format!("--enumerate 4: {why}"))),
        }
    }
    for (seed, why) in &tally.wrong {
        eprintln!("seed {seed}: {why}");
    }
    if tally.wrong.is_empty() {
        std::fs::remove_dir_all(&own)?;
    }
    Ok(tally)
}

enum Judgement {
    Right,
    Unknown(String),
    Wrong(String),
}

fn judge(answer: &Answer, errors: &BTreeSet<Error>) -> Judgement {
    match answer {
        Answer::Verified if errors.is_empty() => Judgement::Right,
        Answer::Violated(error) if errors.contains(error) => Judgement::Right,
        Answer::Unknown(reason) => Judgement::Unknown(reason.clone()),
        Answer::Broken(why) => Judgement::Wrong(format!("no verdict: {why}")),
        Answer::Verified | Answer::Violated(_) | Answer::TooSlow => {
            Judgement::Wrong(format!("{answer:?}; compiled: {errors:?}"))
        }
    }
}

/// Runs every program of the folder with every input: the errors of each.
fn native(own: &Path, programs: &[(u64, Generated)]) -> Result<Vec<BTreeSet<Error>>> {
    let source = own.join("native.c");
    std::fs::write(&source, harness(programs)?)?;
    let binary = own.join("native");
    build(&source, &binary, &[])?;
    let mut command = command(&binary, "symbolize=0");
    let Some(output) = output_within(&mut command, Duration::from_secs(1200))? else {
        bail!("the compiled programs {} do not end", source.display());
    };
    if !output.status.success() {
        bail!("the compiled programs {} failed", source.display());
    }
    let text = with_places(&String::from_utf8_lossy(&output.stderr), &binary)?;
    let mut found: Vec<BTreeSet<Error>> = programs.iter().map(|_| BTreeSet::new()).collect();
    for part in text.split("@@ ").skip(1) {
        let (head, report) = part.split_once('\n').context("a part should have a first line")?;
        let index: usize = head.split(' ').next().unwrap_or_default().parse()?;
        let file = format!("{}.i", programs[index].0);
        if let Some(number) = report.lines().find_map(|line| line.strip_prefix("reach_error ")) {
            found[index].insert(("reach-error".to_owned(), number.trim().parse()?));
        } else if report.contains("signal") && first_error(report, &file)?.is_none() {
            bail!("seed {}, inputs {head}: {report}", programs[index].0);
        }
        found[index].extend(first_error(report, &file)?);
    }
    Ok(found)
}

/// The reports with `(binary+0xOFFSET)` replaced by file and line: one call for all of them, because a sanitizer that
/// looks up places itself reads the debug information anew in every process.
fn with_places(text: &str, binary: &Path) -> Result<String> {
    let opening = format!("({}+", binary.display());
    let offset = |line: &str| Some(line.split_once(&opening)?.1.split_once(')')?.0.to_owned());
    let offsets: BTreeSet<String> = text.lines().filter_map(offset).collect();
    let places = Command::new("addr2line").arg("-e").arg(binary).args(&offsets).output()?;
    let places = String::from_utf8_lossy(&places.stdout).into_owned();
    // A line may end in `(discriminator N)`.
    let places = places.lines().map(|line| line.split(' ').next().unwrap_or_default());
    let places: BTreeMap<&String, &str> = offsets.iter().zip(places).collect();
    let mut result = String::with_capacity(text.len());
    for line in text.lines() {
        match offset(line).and_then(|offset| places.get(&offset)) {
            Some(place) => writeln!(result, "{} {}", line.split('(').next().unwrap_or_default().trim_end(), place)?,
            None => writeln!(result, "{line}")?,
        }
    }
    Ok(result)
}

/// A program that runs each of the others with each input, in a process of its own.
fn harness(programs: &[(u64, Generated)]) -> Result<String> {
    let mut text = String::from(HARNESS);
    for (index, (seed, _)) in programs.iter().enumerate() {
        for name in NAMES.iter().chain(&["main"]) {
            writeln!(text, "#define {name} {name}_{index}")?;
        }
        writeln!(text, "#include \"{seed}.i\"")?;
        for name in NAMES.iter().chain(&["main"]) {
            writeln!(text, "#undef {name}")?;
        }
    }
    text.push_str("int main(void) {\n");
    for (index, (_, program)) in programs.iter().enumerate() {
        let first = program.inputs.first().copied().unwrap_or((0, 0));
        let second = program.inputs.get(1).copied().unwrap_or((0, 0));
        // As bits: the numbers of every type fit.
        let bits = |number: i128| number as u64;
        writeln!(
            text,
            "    try({index}, main_{index}, {}ul, {}, {}ul, {});",
            bits(first.0),
            first.1 - first.0 + 1,
            bits(second.0),
            second.1 - second.0 + 1
        )?;
    }
    text.push_str("    return 0;\n}\n");
    Ok(text)
}

const HARNESS: &str = r#"
extern int dprintf(int, const char *, ...), fork(void), waitpid(int, int *, int);
extern unsigned alarm(unsigned);
extern void _exit(int);
static unsigned long given[2];
static int asked;
signed char __VERIFIER_nondet_char(void) { return given[asked++]; }
unsigned char __VERIFIER_nondet_uchar(void) { return given[asked++]; }
short __VERIFIER_nondet_short(void) { return given[asked++]; }
unsigned short __VERIFIER_nondet_ushort(void) { return given[asked++]; }
int __VERIFIER_nondet_int(void) { return given[asked++]; }
unsigned __VERIFIER_nondet_uint(void) { return given[asked++]; }
long __VERIFIER_nondet_long(void) { return given[asked++]; }
unsigned long __VERIFIER_nondet_ulong(void) { return given[asked++]; }
void __VERIFIER_assume(int condition) { if (!condition) _exit(0); }
#define reach_error() (dprintf(2, "reach_error %d\n", __LINE__), _exit(0))
static void try(int index, int (*entry)(void), unsigned long first, int n_first, unsigned long second, int n_second) {
    for (int i = 0; i < n_first; i++)
        for (int j = 0; j < n_second; j++) {
            dprintf(2, "@@ %d %d %d\n", index, i, j);
            int child = fork(), status;
            if (child == 0) {
                alarm(20);
                given[0] = first + i;
                given[1] = second + j;
                entry();
                _exit(0);
            }
            waitpid(child, &status, 0);
            if (status & 127) dprintf(2, "signal %d\n", status & 127);
        }
}
"#;
