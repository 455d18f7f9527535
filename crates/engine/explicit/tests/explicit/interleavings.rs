//! The engine, which switches threads only where others can notice something, against switching before every
//! instruction.
//!
//! Random programs of three threads read, write and lock a little shared memory and lend each other stack objects.
//! Whatever goes wrong in some interleaving of instructions must be found, and nothing else: failed checks, bad
//! accesses, deadlocks, data races, and which values the shared memory can have in the end.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap, HashSet};

use proptest::prelude::*;
use unpick_engine_explicit::{DepthFirst, FewSwitches};
use unpick_program::interp::{Decision, Machine, Numbering, Options, State, Stop, Until, Value};
use unpick_program::{GlobalId, Program, ViolationKind, text};
use unpick_system::Strategy as SearchStrategy;
use unpick_system::{
    Engine, Evidence, Goal, Measure, ProgramRun, PropertySet, Reason, Reduction, Subject, Task, Unwatched, Verdict,
};

const GLOBALS: &str = "pointer 8\nentry main\nfile 0 \"a.c\"\nglobal g0: size 1 align 1\nglobal g1: size 1 align 1\n\
    global lock: size 1 align 1\nglobal shared: size 8 align 8\n";
const REGISTERS: &str = "  reg r0 r1 r2 r3: i8\n  reg r4: i1\n  reg r5: ptr\n  reg r6 r7: i32\n  \
    slot slot0: size 1 align 1\n";

/// What a thread does; each is a few instructions, and those of one region are one step.
#[derive(Clone, Debug)]
enum Act {
    Load(u8, u8),
    Store(u8, u8),
    StoreConstant(u8, u8),
    Add(u8, u8),
    AtomicAdd(u8),
    Lock,
    Unlock,
    WaitFor(u8, u8),
    Check(u8, u8),
    Assume(u8, u8),
    Choose(u8),
    OwnStore(u8),
    OwnLoad(u8),
    Lend,
    BorrowedLoad(u8),
    BorrowedStore(u8),
    SkipIf(u8, u8),
    Spin(u8, u8),
    Again,
    Die,
}

fn act() -> impl Strategy<Value = Act> {
    let (reg, global, small) = (0..3u8, 0..2u8, 0..3u8);
    prop_oneof![
        5 => (reg.clone(), global.clone()).prop_map(|(reg, global)| Act::Load(reg, global)),
        4 => (reg.clone(), global.clone()).prop_map(|(reg, global)| Act::Store(reg, global)),
        3 => (small.clone(), global.clone()).prop_map(|(value, global)| Act::StoreConstant(value, global)),
        3 => (reg.clone(), 1..3u8).prop_map(|(reg, value)| Act::Add(reg, value)),
        2 => global.clone().prop_map(Act::AtomicAdd),
        3 => Just(Act::Lock),
        3 => Just(Act::Unlock),
        1 => (global.clone(), small.clone()).prop_map(|(global, value)| Act::WaitFor(global, value)),
        1 => (global, small.clone()).prop_map(|(global, value)| Act::Spin(global, value)),
        1 => Just(Act::Again),
        2 => (reg.clone(), small.clone()).prop_map(|(reg, value)| Act::Check(reg, value)),
        1 => (reg.clone(), small.clone()).prop_map(|(reg, value)| Act::Assume(reg, value)),
        1 => reg.clone().prop_map(Act::Choose),
        2 => reg.clone().prop_map(Act::OwnStore),
        2 => reg.clone().prop_map(Act::OwnLoad),
        4 => Just(Act::Lend),
        4 => reg.clone().prop_map(Act::BorrowedLoad),
        2 => reg.clone().prop_map(Act::BorrowedStore),
        2 => (reg, small).prop_map(|(reg, value)| Act::SkipIf(reg, value)),
        4 => Just(Act::Die),
    ]
}

