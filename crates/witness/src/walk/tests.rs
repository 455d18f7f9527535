//! Walking through traces: back and forth, over and out, and what is known on the way.

use super::*;
use crate::{Change, Made, Part};

fn step(thread: u32, line: u32, function: &str, depth: u32, changes: &[(&str, &str, &str, bool)]) -> Step {
    let scope = Scope { thread, function: function.to_owned(), depth };
    let changes = changes.iter().map(|(name, old, new, is_local)| Change {
        name: (*name).to_owned(),
        old: (*old).to_owned(),
        new: (*new).to_owned(),
        scope: is_local.then(|| scope.clone()),
        part: None,
    });
    let file = "a.c".to_owned();
    Step { thread, line, function: function.to_owned(), depth, file, changes: changes.collect(), ..Step::default() }
}

/// `main` calls `f`, thread 1 comes between and changes `x`.
fn walk() -> Walk {
    Walk::new(Trace {
        steps: vec![
            step(0, 10, "main", 1, &[("i", "?", "1", true)]),
            step(0, 11, "main", 1, &[]),
            step(0, 3, "f", 2, &[("n", "?", "4", true)]),
            step(1, 20, "other", 1, &[("x", "0", "7", false)]),
            step(0, 4, "f", 2, &[("x", "7", "8", false)]),
            step(0, 12, "main", 1, &[("i", "1", "2", true)]),
            step(0, 13, "main", 1, &[]),
        ],
        ..Trace::default()
    })
}

fn names(variables: &[Variable]) -> Vec<String> {
    variables.iter().map(|variable| format!("{}={}", variable.name, variable.value)).collect()
}

#[test]
fn values_are_those_before_the_step() {
    let mut walk = walk();
    assert_eq!(names(&walk.variables()), ["x=0"]);
    walk.go_to(3);
    assert_eq!(names(&walk.variables()), ["x=0", "i=1", "n=4"]);
    walk.go_to(5);
    assert_eq!(names(&walk.variables()), ["x=8", "i=1"]);
    assert_eq!(walk.evaluate("x + i", 0, 1), Ok("9".to_owned()));
    assert!(walk.evaluate("n", 0, 1).is_err());
}

#[test]
fn stacks_of_all_threads() {
    let mut walk = walk();
    walk.go_to(3);
    let lines =
        |stack: Vec<Activation>| stack.iter().map(|frame| (frame.function.clone(), frame.line)).collect::<Vec<_>>();
    assert_eq!(lines(walk.stack(0)), [("f".to_owned(), 4), ("main".to_owned(), 11)]);
    assert_eq!(lines(walk.stack(1)), [("other".to_owned(), 20)]);
    assert_eq!(walk.threads(), [0, 1]);
}

#[test]
fn stepping_over_and_back_again() {
    let mut walk = walk();
    walk.step_over(0);
    assert_eq!(walk.at(), 1);
    walk.step_over(0);
    assert_eq!(walk.at(), 5, "the call is passed over");
    walk.step_back(0);
    assert_eq!(walk.at(), 1, "going back undoes it");
    walk.step_in();
    assert_eq!(walk.at(), 2);
    walk.step_out(0);
    assert_eq!(walk.at(), 5);
    walk.go_to(5);
    walk.step_back(0);
    assert_eq!(walk.at(), 1, "without a trail, calls are passed over backwards");
    assert_eq!(walk.next_step_of(1), Arrival::Step);
    assert_eq!(walk.at(), 3);
}

#[test]
fn the_rest_of_a_line_after_a_call_is_not_a_stop_of_its_own() {
    let mut steps = walk().trace().steps.clone();
    steps.insert(5, step(0, 11, "main", 1, &[("sum", "?", "8", true)]));
    let mut walk = Walk::new(Trace { steps, ..Trace::default() });
    walk.go_to(1);
    walk.step_over(0);
    assert_eq!(walk.step().map(|step| step.line), Some(12));
    assert_eq!(names(&walk.locals(0, 1)), ["i=1", "sum=8"]);
}

