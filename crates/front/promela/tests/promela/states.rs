//! State counts of the models under `tests/promela`: SPIN's, compared with the interpreter's.
//!
//! A model says what it is about and what SPIN counted:
//!
//! ```text
//! // states: 17
//! // faults: 2        (steps with a failing assertion; 0 if not said)
//! // invalid-ends: 1  (states in which nothing is possible, but should be; 0 if not said)
//! ```
//!
//! `states` is what `spin -a -o1 -o2 -o3`, compiled with `-DSAFETY -DNOREDUCE -DNOCLAIM` and run with `-c0`, calls
//! "states, stored".

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use unpick_automaton::Model;
use unpick_automaton::interp::{Control, Machine};
use unpick_front_promela::session::Session;
use unpick_front_promela::{compile, parse, printer};

#[derive(PartialEq, Eq, Debug)]
struct Counts {
    states: usize,
    faults: usize,
    invalid_ends: usize,
}

fn models() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/promela");
    let mut found = Vec::new();
    let mut folders = vec![root];
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

fn directive(text: &str, key: &str) -> Option<usize> {
    let prefix = format!("// {key}: ");
    let value = text.lines().find_map(|line| line.strip_prefix(&prefix))?;
    let digits = value.split_whitespace().next()?;
    Some(digits.parse().expect("a count should be a number"))
}

fn read(text: &str) -> Result<Model, String> {
    let mut session = Session::default();
    let index = session.sources.add("model.pml", text).expect("a model should fit");
    let model = compile(&mut session, index);
    model.ok_or_else(|| session.diagnostics.iter().map(|found| format!("{}\n", found.message)).collect())
}

/// All states that can be reached. States inside an `atomic` are walked through and not counted.
fn explore(model: &Model) -> Counts {
    let machine = Machine::new(model);
    let first = machine.initial().expect("the first state should exist");
    let mut states = HashSet::from([machine.key(&first).to_vec()]);
    let mut inner = HashSet::new();
    let mut waiting = vec![(first, Control::Any)];
    let (mut faults, mut invalid_ends) = (0, 0);
    while let Some((state, control)) = waiting.pop() {
        let next = machine.successors(&state, control).expect("there should be a next state");
        if next.is_empty() {
            if control != Control::Any {
                if states.insert(machine.key(&state).to_vec()) {
                    waiting.push((state, Control::Any));
                }
            } else if !machine.is_valid_end(&state) {
                invalid_ends += 1;
            }
        }
        for successor in next {
            faults += usize::from(!successor.faults.is_empty());
            let is_new = match successor.control {
                Control::Any => states.insert(machine.key(&successor.state).to_vec()),
                Control::Only(_) => inner.insert((successor.state.clone(), successor.control)),
            };
            if is_new {
                waiting.push((successor.state, successor.control));
            }
        }
    }
    Counts { states: states.len(), faults, invalid_ends }
}

#[test]
fn models_have_the_states_that_spin_counts() {
    let models = models();
    assert!(models.len() >= 40, "only {} models", models.len());
    let mut wrong = Vec::new();
    for path in models {
        let text = std::fs::read_to_string(&path).expect("a model should be readable");
        let Some(states) = directive(&text, "states") else { continue };
        let wanted = Counts {
            states,
            faults: directive(&text, "faults").unwrap_or(0),
            invalid_ends: directive(&text, "invalid-ends").unwrap_or(0),
        };
        match read(&text) {
            // What embedded C means is found where the languages are joined.
            Ok(model) if model.has_code => {}
            Ok(model) if explore(&model) == wanted => {}
            Ok(model) => wrong.push(format!("{}: wanted {wanted:?}, found {:?}", path.display(), explore(&model))),
            Err(messages) => wrong.push(format!("{}: {messages}", path.display())),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn models_print_and_read_back() {
    for path in models() {
        let text = std::fs::read_to_string(&path).expect("a model should be readable");
        let read = |text: &str| {
            let mut session = Session::default();
            let index = session.sources.add("model.pml", text).expect("a model should fit");
            let model = parse(&mut session, index);
            assert_eq!(session.diagnostics.n_errors(), 0, "{}\n{text}", path.display());
            model
        };
        let model = read(&text);
        assert_eq!(read(&printer::print(&model)), model, "{}", path.display());
    }
}
