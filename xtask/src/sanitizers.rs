//! What gcc's sanitizers say of a run, in our words.

pub mod generate;
pub mod inputs;
pub mod unsafe_math;

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Result, bail};

use crate::campaign::output_within;

/// The checks that mean the same as ours (see `docs/checks.md`).
const CHECKS: &str = "-fsanitize=signed-integer-overflow,shift-exponent,integer-divide-by-zero,bounds,null,\
                      float-cast-overflow,address";

/// Kind and line of an error.
pub type Error = (String, u32);

/// What we say of a program.
#[derive(Debug)]
pub enum Answer {
    Verified,
    Violated(Error),
    Unknown(String),
    TooSlow,
    /// No verdict at all.
    Broken(String),
}

/// Builds a program with the sanitizers.
pub fn build(source: &Path, native: &Path, more: &[&str]) -> Result<()> {
    let mut gcc = Command::new("gcc");
    gcc.args(["-O0", "-g1", "-w", "-fno-builtin", "-fno-sanitize-recover=all", CHECKS]).args(more);
    let built = gcc.arg("-o").arg(native).arg(source).arg("-lm").output()?;
    if !built.status.success() {
        bail!("gcc rejects {}: {}", source.display(), String::from_utf8_lossy(&built.stderr));
    }
    Ok(())
}

/// A sanitized program, ready to run. Wide zones between objects let an access far outside meet nothing else.
pub fn command(native: &Path, more: &str) -> Command {
    let mut command = Command::new(native);
    let options = "detect_leaks=0:redzone=1024:detect_stack_use_after_return=1:allocator_may_return_null=1";
    command.env("ASAN_OPTIONS", format!("{options}:{more}"));
    command.env("UBSAN_OPTIONS", "print_stacktrace=0");
    command
}

/// The first error a sanitizer reports of a file with this name; `Err` if the text reports something else.
pub fn first_error(text: &str, file: &str) -> Result<Option<Error>> {
    let lines: Vec<&str> = text.lines().collect();
    for (at, line) in lines.iter().enumerate() {
        if let Some((place, message)) = line.split_once(": runtime error: ") {
            let Some(number) = line_in(place, file) else { bail!("an error elsewhere: {line}") };
            return Ok(Some((undefined_kind(message)?.to_owned(), number)));
        }
        if let Some((_, message)) = line.split_once("ERROR: AddressSanitizer: ") {
            let frames = lines[at..].iter().filter(|line| line.trim_start().starts_with('#'));
            let number = frames.filter_map(|frame| line_in(frame.rsplit(' ').next()?, file)).next();
            let Some(number) = number else { bail!("an error elsewhere: {line}") };
            return Ok(Some((address_kind(message)?.to_owned(), number)));
        }
    }
    Ok(None)
}

/// The line of `folder/FILE:LINE` or `FILE:LINE:COLUMN`.
fn line_in(place: &str, file: &str) -> Option<u32> {
    let rest = &place[place.rfind(file)? + file.len()..];
    rest.strip_prefix(':')?.split(':').next()?.parse().ok()
}

fn undefined_kind(message: &str) -> Result<&'static str> {
    Ok(match message {
        _ if message.contains("division by zero") => "division-by-zero",
        _ if message.starts_with("shift exponent") => "invalid-shift",
        _ if message.contains("out of bounds") => "out-of-bounds",
        _ if message.contains("null pointer") => "null-dereference",
        _ if message.contains("signed integer overflow") || message.contains("cannot be represented") => "overflow",
        _ if message.contains("outside the range of representable values") => "overflow",
        _ => bail!("unknown error: {message}"),
    })
}

fn address_kind(message: &str) -> Result<&'static str> {
    let word = message.split(' ').next().unwrap_or_default();
    Ok(match word {
        "heap-buffer-overflow" | "stack-buffer-overflow" | "global-buffer-overflow" => "out-of-bounds",
        "stack-buffer-underflow" | "dynamic-stack-buffer-overflow" | "negative-size-param:" => "out-of-bounds",
        "heap-use-after-free" | "stack-use-after-scope" | "stack-use-after-return" => "use-after-free",
        "SEGV" => "null-dereference",
        _ if word.ends_with("-param-overlap:") => "out-of-bounds",
        _ if message.starts_with("attempting double-free") => "double-free",
        _ if message.starts_with("attempting free on address") => "invalid-free",
        _ => bail!("unknown error: {message}"),
    })
}

/// Our verdict on a source.
pub fn ask(binary: &Path, source: &Path, more: &[&str], limit: Duration) -> Result<Answer> {
    let mut command = Command::new(binary);
    command.args(["check", "--quiet", "--trace", "none"]).args(more).arg(source);
    let Some(output) = output_within(&mut command, limit)? else { return Ok(Answer::TooSlow) };
    let text = String::from_utf8_lossy(&output.stdout);
    let verdict = text.lines().last().and_then(|line| line.strip_prefix("verdict: ")).unwrap_or_default();
    if verdict == "verified" {
        return Ok(Answer::Verified);
    }
    if let Some(place) = verdict.strip_prefix("violated (").and_then(|rest| rest.strip_suffix(')')) {
        let kind = place.split(' ').next().unwrap_or_default();
        let number = place.rsplit(':').next().and_then(|word| word.parse().ok()).unwrap_or_default();
        return Ok(Answer::Violated((kind.to_owned(), number)));
    }
    if let Some(reason) = verdict.strip_prefix("unknown (") {
        return Ok(Answer::Unknown(reason.trim_end_matches(')').to_owned()));
    }
    let complaint: String = String::from_utf8_lossy(&output.stderr).chars().take(600).collect();
    Ok(Answer::Broken(format!("{:?} {complaint}", output.status.code())))
}

/// The seeds `FIRST-LAST` on the command line.
pub fn seeds(words: &[&str], default: (u64, u64)) -> Result<Vec<u64>> {
    let (first, last) = match words {
        [] => default,
        [word] => match word.split_once('-') {
            Some((from, to)) => (from.parse()?, to.parse()?),
            None => (word.parse()?, word.parse()?),
        },
        _ => bail!("seeds are given as FIRST-LAST"),
    };
    Ok((first..=last).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_are_read() {
        let undefined = "a.i:7:12: runtime error: shift exponent 40 is too large for 32-bit type 'int'\n";
        assert_eq!(first_error(undefined, "a.i").unwrap(), Some(("invalid-shift".to_owned(), 7)));
        let address = "==1==ERROR: AddressSanitizer: heap-use-after-free on address 0x60 at pc 0x55\n\
                       READ of size 4 at 0x60 thread T0\n    #0 0x55 in strlen ../x.cpp:69\n    #1 0x56 in main /t/a.i:9\n";
        assert_eq!(first_error(address, "a.i").unwrap(), Some(("use-after-free".to_owned(), 9)));
        assert_eq!(first_error("all is well\n", "a.i").unwrap(), None);
        assert!(first_error("b.c:7:1: runtime error: division by zero\n", "a.i").is_err());
    }
}