#[test]
fn running_stops_at_lines_and_changes() {
    let mut walk = walk();
    walk.set_lines("a.c", &[4]);
    assert_eq!((walk.run(), walk.at()), (Arrival::Line, 4));
    assert_eq!((walk.run(), walk.at()), (Arrival::End, 6));
    walk.set_watched(vec!["x".to_owned()]);
    assert_eq!((walk.run_back(), walk.at()), (Arrival::Variable, 4));
    assert_eq!((walk.run_back(), walk.at()), (Arrival::Variable, 3));
    assert_eq!((walk.run_back(), walk.at()), (Arrival::Beginning, 0));
    assert_eq!((walk.run(), walk.at()), (Arrival::Variable, 4), "behind the change of thread 1");
    assert!(walk.search("i") && walk.at() == 5);
    assert!(walk.search_back("x") && walk.at() == 4);
    assert!(!walk.search("nothing"));
}

#[test]
fn an_empty_trace_has_nowhere_to_go() {
    let mut walk = Walk::new(Trace::default());
    walk.step_in();
    walk.step_over(0);
    walk.step_back(0);
    assert_eq!((walk.run(), walk.at()), (Arrival::End, 0));
    assert!(walk.variables().is_empty() && walk.stack(0).is_empty() && walk.step().is_none());
}

/// `p` and `q` come to point to the same object, which is written through both and freed; then `p` points elsewhere.
fn heap_walk() -> Walk {
    let written = |name: &str, old: &str, new: &str, object: u64| Change {
        name: name.to_owned(),
        old: old.to_owned(),
        new: new.to_owned(),
        scope: None,
        part: Some(Part { object, offset: 0, size: 4 }),
    };
    let mut steps = vec![
        step(0, 10, "main", 1, &[("p", "NULL", "&heap#1", true)]),
        step(0, 11, "main", 1, &[]),
        step(0, 12, "main", 1, &[("q", "NULL", "&heap#1", true)]),
        step(0, 13, "main", 1, &[]),
        step(0, 14, "main", 1, &[("p", "&heap#1", "&heap#2", true)]),
        step(0, 15, "main", 1, &[]),
        step(0, 16, "main", 1, &[]),
    ];
    steps[0].made.push(Made { object: 1, bytes: 8 });
    steps[1].changes.push(written("p->x", "indeterminate", "5", 1));
    steps[3].changes.push(written("q->x", "5", "6", 1));
    steps[4].made.push(Made { object: 2, bytes: 8 });
    steps[5].freed.push(1);
    Walk::new(Trace { steps, ..Trace::default() })
}

#[test]
fn a_part_of_the_heap_is_the_same_under_all_its_names() {
    let mut walk = heap_walk();
    assert!(walk.values().heap().is_empty(), "nothing has been made yet");
    walk.go_to(3);
    assert_eq!(walk.evaluate("q->x + p->x", 0, 1), Ok("10".to_owned()));
    walk.go_to(4);
    assert_eq!(walk.evaluate("p->x", 0, 1), Ok("6".to_owned()), "it was written through `q`");
    let heap = walk.values().heap();
    assert_eq!((heap[0].name.as_str(), heap[0].bytes, heap[0].pointers.len()), ("heap#1", Some(8), 2));
    assert_eq!(
        (heap[0].made.clone(), names(&heap[0].parts)),
        (Some(("a.c".to_owned(), 10)), vec!["q->x=6".to_owned()])
    );
    walk.go_to(5);
    assert!(walk.evaluate("p->x", 0, 1).is_err(), "`p` points elsewhere");
    assert_eq!(walk.evaluate("q->x", 0, 1), Ok("6".to_owned()));
    walk.go_to(6);
    assert!(walk.evaluate("q->x", 0, 1).is_err(), "it was freed");
    assert_eq!(walk.values().heap().len(), 1);
}

#[test]
fn steps_that_do_not_bear_on_the_failure_can_be_passed_over() {
    let mut trace = walk().trace().clone();
    for at in [1, 3, 4] {
        trace.steps[at].is_irrelevant = true;
    }
    let mut walk = Walk::new(trace);
    walk.set_brief(true);
    let mut visited = vec![walk.at()];
    while walk.step_in() != Arrival::End {
        visited.push(walk.at());
    }
    assert_eq!(visited, [0, 2, 5]);
    walk.back_one();
    walk.back_one();
    assert_eq!(walk.at(), 2);
    assert_eq!(names(&walk.variables()), ["x=0", "i=1"], "what is passed over happens all the same");
    walk.set_brief(false);
    walk.step_in();
    assert_eq!(walk.at(), 3);
}
