// A tour through the other headers gives the C library's answers.
// run: simulate
// like: cc
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ctype.h>
#include <math.h>
#include <time.h>
#include <locale.h>
#include <wchar.h>
#include <errno.h>
struct item { int key; char name[8]; };
static int by_key(const void *a, const void *b) { return ((const struct item *)a)->key - ((const struct item *)b)->key; }
static void first(void) { puts("first"); }
static void second(void) { puts("second"); }
int main(void) {
    struct item items[5] = {{3, "c"}, {1, "a"}, {2, "b"}, {1, "A"}, {0, "z"}};
    qsort(items, 5, sizeof *items, by_key);
    for (int i = 0; i < 5; i++) printf("%d%s ", items[i].key, items[i].name);
    struct item key = {2, ""};
    struct item *found = bsearch(&key, items, 5, sizeof *items, by_key);
    printf("%s\n", found ? found->name : "none");
    char text[40] = "alpha,beta;;gamma";
    for (char *t = strtok(text, ",;"); t; t = strtok(NULL, ",;")) printf("<%s>", t);
    printf("\n%zu %d %s %s\n", strlen("four"), strcmp("a", "b") < 0, strchr("x=y", '='), strstr("haystack", "st"));
    for (const char *p = "aZ5 _\t\xff"; *p; p++) printf("%d%d%d%d%c ", !!isalpha(*p), !!isdigit(*p), !!isspace(*p), !!ispunct(*p), isprint(*p) ? toupper(*p) : '?');
    printf("\n%g %g %g %g %g %g\n", sqrt(2), floor(-1.5), ceil(1.2), fmod(7.5, 2), round(2.5), pow(2, 10));
    int e; double m = frexp(48.0, &e); printf("%g %d %g %ld\n", m, e, ldexp(0.75, 4), lround(-2.5));
    printf("%g %g %d %d\n", fmax(1, 2), fabs(-3.5), isnan(NAN) != 0, isinf(INFINITY) != 0);
    printf("%.17g\n", sqrt(-1.0) != sqrt(-1.0) ? 1.0 : 0.0);
    time_t t = 1000000000; struct tm *tm = gmtime(&t); char when[64];
    strftime(when, sizeof when, "%Y-%m-%d %H:%M:%S %a %j", tm); puts(when);
    printf("%ld %s", (long)mktime(tm), asctime(tm));
    srand(42); printf("%d ", rand()); printf("%d\n", rand() % 100);
    srand48(7); printf("%.10f ", drand48()); printf("%ld\n", lrand48());
    int *p = calloc(3, sizeof *p); p[2] = 9; p = realloc(p, 10 * sizeof *p); printf("%d %d\n", p[0], p[2]); free(p);
    char *copy = strdup("copy"); strcat(strcpy(text, copy), "-cat"); puts(text); free(copy);
    wchar_t wide[8]; wcscpy(wide, L"wide"); printf("%zu\n", wcslen(wide));
    printf("%s %s\n", setlocale(LC_ALL, NULL), localeconv()->decimal_point);
    div_t q = div(17, 5); ldiv_t l = ldiv(-17, 5); printf("%d %d %ld %ld %d %ld\n", q.quot, q.rem, l.quot, l.rem, abs(-4), labs(-5L));
    char *made; asprintf(&made, "%s-%d", "made", 7); puts(made); free(made);
    errno = ENOENT; perror("perror");
    void *al = aligned_alloc(64, 128); printf("%d\n", (int)((size_t)al % 64)); free(al);
    memset(text, 'x', 5); memmove(text + 1, text, 5); text[6] = 0; puts(text);
    atexit(first); atexit(second);
    exit(5);
}
