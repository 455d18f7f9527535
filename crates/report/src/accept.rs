//! Accepted findings: known from a baseline (an earlier run), or accepted by a comment with a reason.
//!
//! A comment is `unpick: allow(KIND) REASON`, on the line of the finding or on the line before, where any place of the
//! finding counts: both accesses of a data race, and the calls that led there. Without a reason it counts for nothing.

use std::collections::BTreeSet;

use unpick_witness::{Accepted, Finding};

use crate::Sources;
use crate::fingerprint::ALGORITHM;

/// Fingerprints of an earlier run.
#[derive(Clone, Debug, Default)]
pub struct Baseline {
    /// The file, as the user named it.
    pub file: String,
    fingerprints: BTreeSet<String>,
    /// The results as they were, for those that are found no more.
    pub(crate) results: Vec<serde_json::Value>,
}

impl Baseline {
    /// Reads the SARIF of an earlier run.
    pub fn read(file: &str, text: &str) -> Result<Baseline, String> {
        let document: serde_json::Value =
            serde_json::from_str(text).map_err(|error| format!("this is not SARIF: {error}"))?;
        let runs = document["runs"].as_array().filter(|_| document["version"] == "2.1.0");
        let runs = runs.ok_or_else(|| "this is JSON, but not SARIF 2.1.0".to_owned())?;
        let results = runs.iter().flat_map(|run| run["results"].as_array().into_iter().flatten());
        let mut baseline = Baseline { file: file.to_owned(), ..Baseline::default() };
        for (number, result) in results.enumerate() {
            // What an earlier run found to be gone is not known any more.
            if result["baselineState"] == "absent" {
                continue;
            }
            let fingerprint =
                fingerprint(result).ok_or_else(|| format!("result {} has no fingerprint `{ALGORITHM}`", number + 1))?;
            baseline.fingerprints.insert(fingerprint.to_owned());
            baseline.results.push(result.clone());
        }
        Ok(baseline)
    }

    fn knows(&self, finding: &Finding) -> bool {
        self.fingerprints.contains(&finding.fingerprint)
    }
}

pub(crate) fn fingerprint(result: &serde_json::Value) -> Option<&str> {
    result["partialFingerprints"][ALGORITHM].as_str()
}

/// A comment that cannot be taken.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BadComment {
    /// File.
    pub file: String,
    /// From one.
    pub line: u32,
    /// What is wrong.
    pub message: String,
}

/// Why a finding is accepted, if it is. A comment counts more than the baseline, because it has a reason.
pub fn accepted(
    finding: &Finding,
    baseline: Option<&Baseline>,
    sources: &dyn Sources,
) -> (Option<Accepted>, Vec<BadComment>) {
    let mut bad = Vec::new();
    for (file, line) in finding.places() {
        for line in [line, line.saturating_sub(1)] {
            let Some(text) = sources.line(file, line).filter(|_| line > 0) else { continue };
            let Some(comment) = comment(&text) else { continue };
            match comment {
                Ok((kinds, reason)) if kinds.iter().any(|kind| kind == &finding.kind) => {
                    return (Some(Accepted::Comment { reason, file: file.to_owned(), line }), bad);
                }
                Ok(_) => {}
                Err(message) => bad.push(BadComment { file: file.to_owned(), line, message }),
            }
        }
    }
    let known = baseline.filter(|baseline| baseline.knows(finding));
    (known.map(|baseline| Accepted::Baseline { file: baseline.file.clone() }), bad)
}

/// In words: `known from old.sarif`.
pub fn text(accepted: &Accepted) -> String {
    match accepted {
        Accepted::Baseline { file } => format!("known from {file}"),
        Accepted::Comment { reason, file, line } => format!("accepted at {file}:{line}: {reason}"),
    }
}

/// The kinds and the reason of the comment on a line.
fn comment(line: &str) -> Option<Result<(Vec<String>, String), String>> {
    let starts = line.match_indices("//").chain(line.match_indices("/*")).map(|(at, _)| at);
    let rest = starts.filter_map(|at| line[at + 2..].trim_start().strip_prefix("unpick:")).next()?;
    let rest = rest.trim_start().strip_prefix("allow")?.trim_start();
    let Some((kinds, reason)) = rest.strip_prefix('(').and_then(|rest| rest.split_once(')')) else {
        return Some(Err("`unpick: allow` needs a kind of violation: `unpick: allow(leak) REASON`".to_owned()));
    };
    let kinds: Vec<String> = kinds.split(',').map(|kind| kind.trim().to_owned()).collect();
    if let Some(unknown) = kinds.iter().find(|kind| crate::kinds::named(kind).is_none()) {
        return Some(Err(format!("`unpick: allow`: there is no kind of violation `{unknown}`")));
    }
    let reason = reason.trim().trim_end_matches("*/").trim_start_matches([':', '-']).trim();
    if !reason.chars().any(char::is_alphanumeric) {
        return Some(Err(format!("`unpick: allow({})` counts for nothing without a reason", kinds.join(", "))));
    }
    Some(Ok((kinds, reason.to_owned())))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn any_line_can_be_asked(line in any::<String>(), tail in any::<String>()) {
            let _ = comment(&line);
            let _ = comment(&format!("// unpick: allow{tail}"));
            let _ = Baseline::read("b", &line);
        }
    }

    fn finding(line: u32) -> Finding {
        let fingerprint = "abc".to_owned();
        Finding { kind: "leak".to_owned(), file: "a.c".to_owned(), line, fingerprint, ..Finding::default() }
    }

    #[test]
    fn a_comment_needs_its_kind_and_a_reason() {
        let read = |text: &str| comment(text).and_then(Result::ok).map(|(_, reason)| reason);
        assert_eq!(read("p = q; // unpick: allow(leak) freed by the caller").as_deref(), Some("freed by the caller"));
        assert_eq!(read("/* unpick: allow(leak, overflow): kept for ever */").as_deref(), Some("kept for ever"));
        assert_eq!(read("p = q; // unpick: disallow(leak) why"), None);
        assert!(comment("// unpick: allow(leak)").is_some_and(|read| read.is_err()));
        assert!(comment("/* unpick: allow(leak) -- */").is_some_and(|read| read.is_err()));
        assert!(comment("// unpick: allow(leek) why").is_some_and(|read| read.is_err()));
    }

    #[test]
    fn the_line_itself_and_the_one_before_count() {
        let lines =
            |_: &str, line: u32| Some(if line == 4 { "// unpick: allow(leak) a test" } else { "f();" }.to_owned());
        let is_accepted = |line| accepted(&finding(line), None, &lines).0.is_some();
        assert_eq!([3, 4, 5, 6].map(is_accepted), [false, true, true, false]);
    }

    #[test]
    fn a_baseline_knows_by_fingerprint() {
        let text = r#"{"version":"2.1.0","runs":[{"results":[{"partialFingerprints":{"unpick/v1":"abc"}}]}]}"#;
        let baseline = Baseline::read("old.sarif", text).expect("this should be SARIF");
        let nothing = |_: &str, _: u32| None;
        assert!(accepted(&finding(1), Some(&baseline), &nothing).0.is_some());
        let other = Finding { fingerprint: "def".to_owned(), ..finding(1) };
        assert!(accepted(&other, Some(&baseline), &nothing).0.is_none());
        assert!(Baseline::read("x", "{}").is_err());
        assert!(Baseline::read("x", r#"{"version":"2.1.0","runs":[{"results":[{}]}]}"#).is_err());
    }
}
