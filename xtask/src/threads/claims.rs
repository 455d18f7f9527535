//! Random programs of several threads with random claims about whole executions: the search over flat states must say what the
//! search on the interpreter says.
//!
//! The programs run for ever, wait for each other, end at odd moments, choose, and mark progress; their variables have few
//! values, so that all executions fit into a small graph. Claims are formulas over these variables, fair and not,
//! invariants, livelock and termination.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use super::ask::prepare;
use crate::campaign::{in_parallel, output_within, scratch, unpick};
use crate::random::Random;
use crate::sanitizers::seeds;

/// Seconds after which a search gives up, and a process.
const SECONDS: &str = "4s";
const LIMIT: Duration = Duration::from_secs(60);
/// Claims asked of each program.
const N_CLAIMS: usize = 6;
const PROLOGUE: &str = "\
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
extern _Bool __VERIFIER_nondet_bool(void);
static atomic_int x, y, z, data[2];
static _Atomic(atomic_int *) p = &data[0];
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int g;
int odd(void) { return x % 2 && (y || z != 1); }
";
const ATOMS: [&str; 10] =
    ["x==1", "y==0", "z==x", "g==1", "*p==1", "x>y", "odd", "data[1]==2", "(y&&!z)", "p==&data[1]"];

struct Maker {
    random: Random,
    n_labels: u32,
    text: String,
}

impl Maker {
    fn line(&mut self, depth: usize, line: &str) {
        let _ = writeln!(self.text, "{}{line}", "    ".repeat(depth));
    }

    fn statements(&mut self, depth: usize, in_loop: bool) {
        for _ in 0..=self.random.below(3) {
            self.statement(depth, in_loop);
        }
    }

    fn statement(&mut self, depth: usize, in_loop: bool) {
        let var = self.random.pick(&["x", "y", "z", "x", "y", "data[0]", "data[1]"]);
        let other = self.random.pick(&["x", "y", "z"]);
        let value = self.random.below(3);
        match self.random.below(if depth < 3 { 17 } else { 12 }) {
            0 | 1 => self.line(depth, &format!("{var} = {value};")),
            2 | 3 => self.line(depth, &format!("{var} = ({other} + 1) % 3;")),
            4 => self.line(depth, &format!("atomic_fetch_xor(&{var}, 1);")),
            5 => self.line(depth, &format!("while ({other} != {value}) ;")),
            6 => {
                self.n_labels += 1;
                let label = self.n_labels;
                self.line(depth, &format!("progress{label}: ;"));
            }
            7 if in_loop => self.line(depth, &format!("if ({other} == {value}) break;")),
            7 | 8 => {
                self.line(depth, "pthread_mutex_lock(&m);");
                self.line(depth, &format!("g = ({other} + g) % 2;"));
                self.line(depth, "pthread_mutex_unlock(&m);");
            }
            9 => self.line(depth, &format!("p = &data[{}];", value % 2)),
            10 => self.line(depth, &format!("*p = {value};")),
            11 => {
                let line = self.random.pick(&["exit(0);", "pthread_exit(0);", "x = 2;", "y = 1;"]);
                self.line(depth, &format!("if ({other} == {value}) {line}"));
            }
            12 | 13 => self.block(depth, &format!("if ({other} == {value}) {{"), in_loop),
            14 => self.block(depth, "if (__VERIFIER_nondet_bool()) {", in_loop),
            15 => self.block(depth, "for (;;) {", true),
            _ => {
                self.line(depth, "pthread_mutex_lock(&m);");
                match self.random.chance(50) {
                    true => self.line(depth, "if (g == 0) pthread_cond_wait(&c, &m);"),
                    false => self.line(depth, "g = 1; pthread_cond_signal(&c);"),
                }
                self.line(depth, "pthread_mutex_unlock(&m);");
            }
        }
    }

    fn block(&mut self, depth: usize, open: &str, in_loop: bool) {
        self.line(depth, open);
        self.statements(depth + 1, in_loop);
        self.line(depth, "}");
    }

    fn program(mut self) -> (String, Vec<Vec<String>>) {
        self.text = PROLOGUE.to_owned();
        let n_threads = 1 + self.random.below(2);
        for thread in 0..n_threads {
            self.line(0, &format!("static void *work{thread}(void *unused) {{"));
            match self.random.chance(60) {
                true => self.block(1, "for (;;) {", true),
                false => self.statements(1, false),
            }
            self.line(0, "    return unused;\n}");
        }
        self.line(0, "int main(void) {");
        self.line(1, "pthread_t threads[2];");
        for thread in 0..n_threads {
            self.line(1, &format!("pthread_create(&threads[{thread}], 0, work{thread}, 0);"));
        }
        match self.random.below(4) {
            0 => self.block(1, "for (;;) {", true),
            1 => self.statements(1, false),
            _ => {}
        }
        if self.random.chance(60) {
            (0..n_threads).for_each(|thread| self.line(1, &format!("pthread_join(threads[{thread}], 0);")));
        }
        self.line(1, "return 0;\n}");
        let claims = (0..N_CLAIMS).map(|at| self.claim(at)).collect();
        (self.text, claims)
    }

