//! From source file to preprocessed text, surviving headers that are not there.
//!
//! The user's own compiler preprocesses (`$CC -E`, else `cc`), because only it knows its headers. When it
//! stops at a header it cannot find, an empty stand-in is put at the end of the search path and it runs
//! again; every such header is remembered, to be reported as an assumption.

use std::path::{Path, PathBuf};
use std::process::Command;

use unpick_report::escape::visible_lines;

use crate::args::TargetArg;
use crate::failure::{Detail, Failure, Outcome};

/// How to preprocess one source.
#[derive(Clone, Debug, Default)]
pub struct Flags {
    pub include_dirs: Vec<PathBuf>,
    pub defines: Vec<String>,
    pub undefines: Vec<String>,
    pub includes: Vec<PathBuf>,
    pub std: Option<String>,
    /// Flags taken over from a compilation database, as they stand there.
    pub verbatim: Vec<String>,
    /// Folder the flags are relative to.
    pub directory: Option<PathBuf>,
}

/// A preprocessed source.
#[derive(Debug)]
pub struct Preprocessed {
    pub text: String,
    /// Headers that could not be found, each with the place of its `#include`.
    pub missing: Vec<MissingHeader>,
}

#[derive(Debug)]
pub struct MissingHeader {
    pub header: String,
    pub place: String,
}

/// More rounds than any project has missing headers; a guard against a compiler we misread.
const MAX_ROUNDS: usize = 500;

/// Runs the preprocessor on one file.
pub fn preprocess(file: &Path, flags: &Flags, target: TargetArg, is_strict: bool) -> Outcome<Preprocessed> {
    let folder = tempfile::Builder::new().prefix("unpick").tempdir();
    let folder = folder.map_err(|error| Failure::new(format!("cannot make a temporary folder: {error}")))?;
    // Deep enough that `#include "../../x.h"` still lands inside the temporary folder.
    let stand_ins = folder.path().join("a/b/c/d/e/f/g/h");
    std::fs::create_dir_all(&stand_ins)
        .map_err(|error| Failure::new(format!("cannot make a temporary folder: {error}")))?;
    let mut missing: Vec<MissingHeader> = Vec::new();
    for _ in 0..MAX_ROUNDS {
        let output = run_compiler(file, flags, target, &stand_ins)?;
        let complaints = String::from_utf8_lossy(&output.stderr).into_owned();
        if output.status.success() {
            return Ok(Preprocessed { text: to_text(output.stdout), missing });
        }
        let Some((place, header)) = complaints.lines().find_map(missing_header) else {
            return Err(complaint(file, &complaints));
        };
        if is_strict {
            return Err(complaint(file, &complaints)
                .help("add its folder with -I, or drop --strict to treat a missing header as an empty file"));
        }
        if !make_stand_in(&stand_ins, &header) {
            return Err(complaint(file, &complaints));
        }
        if header != "gnu/stubs-32.h" {
            missing.push(MissingHeader { header, place });
        }
    }
    Err(Failure::new(format!("{}: too many missing headers", file.display())))
}

fn run_compiler(file: &Path, flags: &Flags, target: TargetArg, stand_ins: &Path) -> Outcome<std::process::Output> {
    let compiler = std::env::var("CC").ok().filter(|value| !value.trim().is_empty()).unwrap_or("cc".into());
    let mut words = compiler.split_whitespace();
    let program = words.next().expect("a compiler name should have a word");
    let mut command = Command::new(program);
    command.args(words).arg("-E").env("LC_ALL", "C").env("LANGUAGE", "C");
    command.args(["-x", "c", "-D__UNPICK__=1"]);
    if target == TargetArg::Ilp32 {
        command.arg("-m32");
    }
    if let Some(std) = &flags.std {
        command.arg(format!("-std={std}"));
    }
    command.args(&flags.verbatim);
    for dir in &flags.include_dirs {
        command.arg("-I").arg(dir);
    }
    for name in &flags.defines {
        command.arg(format!("-D{name}"));
    }
    for name in &flags.undefines {
        command.arg(format!("-U{name}"));
    }
    for header in &flags.includes {
        command.arg("-include").arg(header);
    }
    command.arg("-idirafter").arg(stand_ins);
    let path = match (&flags.directory, file.is_absolute()) {
        (Some(directory), false) => {
            // The database's flags are relative to its folder; the file is relative to ours.
            command.current_dir(directory);
            std::path::absolute(file).unwrap_or(file.to_path_buf())
        }
        (Some(directory), true) => {
            command.current_dir(directory);
            file.to_path_buf()
        }
        (None, _) => file.to_path_buf(),
    };
    // A name that starts with a dash would be taken for a flag.
    let path = if path.as_os_str().as_encoded_bytes().starts_with(b"-") { Path::new(".").join(path) } else { path };
    command.arg(path).output().map_err(|error| {
        Failure::new(format!("cannot run the C preprocessor `{compiler} -E`: {error}"))
            .help("install a C compiler, name one in $CC, or pass preprocessed .i files")
    })
}

