//! Steps per second of a model: `rate MODEL [STATES]` collects states, then steps them repeatedly.

use std::collections::HashSet;
use std::time::Instant;

use unpick_automaton::Model;
use unpick_automaton::interp::Machine;
use unpick_front_promela::compile;
use unpick_front_promela::session::Session;
use unpick_jit::Native;
use unpick_system::step::{Interpreted, MicroSteps, NOBODY, Successors, Who};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().expect("a model should be named");
    let n_states = arguments.next().map_or(10_000, |count| count.parse().expect("a number of states"));
    let text = std::fs::read_to_string(&path).expect("the model should be readable");
    let mut session = Session::default();
    let index = session.sources.add(&path, &text).expect("the model should fit");
    let Some(model) = compile(&mut session, index) else {
        for diagnostic in session.diagnostics.iter() {
            eprintln!("{}", diagnostic.message);
        }
        std::process::exit(2);
    };
    let begin = Instant::now();
    drop(Native::new(&model));
    let preparing = begin.elapsed();
    let begin = processor_time();
    let native = Native::eager(&model);
    let compiling = processor_time() - begin;
    let (n_compiled, n_locations) = native.n_compiled();
    let states = collect(&model, &native, n_states);
    let len = states.iter().map(|(state, _)| state.len()).sum::<usize>() / states.len();
    println!(
        "{path}: ready after {:.2} ms, {n_compiled} of {n_locations} locations compiled in {:.1} ms; {} states of {len} bytes",
        preparing.as_secs_f64() * 1e3,
        compiling / 1e6,
        states.len()
    );
    measure("native", &native, &states, 1e9);
    measure("interpreted", &Interpreted::new(&model), &states, 3e8);
}

/// Nanoseconds that this process has run, which other work on the machine does not lengthen; where the system does
/// not say, those of the clock.
fn processor_time() -> f64 {
    static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    let start = START.get_or_init(Instant::now);
    let text = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    let spent = text.split(' ').next().and_then(|first| first.parse::<f64>().ok());
    spent.unwrap_or_else(|| start.elapsed().as_nanos() as f64)
}

fn who(only: u8) -> Who<'static> {
    if only == NOBODY { Who::All } else { Who::Only(only) }
}

/// States as a breadth-first search meets them.
fn collect(model: &Model, native: &Native, n_states: usize) -> Vec<(Vec<u8>, u8)> {
    let first = (Machine::new(model).initial().expect("there should be a first state"), NOBODY);
    let mut seen = HashSet::from([first.clone()]);
    let mut states = vec![first];
    let mut scratch = native.scratch();
    let mut found = Successors::default();
    let mut at = 0;
    while at < states.len() && states.len() < n_states {
        found.clear();
        let (state, only) = states[at].clone();
        native.steps(&mut scratch, &state, who(only), &mut found);
        if found.list.is_empty() && only != NOBODY && seen.insert((state.clone(), NOBODY)) {
            states.push((state, NOBODY));
        }
        for next in &found.list {
            let entry = (found.state(*next).to_vec(), next.only);
            if !entry.0.is_empty() && seen.insert(entry.clone()) {
                states.push(entry);
            }
        }
        at += 1;
    }
    // Those at the end are the ones a long search is about.
    states.split_off(states.len() / 2)
}

fn measure<S: MicroSteps>(name: &str, step: &S, states: &[(Vec<u8>, u8)], at_least: f64) {
    let mut scratch = step.scratch();
    let mut found = Successors::default();
    let (mut n_steps, mut n_found) = (0_u64, 0_u64);
    let begin = processor_time();
    while processor_time() - begin < at_least {
        for (state, only) in states {
            found.clear();
            step.steps(&mut scratch, state, who(*only), &mut found);
            n_steps += 1;
            n_found += found.list.len() as u64;
        }
    }
    let nanoseconds = processor_time() - begin;
    println!(
        "  {name:12} {:8.1} ns per successor, {:8.1} ns per state, {:.2} successors per state",
        nanoseconds / n_found.max(1) as f64,
        nanoseconds / n_steps as f64,
        n_found as f64 / n_steps as f64
    );
}
