//! Rendered traces: one thread, several, narrow and wide screens, hostile sources.

use unpick_witness::{Change, Chosen, Read};

use super::*;

const PLAIN: Screen = Screen { colour: Colour::Never, width: crate::DEFAULT_WIDTH };

fn step(line: u32, text: &str, depth: u32) -> Step {
    Step { file: "a.c".to_owned(), line, function: "main".to_owned(), text: text.to_owned(), depth, ..Step::default() }
}

fn change(name: &str, old: &str, new: &str) -> Change {
    Change { name: name.to_owned(), old: old.to_owned(), new: new.to_owned(), scope: None, part: None }
}

fn of(steps: Vec<Step>) -> Trace {
    Trace { steps, ..Trace::default() }
}

#[test]
fn columns_stand_under_each_other() {
    let mut first = step(9, "int x = any();", 1);
    first.choices.push(Chosen { label: "any()".to_owned(), value: "4".to_owned() });
    first.changes.push(change("x", "indeterminate", "4"));
    let steps = vec![first, step(10, "f(x);", 1), step(3, "g();", 2)];
    let text = trace(&of(steps), TraceStyle::Full, PLAIN);
    let expected = "trace (3 steps):\n\
        \x20   1  a.c:9   main  int x = any();  any() chose 4\n\
        \x20                                    x = 4\n\
        \x20   2  a.c:10  main  f(x);\n\
        \x20   3  a.c:3   main    g();\n";
    assert_eq!(text, expected);
}

#[test]
fn short_leaves_out_what_changes_nothing() {
    let mut steps: Vec<_> = (1..=50).map(|line| step(line, "f();", 1)).collect();
    steps[4].changes.push(change("x", "0", "1"));
    let whole = of(steps);
    let text = trace(&whole, TraceStyle::Short, PLAIN);
    assert!(text.starts_with("trace (21 of 50 steps; --trace full shows all):\n"), "{text}");
    assert!(text.contains("(4 steps without change)") && text.contains("(25 steps without change)"), "{text}");
    assert_eq!(trace(&whole, TraceStyle::None, PLAIN), "");
}

#[test]
fn short_leaves_out_what_does_not_bear_on_the_failure() {
    let mut steps: Vec<_> = (1..=6).map(|line| step(line, "f();", 1)).collect();
    for at in [1, 2, 4] {
        steps[at].is_irrelevant = true;
        steps[at].changes.push(change("x", "0", "1"));
    }
    let expected = "trace (4 of 6 steps; --trace full shows all):\n\
        \x20   1  a.c:1  main  f();\n\
        \x20 ...  (2 steps that do not bear on the failure)\n\
        \x20   4  a.c:4  main  f();\n\
        \x20   5  a.c:5  main  f();  x: 0 -> 1\n\
        \x20   6  a.c:6  main  f();\n";
    assert_eq!(trace(&of(steps.clone()), TraceStyle::Short, PLAIN), expected);
    assert_eq!(trace(&of(steps), TraceStyle::Full, PLAIN).lines().count(), 7);
}

#[test]
fn loops_are_shown_by_their_first_round_and_what_the_others_changed() {
    let mut steps = vec![step(1, "int i = 0;", 1)];
    for round in 0..1_000 {
        steps.push(step(2, "while (1)", 1));
        let mut counted = step(3, "i++;", 1);
        counted.changes.push(change("i", &round.to_string(), &(round + 1).to_string()));
        steps.push(counted);
    }
    steps.push(step(5, "f();", 1));
    for step in &mut steps {
        step.remark = "told".to_owned();
    }
    let text = trace(&of(steps), TraceStyle::Short, PLAIN);
    assert_eq!(text.lines().filter(|line| line.contains("a.c")).count(), 4, "{text}");
    assert!(text.contains("(999 more rounds of these 2 steps: i: 1 -> 1000)"), "{text}");
}

#[test]
fn loops_keep_apart_what_differs_on_one_line_and_where_the_repetition_begins() {
    let told = |text: &str| Step { remark: "told".to_owned(), ..step(1, text, 1) };
    let mut steps = vec![told("x = 1;")];
    steps.extend((0..18).map(|_| told("y = 1 - y;")));
    let text = trace(&Trace { loop_start: Some(13), ..of(steps) }, TraceStyle::Short, PLAIN);
    let (before, repeated) = text.split_once("+->").expect("the repetition should be marked");
    assert!(before.contains("x = 1;") && before.contains("(10 more rounds of this step)"), "{text}");
    assert!(repeated.contains("(4 more rounds of this step)"), "{text}");
}

/// Two threads that count without a lock.
fn lost_update() -> Trace {
    let in_thread = |thread, switch, step| Step { thread, switch, function: "count".to_owned(), ..step };
    let join = Step {
        is_waiting: true,
        remark: "waits for the end of thread 1".to_owned(),
        folded: vec!["pthread_join".to_owned()],
        ..step(21, "pthread_join(one, 0);", 1)
    };
    let mut interrupted = in_thread(1, Switch::Yield, step(12, "counter++; // fails", 1));
    interrupted.reads.push(Read { name: "counter".to_owned(), value: "0".to_owned() });
    let mut other = in_thread(2, Switch::Preemption, step(12, "counter++;", 1));
    other.changes.push(change("counter", "0", "1"));
    let mut again = in_thread(1, Switch::Yield, step(12, "counter++;", 1));
    again.is_continued = true;
    again.changes.push(change("counter", "1", "1"));
    let last = Step { switch: Switch::Yield, ..step(23, "assert(counter == 2);", 1) };
    let steps = vec![step(19, "start(&one);", 1), join, interrupted, other, again, last];
    Trace { steps, n_switches: 4, n_preemptions: 1, ..Trace::default() }
}