/// Writes the blocks of a thread; the last one is left open.
fn write_acts(thread: usize, acts: &[Act], line: &mut u32, text: &mut String) {
    let me = thread + 1;
    // Where a thread may begin anew.
    *text += "  goto b1\nb1: loop @1:1\n";
    let mut block = 1;
    let mut push = |text: &mut String, instruction: String| {
        *line += 1;
        *text += &format!("  {instruction} @{line}:1\n");
    };
    let mut skip = None;
    for act in acts {
        let ends_skip = skip.is_some();
        match act {
            Act::Load(reg, global) => push(text, format!("r{reg} = load &g{global}")),
            Act::Store(reg, global) => push(text, format!("store i8 r{reg} -> &g{global}")),
            Act::StoreConstant(value, global) => push(text, format!("store i8 {value} -> &g{global}")),
            Act::Add(reg, value) => push(text, format!("r{reg} = add i8 r{reg}, {value}")),
            Act::AtomicAdd(global) => {
                push(text, format!("r3 = rmw.add.seqcst &g{global}, 1"));
            }
            Act::Lock => {
                for part in ["atomic.begin", "r3 = load &lock", "r4 = cmp.eq i8 r3, 0", "lock.take &lock", "wait r4"] {
                    push(text, part.to_owned());
                }
                push(text, format!("store i8 {me} -> &lock"));
                push(text, "atomic.end".to_owned());
            }
            Act::Unlock => {
                for part in ["atomic.begin", "r3 = load &lock", &format!("r4 = cmp.eq i8 r3, {me}"), "wait r4"] {
                    push(text, part.to_owned());
                }
                for part in ["lock.give &lock", "store i8 0 -> &lock", "atomic.end"] {
                    push(text, part.to_owned());
                }
            }
            Act::WaitFor(global, value) => {
                push(text, "atomic.begin".to_owned());
                push(text, format!("r3 = load &g{global}"));
                push(text, format!("r4 = cmp.ne i8 r3, {value}"));
                push(text, "wait r4".to_owned());
                push(text, "atomic.end".to_owned());
            }
            Act::Check(reg, value) => {
                push(text, format!("r4 = cmp.ne i8 r{reg}, {value}"));
                push(text, "assert r4 else overflow \"a check\"".to_owned());
            }
            Act::Assume(reg, value) => {
                push(text, format!("r4 = cmp.ne i8 r{reg}, {value}"));
                push(text, "assume r4".to_owned());
            }
            Act::Choose(reg) => push(text, format!("r{reg} = choose 0 to 2 \"input\"")),
            Act::OwnStore(reg) => push(text, format!("store i8 r{reg} -> &slot0")),
            Act::OwnLoad(reg) => push(text, format!("r{reg} = load &slot0")),
            Act::Lend => push(text, "store ptr &slot0 -> &shared".to_owned()),
            Act::BorrowedLoad(reg) => {
                push(text, "r5 = load &shared".to_owned());
                push(text, format!("r{reg} = load r5"));
            }
            Act::BorrowedStore(reg) => {
                push(text, "r5 = load &shared".to_owned());
                push(text, format!("store i8 r{reg} -> r5"));
            }
            Act::SkipIf(reg, value) if !ends_skip => {
                push(text, format!("r4 = cmp.eq i8 r{reg}, {value}"));
                push(text, format!("branch r4 ? b{} : b{}", block + 2, block + 1));
                *text += &format!("b{}:\n", block + 1);
                skip = Some(block + 2);
                continue;
            }
            Act::SkipIf(..) | Act::Spin(..) | Act::Again if ends_skip => {}
            Act::SkipIf(..) => {}
            Act::Spin(global, value) => {
                *text += &format!("  goto b{}\nb{}: loop @2:1\n", block + 1, block + 1);
                push(text, format!("r3 = load.seqcst &g{global}"));
                push(text, format!("r4 = cmp.ne i8 r3, {value}"));
                push(text, format!("branch r4 ? b{} : b{}", block + 2, block + 1));
                block += 2;
                *text += &format!("b{block}:\n");
            }
            Act::Again => {
                push(text, "r3 = choose 0 to 1 \"again\"".to_owned());
                push(text, "r4 = cmp.eq i8 r3, 1".to_owned());
                push(text, format!("branch r4 ? b1 : b{}", block + 1));
                block += 1;
                *text += &format!("b{block}:\n");
            }
            Act::Die => {
                push(text, "dead slot0".to_owned());
                push(text, "live slot0".to_owned());
                push(text, "store i8 1 -> &slot0".to_owned());
            }
        }
        if let Some(next) = skip.take() {
            push(text, format!("goto b{next}"));
            *text += &format!("b{next}:\n");
            block = next;
        }
    }
    if let Some(next) = skip {
        push(text, format!("goto b{next}"));
        *text += &format!("b{next}:\n");
    }
}

