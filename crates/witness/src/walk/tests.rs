//! Walking through traces: back and forth, over and out, and what is known on the way.

use super::*;

fn step(thread: u32, line: u32, function: &str, depth: u32, changes: &[(&str, &str, &str, bool)]) -> Step {
    let scope = Scope { thread, function: function.to_owned(), depth };
    let changes = changes.iter().map(|(name, old, new, is_local)| Change {
        name: (*name).to_owned(),
        old: (*old).to_owned(),
        new: (*new).to_owned(),
        scope: is_local.then(|| scope.clone()),
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
