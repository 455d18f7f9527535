//! Files for machines: SARIF against the published schema, JUnit through an XML parser, baselines, comments that accept.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

const RACE: &str = "#include <pthread.h>\n#include <assert.h>\nint shared;\nvoid *up(void *unused)\n{\n    shared = shared + 1;\n    \
                    return unused;\n}\nint main(void)\n{\n    pthread_t one;\n    pthread_create(&one, 0, up, 0);\n    shared = \
                    shared + 1;\n    pthread_join(one, 0);\n    assert(shared == 2);\n    return 0;\n}\n";
const TWO_BUGS: &str = "extern int any(void);\nint main(void)\n{\n    int a[2] = {0, 0};\n    if (any()) {\n        return 1 / \
                        a[0];\n    }\n    return a[2];\n}\n";

fn unpick(folder: &Path, words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_unpick"))
        .current_dir(folder)
        .args(words)
        .env("NO_COLOR", "1")
        .env("XDG_CONFIG_HOME", folder.join("user"))
        .output()
        .expect("unpick should start")
}

fn folder(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("side-{name}"));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("the target folder should be writable");
    for (file, text) in files {
        std::fs::write(folder.join(file), text).expect("the target folder should be writable");
    }
    folder
}

fn read(path: PathBuf) -> String {
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Reads SARIF that the published schema accepts.
fn sarif(path: PathBuf) -> Value {
    let schema = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/schemas/sarif-2.1.0.json");
    let schema: Value = serde_json::from_str(&read(schema)).expect("the schema should be JSON");
    let document: Value = serde_json::from_str(&read(path)).expect("SARIF should be JSON");
    let (mut schemas, mut compiler) = (boon::Schemas::new(), boon::Compiler::new());
    compiler.enable_format_assertions();
    compiler.add_resource("mem:///sarif.json", schema).expect("the schema should be usable");
    let index = compiler.compile("mem:///sarif.json", &mut schemas).expect("the schema should compile");
    if let Err(error) = schemas.validate(&document, index) {
        panic!("{error:#}");
    }
    document
}

fn results(document: &Value) -> &[Value] {
    document["runs"][0]["results"].as_array().map_or(&[], Vec::as_slice)
}

#[test]
fn several_formats_come_from_one_run() {
    let folder = folder("several", &[("a.c", RACE)]);
    let output = unpick(&folder, &["check", "--sarif", "a.sarif", "--junit", "a.xml", "--save-trace", "t.json", "a.c"]);
    assert_eq!(output.status.code(), Some(1));
    let document = sarif(folder.join("a.sarif"));
    let result = &results(&document)[0];
    assert_eq!((&result["ruleId"], &result["level"]), (&"data-race".into(), &"error".into()));
    let flows = result["codeFlows"][0]["threadFlows"].as_array().expect("a race should have flows");
    assert_eq!(flows.len(), 2);
    let steps = flows.iter().flat_map(|flow| flow["locations"].as_array().into_iter().flatten());
    let mut order: Vec<u64> = steps.filter_map(|step| step["executionOrder"].as_u64()).collect();
    order.sort_unstable();
    assert_eq!(order, (1..=order.len() as u64).collect::<Vec<_>>());
    assert_eq!(result["relatedLocations"].as_array().map(Vec::len), Some(1));
    let drawn = unpick(&folder, &["show", "--dot", "a.svg", "t.json"]);
    assert_eq!(
        (drawn.status.code(), unpick(&folder, &["show", "--dot", "a.dot", "t.json"]).status.code()),
        (Some(0), Some(0))
    );
    let chart = read(folder.join("a.svg"));
    let chart = roxmltree::Document::parse(&chart).expect("a chart should be XML");
    assert_eq!(chart.descendants().filter(|node| node.attribute("class") == Some("life")).count(), 2);
    assert!(read(folder.join("a.dot")).starts_with("digraph execution"));
    let again = unpick(&folder, &["show", "--sarif", "b.sarif", "--junit", "b.xml", "t.json"]);
    assert_eq!(again.status.code(), Some(0));
    assert_eq!(results(&sarif(folder.join("b.sarif")))[0]["message"], result["message"]);
}

#[test]
fn junit_has_a_case_for_each_property() {
    let folder = folder("junit", &[("a.c", TWO_BUGS), ("ok.c", "int main(void) { return 0; }\n")]);
    let run = |words: &[&str]| {
        let file = folder.join("out.xml");
        let output = unpick(&folder, &[&["check", "--junit", "out.xml"], words].concat());
        (output.status.code(), read(file))
    };
    let (code, text) = run(&["--all", "a.c"]);
    let document = roxmltree::Document::parse(&text).expect("JUnit should be XML");
    let suite = document.descendants().find(|node| node.has_tag_name("testsuite")).expect("there should be a suite");
    let cases: Vec<_> = suite.children().filter(|node| node.has_tag_name("testcase")).collect();
    let failed = cases.iter().filter(|case| case.children().any(|node| node.has_tag_name("failure")));
    let names: Vec<_> = failed.filter_map(|case| case.attribute("name")).collect();
    assert_eq!((code, names), (Some(1), vec!["out-of-bounds", "division-by-zero"]));
    assert_eq!(suite.attribute("tests"), Some(cases.len().to_string().as_str()));
    assert_eq!((suite.attribute("failures"), suite.attribute("skipped")), (Some("2"), Some("0")));
    let (code, text) = run(&["ok.c"]);
    assert!(code == Some(0) && text.contains("failures=\"0\" errors=\"0\" skipped=\"0\""), "{text}");
    let (code, text) = run(&["--depth", "1", "a.c"]);
    assert!(code != Some(0) && !text.contains("skipped=\"0\""), "{text}");
    let (_, text) = run(&["--invariant", "1 < 0", "--property", "leak", "ok.c"]);
    assert!(text.contains("<testcase name=\"1 &lt; 0\"") && text.contains("type=\"invariant\""), "{text}");
}

#[test]
fn a_baseline_lets_the_known_pass_and_nothing_else() {
    let folder = folder("baseline", &[("a.c", TWO_BUGS)]);
    assert_eq!(unpick(&folder, &["check", "--sarif", "one.sarif", "a.c"]).status.code(), Some(1));
    assert_eq!(unpick(&folder, &["check", "--all", "--sarif", "all.sarif", "a.c"]).status.code(), Some(1));
    let states = |file: &str| -> Vec<String> {
        let document = sarif(folder.join(file));
        let states = results(&document).iter().map(|result| result["baselineState"].as_str().unwrap_or("").to_owned());
        states.collect()
    };
    let some = unpick(&folder, &["check", "--baseline", "one.sarif", "--sarif", "new.sarif", "a.c"]);
    assert_eq!(some.status.code(), Some(1));
    assert_eq!(states("new.sarif"), ["new", "unchanged"]);
    // Lines above may change.
    std::fs::write(folder.join("a.c"), format!("/* a\n * comment */\n{TWO_BUGS}")).expect("writable");
    let all = unpick(&folder, &["check", "--baseline", "all.sarif", "--sarif", "new.sarif", "a.c"]);
    let text = String::from_utf8_lossy(&all.stdout).into_owned();
    assert_eq!(all.status.code(), Some(0), "{text}");
    assert!(text.contains("; accepted)") && text.contains("known from all.sarif"), "{text}");
    assert_eq!(states("new.sarif"), ["unchanged", "unchanged"]);
    // Repaired: what is gone is said.
    std::fs::write(folder.join("a.c"), TWO_BUGS.replace("a[2];", "a[1];")).expect("writable");
    let fixed = unpick(&folder, &["check", "--baseline", "all.sarif", "--sarif", "new.sarif", "a.c"]);
    assert_eq!(fixed.status.code(), Some(0));
    assert_eq!(states("new.sarif"), ["unchanged", "absent"]);
    // A search that was cut short may have missed something new.
    let looping = TWO_BUGS.replace("return a[2];", "for (int i = 0; i < 5; i++) a[1] += i;\n    return a[1];");
    std::fs::write(folder.join("a.c"), looping).expect("writable");
    let short = unpick(&folder, &["check", "--baseline", "all.sarif", "--unwind", "1", "a.c"]);
    assert_eq!(short.status.code(), Some(3), "{}", String::from_utf8_lossy(&short.stdout));
    for (file, text) in [("bad.sarif", "{"), ("other.sarif", "{}"), ("a.c", "")] {
        if !text.is_empty() {
            std::fs::write(folder.join(file), text).expect("writable");
        }
        assert_eq!(unpick(&folder, &["check", "--baseline", file, "a.c"]).status.code(), Some(2), "{file}");
    }
    assert_eq!(unpick(&folder, &["check", "--baseline", "no.sarif", "a.c"]).status.code(), Some(2));
}

#[test]
fn a_comment_with_a_reason_accepts_a_finding() {
    let with = |comment: &str| TWO_BUGS.replace("a[2];", &format!("a[2]; // {comment}"));
    let bounds = with("unpick: allow(out-of-bounds) the caller checks");
    let both =
        bounds.replace("        return 1", "        // unpick: allow(division-by-zero) never called\n        return 1");
    let bare = with("unpick: allow(out-of-bounds)");
    let files = [("one.c", bounds.as_str()), ("both.c", &both), ("bare.c", &bare)];
    let folder = folder("comments", &files);
    let one = unpick(&folder, &["check", "one.c"]);
    let text = String::from_utf8_lossy(&one.stdout).into_owned();
    assert_eq!(one.status.code(), Some(1), "{text}");
    assert!(text.contains("verdict: violated (division-by-zero at one.c:6)"), "{text}");
    let both = unpick(&folder, &["check", "--sarif", "both.sarif", "both.c"]);
    assert_eq!(both.status.code(), Some(0), "{}", String::from_utf8_lossy(&both.stdout));
    let document = sarif(folder.join("both.sarif"));
    let reasons: Vec<_> =
        results(&document).iter().map(|result| result["suppressions"][0]["justification"].clone()).collect();
    assert!(reasons.contains(&"never called".into()) && reasons.contains(&"the caller checks".into()), "{reasons:?}");
    let bare = unpick(&folder, &["check", "bare.c"]);
    assert_eq!(bare.status.code(), Some(1));
    let said = String::from_utf8_lossy(&bare.stderr).into_owned();
    assert!(said.contains("bare.c:8: `unpick: allow(out-of-bounds)` counts for nothing without a reason"), "{said}");
}

#[test]
fn a_malicious_source_is_harmless_for_machines() {
    let nasty = "\u{1b}[31m\u{202e}]]><script>alert(1)</script>&amp;\u{1}{0}[x](http://e)".repeat(3);
    // Compilers themselves are slow with thousands of marks of direction, so there are three of them.
    let long = "\u{6f22}x".repeat(50_000);
    let source = RACE.replace("shared = shared + 1;", &format!("shared = shared + 1; /* {nasty} {long} */"));
    let name = "a\u{1b} <b>&\"'%.c";
    let folder = folder("malicious", &[(name, &source)]);
    let output = unpick(&folder, &["check", "--sarif", "a.sarif", "--junit", "a.xml", name]);
    assert_eq!(output.status.code(), Some(1));
    let document = sarif(folder.join("a.sarif"));
    let uri = &results(&document)[0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
    assert_eq!(uri, "a%1B%20%3Cb%3E%26%22%27%25.c");
    let text = read(folder.join("a.xml"));
    let document = roxmltree::Document::parse(&text).expect("JUnit should be XML");
    assert!(!document.descendants().any(|node| node.has_tag_name("script")));
    assert!(!text.contains('\u{1b}') && !text.contains('\u{202e}'));
}

/// Reads JSON that a schema of the tests accepts.
fn valid(schema: &str, text: &str) -> Value {
    let schema = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/schemas").join(schema);
    let schema: Value = serde_json::from_str(&read(schema)).expect("the schema should be JSON");
    let document: Value = serde_json::from_str(text).expect("the document should be JSON");
    let (mut schemas, mut compiler) = (boon::Schemas::new(), boon::Compiler::new());
    compiler.add_resource("mem:///schema.json", schema).expect("the schema should be usable");
    let index = compiler.compile("mem:///schema.json", &mut schemas).expect("the schema should compile");
    if let Err(error) = schemas.validate(&document, index) {
        panic!("{error:#}");
    }
    document
}

const REACHING: &str = "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\nint main(void)\n{\n    int x = \
                        __VERIFIER_nondet_int();\n    if (x == 42)\n        reach_error();\n    return 0;\n}\n";

#[test]
fn witnesses_hold_inputs_and_the_way_to_the_violation() {
    let reach = "CHECK( init(main()), LTL(G ! call(reach_error())) )\n";
    let race = "CHECK( init(main()), LTL(G ! data-race) )\n";
    let files = [("a.c", REACHING), ("r.c", RACE), ("reach.prp", reach), ("race.prp", race), ("bad.prp", "CHECK(x)\n")];
    let folder = folder("witness", &files);
    let run = |words: &[&str]| unpick(&folder, &[&["check"], words].concat()).status.code();
    assert_eq!(run(&["--property", "reach.prp", "--witness", "w.yml", "a.c"]), Some(1));
    let document = valid("witness-2.json", &read(folder.join("w.yml")));
    let entry = &document[0];
    assert_eq!(entry["metadata"]["task"]["specification"], reach.trim());
    let first = &entry["content"][0]["segment"][0]["waypoint"];
    assert_eq!((&first["type"], &first["constraint"]["value"]), (&"function_return".into(), &"\\result == 42".into()));
    assert_eq!((&first["location"]["line"], &first["location"]["column"]), (&5.into(), &35.into()));
    let last = &entry["content"][1]["segment"][0]["waypoint"];
    assert_eq!((&last["type"], &last["location"]["line"]), (&"target".into(), &7.into()));
    assert_eq!(run(&["--property", "race.prp", "--witness", "w.yml", "r.c"]), Some(1));
    let document = valid("witness-2.json", &read(folder.join("w.yml")));
    assert_eq!(document[0]["metadata"]["format_version"], "2.2");
    let targets = document[0]["content"][0]["segment"].as_array().expect("there should be targets");
    assert_eq!(targets.len(), 2);
    // A proof needs no invariants here, and what is unknown has no witness.
    std::fs::write(folder.join("a.c"), REACHING.replace("x == 42", "x == 42 && x == 43")).expect("writable");
    assert_eq!(run(&["--property", "reach.prp", "--witness", "w.yml", "a.c"]), Some(0));
    assert_eq!(valid("witness-2.json", &read(folder.join("w.yml")))[0]["entry_type"], "invariant_set");
    std::fs::write(folder.join("a.c"), "int main(void)\n{\n    for (int i = 0; i < 9; i++);\n    return 0;\n}\n")
        .expect("writable");
    assert_eq!(run(&["--unwind", "2", "--witness", "w.yml", "a.c"]), Some(3));
    assert!(!folder.join("w.yml").exists());
    assert_eq!(run(&["--property", "bad.prp", "a.c"]), Some(2));
    assert_eq!(run(&["--property", "no.prp", "a.c"]), Some(2));
    assert_eq!(run(&["--witness", "w.txt", "a.c"]), Some(2));
}

#[test]
fn witnesses_as_graphs_are_one_path() {
    let folder = folder("graphml", &[("a.c", REACHING), ("r.c", RACE)]);
    for (file, n_threads) in [("a.c", 1), ("r.c", 2)] {
        assert_eq!(unpick(&folder, &["check", "--witness", "w.graphml", file]).status.code(), Some(1));
        let text = read(folder.join("w.graphml"));
        let document = roxmltree::Document::parse(&text).expect("GraphML should be XML");
        let named = |tag: &'static str| document.descendants().filter(move |node| node.tag_name().name() == tag);
        let keys: Vec<_> = named("key").filter_map(|key| key.attribute("id")).collect();
        assert!(named("data").all(|data| data.attribute("key").is_some_and(|key| keys.contains(&key))));
        let value = |wanted: &str| {
            named("data").find(|data| data.attribute("key") == Some(wanted)).and_then(|data| data.text())
        };
        assert_eq!(value("witness-type"), Some("violation_witness"));
        assert_eq!(value("programhash").map(str::len), Some(64));
        let nodes: Vec<_> = named("node").filter_map(|node| node.attribute("id")).collect();
        let edges: Vec<_> =
            named("edge").filter_map(|edge| edge.attribute("source").zip(edge.attribute("target"))).collect();
        let expected: Vec<_> = nodes.windows(2).map(|pair| (pair[0], pair[1])).collect();
        assert_eq!(edges, expected);
        let threads: std::collections::BTreeSet<_> = named("data")
            .filter(|data| data.attribute("key") == Some("threadId"))
            .filter_map(|data| data.text())
            .collect();
        assert_eq!(threads.len(), n_threads);
    }
    let text = read(folder.join("w.graphml"));
    assert!(text.contains("<data key=\"createThread\">1</data>"), "{text}");
}
