//! Larger programs through their tables: a telephone switch (row 9 and row 12 of the method's list) and a manager of
//! checkpoints. Each requirement holds, and each can fail.

use std::path::{Path, PathBuf};
use std::process::Command;

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/tables").join(name)
}

fn unpick(folder: &Path, words: &[&str]) -> (i32, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_unpick"));
    let output = command.args(words).current_dir(folder).output().expect("unpick should run");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().unwrap_or(-1), text(&output.stderr) + &text(&output.stdout))
}

/// A number from `table --stats`.
fn figure(text: &str, name: &str) -> u32 {
    let line = text.lines().find(|line| line.starts_with(name)).unwrap_or_else(|| panic!("{name} in {text}"));
    let number = line.split_whitespace().last().expect("a figure should have a number");
    number.trim_end_matches('%').parse().expect("a figure should be a number")
}

fn n_lines(folder: &Path, files: &[&str]) -> usize {
    let count = |file: &&str| std::fs::read_to_string(folder.join(file)).expect("the source").lines().count();
    files.iter().map(count).sum()
}

#[test]
fn row_9_call_processing_needs_few_rows() {
    let folder = example("phone");
    assert!(n_lines(&folder, &["phone.c"]) >= 1500);
    let (code, text) = unpick(&folder, &["table", "--stats", "phone.c"]);
    assert!(code == 0 && figure(&text, "table entries") >= 400, "{text}");
    assert!(figure(&text, "explicit rules") <= 10 && figure(&text, "default rules") >= 90, "{text}");
}

#[test]
fn row_12_the_requirements_of_the_switch_hold() {
    let (code, text) = unpick(&example("phone"), &["check", "--tabled", "phone.c"]);
    assert!(code == 0 && text.ends_with("verdict: verified\n"), "{text}");
    // The right program is not right because nothing happens in it.
    let config = std::fs::read_to_string(example("phone").join("unpick.toml")).expect("the harness should be there");
    assert!(
        config.lines().skip_while(|line| *line != "[extract.ltl]").filter(|line| line.contains(" = \"")).count() >= 10
    );
}

/// A macro that puts a mistake in, the requirement that notices, and a line of the trace.
const INTERACTIONS: [(&str, &str, &str); 4] = [
    ("BUG_WAITING", "waiting_is_waiting", "line[me].waiting = from"),
    ("BUG_TIMER", "no_clock_in_talk", ".state: 8 -> 9"),
    ("BUG_HANGUP", "hold_is_mutual", ".state: 9 -> 0"),
    ("BUG_BILLING", "pays_while_talking", "line[me].billing = 1"),
];

#[test]
fn features_that_do_not_go_together_are_found() {
    let folder = example("phone");
    for (bug, requirement, line) in INTERACTIONS {
        let words = ["check", "--tabled", "-D", bug, "--property", requirement, "--width", "200", "phone.c"];
        let (code, text) = unpick(&folder, &words);
        assert!(code == 1 && text.contains(&format!("the formula `{requirement}`")), "{bug}: {text}");
        assert!(text.contains("phone.c") && text.contains(line), "{bug}: {text}");
    }
}

/// What has to be changed for a requirement to fail; the others fail by the macros above.
const CHANGES: [(&str, &str, &str); 10] = [
    ("idle_is_free", "line[me].state = IDLE;\n    stop_timer(me);", "line[me].state = IDLE;"),
    (
        "talks_to_somebody",
        "\"answered\", from);\n    line[me].peer = from;",
        "\"answered\", from);\n    line[me].peer = me;",
    ),
    (
        "talk_is_mutual",
        "stop_billing(me, ONHOOK);\n    release_peer(me);\n    release_waiting(me);\n    become_idle(me);",
        "stop_billing(me, ONHOOK);\n    release_waiting(me);\n    become_idle(me);",
    ),
    (
        "hook",
        "stop_billing(me, RELEASE);\n    if (line[me].waiting != NOBODY)\n        take_waiting(me);\n    else\n        become_busy(me, RELEASE);",
        "stop_billing(me, RELEASE);\n    become_idle(me);",
    ),
    ("dial_tone", "forget_peer(me);\n    set_tone(me, TONE_BUSY);", "forget_peer(me);"),
    (
        "ring_tone",
        "line[me].state = TALKING;\n    stop_timer(me);\n    set_tone(me, SILENCE);",
        "line[me].state = TALKING;\n    stop_timer(me);",
    ),
    (
        "ringing_ends",
        "if (from == line[me].peer)\n        become_idle(me);",
        "if (from == line[me].peer)\n        become_busy(me, RELEASE);",
    ),
    (
        "busy_ends",
        "trace(me, \"called\", from);\n    refuse(me, from);",
        "trace(me, \"called\", from);\n    ring(me, from);",
    ),
    ("conference_after_consultation", "line[me].state = CONSULTED;", "line[me].state = CONFERENCE;"),
    ("asked_is_answered", "trace(me, \"busy\", from);\n    become_busy(me, REFUSED);", "trace(me, \"busy\", from);"),
];

#[test]
fn every_requirement_can_fail() {
    let folder = tempfile::tempdir().expect("a scratch folder should be possible");
    let read = |file: &str| std::fs::read_to_string(example("phone").join(file)).expect("the example should be there");
    for file in ["phone.map", "phone.prefs", "unpick.toml", "world.pml"] {
        std::fs::write(folder.path().join(file), read(file)).expect("the copy should be writable");
    }
    let source = read("phone.c");
    for (requirement, old, new) in CHANGES {
        assert!(source.contains(old), "{requirement}: {old}");
        std::fs::write(folder.path().join("phone.c"), source.replacen(old, new, 1))
            .expect("the copy should be writable");
        let (code, text) = unpick(folder.path(), &["check", "--tabled", "--property", requirement, "phone.c"]);
        assert!(code == 1 && text.contains(&format!("the formula `{requirement}`")), "{requirement}: {text}");
    }
}

const CHECKPOINT: [&str; 3] = ["manager.c", "worker.c", "main.c"];

fn check_checkpoint(words: &[&str]) -> (i32, String) {
    let words: Vec<&str> = ["check", "--tabled"].iter().chain(words).chain(&CHECKPOINT).copied().collect();
    unpick(&example("checkpoint"), &words)
}

#[test]
fn a_client_and_server_program_needs_few_rows() {
    let folder = example("checkpoint");
    assert!(n_lines(&folder, &["manager.c", "worker.c", "main.c", "protocol.h"]) >= 800);
    let (code, text) = unpick(&folder, &["table", "--stats", "manager.c", "worker.c", "main.c"]);
    assert!(code == 0 && figure(&text, "table entries") >= 198, "{text}");
    let table = std::fs::read_to_string(folder.join("checkpoint.map")).expect("the table should be there");
    assert!(table.lines().filter(|line| line.contains('\t')).count() <= 20, "{table}");
    let (code, text) = check_checkpoint(&[]);
    assert!(code == 0 && text.ends_with("verdict: verified\n"), "{text}");
}

#[test]
fn deadlocks_and_lost_messages_are_found() {
    let (code, text) = check_checkpoint(&["-D", "BUG_LEAVE"]);
    assert!(code == 1 && text.contains("verdict: violated (end-state"), "{text}");
    assert!(text.contains("manager.c") && text.contains("n_gone++"), "{text}");
    let (code, text) = check_checkpoint(&["-D", "BUG_LOST"]);
    assert!(code == 1 && text.contains("verdict: violated (end-state"), "{text}");
    assert!(text.contains("worker.c"), "{text}");
}
