//! The screen after keys have been pressed: where one stands, and pictures word for word in `screens/`, which
//! `UNPICK_BLESS=1` rewrites.

use std::path::Path;

use ratatui::Terminal;
use ratatui::backend::TestBackend;
use unpick_report::Colour;
use unpick_witness::{Change, Finding, Made, Part, Scope, Step, Trace};

use super::*;

fn change(name: &str, old: &str, new: &str) -> Change {
    let (name, old, new) = (name.to_owned(), old.to_owned(), new.to_owned());
    Change { name, old, new, scope: None, part: None }
}

fn step(thread: u32, line: u32, depth: u32, text: &str, changes: Vec<Change>) -> Step {
    let function = if depth == 2 { "f" } else { "main" }.to_owned();
    Step { thread, line, depth, text: text.to_owned(), file: "a.c".to_owned(), function, changes, ..Step::default() }
}

/// `main` makes an object and calls `f`, which counts; thread 1 comes between. The last line tries to be more than text.
fn saved() -> SavedTrace {
    let scope = Scope { thread: 0, function: "main".to_owned(), depth: 1 };
    let pointer = Change { scope: Some(scope), ..change("p", "indeterminate", "&heap#1") };
    let member = Change { part: Some(Part { object: 1, offset: 0, size: 4 }), ..change("p->n", "indeterminate", "7") };
    let mut steps = vec![
        step(0, 10, 1, "struct s *p = malloc(sizeof *p);", vec![pointer]),
        step(0, 11, 1, "p->n = 7;", vec![member]),
        step(0, 12, 1, "f();", vec![]),
        step(0, 3, 2, "x = 1;", vec![change("x", "0", "1")]),
        step(1, 20, 1, "y = x;", vec![change("y", "0", "1")]),
        step(0, 4, 2, "x = 2;", vec![change("x", "1", "2")]),
        step(0, 13, 1, "assert(y == \u{1b}[2J\u{202e});", vec![]),
    ];
    steps[0].made.push(Made { object: 1, bytes: 8 });
    steps[4].switch = Switch::Preemption;
    steps[5].switch = Switch::Yield;
    let trace = Trace { steps, ..Trace::default() };
    let (kind, message) = ("assertion".to_owned(), "y == 2 does not hold".to_owned());
    let finding = Finding { kind, message, file: "a.c".to_owned(), line: 13, ..Finding::default() };
    let lines = |_: &str, line: u32| (line <= 22).then(|| format!("text of line {line}"));
    SavedTrace::new(String::new(), Vec::new(), finding, trace, lines)
}

fn viewer() -> Viewer {
    Viewer::new(saved())
}

fn press(viewer: &mut Viewer, keys: &str) {
    for key in keys.chars() {
        let key = match key {
            '\n' => Key::Enter,
            '\t' => Key::Tab,
            key => Key::Letter(key),
        };
        assert!(viewer.key(key), "{key:?} should not leave");
    }
}

fn screen(viewer: &Viewer, width: u16, height: u16) -> String {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).expect("a screen in memory");
    let palette = view::Palette::of(Colour::Never);
    terminal.draw(|frame| view::draw(frame, viewer, palette)).expect("a screen in memory takes everything");
    terminal.backend().to_string().lines().map(|line| format!("{}\n", line.trim_matches('"').trim_end())).collect()
}

#[test]
fn keys_move_through_the_trace() {
    let mut viewer = viewer();
    let moves = [
        ("jj", 2),
        ("n", 6),
        ("b", 2),
        ("j", 3),
        ("o", 6),
        ("g", 0),
        ("1", 4),
        ("0", 5),
        ("T", 3),
        ("t", 5),
        ("k", 4),
        ("[", 4),
        ("]", 5),
        ("[", 4),
        (":2\n", 1),
        (":t1\n", 4),
        ("G", 6),
    ];
    for (keys, at) in moves {
        press(&mut viewer, keys);
        assert_eq!(viewer.walk.at(), at, "after {keys}");
    }
    assert_eq!(viewer.message, "assertion: y == 2 does not hold");
    assert!(viewer.key(Key::PageUp) && viewer.walk.at() == 0);
    assert!(!viewer.key(Key::Letter('q')) && !viewer.key(Key::Escape));
}

