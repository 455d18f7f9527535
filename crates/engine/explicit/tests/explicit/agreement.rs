//! The engine, which keeps inputs open, against trying all inputs one by one.
//!
//! Random programs without loops compute on a few small inputs. Whatever the engine says must be what the
//! concrete interpreter shows over all inputs: the engine may not lose an execution, nor invent one.

use std::collections::BTreeSet;

use proptest::prelude::*;
use unpick_engine_explicit::DepthFirst;
use unpick_program::interp::{Choice, Decision, Machine, Options, State, Stop, Until};
use unpick_program::{Program, ViolationKind, text};
use unpick_system::Strategy as SearchStrategy;
use unpick_system::{Engine, Evidence, Goal, ProgramRun, PropertySet, Reason, Subject, Task, Unwatched, Verdict};

/// Values: eight bits in `r0` to `r5`, 32 bits in `r6` to `r8`, conditions in `r9` and `r10`.
const HEAD: &str = "pointer 8\nentry main\nfile 0 \"a.c\"\nglobal g: size 4 align 4\nfn main() -> i32 @0:1:1 {\n  \
    reg r0 r1 r2 r3 r4 r5: i8\n  reg r6 r7 r8: i32\n  reg r9 r10: i1\n  slot slot0: size 4 align 4\n";

fn small() -> impl Strategy<Value = String> {
    (0..6u8).prop_map(|reg| format!("r{reg}"))
}

fn small_operand() -> impl Strategy<Value = String> {
    prop_oneof![3 => small(), 1 => any::<i8>().prop_map(|value| value.to_string())]
}

fn wide() -> impl Strategy<Value = String> {
    (6..9u8).prop_map(|reg| format!("r{reg}"))
}

fn wide_operand() -> impl Strategy<Value = String> {
    prop_oneof![3 => wide(), 1 => (-300..300i32).prop_map(|value| value.to_string())]
}

fn condition() -> impl Strategy<Value = String> {
    prop_oneof![Just("r9".to_owned()), Just("r10".to_owned())]
}

fn operation() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "add",
        "sub",
        "mul",
        "and",
        "or",
        "xor",
        "add.checked",
        "sub.checked",
        "mul.checked",
        "sdiv.checked",
        "udiv.checked",
        "srem.checked",
        "urem.checked",
        "shl.checked",
        "lshr.checked",
        "ashr.checked",
    ])
}

fn comparison() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"])
}

fn statement() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => (small(), operation(), small_operand(), small_operand())
            .prop_map(|(dst, op, left, right)| format!("{dst} = {op} i8 {left}, {right}")),
        3 => (wide(), operation(), wide_operand(), wide_operand())
            .prop_map(|(dst, op, left, right)| format!("{dst} = {op} i32 {left}, {right}")),
        2 => (wide(), prop::sample::select(vec!["sext", "zext"]), small())
            .prop_map(|(dst, op, from)| format!("{dst} = {op} i8 {from} to i32")),
        1 => (small(), wide()).prop_map(|(dst, from)| format!("{dst} = trunc i32 {from} to i8")),
        1 => (small(), prop::sample::select(vec!["neg", "not", "clz", "popcount"]), small())
            .prop_map(|(dst, op, from)| format!("{dst} = {op} i8 {from}")),
        4 => (condition(), comparison(), small_operand(), small_operand())
            .prop_map(|(dst, op, left, right)| format!("{dst} = cmp.{op} i8 {left}, {right}")),
        3 => (condition(), comparison(), wide_operand(), wide_operand())
            .prop_map(|(dst, op, left, right)| format!("{dst} = cmp.{op} i32 {left}, {right}")),
        1 => (condition(), small(), small())
            .prop_map(|(dst, left, right)| format!("{dst} = add.overflows.signed i8 {left}, {right}")),
        1 => (small(), condition(), small_operand(), small_operand())
            .prop_map(|(dst, cond, then, other)| format!("{dst} = select {cond} ? {then} : {other}")),
        1 => wide().prop_map(|from| format!("store i32 {from} -> &g")),
        1 => wide().prop_map(|dst| format!("{dst} = load &g")),
        1 => small().prop_map(|from| format!("store i8 {from} -> &slot0")),
        1 => small().prop_map(|dst| format!("{dst} = load &slot0")),
        1 => wide().prop_map(|dst| format!("{dst} = load &slot0")),
        1 => condition().prop_map(|cond| format!("assume {cond}")),
        2 => condition().prop_map(|cond| format!("assert {cond} else assertion \"a\"")),
    ]
}

/// Where a block goes: by a condition or a switch, forward, so many blocks ahead.
#[derive(Clone, Debug)]
enum Exit {
    Next,
    Branch(String, usize),
    Switch(String, i8, usize),
}

fn exit() -> impl Strategy<Value = Exit> {
    prop_oneof![
        1 => Just(Exit::Next),
        2 => (condition(), 1..4usize).prop_map(|(cond, ahead)| Exit::Branch(cond, ahead)),
        1 => (small(), -100..100i8, 1..4usize).prop_map(|(value, low, ahead)| Exit::Switch(value, low, ahead)),
    ]
}

type Blocks = Vec<(Vec<String>, Exit)>;

fn blocks() -> impl Strategy<Value = Blocks> {
    prop::collection::vec((prop::collection::vec(statement(), 1..6), exit()), 1..6)
}

