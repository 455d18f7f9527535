//! Diagnostics of semantic analysis: wrong names, types and places, with message and position.

use unpick_base::Severity;
use unpick_front_promela::compile;
use unpick_front_promela::session::Session;

const HEAD: &str = "typedef U { byte h; byte k } typedef T { byte f; byte g[2] } byte x, a[3]; U u; T t; \
                    chan q = [1] of { byte, byte }; mtype = { m1, m2 }; mtype:s = { s1 };\n\
                    proctype B() { byte v; lab: v = 1 }\nproctype C(U p) { skip }\n";

fn messages(body: &str, severity: Severity) -> Vec<String> {
    let mut session = Session::default();
    let text = format!("{HEAD}proctype A() {{ {body} }}\ninit {{ skip }}\n");
    let index = session.sources.add("model.pml", &text).expect("a model should fit");
    let model = compile(&mut session, index);
    assert_eq!(model.is_none(), session.diagnostics.n_errors() > 0);
    let found = session.diagnostics.iter().filter(|diagnostic| diagnostic.severity == severity);
    let placed = found.map(|diagnostic| {
        let place = session.sources.place(diagnostic.span.lo).expect("a mistake should have a place");
        format!("{}:{}: {}", place.line, place.column, diagnostic.message)
    });
    placed.collect()
}

#[track_caller]
fn refuse(body: &str, message: &str) {
    let found = messages(body, Severity::Error);
    let wanted = format!("4:{message}");
    assert!(found.contains(&wanted), "{body}: {found:?}");
}

#[track_caller]
fn accept(body: &str) {
    assert_eq!(messages(body, Severity::Error), Vec::<String>::new(), "{body}");
}

#[test]
fn names_have_to_be_declared_once() {
    refuse("y = 1", "16: `y` is not declared");
    refuse("byte x; skip", "21: `x` is declared already");
    refuse("byte m1; skip", "21: `m1` is declared already");
    refuse("goto nope", "16: label `nope` is not declared");
    refuse("l: x = 1; l: x = 2", "26: label `l` is declared twice");
    refuse("run R()", "16: process type `R` is not declared");
    refuse("B@nolab", "16: process type `B` has no label `nolab`");
    refuse("A@l -> skip; l: x = 1", "16: process type `A` has no label `l` above its own use of it");
    accept("l: x = 1; A@l -> skip");
    refuse("x = B:w", "22: process type `B` has no variable `w`");
    accept("{ byte y; y = 1 }; { byte y; y = 2 }; B[0]@lab; x = B:v");
}

#[test]
fn variables_are_used_as_what_they_are() {
    refuse("a = 1", "16: array `a` needs an index");
    refuse("x[1] = 1", "18: `x` is no array");
    refuse("t = 1", "16: record `t` needs a field");
    refuse("t.z = 1", "18: type `T` has no field `z`");
    refuse("x ! 1, 2", "16: `x` is no channel");
    refuse("q = 1", "20: channel `q` cannot be a constant");
    refuse("q++", "16: channel `q` cannot be counted");
    refuse("m1 = 2", "16: `m1` is a constant");
    refuse("_pid = 2", "16: `_pid` cannot be assigned");
    refuse("x = _", "20: `_` cannot be read");
    refuse("mtype:s z = m1; skip", "28: `z` is an `mtype:s`, and this is a name of another set");
    refuse("unsigned z : 40; skip", "25: the width of an `unsigned` is a number from 1 to 31");
    refuse("byte z : 3; skip", "21: only `unsigned` has a width");
    refuse("byte z[0]; skip", "23: `z` should have between 1 and 65536 elements");
    refuse("hidden byte z; skip", "28: only global variables can be hidden");
    accept("x[0] = 1; a[x] = m1; t.g[1] = u.h; x = q; q!u; x = -300; run C(u)");
}

#[test]
fn messages_and_arguments_are_counted() {
    refuse("q!1, 2, 3", "16: a message of 3 fields, but no channel has more than 2");
    refuse("q?x, x", "21: `x` receives two fields of one message");
    refuse("run C(1)", "16: process type `C` takes 2 arguments, 1 given");
    let warnings = messages("q!1", Severity::Warning);
    assert_eq!(warnings, ["4:16: the channel's messages have 2 fields, 1 are sent"]);
}

#[test]
fn what_no_state_could_hold_is_refused() {
    let mut session = Session::default();
    let mut text = "typedef R0 { int a[60000] }\n".to_owned();
    for level in 1..5 {
        text += &format!("typedef R{level} {{ R{} a[60000] }}\n", level - 1);
    }
    text += "R4 r; init { skip }";
    let index = session.sources.add("model.pml", &text).expect("a model should fit");
    assert!(compile(&mut session, index).is_none());
    let first = session.diagnostics.iter().next().expect("there should be a message");
    assert_eq!(first.message, "more than 1048576 bytes for one variable");
}

#[test]
fn statements_stand_where_they_may() {
    refuse("break", "16: `break` outside a loop");
    refuse("if :: else :: else fi", "30: only one option may begin with `else`");
    refuse("atomic { l: x = 1 }", "28: label `l` is misplaced: put the label before `atomic`");
    refuse("d_step { run B() }", "25: `run` inside `d_step`");
    refuse("d_step { goto l }; l: skip", "25: a jump must not cross the border of a `d_step`");
    refuse("do :: d_step { x = 1; break } od", "38: a jump must not cross the border of a `d_step`");
    refuse("l: goto l", "19: jumps lead in a circle");
    refuse("np_", "16: `np_` outside a claim");
    refuse("run B() && run B()", "16: an expression may make only one process");
    refuse("skip; chan c = [1] of { byte }; c!1", "27: a channel has to be declared before the first statement");
    refuse("for (x : 3 .. 1) { skip }", "16: the loop begins behind its end");
    refuse("for (x in q) { skip }", "21: `x` is no message of channel `q`");
    accept("l: { x = 1 } unless { x == 2 }; do :: atomic { x = 1; break } od; for (x in a) { skip }");
}
