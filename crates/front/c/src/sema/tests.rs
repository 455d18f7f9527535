//! Tests of semantic analysis: accepted sources, errors with their places, types of expressions.

use unpick_base::Severity;

use crate::analyse;
use crate::ast::{CastKind, DeclKind, ExprKind, Init, Unit};
use crate::session::Session;

fn run(source: &str, is_strict: bool) -> (Session, Unit) {
    let mut session = Session { is_strict, ..Session::default() };
    let text = session.sources.add("test.c", source).expect("a test should fit the address space");
    let unit = analyse(&mut session, text);
    (session, unit)
}

/// The messages as `line:column: severity: message`.
fn messages(session: &Session) -> Vec<String> {
    let line = |diagnostic: &unpick_base::Diagnostic| {
        let place = session.sources.place(diagnostic.span.lo);
        let (line, column) = place.map_or((0, 0), |place| (place.line, place.column));
        format!("{line}:{column}: {:?}: {}", diagnostic.severity, diagnostic.message)
    };
    session.diagnostics.iter().map(line).collect()
}

fn accepts(source: &str) -> Unit {
    let (session, unit) = run(source, false);
    assert_eq!(messages(&session), Vec::<String>::new(), "in {source}");
    unit
}

/// Exactly one error, whose text contains `text`, at `line:column`.
fn refuses(source: &str, place: &str, text: &str) {
    let (session, _) = run(source, false);
    let all = messages(&session);
    let errors: Vec<&String> = all.iter().filter(|message| message.contains(": Error: ")).collect();
    assert_eq!(errors.len(), 1, "one error in {source}: {all:?}");
    assert!(errors[0].starts_with(&format!("{place}: ")) && errors[0].contains(text), "{source}: {all:?}");
}

fn warns(source: &str, place: &str, text: &str) {
    let (session, _) = run(source, false);
    let all = messages(&session);
    assert_eq!(all.len(), 1, "one warning in {source}: {all:?}");
    assert!(all[0].starts_with(&format!("{place}: Warning: ")) && all[0].contains(text), "{source}: {all:?}");
}

const TYPED: &str = "
struct bits { unsigned u3 : 3; unsigned u32 : 32; int s31 : 31; long l40 : 40; unsigned long ul20 : 20; _Bool b : 1; };
enum small { A, B }; enum neg { M = -1, N }; enum big { BIG = 0x80000000u }; enum huge { H = 1ull << 40 };
typedef int v4 __attribute__((vector_size(16)));
char c; unsigned char uc; short s; unsigned short us; int i; unsigned u; long l; unsigned long ul;
long long ll; unsigned long long ull; __int128 i128; float f; double d; long double ld; _Bool b; const int ci = 3;
volatile int vi; int *p; const int *pc; void *vp; const void *cvp; int a10[10]; int (*pa)[10]; int fn(int);
int (*pfn)(int); struct bits bf; struct anon { int x; union { int y; struct { char z[3]; long w; }; }; };
struct anon an; const struct anon can; _Complex double cd; enum small es; enum neg en;
";

