//! The text form of models: round trips, and texts that are refused.

use proptest::prelude::*;

use super::{MAX_NESTING, parse, print};
use crate::{Expr, Model, Step};

/// Everything that a model can have, in the form in which it is printed.
const WHOLE: &str = r#"automaton last priority undoes beside_claim has_code
hidden size 8
mtype "" (red, "not a word", "ü\u{1}\\\"")
mtype process (channel)
channel c0: 2 of byte mtype 0, short, unsigned5 @1-2
channel c1: 0 of
channel c2: 1 of bit bare
globals size 30 {
  channel c0
  channel c1
  init global0.byte = channel 1
  init global1.int = -2147483648
  var "a[0].b" global5[1 of 3 by 2 @7-9].byte mtype 1 @3-4
}
code {
  expression code0 in p0 requires "x > 0" @1-2 "x\n+ 1" @3-4
  statements code1 "x++;"
  declaration "int x;" @5-6
  text "\t/* \"quoted\" */"
  state ("int a", "Global" @7-8) @9-10
  track ("&x", "sizeof(int)", "UnMatched")
  record Pair size 4 {
    x local0.byte
    y local1.byte times 3 @1-2
  }
  globals {
    pair global4.record 0 times 2 @11-12
  }
  locals {
  }
  locals {
    i local0.unsigned9
  }
  memory global26 hidden4
}
proctype p0 P size 3 deterministic @1-2 {
  channel c0
  init local0.byte = channel 0
  var i local1.short
  param local1.short
  provided !global0.byte && ((pid == 1) || enabled pid)
  start l1
  label again l1
  label "with space" l0
  l0:
  l1 end accept progress d_step @1-2:
    skip -> l1 #0
    when (1 + 2 - 3) << (4 * 5) -> l1 atomic escape l1 #1 @1-2
    global0.byte = global0.byte ? 1 : (local0.byte ? 2 : 3) -> l1 #2
    send global0.byte () -> l1 #3
    send sorted (local0.byte + 1) (1, -(2), last) -> l1 #4
    receive global0.byte (-> local0.byte, 4, -> nowhere0.int, !pid) -> l1 #5
    receive random copy global0.byte () @5-6 -> l1 #6
    assert timeout || nonprogress || poll random copy local0.byte (1) @1-2 || poll local0.byte () -> l1 #7
    print "\"%d\\n\"" (1, run p1 (2, 3) priority 4 @5-6, run p1 () priority 1) -> l1 #8
    print global0.byte mtype -> l1 #9
    print global0.byte + 1 mtype 1 -> l1 #10
    set_priority pid to priority_of pid + priority -> l1 #11
    execute code1 -> l1 #12
    when value code0 @1-2 == value code0 -> l1 #13
    d_step l1 -> l1 #14
    when at p1[pid + 1] l1 || at p1 l0 || remote p1[0] local0[remote p1 local0.bit of 2 by 1].byte -> l1 #15
    when len global0.byte + full global0.byte + ~nfull (empty 1 && nempty 2) -> l1 #16
    when location_of 3 == processes -> l1 #17
    else -> l1 #18
    end #19
}
proctype p1 ":init:" size 0 {
}
process p1 priority 1
process p0 priority 255
claim never stutter_invariant @1-2 {
  start l0
  l0:
}
claim c formula "[] \"p\"" {
}
trace {
  l0:
}
notrace {
}
"#;

#[test]
fn everything_is_printed_as_it_is_read() {
    let model = parse(WHOLE).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(print(&model), WHOLE);
    assert_eq!(parse(&print(&model)), Ok(model));
}

#[test]
fn nothing_is_the_smallest_model() {
    assert_eq!(parse("automaton"), Ok(Model::default()));
    assert_eq!(print(&Model::default()), "automaton\n");
}

fn condition(text: &str) -> Result<Expr, String> {
    let text = format!("automaton proctype p0 P size 0 {{ l0: when {text} -> l0 #0 }}");
    let mut model = parse(&text).map_err(|error| error.message)?;
    match model.proctypes.iter_mut().next().map(|proctype| proctype.automaton.locations.iter_mut().next()) {
        Some(Some(location)) => match location.transitions.remove(0).step {
            Step::Condition(expr) => Ok(expr),
            step => Err(format!("{step:?}")),
        },
        _ => Err("no location".to_owned()),
    }
}

