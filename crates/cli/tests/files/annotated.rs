//! Annotated files: comments at the top are directives, `key: value`; a comment at the end of a line claims something of
//! that line.

use std::path::{Path, PathBuf};
use std::str::FromStr;

/// Where the files lie, below the repository.
const FOLDERS: [&str; 5] = ["tests/c", "tests/ir", "tests/promela", "tests/show", "bench/threads"];

/// A language, which decides how comments begin.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Language {
    C,
    Ir,
    Promela,
}

impl Language {
    fn of(path: &Path) -> Option<Language> {
        match path.extension()?.to_str()? {
            "c" | "i" => Some(Language::C),
            "ir" => Some(Language::Ir),
            "pml" | "prom" => Some(Language::Promela),
            _ => None,
        }
    }

    fn comment_leader(self) -> &'static str {
        match self {
            Language::C | Language::Promela => "//",
            Language::Ir => ";",
        }
    }
}

/// A file and what it says of itself.
pub struct Annotated {
    pub path: PathBuf,
    /// The path below the repository, without `tests/`.
    pub name: String,
    pub language: Language,
    directives: Vec<(String, String)>,
    /// The lines marked with `// fails`.
    pub failing_lines: Vec<u64>,
}

impl Annotated {
    fn read(path: PathBuf, name: String, language: Language) -> Annotated {
        let text = String::from_utf8_lossy(&std::fs::read(&path).expect("a file should be readable")).into_owned();
        let (leader, mut in_head) = (language.comment_leader(), true);
        let (mut directives, mut failing_lines) = (Vec::new(), Vec::new());
        for (line, number) in text.lines().zip(1..) {
            let comment = line.trim().strip_prefix(leader).map(str::trim);
            in_head &= comment.is_some() || line.trim().is_empty();
            // Any other sentence with a colon is prose.
            match comment.and_then(|comment| comment.split_once(": ")) {
                Some((key, value)) if in_head => directives.push((key.to_owned(), value.trim().to_owned())),
                Some(_) | None => {}
            }
            let claim = line.rsplit_once(leader).filter(|_| comment.is_none()).map(|(_, claim)| claim.trim());
            failing_lines.extend((claim == Some("fails")).then_some(number));
        }
        Annotated { path, name, language, directives, failing_lines }
    }

    /// All values of a key, in their order.
    pub fn values<'a>(&'a self, key: &'a str) -> impl Iterator<Item = &'a str> {
        self.directives.iter().filter(move |(own, _)| own == key).map(|(_, value)| value.as_str())
    }

    /// The value of a key that is given once.
    pub fn value<'a>(&'a self, key: &'a str) -> Option<&'a str> {
        self.values(key).next()
    }

    /// A value that is a number.
    pub fn number<T: FromStr>(&self, key: &str) -> Option<T> {
        let value = self.value(key)?;
        Some(value.parse().unwrap_or_else(|_| panic!("{}: `{key}: {value}` should be a number", self.name)))
    }

    pub fn folder(&self) -> &Path {
        self.path.parent().expect("a file should lie in a folder")
    }

    pub fn file_name(&self) -> &str {
        self.path.file_name().and_then(|name| name.to_str()).expect("a file should have a name in UTF-8")
    }

    /// Whether it lies below this folder, which is given as in names.
    pub fn is_below(&self, folder: &str) -> bool {
        self.name.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
    }
}

/// The repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository should be there")
}

/// All files, in the order of their paths.
pub fn all() -> Vec<Annotated> {
    let root = root();
    let mut paths = Vec::new();
    for folder in FOLDERS {
        collect(&root.join(folder), &mut paths);
    }
    paths.sort();
    let mut files = Vec::new();
    for path in paths {
        let Some(language) = Language::of(&path) else { continue };
        let name = path.strip_prefix(&root).expect("files should lie in the repository").display().to_string();
        let name = name.strip_prefix("tests/").map(str::to_owned).unwrap_or(name);
        files.push(Annotated::read(path, name, language));
    }
    files
}

fn collect(folder: &Path, paths: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("folders of tests should be readable").flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, paths);
        } else {
            paths.push(path);
        }
    }
}
