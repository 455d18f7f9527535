// IEEE arithmetic in single, double and extended precision, printed exactly.
// run: simulate
// like: cc
#include <float.h>
#include <math.h>
#include <stdio.h>

int main(void)
{
    float f = 0.1f;
    double d = 0.1;
    printf("%.20f %.20f\n", f, d);
    printf("%g %g %e %a\n", f + d, f * d, d / 3, d);
    printf("%d %d %d\n", f == d, f < d, (float)d == f);
    printf("%d %u %lld\n", (int)-2.9, (unsigned)3.99, (long long)1e18);
    printf("%f %f\n", (double)16777217, (float)16777217);
    printf("%f\n", (double)18446744073709551615ull);
    printf("%g %g %g\n", DBL_MAX, DBL_MIN, FLT_EPSILON);
    double zero = 0.0;
    printf("%f %f %d\n", 1 / zero, -1 / zero, isnan(zero / zero));
    printf("%d %d\n", zero == -zero, signbit(-zero) != 0);
    printf("%.3f %.3f %.3f %.3f\n", floor(-2.5), ceil(-2.5), round(-2.5), trunc(-2.5));
    printf("%.15g %g %g\n", sqrt(2), fabs(-3.5), fmod(10, 3));
    printf("%5.1f|%-8.2e|%+g|%010.3f|%#g\n", 3.14159, 31415.9, 2.0, -1.5, 1.0);
    long double x = 1.0L / 3;
    printf("%.18Lf %Lg\n", x, x * 3);
    x += 1e-18L;
    printf("%d %zu\n", x > 1.0L / 3, sizeof x);
    float sum = 0;
    for (int i = 0; i < 1000; i++)
        sum += 0.001f;
    printf("%.9g\n", sum);
    int e;
    printf("%g ", frexp(48, &e));
    printf("%d %g\n", e, ldexp(0.75, 4));
    d = 5;
    d++;
    d -= 0.5;
    f = d;
    f /= 4;
    printf("%g %g %d\n", d, f, !f);
    union { double d; unsigned long long u; } bits = {-0.0};
    printf("%llx\n", bits.u);
    printf("%.0f %.0f %.0f\n", 0.5, 1.5, 2.5);
    printf("%g %g %g %g\n", 100000.0, 1000000.0, 0.0001, 0.00001);
    return 0;
}
