//! Where results go: standard output, or files that are written whole or not at all.

use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use crate::failure::{Failure, Outcome};

/// Writes to standard output; a reader that has gone away (`| head`) is no error.
pub fn say(text: &str) {
    let mut stdout = std::io::stdout().lock();
    let _ = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
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
