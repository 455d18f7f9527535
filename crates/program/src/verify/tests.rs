//! Tests of the verifier: the smallest program that breaks each rule.

use super::{Form, verify};
use crate::program::*;
use crate::text::parse;

/// Names of the rules a text breaks, each once.
fn broken(text: &str, form: Form) -> Vec<&'static str> {
    let program = parse(text).unwrap_or_else(|errors| panic!("the text should be readable: {}", errors[0]));
    rules(&program, form)
}

fn rules(program: &Program, form: Form) -> Vec<&'static str> {
    let faults = verify(program, form).err().unwrap_or_default();
    let mut rules: Vec<&'static str> = faults.into_iter().map(|fault| fault.rule).collect();
    rules.dedup();
    rules
}

/// A function that every case puts its instructions into.
fn with_body(body: &str) -> String {
    format!(
        "entry main\nglobal x: size 8 align 8\nfn main() {{\n  reg r0 r1: i32\n  reg r2: ptr\n  reg r3: i1\n  reg r4: f64\n  reg r5: i64\nb0:\n{body}\n}}\nfn two(r0, r1) -> i32 {{\n  reg r0 r1: i32\nb0:\n  return r0\n}}\n"
    )
}

#[test]
fn instructions() {
    let cases = [
        ("  r0 = add i32 r0, r5\n  return", "type"),
        ("  r5 = add i32 r0, r1\n  return", "type"),
        ("  r0 = r2\n  return", "type"),
        ("  store i32 r5 -> r2\n  return", "type"),
        ("  r0 = load r1\n  return", "type"),
        ("  assume r0\n  return", "type"),
        ("  memcopy r2 -> r2 bytes r0\n  return", "type"),
        ("  branch r0 ? b0 : b0", "type"),
        ("  r4 = add f64 r4, r4\n  return", "operation"),
        ("  r0 = fadd i32 r0, r1\n  return", "operation"),
        ("  r0 = and.checked i32 r0, r1\n  return", "operation"),
        ("  r3 = sdiv.overflows.signed i32 r0, r1\n  return", "operation"),
        ("  r3 = cmp.slt ptr r2, r2\n  return", "operation"),
        ("  r5 = trunc i32 r0 to i64\n  return", "operation"),
        ("  r0 = bitcast f64 r4 to i32\n  return", "operation"),
        ("  r5 = ptrdiff r2, r2 / 0\n  return", "operation"),
        ("  r0 = loadbits r2 bits 8 width 1\n  return", "bits"),
        ("  r0 = loadbits r2 bits 0 width 33\n  return", "bits"),
        ("  r0 = choose 5 to 4 \"x\"\n  return", "range"),
        ("  r0 = choose -1 to 4294967295 \"x\"\n  return", "range"),
        ("  r4 = choose 0 to 1 \"x\"\n  return", "range"),
        ("  call two(r0)\n  return", "call"),
        ("  call two(r0, r5)\n  return", "call"),
        ("  r5 = call two(r0, r1)\n  return", "call"),
        ("  r0 = call main()\n  return", "call"),
        ("  return r0", "return"),
        ("  switch i32 r0 { 5 to 4 -> b0, else b0 }", "switch"),
        ("  switch i32 r0 { 1 to 4 -> b1, 4 -> b1, else b1 }\nb1:\n  return", "switch"),
        ("  r2 = label b0 of main\n  goto *r2 []", "indirect"),
        ("  r0, r0 = cas.seqcst r2 expect 0 set 1\n  return", "type"),
        ("  r2 = alloc.heap 8 align 3 zero\n  return", "object"),
        ("  goto b1\nb1:\n  goto b0", "loop"),
    ];
    for (body, rule) in cases {
        let found = broken(&with_body(body), Form::Program);
        assert_eq!(found.first(), Some(&rule), "{body}: {found:?}");
    }
}

#[test]
fn what_is_fine() {
    let bodies = [
        "  return",
        "  r0 = choose -2147483648 to 2147483647 \"x\"\n  return",
        "  r0 = choose 0 to 4294967295 \"x\"\n  return",
        "  switch i32 r0 { 9 -> b1, 1 to 4 -> b1, -1 -> b1, else b1 }\nb1:\n  return",
        "  goto b1\nb1: loop\n  branch r3 ? b1 : b2\nb2:\n  return",
        "  r2 = label b1 of main\n  goto *r2 [b1]\nb1:\n  return",
        "  r5 = zext i32 r0 to i64\n  call *r2(r0, i8 7)\n  return",
    ];
    for body in bodies {
        assert_eq!(broken(&with_body(body), Form::Program), [""; 0], "{body}");
    }
}

