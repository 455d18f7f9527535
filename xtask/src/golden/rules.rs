//! The two lists beside the record: which runs are left out, and which changes have a reason.

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use super::outcome::Outcome;

/// How much of a run is left out.
#[derive(Deserialize, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "kebab-case")]
pub enum Extent {
    /// It is not run.
    Run,
    /// States and transitions are not kept, the rest is.
    Counts,
}

/// `left-out.toml`: runs that take too long, or whose counts chance has a part in.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
pub struct LeftOut {
    #[serde(default)]
    run: Vec<Left>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Left {
    /// Names with `*` for any text.
    names: String,
    leave: Extent,
    reason: String,
}

impl LeftOut {
    pub fn read(text: &str) -> Result<LeftOut> {
        let list: LeftOut = toml::from_str(text).context("left-out.toml")?;
        match list.run.iter().find(|left| left.reason.trim().is_empty()) {
            Some(left) => bail!("left-out.toml: `{}` has no reason", left.names),
            None => Ok(list),
        }
    }

    /// What is left out of a run; the first entry that fits decides.
    pub fn extent(&self, name: &str) -> Option<Extent> {
        self.run.iter().find(|left| fits(&left.names, name)).map(|left| left.leave)
    }
}

/// An entry of `changes.toml`. It explains a change either by the fields that may differ, or by the old and the new
/// answer, or by runs that there are no more.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Change {
    /// Names with `*` for any text.
    runs: String,
    #[serde(default)]
    fields: Vec<String>,
    /// The whole answer as the comparison shows it, with `*` for any text.
    old: Option<String>,
    new: Option<String>,
    #[serde(default)]
    gone: bool,
    reason: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Changes {
    #[serde(default)]
    change: Vec<Change>,
}

pub fn read_changes(text: &str) -> Result<Vec<Change>> {
    let list: Changes = toml::from_str(text).context("changes.toml")?;
    for change in &list.change {
        let ways = [!change.fields.is_empty(), change.old.is_some() && change.new.is_some(), change.gone];
        let n_ways = ways.iter().filter(|is_given| **is_given).count();
        if n_ways != 1 || change.old.is_some() != change.new.is_some() || change.reason.trim().is_empty() {
            bail!("changes.toml: `{}` needs a reason and one of `fields`, `old` with `new`, `gone`", change.runs);
        }
    }
    Ok(list.change)
}

impl Change {
    pub fn runs(&self) -> &str {
        &self.runs
    }

    /// Whether it speaks of this run and of all that changed in it; `None` for a run that there is no more.
    pub fn explains(&self, name: &str, old: &Outcome, new: Option<&Outcome>) -> bool {
        let is_meant = match (new, &self.old, &self.new) {
            (None, _, _) => self.gone,
            (Some(new), Some(before), Some(after)) => fits(before, &old.shown()) && fits(after, &new.shown()),
            (Some(new), _, _) => {
                !self.gone && old.differences(new).iter().all(|field| self.fields.iter().any(|known| known == field))
            }
        };
        is_meant && fits(&self.runs, name)
    }
}

/// Whether a text is a pattern's, in which `*` stands for any text.
fn fits(pattern: &str, text: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else { return pattern == text };
    let Some(text) = text.strip_prefix(start) else { return false };
    text.char_indices().map(|(at, _)| at).chain([text.len()]).any(|at| fits(rest, &text[at..]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::golden::outcome::read_record;

    fn outcome(fields: &str) -> Outcome {
        let record = read_record(&format!("a\t{fields}")).expect("it should be readable");
        record.into_values().next().expect("there should be a line")
    }

    fn change(text: &str) -> Change {
        let text = format!("[[change]]\nruns = \"tests/*\"\nreason = \"r\"\n{text}");
        read_changes(&text).expect("it should be right").remove(0)
    }

    #[test]
    fn stars_stand_for_any_text() {
        for (pattern, text) in [("a*c", "abc"), ("a*", "a"), ("*", ""), ("a*b*c", "a b b c"), ("abc", "abc")] {
            assert!(fits(pattern, text), "{pattern} {text}");
        }
        for (pattern, text) in [("a*c", "abcd"), ("a", "ab"), ("*b", "a"), ("a*b*c", "a c b")] {
            assert!(!fits(pattern, text), "{pattern} {text}");
        }
    }

    #[test]
    fn fields_excuse_no_others() {
        let change = change("fields = [\"states\", \"transitions\"]");
        let (old, new) = (outcome("verified\tstates 5"), outcome("verified\tstates 4\ttransitions 9"));
        assert!(change.explains("tests/a.c", &old, Some(&new)) && !change.explains("bench/a.c", &old, Some(&new)));
        assert!(!change.explains("tests/a.c", &old, Some(&outcome("violated leak\tstates 4"))));
        assert!(!change.explains("tests/a.c", &old, None));
    }

    #[test]
    fn answers_are_told_before_and_after() {
        let change = change("old = \"unknown *\"\nnew = \"verified, states *\"");
        let old = outcome("unknown depth\tstates 5");
        assert!(change.explains("tests/a.c", &old, Some(&outcome("verified\tstates 4"))));
        assert!(!change.explains("tests/a.c", &old, Some(&outcome("violated leak\tstates 4"))));
    }

    #[test]
    fn an_entry_has_a_reason_and_one_way_to_explain() {
        for text in ["reason = \"r\"", "reason = \"\"\ngone = true", "reason = \"r\"\nold = \"x\"", "gone = true"] {
            assert!(read_changes(&format!("[[change]]\nruns = \"a\"\n{text}\n")).is_err(), "{text}");
        }
        assert!(read_changes("").expect("an empty list should be right").is_empty());
    }

    #[test]
    fn the_first_entry_that_fits_says_what_is_left_out() {
        let text = "[[run]]\nnames = \"a.c --workers 2\"\nleave = \"run\"\nreason = \"long\"\n\
                    [[run]]\nnames = \"* --workers 2\"\nleave = \"counts\"\nreason = \"chance\"\n";
        let list = LeftOut::read(text).expect("it should be right");
        assert_eq!(list.extent("a.c --workers 2"), Some(Extent::Run));
        assert_eq!(list.extent("b.c --workers 2"), Some(Extent::Counts));
        assert_eq!(list.extent("b.c"), None);
        assert!(LeftOut::read("[[run]]\nnames = \"a\"\nleave = \"run\"\nreason = \" \"\n").is_err());
    }
}
