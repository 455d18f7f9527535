//! From source file to preprocessed text, surviving headers that are not there.
//!
//! The user's own compiler preprocesses (`$CC -E`, else `cc`), because only it knows its headers. When it
//! stops at a header it cannot find, an empty stand-in is put at the end of the search path and it runs
//! again; every such header is remembered, to be reported as an assumption.

use std::path::{Component, Path, PathBuf};
use std::process::Command;

use unpick_report::escape::visible_lines;

use crate::args::TargetArg;
use crate::child::{self, Broken};
use crate::failure::{Detail, Failure, Outcome};
use crate::flags::Flags;
use crate::scratch;

/// A preprocessed source.
#[derive(Debug)]
pub struct Preprocessed {
    pub text: String,
    /// Headers that could not be found, each with the place of its `#include`.
    pub missing: Vec<MissingHeader>,
    /// Some of them are there for 64 bits only.
    pub lacks_32_bit_headers: bool,
}

/// What to do about headers of the C library that only 64-bit programs can include.
pub const NO_32_BIT_HEADERS: &str = "the C library's headers for 32 bits are not installed: install gcc-multilib \
     (Debian, Ubuntu), glibc-devel.i686 (Fedora) or lib32-glibc (Arch), or name a compiler for a 32-bit machine in $CC";

#[derive(Debug)]
pub struct MissingHeader {
    pub header: String,
    pub place: String,
}

/// More rounds than any project has missing headers; a guard against a compiler we misread.
const MAX_ROUNDS: usize = 500;

/// A header that is named by more `..` than this has no stand-in.
const MAX_UP: usize = 64;

/// Runs the preprocessor on one file.
pub fn preprocess(file: &Path, flags: &Flags, target: TargetArg, is_strict: bool) -> Outcome<Preprocessed> {
    // The driver of gcc hands the bare name to the compiler proper, which would read flags from the file.
    if file.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"@")) {
        return Err(Failure::new(format!("{}: compilers take a name with `@` for a file of flags", file.display()))
            .help("give the file another name"));
    }
    let folder = scratch::Folder::new();
    let folder = folder.map_err(|error| Failure::new(format!("cannot make a temporary folder: {error}")))?;
    // Made for the first header that is missing: so many folders take longer than preprocessing a small source.
    let mut stand_ins: Option<PathBuf> = None;
    let mut missing: Vec<MissingHeader> = Vec::new();
    let mut lacks_32_bit_headers = false;
    let mut names = flags.names();
    let source = plain_name(file);
    if source != file {
        names.push((source.display().to_string(), file.display().to_string()));
    }
    for _ in 0..MAX_ROUNDS {
        let output = run_compiler(&source, flags, target, stand_ins.as_deref())?;
        let complaints = String::from_utf8_lossy(&output.stderr);
        let complaints: String = complaints.lines().map(|line| called_as_given(line, &names) + "\n").collect();
        if output.status.success() {
            let text = with_given_names(to_text(output.stdout), &names);
            return Ok(Preprocessed { text, missing, lacks_32_bit_headers });
        }
        let Some((place, header)) = complaints.lines().find_map(missing_header) else {
            let failure = complaint(file, &complaints);
            return Err(if lacks_32_bit_headers { failure.help(NO_32_BIT_HEADERS) } else { failure });
        };
        if is_strict {
            return Err(complaint(file, &complaints)
                .help("add its folder with -I, or drop --strict to treat a missing header as an empty file"));
        }
        let is_32_bit = target == TargetArg::Ilp32 || flags.is_32_bit();
        if is_32_bit && !lacks_32_bit_headers {
            lacks_32_bit_headers = is_there_for_64_bits(&header, flags, folder.path(), stand_ins.as_deref())?;
        }
        let stand_ins = match &mut stand_ins {
            Some(stand_ins) => stand_ins,
            none => none.insert(nested_folder(folder.path())?),
        };
        if !make_stand_in(folder.path(), stand_ins, &header) {
            return Err(complaint(file, &complaints).help(
                "this header cannot be taken to be empty: it is named by its \
                        whole path, or by a path that leads up too far; add the file, or take out the #include",
            ));
        }
        if header != "gnu/stubs-32.h" {
            missing.push(MissingHeader { header, place });
        }
    }
    Err(Failure::new(format!("{}: too many missing headers", file.display())))
}

/// Deep enough that `#include "../../x.h"` still lands inside the temporary folder.
fn nested_folder(root: &Path) -> Outcome<PathBuf> {
    let folder = root.join("d/".repeat(MAX_UP));
    std::fs::create_dir_all(&folder)
        .map_err(|error| Failure::new(format!("cannot make a temporary folder: {error}")))?;
    Ok(folder)
}

fn run_compiler(
    file: &Path,
    flags: &Flags,
    target: TargetArg,
    stand_ins: Option<&Path>,
) -> Outcome<std::process::Output> {
    let compiler = std::env::var("CC").ok().filter(|value| !value.trim().is_empty()).unwrap_or("cc".into());
    let mut words = compiler.split_whitespace();
    let program = words.next().expect("a compiler name should have a word");
    let mut command = Command::new(program);
    command.args(words).arg("-E").env("LC_ALL", "C").env("LANGUAGE", "C");
    command.args(["-x", "c", "-D__UNPICK__=1"]);
    if target == TargetArg::Ilp32 {
        command.arg("-m32");
    }
    command.args(flags.words());
    if let Some(stand_ins) = stand_ins {
        command.arg("-idirafter").arg(stand_ins);
    }
    child::output(command.arg(file)).map_err(|broken| match broken {
        Broken::Start(error) => Failure::new(format!("cannot run the C preprocessor `{compiler} -E`: {error}"))
            .help("install a C compiler, name one in $CC, or pass preprocessed .i files"),
        Broken::Halted(halt) => Failure::halted(halt),
    })
}

