//! Models that others wrote: for every file below a folder that SPIN takes, `unpick check` must take it and say the same,
//! with and without reduction, for safety and for every claim in it.
//!
//! The table is the memory of the campaign: what it tells of is not asked again, so that a long comparison can be made
//! in slices.

mod table;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use self::table::Table;
use crate::campaign::{in_parallel, scratch, unpick};
use crate::promela::spin::{self, Effort, Way};
use crate::promela::{Answer, ask_file, is_wrong};

const USAGE: &str = "usage: cargo xtask models FOLDER [--out FILE] [--seconds N] [--minutes N]";

/// Memory for each search.
const MEMORY_MB: u64 = 4000;

/// One question about one model.
struct Question {
    what: String,
    way: Way,
    options: Vec<String>,
    compares_counts: bool,
}

/// What the command line says.
struct Settings {
    folder: PathBuf,
    out: Option<PathBuf>,
    /// For each search.
    seconds: u64,
    /// When no further model is begun.
    minutes: Option<u64>,
}

impl Settings {
    fn read(words: &[&str]) -> Result<Settings> {
        let [folder, options @ ..] = words else { bail!(USAGE) };
        let folder = Path::new(folder).canonicalize().with_context(|| (*folder).to_owned())?;
        let mut settings = Settings { folder, out: None, seconds: 20, minutes: None };
        for pair in options.chunks(2) {
            match pair {
                ["--out", file] => settings.out = Some(file.into()),
                ["--seconds", n] => settings.seconds = n.parse().context(USAGE)?,
                ["--minutes", n] => settings.minutes = Some(n.parse().context(USAGE)?),
                _ => bail!(USAGE),
            }
        }
        Ok(settings)
    }
}

/// `words`: the folder, where the table goes, and limits.
pub fn run(words: &[&str]) -> Result<()> {
    let settings = Settings::read(words)?;
    let mut files = Vec::new();
    collect(&settings.folder, &mut files)?;
    files.sort();
    let before = settings.out.as_ref().and_then(|out| std::fs::read_to_string(out).ok()).unwrap_or_default();
    let mut table = Table::read(&before);
    let name = |file: &Path| file.strip_prefix(&settings.folder).unwrap_or(file).display().to_string();
    let new: Vec<_> = files.iter().filter(|file| !table.knows(&name(file))).enumerate().collect();
    let (place, binary, start) = (scratch("models")?, unpick()?, Instant::now());
    let is_late = || settings.minutes.is_some_and(|minutes| start.elapsed() > Duration::from_secs(60 * minutes));
    let found = in_parallel(&new, |(number, file)| -> Result<Option<Table>> {
        if is_late() {
            return Ok(None);
        }
        let name = name(file);
        let rows = compare(&place.join(number.to_string()), &binary, file, &name, settings.seconds);
        let rows = rows.with_context(|| name.clone())?;
        eprint!("{}", rows.rows());
        Ok(Some(rows))
    });
    let mut n_left = 0;
    for rows in found {
        match rows? {
            Some(rows) => table.extend(rows),
            None => n_left += 1,
        }
    }
    let text = table.text(settings.seconds, MEMORY_MB);
    match &settings.out {
        Some(out) => std::fs::write(out, &text).with_context(|| out.display().to_string())?,
        None => print!("{text}"),
    }
    std::fs::remove_dir_all(&place)?;
    println!("{}{}", table.summary(), if n_left > 0 { format!(" {n_left} models are left.") } else { String::new() });
    match table.n_differ() {
        0 => Ok(()),
        n => bail!("{n} answers differ"),
    }
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    for entry in std::fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|ending| ["pml", "pm", "prom"].iter().any(|known| ending == *known)) {
            files.push(path);
        }
    }
    Ok(())
}

