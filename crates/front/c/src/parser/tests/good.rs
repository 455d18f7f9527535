//! Valid C that parses without a diagnostic.

use super::complaints;

fn accept(texts: &[&str]) {
    for text in texts {
        let complaints = complaints(text);
        assert!(complaints.is_empty(), "{text}\n{complaints:#?}");
    }
}

#[test]
fn declarations() {
    accept(&[
        "int a, *b, c[3], d(void), (*e)(int, ...), *(*f[2])(char *);",
        "static const unsigned long long int x = 1ull; extern int y; _Thread_local static int z; __thread int t;",
        "int const volatile * restrict const p;",
        "typedef struct s s; struct s { s *next; int a : 3, : 0, b : 5; };",
        "struct { int x; union { int a; float b; }; struct { int c, d; } e; } v;",
        "struct empty {}; union u { int a; float b; } w = { .b = 1.0f };",
        "enum e { A, B = 3, C, }; enum e f(enum e x); enum : unsigned char { D }; enum g : short; struct { enum e h : 3; };",
        "struct { enum e : 2; } q;",
        "_Alignas(16) char a[4]; _Alignas(double) char b; int c = _Alignof(int) + __alignof__(c);",
        "_Atomic int a; _Atomic(int *) b; int _Atomic *c; _Noreturn void f(void); inline int g(void) { return 1; }",
        "_Static_assert(1, \"fine\"); _Static_assert(1); static_assert(2 > 1, \"a\" \"b\");",
        "int f(int a[static 3], int b[const], int c[*], int d[restrict static 2], int n, int e[n]);",
        "__int128 a; unsigned __int128 b; __int128_t c; _Float128 d; __float128 e; _Float16 g; _Float32x h; __fp16 i;",
        "_Complex _Float128 z; _Float32 _Complex y; _Complex double a; float __complex__ b; double _Complex c = 1.0 + 2.0i; int d = __real__ c + __imag__ c;",
        "typeof(1 + 2) a; __typeof__(int *) b; typeof_unqual(const int) c; __auto_type d = 3;",
        "__builtin_va_list ap; typedef __builtin_va_list va_list;",
        "int x asm(\"y\"), z __asm__(\"w\") __attribute__((unused)) = 3; register long sp asm(\"rsp\");",
        "extern int printf(const char *, ...) __asm__(\"\" \"printf\") __attribute__((format(printf, 1, 2)));",
        ";;; int a;; asm(\"nop\"); __asm__ volatile (\".globl x\");",
        "__extension__ typedef long long ll; __extension__ struct { int a; } b; ll c;",
        "int (a), ((b)), (*(c)), (d)(int), (*(*e)(void))[3];",
        "void f(void (*)(int), int (*)[3], int (), char *[], void (g)(int));",
        "const struct s *f(void), g; struct t { struct t *next; } *h;",
        "char a[] = \"abc\", b[] = u8\"x\", *c = \"a\" \"b\"; int d[] = L\"x\" L\"y\"; unsigned short e[] = u\"é\" \"z\";",
        "int i = 0b1010 + 1'000 + 0x1f + 017 + 10u + 10UL + 10ull + 'a' + L'b' + '\\n' + '\\x41' + '\\0';",
        "double d = 1.5 + 1e3 + .5f + 1.L + 0x1.8p3 + 1.0f16 + 1.0f128 + 2.0q + 1.0w + 3.0f32x;",
        "float _Complex c = 1.0fi + 2j + 3.0if;",
    ]);
}

#[test]
fn old_style() {
    accept(&[
        "f(a, b) int a; char *b; { return a + *b; }",
        "main() { return 0; } f(a) { return a; }",
        "static x; static y = 3, *z; const c = 1; extern e; x2; y2[3]; z2 = 4;",
        "int f(a, b, c) register a; double b, c; { return a; }",
        "typedef int T; int f(t) T t; { return t; }",
        "int (*f(a))() int a; { return 0; } void g() { register i; auto j; for (i = 0; i < 3; i++) ; }",
        "static f(); static f() { return 1; } *p; (*q)();",
    ]);
}

