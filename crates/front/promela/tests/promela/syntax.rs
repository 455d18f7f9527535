//! Tests of the grammar: accepted sources, errors with their places, and printing.

use unpick_front_promela::session::Session;
use unpick_front_promela::syntax::Model;
use unpick_front_promela::{parse, printer};

fn read(text: &str) -> (Session, Model) {
    let mut session = Session::default();
    let index = session.sources.add("model.pml", text).expect("a small text should fit");
    let model = parse(&mut session, index);
    (session, model)
}

fn messages(session: &Session) -> Vec<String> {
    let message = |diagnostic: &unpick_base::Diagnostic| {
        let place = session.sources.place(diagnostic.span.lo);
        let (line, column) = place.map_or((0, 0), |place| (place.line, place.column));
        format!("{line}:{column}: {}", diagnostic.message)
    };
    session.diagnostics.iter().map(message).collect()
}

#[track_caller]
fn accept(text: &str) {
    let (session, model) = read(text);
    assert_eq!(messages(&session), Vec::<String>::new(), "{text}");
    let printed = printer::print(&model);
    let (session, again) = read(&printed);
    assert_eq!(messages(&session), Vec::<String>::new(), "{printed}");
    assert_eq!(again, model, "{printed}");
}

#[track_caller]
fn refuse(text: &str, expected: &str) {
    let (session, _) = read(text);
    let found = messages(&session);
    assert_eq!(found.first().map(String::as_str), Some(expected), "{text}");
}

fn body(text: &str) -> String {
    format!("byte x, y, a[3]; chan q = [2] of {{ byte, int }}; proctype P(byte n) {{ skip }} init {{ {text} }}")
}

#[test]
fn every_kind_of_part_is_read() {
    accept(
        "bit b; bool c = true; byte d = 3, e[4]; short f; int g = -1; unsigned h : 3; pid i; hidden int j; show byte k;",
    );
    accept("mtype = { a, b c }; mtype:fruit = { apple }; mtype m = a; mtype:fruit n = apple;");
    accept("typedef R { byte x; int y[2] } typedef S { R r[3]; chan c } S s;");
    accept("chan r, q = [3] of { mtype, byte, chan }; chan s[2] = [0] of { bit }");
    accept(
        "active [2] proctype A(byte x; int y, z) priority 3 provided (x > 1) { skip } active D_proctype B() { skip }",
    );
    accept("never { do :: true od } never named { true }");
    accept("chan q = [1] of { byte }; trace { q ! 1; q ? _ } notrace { q ! 2 }");
    accept(
        "c_decl { int x; } c_state \"int y\" \"Global\" c_track \"&z\" \"sizeof(int)\" \"UnMatched\" c_code { f(); }",
    );
    accept(
        "byte x; ltl p { [] (x == 1 -> <> (x == 2)) } ltl { x U (x V x) } ltl q { always eventually (x implies x) }",
    );
    accept("byte t[3] = { 1, 2, 3 };");
}

#[test]
fn every_kind_of_statement_is_read() {
    for text in [
        "x = 1; x++; a[x + 1]--",
        "q ! 1, 2; q ! 1(2); q !! 3, 4",
        "q ? x, y; q ? x(y); q ?? eval(x + 1), -3; q ? <x, _>; q ?? <1, x>; q ? (x, y)",
        "q ? [x, 1] && len(q) > 1",
        "(full(q) || nempty(q) && x == 1)",
        "if :: x > 1 -> y = 2 :: else fi",
        "do :: x -> break :: true; skip od unless { x == 3 -> y = 1 }",
        "for (x : 1 .. 3) { y = x } for (x in a) { a[x] = 0 }",
        "select (x : 1 .. 8); select (x : y .. y + 2)",
        "atomic { x = 1; y = 2 } d_step { x = 3 } { skip; skip }",
        "goto done; done: skip; end:",
        "assert(x == 1 || y < 2); printf(\"%d\\n\", x); printm(x)",
        "run P(1); x = run P(x) priority 4",
        "x = (y > 1 -> 2 : 3); x = -(-y) + ~x * !y",
        "timeout -> enabled(1) && pc_value(0) == 3 && get_priority(_pid) == 1; set_priority(0, 2)",
        "P[1]@here == P@there; P[x]:n > P:n",
        "c_code [x > 1] { now.x = 1; }; c_expr { now.x == '}' }",
        "xr q; xs q",
        "byte z = 3; hidden int w[2]; skip",
    ] {
        accept(&body(text));
    }
}

