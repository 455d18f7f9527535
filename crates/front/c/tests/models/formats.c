// printf family against the C library: random formats over random values.
#define _GNU_SOURCE
#include "driver.h"
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-security"

int *model___errno_location(void);
MODEL(snprintf);
MODEL(sprintf);
MODEL(asprintf);
MODEL(printf);
MODEL(puts);
MODEL(putchar);
MODEL(fputs);

static char ours[40000], theirs[40000];

static void compare(const char *format, int n_ours, int n_theirs) {
    if (n_ours != n_theirs || strcmp(ours, theirs) != 0)
        fail("format <%s>: model %d <%.200s>, libc %d <%.200s>", format, n_ours, ours, n_theirs, theirs);
}

// Both with the same arguments; the buffer is sometimes too short.
#define BOTH(...)                                                                       \
    do {                                                                                \
        size_t size = random_bits() % 4 ? sizeof ours : random_bits() % 30 + 1;         \
        memset(ours, 1, 64), memset(theirs, 1, 64);                                     \
        int n_ours = model_snprintf(ours, size, __VA_ARGS__);                           \
        int n_theirs = snprintf(theirs, size, __VA_ARGS__);                             \
        compare(format, n_ours, n_theirs);                                              \
    } while (0)

static void make_spec(char *out, const char *length, char conversion, int most_precision) {
    static const char flags[] = "-+ #0";
    *out++ = '%';
    for (int i = 0; i < 5; i++)
        if (random_bits() % 4 == 0) *out++ = flags[i];
    if (random_bits() % 3 == 0) out += sprintf(out, "%d", (int)(random_bits() % 40) + 1);
    if (random_bits() % 2 == 0) out += sprintf(out, ".%d", (int)(random_bits() % most_precision));
    out += sprintf(out, "%s%c", length, conversion);
    *out = 0;
}

static unsigned long long random_integer(void) {
    unsigned long long bits = random_bits() >> (random_bits() % 64);
    if (random_bits() % 6 == 0) bits = random_bits() % 3;
    return random_bits() % 2 ? bits : -bits;
}

static void integers(void) {
    static const char *lengths[] = {"", "hh", "h", "l", "ll", "z", "j", "t"};
    for (int i = 0; i < 40000; i++) {
        char format[64];
        int length = (int)(random_bits() % 8);
        unsigned long long value = random_integer();
        make_spec(format, lengths[length], "diuxXo"[random_bits() % 6], 25);
        if (length < 3)
            BOTH(format, (int)value);
        else
            BOTH(format, (long)value);
    }
}

static void floats(void) {
    for (int i = 0; i < 60000; i++) {
        char format[64];
        make_spec(format, "", "eEfFgGaA"[random_bits() % 8], i % 50 == 0 ? 1200 : 25);
        double value = random_double();
        BOTH(format, value);
    }
    for (int i = 0; i < 600; i++) {
        char format[64];
        make_spec(format, "L", "eEfFgGaA"[random_bits() % 8], 25);
        long double value = random_long_double();
        BOTH(format, value);
    }
}

static void texts(void) {
    static char text[80];
    for (int i = 0; i < 4000; i++) {
        char format[64];
        size_t length = random_bits() % 79;
        for (size_t k = 0; k < length; k++) text[k] = (char)(random_bits() % 255 + 1);
        text[length] = 0;
        make_spec(format, "", 's', 60);
        BOTH(format, text);
        make_spec(format, "", 'c', 60);
        int c = (int)(random_bits() % 127) + 1;
        BOTH(format, c);
        make_spec(format, "", 'p', 25);
        void *pointer = (void *)(size_t)(random_bits() % 5 ? random_bits() : 0);
        BOTH(format, pointer);
    }
    const char *format = "%d%% %*.*f|%-*s|%n%lc%ls %m";
    int n = 0, m = 0;
    *model___errno_location() = EINVAL;
    int n_ours = model_snprintf(ours, 200, format, 5, -12, 3, 2.5, 9, "left", &n, L'x', L"wide");
    errno = EINVAL;
    int n_theirs = snprintf(theirs, 200, format, 5, -12, 3, 2.5, 9, "left", &m, L'x', L"wide");
    compare(format, n_ours, n_theirs);
    if (n != m) fail("%%n: %d instead of %d", n, m);
}

void test_formats(void) {
    integers();
    floats();
    texts();
    char *made = NULL;
    if (model_asprintf(&made, "%s-%d", "name", 7) != 6 || strcmp(made, "name-7") != 0) fail("asprintf: %s", made);
    n_output = 0;
    model_printf("checksum = %X\n", 0xDEADBEEF);
    model_puts("line");
    model_putchar('c');
    if (n_output != 26 || memcmp(output, "checksum = DEADBEEF\nline\nc", 26) != 0)
        fail("streams: %zu bytes <%.*s>", n_output, (int)n_output, output);
}
