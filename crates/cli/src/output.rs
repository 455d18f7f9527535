//! Where everything printed goes: standard output and standard error, through one gate that lets nothing of the input
//! steer a terminal; and files that are written whole or not at all.

use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use unpick_report::Colour;
use unpick_report::escape;

use crate::failure::{Failure, Outcome};
use crate::input::{colour_of_stderr, colour_of_stdout};

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
    let mut stdout = std::io::stdout().lock();
    let _ = stdout.write_all(bytes).and_then(|()| stdout.flush());
}

/// Writes a message to standard error; use it as `tell!`.
pub fn tell(text: &str) {
    to_stderr(escape::printable(text, Colour::Never).as_bytes());
}

/// Writes what was drawn, with the report's own colours, to standard error.
pub fn tell_drawn(text: &str) {
    to_stderr(escape::printable(text, colour_of_stderr()).as_bytes());
}

/// Writes to standard error; if nobody can read it there is nobody to complain to.
pub fn to_stderr(bytes: &[u8]) {
    let _ = std::io::stderr().lock().write_all(bytes);
}

/// A line for people on standard error.
macro_rules! tell {
    ($($words:tt)*) => { $crate::output::tell(&(format!($($words)*) + "\n")) };
}

/// Writes a file whole or not at all.
pub fn save(path: &Path, text: &str) -> Outcome<()> {
    let wrong = |error: std::io::Error| Failure::new(format!("cannot write {}: {error}", path.display()));
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // As any other file: what others may do with it is what the user's mask says.
    let permissions = std::fs::Permissions::from_mode(0o666);
    let file = tempfile::Builder::new().permissions(permissions).tempfile_in(folder).map_err(wrong)?;
    std::fs::write(file.path(), text).map_err(wrong)?;
    file.persist(path).map_err(|error| wrong(error.error))?;
    Ok(())
}
