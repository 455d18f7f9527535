//! Whether an answer agrees with the label that a test suite gives its program.

use super::ask::{Answer, End};
use super::goblint;
use super::{Label, Task};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    Right,
    /// Contradicts the label.
    Wrong,
    Unknown,
    Rejected,
    Crash,
    PastLimit,
    /// Accepted although a compiler must complain: no verdict is involved.
    Lenient,
    /// A finding of which the labels say nothing.
    Unlabelled,
    Skipped,
}

pub const CLASSES: [Class; 9] = [
    Class::Right,
    Class::Wrong,
    Class::Unknown,
    Class::Rejected,
    Class::Crash,
    Class::PastLimit,
    Class::Lenient,
    Class::Unlabelled,
    Class::Skipped,
];

impl Class {
    pub fn name(self) -> &'static str {
        match self {
            Class::Right => "right",
            Class::Wrong => "wrong",
            Class::Unknown => "unknown",
            Class::Rejected => "rejected",
            Class::Crash => "crash",
            Class::PastLimit => "past limit",
            Class::Lenient => "lenient",
            Class::Unlabelled => "unlabelled",
            Class::Skipped => "skipped",
        }
    }

    pub fn from_name(name: &str) -> Option<Class> {
        CLASSES.into_iter().find(|class| class.name() == name)
    }
}

/// One line of the file that two runs are compared by.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    pub suite: String,
    pub name: String,
    pub class: Class,
    pub detail: String,
    pub verdict: String,
    pub seconds: f64,
    pub peak_mib: u64,
}

impl Record {
    pub fn skipped(task: &Task, reason: &str) -> Record {
        Record {
            suite: task.suite.into(),
            name: task.name.clone(),
            class: Class::Skipped,
            detail: reason.into(),
            verdict: String::new(),
            seconds: 0.0,
            peak_mib: 0,
        }
    }

    pub fn line(&self) -> String {
        let detail: String = self.detail.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        let Record { suite, name, class, verdict, seconds, peak_mib, .. } = self;
        format!("{suite}\t{name}\t{}\t{verdict}\t{seconds:.2}\t{peak_mib}\t{detail}", class.name())
    }

    pub fn from_line(line: &str) -> Option<Record> {
        let parts: Vec<&str> = line.splitn(7, '\t').collect();
        let [suite, name, class, verdict, seconds, peak_mib, detail] = parts.as_slice() else { return None };
        Some(Record {
            suite: (*suite).into(),
            name: (*name).into(),
            class: Class::from_name(class)?,
            detail: (*detail).into(),
            verdict: (*verdict).into(),
            seconds: seconds.parse().ok()?,
            peak_mib: peak_mib.parse().ok()?,
        })
    }
}

pub fn judge(label: &Label, answer: &Answer) -> (Class, String) {
    match &answer.end {
        End::Crash(what) => (Class::Crash, what.clone()),
        End::PastLimit(what) => (Class::PastLimit, what.clone()),
        End::Unknown(reason) => (Class::Unknown, reason.clone()),
        End::Rejected(_) if *label == Label::Refused => (Class::Right, String::new()),
        End::Rejected(reason) => (Class::Rejected, reason.clone()),
        End::Compiled if *label == Label::Refused => (Class::Lenient, "accepted".into()),
        End::Compiled => (Class::Right, String::new()),
        End::Printed { text, exit } => printed(label, text, *exit),
        End::Verified => verified(label),
        End::Violated { kind, file, line } => violated(label, kind, file, *line),
    }
}

fn printed(label: &Label, text: &str, exit: i32) -> (Class, String) {
    match label {
        Label::Prints(expected) if expected != text => (Class::Wrong, "prints something else".into()),
        Label::Prints(_) if exit != 0 => (Class::Wrong, format!("exit code {exit}")),
        _ => (Class::Right, String::new()),
    }
}

fn verified(label: &Label) -> (Class, String) {
    match label {
        Label::Fails | Label::FailsAt(_) => (Class::Wrong, "verified, labelled as failing".into()),
        Label::Lines(claims) => goblint::verified(claims),
        _ => (Class::Right, String::new()),
    }
}

fn violated(label: &Label, kind: &str, file: &str, line: u64) -> (Class, String) {
    match label {
        Label::Holds => (Class::Wrong, format!("{kind} at {file}:{line}, labelled as correct")),
        Label::FailsAt(lines) if !lines.contains(&line) => {
            (Class::Unlabelled, format!("{kind} at {file}:{line}, labelled at {lines:?}"))
        }
        Label::Lines(claims) => goblint::violated(claims, kind, line),
        _ => (Class::Right, String::new()),
    }
}
