//! Differential test of data layout: sizes, alignments and offsets of random records, compared with gcc's for both
//! targets.
//!
//! No program runs: all answers stand as constants in one packed object of its own section, which is read
//! out of the object file, so that the 32-bit comparison needs no 32-bit C library. Where a bit-field lies
//! is seen from an object initialised with ones in that field alone.

use std::process::Command;

use unpick_base::Interner;
use unpick_front_c::types::{RecordId, Target, TypeTable};

use crate::front;

mod generate;

const COUNT: u32 = 500;

#[test]
fn records_on_x86_64() {
    compare(Target::Lp64, &[]);
}

#[test]
fn records_on_i386() {
    compare(Target::Ilp32, &["-m32"]);
}

/// A named member as seen from the outermost record.
struct Leaf {
    name: String,
    /// Position in bits.
    position: u64,
    /// Width if it is a bit-field.
    bits: Option<u32>,
}

fn compare(target: Target, flags: &[&str]) {
    let seed = std::env::var("UNPICK_LAYOUT_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1);
    let generated = generate::generate(seed, COUNT, target);
    let records: Vec<(String, RecordId)> = generated
        .records
        .iter()
        .enumerate()
        .map(|(number, &id)| {
            let keyword = if generated.types.records[id].is_union { "union" } else { "struct" };
            (format!("{keyword} T{number}"), id)
        })
        .collect();
    let by_hand = Laid { types: &generated.types, interner: &generated.interner, records };
    compare_with_gcc(&generated.text, &by_hand, target, flags);
    compare_front_end(&generated.text, COUNT as usize, target, flags);
    compare_front_end(WRITTEN, WRITTEN.lines().filter(|line| line.contains(" T")).count(), target, flags);
}

/// Alignment in the places a generator does not think of.
const WRITTEN: &str = "
typedef int int8a __attribute__((aligned(8)));
typedef int int2a __attribute__((aligned(2)));
typedef long long low __attribute__((aligned(4)));
typedef int quad[4] __attribute__((aligned(32)));
typedef struct { char c; int8a i; } inner;
typedef float four __attribute__((vector_size(16)));
struct T1 { char a; int8a b; char c; };
struct T2 { char a; int2a b; char c; };
struct T3 { char a; low b; int2a c[1]; };
struct __attribute__((packed)) T4 { char a; int8a b; int2a c; };
struct T5 { char a; quad b; };
struct T6 { char a; inner b[2]; inner *c; };
struct T7 { char a; four b; };
struct T8 { _Alignas(16) char a, b; _Alignas(long) char c; };
struct T9 { char a; __attribute__((aligned(4))) char b, c __attribute__((aligned(8))); };
struct __attribute__((aligned)) T10 { char a; };
struct T11 { char a; } __attribute__((packed)) __attribute__((aligned(4)));
struct T12 { char a; int (*f)(void); const volatile short b; enum { A, B } c; };
struct T13 { char a; int b : 3, c : 9; unsigned : 0; int d : 30, e; };
union T14 { char a[3]; struct { short b; } c; long double d; };
struct T15 { char a; struct { char b; struct { long long c; }; }; double d; };
struct T16 { char a; _Complex double b; _Complex float c; };
struct T17 { short a; __builtin_va_list b; _Float128 c; };
struct T18 { int8a a; char b; } __attribute__((aligned(2)));
struct T19 { char a; struct T18 b; } ;
struct T20 { int n; struct T20 *next; struct unknown *other; char tail[]; };
struct T21 { char a; int b[0]; };
";

/// Records that have a layout and their names in C.
struct Laid<'a> {
    types: &'a TypeTable,
    interner: &'a Interner,
    records: Vec<(String, RecordId)>,
}

/// Compares the records the front end makes of a text with gcc's.
fn compare_front_end(text: &str, count: usize, target: Target, flags: &[&str]) {
    let (unit, session) = front::analyse(text, "layout.c", target).expect("the text should be C");
    let complete = unit.types.records.iter_enumerated().filter(|(_, record)| record.layout.is_some());
    let records: Vec<(String, RecordId)> = complete
        .filter_map(|(id, record)| {
            let keyword = if record.is_union { "union" } else { "struct" };
            Some((format!("{keyword} {}", session.interner.name(record.tag?)), id))
        })
        .collect();
    assert_eq!(records.len(), count, "every record should be there");
    compare_with_gcc(text, &Laid { types: &unit.types, interner: &session.interner, records }, target, flags);
}

fn compare_with_gcc(text: &str, laid: &Laid<'_>, target: Target, flags: &[&str]) {
    match ask_gcc(&measuring_text(text, laid), flags, target) {
        Some(answers) => check(&answers, laid, text),
        None => eprintln!("gcc {flags:?} or objcopy is missing: nothing compared"),
    }
}

