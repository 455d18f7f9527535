//! Two builds of unpick on the project's own programs: do the verdicts agree, and what did each need?
//!
//! Taken are all `run: check ...` lines of the cases under `tests/`, all but the large rows of `bench/threads`, and the
//! programs at the top of `examples/`, all with the search that is the default. Both builds run right after
//! each other, the better of several times counts.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::campaign::output_within;

const USAGE: &str = "usage: cargo xtask compare OLD NEW [--times N] [--seconds N] [--only TEXT]";

/// Differences below this are noise of starting a process.
const NOISE_SECONDS: f64 = 0.05;

struct Program {
    group: &'static str,
    name: String,
    folder: PathBuf,
    words: Vec<String>,
}

#[derive(Clone, Debug, PartialEq)]
struct Measured {
    verdict: String,
    states: u64,
    seconds: f64,
}

struct Row {
    group: &'static str,
    name: String,
    old: Measured,
    new: Measured,
}

impl Row {
    fn is_slower(&self) -> bool {
        self.new.seconds > self.old.seconds * 1.1 + NOISE_SECONDS
    }
}

struct Options {
    old: PathBuf,
    new: PathBuf,
    n_times: usize,
    seconds: u64,
    only: String,
}

pub fn run(words: &[&str]) -> Result<()> {
    let options = options(words)?;
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize()?;
    let mut programs = Vec::new();
    for language in ["c", "ir", "promela"] {
        collect(&root.join("tests").join(language), &mut |file, text| cases(&root, file, text, &mut programs))?;
    }
    collect(&root.join("bench/threads"), &mut |file, text| rows(file, text, &mut programs))?;
    for entry in std::fs::read_dir(root.join("examples"))? {
        let file = entry?.path();
        if has_language(&file, &["c", "pml"]) {
            programs.push(program("examples", name_of(&file), &file, &[]));
        }
    }
    programs.retain(|program| program.name.contains(&options.only));
    programs.sort_by(|one, other| (one.group, &one.name).cmp(&(other.group, &other.name)));
    eprintln!("xtask: {} runs of each build", programs.len());
    let mut rows = Vec::new();
    for program in &programs {
        let (mut old, mut new) = (None, None);
        for _ in 0..options.n_times {
            better(&mut old, measure(&options.old, program, options.seconds)?);
            better(&mut new, measure(&options.new, program, options.seconds)?);
        }
        let (Some(old), Some(new)) = (old, new) else { bail!(USAGE) };
        rows.push(Row { group: program.group, name: program.name.clone(), old, new });
    }
    print!("{}", markdown(&rows));
    Ok(())
}

fn options(words: &[&str]) -> Result<Options> {
    let [old, new, rest @ ..] = words else { bail!(USAGE) };
    let path = |name: &str| Path::new(name).canonicalize().with_context(|| name.to_string());
    let mut options = Options { old: path(old)?, new: path(new)?, n_times: 1, seconds: 30, only: String::new() };
    for pair in rest.chunks(2) {
        match pair {
            ["--times", n] => options.n_times = n.parse().context(USAGE)?,
            ["--seconds", n] => options.seconds = n.parse().context(USAGE)?,
            ["--only", text] => options.only = (*text).into(),
            _ => bail!(USAGE),
        }
    }
    Ok(options)
}

fn has_language(file: &Path, known: &[&str]) -> bool {
    file.extension().and_then(|extension| extension.to_str()).is_some_and(|extension| known.contains(&extension))
}

fn name_of(file: &Path) -> String {
    file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

fn collect(folder: &Path, visit: &mut impl FnMut(&Path, &str)) -> Result<()> {
    for entry in std::fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, visit)?;
        } else if has_language(&path, &["c", "i", "ir", "pml", "prom"])
            && let Ok(text) = std::fs::read_to_string(&path)
        {
            visit(&path, &text);
        }
    }
    Ok(())
}

fn program(group: &'static str, name: String, file: &Path, flags: &[&str]) -> Program {
    let mut words: Vec<String> = vec!["check".into()];
    words.extend(flags.iter().map(|flag| (*flag).into()));
    words.push(name_of(file));
    Program { group, name, folder: file.parent().map(Path::to_path_buf).unwrap_or_default(), words }
}

/// The directives of a case that begin with this key.
fn directives<'a>(text: &'a str, key: &'a str) -> impl Iterator<Item = &'a str> {
    let head = text.lines().map(str::trim).take_while(|line| line.is_empty() || line.starts_with(['/', ';']));
    head.filter_map(move |line| line.trim_start_matches(['/', ';']).trim().strip_prefix(key)).map(str::trim)
}

fn cases(root: &Path, file: &Path, text: &str, programs: &mut Vec<Program>) {
    let more: Vec<&str> = directives(text, "files:").flat_map(str::split_whitespace).collect();
    for (run, number) in directives(text, "run:").zip(1..) {
        let run = run.split(" => ").next().unwrap_or(run);
        let Some(words) = shlex::split(run) else { continue };
        let Some(("check", flags)) = words.split_first().map(|(verb, flags)| (verb.as_str(), flags)) else { continue };
        let name = file.strip_prefix(root.join("tests")).unwrap_or(file).display();
        let name = if number > 1 { format!("{name} ({number})") } else { name.to_string() };
        let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
        let mut program = program("tests", name, file, &flags);
        program.words.extend(more.iter().map(|name| (*name).to_string()));
        programs.push(program);
    }
}

fn rows(file: &Path, text: &str, programs: &mut Vec<Program>) {
    let flags: Vec<&str> = directives(text, "flags:").flat_map(str::split_whitespace).collect();
    for row in directives(text, "row:").filter(|row| !row.starts_with("large")) {
        let macros = row.split_whitespace().skip(1);
        let words: Vec<&str> = flags.iter().copied().chain(macros).collect();
        programs.push(program("bench", format!("{} {row}", name_of(file)), file, &words));
    }
}

