//! House rules checked by machine: imports between crates, sizes of files and functions, heads of files, names that were
//! replaced by the literature's terms, maps that point at what exists, and that proofs are made in one file.

mod maps;
mod sizes;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use cargo_metadata::{DependencyKind, Metadata, MetadataCommand};
use serde::Deserialize;

/// The only file that makes proofs.
const LEDGER: &str = "crates/system/src/ledger.rs";

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Rules {
    sees: BTreeMap<String, Vec<String>>,
    exceptions: BTreeMap<String, String>,
    long_files: BTreeMap<String, String>,
    long_functions: BTreeMap<String, String>,
    /// Former identifiers and file names, with the terms that replaced them.
    renamed: BTreeMap<String, String>,
}

pub fn run() -> Result<()> {
    let root = root();
    let text = std::fs::read_to_string(root.join("layers.toml")).context("layers.toml")?;
    let rules: Rules = toml::from_str(&text).context("layers.toml")?;
    let metadata = MetadataCommand::new().manifest_path(root.join("Cargo.toml")).no_deps().exec()?;
    let mut faults = layer_faults(&metadata, &rules);
    let files = files(&root)?;
    for (name, text) in &files {
        file_fault(name, text, &rules, &mut faults);
    }
    let sized = files.iter().map(|(name, text)| (name.as_str(), text.as_str()));
    faults.extend(sizes::faults(sized, &rules.long_files, &rules.long_functions));
    faults.extend(maps::faults(&root, &metadata)?);
    if faults.is_empty() {
        return Ok(());
    }
    bail!("{} rules broken:\n{}", faults.len(), faults.join("\n"));
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask should lie in the workspace").to_path_buf()
}

fn layer_faults(metadata: &Metadata, rules: &Rules) -> Vec<String> {
    let members: Vec<String> = metadata.packages.iter().map(|package| package.name.to_string()).collect();
    let mut faults = Vec::new();
    for package in &metadata.packages {
        let name = package.name.to_string();
        let Some(allowed) = rules.sees.get(&name) else {
            faults.push(format!("{name}: not in layers.toml"));
            continue;
        };
        let n_binaries = package.targets.iter().filter(|target| target.is_test()).count();
        if n_binaries > n_test_binaries(&name) {
            faults.push(format!("{name}: {n_binaries} binaries of integration tests; make modules of one"));
        }
        let ours = package.dependencies.iter().filter(|dependency| members.contains(&dependency.name));
        for dependency in ours.filter(|dependency| dependency.kind == DependencyKind::Normal) {
            let target = &dependency.name;
            let is_allowed = target == "unpick-base" || allowed.iter().any(|one| one == "*" || one == target);
            if !is_allowed && !rules.exceptions.contains_key(&format!("{name} -> {target}")) {
                faults.push(format!("{name} must not see {target}"));
            }
        }
    }
    faults
}

/// How many binaries of integration tests a crate may have: each takes its time to link.
fn n_test_binaries(package: &str) -> usize {
    // The command line, and the files under `tests/`, which have a runner of their own.
    if package == "unpick" { 2 } else { 1 }
}

/// Paths and texts of all files of code.
fn files(root: &Path) -> Result<BTreeMap<String, String>> {
    let mut files = BTreeMap::new();
    let mut folders = vec![root.join("crates"), root.join("xtask")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).with_context(|| folder.display().to_string())? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let name = path.strip_prefix(root).unwrap_or(&path).display().to_string();
                let text = std::fs::read_to_string(&path).with_context(|| name.clone())?;
                files.insert(name, text);
            }
        }
    }
    Ok(files)
}

fn file_fault(name: &str, text: &str, rules: &Rules, faults: &mut Vec<String>) {
    let path = Path::new(name);
    if !text.starts_with("//!") {
        faults.push(format!("{name}: does not open with its idea (`//!`)"));
    }
    if path.file_name().is_some_and(|file| file == "mod.rs") {
        faults.push(format!("{name}: name the file after its idea, beside its folder"));
    }
    // Elsewhere it may be looked at, but not taken apart or made.
    let is_made = text.split("Verdict::Holds(").skip(1).any(|rest| !rest.starts_with("_)"));
    if is_made && name != LEDGER && !name.starts_with("xtask") {
        faults.push(format!("{name}: only {LEDGER} says `Verdict::Holds`; enter in a ledger what was left out"));
    }
    for vague in ["utils", "helpers", "common"] {
        if path.file_stem().is_some_and(|stem| stem == vague) {
            faults.push(format!("{name}: `{vague}` names no idea"));
        }
    }
    let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    if let Some(term) = rules.renamed.get(stem) {
        faults.push(format!("{name}: a file of this name is called `{term}` now"));
    }
    for (number, line) in text.lines().enumerate() {
        for (word, term) in renamed_words(line, &rules.renamed) {
            faults.push(format!("{name}:{}: `{word}` is called `{term}` now", number + 1));
        }
    }
}

/// Former identifiers in the code of a line; comments and strings may use these words in their ordinary meaning.
fn renamed_words<'a>(line: &'a str, renamed: &'a BTreeMap<String, String>) -> impl Iterator<Item = (&'a str, &'a str)> {
    let code = line.split("//").next().unwrap_or_default();
    let outside_strings = code.split('"').step_by(2);
    let words = outside_strings.flat_map(|part| part.split(|c: char| !c.is_alphanumeric() && c != '_'));
    words.filter_map(|word| Some((word, renamed.get(word)?.as_str())))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    #[test]
    fn former_names_are_found_in_code_only() {
        let renamed = BTreeMap::from([("Former".to_owned(), "Present".to_owned())]);
        let found = |line| super::renamed_words(line, &renamed).collect::<Vec<_>>();
        assert_eq!(found("impl Former for Store {"), [("Former", "Present")]);
        assert!(found("let former = Formers::new(\"Former\"); // Former").is_empty());
    }

    #[test]
    fn the_house_is_tidy() {
        if let Err(error) = super::run() {
            panic!("{error:#}");
        }
    }
}