fn at_width(trace_shown: &Trace, width: usize) -> String {
    let text = trace(trace_shown, TraceStyle::Short, Screen { width, ..PLAIN });
    let widest = text.lines().map(crate::cells::width).max().unwrap_or(0);
    assert!(widest <= width, "{widest} columns instead of {width}:\n{text}");
    text
}

#[test]
fn threads_have_columns() {
    let expected = "\
trace (6 steps in a.c):
  > switch; ! preemption: the other could have gone on
         thread 0, main():
      1  19  start(&one);
      2  21  pthread_join(one, 0);
               waits for the end of thread 1
         thread 0                   | thread 1                | thread 2
                                    | count():                |
  >   3                             | 12  counter++;          |
                                    |       read counter: 0   |
                                    |                         | count():
  !   4                             |                         | 12  counter++;
                                    |                         |       counter: 0 -> 1
  >   5                             | 12  ... counter++;      |
                                    |       counter: 1 -> 1   |
         main():                    |                         |
  >   6  23  assert(counter == 2);  |                         |
  4 context switches, 1 preemption
";
    assert_eq!(at_width(&lost_update(), 100), expected);
    assert_eq!(at_width(&lost_update(), 160), expected);
}

#[test]
fn narrow_screens_have_a_compact_table() {
    let expected = "\
trace (6 steps in a.c):
    1  [0] 19  start(&one);
    2  [0] 21  pthread_join(one, 0);
                 waits for the end of thread 1
  -- thread 1 --
    3  [1] 12  counter++;
                 read counter: 0
  -- thread 2 (preemption: thread 1 could have gone on) --
    4  [2] 12  counter++;
                 counter: 0 -> 1
  -- thread 1 --
    5  [1] 12  ... counter++;
                 counter: 1 -> 1
  -- thread 0 --
    6  [0] 23  assert(counter == 2);
  4 context switches, 1 preemption
";
    assert_eq!(at_width(&lost_update(), 60), expected);
}

#[test]
fn a_repetition_has_a_bracket() {
    let steps = vec![step(1, "x = 1;", 1), step(2, "while (1)", 1), step(3, "f();", 1)];
    let text = trace(&Trace { steps, loop_start: Some(1), ..Trace::default() }, TraceStyle::Short, PLAIN);
    let expected = "\
trace (3 steps):
    1  a.c:1  main  x = 1;
+-> from here on the execution repeats itself
|   2  a.c:2  main  while (1)
|   3  a.c:3  main  f();
+-- back to the beginning of the repetition
";
    assert_eq!(text, expected);
    let looping = Trace { loop_start: Some(2), ..lost_update() };
    let text = at_width(&looping, 100);
    assert!(text.contains("\n+-> from here on the execution repeats itself\n|        thread 0   "), "{text}");
    assert!(text.contains("\n| !   4  ") && text.contains("\n+-- back"), "{text}");
}

#[test]
fn nothing_in_a_source_leaves_its_column() {
    let nasty = "f(\"\u{1b}[31m\u{6f22}\u{5b57}\u{202e}\r\u{7}\u{200b}\", aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa);";
    let text = format!("{nasty}{}", nasty.repeat(30));
    for n_threads in 1..=5 {
        let mut steps = Vec::new();
        for thread in (0..n_threads).chain(0..n_threads) {
            let mut step = Step { thread, switch: Switch::Preemption, ..step(5, &text, thread) };
            step.file = nasty.to_owned();
            step.function = nasty.to_owned();
            step.remark = text.clone();
            step.changes.push(change(nasty, &text, &text));
            steps.push(step);
        }
        let trace_shown = Trace { n_switches: 2, loop_start: Some(1), ..of(steps) };
        for width in [60, 100, 160] {
            for colour in [Colour::Never, Colour::Always] {
                let text = trace(&trace_shown, TraceStyle::Full, Screen { width, colour });
                let plain = text.replace('\n', "").replace("\u{1b}[", "");
                assert!(!plain.chars().any(char::is_control), "{text:?}");
                assert!(!plain.contains(['\u{202e}', '\u{200b}']), "{text:?}");
            }
            let text = trace(&trace_shown, TraceStyle::Full, Screen { width, ..PLAIN });
            // The first line has the name of the file, whose length is unknown.
            let widest = text.lines().skip(1).map(crate::cells::width).max().unwrap_or(0);
            assert!(widest <= width, "{widest} columns instead of {width}:\n{text}");
            let bars = |line: &str| line.match_indices(" | ").map(|(at, _)| crate::cells::width(&line[..at])).collect();
            let rows: Vec<Vec<usize>> = text.lines().filter(|line| line.contains(" | ")).map(bars).collect();
            if n_threads == 2 {
                assert!(!rows.is_empty() && rows.iter().all(|row| *row == rows[0]), "{text}");
            }
        }
    }
}

#[test]
fn long_names_of_files_leave_room_for_the_text() {
    let mut steps = vec![step(7, "f();", 1), step(8, "g();", 1)];
    steps[0].file = "a/very/long/path/to/some/source/file/in/a/large/project.c".to_owned();
    let text = at_width(&of(steps), 60);
    assert!(text.contains("f();") && text.contains("project.c:7"), "{text}");
}
