//! Random automata keep the rules of their floor, are read back from their text as they were, behave the same then, and
//! step alike, compiled and interpreted.
//!
//! `UNPICK_AUTOMATA=A-B` says which seeds; without it there are 200.

use std::collections::HashSet;

use unpick_automaton::interp::{Control, FaultKind, Machine};
use unpick_automaton::text::{parse, print};
use unpick_automaton::verify::verify;
use unpick_automaton::{Model, generate};
use unpick_jit::Native;
use unpick_system::step::{Interpreted, MicroSteps, NOBODY, Successors, Who};

/// States that are looked at in each automaton.
const MAX_STATES: usize = 150;

fn seeds() -> std::ops::RangeInclusive<u64> {
    let Ok(text) = std::env::var("UNPICK_AUTOMATA") else { return 1..=200 };
    let bounds = text.split_once('-').and_then(|(from, to)| Some((from.parse().ok()?, to.parse().ok()?)));
    let (from, to) = bounds.unwrap_or_else(|| panic!("`{text}` should be two numbers, as in 1-200"));
    from..=to
}

/// What an automaton does, up to a number of states.
#[derive(PartialEq, Eq, Default, Debug)]
struct Behaviour {
    n_states: usize,
    n_steps: usize,
    n_ends: usize,
    faults: Vec<FaultKind>,
}

fn behaviour(model: &Model) -> Behaviour {
    let machine = Machine::new(model);
    let mut found = Behaviour::default();
    let first = match machine.initial() {
        Ok(first) => (first, Control::Any),
        Err(fault) => return Behaviour { faults: vec![fault.kind], ..found },
    };
    let mut seen = HashSet::from([first.clone()]);
    let mut waiting = vec![first];
    while let Some((state, control)) = waiting.pop() {
        found.n_states += 1;
        let next = match machine.successors(&state, control) {
            Ok(next) => next,
            Err(fault) => {
                found.faults.push(fault.kind);
                continue;
            }
        };
        found.n_steps += next.len();
        found.n_ends += usize::from(next.is_empty() && machine.is_valid_end(&state));
        if next.is_empty() && control != Control::Any && seen.insert((state.clone(), Control::Any)) {
            waiting.push((state, Control::Any));
        }
        for next in next {
            found.faults.extend(next.faults.iter().map(|fault| fault.kind));
            if seen.len() < MAX_STATES && seen.insert((next.state.clone(), next.control)) {
                waiting.push((next.state, next.control));
            }
        }
    }
    found
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

/// Compares compiled code with the interpreter in all states up to the limit; how many locations were compiled.
fn compare(model: &Model, seed: u64) -> usize {
    let (native, reference) = (Native::eager_noting_changes(model), Interpreted::new(model));
    let Ok(first) = Machine::new(model).initial() else { return 0 };
    let mut scratch = native.scratch();
    let mut seen = HashSet::from([first.clone()]);
    let mut waiting = vec![first];
    while let Some(state) = waiting.pop() {
        let processes = (0..state[model.hidden_size as usize]).map(Who::Only);
        for who in [Who::All, Who::Timeout].into_iter().chain(processes) {
            let wanted = next(&reference, &mut reference.scratch(), &state, who);
            assert_eq!(next(&native, &mut scratch, &state, who), wanted, "seed {seed}: {who:?} in {state:?}");
            for (state, _, mover, _, is_fault) in wanted {
                let is_state = mover != NOBODY || !is_fault;
                if is_state && seen.len() < MAX_STATES && seen.insert(state.clone()) {
                    waiting.push(state);
                }
            }
        }
        for (position, claim) in model.claims.iter().enumerate() {
            for location in claim.automaton.locations.ids() {
                let (mut wanted, mut found) = (Vec::new(), Vec::new());
                let at = location.0 as u16;
                let is_valid = reference.claim_steps(&mut reference.scratch(), &state, position, at, &mut wanted);
                let was_valid = native.claim_steps(&mut scratch, &state, position, at, &mut found);
                assert_eq!((was_valid, found), (is_valid, wanted), "seed {seed}: claim at {location:?} in {state:?}");
            }
        }
    }
    native.n_compiled().0
}

#[test]
fn random_automata() {
    let (mut n_states, mut n_compiled, mut n_wrong, mut n_automata) = (0, 0, 0, 0);
    for seed in seeds() {
        let model = generate::model(seed);
        if let Err(faults) = verify(&model) {
            panic!("seed {seed}: {}", faults[0]);
        }
        let text = print(&model);
        let again = parse(&text).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"));
        assert!(again == model, "seed {seed} is read back differently:\n{text}");
        let found = behaviour(&model);
        assert_eq!(behaviour(&again), found, "seed {seed} behaves differently:\n{text}");
        n_compiled += compare(&model, seed);
        n_states += found.n_states;
        n_wrong += usize::from(!found.faults.is_empty());
        n_automata += 1;
    }
    println!(
        "{n_automata} automata, {n_wrong} of which go wrong somewhere: {n_states} states, {n_compiled} locations compiled"
    );
    assert!(n_states > 10 * n_automata, "only {n_states} states");
    assert!(n_compiled > 4 * n_automata, "only {n_compiled} compiled locations");
}
