//! The text form of programs: round trips, and texts that are refused.

use proptest::prelude::*;

use super::{TextError, parse, print};
use crate::generate;
use crate::program::*;
use crate::verify::{Form, verify};

fn mistakes(text: &str) -> Vec<(u32, u32, String)> {
    let errors = parse(text).expect_err("the text should be refused");
    errors.into_iter().map(|TextError { line, column, message }| (line, column, message)).collect()
}

#[test]
fn an_empty_text_is_an_empty_program() {
    let program = parse("; nothing\n").expect("comments should be fine");
    assert_eq!(program, Program { pointer_bytes: 8, ..Program::default() });
    assert_eq!(parse(&print(&program)), Ok(program));
}

#[test]
fn every_mistake_is_reported_at_its_place() {
    let text = "entry nobody\nfn f() {\n  reg r0: i32\nb0:\n  r1 = 5\n  r0 = add i32 r0, 5000000000\n  frobnicate\n  goto b7\n}\nshape 1: bool\n";
    let found = mistakes(text);
    let places: Vec<(u32, u32)> = found.iter().map(|(line, column, _)| (*line, *column)).collect();
    assert_eq!(places, [(1, 7), (5, 3), (6, 20), (7, 3), (8, 8), (10, 7)], "{found:?}");
}

#[test]
fn a_broken_switch_does_not_end_the_function() {
    let text = "fn f() {\n  reg r0: i8\nb0:\n  switch i8 r0 {\n    300 -> b0,\n    else b1\n  }\nb1:\n  return\n}\nfn g() {\nb0:\n  goto b9\n}\n";
    let places: Vec<(u32, u32)> = mistakes(text).iter().map(|(line, column, _)| (*line, *column)).collect();
    assert!(places.contains(&(5, 5)) && places.contains(&(13, 8)), "{places:?}");
}

#[test]
fn floats_may_be_written_as_numbers() {
    let text = "fn f() {\n  reg r0: f64\n  reg r1: f80\nb0:\n  r0 = -1.5\n  r1 = 1e10\n  return\n}\n";
    let program = parse(text).expect("the text should be fine");
    let StmtKind::Assign(_, Rvalue::Use(Operand::Bits(Ty::F64, bits))) =
        program.functions[FuncId(0)].blocks[BlockId(0)].stmts[0].kind
    else {
        panic!("an assignment of a constant should be read");
    };
    assert_eq!(f64::from_bits(bits as u64), -1.5);
    assert_eq!(parse(&print(&program)), Ok(program));
}

#[test]
fn equal_names_are_told_apart_by_number() {
    let text =
        "global x: size 1 align 1\nglobal x: size 2 align 1\nfn f() {\n  reg r0: ptr\nb0:\n  r0 = &#1-3\n  return\n}\n";
    let program = parse(text).expect("the text should be fine");
    assert_eq!(parse(&print(&program)), Ok(program));
    assert_eq!(mistakes(&text.replace("#1", "x"))[0].0, 6);
}

#[test]
fn many_mistakes_and_long_lines_stay_cheap() {
    assert_eq!(mistakes(&"!".repeat(1 << 20)).len(), 100);
    assert_eq!(mistakes(&"fn ".repeat(1 << 18)).len(), 1);
    assert!(mistakes(&"fn f() {\n".repeat(1 << 16)).len() <= 100);
    assert!(mistakes(&format!("fn f() {{\nb0:\n{}", "  r1 = r2\n".repeat(1 << 16))).len() <= 100);
}

#[test]
fn generated_programs_use_every_instruction() {
    let words = "load loadbits store storebits memcopy memmove memset output live dead alloc free objectsize call choose \
                 assume assert checkindex note unmodelled rmw cas fence atomic wait spawn self ended \
                 goto branch switch select return exit abort unreachable cmp ptradd ptrdiff zext bswap frint";
    let mut state = 1u64;
    let mut next = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 56) as u8
    };
    let mut text = String::new();
    for _ in 0..200 {
        let decisions: Vec<u8> = (0..2000).map(|_| next()).collect();
        text.push_str(&print(&generate::program(&decisions)));
    }
    let found: std::collections::HashSet<&str> = text.split([' ', '.', '\n']).collect();
    let missing: Vec<&str> = words.split_whitespace().filter(|word| !found.contains(word)).collect();
    assert!(missing.is_empty(), "no generated program has {missing:?}");
}

/// A text with some bytes replaced, removed or doubled.
fn mangle(text: &str, edits: &[(usize, u8, u8)]) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for (at, kind, byte) in edits {
        let at = at % (bytes.len() + 1);
        match kind % 4 {
            0 => bytes.insert(at, *byte),
            1 if at < bytes.len() => {
                bytes.remove(at);
            }
            2 if at < bytes.len() => bytes[at] = *byte,
            _ => bytes.truncate(at.max(bytes.len() / 2)),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn printing_and_reading_is_the_identity(decisions in prop::collection::vec(any::<u8>(), 0..1500)) {
        let program = generate::program(&decisions);
        prop_assert_eq!(verify(&program, Form::Program), Ok(()));
        let text = print(&program);
        match parse(&text) {
            Ok(again) => prop_assert_eq!(again, program),
            Err(errors) => prop_assert!(false, "{}\n{}", errors[0], text),
        }
    }

    #[test]
    fn mangled_text_never_panics(
        decisions in prop::collection::vec(any::<u8>(), 0..800),
        edits in prop::collection::vec((any::<usize>(), any::<u8>(), any::<u8>()), 1..6),
    ) {
        let text = mangle(&print(&generate::program(&decisions)), &edits);
        if let Ok(program) = parse(&text) {
            // What reads back may be ill-formed, but it must print to something that reads the same.
            prop_assert_eq!(parse(&print(&program)), Ok(program.clone()));
            let _ = verify(&program, Form::Program);
        }
    }

    #[test]
    fn arbitrary_text_never_panics(text in "\\PC*") {
        let _ = parse(&text);
    }
}
