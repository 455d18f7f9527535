//! Source lines for reports: whatever file a place names, read once.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use unpick_report::Sources;

use crate::files;

/// Files already read, by the name places use.
#[derive(Default)]
pub struct Lines {
    files: Mutex<HashMap<String, Option<Vec<String>>>>,
    /// Folders that relative names may start from, besides the current one.
    folders: Vec<PathBuf>,
}

impl Lines {
    pub fn new(folders: Vec<PathBuf>) -> Self {
        Self { files: Mutex::default(), folders }
    }

    fn read(&self, file: &str) -> Option<Vec<String>> {
        let here = std::iter::once(PathBuf::from(file));
        let elsewhere = self.folders.iter().map(|folder| folder.join(file));
        let path = here.chain(elsewhere).find(|path| Path::is_file(path))?;
        let bytes = files::read(&path).ok()?;
        let text = String::from_utf8_lossy(&bytes);
        Some(text.lines().map(str::to_owned).collect())
    }
}

impl Sources for Lines {
    fn line(&self, file: &str, line: u32) -> Option<String> {
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        if !files.contains_key(file) {
            files.insert(file.to_owned(), self.read(file));
        }
        files.get(file)?.as_ref()?.get((line as usize).checked_sub(1)?).cloned()
    }
}
