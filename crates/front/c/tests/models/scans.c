// sscanf against the C library: random formats over random texts.
#define _GNU_SOURCE
#include "driver.h"
#pragma GCC diagnostic ignored "-Wformat-nonliteral"

MODEL(sscanf);

struct places {
    union {
        long long integer;
        double real;
        long double extended;
        char text[64];
    } slots[4];
};

static void append(char *out, const char *text) { strcat(out, text); }

static void make(char *format, char *input) {
    static const char *conversions[] = {"%d", "%i",   "%u",      "%x",   "%o",   "%ld",  "%lld",  "%hd",     "%hhu",   "%3d",
                                        "%lf", "%f",   "%5lf",    "%Lf",  "%s",   "%5s",  "%c",    "%3c",     "%[a-z]", "%[^,]",
                                        "%n",  "%*d%n", "%*s%n", "%zu",  "%[]a]", "%2x", "%lg",  "%10[0-9a-]", "%jd", "%%%n"};
    static const char *texts[] = {"12",   "-7",   " 42",  "0x1f", "077", "1.5",  "-2e3", "1e",  "abc", "hello,world", "99999999999",
                                  "inf",  "nan",  "0x",   "+",    "",    "  ",   "x",    ",",   "%",   "]a",          "1.5.5",
                                  "-0x8p2", "12abc", ".5", "5.",  "0",   "-9223372036854775809", "infinity", "i", "1e+", "0x1.8"};
    static const char *glue[] = {"", "", " ", ",", "a", "\t"};
    format[0] = input[0] = 0;
    for (int i = (int)(random_bits() % 4) + 1; i > 0; i--) {
        append(format, conversions[random_bits() % 30]);
        append(input, texts[random_bits() % 32]);
        const char *between = glue[random_bits() % 6];
        append(format, random_bits() % 8 ? between : " ");
        append(input, random_bits() % 8 ? between : "  ");
    }
}

void test_scans(void) {
    char format[200], input[400];
    for (int i = 0; i < 60000; i++) {
        struct places ours, theirs;
        make(format, input);
        memset(&ours, 7, sizeof ours), memset(&theirs, 7, sizeof theirs);
        int n_ours = model_sscanf(input, format, &ours.slots[0], &ours.slots[1], &ours.slots[2], &ours.slots[3]);
        int n_theirs = sscanf(input, format, &theirs.slots[0], &theirs.slots[1], &theirs.slots[2], &theirs.slots[3]);
        if (n_ours != n_theirs || memcmp(&ours, &theirs, sizeof ours) != 0)
            fail("sscanf(\"%s\", \"%s\"): %d instead of %d, values %s", input, format, n_ours, n_theirs,
                 memcmp(&ours, &theirs, sizeof ours) ? "differ" : "same");
    }
}
