//! Differential test of constant expressions: random ones, evaluated by us and by gcc.

use std::process::Command;

use unpick_front_c::ast::{DeclKind, ExprId, Init, Unit};
use unpick_front_c::consteval::{AddressBase, ConstValue, ExprView, eval_const};
use unpick_front_c::session::Session;
use unpick_front_c::types::Target;

use crate::front;
use crate::random::Random;

const COUNT: usize = 800;

/// Types of the constants, with the bytes that count.
const TYPES: [(&str, usize); 16] = [
    ("_Bool", 1),
    ("char", 1),
    ("signed char", 1),
    ("unsigned char", 1),
    ("short", 2),
    ("unsigned short", 2),
    ("int", 4),
    ("unsigned int", 4),
    ("long", 8),
    ("unsigned long", 8),
    ("long long", 8),
    ("__int128", 16),
    ("unsigned __int128", 16),
    ("float", 4),
    ("double", 8),
    ("long double", 10),
];

#[test]
fn constants_have_gccs_values() {
    let seed = std::env::var("UNPICK_CONSTANT_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1);
    let mut random = Random::new(seed);
    let constants: Vec<(usize, String)> =
        (0..COUNT).map(|_| (random.below(TYPES.len() as u64) as usize, expression(&mut random, 4))).collect();
    let ours: String =
        constants.iter().enumerate().map(|(n, (ty, text))| format!("{} v{n} = {text};\n", TYPES[*ty].0)).collect();
    let Some(image) = gcc_image(&constants) else {
        eprintln!("gcc or objcopy is missing: nothing compared");
        return;
    };
    let (unit, session) = front::analyse(&ours, "constants.c", Target::Lp64).expect("the constants should be C");
    let view = ExprView { types: &unit.types, exprs: &unit.exprs, decls: &unit.decls };
    let mut failures = Vec::new();
    for (number, (ty, text)) in constants.iter().enumerate() {
        let init = initialiser(&unit, &session, &format!("v{number}"));
        let bytes = match eval_const(&view, init) {
            Some(ConstValue::Int(value)) => value.to_le_bytes(),
            Some(ConstValue::Float { bits, .. }) => bits.to_le_bytes(),
            Some(ConstValue::Address { .. }) | None => {
                failures.push(format!("{} {text}: not a constant", TYPES[*ty].0));
                continue;
            }
        };
        let n_bytes = TYPES[*ty].1;
        let gcc = &image[number * 16..number * 16 + n_bytes];
        if gcc != &bytes[..n_bytes] {
            failures.push(format!("{} {text}: gcc {gcc:02x?}, we {:02x?}", TYPES[*ty].0, &bytes[..n_bytes]));
        }
    }
    failures.truncate(10);
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// The expression a variable is initialised with.
fn initialiser(unit: &Unit, session: &Session, name: &str) -> ExprId {
    let decl = unit.decls.iter().find(|decl| session.interner.name(decl.name) == name);
    let Some(DeclKind::Var(var)) = decl.map(|decl| &decl.kind) else { panic!("{name} should be declared") };
    let Some(Init::Expr(init)) = var.init else { panic!("{name} should be initialised") };
    init
}

#[test]
fn addresses_are_a_base_and_an_offset() {
    let text = "int a[10]; struct s { char c; int x[3]; } s; int f(void); extern int weak __attribute__((weak));
        int *element = &a[3]; char *text = \"abc\" + 1; long member = (long)&s.x[2]; int *absolute = (int *)16;
        unsigned long offset = (unsigned long)&((struct s *)0)->x[1]; int distance = &a[5] - &a[2];
        int order = &a[1] > &a[0]; _Bool truth = &a; int (*function)(void) = f; void *null = 0;
        int *literal = (int[]){1, 2} + 1; int same = &a[0] == 0 ? 1 : 2; char letter = \"abc\"[1];
        const int constant = 7; int copy = constant; char *back = (char *)(long)&a + 4;";
    let (unit, session) = front::analyse(text, "addresses.c", Target::Lp64).expect("the text should be C");
    let view = ExprView { types: &unit.types, exprs: &unit.exprs, decls: &unit.decls };
    let shown = |name: &str| match eval_const(&view, initialiser(&unit, &session, name)) {
        Some(ConstValue::Int(value)) => value.to_string(),
        Some(ConstValue::Address { base, offset }) => {
            let base = match base {
                AddressBase::Null => "null",
                AddressBase::Decl(decl) => session.interner.name(unit.decls[decl].name),
                AddressBase::Str(_) => "string",
                AddressBase::CompoundLiteral(_) => "literal",
                AddressBase::Label(_) => "label",
            };
            format!("{base}+{offset}")
        }
        Some(ConstValue::Float { .. }) | None => "nothing".to_owned(),
    };
    for (name, expected) in [
        ("element", "a+12"),
        ("text", "string+1"),
        ("member", "s+12"),
        ("absolute", "null+16"),
        ("offset", "8"),
        ("distance", "3"),
        ("order", "1"),
        ("truth", "1"),
        ("function", "f+0"),
        ("null", "null+0"),
        ("literal", "literal+4"),
        ("same", "2"),
        ("letter", "98"),
        ("copy", "7"),
        ("back", "a+4"),
    ] {
        assert_eq!(shown(name), expected, "{name}");
    }
}

/// Sixteen bytes for each constant, as gcc lays them into its object file.
fn gcc_image(constants: &[(usize, String)]) -> Option<Vec<u8>> {
    let mut members = String::new();
    let mut values = String::new();
    for (number, (ty, text)) in constants.iter().enumerate() {
        members.push_str(&format!("    union {{ {} value; char room[16]; }} m{number};\n", TYPES[*ty].0));
        values.push_str(&format!("    .m{number}.value = {text},\n"));
    }
    let text = format!(
        "struct __attribute__((packed)) data {{\n{members}}};\n\
         struct data data __attribute__((section(\"measure\"))) = {{\n{values}}};\n"
    );
    let folder = front::folder("consteval");
    let [source, object, image] = ["constants.c", "constants.o", "constants.bin"].map(|name| folder.join(name));
    std::fs::write(&source, text).expect("the folder for temporary files should be writable");
    let output = Command::new("gcc").args(["-w", "-c", "-o"]).arg(&object).arg(&source).output().ok()?;
    assert!(output.status.success(), "gcc should take the constants:\n{}", String::from_utf8_lossy(&output.stderr));
    Command::new("objcopy").args(["-O", "binary", "-j", "measure"]).arg(&object).arg(&image).output().ok()?;
    Some(std::fs::read(&image).expect("objcopy should have written the image"))
}

/// An expression of arithmetic type without undefined behaviour that gcc would refuse to fold.
fn expression(random: &mut Random, depth: u32) -> String {
    if depth == 0 || random.percent(15) {
        return literal(random);
    }
    let mut operand = || expression(random, depth - 1);
    let (a, b) = (operand(), operand());
    match random.below(24) {
        0..=2 => format!("({a} + {b})"),
        3..=4 => format!("({a} - {b})"),
        5..=6 => format!("({a} * {b})"),
        7 => format!("({a} / {})", nonzero(random)),
        8 => format!("({} % {})", integer(random, depth - 1), 1 + random.below(100)),
        9 => format!("({} << {})", integer(random, depth - 1), random.below(31)),
        10 => format!("({} >> {})", integer(random, depth - 1), random.below(31)),
        11 => format!("({} & {})", integer(random, depth - 1), integer(random, depth - 1)),
        12 => format!("({} | {})", integer(random, depth - 1), integer(random, depth - 1)),
        13 => format!("({} ^ {})", integer(random, depth - 1), integer(random, depth - 1)),
        14 => format!("(~{})", integer(random, depth - 1)),
        15 => format!("(-{a})"),
        16 => format!("(!{a})"),
        17 => {
            let op = ["<", ">", "<=", ">=", "==", "!="][random.below(6) as usize];
            format!("({a} {op} {b})")
        }
        18 => format!("({a} ? {b} : {})", literal(random)),
        19 => format!("({a} && {b})"),
        20 => format!("({a} || {b})"),
        21 => format!("(({}){})", INTEGERS[random.below(13) as usize], integer(random, depth - 1)),
        22 => format!("(({}){a})", ["float", "double", "long double"][random.below(3) as usize]),
        _ => builtin(random, depth),
    }
}

const INTEGERS: [&str; 13] = [
    "_Bool",
    "char",
    "signed char",
    "unsigned char",
    "short",
    "unsigned short",
    "int",
    "unsigned",
    "long",
    "unsigned long",
    "long long",
    "__int128",
    "unsigned __int128",
];

fn builtin(random: &mut Random, depth: u32) -> String {
    // gcc folds no built-in whose argument overflows.
    let a = format!("({} ^ {})", integer_literal(random), integer_literal(random));
    match random.below(8) {
        0 => format!("__builtin_popcount({a})"),
        1 => format!("__builtin_clz(1u | {a})"),
        2 => format!("__builtin_ctzl(64ul | {a})"),
        3 => format!("__builtin_bswap32({a})"),
        4 => format!("__builtin_bswap64({a})"),
        5 => format!("__builtin_parityll({a})"),
        6 => format!("__builtin_ffs({a})"),
        _ => format!("__builtin_fabs({})", expression(random, depth - 1)),
    }
}

/// An expression of integer type.
fn integer(random: &mut Random, depth: u32) -> String {
    if depth == 0 || random.percent(40) {
        return integer_literal(random);
    }
    let (a, b) = (integer(random, depth - 1), integer(random, depth - 1));
    let op = ["+", "-", "*", "&", "|", "^", "<", "==", "&&"][random.below(9) as usize];
    format!("({a} {op} {b})")
}

fn integer_literal(random: &mut Random) -> String {
    let bits = 1 + random.below(40);
    let value = random.below(1 << bits);
    let suffix = ["", "", "u", "L", "UL", "ull", "LL"][random.below(7) as usize];
    match random.below(6) {
        0 => format!("{value:#x}{suffix}"),
        1 => format!("({}){value}", INTEGERS[random.below(13) as usize]),
        2 => format!("0{value:o}{suffix}"),
        _ => format!("{value}{suffix}"),
    }
}

fn literal(random: &mut Random) -> String {
    if random.percent(65) { integer_literal(random) } else { nonzero(random) }
}

fn nonzero(random: &mut Random) -> String {
    let suffix = ["", "f", "L"][random.below(3) as usize];
    match random.below(5) {
        0 => format!("0x{:x}.{:x}p{}{suffix}", 1 + random.below(99), random.below(9999), random.below(40) as i64 - 20),
        1 => format!("{}e{}{suffix}", 1 + random.below(999), random.below(40) as i64 - 20),
        2 => format!("{}", 1 + random.below(1000)),
        _ => format!("{}.{}{suffix}", random.below(99), 1 + random.below(999_999)),
    }
}