#[test]
fn attributes_everywhere() {
    accept(&[
        "__attribute__((noreturn)) void a(void); void b(void) __attribute__((noreturn, cold)); int __attribute__((x)) c;",
        "struct __attribute__((packed)) s { char a; int b __attribute__((aligned(8))); int c : 3 __attribute__((packed)); } __attribute__((aligned(16))) v;",
        "struct s __attribute__((aligned(8))) v; union __attribute__((transparent_union)) u { int a; };",
        "enum __attribute__((packed)) e { A __attribute__((deprecated)), B __attribute__((unused)) = 2 } __attribute__((x));",
        "int * __attribute__((aligned(8))) const p; int (__attribute__((stdcall)) *fp)(int); void (*__attribute__((noreturn)) g)(void);",
        "void f(int a __attribute__((unused)), __attribute__((unused)) int b, int __attribute__((x)) c, int *d __attribute__((nonnull)));",
        "int a __attribute__((unused)) = 3, __attribute__((aligned(4))) b, c __attribute__((section(\".x\"))), *d;",
        "typedef int v4 __attribute__((vector_size(16), mode(DI))) ; typedef unsigned int word __attribute__((__mode__(__word__)));",
        "static __inline__ __attribute__((__always_inline__, __gnu_inline__)) int f(void) { return 0; }",
        "int f(void) { lab: __attribute__((unused)) ; switch (1) { case 1: __attribute__((fallthrough)); case 2: ; } goto lab; }",
        "void f(void) { __attribute__((unused)) int a; int b __attribute__((cleanup(g))) = 2; __attribute__((x)) b = 3; }",
        "[[nodiscard]] int f(void); [[gnu::packed]] struct s; struct [[gnu::packed, deprecated(\"no\")]] t { [[maybe_unused]] int a; int b [[x]]; };",
        "void f([[maybe_unused]] int a, int b [[maybe_unused]]) { [[likely]] if (a) ; switch (a) { case 1: [[fallthrough]]; default: ; } }",
        "enum [[x]] e { A [[deprecated]] = 1 }; int a [[gnu::aligned(8)]] = 3; int * [[x]] p; int b[3] [[y]];",
        "void f(void) __attribute__((alias(\"g\"), nonnull(1, 2), const, __pure__, access(read_only, 1)));",
        "int x __attribute__((aligned)) __attribute__((__aligned__(sizeof(int) * 2))); void *g(int) __attribute__((malloc, alloc_size(1), iptr(int *)));",
        "__attribute__(()) int a; __attribute__((,x,,)) int b; extern __attribute__((visibility(\"default\"))) int c;",
    ]);
}

