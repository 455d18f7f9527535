//! Random models step alike, compiled and interpreted, and their steps touch what their footprints name.
//!
//! `UNPICK_FOOTPRINTS=N` says for how many models footprints are checked; without it these are 60.

use std::collections::HashSet;

use proptest::prelude::*;
use unpick_automaton::interp::Machine;
use unpick_front_promela::compile;
use unpick_front_promela::session::Session;
use unpick_jit::Native;
use unpick_system::step::{Interpreted, MicroSteps, Successors, Who};
use unpick_system::{Checked, Floor as _};

const DECLARATIONS: &str = "
    bit b; byte x, y = 3, a[4]; short s; int n; unsigned u : 5; bool flag[2];
    chan q = [2] of { byte, short }; chan r = [0] of { byte }; chan l[2] = [1] of { byte }; chan any;
";

fn expr() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        (0_i32..6).prop_map(|value| value.to_string()),
        prop::sample::select(vec![
            "x",
            "y",
            "s",
            "n",
            "u",
            "b",
            "i",
            "a[y]",
            "a[i]",
            "a[2]",
            "flag[b]",
            "_pid",
            "len(q)",
            "len(l[b])",
            "timeout",
            "full(q)",
            "nempty(l[1])",
            "q?[1, 2]",
            "l[0]?[_]",
            "_nr_pr",
            "2147483647",
            "300",
        ])
        .prop_map(str::to_owned),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        let operator = prop::sample::select(vec![
            "+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "<", "<=", ">", ">=", "==", "!=", "&&", "||",
        ]);
        prop_oneof![
            (inner.clone(), operator, inner.clone()).prop_map(|(left, op, right)| format!("({left} {op} {right})")),
            (prop::sample::select(vec!["!", "-", "~"]), inner.clone()).prop_map(|(op, of)| format!("({op} {of})")),
            (inner.clone(), inner.clone(), inner).prop_map(|(c, y, n)| format!("({c} -> {y} : {n})")),
        ]
    })
}

fn stmt() -> impl Strategy<Value = String> {
    let place = prop::sample::select(vec!["x", "y", "s", "n", "u", "b", "i", "a[y & 3]", "a[i]", "flag[b]", "a[x]"]);
    let leaf = prop_oneof![
        4 => (place, expr()).prop_map(|(place, value)| format!("{place} = {value}")),
        2 => expr().prop_map(|value| format!("({value})")),
        2 => (expr(), expr()).prop_map(|(one, two)| format!("q ! {one}, {two}")),
        1 => expr().prop_map(|value| format!("r ! {value}")),
        1 => expr().prop_map(|value| format!("l[b] ! {value}")),
        1 => expr().prop_map(|value| format!("assert({value})")),
        3 => prop::sample::select(vec![
            "q ? x, s", "q ? i, a[i & 1]", "q ? eval(x), _", "q ? 1, n", "q ? <y, s>", "r ? x", "r ? eval(i)", "l[0] ? i",
            "l[b] ? a[2]", "any = l[1]", "any ! 7", "any ? x", "skip", "q ?? eval(i), s", "q !! i, 2",
        ])
        .prop_map(str::to_owned),
    ];
    leaf.prop_recursive(3, 16, 3, |inner| {
        let list = prop::collection::vec(inner.clone(), 1..4).prop_map(|list| list.join("; "));
        let options = prop::collection::vec(list.clone(), 1..4).prop_map(|list| format!(":: {}", list.join("\n:: ")));
        prop_oneof![
            options.clone().prop_map(|options| format!("if {options} :: else -> skip fi")),
            options.clone().prop_map(|options| format!("if {options} fi")),
            options.prop_map(|options| format!("do {options} :: break od")),
            list.clone().prop_map(|list| format!("atomic {{ {list} }}")),
            list.clone().prop_map(|list| format!("d_step {{ {list} }}")),
            (list.clone(), list).prop_map(|(main, escape)| format!("{{ {main} }} unless {{ {escape} }}")),
        ]
    })
}

fn model() -> impl Strategy<Value = String> {
    let body = prop::collection::vec(stmt(), 1..5).prop_map(|list| list.join(";\n"));
    prop::collection::vec((body, any::<bool>()), 1..4).prop_map(|bodies| {
        let mut text = DECLARATIONS.to_owned();
        for (number, (body, is_provided)) in bodies.into_iter().enumerate() {
            let provided = if is_provided { "provided (x < 5)" } else { "" };
            text += &format!("active proctype P{number}() {provided} {{ byte i;\n{body}\n}}\n");
        }
        text
    })
}

/// State, who alone may go on, who moved, whether something went wrong.
type Next = (Vec<u8>, u8, u8, bool);

fn next<S: MicroSteps>(step: &S, scratch: &mut S::Scratch, state: &[u8], who: Who<'_>) -> Vec<Next> {
    let mut found = Successors::default();
    step.steps(scratch, state, who, &mut found);
    crate::changes::check(step.model(), state, &found);
    found.list.iter().map(|next| (found.state(*next).to_vec(), next.only, next.mover, next.is_fault)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    #[test]
    fn random_models_step_alike(text in model()) {
        let mut session = Session::default();
        let index = session.sources.add("model.pml", &text).expect("a small text should fit");
        let model = compile(&mut session, index);
        // Too many of these make the test fail.
        prop_assume!(model.is_some());
        let model = model.expect("the model should be there");
        let (native, reference) = (Native::eager_noting_changes(&model), Interpreted::new(&model));
        let mut scratch = native.scratch();
        let first = Machine::new(&model).initial().expect("there should be a first state");
        let mut seen = HashSet::from([first.clone()]);
        let mut waiting = vec![first];
        while let Some(state) = waiting.pop() {
            for who in [Who::All, Who::Timeout, Who::Only(0)] {
                let wanted = next(&reference, &mut reference.scratch(), &state, who);
                prop_assert_eq!(&next(&native, &mut scratch, &state, who), &wanted, "{:?} in {:?}", who, state);
                for (state, ..) in wanted {
                    if !state.is_empty() && seen.len() < 80 && seen.insert(state.clone()) {
                        waiting.push(state);
                    }
                }
            }
        }
    }
}

/// States of each model whose steps are checked.
const MAX_CHECKED: usize = 60;

fn n_checked() -> u32 {
    let Ok(text) = std::env::var("UNPICK_FOOTPRINTS") else { return 60 };
    text.parse().unwrap_or_else(|_| panic!("`{text}` should be a number"))
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: n_checked(),
        // Most texts are no models.
        max_global_rejects: 100 * n_checked(),
        ..ProptestConfig::default()
    })]

    #[test]
    fn random_models_touch_what_their_footprints_name(text in model()) {
        let mut session = Session::default();
        let index = session.sources.add("model.pml", &text).expect("a small text should fit");
        let model = compile(&mut session, index);
        prop_assume!(model.is_some());
        let model = model.expect("the model should be there");
        let interpreted = Interpreted::new(&model);
        prop_assert!(interpreted.footprints(None).is_some());
        Checked::new(&interpreted).explore(MAX_CHECKED);
    }
}