/// Whether a header that is missing for 32 bits is found without `-m32`. Then it is none of the user's: it belongs to
/// the C library.
fn is_there_for_64_bits(header: &str, flags: &Flags, folder: &Path, stand_ins: Option<&Path>) -> Outcome<bool> {
    const FOUND: &str = "unpick_header_found";
    let question = folder.join("question.c");
    let text = format!("#if __has_include(<{header}>)\n{FOUND}\n#endif\n");
    std::fs::write(&question, text)
        .map_err(|error| Failure::new(format!("cannot write into a temporary folder: {error}")))?;
    let answer = run_compiler(&question, &flags.for_64_bits(), TargetArg::Lp64, stand_ins)?;
    Ok(String::from_utf8_lossy(&answer.stdout).contains(FOUND))
}

/// Place and name of the header in gcc's or clang's complaint. A gcc that has no folder of headers at all (for a target
/// whose C library is not installed) has another one.
fn missing_header(line: &str) -> Option<(String, String)> {
    const NO_FOLDER: &str = " error: no include path in which to search for ";
    let (place, header) = match line.split_once(NO_FOLDER) {
        Some(found) => found,
        None => {
            let (place, rest) = line.split_once(" fatal error: ")?;
            let header = match rest.strip_suffix(": No such file or directory") {
                Some(header) => header,
                None => rest.strip_prefix('\'')?.strip_suffix("' file not found")?,
            };
            (place, header)
        }
    };
    // A missing *source* is complained about without a place.
    let place = place.strip_suffix(':').unwrap_or(place);
    place.contains(':').then(|| (place.to_owned(), header.to_owned()))
}

/// Puts an empty file where the compiler looks for a header, if that is inside our own folder.
fn make_stand_in(root: &Path, stand_ins: &Path, header: &str) -> bool {
    let mut path = stand_ins.to_path_buf();
    let mut parts = Path::new(header).components().peekable();
    while let Some(part) = parts.next() {
        match part {
            Component::Normal(name) => path.push(name),
            Component::CurDir => {}
            Component::ParentDir => drop(path.pop()),
            Component::RootDir | Component::Prefix(_) => return false,
        }
        // The folder has no links, so that what is inside by its name is inside.
        if !path.starts_with(root) || path == root {
            return false;
        }
        if parts.peek().is_some() && std::fs::create_dir_all(&path).is_err() {
            return false;
        }
    }
    !path.exists() && std::fs::write(&path, "").is_ok()
}

/// The name of a source, which compilers must not take for a flag or for a file of flags.
fn plain_name(file: &Path) -> PathBuf {
    match file.as_os_str().as_encoded_bytes().first() {
        Some(b'-' | b'@') => Path::new(".").join(file),
        Some(_) | None => file.to_path_buf(),
    }
}

/// A line in which a file at the start is called as the user calls it.
fn called_as_given(line: &str, names: &[(String, String)]) -> String {
    let found = names.iter().find_map(|(absolute, shown)| {
        let rest = line.strip_prefix(absolute.as_str())?;
        rest.starts_with(['/', '"', ':']).then(|| format!("{shown}{rest}"))
    });
    found.unwrap_or_else(|| line.to_owned())
}

/// Line markers name files as the user does, not by the absolute names that the compiler was given.
fn with_given_names(text: String, names: &[(String, String)]) -> String {
    if names.is_empty() {
        return text;
    }
    let mut renamed = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        match line.split_once(" \"").filter(|_| line.starts_with("# ")) {
            Some((head, rest)) => renamed += &format!("{head} \"{}", called_as_given(rest, names)),
            None => renamed += line,
        }
    }
    renamed
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
        failure = failure.help("a header includes itself without end: add an include guard");
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
    fn stand_ins_stay_in_their_folder() {
        let outer = tempfile::tempdir().expect("a folder");
        let root = outer.path().join("own");
        let deep = root.join("d/d/d");
        std::fs::create_dir_all(&deep).expect("a folder");
        for header in ["x.h", "a/b.h", "../../c.h", "./e/../f.h"] {
            assert!(make_stand_in(&root, &deep, header), "{header}");
            assert!(deep.join(header).is_file(), "{header}");
        }
        for header in ["/etc/x/y.h", "../../../../z/y.h", "../../../d/../../own/../z.h", "x.h", "x.h/y.h", "..", ""] {
            assert!(!make_stand_in(&root, &deep, header), "{header}");
        }
        let outside = std::fs::read_dir(outer.path()).expect("a folder").count();
        assert_eq!(outside, 1, "nothing else should have been made");
    }

    #[test]
    fn complaints_are_understood() {
        let gcc = "a.c:3:10: fatal error: x/y.h: No such file or directory";
        assert_eq!(missing_header(gcc), Some(("a.c:3:10".into(), "x/y.h".into())));
        let clang = "a.c:3:10: fatal error: 'x/y.h' file not found";
        assert_eq!(missing_header(clang), Some(("a.c:3:10".into(), "x/y.h".into())));
        let without_folders = "a.c:3:10: error: no include path in which to search for x/y.h";
        assert_eq!(missing_header(without_folders), Some(("a.c:3:10".into(), "x/y.h".into())));
        assert_eq!(missing_header("cc1: fatal error: z.c: No such file or directory"), None);
        let error = detail("dir/a.c:7:2: error: #error no").unwrap();
        assert_eq!((error.file.as_deref(), error.line, error.column), (Some("dir/a.c"), 7, 2));
    }
}
