//! Where the time of a plain search goes, by samples of `perf`, and how long memory takes to answer.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::measure::{Measured, our_command, read_ours, warm_up};
use super::{LIMIT, Row, Way};
use crate::campaign::output_within;

/// What functions do, by parts of their names; the first that fits.
const KINDS: [(&str, &[&str]); 7] = [
    ("looking up and inserting", &["finish_all", "ExactStore>::find", "ExactStore::add", "memcmp", "bcmp"]),
    ("growing the table", &["Rehash>::share", "Barrier::", "barrier::"]),
    ("hashing and calling for lines", &["begin_all"]),
    ("keeping new states", &["Worker<S,T>", "Lineage", "memmove", "memcpy", "frontier"]),
    ("making successors", &["Expander", "expand::", "Native", "native::", "context::", "[JIT]", "0x0000"]),
    ("compiling", &["cranelift", "regalloc2", "unpick_jit", "front_promela"]),
    ("the kernel, mostly clearing new pages", &["[k]"]),
];

/// The time of one model's search.
pub struct Profile {
    name: String,
    measured: Measured,
    /// Parts of the samples by kind, and what is left.
    shares: [f64; KINDS.len() + 1],
}

/// Samples a search; nothing if the machine has no `perf`.
pub fn profile(bench: &Path, folder: &Path, binary: &Path, row: &Row) -> Result<Option<Profile>> {
    let command = our_command(bench, binary, row, Way::Plain, 1);
    let data = folder.join("perf.data");
    let mut perf = Command::new("perf");
    perf.args(["record", "--event", "cpu-clock", "--freq", "1999", "--output"]).arg(&data).arg("--");
    perf.arg(command.get_program()).args(command.get_args()).current_dir(folder);
    warm_up(1e7);
    let Ok(Some(output)) = output_within(&mut perf, LIMIT) else { return Ok(None) };
    if !output.status.success() {
        return Ok(None);
    }
    let mut report = Command::new("perf");
    report.args(["report", "--stdio", "--no-children", "--sort", "dso,symbol", "--percent-limit", "0", "--input"]);
    let output = output_within(report.arg(&data).current_dir(folder), LIMIT)?.context("perf takes too long")?;
    let mut shares = [0.0; KINDS.len() + 1];
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let Some((share, what)) = line.trim().split_once('%') else { continue };
        let Ok(share) = share.parse::<f64>() else { continue };
        let fits = |(_, names): &(&str, &[&str])| names.iter().any(|name| what.contains(name));
        // What the kernel does has names of its own.
        let kind =
            if what.contains("[k]") { KINDS.len() - 1 } else { KINDS.iter().position(fits).unwrap_or(KINDS.len()) };
        shares[kind] += share / 100.0;
    }
    if shares.iter().sum::<f64>() < 0.5 {
        bail!("perf tells nothing: {}", String::from_utf8_lossy(&output.stdout));
    }
    warm_up(1e7);
    let measured = read_ours(folder, &command)?.context("the search should end")?;
    Ok(Some(Profile { name: row.name(), measured, shares }))
}

/// What a random access to memory takes, in words.
pub fn latency() -> Result<Vec<String>> {
    let mut rates = Command::new("cargo");
    rates.args(["run", "--release", "--quiet", "--package", "unpick-store", "--example", "rates", "--"]);
    let output = output_within(rates.args(["0.001", "60", "latency"]), LIMIT)?.context("memory takes too long")?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    Ok(text.lines().filter(|line| line.starts_with("random access")).map(str::to_owned).collect())
}

pub fn markdown(latency: &[String], rows: &[Profile]) -> String {
    let mut text =
        String::from("## Where the time of a plain search goes\n\nOne worker; nanoseconds per transition.\n\n");
    let mut lines = vec![String::from("| |"), String::from("|---|")];
    lines.extend(KINDS.iter().map(|(kind, _)| format!("| {kind} |")));
    lines.extend(["| the rest |".to_owned(), "| all |".to_owned()]);
    let mut all = Vec::new();
    for row in rows {
        let each = row.measured.seconds * 1e9 / row.measured.transitions;
        all.push(each);
        lines[0] += &format!(" {} |", row.name);
        lines[1] += "--:|";
        for (at, share) in row.shares.iter().enumerate() {
            lines[2 + at] += &format!(" {:.1} |", share * each);
        }
        lines[3 + KINDS.len()] += &format!(" {each:.1} |");
    }
    lines.iter().for_each(|line| text += &format!("{line}\n"));
    for line in latency {
        text += &format!("\nMemory: {line}.");
    }
    let large = latency
        .iter()
        .find(|line| line.contains("large"))
        .and_then(|line| line.split_whitespace().rev().find_map(|word| word.parse::<f64>().ok()));
    if let Some(large) = large {
        let middle = super::table::median(&mut all);
        text += &format!(
            "\n\nEvery transition looks at one line of the table at least, and at a record if its state is known. A transition \
             takes {middle:.0} ns in the middle, {:.2} of one random access: a search that waited for one access at a time \
             could not be faster than {:.0} million transitions per second, and this one makes {:.1} million, because lines are \
             called for in batches.",
            middle / large,
            1e3 / large,
            1e3 / middle,
        );
    }
    text + "\n"
}
