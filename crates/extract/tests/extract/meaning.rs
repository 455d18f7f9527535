//! Random programs: the model of a program without rows ends as the compiled program does, with data as Promela and as
//! embedded C.

use std::collections::{BTreeMap, HashSet};
use std::process::Command;

use proptest::prelude::*;
use unpick_automaton::interp::{Control, Machine};
use unpick_base::Diagnostics;
use unpick_extract::extraction::{Inputs, Program};
use unpick_extract::harness::{Data, Harness};
use unpick_front_c::session::Session;

const PLACES: [&str; 8] = ["a", "b", "c", "*p", "q->x", "q->y", "r[1].z", "t[a & 1]"];
const SHOWN: [&str; 11] = ["a", "b", "c", "r[0].x", "r[0].y", "r[0].z", "r[1].x", "r[1].y", "r[1].z", "t[0]", "t[1]"];

/// What only C can hold: objects behind pointers to local ones and to fields, members of a union, floating point.
const C_PLACES: [&str; 14] = [
    "a",
    "b",
    "*p",
    "q->x",
    "q->y",
    "r[1].z",
    "t[a & 1]",
    "*near",
    "*field",
    "u.whole",
    "u.bytes[b & 3]",
    "level",
    "w.low",
    "wide",
];
const C_SHOWN: [&str; 17] = [
    "a",
    "b",
    "c",
    "r[0].x",
    "r[0].y",
    "r[0].z",
    "r[1].x",
    "r[1].y",
    "r[1].z",
    "t[0]",
    "t[1]",
    "u.whole",
    "(int)level",
    "w.low",
    "w.high",
    "(int)(wide >> 32)",
    "(int)wide",
];

type Places = &'static [&'static str];

fn value(places: Places) -> impl Strategy<Value = String> {
    let leaf = prop_oneof![prop::sample::select(places).prop_map(str::to_owned), (0..9_u8).prop_map(|n| n.to_string())];
    leaf.prop_recursive(2, 6, 2, |inner| {
        let operator = prop::sample::select(&["+", "-", "&", "^", "|", "<", "==", "&&"][..]);
        (inner.clone(), operator, inner).prop_map(|(left, operator, right)| format!("({left} {operator} {right})"))
    })
}

fn statement(places: Places) -> impl Strategy<Value = String> {
    let place = || prop::sample::select(places);
    let value = move || value(places);
    let leaf = prop_oneof![
        4 => (place(), value()).prop_map(|(place, value)| format!("{place} = {value};")),
        1 => (place(), value()).prop_map(|(place, value)| format!("{place} += {value};")),
        1 => place().prop_map(|place| format!("({place})++;")),
        1 => prop::sample::select(&["p = &b;", "p = &c;", "p = &a;", "p = &t[1];", "p = t; p++;"][..]).prop_map(str::to_owned),
        1 => prop::sample::select(&["q = &r[1];", "q = r;", "swap(p, &b);", "step = up;", "step = down;", "step(3);"][..])
            .prop_map(str::to_owned),
    ];
    leaf.prop_recursive(2, 10, 3, move |inner| {
        let block = prop::collection::vec(inner, 1..3).prop_map(|parts| parts.join(" "));
        prop_oneof![
            (value(), block.clone(), block.clone())
                .prop_map(|(condition, yes, no)| format!("if ({condition}) {{ {yes} }} else {{ {no} }}")),
            block.clone().prop_map(|body| format!("for (i = 0; i < 2; i++) {{ {body} }}")),
            (value(), block.clone(), block).prop_map(|(value, one, other)| {
                format!("switch (({value}) & 3) {{ case 0: {one} case 1: {other} break; default: {one} }}")
            }),
        ]
    })
}

fn program() -> impl Strategy<Value = String> {
    prop::collection::vec(statement(&PLACES), 2..6).prop_map(|body| {
        format!(
            "unsigned char a = 1, b = 2, c, t[2]; unsigned char *p = &a;
             struct s {{ unsigned char x; signed char y; short z; }} r[2]; struct s *q = &r[0];
             void swap(unsigned char *one, unsigned char *other) {{ unsigned char old = *one; *one = *other; *other = old; }}
             void up(int k) {{ b = b + k; }} void down(int k) {{ c = c - k; }} void (*step)(int) = up;
             void f(void) {{ int i, j; j = 0; {} }}",
            // Loops inside of loops count on their own.
            body.join("\n").replacen("for (i = 0; i < 2; i++)", "for (j = 0; j < 2; j++)", 1)
        )
    })
}

