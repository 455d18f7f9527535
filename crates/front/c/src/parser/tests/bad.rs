//! Invalid C: the expected message and its place.

use proptest::prelude::*;

use super::super::{MAX_DEPTH, MAX_HEIGHT};
use super::{complaints, on_big_stack, parse};

fn refuse(table: &[(&str, &[&str])]) {
    for (text, want) in table {
        assert_eq!(complaints(text), *want, "{text}");
    }
}

#[test]
fn what_is_missing_is_named_where_it_is_missing() {
    refuse(&[
        ("int f(void) { return 1 }", &["1:23: error: expected `;` after return value, found `}`"]),
        ("void f(int x) {\n  x = 3\n  x = 4;\n}", &["2:8: error: expected `;` after expression, found `x`"]),
        ("int x\nint y;", &["1:6: error: expected `;` after declaration, found `int`"]),
        (
            "struct s { int a; }\nint f(void) { return 0; }",
            &["1:20: error: expected `;` after struct definition, found `int`"],
        ),
        ("void f(int x) { x = (3 + 4; }", &["1:27: error: expected `)` after expression, found `;`"]),
        ("void f(int x) { g(x, 4; }", &["1:23: error: expected `)` after arguments, found `;`"]),
        ("int a[3;", &["1:8: error: expected `]` after array size, found `;`"]),
        ("void f(void) { if 1 ; }", &["1:19: error: expected `(` after `if`, found `1`"]),
        ("void f(void) {", &["1:15: error: expected `}` at the end of the block, found end of file"]),
        ("int a = { 1, 2 ;", &["1:16: error: expected `}` after initialiser, found `;`"]),
        ("void f(void) { do ; }", &["1:21: error: expected `while` after the body of `do`, found `}`"]),
        ("struct s { int a }; int b;", &["1:17: warning: no `;` after the last member"]),
    ]);
}

#[test]
fn what_cannot_stand_here() {
    refuse(&[
        ("int x = ;", &["1:9: error: expected expression, found `;`"]),
        (
            "void f(void) { else ; }",
            &["1:16: error: expected statement (there is no `if` before this `else`), found `else`"],
        ),
        ("}\nint a;", &["1:1: error: unmatched `}`"]),
        ("int 3;", &["1:5: error: expected identifier or `(`, found `3`"]),
        ("unsigned float x;", &["1:1: error: `unsigned float` is not a type"]),
        ("int int x;", &["1:5: error: `int` stands twice in one declaration"]),
        ("typedef int T; T int x;", &["1:18: error: two types in one declaration: `T` and `int`"]),
        ("void f(void) { if (1) int x; }", &["1:23: error: expected statement, not a declaration, found `int`"]),
        ("int a; a b;", &["1:8: error: `a` does not name a type"]),
        ("void f(void) { g(struct s); }", &["1:18: error: expected expression, found type `struct`"]),
        ("_Decimal64 x;", &["1:1: error: type `_Decimal64` is not supported"]),
        ("double x = 1.0df;", &["1:12: error: decimal floating constants are not supported"]),
        ("int x = 089;", &["1:9: error: digit `8` cannot stand in the octal constant `089`"]),
        ("int x = 1 + * 2;", &[]),
        ("struct { int }; ", &["1:14: error: expected identifier or `(`, found `}`"]),
        ("int x = '';", &["1:9: error: empty character constant"]),
        ("int *p = L\"a\" u\"b\";", &["1:10: error: adjacent string literals have different prefixes"]),
        ("+ 3;", &["1:1: error: expected a declaration, found `+`"]),
    ]);
}