/// Place and name of the header in gcc's or clang's complaint.
fn missing_header(line: &str) -> Option<(String, String)> {
    let (place, rest) = line.split_once(" fatal error: ")?;
    let header = match rest.strip_suffix(": No such file or directory") {
        Some(header) => header,
        None => rest.strip_prefix('\'')?.strip_suffix("' file not found")?,
    };
    // A missing *source* is complained about without a place.
    let place = place.strip_suffix(':').unwrap_or(place);
    place.contains(':').then(|| (place.to_owned(), header.to_owned()))
}

fn make_stand_in(folder: &Path, header: &str) -> bool {
    let path = folder.join(header);
    let parent_exists = path.parent().is_some_and(|parent| std::fs::create_dir_all(parent).is_ok());
    parent_exists && !path.exists() && std::fs::write(&path, "").is_ok()
}

/// The preprocessor's errors as our own.
fn complaint(file: &Path, complaints: &str) -> Failure {
    let details: Vec<Detail> = complaints.lines().filter_map(detail).collect();
    let first = details.first().map(|detail| {
        let file = detail.file.clone().unwrap_or_default();
        format!("{file}:{}:{}: {}", detail.line, detail.column, detail.message)
    });
    let message = first.unwrap_or_else(|| format!("the preprocessor failed on {}", file.display()));
    let mut failure = Failure::new(message);
    if failure.message.contains("nested depth") {
        failure = failure.help("a header includes itself again and again: add an include guard");
    } else if details.is_empty() {
        failure = failure.help(complaints.trim().to_owned());
    }
    failure.details = details.into_iter().skip(1).collect();
    failure
}

fn detail(line: &str) -> Option<Detail> {
    let (place, message) = line.split_once(" error: ").or_else(|| line.split_once(" fatal error: "))?;
    let place = place.trim_end_matches("fatal").trim_end().trim_end_matches(':');
    let mut parts = place.rsplitn(3, ':');
    let column = parts.next()?.parse().ok()?;
    let line = parts.next()?.parse().ok()?;
    let file = parts.next()?.to_owned();
    let rendered = visible_lines(&format!("error: {message}\n --> {file}:{line}:{column}\n"));
    Some(Detail { severity: "error", file: Some(file), line, column, message: message.to_owned(), rendered })
}

/// Bytes that are not UTF-8 (Latin-1 literals) become private characters that the lexer turns back into
/// the same bytes.
pub fn to_text(bytes: Vec<u8>) -> String {
    let bytes = match String::from_utf8(bytes) {
        Ok(text) => return text,
        Err(error) => error.into_bytes(),
    };
    let mut text = String::with_capacity(bytes.len() + 16);
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|byte| unpick_base::source::char_of_byte(*byte)));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn complaints_are_understood() {
        let gcc = "a.c:3:10: fatal error: x/y.h: No such file or directory";
        assert_eq!(missing_header(gcc), Some(("a.c:3:10".into(), "x/y.h".into())));
        let clang = "a.c:3:10: fatal error: 'x/y.h' file not found";
        assert_eq!(missing_header(clang), Some(("a.c:3:10".into(), "x/y.h".into())));
        assert_eq!(missing_header("cc1: fatal error: z.c: No such file or directory"), None);
        let error = detail("dir/a.c:7:2: error: #error no").unwrap();
        assert_eq!((error.file.as_deref(), error.line, error.column), (Some("dir/a.c"), 7, 2));
    }
}
