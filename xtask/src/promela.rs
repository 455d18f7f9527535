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
use self::spin::{Effort, Way};
use crate::campaign::{in_parallel, output_within, scratch, unpick};
use crate::sanitizers::seeds;

/// How often a smaller model is tried.
const MAX_TRIES: usize = 80;

/// Small models need little.
const EFFORT: Effort = Effort { time: Duration::from_secs(10), memory_mb: 2000, depths: &[200_000], slots: 20 };

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
    /// Counts of all states that were compared.
    n_counts: usize,
    /// Reduced searches that both finished, and those in which we stored no more states.
    n_reduced: usize,
    n_no_more: usize,
    /// SPIN's reduction changes its answer.
    contradictions: Vec<u64>,
    /// SPIN misses a fair execution that our interpreter has confirmed.
    missed: Vec<u64>,
    wrong: Vec<u64>,
}

impl Tally {
    fn add(&mut self, other: Tally) {
        self.verified += other.verified;
        self.violated += other.violated;
        self.rejected += other.rejected;
        self.limits += other.limits;
        self.n_counts += other.n_counts;
        self.n_reduced += other.n_reduced;
        self.n_no_more += other.n_no_more;
        self.contradictions.extend(other.contradictions);
        self.missed.extend(other.missed);
        self.wrong.extend(other.wrong);
    }
}

/// `words`: seeds `FIRST-LAST`.
pub fn run(words: &[&str]) -> Result<()> {
    let seeds = seeds(words, (1, 4000))?;
    Command::new("spin").arg("-V").output().context("spin should be installed (Debian: apt-get install spin)")?;
    let folder = scratch("promela")?;
    let binary = unpick()?;
    let start = Instant::now();
    let tallies = in_parallel(&seeds, |seed| compare(&folder.join(seed.to_string()), &binary, *seed));
    let mut all = Tally::default();
    for (tally, seed) in tallies.into_iter().zip(&seeds) {
        all.add(tally.with_context(|| format!("seed {seed}"))?);
    }
    println!(
        "random models, {} seeds, each without reduction and with it: SPIN says {} verified, {} violated, {} refused; {} too \
         large; {} counts of states compared; with reduction {} of {} searches store no more states than SPIN's; SPIN's \
         reduction changes its answer on {:?}, and fair executions are missed on {:?}; {} wrong; wall {:.1} s",
        seeds.len(),
        all.verified,
        all.violated,
        all.rejected,
        all.limits,
        all.n_counts,
        all.n_no_more,
        all.n_reduced,
        all.contradictions,
        all.missed,
        all.wrong.len(),
        start.elapsed().as_secs_f64(),
    );
    if all.wrong.is_empty() {
        std::fs::remove_dir_all(&folder)?;
        return Ok(());
    }
    bail!("wrong: {:?}; models in {}", all.wrong, folder.display());
}

/// How both are asked.
struct Asked {
    way: Way,
    options: Vec<&'static str>,
    compares_counts: bool,
}

/// The question without reduction and with it.
fn asked(question: Question, seed: u64) -> [Asked; 2] {
    let is_fair = question != Question::Safety && (seed / 7) % 3 == 2;
    [false, true].map(|is_reduced| one_asked(question, is_fair, is_reduced))
}

fn one_asked(question: Question, is_fair: bool, is_reduced: bool) -> Asked {
    // SPIN does not reduce models with rendezvous if executions have to be fair.
    let mut defines = if is_reduced && !is_fair { Vec::new() } else { vec!["-DNOREDUCE"] };
    let mut flags = Vec::new();
    let mut options = vec!["--time", "20s", "--reduce", if is_reduced { "auto" } else { "none" }];
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
        // SPIN writes assertions into claims.
        Question::Ltl | Question::Never => flags.push("-a"),
        // Assertions are not what is asked for. Without labels SPIN forgets what it was asked and looks for invalid ends.
        Question::Acceptance => flags.extend(["-a", "-A", "-E"]),
        Question::NonProgress => flags.extend(["-l", "-A"]),
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
    let answers = ask_all(folder, binary, &model, &asked)?;
    let [full, reduced] = &answers;
    let mut tally = Tally::default();
    match &full.theirs {
        Answer::Verified(_) => tally.verified += 1,
        Answer::Violated(_) => tally.violated += 1,
        Answer::Rejected(_) => tally.rejected += 1,
        Answer::Limit => {}
    }
    let all = [&full.theirs, &full.ours, &reduced.theirs, &reduced.ours];
    tally.limits += usize::from(all.contains(&&Answer::Limit));
    if let (Answer::Verified(_), Answer::Verified(_), true) = (&full.theirs, &full.ours, asked[0].compares_counts) {
        tally.n_counts += 1;
    }
    if let (Answer::Verified(theirs), Answer::Verified(ours), true) =
        (&reduced.theirs, &reduced.ours, asked[0].way != asked[1].way)
    {
        tally.n_reduced += 1;
        tally.n_no_more += usize::from(ours <= theirs);
    }
    if asked[0].way.flags.iter().any(|flag| flag == "-f") && is_missed(&answers) {
        tally.missed.push(seed);
        std::fs::remove_dir_all(folder)?;
        return Ok(tally);
    }
    tally.contradictions.extend((!full.theirs.is_met_by(&reduced.theirs)).then_some(seed));
    if is_any_wrong(&answers, &asked) {
        let smallest = shrink(folder, binary, &model, &asked);
        let answers = ask_all(folder, binary, &smallest, &asked)?;
        for (answers, asked) in answers.iter().zip(&asked) {
            let how = format!("spin {:?} {:?}, unpick {:?}", asked.way.defines, asked.way.flags, asked.options);
            eprintln!("seed {seed}: SPIN says {:?}, we say {:?} ({how})", answers.theirs, answers.ours);
            if let Some(asleep) = &answers.asleep {
                eprintln!("seed {seed}: we say {asleep:?} with --reduce sleep");
            }
        }
        eprintln!("{}", smallest.text());
        tally.wrong.push(seed);
        return Ok(tally);
    }
    std::fs::remove_dir_all(folder)?;
    Ok(tally)
}

