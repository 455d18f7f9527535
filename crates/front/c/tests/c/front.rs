//! Test support: text through preprocessor, parser and semantic analysis, and programs through gcc.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use unpick_base::Severity;
use unpick_front_c::ast::Unit;
use unpick_front_c::session::Session;
use unpick_front_c::types::Target;

/// A folder of its own for a test's files.
pub fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).expect("the folder for temporary files should be writable");
    folder
}

/// The unit of a preprocessed text, or the errors found.
pub fn analyse(text: &str, name: &str, target: Target) -> Result<(Unit, Session), String> {
    let mut session = Session { target, ..Session::default() };
    let index = session.sources.add(name, text).expect("a test's text should fit the address space");
    let unit = unpick_front_c::analyse(&mut session, index);
    let errors: Vec<String> = session
        .diagnostics
        .iter()
        .filter(|diagnostic| diagnostic.severity == Severity::Error)
        .take(5)
        .map(|diagnostic| {
            let place = session.sources.place(diagnostic.span.lo);
            let place = place.map(|place| format!("{}:{}", place.file, place.line)).unwrap_or_default();
            format!("{place}: {}", diagnostic.message)
        })
        .collect();
    if errors.is_empty() { Ok((unit, session)) } else { Err(errors.join("\n")) }
}

/// What `gcc -E` makes of a file.
pub fn preprocess(file: &Path, flags: &[&str]) -> Result<String, String> {
    let output = Command::new("gcc").args(flags).arg("-E").arg(file).output().map_err(|error| error.to_string())?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Compiles a file; the error is what gcc said.
pub fn compile(source: &Path, program: &Path, flags: &[&str]) -> Result<(), String> {
    let output = Command::new("gcc")
        .args(["-w", "-O0", "-o"])
        .arg(program)
        .args(flags)
        .arg(source)
        .arg("-lm")
        .output()
        .map_err(|error| error.to_string())?;
    let message = String::from_utf8_lossy(&output.stderr);
    if output.status.success() { Ok(()) } else { Err(message.lines().take(12).collect::<Vec<_>>().join("\n")) }
}

/// Output and exit status of a program, or `None` if it does not end in time.
pub fn run(program: &Path, limit: Duration) -> Option<(Vec<u8>, Option<i32>)> {
    let out_path = program.with_extension("out");
    let out = std::fs::File::create(&out_path).expect("the folder for temporary files should be writable");
    let mut child = Command::new(program).stdout(out).spawn().expect("a compiled program should start");
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait().expect("a started program should be waited for") {
            return Some((std::fs::read(&out_path).unwrap_or_default(), status.code()));
        }
        if start.elapsed() > limit {
            // Killing can only fail if the program has just ended, which changes nothing.
            let _ = child.kill();
            let _ = child.wait();
            return None;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}
