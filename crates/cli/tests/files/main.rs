//! Runs the programs and models under `tests/`, which say in their own comments what is asked and what the answer is.
//!
//! Each module asks one kind of question, of the files that it is for:
//!
//! | tests | question | files |
//! |---|---|---|
//! | `c/...`, `ir/...`, `promela/...` | what the directives say: `cases.rs` | all with `run:` |
//! | `flat/...` | searches over flat states: `flat.rs` | programs of several threads, those of `bench/threads` too |
//! | `data/...` | extracted models, data as Promela and as C: `data.rs` | those with `models:` |
//! | `tabled` | models without a table against their programs: `tabled.rs` | programs with `verdict:` |
//! | `extracted` | the same models, SPIN against us: `extracted.rs` | all programs |
//! | `states/...`, `workers/...`, `hashes/...` | SPIN's number of states in all ways of searching: `states.rs` | models |
//! | `show/...` | what the terminal shows, word for word: `shown.rs` | `tests/show` |
//!
//! A test is named after its file, so that `cargo nextest run --test files c/threads` runs what has to do with those.

mod annotated;
mod binary;
mod cases;
mod data;
mod extracted;
mod flat;
mod shown;
mod states;
mod tabled;

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use annotated::Annotated;
use libtest_mimic::Arguments;

fn main() {
    let arguments = Arguments::from_args();
    // Tests keep their file until the process ends.
    let files: &'static [Annotated] = annotated::all().leak();
    let questions =
        [cases::trials, flat::trials, data::trials, tabled::trials, extracted::trials, states::trials, shown::trials];
    let trials = questions.iter().flat_map(|trials| trials(files)).collect();
    libtest_mimic::run(&arguments, trials).exit();
}

/// Applies `work` to all files on all cores, for tests that are about all of them at once.
fn on_all_cores<R: Send>(files: &[&Annotated], work: impl Fn(&Annotated) -> R + Sync) -> Vec<R> {
    let (next, results) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, |n| n.get()) {
            scope.spawn(|| {
                while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let result = work(file);
                    results.lock().expect("no worker should panic").push(result);
                }
            });
        }
    });
    results.into_inner().expect("no worker should panic")
}
