//! Pictures on the command line: what they show, that they are well-formed, and what is said if there is too much to see.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn folder(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("pictures").join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("the target folder should be writable");
    for (file, text) in files {
        std::fs::write(folder.join(file), text).expect("the folder should be writable");
    }
    folder
}

fn unpick(folder: &Path, words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_unpick"))
        .current_dir(folder)
        .args(words)
        .env("NO_COLOR", "1")
        .env("XDG_CONFIG_HOME", "/nonexistent")
        .output()
        .expect("unpick should start")
}

/// Makes a picture and gives its texts, and how many nodes of each class it has.
struct Drawn {
    texts: Vec<String>,
    svg: String,
}

fn drawn(folder: &Path, words: &[&str], file: &str) -> Drawn {
    let output = unpick(folder, words);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(matches!(output.status.code(), Some(0 | 1)), "{words:?}: {said}");
    let svg = std::fs::read_to_string(folder.join(file)).expect("the picture should be there");
    let document = roxmltree::Document::parse(&svg).expect("the picture should be XML");
    let texts = document.descendants().filter(|node| node.tag_name().name() == "text");
    let texts = texts.map(|node| {
        node.descendants().filter(|inner| inner.is_text()).filter_map(|inner| inner.text()).collect::<String>()
    });
    Drawn { texts: texts.collect(), svg: svg.clone() }
}

impl Drawn {
    fn has(&self, text: &str) -> bool {
        self.texts.iter().any(|known| known.contains(text))
    }

    fn count(&self, class: &str) -> usize {
        self.svg.matches(&format!("class=\"{class}\"")).count()
    }
}

const TURNS: &str = "byte turn;\nactive [2] proctype user()\n{\n    do\n    :: turn == _pid -> turn = 1 - turn\n    \
                     od\n}\nactive proctype watcher()\n{\n    assert(turn < 2);\n    false\n}\n";

const BRANCHES: &str = "extern int any(void);\nstatic int unused(void)\n{\n    return 3;\n}\nint main(void)\n{\n    int n = \
                        any();\n    if (n > 3 && n < 9) {\n        n = 4;\n    }\n    if (n == 12345 && n == 1) {\n        \
                        n = 5;\n    }\n    return n;\n}\n";

#[test]
fn states_of_a_model_are_drawn_with_what_is_wrong() {
    let folder = folder("states", &[("turns.pml", TURNS)]);
    let drawn = drawn(&folder, &["extract", "--to", "states", "turns.pml", "-o", "s.svg"], "s.svg");
    // Two places of the users that differ (the turn decides who waits), three of the watcher.
    assert!(drawn.texts[0].starts_with("turns.pml: "), "{:?}", drawn.texts);
    assert!(drawn.has("user0: turn == _pid") && drawn.has("watcher: assert(turn < 2)"), "{:?}", drawn.texts);
    assert!(drawn.has("turn = 1") && drawn.has("turn = 0"), "{:?}", drawn.texts);
    let dot = unpick(&folder, &["extract", "--to", "states", "turns.pml"]);
    let dot = String::from_utf8_lossy(&dot.stdout).into_owned();
    let n_states: usize = dot.lines().filter(|line| line.contains("[label=") && !line.contains("->")).count();
    let json = unpick(&folder, &["check", "--reduce", "none", "--json", "turns.pml"]);
    let json: serde_json::Value = serde_json::from_slice(&json.stdout).expect("the verdict should be JSON");
    assert_eq!(json["stats"]["states"].as_u64(), Some(n_states as u64), "{dot}");
}

#[test]
fn states_of_a_program_are_drawn_with_every_order() {
    let shown = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/show/assertion.c");
    let source = std::fs::read_to_string(shown).expect("the program should be there");
    let folder = folder("program", &[("lost.c", &source)]);
    let drawn = drawn(&folder, &["extract", "--to", "states", "lost.c", "-o", "s.svg"], "s.svg");
    assert!(drawn.has("data race") && drawn.has("exit 0") && drawn.has("shared = 2"), "{:?}", drawn.texts);
    assert!(drawn.has("assertion: assertion `shared == 2` does not hold"), "{:?}", drawn.texts);
    assert!(drawn.count("node bad") > 1 && drawn.count("node good") > 1);
}

