//! What the directives of a file say, for every file with `run:`. Keys:
//!
//! - `run: ARGS` — the command line before the file names; may be repeated, each run must meet the rest;
//! - `run: ARGS => VERDICT` or `=> N states` or `=> VERDICT, N states` — what this run alone has to say;
//! - `with: FLAGS | FLAGS ...` — every run is done again with each of these added, and meets the same verdict;
//! - `files: NAMES` — further files on the command line;
//! - `verdict: verified | violated KIND | unknown [TEXT]` — for `check`; TEXT is part of the reason;
//! - `exit: N` — exit code, where no verdict says it;
//! - `stdout: TEXT`, `stderr: TEXT`, `assumption: TEXT` — part of the output; may be repeated;
//! - `like: cc` — for `simulate`: output and exit status equal those of the compiled program;
//! - `states: N` — number of stored states;
//! - `fixme: #N` — today's answer is wrong: the case must *not* meet its expectations.
//!
//! `// fails` marks the line of the violation, or each of several where it depends on the search. Every C
//! program that compiles is also written as IR, read back, and must give the same text and the same verdict.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use libtest_mimic::{Failed, Trial};

use crate::annotated::{Annotated, Language};
use crate::binary::{lossy, shown, unpick};

pub fn trials(files: &'static [Annotated]) -> Vec<Trial> {
    let cases = files.iter().filter(|file| ["c", "ir", "promela"].iter().any(|folder| file.is_below(folder)));
    let cases = cases.map(Case::read).filter(|case| !case.runs.is_empty());
    cases.map(|case| Trial::test(case.file.name.clone(), move || case.check())).collect()
}

/// What a file says.
struct Case {
    file: &'static Annotated,
    runs: Vec<Run>,
    variants: Vec<Vec<String>>,
    more_files: Vec<String>,
    verdict: Option<&'static str>,
    exit: Option<i32>,
    states: Option<u64>,
    like_cc: bool,
}

/// One command line and what it says other than the rest.
#[derive(Clone, Default)]
struct Run {
    words: Vec<String>,
    verdict: Option<String>,
    states: Option<u64>,
    /// The same program once more: what does not depend on the search has been looked at.
    is_variant: bool,
}

impl Run {
    fn read(text: &str) -> Run {
        let (words, claims) = text.split_once(" => ").unwrap_or((text, ""));
        let mut run = Run { words: words_of(words), ..Run::default() };
        for claim in claims.split(", ").filter(|claim| !claim.is_empty()) {
            match claim.strip_suffix(" states").map(str::parse) {
                Some(Ok(states)) => run.states = Some(states),
                Some(Err(_)) | None => run.verdict = Some(claim.to_owned()),
            }
        }
        run
    }
}

impl Case {
    fn read(file: &'static Annotated) -> Case {
        Case {
            file,
            runs: file.values("run").map(Run::read).collect(),
            variants: file.values("with").flat_map(|value| value.split(" | ")).map(words_of).collect(),
            more_files: file.value("files").map(words_of).unwrap_or_default(),
            verdict: file.value("verdict"),
            exit: file.number("exit"),
            states: file.number("states"),
            like_cc: file.value("like") == Some("cc"),
        }
    }

    fn check(&self) -> Result<(), Failed> {
        let result = self.all_runs().iter().try_for_each(|run| self.check_run(run));
        match (self.file.value("fixme"), result) {
            (None, result) => result.map_err(Failed::from),
            (Some(_), Err(_)) => Ok(()),
            (Some(issue), Ok(())) => Err(format!("the case now passes: remove `fixme: {issue}`").into()),
        }
    }

    /// The runs as they are written, then each with further flags; these may change how many states there are.
    fn all_runs(&self) -> Vec<Run> {
        let mut runs: Vec<Run> = self.runs.clone();
        for run in &mut runs {
            run.states = run.states.or(self.states);
        }
        for (run, variant) in self.runs.iter().flat_map(|run| self.variants.iter().map(move |flags| (run, flags))) {
            runs.push(Run { words: [&run.words[..], variant].concat(), states: None, is_variant: true, ..run.clone() });
        }
        runs
    }