/// Expression and type; gcc agrees with each row.
const TYPES: &[(&str, &str)] = &[
    ("c + c", "int"),
    ("s + us", "int"),
    ("u + i", "unsigned"),
    ("l + u", "long"),
    ("ul + ll", "unsigned long long"),
    ("ll + u", "long long"),
    ("l + ul", "unsigned long"),
    ("i + f", "float"),
    ("f + d", "double"),
    ("ld + i", "long double"),
    ("b + b", "int"),
    ("-uc", "int"),
    ("~us", "int"),
    ("!d", "int"),
    ("i128 + ul", "__int128"),
    ("c << ll", "int"),
    ("u << l", "unsigned"),
    ("l << c", "long"),
    ("i == l", "int"),
    ("p && d", "int"),
    ("bf.u3 + 0", "int"),
    ("bf.u32 + 0", "unsigned"),
    ("bf.s31 + 0u", "unsigned"),
    ("bf.b + 0", "int"),
    ("+bf.ul20", "int"),
    ("es + 0", "unsigned"),
    ("en + 0", "int"),
    ("A", "int"),
    ("M", "int"),
    ("BIG", "unsigned"),
    ("H + 0", "unsigned long"),
    ("1 ? p : 0", "int *"),
    ("1 ? p : (void *)0", "int *"),
    ("1 ? p : vp", "void *"),
    ("1 ? pc : p", "const int *"),
    ("1 ? pc : vp", "const void *"),
    ("1 ? c : c", "int"),
    ("1 ? u : i", "unsigned"),
    ("p + 1", "int *"),
    ("1 + p", "int *"),
    ("p - p", "long"),
    ("a10", "int *"),
    ("&a10", "int (*)[10]"),
    ("*pa", "int *"),
    ("fn", "int (*)(int)"),
    ("&fn", "int (*)(int)"),
    ("***pfn", "int (*)(int)"),
    ("(*pfn)(1)", "int"),
    ("sizeof i", "unsigned long"),
    ("\"abc\"", "char *"),
    ("L\"ab\"", "int *"),
    ("u\"x\"", "unsigned short *"),
    ("'a'", "int"),
    ("u'a'", "unsigned short"),
    ("1l", "long"),
    ("0x80000000", "unsigned"),
    ("2147483648", "long"),
    ("0x8000000000000000", "unsigned long"),
    ("1.0f", "float"),
    ("1.0L", "long double"),
    ("ci", "int"),
    ("&ci", "const int *"),
    ("&vi", "volatile int *"),
    ("&can.x", "const int *"),
    ("can.z", "const char *"),
    ("an.w", "long"),
    ("&can.w", "const long *"),
    ("(c = 3)", "char"),
    ("(c += 1.5)", "char"),
    ("c++", "char"),
    ("(s, c)", "char"),
    ("({ char q = 1; q; })", "char"),
    ("(_Bool)3", "_Bool"),
    ("__func__", "const char *"),
    ("i ?: l", "long"),
    ("p ?: 0", "int *"),
    ("(v4){1} + (v4){2}", "v4"),
    ("__builtin_expect(i, 1)", "long"),
    ("__builtin_popcountll(ull)", "int"),
    ("__builtin_bswap16(us)", "unsigned short"),
    ("__builtin_bswap64(ul)", "unsigned long"),
    ("__builtin_strlen(\"x\")", "unsigned long"),
    ("__builtin_memcpy(vp, p, 4)", "void *"),
    ("__builtin_inff()", "float"),
    ("__builtin_nan(\"\")", "double"),
    ("__builtin_add_overflow(i, l, &ll)", "_Bool"),
    ("__atomic_load_n(p, 0)", "int"),
    ("__atomic_fetch_add(&ul, 1, 0)", "unsigned long"),
    ("__sync_val_compare_and_swap(p, 1, 2)", "int"),
    ("(struct anon){1}.y", "int"),
    ("cd * 2", "_Complex double"),
    ("__real__ cd", "double"),
    ("i[a10]", "int"),
    ("&2[a10]", "int *"),
    ("cvp == p", "int"),
];

#[test]
fn expressions_have_the_types_gcc_gives_them() {
    let mut source = TYPED.to_owned() + "void types(void) {\n";
    for (expr, ty) in TYPES {
        source += &format!("_Static_assert(_Generic(({expr}), {ty}: 1, default: 0), \"\");\n");
    }
    accepts(&(source + "}"));
}

