//! Programs of several threads: time to verdict of `unpick check` on C against `spin -a`, `gcc -O2` and `pan` on
//! Promela that means the same, both in one run on one machine.
//!
//! `bench/threads/NAME.c` says at its top what is expected and how large it is made:
//!
//! - `verdict: verified | violated KIND`;
//! - `flags: FLAGS` — for `unpick check` only;
//! - `row: small | medium | large FLAGS` — one measurement, macros for both sides; may be repeated.
//!
//! A verdict other than the expected one is an error on either side; no verdict within the limits is a row without
//! a ratio.

mod peer;
mod table;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use crate::campaign::{Cost, measured, scratch, unpick};

const USAGE: &str =
    "usage: cargo xtask bench threads [--sizes small,medium,large] [--repeat N] [--out FOLDER] [NAME...]";

/// Whoever needs longer has no verdict.
const LIMIT: Duration = Duration::from_secs(300);

/// One program at one size.
struct Row {
    name: String,
    size: String,
    macros: Vec<String>,
    flags: Vec<String>,
    verdict: Verdict,
}

/// What both sides can say. Kinds other than these two make no sense in Promela.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Verdict {
    Verified,
    Assertion,
    Deadlock,
    /// Out of time or memory.
    None,
}

/// What one side needed for one row; times in seconds, memory of the process that explores.
#[derive(Clone)]
struct Measured {
    verdict: Verdict,
    cost: Cost,
    /// Of this: exploring, without reading or compiling the program.
    search_seconds: f64,
    states: f64,
}

struct Compared {
    row: Row,
    ours: Measured,
    spin: peer::Cycle,
}

pub fn run(words: &[&str]) -> Result<()> {
    let (mut sizes, mut out, mut names, mut n_repetitions) = (None, None, Vec::new(), 3);
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match *word {
            "--sizes" => sizes = Some(*words.next().context(USAGE)?),
            "--repeat" => n_repetitions = words.next().context(USAGE)?.parse::<usize>().context(USAGE)?.max(1),
            "--out" => out = Some(PathBuf::from(words.next().context(USAGE)?)),
            _ if word.starts_with('-') => bail!(USAGE),
            _ => names.push(*word),
        }
    }
    let suite = Path::new("bench/threads").canonicalize().context("bench/threads (run from the project's root)")?;
    let mut rows = rows(&suite)?;
    rows.retain(|row| names.is_empty() || names.contains(&row.name.as_str()));
    rows.retain(|row| sizes.is_none_or(|sizes| sizes.split(',').any(|size| size == row.size)));
    let binary = unpick()?;
    let folder = scratch("bench-threads")?;
    let out = match out {
        Some(out) => Some(out),
        None if names.is_empty() && sizes.is_none() => Some(PathBuf::from("bench/runs").join(run_name()?)),
        None => None,
    };
    let mut compared = Vec::new();
    for row in rows {
        eprintln!("{} {} {}", row.name, row.size, row.macros.join(" "));
        compared.push(compare(&suite, &folder, &binary, row, n_repetitions)?);
        // After every row: what was measured survives what goes wrong later.
        if let Some(out) = &out {
            std::fs::create_dir_all(out)?;
            std::fs::write(out.join("threads.md"), table::markdown(&compared))?;
            std::fs::write(out.join("threads.csv"), table::csv(&compared))?;
        }
    }
    std::fs::remove_dir_all(&folder)?;
    print!("{}", table::markdown(&compared));
    Ok(())
}

/// Folder names under `bench/runs` tell date and machine.
fn run_name() -> Result<String> {
    let date = Command::new("date").arg("+%F").output().context("cannot run date")?;
    let n_cores = std::thread::available_parallelism().map_or(1, |n| n.get());
    Ok(format!("{}-{}-{n_cores}-cores", String::from_utf8_lossy(&date.stdout).trim(), std::env::consts::ARCH))
}

fn rows(suite: &Path) -> Result<Vec<Row>> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(suite)?.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
    files.retain(|file| file.extension().is_some_and(|extension| extension == "c"));
    files.sort();
    let mut rows = Vec::new();
    for file in files {
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&file)?;
        rows.extend(read_rows(&name, &text).with_context(|| file.display().to_string())?);
    }
    Ok(rows)
}

fn read_rows(name: &str, text: &str) -> Result<Vec<Row>> {
    let value = |key: &str| -> Vec<&str> {
        let lines = text.lines().take_while(|line| line.starts_with("//"));
        lines.filter_map(|line| line.strip_prefix("// ")?.strip_prefix(key)?.strip_prefix(": ")).collect()
    };
    let words = |text: &str| -> Vec<String> { text.split_whitespace().map(str::to_owned).collect() };
    let verdict = match value("verdict").as_slice() {
        ["verified"] => Verdict::Verified,
        ["violated assertion"] => Verdict::Assertion,
        ["violated deadlock"] => Verdict::Deadlock,
        other => bail!("no verdict to compare: {other:?}"),
    };
    let flags: Vec<String> = value("flags").into_iter().flat_map(words).collect();
    let rows = value("row").into_iter().map(|row| {
        let (size, macros) = row.split_once(' ').context("a row has a size and macros")?;
        if !["small", "medium", "large"].contains(&size) {
            bail!("`{size}` is no size");
        }
        let (name, size) = (name.to_owned(), size.to_owned());
        Ok(Row { name, size, macros: words(macros), flags: flags.clone(), verdict })
    });
    let rows: Vec<Row> = rows.collect::<Result<_>>()?;
    if rows.is_empty() {
        bail!("no row");
    }
    Ok(rows)
}

