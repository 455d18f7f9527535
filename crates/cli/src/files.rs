//! Files that are read: each has an end, and not too far away.
//!
//! A device may have no end, and a pipe may never have a beginning; a configuration or a trace may name
//! one. So only regular files are read, and pipes that the shell has made for us (`<(command)`).

use std::io::{self, Read as _};
use std::path::Path;

use crate::guard;

/// More than any source, table or trace has.
const MOST_BYTES: u64 = 1 << 30;

/// Reads a file whole.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    let data = std::fs::metadata(path)?;
    let is_handed_over = ["/dev/stdin", "/dev/fd", "/proc/self/fd"].iter().any(|known| path.starts_with(known));
    if !data.is_file() && !data.is_dir() && !is_handed_over {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no regular file"));
    }
    let most = guard::memory().map_or(MOST_BYTES, |bytes| (bytes / 4).min(MOST_BYTES));
    let mut bytes = Vec::new();
    std::fs::File::open(path)?.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("it is larger than {} MiB", most >> 20)));
    }
    Ok(bytes)
}

/// Reads a file that holds text.
pub fn read_to_string(path: &Path) -> io::Result<String> {
    String::from_utf8(read(path)?).map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is no text in UTF-8"))
}