fn compare(place: &Path, binary: &Path, file: &Path, name: &str, seconds: u64) -> Result<Table> {
    std::fs::create_dir_all(place)?;
    let text = String::from_utf8_lossy(&std::fs::read(file)?).into_owned();
    let time = Duration::from_secs(seconds);
    let effort = Effort { time, memory_mb: MEMORY_MB, depths: &[200_000, 10_000_000], slots: 22 };
    let limits = ["--time".to_owned(), format!("{seconds}s"), "--memory".to_owned(), format!("{MEMORY_MB}MB")];
    let mut table = Table::default();
    let refused = spin::translate(place, file, &effort)?;
    let mut last: Option<(Way, Answer)> = None;
    for question in questions(&text) {
        let theirs = match (&refused, last.take()) {
            (Some(refused), _) => refused.clone(),
            (None, Some((way, answer))) if way == question.way => answer,
            (None, _) => spin::ask(place, &question.way, &effort)?,
        };
        last = Some((question.way.clone(), theirs.clone()));
        let options: Vec<&str> = limits.iter().chain(&question.options).map(String::as_str).collect();
        let mut ours = ask_file(place, binary, file, &options)?;
        if ours == Answer::Limit && matches!(theirs, Answer::Violated(_)) {
            // As SPIN goes: deep first finds what is wrong far away.
            let deep: Vec<&str> = options.iter().copied().chain(["--search", "depth"]).collect();
            ours = ask_file(place, binary, file, &deep)?;
        }
        let is_wrong = is_wrong(&theirs, &ours, question.compares_counts);
        for (who, answer) in [("SPIN", &theirs), ("unpick", &ours)] {
            if let Answer::Rejected(why) = answer {
                eprintln!("{name}: {who}: {why}");
            }
        }
        table.push(name, &question.what, &theirs, &ours, is_wrong);
        if refused.is_some() {
            break;
        }
    }
    std::fs::remove_dir_all(place)?;
    Ok(table)
}

/// Safety by all steps, by enough of them for every state, and with reduction; then every claim.
fn questions(text: &str) -> Vec<Question> {
    let safety = |what: &str, reduce: &str| {
        let is_reduced = reduce == "auto";
        let mut defines = vec!["-DSAFETY".to_owned(), "-DNOCLAIM".to_owned()];
        defines.extend((!is_reduced).then(|| "-DNOREDUCE".to_owned()));
        Question {
            what: format!("safety, {what}"),
            way: Way { defines, flags: Vec::new() },
            options: ["--property", "assertion,end-state", "--reduce", reduce].map(str::to_owned).to_vec(),
            compares_counts: !is_reduced,
        }
    };
    let claim = |name: &str| Question {
        what: format!("claim {name}"),
        way: Way {
            defines: vec!["-DNOREDUCE".to_owned()],
            flags: vec!["-a".to_owned(), "-N".to_owned(), name.to_owned()],
        },
        options: ["--property", name].map(str::to_owned).to_vec(),
        compares_counts: false,
    };
    let mut questions = vec![safety("every step", "none"), safety("every state", "sleep"), safety("reduced", "auto")];
    questions.extend(claims(text).iter().map(|name| claim(name)));
    questions
}

/// Names of claims, as SPIN gives them to those that have none.
fn claims(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    for line in text.lines() {
        let mut words = line.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty());
        let (first, second) = (words.next(), words.next());
        let is_named = |keyword: &str| {
            let rest = line.trim_start().strip_prefix(keyword)?;
            let rest = rest.strip_prefix([' ', '\t'])?.trim_start();
            rest.starts_with(|c: char| c.is_alphabetic() || c == '_').then_some(())
        };
        match first {
            Some("ltl") if line.contains('{') => match is_named("ltl") {
                Some(()) => names.extend(second.map(str::to_owned)),
                None => names.push("ltl_0".to_owned()),
            },
            Some("never") if line.trim_start().starts_with("never") && line.contains('{') => match is_named("never") {
                Some(()) => names.extend(second.map(str::to_owned)),
                None => names.push("never_0".to_owned()),
            },
            _ => {}
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn claims_are_found_by_name() {
        let text = "ltl p { []<> x }\nltl { [] y }\nnever { /* z */\nnever eventually {\n// ltl\nint ltl_x;\n";
        assert_eq!(claims(text), ["p", "ltl_0", "never_0", "eventually"]);
    }
}