#[test]
fn automata_of_formulas_and_of_claims_are_drawn() {
    let claim = format!("{TURNS}ltl fair {{ []<> (turn == 1) }}\n");
    let folder = folder("automata", &[("turns.pml", &claim), ("plain.pml", TURNS), ("a.c", BRANCHES)]);
    let words = ["extract", "--to", "automaton", "--ltl", "[](p -> <> (x > 3))", "-o", "a.svg"];
    let formula = drawn(&folder, &words, "a.svg");
    assert!(formula.has("[](p -> <> (x > 3))") && formula.has("!p || (x > 3)"), "{:?}", formula.texts);
    assert_eq!((formula.svg.matches("<circle").count(), formula.count("ring")), (3, 1), "{}", formula.svg);
    let claims = drawn(&folder, &["extract", "--to", "automaton", "turns.pml", "-o", "c.svg"], "c.svg");
    assert!(claims.has("not (") && claims.count("ring") >= 1, "{:?}", claims.texts);
    for words in [
        &["extract", "--to", "automaton", "plain.pml"][..],
        &["extract", "--to", "automaton", "a.c"],
        &["extract", "--to", "automaton", "--ltl", "p", "turns.pml"],
    ] {
        assert_eq!(unpick(&folder, words).status.code(), Some(2), "{words:?}");
    }
}

#[test]
fn control_is_drawn_with_what_a_check_explored() {
    let folder = folder("flow", &[("a.c", BRANCHES), ("turns.pml", TURNS)]);
    let plain = drawn(&folder, &["extract", "--to", "flow", "a.c", "-o", "f.svg"], "f.svg");
    assert!(plain.has("if (n > 3 && n < 9) {") && plain.has("main()"), "{:?}", plain.texts);
    assert_eq!(plain.count("node bad"), 0);
    let words = ["check", "--flow", "g.svg", "--html", "a.html", "a.c"];
    let checked = drawn(&folder, &words, "g.svg");
    assert!(checked.has("n = 5;") && checked.has("main(): 4 of 6 ways taken"), "{:?}", checked.texts);
    // Line 13 and the legend.
    assert_eq!(checked.count("node bad"), 2, "{}", checked.svg);
    assert_eq!(checked.count("edge bad"), 2, "{}", checked.svg);
    // Functions that no call leads to are told in the page.
    let page = std::fs::read_to_string(folder.join("a.html")).expect("the page should be there");
    assert!(page.contains("<code>unused()</code>"), "{page}");
    let model = drawn(&folder, &["check", "--flow", "m.svg", "turns.pml"], "m.svg");
    assert!(model.has("watcher: ") && model.has("places reached") && model.count("node good") > 3, "{:?}", model.texts);
}

#[test]
fn the_order_of_locks_is_drawn_where_nothing_fails() {
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/c/trace/lock_order.c");
    let source = std::fs::read_to_string(program).expect("the program should be there");
    let folder = folder("locks", &[("locks.c", &source)]);
    let drawn = drawn(&folder, &["check", "--dot", "l.svg", "locks.c"], "l.svg");
    assert!(drawn.has("&first") && drawn.has("&second") && drawn.has("part of a circle"), "{:?}", drawn.texts);
}

#[test]
fn too_many_nodes_and_unknown_forms_are_told() {
    let folder = folder("large", &[("turns.pml", TURNS), ("a.c", BRANCHES)]);
    let said = |words: &[&str]| {
        let output = unpick(&folder, words);
        assert_eq!(output.status.code(), Some(2), "{words:?}");
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let large = said(&["extract", "--to", "states", "--most", "3", "turns.pml"]);
    assert!(large.contains("there are more than 3 states") && large.contains("--most"), "{large}");
    let large = said(&["extract", "--to", "flow", "--most", "1", "a.c"]);
    assert!(large.contains("the picture would have") && large.contains("--most"), "{large}");
    let form = said(&["extract", "--to", "flow", "a.c", "-o", "a.png"]);
    assert!(form.contains("-o a.png: the form is known by the extension"), "{form}");
    let form = said(&["check", "--flow", "a.txt", "a.c"]);
    assert!(form.contains("--flow a.txt"), "{form}");
}

#[test]
fn malicious_sources_stay_text() {
    let nasty = "</text><script>alert(1)</script>]]>&amp;\u{1b}\u{202e}";
    let source = BRANCHES.replace("n = 4;", &format!("n = 4; /* {nasty} {} */", "x".repeat(20_000)));
    let folder = folder("malicious", &[("a <b>&.c", &source)]);
    for to in ["flow", "states"] {
        let words = ["extract", "--to", to, "a <b>&.c", "-o", "n.svg"];
        let drawn = drawn(&folder, &words, "n.svg");
        assert!(!drawn.svg.contains("<script") && !drawn.svg.contains(['\u{1b}', '\u{202e}']));
        assert!(drawn.svg.len() < 100_000, "long lines should be cut");
    }
}
