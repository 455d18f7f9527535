//! Small programs and the verdicts they must get.

use unpick_engine_explicit::DepthFirst;
use unpick_program::{Program, ViolationKind, text};
use unpick_system::{
    Answer, Budget, Engine, Evidence, Goal, Halt, Limit, ProgramRun, PropertySet, Reason, Snapshot, Strategy, Subject,
    Task, Unfit, Verdict,
};

fn program(text: &str) -> Program {
    match text::parse(text) {
        Ok(program) => program,
        Err(errors) => panic!("{}\n{text}", errors[0]),
    }
}

fn run(text: &str, properties: &str, budget: &Budget<'_>) -> Answer {
    let program = program(text);
    let Budget { memory_bytes, depth, unwind, control } = *budget;
    let strategy = Strategy { memory_bytes, depth, unwind, ..Strategy::default() };
    let goals = [Goal::Safety(PropertySet::parse(properties).unwrap())];
    let task = Task { subject: Subject::Program(&program), goals: &goals, strategy: &strategy };
    assert_eq!(DepthFirst.supports(&task), Ok(()));
    DepthFirst.run(&task, control)
}

fn check(text: &str) -> Answer {
    run(text, "default", &Budget::UNLIMITED)
}

fn reasons(run: &Answer) -> Vec<Reason> {
    match &run.verdict {
        Verdict::Unknown(why) => why.reasons().into_iter().cloned().collect(),
        Verdict::Holds(_) | Verdict::Fails(_) => panic!("{:?} should be unknown", run.verdict),
    }
}

fn fails(run: &Answer) -> &ProgramRun {
    match &run.verdict {
        Verdict::Fails(Evidence::Program(evidence)) => evidence,
        Verdict::Holds(_) | Verdict::Fails(_) | Verdict::Unknown(_) => panic!("{:?} should fail", run.verdict),
    }
}

/// `main` is all there is; places are in file `a.c`.
fn main_of(body: &str) -> String {
    format!("pointer 8\nentry main\nfile 0 \"a.c\"\nfn main() -> i32 @0:1:1 {{\n{body}\n}}\n")
}

#[test]
fn a_program_without_choices_is_one_execution() {
    let run = check(&main_of("b0:\n  exit 0 @0:2:3"));
    assert!(matches!(run.verdict, Verdict::Holds(_)), "{:?}", run.verdict);
    assert_eq!((run.stats.states, run.stats.executions, run.stats.depth), (1, 1, 0));
}

#[test]
fn a_range_check_splits_the_input_instead_of_enumerating_it() {
    let run = check(&main_of(
        "  reg r0 x: i32\n  reg r1 r2: i1\nb0:\n  r0 = choose \"input()\" @0:2:3\n  r1 = cmp.slt i32 r0, 10\n  \
         branch r1 ? b1 : b2\nb1:\n  r2 = cmp.sle i32 r0, 9 @3:3\n  assert r2 else assertion \"x <= 9\" @3:3\n  \
         goto b2\nb2:\n  exit 0 @4:3",
    ));
    assert!(matches!(run.verdict, Verdict::Holds(_)), "{:?}", run.verdict);
    assert!(run.stats.transitions <= 4, "{:?}", run.stats);
}

#[test]
fn a_violation_comes_with_decisions_that_lead_to_it() {
    let run = check(&main_of(
        "  reg r0 x: i32\n  reg r1: i1\nb0:\n  r0 = choose \"input()\" @0:2:3\n  r1 = cmp.ne i32 r0, 77 @3:3\n  \
         assert r1 else assertion \"x != 77\" @3:5\n  exit 0 @4:3",
    ));
    let evidence = fails(&run);
    assert_eq!(evidence.violation.kind, ViolationKind::Assertion);
    assert_eq!(evidence.violation.loc.line, 3);
    assert_eq!(evidence.decisions, [unpick_program::interp::Decision::Value(77)]);
}

#[test]
fn unselected_properties_are_not_reported() {
    let text = main_of(
        "  reg r0: i32\n  reg r1: i1\nb0:\n  r0 = choose \"input()\" @0:2:3\n  r1 = cmp.ne i32 r0, 77 @3:3\n  \
         assert r1 else assertion \"x != 77\" @3:5\n  exit 0 @4:3",
    );
    let run = run(&text, "overflow", &Budget::UNLIMITED);
    assert!(matches!(run.verdict, Verdict::Holds(_)), "{:?}", run.verdict);
}