    /// The words of a command line that make a claim.
    fn claim(&mut self, at: usize) -> Vec<String> {
        let words: Vec<String> = match at {
            0 => vec!["--property".to_owned(), self.random.pick(&["livelock", "termination"]).to_owned()],
            1 => vec!["--invariant".to_owned(), self.random.pick(&ATOMS).to_owned() + " || x != 2"],
            _ => vec!["--ltl".to_owned(), self.formula(3)],
        };
        let basic = ["--property".to_owned(), "assertion".to_owned()];
        let fair = (at > 1 && self.random.chance(50)).then(|| "--fair".to_owned());
        match at {
            0 => words,
            _ => words.into_iter().chain(basic).chain(fair).collect(),
        }
    }

    fn formula(&mut self, depth: u32) -> String {
        if depth == 0 || self.random.chance(15) {
            return format!("({})", self.random.pick(&ATOMS));
        }
        let one = self.formula(depth - 1);
        match self.random.below(8) {
            0 => format!("!({one})"),
            1 => format!("({one} && {})", self.formula(depth - 1)),
            2 => format!("({one} || {})", self.formula(depth - 1)),
            3 => format!("({one} -> {})", self.formula(depth - 1)),
            4 => format!("({one} U {})", self.formula(depth - 1)),
            5 => format!("<>({one})"),
            _ => format!("[]({one})"),
        }
    }
}

#[derive(Default)]
struct Tally {
    n_holds: usize,
    n_violated: usize,
    n_unknown: usize,
    n_limits: usize,
    n_unfit: usize,
    wrong: Vec<String>,
}

/// `words`: seeds `FIRST-LAST`.
pub fn run(words: &[&str]) -> Result<()> {
    let seeds = seeds(words, (1, 1000))?;
    let (folder, binary, start) = (scratch("claims")?, unpick()?, Instant::now());
    let tallies = in_parallel(&seeds, |seed| compare(&folder.join(seed.to_string()), &binary, *seed));
    let mut all = Tally::default();
    for (tally, seed) in tallies.into_iter().zip(&seeds) {
        let tally = tally.with_context(|| format!("seed {seed}"))?;
        all.n_holds += tally.n_holds;
        all.n_violated += tally.n_violated;
        all.n_unknown += tally.n_unknown;
        all.n_limits += tally.n_limits;
        all.n_unfit += tally.n_unfit;
        all.wrong.extend(tally.wrong);
    }
    println!(
        "claims about programs of several threads, {} seeds: flat states and the interpreter agree on {} that hold and {} \
         violated; {} unknown to the interpreter, {} cut by limits, {} not decided over flat states; {} wrong; wall {:.1} s",
        seeds.len(),
        all.n_holds,
        all.n_violated,
        all.n_unknown,
        all.n_limits,
        all.n_unfit,
        all.wrong.len(),
        start.elapsed().as_secs_f64(),
    );
    if all.wrong.is_empty() {
        std::fs::remove_dir_all(&folder)?;
        return Ok(());
    }
    bail!("wrong: {:#?}; programs in {}", all.wrong, folder.display());
}

fn compare(folder: &Path, binary: &Path, seed: u64) -> Result<Tally> {
    let (text, claims) = Maker { random: Random::new(seed), n_labels: 0, text: String::new() }.program();
    let source = prepare(folder, &text)?;
    let mut tally = Tally::default();
    for claim in claims {
        let (usual, _) = ask(binary, &source, &claim, "explicit")?;
        if usual == "limit" {
            tally.n_limits += 1;
            continue;
        }
        let (flat, is_flat) = ask(binary, &source, &claim, "flat")?;
        match (usual.as_str(), flat.as_str()) {
            (_, "limit") => tally.n_limits += 1,
            _ if !is_flat => tally.n_unfit += 1,
            // The interpreter may say less: what goes round without passing a point makes no progress for it.
            ("unknown", _) => tally.n_unknown += 1,
            (one, other) if one != other => {
                let words = claim.join(" ");
                let what = format!("seed {seed}: {one} on the interpreter, {other} over flat states: {words}");
                eprintln!("{what}");
                tally.wrong.push(what);
            }
            ("verified", _) => tally.n_holds += 1,
            _ => tally.n_violated += 1,
        }
    }
    if tally.wrong.is_empty() {
        std::fs::remove_dir_all(folder)?;
    }
    Ok(tally)
}

/// The verdict with the kind of a violation, and whether it was found over flat states.
fn ask(binary: &Path, source: &Path, claim: &[String], engine: &str) -> Result<(String, bool)> {
    let mut command = Command::new(binary);
    command.args(["check", "--quiet", "--json", "--time", SECONDS, "--memory", "2G", "--engine", engine]).args(claim);
    let Some(output) = output_within(command.arg(source), LIMIT)? else { return Ok(("limit".to_owned(), false)) };
    let Ok(json) = serde_json::from_slice::<serde_json::Value>(&output.stdout) else {
        bail!("{}: {}", claim.join(" "), String::from_utf8_lossy(&output.stderr));
    };
    let is_flat =
        json["stats"]["engine"].as_str().is_some_and(|engine| engine.contains("flat for claims") || engine == "flat");
    let reason = json["reason"].to_string();
    let verdict = json["verdict"].as_str().context("a report should have a verdict")?;
    let answer = match verdict {
        "violated" => format!("violated {}", json["violation"]["kind"].as_str().unwrap_or_default()),
        "unknown" if reason.contains("time") || reason.contains("memory") => "limit".to_owned(),
        _ => verdict.to_owned(),
    };
    Ok((answer, is_flat))
}
