//! How much work a target does: a bounded number of inputs, or as long as `UNPICK_FUZZ_SECONDS` says.

use std::sync::Mutex;
use std::thread::ThreadId;
use std::time::{Duration, Instant};

/// Set for long runs.
pub const SECONDS: &str = "UNPICK_FUZZ_SECONDS";

/// Number of inputs and time of a target that tries `n_inputs` in a short run.
pub fn effort(n_inputs: usize) -> (usize, Duration) {
    match std::env::var(SECONDS).ok().and_then(|seconds| seconds.parse().ok()) {
        Some(seconds) => (usize::MAX, Duration::from_secs(seconds)),
        // Iterations bound the short run; the time only keeps the library's own default of a second away.
        None => (n_inputs, Duration::from_secs(3600)),
    }
}

/// An input that takes longer than this is taken for an endless loop, even on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// The inputs at work in this process, and which threads since when.
static CURRENT: Mutex<Vec<(ThreadId, Instant, String)>> = Mutex::new(Vec::new());

/// Runs `work` on an input; if it never ends, a watching thread shows the input and stops the run. Long
/// runs keep the input in a file of the temporary folder while it is at work: a stack overflow leaves it.
pub fn watched(input: &str, work: impl FnOnce(&str)) {
    let name = std::thread::current().name().unwrap_or("target").replace(':', "-");
    let file = std::env::temp_dir().join(format!("unpick-fuzz-{name}-{}", std::process::id()));
    let is_kept = std::env::var_os(SECONDS).is_some() && std::fs::write(&file, input).is_ok();
    static WATCH: std::sync::Once = std::sync::Once::new();
    WATCH.call_once(|| drop(std::thread::spawn(watch)));
    let thread = std::thread::current().id();
    change_current(|current| {
        current.retain(|(other, _, _)| *other != thread);
        current.push((thread, Instant::now(), input.to_string()));
    });
    work(input);
    change_current(|current| current.retain(|(other, _, _)| *other != thread));
    if is_kept {
        let _ = std::fs::remove_file(&file);
    }
}

fn change_current(change: impl FnOnce(&mut Vec<(ThreadId, Instant, String)>)) {
    // A panic in a target poisons the lock, which does no harm to what it guards.
    change(&mut CURRENT.lock().unwrap_or_else(|poisoned| poisoned.into_inner()));
}

fn watch() {
    loop {
        std::thread::sleep(Duration::from_secs(5));
        change_current(|current| {
            if let Some((_, _, input)) = current.iter().find(|(_, start, _)| start.elapsed() > PATIENCE) {
                eprintln!("no end after {} s with this input:\n{input}", PATIENCE.as_secs());
                std::process::abort();
            }
        });
    }
}

/// Runs a target with the stack that the command line tool gives the front end.
pub fn on_big_stack(target: impl FnOnce() + Send) {
    let name = std::thread::current().name().unwrap_or("target").to_string();
    std::thread::scope(|scope| {
        let builder = std::thread::Builder::new().name(name).stack_size(1 << 30);
        let thread = builder.spawn_scoped(scope, target).expect("a thread should start");
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    });
}