/// Counts up to 100000 (an endless loop if it wraps at `modulus`).
fn counting(modulus: u32) -> String {
    main_of(&format!(
        "  reg r0 i: i32\n  reg r1: i1\nb0:\n  r0 = 0 @0:2:3\n  goto b1\nb1: loop @3:3\n  \
         r1 = cmp.ult i32 r0, 100000 @3:5\n  branch r1 ? b2 : b3 @3:5\nb2:\n  r0 = add i32 r0, 1 @4:5\n  \
         r0 = urem i32 r0, {modulus} @4:5\n  goto b1 @4:5\nb3:\n  exit 0 @5:3"
    ))
}

#[test]
fn a_long_loop_that_ends_is_followed_to_its_end() {
    let run = check(&counting(200_000));
    assert!(matches!(run.verdict, Verdict::Holds(_)), "{:?}", run.verdict);
}

#[test]
fn a_loop_that_repeats_a_state_is_recognised() {
    for modulus in [1, 7, 3_000] {
        let holds = check(&counting(modulus));
        assert!(matches!(holds.verdict, Verdict::Holds(_)), "{:?}", holds.verdict);
        let endless = run(&counting(modulus), "termination", &Budget::UNLIMITED);
        let evidence = fails(&endless);
        assert_eq!((evidence.violation.kind, evidence.violation.loc.line), (ViolationKind::Termination, 3));
    }
}

#[test]
fn an_endless_loop_through_choices_is_recognised() {
    let text = main_of(
        "  reg r0: i32\n  reg r1: i1\nb0:\n  goto b1 @0:2:3\nb1: loop @2:3\n  r0 = choose 0 to 1 \"input()\" @2:5\n  \
         r1 = cmp.eq i32 r0, 0 @2:5\n  branch r1 ? b1 : b2 @2:5\nb2:\n  exit 0 @3:3",
    );
    let holds = check(&text);
    assert!(matches!(holds.verdict, Verdict::Holds(_)), "{:?}", holds.verdict);
    assert_eq!(holds.stats.states, 2);
    let endless = run(&text, "default,termination", &Budget::UNLIMITED);
    assert_eq!(fails(&endless).violation.kind, ViolationKind::Termination);
}

#[test]
fn unwinding_counts_as_users_count() {
    let five = counting(200_000).replace("100000", "5");
    let within = Budget { unwind: Some(5), ..Budget::UNLIMITED };
    assert!(matches!(run(&five, "default", &within).verdict, Verdict::Holds(_)));
    let cut = run(&five, "default", &Budget { unwind: Some(4), ..Budget::UNLIMITED });
    assert!(matches!(&reasons(&cut)[..], [Reason::Unwinding { bound: 4, loop_head }] if loop_head.line == 3));
}

#[test]
fn a_limit_names_the_loop() {
    let stop = |snapshot: &Snapshot| {
        assert_eq!(snapshot.phase, "exploring");
        Some(Halt::Time)
    };
    let budget = Budget { control: &stop, ..Budget::UNLIMITED };
    let run = run(&counting(4_000_000_000).replace("100000", "4000000000"), "default", &budget);
    let [Reason::Limit { limit: Limit::Time, hottest: Some(hottest), .. }] = &reasons(&run)[..] else {
        panic!("{:?}", run.verdict);
    };
    assert_eq!((hottest.site.line, hottest.function.as_str()), (3, "main"));
    assert!(hottest.n_iterations > 1_000);
}

#[test]
fn an_input_too_wide_is_named_and_hunted() {
    let text = |bad: u32| {
        main_of(&format!(
            "  reg r0 r1: i32\n  reg r2: i1\nb0:\n  r0 = choose \"input()\" @0:2:3\n  r1 = mul i32 r0, r0 @3:3\n  \
             r2 = cmp.ne i32 r1, {bad} @4:3\n  assert r2 else assertion \"square\" @4:3\n  exit 0 @5:3"
        ))
    };
    // No square is 3 modulo 4.
    let run = check(&text(3));
    let all = reasons(&run);
    let [Reason::TooWide { label, chosen, used, .. }] = &all[..] else { panic!("{:?}", run.verdict) };
    assert_eq!((label.as_str(), chosen.line, used.line), ("input()", 2, 3));
    assert_eq!(fails(&check(&text(0))).violation.kind, ViolationKind::Assertion);
}

