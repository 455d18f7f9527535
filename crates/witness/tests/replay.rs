//! Executions replayed from their decisions, and how they are told.

use unpick_program::interp::{Decision, Machine, Options, Stop, Until};
use unpick_program::{Program, ViolationKind, text};
use unpick_system::{Ledger, ProgramRun, ProofKind};
use unpick_witness::{Finding, Judgement, ReplayMismatch, Step, Trace, replay};

fn program(text: &str) -> Program {
    match text::parse(text) {
        Ok(program) => program,
        Err(errors) => panic!("{}\n{text}", errors[0]),
    }
}

fn concrete(program: &Program) -> Machine<'_> {
    Machine::new(program, Options { is_lazy: false, ..Options::default() })
}

/// What an engine would hand over: the decisions and the violation they end in.
fn evidence(machine: &Machine<'_>, decisions: &[Decision]) -> ProgramRun {
    let mut state = machine.initial();
    let mut next = decisions.iter();
    loop {
        match machine.run_silent(&mut state, 0, Until::NEVER) {
            Stop::Choice(choice) => {
                let decision = next.next().expect("there should be a decision for each choice");
                machine.pick(&mut state, &choice, choice.option_of(decision).expect("the decision should fit"));
            }
            Stop::Violated(violation) => {
                return ProgramRun {
                    decisions: decisions.to_vec(),
                    every_step: false,
                    claim: None,
                    loop_from: None,
                    violation,
                };
            }
            stop => panic!("{stop:?} should be a violation"),
        }
    }
}

fn told(text: &str, decisions: &[Decision]) -> (Finding, Trace) {
    let program = program(text);
    let machine = concrete(&program);
    let evidence = evidence(&machine, decisions);
    replay(&machine, &program, &evidence).expect("the replay should agree")
}

fn line(step: &Step) -> String {
    let changes = step.changes.iter().map(|change| format!("{}: {} -> {}", change.name, change.old, change.new));
    format!("{}:{} {}", step.function, step.line, changes.collect::<Vec<_>>().join(", "))
}

fn lines(trace: &Trace) -> Vec<String> {
    trace.steps.iter().map(line).collect()
}

/// `f(n)` adds to a global and calls a library function, which fails for a large argument.
const CALLS: &str = r#"
pointer 8
entry start
file 0 "a.c"
file 1 "model.c"
shape 0: int "int" size 4 signed
shape 1: struct "struct s" {a: shape0 at 0, b: shape0 at 4}
global total: size 8 align 4 as shape1 @0:1:5
fn start() model {
b0:
  call main()
  exit 0
}
fn main() @0:10:1 {
  reg r0 n: i32 as shape0
  reg r1: i32
b0:
  r0 = choose "input()" @0:11:3
  r1 = call f(r0) @12:3
  r0 = r1 @12:3
  r1 = call f(r0) @13:3
  return @14:1
}
fn f(r0) -> i32 @0:2:1 {
  reg r0 n: i32 as shape0
  reg r1: i32
b0:
  store i32 r0 -> &total+4 @0:3:3
  call library(r0) @4:3
  r1 = add i32 r0, 1 @5:3
  return r1 @5:3
}
fn library(r0) model @1:1:1 {
  reg r0 x: i32
  reg r1: i1
b0:
  r1 = cmp.slt i32 r0, 5 @1:2:2
  assert r1 else out-of-bounds "x is too large" @1:2:2
  return @1:3:1
}
"#;

#[test]
fn calls_are_told_and_library_functions_folded() {
    let (finding, trace) = told(CALLS, &[Decision::Value(4)]);
    assert_eq!((finding.kind.as_str(), finding.file.as_str(), finding.line), ("out-of-bounds", "a.c", 4));
    assert_eq!((finding.function.as_str(), finding.inside.as_deref()), ("f", Some("library")));
    let stack: Vec<_> = finding.stack.iter().map(|frame| (frame.function.as_str(), frame.line)).collect();
    assert_eq!(stack, [("f", 4), ("main", 13)]);
    let expected = [
        "main:11 n: indeterminate -> 4",
        "main:12 ",
        "f:3 n: indeterminate -> 4, total.b: 0 -> 4",
        "f:4 ",
        "f:5 ",
        "main:12 n: 4 -> 5",
        "main:13 ",
        "f:3 n: indeterminate -> 5, total.b: 4 -> 5",
        "f:4 ",
    ];
    assert_eq!(lines(&trace), expected);
    assert_eq!(trace.steps[0].choices[0].label, "input()");
    assert_eq!(trace.steps[0].choices[0].value, "4");
    assert_eq!(
        (trace.steps[1].calls.as_slice(), trace.steps[3].folded.as_slice()),
        (&["f".to_owned()][..], &["library".to_owned()][..])
    );
    assert_eq!(trace.steps.iter().map(|step| step.depth).collect::<Vec<_>>(), [1, 1, 2, 2, 2, 1, 1, 2, 2]);
}

