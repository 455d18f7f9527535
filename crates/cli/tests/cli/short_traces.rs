//! Executions of one thread are shown short: fewer rounds where fewer are enough, and repeated rounds on one line.

use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository should be there")
}

fn check(name: &str, source: &str, words: &[&str]) -> (String, Option<i32>) {
    let folder = std::env::temp_dir().join(format!("unpick-short-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary folder should be writable");
    let file = folder.join(name);
    std::fs::write(&file, source).expect("a temporary file should be writable");
    let output = Command::new(env!("CARGO_BIN_EXE_unpick"))
        .arg("check")
        .args(words)
        .arg(&file)
        .env("NO_COLOR", "1")
        .output()
        .expect("unpick should start");
    (String::from_utf8_lossy(&output.stdout).into_owned(), output.status.code())
}

/// The number of steps that are shown, and of all.
fn extent(text: &str) -> (usize, usize) {
    let line = text.lines().find(|line| line.starts_with("trace (")).expect("a trace should be shown");
    let numbers: Vec<usize> =
        line.split(|character: char| !character.is_ascii_digit()).filter_map(|word| word.parse().ok()).collect();
    if line.contains(" of ") { (numbers[0], numbers[1]) } else { (numbers[0], numbers[0]) }
}

#[test]
fn the_first_example_shows_its_cause_within_twenty_steps() {
    let source = std::fs::read_to_string(root().join("examples/ring.c")).expect("the example should be there");
    let (text, code) = check("ring.c", &source, &[]);
    assert_eq!(code, Some(1), "{text}");
    let (n_shown, n_steps) = extent(&text);
    assert!(n_shown <= 20 && n_steps < 70, "{text}");
    // Five elements go in, the fifth over the first, and the first that comes out is the fifth.
    assert!(text.contains("(4 more rounds of these") && text.contains("ring.slot[0]: 0 -> 4"), "{text}");
}

#[test]
fn the_repaired_example_is_verified() {
    let source = std::fs::read_to_string(root().join("examples/ring.c")).expect("the example should be there");
    let repaired = source.replace("ring->count > CAPACITY", "ring->count >= CAPACITY");
    assert_ne!(repaired, source);
    let (text, code) = check("repaired.c", &repaired, &[]);
    assert_eq!(code, Some(0), "{text}");
}

/// The violation that was found stays: a shorter execution to another place is no answer.
#[test]
fn a_shorter_execution_ends_in_the_same_violation() {
    let source = "#include <assert.h>\n\
        extern int __VERIFIER_nondet_int(void);\n\
        int main(void)\n{\n\
            int n = 0;\n\
            while (n < 20) {\n\
                int input = __VERIFIER_nondet_int();\n\
                if (input == 0)\n\
                    continue;\n\
                n++;\n\
                if (input == 7)\n\
                    assert(n < 3);\n\
            }\n\
            return 0;\n}\n";
    let (text, code) = check("input.c", source, &[]);
    assert_eq!(code, Some(1), "{text}");
    // Three rounds are enough, and the last of them has to be asked for with a seven.
    let (_, n_steps) = extent(&text);
    assert!(n_steps <= 18, "{text}");
    assert!(text.contains("(2 more rounds of these 5 steps: ") && text.contains("n: 1 -> 3"), "{text}");
}

/// A violation after many rounds that no input can avoid stays as long as it is.
#[test]
fn what_no_input_shortens_stays() {
    let source = "#include <assert.h>\n\
        extern int __VERIFIER_nondet_int(void);\n\
        int main(void)\n{\n\
            int sum = 0, input = __VERIFIER_nondet_int();\n\
            for (int i = 0; i < 50; i++)\n\
                sum++;\n\
            assert(sum != 50 || input != 3);\n\
            return 0;\n}\n";
    let (text, code) = check("fixed.c", source, &[]);
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("more rounds of these 2 steps: ") && text.contains("sum: 1 -> 50"), "{text}");
    let (n_shown, n_steps) = extent(&text);
    assert!(n_shown <= 10 && n_steps > 100, "{text}");
}

#[test]
fn one_state_is_one_state() {
    let (text, code) = check("plain.c", "int main(void) { return 0; }\n", &[]);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("statistics: 1 state, 0 transitions,"), "{text}");
}

#[test]
fn a_condition_that_compares_nothing_has_no_operands() {
    let source = "#include <assert.h>\n\
        static int is_ready(const int *state) { return *state; }\n\
        int main(void) { int state = 0; assert(is_ready(&state)); return 0; }\n";
    let (text, _) = check("none.c", source, &[]);
    assert!(text.contains("assertion `is_ready(&state)` does not hold\n"), "{text}");
}

#[test]
fn bytes_of_an_input_are_one_line() {
    let source = "#include <assert.h>\n\
        extern unsigned char __VERIFIER_nondet_uchar(void);\n\
        int main(void)\n{\n\
            unsigned char data[6];\n\
            for (int i = 0; i < 6; i++)\n\
                data[i] = __VERIFIER_nondet_uchar();\n\
            assert(data[1] != 0x7f || data[2] != 0x45 || data[3] != 200);\n\
            return 0;\n}\n";
    let (text, code) = check("data.c", source, &["--trace", "short", "--width", "200"]);
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("__VERIFIER_nondet_uchar() chose bytes 7f 45 c8"), "{text}");
    // Numbers that are no bytes stay numbers.
    let text = check("numbers.c", &source.replace("unsigned char", "unsigned").replace("uchar", "uint"), &[]).0;
    assert!(text.contains("__VERIFIER_nondet_uint() chose 127, 69, 200"), "{text}");
}