#[test]
fn items() {
    let cases = [
        ("pointer 3\n", "pointer-size"),
        ("", "entry"),
        ("entry f\nfn f(r0) {\n  reg r0: i32\nb0:\n  return\n}\n", "entry"),
        ("entry #0\nfn f() {\nb0:\n  return\n}\nfn f() {\nb0:\n  return\n}\n", "name"),
        ("global x: size 1 align 3\n", "object"),
        ("global x: size 1 align 1 = \"ab\"\n", "object"),
        ("global x: size 12 align 8 = {4: &x, 8: &x}\n", "object"),
        ("shape 0: array of shape0 len 2 stride 1\n", "shape"),
        ("shape 0: int \"int\" size 0 signed\n", "shape"),
        ("fn f() {\n}\n", "id"),
        ("fn f(r0, r0) {\n  reg r0: i32\nb0:\n  return\n}\n", "parameter"),
        ("fn f(r0) variadic {\n  reg r0: i32\nb0:\n  return\n}\n", "parameter"),
    ];
    for (text, rule) in cases {
        let text = if text.contains("entry") || rule == "entry" {
            text.to_string()
        } else {
            format!("{text}entry main\nfn main() {{\nb0:\n  return\n}}\n")
        };
        let found = broken(&text, Form::Program);
        assert!(found.contains(&rule), "{text}: {found:?}");
    }
}

