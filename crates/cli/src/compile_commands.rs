//! Compiler flags from a `compile_commands.json`.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::failure::{Failure, Outcome};
use crate::preprocess::Flags;

#[derive(Deserialize)]
struct Entry {
    directory: PathBuf,
    file: PathBuf,
    arguments: Option<Vec<String>>,
    command: Option<String>,
}

/// A compilation database, reduced to what preprocessing needs.
#[derive(Debug)]
pub struct Database {
    sources: Vec<(PathBuf, Flags)>,
}

impl Database {
    pub fn read(path: &Path) -> Outcome<Database> {
        let name = path.display();
        let text =
            std::fs::read_to_string(path).map_err(|error| Failure::new(format!("cannot read {name}: {error}")))?;
        let entries: Vec<Entry> = serde_json::from_str(&text)
            .map_err(|error| Failure::new(format!("{name}: not a compilation database: {error}")))?;
        let mut sources: Vec<(PathBuf, Flags)> = Vec::new();
        let base = path.parent().unwrap_or(Path::new(""));
        for entry in entries {
            let directory = absolute(&base.join(&entry.directory));
            let words = match (entry.arguments, entry.command) {
                (Some(arguments), _) => arguments,
                (None, Some(command)) => shlex::split(&command).ok_or_else(|| {
                    Failure::new(format!("{name}: unbalanced quotes in the command for {}", entry.file.display()))
                })?,
                (None, None) => Vec::new(),
            };
            let file = absolute(&directory.join(&entry.file));
            // The same file may be listed once per configuration; the first one counts.
            if sources.iter().all(|(known, _)| *known != file) {
                sources.push((file, flags(&words, directory)));
            }
        }
        Ok(Database { sources })
    }

    /// All C sources, in the order of the database.
    pub fn files(&self) -> Vec<PathBuf> {
        let is_c = |path: &Path| path.extension().is_some_and(|extension| extension == "c" || extension == "i");
        self.sources.iter().map(|(file, _)| file.clone()).filter(|file| is_c(file)).collect()
    }

    /// The flags of a file.
    pub fn flags(&self, file: &Path) -> Option<&Flags> {
        let file = absolute(file);
        self.sources.iter().find(|(known, _)| *known == file).map(|(_, flags)| flags)
    }
}

/// Keeps what shapes preprocessing and drops the rest of the command.
fn flags(words: &[String], directory: PathBuf) -> Flags {
    let takes_word = ["-I", "-isystem", "-iquote", "-idirafter", "-include", "-imacros", "-D", "-U"];
    let mut verbatim = Vec::new();
    let mut words = words.iter().skip(1);
    while let Some(word) = words.next() {
        if takes_word.contains(&word.as_str()) {
            verbatim.push(word.clone());
            verbatim.extend(words.next().cloned());
        } else if takes_word.iter().any(|flag| word.starts_with(flag)) || word.starts_with("-std=") || word == "-m32" {
            verbatim.push(word.clone());
        }
    }
    Flags { verbatim, directory: Some(directory), ..Flags::default() }
}

fn absolute(path: &Path) -> PathBuf {
    path.canonicalize().or_else(|_| std::path::absolute(path)).unwrap_or_else(|_| path.to_path_buf())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_what_shapes_preprocessing() {
        let words =
            ["gcc", "-c", "-O2", "-I", "inc", "-Isrc", "-DX=1", "-std=gnu99", "-o", "a.o", "a.c", "-include", "c.h"];
        let words: Vec<String> = words.iter().map(|word| word.to_string()).collect();
        let kept = flags(&words, PathBuf::from("/x")).verbatim;
        assert_eq!(kept, ["-I", "inc", "-Isrc", "-DX=1", "-std=gnu99", "-include", "c.h"]);
    }
}
