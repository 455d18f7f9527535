//! What is kept of a run, and its line in the record: the run's name and named fields, between tabs.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result, bail};
use serde_json::Value;

/// Fields in their order: the verdict with its kind or reason, then `NAME VALUE`.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    fields: Vec<String>,
}

/// Fields that chance may have a part in where searches run side by side; the execution that is shown is the same.
const COUNTS: [&str; 2] = ["states", "transitions"];

/// The name of the first field.
const VERDICT: &str = "verdict";

impl Outcome {
    /// Out of the JSON document of a run and its exit code.
    pub fn read(stdout: &[u8], exit: Option<i32>) -> Outcome {
        let json: Value = serde_json::from_slice(stdout).unwrap_or_default();
        let text = |value: &Value| value.as_str().unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ");
        let (first, ordinary) = match json["verdict"].as_str() {
            Some("verified") => ("verified".to_owned(), 0),
            Some("violated") => (format!("violated {}", text(&json["violation"]["kind"])), 1),
            Some(verdict) => (format!("{verdict} {}", text(&json["reason"])), 3),
            None if json.is_null() => ("no document".to_owned(), 0),
            None => (format!("error {}", text(&json["error"]["message"])), 2),
        };
        let mut fields = vec![first];
        if exit != Some(ordinary) {
            fields.push(format!("exit {}", exit.map_or("by signal".to_owned(), |code| code.to_string())));
        }
        let place = |violation: &Value| format!("{}:{}", text(&violation["file"]), violation["line"]);
        if json["violation"].is_object() {
            fields.push(format!("at {}", place(&json["violation"])));
        }
        let others: Vec<String> = json["others"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|violation| format!("{} {}", text(&violation["kind"]), place(violation)))
            .collect();
        if !others.is_empty() {
            fields.push(format!("others {}", others.join("; ")));
        }
        let mut count = |name: &str, value: Option<u64>| fields.extend(value.map(|value| format!("{name} {value}")));
        count("states", json["stats"]["states"].as_u64());
        count("transitions", json["stats"]["transitions"].as_u64());
        count("steps", json["trace"]["steps"].as_array().map(|steps| steps.len() as u64));
        count("loop", json["trace"]["loop_start"].as_u64());
        Outcome { fields }
    }

    pub fn forget_counts(&mut self) {
        self.fields.retain(|field| !COUNTS.contains(&name(field)));
    }

    /// Whether the clock decided.
    pub fn is_late(&self) -> bool {
        self.fields[0].starts_with("unknown") && self.fields[0].contains("time limit")
    }

    pub fn shown(&self) -> String {
        self.fields.join(", ")
    }

    /// The names of the fields in which two differ.
    pub fn differences<'a>(&'a self, other: &'a Outcome) -> BTreeSet<&'a str> {
        let only = |one: &'a Outcome, two: &'a Outcome| {
            let fields = one.fields.iter().enumerate().filter(|(_, field)| !two.fields.contains(field));
            fields.map(|(number, field)| if number == 0 { VERDICT } else { name(field) })
        };
        only(self, other).chain(only(other, self)).collect()
    }
}

fn name(field: &str) -> &str {
    field.split(' ').next().unwrap_or(field)
}

pub fn write_record(lines: &BTreeMap<String, Outcome>) -> String {
    lines.iter().map(|(name, outcome)| format!("{name}\t{}\n", outcome.fields.join("\t"))).collect()
}

pub fn read_record(text: &str) -> Result<BTreeMap<String, Outcome>> {
    let mut lines = BTreeMap::new();
    for line in text.lines() {
        let (name, fields) = line.split_once('\t').with_context(|| format!("no fields: `{line}`"))?;
        let fields = fields.split('\t').map(str::to_owned).collect();
        if lines.insert(name.to_owned(), Outcome { fields }).is_some() {
            bail!("recorded twice: {name}");
        }
    }
    Ok(lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    const VIOLATED: &str = r#"{"verdict":"violated","violation":{"kind":"ltl","file":"a.c","line":3},
        "others":[{"kind":"leak","file":"a.c","line":9}],"stats":{"states":7,"transitions":9},
        "trace":{"steps":[{},{}],"loop_start":1}}"#;

    #[test]
    fn documents_are_read() {
        let outcome = Outcome::read(VIOLATED.as_bytes(), Some(1));
        let expected = "violated ltl, at a.c:3, others leak a.c:9, states 7, transitions 9, steps 2, loop 1";
        assert_eq!(outcome.shown(), expected);
        assert!(Outcome::read(VIOLATED.as_bytes(), Some(0)).shown().starts_with("violated ltl, exit 0, at"));
        let unknown = br#"{"verdict":"unknown","reason":"the time limit\nof 1s","stats":{"states":2}}"#;
        let unknown = Outcome::read(unknown, Some(3));
        assert_eq!(unknown.shown(), "unknown the time limit of 1s, states 2");
        assert!(unknown.is_late() && !outcome.is_late());
        let error = br#"{"verdict":null,"error":{"message":"no such file"}}"#;
        assert_eq!(Outcome::read(error, Some(2)).shown(), "error no such file");
        assert_eq!(Outcome::read(b"", None).shown(), "no document, exit by signal");
    }

    #[test]
    fn records_read_back() {
        let text = "a.c\tverified\tstates 5\nb.c --reduce none\tviolated ltl\tat b.c:2\n";
        assert_eq!(write_record(&read_record(text).expect("it should be readable")), text);
        assert!(read_record("a.c\tverified\na.c\tverified\n").is_err() && read_record("a.c verified\n").is_err());
    }

    #[test]
    fn differing_fields_are_named() {
        let outcome = Outcome::read(VIOLATED.as_bytes(), Some(1));
        let mut other = outcome.clone();
        other.forget_counts();
        assert_eq!(other.shown(), "violated ltl, at a.c:3, others leak a.c:9, steps 2, loop 1");
        assert_eq!(outcome.differences(&other), BTreeSet::from(COUNTS));
        assert_eq!(other.differences(&outcome), outcome.differences(&other));
        let verified = Outcome::read(br#"{"verdict":"verified"}"#, Some(0));
        assert_eq!(verified.differences(&other), BTreeSet::from(["at", "loop", "others", "steps", "verdict"]));
        assert!(outcome.differences(&outcome).is_empty());
    }
}
