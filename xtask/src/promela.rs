//! Random models in Promela: `unpick check` must say what SPIN says, with and without reductions, and without them
//! count the same states.

mod generate;
mod model;
pub mod spin;

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use self::generate::{Question, generate};
use self::model::Model;
use self::spin::Way;
use crate::campaign::{in_parallel, output_within, scratch, unpick};
use crate::sanitizers::seeds;

/// How often a smaller model is tried.
const MAX_TRIES: usize = 80;

/// An answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// With the number of states.
    Verified(u64),
    /// With what is wrong.
    Violated(String),
    /// The model is wrong.
    Rejected(String),
    /// It took too long, or the answer is unknown.
    Limit,
}

impl Answer {
    /// Whether our answer is as good as SPIN's.
    fn is_met_by(&self, ours: &Answer) -> bool {
        match (self, ours) {
            // SPIN refuses a few harmless models, such as a loop that is left into a `d_step`.
            (Answer::Limit | Answer::Rejected(_), _) | (_, Answer::Limit) => true,
            (Answer::Verified(_), Answer::Verified(_)) => true,
            (Answer::Violated(_), Answer::Violated(_)) => true,
            (Answer::Verified(_) | Answer::Violated(_), _) => false,
        }
    }
}

#[derive(Default)]
struct Tally {
    verified: usize,
    violated: usize,
    rejected: usize,
    limits: usize,
    n_counts: usize,
    wrong: Option<String>,
}

/// `words`: seeds `FIRST-LAST`.
pub fn run(words: &[&str]) -> Result<()> {
    let seeds = seeds(words, (1, 2000))?;
    if Command::new("spin").arg("-V").output().is_err() {
        eprintln!("xtask: SKIPPED random models: spin is not installed");
        return Ok(());
    }
    let folder = scratch("promela")?;
    let binary = unpick()?;
    let start = Instant::now();
    let tallies = in_parallel(&seeds, |seed| compare(&folder.join(seed.to_string()), &binary, *seed));
    let mut all = Tally::default();
    let mut wrong = Vec::new();
    for (tally, seed) in tallies.into_iter().zip(&seeds) {
        let tally = tally.with_context(|| format!("seed {seed}"))?;
        all.verified += tally.verified;
        all.violated += tally.violated;
        all.rejected += tally.rejected;
        all.limits += tally.limits;
        all.n_counts += tally.n_counts;
        wrong.extend(tally.wrong.map(|_| *seed));
    }
    println!(
        "random models, {} seeds: {} verified, {} violated, {} refused by SPIN, {} too large; {} counts of states \
         compared; {} wrong; wall {:.1} s",
        seeds.len(),
        all.verified,
        all.violated,
        all.rejected,
        all.limits,
        all.n_counts,
        wrong.len(),
        start.elapsed().as_secs_f64(),
    );
    if wrong.is_empty() {
        std::fs::remove_dir_all(&folder)?;
        return Ok(());
    }
    bail!("wrong: {wrong:?}; models in {}", folder.display());
}

/// How both are asked.
struct Asked {
    way: Way,
    options: Vec<&'static str>,
    compares_counts: bool,
}

fn asked(question: Question, seed: u64) -> Asked {
    let number = seed / 7;
    let is_fair = question != Question::Safety && number % 3 == 2;
    // SPIN does not reduce models with rendezvous if executions have to be fair.
    let is_reduced = number.is_multiple_of(2) && !is_fair;
    let mut defines = if is_reduced { Vec::new() } else { vec!["-DNOREDUCE"] };
    let mut flags = Vec::new();
    let mut options = vec!["--reduce", if is_reduced { "auto" } else { "none" }];
    let properties = match question {
        Question::Safety => {
            defines.extend(["-DSAFETY", "-DNOCLAIM"]);
            "assertion,end-state"
        }
        Question::Ltl => "p",
        Question::Never => "never_0",
        Question::Acceptance => {
            defines.push("-DNOCLAIM");
            "acceptance"
        }
        Question::NonProgress => {
            defines.push("-DNP");
            "non-progress"
        }
    };
    options.extend(["--property", properties]);
    match question {
        Question::Safety => {}
        Question::Ltl | Question::Never => flags.push("-a"),
        // Without labels SPIN forgets what it was asked and looks for invalid ends.
        Question::Acceptance => flags.extend(["-a", "-E"]),
        Question::NonProgress => flags.push("-l"),
    }
    if is_fair {
        flags.push("-f");
        options.push("--fair");
    }
    let compares_counts = question == Question::Safety && !is_reduced;
    let owned = |words: Vec<&str>| words.into_iter().map(str::to_owned).collect();
    Asked { way: Way { defines: owned(defines), flags: owned(flags) }, options, compares_counts }
}