#[test]
fn lines_end_statements() {
    accept(
        "byte x\ninit {\n  x = 1\n  x++\n  if\n  :: x == 2\n     -> x = 3\n  :: else\n     x = 4\n  fi\n  x = 5\n}\n",
    );
    accept("byte x;\nproctype P() {\n  for (x : 1 .. 3)\n  {\n    skip\n  }\n  { x = 1 }\n  unless { x == 2 }\n}\n");
    refuse("byte x;\ninit {\n  x = 1\n  + 2\n}\n", "4:3: expected an expression, found `+`");
    accept("byte x;\ninit {\n  x = (1\n  + 2)\n}\n");
}

#[test]
fn inlines_are_expanded_with_their_arguments() {
    let text = "byte x, y;\ninline set(to, value) {\n  to = value\n  to++\n}\ninline both(v) { set(x, v); set(y, v + 1) }\ninit { both(3) }\n";
    accept(text);
    let plain = "byte x, y; init { { { x = 3; x++ }; { y = 3 + 1; y++ } } }";
    let (_, model) = read(text);
    let (_, wanted) = read(plain);
    let flat = |model: &Model| {
        let text = format!("{model:?}");
        ["Assign", "Increment"].map(|word| text.matches(word).count())
    };
    assert_eq!(flat(&model), flat(&wanted));
    accept("byte x; inline f(a) { return a + 1 } init { x = f(x) }");
    refuse("inline f(a) { f(a) } byte x; init { f(x) }", "1:15: inline `f` calls itself");
    refuse("inline f(a) { skip } init { f(1, 2) }", "1:29: inline `f` takes 1 arguments, 2 given");
    let mut doubling = "byte x; inline f0() { x++ }\n".to_owned();
    for level in 1..12 {
        let call = format!("f{}(); ", level - 1);
        doubling += &format!("inline f{level}() {{ {} }}\n", call.repeat(10));
    }
    let (session, _) = read(&format!("{doubling} init {{ f11() }}"));
    assert!(session.diagnostics.n_errors() > 0);
    refuse("init { return 1 }", "1:8: `return` outside an inline that is called for its result");
}

#[test]
fn mistakes_are_reported_where_they_are() {
    refuse("init { x = }", "1:12: expected an expression, found `}`");
    refuse("init { if :: skip od }", "1:19: expected `::` or `fi`");
    refuse("byte x\nproctype { skip }", "2:10: expected the name of the process type, found `{`");
    refuse("# 40 \"other.pml\"\ninit { goto 3 }", "40:13: expected a label, found `3`");
    refuse(&body("!full(q)").replace('\n', ""), "1:85: `full` may only be joined by `&&` and `||`");
    refuse("chan q = [1] of { unsigned };", "1:19: `unsigned` cannot be the type of a message field");
    refuse("init { L: byte x; skip }", "1:8: label `L` stands before a declaration");
    refuse("init { \"abc", "1:8: string does not end on its line");
    refuse("init { skip", "1:12: expected `;` or `->` and another statement, found the end of the text");
}

#[test]
fn one_mistake_hides_no_other() {
    let (session, _) = read("init { x = ; y = 1; z ! ; skip } proctype P( { skip } byte x = ;");
    assert_eq!(session.diagnostics.n_errors(), 4, "{:?}", messages(&session));
}

#[test]
fn deep_nesting_is_refused_not_overflowed() {
    let parens = |n: usize| format!("init {{ {}1{} }}", "(".repeat(n), ")".repeat(n));
    accept(&parens(20));
    let (session, _) = read(&parens(100_000));
    assert_eq!(session.diagnostics.n_errors(), 1);
    let (session, _) = read(&format!("init {{ {} }}", "{".repeat(100_000)));
    assert!(session.diagnostics.n_errors() > 0);
    let (session, _) = read(&format!("init {{ {} 1 }}", "1 + ".repeat(100_000)));
    assert!(session.diagnostics.n_errors() > 0);
}

/// Numbers wrap round with a warning, and are printed as something that means the same.
#[test]
fn large_numbers() {
    for text in [
        "typedef R { unsigned u : 4294967295 }",
        "inline f(v) { v = 99999999999999999999 % 3 }",
        "init priority 4294967295 { run P() priority 2147483648 }",
    ] {
        let (session, model) = read(text);
        assert!(messages(&session)[0].contains("does not fit 32 bits"), "{text}");
        let printed = printer::print(&model);
        let (session, again) = read(&printed);
        assert_eq!(session.diagnostics.n_errors(), 0, "{printed}");
        assert_eq!(again, model, "{printed}");
    }
}