#[test]
fn missing_macros_are_assumed_away_once() {
    const NOTHING: &str = "is assumed to be a macro that expands to nothing";
    for (text, words) in [
        ("DEPRECATED int f(void); DEPRECATED int g(void);", &["DEPRECATED"][..]),
        ("local foo_t x; local int y; local foo_t z;", &["local"]),
        ("MEM_STATIC size_t f(int x) { return x; } MEM_STATIC const char *g(void);", &["MEM_STATIC"]),
        (
            "static DWORD WINAPI f(LPVOID p); int WINAPI g(void); char * WINAPI h(void); int (WINAPI *i)(void);",
            &["WINAPI"],
        ),
        ("uLong ZEXPORT f(const Bytef FAR *p, struct s FAR *q);", &["ZEXPORT", "FAR"]),
        ("void f(run_t *r UNUSED, int x UNUSED) NOEXCEPT { int y UNUSED = 1; }", &["UNUSED", "NOEXCEPT"]),
        ("void f(const char *s, ...)\n PRINTF(1, 2); struct s { int a ALIGNED(4); };", &["PRINTF", "ALIGNED"]),
        (
            "MODULE_LICENSE(\"GPL\");\nint f(void) { return 0; }\nmodule_init(f);\nDEFINE(1)\nint x;",
            &["MODULE_LICENSE", "module_init", "DEFINE"],
        ),
        (
            "STATIC const int x = 1; EXTERN_API static inline int g(void); void f(void) { MAYBE int y; }",
            &["STATIC", "EXTERN_API", "MAYBE"],
        ),
    ] {
        let all = complaints(text);
        assert_eq!(all.len(), words.len(), "{text}\n{all:#?}");
        for (complaint, word) in all.iter().zip(words) {
            assert!(complaint.ends_with(&format!("assumption: `{word}` {NOTHING}")), "{text}\n{all:#?}");
        }
    }
}

#[test]
fn one_mistake_does_not_hide_the_next() {
    refuse(&[
        (
            "int f(void) { int x = ; return 1 }\nint g(void) { return ); }\nint h(;\nint k;",
            &[
                "1:23: error: expected expression, found `;`",
                "1:33: error: expected `;` after return value, found `}`",
                "2:22: error: expected expression, found `)`",
                "3:7: error: expected parameter declaration, found `;`",
            ],
        ),
        (
            "void f(int i) {\n for (i = 0 i < 3; i++) { i; }\n i = ];\n}\nvoid g(void) { @ }",
            &[
                "5:16: error: stray character `@` in program",
                "2:13: error: expected `;` after the first part of `for`, found `i`",
                "3:6: error: expected expression, found `]`",
            ],
        ),
        (
            "int f(void)\n  if (1) { g(); }\n  return 1;\n}\nint x = ;",
            &[
                "1:12: error: expected `;` after declaration, found `if`",
                "2:3: error: expected a declaration, found `if`",
                "5:9: error: expected expression, found `;`",
            ],
        ),
        (
            "struct s {\n int a;\n\nint f(void) {\n int x;\n return 1;\n}\nint x = ;",
            &["4:13: error: expected `}` after members, found `{`", "8:9: error: expected expression, found `;`"],
        ),
        (
            "struct s { int a; int ]; int b; };\nint c = sizeof(struct s) +;",
            &["1:23: error: expected identifier or `(`, found `]`", "2:27: error: expected expression, found `;`"],
        ),
        (
            "void f(int x) {\n x = 3 +\n return;\n}\nint y = ;",
            &["3:2: error: expected expression, found `return`", "5:9: error: expected expression, found `;`"],
        ),
    ]);
}

#[test]
fn the_opening_bracket_is_shown() {
    let (session, _) = parse("void f(void) {\n");
    let label = &session.diagnostics.iter().next().expect("an error").labels[0];
    assert_eq!((label.text.as_str(), label.span.lo), ("to match this `{`", 14));
}

#[test]
fn errors_are_counted_out() {
    let all = complaints(&"int = 3;\n".repeat(500));
    assert_eq!(all.len(), 101);
    assert!(all[100].contains("too many errors"));
}

#[test]
fn deep_nesting_is_refused_once() {
    let n = 100_000;
    let texts = [
        format!("int x = {}1{};", "(".repeat(n), ")".repeat(n)),
        format!("int x = {}1;", "(int)".repeat(n)),
        format!("int x = {}1;", "- ".repeat(n)),
        format!("int x = {}1;", "sizeof ".repeat(n)),
        format!("int x = {}1;", "a = ".repeat(n)),
        format!("void f(void) {}{}", "{".repeat(n), "}".repeat(n)),
        format!("void f(void) {{ {} ; }}", "if (1) ".repeat(n)),
        format!("void f(void) {{ {} ; }}", "do ".repeat(n)),
        format!("int {}x{};", "(".repeat(n), ")".repeat(n)),
        format!("int {}x;", "*".repeat(n)),
        format!("int x{};", "[1]".repeat(n)),
        format!("int f{};", "(int (".repeat(n)),
        format!("int x = {}1{};", "{".repeat(n), "}".repeat(n)),
        "struct {".repeat(n),
        format!("int x = {};", "f(".repeat(n)),
        format!("int x = {};", "a[".repeat(n)),
        format!("int x = {};", "1 ? ".repeat(n)),
        format!("int x = {};", "({ ".repeat(n)),
        format!("{} int x;", "typeof(".repeat(n)),
        format!("int x = 1{};", " + 1".repeat(n)),
        format!("int x = (1{});", ", 1".repeat(n)),
        format!("int x = a{};", ".b".repeat(n)),
        format!("int x = {}1;", "a ? b : ".repeat(n)),
        format!("void f(void) {{ {} ; }}", "case 1: ".repeat(n)),
        format!("void f(void) {{ {} ; }}", "if (1) ; else ".repeat(n)),
        format!("int x __attribute__((a({}", "__alignof__(".repeat(n)),
        format!("int x = _Generic({}", "_Generic(".repeat(n)),
    ];
    on_big_stack(|| {
        for text in &texts {
            let all = complaints(text);
            assert_eq!(all.len(), 1, "{}: {all:?}", &text[..40]);
            assert!(all[0].ends_with("nested too deeply"), "{}: {all:?}", &text[..40]);
        }
    });
}