/// What both say.
struct Answers {
    theirs: Answer,
    ours: Answer,
    /// Ours by fewer steps, where every state is found all the same.
    asleep: Option<Answer>,
}

/// Whether SPIN says nothing of an execution that we show twice. Under weak fairness it does not find all: `docs/promela.md`.
/// Ours was taken again on the interpreter, which looks at fairness too.
fn is_missed([full, reduced]: &[Answers; 2]) -> bool {
    let is_shown = |ours: &Answer| matches!(ours, Answer::Violated(_));
    matches!(full.theirs, Answer::Verified(_)) && is_shown(&full.ours) && is_shown(&reduced.ours)
}

/// Whether one of our answers is wrong. What SPIN says without reduction counts most: it errs less.
fn is_any_wrong([full, reduced]: &[Answers; 2], asked: &[Asked; 2]) -> bool {
    let is_decided = matches!(full.theirs, Answer::Verified(_) | Answer::Violated(_));
    let theirs = if is_decided { &full.theirs } else { &reduced.theirs };
    is_wrong(&full.theirs, &full.ours, asked[0].compares_counts)
        || is_wrong(theirs, &reduced.ours, false)
        || is_wrong(theirs, &full.ours, false)
        || is_wrong(&full.ours, &reduced.ours, false)
        || full.asleep.as_ref().is_some_and(|asleep| is_wrong(&full.ours, asleep, asked[0].compares_counts))
}

/// Whether our answer is not as good as SPIN's.
pub fn is_wrong(theirs: &Answer, ours: &Answer, compares_counts: bool) -> bool {
    let is_count_wrong = match (theirs, ours) {
        (Answer::Verified(theirs), Answer::Verified(ours)) => compares_counts && theirs != ours,
        _ => false,
    };
    is_count_wrong || !theirs.is_met_by(ours)
}

fn ask_all(folder: &Path, binary: &Path, model: &Model, asked: &[Asked; 2]) -> Result<[Answers; 2]> {
    std::fs::create_dir_all(folder)?;
    let file = Path::new("model.pml");
    std::fs::write(folder.join(file), model.text())?;
    let ours = |asked: &Asked| ask_file(folder, binary, file, &asked.options);
    let refused = spin::translate(folder, file, &EFFORT)?;
    let theirs = |asked: &Asked| match &refused {
        Some(refused) => Ok(refused.clone()),
        None => spin::ask(folder, &asked.way, &EFFORT),
    };
    let mut first = Answers { theirs: theirs(&asked[0])?, ours: ours(&asked[0])?, asleep: None };
    if asked[0].compares_counts {
        let options = asked[0].options.iter().map(|word| if *word == "none" { "sleep" } else { word });
        first.asleep = Some(ask_file(folder, binary, file, &options.collect::<Vec<_>>())?);
    }
    let theirs = if asked[0].way == asked[1].way { first.theirs.clone() } else { theirs(&asked[1])? };
    let second = Answers { theirs, ours: ours(&asked[1])?, asleep: None };
    Ok([first, second])
}

/// What we say of a model.
pub fn ask_file(folder: &Path, binary: &Path, file: &Path, options: &[&str]) -> Result<Answer> {
    let mut command = Command::new(binary);
    command.args(["check", "--json", "--quiet"]).args(options).arg(file).current_dir(folder);
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

/// Takes parts out as long as some answer is wrong.
fn shrink(folder: &Path, binary: &Path, model: &Model, asked: &[Asked; 2]) -> Model {
    let mut best = model.clone();
    let mut n_tries = 0;
    'again: loop {
        for smaller in best.smaller() {
            n_tries += 1;
            if n_tries > MAX_TRIES {
                return best;
            }
            let Ok(answers) = ask_all(folder, binary, &smaller, asked) else { continue };
            if !matches!(answers[0].theirs, Answer::Rejected(_)) && is_any_wrong(&answers, asked) {
                best = smaller;
                continue 'again;
            }
        }
        return best;
    }
}
