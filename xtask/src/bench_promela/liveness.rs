//! Endless executions: cycles that a claim accepts, cycles without progress, weak fairness, against SPIN's nested search.
//!
//! `bench/promela/liveness.txt` lists the questions, one line each: `KIND FILE MACROS... [| FORMULA]`.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::LIMIT;
use super::measure::{Measured, done, read_ours, read_pan, timed, warm_up};

/// One question.
struct Row {
    kind: String,
    file: String,
    macros: Vec<String>,
    formula: Option<String>,
}

impl Row {
    fn read(line: &str) -> Result<Row> {
        let (line, formula) = match line.split_once('|') {
            Some((line, formula)) => (line, Some(formula.trim().to_owned())),
            None => (line, None),
        };
        let mut words = line.split_whitespace().map(str::to_owned);
        let (kind, file) = (words.next().context("a kind")?, words.next().context("a file")?);
        Ok(Row { kind, file, macros: words.collect(), formula })
    }

    fn name(&self) -> String {
        let stem = self.file.rsplit('/').next().unwrap_or_default().trim_end_matches(".pml");
        format!("{} {stem} {}", self.kind, self.macros.join(" ").replace("-D", "")).trim().to_owned()
    }

    /// What is asked, fairness aside.
    fn question(&self) -> &str {
        self.kind.trim_start_matches("fair-")
    }

    fn is_fair(&self) -> bool {
        self.kind.starts_with("fair-")
    }
}

/// What both sides needed for a question: SPIN, ours with one worker, ours with two.
struct Compared {
    name: String,
    is_reduced: bool,
    spin: Option<Measured>,
    ours: [Option<Measured>; 2],
}

/// Asks all questions of the list whose names hold one of these.
pub fn run(bench: &Path, folder: &Path, binary: &Path, names: &[&str], out: Option<&Path>) -> Result<()> {
    let text = std::fs::read_to_string(bench.join("promela/liveness.txt"))?;
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let rows = lines.map(Row::read).collect::<Result<Vec<Row>>>()?;
    let mut compared = Vec::new();
    for is_reduced in [false, true] {
        for row in rows.iter().filter(|row| names.is_empty() || names.iter().any(|name| row.name().contains(name))) {
            let found = compare(bench, folder, binary, row, is_reduced)?;
            eprintln!("{}", line(&found));
            compared.push(found);
            if let Some(out) = out {
                std::fs::create_dir_all(out)?;
                std::fs::write(out.join("liveness.md"), markdown(&compared))?;
            }
        }
    }
    print!("{}", markdown(&compared));
    Ok(())
}

fn compare(bench: &Path, folder: &Path, binary: &Path, row: &Row, is_reduced: bool) -> Result<Compared> {
    let own = folder.join("model");
    std::fs::create_dir_all(&own)?;
    let mut text = std::fs::read_to_string(bench.join(&row.file)).with_context(|| row.file.clone())?;
    if let Some(formula) = &row.formula {
        text += &format!("\nltl p {{ {formula} }}\n");
    }
    std::fs::write(own.join("model.pml"), text)?;
    std::fs::copy(bench.join("threads/locks.pml"), own.join("locks.pml"))?;
    let spin = spin(&own, row, is_reduced)?;
    let ours = [ours(&own, binary, row, is_reduced, 1)?, ours(&own, binary, row, is_reduced, 2)?];
    if let (Some(spin), Some(ours)) = (&spin, &ours[0])
        && spin.is_error != ours.is_error
    {
        bail!("{}: one finds a violation, the other does not", row.name());
    }
    std::fs::remove_dir_all(&own)?;
    Ok(Compared { name: row.name(), is_reduced, spin, ours })
}

fn spin(own: &Path, row: &Row, is_reduced: bool) -> Result<Option<Measured>> {
    let mut generate = Command::new("spin");
    if !is_reduced {
        // Otherwise statements are merged and dead values forgotten, which is our reduction.
        generate.args(["-o1", "-o2", "-o3"]);
    }
    done(own, generate.args(&row.macros).args(["-a", "model.pml"]))?;
    let mut compile = Command::new("gcc");
    compile.args(["-O2", "-w", "-DMEMLIM=12000", "-o", "pan", "pan.c"]);
    if !is_reduced {
        compile.arg("-DNOREDUCE");
    }
    if row.question() == "progress" {
        compile.arg("-DNP");
    }
    done(own, &mut compile)?;
    let mut pan = Command::new(own.join("pan"));
    pan.args(["-m20000000", "-w26", if row.question() == "progress" { "-l" } else { "-a" }]);
    if row.is_fair() {
        pan.arg("-f");
    }
    warm_up(2e7);
    match timed(own, &pan)? {
        Some((output, cpu)) => read_pan(&String::from_utf8_lossy(&output.stdout), cpu).map(Some),
        None => Ok(None),
    }
}

