//! JUnit XML: one test case for each property, for systems that display test results.
//!
//! A violated property is a failure; an undecided one is skipped, and says why, so that it never counts as
//! passed.

use unpick_witness::{Finding, Judgement, Trace};

use crate::accept;
use crate::xml::escape;
use crate::{Colour, DEFAULT_WIDTH, Outcome, Screen, Sources, TraceStyle};

/// What became of a property.
enum Result<'a> {
    Passed,
    Failed(Vec<(&'a Finding, &'a Trace)>),
    Skipped(String),
}

/// The document of a run; `name` is what was checked.
pub fn junit(outcome: &Outcome, name: &str, sources: &dyn Sources) -> String {
    let results: Vec<(&str, Result<'_>)> =
        outcome.properties.iter().map(|property| (property.as_str(), result(outcome, property))).collect();
    let n_failed = results.iter().filter(|(_, result)| matches!(result, Result::Failed(_))).count();
    let n_skipped = results.iter().filter(|(_, result)| matches!(result, Result::Skipped(_))).count();
    let seconds = outcome.stats.seconds;
    let counts = format!(
        "tests=\"{}\" failures=\"{n_failed}\" errors=\"0\" skipped=\"{n_skipped}\" time=\"{seconds:.3}\"",
        results.len()
    );
    let name = escape(name);
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"unpick\" {counts}>\n  <testsuite name=\"{name}\" \
         {counts}>\n"
    );
    text += &format!(
        "    <properties>\n      <property name=\"verdict\" value=\"{}\"/>\n",
        escape(&outcome.verdict_line())
    );
    for assumption in &outcome.assumptions {
        text += &format!("      <property name=\"assumption\" value=\"{}\"/>\n", escape(assumption));
    }
    text += "    </properties>\n";
    for (property, result) in &results {
        let property = escape(property);
        let head = format!("    <testcase name=\"{property}\" classname=\"{name}\" time=\"0\"");
        text += &match result {
            Result::Passed => format!("{head}/>\n"),
            Result::Skipped(why) => {
                format!("{head}>\n      <skipped message=\"{}\"/>\n    </testcase>\n", escape(why))
            }
            Result::Failed(failing) => {
                let failures: String =
                    failing.iter().map(|(finding, trace)| failure(finding, trace, sources)).collect();
                format!("{head}>\n{failures}    </testcase>\n")
            }
        };
    }
    text + "  </testsuite>\n</testsuites>\n"
}

fn result<'a>(outcome: &'a Outcome, property: &str) -> Result<'a> {
    let own: Vec<(&Finding, &Trace)> = outcome.failing().filter(|(finding, _)| is_about(finding, property)).collect();
    let (accepted, new): (Vec<_>, Vec<_>) = own.into_iter().partition(|(finding, _)| finding.accepted.is_some());
    if !new.is_empty() {
        return Result::Failed(new);
    }
    if let Some(why) = accepted.iter().find_map(|(finding, _)| finding.accepted.as_ref()) {
        return Result::Skipped(accept::text(why));
    }
    match &outcome.judgement {
        Judgement::Verified => Result::Passed,
        Judgement::Violated { .. } if outcome.is_complete => Result::Passed,
        Judgement::Violated { .. } => Result::Skipped("the search ended at a violation of another property".to_owned()),
        Judgement::Unknown(_) => Result::Skipped(format!("unknown: {}", outcome.reason())),
    }
}

/// Whether a finding is one of a property: its kind, or a claim that its message quotes.
fn is_about(finding: &Finding, property: &str) -> bool {
    let is_claim = crate::kinds::named(property).is_none();
    finding.kind == property || is_claim && finding.message.contains(property)
}

fn failure(finding: &Finding, trace: &Trace, sources: &dyn Sources) -> String {
    let screen = Screen { colour: Colour::Never, width: DEFAULT_WIDTH };
    let told = crate::text::violation(finding, sources, Colour::Never);
    let steps = crate::trace::trace(trace, TraceStyle::Short, screen);
    let place = format!("{}:{}", finding.file, finding.line);
    format!(
        "      <failure type=\"{}\" message=\"{}\">{}</failure>\n",
        escape(&finding.kind),
        escape(&format!("{place}: {}", finding.message)),
        escape(&format!("{told}\n{steps}")).replace("&#10;", "\n"),
    )
}

#[cfg(test)]
mod tests {
    use unpick_system::Stats;
    use unpick_system::{Limit, Reason, Why};
    use unpick_witness::{Accepted, Failing};

    use super::*;

    fn finding(kind: &str) -> Finding {
        Finding {
            kind: kind.to_owned(),
            file: "a.c".to_owned(),
            line: 3,
            message: "<m>".to_owned(),
            ..Finding::default()
        }
    }

    fn told(judgement: Judgement, change: impl FnOnce(&mut Outcome)) -> String {
        let mut outcome = Outcome::new(judgement, Stats::default());
        outcome.properties = vec!["assertion".to_owned(), "leak".to_owned()];
        change(&mut outcome);
        junit(&outcome, "a.c", &|_: &str, _: u32| None)
    }

    #[test]
    fn a_violation_fails_its_property_and_leaves_the_others_open() {
        let violated = || Judgement::Violated { finding: finding("leak"), trace: Trace::default() };
        let text = told(violated(), |_| {});
        assert!(text.contains(r#"tests="2" failures="1" errors="0" skipped="1""#), "{text}");
        assert!(text.contains(r#"<failure type="leak" message="a.c:3: &lt;m&gt;">"#), "{text}");
        let text = told(violated(), |outcome| outcome.is_complete = true);
        assert!(text.contains(r#"failures="1" errors="0" skipped="0""#), "{text}");
    }

    #[test]
    fn what_is_accepted_or_unknown_is_skipped() {
        let text = told(Judgement::Unknown(Why::because(Reason::limit(Limit::Time))), |_| {});
        assert!(text.contains(r#"skipped="2""#) && text.contains("unknown: the time limit"), "{text}");
        assert!(told(Judgement::Verified, |_| {}).contains(r#"failures="0" errors="0" skipped="0""#));
        let accepted = Some(Accepted::Baseline { file: "old".to_owned() });
        let known = Finding { accepted, ..finding("leak") };
        let judgement = Judgement::Violated { finding: finding("assertion"), trace: Trace::default() };
        let text = told(judgement, |outcome| {
            outcome.others.push(Failing { finding: known, trace: Trace::default() });
            outcome.is_complete = true;
        });
        assert!(text.contains(r#"failures="1" errors="0" skipped="1""#) && text.contains("known from old"), "{text}");
    }
}
