//! Temporary folders, which go with the process however it ends (except by `kill -9`).
//!
//! A process that a limit or a signal ends runs no destructors, so folders that exist are listed.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use tempfile::TempDir;

static FOLDERS: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// A folder of our own.
pub struct Folder(TempDir);

impl Folder {
    pub fn new() -> io::Result<Self> {
        let folder = tempfile::Builder::new().prefix("unpick").tempdir()?;
        FOLDERS.lock().unwrap_or_else(PoisonError::into_inner).push(folder.path().to_path_buf());
        Ok(Self(folder))
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // The folder itself is removed after this.
        FOLDERS.lock().unwrap_or_else(PoisonError::into_inner).retain(|path| path != self.0.path());
    }
}

/// Removes what is there, because the process ends. Whoever holds the list only adds to it or takes from it.
pub fn remove_all() {
    for folder in FOLDERS.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
        let _ = std::fs::remove_dir_all(folder);
    }
}
