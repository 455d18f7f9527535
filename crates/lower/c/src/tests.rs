//! Small programs, lowered and run on the reference interpreter.

use unpick_program::interp::{Machine, Options, Stop, Until};
use unpick_program::program::{Program, StmtKind};
use unpick_program::verify::{Form, verify};

use super::{LowerOptions, lower};
use unpick_front_c::analyse;
use unpick_front_c::session::Session;
use unpick_front_c::types::Target;

/// How a run ended, in the notation of the tests.
fn run(sources: &[&str], target: Target) -> String {
    let mut session = Session { target, ..Session::default() };
    let program = match build(&mut session, sources, &LowerOptions::default()) {
        Ok(program) => program,
        Err(messages) => return messages.join("; "),
    };
    execute(&program)
}

fn build(session: &mut Session, sources: &[&str], options: &LowerOptions) -> Result<Program, Vec<String>> {
    let mut units = Vec::new();
    for (number, source) in sources.iter().enumerate() {
        let text = session.sources.add(&format!("{number}.c"), source).expect("a small text should fit");
        units.push(analyse(session, text));
    }
    let program = lower(session, units, options);
    let errors = session.diagnostics.iter().filter(|item| item.severity == unpick_base::Severity::Error);
    let messages: Vec<String> = errors.map(|item| item.message.clone()).collect();
    let program = program.filter(|_| messages.is_empty()).ok_or(messages)?;
    if let Err(faults) = verify(&program, Form::Program) {
        panic!("a lowered program should be well-formed: {}", faults[0]);
    }
    Ok(program)
}

fn execute(program: &Program) -> String {
    let machine = Machine::new(program, Options { is_lazy: false, ..Options::default() });
    let mut state = machine.initial();
    loop {
        match machine.run_silent(&mut state, 0, Until { fuel: 10_000_000, ..Until::NEVER }) {
            Stop::Choice(choice) => machine.pick(&mut state, &choice, 0),
            Stop::TooWide { samples, .. } => machine.pick(&mut state, &samples, 0),
            Stop::Exited { code, is_abort: false } => return format!("exit {code}"),
            Stop::Exited { is_abort: true, .. } => return "abort".to_owned(),
            Stop::Violated(violation) => return format!("{} {}", violation.kind, violation.loc.line),
            Stop::Unmodelled { what, .. } => return format!("unmodelled {what}"),
            other => return format!("{other:?}"),
        }
    }
}

fn check(source: &str, expected: &str) {
    assert_eq!(run(&[source], Target::Lp64), expected, "{source}");
}

fn check_main(body: &str, expected: &str) {
    check(&format!("int main(void) {{ {body} }}"), expected);
}

#[test]
fn undefined_behaviour_is_a_violation_on_its_line() {
    let cases = [
        ("int x = 2147483647;\nx++;\nreturn x;", "overflow 2"),
        ("int x = 65536;\nreturn x * x;", "overflow 2"),
        ("long x = -9223372036854775807L - 1;\nreturn -x != 0;", "overflow 2"),
        ("int x = 0;\nreturn 5 / x;", "division-by-zero 2"),
        ("unsigned x = 0;\nreturn 5 % x;", "division-by-zero 2"),
        ("int x = -2147483647 - 1, y = -1;\nreturn x / y;", "overflow 2"),
        ("int x = 32;\nreturn 1 << x;", "invalid-shift 2"),
        ("long long x = 1LL << 32;\nreturn 1 << x;", "invalid-shift 2"),
        ("int x = -1;\nreturn 8UL >> x;", "invalid-shift 2"),
        ("int a[3], i = 3;\na[i] = 1;\nreturn 0;", "out-of-bounds 2"),
        ("int a[2][3] = {{0}}, i = 3;\nreturn a[0][i];", "out-of-bounds 2"),
        ("int n = 3; int a[n];\na[n] = 1;\nreturn 0;", "out-of-bounds 2"),
        ("int *p = 0;\nreturn *p;", "null-dereference 2"),
        ("int *p; { int x = 3; p = &x; }\nreturn *p;", "use-after-free 2"),
        ("int *p; for (int i = 1; i < 3; i++) { int a[i]; a[0] = 1; p = a; }\nreturn *p;", "use-after-free 2"),
        ("int x;\nif (x) return 1;\nreturn 0;", "uninitialized 2"),
        ("goto in; { int x = 5; in:\nif (x) return 1; }\nreturn 0;", "uninitialized 2"),
        ("double d = 1e10;\nreturn (int)d;", "overflow 2"),
        ("unsigned x = 0;\nreturn __builtin_clz(x);", "invalid-shift 2"),
        ("int x = 1;\nif (x) __builtin_unreachable();\nreturn 0;", "reach-error 2"),
    ];
    for (body, expected) in cases {
        check_main(body, expected);
    }
}

