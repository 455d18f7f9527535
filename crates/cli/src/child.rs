//! Runs another program under our own limits: its time, its memory and what it prints are bounded, and it ends with us.

use std::io::{self, Read};
use std::process::{Command, Output, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use unpick_limits::{confine, kill_group};
use unpick_system::Halt;

use crate::guard;

/// A compiler needs this much for itself, whatever the limit is.
const LEAST_MEMORY: u64 = 512 << 20;
/// Without a limit of memory, more than any preprocessed source.
const MOST_OUTPUT: u64 = 1 << 30;
/// What is read of complaints.
const MOST_COMPLAINTS: u64 = 1 << 20;
/// How often the clock is asked while the child works.
const PERIOD: Duration = Duration::from_millis(20);

/// Why there is no output.
#[derive(Debug)]
pub enum Broken {
    /// It could not be run.
    Start(io::Error),
    /// A limit ended it.
    Halted(Halt),
}

/// What the command prints.
pub fn output(command: &mut Command) -> Result<Output, Broken> {
    let memory = guard::memory();
    confine(command, memory.unwrap_or(u64::MAX).max(LEAST_MEMORY));
    let most = memory.map_or(MOST_OUTPUT, |bytes| (bytes / 8).min(MOST_OUTPUT));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(Broken::Start)?;
    let _ours = guard::Child::new(child.id());
    let (sender, receiver) = channel();
    let stdout = child.stdout.take().expect("the output should be a pipe");
    let stderr = child.stderr.take().expect("the error stream should be a pipe");
    for (is_error, stream, most) in
        [(false, Box::new(stdout) as Box<dyn Read + Send>, most), (true, Box::new(stderr), MOST_COMPLAINTS)]
    {
        let sender = sender.clone();
        std::thread::Builder::new()
            .stack_size(1 << 20)
            .spawn(move || {
                let _ = sender.send((is_error, read(stream, most)));
            })
            .map_err(Broken::Start)?;
    }
    let mut texts = [None, None];
    let broken = loop {
        match receiver.recv_timeout(PERIOD) {
            Ok((false, Err(TooMuch))) => break Some(Halt::Memory),
            Ok((is_error, text)) => texts[usize::from(is_error)] = Some(text.unwrap_or_default()),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break None,
        }
        if texts.iter().all(Option::is_some) {
            break None;
        }
        if let Some(halt) = guard::halt() {
            break Some(halt);
        }
    };
    // Whoever holds no pipe any more may still run.
    let broken = broken.or_else(|| wait(&mut child));
    if let Some(halt) = broken {
        kill_group(child.id());
        let _ = child.wait();
        return Err(Broken::Halted(halt));
    }
    let status = child.wait().map_err(Broken::Start)?;
    let [stdout, stderr] = texts.map(Option::unwrap_or_default);
    if !status.success() && is_out_of_memory(&stderr) {
        return Err(Broken::Halted(Halt::Memory));
    }
    Ok(Output { status, stdout, stderr })
}

/// Waits for the end; `Some` if a limit comes first.
fn wait(child: &mut std::process::Child) -> Option<Halt> {
    while let Ok(None) = child.try_wait() {
        if let Some(halt) = guard::halt() {
            return Some(halt);
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    None
}

struct TooMuch;

/// Reads to the end, up to a limit.
fn read(mut stream: impl Read, most: u64) -> Result<Vec<u8>, TooMuch> {
    let mut bytes = Vec::new();
    let mut piece = vec![0; 1 << 16];
    loop {
        match stream.read(&mut piece) {
            Ok(0) => return Ok(bytes),
            Ok(n) if (bytes.len() + n) as u64 > most => return Err(TooMuch),
            Ok(n) => bytes.extend_from_slice(&piece[..n]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return Ok(bytes),
        }
    }
}

/// How gcc, clang and the libraries below them say that they have no more memory.
fn is_out_of_memory(complaints: &[u8]) -> bool {
    let text = String::from_utf8_lossy(complaints).to_lowercase();
    ["out of memory", "virtual memory exhausted", "cannot allocate memory", "bad_alloc"]
        .iter()
        .any(|sign| text.contains(sign))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_that_prints_for_ever_is_ended_with_its_children() {
        let broken = output(Command::new("sh").args(["-c", "yes | cat"]));
        assert!(matches!(broken, Err(Broken::Halted(Halt::Memory))));
    }

    #[test]
    fn output_and_complaints_are_kept_apart() {
        let output = output(Command::new("sh").args(["-c", "echo a; echo b >&2; exit 3"])).expect("it should run");
        assert_eq!((output.status.code(), &*output.stdout, &*output.stderr), (Some(3), &b"a\n"[..], &b"b\n"[..]));
    }
}
