//! Where everything printed goes: standard output and standard error, through one gate that lets nothing of the input
//! steer a terminal; and files that are written whole or not at all.
//!
//! A reader that has gone away (`| head`) is no error and ends nothing. Whatever else goes wrong is kept until the command is
//! over: then it is said, where it can be said, and the exit code is 2.

use std::io::{self, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use unpick_report::Colour;
use unpick_report::escape;

use crate::failure::{Failure, Outcome};
use crate::guard;
use crate::input::{colour_of_stderr, colour_of_stdout};

/// What could not be written first, and why.
static LOST: Mutex<Option<(&str, io::Error)>> = Mutex::new(None);

/// Nobody reads standard output any more.
static IS_READER_GONE: AtomicBool = AtomicBool::new(false);

const STDOUT: &str = "standard output";

/// Writes a result, drawn in colours or not, to standard output.
pub fn say(text: &str) {
    to_stdout(escape::printable(text, colour_of_stdout()).as_bytes());
}

/// Writes a JSON document to standard output, with numbers for characters that would steer a terminal.
pub fn say_json(document: &str) {
    to_stdout(escape::json(document).as_bytes());
}

/// Writes bytes that are not ours to change to standard output; a reader that has gone away (`| head`) is no error.
pub fn to_stdout(bytes: &[u8]) {
    // Half a report with another behind it is useless.
    let _writing = guard::Writing::new();
    let mut stdout = std::io::stdout().lock();
    keep_stdout(stdout.write_all(bytes).and_then(|()| stdout.flush()));
}

/// Writes a message to standard error; use it as `tell!`.
pub fn tell(text: &str) {
    to_stderr(escape::printable(text, Colour::Never).as_bytes());
}

/// Writes what was drawn, with the report's own colours, to standard error.
pub fn tell_drawn(text: &str) {
    to_stderr(escape::printable(text, colour_of_stderr()).as_bytes());
}

/// Writes bytes that are not ours to change to standard error.
pub fn to_stderr(bytes: &[u8]) {
    keep("standard error", std::io::stderr().lock().write_all(bytes));
}

/// A line for people on standard error.
macro_rules! tell {
    ($($words:tt)*) => { $crate::output::tell(&(format!($($words)*) + "\n")) };
}

/// Remembers what went wrong with standard output.
pub fn keep_stdout(result: io::Result<()>) {
    // What was closed when we were started has been replaced by something that takes everything.
    let result = match unpick_limits::was_stdout_closed() {
        true => Err(io::Error::other("it is closed")),
        false => result,
    };
    if result.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::BrokenPipe) {
        IS_READER_GONE.store(true, Ordering::Relaxed);
    }
    keep(STDOUT, result);
}

/// Whether the reader of standard output has gone away.
pub fn is_reader_gone() -> bool {
    IS_READER_GONE.load(Ordering::Relaxed)
}

/// Remembers the first error that matters.
fn keep(name: &'static str, result: io::Result<()>) {
    let Err(error) = result else { return };
    if error.kind() == io::ErrorKind::BrokenPipe {
        return;
    }
    let mut lost = LOST.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    lost.get_or_insert((name, error));
}

/// Whether something could not be written.
pub fn is_anything_lost() -> bool {
    LOST.lock().unwrap_or_else(std::sync::PoisonError::into_inner).is_some()
}

/// What was lost, if anything was.
pub fn lost() -> Option<Failure> {
    let lost = LOST.lock().unwrap_or_else(std::sync::PoisonError::into_inner).take();
    lost.map(|(name, error)| Failure::new(format!("cannot write to {name}: {error}")))
}

/// Writes a file whole or not at all. What is there and is no file (a terminal, a pipe) is written to as it stands.
pub fn save(path: &Path, text: &str) -> Outcome<()> {
    let wrong = |error: std::io::Error| Failure::new(format!("cannot write {}: {error}", path.display()));
    if std::fs::metadata(path).is_ok_and(|data| !data.is_file()) {
        let mut file = std::fs::OpenOptions::new().write(true).open(path).map_err(wrong)?;
        return match file.write_all(text.as_bytes()) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            result => result.map_err(wrong),
        };
    }
    // A link stays one: the file behind it is replaced.
    let target = std::fs::canonicalize(path).unwrap_or(path.to_path_buf());
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let _writing = guard::Writing::new();
    // As any other file: what others may do with it is what the user's mask says, or what the one before allowed.
    let permissions = std::fs::Permissions::from_mode(0o666);
    let before = std::fs::metadata(&target).ok().map(|data| data.permissions());
    let mut file =
        tempfile::Builder::new().prefix(".unpick").permissions(permissions).tempfile_in(folder).map_err(wrong)?;
    file.write_all(text.as_bytes()).map_err(wrong)?;
    if let Some(permissions) = before {
        file.as_file().set_permissions(permissions).map_err(wrong)?;
    }
    file.persist(&target).map_err(|error| wrong(error.error))?;
    Ok(())
}
