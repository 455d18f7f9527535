//! SCTBench: names that end in `_bad` or `_sat` fail, `_ok` and `_unsat` hold; `buggy.txt` lists others
//! that fail. A bug is a failing assertion, a deadlock or a crash; races alone are none.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::walk::{name, place};
use super::{Label, Task};

/// Names of failing programs out of every `buggy.txt`.
pub fn buggy(files: &[PathBuf]) -> BTreeSet<String> {
    let lists = files.iter().filter(|file| file.file_name().is_some_and(|name| name == "buggy.txt"));
    lists.filter_map(|file| std::fs::read_to_string(file).ok()).flat_map(|text| names(&text)).collect()
}

/// `FOLDER NAME THREADS STEPS`; lines that begin with `#` are out of use.
fn names(text: &str) -> Vec<String> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| line.split_whitespace().nth(1)).map(str::to_string).collect()
}

pub fn task(file: &Path, buggy: &BTreeSet<String>) -> Option<Task> {
    let stem = file.file_stem()?.to_str()?;
    let label = label(stem, buggy)?;
    let (folder, main) = place(file);
    Some(Task {
        suite: "SCTBench",
        name: name(file),
        folder,
        files: vec![main],
        flags: vec!["--property".into(), "assertion,deadlock,memory".into()],
        label,
    })
}

fn label(stem: &str, buggy: &BTreeSet<String>) -> Option<Label> {
    let ends = |words: &[&str]| words.iter().any(|word| stem.ends_with(word));
    if buggy.contains(stem) || ends(&["_bad", "_sat"]) {
        return Some(Label::Fails);
    }
    ends(&["_ok", "_unsat"]).then_some(Label::Holds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_come_from_names_and_the_list() {
        let buggy: BTreeSet<String> = names("folder odd 3 17\n#folder unused 2 1\n").into_iter().collect();
        assert_eq!(label("queue_bad", &buggy), Some(Label::Fails));
        assert_eq!(label("table_unsat", &buggy), Some(Label::Holds));
        assert_eq!(label("table_sat", &buggy), Some(Label::Fails));
        assert_eq!(label("odd", &buggy), Some(Label::Fails));
        assert_eq!(label("unused", &buggy), None);
    }
}