/// The middle of some runs counts where both are quick.
fn compare(suite: &Path, folder: &Path, binary: &Path, row: Row, n_repetitions: usize) -> Result<Compared> {
    let n_repetitions = if row.size == "small" { n_repetitions } else { 1 };
    let (mut ours, mut spin) = (Vec::new(), Vec::new());
    for _ in 0..n_repetitions {
        ours.push(check(suite, folder, binary, &row)?);
        spin.push(peer::cycle(suite, folder, &row)?);
    }
    ours.sort_by(|a, b| a.cost.wall.total_cmp(&b.cost.wall));
    spin.sort_by(|a, b| a.cost().wall.total_cmp(&b.cost().wall));
    let (ours, spin) = (ours.swap_remove(n_repetitions / 2), spin.swap_remove(n_repetitions / 2));
    for (who, verdict) in [("unpick", ours.verdict), ("spin", spin.pan.verdict)] {
        if verdict != row.verdict && verdict != Verdict::None {
            bail!("{} {}: {who} says {verdict:?} instead of {:?}", row.name, row.macros.join(" "), row.verdict);
        }
    }
    eprintln!(
        "  unpick {:.2} s, CPU {:.2} s; spin {:.2} s, CPU {:.2} s",
        ours.cost.wall,
        ours.cost.cpu,
        spin.cost().wall,
        spin.cost().cpu,
    );
    Ok(Compared { row, ours, spin })
}

fn check(suite: &Path, folder: &Path, binary: &Path, row: &Row) -> Result<Measured> {
    let mut command = Command::new(binary);
    command.args(["check", "--json", "--quiet", "--trace", "none", "--memory", "6G", "--time"]);
    command.arg(format!("{}s", LIMIT.as_secs())).args(&row.flags).args(&row.macros);
    command.arg(suite.join(format!("{}.c", row.name)));
    let found = measured(command.current_dir(folder), LIMIT * 2)?;
    let (output, cost) = found.context("unpick ignores its time limit")?;
    let json: serde_json::Value = serde_json::from_slice(&output.stdout)
        .with_context(|| format!("{command:?}: {}", String::from_utf8_lossy(&output.stderr)))?;
    let verdict = match (json["verdict"].as_str(), json["violation"]["kind"].as_str()) {
        (Some("verified"), _) => Verdict::Verified,
        (Some("violated"), Some("assertion")) => Verdict::Assertion,
        (Some("violated"), Some("deadlock")) => Verdict::Deadlock,
        (Some("unknown"), _) => Verdict::None,
        other => bail!("{}: unexpected verdict {other:?}", row.name),
    };
    let number = |key: &str| json["stats"][key].as_f64().with_context(|| format!("no `{key}` in the statistics"));
    Ok(Measured { verdict, cost, search_seconds: number("seconds")?, states: number("states")? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_head_of_a_program_gives_its_rows() {
        let text = "// Title.\n// verdict: violated deadlock\n// flags: --no-spurious\n// row: small -DN=2\n\
                    // row: large -DN=9 -DM=1\nint x;\n// row: small -DN=3\n";
        let rows = read_rows("name", text).expect("the head should be right");
        let shown: Vec<_> = rows.iter().map(|row| (row.size.as_str(), row.macros.join(" "))).collect();
        assert_eq!(shown, [("small", "-DN=2".to_owned()), ("large", "-DN=9 -DM=1".to_owned())]);
        assert!(rows.iter().all(|row| row.verdict == Verdict::Deadlock && row.flags == ["--no-spurious"]));
    }

    #[test]
    fn a_head_that_says_too_little_is_refused() {
        assert!(read_rows("name", "// row: small -DN=2\n").is_err());
        assert!(read_rows("name", "// verdict: verified\n").is_err());
        assert!(read_rows("name", "// verdict: verified\n// row: huge -DN=2\n").is_err());
    }

    #[test]
    fn every_program_of_the_suite_has_a_model_and_rows() {
        let suite = Path::new(env!("CARGO_MANIFEST_DIR")).join("../bench/threads");
        let rows = rows(&suite).expect("the suite should be well-formed");
        let mut names: Vec<&str> = rows.iter().map(|row| row.name.as_str()).collect();
        names.dedup();
        assert!(names.len() >= 20, "only {} programs", names.len());
        for name in names {
            assert!(suite.join(format!("{name}.pml")).exists(), "{name} has no model");
        }
    }
}
