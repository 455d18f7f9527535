//! Finds the labelled programs below a folder: the first reader that knows a file takes it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::{Task, cbmc, divine, expected, goblint, sctbench, sv_comp};

/// Everything labelled below `folder`; `headers` holds our stand-ins for headers of the suites' own tools.
pub fn tasks(folder: &Path, headers: &Path) -> Result<Vec<Task>> {
    let root = folder.canonicalize().with_context(|| folder.display().to_string())?;
    let mut files = Vec::new();
    collect(&root, &mut files)?;
    files.sort();
    let buggy = sctbench::buggy(&files);
    let mut tasks = Vec::new();
    let mut claimed: BTreeSet<PathBuf> = BTreeSet::new();
    for file in &files {
        let found = match file.extension().and_then(|extension| extension.to_str()) {
            Some("desc") => cbmc::task(file).into_iter().collect(),
            Some("yml") => sv_comp::tasks(file),
            _ => continue,
        };
        // A test description owns its whole folder, a task definition the files it names.
        for task in &found {
            claimed.extend(task.files.iter().map(|name| task.folder.join(name)));
        }
        tasks.extend(found);
    }
    for file in files.iter().filter(|file| file.extension().is_some_and(|extension| extension == "c")) {
        let has_description = file.with_file_name("test.desc").exists();
        if claimed.contains(file) || has_description {
            continue;
        }
        let Ok(text) = std::fs::read(file).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()) else { continue };
        let task = (expected::task(file))
            .or_else(|| divine::task(file, &text))
            .or_else(|| goblint::task(file, &text, headers))
            .or_else(|| sctbench::task(file, &buggy));
        tasks.extend(task);
    }
    Ok(tasks)
}

/// A name that is the same wherever the suite lies: the last three parts of the path.
pub fn name(file: &Path) -> String {
    let parts: Vec<_> = file.components().rev().take(3).map(|part| part.as_os_str().to_string_lossy()).collect();
    parts.into_iter().rev().collect::<Vec<_>>().join("/")
}

/// The folder and the name in it.
pub fn place(file: &Path) -> (PathBuf, String) {
    let folder = file.parent().map(Path::to_path_buf).unwrap_or_default();
    (folder, file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default())
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    for entry in std::fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let entry = entry?;
        // Links could lead out of the suite or in circles.
        if entry.file_type()?.is_symlink() {
            continue;
        }
        if entry.file_type()?.is_dir() {
            collect(&entry.path(), files)?;
        } else {
            files.push(entry.path());
        }
    }
    Ok(())
}