/// Who notices that a text breaks a rule.
enum By {
    Verifier,
    /// The reader, with a message that says this: such a program has no text.
    Reader(&'static str),
}

/// A program whose items are given, besides a function in which it starts.
fn with_items(items: &str) -> String {
    format!("entry main\n{items}fn main() {{\nb0:\n  return\n}}\n")
}

/// For each numbered rule of the head the smallest text that breaks it.
fn broken_rules() -> Vec<(usize, &'static str, String, By)> {
    use By::{Reader, Verifier};
    let (body, items) = (with_body, with_items);
    vec![
        (1, "pointer-size", items("pointer 3\n"), Verifier),
        (2, "entry", "fn f() {\nb0:\n  return\n}\n".into(), Verifier),
        (3, "entry", "entry f\nfn f(r0) {\n  reg r0: i32\nb0:\n  return\n}\n".into(), Verifier),
        (4, "name", items("global x: size 1 align 1\nglobal x: size 1 align 1\n"), Verifier),
        (5, "name", items("fn f() {\nb0:\n  return\n}\nfn f() {\nb0:\n  return\n}\n"), Verifier),
        (6, "location", body("  return @7:1:1"), Reader("there is no file")),
        (7, "shape", items("global x: size 1 align 1 as shape3\n"), Reader("shape")),
        (8, "shape", items("shape 0: array of shape0 len 2 stride 1\n"), Verifier),
        (9, "shape", items("shape 0: int \"int\" size 17 signed\n"), Verifier),
        (10, "shape", items("shape 0: float i32\n"), Verifier),
        (11, "object", items("global x: size 1 align 3\n"), Verifier),
        (12, "object", items("global x: size 1 align 1 = \"ab\"\n"), Verifier),
        (13, "object", items("global x: size 12 align 8 = {4: &x, 8: &x}\n"), Verifier),
        (14, "device", items("global x: size 4 align 4 threadlocal device held held\n"), Verifier),
        (15, "device", items("global x: size 4 align 4 device any held = \"ab\"\n"), Verifier),
        (16, "device", items("global x: size 4 align 4 device at 0 held held\n"), Verifier),
        (
            17,
            "device",
            items("global x: size 4 align 4 device at 16 held held\nglobal y: size 4 align 4 device at 18 held held\n"),
            Verifier,
        ),
        (18, "address", body("  r2 = &nothing\n  return"), Reader("there is no global")),
        (19, "id", items("fn f() {\n}\n"), Verifier),
        (20, "id", body("  goto b7"), Reader("there is no block")),
        (21, "id", body("  r3, r3 = cas.seqcst r2 expect 0 set 1\n  return"), Verifier),
        (22, "parameter", items("fn f(r0, r0) {\n  reg r0: i32\nb0:\n  return\n}\n"), Verifier),
        (23, "parameter", items("fn f(r0) variadic {\n  reg r0: i32\nb0:\n  return\n}\n"), Verifier),
        (24, "type", items("fn f() {\n  reg r0: i129\nb0:\n  return\n}\n"), Reader("expected a type")),
        (25, "type", body("  assume r0\n  return"), Verifier),
        (26, "type", body("  r5 = add i32 r0, r1\n  return"), Verifier),
        (27, "constant", body("  assume 2\n  return"), Reader("fit")),
        (28, "operation", body("  r0 = fadd i32 r0, r1\n  return"), Verifier),
        (29, "operation", body("  r0 = and.checked i32 r0, r1\n  return"), Verifier),
        (30, "operation", body("  r3 = sdiv.overflows.signed i32 r0, r1\n  return"), Verifier),
        (31, "operation", body("  r3 = cmp.slt ptr r2, r2\n  return"), Verifier),
        (32, "operation", body("  r5 = trunc i32 r0 to i64\n  return"), Verifier),
        (33, "operation", body("  r5 = ptrdiff r2, r2 / 0\n  return"), Verifier),
        (34, "bits", body("  r0 = loadbits r2 bits 8 width 1\n  return"), Verifier),
        (35, "bits", body("  r0 = loadbits r2 bits 0 width 33\n  return"), Verifier),
        (36, "range", body("  r0 = choose 5 to 4 \"x\"\n  return"), Verifier),
        (37, "call", body("  call two(r0)\n  return"), Verifier),
        (38, "call", body("  call two(r0, r5)\n  return"), Verifier),
        (39, "call", body("  r0 = call main()\n  return"), Verifier),
        (40, "call", body("  r0 = spawn two(r0)\n  return"), Verifier),
        (41, "return", items("fn f() -> i32 {\n  reg r0: i64\nb0:\n  return r0\n}\n"), Verifier),
        (42, "return", body("  return r0"), Verifier),
        (43, "switch", body("  switch f64 r4 { else b0 }"), Reader("only integers")),
        (44, "switch", body("  switch i32 r0 { 5 to 4 -> b1, else b1 }\nb1:\n  return"), Verifier),
        (45, "switch", body("  switch i32 r0 { 1 to 4 -> b1, 4 -> b1, else b1 }\nb1:\n  return"), Verifier),
        (46, "indirect", body("  r2 = label b1 of main\n  goto *r2 []\nb1:\n  return"), Verifier),
        (47, "indirect", body("  r2 = label b1 of main\n  goto *r2 [b1, b1]\nb1:\n  return"), Verifier),
        (48, "loop", body("  goto b1\nb1:\n  goto b0"), Verifier),
    ]
}

#[test]
fn every_rule_of_the_head_is_checked() {
    let head = include_str!("../verify.rs");
    let rules = broken_rules();
    for (at, (number, rule, text, by)) in rules.iter().enumerate() {
        assert_eq!(*number, at + 1, "rules should be in order");
        assert!(head.contains(&format!("//! {number}. `{rule}`: ")), "rule {number} should be `{rule}` in the head");
        match by {
            By::Verifier => {
                let found = broken(text, Form::Program);
                assert_eq!(found, [*rule], "rule {number}: {text}");
            }
            By::Reader(message) => {
                let errors = parse(text).expect_err("the text should not be readable");
                assert!(errors.iter().any(|error| error.message.contains(message)), "rule {number}: {errors:?}");
            }
        }
    }
    let n_listed = head.lines().filter(|line| line.contains(". `") && line.starts_with("//! ")).count();
    assert_eq!(n_listed, rules.len(), "every rule of the head should have a text");
}

/// What no text can say, the verifier finds in a program made otherwise.
#[test]
fn ids_that_lead_nowhere() {
    let mut program = parse(&with_body("  return")).expect("the text should be readable");
    let block = &mut program.functions[FuncId(0)].blocks[BlockId(0)];
    let nowhere = Loc { file: FileId(7), line: 1, column: 1 };
    block.stmts.push(Stmt { kind: StmtKind::SlotLive(SlotId(9)), loc: nowhere });
    block.stmts.push(Stmt { kind: StmtKind::Assume(Operand::Reg(RegId(99))), loc: Loc::NONE });
    let global = Operand::Address(Address::Global(GlobalId(5), 0));
    block.stmts.push(Stmt { kind: StmtKind::Free { addr: global, kind: AllocKind::Heap }, loc: Loc::NONE });
    block.stmts.push(Stmt { kind: StmtKind::Assume(Operand::Bits(Ty::Int(1), 2)), loc: Loc::NONE });
    block.terminator = Terminator::Goto(BlockId(4));
    assert_eq!(rules(&program, Form::Program), ["location", "id", "address", "constant", "id"]);
    let mut odd = parse(&with_body("  return")).expect("the text should be readable");
    let function = &mut odd.functions[FuncId(0)];
    function.regs.push(Reg { ty: Ty::Int(129), name: None, shape: Some(ShapeId(3)) });
    let (value, default) = (Operand::Reg(RegId(4)), BlockId(0));
    function.blocks[BlockId(0)].loop_head = Some(Loc::NONE);
    function.blocks[BlockId(0)].terminator = Terminator::Switch { value, ty: Ty::F64, cases: Vec::new(), default };
    assert_eq!(rules(&odd, Form::Program), ["type", "shape", "switch"]);
    // Even such a program can be looked at.
    assert!(crate::text::print(&program).contains("live slot9"));
}