#[test]
fn a_replay_that_differs_is_noticed() {
    let program = program(CALLS);
    let machine = concrete(&program);
    let good = evidence(&machine, &[Decision::Value(4)]);
    let none = ProgramRun { decisions: Vec::new(), ..good.clone() };
    assert!(matches!(replay(&machine, &program, &none), Err(ReplayMismatch::Missing { .. })));
    let other = ProgramRun { decisions: vec![Decision::Fail(true)], ..good.clone() };
    assert!(matches!(replay(&machine, &program, &other), Err(ReplayMismatch::Unfit { .. })));
    let harmless = ProgramRun { decisions: vec![Decision::Value(1)], ..good.clone() };
    let mismatch = replay(&machine, &program, &harmless).unwrap_err();
    assert!(matches!(&mismatch, ReplayMismatch::Ended { expected: ViolationKind::OutOfBounds, .. }), "{mismatch}");
    let Judgement::Unknown(why) = Judgement::new(&machine, &program, &harmless.into()) else {
        panic!("a verdict without a replay should be unknown");
    };
    assert!(why.summary().starts_with("internal: ") && why.reasons()[0].remedy().is_some(), "{why:?}");
    assert!(matches!(Judgement::new(&machine, &program, &good.into()), Judgement::Violated { .. }));
    let holds = Ledger::default().settle(ProofKind::Exhausted { n_states: 0 });
    assert_eq!(Judgement::new(&machine, &program, &holds), Judgement::Verified);
}

#[test]
fn each_round_of_a_loop_is_a_step() {
    let (_, trace) = told(
        r#"
pointer 8
entry main
file 0 "a.c"
shape 0: int "int" size 4 signed
fn main() @0:1:1 {
  reg r0 i: i32 as shape0
  reg r1: i1
b0:
  r0 = 0 @0:2:3
  goto b1 @2:3
b1: loop @3:3
  r1 = cmp.slt i32 r0, 2 @3:3
  branch r1 ? b2 : b3 @3:3
b2:
  r0 = add i32 r0, 1 @3:9
  goto b1 @3:9
b3:
  assert 0 else assertion "reached" @4:3
  unreachable @4:3
}
"#,
        &[],
    );
    let expected = ["main:2 i: indeterminate -> 0", "main:3 i: 0 -> 1", "main:3 i: 1 -> 2", "main:4 "];
    assert_eq!(lines(&trace), expected);
}

#[test]
fn heap_objects_are_named_by_who_points_there() {
    let (finding, trace) = told(
        r#"
pointer 8
entry main
file 0 "a.c"
file 1 "malloc.c"
shape 0: int "int" size 4 signed
shape 1: struct "struct node" {key: shape0 at 0, value: shape0 at 4}
shape 2: pointer to shape1
fn malloc(r0) -> ptr model @1:1:1 {
  reg r0: i64
  reg r1: ptr
b0:
  r1 = alloc.heap r0 align 16 indeterminate @1:2:3
  return r1 @1:3:3
}
fn main() @0:1:1 {
  reg r0 p: ptr as shape2
  reg r1: ptr
b0:
  r0 = call malloc(i64 8) @0:2:3
  r1 = ptradd r0, 1 * 4 @3:3
  store i32 7 -> r1 @3:3
  r0 = null @4:3
  r1 = null @4:3
  exit 0 @5:3
}
"#,
        &[],
    );
    assert_eq!(trace.steps[1].changes[0].name, "p->value");
    assert_eq!(trace.steps[1].changes[0].new, "7");
    assert_eq!((finding.kind.as_str(), finding.file.as_str(), finding.line), ("leak", "a.c", 2));
    assert_eq!(finding.function, "main");
}

#[test]
fn an_endless_execution_shows_where_it_repeats() {
    let text = r#"
pointer 8
entry main
file 0 "a.c"
shape 0: int "int" size 4 signed
fn main() @0:1:1 {
  reg r0 i: i32 as shape0
b0:
  r0 = 0 @0:2:3
  goto b1 @2:3
b1: loop @3:3
  r0 = xor i32 r0, 1 @3:3
  goto b1 @3:3
}
"#;
    let program = program(text);
    let machine = concrete(&program);
    let mut state = machine.initial();
    machine.run_silent(&mut state, 0, Until { loop_heads: true, ..Until::NEVER });
    let frames = state.frames(&program, 0);
    let violation = unpick_program::interp::Violation {
        kind: ViolationKind::Termination,
        message: "never ends".to_owned(),
        loc: frames[0].loc,
        function: "main".to_owned(),
        thread: 0,
        frames: frames.iter().map(|frame| (frame.function, frame.loc)).collect(),
    };
    let evidence = ProgramRun { decisions: Vec::new(), every_step: false, claim: None, loop_from: None, violation };
    let (finding, trace) = replay(&machine, &program, &evidence).unwrap();
    assert_eq!((finding.kind.as_str(), finding.line), ("termination", 3));
    assert_eq!(trace.loop_start, Some(1));
    assert_eq!(lines(&trace)[1..], ["main:3 i: 0 -> 1", "main:3 i: 1 -> 0"]);
}