/// Two or three inputs of up to nine values.
fn inputs() -> impl Strategy<Value = Vec<(i8, i8)>> {
    prop::collection::vec((-128..=119i8, 0..=8i8).prop_map(|(low, extent)| (low, low + extent)), 2..4)
}

fn write(inputs: &[(i8, i8)], blocks: &Blocks) -> String {
    let mut text = format!("{HEAD}b0:\n  live slot0 @0:2:1\n  store i32 0 -> &slot0\n");
    for reg in 0..6 {
        match inputs.get(reg) {
            Some((low, high)) => text += &format!("  r{reg} = choose {low} to {high} \"input {reg}\"\n"),
            None => text += &format!("  r{reg} = {}\n", reg * 7),
        }
    }
    text += "  r6 = 1\n  r7 = -3\n  r8 = 100\n  r9 = 1\n  r10 = 0\n  goto b1\n";
    let mut line = 10;
    let end = blocks.len() + 1;
    for (index, (statements, exit)) in blocks.iter().enumerate() {
        text += &format!("b{}:\n", index + 1);
        for statement in statements {
            line += 1;
            text += &format!("  {statement} @{line}:1\n");
        }
        let next = index + 2;
        let far = |ahead: usize| (next + ahead).min(end);
        text += &match exit {
            Exit::Next => format!("  goto b{next}\n"),
            Exit::Branch(cond, ahead) => format!("  branch {cond} ? b{} : b{next}\n", far(*ahead)),
            Exit::Switch(value, low, ahead) => {
                let high = low.saturating_add(3);
                // Bounds of a case are unsigned, so a case may not cross zero.
                let low = if *low < 0 && high >= 0 { 0 } else { *low };
                format!("  switch i8 {value} {{ {low} to {high} -> b{}, else b{next} }}\n", far(*ahead))
            }
        };
    }
    text + &format!("b{end}:\n  exit 0 @9999:1\n}}\n")
}

/// What trying all inputs shows.
#[derive(Default, Debug)]
struct Shown {
    violations: BTreeSet<(ViolationKind, u32)>,
    is_feasible: bool,
}

fn try_all(machine: &Machine<'_>, mut state: State, shown: &mut Shown) {
    match machine.run_silent(&mut state, 0, Until::NEVER) {
        Stop::Choice(choice) => {
            for option in 0..choice.n_options {
                let mut next = state.clone();
                machine.pick(&mut next, &choice, option);
                try_all(machine, next, shown);
            }
        }
        Stop::Violated(violation) => {
            shown.violations.insert((violation.kind, violation.loc.line));
        }
        Stop::Exited { .. } => shown.is_feasible = true,
        Stop::Infeasible => {}
        stop => panic!("{stop:?} should not happen in a concrete run"),
    }
}

/// Follows recorded decisions to the violation they claim.
fn follow(machine: &Machine<'_>, evidence: &ProgramRun) -> Result<(), String> {
    let mut state = machine.initial();
    let mut decisions = evidence.decisions.iter();
    let pick = |state: &mut State, choice: &Choice, decision: Option<&Decision>| {
        let decision = decision.ok_or("a decision is missing")?;
        let option = choice.option_of(decision).ok_or_else(|| format!("{decision:?} does not fit {choice:?}"))?;
        machine.pick(state, choice, option);
        Ok::<(), String>(())
    };
    loop {
        match machine.run_silent(&mut state, 0, Until::NEVER) {
            Stop::Choice(choice) => pick(&mut state, &choice, decisions.next())?,
            Stop::Violated(violation)
                if violation.kind == evidence.violation.kind && violation.loc == evidence.violation.loc =>
            {
                return Ok(());
            }
            stop => return Err(format!("{stop:?}")),
        }
    }
}

fn verdict(program: &Program) -> Verdict {
    let goals = [Goal::Safety(PropertySet::parse("default").unwrap())];
    let task = Task { subject: Subject::Program(program), goals: &goals, strategy: &SearchStrategy::default() };
    DepthFirst.run(&task, &Unwatched).verdict
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_engine_agrees_with_trying_all_inputs(inputs in inputs(), blocks in blocks()) {
        let text = write(&inputs, &blocks);
        let program = text::parse(&text).map_err(|errors| TestCaseError::fail(format!("{}\n{text}", errors[0])))?;
        let checks = PropertySet::default_for_c().iter().collect();
        let machine = Machine::new(&program, Options { is_lazy: false, checks, ..Options::default() });
        let mut shown = Shown::default();
        try_all(&machine, machine.initial(), &mut shown);
        match verdict(&program) {
            Verdict::Holds(_) => prop_assert!(shown.violations.is_empty() && shown.is_feasible, "{shown:?}\n{text}"),
            Verdict::Fails(Evidence::Program(evidence)) => {
                let claim = (evidence.violation.kind, evidence.violation.loc.line);
                prop_assert!(shown.violations.contains(&claim), "{claim:?} {shown:?}\n{text}");
                let followed = follow(&machine, &evidence);
                prop_assert!(followed.is_ok(), "{followed:?} {evidence:?}\n{text}");
            }
            Verdict::Fails(other) => prop_assert!(false, "no execution of a program: {other:?}"),
            Verdict::Unknown(why) => {
                let is_vacuous = matches!(why.reasons()[..], [Reason::Vacuous { .. }]);
                prop_assert!(is_vacuous && !shown.is_feasible && shown.violations.is_empty(), "{why:?}\n{text}");
            }
        }
    }
}