fn compare(folder: &Path, binary: &Path, seed: u64) -> Result<Tally> {
    let (model, question) = generate(seed);
    let asked = asked(question, seed);
    let mut tally = Tally::default();
    let (theirs, ours) = ask_both(folder, binary, &model, &asked)?;
    match &theirs {
        Answer::Verified(_) => tally.verified += 1,
        Answer::Violated(_) => tally.violated += 1,
        Answer::Rejected(_) => tally.rejected += 1,
        Answer::Limit => {}
    }
    tally.limits += usize::from(theirs == Answer::Limit || ours == Answer::Limit);
    if let (Answer::Verified(_), Answer::Verified(_), true) = (&theirs, &ours, asked.compares_counts) {
        tally.n_counts += 1;
    }
    if is_wrong(&theirs, &ours, asked.compares_counts) {
        let smallest = shrink(folder, binary, &model, &asked);
        let (theirs, ours) = ask_both(folder, binary, &smallest, &asked)?;
        let how = format!("spin {:?} {:?}, unpick {:?}", asked.way.defines, asked.way.flags, asked.options);
        let why = format!("seed {seed}: SPIN says {theirs:?}, we say {ours:?} ({how})");
        eprintln!("{why}\n{}", smallest.text());
        tally.wrong = Some(why);
        return Ok(tally);
    }
    std::fs::remove_dir_all(folder)?;
    Ok(tally)
}

/// Whether our answer is not as good as SPIN's.
pub fn is_wrong(theirs: &Answer, ours: &Answer, compares_counts: bool) -> bool {
    let is_count_wrong = match (theirs, ours) {
        (Answer::Verified(theirs), Answer::Verified(ours)) => compares_counts && theirs != ours,
        _ => false,
    };
    is_count_wrong || !theirs.is_met_by(ours)
}

fn ask_both(folder: &Path, binary: &Path, model: &Model, asked: &Asked) -> Result<(Answer, Answer)> {
    std::fs::create_dir_all(folder)?;
    std::fs::write(folder.join("model.pml"), model.text())?;
    Ok((spin::ask(folder, &asked.way)?, ask(folder, binary, &asked.options)?))
}

fn ask(folder: &Path, binary: &Path, options: &[&str]) -> Result<Answer> {
    ask_file(folder, binary, Path::new("model.pml"), options)
}

/// What we say of a model.
pub fn ask_file(folder: &Path, binary: &Path, file: &Path, options: &[&str]) -> Result<Answer> {
    let mut command = Command::new(binary);
    command.args(["check", "--json", "--quiet", "--time", "20s"]).args(options).arg(file).current_dir(folder);
    let Some(output) = output_within(&mut command, Duration::from_secs(120))? else { return Ok(Answer::Limit) };
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let field = |name: &str| {
        let at = text.find(&format!("\"{name}\":"))?;
        let rest = text[at..].split_once(':')?.1.trim_start();
        Some(rest.split([',', '}', '\n']).next()?.trim().trim_matches('"').to_owned())
    };
    match output.status.code() {
        Some(0) => Ok(Answer::Verified(field("states").context("states should be counted")?.parse()?)),
        Some(1) => Ok(Answer::Violated(field("kind").unwrap_or_default())),
        Some(2) => Ok(Answer::Rejected(String::from_utf8_lossy(&output.stderr).trim().to_owned())),
        Some(3) => {
            let reason = field("reason").unwrap_or_default();
            // Anything but a limit is something to look at.
            Ok(if reason.contains("limit") { Answer::Limit } else { Answer::Rejected(format!("unknown: {reason}")) })
        }
        _ => bail!("unpick failed: {}", String::from_utf8_lossy(&output.stderr)),
    }
}

/// Takes parts out as long as the answers differ in the same way.
fn shrink(folder: &Path, binary: &Path, model: &Model, asked: &Asked) -> Model {
    let mut best = model.clone();
    let mut n_tries = 0;
    'again: loop {
        for smaller in best.smaller() {
            n_tries += 1;
            if n_tries > MAX_TRIES {
                return best;
            }
            let Ok((theirs, ours)) = ask_both(folder, binary, &smaller, asked) else { continue };
            if !matches!(theirs, Answer::Rejected(_)) && is_wrong(&theirs, &ours, asked.compares_counts) {
                best = smaller;
                continue 'again;
            }
        }
        return best;
    }
}
