//! The Promela front end, and what the interpreter makes of models that it takes.

use std::collections::HashSet;

use bolero::check;
use unpick_front_promela::session::Session;
use unpick_front_promela::{compile, parse, printer};
use unpick_fuzz::effort::{effort, on_big_stack, watched};
use unpick_fuzz::promela_text::{MODELS, edited_model, promela_text};
use unpick_fuzz::soup::Decisions;
use unpick_automaton::Model;
use unpick_automaton::interp::{Control, Machine};

/// So many states of a model are looked at.
const MAX_STATES: usize = 200;

/// The models that edits start from have to compile, or the edits would find nothing.
#[test]
fn unedited() {
    on_big_stack(|| {
        for text in MODELS {
            assert!(examine(text).is_some(), "{text}");
        }
    });
}

#[test]
fn syntax() {
    let (n_inputs, time) = effort(1000);
    on_big_stack(|| {
        check!().with_iterations(n_inputs).with_test_time(time).for_each(|bytes| {
            watched(&promela_text(bytes), |text| drop(examine(text)));
        });
    });
}

#[test]
fn edited() {
    let (n_inputs, time) = effort(1000);
    on_big_stack(|| {
        check!().with_iterations(n_inputs).with_test_time(time).for_each(|bytes| {
            watched(&edited_model(&mut Decisions(bytes)), |text| {
                if let Some(model) = examine(text) {
                    explore(&model);
                }
            });
        });
    });
}

/// Reads a text: messages lie inside of it, what is taken prints and reads back equal, what is not has an error.
fn examine(text: &str) -> Option<Model> {
    let read = |text: &str| {
        let mut session = Session::default();
        let index = session.sources.add("fuzz.pml", text).expect("a short text should fit");
        let tree = parse(&mut session, index);
        (session, tree)
    };
    let (session, tree) = read(text);
    if session.diagnostics.n_errors() == 0 {
        let printed = printer::print(&tree);
        let (again, read_back) = read(&printed);
        // Parentheses that the printer adds may be too many.
        let is_too_deep = again.diagnostics.iter().any(|diagnostic| diagnostic.message.starts_with("nested deeper"));
        if !is_too_deep {
            assert_eq!(again.diagnostics.n_errors(), 0, "does not read back:\n{text}\n{printed}");
            assert!(read_back == tree, "reads back differently:\n{text}\n{printed}");
        }
    }
    let mut session = Session::default();
    let index = session.sources.add("fuzz.pml", text).expect("a short text should fit");
    let model = compile(&mut session, index);
    let end = session.sources.text(index).base as usize + text.len();
    for diagnostic in session.diagnostics.iter() {
        assert!(diagnostic.span.hi as usize <= end, "{} lies outside the text:\n{text}", diagnostic.message);
    }
    assert!(model.is_some() || session.diagnostics.n_errors() > 0, "no model and no error:\n{text}");
    model
}

/// Goes through the first states of a model; embedded C is not compiled here.
fn explore(model: &Model) {
    let machine = Machine::new(model);
    let Ok(first) = machine.initial() else { return };
    let mut seen = HashSet::from([(first.clone(), Control::Any)]);
    let mut waiting = vec![(first, Control::Any)];
    while let Some((state, control)) = waiting.pop() {
        if model.has_code || seen.len() > MAX_STATES {
            return;
        }
        machine.is_valid_end(&state);
        for successor in machine.successors(&state, control).into_iter().flatten() {
            if seen.insert((successor.state.clone(), successor.control)) {
                waiting.push((successor.state, successor.control));
            }
        }
    }
}
