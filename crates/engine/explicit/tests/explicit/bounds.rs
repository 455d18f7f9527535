//! Searches by number of context switches, against figures that were computed independently.

use unpick_engine_explicit::{DepthFirst, FewSwitches};
use unpick_program::{Program, ViolationKind, text};
use unpick_system::{
    Answer, Engine, Goal, Measure, PropertySet, Reason, Reduction, Strategy, Subject, Task, Unwatched, Verdict,
};

/// Two tasks; ten times each: read a counter, then write the number plus one. The last one to finish checks it.
fn counting(check: &str) -> Program {
    let task = format!(
        "fn task(r0) @0:1:1 {{\n  reg r0 r1: i32\n  reg r2: i1\nb0: loop @2:1\n  \
         r1 = load &x @3:1\n  r1 = add i32 r1, 1\n  store i32 r1 -> &x @4:1\n  r0 = add i32 r0, 1\n  \
         r2 = cmp.slt i32 r0, 10\n  branch r2 ? b0 : b1\nb1:\n{check}  r2 = 0\n  wait r2 @6:1\n  return @7:1\n}}\n"
    );
    let program = format!(
        "pointer 8\nentry main\nfile 0 \"a.c\"\nglobal x: size 4 align 4\nglobal done: size 4 align 4\n\
         fn main() -> i32 @0:1:1 {{\n  reg r0 r1: i32\n  reg r2: i1\nb0:\n  atomic.begin\n  r0 = spawn task(i32 0)\n  \
         r1 = spawn task(i32 0)\n  atomic.end\n  r2 = 0\n  wait r2 @8:1\n  exit 0\n}}\n{task}"
    );
    text::parse(&program).unwrap_or_else(|errors| panic!("{}\n{program}", errors[0]))
}

fn run(program: &Program, measure: Measure, max: Option<u32>) -> (Verdict, Vec<u64>) {
    let answer = ask(&FewSwitches, program, &Strategy { bounds: Some((measure, max)), ..Strategy::default() });
    // The state in which the program starts is before the tasks.
    (answer.verdict, answer.bounds.iter().map(|bound| bound.n_states - 1).collect())
}

fn ask(engine: &dyn Engine, program: &Program, strategy: &Strategy) -> Answer {
    let goals = [Goal::Safety(PropertySet::EMPTY.with(ViolationKind::Assertion))];
    engine.run(&Task { subject: Subject::Program(program), goals: &goals, strategy }, &Unwatched)
}

#[test]
fn states_within_each_number_of_preemptions() {
    let (verdict, closed) = run(&counting(""), Measure::Preemptions, None);
    assert_eq!(closed, [80, 777, 4881, 12921, 17345, 20229, 21937, 22707]);
    assert!(matches!(verdict, Verdict::Holds(_)), "a bound that adds nothing is a proof: {verdict:?}");
}

#[test]
fn the_least_bound_of_a_violation() {
    // Whoever is last finds the counter at two.
    let check = "  atomic.begin @5:1\n  r0 = load &done\n  r0 = add i32 r0, 1\n  store i32 r0 -> &done\n  \
                 r1 = load &x\n  r2 = cmp.eq i32 r0, 2\n  r0 = zext i1 r2 to i32\n  r2 = cmp.eq i32 r1, 2\n  \
                 r1 = zext i1 r2 to i32\n  r0 = and i32 r0, r1\n  r2 = cmp.eq i32 r0, 0\n  \
                 assert r2 else assertion \"two\" @5:9\n  atomic.end\n";
    let program = counting(check);
    for (measure, least) in [(Measure::Preemptions, 4), (Measure::Switches, 6)] {
        let (verdict, closed) = run(&program, measure, None);
        assert!(matches!(verdict, Verdict::Fails(_)), "{verdict:?}");
        assert_eq!(closed.len(), least, "{measure:?}");
        let (verdict, _) = run(&program, measure, Some(least as u32 - 1));
        let Verdict::Unknown(why) = verdict else { panic!("{verdict:?}") };
        assert!(matches!(why.reasons()[..], [Reason::Bounded(bound)] if bound.bound == least as u32 - 1));
        let (verdict, _) = run(&program, measure, Some(least as u32));
        assert!(matches!(verdict, Verdict::Fails(_)), "{verdict:?}");
    }
}

#[test]
fn unbounded_search_meets_the_same_states() {
    let program = counting("");
    let strategy = Strategy { reduction: Reduction::GlobalAccess, ..Strategy::default() };
    let stats = ask(&DepthFirst, &program, &strategy).stats;
    // Nobody can move in the 19 states at the end, so this search does not keep them.
    assert_eq!(stats.states - 1, 22707 - 19);
}
