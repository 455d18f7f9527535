//! Compiler flags from a `compile_commands.json`.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::failure::{Failure, Outcome};
use crate::files;
use crate::flags::{Flags, FolderKind, Macro, Standard};

/// Flags that take a value, as part of the word or as the next word.
const WITH_VALUE: [&str; 8] = ["-isystem", "-iquote", "-idirafter", "-include", "-imacros", "-I", "-D", "-U"];

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
        let text = files::read_to_string(path).map_err(|error| Failure::new(format!("cannot read {name}: {error}")))?;
        let entries: Vec<Entry> = serde_json::from_str(&text)
            .map_err(|error| Failure::new(format!("{name}: not a compilation database: {error}")))?;
        let mut sources: Vec<(PathBuf, Flags)> = Vec::new();
        let base = path.parent().unwrap_or(Path::new(""));
        let mut has_response_file = false;
        for entry in entries {
            let directory = absolute(&base.join(&entry.directory));
            let words = match (entry.arguments, entry.command) {
                (Some(arguments), _) => arguments,
                (None, Some(command)) => shlex::split(&command).ok_or_else(|| {
                    Failure::new(format!("{name}: unbalanced quotes in the command for {}", entry.file.display()))
                })?,
                (None, None) => Vec::new(),
            };
            has_response_file |= words.iter().skip(1).any(|word| word.starts_with('@'));
            let file = absolute(&directory.join(&entry.file));
            // The same file may be listed once per configuration; the first one counts.
            if sources.iter().all(|(known, _)| *known != file) {
                let known = flags(&words, directory).map_err(|failure| {
                    let message = format!("{name}: in the command for {}: {}", entry.file.display(), failure.message);
                    Failure { message, ..failure }
                })?;
                sources.push((file, known));
            }
        }
        if has_response_file {
            tell!("warning: {name}: response files (`@file`) in commands are not read");
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
fn flags(words: &[String], directory: PathBuf) -> Outcome<Flags> {
    let mut flags = Flags::default();
    let mut words = words.iter().skip(1);
    while let Some(word) = words.next() {
        if word == "-m32" {
            flags.set_32_bit();
        }
        if let Some(std) = word.strip_prefix("-std=").and_then(|std| Standard::read(std).ok()) {
            // Standards of other languages belong to sources that are none of ours.
            flags.set_std(std);
        }
        let Some((flag, rest)) = WITH_VALUE.iter().find_map(|flag| Some((*flag, word.strip_prefix(flag)?))) else {
            continue;
        };
        let value = if rest.is_empty() { words.next().map_or("", String::as_str) } else { rest };
        if value.is_empty() {
            continue;
        }
        let path = Path::new(value);
        match flag {
            "-I" => flags.add_folder(FolderKind::Plain, &directory, path),
            "-isystem" => flags.add_folder(FolderKind::System, &directory, path),
            "-iquote" => flags.add_folder(FolderKind::Quote, &directory, path),
            "-idirafter" => flags.add_folder(FolderKind::After, &directory, path),
            "-include" => flags.add_include(&directory, path, false),
            "-imacros" => flags.add_include(&directory, path, true),
            "-D" => flags.add_macro(Macro::define(value)?),
            _ => flags.add_macro(Macro::undefine(value)?),
        }
    }
    flags.directory = Some(directory);
    Ok(flags)
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
        let kept = flags(&words, PathBuf::from("/x")).expect("all of it can be read").words();
        assert_eq!(kept, ["-std=gnu99", "-I/x/inc", "-I/x/src", "-DX=1", "-include", "/x/c.h"]);
    }

    #[test]
    fn no_word_is_handed_on() {
        let words =
            ["gcc", "-I", "@r.rsp", "-wrapper", "sh,-c,x", "-I-B.", "-isystem", "-specs=x", "-std=c99 -x", "@r"];
        let words: Vec<String> = words.iter().map(|word| word.to_string()).collect();
        let kept = flags(&words, PathBuf::from("/x")).expect("all of it can be read").words();
        assert_eq!(kept, ["-I/x/@r.rsp", "-I/x/-B.", "-isystem/x/-specs=x"]);
        let words = ["gcc".to_owned(), "-DX=1\n#include \"y\"".to_owned()];
        assert!(flags(&words, PathBuf::from("/x")).is_err());
    }
}