/// The constants: size, alignment, offsets of plain members; then one object for each bit-field.
fn measuring_text(definitions: &str, laid: &Laid<'_>) -> String {
    let (types, interner, records) = (laid.types, laid.interner, &laid.records);
    let mut numbers = String::new();
    let mut members = String::new();
    let mut values = String::new();
    let mut n_numbers = 0;
    for (name, id) in records {
        numbers.push_str(&format!("sizeof({name}), __alignof__({name}), "));
        n_numbers += 2;
        for leaf in leaves(types, interner, *id, 0) {
            if leaf.bits.is_none() {
                numbers.push_str(&format!("__builtin_offsetof({name}, {}), ", leaf.name));
                n_numbers += 1;
            } else {
                members.push_str(&format!("    {name} m_{};\n", leaf.name));
                values.push_str(&format!("    .m_{} = {{.{} = -1}},\n", leaf.name, leaf.name));
            }
        }
    }
    format!(
        "{definitions}struct __attribute__((packed)) data {{\n    unsigned int numbers[{n_numbers}];\n{members}}};\n\
         struct data data __attribute__((section(\"measure\"))) = {{\n    .numbers = {{{numbers}}},\n{values}}};\n"
    )
}

/// The bytes of the measuring object, or nothing if the tools are not there.
fn ask_gcc(text: &str, flags: &[&str], target: Target) -> Option<Vec<u8>> {
    let folder = front::folder(&format!("layout-{target:?}"));
    let [source, object, image] = ["measure.c", "measure.o", "measure.bin"].map(|name| folder.join(name));
    std::fs::write(&source, text).expect("the folder for temporary files should be writable");
    let output = Command::new("gcc").args(flags).args(["-w", "-c", "-o"]).arg(&object).arg(&source).output().ok()?;
    let complaints = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "gcc should take the generated types:\n{complaints}");
    let output =
        Command::new("objcopy").args(["-O", "binary", "-j", "measure"]).arg(&object).arg(&image).output().ok()?;
    assert!(output.status.success(), "objcopy should read the object file");
    Some(std::fs::read(&image).expect("objcopy should have written the image"))
}

fn check(answers: &[u8], laid: &Laid<'_>, text: &str) {
    let (types, interner, records) = (laid.types, laid.interner, &laid.records);
    let mut position = 0;
    let mut number = || {
        let bytes: [u8; 4] = answers[position..position + 4].try_into().expect("four bytes should be four bytes");
        position += 4;
        u64::from(u32::from_le_bytes(bytes))
    };
    let mut failures = Vec::new();
    for (name, id) in records {
        let layout = types.records[*id].layout.expect("a generated record should be complete");
        let gcc = (number(), number());
        if gcc != (layout.size, layout.align) {
            failures.push(format!("{name}: gcc {gcc:?}, we {:?}", (layout.size, layout.align)));
        }
        for leaf in leaves(types, interner, *id, 0).iter().filter(|leaf| leaf.bits.is_none()) {
            let gcc = number() * 8;
            if gcc != leaf.position {
                failures.push(format!("{name}.{}: gcc bit {gcc}, we {}", leaf.name, leaf.position));
            }
        }
    }
    for (name, id) in records {
        let size = types.records[*id].layout.expect("a generated record should be complete").size as usize;
        for leaf in leaves(types, interner, *id, 0) {
            let Some(bits) = leaf.bits else { continue };
            if !failures.is_empty() {
                break;
            }
            let object = &answers[position..position + size];
            position += size;
            let is_set = |bit: u64| object[(bit / 8) as usize] >> (bit % 8) & 1 == 1;
            let set: Vec<u64> = (0..size as u64 * 8).filter(|&bit| is_set(bit)).collect();
            let ours: Vec<u64> = (leaf.position..leaf.position + u64::from(bits)).collect();
            if set != ours {
                failures.push(format!("{name}.{}: gcc bits {set:?}, we {ours:?}", leaf.name));
            }
        }
    }
    assert!(!failures.is_empty() || position == answers.len(), "all answers should have been compared");
    let shown: Vec<String> = failures.iter().take(8).map(|failure| with_definition(failure, text)).collect();
    assert!(failures.is_empty(), "{} differences\n{}", failures.len(), shown.join("\n"));
}

fn with_definition(failure: &str, text: &str) -> String {
    let name = failure.split([':', '.']).next().unwrap_or_default();
    let definition = text.find(&format!("{name} {{")).map_or("", |start| {
        let end = text[start..].find(";\n}").or_else(|| text[start..].find('}')).unwrap_or(0);
        let end = text[start + end..].find(";\n").map_or(text.len(), |more| start + end + more + 4);
        let before = text[..start].rfind("};").unwrap_or(start);
        &text[before..(end + 40).min(text.len())]
    });
    format!("{failure}\n{definition}")
}

fn leaves(types: &TypeTable, interner: &Interner, record: RecordId, base: u64) -> Vec<Leaf> {
    let mut all = Vec::new();
    for field in &types.records[record].fields {
        let position = base + field.offset * 8 + u64::from(field.bit_offset);
        match field.name {
            Some(name) => all.push(Leaf { name: interner.name(name).to_owned(), position, bits: field.bits }),
            None => {
                if let (None, Some(inner)) = (field.bits, types.record_of(field.ty.ty)) {
                    all.extend(leaves(types, interner, inner, position));
                }
            }
        }
    }
    all
}
