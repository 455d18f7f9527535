//! Models that others wrote: for every file below a folder that SPIN takes, `unpick check` must take it and say the same,
//! with and without reduction, for safety and for every claim in it.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::campaign::{in_parallel, scratch, unpick};
use crate::promela::spin::{self, Way};
use crate::promela::{Answer, ask_file, is_wrong};

const USAGE: &str = "usage: cargo xtask models FOLDER [--out FILE]";

/// One question about one model.
struct Question {
    what: String,
    way: Way,
    options: Vec<String>,
    compares_counts: bool,
}

/// What both said.
struct Row {
    name: String,
    what: String,
    theirs: Answer,
    ours: Answer,
    is_wrong: bool,
}

/// `words`: the folder, and where the table goes.
pub fn run(words: &[&str]) -> Result<()> {
    let (folder, out) = match words {
        [folder] => (Path::new(folder), None),
        [folder, "--out", out] => (Path::new(folder), Some(Path::new(out))),
        _ => bail!(USAGE),
    };
    let folder = folder.canonicalize().with_context(|| folder.display().to_string())?;
    let mut files = Vec::new();
    collect(&folder, &mut files)?;
    files.sort();
    let (place, binary) = (scratch("models")?, unpick()?);
    let numbered: Vec<_> = files.iter().enumerate().collect();
    let rows = in_parallel(&numbered, |(number, file)| {
        let name = file.strip_prefix(&folder).unwrap_or(file).display().to_string();
        let rows = compare(&place.join(number.to_string()), &binary, file, &name).with_context(|| name.clone());
        eprintln!("{name}");
        rows
    });
    let rows: Vec<Row> = rows.into_iter().collect::<Result<Vec<_>>>()?.into_iter().flatten().collect();
    let text = table(&rows);
    print!("{text}");
    if let Some(out) = out {
        std::fs::write(out, &text).with_context(|| out.display().to_string())?;
    }
    match rows.iter().filter(|row| row.is_wrong).count() {
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

fn compare(place: &Path, binary: &Path, file: &Path, name: &str) -> Result<Vec<Row>> {
    std::fs::create_dir_all(place)?;
    let text = String::from_utf8_lossy(&std::fs::read(file)?).into_owned();
    let mut rows = Vec::new();
    for question in questions(&text) {
        let theirs = spin::ask_file(place, file, &question.way)?;
        let options: Vec<&str> = question.options.iter().map(String::as_str).collect();
        let ours = ask_file(place, binary, file, &options)?;
        let is_wrong = is_wrong(&theirs, &ours, question.compares_counts);
        let is_refused = matches!(theirs, Answer::Rejected(_));
        rows.push(Row { name: name.to_owned(), what: question.what, theirs, ours, is_wrong });
        if is_refused {
            break;
        }
    }
    std::fs::remove_dir_all(place)?;
    Ok(rows)
}

/// Safety without and with reduction, then every claim.
fn questions(text: &str) -> Vec<Question> {
    let safety = |is_reduced: bool| {
        let mut defines = vec!["-DSAFETY".to_owned(), "-DNOCLAIM".to_owned()];
        defines.extend((!is_reduced).then(|| "-DNOREDUCE".to_owned()));
        let reduce = if is_reduced { "auto" } else { "none" };
        Question {
            what: format!("safety, {}", if is_reduced { "reduced" } else { "every state" }),
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
    let mut questions = vec![safety(false), safety(true)];
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

fn table(rows: &[Row]) -> String {
    let mut text = String::from("| model | question | SPIN | unpick | |\n|---|---|---|---|---|\n");
    for row in rows {
        let mark = if row.is_wrong { "differs" } else { "" };
        let (theirs, ours) = (told(&row.theirs), told(&row.ours));
        writeln!(text, "| {} | {} | {theirs} | {ours} | {mark} |", row.name, row.what).expect("a string takes text");
    }
    let count = |is: &dyn Fn(&Row) -> bool| rows.iter().filter(|row| is(row)).count();
    let decided = |answer: &Answer| matches!(answer, Answer::Verified(_) | Answer::Violated(_));
    writeln!(
        text,
        "\n{} questions; SPIN answered {}, we {}; both {}; {} differ.",
        rows.len(),
        count(&|row| decided(&row.theirs)),
        count(&|row| decided(&row.ours)),
        count(&|row| decided(&row.theirs) && decided(&row.ours)),
        count(&|row| row.is_wrong),
    )
    .expect("a string takes text");
    text
}

fn told(answer: &Answer) -> String {
    let short = |text: &str| text.lines().next().unwrap_or("").replace('|', "/").chars().take(90).collect::<String>();
    match answer {
        Answer::Verified(states) => format!("verified, {states} states"),
        Answer::Violated(what) => format!("violated: {}", short(what)),
        Answer::Rejected(why) => format!("refused: {}", short(why)),
        Answer::Limit => "limit".to_owned(),
    }
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