#[test]
fn unmodelled_is_no_proof_but_other_paths_go_on() {
    let text = |cond: &str| {
        main_of(&format!(
            "  reg r0: i32\n  reg r1: i1\nb0:\n  r0 = choose \"input()\" @0:2:3\n  r1 = cmp.eq i32 r0, 0 @2:3\n  \
             branch r1 ? b1 : b2 @2:3\nb1:\n  unmodelled \"inline assembly\" @3:3\n  exit 0\nb2:\n  \
             note \"read() has no body\"\n  assert {cond} else assertion \"no\" @4:3\n  exit 0 @5:3"
        ))
    };
    let run = check(&text("1"));
    assert!(
        matches!(&reasons(&run)[..], [Reason::Unmodelled { what, site }] if what == "inline assembly" && site.line == 3)
    );
    assert_eq!(run.assumptions, ["read() has no body"]);
    assert_eq!(fails(&check(&text("0"))).violation.loc.line, 4);
}

#[test]
fn contradictory_assumptions_prove_nothing() {
    let text = main_of(
        "  reg r0: i32\n  reg r1: i1\nb0:\n  r0 = choose \"input()\" @0:2:3\n  r1 = cmp.slt i32 r0, 0 @2:3\n  \
         assume r1 @2:3\n  r1 = cmp.sgt i32 r0, 0 @3:3\n  assume r1 @3:3\n  assert 0 else assertion \"no\"\n  exit 0 @4:3",
    );
    assert!(matches!(reasons(&check(&text))[..], [Reason::Vacuous { .. }]));
}

#[test]
fn endless_recursion_is_a_limit() {
    let text = "pointer 8\nentry main\nfile 0 \"a.c\"\nfn main() @0:1:1 {\nb0:\n  call main() @0:2:3\n  return\n}\n";
    assert!(matches!(&reasons(&check(text))[..], [Reason::Recursion { site, .. }] if site.line == 2));
}

#[test]
fn the_depth_limit_cuts_paths_only() {
    let text = main_of(
        "  reg r0 r1: i32\n  reg r2: i1\nb0:\n  r1 = 0 @0:2:3\n  goto b1\nb1: loop @2:3\n  \
         r0 = choose 0 to 1 \"input()\" @3:3\n  r1 = add i32 r1, r0 @3:3\n  r2 = cmp.ult i32 r1, 1000000\n  \
         branch r2 ? b1 : b2\nb2:\n  exit 0 @4:3",
    );
    let run = run(&text, "default", &Budget { depth: Some(10), ..Budget::UNLIMITED });
    assert!(matches!(reasons(&run)[..], [Reason::Limit { limit: Limit::Depth(10), .. }]));
    assert_eq!(run.stats.depth, 10);
}

#[test]
fn the_memory_limit_ends_the_search() {
    let text = main_of(
        "  reg r0 r1: i32\nb0:\n  r1 = 0 @0:2:3\n  goto b1\nb1: loop @2:3\n  \
         r0 = choose 0 to 1 \"input()\" @3:3\n  r1 = add i32 r1, r0 @3:3\n  goto b1",
    );
    let run = run(&text, "default", &Budget { memory_bytes: Some(1 << 20), ..Budget::UNLIMITED });
    assert!(matches!(reasons(&run)[..], [Reason::Limit { limit: Limit::Memory, .. }]));
    assert!(run.stats.peak_bytes > 1 << 19 && run.stats.states > 100, "{:?}", run.stats);
}

#[test]
fn threads_are_followed_to_their_ends() {
    let text = |wait: &str| {
        format!(
            "pointer 8\nentry main\nfile 0 \"a.c\"\nfn child() @0:9:1 {{\nb0:\n  return @0:9:3\n}}\n\
             fn main() -> i32 @0:1:1 {{\n  reg r0: i32\n  reg r1: i1\nb0:\n  r0 = spawn child() @0:2:3\n  goto b1\n\
             b1:\n  atomic.begin @3:3\n  r1 = ended {wait} @3:3\n  wait r1 @3:3\n  atomic.end\n  exit 0 @4:3\n}}\n"
        )
    };
    assert!(matches!(check(&text("r0")).verdict, Verdict::Holds(_)));
    let stuck = check(&text("i32 0"));
    assert_eq!((fails(&stuck).violation.kind, fails(&stuck).violation.loc.line), (ViolationKind::Deadlock, 3));
}

#[test]
fn a_goal_of_another_kind_is_refused() {
    let program = program(&main_of("b0:\n  exit 0"));
    let strategy = Strategy::default();
    let goals = [Goal::Safety(PropertySet::parse("ltl").unwrap())];
    let task = Task { subject: Subject::Program(&program), goals: &goals, strategy: &strategy };
    assert!(matches!(DepthFirst.supports(&task), Err(Unfit::Refused(_))));
}
