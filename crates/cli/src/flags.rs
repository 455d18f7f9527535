//! Flags of the preprocessor, as values instead of words of a command.
//!
//! Configuration files, compilation databases and saved traces may come from strangers, and compilers take words that run
//! programs (`-wrapper`, `@file`). So no text out of a file becomes a word of a command: it is read into the few values
//! below, and each word is built from them. Folders and files are absolute, so that none begins with `-` or `@`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::failure::{Failure, Outcome};

/// How to preprocess one source.
#[derive(Clone, Debug, Default)]
pub struct Flags {
    folders: Vec<Folder>,
    macros: Vec<Macro>,
    includes: Vec<Include>,
    std: Option<Standard>,
    is_32_bit: bool,
    /// Folder that relative names in the preprocessed text start from, if it is not the current one.
    pub directory: Option<PathBuf>,
}

/// When a folder is searched for headers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FolderKind {
    Plain,
    System,
    Quote,
    After,
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct Folder {
    kind: FolderKind,
    path: Named,
}

/// A file or folder: where it is, and how the user calls it.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Named {
    absolute: PathBuf,
    shown: PathBuf,
}

impl Named {
    fn new(base: &Path, path: &Path) -> Named {
        // Without a name it is the folder itself: an empty word would take the next one for its value.
        let joined = base.join(if path.as_os_str().is_empty() { Path::new(".") } else { path });
        Named { absolute: std::path::absolute(&joined).unwrap_or(joined), shown: path.to_path_buf() }
    }
}

/// A file that is read before the source.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Include {
    path: Named,
    /// Only its macros are kept.
    is_for_macros: bool,
}

/// A macro to be defined or undefined.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Macro {
    /// `NAME`, `NAME=VALUE` or `NAME(PARAMETERS)=VALUE`.
    Define(String),
    Undefine(String),
}

impl Macro {
    /// Reads what stands behind `-D`.
    pub fn define(text: &str) -> Outcome<Macro> {
        let (head, value) = text.split_once('=').unwrap_or((text, ""));
        let is_head = match head.split_once('(') {
            None => is_name(head),
            Some((name, rest)) => is_name(name) && rest.strip_suffix(')').is_some_and(are_parameters),
        };
        if is_head && !value.contains(['\n', '\r', '\0']) {
            return Ok(Macro::Define(text.to_owned()));
        }
        Err(Failure::new(format!("`{text}` defines no macro"))
            .help("write NAME, NAME=VALUE or NAME(PARAMETERS)=VALUE, on one line"))
    }

    /// Reads what stands behind `-U`.
    pub fn undefine(text: &str) -> Outcome<Macro> {
        match is_name(text) {
            true => Ok(Macro::Undefine(text.to_owned())),
            false => Err(Failure::new(format!("`{text}` is no name of a macro"))),
        }
    }
}

fn is_name(text: &str) -> bool {
    let is_letter = |letter: char| letter == '_' || letter == '$' || letter.is_alphanumeric();
    text.chars().all(is_letter) && text.chars().next().is_some_and(|first| !first.is_numeric())
}

fn are_parameters(list: &str) -> bool {
    let is_parameter = |word: &str| word == "..." || is_name(word.strip_suffix("...").unwrap_or(word));
    list.trim().is_empty() || list.split(',').map(str::trim).all(is_parameter)
}

/// A language standard.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Standard(&'static str);

const STANDARDS: &[&str] = &[
    "c89",
    "c90",
    "c99",
    "c9x",
    "c11",
    "c1x",
    "c17",
    "c18",
    "c2x",
    "c23",
    "gnu89",
    "gnu90",
    "gnu99",
    "gnu9x",
    "gnu11",
    "gnu1x",
    "gnu17",
    "gnu18",
    "gnu2x",
    "gnu23",
    "iso9899:1990",
    "iso9899:199409",
    "iso9899:1999",
    "iso9899:2011",
    "iso9899:2017",
    "iso9899:2018",
    "iso9899:2024",
];

impl Standard {
    pub fn read(text: &str) -> Outcome<Standard> {
        let known = STANDARDS.iter().find(|known| **known == text);
        known.map(|known| Standard(known)).ok_or_else(|| {
            Failure::new(format!("`{text}` is no standard of C")).help(format!("known are {}", STANDARDS.join(" ")))
        })
    }
}

impl Flags {
    /// What flags and configuration say, relative to the current folder.
    pub fn new(
        folders: &[PathBuf],
        defines: &[String],
        undefines: &[String],
        includes: &[PathBuf],
        std: Option<&str>,
    ) -> Outcome<Flags> {
        let mut flags = Flags { std: std.map(Standard::read).transpose()?, ..Flags::default() };
        let here = Path::new("");
        folders.iter().for_each(|path| flags.add_folder(FolderKind::Plain, here, path));
        for text in defines {
            flags.macros.push(Macro::define(text)?);
        }
        for text in undefines {
            flags.macros.push(Macro::undefine(text)?);
        }
        includes.iter().for_each(|path| flags.add_include(here, path, false));
        Ok(flags)
    }

    pub fn add_folder(&mut self, kind: FolderKind, base: &Path, path: &Path) {
        self.folders.push(Folder { kind, path: Named::new(base, path) });
    }

