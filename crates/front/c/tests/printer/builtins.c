// Built-in functions under gcc's names.
#include <stdio.h>

static int counter;
static struct { int a; char b[10]; } object;

int main(void)
{
    unsigned u = 0x00f0;
    unsigned long ul = 0x100000000;
    printf("%d %d %d %d\n", __builtin_clz(u), __builtin_clzl(ul), __builtin_ctzll(ul), __builtin_ffs(8));
    printf("%d %d %d\n", __builtin_popcountl(ul | u), __builtin_parity(7), __builtin_clrsb(-1));
    printf("%x %x %lx\n", __builtin_bswap16(0x1234), __builtin_bswap32(u), __builtin_bswap64(ul));
    int result;
    unsigned char narrow;
    printf("%d ", __builtin_add_overflow(0x7fffffff, 1, &result));
    printf("%d ", result);
    printf("%d ", __builtin_mul_overflow(20, 13, &narrow));
    printf("%d %d\n", narrow, __builtin_sub_overflow_p(0u, 1, (unsigned)0));
    if (__builtin_expect(u > 3, 1)) printf("likely\n");
    printf("%d %d %d %d\n", __builtin_isnan(0.0 / u), __builtin_isinf(1e308 * u), __builtin_signbit(-0.0) != 0,
           __builtin_isfinite(1.0f));
    printf("%g %g %g\n", __builtin_fabs(-2.5), __builtin_copysign(1.0, -0.0), (double)__builtin_fabsf(-1.5f));
    printf("%d %d\n", __builtin_isless(1.0, 2.0), __builtin_isunordered(1.0, __builtin_nan("")));
    printf("%d ", __atomic_fetch_add(&counter, 5, __ATOMIC_SEQ_CST));
    printf("%d ", __sync_fetch_and_add(&counter, 2));
    printf("%d ", __sync_add_and_fetch(&counter, 1));
    printf("%d ", __atomic_load_n(&counter, 0));
    __atomic_store_n(&counter, 3, 5);
    int expected = 3;
    printf("%d ", __atomic_compare_exchange_n(&counter, &expected, 9, 0, 5, 5));
    printf("%d ", __sync_bool_compare_and_swap(&counter, 9, 11));
    printf("%d\n", __atomic_exchange_n(&counter, 1, 5));
    __sync_synchronize();
    printf("%zu %d\n", __builtin_object_size(&object, 0), __builtin_constant_p(3));
    char *room = __builtin_alloca(10);
    room[9] = 'r';
    printf("%c %d\n", room[9], __builtin_types_compatible_p(int, signed));
    _Atomic int atomic = 5;
    atomic++;
    atomic += 3;
    printf("%d\n", atomic);
    if (counter > 100) __builtin_unreachable();
    return 0;
}