    fn check_run(&self, run: &Run) -> Result<(), String> {
        let (verdict, states) = (run.verdict.as_deref().or(self.verdict), run.states);
        if states.is_some() && verdict.is_none() {
            return Err("a number of states needs a verdict".to_owned());
        }
        let (is_variant, run) = (run.is_variant, &run.words);
        let is_check = run.first().is_some_and(|verb| verb == "check");
        let (folder, name) = (self.file.folder(), self.file.file_name());
        let mut words: Vec<&str> = run.iter().map(String::as_str).collect();
        let wants_json = is_check && verdict.is_some() && !words.contains(&"--json");
        if wants_json {
            words.push("--json");
        }
        words.push(name);
        words.extend(self.more_files.iter().map(String::as_str));
        let output = unpick(folder, &words)?;
        let shown = || format!("$ unpick {}\n{}", words.join(" "), shown(&output));
        let code = output.status.code();
        if code.is_none_or(|code| code > 100) && !self.like_cc {
            return Err(format!("crashed\n{}", shown()));
        }
        if let Some(expected) = verdict {
            self.check_verdict(expected, states, &output).map_err(|why| format!("{why}\n{}", shown()))?;
        }
        if let Some(expected) = self.exit
            && code != Some(expected)
        {
            return Err(format!("exit code {code:?} instead of {expected}\n{}", shown()));
        }
        let (stdout, stderr) = (lossy(&output.stdout), lossy(&output.stderr));
        let on_stdout = self.file.values("stdout").map(|part| (&stdout, part));
        for (text, part) in on_stdout.chain(self.file.values("stderr").map(|part| (&stderr, part))) {
            if !text.contains(part) {
                return Err(format!("output lacks `{part}`\n{}", shown()));
            }
        }
        if self.like_cc {
            self.compare_with_cc(&output)?;
        }
        // Models are extracted from C.
        let is_tabled = run.iter().any(|word| word == "--tabled");
        if is_check && verdict.is_some() && !is_variant && !is_tabled && self.file.language == Language::C {
            self.check_ir_round_trip(run, &output)?;
        }
        Ok(())
    }

    fn check_verdict(&self, expected: &str, states: Option<u64>, output: &Output) -> Result<(), String> {
        let json: serde_json::Value =
            serde_json::from_slice(&output.stdout).map_err(|error| format!("stdout is not JSON: {error}"))?;
        let verdict = json["verdict"].as_str().unwrap_or("none");
        let (word, rest) = expected.split_once(' ').unwrap_or((expected, ""));
        if verdict != word {
            return Err(format!("verdict {verdict} instead of {expected}"));
        }
        let (code, rest_holds) = match word {
            "verified" => (0, true),
            "violated" => (1, json["violation"]["kind"] == rest),
            _ => (3, json["reason"].as_str().unwrap_or("").contains(rest)),
        };
        if !rest_holds {
            return Err(format!("expected {expected}"));
        }
        if output.status.code() != Some(code) {
            return Err(format!("exit code {:?} does not fit the verdict", output.status.code()));
        }
        let line = json["violation"]["line"].as_u64();
        // In a file that the case includes no line can be marked.
        let is_elsewhere = json["violation"]["file"] != self.file.file_name();
        let marked = &self.file.failing_lines;
        let is_expected = match line {
            Some(line) => marked.contains(&line) || is_elsewhere && marked.is_empty(),
            None => marked.is_empty(),
        };
        if word == "violated" && !is_expected {
            return Err(format!("violation on line {line:?} instead of {marked:?}"));
        }
        let assumptions: Vec<&str> =
            json["assumptions"].as_array().into_iter().flatten().filter_map(|text| text.as_str()).collect();
        for part in self.file.values("assumption") {
            if !assumptions.iter().any(|text| text.contains(part)) {
                return Err(format!("no assumption says `{part}`"));
            }
        }
        match states {
            Some(states) if json["stats"]["states"].as_u64() != Some(states) => {
                Err(format!("{} states instead of {states}", json["stats"]["states"]))
            }
            Some(_) | None => Ok(()),
        }
    }

