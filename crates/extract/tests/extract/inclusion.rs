//! Random programs: every state that a restriction reaches is reached by the program, and every state of the program by
//! its point abstraction.

use std::collections::BTreeSet;

use proptest::prelude::*;
use unpick_automaton::interp::{Control, Machine};
use unpick_base::Diagnostics;
use unpick_extract::extraction::{Inputs, Program};
use unpick_extract::harness::Harness;
use unpick_front_c::session::Session;

const OBJECTS: [&str; 3] = ["a", "b", "c"];

fn value() -> impl Strategy<Value = String> {
    let leaf =
        prop_oneof![prop::sample::select(&OBJECTS[..]).prop_map(str::to_owned), (0..4_u8).prop_map(|n| n.to_string())];
    leaf.prop_recursive(2, 6, 2, |inner| {
        let operator = prop::sample::select(&["+", "*", "&", "^", "|"][..]);
        (inner.clone(), operator, inner).prop_map(|(left, operator, right)| format!("({left} {operator} {right})"))
    })
}

fn condition() -> impl Strategy<Value = String> {
    let operator = prop::sample::select(&["<", "==", ">", "!="][..]);
    (prop::sample::select(&OBJECTS[..]), operator, value())
        .prop_map(|(left, operator, right)| format!("{left} {operator} {right}"))
}

fn statement() -> impl Strategy<Value = String> {
    let assignment =
        (prop::sample::select(&OBJECTS[..]), value()).prop_map(|(left, right)| format!("{left} = {right} % 4;"));
    let leaf = prop_oneof![
        4 => assignment,
        1 => prop::sample::select(&OBJECTS[..]).prop_map(|name| format!("{name} = ({name} + 1) % 4;")),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        let block = prop::collection::vec(inner, 1..3).prop_map(|parts| parts.join(" "));
        prop_oneof![
            (condition(), block.clone(), block.clone())
                .prop_map(|(condition, yes, no)| format!("if ({condition}) {{ {yes} }} else {{ {no} }}")),
            (condition(), block.clone()).prop_map(|(condition, body)| format!("while ({condition}) {{ {body} }}")),
            (value(), block.clone(), block).prop_map(|(value, one, other)| {
                format!("switch ({value} % 4) {{ case 0: {one} case 1: {other} break; default: {one} }}")
            }),
        ]
    })
}

fn program() -> impl Strategy<Value = String> {
    prop::collection::vec(statement(), 1..4)
        .prop_map(|body| format!("unsigned char a, b, c; void f(void) {{ while (1) {{ {} }} }}", body.join(" ")))
}

/// The values of the three objects in all states that can be reached.
fn reached(source: &str, table: &str, simplifies: bool) -> BTreeSet<Vec<u8>> {
    let mut session = Session::default();
    let index = session.sources.add("case.c", source).expect("a case should be small");
    let unit = unpick_front_c::analyse(&mut session, index);
    // What is mentioned is there, whether statements touch it or not.
    let harness = Harness { declare: vec!["/* a b c */".into()], ..Harness::default() };
    let inputs = Inputs { table: Some(("case.map".into(), table.into())), harness, ..Inputs::default() };
    let mut diagnostics = Diagnostics::new();
    let (interner, sources) = (&mut session.interner, &mut session.sources);
    let program =
        Program::new(vec![unit], inputs, interner, sources, &mut diagnostics, &mut |path| Err(path.to_owned()));
    let decided = program.decide(&session.interner, &session.sources, &mut diagnostics);
    let decided = decided.unwrap_or_else(|| panic!("{diagnostics:?}\n{source}\n{table}"));
    let text = decided.model("", simplifies).text;
    let mut session = unpick_front_promela::session::Session::default();
    let index = session.sources.add("model.pml", &text).expect("a model should fit");
    let model = unpick_front_promela::compile(&mut session, index).unwrap_or_else(|| panic!("{text}"));
    let machine = Machine::new(&model);
    let first = machine.initial().expect("the first state should exist");
    let head = model.hidden_size as usize + model.global_head();
    let values = |state: &[u8]| state[head..head + OBJECTS.len()].to_vec();
    let mut seen = BTreeSet::from([first.clone()]);
    let mut waiting = vec![first];
    while let Some(state) = waiting.pop() {
        for successor in machine.successors(&state, Control::Any).expect("there should be a next state") {
            if seen.insert(successor.state.clone()) {
                waiting.push(successor.state);
            }
        }
    }
    seen.iter().map(|state| values(state)).collect()
}

/// The conditions of a program, as its table lists them: text and negation.
fn conditions(source: &str) -> Vec<(String, String)> {
    let mut session = Session::default();
    let index = session.sources.add("case.c", source).expect("a case should be small");
    let unit = unpick_front_c::analyse(&mut session, index);
    let mut diagnostics = Diagnostics::new();
    let (interner, sources) = (&mut session.interner, &mut session.sources);
    let load = &mut |path: &str| Err(path.to_owned());
    let program = Program::new(vec![unit], Inputs::default(), interner, sources, &mut diagnostics, load);
    let fragments = program.code.fragments.iter().filter(|fragment| !fragment.negated.is_empty());
    let mut texts: Vec<_> = fragments.map(|fragment| (fragment.text.clone(), fragment.negated.clone())).collect();
    texts.sort();
    texts.dedup();
    texts
}

/// A few in every run of the tests, more for a campaign: `UNPICK_CASES=2000 cargo test -p unpick-extract inclusion`.
fn n_cases() -> u32 {
    std::env::var("UNPICK_CASES").ok().and_then(|count| count.parse().ok()).unwrap_or(24)
}

/// Rows that are neither widening nor narrowing are told from those that are: the comparison can fail.
#[test]
fn other_rows_are_not_included() {
    let source =
        "unsigned char a, b, c; void f(void) { while (1) { a = (a + 1) % 4; if (a > 2) { b = a; } else { c = b; } } }";
    let exact = reached(source, "", true);
    // One way whatever the data says.
    let one_way = reached(source, "a > 2\ttrue\n!(a > 2)\tfalse\n", true);
    assert!(!one_way.is_subset(&exact) && !exact.is_subset(&one_way));
    let frozen = reached(source, "b = a\tskip\n", true);
    assert!(!exact.is_subset(&frozen));
    let other = reached(source, "c = b\tc = 7\n", true);
    assert!(!other.is_subset(&exact) && !exact.is_subset(&other));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(n_cases()) })]

    #[test]
    fn restriction_within_program_within_point_abstraction(source in program(), pick in any::<prop::sample::Index>()) {
        let conditions = conditions(&source);
        let exact = reached(&source, "", true);
        prop_assert_eq!(&exact, &reached(&source, "", false), "simplification of\n{}", source);
        prop_assume!(!conditions.is_empty());
        let (text, negated) = pick.get(&conditions);
        let widened = reached(&source, &format!("{text}\ttrue\n{negated}\ttrue\n"), true);
        prop_assert!(exact.is_subset(&widened), "{} in\n{}", text, source);
        // Where only one case is looked at, executions end where the other one would come.
        let narrowed = reached(&source, &format!("{text}\tkeep\n{negated}\tfalse\n"), true);
        prop_assert!(narrowed.is_subset(&exact), "{} in\n{}", text, source);
    }
}
