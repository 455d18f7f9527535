//! Maps stay true: every crate has a `README.md`, and what maps point at exists.
//!
//! A path is what stands in backticks and begins with a folder of the project (`crates/store`), with alternatives in
//! braces (`src/{verdict,why}.rs`) or a star for any file name (`tests/c/*.c`); in the `README.md` of a crate, `src/` and
//! the like are folders of that crate. Targets of links count too, unless they lead to the web. Whatever else stands in
//! backticks (names, flags, commands) is not looked at, nor is what stands in a block of code.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use cargo_metadata::Metadata;

/// Folders in which a path of a map begins.
const FOLDERS: [&str; 8] = ["bench", "crates", "docs", "editors", "examples", "fuzz", "tests", "xtask"];
/// Folders of a crate, in which a path of its `README.md` may begin.
const OWN_FOLDERS: [&str; 5] = ["examples", "library", "models", "src", "tests"];

/// What is wrong with the maps.
pub fn faults(root: &Path, metadata: &Metadata) -> Result<Vec<String>> {
    let mut faults = Vec::new();
    let mut maps = shared_maps(root)?;
    for package in &metadata.packages {
        let folder = package.manifest_path.parent().expect("a manifest should lie in a folder").as_std_path();
        let map = folder.join("README.md");
        match map.is_file() {
            true => maps.push(map),
            false => faults.push(format!("{}: has no README.md", package.name)),
        }
    }
    for map in maps {
        let name = map.strip_prefix(root).unwrap_or(&map).display().to_string();
        let text = std::fs::read_to_string(&map).with_context(|| name.clone())?;
        let beside = map.parent().unwrap_or(root);
        let is_crate = beside.join("Cargo.toml").is_file() && beside != root;
        for (line, path) in paths(&text, is_crate) {
            if !exists(root, beside, &path) {
                faults.push(format!("{name}:{line}: `{path}` does not exist"));
            }
        }
    }
    Ok(faults)
}

/// The maps that belong to no crate: those at the top, and how to add something.
fn shared_maps(root: &Path) -> Result<Vec<PathBuf>> {
    let top = ["ARCHITECTURE.md", "CONTRIBUTING.md", "README.md"].map(|name| root.join(name));
    let mut maps: Vec<PathBuf> = top.into_iter().filter(|map| map.is_file()).collect();
    for entry in std::fs::read_dir(root.join("docs")).context("docs")? {
        let path = entry?.path();
        if path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("add-")) {
            maps.push(path);
        }
    }
    maps.sort();
    Ok(maps)
}

/// The paths that a text points at, each with its line.
fn paths(text: &str, is_crate: bool) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut is_code = false;
    for (number, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
            continue;
        }
        if is_code {
            continue;
        }
        let quoted = line.split('`').skip(1).step_by(2).filter(|quoted| is_path(quoted, is_crate));
        let linked = line.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next());
        let linked = linked.filter(|target| !target.is_empty() && !target.contains("://"));
        for path in quoted.chain(linked) {
            found.extend(alternatives(path).into_iter().map(|path| (number + 1, path)));
        }
    }
    found
}

/// Whether a text in backticks is a path at all.
fn is_path(text: &str, is_crate: bool) -> bool {
    let Some((folder, _)) = text.split_once('/') else { return false };
    let is_known = FOLDERS.contains(&folder) || (is_crate && OWN_FOLDERS.contains(&folder));
    // Angle brackets stand for a name of the reader's choice (`crates/engine/<name>`); spaces make it a command.
    is_known && !text.contains([' ', '<'])
}

/// A path for each way through its braces.
fn alternatives(path: &str) -> Vec<String> {
    let Some((before, rest)) = path.split_once('{') else { return vec![path.to_owned()] };
    let Some((inside, after)) = rest.split_once('}') else { return vec![path.to_owned()] };
    inside.split(',').flat_map(|part| alternatives(&format!("{before}{part}{after}"))).collect()
}

/// Whether there is something under a path, beside the map or from the top.
fn exists(root: &Path, beside: &Path, path: &str) -> bool {
    [root, beside].into_iter().any(|from| match path.rsplit_once('/') {
        Some((folder, pattern)) if pattern.contains('*') => has_match(&from.join(folder), pattern),
        _ => from.join(path).exists(),
    })
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

    fn found(text: &str, is_crate: bool) -> Vec<String> {
        paths(text, is_crate).into_iter().map(|(line, path)| format!("{line} {path}")).collect()
    }

    #[test]
    fn paths_stand_in_backticks_and_links() {
        assert_eq!(found("see `crates/store` and\n`docs/ir.md`", false), ["1 crates/store", "2 docs/ir.md"]);
        assert_eq!(found("[a](docs/a.md#part) [b](https://example.org/b) [c](#here)", false), ["1 docs/a.md"]);
    }

    #[test]
    fn braces_stand_for_several_paths() {
        let all = ["1 crates/a/src/x.rs", "1 crates/a/src/y/z.rs", "1 crates/b/src/x.rs", "1 crates/b/src/y/z.rs"];
        assert_eq!(found("`crates/{a,b}/src/{x,y/z}.rs`", false), all);
    }

    #[test]
    fn folders_of_a_crate_are_its_own() {
        assert_eq!(found("`src/lib.rs`", true), ["1 src/lib.rs"]);
        assert!(found("`src/lib.rs`", false).is_empty());
    }

    #[test]
    fn names_commands_and_code_are_no_paths() {
        assert!(found("`and/or` `Ledger::settle` `cargo xtask tidy` `crates/engine/<name>` `tests/ring.c --json`", true).is_empty());
        assert!(found("```\n`crates/nowhere`\n```", false).is_empty());
        assert_eq!(found("```\n```\n`crates/nowhere`", false), ["3 crates/nowhere"]);
    }

    #[test]
    fn what_is_pointed_at_is_looked_for() {
        let own = Path::new(env!("CARGO_MANIFEST_DIR"));
        let root = own.parent().expect("xtask should lie in the workspace");
        let is_there = |path| exists(root, own, path);
        assert!(is_there("crates/store") && is_there("crates/store/src/lib.rs") && is_there("src/tidy.rs"));
        assert!(is_there("examples/*.c") && is_there("src/tid*.rs"));
        assert!(!is_there("crates/nowhere") && !is_there("src/nowhere.rs"));
        assert!(!is_there("examples/*.nowhere") && !is_there("nowhere/*"));
    }
}