#[test]
fn expressions() {
    accept(&[
        "int f(int a, int *p) { a = a + 1 * 2 - 3 / 4 % 5 << 1 >> 2 & 3 | 4 ^ 5; a += 1, a -= 2; a <<= 1; a >>= 1; a ^= 2; a |= 1; a &= ~1; a %= 3; a *= 2; a /= 2; return a ? *p : -a; }",
        "int f(int a) { return a ?: 3; } int g(int a) { return a ? 1 : a == 2 ? 2 : a == 3 ? 3 : 4; }",
        "int f(int *p) { p++; ++p; p--; --p; return *p++ + p[1] + *&*p + !p + ~*p + +*p - -*p; }",
        "struct s { struct s *n; int v[2]; }; int f(struct s *p, struct s q) { return p->n->n->v[1] + q.n->v[0] + (*p).v[0]; }",
        "int f(int a) { return sizeof a + sizeof(int) + sizeof(a) + sizeof(int[3]) + sizeof (int){1} + sizeof(int *(*)(void)) + sizeof -a + sizeof(a)[0]; }",
        "int f(void) { return (int)1.5 + (int)(char)3 + (unsigned)-1 + *(int *)0 + ((int (*)(int))f)(3); }",
        "struct s { int a, b; }; struct s f(void) { return (struct s){ .a = 1, .b = 2 }; } int *g(void) { return (int[]){1, 2, 3}; } int h(void) { return (struct s){1}.a; }",
        "int f(int x) { return ({ int y = x; y + 1; }) + __extension__ ({ 3; }); }",
        "void *f(void) { a: goto *&&a; void *t[] = { &&a, &&b }; b: return t[0]; }",
        "int f(int x) { return _Generic(x, int: 1, char *: 2, const struct s *: 4, default: 3) + _Generic(int, int: 1); }",
        "struct s { int a; struct { int b[3]; } c; }; int f(void) { return __builtin_offsetof(struct s, a) + __builtin_offsetof(struct s, c.b[2]); }",
        "int f(__builtin_va_list ap) { return __builtin_va_arg(ap, int) + *__builtin_va_arg(ap, char **); }",
        "int f(void) { return __builtin_types_compatible_p(int, unsigned *) + __builtin_choose_expr(1, 2, \"x\"); }",
        "const char *f(void) { __func__; __FUNCTION__; return __PRETTY_FUNCTION__; }",
        "int f(void) { return true + false + !nullptr; } bool b = true; thread_local int t; alignas(8) int a; int c = alignof(int);",
        "int f(int (*g)(int), int a) { return g(1) + (*g)(2) + (**g)((a, 3)) + (g)(4); }",
        "int a[] = { [0] = 1, [2 ... 4] = 5, 6 }; struct { int x, y[2]; } b = { .x = 1, .y[1] = 2, y: { 1 }, }; int c[] = { [1] 2 }; int d[3] = {};",
        "struct { int a; struct { int b; } c[2]; } e = { .c[1].b = 3, .c = { [0] = { .b = 1 } } };",
        "int f(int a) <% return (&a)<:0:>; %>",
        "int f(int a, int b) { return a && b || !a && (a & b) == 0; }",
        "typedef int T; int f(int a) { return (T)a + (T) - 1 + sizeof(T) + (T)(a); }",
        "int f(int x) { if (__builtin_expect(!!(x), 0)) return __atomic_load_n(&x, 5); return 0; }",
    ]);
}

#[test]
fn statements() {
    accept(&[
        "void f(int n) { if (n) ; else if (n > 1) { } else ; while (n) n--; do n++; while (n < 3); for (;;) break; for (int i = 0, j; i < n; i++, j--) continue; }",
        "int f(int n) { switch (n) { case 1: case 2: return 1; case 'a' ... 'z': break; default: ; } return 0; }",
        "void f(int n) { l: n++; goto l; m: } void g(void) { a: int x = 1; b: _Static_assert(1, \"\"); switch (x) { case 1: int y; default: } }",
        "void f(void) { __label__ a, b; a: b: ; goto a; } void g(void) { int h(int x) { return x; } auto int i(void); int i(void) { return 0; } h(1); }",
        "void f(int a, int b) { asm(\"nop\"); asm volatile (\"x\" : \"=r\"(a), [n] \"+m\"(b) : \"r\"(a + 1), \"i\"(3) : \"memory\", \"cc\"); asm inline (\"\" ::: \"memory\"); __asm__ __volatile__ (\"a\" \"b\" :: \"r\"(a)); asm goto (\"jmp %l0\" : : : : out, other); out: other: ; asm(\"\" : : \"r\"(a)); }",
        "void f(void) { for (struct s { int a; } x = {1}; x.a; ) ; for (static int i; ; ) ; }",
        "void f(void) { ; ; { } { int a; { int a; } } }",
        "void f(int x) { if (x) { x; } else { x; } x ? f(1) : f(2); (void)0; (void)x, f(x); *&x = 3; -x; \"s\"; 3; }",
        "#pragma pack(push, 1)\nstruct s {\n#pragma pack(1)\nint a;\n_Pragma(\"pack(pop)\") };\n#pragma omp parallel\nvoid f(void) {\n#pragma GCC ivdep\n int a = 1 +\n#pragma x\n 2;\n#pragma pack()\n}",
        "int f(void) { return 1; } /* end */ // really\n",
        "void f(int i) { T: i++; if (i < 3) goto T; } typedef int T; void g(void) { T: ; goto T; }",
    ]);
}

