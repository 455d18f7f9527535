//! Tests of the document on small outcomes; conformance with the published schema is tested with the command line.

use unpick_system::Stats;
use unpick_witness::{Change, Related, Step};

use super::*;

fn violated() -> Outcome {
    let change = Change { name: "x".to_owned(), old: "0".to_owned(), new: "1".to_owned(), scope: None, part: None };
    let step = |thread, line| Step {
        thread,
        file: "src/a b.c".to_owned(),
        line,
        column: 3,
        function: "f".to_owned(),
        depth: 2,
        changes: vec![change.clone()],
        ..Step::default()
    };
    let trace = Trace { steps: vec![step(0, 1), step(1, 2), step(0, 3)], ..Trace::default() };
    let finding = Finding {
        kind: "data-race".to_owned(),
        file: "src/a b.c".to_owned(),
        line: 3,
        column: 4,
        message: "m {0} [x](y) \u{1b}".to_owned(),
        related: vec![Related { file: "/abs.c".to_owned(), line: 2, column: 1, label: "there".to_owned() }],
        fingerprint: "f00".to_owned(),
        ..Finding::default()
    };
    Outcome::new(Judgement::Violated { finding, trace }, Stats::default())
}

fn document(outcome: &Outcome, baseline: Option<&Baseline>) -> Value {
    let sources = |_: &str, line: u32| Some(format!("\u{e4}\u{e4} = {line};"));
    serde_json::from_str(&sarif(outcome, baseline, &sources)).expect("SARIF should be JSON")
}

#[test]
fn threads_have_flows_in_one_order() {
    let document = document(&violated(), None);
    let result = &document["runs"][0]["results"][0];
    let flows = result["codeFlows"][0]["threadFlows"].as_array().expect("there should be flows");
    let orders = |flow: &Value| -> Vec<u64> {
        let steps = flow["locations"].as_array().expect("a flow should have steps");
        steps.iter().filter_map(|step| step["executionOrder"].as_u64()).collect()
    };
    assert_eq!(flows.iter().map(orders).collect::<Vec<_>>(), [vec![1, 3], vec![2]]);
    assert_eq!(flows[0]["locations"][0]["state"]["x"]["text"], "1");
    assert_eq!(flows[0]["locations"][0]["nestingLevel"], 1);
}

#[test]
fn places_are_uris_and_characters() {
    let document = document(&violated(), None);
    let result = &document["runs"][0]["results"][0];
    let place = &result["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "src/a%20b.c");
    // The fourth byte is in the second character; the third would be its beginning.
    assert_eq!(place["region"]["startColumn"], 4);
    assert_eq!(place["region"]["snippet"]["text"], "\u{e4}\u{e4} = 3;");
    assert_eq!(result["relatedLocations"][0]["physicalLocation"]["artifactLocation"]["uri"], "file:///abs.c");
    assert_eq!(result["message"]["text"], "m {{0} [x\\](y) \u{241b}");
    let step = &result["codeFlows"][0]["threadFlows"][0]["locations"][0]["location"]["physicalLocation"];
    assert_eq!(step["region"]["startColumn"], 2);
}

#[test]
fn results_are_new_unchanged_or_absent() {
    let old = |fingerprint: &str| {
        let text = format!(
            r#"{{"version":"2.1.0","runs":[{{"results":[{{"message":{{"text":"m"}},"partialFingerprints":{{"unpick/v1":"{fingerprint}"}}}}]}}]}}"#
        );
        Baseline::read("old.sarif", &text).expect("this should be a baseline")
    };
    let states = |document: &Value| -> Vec<String> {
        let results = document["runs"][0]["results"].as_array().expect("there should be results");
        results.iter().map(|result| result["baselineState"].as_str().unwrap_or("").to_owned()).collect()
    };
    assert_eq!(states(&document(&violated(), None)), [""]);
    assert_eq!(states(&document(&violated(), Some(&old("f00")))), ["unchanged"]);
    assert_eq!(states(&document(&violated(), Some(&old("bad")))), ["new"]);
    let complete = Outcome { is_complete: true, ..violated() };
    assert_eq!(states(&document(&complete, Some(&old("bad")))), ["new", "absent"]);
}

#[test]
fn a_comment_becomes_a_suppression_with_its_reason() {
    let mut outcome = violated();
    if let Judgement::Violated { finding, .. } = &mut outcome.judgement {
        let (reason, file) = ("a test".to_owned(), "src/a b.c".to_owned());
        finding.accepted = Some(Accepted::Comment { reason, file, line: 2 });
    }
    let document = document(&outcome, None);
    let suppression = &document["runs"][0]["results"][0]["suppressions"][0];
    assert_eq!((&suppression["kind"], &suppression["justification"]), (&json!("inSource"), &json!("a test")));
}