fn begin(text: &mut String) {
    *text += REGISTERS;
    *text += "b0:\n  r0 = 0\n  r1 = 1\n  r2 = 2\n  live slot0\n  store i8 0 -> &slot0\n";
}

/// The program whose last deed is to look at the globals in `r0` and `r1`; `last` says how.
fn write(threads: &[Vec<Act>; 3], last: &str) -> String {
    let mut line = 10;
    let mut text = format!("{GLOBALS}fn main() -> i32 @0:1:1 {{\n");
    begin(&mut text);
    text += "  store ptr &g1 -> &shared\n  r6 = spawn one() @2:1\n  r7 = spawn two() @3:1\n";
    write_acts(0, &threads[0], &mut line, &mut text);
    for thread in ["r6", "r7"] {
        text += &format!("  atomic.begin @5:1\n  r4 = ended {thread}\n  wait r4 @5:1\n  atomic.end\n");
    }
    text += &format!("  r0 = load &g0 @6:1\n  r1 = load &g1 @7:1\n{last}  exit 0 @9:1\n}}\n");
    for (thread, name) in [(1, "one"), (2, "two")] {
        text += &format!("fn {name}() @0:1:1 {{\n");
        begin(&mut text);
        write_acts(thread, &threads[thread], &mut line, &mut text);
        text += "  return @4:1\n}\n";
    }
    text
}

/// What switching before every instruction shows.
#[derive(Default, Debug)]
struct Shown {
    violations: BTreeSet<(ViolationKind, u32)>,
    has_deadlock: bool,
    has_race: bool,
    finals: BTreeSet<(u8, u8)>,
    is_feasible: bool,
    is_cut: bool,
}

/// Parts of states by number.
#[derive(Default)]
struct Parts(RefCell<HashMap<Vec<u8>, u32>>);

impl Numbering for Parts {
    fn identity(&self) -> u32 {
        1
    }

    fn number(&self, bytes: &[u8]) -> Option<u32> {
        let mut parts = self.0.borrow_mut();
        let next = parts.len() as u32;
        Some(*parts.entry(bytes.to_vec()).or_insert(next))
    }
}

fn brute_force(program: &Program, properties: PropertySet) -> Shown {
    let checks = properties.iter().collect();
    let machine = Machine::new(program, Options { is_lazy: false, checks, ..Options::default() });
    let mut shown = Shown::default();
    let mut seen = HashSet::new();
    let mut pending = vec![machine.initial()];
    let (parts, mut short_keys) = (Parts::default(), HashMap::new());
    while let Some(state) = pending.pop() {
        let (mut key, mut short) = (Vec::new(), Vec::new());
        machine.key(&state, &mut key);
        machine.short_key(&state, &parts, &mut short).expect("there should be room");
        // Short keys and keys tell the same states apart.
        assert_eq!(short_keys.entry(short).or_insert_with(|| key.clone()), &key);
        let is_fresh = seen.insert(key);
        assert_eq!(short_keys.len(), seen.len());
        if !is_fresh {
            continue;
        }
        shown.has_race |= machine.race(&state).is_some();
        let runnable = machine.runnable(&state);
        shown.has_deadlock |= runnable.is_empty() || !machine.partial_deadlock(&state).is_empty();
        for thread in runnable {
            step(&machine, state.clone(), thread, &mut shown, &mut pending);
        }
    }
    shown
}

/// One instruction of a thread, with every value it may choose.
fn step(machine: &Machine<'_>, mut state: State, thread: usize, shown: &mut Shown, pending: &mut Vec<State>) {
    match machine.run_silent(&mut state, thread, Until { fuel: 1, ..Until::NEVER }) {
        Stop::Fuel | Stop::Blocked | Stop::ThreadEnded => pending.push(state),
        Stop::Choice(choice) => {
            for option in 0..choice.n_options {
                let mut next = state.clone();
                machine.pick(&mut next, &choice, option);
                step(machine, next, thread, shown, pending);
            }
        }
        Stop::Violated(violation) => {
            shown.violations.insert((violation.kind, violation.loc.line));
        }
        Stop::Exited { .. } => {
            let value = |global| {
                let object = state.object(machine.global(&state, 0, GlobalId(global)));
                match object.and_then(|object| object.scalar(0, 1)) {
                    Some(Value::Bits(bits)) => Some(bits as u8),
                    Some(_) | None => None,
                }
            };
            shown.is_feasible = true;
            // A program cannot ask for an indeterminate value.
            shown.finals.extend(value(0).zip(value(1)));
        }
        Stop::Infeasible => {}
        Stop::Unmodelled { .. } => shown.is_cut = true,
        stop => panic!("{stop:?} should not happen"),
    }
}