#[test]
fn what_only_looks_undefined_is_not_reported() {
    check_main("signed char c = 127; c++; c += 200; short s = 32767; ++s; return s == -32768 ? c & 1 : 9;", "exit 0");
    check_main("int a[3]; int *end = &a[3]; return end - a;", "exit 3");
    check_main("unsigned x = 0; x--; return x == 4294967295u;", "exit 1");
    let trailing = "struct s { int n; int a[1]; }; char room[40] __attribute__((aligned(8))); \
                    int main(void) { struct s *p = (struct s *)room; p->a[5] = 3; return p->a[5]; }";
    check(trailing, "exit 3");
}

#[test]
fn control_flow() {
    check_main(
        "int s = 0; for (int i = 0; i < 9; i++) { if (i == 3) continue; if (i == 7) break; s += i; } return s;",
        "exit 18",
    );
    check_main("int i = 0; do { if (++i == 5) break; } while (i < 9); return i;", "exit 5");
    check_main(
        "int r = 0; switch (5) { int hidden; case 4 ... 6: hidden = 3; r += hidden; case 9: r++; } return r;",
        "exit 4",
    );
    check_main("int x = -3; switch (x) { case -5 ... 2: return 1; default: return 2; }", "exit 1");
    check_main("void *t[] = { &&a, &&b }; int k = 0; goto *t[k]; a: k = 1; goto *t[k]; b: return k + 6;", "exit 7");
    check_main("static void *t[] = { &&a, &&b }; goto *t[1]; a: return 1; b: return 2;", "exit 2");
    check_main("int n = 4, r = 0; again: r += n; if (--n) goto again; return r;", "exit 10");
    check_main("int x = 3; return (x ?: 9) + (0 ?: 4) + ({ int t = 1; while (t < 5) t *= 2; t; });", "exit 15");
    let duff = "int main(void) { int n = 2, r = 0; switch (7 % 4) { case 0: do { r++; case 3: r++; case 2: r++; case 1: \
                r++; } while (--n > 0); } return r; }";
    check(duff, "exit 7");
}

#[test]
fn values_and_conversions() {
    check_main("_Bool b = 0.3; b += 5; int r = b; b--; r += b; b--; return r * 2 + b;", "exit 3");
    check_main(
        "struct { unsigned a : 3; int b : 4; } s = { 9, 0 }; int r = (s.b = 9); return s.a * 10 - r;",
        "exit 17",
    );
    check_main("union { float f; unsigned u; } u; u.f = 1.0f; return u.u == 0x3f800000;", "exit 1");
    check_main("int a[10] = { [2] = 5, [4 ... 7] = 9, 1 }; return a[2] + a[5] + a[7] + a[8] + a[9];", "exit 24");
    check_main("char s[8] = \"abc\"; return s[2] + s[3] - 'a';", "exit 2");
    check_main("int n = 3; int v[n][n + 1]; n = 100; return sizeof v / sizeof v[0] * 10 + sizeof v[0];", "exit 46");
    check_main("int x; return __builtin_add_overflow(2147483647, 1, &x) && x < 0;", "exit 1");
    check_main("unsigned char r; return __builtin_mul_overflow(16, 16, &r) * 10 + r;", "exit 10");
    check_main("return -7 / 2 * 10 - -7 % 3;", "exit -29");
    check_main("long double x = 1; x /= 4; return x == 0.25L;", "exit 1");
}

#[test]
fn calls() {
    let structs = "struct p { int x, y; }; struct p add(struct p a, struct p b) { a.x += b.x; a.y += b.y; return a; } \
                   int main(void) { struct p a = { 1, 2 }, b = add(a, add(a, a)); return b.x * 10 + b.y + a.x; }";
    check(structs, "exit 37");
    let variadic = "struct p { int x, y; }; int f(int n, ...) { __builtin_va_list l; __builtin_va_start(l, n); int r = 0; \
                    while (n--) r += __builtin_va_arg(l, int); struct p p = __builtin_va_arg(l, struct p); \
                    __builtin_va_end(l); return r + p.y; } \
                    int main(void) { struct p p = { 5, 6 }; return f(3, 1, 2, 3, p); }";
    check(variadic, "exit 12");
    let old_style = "int f(a, b) char a; float b; { return a + (int)b; } int main(void) { return f(3, 2.7f); }";
    check(old_style, "exit 5");
    let pointers = "int add(int a, int b) { return a + b; } int (*table[])(int, int) = { add }; \
                    int main(void) { return (*table[0])(1, 2) + (**table)(3, 4); }";
    check(pointers, "exit 10");
    check("int f(void) { } int main(void) {\nif (f()) return 1; return 0; }", "uninitialized 2");
    let cleanup = "int n; void done(int *p) { n = n * 10 + *p; } int f(void) { int a __attribute__((cleanup(done))) = 1; \
                   { int b __attribute__((cleanup(done))) = 2; if (n == 0) return 5; } return 6; } \
                   int main(void) { return f() + n; }";
    check(cleanup, "exit 26");
}