#[test]
fn sound_programs_pass_without_a_word() {
    for source in [
        "int a[] = { [3] = 1, 2, [0] = 7 }; _Static_assert(sizeof a == 20, \"\");",
        "char s[] = (\"abc\"), t[] = {\"ab\"}, u[2] = \"ab\"; _Static_assert(sizeof s == 4 && sizeof t == 3, \"\");",
        "struct p { int x, y; } q[] = { 1, 2, { 3 }, [1].y = 4 }; int z;",
        "struct p { int x, y[2]; } q = { 1, { 2 }, }; struct r { struct p a, b; } r = { 1, 2, 3, { 4 } };",
        "union u { char c; long l; } u = { .l = 3 }; struct { int a; union { int b; long c; }; } v = { .c = 4, .a = 1 };",
        "int x; int x; extern int x; static int f(void); static int f(void) { return x; } int g(void) { return f(); }",
        "int f(a, b) char a; float b; { return a + b; } int g(void) { return f(1, 2.0); }",
        "int f(int n, int a[n][n]) { int b[n]; typedef int row[n]; row r; return sizeof b + sizeof(row) + a[1][2] + r[0] * b[0]; }",
        "void f(int x) { switch (x) { case 1: case 3 ... 5: break; default: ; } for (;;) { if (x) continue; break; } }",
        "void f(void) { __label__ l; goto l; l: ; void *p = &&m; goto *p; m: return; }",
        "struct s; struct s *f(struct s *p) { return p; } struct s { struct s *next; int v[]; };",
        "typedef union { int *i; const char *c; } t __attribute__((transparent_union)); void f(t); void g(int *p) { f(p); f(\"x\"); f(0); }",
        "extern inline __attribute__((gnu_inline)) int f(void) { return 1; } int f(void) { return 2; }",
        "void f(char *p, ...) { __builtin_va_list a, b; __builtin_va_start(a, p); __builtin_va_copy(b, a); int i = __builtin_va_arg(a, int); __builtin_va_end(a); (void)i; }",
        "static const int n = 3; int a[sizeof(int) * 2 + (1 ? 3 : 0)]; static int *p = &a[2], *q = a + 1; long d = (long)&a;",
        "_Thread_local int t; void f(void) { static _Thread_local int u; t = u; }",
        "enum e : unsigned char { X, Y }; _Static_assert(sizeof(enum e) == 1); int a[Y];",
        "int __VERIFIER_nondet_int(void); int f(void) { return __VERIFIER_nondet_int() + __VERIFIER_nondet_uchar(); }",
        "void g(int *); void f(void) { int x __attribute__((cleanup(g))) = 1; _Alignas(16) char y; (void)y; (void)x; }",
        "struct a { int x; } f(void); int g(void) { return f().x; }",
        "void f(void) { int a[2][3]; int (*p)[3] = a; p[1][2] = a[0][1]; *(*p + 1) = 3; }",
        "int f(const char *s) { return s[0] == 'a' && *s++ != 0; } const char *names[] = { [1] = \"b\", [0] = \"a\" };",
        "_Atomic int x; _Atomic(long) y; void f(void) { x++; y = x; x += 2; }",
        "struct s { int a; } s = (struct s){ 1 }; int *p = (int[]){ 1, 2 }; struct s *q = &(struct s){ 2 };",
        "#pragma pack(push, 1)\nstruct s { char c; int i; };\n#pragma pack(pop)\n_Static_assert(sizeof(struct s) == 5, \"\");",
        "int g(); int f(void) { return g(1, 2.0f, 'c'); }",
        "void f(void) { extern int later; later = 1; } int later;",
    ] {
        accepts(source);
    }
}

#[test]
fn mistakes_are_refused_where_they_stand() {
    for (source, place, text) in [
        ("int f(void) { return g; } static int g(void) { return 1 }", "1:56", "expected"),
        ("int x; char x;", "1:13", "conflicting types for `x`"),
        ("int f(int); int f(char *p) { return 0; }", "1:17", "conflicting types for `f`"),
        ("int f(void) { return 0; } int f(void) { return 1; }", "1:31", "defined twice"),
        ("int x = 1; int x = 2;", "1:16", "defined twice"),
        ("struct s { int a; int a; };", "1:23", "`a` is declared twice"),
        ("struct s { int a; }; int f(struct s *p) { return p->b; }", "1:53", "has no member `b`"),
        ("void f(void) { int x; int x; }", "1:27", "declared twice"),
        ("void f(int x) { switch (x) { case 1: case 1: ; } }", "1:43", "case 1 appears twice"),
        ("void f(void) { break; }", "1:16", "`break` outside"),
        ("void f(void) { goto l; }", "1:21", "label `l`"),
        ("void f(int x) { x->y = 1; }", "1:17", "needs a pointer"),
        ("void f(int *p) { p = 1.5; }", "1:22", "cannot become `int *`"),
        ("struct s { int a; } v; int f(void) { return v; }", "1:45", "cannot become `int`"),
        ("int f(int a) { return f(); }", "1:23", "too few arguments"),
        ("int f(int a) { return f(1, 2); }", "1:23", "too many arguments"),
        ("int f(int a) { return a(); }", "1:23", "cannot be called"),
        ("const int c = 1; void f(void) { c = 2; }", "1:33", "`const`"),
        ("void f(void) { 1 = 2; }", "1:16", "cannot be assigned"),
        ("int g; int x = g;", "1:16", "not constant"),
        ("int a[-1];", "1:7", "negative"),
        ("int a[sizeof(int) - 5];", "1:7", "too large"),
        ("int n; int a[n];", "1:14", "array size"),
        ("enum e { A = 1 / 0 };", "1:14", "divides by zero"),
        ("_Static_assert(sizeof(int) == 5, \"size\");", "1:16", "\"size\""),
        ("void v; ", "1:6", "`void`"),
        ("int f(void)[3];", "1:6", "cannot return"),
        ("struct { int x : 33; } s;", "1:18", "wider"),
        ("int a[2] = { [2] = 1 };", "1:15", "outside the array"),
        ("struct s { int x; } s = { .y = 1 };", "1:28", "has no member `y`"),
        ("void f(void) { struct { int b : 3; } s; int *p = &s.b; }", "1:50", "bit-field"),
        ("int x = _Generic(1.0, int: 1);", "1:9", "no association"),
        ("void f(void) { int g(void) { return 1; } }", "1:20", "nested functions"),
        ("int f(struct s { int a; } x) { return *x; }", "1:39", "needs a pointer"),
        ("void f(int *p, long *q) { (void)(p - q); }", "1:34", "different types"),
    ] {
        refuses(source, place, text);
    }
}

