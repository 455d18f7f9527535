//! Traces on the compiled program.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn unpick(folder: &Path, words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_unpick")).current_dir(folder).args(words).output().expect("unpick should start")
}

fn said(output: &Output) -> String {
    [&output.stdout[..], &output.stderr[..]].iter().map(|bytes| String::from_utf8_lossy(bytes)).collect()
}

fn folder(name: &str, text: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("replay-{name}"));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("the target folder should be writable");
    std::fs::write(folder.join("a.c"), text).expect("the target folder should be writable");
    folder
}

/// Checks `a.c`, saves the trace, and replays it.
fn replay(folder: &Path, check: &[&str], replay: &[&str]) -> Output {
    let words = [&["check", "-q", "--save-trace", "bug.json", "a.c"], check].concat();
    let checked = unpick(folder, &words);
    assert_eq!(checked.status.code(), Some(1), "{}", said(&checked));
    unpick(folder, &[&["replay", "bug.json"], replay].concat())
}

const LOST_UPDATE: &str = "#include <assert.h>\n#include <pthread.h>\nstatic int x;\nextern int \
                           __VERIFIER_nondet_int(void);\nstatic void *up(void *by) {\n    x = x + *(int *)by;\n    return \
                           0;\n}\nint main(void) {\n    int by = __VERIFIER_nondet_int();\n    if (by < 3 || by > 5) return \
                           0;\n    pthread_t other;\n    pthread_create(&other, 0, up, &by);\n    x += by;\n    \
                           pthread_join(other, 0);\n    assert(x == 2 * by);\n}\n";

#[test]
fn a_lost_update_with_an_input_happens_natively_and_the_test_can_be_kept() {
    let folder = folder("lost", LOST_UPDATE);
    let output = replay(&folder, &["--property", "assertion"], &["--keep", "test.c", "--times", "10"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert!(said(&output).contains("replay: reproduced (assertion at a.c:16)"), "{}", said(&output));
    let kept = std::fs::read_to_string(folder.join("test.c")).expect("the test should be kept");
    assert!(kept.contains("UNPICK_PART") && kept.contains("__unpick_point("), "{kept}");
}

#[test]
fn a_race_is_seen_by_the_thread_sanitizer() {
    let folder = folder("race", LOST_UPDATE);
    let output = replay(&folder, &["--property", "race"], &[]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert!(said(&output).contains("ThreadSanitizer"), "{}", said(&output));
}

#[test]
fn what_cannot_be_forced_is_not_reproduced() {
    let text = "#include <assert.h>\n#include <time.h>\nint main(void) { assert(time(0) != 12345); }\n";
    let output = replay(&folder("time", text), &[], &[]);
    assert_eq!(output.status.code(), Some(3), "{}", said(&output));
    assert!(said(&output).contains("replay: not reproduced (assertion at a.c:3)"), "{}", said(&output));
}

#[test]
fn other_sources_other_files_and_failures_that_do_not_show_are_refused() {
    let folder = folder("changed", LOST_UPDATE);
    assert_eq!(replay(&folder, &["--property", "assertion"], &[]).status.code(), Some(0));
    std::fs::write(folder.join("a.c"), LOST_UPDATE.replace("2 * by", "3 * by")).expect("writable");
    let output = unpick(&folder, &["replay", "bug.json"]);
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    assert!(said(&output).contains("the sources are not those that were checked"), "{}", said(&output));
    std::fs::write(folder.join("bad.json"), "{ \"format\": \"unpick-tr").expect("writable");
    assert_eq!(unpick(&folder, &["replay", "bad.json"]).status.code(), Some(2));
    let unlock = "#include <pthread.h>\nint main(void) {\n    static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n    \
                  pthread_mutex_unlock(&m);\n}\n";
    std::fs::write(folder.join("a.c"), unlock).expect("writable");
    let output = replay(&folder, &[], &[]);
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    assert!(said(&output).contains("nothing in a compiled program shows"), "{}", said(&output));
}

#[test]
fn functions_and_objects_that_nobody_defines_and_no_execution_reaches_do_not_stop_the_linker() {
    let text = LOST_UPDATE.replace(
        "static int x;",
        "int elsewhere(int); extern int far_away; extern long table[];\nint unused(void) { return elsewhere(far_away); }\n\
         static int x;",
    );
    let text = text.replace("    x += by;", "    if (by == 9) x = elsewhere((int)table[2]);\n    x += by;");
    let output = replay(&folder("undefined", &text), &["--property", "assertion"], &["--times", "3"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert!(said(&output).contains("replay: reproduced (assertion at a.c:19)"), "{}", said(&output));
}

#[test]
fn functions_without_a_body_that_are_reached_give_what_they_gave() {
    let text = LOST_UPDATE.replace(
        "static int x;",
        "int elsewhere(int), *new_one(void);\nint unused(void) { return elsewhere(1); }\nstatic int x;",
    );
    let text = text.replace("    x += by;", "    x += by;\n    if (elsewhere(2) != 7 || !new_one()) return 0;");
    let output = replay(&folder("reached", &text), &["--property", "assertion"], &["--times", "3"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert!(said(&output).contains("replay: reproduced (assertion at a.c:19)"), "{}", said(&output));
}