#[test]
fn long_but_flat_is_fine() {
    let n = 30_000;
    let high = MAX_HEIGHT as usize - 10;
    let deep = MAX_DEPTH as usize - 20;
    let texts = [
        format!("int x[] = {{ {} }};", "1 + 2 * 3, ".repeat(n)),
        format!("void f(void) {{ {} }}", "a = b + c; ".repeat(n)),
        format!("void f(void) {{ {} }}", "if (a) b; else c; ".repeat(n)),
        format!("struct s {{ {} }};", "int *a[3]; ".repeat(n)),
        "int *a = 1 + 2; ".repeat(n),
        format!("int x = f({} 1);", "a + b, ".repeat(n)),
        format!("int {} x;", "*a, ".repeat(n)),
        format!("int x = 1{};", " + 1 * 2".repeat(high)),
        format!("int x = {}1{};", "(".repeat(deep), ")".repeat(deep)),
        format!("int x = {}1;", "__extension__ ".repeat(deep)),
    ];
    on_big_stack(|| {
        for text in &texts {
            let all = complaints(text);
            assert!(all.is_empty(), "{}: {all:?}", &text[..40]);
        }
    });
}

const SOUP: &[&str] = &[
    "int",
    "char",
    "struct",
    "union",
    "enum",
    "typedef",
    "static",
    "const",
    "unsigned",
    "long",
    "float",
    "_Complex",
    "_Atomic",
    "_Alignas",
    "typeof",
    "__auto_type",
    "__attribute__",
    "((",
    "))",
    "(",
    ")",
    "[",
    "]",
    "[[",
    "]]",
    "{",
    "}",
    ";",
    ",",
    ":",
    "::",
    "?",
    ".",
    "->",
    "...",
    "=",
    "+=",
    "++",
    "+",
    "-",
    "*",
    "/",
    "&",
    "&&",
    "|",
    "<",
    "<<",
    "~",
    "!",
    "if",
    "else",
    "while",
    "do",
    "for",
    "switch",
    "case",
    "default",
    "goto",
    "break",
    "return",
    "sizeof",
    "_Alignof",
    "_Generic",
    "asm",
    "volatile",
    "__label__",
    "_Static_assert",
    "__builtin_offsetof",
    "__builtin_va_arg",
    "__extension__",
    "__func__",
    "a",
    "b",
    "T",
    "foo_t",
    "f",
    "x",
    "bool",
    "true",
    "nullptr",
    "1",
    "1.5",
    "0x",
    "'a'",
    "\"s\"",
    "L\"w\"",
    "\n",
    "#pragma pack(1)\n",
    "\n# 3 \"f\"\n",
    "_Pragma(\"x\")",
    "/*",
    "*/",
    "//",
    "@",
    "\"",
    "'",
    "é",
    "\\",
    "({",
    "})",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn token_soup_never_panics(words in prop::collection::vec(prop::sample::select(SOUP), 0..60), in_function: bool) {
        let text = words.join(" ");
        let text = if in_function { format!("typedef int T; void f(int a) {{ {text} }}") } else { text };
        complaints(&text);
    }

    #[test]
    fn any_text_never_panics(text in "\\PC{0,80}") {
        complaints(&text);
    }

    #[test]
    fn any_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..80)) {
        complaints(&String::from_utf8_lossy(&bytes));
    }
}
