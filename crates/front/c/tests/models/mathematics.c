// math.h against the C library: every result bit, where a model claims to be exact.
#define _GNU_SOURCE
#include "driver.h"
#undef isnan
#undef isinf

static void check(const char *name, double x, double y, const void *ours, const void *theirs, size_t size) {
    if (memcmp(ours, theirs, size) == 0) return;
    double first = *(const double *)ours, second = *(const double *)theirs;
    if (size == 8 && first != first && second != second) return;
    if (size == 4 && *(const float *)ours != *(const float *)ours && *(const float *)theirs != *(const float *)theirs) return;
    fail("%s(%a, %a): %a instead of %a", name, x, y, first, second);
}

#define ONE(name)                                                                             \
    do {                                                                                      \
        extern double model_##name(double);                                                   \
        double ours = model_##name(x), theirs = name(x);                                      \
        check(#name, x, 0, &ours, &theirs, 8);                                                \
        extern float model_##name##f(float);                                                  \
        float single_ours = model_##name##f((float)x), single_theirs = name##f((float)x);     \
        check(#name "f", (float)x, 0, &single_ours, &single_theirs, 4);                       \
    } while (0)

#define TWO(name)                                                                             \
    do {                                                                                      \
        extern double model_##name(double, double);                                           \
        double ours = model_##name(x, y), theirs = name(x, y);                                \
        check(#name, x, y, &ours, &theirs, 8);                                                \
        extern float model_##name##f(float, float);                                           \
        float single_ours = model_##name##f((float)x, (float)y), single_theirs = name##f((float)x, (float)y); \
        check(#name "f", (float)x, (float)y, &single_ours, &single_theirs, 4);                \
    } while (0)

#define WHOLE(name)                                                                           \
    do {                                                                                      \
        extern __typeof__(name(0)) model_##name(double);                                      \
        if (model_##name(x) != name(x)) fail(#name "(%a)", x);                                \
    } while (0)

#define LONG(name)                                                                            \
    do {                                                                                      \
        extern long double model_##name(long double);                                         \
        long double ours = model_##name(z), theirs = name(z);                                 \
        if (memcmp(&ours, &theirs, 10) != 0 && theirs == theirs) fail(#name "(%La): %La instead of %La", z, ours, theirs); \
    } while (0)

static void pieces(double x, double y, int n) {
    extern double model_frexp(double, int *), model_ldexp(double, int), model_modf(double, double *);
    extern float model_ldexpf(float, int);
    int e_ours = 0, e_theirs = 0;
    double ours = model_frexp(x, &e_ours), theirs = frexp(x, &e_theirs);
    check("frexp", x, 0, &ours, &theirs, 8);
    if (x - x == 0 && e_ours != e_theirs) fail("frexp(%a): exponent", x);
    ours = model_ldexp(x, n), theirs = ldexp(x, n);
    check("ldexp", x, n, &ours, &theirs, 8);
    float single_ours = model_ldexpf((float)x, n), single_theirs = ldexpf((float)x, n);
    check("ldexpf", (float)x, n, &single_ours, &single_theirs, 4);
    double whole_ours, whole_theirs;
    ours = model_modf(x, &whole_ours), theirs = modf(x, &whole_theirs);
    check("modf", x, 0, &ours, &theirs, 8);
    check("modf", x, 1, &whole_ours, &whole_theirs, 8);
    extern int model___fpclassify(double), model_ilogb(double);
    if (model___fpclassify(x) != fpclassify(x)) fail("fpclassify(%a)", x);
    if (model_ilogb(x) != ilogb(x)) fail("ilogb(%a)", x);
    (void)y;
}

// Only where the true result is a number of the format.
static void exact_results(void) {
    extern double model_pow(double, double), model_log10(double), model_exp2(double), model_log2(double),
        model_hypot(double, double);
    for (int base = -40; base <= 40; base++)
        for (int power = 0; power < 10; power++) {
            double x = base / 4.0, ours = model_pow(x, power), theirs = pow(x, power);
            check("pow", x, power, &ours, &theirs, 8);
        }
    for (int i = -999; i <= 900; i++) {
        double ours = model_pow(2, i), theirs = pow(2, i);
        check("pow", 2, i, &ours, &theirs, 8);
        ours = model_exp2(i), theirs = exp2(i);
        check("exp2", i, 0, &ours, &theirs, 8);
        ours = model_log2(theirs), theirs = log2(theirs);
        check("log2", i, 0, &ours, &theirs, 8);
    }
    double ten = 1;
    for (int i = 0; i < 23; i++, ten *= 10) {
        double ours = model_log10(ten), theirs = log10(ten);
        check("log10", ten, 0, &ours, &theirs, 8);
    }
    double ours = model_hypot(3, 4), theirs = hypot(3, 4);
    check("hypot", 3, 4, &ours, &theirs, 8);
}

void test_mathematics(void) {
    for (int i = 0; i < 40000; i++) {
        double x = random_double(), y = random_double();
        if (random_bits() % 3 == 0) x = (double)(int)(random_bits() % 64) / 4 - 8, y = (double)(int)(random_bits() % 64) / 4 - 8;
        long double z = random_bits() % 2 ? random_long_double() : (long double)x;
        ONE(fabs); ONE(sqrt); ONE(floor); ONE(ceil); ONE(trunc); ONE(round); ONE(rint); ONE(nearbyint);
        TWO(fmod); TWO(remainder); TWO(copysign); TWO(fdim); TWO(nextafter);
        if (x != y) { TWO(fmin); TWO(fmax); }
        WHOLE(lround); WHOLE(llround); WHOLE(lrint); WHOLE(llrint);
        LONG(fabsl); LONG(truncl); LONG(floorl); LONG(ceill); LONG(roundl); LONG(rintl);
        pieces(x, y, (int)(random_bits() % 4400) - 2200);
    }
    exact_results();
}
