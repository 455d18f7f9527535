//! Limits hold, and a search that is cut short tells what it has learnt.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// Three threads count on their own: more states than can be stored, and a function that is never called.
const HUGE: &str = r"
#include <pthread.h>
static volatile unsigned a, b, c, noise[512];
static void *first(void *argument) { for (;;) { a = a + 1 + (b & 1); } return argument; }
static void *second(void *argument) { for (;;) { b = b + 1 + (c & 1); } return argument; }
static void never(void) { c = 7; }
int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, first, 0);
    pthread_create(&two, 0, second, 0);
    for (;;) { c = c + 1 + (a & 1); noise[c & 511] = c; if (c > 4000000000u) never(); }
}
";

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("limits").join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("the scratch folder should be writable");
    std::fs::write(folder.join("a.c"), HUGE).expect("the scratch folder should be writable");
    folder
}

fn start(folder: &Path, words: &[&str]) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_unpick"));
    command.args(["check", "--property", "assertion,deadlock"]).args(words).arg("a.c").current_dir(folder);
    command.env("TMPDIR", folder).env("XDG_CONFIG_HOME", folder.join("none"));
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("unpick should start")
}

/// The report of a search that was cut short for this reason.
fn assert_cut_short(folder: &Path, output: &Output, reason: &str) {
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(3), "{text}\n{complaint}");
    let last = text.lines().last().unwrap_or_default();
    assert!(last.starts_with("verdict: unknown (") && last.contains(reason), "{text}");
    let statistics = text.lines().find(|line| line.starts_with("statistics: ")).expect("there should be statistics");
    assert!(!statistics.starts_with("statistics: 0 states"), "{text}");
    let coverage = text.lines().find(|line| line.starts_with("coverage: ")).expect("there should be coverage");
    let is_part = ["1", "2", "3"].iter().any(|n| coverage.starts_with(&format!("coverage: {n} of 4 functions and ")));
    assert!(is_part, "{text}");
    let left: Vec<_> = std::fs::read_dir(folder).expect("the folder should be readable").collect();
    assert_eq!(left.len(), 1, "nothing should be left behind: {left:?}");
}

#[test]
fn the_memory_limit_holds() {
    let folder = folder("memory");
    let mut child = start(&folder, &["--memory", "500M", "--time", "10m"]);
    // The most memory the process has ever used, as the system counts it.
    let status = format!("/proc/{}/status", child.id());
    let mut most = 0;
    let waited = Instant::now();
    while child.try_wait().expect("the child should be ours").is_none() {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kibibytes = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok());
        most = kibibytes.unwrap_or(0).max(most);
        assert!(waited.elapsed() < Duration::from_secs(900), "the search should end when the memory is used up");
        std::thread::sleep(Duration::from_millis(20));
    }
    let output = child.wait_with_output().expect("the output should be readable");
    assert_cut_short(&folder, &output, "memory");
    assert!(most > 0 && most < 700 * 1024, "{most} KiB were used");
}

#[test]
fn the_time_limit_holds() {
    let folder = folder("time");
    let output = start(&folder, &["--time", "2s"]).wait_with_output().expect("the output should be readable");
    assert_cut_short(&folder, &output, "time");
}

#[test]
fn an_interrupt_ends_the_search_with_a_report() {
    let folder = folder("interrupt");
    let mut child = start(&folder, &["--time", "10m", "--memory", "4G"]);
    // The first line of progress says that the search is under way.
    let mut progress = BufReader::new(child.stderr.take().expect("stderr should be ours"));
    let mut line = String::new();
    progress.read_line(&mut line).expect("stderr should be readable");
    assert!(line.contains("states"), "{line}");
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill should run");
    assert!(sent.success());
    let output = child.wait_with_output().expect("the output should be readable");
    assert_cut_short(&folder, &output, "interrupt");
}

#[test]
fn violations_found_before_a_limit_are_not_forgotten() {
    let folder = folder("found");
    let source =
        HUGE.replace("#include", "#include <assert.h>\n#include").replace("c = c + 1", "assert(c != 3); c = c + 1");
    std::fs::write(folder.join("a.c"), source).expect("the scratch folder should be writable");
    let output = start(&folder, &["--all", "--time", "3s"]).wait_with_output().expect("the output should be readable");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("the search for more violations was cut short"), "{text}");
}