/// A way to search.
#[derive(Clone, Copy, Debug)]
enum Way {
    Reduced(Reduction),
    /// Steps are looked up in a cache from so many states on.
    CachedFrom(u64),
    Bounded(Measure),
}

const WAYS: [Way; 8] = [
    Way::Reduced(Reduction::Dpor),
    Way::CachedFrom(0),
    Way::CachedFrom(3),
    Way::CachedFrom(8),
    Way::Reduced(Reduction::Superstep),
    Way::Reduced(Reduction::GlobalAccess),
    Way::Bounded(Measure::Preemptions),
    Way::Bounded(Measure::Switches),
];

fn verdict(program: &Program, properties: PropertySet, way: Way) -> Verdict {
    answer(program, properties, way).0
}

/// The verdict and how many states were met.
fn answer(program: &Program, properties: PropertySet, way: Way) -> (Verdict, u64) {
    let strategy = match way {
        Way::Reduced(reduction) => SearchStrategy { reduction, ..SearchStrategy::default() },
        Way::CachedFrom(n) => SearchStrategy { cache_steps_from: Some(n), ..SearchStrategy::default() },
        Way::Bounded(measure) => SearchStrategy { bounds: Some((measure, None)), ..SearchStrategy::default() },
    };
    let engine: &dyn Engine = if strategy.bounds.is_some() { &FewSwitches } else { &DepthFirst };
    let goals = [Goal::Safety(properties)];
    let task = Task { subject: Subject::Program(program), goals: &goals, strategy: &strategy };
    let answer = engine.run(&task, &Unwatched);
    (answer.verdict, answer.stats.states)
}

/// Wherever the search goes over from the interpreter to the transition cache, it meets the same states.
fn meets_the_same(program: &Program, text: &str) -> Result<(), TestCaseError> {
    let properties = PropertySet::EMPTY.with(ViolationKind::Deadlock);
    let states = |way| match answer(program, properties, way) {
        (Verdict::Holds(_), n_states) => Some(n_states),
        (Verdict::Fails(_) | Verdict::Unknown(_), _) => None,
    };
    // A chosen value is a state of its own on the interpreter only.
    if let (false, Some(n_states)) = (text.contains("choose"), states(Way::Reduced(Reduction::Dpor))) {
        for from in [0, 2, 5, 12] {
            prop_assert_eq!(states(Way::CachedFrom(from)), Some(n_states), "cached from {}:\n{}", from, text);
        }
    }
    Ok(())
}

/// Follows recorded decisions to what they claim.
fn follow(program: &Program, properties: PropertySet, evidence: &ProgramRun) -> Result<(), String> {
    let checks = properties.iter().collect();
    let machine = Machine::new(program, Options { is_lazy: false, checks, ..Options::default() });
    let expected = &evidence.violation;
    let (mut state, mut thread, mut decisions) = (machine.initial(), 0, evidence.decisions.iter());
    loop {
        let stop = machine.run_silent(&mut state, thread, Until { shared_access: true, ..Until::NEVER });
        match (stop, decisions.next()) {
            (Stop::Violated(violation), None) if (violation.kind, violation.loc) == (expected.kind, expected.loc) => {
                return Ok(());
            }
            (Stop::Choice(choice), Some(decision)) => {
                let option = choice.option_of(decision).ok_or_else(|| format!("{decision:?} for {choice:?}"))?;
                machine.pick(&mut state, &choice, option);
            }
            (
                Stop::Shared | Stop::Blocked | Stop::ThreadEnded | Stop::Infeasible | Stop::Unmodelled { .. },
                Some(Decision::Thread(next)),
            ) => {
                thread = *next as usize;
            }
            (Stop::Shared | Stop::Blocked | Stop::ThreadEnded, None) => {
                let is_so = match expected.kind {
                    ViolationKind::Deadlock => {
                        machine.runnable(&state).is_empty() || !machine.partial_deadlock(&state).is_empty()
                    }
                    ViolationKind::DataRace => machine.race(&state).is_some(),
                    _ => false,
                };
                return if is_so { Ok(()) } else { Err(format!("{:?} does not show", expected.kind)) };
            }
            (stop, decision) => return Err(format!("{stop:?}, decided {decision:?}")),
        }
    }
}

