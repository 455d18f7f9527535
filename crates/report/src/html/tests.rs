//! Tests of the page as text; its behaviour is tested in a browser, see `tests/browser`.

use proptest::prelude::*;
use unpick_system::{Limit, Reason, Stats, Why};
use unpick_witness::{Change, LockGraph, LockStep, Step};

use super::*;

fn page(text: &str, n_steps: usize) -> String {
    let step = |number: usize| Step {
        thread: number as u32 % 3,
        file: format!("src/{text}.c"),
        line: number as u32 % 200 + 1,
        function: text.to_owned(),
        depth: 1,
        text: text.to_owned(),
        changes: vec![Change {
            name: format!("value{}", number % 7),
            old: number.to_string(),
            new: text.to_owned(),
            scope: None,
            part: None,
        }],
        output: text.to_owned(),
        remark: text.to_owned(),
        ..Step::default()
    };
    let trace = Trace { steps: (0..n_steps).map(step).collect(), ..Trace::default() };
    let finding = Finding {
        kind: "leak".to_owned(),
        file: format!("src/{text}.c"),
        line: 1,
        message: text.to_owned(),
        notes: vec![text.to_owned()],
        ..Finding::default()
    };
    let mut outcome =
        Outcome::new(Judgement::Violated { finding, trace }, Stats { engine: "explicit", ..Stats::default() });
    outcome.assumptions.push(text.to_owned());
    let edge = LockStep { held: text.to_owned(), taken: "b".to_owned(), file: "a.c".to_owned(), line: 2 };
    outcome.locks = LockGraph { edges: vec![edge], circles: Vec::new(), is_harmless: true };
    let sources = |_: &str, line: u32| (line < 300).then(|| format!("\tvalue = {text}; /* line {line} of a source */"));
    html(&outcome, text, &sources)
}

/// The page without our own script and style.
fn foreign(page: &str) -> String {
    page.replace(STYLE, "").replace(SCRIPT, "")
}

#[test]
fn a_page_of_a_thousand_steps_is_small() {
    let page = page("shared = shared + 1", 1_000);
    assert!(page.len() < 1_000_000, "{} bytes", page.len());
    assert!(page.contains("1000") && page.contains("shared = shared + 1"));
}

#[test]
fn nothing_from_a_source_is_markup() {
    let page = page("</script><script>alert(1)</script><img src=x onerror=alert(1)>\u{1b}\u{202e}&\"'", 3);
    let foreign = foreign(&page);
    assert_eq!(foreign.matches("<script").count(), 2);
    assert_eq!(foreign.matches("</script").count(), 2);
    assert!(!foreign.contains("<img") && !foreign.contains("alert(1)</"));
    assert!(!foreign.contains(['\u{1b}', '\u{202e}']));
}

#[test]
fn nothing_is_fetched() {
    let page = page("x", 2);
    for word in ["http:", "https:", "src=", "@import", "url(", "//cdn"] {
        let allowed = page.matches("http://www.w3.org/2000/svg").count();
        let found = page.matches(word).count();
        assert_eq!(found, if word == "http:" { allowed } else { 0 }, "{word}");
    }
    assert!(page.contains("default-src 'none'"));
}

#[test]
fn hashes_are_those_of_the_standard() {
    assert_eq!(hash("abc"), "sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=");
    assert_eq!((base64(b"a"), base64(b"ab"), base64(b"abc")), ("YQ==".into(), "YWI=".into(), "YWJj".into()));
}

#[test]
fn runs_without_a_trace_have_a_page_too() {
    let mut outcome = Outcome::new(Judgement::Verified, Stats { engine: "explicit", states: 3, ..Stats::default() });
    let (file, missed_functions) = ("a.c".to_owned(), vec!["unused".to_owned()]);
    outcome.coverage.push(FileCoverage {
        file,
        reached: vec![1, 2],
        missed: vec![4],
        missed_functions,
        ..FileCoverage::default()
    });
    outcome.growth = vec![(0.1, 1), (0.2, 5), (0.3, 9)];
    let sources = |_: &str, line: u32| (line < 6).then(|| "int x;".to_owned());
    let page = html(&outcome, "a.c", &sources);
    assert!(page.contains("No execution goes wrong") && page.contains("2 of 3") && page.contains("unused()"));
    assert!(page.contains("id=\"growth\"") && page.contains("id=\"code\"") && !page.contains("id=\"slider\""));
    let why = Why::because(Reason::limit(Limit::Time));
    let page = html(&Outcome::new(Judgement::Unknown(why), Stats::default()), "a.c", &sources);
    assert!(page.contains("Why it is unknown") && page.contains("the time limit was reached"));
}

proptest! {
    // Each case makes whole pages.
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn any_text_stays_text(text in any::<String>()) {
        let foreign = foreign(&page(&text, 2));
        prop_assert_eq!(foreign.matches("<script").count(), 2);
        prop_assert_eq!(foreign.matches("<svg").count(), 1);
        let start = foreign.find("id=\"data\">").expect("there should be data") + "id=\"data\">".len();
        let end = foreign[start..].find("</script>").expect("data should end");
        prop_assert!(serde_json::from_str::<serde_json::Value>(&foreign[start..start + end]).is_ok());
    }
}
