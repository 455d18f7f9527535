//! How much work a target does: a bounded number of inputs, or as long as `UNPICK_FUZZ_SECONDS` says.

use std::time::Duration;

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

/// Runs a target with the stack that the command line tool gives the front end.
pub fn on_big_stack(target: impl FnOnce() + Send) {
    let name = std::thread::current().name().unwrap_or("target").to_string();
    std::thread::scope(|scope| {
        let builder = std::thread::Builder::new().name(name).stack_size(1 << 30);
        let thread = builder.spawn_scoped(scope, target).expect("a thread should start");
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    });
}
