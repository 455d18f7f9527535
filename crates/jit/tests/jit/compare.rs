//! Compiled code and the interpreter give the same successors, in the same order, in every state of every model
//! under `tests/promela`, and no step touches what its footprint does not name.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use unpick_automaton::Model;
use unpick_automaton::interp::Machine;
use unpick_front_promela::compile;
use unpick_front_promela::session::Session;
use unpick_jit::Native;
use unpick_system::Checked;
use unpick_system::step::{Asleep, Interpreted, MicroSteps, NOBODY, Successors, Who};

/// States that are looked at in each model.
const MAX_STATES: usize = 400;

/// States of each model whose steps are checked: each is expanded as often as it has pairs of processes.
const MAX_CHECKED: usize = 100;

fn models() -> Vec<PathBuf> {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/promela")];
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("the models should be there") {
            let path = entry.expect("a folder should be readable").path();
            match path.extension() {
                Some(extension) if extension == "pml" => found.push(path),
                None => folders.push(path),
                Some(_) => {}
            }
        }
    }
    found.sort();
    found
}

fn read(text: &str) -> Option<Model> {
    let mut session = Session::default();
    let index = session.sources.add("model.pml", text).expect("a model should fit");
    compile(&mut session, index)
}

/// State, who alone may go on, who moved, from where, whether something went wrong.
type Next = (Vec<u8>, u8, u8, u32, bool);

fn next<S: MicroSteps>(step: &S, scratch: &mut S::Scratch, state: &[u8], who: Who<'_>) -> Vec<Next> {
    let mut found = Successors::default();
    step.steps(scratch, state, who, &mut found);
    crate::changes::check(step.model(), state, &found);
    let all = found.list.iter();
    all.map(|next| (found.state(*next).to_vec(), next.only, next.mover, next.slot, next.is_fault)).collect()
}

/// Compares in all states up to the limit, with everything compiled and with code that appears on the way.
fn compare(model: &Model, what: &str) -> usize {
    let reference = Interpreted::new(model);
    let (eager, lazy) = (Native::eager_noting_changes(model), Native::new(model));
    let (mut eager_room, mut lazy_room) = (eager.scratch(), lazy.scratch());
    let Ok(first) = Machine::new(model).initial() else { return 0 };
    let mut seen = HashSet::from([first.clone()]);
    let mut waiting = vec![first];
    while let Some(state) = waiting.pop() {
        let n_processes = state[model.hidden_size as usize];
        // Every other location, for all but the youngest process.
        let slots = [0x5555_5555_5555_5555; 64];
        let asleep = Asleep { below: n_processes.saturating_sub(1), slots: &slots, offsets: &[0, 1] };
        let processes = (0..n_processes).map(Who::Only);
        for who in [Who::All, Who::Awake(asleep), Who::Timeout].into_iter().chain(processes) {
            let wanted = next(&reference, &mut reference.scratch(), &state, who);
            assert_eq!(next(&eager, &mut eager_room, &state, who), wanted, "{what}: {who:?} in {state:?}");
            assert_eq!(next(&lazy, &mut lazy_room, &state, who), wanted, "{what}: {who:?} in {state:?}, lazily");
            for (state, _, mover, _, is_fault) in wanted {
                let is_state = mover != NOBODY || !is_fault;
                if is_state && seen.len() < MAX_STATES && seen.insert(state.clone()) {
                    waiting.push(state);
                }
            }
        }
        compare_claims(model, &reference, &eager, &state, what);
    }
    seen.len()
}

fn compare_claims(model: &Model, reference: &Interpreted, eager: &Native, state: &[u8], what: &str) {
    for (position, claim) in model.claims.iter().enumerate() {
        for location in claim.automaton.locations.ids() {
            let (mut wanted, mut found) = (Vec::new(), Vec::new());
            let is_valid =
                reference.claim_steps(&mut reference.scratch(), state, position, location.0 as u16, &mut wanted);
            let was_valid = eager.claim_steps(&mut eager.scratch(), state, position, location.0 as u16, &mut found);
            assert_eq!((was_valid, found), (is_valid, wanted), "{what}: claim {position} at {location:?} in {state:?}");
        }
    }
}

#[test]
fn models_step_alike() {
    let models = models();
    assert!(models.len() >= 40, "only {} models", models.len());
    let mut n_states = 0;
    for path in models {
        let text = std::fs::read_to_string(&path).expect("a model should be readable");
        if let Some(model) = read(&text) {
            n_states += compare(&model, &path.display().to_string());
        }
    }
    assert!(n_states > 1_000, "only {n_states} states");
}

#[test]
fn steps_touch_what_their_footprints_name() {
    let mut n_states = 0;
    for path in models() {
        let text = std::fs::read_to_string(&path).expect("a model should be readable");
        if let Some(model) = read(&text) {
            n_states += Checked::new(&Native::new(&model)).explore(MAX_CHECKED);
        }
    }
    assert!(n_states > 1_000, "only {n_states} states");
}

#[test]
#[should_panic(expected = "should not write")]
fn hidden_writes_are_found() {
    let text =
        |step: &str| format!("byte x, y; active proctype P() {{ {step}; y = 1 }} active proctype Q() {{ x == 1 }}");
    let read = |step: &str| read(&text(step)).expect("the model should be right");
    Checked::against(&Interpreted::new(&read("x = 1")), &Interpreted::new(&read("y = 2"))).explore(MAX_CHECKED);
}

#[test]
#[should_panic(expected = "process")]
fn hidden_reads_are_found() {
    let text = |step: &str| format!("byte x, y; active proctype P() {{ x = 1 }} active proctype Q() {{ {step} }}");
    let read = |step: &str| read(&text(step)).expect("the model should be right");
    Checked::against(&Interpreted::new(&read("y = x")), &Interpreted::new(&read("y = y"))).explore(MAX_CHECKED);
}

#[test]
fn little_is_left_to_the_interpreter() {
    let text = "
        byte x, a[3]; chan q = [2] of { byte, short }; chan r = [0] of { byte };
        active proctype P() {
            byte i;
            do
            :: x < 3 -> x++; a[x % 3] = i
            :: q ! x, 7
            :: q ? i, _ -> r ! i
            :: else -> d_step { x = 0; do :: i > 0 -> i-- :: else -> break od }; assert(x == 0)
            od
        }
        active proctype Q() { byte m; end: do :: r ? m :: full(q) -> q ? m, eval(3 + 4) od }
    ";
    let model = read(text).expect("the model should be right");
    let native = Native::eager(&model);
    let (n_compiled, n_locations) = native.n_compiled();
    assert_eq!(n_compiled, n_locations);
    assert!(compare(&model, "text") > 10);
}
