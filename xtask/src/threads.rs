//! Random programs of several threads: every reduction must say what brute force says, and the compiled program must do
//! nothing that we say cannot happen.

mod ask;
pub mod claims;
mod generate;
mod native;
mod program;

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use self::ask::{Answer, QUESTIONS, Question, ask, prepare, ways};
use self::generate::{Generated, generate};
use crate::campaign::{in_parallel, scratch, unpick};
use crate::sanitizers::seeds;

/// Times a compiled program is run.
const N_RUNS: u32 = 24;
/// One in so many programs is compiled.
const COMPILED: u64 = 3;

#[derive(Default)]
struct Tally {
    verified: usize,
    violated: usize,
    unknown: usize,
    /// Questions whose brute force takes too long; the reductions are still compared with each other.
    too_many: usize,
    n_compared: usize,
    n_native_failures: usize,
    wrong: Vec<(u64, String)>,
}

/// `words`: seeds `FIRST-LAST`.
pub fn run(words: &[&str]) -> Result<()> {
    let seeds = seeds(words, (1, 2000))?;
    let folder = scratch("threads")?;
    let binary = unpick()?;
    let ways = ways(&binary)?;
    let start = Instant::now();
    let tallies = in_parallel(&seeds, |seed| compare(&folder.join(seed.to_string()), &binary, &ways, *seed));
    let mut all = Tally::default();
    for (tally, seed) in tallies.into_iter().zip(&seeds) {
        let tally = tally.with_context(|| format!("seed {seed}"))?;
        all.verified += tally.verified;
        all.violated += tally.violated;
        all.unknown += tally.unknown;
        all.too_many += tally.too_many;
        all.n_compared += tally.n_compared;
        all.n_native_failures += tally.n_native_failures;
        all.wrong.extend(tally.wrong);
    }
    println!(
        "programs of several threads, {} seeds: {} ways to search agree on {} answers ({} verified, {} violated, {} \
         unknown), {} of them over flat states; {} questions too large for brute force; failures seen in {} compiled programs, all known to us; {} \
         wrong; wall {:.1} s",
        seeds.len(),
        ways.len(),
        all.n_compared,
        all.verified,
        all.violated,
        all.unknown,
        ask::N_FLAT.load(std::sync::atomic::Ordering::Relaxed),
        all.too_many,
        all.n_native_failures,
        all.wrong.len(),
        start.elapsed().as_secs_f64(),
    );
    if all.wrong.is_empty() {
        std::fs::remove_dir_all(&folder)?;
        return Ok(());
    }
    let wrong: Vec<u64> = all.wrong.iter().map(|(seed, _)| *seed).collect();
    bail!("wrong: {wrong:?}; programs in {}", folder.display());
}

fn compare(folder: &Path, binary: &Path, ways: &[Vec<String>], seed: u64) -> Result<Tally> {
    let generated = generate(seed);
    let source = prepare(folder, &generated.program.text())?;
    let mut tally = Tally::default();
    let mut answers = Vec::new();
    for question in &QUESTIONS {
        let (answer, disagreement) = ask_all(binary, &source, question, ways, &mut tally)?;
        if let Some((one, other)) = disagreement {
            let smallest = shrink(&generated, folder, |folder, smaller| {
                let source = prepare(folder, &smaller.program.text())?;
                let (first, second) = (ask(binary, &source, question, one)?, ask(binary, &source, question, other)?);
                Ok(disagree(&first, &second))
            });
            let (one, other) = (one.join(" "), other.join(" "));
            let why = format!("{} ({}): `{one}` and `{other}` disagree", question.name, question.properties);
            eprintln!("seed {seed}: {why} on\n{}", smallest.program.text());
            tally.wrong.push((seed, why));
        }
        answers.push(answer);
    }
    if seed.is_multiple_of(COMPILED) {
        compare_native(folder, &generated, &answers, seed, &mut tally)?;
    }
    if tally.wrong.is_empty() {
        std::fs::remove_dir_all(folder)?;
    }
    Ok(tally)
}

type Disagreement<'a> = (&'a [String], &'a [String]);

