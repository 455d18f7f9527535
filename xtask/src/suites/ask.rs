//! One run of unpick: its answer, its time, its memory.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use super::{Label, Task};

#[derive(Clone, Copy)]
pub struct Limits {
    pub seconds: u64,
    pub memory_mib: u64,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    Verified,
    Violated {
        kind: String,
        file: String,
        line: u64,
    },
    Unknown(String),
    Rejected(String),
    /// `--syntax-only` had nothing to say.
    Compiled,
    Printed {
        text: String,
        exit: i32,
    },
    Crash(String),
    /// Beyond the time or the memory that was allowed.
    PastLimit(String),
}

pub struct Answer {
    pub end: End,
    pub seconds: f64,
    pub peak_kib: u64,
}

impl Answer {
    /// A word or two for the record.
    pub fn brief(&self) -> String {
        match &self.end {
            End::Verified => "verified".into(),
            End::Violated { kind, file, line } => format!("violated {kind} {file}:{line}"),
            End::Unknown(_) => "unknown".into(),
            End::Rejected(_) => "rejected".into(),
            End::Compiled => "compiled".into(),
            End::Printed { exit, .. } => format!("exit {exit}"),
            End::Crash(_) => "crash".into(),
            End::PastLimit(_) => "past limit".into(),
        }
    }
}

pub fn ask(binary: &Path, task: &Task, limits: Limits) -> Result<Answer> {
    let simulated = matches!(task.label, Label::Prints(_));
    let syntax_only = matches!(task.label, Label::Compiles | Label::Refused);
    let mut command = Command::new(binary);
    command.current_dir(&task.folder);
    command.args([if simulated { "simulate" } else { "check" }, "--time", &format!("{}s", limits.seconds)]);
    if !simulated {
        command.args(["--json", "--quiet", "--workers", "1", "--memory", &format!("{}M", limits.memory_mib)]);
    }
    if syntax_only {
        command.arg("--syntax-only");
    }
    command.args(&task.flags).args(&task.files);
    let run = run(&mut command, limits)?;
    let end = if let Some(end) = overrun(&run, limits) {
        end
    } else if simulated {
        printed(&run)
    } else {
        read(&run, syntax_only)
    };
    Ok(Answer { end, seconds: run.seconds, peak_kib: run.peak_kib })
}

/// Whether the C compiler does not take the program either.
pub fn is_refused_by_cc(task: &Task) -> bool {
    let mut words = task.flags.iter();
    let mut command = crate::campaign::cc();
    command.current_dir(&task.folder).args(["-w", "-fsyntax-only"]);
    while let Some(word) = words.next() {
        match word.as_str() {
            "-I" | "-D" | "-U" | "-include" => {
                command.arg(word).args(words.next());
            }
            own if own.starts_with("--") => {
                words.next();
            }
            other => {
                command.arg(other);
            }
        }
    }
    let status = command.args(&task.files).stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|status| !status.success())
}

struct Run {
    /// `None` when it was stopped by a signal; which one.
    exit: Option<i32>,
    stopped_by_us: bool,
    stdout: String,
    stderr: String,
    seconds: f64,
    /// Of the processor: on a busy machine the clock on the wall says little.
    busy_seconds: f64,
    peak_kib: u64,
}

fn run(command: &mut Command, limits: Limits) -> Result<Run> {
    let out = tempfile::NamedTempFile::new()?;
    let err = tempfile::NamedTempFile::new()?;
    let start = Instant::now();
    let mut child = command
        .stdin(Stdio::null())
        .stdout(out.reopen()?)
        .stderr(err.reopen()?)
        .spawn()
        .with_context(|| format!("cannot run {command:?}"))?;
    let status_file = format!("/proc/{}/status", child.id());
    let stat_file = format!("/proc/{}/stat", child.id());
    let (mut peak_kib, mut busy_seconds, mut stopped_by_us) = (0, 0.0f64, false);
    // Long enough to tell a slow end from none at all.
    let deadline = Duration::from_secs(limits.seconds + 10);
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        peak_kib = peak_kib.max(peak(&status_file));
        busy_seconds = busy_seconds.max(busy(&std::fs::read_to_string(&stat_file).unwrap_or_default()));
        if start.elapsed() > deadline && busy_seconds > limits.seconds as f64 + 2.0
            || start.elapsed() > 4 * deadline
            || peak_kib > 3 * limits.memory_mib * 1024
        {
            stopped_by_us = true;
            child.kill()?;
        }
        std::thread::sleep(Duration::from_millis(if start.elapsed().as_millis() < 100 { 1 } else { 10 }));
    };
    let text = |file: &tempfile::NamedTempFile| -> Result<String> {
        Ok(String::from_utf8_lossy(&std::fs::read(file.path())?).into_owned())
    };
    Ok(Run {
        exit: status.code(),
        stopped_by_us,
        stdout: text(&out)?,
        stderr: text(&err)?,
        seconds: start.elapsed().as_secs_f64(),
        busy_seconds,
        peak_kib,
    })
}

