//! A run as a stream of events for other programs: one JSON object on a line of standard output for each of them.
//!
//! `start` names the files, `progress` comes about once a second, `finding` as soon as a violation has been replayed,
//! `verdict` holds the document that `--json` prints, and `end` the exit code. Every object has an `event`.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use serde_json::{Value, json};
use unpick_system::Snapshot;
use unpick_witness::Finding;

use crate::args::CheckArgs;
use crate::failure::Outcome;
use crate::output::say_json;

/// Whether this run is told as events: there is one standard output.
static IS_STREAMING: AtomicBool = AtomicBool::new(false);

/// Runs a command between `start` and `end`.
pub fn around(args: CheckArgs, run: impl FnOnce(CheckArgs) -> Outcome<u8>) -> Outcome<u8> {
    if !args.json_events {
        return run(args);
    }
    IS_STREAMING.store(true, Ordering::Relaxed);
    let start = Instant::now();
    let files: Vec<String> = args.input.files.iter().map(|file| file.display().to_string()).collect();
    emit("start", json!({ "schema": 1, "version": env!("CARGO_PKG_VERSION"), "files": files }));
    let outcome = run(CheckArgs { json: true, ..args });
    let error = outcome.as_ref().err().map(|failure| failure.message.clone());
    let code = outcome.as_ref().copied().unwrap_or(2);
    emit("end", json!({ "exit_code": code, "seconds": start.elapsed().as_secs_f64(), "error": error }));
    outcome
}

/// Whether events are told.
pub fn is_streaming() -> bool {
    IS_STREAMING.load(Ordering::Relaxed)
}

/// How far a search is.
pub fn progress(snapshot: &Snapshot, seconds: f64) {
    let Snapshot { phase, states, transitions, depth, bytes } = snapshot;
    let body = json!({
        "phase": phase, "states": states, "transitions": transitions, "depth": depth, "bytes": bytes, "seconds": seconds,
    });
    emit("progress", body);
}

/// A violation that has been replayed.
pub fn finding(finding: &Finding) {
    emit("finding", json!({ "violation": unpick_report::json::violation(finding) }));
}

/// The document of a run, as an event or on its own.
pub fn document(text: &str) {
    match is_streaming().then(|| serde_json::from_str::<Value>(text)) {
        Some(Ok(document)) => emit("verdict", document),
        Some(Err(_)) | None => say_json(&format!("{text}\n")),
    }
}

fn emit(event: &str, body: Value) {
    let mut object = json!({ "event": event });
    if let (Value::Object(object), Value::Object(body)) = (&mut object, body) {
        object.extend(body);
    }
    say_json(&format!("{object}\n"));
}
