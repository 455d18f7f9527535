// Text to numbers against the C library.
#define _GNU_SOURCE
#include "driver.h"

MODEL(strtol);
MODEL(strtoul);
MODEL(strtoll);
MODEL(strtoull);
MODEL(strtod);
MODEL(strtof);
MODEL(strtold);
MODEL(atoi);
MODEL(atof);

static char text[2000];

static void make_integer(void) {
    static const char *digits = "0123456789abcdefghijklmnopqrstuvwxyzABCXZ";
    int n = 0, n_digits = (int)(random_bits() % 26), base = "\2\12\20\12\10\44"[random_bits() % 6];
    if (random_bits() % 6 == 0) text[n++] = " \t\n\v"[random_bits() % 4];
    if (random_bits() % 3 == 0) text[n++] = "+-"[random_bits() % 2];
    if (random_bits() % 4 == 0) text[n++] = '0';
    if (random_bits() % 6 == 0) text[n++] = "xX"[random_bits() % 2];
    for (int i = 0; i < n_digits; i++) text[n++] = digits[random_bits() % base];
    if (random_bits() % 4 == 0) text[n++] = "xyz. "[random_bits() % 5];
    text[n] = 0;
}

#define COMPARE_INTEGER(name)                                                                             \
    do {                                                                                                  \
        char *end_ours = NULL, *end_theirs = NULL;                                                        \
        errno = 0, *model___errno_location() = 0;                                                         \
        __typeof__(name(text, NULL, base)) ours = model_##name(text, &end_ours, base);                    \
        __typeof__(ours) theirs = name(text, &end_theirs, base);                                          \
        int error = errno;                                                                                \
        if (ours != theirs || end_ours != end_theirs || error != *model___errno_location())               \
            fail(#name "(\"%s\", %d): %lld, errno %d instead of %lld, %d", text, base, (long long)ours,   \
                 *model___errno_location(), (long long)theirs, error);                                    \
    } while (0)

int *model___errno_location(void);

static void integers(void) {
    for (int i = 0; i < 60000; i++) {
        make_integer();
        int base = (int)(random_bits() % 38) - (int)(random_bits() % 20 == 0);
        if (random_bits() % 2) base = "\0\12\20\10"[random_bits() % 4];
        COMPARE_INTEGER(strtol);
        COMPARE_INTEGER(strtoul);
        COMPARE_INTEGER(strtoll);
        COMPARE_INTEGER(strtoull);
        if (model_atoi(text) != atoi(text)) fail("atoi(\"%s\")", text);
    }
}

static void make_float(void) {
    int n = 0;
    switch (random_bits() % 9) {
    case 0: sprintf(text, "%.*g", (int)(random_bits() % 25), random_double()); return;
    case 1: sprintf(text, "%.*e", (int)(random_bits() % 25), random_double()); return;
    case 2: sprintf(text, "%a", random_double()); return;
    case 3: sprintf(text, "%.*f", (int)(random_bits() % 25), random_double()); return;
    case 4: {
        // Half way between two doubles, or next to it.
        double low = fabs(random_double());
        if (!isfinite(low)) low = 1;
        long double middle = ((long double)low + nextafter(low, INFINITY)) / 2;
        sprintf(text, "%.1100Le", isfinite(middle) ? middle : 1);
        if (random_bits() % 2) {
            char *e = strchr(text, 'e');
            e[-1] = '1';
        }
        return;
    }
    case 5: strcpy(text, ((const char *[]){"inf", "-Infinity", "nan", "NaN(ab1)", "nan(", "infinit", "0x", "0x.p1", ".", "1e",
                                           "1e+", "-", "0x1.8p", "1.e5", ".5e-3", "+.e1", "0x1.fffffffffffff8p3"})[random_bits() % 17]);
            return;
    case 6: sprintf(text, "0x%llx.%llxp%d", random_bits() >> (random_bits() % 64), random_bits(), (int)(random_bits() % 2200) - 1100); return;
    default:
        if (random_bits() % 3 == 0) text[n++] = "+-"[random_bits() % 2];
        for (int k = (int)(random_bits() % 20); k > 0; k--) text[n++] = (char)('0' + random_bits() % 10);
        if (random_bits() % 2) text[n++] = '.';
        for (int k = (int)(random_bits() % 20); k > 0; k--) text[n++] = (char)('0' + random_bits() % 10);
        if (random_bits() % 2) n += sprintf(text + n, "e%d", (int)(random_bits() % (random_bits() % 8 ? 60 : 700)) - 30 * (int)(random_bits() % 12));
        text[n] = 0;
    }
}

static void check_float(const char *name, const void *ours, const void *theirs, size_t size, int is_same_end, int error_ours,
                        int error_theirs) {
    if (memcmp(ours, theirs, size) != 0 || !is_same_end || error_ours != error_theirs)
        fail("%s(\"%.60s\"): value %s, end %s, errno %d instead of %d", name, text,
             memcmp(ours, theirs, size) ? "differs" : "same", is_same_end ? "same" : "differs", error_ours, error_theirs);
}

#define COMPARE_FLOAT(name, size)                                                                          \
    do {                                                                                                   \
        char *end_ours = NULL, *end_theirs = NULL;                                                         \
        errno = 0, *model___errno_location() = 0;                                                          \
        __typeof__(name(text, NULL)) ours = model_##name(text, &end_ours);                                 \
        __typeof__(ours) theirs = name(text, &end_theirs);                                                 \
        int error = errno;                                                                                 \
        if (!(ours != ours && theirs != theirs))                                                           \
            check_float(#name, &ours, &theirs, size, end_ours == end_theirs, *model___errno_location(), error); \
    } while (0)

void test_numbers(void) {
    integers();
    for (int i = 0; i < 30000; i++) {
        make_float();
        COMPARE_FLOAT(strtod, 8);
        COMPARE_FLOAT(strtof, 4);
        if (i % 4 == 0) COMPARE_FLOAT(strtold, 10);
    }
}