fn better(kept: &mut Option<Measured>, found: Measured) {
    if kept.as_ref().is_none_or(|kept| found.seconds < kept.seconds) {
        *kept = Some(found);
    }
}

fn measure(binary: &Path, program: &Program, seconds: u64) -> Result<Measured> {
    let mut command = Command::new(binary);
    command.current_dir(&program.folder).args(&program.words);
    let has = |flag: &str| program.words.iter().any(|word| word == flag);
    command.args((!has("--json")).then_some("--json"));
    if !has("--time") {
        command.args(["--time", &format!("{seconds}s")]);
    }
    let start = Instant::now();
    let output = output_within(&mut command, Duration::from_secs(seconds + 10))?;
    let seconds = start.elapsed().as_secs_f64();
    let Some(output) = output else { return Ok(Measured { verdict: "stopped".into(), states: 0, seconds }) };
    Ok(read(&output.stdout, output.status.code(), seconds))
}

fn read(stdout: &[u8], exit: Option<i32>, seconds: f64) -> Measured {
    let Ok(json) = serde_json::from_slice::<serde_json::Value>(stdout) else {
        return Measured { verdict: format!("exit {}", exit.unwrap_or(-1)), states: 0, seconds };
    };
    let verdict = match (json["verdict"].as_str(), json["violation"]["kind"].as_str()) {
        (Some("violated"), Some(kind)) => format!("violated {kind}"),
        (Some(verdict), _) => verdict.to_string(),
        (None, _) => format!("exit {}", exit.unwrap_or(-1)),
    };
    Measured { verdict, states: json["stats"]["states"].as_u64().unwrap_or(0), seconds }
}

fn markdown(rows: &[Row]) -> String {
    let mut groups: BTreeMap<&str, Vec<&Row>> = BTreeMap::new();
    for row in rows {
        groups.entry(row.group).or_default().push(row);
    }
    let mut text = String::from(
        "| programs | runs | same verdict | slower by more than 10 % (and 50 ms) | seconds before | seconds after | \
         states before | states after |\n|---|---|---|---|---|---|---|---|\n",
    );
    for (group, rows) in &groups {
        let same = rows.iter().filter(|row| row.old.verdict == row.new.verdict).count();
        let slower = rows.iter().filter(|row| row.is_slower()).count();
        let sum = |of: fn(&Row) -> f64| rows.iter().map(|row| of(row)).sum::<f64>();
        let (old, new) = (sum(|row| row.old.seconds), sum(|row| row.new.seconds));
        let (old_states, new_states) = (sum(|row| row.old.states as f64), sum(|row| row.new.states as f64));
        let _ = writeln!(
            text,
            "| {group} | {} | {same} | {slower} | {old:.1} | {new:.1} | {old_states} | {new_states} |",
            rows.len()
        );
    }
    text.push_str("\n## Other verdicts\n\n| program | before | after |\n|---|---|---|\n");
    for row in rows.iter().filter(|row| row.old.verdict != row.new.verdict) {
        let _ = writeln!(text, "| {} | {} | {} |", row.name, row.old.verdict, row.new.verdict);
    }
    text.push_str("\n## Slower\n\n| program | verdict | seconds before | after | states before | after |\n");
    text.push_str("|---|---|---|---|---|---|\n");
    for row in rows.iter().filter(|row| row.is_slower()) {
        let (old, new) = (&row.old, &row.new);
        let _ = writeln!(
            text,
            "| {} | {} | {:.2} | {:.2} | {} | {} |",
            row.name, new.verdict, old.seconds, new.seconds, old.states, new.states
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_check_of_a_case_is_a_run() {
        let text = "// run: check --workers 2 => verified\n// run: simulate\n// run: check -DX='1 2'\n\
                    // files: b.c\nint x; // run: check\n";
        let mut programs = Vec::new();
        cases(Path::new("/r"), Path::new("/r/tests/c/a.c"), text, &mut programs);
        let words: Vec<_> = programs.iter().map(|program| program.words.join(" ")).collect();
        assert_eq!(words, ["check --workers 2 a.c b.c", "check -DX=1 2 a.c b.c"]);
        assert_eq!(programs[1].name, "c/a.c (3)");
    }

    #[test]
    fn answers_are_read() {
        let json = br#"{"verdict":"violated","violation":{"kind":"deadlock"},"stats":{"states":7}}"#;
        let expected = Measured { verdict: "violated deadlock".into(), states: 7, seconds: 0.5 };
        assert_eq!(read(json, Some(1), 0.5), expected);
        assert_eq!(read(b"", Some(2), 0.5).verdict, "exit 2");
    }

    #[test]
    fn other_verdicts_and_slow_runs_are_listed() {
        let measured = |verdict: &str, seconds| Measured { verdict: verdict.into(), states: 3, seconds };
        let row = |name: &str, old, new| Row { group: "tests", name: name.into(), old, new };
        let rows = [
            row("same.c", measured("verified", 1.0), measured("verified", 1.05)),
            row("slow.c", measured("verified", 1.0), measured("verified", 1.5)),
            row("other.c", measured("verified", 1.0), measured("unknown", 1.0)),
        ];
        let text = markdown(&rows);
        assert!(text.contains("| tests | 3 | 2 | 1 |"), "{text}");
        assert!(text.contains("| other.c | verified | unknown |"), "{text}");
        assert!(text.contains("| slow.c | verified | 1.00 | 1.50 | 3 | 3 |") && !text.contains("| same.c"), "{text}");
    }
}