/// Asks in every way; gives the answer, and two ways that differ.
fn ask_all<'a>(
    binary: &Path,
    source: &Path,
    question: &Question,
    ways: &'a [Vec<String>],
    tally: &mut Tally,
) -> Result<(Answer, Option<Disagreement<'a>>)> {
    let mut first: Option<(&[String], Answer)> = None;
    let mut disagreement = None;
    for (at, way) in ways.iter().enumerate().filter(|(_, way)| question.is_asked(way)) {
        let answer = ask(binary, source, question, way)?;
        if let Answer::Broken(why) = &answer {
            bail!("{}: {why}", way.join(" "));
        }
        if answer == Answer::Limit {
            tally.too_many += usize::from(at == 0);
            continue;
        }
        tally.n_compared += 1;
        match &first {
            None => first = Some((way, answer)),
            Some((one, known)) => {
                if disagree(known, &answer) {
                    disagreement = disagreement.or(Some((*one, way.as_slice())));
                }
            }
        }
    }
    let answer = first.map_or(Answer::Limit, |(_, answer)| answer);
    match answer {
        Answer::Verified => tally.verified += 1,
        Answer::Violated(_) => tally.violated += 1,
        Answer::Unknown(_) | Answer::Limit | Answer::Broken(_) => tally.unknown += 1,
    }
    Ok((answer, disagreement))
}

fn disagree(one: &Answer, other: &Answer) -> bool {
    let says_nothing = |answer: &Answer| matches!(answer, Answer::Limit | Answer::Broken(_));
    // Which of several doubts is named depends on what was met.
    let are_unknown = matches!((one, other), (Answer::Unknown(_), Answer::Unknown(_)));
    !says_nothing(one) && !says_nothing(other) && !are_unknown && one != other
}

/// Compares with the compiled program, as far as C promises it to behave.
fn compare_native(
    folder: &Path,
    generated: &Generated,
    answers: &[Answer],
    seed: u64,
    tally: &mut Tally,
) -> Result<()> {
    let [all, race, default, _] = answers else { bail!("there should be four answers") };
    // A program with a race may do anything.
    if *race != Answer::Verified && *default != Answer::Verified {
        return Ok(());
    }
    let known = match all {
        Answer::Violated(errors) => errors.clone(),
        _ => Default::default(),
    };
    let may_hang = generated.may_spin || known.iter().any(|(kind, _)| kind == "deadlock");
    // On a busy machine a run takes its time.
    let patience = Duration::from_millis(if may_hang { 300 } else { 20_000 });
    let seen = native::run(folder, generated, N_RUNS, patience)?;
    tally.n_native_failures += usize::from(seen.race || seen.hang || !seen.assertions.is_empty());
    let is_clean = known.iter().all(|(kind, _)| kind == "assertion" || kind == "deadlock");
    let mut complaints = Vec::new();
    if seen.race && *race == Answer::Verified && is_clean {
        complaints.push("a data race was seen, and we know of none".to_owned());
    }
    if matches!(all, Answer::Verified | Answer::Violated(_)) && is_clean {
        let new = seen.assertions.iter().filter(|line| !known.contains(&("assertion".to_owned(), **line)));
        complaints.extend(new.map(|line| format!("the assertion in line {line} was seen to fail")));
        if seen.hang && !may_hang {
            complaints.push("a run did not end, and we know of no deadlock".to_owned());
        }
    }
    for complaint in complaints {
        eprintln!("seed {seed}: {complaint} in\n{}", generated.program.text());
        tally.wrong.push((seed, complaint));
    }
    Ok(())
}

/// Takes parts out as long as the program stays interesting.
fn shrink(
    generated: &Generated,
    folder: &Path,
    is_interesting: impl Fn(&Path, &Generated) -> Result<bool>,
) -> Generated {
    let folder = folder.join("smaller");
    let mut best = generated.clone();
    'again: loop {
        for program in best.program.smaller() {
            let smaller = Generated { program, ..best.clone() };
            // What the compiler rejects is not interesting.
            if is_interesting(&folder, &smaller).unwrap_or(false) {
                best = smaller;
                continue 'again;
            }
        }
        let _ = std::fs::write(folder.join("smallest.c"), best.program.text());
        return best;
    }
}