#[test]
fn type_names_and_scopes() {
    accept(&[
        "typedef int T; T T1; void f(void) { T T = 1; T = T * T; { int T; T++; } }  T x;",
        "typedef int T; void f(int T) { T = 3; T * T; } T y; void g(void) { T *p; *p = (T)3; }",
        "typedef int T; int f(T, T x, int (T), T (*g)(T)); struct s { T T; T u; int T2; }; T z;",
        "typedef int T; enum { X, Y }; void f(void) { enum { T }; int a = T * 3; } T b;",
        "typedef int T; struct T { int T; } v; int f(void) { return v.T + ((struct T *)&v)->T; } T c;",
        "typedef int bool; enum { false, true }; bool a = true; bool f(bool x) { return x ? true : false; }",
        "typedef unsigned char bool; typedef bool b2; bool x; int nullptr; int y = nullptr + 1; int static_assert(int); int z = 1;",
        "typedef int T; void f(void) { T(x); T(*y); T z[3]; (T)x; sizeof(T); for (T i = 0; i < 3; i++) ; }",
        "typedef int T; void f(int n) { if (sizeof(T[n])) ; unsigned T; T = 1; } const T q; T const r; T static s;",
        "typedef int T, *P, F(int); P p; F f; int f(T a) { return a; } typedef T U; U u;",
        "typedef int T; int g(T T) { return T * 2; } int h(int a) { extern T b; return a * b; } T w;",
        "typedef float _Float32; typedef double _Float64x; _Float32 a; typedef __int128 __int128_t; __int128_t b;",
        "typedef struct { int a; } S; int f(S *s) { return s->a; } S k = { 1 }, *l = &k; int m = sizeof(S) * 2; int n = sizeof(S *);",
        "typedef int T; void f(void) { typedef char T; T a; { typedef T T; T b; } } T d;",
        "typedef int T; int f(a) T a; { return a; } void f2(void) { int x; T: x = 1; }",
        "int a, b; void f(void) { a * b; a = b * a; (a) * b; (a)(b); (a) + b; (a) & b; (a) - b; }",
    ]);
}

#[test]
fn incomplete_code() {
    accept(&[
        "foo_t x; foo_t *p = &x; static bar_t y; const baz_t *q; extern qux_t f(foo_t, int); foo_t g(void) { foo_t z; return z; }",
        "void f(foo_t a, bar_t *b, const baz_t c[3]) { foo_t d; bar_t *e = b, **g; baz_t h[3]; qux_t i = 1; }",
        "void f(foo_t, bar_t); int g(foo_t a) { return a; } foo_t k;",
        "void *f(void *p) { (foo_t *)p; (struct s *)p; (const foo_t *)p; (foo_t const *)p; return (bar_t **)p; }",
        "int f(int p) { return (u32)p + (u8)1 + (u16){2} + (s8)~p + sizeof(u64 *) + sizeof(undeclared); }",
        "struct s { u32 a; u8 b : 3; list_head list; foo_t *p, q[3]; foo_t (*cb)(bar_t); }; u32 z;",
        "void f(void) { a * b; } void g(int b) { c * b; d = e * f; }",
        "void f(void) { for (foo_t *p = list; p; p = p->next) use(p); for (idx_t i = 0; i < 3; i++) ; }",
        "foo_t (*fp)(int); static foo_t (*fq)(void); foo_t __attribute__((x)) f(void); foo_t *a[3], b;",
        "void f(void) { undeclared(1, 2); undeclared2 = 3; x->y = 4; z[3] = 5; foo_t const *p; foo_t (*fp)(int); }",
        "int f(ap) va_list2 ap; { return __builtin_va_arg(ap, foo_t) + __builtin_offsetof(bar_t, x); }",
        "int f(void) { return ((foo_t (*)(void))0)(); } foo_t h;",
    ]);
}