/// The peak of a process so far, in KiB, where the system tells.
fn peak(status_file: &str) -> u64 {
    let text = std::fs::read_to_string(status_file).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").trim().parse().ok()).unwrap_or(0)
}

/// The processor time of all threads so far, out of `/proc/N/stat`.
fn busy(stat: &str) -> f64 {
    // The name in parentheses may contain anything; the times are the 14th and 15th word of all, in hundredths.
    let rest = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
    let ticks = rest.split_whitespace().skip(11).take(2).filter_map(|word| word.parse::<u64>().ok()).sum::<u64>();
    ticks as f64 / 100.0
}

fn overrun(run: &Run, limits: Limits) -> Option<End> {
    let allowed_kib = limits.memory_mib * 1024 * 105 / 100 + 50 * 1024;
    if run.peak_kib > allowed_kib {
        return Some(End::PastLimit(format!("memory: {} MiB of {}", run.peak_kib / 1024, limits.memory_mib)));
    }
    let allowed = limits.seconds as f64 + 2.0;
    if run.seconds > allowed && (run.busy_seconds > allowed || run.stopped_by_us) {
        return Some(End::PastLimit(format!("time: {:.1} s of {}", run.busy_seconds, limits.seconds)));
    }
    let Some(exit) = run.exit else {
        return Some(End::Crash(if run.stopped_by_us { "stopped".into() } else { "ended by a signal".into() }));
    };
    if exit == 101 || run.stderr.contains("panicked at") {
        let line = run.stderr.lines().skip_while(|line| !line.contains("panicked at")).take(2);
        return Some(End::Crash(line.collect::<Vec<_>>().join(" ")));
    }
    None
}

fn printed(run: &Run) -> End {
    let complaint = run.stderr.lines().find(|line| line.starts_with("error:"));
    if run.exit == Some(2) && complaint.is_some() {
        return End::Rejected(complaint.unwrap_or_default().into());
    }
    let is_reason =
        |line: &&str| ["not modelled", "unknown (", "the time limit"].iter().any(|text| line.contains(text));
    if let Some(line) = run.stderr.lines().find(is_reason) {
        return End::Unknown(line.into());
    }
    End::Printed { text: run.stdout.clone(), exit: run.exit.unwrap_or(-1) }
}

fn read(run: &Run, syntax_only: bool) -> End {
    if syntax_only && run.exit == Some(0) {
        return End::Compiled;
    }
    let Ok(json) = serde_json::from_str::<serde_json::Value>(&run.stdout) else {
        let line = run.stderr.lines().find(|line| line.starts_with("error")).unwrap_or("no answer");
        return if run.exit == Some(2) { End::Rejected(line.into()) } else { End::Crash(line.into()) };
    };
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_string();
    match json["verdict"].as_str() {
        Some("verified") => End::Verified,
        Some("violated") => {
            let violation = &json["violation"];
            let line = violation["line"].as_u64().unwrap_or(0);
            End::Violated { kind: text(&violation["kind"]), file: text(&violation["file"]), line }
        }
        Some("unknown") => End::Unknown(text(&json["reason"])),
        _ => {
            let errors = json["error"]["diagnostics"].as_array().cloned().unwrap_or_default();
            let first = errors.iter().find(|diagnostic| diagnostic["severity"] == "error");
            End::Rejected(first.map_or_else(|| text(&json["error"]["message"]), |first| text(&first["message"])))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processor_time_is_read() {
        let stat = "7 (a) b) S 1 7 7 0 -1 4194304 100 0 0 0 250 50 0 0 20 0 1 0 100 0 0";
        assert!((busy(stat) - 3.0).abs() < 1e-9);
        assert!(busy("") == 0.0);
    }
}