#[test]
fn rows_are_read_from_the_left_and_kinds_do_not_mix() {
    assert_eq!(condition("1 - 2 - 3"), condition("(1 - 2) - 3"));
    assert_ne!(condition("1 - 2 - 3"), condition("1 - (2 - 3)"));
    assert_eq!(condition("1 + 2 * 3"), Err("`+` and `*` need parentheses".to_owned()));
}

#[test]
fn a_minus_belongs_to_its_number() {
    assert_eq!(condition("-2147483648"), Ok(Expr::Const(i32::MIN)));
    assert_eq!(condition("2147483648"), Err("this number does not fit 32 bits with sign".to_owned()));
    assert_ne!(condition("-(5)"), condition("-5"));
}

#[test]
fn mistakes_have_a_line() {
    let error =
        parse("automaton\n\nproctype p0 P size 1 {\n  l0:\n  l2:\n}").expect_err("locations should be in order");
    assert_eq!(error.to_string(), "5:3: locations are numbered in order; this one is l1");
    let error = parse("automaton\nglobals size 99999999999 {").expect_err("the number should be too large");
    assert_eq!(error.to_string(), "2:14: this number is too large");
    assert_eq!(parse("automaton \"").expect_err("the string should have an end").column, 11);
}

/// Deep nesting in every way that expressions nest.
#[test]
fn deep_texts_are_refused_and_tall_ones_read() {
    let deep = |n: usize| {
        let row = format!("1{}", " + 1".repeat(n));
        let inside = format!("{}1{}", "(1 + ".repeat(n), ")".repeat(n));
        let unary = format!("{}1", "!".repeat(n));
        let cases = format!("{}1{}", "1 ? 2 : (".repeat(n), ")".repeat(n));
        let index = format!("{}1{}", "global0[".repeat(n), " of 2 by 1].byte".repeat(n));
        let rows = format!("{}1{}", "(".repeat(n), " + 1 + 1 + 1)".repeat(n));
        let calls = format!("{}{}", "run p0 (".repeat(n), ") priority 1".repeat(n));
        [row, inside, unary, cases, index, rows, calls]
    };
    let limit = MAX_NESTING as usize;
    for text in deep(limit / 3 - 10) {
        let expr = condition(&text).unwrap_or_else(|error| panic!("{error} in {}", &text[..40]));
        let mut model = Model::default();
        model.globals.init.push(crate::FrameInit::Value(
            crate::Place { scope: crate::Scope::Global, offset: 0, indices: Vec::new(), scalar: crate::Scalar::Byte },
            expr,
        ));
        assert_eq!(parse(&print(&model)), Ok(model));
    }
    for text in deep(limit * 40) {
        let refused = format!("expressions nest no deeper than {limit} levels");
        assert!(condition(&text).is_err_and(|error| error == refused), "{}", &text[..40]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    /// Damaged texts are read or refused; what is read is printed and read again.
    #[test]
    fn damaged_texts_do_no_harm(changes in prop::collection::vec((any::<prop::sample::Index>(), 0..4_u8, any::<prop::sample::Index>()), 1..6)) {
        let mut words: Vec<&str> = WHOLE.split_inclusive(|letter: char| !letter.is_ascii_alphanumeric()).collect();
        for (at, how, other) in changes {
            let (at, other) = (at.index(words.len()), other.index(words.len()));
            match how {
                0 if words.len() > 1 => { words.remove(at); }
                0 | 1 => words.insert(at, words[other]),
                2 => words.swap(at, other),
                _ => words.truncate(at.max(1)),
            }
        }
        if let Ok(model) = parse(&words.concat()) {
            prop_assert_eq!(parse(&print(&model)), Ok(model));
        }
    }

    #[test]
    fn any_text_does_no_harm(text in "(automaton)?[ -~\n]{0,60}") {
        let _ = parse(&text);
    }
}