fn parse(text: &str) -> Result<Program, TestCaseError> {
    text::parse(text).map_err(|errors| TestCaseError::fail(format!("{}\n{text}", errors[0])))
}

/// The engine says the same as the brute force about some properties.
fn agree(program: &Program, names: &str, text: &str) -> Result<Shown, TestCaseError> {
    let properties = PropertySet::parse(names).expect("the names should be known");
    let shown = brute_force(program, properties);
    let is_bad = !shown.violations.is_empty()
        || shown.has_deadlock && properties.contains(ViolationKind::Deadlock)
        || shown.has_race && properties.contains(ViolationKind::DataRace);
    for way in WAYS {
        match verdict(program, properties, way) {
            Verdict::Holds(_) => prop_assert!(!is_bad && !shown.is_cut, "{way:?} holds: {names} {shown:?}\n{text}"),
            Verdict::Fails(Evidence::Program(evidence)) => {
                let claim = (evidence.violation.kind, evidence.violation.loc.line);
                let is_shown = match claim.0 {
                    ViolationKind::Deadlock => shown.has_deadlock,
                    ViolationKind::DataRace => shown.has_race,
                    _ => shown.violations.contains(&claim),
                };
                prop_assert!(is_shown, "{way:?} {names} {claim:?} {shown:?}\n{text}");
                let followed = follow(program, properties, &evidence);
                prop_assert!(followed.is_ok(), "{way:?} {names} {followed:?} {evidence:?}\n{text}");
            }
            Verdict::Fails(other) => prop_assert!(false, "no execution of a program: {other:?}"),
            Verdict::Unknown(why) => {
                let is_vacuous = matches!(why.reasons()[..], [Reason::Vacuous { .. }]) && !shown.is_feasible;
                prop_assert!(!is_bad && (shown.is_cut || is_vacuous), "{way:?} {names} {why:?} {shown:?}\n{text}");
            }
        }
    }
    Ok(shown)
}

/// Instructions that fail exactly if the globals have one of these values in the end (or, negated, none of them).
fn claim(finals: &BTreeSet<(u8, u8)>, is_negated: bool) -> String {
    let mut text = "  r2 = 0\n".to_owned();
    for (first, second) in finals {
        text += &format!("  r4 = cmp.eq i8 r0, {first}\n  r3 = zext i1 r4 to i8\n  r4 = cmp.eq i8 r1, {second}\n");
        text += "  r3 = select r4 ? r3 : 0\n  r2 = or i8 r2, r3\n";
    }
    let wanted = u8::from(is_negated);
    text + &format!("  r4 = cmp.eq i8 r2, {wanted}\n  assert r4 else assertion \"a final value\" @8:1\n")
}

/// How many programs to try; a campaign asks for more.
fn n_cases() -> u32 {
    std::env::var("UNPICK_INTERLEAVINGS").ok().and_then(|text| text.parse().ok()).unwrap_or(100)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: n_cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn fewer_switches_show_as_much(
        first in prop::collection::vec(act(), 0..3),
        second in prop::collection::vec(act(), 1..5),
        third in prop::collection::vec(act(), 1..5),
    ) {
        let threads = [first, second, third];
        let text = write(&threads, "");
        let program = parse(&text)?;
        agree(&program, "memory,overflow", &text)?;
        agree(&program, "deadlock", &text)?;
        agree(&program, "race", &text)?;
        meets_the_same(&program, &text)?;
        let assertion = PropertySet::EMPTY.with(ViolationKind::Assertion);
        let finals = brute_force(&program, assertion).finals;
        let all = write(&threads, &claim(&finals, true));
        for way in WAYS {
            let is_violated = matches!(verdict(&parse(&all)?, assertion, way), Verdict::Fails(_));
            prop_assert!(!is_violated, "{way:?}: a value beyond {finals:?}\n{text}");
            for value in finals.iter().take(6) {
                let one = write(&threads, &claim(&BTreeSet::from([*value]), false));
                let is_found = matches!(verdict(&parse(&one)?, assertion, way), Verdict::Fails(_));
                prop_assert!(is_found, "{way:?}: {value:?} is not reached\n{text}");
            }
        }
    }
}
