//! Property tests: no bytes make the parser panic, and random models print and read back.

use proptest::prelude::*;
use unpick_automaton::interp::{Control, Machine};
use unpick_front_promela::session::Session;
use unpick_front_promela::syntax::Model;
use unpick_front_promela::{compile, parse, printer};

fn read(text: &str) -> (Session, Model) {
    let mut session = Session::default();
    let index = session.sources.add("model.pml", text).expect("a small text should fit");
    let model = parse(&mut session, index);
    (session, model)
}

fn expr() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        (0_u32..300).prop_map(|value| value.to_string()),
        Just("x".to_owned()),
        Just("a[y]".to_owned()),
        Just("true".to_owned()),
        Just("len(q)".to_owned()),
        Just("s.f".to_owned()),
        Just("timeout".to_owned()),
    ];
    leaf.prop_recursive(5, 24, 3, |inner| {
        let operator = prop::sample::select(vec![
            "+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "<", "<=", ">", ">=", "==", "!=", "&&", "||",
        ]);
        prop_oneof![
            (inner.clone(), operator, inner.clone()).prop_map(|(left, op, right)| format!("({left}) {op} ({right})")),
            (prop::sample::select(vec!["!", "-", "~"]), inner.clone()).prop_map(|(op, of)| format!("{op} ({of})")),
            (inner.clone(), inner.clone(), inner.clone()).prop_map(|(c, y, n)| format!("(({c}) -> ({y}) : ({n}))")),
        ]
    })
}

fn stmt() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        expr().prop_map(|value| format!("x = {value}")),
        expr().prop_map(|value| format!("({value})")),
        expr().prop_map(|value| format!("q ! {value}, y")),
        expr().prop_map(|value| format!("assert({value})")),
        Just("q ? x, eval(y)".to_owned()),
        Just("q ?? <1, _>".to_owned()),
        Just("skip".to_owned()),
        Just("goto away".to_owned()),
        Just("byte z".to_owned()),
    ];
    leaf.prop_recursive(4, 32, 4, |inner| {
        let list = prop::collection::vec(inner.clone(), 1..4).prop_map(|list| list.join("; "));
        let options = prop::collection::vec(list.clone(), 1..4).prop_map(|list| format!(":: {}", list.join("\n:: ")));
        prop_oneof![
            options.clone().prop_map(|options| format!("if {options} fi")),
            options.prop_map(|options| format!("do {options} :: break od")),
            list.clone().prop_map(|list| format!("atomic {{ {list} }}")),
            list.clone().prop_map(|list| format!("d_step {{ {list} }}")),
            (list.clone(), list.clone()).prop_map(|(main, escape)| format!("{{ {main} }} unless {{ {escape} }}")),
            list.prop_map(|list| format!("for (x : 1 .. y) {{ {list} }}")),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn no_text_makes_the_parser_panic(text in "\\PC{0,80}") {
        read(&text);
    }

    #[test]
    fn no_words_make_the_parser_panic(words in prop::collection::vec(prop::sample::select(vec![
        "init", "{", "}", "(", ")", "[", "]", "if", "fi", "do", "od", "::", ":", ";", "->", "x", "1", "=", "!", "?",
        "??", "<", ">", "\n", "atomic", "inline", "f", "proctype", "byte", ",", "c_code", "unless", "else", "ltl",
        "mtype", "typedef", "active", "@", ".", "..", "for", "select", "in", "run", "\"", "'", "/*", "return",
    ]), 0..60)) {
        read(&words.join(" "));
    }

    #[test]
    fn no_statements_make_the_checks_panic(body in prop::collection::vec(stmt(), 1..5), extra in prop::sample::select(vec![
        "q ? x", "L: goto L", "break", "T t; t.a = 1", "run P()", "a = 1", "atomic { L: x = 1 }", "goto nope",
        "x = 1 unless { L: x = 2 }", "d_step { break }", "for (x in a) { x = 2 }", "for (y in q) { x = 2 }", "else",
    ])) {
        let head = "typedef T { byte a; int b[2] } chan q = [1] of { byte, byte }; byte x, y, a[3];";
        let text = format!("{head} active proctype P() {{ away: skip; {}; {extra} }}", body.join("; "));
        let mut session = Session::default();
        let index = session.sources.add("model.pml", &text).expect("a small text should fit");
        if let Some(model) = compile(&mut session, index) {
            let machine = Machine::new(&model);
            if let Ok(state) = machine.initial() {
                // Faults are fine; what is checked is that nothing panics.
                let _ = machine.successors(&state, Control::Any);
            }
        }
    }

    #[test]
    fn printing_gives_back_what_was_read(body in prop::collection::vec(stmt(), 1..5)) {
        let head = "chan q = [1] of { byte, byte }; byte x, y, a[3];";
        let text = format!("{head} active proctype P() {{ away: skip; {} }}", body.join("; "));
        let (session, model) = read(&text);
        let errors: Vec<_> = session.diagnostics.iter().collect();
        prop_assert!(errors.is_empty(), "{} {:?}", text, errors);
        let printed = printer::print(&model);
        let (session, again) = read(&printed);
        prop_assert_eq!(session.diagnostics.n_errors(), 0, "{}", printed);
        prop_assert_eq!(again, model);
    }
}
