//! The compiled program, run many times under disturbed schedules: what it does has to be among what we say it can do.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Result, bail};

use super::generate::Generated;
use crate::campaign::output_within;

/// What was seen.
#[derive(Default, Debug)]
pub struct Seen {
    /// Lines of assertions that failed.
    pub assertions: BTreeSet<u32>,
    pub race: bool,
    /// A run did not end.
    pub hang: bool,
}

/// Compiles the program in the folder and runs it so often, half of the runs under the thread sanitizer if that
/// understands the program. A run that takes longer than `patience` hangs, and is the last.
pub fn run(folder: &Path, generated: &Generated, n_runs: u32, patience: Duration) -> Result<Seen> {
    std::fs::write(folder.join("harness.c"), HARNESS)?;
    std::fs::write(folder.join("disturbed.c"), disturbed(&generated.program.text()))?;
    let mut seen = Seen::default();
    let builds: &[&[&str]] = if generated.suits_sanitizer { &[&[], &["-fsanitize=thread"]] } else { &[&[]] };
    for build in builds {
        let native = folder.join("native");
        let mut gcc = Command::new("gcc");
        gcc.args(["-O0", "-g1", "-w", "-pthread"]).args(*build).arg("-o").arg(&native);
        let built = gcc.arg("harness.c").current_dir(folder).output()?;
        if !built.status.success() {
            bail!("gcc rejects the program: {}", String::from_utf8_lossy(&built.stderr));
        }
        let mut command = Command::new(&native);
        command.arg((n_runs / builds.len() as u32).to_string()).arg(patience.as_millis().to_string());
        // Only races are asked for: lock order and leaks of threads are no errors of ours.
        command.env("TSAN_OPTIONS", "halt_on_error=1:detect_deadlocks=0:report_thread_leaks=0:report_destroy_locked=0");
        let Some(output) = output_within(&mut command, Duration::from_secs(300))? else {
            bail!("the compiled program {} does not end", folder.display());
        };
        let text = String::from_utf8_lossy(&output.stderr);
        for line in text.lines() {
            if let Some((place, _)) = line.split_once(": Assertion `") {
                // `native: disturbed.c:LINE: FUNCTION`
                let number = place.split(".c:").nth(1).and_then(|rest| rest.split(':').next()?.parse::<u32>().ok());
                seen.assertions.extend(number);
            }
            seen.race |= line.contains("ThreadSanitizer: data race");
            seen.hang |= line == "@@ hang";
        }
    }
    Ok(seen)
}

/// The program with a call before each statement, on the same lines.
fn disturbed(text: &str) -> String {
    let mut result = String::new();
    for line in text.lines() {
        let statement = line.trim_start();
        if statement.len() < line.len() && !statement.starts_with('}') {
            result += "disturb(); ";
        }
        result += statement;
        result.push('\n');
    }
    result
}

/// Runs the program in children. Before every statement a thread may give up the processor or sleep.
const HARNESS: &str = r#"
static void disturb(void);
#define main program
#include "disturbed.c"
#undef main
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
int __VERIFIER_nondet_int(void) { return rand() % 3; }
_Bool __VERIFIER_nondet_bool(void) { return rand() % 2; }
void __VERIFIER_assume(int condition) { if (!condition) _exit(0); }
static unsigned state;
static _Thread_local unsigned mine;
__attribute__((no_sanitize("thread"))) static void disturb(void) {
    if (mine == 0) mine = ++state * 2654435761u + 12345;
    mine = mine * 1103515245 + 12345;
    unsigned draw = mine >> 16 & 31;
    if (draw < 6) sched_yield();
    else if (draw < 9) usleep(mine >> 21 & 127);
}
int main(int argc, char **argv) {
    for (int i = 0; i < atoi(argv[1]); i++) {
        int status, child = fork();
        if (child == 0) {
            srand(i);
            state = i * 977;
            exit(program());
        }
        for (int waited = 0; waitpid(child, &status, WNOHANG) == 0; waited++) {
            usleep(waited < 100 ? 300 : 10000);
            if (waited > 100 + atoi(argv[2]) / 10) {
                kill(child, SIGKILL);
                waitpid(child, &status, 0);
                dprintf(2, "@@ hang\n");
                return 0;
            }
        }
    }
    return 0;
}
"#;