#[test]
fn changes_are_found_and_expressions_watched() {
    let mut viewer = viewer();
    press(&mut viewer, "/x\n");
    assert_eq!(viewer.walk.at(), 3);
    assert!(viewer.message.starts_with("`x` changes here"), "{}", viewer.message);
    press(&mut viewer, "f");
    assert_eq!(viewer.walk.at(), 5);
    press(&mut viewer, "f");
    assert_eq!((viewer.walk.at(), viewer.message.as_str()), (5, "no further change of `x`"));
    press(&mut viewer, "F");
    assert_eq!(viewer.walk.at(), 3);
    press(&mut viewer, "wx + p->n\nwz\nG");
    let watches = viewer.watches();
    assert_eq!(watches[0].1, Ok("9".to_owned()));
    assert_eq!(watches[1].1, Err("the trace shows no value for `z` here".to_owned()));
    press(&mut viewer, "WW");
    assert!(viewer.watches().is_empty());
    press(&mut viewer, "w1");
    assert!(viewer.key(Key::Escape) && viewer.watched.is_empty(), "escape leaves the prompt, not the screen");
}

#[test]
fn steps_that_do_not_bear_on_the_failure_are_passed_over() {
    let mut saved = saved();
    for at in [0, 1, 2] {
        saved.trace.steps[at].is_irrelevant = true;
    }
    let mut viewer = Viewer::new(saved);
    assert_eq!(viewer.walk.at(), 3);
    assert!(!screen(&viewer, 100, 30).contains("p->n = 7;"), "left out");
    press(&mut viewer, "ag");
    assert_eq!(viewer.walk.at(), 0);
    assert!(screen(&viewer, 100, 30).contains("p->n = 7;"), "shown again");
}

#[test]
fn an_endless_execution_goes_round() {
    let mut saved = saved();
    saved.trace.loop_start = Some(3);
    let mut viewer = Viewer::new(saved);
    press(&mut viewer, "Gj");
    assert_eq!((viewer.walk.at(), viewer.message.as_str()), (3, "from step 4 on the execution repeats itself"));
}

#[test]
fn screens_look_as_recorded() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/tui/screens");
    let shots = [
        ("begin", "", 100, 30),
        ("watch", "jjjjwx * 2\n", 100, 30),
        ("end", "G", 100, 30),
        ("help", "?", 100, 30),
        ("small", "jj\t\t", 50, 14),
        ("heap", "G\t\t\t\tz", 60, 12),
    ];
    for (name, keys, width, height) in shots {
        let mut viewer = viewer();
        press(&mut viewer, keys);
        let shown = screen(&viewer, width, height);
        let path = folder.join(format!("{name}.txt"));
        if std::env::var_os("UNPICK_BLESS").is_some() {
            std::fs::create_dir_all(&folder).expect("the folder of screens should be writable");
            std::fs::write(&path, &shown).expect("the folder of screens should be writable");
        }
        let recorded = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(recorded == shown, "{name} looks otherwise; UNPICK_BLESS=1 records it\n{shown}");
    }
}

#[test]
fn nothing_in_a_trace_steers_the_terminal() {
    let mut viewer = viewer();
    press(&mut viewer, "G");
    let text = screen(&viewer, 100, 30);
    assert!(!text.chars().any(|letter| letter.is_control() && letter != '\n') && !text.contains('\u{202e}'), "{text}");
}

#[test]
fn every_size_and_an_empty_trace_can_be_drawn() {
    let nothing = SavedTrace::new(String::new(), Vec::new(), Finding::default(), Trace::default(), |_, _| None);
    for saved in [saved(), nothing] {
        let mut viewer = Viewer::new(saved);
        for keys in ["", "j", "n", "o", "b", "]", "[", "1", "/x\n", "z", "zG", "?"] {
            press(&mut viewer, keys);
            for (width, height) in [(1, 1), (2, 3), (10, 4), (60, 12), (80, 24), (200, 60)] {
                screen(&viewer, width, height);
            }
        }
    }
}
