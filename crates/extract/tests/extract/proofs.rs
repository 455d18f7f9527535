//! Rows that are proved, and rows for which a missing behaviour is found.

use unpick_base::Diagnostics;
use unpick_extract::audit::{Kind, kind, report, vacuity};
use unpick_extract::entry::entries;
use unpick_extract::extraction::{Decided, Inputs, Program};
use unpick_extract::harness::Harness;
use unpick_extract::proof::{Proof, Proofs};
use unpick_front_c::session::Session;

fn decide<T>(source: &str, inputs: Inputs, ask: impl FnOnce(&Decided<'_>) -> T) -> T {
    let mut session = Session::default();
    let index = session.sources.add("case.c", source).expect("a case should be small");
    let unit = unpick_front_c::analyse(&mut session, index);
    let mut diagnostics = Diagnostics::new();
    let (interner, sources) = (&mut session.interner, &mut session.sources);
    let load = &mut |path: &str| Err(path.to_owned());
    let program = Program::new(vec![unit], inputs, interner, sources, &mut diagnostics, load);
    let decided = program.decide(&session.interner, &session.sources, &mut diagnostics);
    ask(&decided.unwrap_or_else(|| panic!("{diagnostics:?}")))
}

fn tabled<T>(source: &str, table: &str, ask: impl FnOnce(&Decided<'_>) -> T) -> T {
    decide(source, Inputs { table: Some(("t.map".into(), table.into())), ..Inputs::default() }, ask)
}

/// The kind of one entry and what was proved of it.
fn judged(source: &str, table: &str, text: &str) -> (Kind, Option<Proof>) {
    tabled(source, table, |decided| {
        let proofs = Proofs::new(decided);
        let all = entries(&decided.context, &decided.decisions);
        let entry = all.iter().find(|entry| entry.text == text).unwrap_or_else(|| panic!("{text} in {all:?}"));
        (kind(decided, &proofs, entry), proofs.get(entry.fragments[0], entry.is_negated).cloned())
    })
}

const TIMER: &str = "int timer; void f(void) { timer = 60; timer = 0; while (timer > 0) timer--; }";
const ROWS: &str = "int timer\tbool timer\ntimer = 60\ttimer = true\ntimer = 0\ttimer = false\n";

#[test]
fn a_timer_as_a_truth_value_is_proved() {
    let table = format!("{ROWS}timer--\tif :: timer = true :: timer = false fi\n");
    for (text, expected) in [
        ("int timer", Kind::Exact),
        ("timer = 60", Kind::Exact),
        ("timer = 0", Kind::Exact),
        ("timer > 0", Kind::Exact),
        ("!(timer > 0)", Kind::Exact),
        ("timer--", Kind::Widening),
    ] {
        assert_eq!(judged(TIMER, &table, text).0, expected, "{text}");
    }
    let text = tabled(TIMER, &table, report);
    assert!(
        text.contains("the model's `timer` holds timer > 0") && text.contains("a row of the table, proved"),
        "{text}"
    );
}

#[test]
fn a_timer_that_never_expires_is_caught() {
    let (kind, proof) = judged(TIMER, &format!("{ROWS}timer--\ttimer = true\n"), "timer--");
    let Some(Proof::Incomparable(example)) = proof else { panic!("{proof:?}") };
    assert_eq!(kind, Kind::Unverified);
    assert!(example.contains("with timer = ") && example.contains("should be able to reach timer = 0"), "{example}");
    // Hidden, the decrement keeps what is held.
    let table = format!("{ROWS}timer--\tskip\n");
    assert!(matches!(judged(TIMER, &table, "timer--").1, Some(Proof::Incomparable(_))));
}

#[test]
fn what_is_held_may_be_stated() {
    let source = "int level; void f(void) { level = 0; level = 7; level = level + 1; if (level > 3) level = 2; }";
    let table = "Predicate level (level > 3 -> 2 : (level > 0 -> 1 : 0))\nint level\tbyte level\n\
                 level = 0\tlevel = 0\nlevel = 7\tlevel = 2\nlevel = 2\tlevel = 1\n\
                 level = level + 1\tif :: level < 2 -> level = 1 :: level > 0 -> level = 2 :: level = 0 fi\n\
                 level > 3\tlevel == 2\n!(level > 3)\tlevel != 2\n";
    for (text, expected) in [
        ("level = 7", Kind::Exact),
        ("level > 3", Kind::Exact),
        ("!(level > 3)", Kind::Exact),
        ("level = level + 1", Kind::Widening),
    ] {
        assert_eq!(judged(source, table, text).0, expected, "{text}: {:?}", judged(source, table, text));
    }
    let wrong = table.replace("level = 2\tlevel = 1", "level = 2\tlevel = 2");
    let (_, proof) = judged(source, &wrong, "level = 2");
    assert!(matches!(&proof, Some(Proof::Incomparable(example)) if example.contains("leaves level = 2")), "{proof:?}");
}

#[test]
fn fewer_ways_are_narrowing() {
    let source = "unsigned char n; void f(void) { n = n ^ 1; n = n & 3; if (n < 4) n = 0; }";
    assert_eq!(judged(source, "n = n & 3\tn = n % 4\n", "n = n & 3").0, Kind::Exact);
    assert_eq!(judged(source, "n = n ^ 1\tif :: n = n ^ 1 :: n = 0 fi\n", "n = n ^ 1").0, Kind::Widening);
    let (kind, proof) = judged(source, "n = n ^ 1\tn < 100; n = n ^ 1\n", "n = n ^ 1");
    assert!(kind == Kind::Narrowing && matches!(proof, Some(Proof::Narrows(_))), "{kind:?} {proof:?}");
    // A condition that cannot be otherwise.
    let always = "unsigned char n; void f(void) { if (n < 300) n = 0; }";
    assert_eq!(judged(always, "n < 300\ttrue\n!(n < 300)\tfalse\n", "n < 300").0, Kind::Exact);
    assert_eq!(judged(source, "n < 4\ttrue\n!(n < 4)\tfalse\n", "n < 4").0, Kind::Unverified);
}

#[test]
fn messages_and_unknown_functions_stay_open() {
    let source = "int n; int get(void); void put(int n); void f(void) { n = get(); put(n); }";
    let (kind, proof) = judged(source, "n = get()\tn = 1\n", "n = get()");
    assert!(kind == Kind::Unverified && matches!(proof, Some(Proof::Unknown(_))), "{kind:?} {proof:?}");
    let source = "unsigned char n; int get(void); void f(void) { n = get(); }";
    let table = "n = get()\tselect (n : 0 .. 255)\n";
    assert_eq!(judged(source, table, "n = get()").0, Kind::Unverified, "more ways than are followed");
}

#[test]
fn arrays_and_records_are_cells() {
    let source = "struct s { short x; } r[3]; int i; void f(void) { r[i].x = 5; r[1].x = r[2].x; }";
    assert_eq!(judged(source, "r[i].x = 5\tr[i].x = 5\n", "r[i].x = 5").0, Kind::Exact);
    let (_, proof) = judged(source, "r[i].x = 5\tr[0].x = 5\n", "r[i].x = 5");
    assert!(matches!(proof, Some(Proof::Incomparable(_))), "{proof:?}");
}

#[test]
fn formulas_about_what_nothing_changes_are_vacuous() {
    let source = "int x, y; void f(void) { while (1) { x = !x; y = 1; } }";
    let vacuous = |formula: &str, preferences: &str| {
        let inputs = Inputs {
            preferences: Some(("p".into(), preferences.into())),
            harness: Harness { ltl: vec![("p".into(), formula.into())], ..Harness::default() },
            ..Inputs::default()
        };
        decide(source, inputs, vacuity)
    };
    assert!(vacuous("[] <> (x == 1)", "").is_empty());
    let lines = vacuous("[] (y == 0)", "Restrict y hide\n");
    assert!(lines.iter().any(|line| line.contains("`p` speaks of `y`")), "{lines:?}");
}

#[test]
fn rows_about_messages_stay_unverified() {
    let read = |file: &str| {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/tables/abp").join(file);
        std::fs::read_to_string(path).expect("the example should be there")
    };
    let harness = Harness {
        processes: vec!["sender".into(), "receiver".into()],
        declare: vec!["chan forth = [1] of { byte, byte };".into(), "chan back = [1] of { byte }; byte last;".into()],
        ..Harness::default()
    };
    let inputs = Inputs { table: Some(("abp.map".into(), read("abp.map"))), harness, ..Inputs::default() };
    let text = decide(&read("abp.c"), inputs, report);
    assert!(text.contains("unverified: 7 of 22") && text.contains("widening: 0"), "{text}");
    assert!(text.contains("not proved: does more than change data"), "{text}");
}