#[test]
fn what_gcc_only_warns_about_is_a_warning() {
    for (source, place, text) in [
        ("void f(int *p, char *q) { p = q; }", "1:31", "incompatible pointer"),
        ("void f(int *p, long x) { p = x; }", "1:30", "pointer from an integer"),
        ("int f(int *p) { return p; }", "1:24", "integer from a pointer"),
        ("void f(char *p, const char *q) { p = q; }", "1:38", "discards `const`"),
        ("int a[2] = { 1, 2, 3 };", "1:20", "excess"),
        ("int f(void) { return; }", "1:15", "without a value"),
    ] {
        warns(source, place, text);
    }
}

#[test]
fn names_of_the_library_mean_the_library() {
    let (session, unit) = run("int f(void) { assert(1); return strlen(\"x\") == EOF; }", false);
    assert_eq!(session.diagnostics.n_errors(), 0, "{:?}", messages(&session));
    let missing = |name: &str, header: &str| {
        format!("`{name}` is not declared: the C library's is meant (`#include <{header}>` is missing)")
    };
    assert_eq!(
        unit.assumptions,
        [missing("assert", "assert.h"), missing("strlen", "string.h"), missing("EOF", "stdio.h")]
    );
    let (session, _) = run("int f(void) { assert(1); return strlen(\"x\") == EOF; }", true);
    assert_eq!(session.diagnostics.n_errors(), 3, "{:?}", messages(&session));
}

#[test]
fn holes_become_assumptions_and_errors_under_strict() {
    let source =
        "foo_t x; bar_t *b; int f(void) { return undeclared(1) + b->n + count + *where + x + lookup(2)->size; }";
    let (session, unit) = run(source, false);
    assert_eq!(session.diagnostics.n_errors(), 0, "{:?}", messages(&session));
    assert_eq!(
        unit.assumptions,
        [
            "unknown type `foo_t` is taken to be `int`",
            "unknown type `bar_t` is taken to be a struct with the members used (`n`: `int`)",
            "function `undeclared` is not declared: it is taken to return `int`",
            "`count` is not declared: it is taken to be an external `int`",
            "`where` is not declared: it is taken to be an external `int *`",
            "function `lookup` is not declared: it is taken to return `struct <anonymous> *`",
        ]
    );
    let (strict, _) = run(source, true);
    assert!(strict.diagnostics.n_errors() >= 5, "{:?}", messages(&strict));
    assert!(strict.diagnostics.iter().all(|item| item.severity != Severity::Assumption));
}

#[test]
fn conversions_are_explicit() {
    let unit = accepts("long f(char c, float g) { return c + g; }");
    let kinds: Vec<CastKind> = unit
        .exprs
        .iter()
        .filter_map(|expr| match expr.kind {
            ExprKind::Cast { kind, .. } => Some(kind),
            _ => None,
        })
        .collect();
    assert_eq!(kinds, [CastKind::Load, CastKind::Load, CastKind::IntToFloat, CastKind::FloatToInt]);
}

