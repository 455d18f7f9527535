// GNU C as systems code uses it.
// run: simulate
// like: cc
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define max(a, b) ({ __typeof__(a) _a = (a); __typeof__(b) _b = (b); _a > _b ? _a : _b; })
#define container_of(ptr, type, member) ((type *)((char *)(ptr) - offsetof(type, member)))
#define swap(a, b) do { __auto_type _t = (a); (a) = (b); (b) = _t; } while (0)
#define kind(x) _Generic((x), int: "int", long: "long", double: "double", char *: "string", default: "other")
#define is_same(a, b) __builtin_types_compatible_p(__typeof__(a), __typeof__(b))

struct item { int id; struct { struct item *next; } link; };
union __attribute__((transparent_union)) any { int *i; char *c; };
static int first_byte(union any a) { return *a.c; }
static int cleaned;
static void clean(int *p) { cleaned += *p; }
static int scoped(void)
{
    int a __attribute__((cleanup(clean))) = 3;
    {
        int b __attribute__((cleanup(clean))) = 40;
        (void)b;
    }
    return a + cleaned;
}
static __attribute__((constructor)) void before_main(void) { cleaned = 1000; }
static int zero_length(void)
{
    struct { int n; int tail[0]; } s;
    return sizeof s;
}
static inline __attribute__((always_inline)) int inlined(int x) { return x * 2; }

int main(void)
{
    __label__ out;
    int i = 3;
    printf("%d %d\n", max(i++, 2), i);
    struct item item = {7};
    printf("%d\n", container_of(&item.link, struct item, link)->id);
    double a = 1, b = 2;
    swap(a, b);
    printf("%g %g\n", a, b);
    printf("%s %s %s %s %s\n", kind(i), kind(1L), kind(a), kind("x"), kind((char)1));
    printf("%d %d\n", is_same(i, 3), is_same(i, 3L));
    int value = 0x41424344;
    printf("%d\n", first_byte(&value));
    printf("%d %d\n", scoped(), cleaned);
    printf("%d %d\n", zero_length(), inlined(21));
    printf("%d %d %d %d\n", __builtin_popcount(255), __builtin_clz(1), __builtin_ctz(8), __builtin_ffs(0));
    printf("%x %llx\n", __builtin_bswap32(0x11223344), (unsigned long long)__builtin_bswap64(0x1122334455667788ull));
    int sum;
    printf("%d ", __builtin_add_overflow(2147483647, 1, &sum));
    printf("%d ", sum);
    unsigned char small;
    printf("%d ", __builtin_mul_overflow(20, 20, &small));
    printf("%d\n", small);
    printf("%d %d\n", __builtin_constant_p(3), __builtin_expect(i == 4, 1));
    printf("%d\n", __builtin_choose_expr(sizeof(int) == 4, 11, "no"));
    int n = i + 1;
    int vla[n];
    memset(vla, 0, sizeof vla);
    printf("%zu\n", sizeof vla / sizeof vla[0]);
    char *stack = __builtin_alloca(8);
    strcpy(stack, "alloca");
    printf("%s\n", stack);
    printf("%s %s\n", __func__, __FUNCTION__);
    asm volatile("" ::: "memory");
    int $dollar = 5;
    printf("%d\n", $dollar);

    if (n)
        goto out;
    printf("not here\n");
out:
    printf("%d\n", ({ int t = 0; for (int k = 0; k < 5; k++) t += k; t; }));
    return __builtin_strlen("length");
}
