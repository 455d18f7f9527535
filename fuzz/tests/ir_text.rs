//! The reader of the IR's text form.

use bolero::check;
use unpick_fuzz::effort::effort;
use unpick_fuzz::soup::{Decisions, edited, soup};
use unpick_program::generate;
use unpick_program::text::{parse, print};
use unpick_program::verify::{Form, verify};

const VOCABULARY: &[&str] = &[
    "pointer 8",
    "entry",
    "file 0",
    "shape 0:",
    "global",
    "fn",
    "f",
    "x",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    ":",
    ",",
    "=",
    "->",
    "?",
    "&",
    "*",
    "+",
    "-",
    "/",
    "<",
    "<=",
    "@",
    "@1:2",
    "@0:1:2",
    "@none",
    "#0",
    "#9",
    "reg",
    "slot",
    "r0",
    "r1",
    "r0:",
    "r99999999999",
    "b0",
    "b0:",
    "b1:",
    "b1",
    "slot0",
    "shape0",
    "i1",
    "i32",
    "i128",
    "i129",
    "f64",
    "ptr",
    "as",
    "size",
    "align",
    "int",
    "struct",
    "enum",
    "array of",
    "len",
    "stride",
    "source",
    "unnamed",
    "model",
    "variadic",
    "hex",
    "any",
    "loop",
    "add",
    "add.checked",
    "cmp.slt",
    "zext",
    "to",
    "load",
    "store",
    "call",
    "choose",
    "assert",
    "else",
    "assertion",
    "switch",
    "select",
    "goto",
    "goto *",
    "branch",
    "return",
    "unreachable",
    "exit",
    "cas.seqcst",
    "rmw.add.seqcst",
    "ptradd",
    "null",
    "undef",
    "true",
    "label",
    "of",
    "0",
    "1",
    "-1",
    "0x",
    "0xff",
    "1.5",
    "1e999999",
    "1e",
    "2e-400000",
    "340282366920938463463374607431768211455",
    "340282366920938463463374607431768211456",
    "\"",
    "\"s\"",
    "\"\\x4\"",
    "\"\\u{110000}\"",
    "\"\\u{1F600}\"",
    ";",
    "\n",
    "\u{e9}",
    "bits 0 width 3",
    "=",
    "::",
    "a::b",
    "..",
    "$",
];

/// What holds for whatever text: no panic, and what reads prints to something that reads the same.
fn read(text: &str) {
    let Ok(program) = parse(text) else { return };
    let _ = verify(&program, Form::Program);
    let printed = print(&program);
    match parse(&printed) {
        Ok(again) => assert!(again == program, "reads back differently:\n{printed}"),
        Err(errors) => panic!("does not read back: {}\n{printed}", errors[0]),
    }
}

#[test]
fn arbitrary_bytes() {
    let (n_inputs, time) = effort(2000);
    check!().with_iterations(n_inputs).with_test_time(time).for_each(|bytes| read(&String::from_utf8_lossy(bytes)));
}

#[test]
fn token_soup() {
    let (n_inputs, time) = effort(2000);
    check!().with_iterations(n_inputs).with_test_time(time).for_each(|bytes| read(&soup(VOCABULARY, bytes)));
}

#[test]
fn generated_programs() {
    let (n_inputs, time) = effort(500);
    check!().with_iterations(n_inputs).with_test_time(time).for_each(|bytes| {
        let program = generate::program(bytes);
        assert_eq!(verify(&program, Form::Program), Ok(()));
        let text = print(&program);
        assert!(parse(&text) == Ok(program), "does not read back:\n{text}");
    });
}

#[test]
fn edited_programs() {
    let (n_inputs, time) = effort(500);
    check!().with_iterations(n_inputs).with_test_time(time).for_each(|bytes: &[u8]| {
        let (edits, program) = bytes.split_at(bytes.len().min(24));
        let text = print(&generate::program(program));
        read(&edited(&text, VOCABULARY, &mut Decisions(edits)));
    });
}
