//! Maps stay true: every crate has a `README.md`, and what maps point at exists.
//!
//! A path is what stands in backticks and begins with a folder of the project (`crates/store`), with alternatives in
//! braces (`src/{verdict,why}.rs`) or a star for any file name (`tests/c/*.c`). `src/` and the like are folders of the
//! crate that the `README.md` is about; elsewhere, of the first crate that the section names. Targets of links count too,
//! unless they lead to the web. Whatever else stands in backticks (names, flags, commands) is not looked at; in blocks of
//! code, words are that begin with `crates/`.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use cargo_metadata::Metadata;

/// Maps at the top. The changelog is none: it may speak of what is gone.
const TOP: [&str; 4] = ["ARCHITECTURE.md", "CONTRIBUTING.md", "README.md", "WARTS.md"];
/// Folders in which a path of a map begins.
const FOLDERS: [&str; 8] = ["bench", "crates", "docs", "editors", "examples", "fuzz", "tests", "xtask"];
/// Folders of a crate, in which a path of its `README.md` may begin.
const OWN_FOLDERS: [&str; 5] = ["examples", "library", "models", "src", "tests"];

/// What is wrong with the maps.
pub fn faults(root: &Path, metadata: &Metadata) -> Result<Vec<String>> {
    let mut faults = Vec::new();
    let mut maps: Vec<(PathBuf, Option<String>)> = shared_maps(root)?.into_iter().map(|map| (map, None)).collect();
    for package in &metadata.packages {
        let folder = package.manifest_path.parent().expect("a manifest should lie in a folder").as_std_path();
        let map = folder.join("README.md");
        match map.is_file() {
            true => maps.push((map, Some(folder.strip_prefix(root).unwrap_or(folder).display().to_string()))),
            false => faults.push(format!("{}: has no README.md", package.name)),
        }
    }
    for (map, own) in maps {
        let name = map.strip_prefix(root).unwrap_or(&map).display().to_string();
        let text = std::fs::read_to_string(&map).with_context(|| name.clone())?;
        let beside = map.parent().unwrap_or(root);
        for Pointer { line, path, from } in pointers(&text, own.as_deref()) {
            let is_there = match &from {
                From::Map => exists(beside, &path),
                From::Top(folder) => {
                    exists(root, &path) || folder.as_ref().is_some_and(|folder| exists(&root.join(folder), &path))
                }
            };
            if !is_there {
                faults.push(format!("{name}:{line}: `{path}` does not exist"));
            }
        }
    }
    Ok(faults)
}

/// The maps that belong to no crate: those at the top, and all pages of the documentation.
fn shared_maps(root: &Path) -> Result<Vec<PathBuf>> {
    let mut maps: Vec<PathBuf> = TOP.map(|name| root.join(name)).into();
    for entry in std::fs::read_dir(root.join("docs")).context("docs")? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "md") {
            maps.push(path);
        }
    }
    maps.sort();
    Ok(maps)
}

/// Something that a map points at.
#[derive(PartialEq, Eq, Debug)]
struct Pointer {
    /// The line of the map, from one.
    line: usize,
    path: String,
    from: From,
}

/// Where a path begins.
#[derive(Clone, PartialEq, Eq, Debug)]
enum From {
    /// Where the map lies: links.
    Map,
    /// At the top, or in the folder of the crate that is spoken of.
    Top(Option<String>),
}

/// What a text points at; `own` is the folder of the crate that it is about.
fn pointers(text: &str, own: Option<&str>) -> Vec<Pointer> {
    let mut found = Vec::new();
    let mut is_code = false;
    let mut subject = own.map(str::to_owned);
    // What stands in backticks may go on in the next line.
    let mut is_quoted = false;
    for (number, line) in text.lines().enumerate() {
        let mut point = |path: &str, from: From| {
            let all = alternatives(path).into_iter();
            found.extend(all.map(|path| Pointer { line: number + 1, path, from: from.clone() }));
        };
        if line.starts_with("```") {
            is_code = !is_code;
            continue;
        }
        if is_code {
            let words = line.split_whitespace().filter(|word| word.starts_with("crates/"));
            words.for_each(|word| point(word, From::Top(None)));
            continue;
        }
        if line.starts_with('#') {
            subject = own.map(str::to_owned);
        }
        is_quoted &= !line.is_empty();
        for (position, part) in line.split('`').enumerate() {
            is_quoted ^= position > 0;
            if !is_quoted {
                let targets = part.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next());
                let local = targets.filter(|target| !target.is_empty() && !target.contains("://"));
                local.for_each(|target| point(target, From::Map));
            } else if is_path(part, subject.is_some()) {
                point(part, From::Top(subject.clone()));
                if subject.is_none() && part.starts_with("crates/") {
                    subject = Some(part.to_owned());
                }
            }
        }
    }
    found
}