/// The same with what only C can hold.
fn c_program() -> impl Strategy<Value = String> {
    prop::collection::vec(statement(&C_PLACES), 2..6).prop_map(|body| {
        let body: Vec<String> = body.iter().map(|part| integral(part)).collect();
        format!(
            "unsigned char a = 1, b = 2, c, t[2]; unsigned char *p = &a;
             struct s {{ unsigned char x; signed char y; short z; }} r[2]; struct s *q = &r[0];
             union {{ unsigned int whole; unsigned char bytes[4]; }} u; double level = 1.5;
             struct {{ unsigned low : 3; unsigned high : 5; }} w; unsigned long long wide = 4294967290u;
             void swap(unsigned char *one, unsigned char *other) {{ unsigned char old = *one; *one = *other; *other = old; }}
             void up(int k) {{ b = b + k; }} void down(int k) {{ c = c - k; }} void (*step)(int) = up;
             void f(void) {{ int i, j; short here = 3; short *near = &here; short *field = &r[0].z; j = 0; {} }}",
            body.join("\n").replacen("for (i = 0; i < 2; i++)", "for (j = 0; j < 2; j++)", 1)
        )
    })
}

/// Floating point is no operand of `&` and its kin, nor may it leave the range of integers.
fn integral(text: &str) -> String {
    let text =
        text.replace("level = ", "level = 0.5 * (unsigned char)").replace("level += ", "level += (unsigned char)");
    let mut result = String::new();
    for (at, part) in text.split("level").enumerate() {
        let is_place = part.starts_with(" = ") || part.starts_with(" += ") || part.starts_with(")++");
        let before = if at == 0 {
            ""
        } else if is_place {
            "level"
        } else {
            "(int)level"
        };
        // What was cut off stood before this part.
        result.push_str(before);
        result.push_str(part);
    }
    result
}

/// What the compiled program ends with; nothing if it does not end soon.
fn compiled(source: &str, shown: Places) -> Option<Vec<i64>> {
    let folder = tempfile_folder();
    let format: Vec<&str> = shown.iter().map(|_| "%d").collect();
    let text = format!(
        "#include <stdio.h>\n{source}\nint main(void) {{ f(); printf(\"{}\\n\", {}); return 0; }}\n",
        format.join(" "),
        shown.join(", ")
    );
    std::fs::write(folder.join("case.c"), text).expect("the case should be writable");
    let cc = Command::new("cc").args(["-w", "-O0", "-o", "case", "case.c"]).current_dir(&folder).status();
    assert!(cc.expect("cc should be installed").success(), "{source}");
    let output = Command::new("timeout").arg("2").arg(folder.join("case")).output().expect("the case should run");
    std::fs::remove_dir_all(&folder).expect("the scratch folder should be removable");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    output.status.success().then(|| text.split_whitespace().map(|word| word.parse().expect("a number")).collect())
}

