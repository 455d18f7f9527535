// Formatted output, conversion by conversion, equals that of the C library.
// run: simulate
// like: cc
#define _GNU_SOURCE
#include <stddef.h>
#include <stdio.h>
#include <wchar.h>
#include <limits.h>
#include <float.h>
#include <stdint.h>
#include <inttypes.h>
int main(void) {
    int n;
    printf("%d %i %u %x %X %o %c %s %%\n", -5, 7, 4000000000u, 255, 255, 8, 'c', "text");
    printf("[%5d][%-5d][%05d][%+d][% d][%.3d][%8.3d]\n", 42, 42, 42, 42, 42, 42, 42);
    printf("%hhd %hd %ld %lld %zu %jd %td\n", 300, 70000, LONG_MIN, LLONG_MAX, (size_t)1 << 40, (intmax_t)-1, (ptrdiff_t)9);
    printf("%#x %#o %#X %p\n", 255, 8, 255, (void *)0);
    printf("[%10s][%-10s][%.2s][%*s]\n", "right", "left", "cut", 6, "star");
    printf("%f %.3f %10.2f %-10.1f| %+.0f %#.0f\n", 3.14159, 2.71828, 1.5, 2.25, 2.5, 3.0);
    printf("%e %.0e %E %g %g %g %G\n", 12345.678, 0.5, 1e-10, 1e6, 1e5, 0.0001, 1e-5);
    printf("%a %A %.2a\n", 1.0, 0.1, 3.999);
    printf("%f %f %F %g\n", 1.0 / 0.0, -1.0 / 0.0, 1.0 / 0.0, 0.0);
    printf("%.20f\n%.50g\n%g %g\n", 0.1, DBL_MIN, DBL_MAX, 4.9e-324);
    printf("%Lf %.20Lg %Le\n", 1.25L, 0.1L, 1e100L);
    printf("%s%n\n", "count", &n);
    printf("%d\n", n);
    printf("%lc %ls\n", L'w', L"wide");
    printf("%" PRIu64 " %" PRIx32 "\n", UINT64_MAX, UINT32_C(0xdeadbeef));
    char buffer[8];
    int length = snprintf(buffer, sizeof buffer, "%s", "much too long");
    printf("%d %s\n", length, buffer);
    puts("done");
    putchar('x');
    putc('\n', stdout);
    fputs("fputs\n", stdout);
    fwrite("fwrite\n", 1, 7, stdout);
    return 0;
}