#[test]
fn braces_left_out_are_put_back() {
    let unit = accepts("struct p { int x, y; } q[2] = { 1, 2, 3 };");
    let init = unit.decls.iter().find_map(|decl| match &decl.kind {
        DeclKind::Var(var) => var.init.as_ref(),
        _ => None,
    });
    let Some(Init::List { entries, .. }) = init else { panic!("q should have a list") };
    let shape: Vec<(u64, usize)> = entries
        .iter()
        .map(|entry| match &entry.init {
            Init::List { entries, .. } => (entry.index, entries.len()),
            Init::Expr(_) | Init::Str { .. } => (entry.index, 0),
        })
        .collect();
    assert_eq!(shape, [(0, 2), (1, 1)]);
}

#[test]
fn designators_refine_what_stands_there() {
    let unit = accepts("struct p { int x, y; } q[4] = { [3].x = 1, [0].x = 2, [3].y = 4, [0] = { 7 } };");
    let init = unit.decls.iter().find_map(|decl| match &decl.kind {
        DeclKind::Var(var) => var.init.as_ref(),
        _ => None,
    });
    let Some(Init::List { entries, .. }) = init else { panic!("q should have a list") };
    let shape: Vec<(u64, usize)> = entries
        .iter()
        .map(|entry| match &entry.init {
            Init::List { entries, .. } => (entry.index, entries.len()),
            Init::Expr(_) | Init::Str { .. } => (entry.index, 0),
        })
        .collect();
    assert_eq!(shape, [(3, 2), (0, 1)]);
}

#[test]
fn long_chains_pass_and_deep_nesting_is_refused() {
    // Dropping and walking high trees needs the stack the command line gives its worker.
    let builder = std::thread::Builder::new().stack_size(256 << 20);
    let worker = builder.spawn(|| {
        let sum = vec!["1"; 15_000].join(" + ");
        accepts(&format!("int x = sizeof({sum});"));
        let ifs = vec!["if (x) ;"; 5_000].join(" else ");
        accepts(&format!("void f(int x) {{ {ifs} }}"));
        let cases: String = (0..5_000).map(|n| format!("case {n}: ")).collect();
        accepts(&format!("void f(int x) {{ switch (x) {{ {cases} ; }} }}"));
        let parens = format!("int x = {}1{};", "(".repeat(100_000), ")".repeat(100_000));
        let (session, _) = run(&parens, false);
        assert!(session.diagnostics.n_errors() > 0);
    });
    worker.expect("a thread should start").join().expect("nothing should overflow");
}

#[test]
fn a_type_from_an_initialiser_needs_one() {
    refuses("int f(__auto_type x) { return 0; }", "1:7", "needs an initialiser");
    refuses("__auto_type f(void) { return 0; }", "1:1", "needs an initialiser");
    refuses("typedef __auto_type t;", "1:21", "needs an initialiser");
    refuses("struct s { __auto_type x; };", "1:12", "needs an initialiser");
    refuses("int n = sizeof(__auto_type);", "1:16", "needs an initialiser");
}

#[test]
fn no_unknown_type_becomes_a_part_of_itself() {
    for source in [
        "int main(void) { T s; T *p; s = p; return 0; }",
        "int run(T **p); int main(void) { T s; return run(&s); }",
        "int main(void) { T s; T a[2]; s = a; return 0; }",
        "int main(void) { T t; t.x = t; return 0; }",
        "struct S { T x; } s; int main(void) { T t; t = s; return 0; }",
        "int main(void) { T t; U u; t = &u; u = &t; return 0; }",
        "struct n { struct n n; } n; int main(void) { T t; t = n; return 0; }",
        "int main(void) { int a[2][2] = {(T){0}}; return 0; }",
    ] {
        run(source, false);
    }
}

#[test]
fn initialisers_of_parts_without_values_end() {
    for source in [
        "int a[][0] = {5};",
        "struct e {} a[] = {5, 6};",
        "struct e { int x[0]; } a[][3] = {5, 6};",
        "struct u { int : 3; } a[1000000000][2][1000000000] = {5};",
        "int a[1000000000][1000000000][0] = {1};",
    ] {
        run(source, false);
    }
    let (session, _) = run("struct p { int x; struct {} e; int y; } a[] = {1, 2, 3, 4};", false);
    assert_eq!(messages(&session), Vec::<String>::new());
}