#[test]
fn units_are_linked() {
    let first = "extern int shared; static int own = 1; int get(void); int common; \
                 int main(void) { return shared * 100 + own * 10 + get() + common; }";
    let second = "int shared = 2; static int own = 3; int get(void) { return own; } int common;";
    assert_eq!(run(&[first, second], Target::Lp64), "exit 213");
    let twice =
        run(&["int f(void) { return 1; } int main(void) { return f(); }", "int f(void) { return 2; }"], Target::Lp64);
    assert_eq!(twice, "`f` is defined twice");
    let conflict = run(&["extern int x; int main(void) { return x; }", "double x = 1;"], Target::Lp64);
    assert_eq!(conflict, "`x` is declared with different types");
    let weak = run(
        &[
            "int f(void) { return 1; } int main(void) { return f(); }",
            "__attribute__((weak)) int f(void) { return 2; }",
        ],
        Target::Lp64,
    );
    assert_eq!(weak, "exit 1");
    assert_eq!(run(&["int f(void) __attribute__((weak)); int main(void) { return f != 0; }"], Target::Lp64), "exit 0");
}

#[test]
fn ilp32_has_small_pointers() {
    let source = "struct s { char c; long long d; void *p; long l; }; int main(void) { int a[3] = { 1, 2, 3 }; \
                  unsigned long x = (unsigned long)a; return sizeof(struct s) + *(int *)(x + 4) + sizeof(long double); }";
    assert_eq!(run(&[source], Target::Ilp32), "exit 34");
}

#[test]
fn a_missing_entry_names_the_others() {
    let mut session = Session::default();
    let options = LowerOptions { entry: "helpr".to_owned(), ..LowerOptions::default() };
    let messages = build(&mut session, &["int helper(int x) { return x; }"], &options).expect_err("there is no entry");
    assert_eq!(messages, ["there is no function `helpr` to start with"]);
    let help = session.diagnostics.iter().last().and_then(|item| item.help.clone()).expect("there should be help");
    assert!(help.starts_with("did you mean `helper`?"), "{help}");
}

#[test]
fn a_function_without_body_is_noted_and_unused_ones_are_not_lowered() {
    let source =
        "int unknown(int x); int idle(void) { return unheard_of(); } int main(void) { return unknown(3) == 3; }";
    let mut session = Session::default();
    let program = build(&mut session, &[source], &LowerOptions::default()).expect("the program should be fine");
    assert!(program.functions.iter().all(|function| function.name != "idle" && function.name != "unheard_of"));
    let stub = program.functions.iter().find(|function| function.name == "unknown").expect("there should be a stub");
    assert!(stub.blocks.iter().flat_map(|block| &block.stmts).any(|stmt| matches!(stmt.kind, StmtKind::Note(_))));
}

#[test]
fn what_has_no_meaning_is_unmodelled_when_reached() {
    check_main("int x = 1; if (x == 2) __asm__(\"ud2\"); __asm__ volatile(\"\" : \"+r\"(x)); return x;", "exit 1");
    check_main("__asm__(\"ud2\"); return 0;", "unmodelled inline assembly `ud2`");
    let vector = "typedef float v __attribute__((vector_size(16))); int main(void) { v a; a++; return 0; }";
    check(vector, "unmodelled a step of a complex number or a vector");
}

#[test]
fn models_join_when_needed() {
    let source = "typedef __typeof__(sizeof 0) size_t; size_t strlen(const char *); void *malloc(size_t); void free(void *); \
                  int main(void) { char *p = malloc(4); p[0] = 'x'; p[1] = 0; int n = strlen(p); free(p); return n; }";
    check(source, "exit 1");
    let own = "int abs(int x) { return x + 40; } int main(void) { return abs(2); }";
    check(own, "exit 42");
    // Ours calls functions of these names inside; the user's objects are none of its business.
    let objects = "int printf(const char *, ...); int write = 3, malloc = 4; \
                   int main(void) { printf(\"%d\", write); return write + malloc; }";
    check(objects, "exit 7");
}