fn tempfile_folder() -> std::path::PathBuf {
    use std::sync::atomic::{AtomicU32, Ordering};
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let folder = std::env::temp_dir().join(format!("unpick-meaning-{}-{count}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a scratch folder should be possible");
    folder
}

/// What the model ends with, in all its executions; nothing if something goes wrong in one.
fn modelled(source: &str) -> Option<(HashSet<Vec<i64>>, String)> {
    let mut session = Session::default();
    let index = session.sources.add("case.c", source).expect("a case should be small");
    let unit = unpick_front_c::analyse(&mut session, index);
    let harness =
        Harness { processes: vec!["f".into()], declare: vec!["/* a b c t r x y z */".into()], ..Harness::default() };
    let mut diagnostics = Diagnostics::new();
    let (interner, sources) = (&mut session.interner, &mut session.sources);
    let inputs = Inputs { harness, ..Inputs::default() };
    let program =
        Program::new(vec![unit], inputs, interner, sources, &mut diagnostics, &mut |path| Err(path.to_owned()));
    let decided = program.decide(&session.interner, &session.sources, &mut diagnostics);
    let text = decided.unwrap_or_else(|| panic!("{diagnostics:?}\n{source}")).model("", true).text;
    let mut session = unpick_front_promela::session::Session::default();
    let index = session.sources.add("model.pml", &text).expect("a model should fit");
    let model = unpick_front_promela::compile(&mut session, index);
    let model = model.unwrap_or_else(|| panic!("{:?}\n{text}", session.diagnostics));
    let machine = Machine::new(&model);
    let first = machine.initial().expect("the first state should exist");
    let (mut seen, mut waiting) = (HashSet::from([first.clone()]), vec![first]);
    let mut ends = HashSet::new();
    while let Some(state) = waiting.pop() {
        let next = machine.successors(&state, Control::Any).ok()?;
        if next.iter().any(|next| !next.faults.is_empty()) {
            return None;
        }
        if next.is_empty() {
            let values: BTreeMap<String, String> =
                machine.values(&state).into_iter().map(|shown| (shown.name, shown.value)).collect();
            let number = |name: &str| values.get(name).and_then(|value| value.parse().ok()).unwrap_or(i64::MIN);
            ends.insert(SHOWN.iter().map(|name| number(name)).collect());
        }
        for next in next {
            if seen.len() < 100_000 && seen.insert(next.state.clone()) {
                waiting.push(next.state);
            }
        }
    }
    Some((ends, text))
}

/// Whether SPIN finds that a claim holds where the function ends.
fn c_model_holds(source: &str, claim: &str) -> bool {
    let source = format!("void __assert_fail(const char *, const char *, unsigned, const char *); {source}");
    let end = source.rfind('}').expect("a function should end");
    let failure = format!(" (({claim}) ? (void)0 : __assert_fail(\"\", \"\", 1, \"\"));");
    let source = format!("{}{failure}{}", &source[..end], &source[end..]);
    let mut session = Session::default();
    let index = session.sources.add("case.c", &source).expect("a case should be small");
    let unit = unpick_front_c::analyse(&mut session, index);
    let harness = Harness { processes: vec!["f".into()], data: Data::C, ..Harness::default() };
    let mut diagnostics = Diagnostics::new();
    let (interner, sources) = (&mut session.interner, &mut session.sources);
    let inputs = Inputs { harness, ..Inputs::default() };
    let program =
        Program::new(vec![unit], inputs, interner, sources, &mut diagnostics, &mut |path| Err(path.to_owned()));
    let decided = program.decide(&session.interner, &session.sources, &mut diagnostics);
    let model = decided.unwrap_or_else(|| panic!("{diagnostics:?}\n{source}")).model("", true).text;
    let folder = tempfile_folder();
    std::fs::write(folder.join("model.pml"), &model).expect("the model should be writable");
    let run = |program: &str, words: &[&str]| {
        let output = Command::new(program).args(words).current_dir(&folder).output();
        let output = output.unwrap_or_else(|error| panic!("{program} should be installed: {error}"));
        let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() || program.ends_with("pan"), "{text}\n{model}");
        text
    };
    run("spin", &["-a", "model.pml"]);
    run("cc", &["-w", "-DSAFETY", "-o", "pan", "pan.c"]);
    let text = run(folder.join("pan").to_str().expect("paths should be text"), &["-m100000"]);
    std::fs::remove_dir_all(&folder).expect("the scratch folder should be removable");
    let errors = text.split("errors: ").nth(1).unwrap_or_else(|| panic!("pan said {text}\n{model}"));
    errors.starts_with('0')
}

/// A few in every run of the tests, more for a campaign: `UNPICK_CASES=500 cargo test -p unpick-extract --test meaning`.
fn n_cases() -> u32 {
    std::env::var("UNPICK_CASES").ok().and_then(|count| count.parse().ok()).unwrap_or(12)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(n_cases()) })]

    #[test]
    fn models_end_as_compiled_programs_do(source in program()) {
        let Some(expected) = compiled(&source, &SHOWN) else { return Ok(()) };
        let Some((ends, model)) = modelled(&source) else { panic!("the model goes wrong:\n{source}") };
        prop_assert_eq!(ends, HashSet::from([expected]), "{}\n{}", source, model);
    }

    #[test]
    fn models_of_embedded_c_end_as_compiled_programs_do(source in c_program()) {
        let Some(expected) = compiled(&source, &C_SHOWN) else { return Ok(()) };
        let claims: Vec<String> =
            C_SHOWN.iter().zip(&expected).map(|(place, value)| format!("(int)({place}) == {value}")).collect();
        prop_assert!(c_model_holds(&source, &claims.join(" && ")), "{source}");
        prop_assert!(!c_model_holds(&source, &format!("!({})", claims.join(" && "))), "{source}");
    }
}
