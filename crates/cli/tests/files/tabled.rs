//! No verdict through a table contradicts the program: every C program under `tests/c` that says what it is worth is also
//! checked as a model that is extracted without a table.
//!
//! A model may know less, so `unknown` is always right. `verified` is wrong where the program has a violation that models
//! look for, `violated` where it has none.

use libtest_mimic::{Failed, Trial};

use crate::annotated::{Annotated, Language};
use crate::binary::{lossy, unpick};
use crate::on_all_cores;

/// Violations that models look for; they assume the others away.
const LOOKED_FOR: [&str; 3] = ["assertion", "deadlock", "reach-error"];

/// The assumption of a verified model about deadlocks of some threads.
const PARTIAL: &str = "threads that wait for each other while others run on";

/// One test of all programs, because what counts is also how many can be compared.
pub fn trials(files: &'static [Annotated]) -> Vec<Trial> {
    vec![Trial::test("tabled", || no_model_contradicts_its_program(files))]
}

fn no_model_contradicts_its_program(files: &[Annotated]) -> Result<(), Failed> {
    let programs: Vec<&Annotated> =
        files.iter().filter(|file| file.is_below("c") && file.language == Language::C).collect();
    let results = on_all_cores(&programs, |file| {
        compare(file).map_err(|(wanted, found)| format!("{}: {wanted}, but the model says {found}", file.name))
    });
    let n_compared = results.iter().filter(|result| matches!(result, Ok(true))).count();
    let wrong: Vec<String> = results.into_iter().filter_map(Result::err).collect();
    if !wrong.is_empty() {
        return Err(wrong.join("\n").into());
    }
    assert!(n_compared > 200, "only {n_compared} programs were compared");
    Ok(())
}

/// Whether there was something to compare; the verdicts if they contradict each other.
fn compare(file: &Annotated) -> Result<bool, (&str, String)> {
    let Some((flags, verdict)) = expected(file) else { return Ok(false) };
    let Some(found) = tabled(file, &flags) else { return Ok(false) };
    let is_looked_for = LOOKED_FOR.iter().any(|kind| verdict.strip_prefix("violated ") == Some(kind));
    let is_wrong = found.starts_with("no verdict")
        || found == "verified" && is_looked_for
        || found.starts_with("violated") && verdict == "verified";
    if is_wrong { Err((verdict, found)) } else { Ok(true) }
}

/// The flags of the first run that the verdict of the file is about, and the verdict.
fn expected(file: &Annotated) -> Option<(Vec<&str>, &str)> {
    let run = file.values("run").find(|run| run.starts_with("check") && !run.contains("=>"))?;
    let verdict = file.value("verdict")?;
    let flags: Vec<&str> = run.split_whitespace().skip(1).filter(|flag| *flag != "--json").collect();
    // What a formula says is another question, and time is given below. Words in quotes are not taken apart here.
    let others = ["--ltl", "--invariant", "--tabled", "--property", "--time"];
    let is_other = run.contains('\'') || flags.iter().any(|flag| others.contains(flag));
    (!is_other).then_some((flags, verdict))
}

/// The verdict through a model; none if the flags are not for models.
fn tabled(file: &Annotated, flags: &[&str]) -> Option<String> {
    let more: Vec<&str> = file.values("files").flat_map(str::split_whitespace).collect();
    let words = [&["check", "--tabled", "--time", "5s"], flags, &[file.file_name()], &more].concat();
    let output = unpick(file.folder(), &words).expect("unpick should start");
    let (text, errors) = (lossy(&output.stdout), lossy(&output.stderr));
    let verdict = text.lines().rev().find_map(|line| line.strip_prefix("verdict: ")).map(str::to_owned);
    let is_refused = errors.contains("is for programs") || errors.contains("extracted models know nothing of");
    if verdict.is_none() && !is_refused {
        // Sources that are wrong have no model either.
        let is_wrong_source = errors.contains("the source has");
        return (!is_wrong_source).then(|| format!("no verdict: {errors}"));
    }
    // Models do not look for deadlocks of some threads, and say so.
    let is_partial = file.file_name().starts_with("partial_deadlock") && text.contains(PARTIAL);
    verdict.filter(|verdict| !(is_partial && verdict == "verified"))
}
