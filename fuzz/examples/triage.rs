//! Goes on after a failure: compiles edited C for a while and writes one input per distinct failure.
//!
//! `cargo run --release --example triage -- SECONDS FOLDER`

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use unpick_front_c::types::Target;
use unpick_fuzz::c_text::{c_text, edited_program};
use unpick_fuzz::effort::{on_big_stack, watched};
use unpick_fuzz::pipeline::compile;
use unpick_fuzz::soup::Decisions;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let seconds = arguments.next().and_then(|seconds| seconds.parse().ok()).unwrap_or(60);
    let folder = arguments.next().unwrap_or("triage".into());
    std::fs::create_dir_all(&folder).expect("the folder should be writable");
    std::panic::set_hook(Box::new(|_| {}));
    on_big_stack(|| triage(Duration::from_secs(seconds), &folder));
}

fn triage(time: Duration, folder: &str) {
    let start = Instant::now();
    let mut state = std::process::id() as u64 ^ 0x9e37_79b9_7f4a_7c15;
    let mut n_inputs = 0u64;
    let mut found: HashMap<String, usize> = HashMap::new();
    while start.elapsed() < time {
        n_inputs += 1;
        let bytes: Vec<u8> = (0..600).map(|_| random(&mut state)).collect();
        let mut decisions = Decisions(&bytes);
        let target = if decisions.byte() % 4 == 3 { Target::Ilp32 } else { Target::Lp64 };
        let text = if decisions.byte() % 8 == 0 { c_text(decisions.0) } else { edited_program(&mut decisions) };
        let run = || watched(&text, |text| drop(compile(text, target)));
        let Err(panic) = catch_unwind(AssertUnwindSafe(run)) else { continue };
        let literal = || panic.downcast_ref::<&str>().map(|text| text.to_string());
        let message = panic.downcast_ref::<String>().cloned().or_else(literal).unwrap_or_default();
        let line = message.lines().next().unwrap_or_default();
        // Numbers differ from input to input; what is left names the failure.
        let name: String = line.chars().filter(|character| !character.is_ascii_digit()).collect();
        let number = found.len();
        if !found.contains_key(&name) {
            println!("{number}: {line} ({target:?})");
            let path = format!("{folder}/{number}.c");
            std::fs::write(&path, &text).expect("the folder should be writable");
        }
        *found.entry(name).or_insert(0) += 1;
    }
    println!("{n_inputs} inputs, {} distinct failures", found.len());
    found.iter().for_each(|(name, count)| println!("{count:6} {name}"));
}

fn random(state: &mut u64) -> u8 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    (*state >> 32) as u8
}
