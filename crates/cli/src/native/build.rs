//! Compiling the C test that replays an execution, and running it.

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Output, Stdio};
use std::time::{Duration, Instant};

use super::NativeTest;
use crate::child::{self, Broken};
use crate::failure::{Failure, Outcome};
use crate::scratch;

/// A compiled test; its folder goes with it.
pub struct Built {
    folder: scratch::Folder,
}

impl Built {
    fn program(&self) -> PathBuf {
        self.folder.path().join("replay")
    }
}

/// The compiler that `$CC` names, as a command.
fn compiler() -> (String, Command) {
    let words = std::env::var("CC").ok().filter(|value| !value.trim().is_empty()).unwrap_or("cc".into());
    let mut parts = words.split_whitespace();
    let mut command = Command::new(parts.next().expect("a compiler name should have a word"));
    command.args(parts).env("LC_ALL", "C");
    (words, command)
}

/// Compiles the parts of a test and links them.
pub fn build(test: &NativeTest, source: &Path, flags: &[&str]) -> Outcome<Built> {
    let folder =
        scratch::Folder::new().map_err(|error| Failure::new(format!("cannot make a folder to build in: {error}")))?;
    let mut objects = Vec::new();
    let mut commands = Vec::new();
    for part in 0..test.n_parts {
        let object = folder.path().join(format!("part{part}.o"));
        let (_, mut command) = compiler();
        // What a compiler that is ended leaves behind goes with the folder.
        command.env("TMPDIR", folder.path()).args(["-g", "-O0", "-w", "-pthread"]);
        // What makes the threads take turns must not order anything in the eyes of a sanitizer.
        if part > 0 {
            command.args(flags);
        }
        command.arg(format!("-DUNPICK_PART={part}")).arg("-c").arg(source).arg("-o").arg(&object);
        commands.push(command);
        objects.push(object);
    }
    // All of them have ended before anything is said about one: they write to the folder.
    let outputs: Vec<_> = std::thread::scope(|scope| {
        let running: Vec<_> = commands.iter_mut().map(|command| scope.spawn(|| child::output(command))).collect();
        running.into_iter().map(|thread| thread.join().expect("a thread that waits should not panic")).collect()
    });
    outputs.into_iter().try_for_each(check)?;
    let (_, mut command) = compiler();
    command.env("TMPDIR", folder.path()).args(["-g", "-pthread"]).args(flags).args(&objects);
    check(child::output(command.arg("-o").arg(folder.path().join("replay")).arg("-lm")))?;
    Ok(Built { folder })
}

fn check(output: Result<Output, Broken>) -> Outcome<()> {
    let output = output.map_err(|broken| match broken {
        Broken::Start(error) => Failure::new(format!("cannot run the C compiler `{}`: {error}", compiler().0))
            .help("install one, or name one in $CC"),
        Broken::Halted(halt) => Failure::halted(halt),
    })?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let first: Vec<&str> =
        said.lines().filter(|line| line.contains("error") || line.contains("undefined")).take(5).collect();
    Err(Failure::new("the compiler refuses the test").help(if first.is_empty() {
        said.into_owned()
    } else {
        first.join("\n")
    }))
}

/// Runs a test; `None` if it did not come to an end.
pub fn run(built: &Built, limit: Duration) -> Outcome<Option<(ExitStatus, String)>> {
    let failed = |error: std::io::Error| Failure::new(format!("cannot run the test: {error}"));
    let mut command = Command::new(built.program());
    // Options that users have set for their own programs are not meant for this one.
    for name in ["ASAN_OPTIONS", "TSAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS"] {
        command.env_remove(name);
    }
    let mut child =
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().map_err(failed)?;
    let mut stderr = child.stderr.take().expect("the error stream should be a pipe");
    let reader = std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = stderr.read_to_end(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    });
    let start = Instant::now();
    let status = loop {
        match child.try_wait().map_err(failed)? {
            Some(status) => break Some(status),
            None if start.elapsed() > limit => {
                let _ = child.kill();
                let _ = child.wait();
                break None;
            }
            None => std::thread::sleep(Duration::from_millis(5)),
        }
    };
    let said = reader.join().unwrap_or_default();
    Ok(status.map(|status| (status, said)))
}