/// Whether a text in backticks is a path at all, where a crate is spoken of or not.
fn is_path(text: &str, has_subject: bool) -> bool {
    let Some((folder, _)) = text.split_once('/') else { return false };
    let is_known = FOLDERS.contains(&folder) || (has_subject && OWN_FOLDERS.contains(&folder));
    // Angle brackets stand for a name of the reader's choice (`crates/engine/<name>`); spaces make it a command.
    is_known && !text.contains([' ', '<'])
}

/// A path for each way through its braces.
fn alternatives(path: &str) -> Vec<String> {
    let Some((before, rest)) = path.split_once('{') else { return vec![path.to_owned()] };
    let Some((inside, after)) = rest.split_once('}') else { return vec![path.to_owned()] };
    inside.split(',').flat_map(|part| alternatives(&format!("{before}{part}{after}"))).collect()
}

/// Whether there is something under a path.
fn exists(from: &Path, path: &str) -> bool {
    match path.rsplit_once('/') {
        Some((folder, pattern)) if pattern.contains('*') => has_match(&from.join(folder), pattern),
        _ => from.join(path).exists(),
    }
}

/// Whether a folder holds a file whose name fits a pattern with one star.
fn has_match(folder: &Path, pattern: &str) -> bool {
    let (start, end) = pattern.split_once('*').unwrap_or((pattern, ""));
    let fits = |name: &str| name.len() >= start.len() + end.len() && name.starts_with(start) && name.ends_with(end);
    let Ok(entries) = std::fs::read_dir(folder) else { return false };
    entries.flatten().any(|entry| fits(&entry.file_name().to_string_lossy()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Line, path, and the crate that is spoken of, for what begins at the top; lines and paths of links.
    fn found(text: &str, own: Option<&str>) -> Vec<String> {
        let shown = |Pointer { line, path, from }: Pointer| match from {
            From::Map => format!("{line} -> {path}"),
            From::Top(None) => format!("{line} {path}"),
            From::Top(Some(folder)) => format!("{line} {path} in {folder}"),
        };
        pointers(text, own).into_iter().map(shown).collect()
    }

    #[test]
    fn paths_stand_in_backticks_and_links() {
        assert_eq!(found("see `docs/ir.md` and\n`tests/c`", None), ["1 docs/ir.md", "2 tests/c"]);
        assert_eq!(found("[a](docs/a.md#part) [b](https://example.org/b) [c](#here)", None), ["1 -> docs/a.md"]);
        assert_eq!(found("[`a`](docs/a.md) but `[](x == 1)`", None), ["1 -> docs/a.md"]);
    }

    #[test]
    fn braces_stand_for_several_paths() {
        let all = ["1 docs/a/x.md", "1 docs/a/y/z.md", "1 docs/b/x.md", "1 docs/b/y/z.md"];
        assert_eq!(found("`docs/{a,b}/{x,y/z}.md`", None), all);
    }

    #[test]
    fn folders_of_the_crate_that_is_spoken_of_are_known() {
        assert_eq!(found("# A\n`src/lib.rs`", Some("crates/a")), ["2 src/lib.rs in crates/a"]);
        let sections = "### a\n`crates/a`: `src/lib.rs`\n### b\n`src/lib.rs`";
        assert_eq!(found(sections, None), ["2 crates/a", "2 src/lib.rs in crates/a"]);
    }

    #[test]
    fn names_and_commands_are_no_paths() {
        let text = "`and/or` `Ledger::settle` `cargo xtask tidy` `crates/engine/<name>` `tests/ring.c --json`";
        assert!(found(text, Some("crates/a")).is_empty());
        assert_eq!(found("`cargo xtask\ntidy` not docs/ but `docs/ir.md`", None), ["2 docs/ir.md"]);
        assert_eq!(found("a lonely `\n\n`docs/ir.md`", None), ["3 docs/ir.md"]);
    }

    #[test]
    fn blocks_of_code_point_at_crates_only() {
        let text = "```\ncheck examples/ring.c `docs`\n  crates/a/src/x.rs  its idea\n```\n`docs/ir.md`";
        assert_eq!(found(text, None), ["3 crates/a/src/x.rs", "5 docs/ir.md"]);
    }

    #[test]
    fn what_is_pointed_at_is_looked_for() {
        let own = Path::new(env!("CARGO_MANIFEST_DIR"));
        let is_there = |path| exists(own, path);
        assert!(is_there("src") && is_there("src/tidy.rs") && is_there("../ARCHITECTURE.md"));
        assert!(is_there("src/*.rs") && is_there("src/tid*.rs"));
        assert!(!is_there("src/nowhere.rs") && !is_there("src/*.nowhere") && !is_there("nowhere/*"));
    }
}
