// Calling conventions, linkage and attributes of functions.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

struct big { long a[5]; };
struct small { short x; char y; };
typedef union { int *ints; const float *floats; } either __attribute__((transparent_union));

int old(a, b, c) char a; float b; short c; { return a + (int)b + c; }
int undeclared_style();
static inline int twice(int x) { return 2 * x; }
extern inline int thrice(int x) { return 3 * x; }
inline int quadruple(int x) { return 4 * x; }
extern int quadruple(int x);
static int first_of(either e) { return *e.ints; }

static int sum(int n, ...)
{
    va_list list, copy;
    va_start(list, n);
    va_copy(copy, list);
    int total = 0;
    for (int i = 0; i < n; i++) total += va_arg(list, int);
    total *= 10;
    for (int i = 0; i < n; i++) total += va_arg(copy, int);
    va_end(list);
    va_end(copy);
    return total;
}

static long take(va_list list) { return va_arg(list, long); }
static double take_through(va_list *list) { return va_arg(*list, double); }

static void mixed(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    long l = take(list);
    va_end(list);
    va_start(list, format);
    (void)va_arg(list, long);
    double d = take_through(&list);
    struct small s = va_arg(list, struct small);
    struct big b = va_arg(list, struct big);
    printf("%ld %g %d %d %ld\n", l, d, s.x, s.y, b.a[4]);
    va_end(list);
    va_start(list, format);
    vprintf(format, list);
    va_end(list);
}

static struct big make(long x) { return (struct big){{x, x + 1, x + 2, x + 3, x + 4}}; }
static struct small shrink(struct big b) { b.a[0]++; return (struct small){b.a[0], b.a[1]}; }
static int apply(int f(int), int x) { return f(x); }
static int (*pick(int which))(int) { return which ? twice : quadruple; }
static _Noreturn void leave(int code) { printf("leaving\n"); exit(code); }
static void __attribute__((constructor)) early(void) { printf("early\n"); }
static void __attribute__((destructor)) late(void) { printf("late\n"); }
int target(void) { return 17; }
int aliased(void) __attribute__((weak, alias("target")));
extern int missing(void) __attribute__((weak));
int renamed(int) __asm__("other_name");
int renamed(int x) { return x - 1; }
static int even(int n);
static int odd(int n) { return n == 0 ? 0 : even(n - 1); }
static int even(int n) { return n == 0 ? 1 : odd(n - 1); }
static int count(void) { static int calls = 5; return calls++; }
static int nested_extern(void) { extern int target(void); return target(); }
static float narrow(float x, char c, _Bool b) { return x * c + b; }
static void nothing() {}
static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

int main(int argc, char **argv)
{
    printf("%d %d\n", old('a', 2.9f, (short)70000), undeclared_style(3, 4.5));
    printf("%d %d %d\n", twice(4), thrice(4), quadruple(4));
    printf("%d\n", sum(3, 1, 2, 3));
    mixed("%ld and %g\n", 5L, 2.5, (struct small){3, 4}, make(10));
    struct big b = make(1);
    struct small s = shrink(b);
    printf("%d %d %ld %ld\n", s.x, s.y, b.a[0], make(7).a[2]);
    printf("%d %d %d\n", apply(twice, 5), pick(0)(6), (*&twice)(7));
    int one = 1;
    printf("%d\n", first_of(&one));
    printf("%d %d %d\n", aliased(), missing != 0, renamed(8));
    printf("%d %d %d\n", even(10), count() + count() * 10, nested_extern());
    printf("%g\n", narrow(1.25, 300, 7));
    nothing();
    int values[] = {5, 2, 9, 1};
    qsort(values, 4, sizeof values[0], compare);
    printf("%d %d %d\n", values[0], values[3], argc);
    (void)argv;
    if (argc > 0) leave(4);
    return 0;
}

int undeclared_style(int a, double b) { return a + (int)b; }