    fn compare_with_cc(&self, output: &Output) -> Result<(), String> {
        let folder = self.file.folder();
        let binary = scratch(&self.file.path, "native");
        let compiler = std::env::var("CC").unwrap_or("cc".into());
        let built = Command::new(&compiler)
            .current_dir(folder)
            .args(["-w", "-O0", "-o"])
            .arg(&binary)
            .arg(self.file.file_name())
            .args(&self.more_files)
            .arg("-lm")
            .output()
            .map_err(|error| format!("cannot run {compiler}: {error}"))?;
        if !built.status.success() {
            return Err(format!("{compiler} rejects the program\n{}", shown(&built)));
        }
        let native = Command::new(&binary).current_dir(folder).output().map_err(|error| error.to_string())?;
        let _ = std::fs::remove_file(&binary);
        if native.stdout != output.stdout || exit_status(&native) != exit_status(output) {
            return Err(format!("compiled program:\n{}\nsimulate:\n{}", shown(&native), shown(output)));
        }
        Ok(())
    }

    /// The IR's text form is a faithful image of the program.
    fn check_ir_round_trip(&self, run: &[String], first: &Output) -> Result<(), String> {
        let folder = self.file.folder();
        let flags: Vec<&str> = input_flags(run);
        let ir = scratch(&self.file.path, "ir");
        let ir_name = ir.to_string_lossy().into_owned();
        let mut words = vec!["extract", "--to", "ir", "-o", &ir_name];
        words.extend(&flags);
        words.push(self.file.file_name());
        words.extend(self.more_files.iter().map(String::as_str));
        let written = unpick(folder, &words)?;
        if !written.status.success() {
            return Err(format!("extract --to ir failed\n{}", shown(&written)));
        }
        let text = std::fs::read_to_string(&ir).map_err(|error| error.to_string())?;
        let again = unpick(folder, &["extract", "--to", "ir", &ir_name])?;
        if lossy(&again.stdout) != text {
            return Err(format!("IR text changes when read back\n{}", lossy(&again.stderr)));
        }
        if run.iter().any(|word| ["--ltl", "--invariant", "--abstract"].contains(&word.as_str())) {
            // Propositions are C, and so is what only an option names, so they need the C sources.
            return Ok(());
        }
        let mut words: Vec<&str> = run.iter().map(String::as_str).collect();
        words.extend(["--json", &ir_name]);
        words.dedup();
        let verdict = unpick(folder, &words)?;
        let _ = std::fs::remove_file(&ir);
        let of = |output: &Output| {
            serde_json::from_slice::<serde_json::Value>(&output.stdout).map(|json| json["verdict"].clone()).ok()
        };
        if of(&verdict) != of(first) {
            return Err(format!("another verdict for the IR text\n{}", shown(&verdict)));
        }
        Ok(())
    }
}

/// The flags of a `check` run that shape the program rather than the search.
fn input_flags(run: &[String]) -> Vec<&str> {
    let mut flags = Vec::new();
    let mut words = run.iter().skip(1).map(String::as_str);
    while let Some(word) = words.next() {
        match word {
            "--malloc-fails" | "--library-fails" | "--library-races" | "--no-spurious" | "--strict" => flags.push(word),
            "--entry" | "--missing" | "--args" | "--target" | "--config" | "--include" | "--isr" | "--volatile"
            | "--volatile-any" => flags.extend([Some(word), words.next()].iter().flatten()),
            _ if ["-I", "-D", "-U", "-std"].iter().any(|flag| word.starts_with(flag)) => flags.push(word),
            _ => {}
        }
    }
    flags
}

/// Words; those in single quotes are one.
fn words_of(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (number, part) in text.split('\'').enumerate() {
        match number % 2 {
            0 => words.extend(part.split_whitespace().map(str::to_owned)),
            _quoted => words.push(part.to_owned()),
        }
    }
    words
}

fn scratch(file: &Path, extension: &str) -> PathBuf {
    let name: String = file.to_string_lossy().chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).collect();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let tail: String = name.chars().rev().take(120).collect::<Vec<_>>().into_iter().rev().collect();
    folder.join(format!("{tail}.{extension}"))
}

fn exit_status(output: &Output) -> i32 {
    use std::os::unix::process::ExitStatusExt;
    output.status.code().unwrap_or_else(|| 128 + output.status.signal().unwrap_or(0))
}