    /// Adds a folder that is searched before the others.
    pub fn search_first(&mut self, path: &Path) {
        self.folders.insert(0, Folder { kind: FolderKind::Plain, path: Named::new(Path::new(""), path) });
    }

    pub fn add_include(&mut self, base: &Path, path: &Path, is_for_macros: bool) {
        self.includes.push(Include { path: Named::new(base, path), is_for_macros });
    }

    pub fn add_macro(&mut self, defined: Macro) {
        self.macros.push(defined);
    }

    pub fn set_std(&mut self, std: Standard) {
        self.std = Some(std);
    }

    pub fn set_32_bit(&mut self) {
        self.is_32_bit = true;
    }

    /// Whether the database says `-m32`.
    pub fn is_32_bit(&self) -> bool {
        self.is_32_bit
    }

    /// Where headers are looked for without `-m32`.
    pub fn for_64_bits(&self) -> Flags {
        Flags { is_32_bit: false, includes: Vec::new(), ..self.clone() }
    }

    /// Whether anything changes the text of a source that includes nothing.
    pub fn change_text(&self) -> bool {
        !self.macros.is_empty() || !self.includes.is_empty()
    }

    /// These flags behind others, which stand in a compilation database.
    pub fn behind(self, first: &Flags) -> Flags {
        let mut joined = first.clone();
        joined.folders.extend(self.folders);
        joined.macros.extend(self.macros);
        joined.includes.extend(self.includes);
        joined.std = self.std.or(joined.std);
        joined.is_32_bit |= self.is_32_bit;
        joined
    }

    /// The words for a compiler.
    pub fn words(&self) -> Vec<OsString> {
        let mut words = Vec::new();
        let mut push = |flag: &str, rest: &std::ffi::OsStr| {
            let mut word = OsString::from(flag);
            word.push(rest);
            words.push(word);
        };
        if self.is_32_bit {
            push("-m32", "".as_ref());
        }
        if let Some(Standard(std)) = self.std {
            push("-std=", std.as_ref());
        }
        for Folder { kind, path } in &self.folders {
            match kind {
                FolderKind::Plain => push("-I", path.absolute.as_os_str()),
                FolderKind::System => push("-isystem", path.absolute.as_os_str()),
                FolderKind::Quote => push("-iquote", path.absolute.as_os_str()),
                FolderKind::After => push("-idirafter", path.absolute.as_os_str()),
            }
        }
        for change in &self.macros {
            match change {
                Macro::Define(text) => push("-D", text.as_ref()),
                Macro::Undefine(name) => push("-U", name.as_ref()),
            }
        }
        for include in &self.includes {
            push(if include.is_for_macros { "-imacros" } else { "-include" }, "".as_ref());
            push("", self.resolved(&include.path).as_os_str());
        }
        words
    }

    /// Compilers look for such a file in the current folder, then where they look for headers.
    fn resolved(&self, path: &Named) -> PathBuf {
        let elsewhere = self.folders.iter().map(|folder| folder.path.absolute.join(&path.shown));
        let mut places = std::iter::once(path.absolute.clone()).chain(elsewhere);
        places.find(|place| place.is_file()).unwrap_or_else(|| path.absolute.clone())
    }

    /// Absolute names and what users call them, longest first.
    pub fn names(&self) -> Vec<(String, String)> {
        let folders = self.folders.iter().map(|folder| &folder.path);
        let named = folders.chain(self.includes.iter().map(|include| &include.path));
        let pair = |path: &Named| (path.absolute.display().to_string(), path.shown.display().to_string());
        let mut names: Vec<(String, String)> = named.map(pair).filter(|(absolute, shown)| absolute != shown).collect();
        names.sort_by_key(|(absolute, _)| std::cmp::Reverse(absolute.len()));
        names
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn macros_have_a_grammar() {
        for text in ["X", "X=1", "X=a b=c", "F(x)=x+1", "F(a, b...)=b", "F()=", "_x$=@y", "V(...)=__VA_ARGS__"] {
            assert!(Macro::define(text).is_ok(), "{text}");
        }
        for text in ["", "=1", "1X", "X Y", "X\n=1", "X=1\n#include \"y\"", "F(x=1", "F(1)=x", "@r.rsp", "-wrapper"] {
            assert!(Macro::define(text).is_err(), "{text}");
        }
        assert!(Macro::undefine("X").is_ok() && Macro::undefine("X=1").is_err() && Macro::undefine("@x").is_err());
    }

    #[test]
    fn standards_come_from_a_list() {
        assert!(Standard::read("gnu11").is_ok());
        for text in ["c++17", "c11 -wrapper", "@x", ""] {
            assert!(Standard::read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn no_word_is_a_response_file() {
        let paths: Vec<PathBuf> = ["@r.rsp", "-wrapper", "-", "..", ""].iter().map(PathBuf::from).collect();
        let flags = Flags::new(&paths, &["X=@y".to_owned()], &[], &paths, Some("c99")).expect("all can be named");
        let mut words = flags.words().into_iter();
        while let Some(word) = words.next() {
            let text = word.to_string_lossy().into_owned();
            assert!(["-I/", "-DX=@y", "-std=c99", "-include"].iter().any(|known| text.starts_with(known)), "{text}");
            if text == "-include" {
                assert!(words.next().is_some_and(|path| Path::new(&path).is_absolute()));
            }
        }
    }
}