fn ours(own: &Path, binary: &Path, row: &Row, is_reduced: bool, n_workers: usize) -> Result<Option<Measured>> {
    let property = match row.question() {
        "ltl" => "p",
        "progress" => "non-progress",
        "accept" => "acceptance",
        other => bail!("no such kind: {other}"),
    };
    let mut command = Command::new(binary);
    command.args(["check", "--json", "--quiet", "--trace", "none", "--property", property, "--store", "exact"]);
    command.args(["--memory", "12G", "--workers", &n_workers.to_string(), "--time"]);
    command.arg(format!("{}s", LIMIT.as_secs()));
    command.args(["--reduce", if is_reduced { "auto" } else { "none" }]);
    if row.is_fair() {
        command.arg("--fair");
    }
    command.args(&row.macros).arg("model.pml");
    warm_up(2e7);
    read_ours(own, &command)
}

fn rate(measured: &Measured) -> f64 {
    measured.states / measured.seconds.max(0.01)
}

fn line(row: &Compared) -> String {
    let how = if row.is_reduced { "reduced" } else { "all" };
    let (Some(spin), [Some(one), Some(two)]) = (&row.spin, &row.ours) else {
        return format!("| {} | {how} | no result |", row.name);
    };
    format!(
        "| {} | {how} | {:.0} | {:.0} | {:.2} | {:.2} | {:.2} | {:.0} | {:.0} | {:.2} | {:.2} | {:.2} | {:.2} | {:.2} |",
        row.name,
        spin.states,
        one.states,
        spin.seconds,
        one.seconds,
        two.seconds,
        rate(spin),
        rate(one),
        rate(one) / rate(spin),
        rate(two) / rate(spin),
        spin.seconds / one.seconds.max(0.01),
        spin.seconds / two.seconds.max(0.01),
        spin.cpu / one.cpu.max(0.01),
    )
}

fn markdown(rows: &[Compared]) -> String {
    let mut text = String::from(
        "# Endless executions against SPIN\n\nStates are those of the product with the claim; the claims of formulas are \
         each side's own. SPIN: `-O2`, `pan -a -m20000000 -w26` (`-DNP`, `-l` for progress; `-f` if fair), `spin -o1 -o2 -o3` and `-DNOREDUCE` \
         where all steps are followed. Ours: `--store exact`. Rates are states per second of the search alone, \"CPU\" is the ratio of \
         processor time with one worker.\n\n| question | steps | SPIN states | ours | SPIN s | ours s, 1 worker | 2 workers | \
         SPIN states/s | ours, 1 worker | rate ratio, 1 | 2 | time ratio, 1 | 2 | CPU |\n\
         |---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n",
    );
    rows.iter().for_each(|row| text += &format!("{}\n", line(row)));
    for (is_reduced, what) in [(false, "all steps"), (true, "reduced")] {
        let of = |worker: usize, by: fn(&Measured, &Measured) -> f64| -> f64 {
            let ratio = |row: &Compared| Some(by(row.spin.as_ref()?, row.ours[worker].as_ref()?));
            let mut ratios: Vec<f64> =
                rows.iter().filter(|row| row.is_reduced == is_reduced).filter_map(ratio).collect();
            super::table::median(&mut ratios)
        };
        let rates = |spin: &Measured, ours: &Measured| rate(ours) / rate(spin);
        let times = |spin: &Measured, ours: &Measured| spin.seconds / ours.seconds.max(0.01);
        text += &format!(
            "\nMedian, {what}: rate {:.2} with one worker, {:.2} with two; time {:.2} and {:.2}.\n",
            of(0, rates),
            of(1, rates),
            of(0, times),
            of(1, times),
        );
    }
    text
}
