//! c-testsuite: `00001.c` with what it prints in `00001.c.expected`; the exit code is 0.

use std::path::Path;

use super::walk::{name, place};
use super::{Label, Task};

pub fn task(file: &Path) -> Option<Task> {
    let mut beside = file.as_os_str().to_owned();
    beside.push(".expected");
    let text = std::fs::read(beside).ok()?;
    let (folder, main) = place(file);
    Some(Task {
        suite: "c-testsuite",
        name: name(file),
        folder,
        files: vec![main],
        flags: Vec::new(),
        label: Label::Prints(String::from_utf8_lossy(&text).into_owned()),
    })
}
