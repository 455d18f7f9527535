// Precedence, literals, conversions and the operators with side effects.
#include <limits.h>
#include <stdio.h>

typedef unsigned char byte;
static int calls;
static int next(void) { return ++calls; }
static long wide(int x) { return x; }

static void integers(void)
{
    int a = 7, b = 3, c = 2;
    printf("%d %d %d %d\n", a - (b - c), a - b - c, (a + b) * c, a / (b * c));
    printf("%d %d %d\n", -(-a), - -a, ~-a);
    printf("%d %d %d\n", a & (b | c), (a & b) == b, a & b == b);
    printf("%d %d\n", a << (b - 1) << 1, a >> 1 + 1);
    printf("%d %d\n", !(a > b) == c, (a, b, c));
    printf("%d\n", a ? b ? 1 : 2 : c ? 3 : 4);
    printf("%d %d\n", (a ? 0 : b) ?: c, next() ?: 99);
    printf("%d %ld %ld %llu\n", INT_MIN, LONG_MIN, LONG_MAX, ULLONG_MAX);
    printf("%u %lu %d %d\n", 0xffffffff, 0x80000000UL, -2147483647 - 1, 'a');
    printf("%zu %zu %zu %zu\n", sizeof 2147483648, sizeof 0x80000000, sizeof 1ull, sizeof 'c');
    printf("%d %d\n", -1 < 0u, (short)-1 < 0u);
    printf("%d %d\n", (byte)300, (signed char)200);
    byte narrow = 250;
    narrow += 10;
    narrow <<= 1;
    narrow = ~narrow;
    printf("%d %d %d\n", narrow, narrow++ + 1, --narrow);
    short s = -1;
    unsigned short us = s;
    s >>= 3;
    s *= 2.6;
    printf("%d %d %d\n", s, us, us * us);
    unsigned __int128 big = ((unsigned __int128)0x123456789abcdefULL << 64) | 77;
    __int128 negative = -(__int128)1 << 100;
    printf("%llx %llx %lld\n", (unsigned long long)(big >> 64), (unsigned long long)big, (long long)(negative >> 90));
    _Bool flag = 0.5;
    flag += 5;
    printf("%d %d %d\n", flag, (_Bool)256, !flag);
    long l = wide(a) + b;
    l -= 10;
    printf("%ld %ld\n", l, a * wide(b));
}

static void floats(void)
{
    double d = 0x1.8p3, tiny = 1e-310, third = 1.0 / 3;
    float f = 0.1f;
    long double ld = 1.1L;
    printf("%.17g %g %.17g %.9g %.20Lg\n", d, tiny, third, f, ld);
    printf("%d %d %d\n", f == 0.1, (float)0.1 == f, (int)-2.9);
    printf("%g %g %d\n", __builtin_inf(), -__builtin_huge_val(), __builtin_nan("") != __builtin_nan(""));
    printf("%.17g %.17g\n", f * f, f + d);
    f += 1e10;
    d /= 3;
    printf("%.9g %.17g %u\n", f, d, (unsigned)3e9);
    printf("%.17g %.17g\n", (double)ULLONG_MAX, (double)(float)16777217);
    printf("%d %d\n", 1.5f > 1 && 2.5, !0.0);
}

static void pointers(void)
{
    int a[5] = {1, 2, 3, 4, 5}, *p = a + 1, (*row)[5] = &a;
    printf("%d %d %d %d\n", *p++, *p, ++*p, (*p)++);
    printf("%d %d %d\n", 2 [a], (*row)[3], *(*row + 1));
    printf("%ld %d %d\n", (long)(&a[4] - p), p > a, p == &2 [a]);
    char *bytes = (char *)a;
    void *raw = bytes + 4;
    printf("%d %d\n", *(int *)raw, *(int *)((void *)a + 8));
    int *null = 0;
    printf("%d %d %d\n", null == (void *)0, !null, null ? 1 : 2);
    const char *text = "text" + 1;
    printf("%c %c %s %zu\n", text[0], "abc"[1], &text[1], sizeof "abc");
    int i = 0;
    a[i++] = i * 0 + 10;
    a[i] += a[0], a[i + 1] -= 1;
    printf("%d %d %d %d\n", i, a[0], a[1], a[2]);
    int **pp = &p;
    **pp = 77;
    printf("%d %d\n", *p, (int)((unsigned long)p == (unsigned long)*pp));
    p -= 1;
    p += 2;
    printf("%d\n", (int)(p - a));
}

static void statements(void)
{
    int x = ({
        int y = next();
        y * 2;
    }) + ({ 3; });
    printf("%d\n", x);
    printf("%d\n", ({
               struct { int v; } s = {4};
               s;
           }).v);
    __auto_type z = 3L;
    __typeof__(z) w = z << 40;
    printf("%ld %d\n", w, _Generic(w, long: 1, default: 2));
    printf("%d\n", (x > 3 && next()) || next());
    x = (next(), next());
    int y = x = 5;
    printf("%d %d %d\n", x, y, calls);
    printf("%d\n", x+++y);
    printf("%d %d\n", x - -y, x + +y);
    printf("%s %s\n", __func__, "per%cent\?\?/");
}

int main(void)
{
    integers();
    floats();
    pointers();
    statements();
    return 3;
}
